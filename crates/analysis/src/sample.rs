//! Playouts that refute properties and suggest others for proof.

use crate::Line;
use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, RoleMap, State};
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
    /// Whether the budget left time for all of it.
    pub(crate) is_whole: bool,
    /// A line to a state in which two roles have a choice, if there was one.
    pub(crate) choosing: Vec<Line>,
    /// The same, but chance does not count.
    pub(crate) players_choosing: Vec<Line>,
    /// For each role whether it is chance, whose goals do not count.
    pub(crate) is_chance: RoleMap<bool>,
    /// Sum of the players' goals in the first terminal state.
    pub(crate) sum: Option<u32>,
    /// Two lines to terminal states with different sums, if there were any.
    pub(crate) sums_differ: Vec<Line>,
    /// A line to the first terminal state.
    first_end: Option<Line>,
    /// The goal values that occurred, by role.
    pub(crate) goals: RoleMap<Vec<u8>>,
}

impl Sample {
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
        goals: RoleMap::filled(game.roles().len(), Vec::new()),
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
    let mut line = Line::new();
    while let Some(visit) = play.next_state() {
        // A playout that has begun goes on to its end.
        if visit.depth == 0 && sample.states.len() >= most_states {
            break;
        }
        sample.states.push(visit.state.clone());
        sample.follows.push(visit.depth > 0);
        if visit.depth == 0 {
            line.clear();
        }
        let players = visit.choosers().filter(|&role| !sample.is_chance[role]).count();
        if visit.choosers().count() > 1 && sample.choosing.is_empty() {
            sample.choosing.push(line.clone());
        }
        if players > 1 && sample.players_choosing.is_empty() {
            sample.players_choosing.push(line.clone());
        }
        if let Some(scores) = visit.scores {
            sample.note_goals(scores, &line);
        }
        line.push(visit.joint.to_vec());
    }
    sample.is_whole = !budget.is_spent();
    sample
}

impl Sample {
    fn note_goals(&mut self, goals: &RoleMap<u8>, line: &Line) {
        let players = goals.iter().filter(|&(role, _)| !self.is_chance[role]);
        let sum = players.map(|(_, &goal)| u32::from(goal)).sum();
        let first = self.first_end.get_or_insert_with(|| line.clone());
        if self.sum.is_some_and(|known| known != sum) && self.sums_differ.is_empty() {
            self.sums_differ = vec![first.clone(), line.clone()];
        }
        self.sum.get_or_insert(sum);
        for (known, &goal) in self.goals.values_mut().zip(goals.values()) {
            if !known.contains(&goal) {
                known.push(goal);
            }
        }
    }
}
