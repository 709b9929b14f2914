//! Properties of every text: reading and rendering never panic and places lie in the text; and of every rule
//! sheet: the formatter changes the layout, never the rules or the comments.

use ludens_gdl::format::{canonical_rule, format};
use ludens_gdl::tree::NodeId;
use ludens_gdl::{Description, Limits, Notation, Severity, Source, Span, render};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn read_as(text: &str, notation: Notation) -> Description {
    Description::read_as(Source::new("test", text), Some(notation), &Limits::default())
}

// Any text

fn check_span(source: &Source, span: Span, what: &str) {
    let range = span.range();
    assert!(
        range.start <= range.end && range.end <= source.text().len(),
        "{what} {range:?} is outside of {:?}",
        source.text()
    );
    for at in [range.start, range.end] {
        assert!(
            source.text().is_char_boundary(at),
            "{what} {range:?} splits a character of {:?}",
            source.text()
        );
    }
    let (start, end) = (source.place(span.start), source.place(span.end));
    assert!(start.line >= 1 && start.column >= 1 && (start.line, start.column) <= (end.line, end.column));
}

/// Everything that may be done with any text. Panics are what it looks for.
fn survey(source: Source) {
    for notation in [None, Some(Notation::Kif), Some(Notation::Infix)] {
        let description = Description::read_as(source.clone(), notation, &Limits::default());
        let source = &description.source;
        for diagnostic in &description.diagnostics {
            check_span(source, diagnostic.span, diagnostic.code.id);
            for (span, _) in &diagnostic.related {
                check_span(source, *span, "a related place");
            }
            let plain = render::render(source, diagnostic, diagnostic.code.severity(), false);
            assert!(plain.contains(diagnostic.code.id), "{plain}");
            render::render(source, diagnostic, Severity::Error, true);
        }
        for number in 0..description.tree.len() {
            check_span(source, description.tree.span(NodeId(number as u32)), "a node");
        }
        for &comment in &description.tree.comments {
            check_span(source, comment, "a comment");
        }
        for rule in &description.rules.rules {
            check_span(source, rule.span, "a rule");
            check_span(source, rule.head.span, "a head");
            rule.body
                .iter()
                .for_each(|formula| check_span(source, formula.span(), "a condition"));
        }
        let normal = description.normal();
        assert!(normal.left_out.iter().all(|&rule| rule < description.rules.rules.len()));
        let _ = normal.strata();
        format(&description, Notation::Kif);
        format(&description, Notation::Infix);
    }
}

const SOUP: &[&str] = &[
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    "()",
    "<=",
    "(<=",
    ":-",
    "~",
    "&",
    "|",
    ",",
    ".",
    ";",
    "; x\n",
    "%",
    "% y\n",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "\"a b\"",
    "[",
    "]",
    "[a, b]",
    "\\+",
    "?",
    "?x",
    "?y",
    "X",
    "_",
    "role",
    "(role w)",
    "role(w)",
    "init",
    "true",
    "(true (f ?x))",
    "true(f(X))",
    "does",
    "next",
    "legal",
    "goal",
    "(goal w 101)",
    "terminal",
    "sees",
    "random",
    "base",
    "input",
    "distinct",
    "(distinct ?x ?y)",
    "not",
    "(not",
    "or",
    "(or",
    "and",
    "(and",
    "nil",
    "cons",
    "w",
    "W",
    "a",
    "f",
    "f(",
    "1",
    "100",
    "-1",
    "a;b",
    "é",
    "Ä",
    "ß",
    "日本",
    "\u{feff}",
    "\u{0}",
    "\u{a0}",
    "\u{2028}",
    "İ",
    "🎲",
];

fn soup() -> impl Strategy<Value = String> {
    let separator = select(&["", " ", " ", " ", "\n"][..]);
    prop::collection::vec((select(SOUP), separator), 0..60)
        .prop_map(|parts| parts.into_iter().flat_map(|(token, space)| [token, space]).collect())
}

/// Pieces of which any sequence is free of syntax errors, though not always valid.
const CLEAN: &[&str] = &[
    "(role w)",
    "(p)",
    "(<= p q)",
    "(<= p)",
    "(<= (p ?x) (q ?x) (not (r ?x)))",
    "(<= p (or q (and r s)) (distinct a b))",
    "(goal w 101)",
    "(true f)",
    "(not p)",
    "(or)",
    "(f (g (h)))",
    "terminal",
    "W",
    "w",
    "1",
    "é",
    "日本",
    "; x\n",
    ";\n",
    ";; y z\n\n",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "(<= ; x\n p q)",
    "( ; x\n p)",
    "(<= p ; x\n q)",
    "(p ; x\n)",
    "(<= (p ; x\n a) q ; y\n r)",
    "(<= p\n; x\nq\n; y\n\n)",
];

fn clean_soup() -> impl Strategy<Value = String> {
    let separator = select(&[" ", " ", "\n"][..]);
    prop::collection::vec((select(CLEAN), separator), 0..12)
        .prop_map(|parts| parts.into_iter().flat_map(|(token, space)| [token, space]).collect())
}

const SHEETS: &[&str] = &[
    include_str!("../../../games/tic-tac-toe.kif"),
    "; a sheet\n(role w) (role b)\n(init (cell 1 b)) (succ 1 2)\n(<= (legal w (mark ?x)) (true (cell ?x b)))\n\
     (legal b noop)\n(<= (next (cell ?x ?m))\n    (or (and (does w (mark ?x)) (mark ?m)) ; either\n        \
     (true (cell ?x ?m)))\n    (not (dead ?x))\n    (distinct ?x ?m))\n(<= terminal (not open))\n(goal w 100) (goal b 0)\n",
    "% a sheet\nrole(w)\ninit(cell(1, b))\nlegal(w, mark(X)) :- true(cell(X, b)) & ~dead(X)\n\
     next(cell(X, M)) :-\n    (does(w, mark(X)) & mark(M) | true(cell(X, M))) & distinct(X, M)\n\
     terminal :- ~open.\ngoal(w, 100)\nlist([a, b, c])\n",
];

/// A valid sheet with some pieces cut out, repeated, moved or replaced.
fn mutated_sheet() -> impl Strategy<Value = String> {
    let edit = (
        any::<Index>(),
        0..30usize,
        any::<Index>(),
        prop::option::of(select(SOUP)),
    );
    (select(SHEETS), prop::collection::vec(edit, 1..6)).prop_map(|(sheet, edits)| {
        let mut chars: Vec<char> = sheet.chars().collect();
        for (from, length, to, token) in edits {
            let start = from.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            let piece: Vec<char> = chars.drain(start..end).collect();
            let target = to.index(chars.len() + 1);
            let inserted = token.map_or(piece, |token| token.chars().collect());
            chars.splice(target..target, inserted);
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_read(text in any::<String>()) {
        survey(Source::new("test", text));
    }

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survey(Source::from_bytes("test", bytes));
    }

    #[test]
    fn any_sequence_of_tokens_can_be_read(text in soup()) {
        survey(Source::new("test", text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sheets_can_be_read(text in mutated_sheet()) {
        survey(Source::new("test", text));
    }
}

// Rule sheets

/// A name that both notations can write, and a few that infix must quote.
fn name() -> impl Strategy<Value = String> {
    select(
        &[
            "cell",
            "Mark",
            "x-1",
            "a_b",
            "1",
            "100",
            "p+q",
            "a>b",
            "a.b",
            "end.",
            "_x",
            "é",
            "a%b",
            "Not-filled",
            "*",
            "->",
        ][..],
    )
    .prop_map(str::to_string)
}

fn variable() -> impl Strategy<Value = String> {
    select(&["?x", "?Y", "?long-name", "?x1", "?1", "?_z", "?x_"][..]).prop_map(str::to_string)
}

/// A list of tokens of one expression.
type Tokens = Vec<String>;

fn list(items: impl IntoIterator<Item = Tokens>) -> Tokens {
    let mut tokens = vec!["(".to_string()];
    tokens.extend(items.into_iter().flatten());
    tokens.push(")".to_string());
    tokens
}

fn word(text: &str) -> Tokens {
    vec![text.to_string()]
}

fn term(ground: bool) -> BoxedStrategy<Tokens> {
    let leaf = match ground {
        true => name().prop_map(|name| word(&name)).boxed(),
        false => prop_oneof![name(), variable()].prop_map(|name| word(&name)).boxed(),
    };
    leaf.prop_recursive(3, 8, 3, |inner| {
        (name(), prop::collection::vec(inner, 0..3))
            .prop_map(|(name, args)| list(std::iter::once(word(&name)).chain(args)))
    })
    .boxed()
}

fn relation(ground: bool) -> BoxedStrategy<Tokens> {
    let term = || term(ground);
    let call = |name: &'static str| move |args: Vec<Tokens>| list(std::iter::once(word(name)).chain(args));
    prop_oneof![
        name().prop_map(|name| word(&name)),
        (name(), prop::collection::vec(term(), 0..4))
            .prop_map(|(name, args)| list(std::iter::once(word(&name)).chain(args))),
        prop::collection::vec(term(), 2).prop_map(call("legal")),
        prop::collection::vec(term(), 1).prop_map(call("next")),
        prop::collection::vec(term(), 1).prop_map(call("init")),
        Just(word("terminal")),
    ]
    .boxed()
}

fn literal() -> BoxedStrategy<Tokens> {
    let call = |name: &'static str| move |args: Vec<Tokens>| list(std::iter::once(word(name)).chain(args));
    let leaf = prop_oneof![
        4 => relation(false),
        1 => prop::collection::vec(term(false), 1).prop_map(call("true")),
        1 => prop::collection::vec(term(false), 2).prop_map(call("does")),
        1 => prop::collection::vec(term(false), 2).prop_map(call("distinct")),
    ];
    leaf.prop_recursive(3, 10, 3, move |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(move |inner| call("not")(vec![inner])),
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(call("or")),
            1 => prop::collection::vec(inner, 2..4).prop_map(call("and")),
        ]
    })
    .boxed()
}

fn statement() -> BoxedStrategy<Tokens> {
    let rule = (relation(false), prop::collection::vec(literal(), 1..4)).prop_map(|(head, mut body)| {
        // An `and` that is the whole body is the body itself: see the test of its own.
        if body.len() == 1 && body[0].get(1).is_some_and(|name| name == "and") {
            body.push(word("cell"));
        }
        list([word("<="), head].into_iter().chain(body))
    });
    prop_oneof![2 => rule, 1 => relation(true)].boxed()
}

/// Separators of tokens: mostly a space, sometimes a comment.
fn space() -> impl Strategy<Value = String> {
    let comment = "[ -~é]{0,12}".prop_map(|text| format!(" ;{text}\n"));
    prop_oneof![
        20 => Just(" ".to_string()),
        4 => select(&["\n", "\r\n", "\t", "\n\n\n", "    "][..]).prop_map(str::to_string),
        2 => comment,
    ]
}

/// A sheet in KIF, with any layout.
fn sheet() -> impl Strategy<Value = String> {
    let tokens = prop::collection::vec(statement(), 1..6).prop_map(|statements| statements.concat());
    (tokens, prop::collection::vec(space(), 1..40)).prop_map(|(tokens, spaces)| {
        let mut text = spaces[0].clone();
        for (token, space) in tokens.iter().zip(spaces.iter().cycle()) {
            text += token;
            text += space;
        }
        text
    })
}

/// The normal rules as text. Names that the expansion makes up are all the same here.
fn rules(description: &Description) -> Vec<String> {
    let normal = description.normal();
    let text = |rule| {
        let rule = canonical_rule(rule, &normal.symbols);
        let mut pieces = rule.split('#');
        let first = pieces.next().unwrap_or_default().to_string();
        pieces.fold(first, |text, piece| {
            text + "#" + piece.trim_start_matches(|c: char| c.is_ascii_digit())
        })
    };
    normal.rules.iter().map(text).collect()
}

/// The comments without their signs, in order.
fn comments(description: &Description) -> Vec<String> {
    let text = |&span: &Span| {
        let text = description.source.slice(span).trim_end();
        text.trim_start_matches([';', '%']).to_string()
    };
    description.tree.comments.iter().map(text).collect()
}

fn syntax_errors(description: &Description) -> Vec<&str> {
    let ids = description.diagnostics.iter().map(|diagnostic| diagnostic.code.id);
    // A text without a statement has the right form.
    ids.filter(|id| id.starts_with("E1") && *id != "E114").collect()
}

/// Formats a text and checks that nothing but the layout changed; returns the result.
fn check_format(description: &Description, notation: Notation) -> Description {
    let formatted = format(description, notation);
    let again = read_as(&formatted, notation);
    let before = description.source.text();
    assert_eq!(syntax_errors(&again), [""; 0], "{before}\nbecame\n{formatted}");
    assert_eq!(rules(&again), rules(description), "{before}\nbecame\n{formatted}");
    // Two comments may end up on one line.
    let kept = comments(&again);
    for comment in comments(description) {
        assert!(
            kept.iter().any(|kept| kept.contains(comment.as_str())),
            "{comment:?} is lost: {before}\nbecame\n{formatted}"
        );
    }
    assert_eq!(format(&again, notation), formatted, "not idempotent for\n{before}");
    again
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formatting_changes_the_layout_only(text in sheet()) {
        let description = read_as(&text, Notation::Kif);
        prop_assert_eq!(syntax_errors(&description), [""; 0]);
        check_format(&description, Notation::Kif);
    }

    #[test]
    fn kif_becomes_infix_and_back(text in sheet()) {
        let description = read_as(&text, Notation::Kif);
        let infix = check_format(&description, Notation::Infix);
        check_format(&infix, Notation::Kif);
    }

    #[test]
    fn statements_that_break_other_rules_are_formatted_too(text in clean_soup()) {
        let description = read_as(&text, Notation::Kif);
        prop_assert_eq!(syntax_errors(&description), [""; 0]);
        check_format(&description, Notation::Kif);
    }
}

#[test]
fn the_generator_makes_sheets_with_rules_and_comments() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut made, mut remarks) = (0, 0);
    for _ in 0..50 {
        let text = sheet().new_tree(&mut runner).expect("a sheet").current();
        let description = read_as(&text, Notation::Kif);
        made += rules(&description).len();
        remarks += comments(&description).len();
    }
    assert!(made > 50 && remarks > 50, "{made} rules and {remarks} comments");
}

#[test]
fn a_rule_without_conditions_survives_the_conversion_to_infix() {
    let description = read_as("(<= h)\n(role w)\n(<= (f a))\n(<= p q)\n", Notation::Kif);
    let infix = check_format(&description, Notation::Infix);
    check_format(&infix, Notation::Kif);
}

#[test]
fn an_and_that_is_the_whole_body_is_converted_once_and_for_all() {
    let description = read_as("(<= h (and p q))\n", Notation::Kif);
    let infix = check_format(&description, Notation::Infix);
    check_format(&infix, Notation::Kif);
}

#[test]
fn a_variable_named_by_an_underscore_stays_one_variable() {
    let description = read_as("(<= (p ?_) (q ?_ ?_))\n", Notation::Kif);
    let infix = check_format(&description, Notation::Infix);
    check_format(&infix, Notation::Kif);
}

#[test]
fn variables_with_unusual_characters_survive_the_conversion_to_infix() {
    for name in ["?a>b", "?a=", "?x%", "?é", "?a.", "?<", "?x!", "?İ"] {
        let description = read_as(&format!("(<= (p {name}) (q {name} ?y))\n"), Notation::Kif);
        let infix = check_format(&description, Notation::Infix);
        check_format(&infix, Notation::Kif);
    }
}

#[test]
fn the_games_of_the_library_survive_formatting_and_conversion() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the games are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let description = read_as(&text, Notation::Kif);
        check_format(&description, Notation::Kif);
        let infix = check_format(&description, Notation::Infix);
        check_format(&infix, Notation::Kif);
        count += 1;
    }
    assert!(count > 20, "only {count} games");
}
