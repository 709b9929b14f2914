//! Operations on decision diagrams that the library does not have, written on its nodes and its cache.
//!
//! Levels come in pairs: level `2n` is bit `n` of a state, level `2n + 1` the same bit of its successor. Sets of states
//! use even levels only, so every operation here is on them; relations come as `lists`.
//!
//! `Work::image` does conjunction, quantification and renaming in one recursion, for all relations of a list together.
//! `Work::avoiding` is for the backward pass: it keeps the states of a set that do not lead into another set, and never
//! builds predecessors outside the set.
//!
//! Every operation can run out of nodes, and checks the budget now and then.

use super::lists::{List, ListId};
use ludens_budget::{Budget, StopReason};
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache, HasLevel, InnerNode, LevelNo, LevelView, Manager, Node, WorkerPool};
use oxidd_rules_bdd::complement_edge::{BCDDOp, BCDDTerminal, EdgeTag};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Keys of our operations in the library's cache: its own operations of these names are never used here.
const IMAGE: BCDDOp = BCDDOp::UniqueAnd;
const AVOIDING: BCDDOp = BCDDOp::UniqueXor;

/// Number of operations between two looks at the clock.
pub(super) const TICKS: u32 = 1 << 15;

thread_local! {
    /// Number of operations of this thread. A shared counter would bounce between the caches of the processors.
    static OPERATIONS: Cell<u32> = const { Cell::new(0) };
}

/// Why an operation may have to stop.
pub(super) struct Watchdog {
    pub budget: Budget,
    pub peak_nodes: AtomicU64,
}

/// A diagram with its owner.
pub(super) type Held<'a, M> = EdgeDropGuard<'a, M>;
type At<'a, M> = Ref<'a, <M as Manager>::Edge>;
type Outcome<'a, M> = Result<Held<'a, M>, StopReason>;

/// Managers of the kind of diagrams that is used here.
pub(super) trait Diagrams:
    Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel, Edge: Send + Sync>
    + HasApplyCache<Self, BCDDOp>
    + Sync
{
}

impl<M> Diagrams for M where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel, Edge: Send + Sync>
        + HasApplyCache<M, BCDDOp>
        + Sync
{
}

/// The context of operations.
pub(super) struct Work<'a, M: Diagrams, P: WorkerPool> {
    pub manager: &'a M,
    pub pool: &'a P,
    pub watchdog: &'a Watchdog,
    pub lists: &'a [List],
    /// Whether some part of the operation failed, so that all threads can stop.
    pub has_failed: AtomicBool,
}

/// A diagram split by its top bit: where the bit is one, and where it is zero.
type Halves<'a, M> = [At<'a, M>; 2];

impl<'a, M: Diagrams, P: WorkerPool> Work<'a, M, P> {
    fn constant(&self, value: bool) -> Outcome<'a, M> {
        let truth = self
            .manager
            .get_terminal(BCDDTerminal)
            .map_err(|_| StopReason::Memory)?;
        let tag = match value {
            true => EdgeTag::None,
            false => EdgeTag::Complemented,
        };
        Ok(EdgeDropGuard::new(self.manager, truth.with_tag(tag)))
    }

    fn copy(&self, f: At<'_, M>) -> Outcome<'a, M> {
        Ok(EdgeDropGuard::new(self.manager, self.manager.clone_edge(f)))
    }

    /// Level of the top node; the greatest number for a constant.
    fn level(&self, f: At<'_, M>) -> LevelNo {
        match self.manager.get_node(f) {
            Node::Inner(node) => node.level(),
            Node::Terminal(_) => LevelNo::MAX,
        }
    }

    fn is_constant(&self, f: At<'_, M>) -> bool {
        self.manager.get_node(f).is_any_terminal()
    }

    fn is_false(&self, f: At<'_, M>) -> bool {
        f.tag() == EdgeTag::Complemented && self.is_constant(f)
    }

    /// Returns the cofactors of a diagram for the bit at a level: one, then zero.
    fn halves<'r>(&'r self, f: At<'r, M>, level: LevelNo) -> Halves<'r, M> {
        let tag = f.tag();
        match self.manager.get_node(f) {
            Node::Inner(node) if node.level() == level => [0, 1].map(|child| {
                let child = node.child(child);
                match tag {
                    EdgeTag::None => child,
                    EdgeTag::Complemented => child.with_tag(invert(child.tag())),
                }
            }),
            _ => [f, f],
        }
    }

    fn node(&self, level: LevelNo, one: Held<'a, M>, zero: Held<'a, M>) -> Outcome<'a, M> {
        let (one, zero) = (one.into_edge(), zero.into_edge());
        if one == zero {
            self.manager.drop_edge(zero);
            return Ok(EdgeDropGuard::new(self.manager, one));
        }
        // Only the edge to the zero side may be complemented, so that every function has one form.
        let tag = one.tag();
        let zero_tag = match tag {
            EdgeTag::None => zero.tag(),
            EdgeTag::Complemented => invert(zero.tag()),
        };
        let node = M::InnerNode::new(level, [one.with_tag(EdgeTag::None), zero.with_tag(zero_tag)]);
        let edge = self.manager.level(level).get_or_insert(node);
        let edge = edge.map_err(|_| self.fail(StopReason::Memory))?;
        Ok(EdgeDropGuard::new(self.manager, edge.with_tag(tag)))
    }

    fn fail(&self, stop: StopReason) -> StopReason {
        self.has_failed.store(true, Ordering::Relaxed);
        stop
    }

    fn tick(&self) -> Result<(), StopReason> {
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(match self.watchdog.budget.is_spent() {
                true => StopReason::Deadline,
                false => StopReason::Memory,
            });
        }
        let operations = OPERATIONS.get().wrapping_add(1);
        OPERATIONS.set(operations);
        if operations.is_multiple_of(TICKS) {
            let watchdog = self.watchdog;
            let nodes = self.manager.approx_num_inner_nodes() as u64;
            watchdog.peak_nodes.fetch_max(nodes, Ordering::Relaxed);
            if watchdog.budget.is_spent() {
                return Err(self.fail(StopReason::Deadline));
            }
        }
        Ok(())
    }

    /// Runs two parts of an operation, in parallel as long as `depth` allows it.
    fn both<A: Send, B: Send>(
        &self,
        depth: u32,
        one: impl FnOnce(u32) -> Result<A, StopReason> + Send,
        two: impl FnOnce(u32) -> Result<B, StopReason> + Send,
    ) -> Result<(A, B), StopReason> {
        let (one, two) = match depth {
            0 => (one(0)?, two(0)?),
            _ => {
                let (one, two) = self.pool.join(|| one(depth - 1), || two(depth - 1));
                (one?, two?)
            }
        };
        Ok((one, two))
    }

    /// Returns the conjunction of two diagrams.
    pub fn and(&self, depth: u32, f: At<'_, M>, g: At<'_, M>) -> Outcome<'a, M> {
        if f.with_tag(EdgeTag::None) == g.with_tag(EdgeTag::None) {
            return match f.tag() == g.tag() {
                true => self.copy(f),
                false => self.constant(false),
            };
        }
        for (one, other) in [(f, g), (g, f)] {
            if self.is_constant(one) {
                return match one.tag() {
                    EdgeTag::None => self.copy(other),
                    EdgeTag::Complemented => self.constant(false),
                };
            }
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.manager.apply_cache().get(self.manager, BCDDOp::And, &[f, g]) {
            return Ok(EdgeDropGuard::new(self.manager, known));
        }
        self.tick()?;
        let level = self.level(f).min(self.level(g));
        let ([f1, f0], [g1, g0]) = (self.halves(f, level), self.halves(g, level));
        let (one, zero) = self.both(depth, |depth| self.and(depth, f1, g1), |depth| self.and(depth, f0, g0))?;
        let result = self.node(level, one, zero)?;
        self.manager
            .apply_cache()
            .add(self.manager, BCDDOp::And, &[f, g], result.borrowed());
        Ok(result)
    }

    /// Returns the disjunction of two diagrams.
    pub fn or(&self, depth: u32, f: At<'_, M>, g: At<'_, M>) -> Outcome<'a, M> {
        let neither = self.and(depth, f.with_tag(invert(f.tag())), g.with_tag(invert(g.tag())))?;
        Ok(self.negated(neither))
    }

    fn negated(&self, f: Held<'a, M>) -> Held<'a, M> {
        let edge: Own<M::Edge> = f.into_edge();
        let tag = invert(edge.tag());
        EdgeDropGuard::new(self.manager, edge.with_tag(tag))
    }

    /// Returns the successors of states under the relations of a list.
    pub fn image(&self, depth: u32, states: At<'_, M>, list: ListId) -> Outcome<'a, M> {
        if list == ListId::EMPTY || self.is_false(states) {
            return self.constant(false);
        }
        let List { pair, branches, rest } = self.lists[list.0 as usize];
        if let Some(rest) = rest {
            let others = self.image(depth, states, rest)?;
            return self.or(depth, states, others.borrowed());
        }
        let cache = self.manager.apply_cache();
        let key: (&[At<'_, M>], &[u32]) = (&[states], &[list.0]);
        if let Some(([known], [])) = cache.get_extended(self.manager, IMAGE, key) {
            return Ok(EdgeDropGuard::new(self.manager, known));
        }
        self.tick()?;
        let now = self.level(states).min(2 * pair);
        let [s1, s0] = self.halves(states, now);
        let (one, zero) = match now < 2 * pair {
            true => self.both(
                depth,
                |depth| self.image(depth, s1, list),
                |depth| self.image(depth, s0, list),
            )?,
            false => self.both(
                depth,
                |depth| self.either_image(depth, [s1, s0], [branches[1][1], branches[0][1]]),
                |depth| self.either_image(depth, [s1, s0], [branches[1][0], branches[0][0]]),
            )?,
        };
        let result = self.node(now, one, zero)?;
        cache.add_extended(self.manager, IMAGE, key, (&[result.borrowed()], &[]));
        Ok(result)
    }

    fn either_image(&self, depth: u32, states: Halves<'_, M>, lists: [ListId; 2]) -> Outcome<'a, M> {
        let (one, zero) = self.both(
            depth,
            |depth| self.image(depth, states[0], lists[0]),
            |depth| self.image(depth, states[1], lists[1]),
        )?;
        self.or(depth, one.borrowed(), zero.borrowed())
    }

    /// Returns the states of a set that have no successor among given states under any relation of a list.
    pub fn avoiding(&self, depth: u32, next: At<'_, M>, list: ListId, within: At<'_, M>) -> Outcome<'a, M> {
        if list == ListId::EMPTY || self.is_false(next) || self.is_false(within) {
            return self.copy(within);
        }
        let List { pair, branches, rest } = self.lists[list.0 as usize];
        if let Some(rest) = rest {
            let outside = self.and(depth, next.with_tag(invert(next.tag())), within)?;
            return self.avoiding(depth, next, rest, outside.borrowed());
        }
        let cache = self.manager.apply_cache();
        let key: (&[At<'_, M>], &[u32]) = (&[next, within], &[list.0]);
        if let Some(([known], [])) = cache.get_extended(self.manager, AVOIDING, key) {
            return Ok(EdgeDropGuard::new(self.manager, known));
        }
        self.tick()?;
        let now = self.level(next).min(self.level(within)).min(2 * pair);
        let ([n1, n0], [w1, w0]) = (self.halves(next, now), self.halves(within, now));
        let (one, zero) = match now < 2 * pair {
            true => self.both(
                depth,
                |depth| self.avoiding(depth, n1, list, w1),
                |depth| self.avoiding(depth, n0, list, w0),
            )?,
            false => self.both(
                depth,
                |depth| self.avoiding_both(depth, [n1, n0], [branches[1][1], branches[1][0]], w1),
                |depth| self.avoiding_both(depth, [n1, n0], [branches[0][1], branches[0][0]], w0),
            )?,
        };
        let result = self.node(now, one, zero)?;
        cache.add_extended(self.manager, AVOIDING, key, (&[result.borrowed()], &[]));
        Ok(result)
    }

    fn avoiding_both(&self, depth: u32, next: Halves<'_, M>, lists: [ListId; 2], within: At<'_, M>) -> Outcome<'a, M> {
        let rest = self.avoiding(depth, next[0], lists[0], within)?;
        self.avoiding(depth, next[1], lists[1], rest.borrowed())
    }
}

fn invert(tag: EdgeTag) -> EdgeTag {
    match tag {
        EdgeTag::None => EdgeTag::Complemented,
        EdgeTag::Complemented => EdgeTag::None,
    }
}
