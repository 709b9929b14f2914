//! Roles, moves, percepts and states as small values.
//!
//! Numbers belong to the [`Game`](crate::Game), not to an engine: every engine of a game gives the same number to the
//! same fluent or move, so states and moves can be handed from one to another.

pub use ludens_ground::{Fluent, MoveId, PerceptId, Role, RoleMap};

/// The fluents that hold, as a set of bits. Trailing empty words are never stored, so equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(Box<[u64]>);

impl State {
    /// Creates the state in which exactly these fluents hold.
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

    /// Creates the state with these bits set: the fluent `n` is bit `n % 64` of word `n / 64`.
    pub fn from_words(mut words: Vec<u64>) -> State {
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        words.truncate(used);
        State(words.into_boxed_slice())
    }

    /// The bits of the fluents that hold, as [`State::from_words`] takes them, without empty words at the end.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// A hash of 64 bits, for tables of states: equal for equal states, on every machine and in every run.
    ///
    /// States that differ in one word only never collide. Otherwise collisions are as likely as among random numbers:
    /// the probability that any two of `n` states collide is about `n² / 2⁶⁵`, which is one in 37 million for a million
    /// states, one in 3,700 for a hundred million and one in 37 for a thousand million. A given state collides with one
    /// of `n` others with probability `n / 2⁶⁴`. Fluents are numbered per game, so hashes are too.
    pub fn hash64(&self) -> u64 {
        // Each round can be undone, if the word is known for the hash and if the hash is known for the word. The last
        // word is never empty, so states of different lengths are no special case.
        self.0.iter().fold(HASH_START, |hash, &word| mixed(hash ^ word))
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

    /// Number of fluents that hold.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no fluent holds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Digits of π.
const HASH_START: u64 = 0x243f_6a88_85a3_08d3;

/// Spreads every bit over the whole word: shifts and multiplications by odd numbers, all of which can be undone.
pub(crate) fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 29).wrapping_mul(0xa409_3822_299f_31d1);
    bits ^ bits >> 32
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

    #[test]
    fn words_and_fluents_are_the_same_thing() {
        let state = State::new([3, 200].map(Fluent));
        assert_eq!(state.words(), [8, 0, 0, 1 << 8]);
        assert_eq!(State::from_words(vec![8, 0, 0, 1 << 8, 0, 0]), state);
        assert_eq!(State::from_words(vec![0, 0]), State::default());
    }

    #[test]
    fn hashes_are_the_same_everywhere() {
        assert_eq!(State::default().hash64(), HASH_START);
        assert_eq!(State::new([Fluent(0)]).hash64(), 0xe646_a6ad_2f64_375f);
        assert_eq!(State::new([3, 64, 200].map(Fluent)).hash64(), 0xa90a_759f_5773_92fd);
    }

    #[test]
    fn a_fluent_changes_half_of_the_bits_of_the_hash() {
        let mut rng = crate::Rng::with_seed(1);
        let mut flips = [0u32; 64];
        let rounds = 20_000;
        for _ in 0..rounds {
            let mut words: Vec<u64> = (0..3).map(|_| rng.u64(..) & rng.u64(..) & rng.u64(..)).collect();
            words.push(1);
            let before = State::from_words(words.clone()).hash64();
            words[rng.usize(..3)] ^= 1 << rng.u32(..64);
            let difference = before ^ State::from_words(words).hash64();
            for (bit, count) in flips.iter_mut().enumerate() {
                *count += (difference >> bit & 1) as u32;
            }
        }
        // Six standard deviations of a fair coin.
        let bound = 6.0 * (f64::from(rounds) / 4.0).sqrt();
        assert!(
            flips
                .iter()
                .all(|&count| (f64::from(count) - f64::from(rounds) / 2.0).abs() < bound)
        );
    }

    #[test]
    fn sparse_states_do_not_collide() {
        // All states of at most three of 120 fluents. If 32 bits of the hash are as good as random, about ten pairs of
        // these states agree in them; more than thirty would show a pattern.
        let mut hashes = vec![State::default().hash64()];
        for a in 0..120 {
            for b in 0..=a {
                for c in 0..=b {
                    hashes.push(State::new([a, b, c].map(Fluent)).hash64());
                }
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 1 + 120 + 120 * 119 / 2 + 120 * 119 * 118 / 6);
        for shift in [0, 16, 32] {
            let mut parts: Vec<u32> = hashes.iter().map(|hash| (hash >> shift) as u32).collect();
            parts.sort_unstable();
            parts.dedup();
            assert!(hashes.len() - parts.len() < 30);
        }
    }
}
