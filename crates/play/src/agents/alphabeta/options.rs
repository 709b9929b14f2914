//! The settings of depth-first search, which all agents that search so share.

use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_search::alphabeta::{History, Likelihood, MultiCut, Quiescence, Settings};

/// The settings of the search that a spec gives. How the others choose is for the agent.
pub(in crate::agents) fn settings(values: &Values) -> Settings {
    Settings {
        most_depth: values.count("depth") as u32,
        cut: values.flag("cut"),
        principal: values.flag("pvs"),
        table: values.count("table") << 20,
        deeper: values.flag("deeper"),
        enhanced: values.flag("etc"),
        killers: values.flag("killers"),
        history: match values.choice("history").0 {
            "none" => History::None,
            "absolute" => History::Absolute,
            _ => History::Relative,
        },
        cache: values.count("cache") << 20,
        quiescence: match values.choice("quiet") {
            ("stable", own) => Some(Quiescence {
                threshold: own.real("change"),
                steps: own.count("steps") as u32,
            }),
            _ => None,
        },
        multi_cut: match values.choice("multicut") {
            ("on", own) => Some(MultiCut {
                moves: own.count("m"),
                cuts: own.count("c"),
                reduction: own.count("r") as u32,
            }),
            _ => None,
        },
        likelihood: match values.choice("likely") {
            ("on", own) => Some(Likelihood {
                base: own.real("k"),
                ..Likelihood::default()
            }),
            _ => None,
        },
        ..Settings::default()
    }
}

pub(in crate::agents) const MODEL: Setting = Setting {
    name: "model",
    help: "how the others are taken to choose",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "auto",
                help: "opposed where a constant sum of two is proved, maxn where turns are, else opposed",
                settings: &[],
            },
            Alternative {
                name: "opposed",
                help: "all against the own role, knowing its move: alpha-beta, or paranoid search",
                settings: &[],
            },
            Alternative {
                name: "maxn",
                help: "each for itself; hardly anything can be cut off",
                settings: &[],
            },
        ],
        default: "auto",
    },
};

pub(in crate::agents) const DEPTH: Setting = Setting {
    name: "depth",
    help: "steps that are looked ahead at most",
    kind: Kind::Integer {
        min: 1,
        max: 120,
        default: 100,
    },
};

pub(in crate::agents) const CUT: Setting = Setting {
    name: "cut",
    help: "whether lines that cannot change the value are cut off",
    kind: Kind::Flag { default: true },
};

pub(in crate::agents) const PRINCIPAL: Setting = Setting {
    name: "pvs",
    help: "whether moves behind the first are first asked only whether they are better",
    kind: Kind::Flag { default: true },
};

pub(in crate::agents) const TABLE: Setting = Setting {
    name: "table",
    help: "memory for states that were searched, in megabytes",
    kind: Kind::Integer {
        min: 0,
        max: 1 << 16,
        default: 64,
    },
};

pub(in crate::agents) const DEEPER: Setting = Setting {
    name: "deeper",
    help: "whether results of deeper searches are used where shallower ones would do; changes values, for the better",
    kind: Kind::Flag { default: true },
};

pub(in crate::agents) const ENHANCED: Setting = Setting {
    name: "etc",
    help: "whether all successors are looked up in the table before any is searched",
    kind: Kind::Flag { default: true },
};

pub(in crate::agents) const KILLERS: Setting = Setting {
    name: "killers",
    help: "whether moves that cut off lines of the same length are tried early",
    kind: Kind::Flag { default: true },
};

pub(in crate::agents) const HISTORY: Setting = Setting {
    name: "history",
    help: "how moves that cut off lines anywhere are tried early",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "relative",
                help: "by how often they did when they were tried",
                settings: &[],
            },
            Alternative {
                name: "absolute",
                help: "by how often they did",
                settings: &[],
            },
            Alternative {
                name: "none",
                help: "not at all",
                settings: &[],
            },
        ],
        default: "relative",
    },
};

pub(in crate::agents) const CACHE: Setting = Setting {
    name: "cache",
    help: "memory for judgements of states, in megabytes",
    kind: Kind::Integer {
        min: 0,
        max: 1 << 16,
        default: 16,
    },
};

pub(in crate::agents) const QUIET: Setting = Setting {
    name: "quiet",
    help: "whether leaves are searched until their judgement is stable",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "off",
                help: "leaves are judged as they are",
                settings: &[],
            },
            Alternative {
                name: "stable",
                help: "moves that change it much are followed",
                settings: &[
                    Setting {
                        name: "change",
                        help: "what is much, in points of goals",
                        kind: Kind::Real {
                            min: 0.0,
                            max: 100.0,
                            default: 5.0,
                        },
                    },
                    Setting {
                        name: "steps",
                        help: "steps at most",
                        kind: Kind::Integer {
                            min: 0,
                            max: 32,
                            default: 4,
                        },
                    },
                ],
            },
        ],
        default: "off",
    },
};

pub(in crate::agents) const MULTI_CUT: Setting = Setting {
    name: "multicut",
    help: "forward pruning: whether states are given up after shallow searches of some moves",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "off",
                help: "every state is searched",
                settings: &[],
            },
            Alternative {
                name: "on",
                help: "if enough of them lead to cut-offs",
                settings: &[
                    Setting {
                        name: "m",
                        help: "moves that are tried",
                        kind: Kind::Integer {
                            min: 1,
                            max: 1_000,
                            default: 10,
                        },
                    },
                    Setting {
                        name: "c",
                        help: "cut-offs that are enough; one less where none is expected",
                        kind: Kind::Integer {
                            min: 1,
                            max: 1_000,
                            default: 3,
                        },
                    },
                    Setting {
                        name: "r",
                        help: "steps by which these searches are shallower",
                        kind: Kind::Integer {
                            min: 0,
                            max: 100,
                            default: 2,
                        },
                    },
                ],
            },
        ],
        default: "off",
    },
};

pub(in crate::agents) const LIKELY: Setting = Setting {
    name: "likely",
    help: "forward pruning: whether moves that are often best are searched deeper than others",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "off",
                help: "every move costs one step",
                settings: &[],
            },
            Alternative {
                name: "on",
                help: "a move costs half a step to four, by how often it was best where it could be made",
                settings: &[Setting {
                    name: "k",
                    help: "how often a move must be best to cost one step",
                    kind: Kind::Real {
                        min: 0.01,
                        max: 0.99,
                        default: 0.25,
                    },
                }],
            },
        ],
        default: "off",
    },
};
