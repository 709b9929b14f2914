//! What follows states: ends, legal moves, and the successors of all joint moves. Engines are asked for many at once.

use super::{Graph, Kind};
use ludens_engine::{Game, MoveId, Questions, State, Successors};
use ludens_reach::MOST_JOINT_MOVES;

/// What follows some states, in order.
#[derive(Default)]
pub(crate) struct Expansion {
    pub(crate) kinds: Vec<Kind>,
    /// How many legal moves each role has, state by state; none where the match is over.
    pub(crate) counts: Vec<u32>,
    pub(crate) moves: Vec<MoveId>,
    /// The score of each role, state by state.
    pub(crate) goals: Vec<f64>,
    /// The rows of all successors, in the order of joint moves, those of the last role changing fastest.
    pub(crate) rows: Vec<u64>,
    /// The words that a row needs for a successor that is wider.
    pub(crate) lacking: Option<usize>,
    /// Whether some state has too many joint moves.
    pub(crate) is_too_wide: bool,
}

/// Workers, and a graph some of whose states may turn up again.
pub(crate) struct Workers<'a> {
    workers: ludens_reach::Workers<'a>,
    known: Option<&'a Graph>,
}

impl<'a> Workers<'a> {
    pub(crate) fn new(game: &'a Game, known: Option<&'a Graph>) -> Workers<'a> {
        Workers {
            workers: ludens_reach::Workers::new(game),
            known,
        }
    }

    /// Why answers cannot be trusted any more.
    pub(crate) fn fault(&self) -> Option<String> {
        self.workers.fault()
    }

    /// Finds what follows the states of these rows.
    pub(crate) fn expand(&self, rows: &[u64], width: usize) -> Expansion {
        let states: Vec<State> = rows.chunks(width).map(|row| State::from_words(row.to_vec())).collect();
        if let Some(expansion) = self.known.and_then(|graph| remembered(graph, &states, width)) {
            return expansion;
        }
        self.with(|successors| expand(successors, &states, width))
    }

    /// Lends the engine of one thread.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut dyn Successors) -> R) -> R {
        self.workers.with(|worker| work(&mut *worker.successors))
    }
}

/// What a graph knows about states, if it knows all of them.
fn remembered(graph: &Graph, states: &[State], width: usize) -> Option<Expansion> {
    let mut expansion = Expansion::default();
    for state in states {
        let node = graph.find(state)?;
        if graph.kind(node) == Kind::Leaf || graph.states.width() > width {
            return None;
        }
        expansion.kinds.push(graph.kind(node));
        for role in 0..graph.roles() {
            let moves = graph.moves(node, role);
            expansion.counts.push(moves.len() as u32);
            expansion.moves.extend_from_slice(moves);
        }
        expansion.goals.extend_from_slice(graph.goals(node));
        for &child in graph.children(node) {
            expansion.rows.extend_from_slice(graph.states.row(child as usize));
            expansion
                .rows
                .resize(expansion.rows.len() + width - graph.states.width(), 0);
        }
    }
    Some(expansion)
}

fn expand(successors: &mut dyn Successors, states: &[State], width: usize) -> Expansion {
    let mut expansion = Expansion::default();
    let mut asked = Questions::default();
    let lent: Vec<&State> = states.iter().collect();
    successors.look(&lent, &mut |number, here| {
        let product = |product: u64, moves: &Vec<MoveId>| product.saturating_mul(moves.len() as u64);
        let degree = here.legal.values().fold(1, product);
        let kind = match (here.is_terminal, degree) {
            (true, _) => Kind::End,
            (false, 0) => Kind::Stuck,
            (false, _) => Kind::Inner,
        };
        expansion.is_too_wide |= kind == Kind::Inner && degree > MOST_JOINT_MOVES;
        expansion.kinds.push(kind);
        expansion
            .goals
            .extend(here.scores.values().map(|&score| f64::from(score)));
        for moves in here.legal.values() {
            let moves = if kind == Kind::Inner { &moves[..] } else { &[] };
            expansion.counts.push(moves.len() as u32);
            expansion.moves.extend_from_slice(moves);
        }
        if kind == Kind::Inner && degree <= MOST_JOINT_MOVES {
            asked.add(number, &here.legal);
        }
    });
    expansion.rows.reserve(asked.len() * width);
    asked.follow(states, successors, &mut |words| {
        let used = words.len().min(width);
        expansion.rows.extend_from_slice(&words[..used]);
        expansion.rows.resize(expansion.rows.len() + width - used, 0);
        if words[used..].iter().any(|&word| word != 0) {
            expansion.lacking = expansion.lacking.max(Some(words.len()));
        }
    });
    expansion
}
