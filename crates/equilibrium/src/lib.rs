//! Equilibria of games in which roles move at the same time.
//!
//! Where roles choose at once, no single move is best: a role that can be foreseen can be beaten, so it has to mix its
//! moves. This crate finds mixtures that nobody can take advantage of, and says exactly how far they are from that:
//!
//! * [`graph`] is the game as a graph of joint moves in flat arrays, to the ends or to a depth;
//! * [`Strategy`] says how roles mix their moves at every node of a graph;
//! * [`passes`] has the two sweeps everything is made of: values from the ends, reach from the root;
//! * [`cfr`] learns strategies by regret, as a number of variants;
//! * [`response`] finds best responses, and so how much can be gained against strategies;
//! * [`backward`] solves graphs exactly, for comparison;
//! * [`curve`] follows how strategies get better;
//! * [`leaves`] values what lies at the end of graphs that are not grown to the ends, by playouts;
//! * [`sampling`] learns from drawn matches, on graphs or without;
//! * [`Solver`] puts these together for use in a match;
//! * [`exploit`] takes advantage of opponents that are known, and says what that costs.
//!
//! In games of two roles whose goals have a constant sum, mixtures that nobody can take advantage of are unique in value
//! and safe for each role by itself. With more roles or other sums they are neither: [`caveat`] says so in words.

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

/// Why equilibria of a game cannot be looked for. Limits are no errors: they leave what was found until then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquilibriumError {
    /// The kind of game has no such equilibria, or they cannot be found in this way.
    #[error("{0}")]
    Unsuitable(String),
    /// Matches can come back to a state that was left.
    #[error(
        "matches can return to states that were left ({unordered} of {states} states lie on such cycles or behind them), \
         so there is no order in which states could be valued; give a depth to look ahead a number of steps"
    )]
    Cycles {
        /// States that were found.
        states: usize,
        /// Those of them that lie on cycles or behind them.
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

/// What has to be said about equilibria of games of this kind, if anything.
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
