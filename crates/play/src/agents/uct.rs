//! Monte Carlo tree search.

use super::alphabeta::{FUZZY_EVAL, GOALS_EVAL, Judgement, MOBILITY_EVAL, NETWORK_EVAL};
use super::clune::{self, CLUNE_EVAL};
use super::guct::{FEATURES, features};
use super::heuristic::{self, HEURISTIC};
use super::knowing::{Knowing, Wanted};
use super::{AgentKind, EXPLORATION, STEPS};
use crate::agent::{Agent, Place};
use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_budget::Budget;
use ludens_engine::knowledge::Standing;
use ludens_engine::{Game, StepCost};
use ludens_search::mcts::{
    BackupSettings, Draw, ExpansionSettings, Mcts, PLAYOUT_POLICIES, ParallelSettings, PlayoutPolicy, PlayoutSettings,
    PriorSettings, Rave, SelectionSettings, Settings, Simultaneous, SimultaneousSettings, SinglePlayerSettings,
};
use std::time::Duration;

/// Time for proofs about the rules that an evaluator needs, before there is a clock.
const MOST_PROOFS: Duration = Duration::from_secs(2);

pub(super) const AGENT: AgentKind = AgentKind {
    name: "uct",
    summary: "Monte Carlo tree search: a growing tree of the moves that look best, judged by random matches",
    settings: SETTINGS,
    create,
};

/// What can be set about the searcher, also by agents that are the same with other defaults.
pub(super) const SETTINGS: &[Setting] = &[
    EXPLORATION,
    SCALE,
    FIRST_PLAY,
    PLAYOUT,
    HEURISTIC,
    KEEP,
    RAVE,
    BIAS,
    EVALUATOR,
    STOP,
    BLEND,
    HEAD,
    CUT,
    TRUST,
    IMPLICIT,
    ROOT,
    SIMULTANEOUS,
    JOINT,
    MAXIMUM,
    DISCOUNT,
    SOLVER,
    LEAF,
    AHEAD,
    ENDGAME,
    NODES,
    STEPS,
    THREADS,
    TREES,
];

/// Makes the searcher, also for agents that are the same with other defaults.
pub(super) fn create(place: &Place, values: &Values) -> Box<dyn Agent> {
    let mut settings = settings(&place.game, values);
    heuristic::apply(values, &mut settings);
    let is_advised = settings.playout.policy == PlayoutPolicy::Advised;
    let prior = settings.selection.prior;
    let mut wanted = Wanted {
        endgame: values.count("endgame"),
        heuristic: heuristic::wanted(values),
        advice: is_advised || prior.move_equivalence > 0.0 || prior.virtual_visits > 0.0,
        ..Wanted::default()
    };
    match values.choice("eval") {
        ("goals", _) => wanted.evaluator = Some(Box::new(Standing::new(&place.game))),
        ("features", own) => wanted.features = Some(features(&place.game, own, settings.playout.max_steps)),
        ("clune", own) => wanted.clune = Some(clune::options(&place.game, own)),
        ("none", _) => {}
        (name, own) => {
            let budget = Budget::default().within(MOST_PROOFS);
            wanted.evaluator = Some(Judgement::read(name, own).make(&place.game, &budget));
        }
    }
    let search = Mcts::new(&place.game, place.role, settings, place.seed);
    Box::new(Knowing::new(place, wanted, search))
}

const ENDGAME: Setting = Setting {
    name: "endgame",
    help: "rounds from the ends back that an endgame database is built for before the match; 0: none",
    kind: Kind::Integer {
        min: 0,
        max: 10_000,
        default: 0,
    },
};

fn settings(game: &Game, values: &Values) -> Settings {
    let first_play = values.real("first");
    let (policy, draw) = playout(values);
    Settings {
        selection: SelectionSettings {
            exploration: values.real("c"),
            scaled: values.flag("scale"),
            first_play_urgency: (first_play >= 0.0).then_some(first_play),
            rave: rave(values),
            progressive_bias: values.real("bias"),
            prior: PriorSettings {
                move_equivalence: values.real("blend"),
                virtual_visits: values.real("head"),
                ..PriorSettings::default()
            },
            halving: values.choice("root").0 == "halving",
        },
        expansion: ExpansionSettings {
            max_nodes: values.count("nodes"),
            evaluator_share: values.real("trust"),
        },
        playout: PlayoutSettings {
            policy,
            draw,
            keep: values.real("keep"),
            per_leaf: match values.count("leaf") {
                0 => usual_leaf(game),
                leaf => leaf as u32,
            },
            in_flight: values.count("ahead") as u64,
            max_steps: values.count("steps"),
            cut: Some(values.count("cut")).filter(|&cut| cut > 0),
            stop: values.real("stop"),
            ..PlayoutSettings::default()
        },
        backup: BackupSettings {
            solver: values.flag("solver"),
            implicit_minimax: values.real("implicit"),
        },
        parallel: ParallelSettings {
            threads: threads(values),
            shared_tree: values.choice("trees").0 == "shared",
        },
        single_player: SinglePlayerSettings {
            best_share: values.real("max"),
            discount: values.real("discount"),
        },
        simultaneous: SimultaneousSettings {
            rule: simultaneous(values),
            joint_first: values.flag("joint"),
        },
    }
}

fn simultaneous(values: &Values) -> Simultaneous {
    match values.choice("simultaneous") {
        ("sequenced", _) => Simultaneous::Sequenced,
        ("regret", own) => Simultaneous::Regret {
            exploration: own.real("gamma"),
        },
        _ => Simultaneous::Decoupled,
    }
}

fn playout(values: &Values) -> (PlayoutPolicy, Draw) {
    let (name, own) = values.choice("playout");
    let entry = PLAYOUT_POLICIES.iter().find(|entry| entry.name == name);
    let default = PlayoutSettings::default();
    let draw = match entry.is_some_and(|entry| entry.draws) {
        false => default.draw,
        true => match own.choice("draw") {
            ("greedy", own) => Draw::Greedy {
                epsilon: own.real("epsilon"),
            },
            (_, own) => Draw::Gibbs {
                temperature: own.real("tau"),
            },
        },
    };
    (entry.map_or(default.policy, |entry| entry.policy), draw)
}

fn rave(values: &Values) -> Option<Rave> {
    match values.choice("rave") {
        ("rave", own) => Some(Rave {
            reference: 0,
            equivalence: own.real("k"),
        }),
        ("grave", own) => Some(Rave {
            reference: own.count("ref") as u32,
            equivalence: own.real("k"),
        }),
        _ => None,
    }
}

/// The number of threads.
pub(super) fn threads(values: &Values) -> usize {
    match values.count("threads") {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        threads => threads,
    }
}

/// Where playouts take less time than the way to a leaf, several from each leaf are worth it.
pub(super) fn usual_leaf(game: &Game) -> u32 {
    match game.engine().step_cost() {
        StepCost::Trivial => 8,
        StepCost::VeryLow | StepCost::Low => 4,
        _ => 1,
    }
}

const SCALE: Setting = Setting {
    name: "scale",
    help: "whether c is for goals between the least and the greatest that occur, instead of 0 and 100",
    kind: Kind::Flag { default: true },
};

const FIRST_PLAY: Setting = Setting {
    name: "first",
    help: "urgency of a move that was never tried, as a goal; -1: each is tried before any is tried again",
    kind: Kind::Real {
        min: -1.0,
        max: 1000.0,
        default: -1.0,
    },
};

const PLAYOUT: Setting = Setting {
    name: "playout",
    help: "how moves are chosen in random matches",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "uniform",
                help: "all moves alike",
                settings: &[],
            },
            Alternative {
                name: "mast",
                help: "by the average result after a move, wherever it was made",
                settings: &[DRAW],
            },
            Alternative {
                name: "to-mast",
                help: "the same, but only results of moves in the tree count",
                settings: &[DRAW],
            },
            Alternative {
                name: "past",
                help: "by the average result after a move in states that have something in common with the one at hand",
                settings: &[DRAW],
            },
            Alternative {
                name: "nst",
                help: "by the average results after sequences of up to three moves",
                settings: &[DRAW],
            },
            Alternative {
                name: "reply",
                help: "the last good reply to the move before, forgotten when it fails",
                settings: &[],
            },
            Alternative {
                name: "fast",
                help: "by the average results of matches that end with what a move brings about",
                settings: &[DRAW],
            },
            Alternative {
                name: "advised",
                help: "by what eval thinks of the state behind a move; all moves alike without one",
                settings: &[DRAW],
            },
        ],
        default: "uniform",
    },
};

const DRAW: Setting = Setting {
    name: "draw",
    help: "how a move is drawn by these averages",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "gibbs",
                help: "the better, the more likely, exponentially",
                settings: &[Setting {
                    name: "tau",
                    help: "the temperature, in points of goals: the smaller, the greedier",
                    kind: Kind::Real {
                        min: 0.01,
                        max: 1e6,
                        default: 10.0,
                    },
                }],
            },
            Alternative {
                name: "greedy",
                help: "the best, but sometimes any",
                settings: &[Setting {
                    name: "epsilon",
                    help: "how often any",
                    kind: Kind::Real {
                        min: 0.0,
                        max: 1.0,
                        default: 0.2,
                    },
                }],
            },
        ],
        default: "gibbs",
    },
};

const KEEP: Setting = Setting {
    name: "keep",
    help: "the share of such averages that is kept from one move to the next",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.25,
    },
};

const RAVE: Setting = Setting {
    name: "rave",
    help: "statistics over all moves of a match as if they had been made first",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "none",
                help: "not used",
                settings: &[],
            },
            Alternative {
                name: "rave",
                help: "every state uses its own",
                settings: &[EQUIVALENCE],
            },
            Alternative {
                name: "grave",
                help: "a state uses those of the nearest state before it that was seen often enough",
                settings: &[
                    EQUIVALENCE,
                    Setting {
                        name: "ref",
                        help: "how often is enough",
                        kind: Kind::Integer {
                            min: 0,
                            max: 1 << 31,
                            default: 50,
                        },
                    },
                ],
            },
        ],
        default: "none",
    },
};

const EQUIVALENCE: Setting = Setting {
    name: "k",
    help: "after so many tries of a move, its own results count as much as these statistics",
    kind: Kind::Real {
        min: 0.0,
        max: 1e9,
        default: 1000.0,
    },
};

const BIAS: Setting = Setting {
    name: "bias",
    help: "weight of progressive bias in the tree towards moves that are good on average",
    kind: Kind::Real {
        min: 0.0,
        max: 1e6,
        default: 0.0,
    },
};

const EVALUATOR: Setting = Setting {
    name: "eval",
    help: "what judges states, for stop, blend, head, playout=advised, cut, trust and implicit",
    kind: Kind::Choice {
        options: EVALUATORS,
        default: "none",
    },
};

const EVALUATORS: &[Alternative] = &[
    Alternative {
        name: "none",
        help: "nothing",
        settings: &[],
    },
    GOALS_EVAL,
    FEATURES,
    MOBILITY_EVAL,
    FUZZY_EVAL,
    NETWORK_EVAL,
    CLUNE_EVAL,
];

const STOP: Setting = Setting {
    name: "stop",
    help: "probability with which a random match is stopped in each of its states and judged",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.0,
    },
};

const BLEND: Setting = Setting {
    name: "blend",
    help: "after so many tries of a move its results count as much as what eval thinks of the state behind it; 0: not used",
    kind: Kind::Real {
        min: 0.0,
        max: 1e9,
        default: 0.0,
    },
};

const HEAD: Setting = Setting {
    name: "head",
    help: "what eval thinks of the state behind a move counts as so many tries made before all others; 0: not used",
    kind: Kind::Real {
        min: 0.0,
        max: 1e6,
        default: 0.0,
    },
};

const CUT: Setting = Setting {
    name: "cut",
    help: "steps after which a random match is cut off and judged; 0: never",
    kind: Kind::Integer {
        min: 0,
        max: 1_000_000,
        default: 0,
    },
};

const TRUST: Setting = Setting {
    name: "trust",
    help: "share of the judgement in the value of a new state of the tree; 1: there are no random matches",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.0,
    },
};

const IMPLICIT: Setting = Setting {
    name: "implicit",
    help: "share of implicit minimax values in the value of a move",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.0,
    },
};

const ROOT: Setting = Setting {
    name: "root",
    help: "how the moves at hand are tried",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "ucb",
                help: "as everywhere in the tree",
                settings: &[],
            },
            Alternative {
                name: "halving",
                help: "in rounds, dropping the worse half after each",
                settings: &[],
            },
        ],
        default: "ucb",
    },
};

const SIMULTANEOUS: Setting = Setting {
    name: "simultaneous",
    help: "how roles that choose at the same time are treated",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "decoupled",
                help: "each chooses by its own statistics",
                settings: &[],
            },
            Alternative {
                name: "sequenced",
                help: "as if they chose one after the other, the own role first: simple, and wrong",
                settings: &[],
            },
            Alternative {
                name: "regret",
                help: "each by regret matching; the move to make is drawn from its average strategy",
                settings: &[Setting {
                    name: "gamma",
                    help: "how often any move is tried instead",
                    kind: Kind::Real {
                        min: 0.0,
                        max: 1.0,
                        default: 0.1,
                    },
                }],
            },
        ],
        default: "decoupled",
    },
};

const JOINT: Setting = Setting {
    name: "joint",
    help: "where several roles choose at the same time: whether every joint move is made once first",
    kind: Kind::Flag { default: false },
};

const MAXIMUM: Setting = Setting {
    name: "max",
    help: "in games with one role: the share of the best result in the value of a move",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.25,
    },
};

const DISCOUNT: Setting = Setting {
    name: "discount",
    help: "in games with one role: the factor on a result for each step it takes",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 1.0,
    },
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

pub(super) const NODES: Setting = Setting {
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

pub(super) const THREADS: Setting = Setting {
    name: "threads",
    help: "threads that search at the same time; 0: one for each core",
    kind: Kind::Integer {
        min: 0,
        max: 256,
        default: 1,
    },
};

const TREES: Setting = Setting {
    name: "trees",
    help: "what several threads search",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "each",
                help: "each thread a tree of its own; in the end tries are added up",
                settings: &[],
            },
            Alternative {
                name: "shared",
                help: "all the same tree: it grows larger, but threads wait for each other, and matches cannot be repeated exactly",
                settings: &[],
            },
        ],
        default: "each",
    },
};
