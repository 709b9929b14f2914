//! What is learnt about fluents, brought to the moves that make them true.
//!
//! Cadiaplayer's FAST learns what pieces and cells are worth and raises the values of moves that win them. Here every
//! fluent is a feature: its worth for a role is the average goal of matches at whose end it holds. A move is worth the
//! mean of the fluents that it makes true by itself, which the ground program tells; moves that make none are worth
//! their own average.

use super::averages::{Average, Averages, UNKNOWN};
use ludens_engine::{Fluent, Game, MoveId, State};
use ludens_ground::{GroundProgram, Signal};

pub(super) struct Fast {
    /// For each role and fluent.
    worth: Vec<Vec<Average>>,
    /// For each role and move, the fluents that it makes true.
    brought: Vec<Vec<Vec<Fluent>>>,
    /// The values of moves, as of the last refresh.
    values: Vec<Vec<f32>>,
}

impl Fast {
    pub(super) fn new(game: &Game) -> Fast {
        let roles = game.roles().count();
        Fast {
            worth: vec![Vec::new(); roles],
            brought: match game.engine().circuit() {
                Some(circuit) => brought(&circuit.program),
                // Without a ground program moves are worth their averages.
                None => vec![Vec::new(); roles],
            },
            values: vec![Vec::new(); roles],
        }
    }

    /// The value of a move.
    pub(super) fn value(&self, role: usize, MoveId(number): MoveId) -> f32 {
        let known = self.values[role].get(number as usize);
        known.copied().unwrap_or(UNKNOWN)
    }

    /// Computes the values of all moves anew.
    pub(super) fn refresh(&mut self, averages: &Averages) {
        for (role, values) in self.values.iter_mut().enumerate() {
            let worth = &self.worth[role];
            let of = |fluent: &Fluent| worth.get(fluent.0 as usize).filter(|average| average.count > 0.0);
            values.clear();
            values.extend(self.brought[role].iter().zip(0..).map(|(fluents, number)| {
                let known = fluents.iter().filter_map(of);
                let (sum, count) = known.fold((0.0, 0.0), |(sum, count), known| (sum + known.mean, count + 1.0));
                match count > 0.0 {
                    true => sum / count,
                    false => averages.mean(role, MoveId(number)).unwrap_or(UNKNOWN),
                }
            }));
        }
    }

    pub(super) fn learn(&mut self, state: &State, goals: &[f64]) {
        for (worth, &goal) in self.worth.iter_mut().zip(goals) {
            for Fluent(number) in state.fluents() {
                let number = number as usize;
                if number >= worth.len() {
                    worth.resize(number + 1, Average::default());
                }
                worth[number].add(goal as f32);
            }
        }
    }

    pub(super) fn fade(&mut self, keep: f64) {
        for average in self.worth.iter_mut().flatten() {
            average.count *= keep as f32;
        }
    }
}

/// For each role and move the fluents that come to hold because of it: some rule says so, and the rule does not ask for
/// the fluent itself, as rules do that only keep what holds already.
fn brought(program: &GroundProgram) -> Vec<Vec<Vec<Fluent>>> {
    let mut brought: Vec<Vec<Vec<Fluent>>> = program
        .names
        .moves
        .values()
        .map(|moves| vec![Vec::new(); moves.len()])
        .collect();
    for &(fluent, proposition) in &program.next {
        let mut seen = vec![proposition];
        let mut at = 0;
        while at < seen.len() {
            for conditions in program.instances_of(seen[at]) {
                let keeps = conditions
                    .iter()
                    .any(|condition| condition.signal == Signal::Fluent(fluent) && !condition.negated);
                for condition in conditions.iter().filter(|condition| !condition.negated && !keeps) {
                    match condition.signal {
                        Signal::Move(role, number) => {
                            let fluents = &mut brought[role.index()][number.index()];
                            if fluents.last() != Some(&fluent) {
                                fluents.push(fluent);
                            }
                        }
                        Signal::Derived(other) if !seen.contains(&other) && seen.len() < MOST_HELPERS => {
                            seen.push(other);
                        }
                        _ => {}
                    }
                }
            }
            at += 1;
        }
    }
    brought
}

/// Helper propositions that are followed from a fluent.
const MOST_HELPERS: usize = 64;
