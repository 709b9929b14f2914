//! The update of weighted particles: a bounded number of worlds stands for all of them.
//!
//! Every particle gets a number of children in proportion to its weight. Where its joint moves are few, all are made, and
//! of those that agree with the percepts its children are drawn; where they are many, its children are tries, and those
//! that do not agree are lost. Either way the expected weight of every world is its true one: no try is repeated until it
//! fits, which would favour worlds that rarely do.

use crate::steps::{Choices, Request, Seen, Steps};
use crate::world::{Collection, World, systematic, thinned};
use ludens_budget::Budget;
use ludens_engine::Rng;

/// Maximum number of joint moves that a particle expands completely; beyond it they are sampled.
const ENUMERATED: u64 = 512;

/// Particles that are looked at at once.
const AT_ONCE: usize = 64;

/// Tries for each particle to be kept, where joint moves are drawn.
const TRIES: f64 = 8.0;

/// At most `count` worlds that agree with what was seen; `None` if there is none.
pub(crate) fn update(
    steps: &mut Steps,
    worlds: &[World],
    seen: Seen<'_>,
    count: usize,
    rng: &mut Rng,
    budget: &Budget,
) -> Option<Vec<World>> {
    let mut collection = Collection::default();
    for part in worlds.chunks(AT_ONCE) {
        let choices = steps.choices(part, seen.own);
        let enumerated = |choices: &Choices| choices.count() <= ENUMERATED;
        let mut requests: Vec<Request> = Vec::new();
        for (index, choices) in choices.iter().enumerate() {
            match enumerated(choices) {
                true => choices.each(&mut |joint, probability| requests.push((index, joint.to_vec(), probability))),
                false => {
                    let tries = (part[index].weight * count as f64 * TRIES).ceil().max(1.0);
                    let draws = (0..tries as usize).map_while(|_| choices.draw(rng));
                    requests.extend(draws.map(|joint| (index, joint, 1.0 / tries)));
                }
            }
        }
        let mut fits: Vec<Vec<World>> = vec![Vec::new(); part.len()];
        steps.make(part, &requests, seen, &mut |number, world| {
            let (index, _, share) = &requests[number];
            let weight = world.weight * share;
            fits[*index].push(World { weight, ..world });
        });
        for (parent, children) in part.iter().zip(fits) {
            let most = (parent.weight * count as f64 * 2.0).ceil().max(1.0);
            drawn(children, most as usize, rng, &mut collection);
        }
        if budget.is_spent() && !collection.worlds.is_empty() {
            break;
        }
    }
    budget.hold_bytes(collection.bytes);
    Some(thinned(collection.normalised()?, count, rng))
}

/// Adds at most `most` of the children of a particle. Their expected weights do not change.
fn drawn(mut children: Vec<World>, most: usize, rng: &mut Rng, collection: &mut Collection) {
    if children.len() <= most {
        return children.into_iter().for_each(|world| collection.add(world));
    }
    let total: f64 = children.iter().map(|world| world.weight).sum();
    if total <= 0.0 {
        return;
    }
    children.sort_by(|one, other| one.state.cmp(&other.state));
    let copies = systematic(children.iter().map(|world| world.weight / total), most, rng);
    for (world, copies) in children.into_iter().zip(copies).filter(|(_, copies)| *copies > 0) {
        let weight = total * copies as f64 / most as f64;
        collection.add(World { weight, ..world });
    }
}
