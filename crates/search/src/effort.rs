//! How long a search may go on.
//!
//! The deadline and the way to be interrupted are an engine [`Budget`]; searches add counts to it. With counts alone a
//! search is the same whenever it starts from the same seed, with a deadline it is not. Whoever waits for a search can
//! watch it: searchers show what they think from time to time, which changes nothing about what they come to.

use crate::decision::{Decision, StopReason};
use ludens_engine::Budget;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bounds on a search. Whatever bound is met first ends it; without any, only an interrupt does.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    budget: Budget,
    iterations: Option<u64>,
    nodes: Option<u64>,
    observer: Option<Arc<Observer>>,
}

/// Who watches a search.
struct Observer {
    interval: Duration,
    /// When it is to be shown something next.
    due: Mutex<Instant>,
    show: Box<dyn Fn(&Decision) + Send + Sync>,
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

impl Effort {
    /// Bounded by a deadline or an interrupt.
    pub fn new(budget: Budget) -> Effort {
        Effort {
            budget,
            iterations: None,
            nodes: None,
            observer: None,
        }
    }

    /// Bounded by a number of iterations. What an iteration is depends on the search; it plays about one match to its
    /// end.
    pub fn iterations(most: u64) -> Effort {
        Effort::default().with_iterations(most)
    }

    /// The same with another deadline and another way to be interrupted.
    pub fn with_budget(self, budget: Budget) -> Effort {
        Effort { budget, ..self }
    }

    /// The same without anyone who watches.
    pub fn unobserved(self) -> Effort {
        Effort { observer: None, ..self }
    }

    /// The same with at most so many iterations.
    pub fn with_iterations(self, most: u64) -> Effort {
        Effort {
            iterations: Some(most),
            ..self
        }
    }

    /// The same with at most so many nodes in memory.
    pub fn with_nodes(self, most: u64) -> Effort {
        Effort {
            nodes: Some(most),
            ..self
        }
    }

    /// The same, shown to `show` in intervals, as the decision that would be made if the search ended then. The first
    /// time is after one interval.
    pub fn with_observer(self, interval: Duration, show: impl Fn(&Decision) + Send + Sync + 'static) -> Effort {
        let observer = Observer {
            interval,
            due: Mutex::new(Instant::now() + interval),
            show: Box::new(show),
        };
        Effort {
            observer: Some(Arc::new(observer)),
            ..self
        }
    }

    /// For searchers to call often: shows what is known now, if somebody watches and it is time to. Making the snapshot
    /// must not change anything about the search.
    pub fn observe(&self, snapshot: impl FnOnce() -> Decision) {
        let Some(observer) = &self.observer else {
            return;
        };
        let now = Instant::now();
        {
            let mut due = observer.due.lock().unwrap_or_else(PoisonError::into_inner);
            if now < *due {
                return;
            }
            *due = now + observer.interval;
        }
        (observer.show)(&snapshot());
    }

    /// The deadline and the interrupt.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The greatest number of iterations.
    pub fn most_iterations(&self) -> Option<u64> {
        self.iterations
    }

    /// The greatest number of nodes.
    pub fn most_nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// How much time is left, if there is a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.budget.deadline()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Why a search that has made so many iterations has to stop now, if it has to.
    pub fn stop(&self, iterations: u64) -> Option<StopReason> {
        if self.iterations.is_some_and(|most| iterations >= most) {
            Some(StopReason::Iterations)
        } else if self.budget.is_cancelled() {
            Some(StopReason::Interrupted)
        } else if self.budget.is_spent() {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_first_bound_that_is_met_ends_the_search() {
        let flag = Arc::new(AtomicBool::new(false));
        let endless = Effort::new(Budget::until_cancelled(flag.clone()));
        assert_eq!(endless.stop(u64::MAX), None);
        let counted = endless.clone().with_iterations(3);
        assert_eq!((counted.stop(2), counted.stop(3)), (None, Some(StopReason::Iterations)));
        let late = Effort::new(endless.budget().within(Duration::ZERO));
        assert_eq!(late.stop(0), Some(StopReason::Deadline));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(late.stop(0), Some(StopReason::Interrupted));
    }

    #[test]
    fn observers_are_shown_something_when_it_is_time() {
        use ludens_engine::MoveId;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watch = |interval| {
            let seen = seen.clone();
            Effort::default().with_observer(interval, move |decision: &Decision| {
                seen.lock().unwrap().push(decision.choice)
            })
        };
        let decision = |choice| Decision::without_search(MoveId(choice), StopReason::OnlyMove);
        let rarely = watch(Duration::from_secs(3600));
        rarely.observe(|| panic!("it is not time yet"));
        let always = watch(Duration::ZERO);
        always.observe(|| decision(1));
        always.clone().observe(|| decision(2));
        Effort::default().observe(|| panic!("nobody watches"));
        assert_eq!(*seen.lock().unwrap(), [MoveId(1), MoveId(2)]);
    }
}
