//! A cursor on the network: one state at a time. [`Stepper`] is the interface of the ways to compute single states;
//! [`CompiledMachine`] makes a machine of any of them.

use super::CompiledParts;
use crate::machine::Machine;
use crate::state::{MoveId, PerceptId, Role, RoleMap, State};

/// A way to compute the answers about one state. Answers depend on the state and the moves alone, never on the way.
pub(super) trait Stepper: Send {
    /// Goes to a state.
    fn load(&mut self, state: &State);

    /// Whether the match is over.
    fn is_terminal(&mut self) -> bool;

    /// Appends the legal moves of a role in the order of their numbers.
    fn legal(&mut self, role: Role, list: &mut Vec<MoveId>);

    /// Appends the goal values of a role, the one that counts first.
    fn goal_values(&mut self, role: Role, list: &mut Vec<u8>);

    /// Returns the successor without moving to it.
    fn next(&mut self, joint: &[MoveId]) -> State;

    /// The percepts of a role that hold, in the order of their numbers.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId>;

    /// Number of gates computed so far.
    fn work(&self) -> u64;
}

/// A machine on the network.
pub(super) struct CompiledMachine<S> {
    parts: CompiledParts,
    stepper: S,
    state: State,
    /// Answers states that are outside of the network, once there was one.
    reference: Option<Box<dyn Machine>>,
    /// Whether this state is one of them.
    is_outside: bool,
    /// Reason why there is no answer about this state, if there is none.
    fault: Option<String>,
    /// The legal moves of each role, once they were asked for.
    legal: RoleMap<Answer<MoveId>>,
    goals: RoleMap<Answer<u8>>,
}

/// A list that is computed when it is first asked for in a state.
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
            reference: None,
            is_outside: false,
            fault: None,
            legal: RoleMap::filled(roles, Answer::UNKNOWN),
            goals: RoleMap::filled(roles, Answer::UNKNOWN),
        };
        machine.load(state);
        machine
    }

    fn forget_answers(&mut self) {
        self.legal.values_mut().for_each(|answer| answer.is_known = false);
        self.goals.values_mut().for_each(|answer| answer.is_known = false);
    }

    /// Moves to a state outside of the network; a fault if there is no reference machine either.
    fn load_outside(&mut self, state: &State) {
        if self.reference.is_none() {
            match self.parts.outside.machine() {
                Ok(machine) => self.reference = Some(machine),
                Err(cause) => self.fault = Some(cause),
            }
        }
        if let Some(reference) = &mut self.reference {
            reference.load(state);
        }
    }

    /// The machine that answers this state, if it is outside of the network; `None` also if no machine does.
    fn reference(&mut self) -> Option<&mut (dyn Machine + 'static)> {
        self.reference.as_deref_mut().filter(|_| self.is_outside)
    }
}

impl<S: Stepper> Machine for CompiledMachine<S> {
    fn role_count(&self) -> usize {
        self.legal.len()
    }

    fn load(&mut self, state: &State) {
        self.forget_answers();
        self.fault = None;
        self.is_outside = self.parts.outside.has(state);
        match self.is_outside {
            true => self.load_outside(state),
            false => self.stepper.load(state),
        }
        self.state.clone_from(state);
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn is_terminal(&mut self) -> bool {
        match self.is_outside {
            // Without answers the match cannot go on.
            true => self.reference().is_none_or(|machine| machine.is_terminal()),
            false => self.stepper.is_terminal(),
        }
    }

    fn legal(&mut self, role: Role) -> &[MoveId] {
        let reference = self.reference.as_deref_mut().filter(|_| self.is_outside);
        self.legal[role].get(|list| match reference {
            Some(machine) => list.extend_from_slice(machine.legal(role)),
            None if self.is_outside => {}
            None => self.stepper.legal(role, list),
        })
    }

    fn goal_values(&mut self, role: Role) -> &[u8] {
        let reference = self.reference.as_deref_mut().filter(|_| self.is_outside);
        self.goals[role].get(|list| match reference {
            Some(machine) => list.extend_from_slice(machine.goal_values(role)),
            None if self.is_outside => {}
            None => {
                self.stepper.goal_values(role, list);
                list.dedup();
            }
        })
    }

    fn step(&mut self, joint: &[MoveId]) {
        if self.is_outside {
            let next = self.reference().map(|machine| {
                machine.step(joint);
                machine.state().clone()
            });
            // The way may lead back to where the network answers.
            return next.iter().for_each(|next| self.load(next));
        }
        self.forget_answers();
        self.state = self.stepper.next(joint);
        self.stepper.load(&self.state);
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId> {
        if self.is_outside {
            return self
                .reference()
                .map_or_else(Vec::new, |machine| machine.percepts(role, joint));
        }
        self.stepper.percepts(role, joint)
    }

    fn fault(&self) -> Option<&str> {
        let reference = self.reference.as_deref().filter(|_| self.is_outside);
        self.fault.as_deref().or_else(|| reference?.fault())
    }
}
