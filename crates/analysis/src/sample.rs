//! Playouts that refute properties and suggest others for proof.

use ludens_budget::Budget;
use ludens_engine::playout::End;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, State};
use std::time::{Duration, Instant};

/// Maximum number of states.
const MOST_STATES: usize = 3_000;
/// Maximum memory of the states, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Maximum number of playouts and of states of each.
const EXTENT: Extent = Extent {
    seed: 7,
    playouts: 200,
    states: 300,
};
/// Maximum time, where the budget has a deadline.
const MOST_TIME: Duration = Duration::from_millis(400);

/// States and results of some playouts.
#[derive(Default)]
pub(crate) struct Sample {
    /// The states, one match after the other.
    pub(crate) states: Vec<State>,
    /// For each state whether it follows the one before it.
    pub(crate) follows: Vec<bool>,
    /// The greatest number of roles that had a choice at the same time.
    pub(crate) most_choosers: usize,
    /// For each role whether it is chance, whose goals do not count.
    pub(crate) is_chance: Vec<bool>,
    /// The sum of the goals of the players, if it was always the same.
    pub(crate) sum: Option<u32>,
    pub(crate) has_several_sums: bool,
    /// The goal values that occurred, by role.
    pub(crate) goals: Vec<Vec<u8>>,
}

impl Sample {
    /// Verdict on a property that the sample refutes or not.
    pub(crate) fn refuted(&self, is_refuted: bool) -> crate::Verdict {
        match is_refuted {
            true => crate::Verdict::Refuted,
            false => crate::Verdict::Unknown,
        }
    }

    /// Pairs of a state and its successor.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&State, &State)> {
        let pairs = self.states.iter().zip(self.states.iter().skip(1));
        pairs
            .zip(self.follows.iter().skip(1))
            .filter(|(_, follows)| **follows)
            .map(|(pair, _)| pair)
    }
}

/// Runs playouts, for a short time if the budget has a deadline. Without one, the sample depends on the game alone.
pub(crate) fn sample(game: &Game, budget: &Budget) -> Sample {
    let budget = match budget.deadline() {
        Some(deadline) => budget.until(deadline.min(Instant::now() + MOST_TIME)),
        None => budget.clone(),
    };
    let mut sample = Sample {
        goals: vec![Vec::new(); game.roles().len()],
        is_chance: game.roles().map(|role| game.is_random(role)).collect(),
        ..Sample::default()
    };
    let bytes_of_a_state = 8 * game.initial().words().len() + 64;
    let most_states = MOST_STATES.min(MOST_BYTES / bytes_of_a_state).max(1);
    let extent = Extent {
        states: EXTENT.states.min(most_states),
        ..EXTENT
    };
    let mut play = RandomPlay::new(game, extent, &budget);
    while let Some(visit) = play.next_state() {
        // A playout that has begun goes on to its end.
        if visit.depth == 0 && sample.states.len() >= most_states {
            break;
        }
        sample.states.push(visit.state.clone());
        sample.follows.push(visit.depth > 0);
        sample.most_choosers = sample.most_choosers.max(visit.choosers().count());
        if visit.end == Some(End::Terminal) {
            sample.note_goals(visit.scores);
        }
    }
    sample
}

impl Sample {
    fn note_goals(&mut self, goals: &[u8]) {
        let players = goals.iter().zip(&self.is_chance).filter(|(_, is_chance)| !**is_chance);
        let sum = players.map(|(&goal, _)| u32::from(goal)).sum();
        self.has_several_sums |= self.sum.is_some_and(|known| known != sum);
        self.sum = Some(sum);
        for (known, &goal) in self.goals.iter_mut().zip(goals) {
            if !known.contains(&goal) {
                known.push(goal);
            }
        }
    }
}
