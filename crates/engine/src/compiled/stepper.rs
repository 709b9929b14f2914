//! A cursor on the network: one state at a time. [`Stepper`] is what the ways of computing single states have in common,
//! [`CompiledMachine`] makes a machine of any of them.

use super::CompiledParts;
use crate::machine::Machine;
use crate::state::{MoveId, Role, State};
use ludens_gdl::format::canonical_term;

/// A way to compute the answers about one state. Answers depend on the state and the moves alone, never on the way.
pub(super) trait Stepper: Send {
    /// Goes to a state.
    fn load(&mut self, state: &State);

    /// Whether the match is over.
    fn is_terminal(&mut self) -> bool;

    /// Appends the legal moves of a role in the order of their numbers.
    fn legal(&mut self, role: Role, list: &mut Vec<MoveId>);

    /// Appends the goal values of a role in increasing order.
    fn goal_values(&mut self, role: Role, list: &mut Vec<u8>);

    /// The state that follows; it is not gone to.
    fn next(&mut self, joint: &[MoveId]) -> State;

    /// Which of the percepts of a role hold.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<usize>;

    /// How many gates were computed so far.
    fn work(&self) -> u64;
}

/// A machine on the network.
pub(super) struct CompiledMachine<S> {
    parts: CompiledParts,
    stepper: S,
    state: State,
    /// The legal moves of each role, once they were asked for.
    legal: Vec<Answer<MoveId>>,
    goals: Vec<Answer<u8>>,
}

/// A list that is made when it is first asked for in a state.
#[derive(Clone)]
struct Answer<T> {
    is_known: bool,
    list: Vec<T>,
}

impl<T> Answer<T> {
    const UNKNOWN: Answer<T> = Answer {
        is_known: false,
        list: Vec::new(),
    };

    fn get(&mut self, make: impl FnOnce(&mut Vec<T>)) -> &[T] {
        if !std::mem::replace(&mut self.is_known, true) {
            self.list.clear();
            make(&mut self.list);
        }
        &self.list
    }
}

impl<S: Stepper> CompiledMachine<S> {
    pub(super) fn new(parts: CompiledParts, stepper: S, state: &State) -> CompiledMachine<S> {
        let roles = parts.network.moves.len();
        let mut machine = CompiledMachine {
            parts,
            stepper,
            state: State::default(),
            legal: vec![Answer::UNKNOWN; roles],
            goals: vec![Answer::UNKNOWN; roles],
        };
        machine.load(state);
        machine
    }

    fn forget_answers(&mut self) {
        self.legal.iter_mut().for_each(|answer| answer.is_known = false);
        self.goals.iter_mut().for_each(|answer| answer.is_known = false);
    }
}

impl<S: Stepper> Machine for CompiledMachine<S> {
    fn role_count(&self) -> usize {
        self.legal.len()
    }

    fn load(&mut self, state: &State) {
        self.forget_answers();
        self.stepper.load(state);
        self.state.clone_from(state);
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn is_terminal(&mut self) -> bool {
        self.stepper.is_terminal()
    }

    fn legal(&mut self, role: Role) -> &[MoveId] {
        self.legal[role.index()].get(|list| self.stepper.legal(role, list))
    }

    fn goal_values(&mut self, role: Role) -> &[u8] {
        self.goals[role.index()].get(|list| {
            self.stepper.goal_values(role, list);
            list.dedup();
        })
    }

    fn step(&mut self, joint: &[MoveId]) {
        self.forget_answers();
        self.state = self.stepper.next(joint);
        self.stepper.load(&self.state);
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<String> {
        let percepts = &self.parts.network.percepts[role.index()];
        let symbols = self.parts.vocabulary.symbols();
        let held = self.stepper.percepts(role, joint).into_iter();
        let mut texts: Vec<String> = held.map(|index| canonical_term(&percepts[index].0, symbols)).collect();
        texts.sort_unstable();
        texts
    }

    fn fault(&self) -> Option<&str> {
        None
    }
}
