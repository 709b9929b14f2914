//! Restricted Nash responses: taking advantage of others as far as they are trusted to be what they seem.

use super::AgentKind;
use super::against::{Against, Aim, MEMORY, MODEL, STATES};
use super::uct::THREADS;
use crate::settings::{Alternative, Kind, Setting};
use ludens_equilibrium::exploit::Coin;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "rnr",
    summary: "plays the restricted Nash response to a model of the others, where the graph of the game can be built",
    settings: &[MODEL, TRUST, COIN, STATES, MEMORY, THREADS],
    create: |place, values| {
        let p = values.real("p");
        let coin = match values.choice("coin").0 {
            "state" => Coin::State,
            _ => Coin::Match,
        };
        Box::new(Against::new(place, values, |_| Aim::Restricted { p, coin }))
    },
};

const TRUST: Setting = Setting {
    name: "p",
    help: "how likely the others are taken to be as the model says; 1 is a best response, 0 an equilibrium",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.5,
    },
};

const COIN: Setting = Setting {
    name: "coin",
    help: "when it is taken to be decided whether they are",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "match",
                help: "once for the whole match",
                settings: &[],
            },
            Alternative {
                name: "state",
                help: "anew in every state",
                settings: &[],
            },
        ],
        default: "match",
    },
};
