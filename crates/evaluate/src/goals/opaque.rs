//! Whether propositions hold that are not opened as formulas: computed as the rules say, from the bottom up.

use ludens_engine::{Game, State};
use ludens_ground::order::groups;
use ludens_ground::{Condition, GroundProgram, Signal};
use std::sync::Arc;

/// Computes propositions of a state.
#[derive(Clone)]
pub struct Opaque {
    steps: Arc<Steps>,
    holds: Vec<bool>,
}

struct Steps {
    /// The propositions to compute with their instances, in order, as ranges of bodies.
    propositions: Vec<(u32, std::ops::Range<u32>)>,
    /// For groups of propositions that depend on each other, where they begin and end among the propositions.
    groups: Vec<(std::ops::Range<u32>, bool)>,
    bodies: Vec<std::ops::Range<u32>>,
    conditions: Vec<Condition>,
    all: usize,
}

impl Opaque {
    /// For some propositions of a game; nothing if they are made of more conditions than that altogether, or of moves, or
    /// if the game is not compiled.
    pub fn new(game: &Game, wanted: &[u32], most_conditions: usize) -> Option<Opaque> {
        Opaque::of(&game.engine().circuit()?.program, wanted, most_conditions)
    }

    /// For some propositions of a ground program; nothing in the same cases.
    pub fn of(program: &GroundProgram, wanted: &[u32], most_conditions: usize) -> Option<Opaque> {
        let mut steps = Steps {
            propositions: Vec::new(),
            groups: Vec::new(),
            bodies: Vec::new(),
            conditions: Vec::new(),
            all: program.propositions(),
        };
        for group in groups(program, wanted.iter().copied()) {
            let start = steps.propositions.len() as u32;
            for &member in &group.members {
                steps.add(program, member, most_conditions)?;
            }
            steps
                .groups
                .push((start..steps.propositions.len() as u32, group.is_cyclic));
        }
        Some(Opaque {
            holds: vec![false; if wanted.is_empty() { 0 } else { steps.all }],
            steps: Arc::new(steps),
        })
    }

    /// Computes everything in a state.
    pub fn compute(&mut self, state: &State) {
        let steps = self.steps.clone();
        for (group, is_cyclic) in &steps.groups {
            for (proposition, _) in &steps.propositions[group.start as usize..group.end as usize] {
                self.holds[*proposition as usize] = false;
            }
            // What depends on itself grows until nothing is added.
            while self.add(&steps, group, state) && *is_cyclic {}
        }
    }

    /// Whether a proposition holds in the state that was computed last.
    pub fn holds(&self, proposition: u32) -> bool {
        self.holds.get(proposition as usize).copied().unwrap_or(false)
    }

    fn add(&mut self, steps: &Steps, group: &std::ops::Range<u32>, state: &State) -> bool {
        let mut is_changed = false;
        for (proposition, bodies) in &steps.propositions[group.start as usize..group.end as usize] {
            if self.holds[*proposition as usize] {
                continue;
            }
            let mut bodies = steps.bodies[bodies.start as usize..bodies.end as usize].iter();
            let holds = bodies.any(|body| {
                let conditions = &steps.conditions[body.start as usize..body.end as usize];
                conditions.iter().all(|condition| {
                    condition.negated
                        != match condition.signal {
                            Signal::Fluent(number) => state.holds(ludens_engine::Fluent(number)),
                            Signal::Derived(number) => self.holds[number as usize],
                            Signal::Move(..) => false,
                        }
                })
            });
            self.holds[*proposition as usize] = holds;
            is_changed |= holds;
        }
        is_changed
    }
}

impl Steps {
    fn add(&mut self, program: &GroundProgram, proposition: u32, most_conditions: usize) -> Option<()> {
        let first = self.bodies.len() as u32;
        for body in program.instances_of(proposition) {
            let start = self.conditions.len() as u32;
            self.conditions.extend_from_slice(body);
            self.bodies.push(start..self.conditions.len() as u32);
            let depends_on_moves = body
                .iter()
                .any(|condition| matches!(condition.signal, Signal::Move(..)));
            if self.conditions.len() > most_conditions || depends_on_moves {
                return None;
            }
        }
        self.propositions.push((proposition, first..self.bodies.len() as u32));
        Some(())
    }
}
