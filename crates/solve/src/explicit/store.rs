//! A set of codes in the order in which they were met.

/// A place in the table that is not taken.
const EMPTY: u32 = u32::MAX;

/// Codes with their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    width: usize,
    codes: Vec<u64>,
    /// Numbers of codes at the places of their hashes; a power of two long, at most two thirds full.
    table: Vec<u32>,
    count: usize,
}

impl Store {
    /// An empty store of codes of so many words.
    pub(crate) fn new(width: usize) -> Store {
        Store {
            width,
            codes: Vec::new(),
            table: vec![EMPTY; 1024],
            count: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.codes.capacity() * 8 + self.table.capacity() * 4
    }

    /// Bytes that are held at most while so many codes are added.
    pub(crate) fn bytes_after(&self, more: usize) -> usize {
        let count = self.count + more;
        let mut table = self.table.len();
        while count * 3 > table * 2 {
            table *= 2;
        }
        let grows = table > self.table.len();
        let codes = match count * self.width > self.codes.capacity() {
            // Old and new lists are both held while one is copied to the other.
            true => self.codes.capacity() + (count * self.width).max(self.codes.capacity() * 2),
            false => self.codes.capacity(),
        };
        codes * 8 + (table + if grows { self.table.len() } else { 0 }) * 4
    }

    pub(crate) fn code(&self, number: usize) -> &[u64] {
        &self.codes[number * self.width..(number + 1) * self.width]
    }

    /// All codes, one after the other.
    pub(crate) fn codes(&self) -> &[u64] {
        &self.codes
    }

    fn place(&self, code: &[u64]) -> usize {
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

    /// Tells the numbers of codes that follow each other, each the next one if it is new. Looking at the places of some
    /// before the first is dealt with lets the memory fetch them all at once.
    pub(crate) fn insert_all(&mut self, codes: &[u64], mut tell: impl FnMut(u32)) {
        for some in codes.chunks(self.width * 32) {
            let mut first_words = 0u64;
            for code in some.chunks(self.width) {
                let number = self.table[self.place(code)];
                if number != EMPTY {
                    first_words ^= self.codes[number as usize * self.width];
                }
            }
            std::hint::black_box(first_words);
            some.chunks(self.width).for_each(|code| tell(self.insert(code)));
        }
    }

    /// The number of a code.
    pub(crate) fn find(&self, code: &[u64]) -> Option<u32> {
        let mut place = self.place(code);
        loop {
            match self.table[place] {
                EMPTY => return None,
                number if self.is_at(number, code) => return Some(number),
                _ => place = (place + 1) & (self.table.len() - 1),
            }
        }
    }

    /// The number of a code, the next one if it is new.
    pub(crate) fn insert(&mut self, code: &[u64]) -> u32 {
        let mut place = self.place(code);
        loop {
            match self.table[place] {
                EMPTY => break,
                number if self.is_at(number, code) => return number,
                _ => place = (place + 1) & (self.table.len() - 1),
            }
        }
        let number = self.count as u32;
        self.table[place] = number;
        self.codes.extend_from_slice(code);
        self.count += 1;
        if self.count * 3 > self.table.len() * 2 {
            self.rebuild(self.table.len() * 2);
        }
        number
    }

    fn rebuild(&mut self, size: usize) {
        self.table = Vec::new();
        self.table = vec![EMPTY; size];
        for number in 0..self.count {
            let mut place = self.place(self.code(number));
            while self.table[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            self.table[place] = number as u32;
        }
    }

    /// Gives every code more words, which are empty.
    pub(crate) fn widen(&mut self, width: usize) {
        let mut codes = Vec::with_capacity(self.count * width);
        for code in self.codes.chunks(self.width) {
            codes.extend_from_slice(code);
            codes.resize(codes.len() + width - code.len(), 0);
        }
        (self.codes, self.width) = (codes, width);
        self.rebuild(self.table.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldhash::fast::FixedState;
    use hashbrown::HashMap;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut store = Store::new(2);
        let mut map: HashMap<Vec<u64>, u32, FixedState> = HashMap::default();
        let mut rng = ludens_engine::Rng::with_seed(5);
        for _ in 0..50_000 {
            let code = vec![rng.u64(..200), rng.u64(..100) << 50];
            let next = map.len() as u32;
            let expected = *map.entry(code.clone()).or_insert(next);
            let mut numbers = Vec::new();
            store.insert_all(&code, |number| numbers.push(number));
            assert_eq!(numbers, [expected]);
            assert_eq!(store.insert(&code), expected);
        }
        assert_eq!(store.len(), map.len());
        store.widen(3);
        for number in 0..store.len() {
            let code = store.code(number).to_vec();
            assert_eq!((store.find(&code), code[2]), (Some(number as u32), 0));
            assert_eq!(map.get(&code[..2]), Some(&(number as u32)));
        }
        assert_eq!(store.find(&[1, 2, 3]), None);
    }
}
