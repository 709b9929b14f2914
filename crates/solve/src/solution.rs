//! The values of the states of a solved game, for both methods.

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
    /// Returns the goals of all roles under best play from a state, if known. They are whole numbers unless moves are
    /// simultaneous.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        match self {
            Solution::Explicit(table) => table.values(state),
            Solution::Symbolic(sets) => sets.values(state),
        }
    }

    /// Returns the number of steps that best play takes from a state to the end, if known; an upper bound if distances
    /// are not exact.
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

    /// Preferences of the roles that the values are for.
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
