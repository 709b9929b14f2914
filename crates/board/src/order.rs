//! Orders of constants: the values that can be coordinates, in sequence.

use ludens_analysis::orders::chain;
use ludens_engine::Game;
use ludens_gdl::Symbol;
use ludens_gdl::normal::{NormalRule, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Facts of the rules that order constants, such as `(succ 1 2)`.
#[derive(Debug, Default)]
pub(crate) struct Successions {
    relations: BTreeMap<Symbol, Vec<(Symbol, Symbol)>>,
}

/// Values in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ordered {
    pub(crate) values: Vec<Symbol>,
    /// Whether the order comes from numbers or from facts of the rules, not only from letters.
    pub(crate) is_certain: bool,
}

impl Successions {
    pub(crate) fn new(game: &Game) -> Successions {
        let mut relations: BTreeMap<Symbol, Vec<(Symbol, Symbol)>> = BTreeMap::new();
        for NormalRule { head, body, .. } in &game.rules().rules {
            if let ([Term::Constant(first), Term::Constant(second)], true) = (&head.args[..], body.is_empty()) {
                relations.entry(head.name).or_default().push((*first, *second));
            }
        }
        Successions { relations }
    }

    /// Order of these values, if any: by number or letter, or along a chain of facts.
    pub(crate) fn order(&self, game: &Game, values: &BTreeSet<Symbol>) -> Option<Ordered> {
        let symbols = game.vocabulary().symbols();
        let chain = self.relations.values().find_map(|pairs| chain(pairs, values));
        let mut sorted: Vec<Symbol> = values.iter().copied().collect();
        let stems: BTreeSet<&str> = values.iter().map(|&value| stem(symbols.name(value))).collect();
        let numbered = values
            .iter()
            .all(|&value| symbols.name(value).ends_with(|c: char| c.is_ascii_digit()));
        let lettered = values.iter().all(|&value| is_letter(symbols.name(value)));
        if (numbered && stems.len() == 1) || lettered {
            sorted.sort_by_key(|&value| natural_key(symbols.name(value)));
            let is_certain = numbered && stems.contains("") || chain.is_some();
            return Some(Ordered {
                values: sorted,
                is_certain,
            });
        }
        chain.map(|values| Ordered {
            values,
            is_certain: true,
        })
    }
}

fn is_letter(text: &str) -> bool {
    text.len() == 1 && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Part of a name before its number.
pub(crate) fn stem(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Sort key: numbers by value, names by length and text.
fn natural_key(text: &str) -> (u64, usize, &str) {
    let digits = &text[stem(text).len()..];
    (digits.parse().unwrap_or(0), text.len(), text)
}

/// Splits names such as `b4` into letter and number, if all names can be split and form a plane.
pub(crate) fn split_names(game: &Game, values: &BTreeSet<Symbol>) -> Option<BTreeMap<Symbol, (String, u64)>> {
    let symbols = game.vocabulary().symbols();
    let mut parts = BTreeMap::new();
    for &value in values {
        let text = symbols.name(value);
        let letters = stem(text);
        let number = text[letters.len()..].parse().ok()?;
        if letters.is_empty() || letters.len() > 2 || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        parts.insert(value, (letters.to_string(), number));
    }
    let letters: BTreeSet<&String> = parts.values().map(|(letter, _)| letter).collect();
    let numbers: BTreeSet<u64> = parts.values().map(|(_, number)| *number).collect();
    let is_plane = letters.len() >= 3 && numbers.len() >= 2 && values.len() * 3 >= letters.len() * numbers.len();
    is_plane.then_some(parts)
}
