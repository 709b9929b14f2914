//! Records of matches in the JSON format that the General Game Playing community exchanges.
//!
//! That format holds the states of a match, which our record does not: they are derived from the rules and the moves.

use crate::record::{EndReason, FaultKind, MatchRecord, word};
use ludens_engine::{Game, Machine, MoveId, Rng};
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
    /// Whether names were scrambled, where players were elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrambled: Option<bool>,
}

/// An address for rules that are nowhere in the world, in the form that the format asks for.
pub fn default_url(game: &str) -> String {
    format!("http://ludens.invalid/games/{}/v0/", word(game))
}

/// The exchange format of a match of this game. `game_url` is where its rules are found.
pub fn export(record: &MatchRecord, game: &Game, game_url: &str) -> GgpMatch {
    let mut export = Export::new(record, game, game_url);
    export.update(record);
    export.current
}

/// The exchange format of a match while it is played: what is added to the record is added to it.
pub struct Export {
    game: Game,
    machine: Box<dyn Machine>,
    /// A move was not known in the game, so that there are no further states.
    is_lost: bool,
    current: GgpMatch,
}

impl Export {
    /// The beginning of a match.
    pub fn new(record: &MatchRecord, game: &Game, game_url: &str) -> Export {
        let machine = game.machine();
        let current = GgpMatch {
            match_id: record.id(),
            random_token: token(record.seed ^ record.started),
            start_time: record.started,
            start_clock: record.start_clock.unwrap_or(0.0).ceil() as u64,
            play_clock: record.play_clock.unwrap_or(0.0).ceil() as u64,
            game_meta_url: game_url.to_string(),
            game_role_names: record.roles.clone(),
            states: vec![state_text(game, machine.state())],
            moves: Vec::new(),
            state_times: vec![record.started],
            errors: Vec::new(),
            is_completed: false,
            is_aborted: false,
            goal_values: None,
            player_names_from_host: record.players.clone(),
            is_player_human: vec![false; record.roles.len()],
            scrambled: None,
        };
        Export {
            game: game.clone(),
            machine,
            is_lost: false,
            current,
        }
    }

    /// The same, with a word on whether names were scrambled.
    pub fn with_scrambled(mut self, is_scrambled: bool) -> Export {
        self.current.scrambled = Some(is_scrambled);
        self
    }

    /// Adds what is new in the record of the same match.
    pub fn update(&mut self, record: &MatchRecord) -> &GgpMatch {
        let milliseconds = |seconds: f64| (seconds * 1000.0).round() as u64;
        let known = self.current.moves.len();
        for (texts, time) in record.moves.iter().zip(&record.times).skip(known) {
            let moves = texts.iter().map(|text| spaced(text));
            self.current.moves.push(moves.collect());
            self.current.state_times.push(record.started + milliseconds(*time));
            self.step(texts);
        }
        let is_completed = record.end.reason == EndReason::Terminal;
        self.current.errors = errors(record);
        self.current.is_completed = is_completed;
        self.current.is_aborted = !is_completed && record.end.reason != EndReason::Unfinished;
        self.current.goal_values = record.goals.clone().filter(|_| is_completed);
        &self.current
    }

    fn step(&mut self, texts: &[String]) {
        let game = &self.game;
        let moves = game.roles().zip(texts).map(|(role, text)| game.parse_move(role, text));
        match moves.collect::<Option<Vec<MoveId>>>() {
            Some(joint) if !self.is_lost => {
                self.machine.step(&joint);
                self.current.states.push(state_text(game, self.machine.state()));
            }
            _ => self.is_lost = true,
        }
    }
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
                FaultKind::Panicked | FaultKind::Unreachable | FaultKind::Hung => "CE".to_string(),
            };
        }
    }
    errors
}

fn token(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    (0..32).map(|_| rng.alphanumeric()).collect()
}
