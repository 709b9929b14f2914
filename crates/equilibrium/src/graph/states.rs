//! The states of a graph: one row of words each, found again by their bits.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use ludens_engine::State;
use std::hash::BuildHasher;

/// States in the order in which they were added.
#[derive(Clone, Debug)]
pub(crate) struct States {
    width: usize,
    words: Vec<u64>,
    lookup: HashTable<u32>,
}

/// Without the empty words at the end, which do not belong to a state.
fn trimmed(words: &[u64]) -> &[u64] {
    let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    &words[..used]
}

fn hash(words: &[u64]) -> u64 {
    FixedState::with_seed(0).hash_one(trimmed(words))
}

impl States {
    /// No states yet, with room for so many words each.
    pub(crate) fn new(width: usize) -> States {
        States {
            width: width.max(1),
            words: Vec::new(),
            lookup: HashTable::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// How many words a row has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.lookup.capacity() * 5
    }

    /// The bits of a state, with empty words at the end.
    pub(crate) fn row(&self, number: usize) -> &[u64] {
        &self.words[number * self.width..(number + 1) * self.width]
    }

    pub(crate) fn state(&self, number: usize) -> State {
        State::from_words(self.row(number).to_vec())
    }

    /// The first number of a state, whatever the number of empty words at its end.
    pub(crate) fn find(&self, words: &[u64]) -> Option<u32> {
        let words = trimmed(words);
        let found = self.lookup.find(hash(words), |&number| {
            let row = &self.words[number as usize * self.width..(number as usize + 1) * self.width];
            trimmed(row) == words
        });
        found.copied()
    }

    /// The number of a state, the next one if it is new; its row must be as wide as all others.
    pub(crate) fn insert(&mut self, row: &[u64]) -> u32 {
        debug_assert_eq!(row.len(), self.width);
        let (words, width) = (&self.words, self.width);
        let row_at = |number: u32| &words[number as usize * width..(number as usize + 1) * width];
        let entry = self.lookup.entry(
            hash(row),
            |&number| row_at(number) == row,
            |&number| hash(row_at(number)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get(),
            hashbrown::hash_table::Entry::Vacant(place) => {
                let number = (self.words.len() / self.width) as u32;
                place.insert(number);
                self.words.extend_from_slice(row);
                number
            }
        }
    }

    /// From now on states are new although they were added before.
    pub(crate) fn forget(&mut self) {
        self.lookup.clear();
    }

    /// Gives every row more words, which are empty.
    pub(crate) fn widen(&mut self, width: usize) {
        let mut words = Vec::with_capacity(self.len() * width);
        for row in self.words.chunks(self.width) {
            words.extend_from_slice(row);
            words.resize(words.len() + width - row.len(), 0);
        }
        (self.words, self.width) = (words, width);
    }

    /// The same states in another order: the state `order[n]` gets the number `n`. Of equal states the first is found.
    pub(crate) fn reordered(&self, order: &[u32]) -> States {
        let mut states = States::new(self.width);
        states.words = order
            .iter()
            .flat_map(|&number| self.row(number as usize))
            .copied()
            .collect();
        let (words, width) = (&states.words, states.width);
        let row_at = |number: u32| &words[number as usize * width..(number as usize + 1) * width];
        let mut lookup: HashTable<u32> = HashTable::with_capacity(order.len());
        for number in 0..order.len() as u32 {
            let row = row_at(number);
            lookup
                .entry(hash(row), |&other| row_at(other) == row, |&other| hash(row_at(other)))
                .or_insert(number);
        }
        states.lookup = lookup;
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::Fluent;

    #[test]
    fn states_are_found_whatever_their_width() {
        let mut states = States::new(2);
        assert_eq!(
            (states.insert(&[5, 0]), states.insert(&[5, 1]), states.insert(&[5, 0])),
            (0, 1, 0)
        );
        assert_eq!(
            (states.find(&[5]), states.find(&[5, 1, 0]), states.find(&[1])),
            (Some(0), Some(1), None)
        );
        states.widen(3);
        assert_eq!((states.insert(&[5, 0, 0]), states.insert(&[0, 0, 1])), (0, 2));
        assert_eq!(states.state(2), State::new([Fluent(128)]));
        states.forget();
        assert_eq!(states.insert(&[5, 0, 0]), 3);
        // The last two are equal; the first of them is found.
        let again = states.reordered(&[1, 3, 0]);
        assert_eq!(
            (again.find(&[5, 1]), again.find(&[5]), again.find(&[0, 0, 1])),
            (Some(0), Some(1), None)
        );
    }
}
