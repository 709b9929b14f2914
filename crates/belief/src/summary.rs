//! What a belief says about fluents, legal moves and states.

use crate::belief::{Belief, Kind};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_engine::{Fluent, MoveId, State};
use std::collections::BTreeMap;

/// What a belief says, for display.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How the worlds were found.
    pub kind: Kind,
    /// Number of different states.
    pub states: usize,
    /// Number of worlds: states with different histories of the other roles count each.
    pub worlds: usize,
    /// Number of equally likely worlds that would say as much.
    pub effective: f64,
    /// Entropy of the distribution over states, in bits.
    pub entropy_bits: f64,
    /// Fluents that hold in every world.
    pub certain: Vec<Fluent>,
    /// Fluents that hold in some worlds, with their probability.
    pub uncertain: Vec<(Fluent, f64)>,
    /// Moves of the role that are legal in some world, with their probability.
    pub legal: Vec<(MoveId, f64)>,
    /// The most likely states with their probability, the likeliest first.
    pub likeliest: Vec<(State, f64)>,
}

impl Belief {
    /// Summarises the belief, with at most `most` of the likeliest states.
    pub fn summary(&mut self, most: usize) -> Summary {
        let worlds = self.worlds();
        let mut states: HashMap<&State, f64, RandomState> = HashMap::default();
        let mut fluents: BTreeMap<Fluent, (usize, f64)> = BTreeMap::new();
        for world in worlds {
            *states.entry(&world.state).or_default() += world.weight;
            for fluent in world.state.fluents() {
                let entry = fluents.entry(fluent).or_default();
                *entry = (entry.0 + 1, entry.1 + world.weight);
            }
        }
        let squares: f64 = worlds.iter().map(|world| world.weight * world.weight).sum();
        let mut likeliest: Vec<(State, f64)> = states
            .into_iter()
            .map(|(state, weight)| (state.clone(), weight))
            .collect();
        likeliest.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let entropy: f64 = likeliest.iter().map(|(_, weight)| -weight * weight.log2()).sum();
        let count = worlds.len();
        let holds_always = |held: usize| held == count;
        let certain = fluents.iter().filter(|(_, (held, _))| holds_always(*held));
        let uncertain = fluents.iter().filter(|(_, (held, _))| !holds_always(*held));
        let mut summary = Summary {
            kind: self.kind(),
            states: likeliest.len(),
            worlds: count,
            effective: if squares > 0.0 { 1.0 / squares } else { 0.0 },
            entropy_bits: entropy.max(0.0),
            certain: certain.map(|(fluent, _)| *fluent).collect(),
            uncertain: uncertain
                .map(|(fluent, (_, weight))| (*fluent, weight.min(1.0)))
                .collect(),
            legal: Vec::new(),
            likeliest,
        };
        summary.likeliest.truncate(most);
        summary.legal = self.legal();
        summary
    }
}
