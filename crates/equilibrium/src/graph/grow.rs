//! Growing a graph from a root: enumerates states with `ludens_reach` and notes moves and goals.

use super::Graph;
use super::assemble::{Nodes, Sketch};
use crate::EquilibriumError;
use ludens_budget::{Budget, Stopped};
use ludens_engine::{Game, State, Successor};
use ludens_reach::{
    Coding, Enumeration, Expansion, Limits, Monitor, NodeKind, Observer, Pause, StateGraph, Workers, in_pool,
};

/// Maximum number of bytes if the budget has no bound.
const MEMORY: u64 = 4 << 30;
/// Number of nodes with which growth stops if the budget has no bound.
const MOST_NODES: u64 = 100_000_000;

/// Settings of the growth of a graph. The budget bounds its nodes and the bytes for the graph and the tables over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    /// Maximum number of steps from the root; `None` grows the graph to the terminal states.
    pub depth: Option<usize>,
    /// Maximum number of threads.
    pub threads: usize,
    /// Whether equal states at different depths are different nodes. With a depth, this is always so for games in which
    /// play can return to a state or stay at one.
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

/// A graph and its extent.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The graph. States that were found but not expanded are leaves.
    pub graph: Graph,
    /// Number of steps from the root that are in the graph on every line of play that does not end before.
    pub depth: usize,
    /// The bound that stopped growth, if any.
    pub stop: Option<Stopped>,
}

/// Grows the graph of a game from a state on. States that are in the graph `known` are taken from it instead of being
/// derived again.
pub fn grow(
    game: &Game,
    root: &State,
    options: &GraphOptions,
    known: Option<&Graph>,
    budget: &Budget,
) -> Result<Growth, EquilibriumError> {
    crate::check(game)?;
    let grower = Grower {
        game,
        options,
        observer: Recorder {
            known,
            roles: game.roles().len(),
        },
        workers: Workers::new(game),
        budget,
    };
    in_pool(options.threads, || match grower.grow(root, options.unroll) {
        // With a depth, steps that change nothing count too.
        Ok(growth) if options.depth.is_some() && growth.graph.has_loops() => grower.grow(root, true),
        Err(EquilibriumError::Cycles { .. }) if options.depth.is_some() && !options.unroll => grower.grow(root, true),
        growth => growth,
    })?
}

struct Grower<'a> {
    game: &'a Game,
    options: &'a GraphOptions,
    observer: Recorder<'a>,
    workers: Workers<'a>,
    budget: &'a Budget,
}

impl Grower<'_> {
    fn grow(&self, root: &State, unroll: bool) -> Result<Growth, EquilibriumError> {
        let width = self.game.initial().words().len().max(root.words().len());
        let mut found = StateGraph::new(Coding::of_bits(width.max(1)), root);
        found.is_unrolled = unroll;
        let mut nodes = Nodes::default();
        let enumeration = Enumeration {
            workers: &self.workers,
            observer: &self.observer,
            monitor: &Monitor::new(self.budget),
            limits: Limits::of(self.budget, MEMORY, MOST_NODES),
        };
        let pause = Pause {
            layers: self.options.depth,
            states: None,
        };
        let stop = enumeration.grow(&mut found, &mut nodes, pause)?;
        let depth = found.depth();
        enumeration.finish(&mut found, &mut nodes)?;
        let sketch = Sketch {
            roles: self.game.roles().len(),
            nodes,
            edges: found.edges.unwrap_or_default(),
        };
        let graph = sketch.assemble(&found.states, unroll)?;
        Ok(Growth { graph, depth, stop })
    }
}

/// Goal of a leaf until it is estimated.
const UNKNOWN: f64 = 50.0;

/// Notes moves and goals of states; takes them from a graph that is known, if it has them.
struct Recorder<'a> {
    known: Option<&'a Graph>,
    roles: usize,
}

impl Observer for Recorder<'_> {
    type Notes = Nodes;
    type Record = Nodes;

    fn observe(&self, nodes: &mut Nodes, state: &Successor, kind: NodeKind) {
        nodes.kinds.push(kind);
        nodes.goals.extend(state.scores.values().map(|&score| match kind {
            NodeKind::Leaf => UNKNOWN,
            _ => f64::from(score),
        }));
        for moves in state.legal.values() {
            let moves = if kind == NodeKind::Inner { &moves[..] } else { &[] };
            nodes.counts.push(moves.len() as u32);
            nodes.moves.extend_from_slice(moves);
        }
    }

    fn absorb(&self, nodes: &mut Nodes, more: Nodes) {
        nodes.kinds.extend_from_slice(&more.kinds);
        nodes.counts.extend_from_slice(&more.counts);
        nodes.moves.extend_from_slice(&more.moves);
        nodes.goals.extend_from_slice(&more.goals);
    }

    /// Every array may be held twice while the graph is assembled, and five numbers will be kept for each entry.
    fn bytes(&self, nodes: &Nodes, graph: usize) -> usize {
        2 * (graph + nodes.kinds.len() * (1 + 24 * self.roles)) + nodes.moves.len() * 48
    }

    fn recall(&self, coding: &Coding, codes: &[u64]) -> Option<Expansion<Nodes>> {
        let graph = self.known?;
        let (width, known_width) = (coding.width(), graph.states.coding().width());
        let mut expansion = Expansion::<Nodes>::default();
        for code in codes.chunks(width) {
            let node = graph.find(&coding.decode(code))?;
            if graph.kind(node) == NodeKind::Leaf || known_width > width {
                return None;
            }
            let nodes = &mut expansion.notes;
            nodes.kinds.push(graph.kind(node));
            nodes.goals.extend_from_slice(graph.goals(node));
            for role in 0..graph.roles() {
                let moves = graph.moves(node, role);
                nodes.counts.push(moves.len() as u32);
                nodes.moves.extend_from_slice(moves);
            }
            expansion.degrees.push(graph.children(node).len() as u32);
            for &child in graph.children(node) {
                expansion.codes.extend_from_slice(graph.states.code(child as usize));
                expansion.codes.resize(expansion.codes.len() + width - known_width, 0);
            }
        }
        Some(expansion)
    }
}
