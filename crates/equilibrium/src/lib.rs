//! Equilibria of games with simultaneous moves.
//!
//! If roles choose simultaneously, a predictable role can be beaten, so good strategies are mixed. This crate computes
//! equilibria and measures how far strategies are from one:
//!
//! * [`graph`] is the game as a graph of joint moves in flat arrays, to the terminal states or to a depth;
//! * [`Strategy`] has the probability of every move at every node of a graph;
//! * [`passes`] has the two basic sweeps: values from the terminal states back, reach probabilities from the root;
//! * [`cfr`] is counterfactual regret minimisation in several variants;
//! * [`response`] computes best responses and exploitability;
//! * [`backward`] solves graphs exactly;
//! * [`curve`] records how strategies improve with iterations;
//! * [`leaves`] estimates the leaves of depth-limited graphs by playouts;
//! * [`sampling`] is regret minimisation by sampling, with or without a graph;
//! * [`Solver`] combines these for use in a match;
//! * [`exploit`] computes strategies against a model of the opponents.
//!
//! In games of two roles with a constant sum, all equilibria have the same value, and an equilibrium strategy
//! guarantees it. With more roles or other sums neither is so; [`caveat`] explains this.

pub mod backward;
pub mod cfr;
pub mod curve;
pub mod exploit;
pub mod graph;
pub mod leaves;
pub mod passes;
pub mod response;
pub mod sampling;
mod solver;
mod strategy;

pub use cfr::{Cfr, Settings, Variant};
pub use graph::{Graph, GraphOptions, Growth, Run, Sketch, Work, grow};
pub use leaves::{Estimation, Leaves};
pub use response::{Assessment, Response, assess, best_response};
pub use sampling::{Online, Sampler, Sampling};
pub use solver::{Solver, SolverSettings, When};
pub use strategy::{Start, Strategy, draw, normalise};

pub use ludens_reach::{NodeKind, Phase, ReachError, Status};

use ludens_engine::Game;

/// Why equilibria of a game cannot be computed. Limits of the budget are no errors: they leave a partial result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquilibriumError {
    /// The game is not supported, or not by this method.
    #[error("{0}")]
    Unsuitable(String),
    /// Play can return to an earlier state.
    #[error(
        "play can return to earlier states ({unordered} of {states} states are on cycles or after them), so values cannot \
         be computed backwards; set a depth to look a number of steps ahead"
    )]
    Cycles {
        /// Number of states.
        states: usize,
        /// Number of states on cycles or reachable only through them.
        unordered: usize,
    },
    /// The states cannot be enumerated.
    #[error(transparent)]
    States(#[from] ReachError),
}

/// An error if equilibria of a game cannot be computed.
pub(crate) fn check(game: &Game) -> Result<(), EquilibriumError> {
    ludens_reach::refusal(game).map_or(Ok(()), |cause| {
        let name = game.name();
        Err(EquilibriumError::Unsuitable(format!(
            "equilibria of {name} cannot be computed: {cause}"
        )))
    })
}

/// Returns a warning about what equilibria mean in games of this kind, if one is needed.
pub fn caveat(graph: &Graph) -> Option<&'static str> {
    match (graph.roles(), graph.sum()) {
        (2, Some(_)) if graph.has_loops() => Some(
            "there are joint moves that change nothing, after which roles choose again, as often as it takes: whoever can \
             wait for a rare mistake gains by it, so that the exploitability of strategies that were learned stays large; \
             lp is exact, and with a depth only that many steps count",
        ),
        (0 | 1, _) | (2, Some(_)) => None,
        (2, None) => Some(
            "the goals of the two roles have no constant sum: regret minimisation need not reach a Nash equilibrium, \
             different equilibria can have different values, and a strategy guarantees nothing by itself; nash_conv is \
             what the roles together could gain by each leaving the strategies alone",
        ),
        _ => Some(
            "there are more than two roles: regret minimisation need not reach a Nash equilibrium, different equilibria \
             can have different values, and a strategy guarantees nothing by itself; nash_conv is what the roles together \
             could gain by each leaving the strategies alone",
        ),
    }
}
