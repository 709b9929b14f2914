//! What a whole game is worth under best play, exactly.
//!
//! [`solve`] finds all states that play can reach and, backwards from the ends, what each of them is worth if every role
//! plays its best. Two methods give the same answers: [`explicit`] keeps every state, [`symbolic`] keeps sets of states
//! as decision diagrams. What was found is a [`Report`] for people and a [`Solution`] for players and judges.
//!
//! Both methods mean the same by "best", which [`order`] says, and by "classified":
//!
//! * A terminal state has the goals that hold there.
//! * Where one role chooses, a state is classified when all its successors are, and has the value of the one that its
//!   role likes best. It is also classified when a successor is worth 100 to that role and nothing that occurs is liked
//!   better: then nothing that play might still bring can be better, not even a match without end.
//! * In games of a single role, matches without end count as worse than any end: a state has the best value of the
//!   terminal states that can be reached from it.
//! * All other states stay unclassified: what they are worth depends on what a match without end is worth, of which the
//!   rules say nothing.

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

/// Bytes that may be held if the budget does not bound them.
const MEMORY: u64 = 8 << 30;

/// Bytes that may be held.
pub(crate) fn memory(budget: &Budget) -> usize {
    usize::try_from(budget.most_bytes().unwrap_or(MEMORY)).unwrap_or(usize::MAX)
}

/// Lines of best play are not followed any further.
const LONGEST_LINE: usize = 1_000;

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Whichever a short trial finds better.
    #[default]
    Auto,
    /// Sets of states as decision diagrams.
    Symbolic,
    /// Every state by itself.
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

/// What to find out, and with how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How.
    pub method: Method,
    /// What roles like.
    pub order: Order,
    /// Whether to find the reachable states only, not what they are worth.
    pub reachable_only: bool,
    /// Threads that may be used.
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

/// Why a game cannot be solved at all. Limits are no errors: they leave a partial [`Report`].
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

/// Solves a game within a budget, which bounds the bytes that may be held and the states that may be found one by one; sets
/// of states know no bound on states. It reports [`Status`].
///
/// When a limit is hit, the report says which, and has what was found until then; a solution is given if any state is
/// worth knowing.
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

/// Adds what follows from a solution to a report.
fn finished(game: &Game, mut report: Report, solution: Option<Solution>) -> (Report, Option<Solution>) {
    if let Some(solution) = solution.as_ref().filter(|_| report.line.is_empty()) {
        report.line = solution.best_line(game, game.initial(), LONGEST_LINE);
    }
    (report, solution)
}
