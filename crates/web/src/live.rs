//! Matches and tournaments under way.

mod agents;
pub(crate) mod matches;
mod person;
pub(crate) mod table;
pub(crate) mod tournaments;
