//! How others are believed to play, from what they are or what they did.
//!
//! [`Asked`] asks an agent what it would do in every state; [`see`] counts what players did in matches that were
//! recorded. Both become a [`Model`](ludens_equilibrium::exploit::Model) on the graph of a game.

use crate::agent::Place;
use crate::replay::Replay;
use crate::spec::AgentSpec;
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::{Game, MoveId, Role, State};
use ludens_equilibrium::exploit::{Belief, Frequencies};

/// The strategy of an agent, which is asked in every state. That takes the agent's thinking time for each of the states
/// in which the role has a choice, times the samples.
pub struct Asked {
    game: Game,
    spec: AgentSpec,
    /// Iterations for each answer.
    iterations: u64,
    /// How often it is asked, with another seed each time.
    samples: u32,
    budget: Budget,
}

impl Asked {
    /// For an agent with this many iterations for each move, asked `samples` times in every state.
    pub fn new(game: &Game, spec: AgentSpec, iterations: u64, samples: u32, budget: &Budget) -> Asked {
        Asked {
            game: game.clone(),
            spec,
            iterations,
            samples: samples.max(1),
            budget: budget.clone(),
        }
    }
}

impl Belief for Asked {
    fn believe(&mut self, state: &State, role: usize, moves: &[MoveId], weights: &mut [f64]) -> bool {
        let view = Position::of(state.clone());
        for seed in 0..self.samples {
            let mut agent = self.spec.create(&Place {
                game: self.game.clone(),
                role: Role(role as u8),
                seed: u64::from(seed),
                match_id: "model".into(),
                is_hidden: false,
            });
            let budget = self.budget.uncounted().unobserved().with_iterations(self.iterations);
            let choice = agent.choose(&view, &budget).choice;
            match moves.iter().position(|&known| known == choice) {
                // An interrupted agent's answer says nothing about its strategy.
                Some(place) if !self.budget.is_spent() => weights[place] += 1.0,
                _ => return false,
            }
        }
        true
    }
}

/// A recorded match, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The joint moves.
    pub moves: &'a [Vec<String>],
    /// Who played each role.
    pub players: &'a [String],
}

/// Counts the choices of a recorded match, those of `player` only if one is named. What cannot be replayed by the rules
/// of the game ends the match. Says whether all of it could be.
pub fn see(seen: Seen<'_>, game: &Game, player: Option<&str>, frequencies: &mut Frequencies) -> bool {
    let mut replay = Replay::new(game);
    for texts in seen.moves {
        let Ok(joint) = replay.joint(texts) else {
            return false;
        };
        let machine = replay.machine();
        for role in game.roles() {
            let name = seen.players.get(role.index());
            let is_meant = player.is_none_or(|player| name.is_some_and(|name| name == player));
            if is_meant && machine.legal(role).len() > 1 {
                frequencies.see(machine.state(), role.index(), joint[role.index()]);
            }
        }
        if replay.make(&joint).is_err() {
            return false;
        }
    }
    true
}
