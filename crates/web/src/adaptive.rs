//! The adaptive opponent: an agent whose strength a director chooses for a person, by the matches that the store keeps.

use crate::app::App;
use crate::error::ApiError;
use crate::game_cache::Prepared;
use crate::model::now;
use crate::store::Store;
use ludens_budget::Budget;
use ludens_play::director::facts::{History, Observation};
use ludens_play::director::policy::POLICIES;
use ludens_play::director::simulate::points;
use ludens_play::director::{Difficulty, Director, Ruling, iterations, limited, mistakes};
use ludens_play::{AgentSpec, MatchRecord, Player, seats};
use ludens_report::reason;
use serde_json::{Value, json};
use std::time::Duration;

/// What the adaptive opponent is called where agents have a spec.
pub(crate) const ADAPTIVE: &str = "adaptive";

/// The agent whose iterations are adapted, and which judges the moves of people.
const AGENT: &str = "uct";

/// Iterations for judging a move, and time for judging a match.
const JUDGING: u64 = 2_000;
const JUDGING_TIME: Duration = Duration::from_secs(3);

/// Longest name of a person.
const LONGEST_NAME: usize = 64;

/// An adaptive opponent of a person.
#[derive(Clone, Debug)]
pub(crate) struct Adaptive {
    pub(crate) person: String,
    pub(crate) level: usize,
}

/// The policy that a player names, if it is an adaptive one: `adaptive` or `adaptive(policy=gentle)`.
pub(crate) fn policy_of(text: &str) -> Option<Result<&'static str, ApiError>> {
    let rest = text.strip_prefix(ADAPTIVE)?;
    let name = match rest {
        "" => "balanced",
        _ => rest.strip_prefix("(policy=")?.strip_suffix(')')?,
    };
    let known = POLICIES.iter().find(|policy| policy.name == name);
    Some(known.map(|policy| policy.name).ok_or_else(|| {
        let names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
        ApiError::BadRequest(format!("There is no policy `{name}`; there are {}.", names.join(", ")))
    }))
}

/// The name of a person, checked.
pub(crate) fn person(name: Option<&str>) -> Result<String, ApiError> {
    let name = name.unwrap_or("").trim();
    let is_plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    match !name.is_empty() && name.len() <= LONGEST_NAME && is_plain {
        true => Ok(name.to_string()),
        false => Err(ApiError::BadRequest(format!(
            "An adaptive opponent needs `person`: a name of up to {LONGEST_NAME} letters, digits and hyphens."
        ))),
    }
}

/// What the director decides about the next match of a person, and the matches it goes by.
pub(crate) fn decide(store: &Store, person: &str, game: &str, policy: &str) -> Result<(Ruling, History), ApiError> {
    let history = store.history(person, game)?;
    let level = history.matches.last().map(|played| played.level);
    let now = Difficulty {
        level: level.unwrap_or(Difficulty::default().level),
        ..Difficulty::default()
    };
    let internal = |error| ApiError::Internal(format!("the policy {policy}: {error}"));
    let director = Director::named(policy).map_err(internal)?;
    let ruling = director.rule(&history, now, &Budget::default()).map_err(internal)?;
    Ok((ruling, history))
}

/// The decision as JSON, with the trees behind it.
pub(crate) fn shown(ruling: &Ruling, history: &History) -> Value {
    let standing = history.standing(ruling.difficulty.level);
    let count = history.matches.len();
    let got: f64 = history.matches.iter().map(|played| played.points).sum();
    let changes = ruling
        .changes
        .iter()
        .map(|change| json!({ "sentence": change.sentence, "answer": reason::answer(&change.answer) }));
    json!({
        "level": ruling.difficulty.level,
        "iterations": iterations(ruling.difficulty.level),
        "hints": ruling.difficulty.hints,
        "matches": count,
        "share": (count > 0).then(|| got / count as f64),
        "rating": standing.filter(|_| count > 0).map(|standing| json!({
            "elo": standing.elo,
            "uncertainty": standing.uncertainty,
        })),
        "facts": ruling.facts,
        "explanation": ruling.explanation(),
        "changes": changes.collect::<Vec<_>>(),
    })
}

impl Adaptive {
    /// What it is called in records.
    pub(crate) fn name(&self) -> String {
        format!("{ADAPTIVE}(level={})", self.level)
    }

    /// The player.
    pub(crate) fn player(&self) -> Result<Player, ApiError> {
        let spec = agent()?;
        Ok(limited(&spec, iterations(self.level)).named(self.name()))
    }

    /// Keeps the result of a match that came to its end; `seat` is the place of the person.
    pub(crate) fn keep(&self, app: &App, names: (&str, &str), prepared: &Prepared, record: &MatchRecord, seat: usize) {
        let Some(points) = points(&prepared.game, record.goals.as_deref(), seat) else {
            return;
        };
        let observation = Observation {
            seconds_per_move: Some(record.seconds / record.moves.len().max(1) as f64),
            ..Observation::result(self.level, points)
        };
        self.write(app, names, &observation);
    }

    /// Judges the moves of a match by a short search, and keeps the share of mistakes.
    pub(crate) fn judge(&self, app: &App, names: (&str, &str), prepared: &Prepared, record: &MatchRecord, seat: usize) {
        let budget = Budget::until_cancelled(app.cancel.clone())
            .within(JUDGING_TIME)
            .with_iterations(JUDGING);
        let points = points(&prepared.game, record.goals.as_deref(), seat);
        let role = seats(&prepared.game).get(seat).copied();
        let (Some(points), Some(role), Ok(spec)) = (points, role, agent()) else {
            return;
        };
        let judged = mistakes::by_search(&prepared.game, record, role, &spec, &budget);
        let observation = Observation {
            seconds_per_move: Some(record.seconds / record.moves.len().max(1) as f64),
            mistakes: judged.ok().and_then(|judged| judged.share()),
            ..Observation::result(self.level, points)
        };
        self.write(app, names, &observation);
    }

    fn write(&self, app: &App, (id, game): (&str, &str), observation: &Observation) {
        if let Err(error) = app.store.add_observation((id, &self.person, game), observation, now()) {
            tracing::error!(%error, id, "cannot keep the result of an adaptive match");
        }
    }
}

fn agent() -> Result<AgentSpec, ApiError> {
    AgentSpec::parse(AGENT).map_err(|error| ApiError::Internal(format!("the agent {AGENT}: {error}")))
}
