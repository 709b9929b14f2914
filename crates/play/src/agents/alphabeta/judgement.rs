//! What judges states in depth-first search, and the settings of each kind of judgement, which other agents share.

use super::PROOF_SHARE;
use crate::agent::Place;
use crate::agents::clune::CLUNE_EVAL;
use crate::agents::guct::FEATURES;
use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_engine::knowledge::{Evaluator, Standing};
use ludens_evaluate::learned::clune::{Clune, build};
use ludens_evaluate::learned::features::{self, Guided};
use ludens_evaluate::rules::derived::{Kind as FeatureKind, Kinds};
use ludens_evaluate::rules::distance::Choice;
use ludens_evaluate::rules::fuzzy::{self, Fuzzy};
use ludens_evaluate::rules::mobility::Mobility;
use ludens_evaluate::rules::neural::featured::{FeatureNetwork, FeatureSettings};
use ludens_evaluate::rules::neural::{self, GoalNetwork, Weights};

/// What judges states.
pub(in crate::agents) enum Judgement {
    Goals,
    Mobility,
    Fuzzy(fuzzy::Settings),
    Network(neural::Settings),
    /// A network with features of the rules.
    FeatureNetwork(neural::Settings, FeatureSettings),
    /// How features are found, and the share of the time that this may take.
    Features(features::Options, f64),
    /// The same for payoff, control and termination.
    Clune(ludens_evaluate::learned::clune::Options, f64),
}

impl Judgement {
    /// By its name as a choice, with its settings.
    pub(in crate::agents) fn read(name: &str, own: &Values) -> Judgement {
        match name {
            "mobility" => Judgement::Mobility,
            "fuzzy" => Judgement::Fuzzy(fuzzy_settings(own)),
            "network" => Judgement::network(own),
            _ => Judgement::Goals,
        }
    }

    /// A network by its settings: with features if there are to be any, or something is to break ties.
    pub(in crate::agents) fn network(values: &Values) -> Judgement {
        let features = feature_settings(values);
        let is_plain = features.kinds == Kinds::NONE && !features.mobility && !features.pieces;
        match is_plain {
            true => Judgement::Network(network_settings(values)),
            false => Judgement::FeatureNetwork(network_settings(values), features),
        }
    }

    /// What follows from the rules alone; what must be proved about them, within a budget. A game that is not compiled has
    /// no conditions to make a function of; there the goals as they stand must do.
    pub(in crate::agents) fn make(&self, game: &Game, budget: &Budget) -> Box<dyn Evaluator> {
        let made: Option<Box<dyn Evaluator>> = match *self {
            Judgement::Goals | Judgement::Features(..) | Judgement::Clune(..) => None,
            Judgement::Mobility => Some(Box::new(Mobility::new(game))),
            Judgement::Fuzzy(settings) => Fuzzy::new(game, settings).map(|fuzzy| Box::new(fuzzy) as _),
            Judgement::Network(settings) => {
                GoalNetwork::new(game, settings, budget).map(|network| Box::new(network) as _)
            }
            Judgement::FeatureNetwork(settings, features) => {
                FeatureNetwork::new(game, settings, features, budget).map(|network| Box::new(network) as _)
            }
        };
        made.unwrap_or_else(|| Box::new(Standing::new(game)))
    }

    /// The same, or what is learnt from random play in a share of the time.
    pub(super) fn learn(&self, place: &Place, budget: &Budget) -> Box<dyn Evaluator> {
        let (game, seed) = (&place.game, place.seed);
        let learnt: Option<Box<dyn Evaluator>> = match self {
            Judgement::Features(options, share) => features::build(game, options, seed, &budget.share(*share))
                .ok()
                .map(|function| Box::new(Guided::new(&function)) as _),
            Judgement::Clune(options, share) => build(game, options, seed, &budget.share(*share))
                .ok()
                .map(|function| Box::new(Clune::new(&function)) as _),
            _ => None,
        };
        learnt.unwrap_or_else(|| self.make(game, &budget.share(PROOF_SHARE)))
    }
}

/// What judges states.
pub(super) const EVALUATOR: Setting = Setting {
    name: "eval",
    help: "what judges states",
    kind: Kind::Choice {
        options: &[
            GOALS_EVAL,
            FEATURES,
            MOBILITY_EVAL,
            FUZZY_EVAL,
            NETWORK_EVAL,
            CLUNE_EVAL,
        ],
        default: "goals",
    },
};

pub(in crate::agents) const GOALS_EVAL: Alternative = Alternative {
    name: "goals",
    help: "the goals as they stand, as if the match were over",
    settings: &[],
};

pub(in crate::agents) const MOBILITY_EVAL: Alternative = Alternative {
    name: "mobility",
    help: "the own share of all legal moves",
    settings: &[],
};

pub(in crate::agents) const FUZZY_EVAL: Alternative = Alternative {
    name: "fuzzy",
    help: "how nearly goals hold, by degrees of truth; see flux",
    settings: FUZZY,
};

pub(in crate::agents) const NETWORK_EVAL: Alternative = Alternative {
    name: "network",
    help: "how nearly goals hold, by a network of neurons; see nexplayer",
    settings: NETWORK,
};

/// The settings of fuzzy evaluation.
pub(in crate::agents) const FUZZY: &[Setting] = &[TRUTH, EXPONENT, JOINS, STRUCTURES, CHAINS, NEAR];

pub(in crate::agents) const TRUTH: Setting = Setting {
    name: "p",
    help: "degree of truth of a fluent that holds",
    kind: Kind::Real {
        min: 0.5,
        max: 1.0,
        default: 0.75,
    },
};

pub(in crate::agents) const EXPONENT: Setting = Setting {
    name: "q",
    help: "exponent of the Yager norm: the greater, the more the greatest degree counts alone",
    kind: Kind::Real {
        min: 1.0,
        max: 100.0,
        default: 15.0,
    },
};

pub(in crate::agents) const STRUCTURES: Setting = Setting {
    name: "structures",
    help: "whether fluents that do not hold are the truer the nearer what holds in their place, along orders of constants",
    kind: Kind::Flag { default: true },
};

const fn chains_setting(default: bool) -> Setting {
    Setting {
        name: "chains",
        help: "whether conditions that are not taken apart, as in rules that count, are the truer the fewer are missing",
        kind: Kind::Flag { default },
    }
}

/// The chains of fuzzy evaluation, and those of networks, where counting costs more than it was seen to bring.
pub(in crate::agents) const CHAINS: Setting = chains_setting(true);
pub(in crate::agents) const COUNTED: Setting = chains_setting(false);

pub(in crate::agents) const JOINS: Setting = Setting {
    name: "joins",
    help: "joins of conditions that are opened, from the goals down; what is behind them is true or false",
    kind: Kind::Integer {
        min: 0,
        max: 1_000_000,
        default: 2_000,
    },
};

/// By which distances fluents that do not hold are the truer the nearer they are.
fn distances(values: &Values) -> Option<Choice> {
    match values.choice("distance").0 {
        "both" => Some(Choice::Both),
        "similar" => Some(Choice::Similar),
        "late" => Some(Choice::Late),
        _ => None,
    }
}

const fn distance_setting(default: &'static str) -> Setting {
    Setting {
        name: "distance",
        help: "how it counts that fluents which do not hold are some steps away",
        kind: Kind::Choice {
            options: DISTANCES,
            default,
        },
    }
}

const DISTANCES: &[Alternative] = &[
    Alternative {
        name: "none",
        help: "not at all: they are false",
        settings: &[],
    },
    Alternative {
        name: "both",
        help: "by the greater of the following two",
        settings: &[],
    },
    Alternative {
        name: "similar",
        help: "along what looks most like them, as was published",
        settings: &[],
    },
    Alternative {
        name: "late",
        help: "along what can be reached last",
        settings: &[],
    },
];

/// The distances of fuzzy evaluation, and those of networks.
pub(in crate::agents) const NEAR: Setting = distance_setting("both");
pub(in crate::agents) const FAR: Setting = distance_setting("none");

pub(in crate::agents) fn fuzzy_settings(values: &Values) -> fuzzy::Settings {
    fuzzy::Settings {
        truth: values.real("p"),
        exponent: values.real("q"),
        most_joins: values.count("joins"),
        structures: values.flag("structures"),
        chains: values.flag("chains"),
        distances: distances(values),
    }
}

/// The settings of goal networks.
pub(in crate::agents) const NETWORK: &[Setting] = &[
    VERSION,
    NEURONS,
    USUAL,
    GAP,
    FAR,
    COUNTED,
    RULE_FEATURES,
    PROBABLE,
    TIES,
];

pub(in crate::agents) const VERSION: Setting = Setting {
    name: "version",
    help: "how the weights of neurons are chosen",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "1.1",
                help: "the least for each neuron, so that outputs can be told apart",
                settings: &[],
            },
            Alternative {
                name: "1.0",
                help: "one for all neurons",
                settings: &[],
            },
        ],
        default: "1.1",
    },
};

pub(in crate::agents) const NEURONS: Setting = Setting {
    name: "neurons",
    help: "neurons at most; conditions behind them are true or false",
    kind: Kind::Integer {
        min: 0,
        max: 1_000_000,
        default: 512,
    },
};

pub(in crate::agents) const USUAL: Setting = Setting {
    name: "gamma",
    help: "the goal that is expected if nothing speaks for another",
    kind: Kind::Real {
        min: 0.0,
        max: 100.0,
        default: 50.0,
    },
};

pub(in crate::agents) const GAP: Setting = Setting {
    name: "gap",
    help: "version 1.1: how much the inputs of a neuron differ at least between true and false",
    kind: Kind::Real {
        min: 1e-6,
        max: 1.999,
        default: 0.1,
    },
};

pub(in crate::agents) fn network_settings(values: &Values) -> neural::Settings {
    neural::Settings {
        weights: match values.choice("version").0 {
            "1.0" => Weights::Global,
            _ => Weights::Local {
                gap: values.real("gap"),
            },
        },
        most_neurons: values.count("neurons"),
        usual: values.real("gamma"),
        distances: distances(values),
        chains: values.flag("chains"),
    }
}

/// Which features of the rules networks have.
pub(in crate::agents) const RULE_FEATURES: Setting = Setting {
    name: "features",
    help: "features of the rules that say how safe or how near conditions are",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "none",
                help: "no features: conditions hold or not",
                settings: &[],
            },
            Alternative {
                name: "all",
                help: "features of all kinds; with a setting for distance, fluents that have no other one are measured by that",
                settings: &[],
            },
            Alternative {
                name: "solutions",
                help: "how many solutions conditions have, and how much of them holds (v1.1s)",
                settings: &[],
            },
            Alternative {
                name: "persistence",
                help: "which fluents stay as they are (v1.1p)",
                settings: &[],
            },
            Alternative {
                name: "distance",
                help: "how many steps values are from each other, and by which margin they are ordered (v1.1d)",
                settings: &[],
            },
            Alternative {
                name: "fixed",
                help: "how many steps values of fluents are from given ones (v1.1n)",
                settings: &[],
            },
            Alternative {
                name: "whole",
                help: "how many solutions conditions have, alone",
                settings: &[],
            },
            Alternative {
                name: "partial",
                help: "how much of conditions with several parts holds, alone",
                settings: &[],
            },
            Alternative {
                name: "order",
                help: "by which margin values are before others, alone",
                settings: &[],
            },
            Alternative {
                name: "variable",
                help: "how many steps values are from each other, alone",
                settings: &[],
            },
            Alternative {
                name: "stays-true",
                help: "which fluents that hold stay so, alone",
                settings: &[],
            },
            Alternative {
                name: "stays-false",
                help: "which fluents that do not hold stay so, alone",
                settings: &[],
            },
        ],
        default: "none",
    },
};

pub(in crate::agents) const PROBABLE: Setting = Setting {
    name: "probable",
    help: "with features: what a fluent that holds counts where the end is far, if no feature says more",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.95,
    },
};

pub(in crate::agents) const TIES: Setting = Setting {
    name: "ties",
    help: "what decides between states that are judged the same",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "none",
                help: "nothing",
                settings: &[],
            },
            Alternative {
                name: "mobility",
                help: "the own share of all legal moves",
                settings: &[],
            },
            Alternative {
                name: "pieces",
                help: "the own share of the pieces, each worth its moves on an empty board",
                settings: &[],
            },
            Alternative {
                name: "both",
                help: "both of them",
                settings: &[],
            },
        ],
        default: "none",
    },
};

pub(in crate::agents) fn feature_settings(values: &Values) -> FeatureSettings {
    let ties = values.choice("ties").0;
    FeatureSettings {
        kinds: match values.choice("features").0 {
            "all" => Kinds::ALL,
            "solutions" => Kinds::of(&[FeatureKind::Solutions, FeatureKind::PartialSolutions]),
            "persistence" => Kinds::of(&[FeatureKind::TruePersistence, FeatureKind::FalsePersistence]),
            "distance" => Kinds::of(&[
                FeatureKind::Order,
                FeatureKind::VariableDistance,
                FeatureKind::FixedDistance,
            ]),
            "fixed" => Kinds::of(&[FeatureKind::FixedDistance]),
            "whole" => Kinds::of(&[FeatureKind::Solutions]),
            "partial" => Kinds::of(&[FeatureKind::PartialSolutions]),
            "order" => Kinds::of(&[FeatureKind::Order]),
            "variable" => Kinds::of(&[FeatureKind::VariableDistance]),
            "stays-true" => Kinds::of(&[FeatureKind::TruePersistence]),
            "stays-false" => Kinds::of(&[FeatureKind::FalsePersistence]),
            _ => Kinds::NONE,
        },
        probable: values.real("probable"),
        mobility: matches!(ties, "mobility" | "both"),
        pieces: matches!(ties, "pieces" | "both"),
    }
}
