//! Worlds: states with what every role has observed on the way there.
//!
//! The histories of the *other* roles are part of a world: what they do next depends on what they know, so two worlds with
//! the same state and different histories are different. For display, worlds are merged by state.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use ludens_engine::{HistoryHash, Rng, RoleMap, State};
use std::hash::BuildHasher;

/// A possible course of the match, as far as it matters for the future.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The current state.
    pub state: State,
    /// What each role has observed.
    pub histories: RoleMap<HistoryHash>,
    /// Probability, in proportion to those of the other worlds.
    pub weight: f64,
}

impl World {
    /// Estimated memory of a world in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of::<World>() + 8 * (self.state.words().len() + self.histories.len()) + 16) as u64
    }

    fn is_like(&self, other: &World) -> bool {
        self.state == other.state && self.histories == other.histories
    }
}

/// Collects worlds; equal ones become one, with the sum of their weights.
#[derive(Default)]
pub(crate) struct Collection {
    pub(crate) worlds: Vec<World>,
    places: HashTable<usize>,
    hasher: RandomState,
    /// Estimated memory in bytes.
    pub(crate) bytes: u64,
}

impl Collection {
    pub(crate) fn add(&mut self, world: World) {
        let Collection {
            worlds,
            places,
            hasher,
            bytes,
        } = self;
        let hash = |world: &World| hasher.hash_one((world.state.hash64(), &world.histories));
        let found = places
            .find(hash(&world), |&place| worlds[place].is_like(&world))
            .copied();
        match found {
            Some(place) => worlds[place].weight += world.weight,
            None => {
                *bytes += world.bytes() + 16;
                places.insert_unique(hash(&world), worlds.len(), |&place| hash(&worlds[place]));
                worlds.push(world);
            }
        }
    }

    /// The worlds, with weights that add up to one; `None` if there is no weight.
    pub(crate) fn normalised(mut self) -> Option<Vec<World>> {
        self.worlds.retain(|world| world.weight > 0.0);
        let total: f64 = self.worlds.iter().map(|world| world.weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        self.worlds.iter_mut().for_each(|world| world.weight /= total);
        Some(self.worlds)
    }
}

/// Chooses numbers of copies with means `weights[i] * count`, by systematic resampling: one random number, and each number
/// of copies differs from its mean by less than one. The weights add up to one.
pub(crate) fn systematic(weights: impl Iterator<Item = f64>, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut reached = rng.f64();
    let mut sum = 0.0;
    let copies = weights.map(|weight| {
        sum += weight * count as f64;
        let mut copies = 0;
        while reached < sum {
            reached += 1.0;
            copies += 1;
        }
        copies
    });
    copies.collect()
}

/// At most `most` of these worlds, drawn by weight; their expected weights do not change.
pub(crate) fn thinned(mut worlds: Vec<World>, most: usize, rng: &mut Rng) -> Vec<World> {
    if worlds.len() <= most {
        return worlds;
    }
    // Worlds of the same state stand together, so that what is kept of a state is within one copy of its weight.
    worlds.sort_by(|one, other| one.state.cmp(&other.state));
    let copies = systematic(worlds.iter().map(|world| world.weight), most, rng);
    let total: usize = copies.iter().sum();
    let kept = worlds.into_iter().zip(copies).filter(|(_, copies)| *copies > 0);
    kept.map(|(world, copies)| World {
        weight: copies as f64 / total as f64,
        ..world
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::Fluent;

    #[test]
    fn systematic_resampling_keeps_means() {
        let weights = [0.5, 0.3, 0.15, 0.05];
        let mut sums = [0usize; 4];
        let mut rng = Rng::with_seed(5);
        for _ in 0..2000 {
            let copies = systematic(weights.iter().copied(), 10, &mut rng);
            for ((sum, copies), weight) in sums.iter_mut().zip(copies).zip(weights) {
                assert!((copies as f64 - 10.0 * weight).abs() < 1.0);
                *sum += copies;
            }
        }
        for (sum, weight) in sums.iter().zip(weights) {
            assert!((*sum as f64 / 20_000.0 - weight).abs() < 0.01);
        }
    }

    #[test]
    fn equal_worlds_become_one_and_others_do_not() {
        let world = |fluent: u32, history: u64, weight: f64| World {
            state: State::new([Fluent(fluent)]),
            histories: [HistoryHash(1), HistoryHash(history)].into_iter().collect(),
            weight,
        };
        let mut collection = Collection::default();
        for (fluent, history, weight) in [(1, 1, 0.2), (1, 2, 0.2), (1, 1, 0.4), (2, 1, 0.0)] {
            collection.add(world(fluent, history, weight));
        }
        let worlds = collection.normalised().unwrap();
        assert_eq!(worlds.len(), 2);
        assert!((worlds[0].weight - 0.75).abs() < 1e-12 && (worlds[1].weight - 0.25).abs() < 1e-12);
        assert!(Collection::default().normalised().is_none());
    }
}
