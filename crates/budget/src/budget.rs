//! Bounds on work.

use crate::{Progress, StopReason, Stopped};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a piece of work. Without any, only cancellation ends it. Work keeps what it has found when it stops.
#[derive(Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    flags: Vec<Arc<AtomicBool>>,
    iterations: Option<u64>,
    nodes: Option<u64>,
    bytes: Option<u64>,
    account: Arc<Account>,
    /// A `Progress<T>` of some `T`.
    observer: Option<Arc<dyn Any + Send + Sync>>,
}

/// Work charged to a budget and its clones.
#[derive(Default)]
struct Account {
    nodes: AtomicU64,
    /// Bytes held by the work itself.
    own_bytes: AtomicU64,
    /// Those and the bytes held by children.
    bytes: AtomicU64,
    parent: Option<Budget>,
}

impl Budget {
    /// A budget without a deadline, cancelled by setting `flag`.
    pub fn until_cancelled(flag: Arc<AtomicBool>) -> Budget {
        Budget::default().or_cancelled(flag)
    }

    /// A budget of at most `most` iterations. What an iteration is depends on the work; for a search it is about one
    /// playout.
    pub fn iterations(most: u64) -> Budget {
        Budget::default().with_iterations(most)
    }

    /// The same budget, ending after `time` at the latest.
    pub fn within(&self, time: Duration) -> Budget {
        match Instant::now().checked_add(time) {
            Some(moment) => self.until(moment),
            None => self.clone(),
        }
    }

    /// The same budget, ending at `moment` at the latest.
    pub fn until(&self, moment: Instant) -> Budget {
        Budget {
            deadline: Some(self.deadline.map_or(moment, |deadline| deadline.min(moment))),
            ..self.clone()
        }
    }

    /// The same budget, ending after a share of the remaining time. Without a deadline there is nothing to share.
    pub fn share(&self, share: f64) -> Budget {
        match self.time_left() {
            Some(left) => self.within(left.mul_f64(share)),
            None => self.clone(),
        }
    }

    /// The same budget with a deadline that is later by `grace`. This is for a caller that waits for work under the
    /// budget itself.
    pub fn extended(&self, grace: Duration) -> Budget {
        Budget {
            deadline: self.deadline.and_then(|deadline| deadline.checked_add(grace)),
            ..self.clone()
        }
    }

    /// The same budget, also cancelled by setting `flag`. Flags given before still count.
    pub fn or_cancelled(&self, flag: Arc<AtomicBool>) -> Budget {
        let mut budget = self.clone();
        budget.flags.push(flag);
        budget
    }

    /// The same budget with at most `most` iterations.
    pub fn with_iterations(self, most: u64) -> Budget {
        Budget {
            iterations: Some(most),
            ..self
        }
    }

    /// The same budget with at most `most` nodes or states in memory.
    pub fn with_nodes(self, most: u64) -> Budget {
        Budget {
            nodes: Some(most),
            ..self
        }
    }

    /// The same budget with at most `most` bytes of accounted memory.
    pub fn with_bytes(self, most: u64) -> Budget {
        Budget {
            bytes: Some(most),
            ..self
        }
    }

    /// The same deadline, flags and observer, without bounds on iterations, nodes and bytes. For parts of some work
    /// that count something else than the whole does.
    pub fn uncounted(&self) -> Budget {
        Budget {
            iterations: None,
            nodes: None,
            bytes: None,
            ..self.clone()
        }
    }

    /// The part of the budget for one of `count` workers that run at the same time: its share of the iterations and
    /// nodes. `number` counts the workers from 0.
    pub fn part(&self, number: u64, count: u64) -> Budget {
        Budget {
            iterations: self
                .iterations
                .map(|most| most / count + u64::from(number < most % count)),
            nodes: self.nodes.map(|most| (most / count).max(1)),
            ..self.clone()
        }
    }

    /// A budget with an account of its own: what is charged to it is charged to this budget too, and a bound that this
    /// budget meets stops the child.
    pub fn child(&self) -> Budget {
        Budget {
            account: Arc::new(Account {
                parent: Some(self.clone()),
                ..Account::default()
            }),
            ..self.clone()
        }
    }

    /// The same budget, with snapshots of type `T` reported to `progress` and those of other types to nobody.
    pub fn observed_by<T: 'static>(self, progress: Progress<T>) -> Budget {
        Budget {
            observer: Some(Arc::new(progress)),
            ..self
        }
    }

    /// The same budget without an observer.
    pub fn unobserved(self) -> Budget {
        Budget { observer: None, ..self }
    }

    /// Offers a snapshot of the work to the observer. It is made only if there is an observer of `T` and a report is
    /// due, so this can be called often. Making it must not change the work.
    pub fn report<T: 'static>(&self, snapshot: impl FnOnce() -> T) {
        let observer = self.observer.as_ref();
        if let Some(progress) = observer.and_then(|observer| observer.downcast_ref::<Progress<T>>()) {
            progress.report(snapshot);
        }
    }

    /// Returns the deadline, if any.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the time until the deadline, if any.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Maximum number of iterations, if bounded.
    pub fn most_iterations(&self) -> Option<u64> {
        self.iterations
    }

    /// Maximum number of nodes, if bounded.
    pub fn most_nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// Maximum number of bytes, if bounded.
    pub fn most_bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the work was cancelled or the deadline has passed.
    pub fn is_spent(&self) -> bool {
        self.is_cancelled() || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns why work that has done `iterations` must stop now, if it must. Bounds on nodes and bytes are for
    /// [`Budget::check`]: a search whose tree is full goes on without new nodes.
    pub fn stop(&self, iterations: u64) -> Option<StopReason> {
        match self.iterations.is_some_and(|most| iterations >= most) {
            true => Some(StopReason::Iterations),
            false => self.interruption(),
        }
    }

    /// Returns why uncounted work must stop now, if it must.
    pub fn interruption(&self) -> Option<StopReason> {
        if self.is_cancelled() {
            Some(StopReason::Interrupted)
        } else if self.is_late() {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }

    /// Charges nodes or states to this budget and to its parents.
    pub fn charge_nodes(&self, count: u64) {
        self.account.nodes.fetch_add(count, Ordering::Relaxed);
        if let Some(parent) = &self.account.parent {
            parent.charge_nodes(count);
        }
    }

    /// Sets the number of bytes that the work of this budget holds now. Parents are charged the difference to the last
    /// call.
    pub fn hold_bytes(&self, bytes: u64) {
        let before = self.account.own_bytes.swap(bytes, Ordering::Relaxed);
        // Wrapping addition of the difference: the sum never is negative.
        self.change_bytes(bytes.wrapping_sub(before));
    }

    fn change_bytes(&self, difference: u64) {
        self.account.bytes.fetch_add(difference, Ordering::Relaxed);
        if let Some(parent) = &self.account.parent {
            parent.change_bytes(difference);
        }
    }

    /// Nodes charged so far.
    pub fn nodes_charged(&self) -> u64 {
        self.account.nodes.load(Ordering::Relaxed)
    }

    /// Bytes held now, those of children included.
    pub fn bytes_held(&self) -> u64 {
        self.account.bytes.load(Ordering::Relaxed)
    }

    /// Returns why work must stop now, if it must: by the clock, the flags, or what was charged to this budget or a
    /// parent.
    pub fn check(&self) -> Option<Stopped> {
        let met = |most: Option<u64>, used: u64| most.filter(|&most| used > most);
        if let Some(reason) = self.interruption() {
            return Some(reason.into());
        }
        let nodes = met(self.nodes, self.nodes_charged()).map(Stopped::nodes);
        let bytes = || met(self.bytes, self.bytes_held()).map(Stopped::memory);
        let parent = || self.account.parent.as_ref().and_then(Budget::check);
        nodes.or_else(bytes).or_else(parent)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("deadline", &self.deadline)
            .field("cancelled", &self.is_cancelled())
            .field("iterations", &self.iterations)
            .field("nodes", &self.nodes)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_flag_cancels_the_work() {
        let flags: [Arc<AtomicBool>; 3] = Default::default();
        for number in 0..flags.len() {
            let [first, second, third] = &flags;
            let budget = Budget::until_cancelled(first.clone())
                .or_cancelled(second.clone())
                .or_cancelled(third.clone());
            assert!(!budget.is_spent());
            flags[number].store(true, Ordering::Relaxed);
            assert!(budget.is_spent() && budget.is_cancelled());
            assert_eq!(budget.check(), Some(StopReason::Interrupted.into()));
            flags[number].store(false, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_first_bound_that_is_met_stops_the_work() {
        let flag = Arc::new(AtomicBool::new(false));
        let endless = Budget::until_cancelled(flag.clone());
        assert_eq!(endless.stop(u64::MAX), None);
        let counted = endless.clone().with_iterations(3);
        assert_eq!((counted.stop(2), counted.stop(3)), (None, Some(StopReason::Iterations)));
        let late = endless.within(Duration::ZERO);
        assert_eq!(late.stop(0), Some(StopReason::Deadline));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(late.stop(0), Some(StopReason::Interrupted));
    }

    #[test]
    fn a_derived_budget_never_ends_later() {
        let hour = Duration::from_secs(3600);
        let budget = Budget::default().within(hour);
        assert_eq!(budget.within(2 * hour).deadline(), budget.deadline());
        assert_eq!(budget.within(Duration::MAX).deadline(), budget.deadline());
        assert!(budget.share(0.5).deadline() < budget.deadline());
        assert!(budget.extended(hour).deadline() > budget.deadline());
        assert_eq!(Budget::default().share(0.5).deadline(), None);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let budget = Budget::iterations(10).with_nodes(2);
        let parts: Vec<Budget> = (0..3).map(|number| budget.part(number, 3)).collect();
        let iterations = parts.iter().filter_map(Budget::most_iterations);
        assert_eq!(iterations.collect::<Vec<_>>(), [4, 3, 3]);
        assert!(parts.iter().all(|part| part.most_nodes() == Some(1)));
        assert_eq!(budget.uncounted().most_iterations(), None);
    }

    #[test]
    fn children_report_their_work_to_their_parent() {
        let parent = Budget::default().with_nodes(10).with_bytes(100);
        let (one, other) = (parent.child().with_nodes(6), parent.child());
        one.charge_nodes(6);
        assert_eq!((one.check(), parent.nodes_charged()), (None, 6));
        other.charge_nodes(4);
        assert_eq!(
            (other.check(), other.nodes_charged(), parent.nodes_charged()),
            (None, 4, 10)
        );
        one.charge_nodes(1);
        assert_eq!(one.check(), Some(Stopped::nodes(6)));
        // The parent's bound stops the other child too.
        assert_eq!(other.check(), Some(Stopped::nodes(10)));
        let (one, other) = (parent.uncounted().with_bytes(100).child(), parent.child());
        one.hold_bytes(90);
        other.hold_bytes(50);
        one.hold_bytes(40);
        assert_eq!(
            (one.bytes_held(), other.bytes_held(), parent.bytes_held()),
            (40, 50, 90)
        );
        one.hold_bytes(60);
        assert_eq!(one.check(), Some(Stopped::memory(100)));
    }

    #[test]
    fn observers_see_snapshots_of_their_type_when_they_are_due() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let observed = |interval| {
            let seen = seen.clone();
            let progress = Progress::every(interval, move |number: &u32| seen.lock().unwrap().push(*number));
            Budget::default().observed_by(progress)
        };
        observed(Duration::from_secs(3600)).report(|| -> u32 { panic!("it is not time yet") });
        let always = observed(Duration::ZERO);
        always.report(|| 1u32);
        always.report(|| -> &'static str { panic!("nobody observes texts") });
        always.within(Duration::ZERO).child().report(|| 2u32);
        always
            .clone()
            .unobserved()
            .report(|| -> u32 { panic!("nobody observes") });
        assert_eq!(*seen.lock().unwrap(), [1, 2]);
    }
}
