//! The best response to a model in some matches, an equilibrium in the others.

use super::AgentKind;
use super::against::{Against, Aim, MEMORY, MODEL, STATES};
use super::uct::THREADS;
use crate::settings::{Kind, Setting};
use ludens_equilibrium::exploit::Coin;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "mixed",
    summary: "plays the best response to a model of the others in some matches, an equilibrium in the others",
    settings: &[MODEL, SHARE, STATES, MEMORY, THREADS],
    create: |place, values| {
        let lambda = values.real("lambda");
        Box::new(Against::new(place, values, |rng| Aim::Restricted {
            // Decided once for the match.
            p: f64::from(u8::from(rng.f64() < lambda)),
            coin: Coin::Match,
        }))
    },
};

const SHARE: Setting = Setting {
    name: "lambda",
    help: "the probability of the best response",
    kind: Kind::Real {
        min: 0.0,
        max: 1.0,
        default: 0.5,
    },
};
