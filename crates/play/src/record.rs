//! The full record of a match, and the observer that makes it.
//!
//! A record holds everything that happened, as texts and numbers that mean the same to every reader, so it can be kept in
//! files and read again by later versions. These types are the form of such files.

use crate::event::{MatchEvent, Observer};
use ludens_engine::{Game, MoveId, PerceptId, Percepts, Role};
use serde::{Deserialize, Serialize};

/// A match from its setup to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The name of the game.
    pub game: String,
    /// The roles, in order; all lists over roles are in this order.
    pub roles: Vec<String>,
    /// Who played each role, as a spec; `random` for chance.
    pub players: Vec<String>,
    /// The seed of all chance.
    pub seed: u64,
    /// The seconds that agents had before the first move.
    pub start_clock: Option<f64>,
    /// The seconds that agents had for each move.
    pub play_clock: Option<f64>,
    /// The iterations that agents had for each move, if there were no clocks.
    pub iterations: Option<u64>,
    /// The version of Ludens.
    pub version: String,
    /// The engine that ran the rules.
    pub engine: String,
    /// When the match began, in milliseconds since 1970.
    pub started: u64,
    /// 2 if the rules say what roles see, so that information is hidden from them; else 1.
    #[serde(default = "first_version")]
    pub gdl: u8,
    /// What players observed, in games with hidden information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub information: Option<Information>,
    /// The joint moves.
    pub moves: Vec<Vec<String>>,
    /// For each joint move, the percepts of each role; `None` for chance. Empty in games without hidden information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Vec<Option<Vec<String>>>>,
    /// For each joint move, what each role thought; nothing for chance and for roles whose agent did not answer.
    pub evaluations: Vec<Vec<Option<Evaluation>>>,
    /// For each joint move, the seconds from the beginning of the match until it was made.
    pub times: Vec<f64>,
    /// The goals, if the match came to its end.
    pub goals: Option<Vec<u8>>,
    /// How the match ended.
    pub end: End,
    /// Faults of players.
    pub errors: Vec<Fault>,
    /// How long the match took.
    pub seconds: f64,
}

/// What players observe of a match in which the rules hide information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Information {
    /// Their own moves and percepts.
    Percepts,
    /// The whole state and all moves.
    Open,
}

fn first_version() -> u8 {
    1
}

/// An agent's report on its move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Expected goal.
    pub value: Option<f64>,
    /// Nodes of the search tree.
    pub nodes: u64,
    /// Estimated memory of the tree in bytes.
    #[serde(default)]
    pub memory: u64,
    /// Playouts, or evaluated states.
    pub playouts: u64,
    /// Stop reason of the search, as one word.
    pub stop: String,
    /// Seconds spent.
    pub seconds: f64,
    /// Note on how the move was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Why there was no further move.
    pub reason: EndReason,
    /// More about it, where there is more to say.
    pub detail: Option<String>,
}

/// Why there was no further move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The state was terminal.
    Terminal,
    /// The state was terminal, but the rules gave a role several goals and none was to be preferred.
    SeveralGoals,
    /// A role had no legal move.
    Stuck,
    /// The greatest number of steps was reached.
    TooLong,
    /// The engine met a limit.
    EngineFault,
    /// Somebody asked to stop.
    Interrupted,
    /// The match is still under way.
    Unfinished,
}

/// Something that a player did wrong. The match goes on: where it was to move, a random legal move was made for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// In which step, counted from zero; nothing for the time before the first.
    pub step: Option<usize>,
    /// Which role.
    pub role: String,
    /// What.
    pub kind: FaultKind,
    /// More about it.
    pub detail: String,
    /// The move that was made instead.
    pub instead: Option<String>,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It answered after its time.
    Late,
    /// It chose a move that is not legal.
    Illegal,
    /// It panicked.
    Panicked,
    /// It is elsewhere and cannot be reached, or it broke the conversation off.
    Unreachable,
    /// It was not asked, as it was still busy with an earlier question.
    Hung,
    /// It cannot play games of this kind.
    Refused,
}

impl FaultKind {
    /// The kind as one word, as in records.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Illegal => "illegal",
            FaultKind::Panicked => "panicked",
            FaultKind::Unreachable => "unreachable",
            FaultKind::Hung => "hung",
            FaultKind::Refused => "refused",
        }
    }
}

impl MatchRecord {
    /// A name that no other match has.
    pub fn id(&self) -> String {
        format!("ludens.{}.{}.{}", word(&self.game), self.started, self.seed)
    }

    /// How many faults each role has, in the order of the roles.
    pub fn faults(&self) -> Vec<usize> {
        let count = |role: &String| self.errors.iter().filter(|fault| fault.role == *role).count();
        self.roles.iter().map(count).collect()
    }

    /// Number of faults of each seat: of each role but chance, in their order.
    pub fn seat_faults(&self) -> Vec<usize> {
        let counts = self.roles.iter().zip(self.faults());
        let counts = counts.filter(|(role, _)| *role != "random");
        counts.map(|(_, count)| count).collect()
    }

    /// Whether the match came to its end and nobody did anything wrong.
    pub fn is_clean(&self) -> bool {
        self.end.reason == EndReason::Terminal && self.errors.is_empty()
    }
}

/// Makes the record of a match from its events.
#[derive(Clone)]
pub struct Recorder {
    game: Game,
    record: MatchRecord,
}

impl Recorder {
    pub(crate) fn new(game: &Game, header: MatchRecord) -> Recorder {
        Recorder {
            game: game.clone(),
            record: header,
        }
    }

    /// The record so far.
    pub fn record(&self) -> &MatchRecord {
        &self.record
    }

    /// The record.
    pub fn into_record(self) -> MatchRecord {
        self.record
    }
}

impl Observer for Recorder {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        let (game, record) = (&self.game, &mut self.record);
        match *event {
            MatchEvent::Started { .. } | MatchEvent::Prepared => {}
            MatchEvent::Fault {
                step,
                role,
                kind,
                detail,
                instead,
            } => record.errors.push(Fault {
                step,
                role: game.role_name(role).to_string(),
                kind,
                detail: detail.to_string(),
                instead: instead.map(|chosen| game.move_text(role, chosen)),
            }),
            MatchEvent::Moved {
                joint,
                percepts,
                evaluations,
                seconds,
                ..
            } => {
                record.moves.push(joint_texts(game, joint));
                record
                    .percepts
                    .extend(percepts.map(|percepts| percept_texts(game, percepts)));
                record.evaluations.push(evaluations.to_vec());
                record.times.push(seconds);
            }
            MatchEvent::Ended { goals, end, seconds } => {
                record.goals = goals.map(<[u8]>::to_vec);
                record.end = end.clone();
                record.seconds = seconds;
            }
        }
    }
}

/// The texts of a joint move, in the order of the roles.
pub fn joint_texts(game: &Game, joint: &[MoveId]) -> Vec<String> {
    let moves = game.roles().zip(joint);
    moves.map(|(role, &chosen)| game.move_text(role, chosen)).collect()
}

/// The texts of the percepts of each role; `None` for chance, which perceives nothing.
pub fn percept_texts(game: &Game, percepts: &Percepts) -> Vec<Option<Vec<String>>> {
    let texts =
        |(role, percepts): (Role, &Vec<PerceptId>)| (!game.is_random(role)).then(|| game.percept_texts(role, percepts));
    percepts.iter().map(texts).collect()
}

/// A name as one word that is safe in messages, addresses and names of files: the last part of a path without its
/// ending, with everything odd replaced.
pub(crate) fn word(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = last.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("game");
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    stem.chars()
        .map(|letter| if is_plain(letter) { letter } else { '-' })
        .collect()
}
