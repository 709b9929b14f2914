//! Games published by others, read and written.

use ludens_gdl::format::{canonical_rule, format};
use ludens_gdl::{Description, Notation, Source};
use ludens_testkit::{corpus, files};

fn descriptions() -> Vec<Description> {
    let paths = files(&corpus().join("games"), &["kif"]);
    assert!(!paths.is_empty(), "the corpus has no games");
    paths
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            Description::read(Source::from_bytes(name, std::fs::read(path).unwrap()))
        })
        .collect()
}

/// The rules in normal form, as sorted texts.
fn normal_texts(description: &Description) -> Vec<String> {
    let normal = description.normal();
    let mut texts: Vec<String> = normal
        .rules
        .iter()
        .map(|rule| canonical_rule(rule, &normal.symbols))
        .collect();
    texts.sort_unstable();
    texts
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn every_game_of_the_corpus_is_read_without_a_syntax_error() {
    for description in descriptions() {
        let broken = description
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.code.id.starts_with("E1"));
        assert!(broken.is_none(), "{}: {:?}", description.source.name(), broken);
        assert!(description.normal().strata().is_ok(), "{}", description.source.name());
    }
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn both_notations_of_a_game_of_the_corpus_mean_the_same() {
    for description in descriptions() {
        let name = description.source.name();
        let expected = normal_texts(&description);
        let kif = format(&description, Notation::Kif);
        let again = Description::read(Source::new(name, kif.clone()));
        same_rules(&normal_texts(&again), &expected, name);
        assert!(format(&again, Notation::Kif) == kif, "{name} is not stable");
        let infix = format(&description, Notation::Infix);
        let back = Description::read_as(Source::new(name, infix), Some(Notation::Infix), &Default::default());
        // Constants in needless parentheses lose them; everything else is preserved.
        let strip = |texts: Vec<String>| -> Vec<String> {
            let mut texts: Vec<String> = texts.iter().map(|text| without_needless_parentheses(text)).collect();
            texts.sort_unstable();
            texts
        };
        same_rules(&strip(normal_texts(&back)), &strip(expected), name);
    }
}

fn same_rules(actual: &[String], expected: &[String], name: &str) {
    let extra = actual.iter().find(|rule| !expected.contains(rule));
    let missing = expected.iter().find(|rule| !actual.contains(rule));
    assert!(
        extra.is_none() && missing.is_none(),
        "{name}: extra {extra:?}, missing {missing:?}"
    );
}

fn without_needless_parentheses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let inner = &rest[open + 1..];
        let close = inner.find(['(', ')', ' ']).unwrap_or(inner.len());
        out.push_str(&rest[..open]);
        if inner[close..].starts_with(')') {
            out.push_str(&inner[..close]);
            rest = &inner[close + 1..];
        } else {
            out.push('(');
            rest = inner;
        }
    }
    out + rest
}
