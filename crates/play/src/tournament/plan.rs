//! Which matches a tournament has, and with which seeds.
//!
//! Matches are numbered: first all of the first round, game by game, then those of the second round, and so on. A plan
//! with more rounds so begins with the very same matches, and a tournament can be made longer later.

use super::seating::{MOST_SEATINGS, seatings};
use crate::run::derived_seed;
use crate::setup::{MARGIN, MOST_STEPS, Pace, Player, Setup, seats};
use ludens_budget::Budget;
use ludens_engine::Game;
use std::time::Duration;

/// Why there is no such tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Without players there are no matches.
    #[error("a tournament needs players")]
    NoPlayers,
    /// Without games there are no matches.
    #[error("a tournament needs a game")]
    NoGames,
    /// A game with chance alone.
    #[error("{0} has no role that a player could have")]
    NoSeats(String),
    /// There are too many ways to sit.
    #[error("{0} has too many seatings of these players: a round would have more than {MOST_SEATINGS} matches")]
    TooManySeatings(String),
    /// There are more matches than can be numbered.
    #[error("the tournament has too many matches to number them")]
    TooManyMatches,
}

/// One match of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub number: u64,
    /// Its round, from 0.
    pub round: u64,
    /// The number of the game.
    pub game: usize,
    /// For each seat the number of the player.
    pub seating: Vec<usize>,
    /// The seed of the match.
    pub seed: u64,
}

/// Which matches a tournament has.
#[derive(Clone)]
pub struct Plan {
    games: Vec<(Game, Vec<Vec<usize>>)>,
    players: Vec<Player>,
    rounds: u64,
    pace: Pace,
    /// Where the seeds of all matches come from.
    pub seed: u64,
    /// How late an answer may be.
    pub margin: Duration,
    /// The greatest number of steps of a match.
    pub most_steps: usize,
    /// Whether agents think at the same time under a clock.
    pub at_once: bool,
    /// States that each agent may keep in memory; without a number their settings decide alone.
    pub most_nodes: Option<u64>,
    /// Whether every player sees the whole state, also where the rules hide information.
    pub is_open: bool,
}

impl Plan {
    /// A tournament with seed 0. Players are told apart by their place in the list, not by their names.
    pub fn new(games: Vec<Game>, players: Vec<Player>, rounds: u64, pace: Pace) -> Result<Plan, PlanError> {
        if players.is_empty() {
            return Err(PlanError::NoPlayers);
        }
        if games.is_empty() {
            return Err(PlanError::NoGames);
        }
        let seated = games.into_iter().map(|game| {
            let count = seats(&game).len();
            if count == 0 {
                return Err(PlanError::NoSeats(game.name().to_string()));
            }
            match seatings(players.len(), count) {
                Some(seatings) => Ok((game, seatings)),
                None => Err(PlanError::TooManySeatings(game.name().to_string())),
            }
        });
        let plan = Plan {
            games: seated.collect::<Result<_, _>>()?,
            players,
            rounds,
            pace,
            seed: 0,
            margin: MARGIN,
            most_steps: MOST_STEPS,
            is_open: false,
            at_once: false,
            most_nodes: None,
        };
        // Numbers must also fit into the signed integers of databases.
        match plan.round_size().checked_mul(rounds) {
            Some(count) if count <= 1 << 53 => Ok(plan),
            _ => Err(PlanError::TooManyMatches),
        }
    }

    /// The same with another seed.
    pub fn with_seed(self, seed: u64) -> Plan {
        Plan { seed, ..self }
    }

    /// The games, in the order of their numbers.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &Game> {
        self.games.iter().map(|(game, _)| game)
    }

    /// The players, in the order of their numbers.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The number of matches.
    pub fn match_count(&self) -> u64 {
        self.round_size() * self.rounds
    }

    /// The numbers of all matches.
    pub fn numbers(&self) -> Vec<u64> {
        (0..self.match_count()).collect()
    }

    /// For each game, how many matches a round has.
    pub fn round_sizes(&self) -> Vec<usize> {
        self.games.iter().map(|(_, seatings)| seatings.len()).collect()
    }

    fn round_size(&self) -> u64 {
        self.games.iter().map(|(_, seatings)| seatings.len() as u64).sum()
    }

    /// The match of a number, also beyond the last round.
    pub fn fixture(&self, number: u64) -> Fixture {
        let round_size = self.round_size();
        let mut place = (number % round_size) as usize;
        let mut game = 0;
        while place >= self.games[game].1.len() {
            place -= self.games[game].1.len();
            game += 1;
        }
        Fixture {
            number,
            round: number / round_size,
            game,
            seating: self.games[game].1[place].clone(),
            // Readers of JSON may hold numbers as floating-point ones, which are exact up to 2^53.
            seed: derived_seed(self.seed, number) >> 11,
        }
    }

    /// Returns the setup of a match of this plan.
    pub fn setup(&self, fixture: &Fixture, budget: &Budget) -> Setup {
        let players = fixture.seating.iter().map(|&player| self.players[player].clone());
        Setup {
            margin: self.margin,
            most_steps: self.most_steps,
            is_open: self.is_open,
            at_once: self.at_once,
            most_nodes: self.most_nodes,
            ..Setup::new(self.games[fixture.game].0.clone(), players.collect(), self.pace)
        }
        .with_seed(fixture.seed)
        .with_budget(budget.clone())
    }
}
