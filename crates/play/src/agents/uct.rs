//! Monte Carlo tree search.

use super::{AgentKind, EXPLORATION, STEPS};
use crate::agent::searching;
use crate::settings::{Kind, Setting, Values};
use ludens_engine::Game;
use ludens_search::mcts::{Mcts, Settings};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "uct",
    summary: "Monte Carlo tree search: a growing tree of the moves that look best, judged by random matches",
    settings: &[EXPLORATION, FIRST_PLAY, JOINT, LEAF, AHEAD, NODES, SOLVER, STEPS],
    create: |place, values| {
        let settings = settings(&place.game, values);
        searching(Mcts::new(&place.game, place.role, settings, place.seed))
    },
};

fn settings(game: &Game, values: &Values) -> Settings {
    let first_play = values.real("first");
    Settings {
        exploration: values.real("c"),
        first_play: (first_play >= 0.0).then_some(first_play),
        joint_first: values.flag("joint"),
        leaf: match values.count("leaf") {
            0 => usual_leaf(game),
            leaf => leaf as u32,
        },
        ahead: values.count("ahead") as u64,
        most_nodes: values.count("nodes"),
        solver: values.flag("solver"),
        most_steps: values.count("steps"),
    }
}

/// Where playouts take less time than the way to a leaf, several from each leaf are worth it.
fn usual_leaf(game: &Game) -> u32 {
    match game.engine().gates() {
        Some(0..=1_000) => 8,
        Some(1_001..=5_000) => 4,
        _ => 1,
    }
}

const FIRST_PLAY: Setting = Setting {
    name: "first",
    help: "urgency of a move that was never tried, as a goal; -1: each is tried before any is tried again",
    kind: Kind::Real {
        min: -1.0,
        max: 1000.0,
        default: -1.0,
    },
};

const JOINT: Setting = Setting {
    name: "joint",
    help: "where several roles choose at the same time: whether every joint move is made once first",
    kind: Kind::Flag { default: false },
};

const LEAF: Setting = Setting {
    name: "leaf",
    help: "random matches from each leaf; 0: more than one where they are fast",
    kind: Kind::Integer {
        min: 0,
        max: 512,
        default: 0,
    },
};

const AHEAD: Setting = Setting {
    name: "ahead",
    help: "matches that may be begun before results of earlier ones are in; 1 for strictly one after the other",
    kind: Kind::Integer {
        min: 1,
        max: 1 << 20,
        default: 4096,
    },
};

const NODES: Setting = Setting {
    name: "nodes",
    help: "states of the tree that are kept in memory",
    kind: Kind::Integer {
        min: 1,
        max: 1 << 31,
        default: 1_000_000,
    },
};

const SOLVER: Setting = Setting {
    name: "solver",
    help: "whether moves whose outcome is proved are explored no further",
    kind: Kind::Flag { default: true },
};
