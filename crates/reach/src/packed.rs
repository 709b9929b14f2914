//! The packed state store: the codes of states in one list, numbered in the order of insertion, and found again through
//! an open-addressing hash table of numbers.

use crate::Coding;
use ludens_engine::State;

/// Marks a free slot of the table.
const EMPTY: u32 = u32::MAX;
/// Codes of at most this many words are made on the stack.
const SHORT: usize = 8;

/// A numbered set of states.
#[derive(Clone, Debug)]
pub struct PackedStates {
    coding: Coding,
    width: usize,
    codes: Vec<u64>,
    count: usize,
    /// Number of the first state that can be found; see [`PackedStates::forget`].
    first: usize,
    /// Numbers of states at the slots of their hashes. The length is a power of two, and at most two thirds are used.
    table: Vec<u32>,
}

impl PackedStates {
    /// An empty set of states.
    pub fn new(coding: Coding) -> PackedStates {
        PackedStates {
            width: coding.width(),
            coding,
            codes: Vec::new(),
            count: 0,
            first: 0,
            table: vec![EMPTY; 1024],
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How states are coded.
    pub fn coding(&self) -> &Coding {
        &self.coding
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.codes.capacity() * 8 + self.table.capacity() * 4
    }

    /// Maximum number of bytes held while `more` states are inserted.
    pub fn bytes_after(&self, more: usize) -> usize {
        let count = self.count + more;
        let mut table = self.table.len();
        while (count - self.first) * 3 > table * 2 {
            table *= 2;
        }
        let grows = table > self.table.len();
        let codes = match count * self.width > self.codes.capacity() {
            // The old and the new list are both held while one is copied to the other.
            true => self.codes.capacity() + (count * self.width).max(self.codes.capacity() * 2),
            false => self.codes.capacity(),
        };
        codes * 8 + (table + if grows { self.table.len() } else { 0 }) * 4
    }

    /// Code of a state.
    pub fn code(&self, number: usize) -> &[u64] {
        &self.codes[number * self.width..(number + 1) * self.width]
    }

    /// Codes of several states, one after the other.
    pub fn codes_of(&self, states: std::ops::Range<usize>) -> &[u64] {
        &self.codes[states.start * self.width..states.end * self.width]
    }

    /// Codes of all states, one after the other.
    pub fn codes(&self) -> &[u64] {
        &self.codes
    }

    /// Returns a state by its number.
    pub fn state(&self, number: usize) -> State {
        self.coding.decode(self.code(number))
    }

    fn slot(&self, code: &[u64]) -> usize {
        let mixed = code.iter().fold(0x243f_6a88_85a3_08d3u64, |hash, &word| {
            let bits = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let bits = (bits ^ bits >> 32).wrapping_mul(0xa409_3822_299f_31d1);
            bits ^ bits >> 29
        });
        mixed as usize & (self.table.len() - 1)
    }

    /// Whether a number is that of a code. Most codes are one word long, which is compared without a call.
    fn is_at(&self, number: u32, code: &[u64]) -> bool {
        let first = number as usize * self.width;
        self.codes[first] == code[0] && self.codes[first + 1..first + self.width] == code[1..]
    }

    /// Inserts codes that follow each other and passes the number of each to `visit`. Reading the slots of several
    /// codes before the first is inserted overlaps their cache misses.
    pub fn insert_all(&mut self, codes: &[u64], mut visit: impl FnMut(u32)) {
        for some in codes.chunks(self.width * 32) {
            let mut first_words = 0u64;
            for code in some.chunks(self.width) {
                let number = self.table[self.slot(code)];
                if number != EMPTY {
                    first_words ^= self.codes[number as usize * self.width];
                }
            }
            std::hint::black_box(first_words);
            some.chunks(self.width).for_each(|code| visit(self.insert(code)));
        }
    }

    /// Returns the number of a state; the least one if several are equal.
    pub fn find(&self, state: &State) -> Option<u32> {
        let mut short = [0; SHORT];
        let mut long = Vec::new();
        let code = match self.width {
            width @ ..=SHORT => &mut short[..width],
            width => {
                long.resize(width, 0);
                &mut long[..]
            }
        };
        let is_coded = self.coding.encode(state.words(), code);
        is_coded.then(|| self.find_code(code)).flatten()
    }

    /// Returns the number of the state with a code.
    pub fn find_code(&self, code: &[u64]) -> Option<u32> {
        let mut slot = self.slot(code);
        loop {
            match self.table[slot] {
                EMPTY => return None,
                number if self.is_at(number, code) => return Some(number),
                _ => slot = (slot + 1) & (self.table.len() - 1),
            }
        }
    }

    /// Returns the number of the state with a code, which is inserted if it is new.
    pub fn insert(&mut self, code: &[u64]) -> u32 {
        let mut slot = self.slot(code);
        loop {
            match self.table[slot] {
                EMPTY => break,
                number if self.is_at(number, code) => return number,
                _ => slot = (slot + 1) & (self.table.len() - 1),
            }
        }
        let number = self.count as u32;
        self.table[slot] = number;
        self.codes.extend_from_slice(code);
        self.count += 1;
        if (self.count - self.first) * 3 > self.table.len() * 2 {
            self.rebuild(self.table.len() * 2);
        }
        number
    }

    /// Numbers are inserted in ascending order, so the least of several equal states is found first.
    fn rebuild(&mut self, size: usize) {
        self.table = Vec::new();
        self.table = vec![EMPTY; size];
        for number in self.first..self.count {
            let mut slot = self.slot(self.code(number));
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = number as u32;
        }
    }

    /// Keeps all states but finds none of them any more: a state that is inserted again gets a new number.
    pub fn forget(&mut self) {
        self.first = self.count;
        self.table.fill(EMPTY);
    }

    /// Changes an open coding to codes of `width` words.
    pub fn widen(&mut self, width: usize) {
        let mut codes = Vec::with_capacity(self.count * width);
        for code in self.codes.chunks(self.width) {
            codes.extend_from_slice(code);
            codes.resize(codes.len() + width - code.len(), 0);
        }
        (self.coding, self.width, self.codes) = (Coding::of_bits(width), width, codes);
        self.rebuild(self.table.len());
    }

    /// Returns the same states in another order: state `order[n]` gets the number `n`. All of them can be found.
    pub fn reordered(&self, order: &[u32]) -> PackedStates {
        let numbers = order.iter().map(|&number| number as usize);
        let mut states = PackedStates {
            coding: self.coding.clone(),
            width: self.width,
            codes: numbers.flat_map(|number| self.code(number)).copied().collect(),
            count: order.len(),
            first: 0,
            table: Vec::new(),
        };
        states.rebuild((order.len() * 3 / 2 + 1).next_power_of_two());
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldhash::fast::FixedState;
    use hashbrown::HashMap;
    use ludens_engine::Fluent;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut states = PackedStates::new(Coding::of_bits(2));
        let mut map: HashMap<Vec<u64>, u32, FixedState> = HashMap::default();
        let mut rng = ludens_engine::Rng::with_seed(5);
        for _ in 0..50_000 {
            let code = vec![rng.u64(..200), rng.u64(..100) << 50];
            let next = map.len() as u32;
            let expected = *map.entry(code.clone()).or_insert(next);
            let mut numbers = Vec::new();
            states.insert_all(&code, |number| numbers.push(number));
            assert_eq!(numbers, [expected]);
            assert_eq!(states.insert(&code), expected);
        }
        assert_eq!(states.len(), map.len());
        states.widen(3);
        for number in 0..states.len() {
            let code = states.code(number).to_vec();
            assert_eq!((states.find_code(&code), code[2]), (Some(number as u32), 0));
            assert_eq!(map.get(&code[..2]), Some(&(number as u32)));
        }
        assert_eq!(states.find_code(&[1, 2, 3]), None);
    }

    #[test]
    fn states_are_found_at_any_width() {
        let mut states = PackedStates::new(Coding::of_bits(2));
        let numbers = [[5, 0], [5, 1], [5, 0]].map(|code| states.insert(&code));
        assert_eq!(numbers, [0, 1, 0]);
        let find = |states: &PackedStates, words: &[u64]| states.find(&State::from_words(words.to_vec()));
        let found = [&[5][..], &[5, 1, 0], &[1]].map(|words| find(&states, words));
        assert_eq!(found, [Some(0), Some(1), None]);
        states.widen(3);
        assert_eq!((states.insert(&[5, 0, 0]), states.insert(&[0, 0, 1])), (0, 2));
        assert_eq!(states.state(2), State::new([Fluent(128)]));
    }

    #[test]
    fn forgotten_states_get_new_numbers() {
        let mut states = PackedStates::new(Coding::of_bits(1));
        (0..3000).for_each(|code| assert_eq!(u64::from(states.insert(&[code])), code));
        states.forget();
        assert_eq!(states.find_code(&[1]), None);
        (0..3000).for_each(|code| assert_eq!(u64::from(states.insert(&[code])), code + 3000));
        assert_eq!((states.len(), states.find_code(&[7])), (6000, Some(3007)));
        // Of equal states the one with the least number is found.
        let again = states.reordered(&[1, 3000, 0, 3001]);
        assert_eq!((again.find_code(&[0]), again.find_code(&[1])), (Some(1), Some(0)));
        assert_eq!((again.find_code(&[2]), again.len()), (None, 4));
    }
}
