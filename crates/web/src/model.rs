//! What clients see of matches and tournaments. The store keeps the same forms.

use crate::error::ErrorBody;
use ludens_play::{Evaluation, Fault, Pace as PlayPace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use utoipa::ToSchema;

/// How far a match or a tournament has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Games are being set up, or agents use the start clock.
    Preparing,
    /// Moves are made.
    Running,
    /// It came to its end.
    Finished,
    /// It ended otherwise; `error` says how.
    Stopped,
    /// Somebody aborted it.
    Aborted,
    /// The server ended meanwhile.
    Interrupted,
    /// It could not begin; `error` says why.
    Failed,
}

impl Status {
    /// The status as one word.
    pub fn name(self) -> &'static str {
        match self {
            Status::Preparing => "preparing",
            Status::Running => "running",
            Status::Finished => "finished",
            Status::Stopped => "stopped",
            Status::Aborted => "aborted",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }

    /// Whether nothing will happen any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Status::Preparing | Status::Running)
    }
}

/// How much agents may do: clocks in seconds, or iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Seconds before the first move.
    #[serde(default)]
    pub start_clock: Option<f64>,
    /// Seconds for each move.
    #[serde(default)]
    pub play_clock: Option<f64>,
    /// Iterations for each move, instead of clocks.
    #[serde(default)]
    pub iterations: Option<u64>,
}

impl Pace {
    /// The pace for the match loop, or what is wrong with it.
    pub(crate) fn check(&self, most_clock: Duration, most_iterations: u64) -> Result<PlayPace, String> {
        let clock = |seconds: f64| match Duration::try_from_secs_f64(seconds) {
            Ok(time) if time <= most_clock => Ok(time),
            _ => Err(format!("Clocks are from 0 to {} seconds.", most_clock.as_secs())),
        };
        match (self.start_clock, self.play_clock, self.iterations) {
            (None, None, Some(count)) if (1..=most_iterations).contains(&count) => Ok(PlayPace::Iterations(count)),
            (None, None, Some(_)) => Err(format!("Iterations are from 1 to {most_iterations}.")),
            (start, Some(play), None) => Ok(PlayPace::Clocks {
                start: clock(start.unwrap_or(0.0))?,
                play: clock(play)?,
            }),
            _ => Err("Give `start_clock` and `play_clock`, or `iterations` alone.".to_string()),
        }
    }
}

/// A match, without its moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Match {
    /// Its identifier.
    pub id: String,
    /// How far it has come.
    pub status: Status,
    /// The identifier of the game.
    pub game: String,
    /// The name of the game for people.
    pub title: String,
    /// The tournament it belongs to, if it does.
    pub tournament: Option<String>,
    /// The roles; none until the game is set up.
    pub roles: Vec<String>,
    /// Who plays each role.
    pub players: Vec<String>,
    /// How much agents may do.
    pub pace: Pace,
    /// Where all chance comes from.
    pub seed: u64,
    /// How many joint moves were made.
    pub step: usize,
    /// The roles whose person is to move now.
    pub waiting: Vec<usize>,
    /// Moves that people chose for a joint move that was never made, because the match ended before it.
    #[serde(default)]
    pub unplayed: Vec<Choice>,
    /// The goals, if the match came to its end.
    pub goals: Option<Vec<u8>>,
    /// How often players did something wrong.
    pub faults: usize,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// Why it did not begin or not come to its end.
    pub error: Option<ErrorBody>,
}

/// A move that a person chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// The number of the role.
    pub role: usize,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
}

/// A match with its moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FullMatch {
    /// The match.
    #[serde(flatten)]
    pub summary: Match,
    /// How states can be drawn.
    #[schema(value_type = Option<Object>)]
    pub layout: Option<Value>,
    /// The joint moves.
    pub moves: Vec<Vec<String>>,
    /// For each joint move, what each role thought.
    #[schema(value_type = Vec<Vec<Option<Object>>>)]
    pub evaluations: Vec<Vec<Option<Evaluation>>>,
    /// For each joint move, the seconds from the beginning of the match until it was made.
    pub times: Vec<f64>,
    /// What players did wrong.
    #[schema(value_type = Vec<Object>)]
    pub errors: Vec<Fault>,
    /// What is needed to move for people and to abort; told only to who made the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A state of a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StateView {
    /// How many joint moves led to it.
    pub step: usize,
    /// The last of them.
    pub moves: Option<Vec<String>>,
    /// What holds in it.
    pub fluents: Vec<String>,
    /// What is on the boards.
    #[schema(value_type = Object)]
    pub view: Value,
    /// The legal moves of each role.
    pub legal: Vec<Vec<String>>,
    /// Whether the match is over.
    pub terminal: bool,
    /// The goals, if it is.
    pub goals: Option<Vec<u8>>,
    /// Whether the state is too large to be told as a whole, so that lists are cut.
    #[serde(rename = "cut")]
    pub is_cut: bool,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tournament {
    /// Its identifier.
    pub id: String,
    /// How far it has come.
    pub status: Status,
    /// The identifiers of the games.
    pub games: Vec<String>,
    /// The players.
    pub players: Vec<String>,
    /// How often all seatings are played.
    pub rounds: u64,
    /// How much agents may do.
    pub pace: Pace,
    /// Where all chance comes from.
    pub seed: u64,
    /// Matches played.
    pub played: u64,
    /// Matches to be played; 0 until the games are set up.
    pub planned: u64,
    /// How often players did something wrong.
    pub faults: u64,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it ended.
    pub ended: Option<u64>,
    /// Why it could not begin.
    pub error: Option<ErrorBody>,
}

/// A tournament with what it showed so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FullTournament {
    /// The tournament.
    #[serde(flatten)]
    pub summary: Tournament,
    /// What `ludens tournament --json` prints.
    #[schema(value_type = Option<Object>)]
    pub report: Option<Value>,
    /// What is needed to abort; told only to who made the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
