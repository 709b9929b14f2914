//! The explicit state graph and its enumeration: breadth-first, layer by layer, in batches that workers expand in
//! parallel.
//!
//! States are numbered in the order in which a sequential breadth-first search meets them, whatever the number of
//! threads: workers return the codes of successors, and one thread inserts them in order while the others expand the
//! next batch.

use crate::{Coding, Edges, Expansion, Monitor, Observer, PackedStates, Phase, ReachError, Workers, expand};
use ludens_budget::{Budget, Stopped};
use ludens_engine::{Game, State, StepCost};

/// Maximum number of joint moves of a state that solvers expand.
pub const MOST_JOINT_MOVES: u64 = 1 << 16;

/// The states reachable from a root, with the steps between them.
#[derive(Clone, Debug)]
pub struct StateGraph {
    /// The states. Those with numbers from `expanded` on have not been expanded yet.
    pub states: PackedStates,
    /// Successors of the expanded states, one for each joint move; `None` if they did not fit into memory.
    pub edges: Option<Edges>,
    /// Number of the first state of each layer, in ascending order. The last layer may be empty.
    pub layers: Vec<usize>,
    /// Number of states that have been expanded.
    pub expanded: usize,
    /// Number of joint moves of the expanded states.
    pub transitions: u64,
    /// Whether every step leads from one layer to the next.
    pub is_layered: bool,
    /// Whether equal states in different layers are different nodes.
    pub is_unrolled: bool,
}

/// Bounds on a graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of bytes.
    pub bytes: usize,
    /// Number of states with which enumeration stops.
    pub states: u64,
    /// Maximum number of joint moves of a state.
    pub joint_moves: u64,
    /// Number of states that are expanded before their successors are inserted.
    pub batch: usize,
    /// Whether to stop when edges no longer fit into memory. Otherwise they are dropped.
    pub needs_edges: bool,
}

impl Limits {
    /// The bounds of a budget, with defaults where it has none.
    pub fn of(budget: &Budget, default_bytes: u64, default_states: u64) -> Limits {
        Limits {
            bytes: usize::try_from(budget.most_bytes().unwrap_or(default_bytes)).unwrap_or(usize::MAX),
            states: budget.most_nodes().unwrap_or(default_states),
            joint_moves: MOST_JOINT_MOVES,
            batch: 4096,
            needs_edges: true,
        }
    }
}

/// Where to pause enumeration, at the end of a layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pause {
    /// After this many layers.
    pub layers: Option<usize>,
    /// After the first layer with which more than this many states are known.
    pub states: Option<usize>,
}

impl StateGraph {
    /// The graph of the root alone.
    pub fn new(coding: Coding, root: &State) -> StateGraph {
        let mut code = vec![0; coding.width()];
        coding.encode(root.words(), &mut code);
        let mut states = PackedStates::new(coding);
        states.insert(&code);
        StateGraph {
            states,
            edges: Some(Edges::default()),
            layers: vec![0],
            expanded: 0,
            transitions: 0,
            is_layered: true,
            is_unrolled: false,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.edges.as_ref().map_or(0, Edges::bytes)
    }

    /// Whether all reachable states have been expanded.
    pub fn is_complete(&self) -> bool {
        self.expanded == self.states.len()
    }

    /// Number of layers of which all states have been expanded.
    pub fn depth(&self) -> usize {
        self.layers.len() - 1
    }

    /// Number of states in each layer.
    pub fn layer_sizes(&self) -> Vec<usize> {
        let ends = self.layers[1..].iter().copied().chain([self.states.len()]);
        let sizes = self.layers.iter().zip(ends).map(|(start, end)| end - start);
        sizes.filter(|&size| size > 0).collect()
    }

    /// Adds an expansion of the next states. `layer_end` is where their layer ends.
    fn insert<N>(&mut self, expansion: &Expansion<N>, layer_end: usize) {
        let mut edges = self.edges.as_mut();
        let is_layered = &mut self.is_layered;
        self.states.insert_all(&expansion.codes, |number| {
            *is_layered &= number as usize >= layer_end;
            if let Some(edges) = &mut edges {
                edges.push(number);
            }
        });
        if let Some(edges) = edges {
            expansion.degrees.iter().for_each(|&degree| edges.end_list(degree));
        }
        self.transitions += (expansion.codes.len() / self.states.coding().width()) as u64;
        self.expanded += expansion.degrees.len();
    }
}

/// Enumerates the states of a game for an observer.
pub struct Enumeration<'a, O, T = ()> {
    /// Expand states.
    pub workers: &'a Workers<'a, T>,
    /// Notes what matters about states.
    pub observer: &'a O,
    /// Says when to stop, and reports progress.
    pub monitor: &'a Monitor<'a>,
    /// Bounds on the graph.
    pub limits: Limits,
}

/// Sizes of batches, which shrink when states turn out to have many joint moves.
struct Batch {
    /// States expanded before their successors are inserted.
    states: usize,
    /// States that one worker takes at a time: enough to fill the lanes of the engine, few enough to stop in time.
    chunk: usize,
}

impl Batch {
    fn new(game: &Game, states: usize) -> Batch {
        let chunk = match game.engine().step_cost() {
            StepCost::Interpreted => 8,
            StepCost::High | StepCost::VeryHigh => 64,
            _ => 512,
        };
        Batch { states, chunk }
    }

    fn shrink(&mut self) {
        (self.states, self.chunk) = (self.states.div_ceil(8), self.chunk.div_ceil(8));
    }

    /// States of a batch of `size` for one worker at a time; small batches are shared among the threads.
    fn chunk(&self, size: usize) -> usize {
        let share = size.div_ceil(2 * rayon::current_num_threads());
        share.clamp(self.chunk.div_ceil(4), self.chunk)
    }
}

impl<O: Observer, T: Default + Send> Enumeration<'_, O, T> {
    /// Enumerates states until all are expanded, a bound is met, the observer has enough, or the pause comes. Returns
    /// the bound that was met, if any. May be called again after a pause.
    pub fn grow(
        &self,
        graph: &mut StateGraph,
        record: &mut O::Record,
        pause: Pause,
    ) -> Result<Option<Stopped>, ReachError> {
        let mut batch = Batch::new(self.workers.game(), self.limits.batch);
        let mut layer_end = graph.states.len();
        let mut at = graph.expanded;
        let mut ready = Vec::new();
        while at < layer_end {
            let is_layer_start = at == graph.layers[graph.depth()];
            let has_layers = pause.layers.is_some_and(|layers| graph.depth() >= layers);
            let has_states = pause.states.is_some_and(|states| graph.states.len() > states);
            if is_layer_start && (has_layers || has_states) {
                break;
            }
            if graph.states.len() as u64 > self.limits.states {
                return Ok(Some(Stopped::nodes(self.limits.states)));
            }
            if is_layer_start && graph.is_unrolled {
                graph.states.forget();
            }
            let after = (at + batch.states).min(layer_end);
            let (codes, coding) = (graph.states.codes_of(at..after).to_vec(), graph.states.coding().clone());
            let chunk = batch.chunk(after - at);
            let absorbed = std::mem::take(&mut ready);
            // The successors of one batch are inserted while the next batch is expanded.
            let (expansions, mut has_room) = rayon::join(
                || self.expand(&coding, &codes, chunk),
                || self.absorb(graph, record, absorbed, layer_end),
            );
            // Workers that have a deadline are at fault when it has passed, so this comes first.
            if let Some(stop) = self.monitor.stop() {
                return Ok(Some(stop));
            }
            self.workers.check()?;
            let lacking = expansions.iter().filter_map(|expansion| expansion.lacking).max();
            if expansions.iter().any(|expansion| expansion.is_overfull) && has_room {
                batch.shrink();
                continue;
            }
            if let Some(width) = lacking.filter(|_| has_room) {
                // The vocabulary has grown. The batch is expanded again with wider codes.
                graph.states.widen(width);
                continue;
            }
            if expansions
                .iter()
                .any(|expansion| expansion.widest > self.limits.joint_moves)
            {
                let most = self.limits.joint_moves;
                return Err(ReachError::TooWide { most });
            }
            at = after;
            if at == layer_end {
                has_room = has_room && self.absorb(graph, record, expansions, layer_end);
                if has_room {
                    graph.layers.push(layer_end);
                    layer_end = graph.states.len();
                }
            } else {
                ready = expansions;
            }
            let bytes = self.observer.bytes(record, graph.bytes());
            self.monitor
                .report(Phase::Forward, graph.depth(), graph.states.len(), bytes);
            if !has_room {
                return Ok(Some(Stopped::memory(self.limits.bytes as u64)));
            }
            if self.observer.is_enough(record) {
                break;
            }
        }
        Ok(None)
    }

    /// Looks at the states that have not been expanded, without their successors: non-terminal ones become leaves. This
    /// is done even after the deadline.
    pub fn finish(&self, graph: &mut StateGraph, record: &mut O::Record) -> Result<(), ReachError> {
        let chunk = Batch::new(self.workers.game(), 0).chunk;
        while !graph.is_complete() {
            let after = (graph.expanded + self.limits.batch).min(graph.states.len());
            let codes = graph.states.codes_of(graph.expanded..after).to_vec();
            let coding = graph.states.coding().clone();
            let looked = self.workers.in_chunks(&codes, chunk * coding.width(), |worker, codes| {
                expand(&mut *worker.successors, self.observer, &coding, codes, 0)
            });
            self.workers.check()?;
            for expansion in looked {
                graph.insert(&expansion, 0);
                self.observer.absorb(record, expansion.notes);
            }
        }
        Ok(())
    }

    fn expand(&self, coding: &Coding, codes: &[u64], chunk: usize) -> Vec<Expansion<O::Notes>> {
        self.workers.in_chunks(codes, chunk * coding.width(), |worker, codes| {
            // After an interruption the batch is dropped as a whole.
            if self.monitor.stop().is_some() {
                return Expansion::default();
            }
            let known = self.observer.recall(coding, codes);
            let most = self.limits.joint_moves;
            known.unwrap_or_else(|| expand(&mut *worker.successors, self.observer, coding, codes, most))
        })
    }

    /// Inserts expansions; returns whether all of them fit into memory.
    fn absorb(
        &self,
        graph: &mut StateGraph,
        record: &mut O::Record,
        expansions: Vec<Expansion<O::Notes>>,
        layer_end: usize,
    ) -> bool {
        for expansion in expansions {
            if !self.has_room(graph, record, &expansion) {
                return false;
            }
            graph.insert(&expansion, layer_end);
            self.observer.absorb(record, expansion.notes);
        }
        true
    }

    /// Whether an expansion fits into memory; drops the edges if that helps and is allowed.
    fn has_room(&self, graph: &mut StateGraph, record: &O::Record, expansion: &Expansion<O::Notes>) -> bool {
        let successors = expansion.codes.len() / graph.states.coding().width();
        if graph.states.len() + successors >= u32::MAX as usize {
            return false;
        }
        let states = graph.states.bytes_after(successors) + expansion.degrees.len() * 8;
        let is_within = |more: usize| self.observer.bytes(record, states + more) <= self.limits.bytes;
        if let Some(edges) = &graph.edges {
            // Values and lists of predecessors are still to come if edges can be dropped.
            let to_come = if self.limits.needs_edges {
                0
            } else {
                edges.targets().len() * 4
            };
            let is_short = edges.targets().len() + successors <= u32::MAX as usize;
            if is_short && is_within(edges.bytes() + edges.growth(successors) + to_come) {
                return true;
            }
            if self.limits.needs_edges {
                return false;
            }
            graph.edges = None;
        }
        is_within(0)
    }
}
