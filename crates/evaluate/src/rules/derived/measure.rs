//! Values of leaves in a state: whether they hold, and how safely or how nearly.

use crate::rules::distance::{Distances, NORM, norm};
use crate::rules::formula::Opaque;
use ludens_datalog::TermId;
use ludens_engine::{Fluent, State};
use ludens_ground::Proposition;

/// Partial solutions that count at most, for the share that they add (b_max).
const MOST_PARTIAL: f64 = 100.0;

/// The value of a leaf in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Whether it is known what it is; if not, it is halfway between holding and not.
    pub known: bool,
    /// Whether it holds.
    pub holds: bool,
    /// Whether that can never change any more.
    pub settled: bool,
    /// For one that holds, from 0 to 1: how safely. For one that does not, above 0: how nearly it holds, and below: how
    /// safely it does not.
    pub degree: f64,
}

impl Reading {
    /// Of a leaf that takes too long to find out about.
    pub const UNKNOWN: Reading = Reading {
        known: false,
        holds: false,
        settled: false,
        degree: 0.5,
    };

    /// Of a leaf that holds or does not, to a degree.
    pub(super) fn new(holds: bool, degree: f64) -> Reading {
        Reading {
            known: true,
            holds,
            settled: false,
            degree,
        }
    }

    /// As a number from -1 to 1, where `probable` is what holds without being safe, and its negation what does not.
    pub fn value(self, probable: f64) -> f64 {
        match (self.holds, self.settled) {
            (true, true) => 1.0,
            (false, true) => -1.0,
            (true, false) => probable + (1.0 - probable) * self.degree,
            (false, false) if self.degree >= 0.0 => -probable + 2.0 * probable * self.degree,
            (false, false) => -probable + (1.0 - probable) * self.degree,
        }
    }
}

/// A set of which it is counted how much holds.
#[derive(Clone, Debug)]
pub(super) enum Counter {
    /// Fluents, as bits in words of the state.
    Fluents(Vec<(u32, u64)>),
    /// Propositions of the ground program that belongs to the expressions.
    Propositions(Vec<Proposition>),
}

impl Default for Counter {
    fn default() -> Counter {
        Counter::Propositions(Vec::new())
    }
}

impl Counter {
    pub(super) fn fluents(fluents: impl Iterator<Item = Fluent>) -> Counter {
        let mut masks: Vec<(u32, u64)> = Vec::new();
        for Fluent(number) in fluents {
            let (word, bit) = (number / 64, 1 << (number % 64));
            match masks.iter_mut().find(|mask| mask.0 == word) {
                Some(mask) => mask.1 |= bit,
                None => masks.push((word, bit)),
            }
        }
        Counter::Fluents(masks)
    }

    pub(super) fn count(&self, state: &State, opaque: &Opaque) -> usize {
        match self {
            Counter::Fluents(masks) => {
                let words = state.words();
                let of = |&(word, mask): &(u32, u64)| words.get(word as usize).map_or(0, |word| word & mask);
                masks.iter().map(|mask| of(mask).count_ones() as usize).sum()
            }
            Counter::Propositions(propositions) => propositions
                .iter()
                .filter(|&&proposition| opaque.holds(proposition))
                .count(),
        }
    }
}

/// Where a fluent can come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// Fluents with their normalised distances, as powers for the norm.
    pub(super) weights: Vec<(Fluent, f64)>,
}

impl Sources {
    /// Returns the distance of all sources together, from 0 to 1; `None` if none of them holds.
    pub(super) fn distance(&self, state: &State) -> Option<f64> {
        let held = self.weights.iter().filter(|(fluent, _)| state.holds(*fluent));
        norm(held.map(|known| known.1).sum())
    }
}

/// The condition under which a value takes part in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Always,
    Fluent(Fluent),
    Proposition(Proposition),
}

impl Item {
    fn holds(self, state: &State, opaque: &Opaque) -> bool {
        match self {
            Item::Always => true,
            Item::Fluent(fluent) => state.holds(fluent),
            Item::Proposition(number) => opaque.holds(number),
        }
    }
}

/// Propositions of which each says that two values have this normalised distance.
pub(super) type Joint = Vec<(Proposition, f32)>;

/// Distances or margins between the values of two sides.
#[derive(Clone, Debug)]
pub(super) struct PairTable {
    left: Vec<Item>,
    right: Vec<Item>,
    /// For each pair its distance, or by which margin the one is before the other; not a number if they are not
    /// compared.
    values: Vec<f32>,
    is_order: bool,
}

impl PairTable {
    pub(super) fn new(
        left: Vec<(Item, TermId)>,
        right: Vec<(Item, TermId)>,
        values: Vec<f32>,
        is_order: bool,
    ) -> PairTable {
        let items = |side: Vec<(Item, TermId)>| side.into_iter().map(|known| known.0).collect();
        PairTable {
            left: items(left),
            right: items(right),
            values,
            is_order,
        }
    }

    /// Returns the values of all pairs that hold.
    fn held<'t>(&'t self, state: &'t State, opaque: &'t Opaque) -> impl Iterator<Item = f32> + 't {
        let held = |items: &'t [Item]| {
            let numbered = items.iter().enumerate();
            numbered
                .filter(|(_, item)| item.holds(state, opaque))
                .map(|known| known.0)
        };
        let pairs = held(&self.left).flat_map(move |x| held(&self.right).map(move |y| (x, y)));
        pairs
            .map(|(x, y)| self.values[x * self.right.len() + y])
            .filter(|value| !value.is_nan())
    }
}

/// How an expression is measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    /// Its solutions.
    pub(super) whole: Counter,
    /// Number of solutions at the start, at least one.
    pub(super) at_start: f64,
    /// Whether finding out would take too long.
    pub(super) is_unknown: bool,
    /// Whether it counts how many there are.
    pub(super) is_counted: bool,
    /// Solutions of the first condition, of the first two, and so on, without the whole conjunction.
    pub(super) prefixes: Vec<Counter>,
    pub(super) distance: Option<Sources>,
    pub(super) pair: Option<PairTable>,
    pub(super) joint: Joint,
    /// Admissible distances to the fluents that it counts, with the targets that say anything.
    pub(super) admissible: Option<(Distances, Vec<usize>)>,
}

impl Measure {
    /// Returns whether the steps that are missing are measured already.
    pub(super) fn has_distance(&self) -> bool {
        self.distance.is_some() || self.pair.is_some() || !self.joint.is_empty()
    }

    pub(super) fn read(&self, state: &State, opaque: &Opaque) -> Reading {
        if self.is_unknown {
            return Reading::UNKNOWN;
        }
        if let Some(pair) = &self.pair {
            return self.read_pair(pair, state, opaque);
        }
        let count = self.whole.count(state, opaque);
        if count > 0 {
            let degree = match self.is_counted {
                true => cardinality(count, self.at_start),
                false => 0.0,
            };
            return Reading::new(true, degree);
        }
        let near = match &self.distance {
            Some(sources) => sources.distance(state).map(|distance| 1.0 - distance),
            None if !self.joint.is_empty() => {
                let held = self.joint.iter().filter(|known| opaque.holds(known.0));
                let sum = held.map(|known| f64::from(known.1).powf(NORM)).sum();
                norm(sum).map(|distance| 1.0 - distance)
            }
            None => self.nearest(state),
        };
        let degree = near.or_else(|| self.partial(state, opaque));
        Reading::new(false, degree.unwrap_or(0.0))
    }

    fn read_pair(&self, pair: &PairTable, state: &State, opaque: &Opaque) -> Reading {
        if pair.is_order {
            let best = pair.held(state, opaque).reduce(f32::max);
            let holds = best.is_some_and(|margin| margin > 0.0);
            return Reading::new(holds, best.map_or(0.0, f64::from));
        }
        let (mut together, mut sum) = (0, 0.0);
        for distance in pair.held(state, opaque) {
            match distance > 0.0 {
                true => sum += f64::from(distance).powf(NORM),
                false => together += 1,
            }
        }
        let degree = match together {
            0 => norm(sum).map_or(0.0, |distance| 1.0 - distance),
            count if self.is_counted => cardinality(count, self.at_start),
            _ => 0.0,
        };
        Reading::new(together > 0, degree)
    }

    /// Returns how near the nearest fluent is by admissible distances; `None` if they say nothing.
    fn nearest(&self, state: &State) -> Option<f64> {
        let (distances, targets) = self.admissible.as_ref()?;
        let known = targets.iter().filter_map(|&target| distances.normalised(state, target));
        known.map(|distance| 1.0 - distance).reduce(f64::max)
    }

    /// Returns how nearly it holds, by the solutions of its first conditions.
    fn partial(&self, state: &State, opaque: &Opaque) -> Option<f64> {
        let all = self.prefixes.len() as f64 + 1.0;
        let numbered = self.prefixes.iter().enumerate().rev();
        let mut counts = numbered.map(|(number, prefix)| (number + 1, prefix.count(state, opaque)));
        let (deepest, count) = counts.find(|known| known.1 > 0)?;
        let breadth = (count as f64).min(MOST_PARTIAL - 1.0) / MOST_PARTIAL;
        Some((deepest as f64 + breadth) / all)
    }
}

/// Returns how safely an expression holds, by its number of solutions now and at the start.
pub(super) fn cardinality(solutions: usize, at_start: f64) -> f64 {
    1.0 - 2f64.powf((1.0 - solutions as f64) / at_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_are_safer_the_more_there_are() {
        assert_eq!(cardinality(1, 7.0), 0.0);
        assert_eq!(cardinality(8, 7.0), 0.5);
        assert!(cardinality(100, 7.0) < 1.0);
    }

    #[test]
    fn degrees_lie_between_what_is_probable_and_what_is_certain() {
        let near = [0.0, 0.5, 0.99].map(|degree| Reading::new(false, degree).value(0.6));
        assert_eq!(near[0], -0.6);
        assert!((near[1]).abs() < 1e-12 && near[2] < 0.6);
        assert_eq!(Reading::new(true, 0.0).value(0.6), 0.6);
        assert!(Reading::new(true, 0.5).value(0.6) > 0.6);
        assert_eq!(Reading::new(false, -1.0).value(0.6), -1.0);
        let settled = |holds| Reading {
            settled: true,
            ..Reading::new(holds, 0.0)
        };
        assert_eq!([settled(true).value(0.6), settled(false).value(0.6)], [1.0, -1.0]);
        // At the end nothing is left between.
        assert_eq!(Reading::new(true, 0.3).value(1.0), 1.0);
        assert_eq!(Reading::UNKNOWN.value(0.6), 0.0);
    }
}
