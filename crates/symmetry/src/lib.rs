//! Symmetries of games, and whether two games are the same.
//!
//! A symmetry is a bijection of roles, fluents and moves that keeps every function of the rules: what is legal, what holds
//! next, when the match ends, what it is worth and what is perceived. [`symmetries`] finds those of a game with a proof,
//! [`same`] a mapping of one game onto another. Both work alike:
//!
//! 1. `model` brings the ground program into a form that does not show how rules are written;
//! 2. `graph` makes a coloured graph of it, with every conjunction as a vertex, or with exact counts (`weights`);
//! 3. `refine` and `search` find bijections of the graph, as generators of a [`Group`];
//! 4. `verify` tries them on random assignments and proves them (`prove`), where the graph alone is no proof.
//!
//! [`Keys`] are hashes of states that symmetric states share.

mod find;
mod graph;
mod group;
mod keys;
mod lanes;
mod mapping;
mod model;
mod prove;
mod refine;
mod same;
mod search;
mod symmetries;
mod verify;
mod weights;

pub use find::{Candidates, Detail, Kind, candidates, fingerprint, symmetries};
pub use group::{Group, Permutation, compose, inverse};
pub use keys::{Hashes, Keys, MOST_SYMMETRIES};
pub use mapping::Mapping;
pub use same::{Equivalence, same};
pub use symmetries::{Completeness, Symmetries};
