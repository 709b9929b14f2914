//! From matches to facts about a player: results, rating with its uncertainty, time and mistakes.

use super::{Difficulty, LEVELS};
use ludens_statistics::CONFIDENCE;
use ludens_statistics::outcome::{Outcome, Tally};
use ludens_statistics::rating::{Pairings, Settings};
use serde::{Deserialize, Serialize};

/// A match of a person against an opponent that the director chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The level of the opponent.
    pub level: usize,
    /// Points of the person: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub points: f64,
    /// Mean seconds for each own move, if known.
    #[serde(default)]
    pub seconds_per_move: Option<f64>,
    /// Share of own moves that gave something away, if they were judged.
    #[serde(default)]
    pub mistakes: Option<f64>,
}

impl Observation {
    /// A match of which only the result is known.
    pub fn result(level: usize, points: f64) -> Observation {
        Observation {
            level,
            points,
            seconds_per_move: None,
            mistakes: None,
        }
    }
}

/// The matches of a person, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The matches.
    pub matches: Vec<Observation>,
}

/// By how much a person is rated above an opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Elo points above the opponent.
    pub elo: f64,
    /// Half the width of the interval.
    pub uncertainty: f64,
}

/// Wins and losses of each level against the next lower one that are taken for granted: about 70 Elo points.
const STEP_BETWEEN_LEVELS: Tally = Tally {
    wins: 3,
    draws: 0,
    losses: 2,
};

/// Elo points that make a player rated above, and far above.
const ABOVE: f64 = 40.0;
const FAR_ABOVE: f64 = 200.0;
/// Half width of an interval beyond which a rating says little.
const UNCERTAIN: f64 = 250.0;

impl History {
    /// The rating of the person against a level, from all matches.
    pub fn standing(&self, level: usize) -> Option<Standing> {
        let mut pairings: Pairings<usize> = Pairings::new();
        let person = LEVELS;
        for level in 1..LEVELS {
            pairings.add_tally(level, level - 1, &STEP_BETWEEN_LEVELS);
        }
        pairings.add_player(person);
        for played in &self.matches {
            let outcome = Outcome::of_scores(played.points, 0.5);
            pairings.add(person, played.level.min(LEVELS - 1), outcome);
        }
        let ratings = pairings.rate(&Settings::default());
        let difference = ratings.difference(&person, &level.min(LEVELS - 1), CONFIDENCE)?;
        Some(Standing {
            elo: difference.elo,
            uncertainty: (difference.interval.high - difference.interval.low) / 2.0,
        })
    }

    fn last(&self, back: usize) -> Option<f64> {
        let at = self.matches.len().checked_sub(back + 1)?;
        self.matches.get(at).map(|played| played.points)
    }

    /// Share of the points in the last `count` matches, leaving out the `skip` newest.
    fn share(&self, count: usize, skip: usize) -> Option<f64> {
        let end = self.matches.len().checked_sub(skip)?;
        let start = end.checked_sub(count)?;
        let points: f64 = self.matches[start..end].iter().map(|played| played.points).sum();
        Some(points / count as f64)
    }

    /// Whether the results have not turned yet: only wins so far, or only losses.
    fn is_searching(&self) -> bool {
        let has = |wanted: fn(f64) -> bool| self.matches.iter().any(|played| wanted(played.points));
        !(has(|points| points > 0.5) && has(|points| points < 0.5))
    }

    fn mean(&self, value: fn(&Observation) -> Option<f64>) -> Option<f64> {
        let known: Vec<f64> = self.matches.iter().rev().take(4).filter_map(value).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}

/// Every fact that a director can offer, with its condition.
pub const FACTS: &[(&str, &str)] = &[
    ("wonLast", "the last match was won"),
    ("lostLast", "the last match was lost"),
    ("drewLast", "the last match was drawn"),
    ("wonBefore", "the match before the last was won"),
    ("lostBefore", "the match before the last was lost"),
    ("streakOfWins", "the last three matches were won"),
    ("streakOfLosses", "the last three matches were lost"),
    ("winning", "more than 60 % of the points in the last four matches"),
    ("losing", "less than 40 % of the points in the last four matches"),
    (
        "improving",
        "at least a quarter more of the points in the last four matches than in the four before",
    ),
    ("searching", "there are no losses yet, or no wins"),
    ("new", "fewer than three matches"),
    ("ratedAbove", "rated at least 40 Elo points above the opponent"),
    ("ratedBelow", "rated at least 40 Elo points below the opponent"),
    ("farAbove", "rated at least 200 Elo points above the opponent"),
    ("farBelow", "rated at least 200 Elo points below the opponent"),
    (
        "uncertain",
        "the interval of the rating reaches further than 250 Elo points to either side",
    ),
    ("fast", "less than 3 seconds for each move in the last four matches"),
    ("slow", "more than 30 seconds for each move in the last four matches"),
    (
        "careless",
        "more than 30 % of the moves in the last four matches gave something away",
    ),
    (
        "accurate",
        "less than 10 % of the moves in the last four matches gave something away",
    ),
    ("atTop", "the opponent has the highest level"),
    ("atBottom", "the opponent has the lowest level"),
];

/// The facts about a player after some matches, as literals.
pub fn facts(history: &History, now: Difficulty) -> Vec<String> {
    let last = history.last(0);
    let before = history.last(1);
    let won = |points: Option<f64>| points.is_some_and(|points| points > 0.5);
    let lost = |points: Option<f64>| points.is_some_and(|points| points < 0.5);
    let three = || (0..3).map(|back| history.last(back));
    let share = history.share(4, 0);
    let standing = match history.matches.is_empty() {
        true => None,
        false => history.standing(now.level),
    };
    let rated = |test: &dyn Fn(Standing) -> bool| standing.is_some_and(test);
    let seconds = history.mean(|played| played.seconds_per_move);
    let mistakes = history.mean(|played| played.mistakes);
    let holds = |name: &str| match name {
        "wonLast" => won(last),
        "lostLast" => lost(last),
        "drewLast" => last == Some(0.5),
        "wonBefore" => won(before),
        "lostBefore" => lost(before),
        "streakOfWins" => three().all(won),
        "streakOfLosses" => three().all(lost),
        "winning" => share.is_some_and(|share| share > 0.6),
        "losing" => share.is_some_and(|share| share < 0.4),
        "improving" => (share.zip(history.share(4, 4))).is_some_and(|(new, old)| new >= old + 0.25),
        "searching" => !history.matches.is_empty() && history.is_searching(),
        "new" => history.matches.len() < 3,
        "ratedAbove" => rated(&|standing| standing.elo >= ABOVE),
        "ratedBelow" => rated(&|standing| standing.elo <= -ABOVE),
        "farAbove" => rated(&|standing| standing.elo >= FAR_ABOVE),
        "farBelow" => rated(&|standing| standing.elo <= -FAR_ABOVE),
        "uncertain" => rated(&|standing| standing.uncertainty > UNCERTAIN),
        "fast" => seconds.is_some_and(|seconds| seconds < 3.0),
        "slow" => seconds.is_some_and(|seconds| seconds > 30.0),
        "careless" => mistakes.is_some_and(|share| share > 0.3),
        "accurate" => mistakes.is_some_and(|share| share < 0.1),
        "atTop" => now.level + 1 >= LEVELS,
        "atBottom" => now.level == 0,
        _ => false,
    };
    let names = FACTS.iter().map(|(name, _)| *name).filter(|name| holds(name));
    names.map(|name| format!("{name}(player)")).collect()
}
