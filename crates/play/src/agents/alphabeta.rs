//! Depth-first search with a judgement of states: alpha-beta, paranoid search, MaxN.

mod options;

use super::AgentKind;
use super::clune::{self, CLUNE_EVAL};
use super::guct::{FEATURES, features as feature_options};
use crate::agent::{Agent, Place, Position};
use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_analysis::{Analysis, Verdict, analyse_until};
use ludens_engine::{Budget, Game};
use ludens_evaluate::clune::{Clune, build};
use ludens_evaluate::derived::{Kind as FeatureKind, Kinds};
use ludens_evaluate::distance::Choice;
use ludens_evaluate::features::{self, Guided};
use ludens_evaluate::fuzzy::{self, Fuzzy};
use ludens_evaluate::mobility::Mobility;
use ludens_evaluate::network::featured::{FeatureNetwork, FeatureSettings};
use ludens_evaluate::network::{self, GoalNetwork, Weights};
use ludens_search::alphabeta::{AlphaBeta, Model, Settings};
use ludens_search::baselines::MOST_STEPS;
use ludens_search::{Decision, Effort, Evaluator, Searcher, Standing};
pub(super) use options::*;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "alphabeta",
    summary: "depth-first search by iterative deepening, as deep as time allows; leaves are judged by a function",
    settings: &[
        EVALUATOR, MODEL, DEPTH, CUT, PRINCIPAL, TABLE, DEEPER, ENHANCED, KILLERS, HISTORY, CACHE, QUIET, MULTI_CUT,
        LIKELY,
    ],
    create: |place, values| {
        let judgement = match values.choice("eval") {
            ("features", own) => {
                let (options, share) = feature_options(&place.game, own, MOST_STEPS);
                Judgement::Features(options, share)
            }
            ("clune", own) => {
                let (options, share) = clune::options(&place.game, own);
                Judgement::Clune(options, share)
            }
            (name, own) => Judgement::read(name, own),
        };
        depth_first(place, values, judgement)
    },
};

/// What judges states.
pub(super) enum Judgement {
    Goals,
    Mobility,
    Fuzzy(fuzzy::Settings),
    Network(network::Settings),
    /// A network with features of the rules.
    FeatureNetwork(network::Settings, FeatureSettings),
    /// How features are found, and the share of the time that this may take.
    Features(features::Options, f64),
    /// The same for payoff, control and termination.
    Clune(ludens_evaluate::clune::Options, f64),
}

impl Judgement {
    /// By its name as a choice, with its settings.
    pub(super) fn read(name: &str, own: &Values) -> Judgement {
        match name {
            "mobility" => Judgement::Mobility,
            "fuzzy" => Judgement::Fuzzy(fuzzy_settings(own)),
            "network" => Judgement::network(own),
            _ => Judgement::Goals,
        }
    }

    /// A network by its settings: with features if there are to be any, or something is to break ties.
    pub(super) fn network(values: &Values) -> Judgement {
        let features = feature_settings(values);
        let is_plain = features.kinds == Kinds::NONE && !features.mobility && !features.pieces;
        match is_plain {
            true => Judgement::Network(network_settings(values)),
            false => Judgement::FeatureNetwork(network_settings(values), features),
        }
    }

    /// What follows from the rules alone; what must be proved about them, within a budget. A game that is not compiled has
    /// no conditions to make a function of; there the goals as they stand must do.
    pub(super) fn make(&self, game: &Game, budget: &Budget) -> Box<dyn Evaluator> {
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
    fn learn(&self, place: &Place, effort: &Effort) -> Box<dyn Evaluator> {
        let within = |share: f64| match effort.time_left() {
            Some(left) => effort.budget().within(left.mul_f64(share)),
            None => effort.budget().clone(),
        };
        let (game, seed) = (&place.game, place.seed);
        let learnt: Option<Box<dyn Evaluator>> = match self {
            Judgement::Features(options, share) => features::build(game, options, seed, &within(*share))
                .ok()
                .map(|function| Box::new(Guided::new(&function)) as _),
            Judgement::Clune(options, share) => build(game, options, seed, &within(*share))
                .ok()
                .map(|function| Box::new(Clune::new(&function)) as _),
            _ => None,
        };
        learnt.unwrap_or_else(|| self.make(game, &within(PROOF_SHARE)))
    }
}

/// The agent for a judgement, with the settings of the search.
pub(super) fn depth_first(place: &Place, values: &Values, judgement: Judgement) -> Box<dyn Agent> {
    Box::new(DepthFirst {
        model: match values.choice("model").0 {
            "opposed" => Some(Model::Opposed),
            "maxn" => Some(Model::MaxN),
            _ => None,
        },
        settings: settings(values),
        judgement,
        place: place.clone(),
        search: None,
    })
}

struct DepthFirst {
    place: Place,
    judgement: Judgement,
    settings: Settings,
    /// How the others are taken to choose; to be found out if nothing was said.
    model: Option<Model>,
    /// Made when it is first needed, so that making it counts as thinking.
    search: Option<AlphaBeta>,
}

/// The share of the time before the match that may go into proofs.
const PROOF_SHARE: f64 = 0.25;
/// Without a clock, proofs must not depend on time; larger games are not tried.
const MOST_GATES: usize = 20_000;

impl DepthFirst {
    fn search(&mut self, effort: &Effort) -> &mut AlphaBeta {
        let DepthFirst {
            place,
            judgement,
            settings,
            model,
            search,
        } = self;
        search.get_or_insert_with(|| {
            let settings = Settings {
                model: model.unwrap_or_else(|| usual_model(&place.game, effort)),
                ..settings.clone()
            };
            AlphaBeta::judged_by(
                judgement.learn(place, effort),
                &place.game,
                place.role,
                settings,
                place.seed,
            )
        })
    }
}

/// The model that was proved to suit a game, kept for the next agent.
struct Proved(Model);

/// How the others choose, by what can be proved: against the own role where two share a constant sum, each for itself
/// where they take turns, else against it.
fn usual_model(game: &Game, effort: &Effort) -> Model {
    if let Some(proved) = game.kept::<Proved>() {
        return proved.0;
    }
    let players = game.roles().filter(|&role| !game.is_random(role)).count();
    if players < 2 {
        return Model::Opposed;
    }
    let budget = match effort.time_left() {
        Some(left) => effort.budget().within(left.mul_f64(PROOF_SHARE)),
        None if game.engine().gates().is_none_or(|gates| gates > MOST_GATES) => return Model::Opposed,
        None => effort.budget().clone(),
    };
    let model_of = |analysis: &Analysis| match (analysis.constant_sum, analysis.turn_taking) {
        (Verdict::Proved, _) if players == 2 => Some(Model::Opposed),
        (Verdict::Unknown, _) if players == 2 => None,
        (_, Verdict::Proved) => Some(Model::MaxN),
        (_, Verdict::Refuted) => Some(Model::Opposed),
        (_, Verdict::Unknown) => None,
    };
    let Some(analysis) = analyse_until(game, &budget, &|analysis| model_of(analysis).is_some()) else {
        return Model::Opposed;
    };
    match (model_of(&analysis), analysis.turn_taking) {
        (Some(model), _) => game.keep(Proved(model)).0,
        (None, Verdict::Proved) => Model::MaxN,
        (None, _) => Model::Opposed,
    }
}

impl Agent for DepthFirst {
    fn prepare(&mut self, start: &Position, effort: &Effort) {
        self.search(effort).prepare(&start.state, effort);
    }

    fn choose(&mut self, position: &Position, effort: &Effort) -> Decision {
        self.search(effort).decide(&position.state, effort)
    }
}

/// What judges states.
const EVALUATOR: Setting = Setting {
    name: "eval",
    help: "what judges states",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "goals",
                help: "the goals as they stand, as if the match were over",
                settings: &[],
            },
            FEATURES,
            MOBILITY_EVAL,
            FUZZY_EVAL,
            NETWORK_EVAL,
            CLUNE_EVAL,
        ],
        default: "goals",
    },
};

pub(super) const MOBILITY_EVAL: Alternative = Alternative {
    name: "mobility",
    help: "the own share of all legal moves",
    settings: &[],
};

pub(super) const FUZZY_EVAL: Alternative = Alternative {
    name: "fuzzy",
    help: "how nearly goals hold, by degrees of truth; see flux",
    settings: FUZZY,
};

pub(super) const NETWORK_EVAL: Alternative = Alternative {
    name: "network",
    help: "how nearly goals hold, by a network of neurons; see nexplayer",
    settings: NETWORK,
};

/// The settings of fuzzy evaluation.
pub(super) const FUZZY: &[Setting] = &[TRUTH, EXPONENT, JOINS, STRUCTURES, CHAINS, NEAR];

pub(super) const TRUTH: Setting = Setting {
    name: "p",
    help: "degree of truth of a fluent that holds",
    kind: Kind::Real {
        min: 0.5,
        max: 1.0,
        default: 0.75,
    },
};

pub(super) const EXPONENT: Setting = Setting {
    name: "q",
    help: "exponent of the Yager norm: the greater, the more the greatest degree counts alone",
    kind: Kind::Real {
        min: 1.0,
        max: 100.0,
        default: 15.0,
    },
};

pub(super) const STRUCTURES: Setting = Setting {
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
pub(super) const CHAINS: Setting = chains_setting(true);
pub(super) const COUNTED: Setting = chains_setting(false);

pub(super) const JOINS: Setting = Setting {
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
pub(super) const NEAR: Setting = distance_setting("both");
pub(super) const FAR: Setting = distance_setting("none");

pub(super) fn fuzzy_settings(values: &Values) -> fuzzy::Settings {
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
pub(super) const NETWORK: &[Setting] = &[
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

pub(super) const VERSION: Setting = Setting {
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

pub(super) const NEURONS: Setting = Setting {
    name: "neurons",
    help: "neurons at most; conditions behind them are true or false",
    kind: Kind::Integer {
        min: 0,
        max: 1_000_000,
        default: 512,
    },
};

pub(super) const USUAL: Setting = Setting {
    name: "gamma",
    help: "the goal that is expected if nothing speaks for another",
    kind: Kind::Real {
        min: 0.0,
        max: 100.0,
        default: 50.0,
    },
};

pub(super) const GAP: Setting = Setting {
    name: "gap",
    help: "version 1.1: how much the inputs of a neuron differ at least between true and false",
    kind: Kind::Real {
        min: 1e-6,
        max: 1.999,
        default: 0.1,
    },
};

pub(super) fn network_settings(values: &Values) -> network::Settings {
    network::Settings {
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
pub(super) const RULE_FEATURES: Setting = Setting {
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
        ],
        default: "none",
    },
};

pub(super) const PROBABLE: Setting = Setting {
    name: "probable",
    help: "with features: what a fluent that holds counts where the end is far, if no feature says more",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.95,
    },
};

pub(super) const TIES: Setting = Setting {
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

pub(super) fn feature_settings(values: &Values) -> FeatureSettings {
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
            _ => Kinds::NONE,
        },
        probable: values.real("probable"),
        mobility: matches!(ties, "mobility" | "both"),
        pieces: matches!(ties, "pieces" | "both"),
    }
}
