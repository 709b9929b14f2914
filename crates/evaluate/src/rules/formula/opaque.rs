//! Propositions that are not opened as formulas, computed bottom-up by their rule instances.
//!
//! Where it is asked for, it is also counted how many conditions are missing until one that does not hold does: for all
//! conditions of an instance those of each together, for the instances the fewest. Along a chain of conditions that
//! carries a number from step to step, as rules that count do, that is how far the number is from one that will do.

use super::incremental::{Changes, Dependents};
use ludens_engine::{Game, State};
use ludens_ground::order::groups;
use ludens_ground::{Condition, GroundProgram, Proposition, Signal};
use std::sync::Arc;

/// Computes propositions of a state.
#[derive(Clone)]
pub struct Opaque {
    steps: Arc<Steps>,
    holds: Vec<bool>,
    changes: Changes,
    /// Previous values of the propositions of a group.
    before: Vec<(bool, Option<(u32, u32)>)>,
    /// For each proposition how many conditions are missing until it holds, and until it does not, where that is
    /// counted.
    missing: Option<Vec<(u32, u32)>>,
}

/// More than can be missing.
const NEVER: u32 = 1 << 24;
/// Maximum number of rounds for counting missing conditions of mutually recursive propositions.
const MOST_ROUNDS: usize = 64;

struct Steps {
    /// The propositions to compute with their instances, in order, as ranges of bodies.
    propositions: Vec<(Proposition, std::ops::Range<u32>)>,
    /// For groups of propositions that depend on each other, where they begin and end among the propositions.
    groups: Vec<(std::ops::Range<u32>, bool)>,
    bodies: Vec<std::ops::Range<u32>>,
    conditions: Vec<Condition>,
    all: usize,
    /// Groups of mutually dependent propositions, in order.
    dependents: Dependents,
}

impl Opaque {
    /// Prepares some propositions of a game; `None` if they are made of more conditions than `most_conditions`, or of
    /// moves, or if the game is not compiled.
    pub fn new(game: &Game, wanted: &[Proposition], most_conditions: usize) -> Option<Opaque> {
        Opaque::of(&game.engine().circuit()?.program, wanted, most_conditions)
    }

    /// Prepares some propositions of a ground program; `None` in the same cases.
    pub fn of(program: &GroundProgram, wanted: &[Proposition], most_conditions: usize) -> Option<Opaque> {
        let mut steps = Steps {
            propositions: Vec::new(),
            groups: Vec::new(),
            bodies: Vec::new(),
            conditions: Vec::new(),
            all: program.propositions(),
            dependents: Dependents::default(),
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
        steps.dependents = steps.dependents();
        Some(Opaque {
            changes: Changes::new(steps.groups.len()),
            before: Vec::new(),
            holds: vec![false; if wanted.is_empty() { 0 } else { steps.all }],
            steps: Arc::new(steps),
            missing: None,
        })
    }

    /// The same, counting missing conditions too.
    pub(crate) fn counting(self) -> Opaque {
        Opaque {
            missing: Some(vec![(0, 0); self.holds.len()]),
            changes: Changes::new(self.steps.groups.len()),
            ..self
        }
    }

    /// Number of conditions missing until a proposition holds in the last state, if counted.
    pub(crate) fn missing(&self, proposition: Proposition) -> Option<u32> {
        let (missing, _) = self.missing.as_ref()?.get(proposition.index())?;
        Some(*missing)
    }

    /// Computes everything in a state.
    pub fn compute(&mut self, state: &State) {
        let steps = self.steps.clone();
        if !self.changes.go_to(state.words(), &steps.dependents) {
            self.compute_all(&steps, state);
            return;
        }
        let mut from = 0;
        while let Some(number) = self.changes.next(from) {
            from = number;
            if self.compute_again(&steps, number, state) {
                self.changes.changed(number, &steps.dependents);
            }
        }
    }

    fn compute_all(&mut self, steps: &Steps, state: &State) {
        for (proposition, _) in &steps.propositions {
            self.holds[proposition.index()] = false;
        }
        for (group, is_cyclic) in &steps.groups {
            self.compute_group(steps, group, *is_cyclic, state);
        }
    }

    /// Computes the propositions of a group again, and returns whether that changed any of them.
    fn compute_again(&mut self, steps: &Steps, number: usize, state: &State) -> bool {
        let (group, is_cyclic) = &steps.groups[number];
        let members = &steps.propositions[group.start as usize..group.end as usize];
        self.before.clear();
        for &(proposition, _) in members {
            let held = std::mem::take(&mut self.holds[proposition.index()]);
            let missing = self.missing.as_ref().map(|missing| missing[proposition.index()]);
            self.before.push((held, missing));
        }
        self.compute_group(steps, group, *is_cyclic, state);
        let mut pairs = members.iter().zip(&self.before);
        pairs.any(|(&(proposition, _), &before)| {
            let missing = self.missing.as_ref().map(|missing| missing[proposition.index()]);
            before != (self.holds[proposition.index()], missing)
        })
    }

    /// Computes the propositions of a group, none of which was found to hold so far.
    fn compute_group(&mut self, steps: &Steps, group: &std::ops::Range<u32>, is_cyclic: bool, state: &State) {
        // Recursive propositions need a fixed point.
        while self.add(steps, group, state) && is_cyclic {}
        if let Some(mut missing) = self.missing.take() {
            self.count(steps, group, is_cyclic, state, &mut missing);
            self.missing = Some(missing);
        }
    }

    /// Counts the missing conditions of the propositions of a group.
    fn count(
        &self,
        steps: &Steps,
        group: &std::ops::Range<u32>,
        is_cyclic: bool,
        state: &State,
        missing: &mut [(u32, u32)],
    ) {
        let group = &steps.propositions[group.start as usize..group.end as usize];
        for (proposition, _) in group {
            let holds = self.holds[proposition.index()];
            missing[proposition.index()] = if holds { (0, 1) } else { (NEVER, 0) };
        }
        for _ in 0..if is_cyclic { MOST_ROUNDS } else { 1 } {
            let mut is_changed = false;
            for (proposition, bodies) in group {
                let bodies = &steps.bodies[bodies.start as usize..bodies.end as usize];
                let needed = |condition: &Condition, missing: &[(u32, u32)]| -> (u32, u32) {
                    let (held, not) = match condition.signal {
                        Signal::Fluent(number) => match state.holds(number) {
                            true => (0, 1),
                            false => (1, 0),
                        },
                        Signal::Derived(number) => missing[number.index()],
                        Signal::Move(..) => (NEVER, 0),
                    };
                    if condition.negated { (not, held) } else { (held, not) }
                };
                let (mut least, mut all) = (NEVER, 0);
                for body in bodies {
                    let conditions = &steps.conditions[body.start as usize..body.end as usize];
                    let (mut sum, mut one) = (0, NEVER);
                    for condition in conditions {
                        let (held, not) = needed(condition, missing);
                        sum = NEVER.min(sum + held);
                        one = one.min(not);
                    }
                    least = least.min(sum);
                    all = NEVER.min(all + one);
                }
                let known = &mut missing[proposition.index()];
                // A recursive proposition can become false in ways that are not counted.
                let not = if is_cyclic { known.1 } else { all };
                is_changed |= least < known.0;
                *known = (least.min(known.0), not);
            }
            if !is_changed {
                break;
            }
        }
    }

    /// Returns whether a proposition holds in the last state.
    pub fn holds(&self, proposition: Proposition) -> bool {
        self.holds.get(proposition.index()).copied().unwrap_or(false)
    }

    fn add(&mut self, steps: &Steps, group: &std::ops::Range<u32>, state: &State) -> bool {
        let mut is_changed = false;
        for (proposition, bodies) in &steps.propositions[group.start as usize..group.end as usize] {
            if self.holds[proposition.index()] {
                continue;
            }
            let mut bodies = steps.bodies[bodies.start as usize..bodies.end as usize].iter();
            let holds = bodies.any(|body| {
                let conditions = &steps.conditions[body.start as usize..body.end as usize];
                conditions.iter().all(|condition| {
                    condition.negated
                        != match condition.signal {
                            Signal::Fluent(number) => state.holds(number),
                            Signal::Derived(number) => self.holds[number.index()],
                            Signal::Move(..) => false,
                        }
                })
            });
            self.holds[proposition.index()] = holds;
            is_changed |= holds;
        }
        is_changed
    }
}

impl Steps {
    fn add(&mut self, program: &GroundProgram, proposition: Proposition, most_conditions: usize) -> Option<()> {
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

    fn dependents(&self) -> Dependents {
        let mut group_of = vec![None; self.all];
        let (mut by_fluent, mut by_group) = (Vec::new(), Vec::new());
        for (number, (group, _)) in (0..).zip(&self.groups) {
            for (proposition, bodies) in &self.propositions[group.start as usize..group.end as usize] {
                group_of[proposition.index()] = Some(number);
                for body in &self.bodies[bodies.start as usize..bodies.end as usize] {
                    for condition in &self.conditions[body.start as usize..body.end as usize] {
                        match condition.signal {
                            Signal::Fluent(fluent) => by_fluent.push((fluent.0, number)),
                            // Those of the group itself that come later are in it anyway.
                            Signal::Derived(other) => by_group.extend(group_of[other.index()].map(|of| (of, number))),
                            Signal::Move(..) => {}
                        }
                    }
                }
            }
        }
        by_group.retain(|(of, number)| of != number);
        Dependents::new(self.groups.len(), by_fluent, by_group, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Source;

    /// Cells are mine or not; `(count 3 ?n)` says how many of three are.
    const COUNTER: &str = "(role robot)
        (cell 1) (cell 2) (cell 3)
        (succ 0 1) (succ 1 2) (succ 2 3)
        (follows 1 2) (follows 2 3)
        (init (step 1))
        (<= (legal robot (take ?c)) (cell ?c))
        (<= (next (mine ?c)) (does robot (take ?c)))
        (<= (next (mine ?c)) (true (mine ?c)))
        (<= (next (step 1)) (true (step 1)))
        (<= (count 1 1) (true (mine 1)))
        (<= (count 1 0) (not (true (mine 1))) (true (step 1)))
        (<= (count ?d ?m) (follows ?c ?d) (count ?c ?n) (true (mine ?d)) (succ ?n ?m))
        (<= (count ?d ?n) (follows ?c ?d) (count ?c ?n) (not (true (mine ?d))))
        (<= (goal robot 100) (count 3 3))
        (<= (goal robot 0) (not (count 3 3)))
        (<= terminal (count 3 3))";

    #[test]
    fn missing_conditions_along_a_chain_measure_the_distance_of_a_number() {
        let game = Game::read(Source::new("counter", COUNTER)).unwrap();
        let program = &game.engine().circuit().unwrap().program;
        let (_, goal) = program.goals[ludens_engine::Role(0)]
            .iter()
            .copied()
            .find(|goal| goal.0 == 100)
            .unwrap();
        let mut opaque = Opaque::new(&game, &[goal], 1_000).unwrap().counting();
        let mut machine = game.machine();
        for left in [3, 2, 1, 0] {
            opaque.compute(machine.state());
            assert_eq!(opaque.missing(goal), Some(left));
            assert_eq!(opaque.holds(goal), left == 0);
            let text = format!("(take {})", 4 - left.max(1));
            let taken = game.parse_move(ludens_engine::Role(0), &text).unwrap();
            machine.step(&[taken]);
        }
        assert_eq!(Opaque::new(&game, &[goal], 1_000).unwrap().missing(goal), None);
    }
}
