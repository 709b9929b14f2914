//! The first legal move.

use super::AgentKind;
use super::searching;
use ludens_search::baselines::Legal;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "legal",
    summary: "takes the first legal move, in the order of their texts",
    settings: &[],
    create: |place, _| searching(Legal::new(&place.game, place.role)),
};
