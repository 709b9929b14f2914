//! Ratings on the Elo scale from matches among many players.
//!
//! The model is that of Bradley and Terry (1952): player i gets the share γᵢ / (γᵢ + γⱼ) of the points against player
//! j. The most likely strengths γ are found by the MM algorithm of Hunter ("MM algorithms for generalized Bradley–Terry
//! models", 2004), and shown on the Elo scale as 400 log₁₀ γ, with the mean of all players at 0. Order and time of the
//! matches do not matter: players are taken not to change.
//!
//! **Draws** are half a win for both. This leaves ratings unbiased; intervals become somewhat too wide, as draws vary
//! less than wins and losses do.
//!
//! **Who won or lost everything** would be infinitely strong or weak. So every player is given a virtual draw against a
//! player of average strength ([`Settings::prior_draws`]). It also ties players together who never met. It draws
//! ratings towards the mean a little, by less than their intervals are wide after some ten matches.
//!
//! **Matches of many players** are taken apart into pairs: each player won, drew or lost against each other one by
//! their scores. The pairs of one match are not independent, so they count for less than a match of two: 3 / (k + 1)
//! each with k players. With this weight intervals are right for players of equal strength: their ranks in a match have
//! the variance (k² − 1) / 12, from which the variance of the ratings follows as 4 (k + 1) / 3k by match, and that is
//! what k players with pairs of this weight get from the information matrix. Ties make them too wide.
//!
//! **Intervals** come from the inverse of the observed information matrix, that is, of minus the second derivatives of
//! the logarithm of the likelihood, and the normal distribution. They are for the distance from the mean of the
//! players. To compare two players, use [`Ratings::difference`], which takes into account that errors of ratings are
//! related.

mod fit;
mod likelihood;
mod matrix;

use std::collections::BTreeMap;

use crate::elo::POINTS_PER_LOGIT;
use crate::outcome::{Outcome, Tally};
use crate::{CONFIDENCE, Interval, special};
use fit::Fit;
use likelihood::Likelihood;
use matrix::Matrix;

/// The least number of virtual draws, as without any the ratings of some players would be infinite.
const LEAST_PRIOR_DRAWS: f64 = 0.01;

/// The greatest number of virtual draws; beyond it no match changes a rating.
const GREATEST_PRIOR_DRAWS: f64 = 1e12;

/// Settings of the rating model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Virtual draws of each player against an average player, by default 1. More of them draw ratings together. Taken
    /// to be at least 0.01 and at most 10^12, and to be 1 if it is not a number.
    pub prior_draws: f64,
    /// The confidence of the intervals, by default [`CONFIDENCE`]; also used if it is not strictly between 0 and 1.
    pub confidence: f64,
}

impl Settings {
    fn usable_prior_draws(&self) -> f64 {
        if self.prior_draws.is_nan() {
            return Settings::default().prior_draws;
        }
        self.prior_draws.clamp(LEAST_PRIOR_DRAWS, GREATEST_PRIOR_DRAWS)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            prior_draws: 1.0,
            confidence: CONFIDENCE,
        }
    }
}

/// Results of matches, taken apart into pairs of players. `Player` identifies a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairings<Player> {
    /// Players by number; numbers are given in the order of first sight.
    players: Vec<Player>,
    numbers: BTreeMap<Player, usize>,
    /// The matches of each player.
    matches: Vec<u64>,
    /// Points of one player against another, weighted.
    points: BTreeMap<(usize, usize), f64>,
}

impl<Player: Ord + Clone> Pairings<Player> {
    /// No players and no matches yet.
    pub fn new() -> Pairings<Player> {
        Pairings {
            players: Vec::new(),
            numbers: BTreeMap::new(),
            matches: Vec::new(),
            points: BTreeMap::new(),
        }
    }

    /// Makes a player known, who is then rated even without matches.
    pub fn add_player(&mut self, player: Player) {
        self.number(player);
    }

    /// Adds a match of two players, with its outcome for the first. A match of a player against itself says nothing and
    /// is left out.
    pub fn add(&mut self, player: Player, other: Player, outcome: Outcome) {
        self.add_tally(player, other, &[outcome].into_iter().collect());
    }

    /// Adds several matches of two players, counted for the first.
    pub fn add_tally(&mut self, player: Player, other: Player, tally: &Tally) {
        let (player, other) = (self.number(player), self.number(other));
        if player == other || tally.matches() == 0 {
            return;
        }
        self.add_points(player, other, tally.points(), tally.reversed().points());
        for each in [player, other] {
            self.matches[each] = self.matches[each].saturating_add(tally.matches());
        }
    }

    /// Adds a match of any number of players with their scores. A player may have several roles; pairs of them are left
    /// out.
    pub fn add_match(&mut self, scores: &[(Player, f64)]) {
        let seats: Vec<(usize, f64)> = scores
            .iter()
            .map(|(player, score)| (self.number(player.clone()), *score))
            .collect();
        let weight = 3.0 / (seats.len() as f64 + 1.0);
        for (at, &(player, score)) in seats.iter().enumerate() {
            for &(other, other_score) in &seats[..at] {
                if player != other {
                    let points = Outcome::of_scores(score, other_score).points();
                    self.add_points(player, other, weight * points, weight * (1.0 - points));
                }
            }
        }
        let mut players: Vec<usize> = seats.iter().map(|&(player, _)| player).collect();
        players.sort_unstable();
        players.dedup();
        if players.len() > 1 {
            players
                .into_iter()
                .for_each(|player| self.matches[player] = self.matches[player].saturating_add(1));
        }
    }

    /// Rates all players.
    pub fn rate(&self, settings: &Settings) -> Ratings<Player> {
        let count = self.players.len();
        let mut points = Matrix::zero(count);
        for (&(player, other), &value) in &self.points {
            points.add(player, other, value);
        }
        let prior_draws = settings.usable_prior_draws();
        let reach = special::normal_reach(settings.confidence).or_else(|| special::normal_reach(CONFIDENCE));
        let fit = Fit::new(&Likelihood::new(points, prior_draws));
        let ratings = (0..count).map(|number| {
            let elo = fit.strengths[number] * POINTS_PER_LOGIT;
            let error = fit.covariance.get(number, number).max(0.0).sqrt() * POINTS_PER_LOGIT;
            Rating {
                player: self.players[number].clone(),
                elo,
                interval: Interval::around(elo, reach.unwrap_or_default() * error),
                matches: self.matches[number],
                share: self.share(number),
            }
        });
        let mut by_strength: Vec<Rating<Player>> = ratings.collect();
        by_strength.sort_by(|a, b| b.elo.total_cmp(&a.elo).then_with(|| a.player.cmp(&b.player)));
        Ratings {
            by_strength,
            numbers: self.numbers.clone(),
            strengths: fit.strengths,
            covariance: fit.covariance,
        }
    }

    /// The share of the points that a player got.
    fn share(&self, player: usize) -> Option<f64> {
        let sum = |wanted: fn((usize, usize)) -> usize| -> f64 {
            self.points
                .iter()
                .filter(|&(&pair, _)| wanted(pair) == player)
                .map(|(_, points)| points)
                .sum()
        };
        let (got, given) = (sum(|(own, _)| own), sum(|(_, other)| other));
        (got + given > 0.0).then(|| got / (got + given))
    }

    fn add_points(&mut self, player: usize, other: usize, own: f64, theirs: f64) {
        *self.points.entry((player, other)).or_default() += own;
        *self.points.entry((other, player)).or_default() += theirs;
    }

    fn number(&mut self, player: Player) -> usize {
        if let Some(&number) = self.numbers.get(&player) {
            return number;
        }
        let number = self.players.len();
        self.players.push(player.clone());
        self.numbers.insert(player, number);
        self.matches.push(0);
        number
    }
}

impl<Player: Ord + Clone> Default for Pairings<Player> {
    fn default() -> Self {
        Pairings::new()
    }
}

/// Rating of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating<Player> {
    /// The player.
    pub player: Player,
    /// The strength in Elo points above the mean of the players.
    pub elo: f64,
    /// The interval of `elo`.
    pub interval: Interval,
    /// The matches that the player took part in. Without matches the rating is that of an average player and says
    /// nothing.
    pub matches: u64,
    /// The share of the points that the player got, if there are matches. Against weak opponents it is easily high.
    pub share: Option<f64>,
}

/// By how much one player is stronger than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The difference in Elo points.
    pub elo: f64,
    /// Its interval.
    pub interval: Interval,
    /// The probability that players of equal strength show a difference at least as large, by the normal distribution.
    pub p_value: f64,
}

/// The ratings of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings<Player> {
    by_strength: Vec<Rating<Player>>,
    numbers: BTreeMap<Player, usize>,
    /// Natural logarithms, by number of the player.
    strengths: Vec<f64>,
    covariance: Matrix,
}

impl<Player: Ord> Ratings<Player> {
    /// All ratings, the strongest player first.
    pub fn by_strength(&self) -> &[Rating<Player>] {
        &self.by_strength
    }

    /// The rating of one player. `None` if it is not known.
    pub fn get(&self, player: &Player) -> Option<&Rating<Player>> {
        self.by_strength.iter().find(|rating| rating.player == *player)
    }

    /// By how much `player` is stronger than `other`. `None` if one of them is not known, or if `confidence` is not
    /// strictly between 0 and 1.
    pub fn difference(&self, player: &Player, other: &Player, confidence: f64) -> Option<Difference> {
        let (a, b) = (*self.numbers.get(player)?, *self.numbers.get(other)?);
        let logits = self.strengths[a] - self.strengths[b];
        let variance = self.covariance.get(a, a) + self.covariance.get(b, b) - 2.0 * self.covariance.get(a, b);
        let error = variance.max(0.0).sqrt();
        let reach = special::normal_reach(confidence)?;
        let elo = logits * POINTS_PER_LOGIT;
        Some(Difference {
            elo,
            interval: Interval::around(elo, reach * error * POINTS_PER_LOGIT),
            // A player against itself has no difference and no error.
            p_value: if error > 0.0 {
                special::normal_two_sided(logits / error)
            } else {
                1.0
            },
        })
    }
}
