//! The order of the bits, which decides the size of decision diagrams.
//!
//! Fluents that rules mention together should be close together. The network shows which they are: every gate that
//! depends on few groups ties these together, and so does the next value of a fluent that does. The terms yield
//! candidate orders, such as by column and then by row; the one with the least total length of ties is taken. Each
//! candidate is also improved by repeatedly moving every group to the centre of gravity of its ties, and the result is
//! taken if its ties are shorter by a fifth. Fluents that change by themselves, such as turns and step counters, always
//! go to the top.

use super::encoding::Group;
use ludens_analysis::Analysis;
use ludens_engine::{Circuit, Game};
use ludens_gdl::normal::Term;
use ludens_ground::network::{Block, Network};
use std::collections::BTreeMap;

/// A heuristic for the order of the groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// The shortest ties among the orders from the terms, or an improved one whose ties are clearly shorter.
    #[default]
    Ties,
    /// The shortest ties among the orders from the terms, not improved.
    Terms,
    /// By the numbers of the fluents, which is the order of their texts.
    Texts,
    /// Pseudo-random, to measure the effect of the order.
    Scrambled,
}

/// Maximum number of groups of a tie; larger ties say little.
const LARGEST_TIE: usize = 10;
/// Factor by which an improved order must be shorter. Candidates from terms have regularities that help diagrams and
/// that the length of ties does not show.
const CLEARLY: f64 = 0.8;
/// Rounds of improvement.
const ROUNDS: usize = 60;

/// Groups that belong together, with a weight.
struct Tie {
    groups: Vec<u32>,
    weight: f64,
}

/// Returns the order of the groups, by their indices.
pub fn order(
    game: &Game,
    circuit: &Circuit,
    analysis: &Analysis,
    groups: &[Group],
    heuristic: Heuristic,
) -> Vec<usize> {
    let is_clock = |group: &Group| {
        let mut fluents = group.fluents.iter();
        fluents.all(|fluent| analysis.structure.is_clock[fluent.0 as usize])
    };
    let clocks: Vec<bool> = groups.iter().map(is_clock).collect();
    let by_text = || {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&index| (!clocks[index], groups[index].fluents[0]));
        order
    };
    match heuristic {
        Heuristic::Texts => by_text(),
        Heuristic::Scrambled => {
            let mut order = by_text();
            let first = clocks.iter().filter(|is_clock| **is_clock).count();
            order[first..].sort_by_key(|&index| (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29));
            order
        }
        Heuristic::Terms | Heuristic::Ties => {
            let ties = ties(circuit, groups, &clocks);
            let natural = natural_orders(game, circuit, groups, &clocks);
            let mut best = by_text();
            let mut least = length(&best, &ties);
            let mut consider = |order: Vec<usize>, factor: f64| {
                let length = length(&order, &ties);
                if length < factor * least - 1e-9 {
                    (best, least) = (order, length);
                }
            };
            natural.iter().for_each(|order| consider(order.clone(), 1.0));
            if heuristic == Heuristic::Ties {
                natural
                    .iter()
                    .for_each(|order| consider(improve(order, &ties, &clocks), CLEARLY));
            }
            best
        }
    }
}

/// Returns the weighted sum of the lengths of all ties.
fn length(order: &[usize], ties: &[Tie]) -> f64 {
    let position = positions(order);
    let lengths = ties.iter().map(|tie| {
        let places = tie.groups.iter().map(|&group| position[group as usize]);
        let (low, high) = places.fold((usize::MAX, 0), |(low, high), place| (low.min(place), high.max(place)));
        tie.weight * (high - low) as f64
    });
    lengths.sum()
}

fn positions(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    for (place, &group) in order.iter().enumerate() {
        position[group] = place;
    }
    position
}

/// Moves groups to the centre of gravity of their ties as long as the ties get shorter.
fn improve(start: &[usize], ties: &[Tie], clocks: &[bool]) -> Vec<usize> {
    let mut best = start.to_vec();
    let mut least = length(&best, ties);
    let mut order = best.clone();
    for _ in 0..ROUNDS {
        let position = positions(&order);
        let mut pull = vec![(0.0, 0.0); order.len()];
        for tie in ties {
            let sum: f64 = tie.groups.iter().map(|&group| position[group as usize] as f64).sum();
            let centre = sum / tie.groups.len() as f64;
            for &group in &tie.groups {
                let (total, weight) = &mut pull[group as usize];
                *total += tie.weight * centre;
                *weight += tie.weight;
            }
        }
        let target = |group: usize| match pull[group] {
            (_, 0.0) => position[group] as f64,
            (total, weight) => total / weight,
        };
        order.sort_by(|&one, &other| {
            let by_clock = clocks[other].cmp(&clocks[one]);
            by_clock.then_with(|| target(one).total_cmp(&target(other)))
        });
        let now = length(&order, ties);
        if now >= least - 1e-9 {
            break;
        }
        (best, least) = (order.clone(), now);
    }
    best
}

/// Reads ties off the network. Clocks have none, because their position is fixed.
fn ties(circuit: &Circuit, groups: &[Group], clocks: &[bool]) -> Vec<Tie> {
    let network = &circuit.network;
    let mut group_of = vec![None; network.fluents];
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| !clocks[*index]) {
        for fluent in &group.fluents {
            group_of[fluent.0 as usize] = Some(index as u32);
        }
    }
    let supports = supports(network, &group_of);
    let mut counted: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    let mut count = |groups: &[u32]| {
        if (2..=LARGEST_TIE).contains(&groups.len()) {
            *counted.entry(groups.to_vec()).or_default() += 1.0;
        }
    };
    for support in supports[network.first_gate()..].iter().flatten() {
        count(support);
    }
    for &(fluent, lit) in &network.next {
        if let (Some(support), Some(group)) = (&supports[lit.node()], group_of[fluent.index()]) {
            let mut groups = support.clone();
            groups.push(group);
            groups.sort_unstable();
            groups.dedup();
            count(&groups);
        }
    }
    let ties = counted.into_iter();
    // Many gates over the same groups say little more than one does.
    ties.map(|(groups, count)| Tie {
        weight: (1.0 + count.ln()) / (groups.len() - 1) as f64,
        groups,
    })
    .collect()
}

/// Returns the groups that each node depends on; `None` if they are many.
fn supports(network: &Network, group_of: &[Option<u32>]) -> Vec<Option<Vec<u32>>> {
    let mut supports: Vec<Option<Vec<u32>>> = vec![Some(Vec::new()); network.nodes()];
    for (fluent, group) in group_of.iter().enumerate() {
        supports[1 + fluent] = Some(group.iter().copied().collect());
    }
    // Nodes on cycles depend on much.
    let blocks = network.state_blocks.iter().chain(&network.move_blocks);
    for block in blocks {
        if let Block::UntilStable(_, latches) = block {
            for &(latch, _) in latches {
                supports[latch as usize] = None;
            }
        }
    }
    for (number, [a, b]) in network.gates.iter().enumerate() {
        let joined = match (&supports[a.node()], &supports[b.node()]) {
            (Some(one), Some(other)) => {
                let mut joined: Vec<u32> = one.iter().chain(other).copied().collect();
                joined.sort_unstable();
                joined.dedup();
                (joined.len() <= LARGEST_TIE).then_some(joined)
            }
            _ => None,
        };
        supports[network.first_gate() + number] = joined;
    }
    supports
}

/// A part of a term to sort by: numbers by size, before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Varying,
    Number(u64),
    Name(String),
}

/// Orders by the arguments that the fluents of a group share, each argument coming first in turn.
fn natural_orders(game: &Game, circuit: &Circuit, groups: &[Group], clocks: &[bool]) -> Vec<Vec<usize>> {
    let symbols = game.vocabulary().symbols();
    let name = |symbol| symbols.name(symbol).to_string();
    let parts = |group: &Group| -> (String, Vec<Part>) {
        let mut terms = group
            .fluents
            .iter()
            .map(|fluent| &circuit.program.names.fluents[fluent.index()].term);
        let (functor, mut shared) = match terms.next() {
            Some(Term::Function(functor, args)) => (name(*functor), args.iter().map(Some).collect()),
            Some(Term::Constant(symbol)) => (name(*symbol), Vec::new()),
            _ => (String::new(), Vec::new()),
        };
        for term in terms {
            let args: &[Term] = match term {
                Term::Function(_, args) => args,
                _ => &[],
            };
            shared.resize(shared.len().min(args.len()), None);
            for (shared, arg) in shared.iter_mut().zip(args) {
                *shared = shared.filter(|shared| *shared == arg);
            }
        }
        let parts = shared.into_iter().map(|arg| match arg {
            None => Part::Varying,
            Some(Term::Constant(symbol)) => match symbols.name(*symbol).parse() {
                Ok(number) => Part::Number(number),
                Err(_) => Part::Name(name(*symbol)),
            },
            Some(term) => Part::Name(ludens_gdl::format::canonical_term(term, symbols)),
        });
        (functor, parts.collect())
    };
    let keys: Vec<(String, Vec<Part>)> = groups.iter().map(parts).collect();
    let arity = keys.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    let mut orders = Vec::new();
    for priority in permutations(arity.min(3)) {
        for functor_first in [false, true] {
            let key = |index: usize| {
                let (functor, parts) = &keys[index];
                let front = if functor_first { functor.clone() } else { String::new() };
                let by_priority: Vec<Option<&Part>> = priority.iter().map(|&arg| parts.get(arg)).collect();
                (!clocks[index], front, by_priority, parts, functor, index)
            };
            let mut order: Vec<usize> = (0..groups.len()).collect();
            order.sort_by(|&one, &other| key(one).cmp(&key(other)));
            orders.push(order);
        }
    }
    orders
}

/// Returns all permutations of the first few numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for number in 0..count {
        all = all
            .into_iter()
            .flat_map(|shorter: Vec<usize>| {
                (0..=shorter.len()).map(move |place| {
                    let mut longer = shorter.clone();
                    longer.insert(place, number);
                    longer
                })
            })
            .collect();
    }
    all
}
