//! Plays matches of a plan, several at a time.

use super::plan::{Fixture, Plan};
use crate::record::{EndReason, MatchRecord};
use crate::run::play;
use ludens_budget::Budget;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

/// Plays the matches of these numbers on this many threads, and hands the record of each finished match over, in the
/// order in which they end. It goes on until all are played, the budget is spent or `finished` breaks it off; matches
/// that are then under way are dropped.
///
/// Agents under a clock must not take each other's processor: give them one thread.
pub fn run(
    plan: &Plan,
    numbers: &[u64],
    threads: usize,
    budget: &Budget,
    finished: &mut dyn FnMut(Fixture, MatchRecord) -> ControlFlow<()>,
) {
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    // Room for a few records, so that nobody waits for a short delay, and memory is bounded for a long one.
    let (sender, receiver) = sync_channel(64);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, numbers.len().max(1)) {
            let (sender, next, is_over) = (sender.clone(), &next, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) && !budget.is_spent() {
                    let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        return;
                    };
                    let fixture = plan.fixture(number);
                    let record = play(&plan.setup(&fixture, budget));
                    let is_dropped = record.end.reason == EndReason::Interrupted;
                    if is_dropped || sender.send((fixture, record)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        while let Ok((fixture, record)) = receiver.recv() {
            if finished(fixture, record).is_break() {
                is_over.store(true, Ordering::Relaxed);
                break;
            }
        }
        // Who still wants to hand a record over finds nobody and ends.
        drop(receiver);
    });
}
