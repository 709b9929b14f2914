//! What is known for certain about states, however it was found out.
//!
//! Solvers find it out, searchers use it; neither knows the other, because both know this trait.

use crate::state::State;

/// Values of states under best play.
pub trait Known: Send + Sync {
    /// Writes the goals of all roles, in their order, if every role plays its best from this state on; says whether they
    /// are known. Goals that are not known are left as they were.
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool;
}
