//! Running matches and tournaments.

mod agents;
pub(crate) mod live_match;
pub(crate) mod matches;
mod person;
pub(crate) mod tournaments;
