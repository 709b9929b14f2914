//! Operations on decision diagrams that the library does not have, written on its nodes and its cache.
//!
//! Levels come in pairs: level `2n` is bit `n` of a state, level `2n + 1` the same bit of its successor. Sets of states
//! use even levels only. A *relation* uses both, and says by what it tests which bits it changes: a path on which it
//! does not test level `2n + 1` leaves bit `n` as it is. So relations need no frame conditions, and an operation that
//! has passed the last bit a move bears on is done with it.
//!
//! [`Work::image`] and [`Work::pre_image`] do conjunction, quantification and renaming in one recursion. The latter takes a
//! set to stay within, so that it never builds predecessors that nobody asked for.
//!
//! Every operation can run out of nodes, and looks at the clock now and then.

use super::diagram::Halt;
use ludens_engine::Budget;
use oxidd_core::util::{EdgeDropGuard, Own, Ref};
use oxidd_core::{ApplyCache, HasApplyCache, HasLevel, InnerNode, LevelNo, LevelView, Manager, Node, WorkerPool};
use oxidd_rules_bdd::complement_edge::{BCDDOp, BCDDTerminal, EdgeTag};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Keys of our operations in the library's cache: its own operations of these names are never used here.
const IMAGE: BCDDOp = BCDDOp::UniqueAnd;
const PRE_IMAGE: BCDDOp = BCDDOp::UniqueXor;

/// Operations between two looks at the clock.
const TICKS: u32 = 1 << 15;

/// What an operation is asked to watch.
pub(super) struct Watchdog {
    pub budget: Budget,
    pub ticks: AtomicU32,
    pub peak_nodes: AtomicU64,
}

/// A diagram with its owner.
pub(super) type Held<'a, M> = EdgeDropGuard<'a, M>;
type At<'a, M> = Ref<'a, <M as Manager>::Edge>;
type Outcome<'a, M> = Result<Held<'a, M>, Halt>;

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

/// Where operations are done.
pub(super) struct Work<'a, M: Diagrams, P: WorkerPool> {
    pub manager: &'a M,
    pub pool: &'a P,
    pub watchdog: &'a Watchdog,
}

/// A diagram split by its top bit: where the bit is one, and where it is zero.
type Halves<'a, M> = [At<'a, M>; 2];

impl<'a, M: Diagrams, P: WorkerPool> Work<'a, M, P> {
    fn constant(&self, value: bool) -> Outcome<'a, M> {
        let truth = self.manager.get_terminal(BCDDTerminal).map_err(|_| Halt::Memory)?;
        let tag = match value {
            true => EdgeTag::None,
            false => EdgeTag::Complemented,
        };
        Ok(EdgeDropGuard::new(self.manager, truth.with_tag(tag)))
    }

    fn copy(&self, f: At<'_, M>) -> Outcome<'a, M> {
        Ok(EdgeDropGuard::new(self.manager, self.manager.clone_edge(f)))
    }

    /// The level of the top node; the greatest number if it is a constant.
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

    fn is_true(&self, f: At<'_, M>) -> bool {
        f.tag() == EdgeTag::None && self.is_constant(f)
    }

    /// What becomes of a diagram if the bit at a level is one, and if it is zero.
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
        Ok(EdgeDropGuard::new(
            self.manager,
            edge.map_err(|_| Halt::Memory)?.with_tag(tag),
        ))
    }

    fn tick(&self) -> Result<(), Halt> {
        let watchdog = self.watchdog;
        // Counted carelessly: threads may overwrite each other's counts, which does no harm.
        let ticks = watchdog.ticks.load(Ordering::Relaxed).wrapping_add(1);
        watchdog.ticks.store(ticks, Ordering::Relaxed);
        if ticks % TICKS == 0 {
            let nodes = self.manager.approx_num_inner_nodes() as u64;
            watchdog.peak_nodes.fetch_max(nodes, Ordering::Relaxed);
            if watchdog.budget.is_spent() {
                return Err(Halt::Time);
            }
        }
        Ok(())
    }

    /// Does two parts of an operation, side by side as long as `depth` allows it.
    fn both<A: Send, B: Send>(
        &self,
        depth: u32,
        one: impl FnOnce(u32) -> Result<A, Halt> + Send,
        two: impl FnOnce(u32) -> Result<B, Halt> + Send,
    ) -> Result<(A, B), Halt> {
        let (one, two) = match depth {
            0 => (one(0)?, two(0)?),
            _ => {
                let (one, two) = self.pool.join(|| one(depth - 1), || two(depth - 1));
                (one?, two?)
            }
        };
        Ok((one, two))
    }

    /// The conjunction of two diagrams.
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

    /// The disjunction of two diagrams.
    pub fn or(&self, depth: u32, f: At<'_, M>, g: At<'_, M>) -> Outcome<'a, M> {
        let neither = self.and(depth, f.with_tag(invert(f.tag())), g.with_tag(invert(g.tag())))?;
        Ok(self.negated(neither))
    }

    fn negated(&self, f: Held<'a, M>) -> Held<'a, M> {
        let edge: Own<M::Edge> = f.into_edge();
        let tag = invert(edge.tag());
        EdgeDropGuard::new(self.manager, edge.with_tag(tag))
    }

    /// The successors of states under a relation.
    pub fn image(&self, depth: u32, states: At<'_, M>, relation: At<'_, M>) -> Outcome<'a, M> {
        if self.is_false(states) || self.is_false(relation) {
            return self.constant(false);
        }
        if self.is_constant(relation) {
            return self.copy(states);
        }
        let cache = self.manager.apply_cache();
        if let Some(known) = cache.get(self.manager, IMAGE, &[states, relation]) {
            return Ok(EdgeDropGuard::new(self.manager, known));
        }
        self.tick()?;
        let now = self.level(states).min(self.level(relation)) & !1;
        let ([s1, s0], [r1, r0]) = (self.halves(states, now), self.halves(relation, now));
        let result = match self.level(r1) == now + 1 || self.level(r0) == now + 1 {
            false => {
                let (one, zero) = self.both(
                    depth,
                    |depth| self.image(depth, s1, r1),
                    |depth| self.image(depth, s0, r0),
                )?;
                self.node(now, one, zero)?
            }
            true => {
                let ([r11, r10], [r01, r00]) = (self.halves(r1, now + 1), self.halves(r0, now + 1));
                let (one, zero) = self.both(
                    depth,
                    |depth| self.either_image(depth, [s1, s0], [r11, r01]),
                    |depth| self.either_image(depth, [s1, s0], [r10, r00]),
                )?;
                self.node(now, one, zero)?
            }
        };
        cache.add(self.manager, IMAGE, &[states, relation], result.borrowed());
        Ok(result)
    }

    fn either_image(&self, depth: u32, states: Halves<'_, M>, relation: Halves<'_, M>) -> Outcome<'a, M> {
        let (one, zero) = self.both(
            depth,
            |depth| self.image(depth, states[0], relation[0]),
            |depth| self.image(depth, states[1], relation[1]),
        )?;
        self.or(depth, one.borrowed(), zero.borrowed())
    }

    /// The states within a set that have a successor under a relation among given states.
    pub fn pre_image(&self, depth: u32, next: At<'_, M>, relation: At<'_, M>, within: At<'_, M>) -> Outcome<'a, M> {
        if self.is_false(next) || self.is_false(relation) || self.is_false(within) {
            return self.constant(false);
        }
        if self.is_constant(relation) {
            return self.and(depth, next, within);
        }
        let cache = self.manager.apply_cache();
        if let Some(known) = cache.get(self.manager, PRE_IMAGE, &[next, relation, within]) {
            return Ok(EdgeDropGuard::new(self.manager, known));
        }
        self.tick()?;
        let now = self.level(next).min(self.level(relation)).min(self.level(within)) & !1;
        let ([n1, n0], [w1, w0]) = (self.halves(next, now), self.halves(within, now));
        let [r1, r0] = self.halves(relation, now);
        let result = match self.level(r1) == now + 1 || self.level(r0) == now + 1 {
            false => {
                let (one, zero) = self.both(
                    depth,
                    |depth| self.pre_image(depth, n1, r1, w1),
                    |depth| self.pre_image(depth, n0, r0, w0),
                )?;
                self.node(now, one, zero)?
            }
            true => {
                let (r1, r0) = (self.halves(r1, now + 1), self.halves(r0, now + 1));
                let (one, zero) = self.both(
                    depth,
                    |depth| self.either_pre_image(depth, [n1, n0], r1, w1),
                    |depth| self.either_pre_image(depth, [n1, n0], r0, w0),
                )?;
                self.node(now, one, zero)?
            }
        };
        cache.add(self.manager, PRE_IMAGE, &[next, relation, within], result.borrowed());
        Ok(result)
    }

    fn either_pre_image(
        &self,
        depth: u32,
        next: Halves<'_, M>,
        relation: Halves<'_, M>,
        within: At<'_, M>,
    ) -> Outcome<'a, M> {
        let one = self.pre_image(depth, next[0], relation[0], within)?;
        if one.borrowed() == within {
            return Ok(one);
        }
        let zero = self.pre_image(depth, next[1], relation[1], within)?;
        self.or(depth, one.borrowed(), zero.borrowed())
    }
}

fn invert(tag: EdgeTag) -> EdgeTag {
    match tag {
        EdgeTag::None => EdgeTag::Complemented,
        EdgeTag::Complemented => EdgeTag::None,
    }
}
