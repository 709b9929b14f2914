//! Bounds on work, the reason why work stopped, and reports on its progress.
//!
//! Everything whose length depends on its input takes a [`Budget`] and asks it whether to go on. A budget has a
//! deadline, flags that cancel it, and bounds on iterations, nodes and bytes. The first bound that is met ends the
//! work; [`StopReason`] names it, and [`Stopped`] puts it in a sentence. Budgets are cheap to clone. A budget derived
//! from another is never looser:
//!
//! ```
//! use ludens_budget::{Budget, StopReason};
//! use std::time::Duration;
//!
//! let match_budget = Budget::default().within(Duration::from_secs(60));
//! let opening = match_budget.share(0.1);
//! assert!(opening.deadline() < match_budget.deadline());
//! assert_eq!(Budget::iterations(100).stop(100), Some(StopReason::Iterations));
//! ```
//!
//! Progress travels with the budget, so it needs no parameter of its own: the caller attaches a [`Progress`] for the
//! kind of snapshot it wants to see, and work at any depth offers snapshots with [`Budget::report`]. A snapshot of
//! another kind is not made at all, so nested work of another kind (a solver within a search) stays silent.
//!
//! With counts alone work gives the same result every time it starts from the same seed; with a deadline it does not.
//! Reports never change a result.

mod budget;
mod progress;
mod stop;

pub use budget::Budget;
pub use progress::Progress;
pub use stop::{StopReason, Stopped};
