//! What leaves of a graph are worth: the mean of random playouts from there.
//!
//! Playouts are run in rounds, a batch for each leaf whose mean still moves. Leaves are dealt with in parts that have
//! their own sequence of chances, so that results depend on the seed only, not on the number of threads.

use crate::EquilibriumError;
use crate::graph::Graph;
use ludens_budget::Budget;
use ludens_engine::playout::Playout;
use ludens_engine::{Game, PlayoutSource, Rng, State};
use ludens_reach::{NodeKind, Phase, Status, in_pool};
use rayon::prelude::*;

/// How leaves are valued.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimation {
    /// Playouts for a leaf at most.
    pub most: u32,
    /// Playouts before the mean is looked at again.
    pub batch: u32,
    /// A mean that moves by less than this from batch to batch is good enough.
    pub tolerance: f64,
    /// Steps of a playout at most.
    pub most_steps: usize,
    /// Where chance starts.
    pub seed: u64,
    /// Threads that may be used; results do not depend on it.
    pub threads: usize,
}

impl Default for Estimation {
    fn default() -> Estimation {
        Estimation {
            most: 1000,
            batch: 25,
            tolerance: 1.0,
            most_steps: 10_000,
            seed: 0,
            threads: 1,
        }
    }
}

/// Leaves that one thread takes at a time.
const PART: usize = 128;

/// What is known of the leaves of a graph.
#[derive(Clone, Debug)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    round: u64,
    playouts: u64,
}

#[derive(Clone, Debug)]
struct Leaf {
    node: usize,
    state: State,
    sums: Vec<f64>,
    count: u32,
    is_done: bool,
}

impl Leaves {
    /// Those of a graph; nothing is known of them.
    pub fn of(graph: &Graph) -> Leaves {
        let nodes = (0..graph.len()).filter(|&node| graph.kind(node) == NodeKind::Leaf);
        let leaf = |node| Leaf {
            node,
            state: graph.state(node),
            sums: vec![0.0; graph.roles()],
            count: 0,
            is_done: false,
        };
        Leaves {
            leaves: nodes.map(leaf).collect(),
            round: 0,
            playouts: 0,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// How many playouts were run for all of them together.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// How many of them are valued well enough.
    pub fn done(&self) -> usize {
        self.leaves.iter().filter(|leaf| leaf.is_done).count()
    }

    /// Takes over what is known of states that are leaves of another graph too.
    pub fn remember(&mut self, others: &Leaves) {
        let known: hashbrown::HashMap<&State, &Leaf, foldhash::fast::FixedState> =
            others.leaves.iter().map(|leaf| (&leaf.state, leaf)).collect();
        for leaf in &mut self.leaves {
            if let Some(other) = known.get(&leaf.state) {
                (leaf.sums, leaf.count, leaf.is_done) = (other.sums.clone(), other.count, other.is_done);
            }
        }
    }

    /// Values all leaves well enough, or as well as the budget allows, and tells the graph.
    pub fn estimate(
        &mut self,
        game: &Game,
        graph: &mut Graph,
        how: &Estimation,
        budget: &Budget,
    ) -> Result<(), EquilibriumError> {
        while self.done() < self.len() && !budget.is_spent() {
            self.round(game, how, budget)?;
            budget.report(|| Status::new(Phase::Estimation, self.done()).of(self.len() as u64));
        }
        self.tell(graph);
        Ok(())
    }

    /// One more batch of playouts for every leaf, however well it is known, and tells the graph.
    pub fn refine(
        &mut self,
        game: &Game,
        graph: &mut Graph,
        how: &Estimation,
        budget: &Budget,
    ) -> Result<(), EquilibriumError> {
        self.leaves.iter_mut().for_each(|leaf| leaf.is_done = false);
        self.round(game, how, budget)?;
        self.tell(graph);
        Ok(())
    }

    /// Writes the means down in the graph.
    pub(crate) fn tell(&self, graph: &mut Graph) {
        for leaf in self.leaves.iter().filter(|leaf| leaf.count > 0) {
            let means: Vec<f64> = leaf.sums.iter().map(|sum| sum / f64::from(leaf.count)).collect();
            graph.set_estimate(leaf.node, &means);
        }
        graph.sum_up();
    }

    /// A batch for each leaf that is not done.
    fn round(&mut self, game: &Game, how: &Estimation, budget: &Budget) -> Result<(), EquilibriumError> {
        self.round += 1;
        let mut waiting: Vec<&mut Leaf> = self.leaves.iter_mut().filter(|leaf| !leaf.is_done).collect();
        let round = self.round;
        let run = |(part, leaves): (usize, &mut [&mut Leaf])| -> u64 {
            let seed = how.seed ^ (round << 32 ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut batches = Batches::new(leaves, how, budget);
            game.engine()
                .playouts()
                .run(&mut Rng::with_seed(seed), how.most_steps, &mut batches);
            batches.finished
        };
        self.playouts += in_pool(how.threads, || {
            waiting.par_chunks_mut(PART).enumerate().map(run).sum::<u64>()
        })?;
        Ok(())
    }
}

/// A batch of playouts for each of some leaves.
struct Batches<'a, 'b> {
    leaves: &'a mut [&'b mut Leaf],
    how: &'a Estimation,
    budget: &'a Budget,
    /// The leaf whose batch is being started, and how many of it were.
    at: (usize, u32),
    /// The sums of the batches, which count only if they are whole.
    sums: Vec<Vec<f64>>,
    counts: Vec<u32>,
    finished: u64,
}

impl<'a, 'b> Batches<'a, 'b> {
    fn new(leaves: &'a mut [&'b mut Leaf], how: &'a Estimation, budget: &'a Budget) -> Batches<'a, 'b> {
        let sums = leaves.iter().map(|leaf| vec![0.0; leaf.sums.len()]).collect();
        Batches {
            counts: vec![0; leaves.len()],
            leaves,
            how,
            budget,
            at: (0, 0),
            sums,
            finished: 0,
        }
    }

    /// Takes in a whole batch.
    fn take_in(&mut self, number: usize) {
        let (leaf, sums) = (&mut *self.leaves[number], &self.sums[number]);
        let before = leaf.count;
        leaf.count += self.counts[number];
        let mut moved = 0.0f64;
        for (sum, more) in leaf.sums.iter_mut().zip(sums) {
            let old = *sum / f64::from(before.max(1));
            *sum += more;
            moved = moved.max((*sum / f64::from(leaf.count) - old).abs());
        }
        leaf.is_done = leaf.count >= self.how.most || (before > 0 && moved < self.how.tolerance);
    }
}

impl PlayoutSource for Batches<'_, '_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        if self.at.1 >= self.how.batch.max(1) {
            self.at = (self.at.0 + 1, 0);
        }
        let leaf = self.leaves.get(self.at.0)?;
        self.at.1 += 1;
        Some((&leaf.state, self.at.0 as u32))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        let number = tag as usize;
        self.finished += 1;
        self.counts[number] += 1;
        for (sum, &score) in self.sums[number].iter_mut().zip(playout.scores.values()) {
            *sum += f64::from(score);
        }
        if self.counts[number] == self.how.batch.max(1) {
            self.take_in(number);
        }
    }

    fn is_over(&mut self) -> bool {
        self.budget.is_spent()
    }
}
