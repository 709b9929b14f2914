//! Ground terms as numbers.
//!
//! Equal terms get equal numbers, so comparing terms is comparing numbers. A pool can stand on a shared, frozen base:
//! everything that the rules themselves mention is stored once, each machine adds what it derives.

use crate::hash::{hash_finish, hash_words};
use crate::meter::{LimitHit, Meter};
use hashbrown::HashTable;
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::sync::Arc;

/// A ground term of a [`TermPool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

#[derive(Clone, Copy)]
struct Node {
    name: Symbol,
    start: u32,
    count: u32,
    depth: u32,
    /// Symbols of the term when it is written out.
    size: u32,
}

/// A set of ground terms.
#[derive(Clone, Default)]
pub struct TermPool {
    base: Option<Arc<TermPool>>,
    base_len: u32,
    nodes: Vec<Node>,
    args: Vec<TermId>,
    lookup: HashTable<u32>,
}

impl TermPool {
    /// A pool on top of a frozen one.
    pub fn on(base: Arc<TermPool>) -> TermPool {
        TermPool {
            base_len: base.len(),
            base: Some(base),
            ..TermPool::default()
        }
    }

    /// The first term of any pool.
    pub const FIRST: TermId = TermId(0);

    /// The number of a term, below [`TermPool::len`].
    pub fn index(id: TermId) -> usize {
        id.0 as usize
    }

    /// Number of terms.
    pub fn len(&self) -> u32 {
        self.base_len + self.nodes.len() as u32
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The constant's or function's name.
    pub fn name(&self, id: TermId) -> Symbol {
        self.part(id, |pool, number| pool.nodes[number].name)
    }

    /// The arguments, none for a constant.
    pub fn args(&self, id: TermId) -> &[TermId] {
        let (pool, number) = match &self.base {
            Some(base) if id.0 < self.base_len => (&**base, id.0),
            _ => (self, id.0 - self.base_len),
        };
        let node = pool.nodes[number as usize];
        &pool.args[node.start as usize..(node.start + node.count) as usize]
    }

    fn depth(&self, id: TermId) -> u32 {
        self.part(id, |pool, number| pool.nodes[number].depth)
    }

    /// Number of symbols of the term when it is written out, parts that are shared in memory counted as often as they
    /// are written; `u32::MAX` if there are more.
    pub fn size(&self, id: TermId) -> u32 {
        self.part(id, |pool, number| pool.nodes[number].size)
    }

    fn part<T>(&self, id: TermId, read: impl FnOnce(&TermPool, usize) -> T) -> T {
        match &self.base {
            Some(base) if id.0 < self.base_len => read(base, id.0 as usize),
            _ => read(self, (id.0 - self.base_len) as usize),
        }
    }

    /// The term with this name and these arguments, if it exists.
    pub fn find(&self, name: Symbol, args: &[TermId]) -> Option<TermId> {
        let hash = hash_term(name, args);
        let found = self.base.as_ref().and_then(|base| base.find_here(hash, name, args));
        found.or_else(|| self.find_here(hash, name, args))
    }

    fn find_here(&self, hash: u64, name: Symbol, args: &[TermId]) -> Option<TermId> {
        let is_same = |&number: &u32| {
            let node = self.nodes[number as usize];
            node.name == name && self.args[node.start as usize..(node.start + node.count) as usize] == *args
        };
        self.lookup
            .find(hash, is_same)
            .map(|&number| TermId(number + self.base_len))
    }

    /// The term with this name and these arguments.
    pub fn intern(&mut self, name: Symbol, args: &[TermId]) -> TermId {
        if let Some(known) = self.find(name, args) {
            return known;
        }
        let (depth, size) = self.measure(args);
        self.add(name, args, depth, size)
    }

    /// The same within limits on the term and on memory.
    pub(crate) fn intern_within(
        &mut self,
        name: Symbol,
        args: &[TermId],
        meter: &mut Meter,
    ) -> Result<TermId, LimitHit> {
        if let Some(known) = self.find(name, args) {
            return Ok(known);
        }
        let (depth, size) = self.measure(args);
        if depth > meter.term_depth {
            return Err(LimitHit::TermDepth(meter.term_depth as usize));
        }
        if size > meter.term_size {
            return Err(LimitHit::TermSize(meter.term_size as usize));
        }
        self.make_room(args.len(), meter)?;
        Ok(self.add(name, args, depth, size))
    }

    /// Depth and size of a term with these arguments.
    fn measure(&self, args: &[TermId]) -> (u32, u32) {
        let depth = args.iter().map(|&arg| self.depth(arg)).max().unwrap_or(0);
        let size = args.iter().fold(1u32, |size, &arg| size.saturating_add(self.size(arg)));
        (depth.saturating_add(1), size)
    }

    /// Memory that the pool takes beyond its base, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Node>() * self.nodes.capacity() + 4 * self.args.capacity() + 6 * self.lookup.capacity()
    }

    /// Makes room for a term, if the meter allows.
    fn make_room(&mut self, args: usize, meter: &mut Meter) -> Result<(), LimitHit> {
        let is_full = self.nodes.len() == self.nodes.capacity()
            || self.args.len() + args > self.args.capacity()
            || self.lookup.len() == self.lookup.capacity();
        if !is_full {
            return Ok(());
        }
        // Everything that is full doubles.
        let before = self.bytes();
        let expected = before + 64 * (4 + args);
        meter.take(expected)?;
        self.nodes.reserve(1);
        self.args.reserve(args);
        let (nodes, all) = (&self.nodes, &self.args);
        self.lookup.reserve(1, |&other| {
            let node = nodes[other as usize];
            hash_term(node.name, &all[node.start as usize..(node.start + node.count) as usize])
        });
        meter.give_back(expected.saturating_sub(self.bytes().saturating_sub(before)));
        Ok(())
    }

    fn add(&mut self, name: Symbol, args: &[TermId], depth: u32, size: u32) -> TermId {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            depth,
            size,
            name,
            start: self.args.len() as u32,
            count: args.len() as u32,
        });
        self.args.extend_from_slice(args);
        let (nodes, all) = (&self.nodes, &self.args);
        self.lookup.insert_unique(hash_term(name, args), number, |&other| {
            let node = nodes[other as usize];
            hash_term(node.name, &all[node.start as usize..(node.start + node.count) as usize])
        });
        TermId(number + self.base_len)
    }

    /// A ground term of the rules as a number.
    pub fn import(&mut self, term: &Term) -> TermId {
        match term {
            Term::Constant(name) => self.intern(*name, &[]),
            Term::Function(name, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| self.import(arg)).collect();
                self.intern(*name, &args)
            }
            Term::Variable(_) => unreachable!("only ground terms are imported"),
        }
    }

    /// A number as a term.
    pub fn export(&self, id: TermId) -> Term {
        let args = self.args(id);
        match args.is_empty() {
            true => Term::Constant(self.name(id)),
            false => Term::Function(self.name(id), args.iter().map(|&arg| self.export(arg)).collect()),
        }
    }
}

fn hash_term(name: Symbol, args: &[TermId]) -> u64 {
    hash_finish(hash_words(u64::from(name.0), args))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn a_term_is_as_large_as_it_is_written_whatever_it_shares() {
        let mut pool = TermPool::default();
        let mut meter = Meter::for_setup(&Limits::DEFAULT);
        let mut term = pool.intern(Symbol(100), &[]);
        for doubled in 1..13 {
            term = pool.intern_within(Symbol(101), &[term, term], &mut meter).unwrap();
            assert_eq!(pool.size(term), (2 << doubled) - 1);
        }
        assert_eq!(pool.len(), 13);
        let hit = pool.intern_within(Symbol(101), &[term, term], &mut meter);
        assert_eq!(hit, Err(LimitHit::TermSize(10_000)));
        assert_eq!(pool.len(), 13);
        // Without limits the size ends at the largest number.
        for _ in 0..40 {
            term = pool.intern(Symbol(101), &[term, term]);
        }
        assert_eq!(pool.size(term), u32::MAX);
    }

    #[test]
    fn a_pool_asks_for_its_memory() {
        let mut pool = TermPool::default();
        let most = 1 << 14;
        let mut meter = Meter::for_setup(&Limits {
            memory: most,
            ..Limits::DEFAULT
        });
        let refused = (100..).find(|&name| pool.intern_within(Symbol(name), &[], &mut meter).is_err());
        assert!(refused.is_some_and(|name| name > 200), "{refused:?}");
        let bytes = size_of::<Node>() * pool.nodes.capacity() + 4 * pool.args.capacity() + 5 * pool.lookup.capacity();
        assert!(bytes <= meter.bytes() && meter.bytes() <= most);
    }
}
