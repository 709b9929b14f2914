//! Propositions that are used in one place only: they can move there.
//!
//! A proposition with one instance that is one of several conditions gives its conditions; one that is the only
//! condition of an instance gives its instances. Either way the network sees larger sets of conditions at once, and
//! finds more in common between them.

use crate::ids::Proposition;
use crate::order::groups;
use crate::program::{Body, Condition, GroundProgram, Signal};

/// Propositions that move to the place of their only use.
#[derive(Default)]
pub(crate) struct Inlined {
    moves: Vec<Move>,
}

#[derive(Clone, Copy)]
enum Move {
    Stays,
    /// Into the body that it is a condition of.
    Conditions(Body),
    /// Into the proposition that it is an instance of.
    Instances,
}

impl Inlined {
    fn of(&self, condition: Condition) -> Move {
        match condition {
            Condition {
                signal: Signal::Derived(proposition),
                negated: false,
            } => self.moves.get(proposition.index()).copied().unwrap_or(Move::Stays),
            _ => Move::Stays,
        }
    }

    /// Whether the proposition moves to the place of its use.
    pub(crate) fn moves_away(&self, proposition: Proposition) -> bool {
        let of = self.moves.get(proposition.index());
        of.is_some_and(|of| !matches!(of, Move::Stays))
    }

    /// The body to take instead of a condition.
    pub(crate) fn as_conditions(&self, condition: Condition) -> Option<Body> {
        match self.of(condition) {
            Move::Conditions(body) => Some(body),
            Move::Instances | Move::Stays => None,
        }
    }

    /// The proposition whose instances to take instead of an instance with this condition alone.
    pub(crate) fn as_instances(&self, condition: Condition) -> Option<Proposition> {
        match (self.of(condition), condition.signal) {
            (Move::Instances, Signal::Derived(proposition)) => Some(proposition),
            _ => None,
        }
    }
}

/// Finds the propositions that can move.
pub(crate) fn find(program: &GroundProgram) -> Inlined {
    let mut uses = vec![0u32; program.propositions()];
    // A body in several instances counts as often: its conditions are there that often.
    let mut times = vec![0u32; program.bodies.len()];
    // A proposition with one instance may move as conditions; it takes along only what moves in the same way.
    let mut is_only_instance = vec![false; program.bodies.len()];
    for proposition in Proposition::first(program.propositions()) {
        let instances = program.derived(proposition);
        for body in instances {
            times[body.0 as usize] += 1;
            is_only_instance[body.0 as usize] |= instances.len() == 1;
        }
    }
    for (number, &times) in times.iter().enumerate() {
        for condition in program.bodies.get(Body(number as u32)) {
            if let Signal::Derived(used) = condition.signal {
                uses[used.index()] += if condition.negated { 2 } else { times };
            }
        }
    }
    // Outputs must stay, and so must propositions that depend on themselves.
    for asked in program.asked_of_state().chain(program.asked_of_moves()) {
        uses[asked.index()] += 2;
    }
    let all = Proposition::first(program.propositions());
    for group in groups(program, all).iter().filter(|group| group.is_cyclic) {
        for &member in &group.members {
            uses[member.index()] += 2;
        }
    }
    let mut moves = vec![Move::Stays; program.propositions()];
    // Bodies that were absorbed are still stored, but are no use of anything.
    for number in (0..program.bodies.len() as u32).filter(|&number| times[number as usize] > 0) {
        let conditions = program.bodies.get(Body(number));
        for condition in conditions {
            let Signal::Derived(used) = condition.signal else {
                continue;
            };
            if uses[used.index()] != 1 {
                continue;
            }
            moves[used.index()] = match (program.derived(used), conditions.len()) {
                (_, 1) if !is_only_instance[number as usize] => Move::Instances,
                (&[body], _) => Move::Conditions(body),
                _ => Move::Stays,
            };
        }
    }
    Inlined { moves }
}
