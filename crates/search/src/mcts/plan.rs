//! The best line found so far, in games with one role and without chance: nobody can interfere, so it can be followed.

use ludens_engine::playout::Choice;
use ludens_engine::{Machine, MoveId, Role, State};

/// A line of choices and what it leads to.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Where it begins.
    start: State,
    /// The choices; moves without a choice between them are not listed.
    choices: Vec<Choice>,
    /// Its result.
    pub(super) score: u8,
    /// How many steps it takes.
    steps: usize,
}

impl Plan {
    pub(super) fn new(start: &State, choices: Vec<Choice>, score: u8, steps: usize) -> Plan {
        Plan {
            start: start.clone(),
            choices,
            score,
            steps,
        }
    }

    /// Whether a line with this score and length is better.
    pub(super) fn is_worse_than(&self, score: u8, steps: usize) -> bool {
        (score, std::cmp::Reverse(steps)) > (self.score, std::cmp::Reverse(self.steps))
    }

    /// The first choice.
    pub(super) fn first(&self) -> Option<MoveId> {
        self.choices.first().map(|choice| choice.move_id)
    }

    /// The rest of the plan from a state on, if it leads through that state.
    pub(super) fn from(mut self, state: &State, machine: &mut dyn Machine) -> Option<Plan> {
        machine.load(&self.start);
        let mut made = 0;
        let mut steps = 0;
        while machine.state() != state {
            if steps == self.steps || machine.is_terminal() {
                return None;
            }
            let next = match *machine.legal(Role(0)) {
                [only] => only,
                _ => {
                    made += 1;
                    self.choices.get(made - 1)?.move_id
                }
            };
            machine.step(&[next]);
            steps += 1;
        }
        self.choices.drain(..made);
        self.start = state.clone();
        self.steps -= steps;
        Some(self)
    }
}
