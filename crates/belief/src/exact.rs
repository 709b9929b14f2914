//! The exact update: all joint moves in all worlds.

use crate::steps::{Request, Seen, Steps};
use crate::world::{Collection, World};
use ludens_budget::Budget;

/// Worlds that are looked at at once.
const AT_ONCE: usize = 512;

/// Steps that are made at once.
const FLUSH: usize = 16_384;

/// Why there is no exact belief.
pub(crate) enum NotExact {
    /// More steps or worlds than allowed, or the time is up.
    TooMany,
    /// No world agrees with what was seen.
    Unexplained,
}

/// All worlds that agree with what was seen, from all worlds before.
pub(crate) fn update(
    steps: &mut Steps,
    worlds: &[World],
    seen: Seen<'_>,
    most: u64,
    budget: &Budget,
) -> Result<Vec<World>, NotExact> {
    let mut collection = Collection::default();
    let mut candidates = 0u64;
    let mut requests: Vec<Request> = Vec::new();
    for (block, part) in worlds.chunks(AT_ONCE).enumerate() {
        for (index, choices) in steps.choices(part, seen.own).iter().enumerate() {
            candidates = candidates.saturating_add(choices.count());
            if candidates > most {
                return Err(NotExact::TooMany);
            }
            choices
                .each(&mut |joint, probability| requests.push((block * AT_ONCE + index, joint.to_vec(), probability)));
        }
        if requests.len() >= FLUSH {
            flush(steps, worlds, &mut requests, seen, &mut collection);
            budget.hold_bytes(collection.bytes);
            if budget.check().is_some() {
                return Err(NotExact::TooMany);
            }
        }
    }
    flush(steps, worlds, &mut requests, seen, &mut collection);
    budget.hold_bytes(collection.bytes);
    collection.normalised().ok_or(NotExact::Unexplained)
}

fn flush(
    steps: &mut Steps,
    worlds: &[World],
    requests: &mut Vec<Request>,
    seen: Seen<'_>,
    collection: &mut Collection,
) {
    steps.make(worlds, requests, seen, &mut |number, world| {
        let weight = world.weight * requests[number].2;
        collection.add(World { weight, ..world });
    });
    requests.clear();
}
