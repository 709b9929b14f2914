//! Depth-first search by payoff, control and termination, in the manner of Cluneplayer.

use super::AgentKind;
use super::alphabeta::*;
use super::guct::usual_sequences;
use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_engine::Game;
use ludens_evaluate::learned::clune::Options;
use ludens_evaluate::learned::sample::Sampling;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "clune",
    summary: "alphabeta that judges states by payoff, control and termination, learnt from random play, after Cluneplayer",
    settings: &[
        SHARE, SEQUENCES, COUNT, POOL, ORDERS, PARTS, CONTROL, MODEL, DEPTH, CUT, PRINCIPAL, TABLE, DEEPER, ENHANCED,
        KILLERS, HISTORY, CACHE, QUIET, MULTI_CUT, LIKELY,
    ],
    create: |place, values| {
        let (options, share) = options(&place.game, values);
        depth_first(place, values, Judgement::Clune(options, share))
    },
};

/// The same as a judgement for other searches.
pub(super) const CLUNE_EVAL: Alternative = Alternative {
    name: "clune",
    help: "payoff, control and termination, learnt from random play; see clune",
    settings: &[SHARE, SEQUENCES, COUNT, POOL, ORDERS, PARTS, CONTROL],
};

const SHARE: Setting = Setting {
    name: "share",
    help: "share of the start clock that goes into finding features",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.3,
    },
};

const SEQUENCES: Setting = Setting {
    name: "sequences",
    help: "sequences of states that are drawn from random matches; 0: 2000, fewer where matches are slow",
    kind: Kind::Integer {
        min: 0,
        max: 10_000_000,
        default: 0,
    },
};

const COUNT: Setting = Setting {
    name: "count",
    help: "features in the payoff of a role",
    kind: Kind::Integer {
        min: 1,
        max: 200,
        default: 30,
    },
};

const POOL: Setting = Setting {
    name: "pool",
    help: "expressions that are looked at",
    kind: Kind::Integer {
        min: 1,
        max: 1_000_000,
        default: 5_000,
    },
};

const ORDERS: Setting = Setting {
    name: "orders",
    help: "whether distances along orders of constants are looked at",
    kind: Kind::Flag { default: true },
};

const PARTS: Setting = Setting {
    name: "parts",
    help: "whether the share of the conditions of goals that are met is looked at",
    kind: Kind::Flag { default: true },
};

const CONTROL: Setting = Setting {
    name: "control",
    help: "whether the freedom to move counts, the more the farther the end is; else payoff alone",
    kind: Kind::Flag { default: true },
};

/// How the function is made, and the share of the start clock that this may take.
pub(super) fn options(game: &Game, values: &Values) -> (Options, f64) {
    let options = Options {
        sampling: Sampling {
            sequences: match values.count("sequences") {
                0 => usual_sequences(game),
                sequences => sequences,
            },
            ..Sampling::default()
        },
        features: values.count("count"),
        expressions: values.count("pool"),
        distances: values.flag("orders"),
        parts: values.flag("parts"),
        control: values.flag("control"),
    };
    (options, values.real("share"))
}
