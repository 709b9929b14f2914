//! Sets of states as binary decision diagrams.
//!
//! Everything that the solver needs of the decision diagram library is behind this module: the library is young and
//! changes with every version. [`Diagrams`] owns the nodes, [`Set`] is one diagram. Bits are numbered from the top; each
//! has a second copy for the successor right below it, see `operators`.

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

/// How many bytes a node takes by itself.
const BARE_NODE_BYTES: usize = 16;
/// How many bytes a node takes with its place in a table, which is 11 to 21: tables are made twice as large when three
/// quarters of them are taken. They do not grow all at once, so this is a little less than the most.
const NODE_BYTES: usize = BARE_NODE_BYTES + 20;
/// How many bytes an entry of the cache takes.
const CACHE_ENTRY_BYTES: usize = 24;
/// Parts of an operation are given to other threads down to this depth of the diagram.
const SPLIT_DEPTH: u32 = 24;
/// Diagrams with fewer nodes are worked on by one thread.
const SPLIT_NODES: u64 = 20_000;

/// What is to be done.
#[derive(Clone, Copy)]
enum Operation<'a> {
    And(&'a Set, &'a Set),
    Image(&'a Set, ListId),
    Avoiding(&'a Set, ListId, &'a Set),
}

/// How large the tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Nodes that can be held.
    pub nodes: usize,
    /// Results of operations that are remembered.
    pub cache: usize,
}

impl Capacity {
    /// Little, for games that need no more: large tables take time to set up and to tidy.
    pub const SMALL: Capacity = Capacity {
        nodes: 2_000_000,
        cache: 1 << 20,
    };

    /// What fits into so many bytes.
    pub fn within(bytes: usize) -> Capacity {
        // Half as many entries as a set has nodes make operations on it half as slow again.
        let cache = (bytes / 5 / CACHE_ENTRY_BYTES).clamp(1 << 12, 1 << 28);
        let cache = 1usize << cache.ilog2();
        let nodes = bytes.saturating_sub(cache * CACHE_ENTRY_BYTES) / NODE_BYTES;
        Capacity {
            nodes: nodes.clamp(1 << 12, (1 << 31) - 2),
            cache,
        }
    }

    /// What to try before that much is taken.
    pub fn first_try(self) -> Capacity {
        match Capacity::SMALL.bytes() < self.bytes() {
            true => Capacity::SMALL,
            false => self,
        }
    }

    /// How many bytes that are.
    pub fn bytes(self) -> usize {
        self.nodes * NODE_BYTES + self.cache * CACHE_ENTRY_BYTES
    }

    /// Whether the system would give that much: the library asks for it at once, and the program ends if it is refused.
    fn can_be_had(self) -> bool {
        let mut nodes: Vec<[u8; BARE_NODE_BYTES]> = Vec::new();
        let mut cache: Vec<[u8; CACHE_ENTRY_BYTES]> = Vec::new();
        let given = nodes.try_reserve_exact(self.nodes).is_ok() && cache.try_reserve_exact(self.cache).is_ok();
        // Else the compiler may leave out what nobody looks at, and take it for given.
        std::hint::black_box((&mut nodes, &mut cache));
        given
    }
}

/// How many bytes can be had, at most so many.
pub fn obtainable(bytes: usize) -> usize {
    let mut bytes = bytes;
    while bytes > Capacity::SMALL.bytes() && !Capacity::within(bytes).can_be_had() {
        bytes -= bytes / 8;
    }
    bytes
}

/// The owner of all nodes.
pub struct Diagrams {
    manager: BCDDManagerRef,
    watchdog: Watchdog,
    threads: usize,
    bits: usize,
    capacity: Capacity,
    /// Garbage is collected between operations when more nodes than this are held.
    tidy_limit: AtomicU64,
    /// Results are remembered by the numbers of lists, so there is one numbering for all.
    lists: RwLock<Lists>,
    truth: Set,
}

impl Diagrams {
    /// Room for sets over so many bits.
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

    /// How many bits a state has.
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

    /// What is not in a set.
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

    /// What is in both sets.
    pub fn and(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        self.run(Operation::And(one, other))
    }

    /// What is in one of two sets.
    pub fn or(&self, one: &Set, other: &Set) -> Result<Set, StopReason> {
        Ok(self.not(&self.and(&self.not(one), &self.not(other))?))
    }

    /// What is in a set but not in the other.
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

    /// Numbers lists that make up given relations together: a single one if it is not too complicated.
    pub fn list(&self, relations: &[Set]) -> Result<Vec<ListId>, StopReason> {
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        lists.add(self, relations)
    }

    /// Whether there is time to go on.
    pub fn check_time(&self) -> Result<(), StopReason> {
        match self.watchdog.budget.is_spent() {
            true => Err(StopReason::Deadline),
            false => Ok(()),
        }
    }

    /// The successors of states under the relations of a list.
    pub fn image(&self, states: &Set, list: ListId) -> Result<Set, StopReason> {
        self.run(Operation::Image(states, list))
    }

    /// The states within a set that have no successor among given states under any relation of a list.
    pub fn avoiding(&self, next: &Set, list: ListId, within: &Set) -> Result<Set, StopReason> {
        self.run(Operation::Avoiding(next, list, within))
    }

    /// Runs an operation, and once more behind a garbage collection if there was no room and there is some then.
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

    /// Whether a diagram tests a level at its top, and what follows if the bit there is one and if it is zero.
    pub fn split(&self, set: &Set, level: usize) -> Option<[Set; 2]> {
        match self.top(set) == Some(level) {
            true => set.0.cofactors().map(|(one, zero)| [Set(one), Set(zero)]),
            false => None,
        }
    }

    /// The level of the top of a diagram; nothing if it is constant.
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

    /// Gives nodes back that nobody needs.
    fn collect_garbage(&self) {
        // The library also collects garbage by itself and does not begin twice: with the manager for itself, this waits for
        // the end of that.
        self.manager.with_manager_exclusive(|manager| manager.gc());
    }

    /// Gives nodes back if little room is left and many have come since that was done last. To be called when little is in
    /// use. What operations remember is lost with the garbage, so it stays as long as it can.
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

    /// How many nodes are held, needed or not.
    pub fn held_nodes(&self) -> u64 {
        let nodes = self
            .manager
            .with_manager_shared(|manager| manager.num_inner_nodes() as u64);
        self.watchdog.peak_nodes.fetch_max(nodes, Ordering::Relaxed);
        nodes
    }

    /// How many bytes the nodes that are held and the cache take.
    pub fn bytes(&self) -> u64 {
        self.held_nodes() * NODE_BYTES as u64 + (self.capacity.cache * CACHE_ENTRY_BYTES) as u64
    }

    /// The greatest number of bytes that nodes and the cache took so far.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_nodes() * NODE_BYTES as u64 + (self.capacity.cache * CACHE_ENTRY_BYTES) as u64
    }

    /// The greatest number of nodes held so far.
    pub fn peak_nodes(&self) -> u64 {
        self.held_nodes();
        let peak = self.watchdog.peak_nodes.load(Ordering::Relaxed);
        // While operations are under way the library counts roughly, and attempts without success too.
        peak.min(self.capacity.nodes as u64)
    }

    /// How many nodes a set consists of.
    pub fn nodes(&self, set: &Set) -> u64 {
        set.0.node_count() as u64
    }

    /// How many states are in a set.
    pub fn count(&self, set: &Set) -> Result<BigUint, StopReason> {
        let budget = &self.watchdog.budget;
        set.0
            .with_manager_shared(|manager, edge| counting::count(manager, edge, self.bits, budget))
    }

    /// Counts the states of a set while something else is done, as counting keeps no more than one thread busy.
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

    /// Lists the nodes of some sets, for a copy without a manager: `visit` gets the bit and what follows
    /// where it is one and where it is zero, children first. Gives the edges of the sets.
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
    /// The number of the node in the list; nothing for the constant true.
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
        // Much more garbage comes up than there is room for.
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
