//! Flat UCB.

use super::{AgentKind, STEPS};
use crate::agent::searching;
use crate::settings::{Kind, Setting};
use ludens_search::baselines::Ucb;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "ucb",
    summary: "flat UCB: plays random matches after the moves that look best or are least known",
    settings: &[EXPLORATION, STEPS],
    create: |place, values| {
        let ucb = Ucb::new(&place.game, place.role, place.seed).with_exploration(values.real("c"));
        searching(ucb.with_most_steps(values.count("steps")))
    },
};

const EXPLORATION: Setting = Setting {
    name: "c",
    help: "how much moves that are little known are preferred, for goals from 0 to 100",
    kind: Kind::Real {
        min: 0.0,
        max: 1e6,
        default: Ucb::EXPLORATION,
    },
};
