//! Random play.

use super::AgentKind;
use super::searching;
use ludens_search::baselines::Random;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "random",
    summary: "chooses uniformly among the legal moves",
    settings: &[],
    create: |place, _| searching(Random::new(&place.game, place.role, place.seed)),
};
