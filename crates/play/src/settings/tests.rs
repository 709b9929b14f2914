//! Tests of settings: schemas, parsing and ranges.

use super::*;
use crate::spec::Written;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Eval {
    None,
    Flux { p: usize },
}

choice! {
    impl Eval {
        /// not used
        "none" = Eval::None;
        /// by distance
        "flux": Eval::Flux {
            /// exponent
            p => p = 1, 1..=9;
        };
    }
}

settings! {
    /// Settings of a test.
    struct Nested {
        /// evaluator
        eval: Eval = Eval::None, OneOf;
        /// keep a table
        table: bool = true, Flag;
        ..more: More;
    }
}

settings! {
    /// A part.
    struct More {
        /// a file
        file: Option<NamedFile> = None, File;
        /// memory in megabytes
        memory: usize = 2 << 20, Megabytes(0..=16);
        /// first-play urgency
        first: Option<f64> = None, NoneAt(-1.0, -1.0..=100.0);
        /// single precision
        degree: f32 = 0.97, 0.5..=1.0;
    }
}

fn nested(text: &str) -> Result<Nested, SpecError> {
    let written = Written::parse(text)?;
    let mut nested = Nested::default();
    apply(&written.name, &mut nested, &written.settings)?;
    Ok(nested)
}

fn printed(nested: &Nested) -> String {
    differences(&nested.settings(), &Nested::default().settings())
}

#[test]
fn choices_have_settings_of_their_own() {
    let values = nested("a(eval=flux(p=2),table=off)").unwrap();
    assert_eq!((values.eval, values.table), (Eval::Flux { p: 2 }, false));
    assert_eq!(printed(&values), "(eval=flux(p=2),table=false)");
    assert_eq!(printed(&nested("a(eval=flux(p=1))").unwrap()), "(eval=flux)");
    assert_eq!(printed(&nested("a(eval=none)").unwrap()), "");
    let wrong = nested("a(eval=flx)").unwrap_err().to_string();
    assert_eq!(
        wrong,
        "`eval` cannot be `flx` (did you mean `flux`?): it is one of none, flux"
    );
    let wrong = nested("a(eval=flux(q=2))").unwrap_err().to_string();
    assert_eq!(wrong, "`flux` has no setting `q`; it has p");
}

#[test]
fn parts_add_their_settings_at_the_end() {
    let names: Vec<&str> = Nested::default()
        .settings()
        .iter()
        .map(|setting| setting.name)
        .collect();
    assert_eq!(names, ["eval", "table", "file", "memory", "first", "degree"]);
    let values = nested("a(memory=3,file=Some/Path,first=20)").unwrap();
    assert_eq!((values.more.memory, values.more.first), (3 << 20, Some(20.0)));
    assert_eq!(printed(&values), "(file=Some/Path,memory=3,first=20)");
    assert_eq!(values.files().len(), 1);
    let wrong = nested("a(nothing=2)").unwrap_err().to_string();
    assert_eq!(
        wrong,
        "`a` has no setting `nothing`; it has eval, table, file, memory, first, degree"
    );
}

#[test]
fn values_are_shown_as_they_were_written() {
    let degree = Nested::default().settings().pop().unwrap();
    assert_eq!(degree.text, "0.97");
    let kind = Kind::Real {
        min: 0.5,
        max: 1.0,
        value: 0.97,
    };
    assert_eq!(degree.kind, kind);
    assert_eq!(
        printed(&nested("a(first=-0,degree=0.6)").unwrap()),
        "(first=0,degree=0.6)"
    );
    assert_eq!(printed(&nested("a(first=-1)").unwrap()), "");
}

#[test]
fn copies_of_a_file_share_its_content() {
    let file = NamedFile::new("some.path");
    let copy = file.clone();
    assert_eq!(copy.content().unwrap_err(), "some.path was not read");
    file.fill(vec![1, 2]);
    assert_eq!(copy.content().unwrap().bytes, [1, 2]);
}
