//! Finding the nodes of a graph, from its root on, depth by depth.

use super::assemble::Sketch;
use super::expand::{Expansion, Workers};
use super::states::States;
use super::{Graph, Kind};
use crate::{EquilibriumError, Phase, Status, in_pool};
use ludens_budget::{Budget, StopReason, Stopped};
use ludens_engine::{Game, State, StepCost};
use ludens_reach::MOST_JOINT_MOVES;
use rayon::prelude::*;

/// States that are expanded before what follows them is looked up.
const BATCH: usize = 4096;

/// Bytes that may be held if the budget does not bound them.
const MEMORY: u64 = 4 << 30;
/// Nodes that may be found if the budget does not bound them.
const MOST_NODES: u64 = 100_000_000;

/// How a graph is grown. The budget bounds its nodes, and the bytes for the graph and for what is kept for its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    /// Steps from the root; without it the graph is grown to the ends.
    pub depth: Option<usize>,
    /// Threads that may be used.
    pub threads: usize,
    /// Whether states are nodes once for each depth. It is done anyway where a game in which matches can come back to a
    /// state, or stay at one, is grown to a depth.
    pub unroll: bool,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            depth: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            unroll: false,
        }
    }
}

/// A graph, and how far it grew.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The graph. States that were found but not looked at are leaves.
    pub graph: Graph,
    /// All steps up to this one are in the graph, wherever the match does not end before.
    pub depth: usize,
    /// Why it did not grow further, if it should have.
    pub stop: Option<Stopped>,
}

/// Grows the graph of a game from a state on. What a graph that is `known` tells about states is not asked of the engine
/// again.
pub fn grow(
    game: &Game,
    root: &State,
    options: &GraphOptions,
    known: Option<&Graph>,
    budget: &Budget,
) -> Result<Growth, EquilibriumError> {
    crate::check(game)?;
    let workers = Workers::new(game, known);
    let grower = Grower {
        game,
        options,
        workers,
        budget,
    };
    in_pool(options.threads, || match grower.grow(root, options.unroll) {
        // Looking ahead a number of steps, it matters how many of them changed nothing.
        Ok(growth) if options.depth.is_some() && growth.graph.has_loops() => grower.grow(root, true),
        Err(EquilibriumError::Cycles { .. }) if options.depth.is_some() && !options.unroll => grower.grow(root, true),
        growth => growth,
    })?
}

struct Grower<'a> {
    game: &'a Game,
    options: &'a GraphOptions,
    workers: Workers<'a>,
    budget: &'a Budget,
}

impl Grower<'_> {
    fn grow(&self, root: &State, unroll: bool) -> Result<Growth, EquilibriumError> {
        let mut sketch = Sketch::new(self.game.roles().len());
        let mut states = States::new(self.game.initial().words().len().max(root.words().len()));
        let mut row = root.words().to_vec();
        row.resize(states.width(), 0);
        states.insert(&row);
        let (mut at, mut depth) = (0, 0);
        let mut stop = None;
        'depths: while at < states.len() && self.options.depth.is_none_or(|most| depth < most) {
            let end = states.len();
            if unroll {
                states.forget();
            }
            while at < end {
                let after = (at + BATCH).min(end);
                stop = self.advance(&mut sketch, &mut states, at..after)?;
                if stop.is_some() {
                    break 'depths;
                }
                at = after;
                self.budget.report(|| Status {
                    phase: Phase::Growing { depth },
                    done: states.len() as u64,
                    goal: None,
                });
            }
            depth += 1;
        }
        // What was found at the greatest depth is looked at only to see whether the match is over there.
        while at < states.len() {
            let after = (at + BATCH).min(states.len());
            self.close(&mut sketch, &states, at..after)?;
            at = after;
        }
        let graph = sketch.assemble(&states, unroll)?;
        Ok(Growth { graph, depth, stop })
    }

    /// Expands some states and takes in what follows them.
    fn advance(
        &self,
        sketch: &mut Sketch,
        states: &mut States,
        nodes: std::ops::Range<usize>,
    ) -> Result<Option<Stopped>, EquilibriumError> {
        let expansions = loop {
            if let Some(reason) = self.budget.interruption() {
                return Ok(Some(reason.into()));
            }
            let expansions = self.expand(states, nodes.clone(), true)?;
            match expansions.iter().filter_map(|expansion| expansion.lacking).max() {
                // Fluents turned up that rows have no room for.
                Some(width) => states.widen(width),
                None => break expansions,
            }
        };
        let expanded: usize = expansions.iter().map(|expansion| expansion.kinds.len()).sum();
        if expanded < nodes.len() {
            // Some were left out because the time was over.
            let reason = self.budget.interruption().unwrap_or(StopReason::Deadline);
            return Ok(Some(reason.into()));
        }
        let successors: usize = expansions.iter().map(|expansion| expansion.rows.len()).sum::<usize>() / states.width();
        if let Some(stop) = self.limit(sketch, states, successors) {
            return Ok(Some(stop));
        }
        for expansion in expansions {
            sketch.kinds.extend_from_slice(&expansion.kinds);
            sketch.counts.extend_from_slice(&expansion.counts);
            sketch.moves.extend_from_slice(&expansion.moves);
            sketch.goals.extend_from_slice(&expansion.goals);
            let rows = expansion.rows.chunks(states.width());
            sketch.children.reserve(rows.len());
            rows.for_each(|row| sketch.children.push(states.insert(row)));
        }
        Ok(None)
    }

    fn expand(
        &self,
        states: &States,
        nodes: std::ops::Range<usize>,
        unless_spent: bool,
    ) -> Result<Vec<Expansion>, EquilibriumError> {
        // Enough to fill the batches of the engine, few enough to stop in time.
        let chunk = match self.game.engine().step_cost() {
            StepCost::Interpreted => 8,
            StepCost::High | StepCost::VeryHigh => 16,
            _ => 128,
        };
        let rows: Vec<u64> = nodes.flat_map(|node| states.row(node)).copied().collect();
        let expand = |rows: &[u64]| match unless_spent && self.budget.is_spent() {
            true => Expansion::default(),
            false => self.workers.expand(rows, states.width()),
        };
        let expansions: Vec<Expansion> = rows.par_chunks(chunk * states.width()).map(expand).collect();
        if let Some(cause) = self.workers.fault() {
            let game = self.game.name().to_string();
            return Err(EquilibriumError::Fault { game, cause });
        }
        if expansions.iter().any(|expansion| expansion.is_too_wide) {
            return Err(EquilibriumError::TooWide { most: MOST_JOINT_MOVES });
        }
        Ok(expansions)
    }

    /// Which limit is met if so many successors are taken in.
    fn limit(&self, sketch: &Sketch, states: &States, successors: usize) -> Option<Stopped> {
        // Every array may be held twice while it grows or is put in order, and five numbers are kept for each entry.
        let held = 2 * (states.bytes() + sketch.children.len() * 4 + sketch.kinds.len() * (1 + 24 * sketch.roles))
            + sketch.moves.len() * 48
            + successors * 4;
        let memory = self.budget.most_bytes().unwrap_or(MEMORY);
        if held as u64 > memory || sketch.children.len() + successors >= u32::MAX as usize {
            return Some(Stopped::memory(memory));
        }
        let nodes = self.budget.most_nodes().unwrap_or(MOST_NODES);
        (states.len() as u64 > nodes).then_some(Stopped::nodes(nodes))
    }

    /// Makes leaves of states that are not terminal, ends of the others.
    fn close(
        &self,
        sketch: &mut Sketch,
        states: &States,
        nodes: std::ops::Range<usize>,
    ) -> Result<(), EquilibriumError> {
        let rows: Vec<State> = nodes.map(|node| states.state(node)).collect();
        let looked = self.workers.look(&rows);
        if let Some(cause) = self.workers.fault() {
            let game = self.game.name().to_string();
            return Err(EquilibriumError::Fault { game, cause });
        }
        for (kind, goals) in looked {
            sketch.kinds.push(kind);
            sketch.counts.extend(std::iter::repeat_n(0, sketch.roles));
            sketch.goals.extend(goals);
        }
        Ok(())
    }
}

/// A leaf is worth nothing special until somebody estimates it.
pub(super) const UNKNOWN: f64 = 50.0;

impl Workers<'_> {
    /// What states are if nothing that follows them is asked for: ends, stuck or leaves, with their goals.
    fn look(&self, states: &[State]) -> Vec<(Kind, Vec<f64>)> {
        self.with(|successors| {
            let lent: Vec<&State> = states.iter().collect();
            let mut found = Vec::with_capacity(states.len());
            successors.look(&lent, &mut |_, here| {
                let scores = || here.scores.values().map(|&score| f64::from(score)).collect();
                found.push(match here.is_terminal {
                    true => (Kind::End, scores()),
                    false if here.legal.values().any(Vec::is_empty) => (Kind::Stuck, scores()),
                    false => (Kind::Leaf, vec![UNKNOWN; here.scores.len()]),
                });
            });
            found
        })
    }
}
