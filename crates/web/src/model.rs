//! Matches and tournaments as JSON, for clients and for the store.

use crate::error::ErrorBody;
use ludens_play::{Evaluation, Fault, Pace as PlayPace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use utoipa::ToSchema;

/// Status of a match or a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Games are being set up, or agents use the start clock.
    Preparing,
    /// Moves are being made.
    Running,
    /// It ended normally.
    Finished,
    /// It ended without a result; `error` says why.
    Stopped,
    /// A client aborted it.
    Aborted,
    /// The server shut down before it ended.
    Interrupted,
    /// It could not start; `error` says why.
    Failed,
}

impl Status {
    /// Name of the status in JSON.
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

    /// Whether the status can no longer change.
    pub fn is_final(self) -> bool {
        !matches!(self, Status::Preparing | Status::Running)
    }
}

/// Time control: clocks in seconds, or iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Seconds before the first move.
    #[serde(default)]
    pub start_clock: Option<f64>,
    /// Seconds per move.
    #[serde(default)]
    pub play_clock: Option<f64>,
    /// Iterations per move, instead of clocks.
    #[serde(default)]
    pub iterations: Option<u64>,
}

impl Pace {
    /// Checks the time control and converts it for the match loop.
    pub(crate) fn check(&self, most_clock: Duration, most_iterations: u64) -> Result<PlayPace, String> {
        let clock = |seconds: f64| match Duration::try_from_secs_f64(seconds) {
            Ok(time) if time <= most_clock => Ok(time),
            _ => Err(format!(
                "Clocks must be between 0 and {} seconds.",
                most_clock.as_secs()
            )),
        };
        match (self.start_clock, self.play_clock, self.iterations) {
            (None, None, Some(count)) if (1..=most_iterations).contains(&count) => Ok(PlayPace::Iterations(count)),
            (None, None, Some(_)) => Err(format!("Iterations must be between 1 and {most_iterations}.")),
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
    /// Identifier.
    pub id: String,
    /// Status.
    pub status: Status,
    /// Identifier of the game.
    pub game: String,
    /// Title of the game.
    pub title: String,
    /// Identifier of the tournament, if it is part of one.
    pub tournament: Option<String>,
    /// Roles; empty until the game is set up.
    pub roles: Vec<String>,
    /// Player of each role.
    pub players: Vec<String>,
    /// Time control.
    pub pace: Pace,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of joint moves made.
    pub step: usize,
    /// Roles whose person has to move now.
    pub waiting: Vec<usize>,
    /// Moves that people chose for the joint move that was pending when the match ended.
    #[serde(default)]
    pub unplayed: Vec<Choice>,
    /// Goals, if the match ended normally.
    pub goals: Option<Vec<u8>>,
    /// Number of faults of players.
    pub faults: usize,
    /// Time of creation, in milliseconds since 1970.
    pub created: u64,
    /// Time of the end.
    pub ended: Option<u64>,
    /// Reason why it did not start or did not end normally.
    pub error: Option<ErrorBody>,
}

/// A move that a person chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// Index of the role.
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
    /// How to draw the states.
    #[schema(value_type = Option<Object>)]
    pub layout: Option<Value>,
    /// The joint moves.
    pub moves: Vec<Vec<String>>,
    /// Evaluation of each role at each joint move, if any.
    #[schema(value_type = Vec<Vec<Option<Object>>>)]
    pub evaluations: Vec<Vec<Option<Evaluation>>>,
    /// Seconds from the start of the match to each joint move.
    pub times: Vec<f64>,
    /// Faults of players.
    #[schema(value_type = Vec<Object>)]
    pub errors: Vec<Fault>,
    /// Key for moving and aborting; shown only to the client that created the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A state of a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StateView {
    /// Number of joint moves before it.
    pub step: usize,
    /// The joint move that led to it, if any.
    pub moves: Option<Vec<String>>,
    /// Fluents that hold.
    pub fluents: Vec<String>,
    /// Contents of the boards.
    #[schema(value_type = Object)]
    pub view: Value,
    /// Legal moves of each role.
    pub legal: Vec<Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// Goals of a terminal state.
    pub goals: Option<Vec<u8>>,
    /// Whether lists are truncated because the state is too large to send.
    #[serde(rename = "cut")]
    pub is_cut: bool,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tournament {
    /// Identifier.
    pub id: String,
    /// Status.
    pub status: Status,
    /// Identifiers of the games.
    pub games: Vec<String>,
    /// The players.
    pub players: Vec<String>,
    /// Number of times every seating is played.
    pub rounds: u64,
    /// Time control.
    pub pace: Pace,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of matches played.
    pub played: u64,
    /// Number of matches to play; 0 until the games are set up.
    pub planned: u64,
    /// Number of faults of players.
    pub faults: u64,
    /// Time of creation, in milliseconds since 1970.
    pub created: u64,
    /// Time of the end.
    pub ended: Option<u64>,
    /// Reason why it could not start.
    pub error: Option<ErrorBody>,
}

/// A tournament with its results so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FullTournament {
    /// The tournament.
    #[serde(flatten)]
    pub summary: Tournament,
    /// The report, as `ludens tournament --json` prints it.
    #[schema(value_type = Option<Object>)]
    pub report: Option<Value>,
    /// Key for aborting; shown only to the client that created the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
