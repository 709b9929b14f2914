//! Codes of states: a few machine words per state.
//!
//! A group of mutually exclusive fluents is one digit, whose value says which fluent of the group holds. All digits
//! together form a number in a mixed-radix system, the *code*. Fluents that never change take no room. A code is the
//! sum of the weights of the fluents that hold, so the difference of two codes depends only on the fluents in which the
//! states differ. Games without proved groups use the bits of the fluents as the code.

use ludens_analysis::Analysis;
use ludens_engine::{Fluent, Game, State};

/// Translates states to codes and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coding {
    /// Words of a code.
    width: usize,
    /// Word and weight of each fluent; `None` for fluents that no code covers. Empty if the coding is open.
    weights: Vec<Option<(u32, u64)>>,
    digits: Vec<Digit>,
    /// Fluents that hold in every state.
    always: Vec<Fluent>,
    /// Whether the vocabulary can grow. New fluents get the next free bits.
    is_open: bool,
}

/// A digit of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digit {
    word: usize,
    stride: u64,
    /// The fluent that holds for each value; `None` if none does.
    fluents: Vec<Option<Fluent>>,
}

impl Coding {
    /// Uses the bits of a state as its code, `width` words of them.
    pub fn of_bits(width: usize) -> Coding {
        Coding {
            width,
            weights: Vec::new(),
            digits: Vec::new(),
            always: Vec::new(),
            is_open: true,
        }
    }

    /// Uses the groups of exclusive fluents that were proved; `None` if the game is not compiled.
    pub fn of_groups(game: &Game, analysis: &Analysis) -> Option<Coding> {
        let circuit = game.engine().circuit()?;
        let count = circuit.program.names.fluents.len();
        let mut is_free: Vec<bool> = circuit.constant_fluents.iter().map(Option::is_none).collect();
        let mut groups: Vec<Vec<Option<Fluent>>> = Vec::new();
        let mut proved: Vec<_> = analysis.exclusive.iter().collect();
        proved.sort_by_key(|group| std::cmp::Reverse(group.fluents.len()));
        for group in proved {
            let free: Vec<Fluent> = group
                .fluents
                .iter()
                .copied()
                .filter(|fluent| is_free[fluent.0 as usize])
                .collect();
            if free.len() < 2 {
                continue;
            }
            let is_whole = group.exactly_one && free.len() == group.fluents.len();
            free.iter().for_each(|fluent| is_free[fluent.0 as usize] = false);
            let none = (!is_whole).then_some(None);
            groups.push(none.into_iter().chain(free.into_iter().map(Some)).collect());
        }
        let single = (0..count as u32).filter(|&fluent| is_free[fluent as usize]);
        groups.extend(single.map(|fluent| vec![None, Some(Fluent(fluent))]));
        // Small digits such as turns and flags come first, so that neighbouring cells stay neighbours in memory.
        groups.sort_by_key(Vec::len);
        let always = (0..count as u32).filter(|&fluent| circuit.constant_fluents[fluent as usize] == Some(true));
        Some(Coding::of_digits(groups, always.map(Fluent).collect()))
    }

    /// Lays digits out in words, in order. A digit lists the fluent that holds for each of its values; `always` are the
    /// fluents that hold in every state.
    pub fn of_digits(groups: Vec<Vec<Option<Fluent>>>, always: Vec<Fluent>) -> Coding {
        let mut digits = Vec::new();
        let (mut word, mut stride) = (0, 1u64);
        for fluents in groups {
            let base = fluents.len() as u64;
            if u128::from(stride) * u128::from(base) > 1 << 64 {
                (word, stride) = (word + 1, 1);
            }
            digits.push(Digit { word, stride, fluents });
            stride = stride.saturating_mul(base);
        }
        let known = digits
            .iter()
            .flat_map(|digit| digit.fluents.iter().flatten())
            .chain(&always);
        let count = known.map(|fluent| fluent.0 as usize + 1).max().unwrap_or(0);
        let mut weights = vec![None; count];
        for digit in &digits {
            for (value, fluent) in digit.fluents.iter().enumerate() {
                if let Some(fluent) = fluent {
                    weights[fluent.0 as usize] = Some((digit.word as u32, value as u64 * digit.stride));
                }
            }
        }
        for fluent in &always {
            weights[fluent.0 as usize] = Some((0, 0));
        }
        Coding {
            width: word + 1,
            weights,
            digits,
            always,
            is_open: false,
        }
    }

    /// Words of a code.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The digits in order, each with the fluent that holds for each of its values. An open coding has none.
    pub fn digits(&self) -> impl Iterator<Item = &[Option<Fluent>]> {
        self.digits.iter().map(|digit| &digit.fluents[..])
    }

    /// Fluents that hold in every state.
    pub fn always(&self) -> &[Fluent] {
        &self.always
    }

    /// Whether codes are the bits of states, so that the vocabulary can grow.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Number of codes, if a code is a single word.
    pub fn size(&self) -> Option<u64> {
        if self.is_open || self.width > 1 {
            return None;
        }
        let last = self.digits.last();
        Some(last.map_or(1, |digit| digit.stride.saturating_mul(digit.fluents.len() as u64)))
    }

    /// Writes the code of a state, given as words, and returns whether it has one. In an open coding a state that needs
    /// more words has none.
    pub fn encode(&self, state: &[u64], code: &mut [u64]) -> bool {
        if self.is_open {
            let used = state.len().min(code.len());
            code[..used].copy_from_slice(&state[..used]);
            code[used..].fill(0);
            return state[used..].iter().all(|&word| word == 0);
        }
        code.fill(0);
        for (index, &word) in state.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let fluent = index * 64 + rest.trailing_zeros() as usize;
                match self.weights.get(fluent) {
                    Some(&Some((word, weight))) => code[word as usize] = code[word as usize].wrapping_add(weight),
                    _ => return false,
                }
                rest &= rest - 1;
            }
        }
        true
    }

    /// Returns the state of a code.
    pub fn decode(&self, code: &[u64]) -> State {
        if self.is_open {
            return State::from_words(code.to_vec());
        }
        let mut words = vec![0u64; self.weights.len().div_ceil(64)];
        let digits = self.digits.iter().filter_map(|digit| {
            let value = code[digit.word] / digit.stride % digit.fluents.len() as u64;
            digit.fluents[value as usize]
        });
        for Fluent(number) in digits.chain(self.always.iter().copied()) {
            words[number as usize / 64] |= 1 << (number % 64);
        }
        State::from_words(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sums_and_can_be_undone() {
        let some = |numbers: &[u32]| -> Vec<Option<Fluent>> { numbers.iter().map(|&n| Some(Fluent(n))).collect() };
        let mut groups = vec![
            vec![None, Some(Fluent(7))],
            some(&[0, 1, 2]),
            some(&[70, 71, 72, 73, 74]),
        ];
        let coding = Coding::of_digits(groups.clone(), vec![Fluent(5)]);
        assert_eq!((coding.width, coding.size()), (1, Some(30)));
        let mut seen = Vec::new();
        for code in 0..30 {
            let state = coding.decode(&[code]);
            assert!(state.holds(Fluent(5)));
            let mut again = [0];
            assert!(coding.encode(state.words(), &mut again));
            assert_eq!(again, [code]);
            seen.push(state);
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 30);
        // A fluent that no digit knows.
        assert!(!coding.encode(State::new([Fluent(6)]).words(), &mut [0]));
        // Many digits take several words.
        groups.extend((0..90).map(|n| vec![None, Some(Fluent(100 + n))]));
        let coding = Coding::of_digits(groups, Vec::new());
        assert_eq!((coding.width, coding.size()), (2, None));
        let state = State::new([1, 7, 74, 100, 130, 189].map(Fluent));
        let mut code = [0; 2];
        assert!(coding.encode(state.words(), &mut code));
        assert_eq!(coding.decode(&code), state);
    }

    #[test]
    fn bits_are_codes_too() {
        let coding = Coding::of_bits(2);
        let state = State::new([1, 100].map(Fluent));
        let mut code = [9; 2];
        assert!(coding.encode(state.words(), &mut code));
        assert_eq!(coding.decode(&code), state);
        assert!(!coding.encode(State::new([Fluent(128)]).words(), &mut code));
    }
}
