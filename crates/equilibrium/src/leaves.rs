//! Estimates of the leaves of a graph: means of random playouts.
//!
//! Playouts are run in rounds, a batch for each leaf whose mean still changes. Leaves are processed in parts with their
//! own random numbers, so that results depend on the seed only, not on the number of threads.

use crate::EquilibriumError;
use crate::graph::Graph;
use ludens_budget::Budget;
use ludens_engine::playout::Playout;
use ludens_engine::{Game, PlayoutSource, Rng, State};
use ludens_reach::{NodeKind, Phase, Status, in_pool};
use rayon::prelude::*;

/// Settings of the estimation of leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimation {
    /// Maximum number of playouts per leaf.
    pub most: u32,
    /// Number of playouts per batch, after which the mean is checked.
    pub batch: u32,
    /// A leaf is done when a batch changes its mean by less than this.
    pub tolerance: f64,
    /// Maximum number of steps of a playout.
    pub most_steps: usize,
    /// Seed.
    pub seed: u64,
    /// Number of threads; results do not depend on it.
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

/// Number of leaves that one thread processes at a time.
const PART: usize = 128;

/// The leaves of a graph with their estimates.
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
    /// The leaves of a graph, without estimates.
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

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are no leaves.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Number of playouts run for all leaves.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Number of leaves that are done.
    pub fn done(&self) -> usize {
        self.leaves.iter().filter(|leaf| leaf.is_done).count()
    }

    /// Takes over the estimates of states that are leaves of another graph too.
    pub fn remember(&mut self, others: &Leaves) {
        let known: hashbrown::HashMap<&State, &Leaf, foldhash::fast::FixedState> =
            others.leaves.iter().map(|leaf| (&leaf.state, leaf)).collect();
        for leaf in &mut self.leaves {
            if let Some(other) = known.get(&leaf.state) {
                (leaf.sums, leaf.count, leaf.is_done) = (other.sums.clone(), other.count, other.is_done);
            }
        }
    }

    /// Estimates all leaves until they are done or the budget is spent, and updates the graph.
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

    /// Runs one more batch of playouts for every leaf and updates the graph.
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

    /// Writes the means to the graph.
    pub(crate) fn tell(&self, graph: &mut Graph) {
        for leaf in self.leaves.iter().filter(|leaf| leaf.count > 0) {
            let means: Vec<f64> = leaf.sums.iter().map(|sum| sum / f64::from(leaf.count)).collect();
            graph.set_estimate(leaf.node, &means);
        }
        graph.sum_up();
    }

    /// Runs a batch for each leaf that is not done.
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
    /// The leaf whose playouts are being started, and the number of those started.
    at: (usize, u32),
    /// Sums of the batches; unfinished batches do not count.
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

    /// Adds a finished batch to its leaf.
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
