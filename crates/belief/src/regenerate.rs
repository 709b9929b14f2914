//! New particles when the old ones have died out: from earlier particles, and by depth-first search.

use crate::particles;
use crate::steps::{Request, Seen, Steps};
use crate::world::{Collection, World, thinned};
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use ludens_budget::Budget;
use ludens_engine::{HistoryHash, Observation, Rng};

/// What is needed to come forward again from an earlier step.
pub(crate) struct Past<'a> {
    /// The worlds before each step, where they were kept. Those before the first step always are.
    pub(crate) snapshots: &'a [Option<Vec<World>>],
    /// What was seen in each step.
    pub(crate) observations: &'a [Observation],
    /// Whether the match is over after the last one.
    pub(crate) is_over: bool,
}

impl Past<'_> {
    fn seen(&self, step: usize) -> Seen<'_> {
        let is_last = step + 1 == self.observations.len();
        Seen::of(&self.observations[step], is_last && self.is_over)
    }
}

/// So many times more particles come forward from an earlier step.
const MORE: usize = 8;

/// Goes back 1, 2, 4 … steps and comes forward with more particles.
pub(crate) fn from_snapshots(
    steps: &mut Steps,
    past: &Past<'_>,
    count: usize,
    rng: &mut Rng,
    budget: &Budget,
) -> Option<Vec<World>> {
    let end = past.observations.len();
    let mut back = 1;
    loop {
        let kept = past
            .snapshots
            .get(..=end.saturating_sub(back))?
            .iter()
            .enumerate()
            .rev();
        let (first, worlds) = kept
            .filter_map(|(step, worlds)| Some((step, worlds.as_ref()?)))
            .next()?;
        let mut worlds = Some(worlds.clone());
        for step in first..end {
            worlds = particles::update(steps, &worlds?, past.seen(step), MORE * count, rng, budget);
            if worlds.is_none() {
                break;
            }
        }
        if let Some(worlds) = worlds {
            return Some(thinned(worlds, count, rng));
        }
        if back >= end || budget.is_spent() {
            return None;
        }
        back = (2 * back).min(end);
    }
}

/// Histories that the depth-first search looks for.
const SEARCHES: usize = 64;

/// Maximum number of worlds that all these searches expand together.
const MOST_EXPANDED: usize = 20_000;

/// Joint moves that are tried in a world that has more.
const TRIED: usize = 4096;

/// A step, a state and what the role had observed there.
type Key = (usize, u64, HistoryHash);

/// Worlds of one depth to be tried, the next one last, and the world that they come from.
struct Frame {
    parent: Option<Key>,
    worlds: Vec<World>,
}

/// Finds worlds by depth-first search from the first step, in random order, with a set of dead ends. They are weighed by
/// the probability of the history that was found.
pub(crate) fn depth_first(steps: &mut Steps, past: &Past<'_>, rng: &mut Rng, budget: &Budget) -> Option<Vec<World>> {
    let start = past.snapshots.first()?.as_ref()?;
    let mut dead_ends: HashSet<Key, RandomState> = HashSet::default();
    let mut found = Collection::default();
    let mut expanded = 0;
    for _ in 0..SEARCHES {
        let mut open = vec![Frame {
            parent: None,
            worlds: start.clone(),
        }];
        while let Some(world) = next(&mut open, &mut dead_ends) {
            let depth = open.len() - 1;
            if depth == past.observations.len() {
                found.add(world);
                break;
            }
            let key = (depth, world.state.hash64(), world.histories[steps.role]);
            if dead_ends.contains(&key) {
                continue;
            }
            expanded += 1;
            if expanded > MOST_EXPANDED || budget.is_spent() {
                return found.normalised();
            }
            open.push(Frame {
                parent: Some(key),
                worlds: expand(steps, &world, past.seen(depth), rng),
            });
        }
        if open.is_empty() {
            break;
        }
    }
    found.normalised()
}

/// The next world to try. Where all worlds of a frame have failed, the one that they come from is a dead end.
fn next(open: &mut Vec<Frame>, dead_ends: &mut HashSet<Key, RandomState>) -> Option<World> {
    loop {
        if let Some(world) = open.last_mut()?.worlds.pop() {
            return Some(world);
        }
        let frame = open.pop();
        dead_ends.extend(frame.and_then(|frame| frame.parent));
    }
}

/// The worlds that follow and agree with what was seen, in random order.
fn expand(steps: &mut Steps, world: &World, seen: Seen<'_>, rng: &mut Rng) -> Vec<World> {
    let worlds = std::slice::from_ref(world);
    let Some(choices) = steps.choices(worlds, seen.own).pop() else {
        return Vec::new();
    };
    let mut requests: Vec<Request> = Vec::new();
    match choices.count() <= TRIED as u64 {
        true => choices.each(&mut |joint, probability| requests.push((0, joint.to_vec(), probability))),
        false => {
            let draws = (0..TRIED).map_while(|_| choices.draw(rng));
            requests.extend(draws.map(|joint| (0, joint, 1.0 / TRIED as f64)));
        }
    }
    let mut children = Vec::new();
    steps.make(worlds, &requests, seen, &mut |number, next| {
        let weight = world.weight * requests[number].2;
        children.push(World { weight, ..next });
    });
    rng.shuffle(&mut children);
    children
}
