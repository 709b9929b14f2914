//! Effects of moves and bounds of goals, read off the ground program of a compiled game.

use crate::game::Game;
use crate::state::{Fluent, Role, RoleMap};
use ludens_ground::{GroundProgram, Signal};

/// Maximum number of derived propositions that are followed from a fluent.
const MAX_DERIVED: usize = 64;

impl Game {
    /// Returns the fluents that each move of each role makes true. Empty for each role if the game is not compiled.
    pub fn move_effects(&self) -> RoleMap<Vec<Vec<Fluent>>> {
        match self.engine().circuit() {
            Some(circuit) => effects(&circuit.program),
            None => RoleMap::filled(self.roles().len(), Vec::new()),
        }
    }

    /// Returns the greatest goal of a role; 100 if the game is not compiled or has no goal for the role.
    pub fn greatest_goal(&self, role: Role) -> u8 {
        let goals = self.engine().circuit().map(|circuit| &circuit.network.goals[role]);
        let values = goals.into_iter().flatten().map(|&(value, _)| value);
        values.max().unwrap_or(100)
    }
}

/// A move makes a fluent true if it is a condition of a rule for it. Rules with the fluent itself as a condition only
/// keep it.
fn effects(program: &GroundProgram) -> RoleMap<Vec<Vec<Fluent>>> {
    let moves = program.names.moves.values();
    let mut effects: RoleMap<Vec<Vec<Fluent>>> = moves.map(|moves| vec![Vec::new(); moves.len()]).collect();
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
                            let fluents = &mut effects[role][number.index()];
                            if fluents.last() != Some(&fluent) {
                                fluents.push(fluent);
                            }
                        }
                        Signal::Derived(other) if !seen.contains(&other) && seen.len() < MAX_DERIVED => {
                            seen.push(other);
                        }
                        _ => {}
                    }
                }
            }
            at += 1;
        }
    }
    effects
}
