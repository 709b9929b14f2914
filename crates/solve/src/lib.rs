//! Exact values of games under best play.
//!
//! [`solve`] finds all reachable states and computes, from the terminal states back, the value of each under best play.
//! Two methods give the same answers: [`explicit`] stores every state, [`symbolic`] stores sets of states as decision
//! diagrams. The results are a [`Report`] for people and a [`Solution`] for agents and for judging matches.
//!
//! Both methods define "best" by [`order`], and "classified" as follows:
//!
//! * The value of a terminal state is the goals that hold there.
//! * A state in which one role chooses is classified when all its successors are, and has the value of the successor
//!   that the role prefers. It is also classified when a successor gives the role 100 and no outcome of the game is
//!   better for the role: then not even an infinite match could be better.
//! * In games with a single role, infinite matches count as worse than any terminal state: the value of a state is the
//!   best value of the terminal states that can be reached from it.
//! * All other states stay unclassified, because the rules give infinite matches no value.

mod auto;
pub mod explicit;
mod file;
pub mod matrix;
pub mod order;
mod position;
mod report;
mod solution;
pub mod symbolic;

use ludens_budget::Budget;
pub use ludens_reach::{Phase, ReachError, Status};
pub use order::Order;
pub use position::{JointValue, Position};
pub use report::{Bucket, Report};
pub use solution::Solution;

use ludens_engine::Game;

/// Maximum number of bytes if the budget has no bound.
const MEMORY: u64 = 8 << 30;

/// Returns the maximum number of bytes.
pub(crate) fn memory(budget: &Budget) -> usize {
    usize::try_from(budget.most_bytes().unwrap_or(MEMORY)).unwrap_or(usize::MAX)
}

/// Maximum length of a line of best play.
const LONGEST_LINE: usize = 1_000;

/// A method of solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// The better one according to a short trial.
    #[default]
    Auto,
    /// Sets of states as decision diagrams.
    Symbolic,
    /// States one by one.
    Explicit,
}

impl Method {
    /// The method as one word.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Symbolic => "symbolic",
            Method::Explicit => "explicit",
        }
    }
}

/// Settings of a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Method.
    pub method: Method,
    /// Preferences of the roles.
    pub order: Order,
    /// Whether to count the reachable states without computing values.
    pub reachable_only: bool,
    /// Maximum number of threads.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: Method::Auto,
            order: Order::Own,
            reachable_only: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// Why a game cannot be solved at all. Limits of the budget are no errors: they leave a partial [`Report`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The method cannot be used for games of this kind.
    #[error("{game} cannot be solved with the {method} method: {cause}")]
    Unsuitable {
        /// The game.
        game: String,
        /// The method.
        method: &'static str,
        /// Why.
        cause: String,
    },
    /// No method can be used for games of this kind.
    #[error("{game} cannot be solved: {cause}")]
    Unsolvable {
        /// The game.
        game: String,
        /// Why.
        cause: String,
    },
    /// The states cannot be enumerated.
    #[error(transparent)]
    States(#[from] ReachError),
}

/// An error if no method can solve a game.
pub(crate) fn check(game: &Game) -> Result<(), SolveError> {
    ludens_reach::refusal(game).map_or(Ok(()), |cause| {
        Err(SolveError::Unsolvable {
            game: game.name().to_string(),
            cause: cause.to_string(),
        })
    })
}

/// Solves a game within a budget, which bounds bytes and, for the explicit method, states. Progress is reported as
/// [`Status`].
///
/// If a limit is hit, the report names it and contains what was found until then. There is a solution if the value of
/// any state is known.
pub fn solve(game: &Game, options: &Options, budget: &Budget) -> Result<(Report, Option<Solution>), SolveError> {
    match options.method {
        Method::Symbolic => {
            let (report, solution) = symbolic::solve(game, options, budget)?;
            Ok(finished(game, report, solution.map(Solution::Symbolic)))
        }
        Method::Explicit => {
            let (report, solution) = explicit::solve(game, options, budget)?;
            Ok(finished(game, report, solution.map(Solution::Explicit)))
        }
        Method::Auto => auto::solve(game, options, budget),
    }
}

/// Adds the line of best play to a report.
fn finished(game: &Game, mut report: Report, solution: Option<Solution>) -> (Report, Option<Solution>) {
    if let Some(solution) = solution.as_ref().filter(|_| report.line.is_empty()) {
        report.line = solution.best_line(game, game.initial(), LONGEST_LINE);
    }
    (report, solution)
}
