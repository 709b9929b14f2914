//! Counts the states of a set.
//!
//! Counting goes through a diagram bit by bit from the top and holds only the current frontier. So it works for
//! diagrams that take most of the memory, beside which a table with an entry for each node would not fit.

use super::operators::TICKS;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::{Budget, StopReason};
use num_bigint::BigUint;
use oxidd_core::util::Ref;
use oxidd_core::{HasLevel, InnerNode, Manager, Node, NodeID};
use oxidd_rules_bdd::complement_edge::{BCDDTerminal, EdgeTag};

/// Counts the states of a diagram over `bits` bits.
pub(super) fn count<M>(manager: &M, edge: Ref<'_, M::Edge>, bits: usize, budget: &Budget) -> Result<BigUint, StopReason>
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel>,
{
    let counter = Counter { manager, bits, budget };
    match counter.count::<u128>(edge) {
        Some(count) => Ok(BigUint::from(count)),
        None => counter.count(edge).ok_or(StopReason::Deadline),
    }
}

/// Numbers that states are counted with.
trait Number: Clone {
    fn power(exponent: usize) -> Option<Self>;
    fn zero() -> Self;
    fn plus(self, other: Self) -> Option<Self>;
    fn doubled(self, times: usize) -> Option<Self>;
}

impl Number for u128 {
    fn power(exponent: usize) -> Option<u128> {
        1u128.checked_shl(exponent as u32)
    }

    fn zero() -> u128 {
        0
    }

    fn plus(self, other: u128) -> Option<u128> {
        self.checked_add(other)
    }

    fn doubled(self, times: usize) -> Option<u128> {
        match self {
            0 => Some(0),
            _ if (self.leading_zeros() as usize) < times => None,
            _ => Some(self << times),
        }
    }
}

impl Number for BigUint {
    fn power(exponent: usize) -> Option<BigUint> {
        Some(BigUint::from(1u8) << exponent)
    }

    fn zero() -> BigUint {
        BigUint::ZERO
    }

    fn plus(self, other: BigUint) -> Option<BigUint> {
        Some(self + other)
    }

    fn doubled(self, times: usize) -> Option<BigUint> {
        Some(self << times)
    }
}

struct Counter<'a, M> {
    manager: &'a M,
    bits: usize,
    budget: &'a Budget,
}

/// Edges to the nodes of a bit, each with the number of assignments of the bits above that lead to it.
struct Reached<'a, M: Manager, N> {
    /// By number of the node and sign of the edge in one number.
    places: HashMap<NodeID, u32, FixedState>,
    edges: Vec<(Ref<'a, M::Edge>, N)>,
}

impl<'a, M, N> Reached<'a, M, N>
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel>,
    N: Number,
{
    fn add(&mut self, edge: Ref<'a, M::Edge>, ways: N) -> Option<()> {
        let is_negated = edge.tag() == EdgeTag::Complemented;
        let key = 2 * edge.with_tag(EdgeTag::None).node_id() + NodeID::from(is_negated);
        let place = *self.places.entry(key).or_insert(self.edges.len() as u32) as usize;
        match self.edges.get_mut(place) {
            Some((_, known)) => *known = known.clone().plus(ways)?,
            None => self.edges.push((edge, ways)),
        }
        Some(())
    }
}

impl<'a, M> Counter<'a, M>
where
    M: Manager<EdgeTag = EdgeTag, Terminal = BCDDTerminal, InnerNode: HasLevel>,
{
    /// Counts the states of a diagram; `None` if a number is too large for its type, or the budget is spent. A function
    /// and its negation are counted separately. As neither of them is empty, no number is greater than the result.
    fn count<N: Number>(&self, edge: Ref<'a, M::Edge>) -> Option<N> {
        let nothing = || Reached {
            places: HashMap::default(),
            edges: Vec::new(),
        };
        let mut open: Vec<Reached<'a, M, N>> = (0..self.bits).map(|_| nothing()).collect();
        let mut total = N::zero();
        self.reach(edge, 0, N::power(0)?, &mut open, &mut total)?;
        for bit in 0..self.bits {
            let edges = std::mem::replace(&mut open[bit], nothing()).edges;
            for (number, (edge, ways)) in edges.into_iter().enumerate() {
                if number.is_multiple_of(TICKS as usize) && self.budget.is_spent() {
                    return None;
                }
                let Node::Inner(node) = self.manager.get_node(edge) else {
                    continue;
                };
                let negated = edge.tag() == EdgeTag::Complemented;
                for child in [node.child(0), node.child(1)] {
                    let tag = match (child.tag(), negated) {
                        (EdgeTag::None, false) | (EdgeTag::Complemented, true) => EdgeTag::None,
                        _ => EdgeTag::Complemented,
                    };
                    self.reach(child.with_tag(tag), bit + 1, ways.clone(), &mut open, &mut total)?;
                }
            }
        }
        Some(total)
    }

    /// Follows an edge from above a bit.
    fn reach<N: Number>(
        &self,
        edge: Ref<'a, M::Edge>,
        from: usize,
        ways: N,
        open: &mut [Reached<'a, M, N>],
        total: &mut N,
    ) -> Option<()> {
        match self.manager.get_node(edge) {
            Node::Inner(node) => {
                let bit = node.level() as usize / 2;
                open[bit].add(edge, ways.doubled(bit - from)?)
            }
            Node::Terminal(_) if edge.tag() == EdgeTag::Complemented => Some(()),
            Node::Terminal(_) => {
                *total = total.clone().plus(ways.doubled(self.bits - from)?)?;
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::diagram::{Capacity, Diagrams};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn numbers_of_any_size_are_exact() -> Result<(), StopReason> {
        let bits = 200;
        let diagrams = Diagrams::new(bits, Capacity::SMALL, 1, &Budget::default());
        let mut single = diagrams.all();
        for bit in (0..bits).rev() {
            single = diagrams.and(&single, &diagrams.bit(bit)?)?;
        }
        let all = BigUint::from(1u8) << bits;
        assert_eq!(diagrams.count(&diagrams.all())?, all);
        assert_eq!(diagrams.count(&diagrams.none())?, BigUint::ZERO);
        assert_eq!(diagrams.count(&single)?, BigUint::from(1u8));
        assert_eq!(diagrams.count(&diagrams.not(&single))?, all - 1u8);
        Ok(())
    }

    #[test]
    fn counting_is_interrupted() -> Result<(), StopReason> {
        let cancel = Arc::new(AtomicBool::new(false));
        let budget = Budget::until_cancelled(cancel.clone());
        let diagrams = Diagrams::new(8, Capacity::SMALL, 1, &budget);
        let half = diagrams.bit(3)?;
        assert_eq!(diagrams.count(&half), Ok(BigUint::from(128u8)));
        cancel.store(true, Ordering::Relaxed);
        assert_eq!(diagrams.count(&half), Err(StopReason::Deadline));
        Ok(())
    }
}
