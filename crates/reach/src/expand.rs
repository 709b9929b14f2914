//! Expansion: what a user of the graph notes about each state, and the codes of all its successors. Enumeration spends
//! nearly all its time here, so engines are asked about many states at once.

use crate::Coding;
use ludens_engine::{MoveId, Questions, State, Successor, Successors};

/// Maximum number of joint moves of several states that are expanded together.
const MOST_TOGETHER: u64 = 1 << 20;

/// The kind of a node of a state graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// Roles have moves, and the successors are in the graph.
    Inner,
    /// A terminal state.
    Terminal,
    /// Not terminal, but some role has no legal move, so play cannot go on.
    Stuck,
    /// Not terminal, and the successors are not in the graph.
    Leaf,
}

/// A user of a state graph: decides what is noted about each state.
pub trait Observer: Sync {
    /// Notes on some states, made by one worker.
    type Notes: Default + Send;
    /// Notes on all states so far.
    type Record: Send;

    /// Notes what matters about a state. States come in the order of their numbers.
    fn observe(&self, notes: &mut Self::Notes, state: &Successor, kind: NodeKind);

    /// Adds the notes on the next states to the record.
    fn absorb(&self, record: &mut Self::Record, notes: Self::Notes);

    /// Bytes that are needed in all for the record and a graph of `graph` bytes.
    fn bytes(&self, record: &Self::Record, graph: usize) -> usize;

    /// Whether the record makes further states useless.
    fn is_enough(&self, _record: &Self::Record) -> bool {
        false
    }

    /// The expansion of states that the observer knows already, if it knows all of them.
    fn recall(&self, _coding: &Coding, _codes: &[u64]) -> Option<Expansion<Self::Notes>> {
        None
    }
}

/// The expansion of some states, in order.
#[derive(Default)]
pub struct Expansion<N> {
    /// What the observer noted.
    pub notes: N,
    /// Number of successors of each state, one for each joint move.
    pub degrees: Vec<u32>,
    /// Codes of the successors in the order of joint moves, the moves of the last role changing fastest.
    pub codes: Vec<u64>,
    /// Words that a code needs for a successor that does not fit into the coding.
    pub lacking: Option<usize>,
    /// Number of joint moves of the state that has most.
    pub widest: u64,
    /// Whether the states have too many joint moves to be expanded together. Then `codes` is empty.
    pub is_overfull: bool,
}

/// Expands the states with these codes. States with more than `most` joint moves, and all of them if `most` is 0, are
/// only looked at.
pub fn expand<O: Observer>(
    successors: &mut dyn Successors,
    observer: &O,
    coding: &Coding,
    codes: &[u64],
    most: u64,
) -> Expansion<O::Notes> {
    let mut expansion = Expansion::<O::Notes>::default();
    let states: Vec<State> = codes.chunks(coding.width()).map(|code| coding.decode(code)).collect();
    let lent: Vec<&State> = states.iter().collect();
    let mut questions = Questions::default();
    let mut total = 0u64;
    successors.look(&lent, &mut |number, here| {
        let product = |product: u64, moves: &Vec<MoveId>| product.saturating_mul(moves.len() as u64);
        let degree = here.legal.values().fold(1, product);
        let kind = match (here.is_terminal, degree) {
            (true, _) => NodeKind::Terminal,
            (false, 0) => NodeKind::Stuck,
            (false, _) if most == 0 => NodeKind::Leaf,
            (false, _) => NodeKind::Inner,
        };
        observer.observe(&mut expansion.notes, here, kind);
        let degree = if kind == NodeKind::Inner { degree } else { 0 };
        expansion.widest = expansion.widest.max(degree);
        expansion.degrees.push(degree as u32);
        total = total.saturating_add(degree);
        expansion.is_overfull = states.len() > 1 && total > MOST_TOGETHER;
        if kind == NodeKind::Inner && degree <= most && !expansion.is_overfull {
            questions.add(number, &here.legal);
        }
    });
    if expansion.is_overfull {
        return expansion;
    }
    expansion.codes.reserve(questions.len() * coding.width());
    let mut code = vec![0; coding.width()];
    questions.follow(&states, successors, &mut |words| {
        if !coding.encode(words, &mut code) {
            expansion.lacking = expansion.lacking.max(Some(words.len()));
        }
        expansion.codes.extend_from_slice(&code);
    });
    expansion
}
