//! The settings of heuristics for moves, which are made of the goals in the rules before a match.

use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_evaluate::rules::formula::Norm;
use ludens_evaluate::rules::regress::{Goals, Options};
use ludens_search::mcts::{Draw, PlayoutPolicy, Settings};

pub(super) const HEURISTIC: Setting = Setting {
    name: "heuristic",
    help: "where moves are judged by how near they bring a role to its goal, by the rules regressed one step",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "none",
                help: "nowhere",
                settings: &[],
            },
            Alternative {
                name: "playout",
                help: "in random matches, in the place of playout",
                settings: &[
                    TAU,
                    SPREAD,
                    CERTAINTY,
                    UNKNOWN,
                    NORM,
                    GOALS,
                    PERSISTENCE,
                    UNROLL,
                    PARTS,
                    SHARE,
                ],
            },
            Alternative {
                name: "tree",
                help: "in the tree",
                settings: &[
                    VISITS,
                    STRETCH,
                    CERTAINTY,
                    UNKNOWN,
                    NORM,
                    GOALS,
                    PERSISTENCE,
                    UNROLL,
                    PARTS,
                    SHARE,
                ],
            },
            Alternative {
                name: "combined",
                help: "in both",
                settings: &[
                    TAU,
                    SPREAD,
                    VISITS,
                    STRETCH,
                    CERTAINTY,
                    UNKNOWN,
                    NORM,
                    GOALS,
                    PERSISTENCE,
                    UNROLL,
                    PARTS,
                    SHARE,
                ],
            },
        ],
        default: "none",
    },
};

/// How the heuristic is made, and the share of the start clock that it may take; nothing if there is none.
pub(super) fn wanted(values: &Values) -> Option<(Options, f64)> {
    let own = match values.choice("heuristic") {
        ("none", _) => return None,
        (_, own) => own,
    };
    let options = Options {
        certainty: own.real("p") as f32,
        unknown: own.real("unknown") as f32,
        norm: match own.choice("norm") {
            ("minimum", _) => Norm::Minimum,
            ("yager", inner) => Norm::Yager(inner.real("q") as f32),
            _ => Norm::Product,
        },
        goals: match own.choice("goals").0 {
            "all" => Goals::All,
            _ => Goals::Best,
        },
        persistence: own.flag("persistence"),
        unrolled: own.count("unroll"),
        most_parts: own.count("parts"),
    };
    Some((options, own.real("share")))
}

/// Puts its uses into the settings of the search.
pub(super) fn apply(values: &Values, settings: &mut Settings) {
    let (name, own) = values.choice("heuristic");
    if matches!(name, "playout" | "combined") {
        settings.playout.policy = PlayoutPolicy::Advised;
        // Degrees of truth are from 0 to 1, goals from 0 to 100.
        settings.playout.draw = Draw::Gibbs {
            temperature: 100.0 * own.real("tau"),
        };
        settings.playout.rescaled = own.flag("spread");
    }
    if matches!(name, "tree" | "combined") {
        settings.selection.prior.node_equivalence = own.real("k");
        settings.selection.prior.rescaled = own.flag("stretch");
    }
}

const TAU: Setting = Setting {
    name: "tau",
    help: "the temperature at which moves are drawn in random matches, for degrees from 0 to 1: the smaller, the greedier",
    kind: Kind::Real {
        min: 1e-4,
        max: 1e4,
        default: 0.05,
    },
};

const SPREAD: Setting = Setting {
    name: "spread",
    help: "in random matches: whether degrees are stretched so that the worst move has 0 and the best 1",
    kind: Kind::Flag { default: false },
};

const VISITS: Setting = Setting {
    name: "k",
    help: "in the tree: after so many visits of a state its results count as much as the degrees",
    kind: Kind::Real {
        min: 1e-6,
        max: 1e9,
        default: 20.0,
    },
};

const STRETCH: Setting = Setting {
    name: "stretch",
    help: "in the tree: whether degrees are stretched so that the worst move has 0 and the best 100",
    kind: Kind::Flag { default: true },
};

const CERTAINTY: Setting = Setting {
    name: "p",
    help: "the degree of a fluent that holds; one that does not has the rest to 1",
    kind: Kind::Real {
        min: 0.5,
        max: 1.0,
        default: 0.97,
    },
};

const UNKNOWN: Setting = Setting {
    name: "unknown",
    help: "the degree of what others may do at the same time",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.5,
    },
};

const NORM: Setting = Setting {
    name: "norm",
    help: "how degrees are joined",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "product",
                help: "products, and sums less products",
                settings: &[],
            },
            Alternative {
                name: "minimum",
                help: "the least, and the greatest",
                settings: &[],
            },
            Alternative {
                name: "yager",
                help: "roots of sums of powers",
                settings: &[Setting {
                    name: "q",
                    help: "the power",
                    kind: Kind::Real {
                        min: 1.0,
                        max: 1000.0,
                        default: 15.0,
                    },
                }],
            },
        ],
        default: "product",
    },
};

const GOALS: Setting = Setting {
    name: "goals",
    help: "which goals moves are judged by",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "best",
                help: "the greatest alone",
                settings: &[],
            },
            Alternative {
                name: "all",
                help: "all, each by its value",
                settings: &[],
            },
        ],
        default: "best",
    },
};

const PERSISTENCE: Setting = Setting {
    name: "persistence",
    help: "whether fluents that are proved to keep their value count as certain",
    kind: Kind::Flag { default: true },
};

const UNROLL: Setting = Setting {
    name: "unroll",
    help: "how often conditions that depend on themselves are unrolled",
    kind: Kind::Integer {
        min: 0,
        max: 1000,
        default: 4,
    },
};

const PARTS: Setting = Setting {
    name: "parts",
    help: "parts of formulas beyond which the game is played without a heuristic",
    kind: Kind::Integer {
        min: 1,
        max: 1 << 28,
        default: 4_000_000,
    },
};

const SHARE: Setting = Setting {
    name: "share",
    help: "the share of the start clock that making the heuristic may take",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.5,
    },
};
