//! Guided UCT: the tree search of `uct`, guided by a function of features that is made before every match.

use super::AgentKind;
use super::uct::{SETTINGS, create};
use crate::settings::{Alternative, Kind, Setting, Values};
use ludens_engine::{Game, StepCost};
use ludens_evaluate::learned::features::{Options, Weights};
use ludens_evaluate::learned::sample::Sampling;

/// The same searcher and the same settings as `uct`; only two defaults differ.
pub(super) const AGENT: AgentKind = AgentKind {
    name: "guct",
    summary: "tree search guided by features: random matches end early, judged by what was found to go along with goals",
    settings: &GUIDED,
    create,
};

/// The settings of `uct` with other defaults.
const GUIDED: [Setting; SETTINGS.len()] = {
    let mut guided = [SETTINGS[0]; SETTINGS.len()];
    let mut place = 0;
    while place < guided.len() {
        guided[place] = with_default(SETTINGS[place]);
        place += 1;
    }
    guided
};

const fn with_default(setting: Setting) -> Setting {
    let kind = match setting.kind {
        Kind::Choice { options, .. } if is_same(setting.name, "eval") => Kind::Choice {
            options,
            default: FEATURES.name,
        },
        Kind::Real { min, max, .. } if is_same(setting.name, "stop") => Kind::Real { min, max, default: 0.1 },
        kind => kind,
    };
    Setting { kind, ..setting }
}

/// Whether two names are the same, for constants.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut place = 0;
    while place < a.len() && place < b.len() && a[place] == b[place] {
        place += 1;
    }
    place == a.len() && place == b.len()
}

/// A function of features, as an evaluator to choose.
pub(super) const FEATURES: Alternative = Alternative {
    name: "features",
    help: "a function of expressions over fluents that go along with the goals of random matches",
    settings: &[
        Setting {
            name: "share",
            help: "the share of the start clock that finding it may take",
            kind: Kind::Real {
                min: 0.0,
                max: 1.0,
                default: 0.3,
            },
        },
        Setting {
            name: "sequences",
            help: "sequences of states that are drawn from random matches; 0: 2000, fewer where matches are slow",
            kind: Kind::Integer {
                min: 0,
                max: 10_000_000,
                default: 0,
            },
        },
        Setting {
            name: "length",
            help: "states of a sequence",
            kind: Kind::Integer {
                min: 1,
                max: 1_000,
                default: 4,
            },
        },
        Setting {
            name: "apart",
            help: "steps from one state of a sequence to the next",
            kind: Kind::Integer {
                min: 1,
                max: 1_000,
                default: 1,
            },
        },
        Setting {
            name: "playouts",
            help: "random matches from the last state of a sequence",
            kind: Kind::Integer {
                min: 1,
                max: 100_000,
                default: 8,
            },
        },
        Setting {
            name: "count",
            help: "features in the function of a role",
            kind: Kind::Integer {
                min: 1,
                max: 200,
                default: 30,
            },
        },
        Setting {
            name: "pool",
            help: "expressions that are looked at",
            kind: Kind::Integer {
                min: 1,
                max: 1_000_000,
                default: 5_000,
            },
        },
        Setting {
            name: "compounds",
            help: "whether differences and ratios of expressions are looked at too",
            kind: Kind::Flag { default: true },
        },
        Setting {
            name: "weights",
            help: "how the weights of features are found",
            kind: Kind::Choice {
                options: &[
                    Alternative {
                        name: "product",
                        help: "stability times correlation",
                        settings: &[],
                    },
                    Alternative {
                        name: "fitted",
                        help: "those that fit the goals best together",
                        settings: &[],
                    },
                ],
                default: "product",
            },
        },
    ],
};

/// How to find features, and the share of the start clock that this may take.
pub(super) fn features(game: &Game, values: &Values, most_steps: usize) -> (Options, f64) {
    let options = Options {
        sampling: Sampling {
            sequences: match values.count("sequences") {
                0 => usual_sequences(game),
                sequences => sequences,
            },
            length: values.count("length"),
            apart: values.count("apart"),
            playouts: values.count("playouts") as u32,
            most_steps,
        },
        features: values.count("count"),
        expressions: values.count("pool"),
        compounds: values.flag("compounds"),
        weights: match values.choice("weights").0 {
            "fitted" => Weights::Fitted,
            _ => Weights::Product,
        },
    };
    (options, values.real("share"))
}

/// Without a clock, what matches cost is estimated by the size of the game.
pub(super) fn usual_sequences(game: &Game) -> usize {
    match game.engine().step_cost() {
        StepCost::High => 1_000,
        StepCost::VeryHigh => 400,
        StepCost::Interpreted => 100,
        _ => 2_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Value;

    #[test]
    fn two_defaults_differ_from_those_of_uct() {
        let changed = GUIDED.iter().zip(SETTINGS).filter(|(own, others)| {
            assert_eq!(own.name, others.name);
            own.default() != others.default()
        });
        let changed: Vec<&str> = changed.map(|(own, _)| own.name).collect();
        assert_eq!(changed, ["eval", "stop"]);
        let values = Values::defaults(&GUIDED);
        assert_eq!(values.real("stop"), 0.1);
        let features = Value::Choice("features", Values::defaults(FEATURES.settings));
        let eval = GUIDED.iter().find(|setting| setting.name == "eval");
        assert_eq!(eval.map(Setting::default), Some(features));
    }
}
