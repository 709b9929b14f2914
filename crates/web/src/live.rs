//! Matches and tournaments under way.

mod agents;
pub(crate) mod live_match;
pub(crate) mod matches;
mod person;
pub(crate) mod tournaments;
