//! Roles, moves and states as small values.
//!
//! Numbers belong to the [`Game`](crate::Game), not to an engine: every engine of a game gives the same number to the
//! same fluent or move, so states and moves can be handed from one to another.

/// A seat in the game, counted from zero in the order of the `role` facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Role(pub u8);

impl Role {
    /// The role as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A move of a role; the same number means different moves for different roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveId(pub u32);

/// A fluent of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fluent(pub u32);

/// The fluents that hold, as a set of bits. Trailing empty words are never stored, so equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(Box<[u64]>);

impl State {
    /// The state in which exactly these fluents hold.
    pub fn new(fluents: impl IntoIterator<Item = Fluent>) -> State {
        let mut words: Vec<u64> = Vec::new();
        for Fluent(number) in fluents {
            let word = number as usize / 64;
            if word >= words.len() {
                words.resize(word + 1, 0);
            }
            words[word] |= 1 << (number % 64);
        }
        State(words.into_boxed_slice())
    }

    /// The fluents that hold, in increasing order.
    pub fn fluents(&self) -> impl Iterator<Item = Fluent> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| Fluent(index as u32 * 64 + rest.trailing_zeros()))
        })
    }

    /// Whether a fluent holds.
    pub fn holds(&self, Fluent(number): Fluent) -> bool {
        self.0
            .get(number as usize / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// How many fluents hold.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no fluent holds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_sets() {
        let numbers = [200, 3, 64, 63, 3];
        let state = State::new(numbers.map(Fluent));
        let read: Vec<u32> = state.fluents().map(|fluent| fluent.0).collect();
        assert_eq!(read, [3, 63, 64, 200]);
        assert_eq!(state.len(), 4);
        assert!(state.holds(Fluent(64)) && !state.holds(Fluent(65)) && !state.holds(Fluent(9999)));
        assert_eq!(State::new([]), State::default());
    }
}
