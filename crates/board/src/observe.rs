//! Arguments of fluents, collected from playouts and, if the engine has one, from the list of all fluents.

use crate::order::stem;
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Kind of fluent: name and number of arguments.
pub(crate) type Kind = (Symbol, usize);

/// Observations of one kind of fluent.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Constants at each argument; `None` if anything else occurred there.
    pub(crate) domains: Vec<Option<BTreeSet<Symbol>>>,
    /// Arguments of all fluents of this kind, by number of the state.
    pub(crate) states: BTreeMap<usize, Vec<Vec<Term>>>,
    /// All fluents that may ever hold.
    pub(crate) possible: Vec<Vec<Term>>,
}

/// Observations of all kinds.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(crate) kinds: BTreeMap<Kind, Seen>,
    /// Whether `possible` lists all fluents of the game, not only those that occurred.
    pub(crate) is_complete: bool,
}

/// Maximum number of playouts and of states of each.
const EXTENT: Extent = Extent {
    seed: 1,
    playouts: 6,
    states: 120,
};
/// Time limit for playouts.
const TIME: Duration = Duration::from_millis(1000);
/// Maximum number of fluents of a game whose list of fluents is read.
const MOST_FLUENTS: usize = 60_000;
/// Number of fluents in all states after which playouts stop.
const MOST_SEEN: usize = 40_000;

/// Runs playouts and records the fluents.
pub(crate) fn observe(game: &Game) -> Observations {
    let mut found = Observations::default();
    let budget = Budget::default().within(TIME);
    let mut play = RandomPlay::new(game, EXTENT, &budget);
    let (mut seen, mut number) = (0, 0);
    while seen <= MOST_SEEN
        && let Some(visit) = play.next_state()
    {
        let mut here: BTreeMap<Kind, Vec<Vec<Term>>> = BTreeMap::new();
        for fluent in visit.state.fluents() {
            let named = game.vocabulary().fluent_name(fluent);
            if let Term::Function(name, args) = &named.term {
                here.entry((*name, args.len())).or_default().push(args.clone());
                seen += 1;
            }
        }
        for (kind, facts) in here {
            found.kinds.entry(kind).or_default().states.insert(number, facts);
        }
        number += 1;
    }
    let count = game.vocabulary().fluent_count();
    found.is_complete = game.engine().circuit().is_some() && count <= MOST_FLUENTS;
    if found.is_complete {
        for number in 0..count as u32 {
            let named = game.vocabulary().fluent_name(ludens_engine::Fluent(number));
            if let Term::Function(name, args) = &named.term
                && let Some(seen) = found.kinds.get_mut(&(*name, args.len()))
            {
                seen.possible.push(args.clone());
            }
        }
    }
    let lists = lists(game);
    for (&(_, arity), seen) in &mut found.kinds {
        if seen.possible.is_empty() {
            seen.possible = seen.states.values().flatten().cloned().collect();
        }
        seen.domains = (0..arity).map(|place| domain(&seen.possible, place)).collect();
        if !found.is_complete {
            seen.domains
                .iter_mut()
                .flatten()
                .for_each(|values| widen(game, values, &lists));
        }
    }
    found
}

/// Sets of constants that facts of the rules list, such as all of `(index 1)`, `(index 2)`; shortest first.
fn lists(game: &Game) -> Vec<BTreeSet<Symbol>> {
    let mut lists: BTreeMap<Symbol, BTreeSet<Symbol>> = BTreeMap::new();
    for rule in &game.rules().rules {
        if let ([Term::Constant(value)], true) = (&rule.head.args[..], rule.body.is_empty()) {
            lists.entry(rule.head.name).or_default().insert(*value);
        }
    }
    let mut lists: Vec<BTreeSet<Symbol>> = lists.into_values().collect();
    lists.sort_by_key(BTreeSet::len);
    lists
}

/// Adds values that did not occur: if all that did are in a list of the rules, make up most of it, and have the same
/// form as the rest.
fn widen(game: &Game, values: &mut BTreeSet<Symbol>, lists: &[BTreeSet<Symbol>]) {
    let looks = |values: &BTreeSet<Symbol>| -> BTreeSet<&str> {
        let names = values.iter().map(|&value| game.vocabulary().symbols().name(value));
        names
            .map(|name| {
                if name.len() == 1 && stem(name) == name {
                    "letter"
                } else {
                    stem(name)
                }
            })
            .collect()
    };
    let list = lists
        .iter()
        .find(|list| values.is_subset(list) && values.len() * 2 >= list.len());
    if let Some(list) = list.filter(|list| looks(values).len() == 1 && looks(values) == looks(list)) {
        values.extend(list);
    }
}

fn domain(facts: &[Vec<Term>], place: usize) -> Option<BTreeSet<Symbol>> {
    facts
        .iter()
        .map(|args| match &args[place] {
            Term::Constant(name) => Some(*name),
            _ => None,
        })
        .collect()
}

impl Seen {
    /// Whether no two fluents of a state agree at all these arguments.
    pub(crate) fn is_key(&self, places: &[usize]) -> bool {
        self.states.values().all(|facts| {
            let mut keys: HashSet<Vec<&Term>> = HashSet::with_capacity(facts.len());
            let mut found = facts
                .iter()
                .map(|args| places.iter().map(|&place| &args[place]).collect());
            found.all(|key| keys.insert(key))
        })
    }

    /// Maximum number of fluents in a state.
    pub(crate) fn most(&self) -> usize {
        self.states.values().map(Vec::len).max().unwrap_or(0)
    }
}
