//! The table of diagnostics on defeasible programs.
//!
//! They are values of [`ludens_gdl::diagnostic::Code`] and are shown like those on games. Codes are stable: a code keeps
//! its meaning for ever.

use ludens_gdl::diagnostic::Code;

macro_rules! codes {
    ($($id:literal $name:ident $title:literal)*) => {
        $(
            #[doc = $title]
            pub static $name: Code = Code {
                id: $id,
                title: $title,
                page: include_str!(concat!("../../../docs/diagnostics/", $id, ".md")),
            };
        )*
        /// Every code, in order.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    "E601" SYNTAX "a statement of a defeasible program cannot be read"
    "E602" VARIABLE_IN_FACT "a fact of a defeasible program holds a variable"
    "E603" COMPOUND_TERM "a term of a defeasible program has arguments of its own"
    "E604" CONTRADICTORY "facts and strict rules contradict each other"
    "E605" UNKNOWN_LABEL "a priority names a rule that is not there"
    "E606" CYCLIC_PRIORITIES "priorities form a cycle"
    "E607" DUPLICATE_LABEL "two rules have the same label"
    "W608" TWO_ARITIES_OF_PREDICATE "a predicate is used with different numbers of arguments"
    "W609" UNDEFINED_PREDICATE "a predicate that is never defined resembles one that is"
    "W610" DUPLICATE_STATEMENT "a statement stands twice"
}

/// The code with this name, whatever its case.
pub fn find(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id))
}
