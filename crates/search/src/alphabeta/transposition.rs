//! The transposition table and the cache of evaluations.
//!
//! Both have a fixed size. The table has two slots per hash (replacement scheme two-deep): the first keeps the deepest
//! search, the second the latest. Memory is committed as it is used.

/// Steps of depth are divided, so that a move can cost part of one.
pub(super) const PLY: i32 = 100;

/// Relation of a value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Equal.
    Exact,
    /// Lower bound.
    Lower,
    /// Upper bound.
    Upper,
}

/// An entry for a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) depth: i32,
    pub(super) bound: Bound,
    /// Whether the value is proved: no deeper search can change it.
    pub(super) certain: bool,
    /// Index of the move to try first.
    pub(super) index: Option<u32>,
}

/// A slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    depth: i32,
    /// Index of the move plus one; 0 if there is none.
    index: u16,
    /// 0 if the slot is empty.
    flags: u8,
    age: u8,
}

impl Slot {
    /// As two words. A table of zeros is empty, and costs no time and no memory before it is used.
    fn packed(self) -> [u64; 2] {
        let depth = u64::from(self.depth.cast_unsigned());
        let rest = u64::from(self.index) << 16 | u64::from(self.flags) << 8 | u64::from(self.age);
        [self.key, depth << 32 | rest]
    }

    fn unpacked([key, rest]: [u64; 2]) -> Slot {
        Slot {
            key,
            depth: ((rest >> 32) as u32).cast_signed(),
            index: (rest >> 16) as u16,
            flags: (rest >> 8) as u8,
            age: rest as u8,
        }
    }
}

const USED: u8 = 1;
const CERTAIN: u8 = 2;
const LOWER: u8 = 4;
const UPPER: u8 = 8;

/// The transposition table.
pub(super) struct TranspositionTable {
    slots: Vec<[u64; 2]>,
    /// One value for each role that values are kept of, for each slot.
    values: Vec<f64>,
    width: usize,
    age: u8,
}

impl TranspositionTable {
    /// Creates one of at most `bytes` bytes, with `width` values per state.
    pub(super) fn new(bytes: usize, width: usize) -> TranspositionTable {
        let slots = power_of_two(bytes / (size_of::<[u64; 2]>() + size_of::<f64>() * width));
        // A single slot is no pair.
        let slots = if slots < 2 { 0 } else { slots };
        TranspositionTable {
            slots: vec![[0; 2]; slots],
            values: vec![0.0; slots * width],
            width,
            age: 0,
        }
    }

    /// Starts another search, whose entries replace earlier ones.
    pub(super) fn next_search(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// An entry for a state.
    pub(super) fn get(&self, hash: u64) -> Option<(Entry, &[f64])> {
        let index = self.index(hash)?;
        let is_it = |slot: Slot| slot.key == hash && slot.flags & USED != 0;
        let found = (index..index + 2).find(|&index| is_it(self.slot(index)))?;
        let slot = self.slot(found);
        let entry = Entry {
            depth: slot.depth,
            bound: match slot.flags & (LOWER | UPPER) {
                LOWER => Bound::Lower,
                UPPER => Bound::Upper,
                _ => Bound::Exact,
            },
            certain: slot.flags & CERTAIN != 0,
            index: slot.index.checked_sub(1).map(u32::from),
        };
        Some((entry, &self.values[found * self.width..(found + 1) * self.width]))
    }

    /// Stores an entry.
    pub(super) fn put(&mut self, hash: u64, entry: Entry, values: &[f64]) {
        let Some(index) = self.index(hash) else {
            return;
        };
        let deep = self.slot(index);
        let is_free = deep.flags & USED == 0 || deep.key == hash;
        let into = if is_free {
            index
        } else if deep.age != self.age || entry.depth >= deep.depth {
            self.move_down(index);
            index
        } else {
            index + 1
        };
        // The same state in both slots would yield stale data after the first slot is overwritten.
        if into == index && self.slot(index + 1).key == hash {
            self.slots[index + 1] = [0; 2];
        }
        let slot = Slot {
            key: hash,
            depth: entry.depth,
            // An index that does not fit only loses a hint.
            index: entry.index.and_then(|index| u16::try_from(index + 1).ok()).unwrap_or(0),
            flags: USED
                | if entry.certain { CERTAIN } else { 0 }
                | match entry.bound {
                    Bound::Exact => 0,
                    Bound::Lower => LOWER,
                    Bound::Upper => UPPER,
                },
            age: self.age,
        };
        self.slots[into] = slot.packed();
        self.values[into * self.width..(into + 1) * self.width].copy_from_slice(values);
    }

    fn slot(&self, index: usize) -> Slot {
        Slot::unpacked(self.slots[index])
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<[u64; 2]>() + self.values.len() * size_of::<f64>()
    }

    /// Index of the slots of a hash; `None` if the table is empty.
    fn index(&self, hash: u64) -> Option<usize> {
        let pairs = self.slots.len() / 2;
        (pairs > 0).then(|| (hash as usize & (pairs - 1)) * 2)
    }

    fn move_down(&mut self, index: usize) {
        self.slots[index + 1] = self.slots[index];
        let from = index * self.width;
        self.values.copy_within(from..from + self.width, from + self.width);
    }
}

/// Evaluations of states. A newer one replaces an older one.
pub(super) struct EvaluationCache {
    keys: Vec<u64>,
    values: Vec<f64>,
    width: usize,
}

impl EvaluationCache {
    /// Creates one of at most `bytes` bytes, with `width` values per state.
    pub(super) fn new(bytes: usize, width: usize) -> EvaluationCache {
        let slots = power_of_two(bytes / (size_of::<u64>() + size_of::<f64>() * width));
        EvaluationCache {
            keys: vec![0; slots],
            values: vec![0.0; slots * width],
            width,
        }
    }

    /// The evaluation of a state.
    pub(super) fn get(&self, hash: u64) -> Option<&[f64]> {
        let index = self.index(hash)?;
        (self.keys[index] == hash).then(|| &self.values[index * self.width..(index + 1) * self.width])
    }

    /// Stores an evaluation.
    pub(super) fn put(&mut self, hash: u64, values: &[f64]) {
        if let Some(index) = self.index(hash) {
            self.keys[index] = hash;
            self.values[index * self.width..(index + 1) * self.width].copy_from_slice(values);
        }
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.keys.len() * size_of::<u64>() + self.values.len() * size_of::<f64>()
    }

    /// 0 marks an empty slot, so a state with that hash is never stored.
    fn index(&self, hash: u64) -> Option<usize> {
        (hash != 0 && !self.keys.is_empty()).then(|| hash as usize & (self.keys.len() - 1))
    }
}

/// The greatest power of two that is no greater; 0 for 0.
fn power_of_two(number: usize) -> usize {
    number.checked_ilog2().map_or(0, |log| 1 << log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32) -> Entry {
        Entry {
            depth,
            bound: Bound::Lower,
            certain: depth == 3,
            index: (depth > 1).then_some(depth as u32),
        }
    }

    #[test]
    fn the_deepest_and_the_last_are_kept() {
        let mut table = TranspositionTable::new(2 * 24, 1);
        assert_eq!(table.bytes(), 48);
        table.put(1, entry(3), &[1.0]);
        table.put(2, entry(1), &[2.0]);
        assert_eq!(table.get(1), Some((entry(3), &[1.0][..])));
        assert_eq!(table.get(2), Some((entry(1), &[2.0][..])));
        table.put(3, entry(2), &[3.0]);
        assert_eq!((table.get(1).is_some(), table.get(2)), (true, None));
        assert_eq!(table.get(3), Some((entry(2), &[3.0][..])));
        table.put(4, entry(5), &[4.0]);
        assert_eq!(table.get(1), Some((entry(3), &[1.0][..])));
        assert_eq!(table.get(4), Some((entry(5), &[4.0][..])));
        // In another search, nothing old is in the way.
        table.next_search();
        table.put(5, entry(1), &[5.0]);
        assert_eq!(table.get(5), Some((entry(1), &[5.0][..])));
        assert_eq!(table.get(4), Some((entry(5), &[4.0][..])));
    }

    #[test]
    fn slots_are_packed_without_loss() {
        let slot = Slot {
            key: u64::MAX - 7,
            depth: -250,
            index: 65_535,
            flags: USED | UPPER,
            age: 200,
        };
        let same = Slot::unpacked(slot.packed());
        assert_eq!(same.packed(), slot.packed());
        assert_eq!(
            (same.depth, same.index, same.flags, same.age),
            (-250, 65_535, USED | UPPER, 200)
        );
    }

    #[test]
    fn a_state_is_in_one_slot() {
        let mut table = TranspositionTable::new(2 * 24, 1);
        table.put(1, entry(3), &[1.0]);
        table.put(2, entry(1), &[2.0]);
        table.put(2, entry(4), &[2.5]);
        assert_eq!(table.get(2), Some((entry(4), &[2.5][..])));
        assert_eq!(table.get(1), Some((entry(3), &[1.0][..])));
    }

    #[test]
    fn without_memory_nothing_is_kept() {
        let mut table = TranspositionTable::new(30, 1);
        table.put(1, entry(3), &[1.0]);
        assert_eq!((table.get(1), table.bytes()), (None, 0));
        let mut cache = EvaluationCache::new(0, 2);
        cache.put(1, &[1.0, 2.0]);
        assert_eq!((cache.get(1), cache.bytes()), (None, 0));
    }

    #[test]
    fn evaluations_are_found_again() {
        let mut cache = EvaluationCache::new(4 * 24, 2);
        assert_eq!(cache.bytes(), 4 * 24);
        cache.put(5, &[1.0, 2.0]);
        assert_eq!(cache.get(5), Some(&[1.0, 2.0][..]));
        assert_eq!(cache.get(1), None);
        cache.put(1, &[3.0, 4.0]);
        assert_eq!((cache.get(5), cache.get(1)), (None, Some(&[3.0, 4.0][..])));
    }
}
