//! Simulated persons: agents of fixed strength play against opponents that a director chooses.

use super::facts::{History, Observation};
use super::{Difficulty, Director, Ruling, iterations, limited};
use crate::director::policy::PolicyError;
use crate::run::play;
use crate::setup::{Pace, Setup, seats};
use crate::spec::AgentSpec;
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_statistics::outcome::Outcome;

/// A series of matches of one simulated person.
#[derive(Clone, Debug)]
pub struct Series {
    /// The matches.
    pub history: History,
    /// What the director decided after each match.
    pub rulings: Vec<Ruling>,
}

/// Who plays in a simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The agent that stands for the person, and for the opponents.
    pub agent: AgentSpec,
    /// Iterations of the person for each move.
    pub strength: u64,
    /// Number of matches.
    pub matches: usize,
    /// The seed of all chance.
    pub seed: u64,
}

/// Plays a series of matches in a game of two roles. The person takes the seats in turn. Stops early if the budget does.
pub fn simulate(game: &Game, director: &Director, with: &Simulation, budget: &Budget) -> Result<Series, PolicyError> {
    let mut series = Series {
        history: History::default(),
        rulings: Vec::new(),
    };
    let mut difficulty = Difficulty::default();
    let count = seats(game).len().max(1);
    for number in 0..with.matches {
        if budget.is_spent() {
            break;
        }
        let own = number % count;
        let players = (0..count).map(|seat| match seat == own {
            true => limited(&with.agent, with.strength),
            false => limited(&with.agent, iterations(difficulty.level)),
        });
        let seed = with.seed.wrapping_mul(1_000_003).wrapping_add(number as u64);
        let setup = Setup::new(game.clone(), players.collect(), Pace::Iterations(with.strength))
            .with_seed(seed)
            .with_budget(budget.uncounted());
        let record = play(&setup);
        let Some(points) = points(game, record.goals.as_deref(), own) else {
            continue;
        };
        series
            .history
            .matches
            .push(Observation::result(difficulty.level, points));
        let ruling = director.rule(&series.history, difficulty, budget)?;
        difficulty = ruling.difficulty;
        series.rulings.push(ruling);
    }
    Ok(series)
}

/// Points of the player on a seat: 1, 0.5 or 0 for more, as much or less than the best of the others.
pub fn points(game: &Game, goals: Option<&[u8]>, own: usize) -> Option<f64> {
    let goals = goals?;
    let roles = seats(game);
    let goal = |seat: usize| {
        roles
            .get(seat)
            .and_then(|role| goals.get(role.index()))
            .map(|&goal| f64::from(goal))
    };
    let others: Vec<f64> = (0..roles.len()).filter(|&seat| seat != own).filter_map(goal).collect();
    let mine = goal(own)?;
    Some(match Outcome::among(mine, &others) {
        Some(outcome) => outcome.points(),
        // Alone, the goal itself counts.
        None => mine / 100.0,
    })
}
