//! Records of matches in the JSON format that the General Game Playing community exchanges.
//!
//! That format holds the states of a match, which our record does not. [`Export`] takes them from the events of a match
//! under way, [`export`] replays a record.

use crate::event::{MatchEvent, Observer};
use crate::record::{EndReason, FaultKind, MatchRecord, joint_texts, percept_texts, word};
use crate::replay::Replay;
use ludens_engine::{Game, Rng, State};
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
    /// What each role perceived of each joint move, where information is hidden; `None` for chance. An addition of ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Vec<Option<Vec<String>>>>,
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

/// The exchange format of a recorded match of this game. `game_url` is where its rules are found.
pub fn export(record: &MatchRecord, game: &Game, game_url: &str) -> GgpMatch {
    let mut export = Export::new(record, game, game_url);
    let mut replay = Some(Replay::new(game));
    for (texts, seconds) in record.moves.iter().zip(&record.times) {
        // A move that is not known in the game ends the states, not the moves.
        replay = replay.and_then(|mut replay| {
            let joint = replay.known(texts).ok()?;
            replay.make(&joint).ok().map(|()| replay)
        });
        export.moved(texts, replay.as_ref().map(Replay::state), *seconds);
    }
    for fault in &record.errors {
        if let Some(role) = record.roles.iter().position(|role| *role == fault.role) {
            export.fault(fault.step, role, fault.kind, &fault.detail);
        }
    }
    export.current.percepts = record.percepts.clone();
    export.ended(record.goals.as_deref(), record.end.reason);
    export.current
}

/// Makes the exchange format of a match from its events.
#[derive(Clone)]
pub struct Export {
    game: Game,
    current: GgpMatch,
}

impl Export {
    /// The beginning of a match, by the header of its record.
    pub fn new(header: &MatchRecord, game: &Game, game_url: &str) -> Export {
        let roles = header.roles.len();
        let current = GgpMatch {
            match_id: header.id(),
            random_token: token(header.seed ^ header.started),
            start_time: header.started,
            start_clock: header.start_clock.unwrap_or(0.0).ceil() as u64,
            play_clock: header.play_clock.unwrap_or(0.0).ceil() as u64,
            game_meta_url: game_url.to_string(),
            game_role_names: header.roles.clone(),
            states: vec![state_text(game, game.initial())],
            moves: Vec::new(),
            percepts: Vec::new(),
            state_times: vec![header.started],
            errors: vec![vec![String::new(); roles]],
            is_completed: false,
            is_aborted: false,
            goal_values: None,
            player_names_from_host: header.players.clone(),
            is_player_human: vec![false; roles],
            scrambled: None,
        };
        Export {
            game: game.clone(),
            current,
        }
    }

    /// The same, with a word on whether names were scrambled.
    pub fn with_scrambled(mut self, is_scrambled: bool) -> Export {
        self.current.scrambled = Some(is_scrambled);
        self
    }

    /// The match so far.
    pub fn current(&self) -> &GgpMatch {
        &self.current
    }

    /// The match.
    pub fn into_match(self) -> GgpMatch {
        self.current
    }

    fn moved(&mut self, texts: &[String], state: Option<&State>, seconds: f64) {
        let current = &mut self.current;
        current.moves.push(texts.iter().map(|text| spaced(text)).collect());
        let milliseconds = (seconds * 1000.0).round() as u64;
        current.state_times.push(current.start_time + milliseconds);
        current.states.extend(state.map(|state| state_text(&self.game, state)));
        let count = current.moves.len();
        self.errors_after(count);
    }

    fn fault(&mut self, step: Option<usize>, role: usize, kind: FaultKind, detail: &str) {
        let errors = self.errors_after(step.map_or(0, |step| step + 1));
        if let Some(entry) = errors.get_mut(role) {
            *entry = match kind {
                FaultKind::Late => "TO".to_string(),
                FaultKind::Illegal => format!("IL {}", spaced(detail)),
                FaultKind::Panicked | FaultKind::Unreachable | FaultKind::Hung | FaultKind::Refused => "CE".to_string(),
            };
        }
    }

    /// Returns the errors of the step that leads to the state with this number of moves.
    fn errors_after(&mut self, moves: usize) -> &mut Vec<String> {
        let errors = &mut self.current.errors;
        while errors.len() <= moves {
            errors.push(vec![String::new(); self.current.game_role_names.len()]);
        }
        &mut errors[moves]
    }

    fn ended(&mut self, goals: Option<&[u8]>, reason: EndReason) {
        let is_completed = reason == EndReason::Terminal;
        self.current.is_completed = is_completed;
        self.current.is_aborted = !is_completed && reason != EndReason::Unfinished;
        self.current.goal_values = goals.filter(|_| is_completed).map(<[u8]>::to_vec);
    }
}

impl Observer for Export {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        match *event {
            MatchEvent::Started { .. } | MatchEvent::Prepared => {}
            MatchEvent::Fault {
                step,
                role,
                kind,
                detail,
                ..
            } => self.fault(step, role.index(), kind, detail),
            MatchEvent::Moved {
                joint,
                state,
                percepts,
                seconds,
                ..
            } => {
                let percepts = percepts.map(|percepts| percept_texts(&self.game, percepts));
                self.current.percepts.extend(percepts);
                self.moved(&joint_texts(&self.game, joint), Some(state), seconds);
            }
            MatchEvent::Ended { goals, end, .. } => self.ended(goals, end.reason),
        }
    }
}

fn state_text(game: &Game, state: &State) -> String {
    let fluents: Vec<String> = game.state_texts(state).iter().map(|text| spaced(text)).collect();
    format!("( {} )", fluents.join(" ")).replace("(  )", "( )")
}

/// A term with spaces around its parentheses, as the format has it.
fn spaced(term: &str) -> String {
    term.replace('(', "( ").replace(')', " )")
}

fn token(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    (0..32).map(|_| rng.alphanumeric()).collect()
}
