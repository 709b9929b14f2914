//! Keys for tables of states in which symmetric states are one.
//!
//! Every fluent has a random word, and the hash of a state is the exclusive or of those of its fluents (Zobrist). For each
//! symmetry the hash of the image is kept beside it, with the words permuted, so a change of few fluents costs few
//! operations. The least hash is the key.

use crate::mapping::Mapping;
use crate::symmetries::Symmetries;
use ludens_engine::{Fluent, Rng, State};

/// Symmetries that keys are made of at most; of larger groups a subgroup is used.
pub const MOST_SYMMETRIES: usize = 64;

/// Makes keys of the states of a game.
#[derive(Clone, Debug)]
pub struct Keys {
    elements: Vec<Mapping>,
    /// For each fluent a word for each symmetry.
    words: Vec<u64>,
}

/// The hashes of a state under all symmetries, to be kept while the state changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashes(Vec<u64>);

impl Keys {
    /// Makes keys for a game with this many fluents. If `keep_roles`, only symmetries that map each role to itself are
    /// used, so that the values of roles need not be exchanged.
    pub fn new(symmetries: &Symmetries, fluents: usize, keep_roles: bool) -> Keys {
        let mut elements = symmetries.elements(MOST_SYMMETRIES);
        elements.retain(|element| !keep_roles || element.keeps_roles());
        let mut rng = Rng::with_seed(0x5a0b_0001);
        let own: Vec<u64> = (0..fluents).map(|_| rng.u64(..)).collect();
        let mut words = Vec::with_capacity(fluents * elements.len());
        for fluent in Fluent::first(fluents) {
            // Fluents that never change are their own image.
            let images = elements.iter().map(|element| element.fluent(fluent).unwrap_or(fluent));
            words.extend(images.map(|image| own[image.index()]));
        }
        Keys { elements, words }
    }

    /// The symmetries, the identity first.
    pub fn elements(&self) -> &[Mapping] {
        &self.elements
    }

    /// Returns the hashes of a state.
    pub fn hashes(&self, state: &State) -> Hashes {
        let mut hashes = Hashes(vec![0; self.elements.len()]);
        state.fluents().for_each(|fluent| self.toggle(&mut hashes, fluent));
        hashes
    }

    /// Brings hashes up to date when a fluent begins or ends to hold. Fluents beyond the number that the keys were made
    /// for are not hashed.
    pub fn toggle(&self, hashes: &mut Hashes, fluent: Fluent) {
        let count = self.elements.len();
        let words = self.words.get(fluent.index() * count..(fluent.index() + 1) * count);
        for (hash, word) in hashes.0.iter_mut().zip(words.unwrap_or_default()) {
            *hash ^= word;
        }
    }

    /// Brings the hashes of one state to those of another.
    pub fn follow(&self, hashes: &mut Hashes, from: &State, to: &State) {
        let (old, new) = (from.words(), to.words());
        for place in 0..old.len().max(new.len()) {
            let word = |words: &[u64]| words.get(place).copied().unwrap_or(0);
            let mut changed = word(old) ^ word(new);
            while changed != 0 {
                self.toggle(hashes, Fluent(place as u32 * 64 + changed.trailing_zeros()));
                changed &= changed - 1;
            }
        }
    }

    /// Returns the key: the least hash, and the number of the symmetry that gives it.
    pub fn key(&self, hashes: &Hashes) -> (u64, usize) {
        let numbered = hashes.0.iter().enumerate();
        let least = numbered.map(|(number, &hash)| (hash, number)).min();
        least.unwrap_or((0, 0))
    }

    /// Returns the least image of a state, and the number of the symmetry that gives it. Symmetric states have the same
    /// one, without any chance of error.
    pub fn canonical(&self, state: &State) -> (State, usize) {
        let mut best = (state.clone(), 0);
        for (number, element) in self.elements.iter().enumerate().skip(1) {
            let image = element.state(state);
            if image < best.0 {
                best = (image, number);
            }
        }
        best
    }

    /// Returns the number of states that are images of a state, itself included.
    pub fn orbit_length(&self, state: &State) -> usize {
        let keeping = self
            .elements
            .iter()
            .filter(|element| element.state(state) == *state)
            .count();
        self.elements.len() / keeping.max(1)
    }
}
