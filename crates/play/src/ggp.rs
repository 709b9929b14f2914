//! Records of matches in the JSON format that the General Game Playing community exchanges.
//!
//! That format holds the states of a match, which our record does not: they are derived from the rules and the moves.

use crate::record::{EndReason, FaultKind, MatchRecord};
use ludens_engine::{Game, MoveId, Rng};
use serde::Serialize;

/// A match in the exchange format. Serialised, its fields have the names that the format gives them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GgpMatch {
    /// A name that no other match has.
    pub match_id: String,
    /// Letters and digits made from the seed.
    pub random_token: String,
    /// Milliseconds since 1970.
    pub start_time: u64,
    /// Seconds before the first move, rounded up; 0 without clocks.
    pub start_clock: u64,
    /// Seconds for each move, rounded up; 0 without clocks.
    pub play_clock: u64,
    /// Where the rules are found; it ends in a version.
    #[serde(rename = "gameMetaURL")]
    pub game_meta_url: String,
    /// The roles.
    pub game_role_names: Vec<String>,
    /// The fluents of each state.
    pub states: Vec<String>,
    /// The joint moves between them.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// For each state, what each player did wrong on the way to it: `TO` late, `IL` illegal, `CE` not answering.
    pub errors: Vec<Vec<String>>,
    /// Whether the match came to its end.
    pub is_completed: bool,
    /// Whether it was broken off.
    pub is_aborted: bool,
    /// The goals at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_values: Option<Vec<u8>>,
    /// Who played.
    pub player_names_from_host: Vec<String>,
    /// No people play here.
    pub is_player_human: Vec<bool>,
}

/// The exchange format of a match of this game. `game_url` is where its rules are found.
pub fn export(record: &MatchRecord, game: &Game, game_url: &str) -> GgpMatch {
    let roles = record.roles.len();
    let milliseconds = |seconds: f64| (seconds * 1000.0).round() as u64;
    let is_completed = record.end.reason == EndReason::Terminal;
    let times = std::iter::once(0.0).chain(record.times.iter().copied());
    GgpMatch {
        match_id: format!("ludens.{}.{}.{}", record.game, record.started, record.seed),
        random_token: token(record.seed ^ record.started),
        start_time: record.started,
        start_clock: record.start_clock.unwrap_or(0.0).ceil() as u64,
        play_clock: record.play_clock.unwrap_or(0.0).ceil() as u64,
        game_meta_url: game_url.to_string(),
        game_role_names: record.roles.clone(),
        states: states(record, game),
        moves: record
            .moves
            .iter()
            .map(|joint| joint.iter().map(|text| spaced(text)).collect())
            .collect(),
        state_times: times.map(|seconds| record.started + milliseconds(seconds)).collect(),
        errors: errors(record),
        is_completed,
        is_aborted: !is_completed,
        goal_values: record.goals.clone().filter(|_| is_completed),
        player_names_from_host: record.players.clone(),
        is_player_human: vec![false; roles],
    }
}

/// All states of a match, up to a move that is unknown in this game.
fn states(record: &MatchRecord, game: &Game) -> Vec<String> {
    let mut machine = game.machine();
    let mut states = vec![state_text(game, machine.state())];
    for texts in &record.moves {
        let moves = game.roles().zip(texts).map(|(role, text)| game.parse_move(role, text));
        let Some(joint) = moves.collect::<Option<Vec<MoveId>>>() else {
            break;
        };
        machine.step(&joint);
        states.push(state_text(game, machine.state()));
    }
    states
}

fn state_text(game: &Game, state: &ludens_engine::State) -> String {
    let fluents: Vec<String> = game.state_texts(state).iter().map(|text| spaced(text)).collect();
    format!("( {} )", fluents.join(" ")).replace("(  )", "( )")
}

/// A term with spaces around its parentheses, as the format has it.
fn spaced(term: &str) -> String {
    term.replace('(', "( ").replace(')', " )")
}

fn errors(record: &MatchRecord) -> Vec<Vec<String>> {
    let mut errors = vec![vec![String::new(); record.roles.len()]; record.moves.len() + 1];
    for fault in &record.errors {
        let step = fault.step.map_or(0, |step| step + 1);
        let role = record.roles.iter().position(|role| *role == fault.role);
        if let Some(entry) = role.and_then(|role| errors.get_mut(step)?.get_mut(role)) {
            *entry = match fault.kind {
                FaultKind::Late => "TO".to_string(),
                FaultKind::Illegal => format!("IL {}", spaced(&fault.detail)),
                FaultKind::Panicked | FaultKind::Hung => "CE".to_string(),
            };
        }
    }
    errors
}

fn token(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    (0..32).map(|_| rng.alphanumeric()).collect()
}
