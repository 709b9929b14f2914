//! Hints from variable names: `?x`, `?col` and `?file` run to the right, `?y`, `?row` and `?rank` do not.

use crate::observe::Kind;
use ludens_engine::Game;
use ludens_gdl::rule::{Term, TermKind};
use std::collections::BTreeMap;

/// Number of variables named after columns and after rows, by argument of a fluent.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    votes: BTreeMap<(Kind, usize), (usize, usize)>,
}

/// Direction of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Across,
    Along,
}

const ACROSS: &[&str] = &["x", "c", "col", "column", "file"];
const ALONG: &[&str] = &["y", "r", "row", "rank"];

impl Hints {
    pub(crate) fn new(game: &Game) -> Hints {
        let mut hints = Hints::default();
        let rules = &game.description().rules;
        let mut note = |term: &Term| {
            let TermKind::Function(name, args) = &term.kind else {
                return;
            };
            for (place, arg) in args.iter().enumerate() {
                let TermKind::Variable(variable) = &arg.kind else {
                    continue;
                };
                let text = rules.name(*variable).trim_start_matches('?').to_ascii_lowercase();
                let word = text.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
                let votes = hints.votes.entry(((*name, args.len()), place)).or_default();
                votes.0 += usize::from(ACROSS.contains(&word));
                votes.1 += usize::from(ALONG.contains(&word));
            }
        };
        for rule in &rules.rules {
            rule.head.args.iter().for_each(|term| term.walk(&mut note));
            rule.body_atoms(&mut |atom, _| atom.args.iter().for_each(|term| term.walk(&mut note)));
        }
        hints
    }

    /// Direction that the variable names of an argument suggest, if any.
    pub(crate) fn direction(&self, kind: Kind, place: usize) -> Option<Direction> {
        let (across, along) = self.votes.get(&(kind, place)).copied().unwrap_or_default();
        match across.cmp(&along) {
            std::cmp::Ordering::Greater => Some(Direction::Across),
            std::cmp::Ordering::Less => Some(Direction::Along),
            std::cmp::Ordering::Equal => None,
        }
    }
}
