//! The encoding of states as bits.
//!
//! Mutually exclusive fluents are coded as one number: the contents of a square, the position of a piece, whose turn it
//! is. A group of `n` fluents takes as many bits as numbers up to `n - 1` do, or up to `n` if possibly none of them
//! holds. Fluents that never change take no bits. Groups are in the order that `ordering` finds; the bits of a group
//! are adjacent, the most significant first.

use super::ordering;
use ludens_analysis::Analysis;
use ludens_engine::{Circuit, Fluent, Game, State};

/// Fluents that are coded as one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The fluents.
    pub fluents: Vec<Fluent>,
    /// Whether one of them holds in every state; otherwise the number 0 stands for none.
    pub exactly_one: bool,
}

impl Group {
    /// Number of bits.
    pub fn width(&self) -> usize {
        let numbers = self.fluents.len() + usize::from(!self.exactly_one);
        numbers.next_power_of_two().ilog2() as usize
    }

    /// Returns the number that stands for the fluent at an index of the group.
    pub fn code(&self, place: usize) -> u32 {
        place as u32 + u32::from(!self.exactly_one)
    }
}

/// A group with its bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The group.
    pub group: Group,
    /// Its first bit.
    pub first: usize,
}

impl Placed {
    /// Its bits with the weight of each in the number.
    pub fn bits(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        let (first, width) = (self.first, self.group.width());
        (0..width).map(move |place| (first + place, 1 << (width - 1 - place)))
    }
}

/// The encoding of the states of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// The groups from the top.
    pub groups: Vec<Placed>,
    /// Number of bits of a state.
    pub bits: usize,
    /// Group of each fluent and its index there; `None` if it never changes.
    pub place: Vec<Option<(u32, u32)>>,
    /// Fluents that hold in every state.
    pub always: Vec<Fluent>,
}

impl Encoding {
    /// Chooses groups and their order.
    pub fn new(game: &Game, circuit: &Circuit, analysis: &Analysis, heuristic: ordering::Heuristic) -> Encoding {
        let groups = partition(circuit, analysis);
        let order = ordering::order(game, circuit, analysis, &groups, heuristic);
        let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
        let ordered = order.into_iter().filter_map(|index| groups[index].take()).collect();
        let always = (0..)
            .map(Fluent)
            .zip(&circuit.constant_fluents)
            .filter(|(_, value)| **value == Some(true))
            .map(|(fluent, _)| fluent)
            .collect();
        Encoding::of_groups(ordered, circuit.network.fluents, always)
    }

    /// Makes the encoding with these groups in this order.
    pub fn of_groups(groups: Vec<Group>, fluents: usize, always: Vec<Fluent>) -> Encoding {
        let mut encoding = Encoding {
            groups: Vec::new(),
            bits: 0,
            place: vec![None; fluents],
            always,
        };
        for group in groups {
            for (place, fluent) in group.fluents.iter().enumerate() {
                encoding.place[fluent.0 as usize] = Some((encoding.groups.len() as u32, place as u32));
            }
            let first = encoding.bits;
            encoding.bits += group.width();
            encoding.groups.push(Placed { group, first });
        }
        encoding
    }

    /// Returns the bits of a state: bit `n` is bit `n % 64` of word `n / 64`.
    pub fn write(&self, state: &State, words: &mut Vec<u64>) {
        words.clear();
        words.resize(self.bits.div_ceil(64), 0);
        for Fluent(number) in state.fluents() {
            let Some(&Some((group, place))) = self.place.get(number as usize) else {
                continue;
            };
            let placed = &self.groups[group as usize];
            let code = placed.group.code(place as usize);
            for (bit, weight) in placed.bits() {
                words[bit / 64] |= u64::from(code & weight != 0) << (bit % 64);
            }
        }
    }
}

/// Chooses groups such that every changing fluent is in exactly one of them. Groups that save the most bits are chosen
/// first.
fn partition(circuit: &Circuit, analysis: &Analysis) -> Vec<Group> {
    let is_constant = |fluent: &Fluent| circuit.constant_fluents[fluent.0 as usize].is_some();
    let mut is_taken: Vec<bool> = circuit.constant_fluents.iter().map(Option::is_some).collect();
    let mut open: Vec<Group> = analysis
        .exclusive
        .iter()
        .map(|group| Group {
            // A fluent that always holds would leave none to the others.
            exactly_one: group.exactly_one && !group.fluents.iter().any(is_constant),
            fluents: group.fluents.clone(),
        })
        .collect();
    let mut chosen = Vec::new();
    loop {
        for group in &mut open {
            let before = group.fluents.len();
            group.fluents.retain(|fluent| !is_taken[fluent.0 as usize]);
            group.exactly_one &= group.fluents.len() == before;
        }
        open.retain(|group| group.fluents.len() > group.width());
        let saved = |group: &Group| group.fluents.len() - group.width();
        // The first of those that save most.
        let Some(best) = (0..open.len()).rev().max_by_key(|&index| saved(&open[index])) else {
            break;
        };
        let best = open.swap_remove(best);
        for fluent in &best.fluents {
            is_taken[fluent.0 as usize] = true;
        }
        chosen.push(best);
        // The order of what is left must not depend on removals.
        open.sort_by(|one, other| one.fluents.cmp(&other.fluents));
    }
    let single = (0..).map(Fluent).zip(&is_taken).filter(|(_, is_taken)| !**is_taken);
    chosen.extend(single.map(|(fluent, _)| Group {
        fluents: vec![fluent],
        exactly_one: false,
    }));
    chosen
}
