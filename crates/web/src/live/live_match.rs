//! A running match: its current state, pending moves of people, and the events for subscribers.
//!
//! The match thread writes and requests read, both under one lock that is held briefly.

use crate::error::ApiError;
use crate::events::{Broadcast, Message};
use crate::game_cache::Prepared;
use crate::identity;
use crate::model::{Choice, Match, StateView, Status};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{MoveId, Role};
use ludens_play::{MatchRecord, Thought};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of moves in an analysis shown to clients.
const MOST_MOVES: usize = 1_000;

/// Interval at which waiting people check whether the match has ended.
const GLANCE: Duration = Duration::from_millis(100);

/// A running match.
pub(crate) struct LiveMatch {
    id: String,
    key: String,
    standing: Mutex<Standing>,
    /// Notified when a person has moved or no longer needs to.
    moved: Condvar,
    hub: Broadcast,
    /// Ends the match.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Reason for aborting, if it was aborted.
    aborted: Mutex<Option<String>>,
}

/// Current situation of a match.
struct Standing {
    summary: Match,
    prepared: Option<Arc<Prepared>>,
    record: Option<MatchRecord>,
    /// Current state.
    state: Option<StateView>,
    /// Latest analysis published for each role.
    thoughts: Vec<Option<Arc<Message>>>,
    /// Whether analysis is withheld until the joint move is made. A person has a choice in the current step, and an
    /// agent's analysis would reveal its simultaneous move.
    is_secret: bool,
    /// Latest withheld analysis of each role.
    held: Vec<Option<Arc<Message>>>,
    /// Whether each role is a person's.
    people: Vec<bool>,
    /// Moves that people chose in the current step, already stored.
    chosen: Vec<Option<MoveId>>,
    /// Roles whose move is being stored.
    storing: Vec<bool>,
    /// Start of the current step.
    since: Instant,
    /// Number of open event streams.
    watchers: usize,
    /// Last time that a client requested or watched the match.
    seen: Instant,
}

/// Counts as a watcher of a match until dropped.
pub(crate) struct Watching(Arc<LiveMatch>);

impl Watching {
    pub(crate) fn snapshot(&self) -> Vec<Arc<Message>> {
        self.0.snapshot()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut standing = self.0.standing();
        standing.watchers -= 1;
        standing.seen = Instant::now();
    }
}

impl LiveMatch {
    pub(crate) fn new(summary: Match, people: Vec<bool>) -> Result<LiveMatch, ApiError> {
        let roles = people.len();
        Ok(LiveMatch {
            id: summary.id.clone(),
            key: identity::secret()?,
            standing: Mutex::new(Standing {
                summary,
                prepared: None,
                record: None,
                state: None,
                thoughts: vec![None; roles],
                // During the start clock it is not known yet who has a choice in the first step.
                is_secret: people.contains(&true),
                held: vec![None; roles],
                chosen: vec![None; roles],
                storing: vec![false; roles],
                people,
                since: Instant::now(),
                watchers: 0,
                seen: Instant::now(),
            }),
            moved: Condvar::new(),
            hub: Broadcast::default(),
            cancel: Arc::default(),
            aborted: Mutex::new(None),
        })
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn summary(&self) -> Match {
        self.standing().summary.clone()
    }

    pub(crate) fn prepared(&self) -> Option<Arc<Prepared>> {
        self.standing().prepared.clone()
    }

    pub(crate) fn record(&self) -> Option<MatchRecord> {
        self.standing().record.clone()
    }

    pub(crate) fn hub(&self) -> &Broadcast {
        &self.hub
    }

    /// Registers a watcher until the returned value is dropped.
    pub(crate) fn watch(self: Arc<LiveMatch>) -> Watching {
        self.standing().watchers += 1;
        Watching(self)
    }

    /// Notes that a client requested the match.
    pub(crate) fn touch(&self) {
        self.standing().seen = Instant::now();
    }

    /// Returns how long the match has waited for a person while nobody watched it or asked for it; `None` if it does
    /// not wait, if somebody watches, or if it is being ended.
    pub(crate) fn absence(&self) -> Option<Duration> {
        let standing = self.standing();
        let is_abandoned = !self.is_ending() && standing.watchers == 0 && !standing.summary.waiting.is_empty();
        is_abandoned.then(|| standing.seen.elapsed())
    }

    /// Whether the match is being ended.
    pub(crate) fn is_ending(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Events that describe the current situation, for new subscribers.
    pub(crate) fn snapshot(&self) -> Vec<Arc<Message>> {
        let standing = self.standing();
        let mut messages = vec![Message::new("match", &standing.summary)];
        if let (Some(state), Some(prepared)) = (&standing.state, &standing.prepared) {
            messages.push(state_message(prepared, state));
        }
        messages.extend(standing.thoughts.iter().flatten().cloned());
        if standing.summary.status.is_final() {
            messages.push(Message::new("end", &standing.summary));
        }
        messages
    }

    /// Stores the set-up game; the start clock begins.
    pub(crate) fn prepare(&self, prepared: Arc<Prepared>) {
        self.standing().prepared = Some(prepared);
    }

    /// Publishes a state: the initial one, or the one after the last joint move of the record.
    pub(crate) fn advance(&self, record: &MatchRecord, state: StateView) -> Match {
        let mut standing = self.standing();
        let standing = &mut *standing;
        let summary = &mut standing.summary;
        summary.status = Status::Running;
        summary.roles.clone_from(&record.roles);
        summary.step = record.moves.len();
        summary.faults = record.errors.len();
        let has_choice = |role: &usize| state.legal.get(*role).is_some_and(|legal| legal.len() > 1);
        let roles = 0..standing.people.len();
        summary.waiting = roles.filter(|&role| standing.people[role]).filter(has_choice).collect();
        standing.chosen.fill(None);
        // A truncated state does not show who has a choice.
        standing.is_secret = !summary.waiting.is_empty() || state.is_cut && standing.people.contains(&true);
        if !record.moves.is_empty() || !standing.is_secret {
            let none = vec![None; standing.held.len()];
            standing.thoughts = std::mem::replace(&mut standing.held, none);
            for thought in standing.thoughts.iter().flatten() {
                self.hub.tell(thought.clone());
            }
        }
        standing.since = Instant::now();
        standing.record = Some(record.clone());
        if let Some(prepared) = &standing.prepared {
            self.hub.tell(state_message(prepared, &state));
        }
        standing.state = Some(state);
        self.hub.tell(Message::new("match", &standing.summary));
        standing.summary.clone()
    }

    /// Publishes the analysis of an agent, at once or, if a person moves in the same step, with the joint move. Ignored
    /// where the role has only one legal move.
    pub(crate) fn think(&self, prepared: &Prepared, thought: &Thought<'_>) {
        if thought.decision.stop == StopReason::OnlyMove {
            return;
        }
        let game = &prepared.game;
        let role = thought.role.index();
        let decision = thought.decision;
        let text = |role: Role, id: MoveId| {
            let is_known = (id.0 as usize) < game.vocabulary().move_count(role);
            is_known.then(|| game.move_text(role, id))
        };
        let moves: Vec<Value> = decision
            .moves
            .iter()
            .take(MOST_MOVES)
            .map(|known| {
                json!({
                    "move": text(thought.role, known.move_id),
                    "visits": known.visits,
                    "value": known.value,
                    "probability": known.probability,
                })
            })
            .collect();
        let joint = |joint: &Vec<MoveId>| -> Vec<Option<String>> {
            game.roles().zip(joint).map(|(role, &id)| text(role, id)).collect()
        };
        let mut line: Vec<Vec<Option<String>>> = decision.line.iter().map(joint).collect();
        let mut standing = self.standing();
        if standing.people.get(role).copied().unwrap_or(true) {
            return;
        }
        // A late agent may still analyse an earlier step, which is no longer secret.
        let is_present = thought.step >= standing.summary.step;
        let is_held = is_present && standing.is_secret;
        if is_held {
            // The continuation would reveal the agent's next move.
            line.truncate(1);
        }
        let message = Message::new(
            "thinking",
            &json!({
                "step": thought.step,
                "role": role,
                "player": standing.summary.players.get(role),
                "final": thought.is_final,
                "choice": text(thought.role, decision.choice),
                "value": decision.value,
                "playouts": decision.playouts,
                "nodes": decision.nodes,
                "seconds": standing.since.elapsed().as_secs_f64(),
                "moves": moves,
                "line": line,
            }),
        );
        let places = match is_held {
            true => &mut standing.held,
            false => &mut standing.thoughts,
        };
        if is_present && let Some(place) = places.get_mut(role) {
            *place = Some(message.clone());
        }
        if !is_held {
            self.hub.tell(message);
        }
    }

    /// Chooses a move for a person. It counts only after `keep` has stored it, so an acknowledged move survives the end
    /// of the process.
    pub(crate) fn choose(
        &self,
        step: usize,
        role: usize,
        text: &str,
        keep: impl FnOnce(&str) -> Result<(), ApiError>,
    ) -> Result<Match, ApiError> {
        let (id, text) = self.reserve(step, role, text)?;
        let kept = keep(&text);
        let mut standing = self.standing();
        let standing = &mut *standing;
        standing.storing[role] = false;
        kept?;
        let summary = &mut standing.summary;
        if summary.status != Status::Running || summary.step != step {
            return Err(ApiError::Conflict("The match continued without the move.".to_string()));
        }
        standing.chosen[role] = Some(id);
        summary.waiting.retain(|&waiting| waiting != role);
        self.hub.tell(Message::new("match", &*summary));
        self.moved.notify_all();
        Ok(summary.clone())
    }

    /// Checks a move of a person and blocks other choices for the same role until it is stored.
    fn reserve(&self, step: usize, role: usize, text: &str) -> Result<(MoveId, String), ApiError> {
        let mut standing = self.standing();
        let standing = &mut *standing;
        let summary = &standing.summary;
        if summary.status != Status::Running {
            return Err(ApiError::Conflict("The match is not running.".to_string()));
        }
        if step != summary.step {
            return Err(ApiError::Conflict(format!(
                "The move is for step {step}, but the match is at step {}.",
                summary.step
            )));
        }
        if !standing.people.get(role).copied().unwrap_or(false) {
            return Err(ApiError::Conflict("This role is not played by a person.".to_string()));
        }
        if !summary.waiting.contains(&role) || standing.storing[role] {
            return Err(ApiError::Conflict("This role has already moved.".to_string()));
        }
        let (Some(prepared), Some(state)) = (&standing.prepared, &standing.state) else {
            return Err(ApiError::Conflict("The match has not started.".to_string()));
        };
        let game = &prepared.game;
        let number = Role(role as u8);
        let id = game.parse_move(number, text);
        let is_legal = |id: &MoveId| state.legal[role].contains(&game.move_text(number, *id));
        let Some(id) = id.filter(is_legal) else {
            return Err(ApiError::IllegalMove(format!("The move `{text}` is not legal here.")));
        };
        standing.storing[role] = true;
        Ok((id, game.move_text(number, id)))
    }

    /// Waits for the move of a person; `None` if the match ends first. Aborts the match after `patience`.
    pub(crate) fn await_move(&self, step: usize, role: usize, budget: &Budget, patience: Duration) -> Option<MoveId> {
        let mut standing = self.standing();
        loop {
            if budget.is_cancelled() || standing.summary.step != step {
                return None;
            }
            if let Some(chosen) = standing.chosen.get(role).copied().flatten() {
                return Some(chosen);
            }
            if standing.since.elapsed() > patience {
                drop(standing);
                self.abort("The match was ended because nobody moved for a long time.");
                return None;
            }
            let waited = self.moved.wait_timeout(standing, GLANCE);
            standing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Aborts the match.
    pub(crate) fn abort(&self, why: &str) {
        let mut aborted = self.aborted.lock().unwrap_or_else(PoisonError::into_inner);
        aborted.get_or_insert(why.to_string());
        self.cancel.store(true, Ordering::Relaxed);
        self.moved.notify_all();
    }

    /// Reason for aborting, if it was aborted.
    pub(crate) fn aborted(&self) -> Option<String> {
        self.aborted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Marks the match as ended; nothing changes afterwards.
    pub(crate) fn finish(&self, record: Option<&MatchRecord>, change: impl FnOnce(&mut Match)) -> Match {
        let mut standing = self.standing();
        let standing = &mut *standing;
        if let Some(prepared) = &standing.prepared {
            let chosen = standing.chosen.iter().enumerate();
            let unplayed = chosen.filter_map(|(role, chosen)| {
                let text = prepared.game.move_text(Role(role as u8), (*chosen)?);
                Some(Choice { role, text })
            });
            standing.summary.unplayed = unplayed.collect();
        }
        if let Some(record) = record {
            standing.summary.step = record.moves.len();
            standing.summary.faults = record.errors.len();
            standing.summary.goals.clone_from(&record.goals);
            standing.record = Some(record.clone());
        }
        standing.summary.waiting.clear();
        standing.summary.ended = Some(crate::model::now());
        change(&mut standing.summary);
        standing.summary.clone()
    }

    /// Publishes the end of the match.
    pub(crate) fn tell_end(&self) {
        let summary = self.summary();
        self.hub.tell(Message::new("match", &summary));
        self.hub.tell(Message::new("end", &summary));
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

/// Event with a state and its layout.
pub(crate) fn state_message(prepared: &Prepared, state: &StateView) -> Arc<Message> {
    Message::new("state", &json!({ "layout": prepared.layout.json(), "state": state }))
}
