//! Sets of states as binary decision diagrams.
//!
//! This module is the only interface to the decision diagram library, which is young and changes with every version.
//! [`Diagrams`] owns the nodes, [`Set`] is one diagram. Bits are numbered from the top; each has a second copy for the
//! successor right below it, see `operators`.

use super::counting;
use super::lists::{ListId, Lists};
use super::operators::{Watchdog, Work};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::{Budget, StopReason};
use num_bigint::BigUint;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::{BooleanFunction, Function, HasWorkers, Manager, ManagerRef};
use oxidd_core::util::Ref;
use oxidd_core::{HasLevel, InnerNode, Node, NodeID};
use oxidd_rules_bdd::complement_edge::{BCDDTerminal, EdgeTag};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// A set of states, or a relation between states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set(BCDDFunction);

/// Bytes of a node by itself.
const BARE_NODE_BYTES: usize = 16;
/// Bytes of a node with its slot in a table, which takes 11 to 21: tables double when three quarters are used. They do
/// not grow all at once, so this is a little less than the maximum.
const NODE_BYTES: usize = BARE_NODE_BYTES + 20;
/// Bytes of a cache entry.
const CACHE_ENTRY_BYTES: usize = 24;
/// Depth of the diagram down to which parts of an operation run on other threads.
const SPLIT_DEPTH: u32 = 24;
/// Number of nodes from which on several threads are used.
const SPLIT_NODES: u64 = 20_000;

/// An operation.
#[derive(Clone, Copy)]
enum Operation<'a> {
    And(&'a Set, &'a Set),
    Image(&'a Set, ListId),
    Avoiding(&'a Set, ListId, &'a Set),
}

/// Sizes of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Maximum number of nodes.
    pub nodes: usize,
    /// Number of cached results.
    pub cache: usize,
}

impl Capacity {
    /// Small tables for small games: large ones take time to set up and to clean up.
    pub const SMALL: Capacity = Capacity {
        nodes: 2_000_000,
        cache: 1 << 20,
    };

    /// The largest tables that fit into `bytes`.
    pub fn within(bytes: usize) -> Capacity {
        // With half as many entries as a set has nodes, operations on it take half as long again.
        let cache = (bytes / 5 / CACHE_ENTRY_BYTES).clamp(1 << 12, 1 << 28);
        let cache = 1usize << cache.ilog2();
        let nodes = bytes.saturating_sub(cache * CACHE_ENTRY_BYTES) / NODE_BYTES;
        Capacity {
            nodes: nodes.clamp(1 << 12, (1 << 31) - 2),
            cache,
        }
    }

    /// Sizes for a first attempt, before all memory is taken.
    pub fn first_try(self) -> Capacity {
        match Capacity::SMALL.bytes() < self.bytes() {
            true => Capacity::SMALL,
            false => self,
        }
    }

    /// Number of bytes.
    pub fn bytes(self) -> usize {
        self.nodes * NODE_BYTES + self.cache * CACHE_ENTRY_BYTES
    }

    /// Whether the system can give that much memory: the library allocates it at once, and the process ends if that
    /// fails.
    fn can_be_had(self) -> bool {
        let mut nodes: Vec<[u8; BARE_NODE_BYTES]> = Vec::new();
        let mut cache: Vec<[u8; CACHE_ENTRY_BYTES]> = Vec::new();
        let given = nodes.try_reserve_exact(self.nodes).is_ok() && cache.try_reserve_exact(self.cache).is_ok();
        // Otherwise the compiler may remove the allocation.
        std::hint::black_box((&mut nodes, &mut cache));
        given
    }
}

/// Returns the number of bytes that the system can give, at most `wanted`.
pub fn obtainable(bytes: usize) -> usize {
    let mut bytes = bytes;
    while bytes > Capacity::SMALL.bytes() && !Capacity::within(bytes).can_be_had() {
        bytes -= bytes / 8;
    }
    bytes
}

/// Owns all nodes.
pub struct Diagrams {
    manager: BCDDManagerRef,
    watchdog: Watchdog,
    threads: usize,
    bits: usize,
    capacity: Capacity,
    /// Number of nodes above which garbage is collected between operations.
    tidy_limit: AtomicU64,
    /// Results are cached by the numbers of lists, so there is one numbering for all.
    lists: RwLock<Lists>,
    truth: Set,
}

impl Diagrams {
    /// Creates tables for sets over `bits` bits.
    pub fn new(bits: usize, capacity: Capacity, threads: usize, budget: &Budget) -> Diagrams {
        let manager = oxidd::bcdd::new_manager(capacity.nodes, capacity.cache, threads as u32);
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(2 * bits as u32);
        });
        let truth = manager.with_manager_shared(|manager| Set(BCDDFunction::t(manager)));
        Diagrams {
            manager,
            watchdog: Watchdog {
                budget: budget.clone(),
                peak_nodes: AtomicU64::new(0),
            },
            threads,
            bits,
            capacity,
            tidy_limit: AtomicU64::new(capacity.nodes as u64 / 2),
            lists: RwLock::new(Lists::new()),
            truth,
        }
    }

    /// Number of bits of a state.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// All states.
    pub fn all(&self) -> Set {
        self.truth.clone()
    }

    /// No state.
    pub fn none(&self) -> Set {
        self.not(&self.truth)
    }

    /// Whether there are no states in a set.
    pub fn is_empty(&self, set: &Set) -> bool {
        !set.0.satisfiable()
    }

    /// The states that have a bit.
    pub fn bit(&self, bit: usize) -> Result<Set, StopReason> {
        self.variable(2 * bit)
    }

    /// The pairs of states of which the second has a bit.
    pub fn next_bit(&self, bit: usize) -> Result<Set, StopReason> {
        self.variable(2 * bit + 1)
    }

    fn variable(&self, level: usize) -> Result<Set, StopReason> {
        let set = self
            .manager
            .with_manager_shared(|manager| BCDDFunction::var(manager, level as u32));
        set.map(Set).map_err(|_| StopReason::Memory)
    }

    /// Complement.
    pub fn not(&self, set: &Set) -> Set {
        Set(set.0.with_manager_shared(|manager, edge| {
            let edge = manager.clone_edge(edge);
            let tag = match edge.tag() {
                EdgeTag::None => EdgeTag::Complemented,
                EdgeTag::Complemented => EdgeTag::None,
            };
            BCDDFunction::from_edge(manager, edge.with_tag(tag))
        }))
    }

    /// Intersection.
    pub fn and(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        self.run(Operation::And(one, other))
    }

    /// Union.
    pub fn or(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        Ok(self.not(&self.and(&self.not(one), &self.not(other))?))
    }

    /// Difference.
    pub fn minus(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        self.and(one, &self.not(other))
    }

    /// Where two sets agree.
    pub fn equal(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        let both = self.and(one, other)?;
        let neither = self.and(&self.not(one), &self.not(other))?;
        self.or(&both, &neither)
    }

    /// The union of many sets, small ones first.
    pub fn union(&self, sets: impl IntoIterator<Item = Set>) -> Result<Set, StopReason> {
        // A binary counter of partial unions keeps the operands of each union alike in size.
        let mut partial: Vec<(u32, Set)> = Vec::new();
        for set in sets {
            let mut carry = (0, set);
            while let Some((weight, _)) = partial.last()
                && *weight == carry.0
                && let Some((weight, top)) = partial.pop()
            {
                carry = (weight + 1, self.or(&top, &carry.1)?);
            }
            partial.push(carry);
        }
        let mut union = self.none();
        while let Some((_, set)) = partial.pop() {
            union = self.or(&union, &set)?;
        }
        Ok(union)
    }

    /// Returns the numbers of lists that together contain the given relations: a single one unless it is too
    /// complicated.
    pub fn list(&self, relations: &[Set]) -> Result<Vec<ListId>, StopReason> {
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        lists.add(self, relations)
    }

    /// Whether the budget is not spent.
    pub fn check_time(&self) -> Result<(), StopReason> {
        match self.watchdog.budget.is_spent() {
            true => Err(StopReason::Deadline),
            false => Ok(()),
        }
    }

    /// Returns the successors of states under the relations of a list.
    pub fn image(&self, states: &Set, list: ListId) -> Result<Set, StopReason> {
        self.run(Operation::Image(states, list))
    }

    /// Returns the states of a set that have no successor among given states under any relation of a list.
    pub fn avoiding(&self, next: &Set, list: ListId, within: &Set) -> Result<Set, StopReason> {
        self.run(Operation::Avoiding(next, list, within))
    }

    /// Runs an operation, and once more after a garbage collection if it ran out of nodes.
    fn run(&self, operation: Operation<'_>) -> Result<Set, StopReason> {
        let lists = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        let lists = lists.all();
        let once = || {
            self.manager.with_manager_shared(|manager| {
                let work = Work {
                    manager,
                    pool: self.manager.workers(),
                    watchdog: &self.watchdog,
                    lists,
                    has_failed: AtomicBool::new(false),
                };
                let depth = self.depth();
                let result = match operation {
                    Operation::And(one, other) => work.and(depth, one.0.as_edge(manager), other.0.as_edge(manager)),
                    Operation::Image(states, list) => work.image(depth, states.0.as_edge(manager), list),
                    Operation::Avoiding(next, list, within) => {
                        work.avoiding(depth, next.0.as_edge(manager), list, within.0.as_edge(manager))
                    }
                };
                Ok(Set(BCDDFunction::from_edge(manager, result?.into_edge())))
            })
        };
        match once() {
            Err(StopReason::Memory) => {
                self.watchdog
                    .peak_nodes
                    .fetch_max(self.capacity.nodes as u64, Ordering::Relaxed);
                self.collect_garbage();
                match self.held_nodes() < self.capacity.nodes as u64 / 4 * 3 {
                    true => once(),
                    false => Err(StopReason::Memory),
                }
            }
            done => done,
        }
    }

    /// Whether a diagram tests a level at its top, and its cofactors for one and zero.
    pub fn split(&self, set: &Set, level: usize) -> Option<[Set; 2]> {
        match self.top(set) == Some(level) {
            true => set.0.cofactors().map(|(one, zero)| [Set(one), Set(zero)]),
            false => None,
        }
    }

    /// Level of the top of a diagram; `None` if it is constant.
    pub fn top(&self, set: &Set) -> Option<usize> {
        set.0.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(node.level() as usize),
            Node::Terminal(_) => None,
        })
    }

    fn depth(&self) -> u32 {
        match self.threads > 1 && self.watchdog.peak_nodes.load(Ordering::Relaxed) > SPLIT_NODES {
            true => SPLIT_DEPTH,
            false => 0,
        }
    }

    /// Frees nodes that are no longer used.
    fn collect_garbage(&self) {
        // The library also collects garbage by itself, one collection at a time. Exclusive access waits for its end.
        self.manager.with_manager_exclusive(|manager| manager.gc());
    }

    /// Frees nodes if few are left and many were made since the last collection. To be called when few are in use. A
    /// collection also clears the cache of results, so it is put off as long as possible.
    pub fn tidy(&self) {
        let nodes = self.held_nodes();
        let limit = self.tidy_limit.load(Ordering::Relaxed);
        if nodes > limit {
            self.collect_garbage();
            let left = self.held_nodes();
            let limit = (3 * left).max(self.capacity.nodes as u64 / 2);
            self.tidy_limit.store(limit, Ordering::Relaxed);
        }
    }

    /// Number of nodes held, garbage included.
    pub fn held_nodes(&self) -> u64 {
        let nodes = self
            .manager
            .with_manager_shared(|manager| manager.num_inner_nodes() as u64);
        self.watchdog.peak_nodes.fetch_max(nodes, Ordering::Relaxed);
        nodes
    }

    /// Bytes of the nodes held and the cache.
    pub fn bytes(&self) -> u64 {
        self.held_nodes() * NODE_BYTES as u64 + (self.capacity.cache * CACHE_ENTRY_BYTES) as u64
    }

    /// Maximum number of bytes of nodes and cache so far.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_nodes() * NODE_BYTES as u64 + (self.capacity.cache * CACHE_ENTRY_BYTES) as u64
    }

    /// Maximum number of nodes held so far.
    pub fn peak_nodes(&self) -> u64 {
        self.held_nodes();
        let peak = self.watchdog.peak_nodes.load(Ordering::Relaxed);
        // While operations are under way the library counts roughly, and attempts without success too.
        peak.min(self.capacity.nodes as u64)
    }

    /// Number of nodes of a set.
    pub fn nodes(&self, set: &Set) -> u64 {
        set.0.node_count() as u64
    }

    /// Number of states in a set.
    pub fn count(&self, set: &Set) -> Result<BigUint, StopReason> {
        let budget = &self.watchdog.budget;
        set.0
            .with_manager_shared(|manager, edge| counting::count(manager, edge, self.bits, budget))
    }

    /// Counts the states of a set while something else runs, because counting uses only one thread.
    pub fn count_while<T>(&self, set: &Set, work: impl FnOnce() -> T) -> (Result<BigUint, StopReason>, T) {
        if self.depth() == 0 {
            return (self.count(set), work());
        }
        std::thread::scope(|scope| {
            let counting = std::thread::Builder::new().spawn_scoped(scope, || self.count(set));
            let done = work();
            let count = counting.ok().and_then(|thread| thread.join().ok());
            (count.unwrap_or_else(|| self.count(set)), done)
        })
    }

    /// Lists the nodes of some sets, for a copy that is independent of the library: `visit` gets the bit and the edges
    /// for one and zero, children first. Returns the edges of the sets.
    pub fn walk(&self, sets: &[&Set], visit: &mut dyn FnMut(usize, Link, Link)) -> Vec<Link> {
        self.manager.with_manager_shared(|manager| {
            let mut numbers: HashMap<NodeID, u32, FixedState> = HashMap::default();
            let mut links = Vec::new();
            for set in sets {
                links.push(walk(manager, set.0.as_edge(manager), &mut numbers, visit));
            }
            links
        })
    }
}

/// An edge of a listed diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Number of the node in the list; `None` for the constant true.
    pub node: Option<u32>,
    /// Whether the edge negates.
    pub negated: bool,
}

fn walk<M>(
    manager: &M,
    edge: Ref<'_, M::Edge>,
    numbers: &mut HashMap<NodeID, u32, FixedState>,
    visit: &mut dyn FnMut(usize, Link, Link),
) -> Link
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel>,
{
    let negated = edge.tag() == EdgeTag::Complemented;
    let Node::Inner(node) = manager.get_node(edge) else {
        return Link { node: None, negated };
    };
    let id = edge.with_tag(EdgeTag::None).node_id();
    if let Some(&number) = numbers.get(&id) {
        return Link {
            node: Some(number),
            negated,
        };
    }
    let one = walk(manager, node.child(0), numbers, visit);
    let zero = walk(manager, node.child(1), numbers, visit);
    let number = numbers.len() as u32;
    numbers.insert(id, number);
    visit(node.level() as usize / 2, one, zero);
    Link {
        node: Some(number),
        negated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_there_is_is_not_asked_for() {
        assert_eq!(obtainable(4 << 20), 4 << 20);
        let given = obtainable(usize::MAX);
        assert!(given >= Capacity::SMALL.bytes());
        assert!(Capacity::within(given).can_be_had());
    }

    #[test]
    fn operations_wait_for_room() -> Result<(), StopReason> {
        // Much more garbage is made than there is room for.
        let capacity = Capacity {
            nodes: 4_096,
            cache: 1 << 12,
        };
        let diagrams = Diagrams::new(32, capacity, 1, &Budget::default());
        for start in 0..400usize {
            let mut set = diagrams.none();
            for bit in 0..16 {
                let both = diagrams.and(
                    &diagrams.bit((start + 5 * bit) % 32)?,
                    &diagrams.bit((start * 7 + 11 * bit) % 32)?,
                )?;
                set = diagrams.or(&set, &both)?;
            }
            assert!(!diagrams.is_empty(&set), "{start}");
        }
        assert!(diagrams.peak_nodes() > 3_000);
        Ok(())
    }
}
