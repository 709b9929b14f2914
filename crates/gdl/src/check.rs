//! The checks on a rule set as a whole.
//!
//! Each check is one function in one file that looks at a `Context` and adds diagnostics; `CHECKS` lists them all.
//! A new check is a file here, a line in that list, a code in [`crate::diagnostic::codes`] and a page in the manual.

use crate::depend::Dependencies;
use crate::diagnostic::Diagnostic;
use crate::normal::NormalRules;
use crate::rule::{Relation, Rule, Rules, Term};
use crate::symbol::{Symbol, keyword};

mod dependencies;
mod duplicates;
mod names;
mod presence;
mod recursion;
mod roles;
mod safety;
mod stratification;
mod undefined;
mod unreachable;
mod values;

/// Input of a check.
pub(crate) struct Context<'a> {
    rules: &'a Rules,
    normal: &'a NormalRules,
    dependencies: Dependencies,
}

impl Context<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.rules.name(symbol)
    }

    /// The rules whose head is about `relation`.
    fn defining(&self, relation: Relation) -> impl Iterator<Item = &Rule> {
        self.rules
            .rules
            .iter()
            .filter(move |rule| rule.head.relation() == relation)
    }

    fn is_defined(&self, relation: Relation) -> bool {
        self.defining(relation).next().is_some()
    }
}

type Check = fn(&Context<'_>, &mut Vec<Diagnostic>);

/// All checks, in the order in which they run.
const CHECKS: &[Check] = &[
    presence::check,
    names::check,
    roles::check,
    safety::check,
    stratification::check,
    recursion::check,
    dependencies::check,
    values::check,
    undefined::check,
    unreachable::check,
    duplicates::check,
];

/// Runs every check on rules and their normal form.
pub fn check(rules: &Rules, normal: &NormalRules) -> Vec<Diagnostic> {
    let context = Context {
        rules,
        normal,
        dependencies: Dependencies::of_rules(rules),
    };
    let mut diagnostics = Vec::new();
    for check in CHECKS {
        check(&context, &mut diagnostics);
    }
    diagnostics
}

/// The relations of the language.
mod relation {
    use super::{Relation, keyword};

    pub(super) const ROLE: Relation = Relation::new(keyword::ROLE, 1);
    pub(super) const INIT: Relation = Relation::new(keyword::INIT, 1);
    pub(super) const TRUE: Relation = Relation::new(keyword::TRUE, 1);
    pub(super) const DOES: Relation = Relation::new(keyword::DOES, 2);
    pub(super) const NEXT: Relation = Relation::new(keyword::NEXT, 1);
    pub(super) const LEGAL: Relation = Relation::new(keyword::LEGAL, 2);
    pub(super) const GOAL: Relation = Relation::new(keyword::GOAL, 2);
    pub(super) const TERMINAL: Relation = Relation::new(keyword::TERMINAL, 0);
    pub(super) const SEES: Relation = Relation::new(keyword::SEES, 2);
    pub(super) const BASE: Relation = Relation::new(keyword::BASE, 1);
    pub(super) const INPUT: Relation = Relation::new(keyword::INPUT, 2);

    /// The relations that engines ask for: everything else exists to define these.
    pub(super) const ASKED: [Relation; 9] = [ROLE, INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES, BASE, INPUT];
    /// The relations whose facts come from outside.
    pub(super) const GIVEN: [Relation; 2] = [TRUE, DOES];
}

/// A rule's role argument: the first of `legal`, `goal`, `does`, `sees` and `input`.
fn role_argument(name: Symbol, args: &[Term]) -> Option<&Term> {
    let has_role = matches!(
        name,
        keyword::LEGAL | keyword::GOAL | keyword::DOES | keyword::SEES | keyword::INPUT
    );
    (has_role && args.len() == 2).then(|| &args[0])
}
