//! Finding all states, from the start on, layer by layer.

use super::coding::Coding;
use super::expand::{self, END, Expansion, SEVERAL, STUCK, Workers};
use super::outcomes::{Outcomes, UNKNOWN};
use super::store::Store;
use super::watched::Watched;
use crate::{Phase, SolveError};
use ludens_budget::Stopped;
use ludens_engine::{Game, StepCost};
use rayon::prelude::*;

/// States that are expanded before what follows them is looked up.
const BATCH: usize = 1 << 15;

/// How far to go.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes that may be held.
    pub(crate) memory: usize,
    /// States that may be found.
    pub(crate) states: u64,
    /// Whether to stop where several roles choose, unless there are two.
    pub(crate) few_roles: bool,
    /// States after which to pause.
    pub(crate) pause: usize,
}

/// States that one thread takes at a time: enough to fill batches, few enough to stop in time.
fn chunk(game: &Game) -> usize {
    match game.engine().step_cost() {
        StepCost::Interpreted => 8,
        StepCost::High | StepCost::VeryHigh => 64,
        _ => 512,
    }
}

/// The states that were found. A state is a number; numbers are given in the order of layers.
pub(crate) struct Found {
    pub(crate) coding: Coding,
    pub(crate) store: Store,
    /// Who chooses in each state; see [`expand`](super::expand). Shorter than the list of states if not all were looked
    /// at.
    pub(crate) kinds: Vec<u8>,
    /// The outcome of each end; [`UNKNOWN`] for other states.
    pub(crate) ends: Vec<u16>,
    /// The legal moves of the first role, where several roles choose somewhere.
    pub(crate) rows: Vec<u32>,
    pub(crate) outcomes: Outcomes,
    /// The number of the first state of each layer.
    pub(crate) layers: Vec<usize>,
    /// The successors of all states, if they fit into memory.
    pub(crate) edges: Option<Edges>,
    /// Whether every step leads from a layer to the next.
    pub(crate) is_layered: bool,
    pub(crate) has_several: bool,
    pub(crate) terminal: usize,
    pub(crate) stuck: usize,
    pub(crate) transitions: u64,
    /// The bound that was met before all states were found, if one was.
    pub(crate) stop: Option<Stopped>,
    /// Why values cannot be found, if they cannot.
    pub(crate) unsolvable: Option<String>,
}

/// Lists of states, one for each state.
#[derive(Default)]
pub(crate) struct Edges {
    /// Where the list of each state starts, and behind them all.
    pub(crate) starts: Vec<u32>,
    pub(crate) targets: Vec<u32>,
}

impl Edges {
    pub(crate) fn of(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.targets.capacity()) * 4
    }
}

impl Found {
    /// Bytes that are held for the states.
    pub(crate) fn bytes(&self) -> usize {
        let edges = self.edges.as_ref().map_or(0, Edges::bytes);
        self.store.bytes() + edges + self.kinds.capacity() + self.ends.capacity() * 2 + self.rows.capacity() * 4
    }

    /// Whether the search for states ended early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some() || self.unsolvable.is_some()
    }

    /// Whether all states were found and looked at.
    pub(crate) fn is_whole(&self) -> bool {
        self.kinds.len() == self.store.len()
    }

    /// How many states each layer has.
    pub(crate) fn layer_sizes(&self) -> Vec<usize> {
        let ends = self.layers[1..].iter().copied().chain([self.store.len()]);
        let sizes = self.layers.iter().zip(ends).map(|(start, end)| end - start);
        sizes.filter(|&size| size > 0).collect()
    }

    /// The start alone.
    pub(crate) fn new(game: &Game, coding: Coding) -> Found {
        let mut store = Store::new(coding.width);
        let mut code = vec![0; coding.width];
        coding.encode(game.initial().words(), &mut code);
        store.insert(&code);
        Found {
            coding,
            store,
            kinds: Vec::new(),
            ends: Vec::new(),
            rows: Vec::new(),
            outcomes: Outcomes::default(),
            layers: vec![0],
            edges: Some(Edges {
                starts: vec![0],
                targets: Vec::new(),
            }),
            is_layered: true,
            has_several: false,
            terminal: 0,
            stuck: 0,
            transitions: 0,
            stop: None,
            unsolvable: None,
        }
    }

    /// Takes in what follows the states from `kinds.len()` on.
    fn absorb(&mut self, expansion: &Expansion, roles: usize, layer_end: usize) {
        let width = self.coding.width;
        let mut goals = expansion.goals.chunks(roles);
        for &kind in &expansion.kinds {
            self.kinds.push(kind);
            self.ends.push(match kind {
                END => goals.next().map_or(UNKNOWN, |goals| self.outcomes.number(goals)),
                _ => UNKNOWN,
            });
            self.terminal += usize::from(kind == END);
            self.stuck += usize::from(kind == STUCK);
            self.has_several |= kind == SEVERAL;
        }
        self.rows.extend_from_slice(&expansion.rows);
        self.transitions += (expansion.codes.len() / width) as u64;
        let mut edges = self.edges.as_mut();
        self.store.insert_all(&expansion.codes, |number| {
            self.is_layered &= number as usize >= layer_end;
            if let Some(edges) = &mut edges {
                edges.targets.push(number);
            }
        });
        if let Some(edges) = edges {
            let mut end = edges.starts.last().copied().unwrap_or(0);
            for &degree in &expansion.degrees {
                end += degree;
                edges.starts.push(end);
            }
        }
    }

    /// Whether so many successors can be taken in; drops the list of successors if that helps.
    fn has_room(&mut self, states: usize, successors: usize, memory: usize) -> bool {
        let too_many = |edges: &Edges| edges.targets.len() + successors > u32::MAX as usize;
        if self.edges.as_ref().is_some_and(too_many) {
            self.edges = None;
        }
        let mut held = self.bytes() - self.store.bytes() + self.store.bytes_after(successors) + states * 8;
        if let Some(edges) = &self.edges {
            if edges.targets.len() + successors > edges.targets.capacity() {
                held += (edges.targets.capacity() * 2).max(successors) * 4;
            }
            // Values and the lists of predecessors are still to come.
            if held + edges.targets.len() * 4 > memory {
                held -= edges.bytes();
                self.edges = None;
            }
        }
        held <= memory && self.store.len() + successors < u32::MAX as usize
    }
}

/// Finds states until all are found or a bound is met. At the end of the first layer with which more states than `pause`
/// are known, it returns without a reason to stop, and may be called again to go on.
pub(crate) fn find(
    game: &Game,
    found: &mut Found,
    workers: &Workers<'_>,
    limits: Limits,
    watched: &Watched<'_>,
) -> Result<(), SolveError> {
    let Limits { memory, pause, .. } = limits;
    let chunk = chunk(game);
    let roles = game.roles().len();
    let mut layer_end = found.store.len();
    let mut waiting: Option<Vec<Expansion>> = None;
    let mut at = found.kinds.len();
    while at < layer_end {
        let ready = waiting.take();
        let after = (at + BATCH).min(layer_end);
        let width = found.coding.width;
        let coding = found.coding.clone();
        let codes: Vec<u64> = (at..after)
            .flat_map(|number| found.store.code(number))
            .copied()
            .collect();
        let expand = || -> Vec<Expansion> {
            let chunks = codes.par_chunks(chunk * width);
            let expand = |codes: &[u64]| workers.with(|worker| expand::expand(&mut *worker.successors, &coding, codes));
            // What is left out because the time is over is not taken in below.
            let unless_over = |codes| match watched.stop() {
                None => expand(codes),
                Some(_) => Expansion::default(),
            };
            chunks.map(unless_over).collect()
        };
        // What follows one batch is taken in while the next one is expanded.
        let (expansions, mut has_room) = rayon::join(expand, || match &ready {
            None => true,
            Some(expansions) => take_in(found, expansions, roles, layer_end, memory),
        });
        if let Some(cause) = workers.fault() {
            let game = game.name().to_string();
            return Err(SolveError::Fault { game, cause });
        }
        if let Some(width) = expansions.iter().filter_map(|expansion| expansion.lacking).max()
            && has_room
        {
            // Fluents turned up that codes have no room for; the batch is expanded again with wider ones.
            found.store.widen(width);
            found.coding = Coding::of_bits(width);
            continue;
        }
        if expansions.iter().any(|expansion| expansion.is_too_wide) {
            found.unsolvable = Some(super::too_wide());
            break;
        }
        found.stop = watched.stop();
        if found.stop.is_some() {
            break;
        }
        at = after;
        if at == layer_end {
            // The next layer ends where this one's last successors do.
            has_room = has_room && take_in(found, &expansions, roles, layer_end, memory);
            found.layers.push(layer_end);
            layer_end = found.store.len();
        } else {
            waiting = Some(expansions);
        }
        watched.tell(Phase::Forward, found.layers.len() - 1, found.store.len(), found.bytes());
        found.stop = match has_room {
            _ if found.store.len() as u64 > limits.states => Some(Stopped::nodes(limits.states)),
            true => watched.stop(),
            false => Some(Stopped::memory(memory as u64)),
        };
        if found.has_several && limits.few_roles && roles != 2 {
            found.unsolvable = Some(super::no_value());
        }
        if found.is_stopped() || (at == found.layers[found.layers.len() - 1] && layer_end > pause) {
            break;
        }
    }
    Ok(())
}

fn take_in(found: &mut Found, expansions: &[Expansion], roles: usize, layer_end: usize, memory: usize) -> bool {
    for expansion in expansions {
        let successors = expansion.codes.len() / found.coding.width;
        if !found.has_room(expansion.kinds.len(), successors, memory) {
            return false;
        }
        found.absorb(expansion, roles, layer_end);
    }
    true
}
