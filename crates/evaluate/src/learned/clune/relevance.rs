//! Which fluents goals, legal moves and the end are about.

use crate::learned::features::pattern;
use ludens_engine::Game;
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Literal, Term};
use ludens_gdl::{Relation, Symbol, keyword};

/// The functions that a fluent is relevant to, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Matters(u8);

impl Matters {
    pub(super) const GOAL: Matters = Matters(1);
    pub(super) const LEGAL: Matters = Matters(2);
    pub(super) const END: Matters = Matters(4);

    /// For one or the other.
    pub(super) fn or(self, other: Matters) -> Matters {
        Matters(self.0 | other.0)
    }

    /// Returns whether it matters for all of these.
    pub(super) fn includes(self, other: Matters) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The expressions over fluents in the rules that goals, legal moves and the end depend on.
pub(super) struct Relevance {
    written: Vec<(Matters, Vec<Term>)>,
}

impl Relevance {
    pub(super) fn new(game: &Game) -> Relevance {
        let rules = game.rules();
        let dependencies = Dependencies::of_normal(rules);
        let expressions = |name: Symbol, arity: usize| {
            let needed = dependencies.needed_by(&[Relation::new(name, arity)]);
            let is_needed = |relation: Relation| dependencies.find(relation).is_some_and(|number| needed[number]);
            let mut found: Vec<Term> = Vec::new();
            for rule in rules.rules.iter().filter(|rule| is_needed(rule.head.relation())) {
                for (atom, _) in rule.body.iter().filter_map(Literal::atom) {
                    if let (keyword::TRUE, [term]) = (atom.name, &atom.args[..]) {
                        let term = pattern::numbered(term);
                        if !found.contains(&term) {
                            found.push(term);
                        }
                    }
                }
            }
            found
        };
        Relevance {
            written: vec![
                (Matters::GOAL, expressions(keyword::GOAL, 2)),
                (Matters::LEGAL, expressions(keyword::LEGAL, 2)),
                (Matters::END, expressions(keyword::TERMINAL, 0)),
            ],
        }
    }

    /// Returns what a fluent matters for.
    pub(super) fn of(&self, fluent: &Term) -> Matters {
        let matters = self.written.iter().filter(|(_, written)| {
            let mut written = written.iter();
            written.any(|expression| pattern::is_instance(expression, fluent))
        });
        matters.fold(Matters::default(), |all, (matters, _)| all.or(*matters))
    }

    /// Returns the expressions that goals and the end depend on, with what they matter for.
    pub(super) fn aims(&self) -> impl Iterator<Item = (Matters, &Term)> {
        let aims = self.written.iter().filter(|(matters, _)| *matters != Matters::LEGAL);
        aims.flat_map(|(matters, written)| written.iter().map(|term| (*matters, term)))
    }
}
