//! The rows of a relation, without repetitions, with indexes on parts of them.
//!
//! An index is described by a [`Shape`]: which functions must stand where, and which places form the key. That lets
//! `(true (cell ?x 3 ?c))` with `?x` known be looked up by column and row although `true` has a single argument. Rows
//! with the same key are chained, so that building and clearing an index allocates nothing in the long run.

use crate::hash::{hash_finish, hash_words};
use crate::meter::{LimitHit, Meter};
use crate::term::{TermId, TermPool};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use ludens_gdl::Symbol;

/// Requirement of an index on an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// Part of the key.
    Key,
    /// Anything.
    Free,
    /// This function, and the same of its arguments.
    Call(Symbol, Vec<Shape>),
}

/// No further row.
pub(crate) const END: u32 = u32::MAX;

#[derive(Clone)]
struct Index {
    shape: Vec<Shape>,
    /// First and last row of each chain.
    chains: HashTable<(u32, u32)>,
    /// For each row the next one with the same key.
    next: Vec<u32>,
    /// Keys of the rows that fit the shape, `key_len` numbers a row; rows that do not fit have zeros.
    keys: Vec<TermId>,
    key_len: usize,
}

#[derive(Clone)]
pub(crate) struct Table {
    width: usize,
    len: usize,
    rows: Vec<TermId>,
    set: HashTable<u32>,
    indexes: Vec<Index>,
    /// Memory that was taken for indexes.
    index_bytes: usize,
}

impl Table {
    pub(crate) fn new(width: usize, shapes: &[Vec<Shape>]) -> Table {
        let index = |shape: &Vec<Shape>| Index {
            shape: shape.clone(),
            chains: HashTable::new(),
            next: Vec::new(),
            keys: Vec::new(),
            key_len: shape.iter().map(key_parts).sum(),
        };
        Table {
            width,
            len: 0,
            rows: Vec::new(),
            set: HashTable::new(),
            indexes: shapes.iter().map(index).collect(),
            index_bytes: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn row(&self, number: u32) -> &[TermId] {
        let start = number as usize * self.width;
        &self.rows[start..start + self.width]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.len as u32).map(|number| self.row(number))
    }

    /// A table with the indexes of this one and the rows of another.
    pub(crate) fn with_rows_of(&self, other: Table, pool: &TermPool, meter: &mut Meter) -> Result<Table, LimitHit> {
        meter.give_back(other.index_bytes);
        let shapes: Vec<Vec<Shape>> = self.indexes.iter().map(|index| index.shape.clone()).collect();
        let mut table = Table {
            len: other.len,
            rows: other.rows,
            set: other.set,
            ..Table::new(self.width, &shapes)
        };
        table.refresh_all(pool, meter)?;
        Ok(table)
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.find(row).is_some()
    }

    /// The number of a row.
    pub(crate) fn find(&self, row: &[TermId]) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let hash = hash_finish(hash_words(0, row));
        self.set.find(hash, |&other| self.row(other) == row).copied()
    }

    /// Makes room for one more row, if the meter allows.
    pub(crate) fn make_room(&mut self, meter: &mut Meter) -> Result<(), LimitHit> {
        if self.rows.len() + self.width <= self.rows.capacity() && self.set.len() < self.set.capacity() {
            return Ok(());
        }
        self.grow(meter)
    }

    /// Doubles what is full. The old memory exists until the copy is done, so both are charged.
    #[cold]
    fn grow(&mut self, meter: &mut Meter) -> Result<(), LimitHit> {
        let before = 4 * self.rows.capacity() + 6 * self.set.capacity();
        let expected = before + 16 * (4 + self.width);
        meter.take(expected)?;
        self.rows.reserve(self.width);
        let (rows, width) = (&self.rows, self.width);
        let row_of = |number: u32| &rows[number as usize * width..(number as usize + 1) * width];
        self.set.reserve(1, |&other| hash_finish(hash_words(0, row_of(other))));
        let now = 4 * self.rows.capacity() + 6 * self.set.capacity();
        meter.give_back(expected.saturating_sub(now - before));
        Ok(())
    }

    /// Adds a row; false if it was there.
    pub(crate) fn insert(&mut self, row: &[TermId]) -> bool {
        let (rows, width) = (&self.rows, self.width);
        let row_of = |number: u32| &rows[number as usize * width..(number as usize + 1) * width];
        let entry = self.set.entry(
            hash_finish(hash_words(0, row)),
            |&other| row_of(other) == row,
            |&other| hash_finish(hash_words(0, row_of(other))),
        );
        let Entry::Vacant(place) = entry else {
            return false;
        };
        place.insert(self.len as u32);
        self.rows.extend_from_slice(row);
        self.len += 1;
        true
    }

    pub(crate) fn clear(&mut self) {
        if self.len == 0 {
            return;
        }
        self.rows.clear();
        self.set.clear();
        self.len = 0;
        for index in &mut self.indexes {
            if !index.next.is_empty() {
                index.chains.clear();
                index.next.clear();
                index.keys.clear();
            }
        }
    }

    /// Brings an index up to date.
    pub(crate) fn refresh(&mut self, index: usize, pool: &TermPool) {
        let (rows, width) = (&self.rows, self.width);
        let index = &mut self.indexes[index];
        for number in index.next.len()..self.len {
            index.add(number as u32, &rows[number * width..(number + 1) * width], pool);
        }
    }

    /// The same within limits.
    pub(crate) fn refresh_within(&mut self, index: usize, pool: &TermPool, meter: &mut Meter) -> Result<(), LimitHit> {
        let of = &self.indexes[index];
        let missing = self.len - of.next.len();
        if missing == 0 {
            return Ok(());
        }
        meter.spend(missing as u64)?;
        let room = of.next.capacity() - of.next.len();
        if room < missing {
            // A row takes its link, its key and at most one chain; vectors that are full double.
            let row = 4 + 4 * of.key_len + 18;
            let bytes = row * missing.max(of.next.capacity());
            meter.take(bytes)?;
            self.index_bytes += bytes;
        }
        self.refresh(index, pool);
        Ok(())
    }

    /// Brings all indexes up to date.
    pub(crate) fn refresh_all(&mut self, pool: &TermPool, meter: &mut Meter) -> Result<(), LimitHit> {
        (0..self.indexes.len()).try_for_each(|index| self.refresh_within(index, pool, meter))
    }

    /// The first row with this key, as of the last refresh.
    pub(crate) fn first(&self, index: usize, key: &[TermId]) -> u32 {
        let index = &self.indexes[index];
        if index.chains.is_empty() {
            return END;
        }
        let hash = hash_finish(hash_words(1, key));
        index
            .chains
            .find(hash, |&(head, _)| index.key(head) == key)
            .map_or(END, |&(head, _)| head)
    }

    /// The next row with the same key.
    pub(crate) fn next(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].next[row as usize]
    }
}

impl Index {
    fn key(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.key_len;
        &self.keys[start..start + self.key_len]
    }

    fn add(&mut self, number: u32, row: &[TermId], pool: &TermPool) {
        let start = self.keys.len();
        let fits = self
            .shape
            .iter()
            .zip(row)
            .all(|(shape, &term)| collect_key(shape, term, pool, &mut self.keys));
        self.next.push(END);
        if !fits {
            self.keys.truncate(start);
            self.keys.resize(start + self.key_len, TermId(0));
            return;
        }
        let key_len = self.key_len;
        let hash = hash_finish(hash_words(1, &self.keys[start..]));
        let keys = &self.keys;
        let key_of = |row: u32| &keys[row as usize * key_len..(row as usize + 1) * key_len];
        match self.chains.find_mut(hash, |&(head, _)| key_of(head) == &keys[start..]) {
            Some((_, tail)) => {
                self.next[*tail as usize] = number;
                *tail = number;
            }
            None => {
                self.chains.insert_unique(hash, (number, number), |&(head, _)| {
                    hash_finish(hash_words(1, key_of(head)))
                });
            }
        }
    }
}

fn key_parts(shape: &Shape) -> usize {
    match shape {
        Shape::Key => 1,
        Shape::Free => 0,
        Shape::Call(_, args) => args.iter().map(key_parts).sum(),
    }
}

fn collect_key(shape: &Shape, term: TermId, pool: &TermPool, key: &mut Vec<TermId>) -> bool {
    match shape {
        Shape::Key => {
            key.push(term);
            true
        }
        Shape::Free => true,
        Shape::Call(name, shapes) => {
            let args = pool.args(term);
            pool.name(term) == *name
                && args.len() == shapes.len()
                && shapes
                    .iter()
                    .zip(args)
                    .all(|(shape, &arg)| collect_key(shape, arg, pool, key))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn meter(memory: usize) -> Meter {
        Meter::for_setup(&Limits {
            memory,
            ..Limits::DEFAULT
        })
    }

    /// Memory that the rows take, as the allocator sees it at least.
    fn bytes(table: &Table) -> usize {
        4 * table.rows.capacity() + 5 * table.set.capacity()
    }

    #[test]
    fn memory_of_rows_is_taken_before_it_is_allocated() {
        let most = 1 << 16;
        let mut meter = meter(most);
        let mut table = Table::new(3, &[]);
        let refused = (0..).find(|&number| {
            let hit = table.make_room(&mut meter);
            if hit.is_ok() {
                table.insert(&[TermId(number), TermId(number), TermId(0)]);
            }
            assert!(bytes(&table) <= meter.bytes() && meter.bytes() <= most);
            hit == Err(LimitHit::Memory(most))
        });
        assert_eq!(refused.map(|number| number as usize), Some(table.len()));
        assert!(table.len() > 1000, "{} rows", table.len());
    }

    #[test]
    fn indexes_count_as_steps_and_as_memory() {
        let pool = TermPool::default();
        let mut table = Table::new(2, &[vec![Shape::Key, Shape::Free]]);
        for number in 0..1000 {
            table.insert(&[TermId(number), TermId(0)]);
        }
        let mut few = meter(1000);
        assert_eq!(table.refresh_all(&pool, &mut few), Err(LimitHit::Memory(1000)));
        let mut enough = meter(1 << 20);
        assert_eq!(table.refresh_all(&pool, &mut enough), Ok(()));
        assert_eq!(enough.steps(), 1000);
        let index = &table.indexes[0];
        let bytes = 4 * (index.next.capacity() + index.keys.capacity()) + 9 * index.chains.capacity();
        assert!(bytes <= enough.bytes(), "{bytes} of {}", enough.bytes());
        assert_eq!(table.first(0, &[TermId(7)]), 7);
    }
}
