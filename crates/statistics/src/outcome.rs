//! Outcomes of matches, tallies of them, and the record of a player over games.
//!
//! A score from 0 to 100 says how well a role did; an outcome says how it did against the others. A win is one point, a
//! draw half a point. The [`Tally`] counts outcomes, the [`Record`] has the scores beside them, and [`ByGame`] keeps
//! the records of a player in several games apart, as a mean over unlike games hides more than it shows.
//!
//! There are two means over games. [`ByGame::overall`] throws all matches together, so that a game with more matches
//! counts for more. [`ByGame::average`] is the mean of the means of the games, so that each game counts the same
//! however often it was played.

use std::collections::BTreeMap;

use crate::mean::{Mean, widest_score_interval};
use crate::proportion::Proportion;
use crate::{Interval, elo, special};

/// Outcome of a match for one player against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// With the higher score.
    Win,
    /// With the same score.
    Draw,
    /// With the lower score.
    Loss,
}

impl Outcome {
    /// The outcome of a match by the scores of the two players. Scores that are not numbers make a draw.
    pub fn of_scores(own: f64, other: f64) -> Outcome {
        if own > other {
            Outcome::Win
        } else if own < other {
            Outcome::Loss
        } else {
            Outcome::Draw
        }
    }

    /// The outcome against all others at once: a win above all of them, a draw with the best of them, else a loss.
    /// `None` if there are no others.
    pub fn among(own: f64, others: &[f64]) -> Option<Outcome> {
        let best = others.iter().copied().reduce(f64::max)?;
        Some(Outcome::of_scores(own, best))
    }

    /// The outcome for the other player.
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Win => Outcome::Loss,
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss => Outcome::Win,
        }
    }

    /// 1 for a win, ½ for a draw, 0 for a loss.
    pub fn points(self) -> f64 {
        match self {
            Outcome::Win => 1.0,
            Outcome::Draw => 0.5,
            Outcome::Loss => 0.0,
        }
    }
}

/// Wins, draws and losses, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Matches won.
    pub wins: u64,
    /// Matches drawn.
    pub draws: u64,
    /// Matches lost.
    pub losses: u64,
}

impl Tally {
    /// Counts one more outcome.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.losses += 1,
        }
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Tally) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
    }

    /// The same matches seen by the other player.
    pub fn reversed(&self) -> Tally {
        Tally {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// The number of matches.
    pub fn matches(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// One for each win and a half for each draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The points as a proportion of the matches, with its interval. `None` without matches. Draws make the interval
    /// wider than need be; see [`crate::proportion`].
    pub fn proportion(&self) -> Option<Proportion> {
        let matches = self.matches() as f64;
        Proportion::new(self.points().min(matches), matches)
    }

    /// The points by match, from 0 to 1. `None` without matches.
    pub fn share(&self) -> Option<f64> {
        self.proportion().map(|proportion| proportion.share())
    }

    /// By how much the player is above the opponent if the share is the true one. `None` without matches and if all of
    /// them were won, or all lost.
    pub fn elo(&self) -> Option<f64> {
        elo::difference_of_share(self.share()?)
    }
}

impl FromIterator<Outcome> for Tally {
    fn from_iter<T: IntoIterator<Item = Outcome>>(outcomes: T) -> Tally {
        let mut tally = Tally::default();
        outcomes.into_iter().for_each(|outcome| tally.add(outcome));
        tally
    }
}

/// Record of one player: outcomes and scores of the same matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// Outcomes against the best of the others. Matches of games for one player are not counted here.
    pub tally: Tally,
    /// Scores, from 0 to 100.
    pub scores: Mean,
}

impl Record {
    /// Adds a match in which the player got the score `own`, and the other players `others`.
    pub fn add(&mut self, own: f64, others: &[f64]) {
        self.scores.add(own);
        if let Some(outcome) = Outcome::among(own, others) {
            self.tally.add(outcome);
        }
    }

    /// Adds all matches of `other`.
    pub fn merge(&mut self, other: &Record) {
        self.tally.merge(&other.tally);
        self.scores.merge(&other.scores);
    }
}

/// Records of one player by game. `Game` is the type that names a game.
#[derive(Clone, Debug, PartialEq)]
pub struct ByGame<Game> {
    records: BTreeMap<Game, Record>,
}

impl<Game: Ord> ByGame<Game> {
    /// No matches yet.
    pub fn new() -> ByGame<Game> {
        ByGame {
            records: BTreeMap::new(),
        }
    }

    /// Adds a match of `game`; see [`Record::add`].
    pub fn add(&mut self, game: Game, own: f64, others: &[f64]) {
        self.records.entry(game).or_default().add(own, others);
    }

    /// The record in one game, if it was played.
    pub fn game(&self, game: &Game) -> Option<&Record> {
        self.records.get(game)
    }

    /// All games with their records, in the order of the games.
    pub fn games(&self) -> impl Iterator<Item = (&Game, &Record)> {
        self.records.iter()
    }

    /// All matches together, whatever the game: games with more matches count for more.
    pub fn overall(&self) -> Record {
        let mut all = Record::default();
        self.records.values().for_each(|record| all.merge(record));
        all
    }

    /// The mean of the mean scores of the games: every game counts the same. `None` without matches.
    pub fn average(&self) -> Option<f64> {
        self.records
            .values()
            .filter_map(|record| record.scores.mean())
            .collect::<Mean>()
            .mean()
    }

    /// The interval of [`ByGame::average`], within 0 to 100: how sure it is for these games, not for games at large.
    /// `None` without matches, or if `confidence` is not strictly between 0 and 1.
    ///
    /// The variance is the sum over the games of s²/n, divided by the square of the number of games, and the degrees of
    /// freedom are Welch's and Satterthwaite's (1947). If a game has a single match, or all scores of each game are
    /// equal, there is no estimate of the spread; then the widest interval that scores can have is returned, as
    /// [`Mean::score_interval`] does.
    pub fn average_interval(&self, confidence: f64) -> Option<Interval> {
        let average = self.average()?;
        let played = || {
            self.records
                .values()
                .map(|record| &record.scores)
                .filter(|scores| scores.count() > 0)
        };
        let games = played().count() as f64;
        // The number of matches, all of the same kind, that would make the mean as sure as these do.
        let matches = games * games / played().map(|scores| 1.0 / scores.count() as f64).sum::<f64>();
        let errors: Option<Vec<(f64, f64)>> = played()
            .map(|scores| Some((scores.standard_error()?.powi(2), (scores.count() - 1) as f64)))
            .collect();
        let variance = errors
            .as_ref()
            .map_or(0.0, |errors| errors.iter().map(|(error, _)| error).sum());
        if variance <= 0.0 {
            return widest_score_interval(average, matches, confidence);
        }
        // Each part by its share of the variance, so that small numbers do not vanish when squared.
        let parts = errors
            .iter()
            .flatten()
            .map(|(error, freedom)| (error / variance).powi(2) / freedom);
        let reach = special::student_reach(confidence, 1.0 / parts.sum::<f64>())?;
        Some(Interval::around(average, reach * variance.sqrt() / games).within(0.0, 100.0))
    }
}

impl<Game: Ord> Default for ByGame<Game> {
    fn default() -> Self {
        ByGame::new()
    }
}
