//! The explicit state graph: the states that play can reach, enumerated layer by layer by several threads.
//!
//! * [`Coding`] and [`PackedStates`] store states in a few machine words each;
//! * [`StateGraph`] has the states in layers, and [`Edges`] the steps between them;
//! * [`Enumeration`] grows a graph within the bounds of a budget: states, bytes, deadline, cancellation. An
//!   [`Observer`] decides what is noted about each state;
//! * [`Workers`] expand states in parallel, with the lanes of the engine;
//! * [`Monitor`] reports progress as a [`Status`];
//! * [`explore()`] looks for faults of the game in its graph.
//!
//! `solve` computes values on such graphs, `equilibrium` mixed strategies.

mod coding;
mod edges;
mod error;
mod expand;
mod explore;
mod graph;
mod packed;
mod progress;
mod workers;

pub use coding::Coding;
pub use edges::{Edges, Levels};
pub use error::{ReachError, refusal};
pub use expand::{Expansion, NodeKind, Observer, expand};
pub use explore::{Exploration, ExploreOptions, Violation, ViolationKind, explore};
pub use graph::{Enumeration, Limits, MOST_JOINT_MOVES, Pause, StateGraph};
pub use packed::PackedStates;
pub use progress::{Monitor, Phase, Status};
pub use workers::{Worker, Workers, in_pool, pool};
