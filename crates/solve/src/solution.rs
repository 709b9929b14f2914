//! What is known about the states of a game that was solved, whatever the method.

use crate::Order;
use crate::explicit::ExplicitSolution;
use crate::symbolic::SymbolicSolution;
use ludens_engine::State;
use ludens_engine::knowledge::Known;

/// Values of states.
pub enum Solution {
    /// A table of states.
    Explicit(ExplicitSolution),
    /// Sets of states of the same value.
    Symbolic(SymbolicSolution),
}

impl Solution {
    /// The goals of all roles under best play from a state, if they are known. They are whole numbers unless roles
    /// choose at the same time.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        match self {
            Solution::Explicit(table) => table.values(state),
            Solution::Symbolic(sets) => sets.values(state),
        }
    }

    /// How many steps best play takes from a state to the end, if that is known; at most so many, if distances are not
    /// exact.
    pub fn distance(&self, state: &State) -> Option<u32> {
        match self {
            Solution::Explicit(table) => table.distance(state),
            Solution::Symbolic(sets) => sets.distance(state),
        }
    }

    /// Whether distances are exact.
    pub fn has_exact_distances(&self) -> bool {
        match self {
            Solution::Explicit(_) => true,
            Solution::Symbolic(sets) => sets.has_exact_distances(),
        }
    }

    /// What roles were taken to prefer.
    pub fn order(&self) -> Order {
        match self {
            Solution::Explicit(table) => table.order(),
            Solution::Symbolic(sets) => sets.order(),
        }
    }
}

impl Known for Solution {
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool {
        match self.values(state) {
            Some(values) if values.iter().all(|value| value.fract() == 0.0) => {
                for (goal, value) in goals.iter_mut().zip(values) {
                    *goal = value as u8;
                }
                true
            }
            _ => false,
        }
    }
}
