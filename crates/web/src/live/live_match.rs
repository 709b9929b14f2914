//! A match under way: how it stands, who waits for whom, and what watchers are told.
//!
//! The thread of the match writes, requests read; both under one lock that is never held for long.

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

/// Moves that an agent is shown to think about.
const MOST_MOVES: usize = 1_000;

/// How often people who wait look whether the match is over.
const GLANCE: Duration = Duration::from_millis(100);

/// A match under way.
pub(crate) struct LiveMatch {
    id: String,
    key: String,
    standing: Mutex<Standing>,
    /// Told when a person has moved, or nobody needs to any more.
    moved: Condvar,
    hub: Broadcast,
    /// Ends the match.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Why it was ended, if people did not want it any more.
    aborted: Mutex<Option<String>>,
}

/// How a match stands.
struct Standing {
    summary: Match,
    prepared: Option<Arc<Prepared>>,
    record: Option<MatchRecord>,
    /// The present state.
    state: Option<StateView>,
    /// The latest thought of each role that watchers were told.
    thoughts: Vec<Option<Arc<Message>>>,
    /// Whether thoughts are held back until the joint move is made: a person has a choice in the present step, and what
    /// an agent means to do at the same time would give its move away.
    is_secret: bool,
    /// The latest thought of each role that is held back.
    held: Vec<Option<Arc<Message>>>,
    /// The roles of people.
    people: Vec<bool>,
    /// What people chose in the present step, stored already.
    chosen: Vec<Option<MoveId>>,
    /// The roles whose move is being stored.
    storing: Vec<bool>,
    /// When the present step began.
    since: Instant,
    /// Open streams of events.
    watchers: usize,
    /// When somebody last asked for the match or watched it.
    seen: Instant,
}

/// Somebody who watches a match.
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
                // During the start clock nobody knows yet who has a choice in the first step.
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

    /// Somebody begins to watch, until the value is dropped.
    pub(crate) fn watch(self: Arc<LiveMatch>) -> Watching {
        self.standing().watchers += 1;
        Watching(self)
    }

    /// Somebody asks for the match.
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

    /// How things stand, for who begins to watch.
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

    /// The game is there; agents may use the start clock.
    pub(crate) fn prepare(&self, prepared: Arc<Prepared>) {
        self.standing().prepared = Some(prepared);
    }

    /// A state was reached: the first one, or the one after the last joint move of the record.
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
        // Of a state that is cut it is not known who has a choice.
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

    /// An agent says what it thinks. Where there is one legal move only, there is nothing to think about. Watchers are
    /// told at once, or when the joint move is made if a person moves in the same step.
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
        // Agents that are late may still think about an earlier step, which is no secret any more.
        let is_present = thought.step >= standing.summary.step;
        let is_held = is_present && standing.is_secret;
        if is_held {
            // What the agent expects after this joint move would tell what it means to do next.
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

    /// A person chooses a move. It counts only when `keep` has stored it, so that no move is acknowledged that the end
    /// of the process could take back.
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
            return Err(ApiError::Conflict("The match went on without the move.".to_string()));
        }
        standing.chosen[role] = Some(id);
        summary.waiting.retain(|&waiting| waiting != role);
        self.hub.tell(Message::new("match", &*summary));
        self.moved.notify_all();
        Ok(summary.clone())
    }

    /// Checks a move of a person and keeps others from choosing for the same role until it is stored.
    fn reserve(&self, step: usize, role: usize, text: &str) -> Result<(MoveId, String), ApiError> {
        let mut standing = self.standing();
        let standing = &mut *standing;
        let summary = &standing.summary;
        if summary.status != Status::Running {
            return Err(ApiError::Conflict("The match is not under way.".to_string()));
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
            return Err(ApiError::Conflict("This role has moved already.".to_string()));
        }
        let (Some(prepared), Some(state)) = (&standing.prepared, &standing.state) else {
            return Err(ApiError::Conflict("The match has not begun.".to_string()));
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

    /// Waits for the move of a person in a step; nothing if the match ends before it comes. After too long a time the
    /// match is aborted.
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
                self.abort("Nobody moved for a long time.");
                return None;
            }
            let waited = self.moved.wait_timeout(standing, GLANCE);
            standing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the match because nobody wants it any more.
    pub(crate) fn abort(&self, why: &str) {
        let mut aborted = self.aborted.lock().unwrap_or_else(PoisonError::into_inner);
        aborted.get_or_insert(why.to_string());
        self.cancel.store(true, Ordering::Relaxed);
        self.moved.notify_all();
    }

    /// Why it was aborted, if it was.
    pub(crate) fn aborted(&self) -> Option<String> {
        self.aborted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The match is over; nothing changes any more.
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

    /// Tells everybody that the match is over.
    pub(crate) fn tell_end(&self) {
        let summary = self.summary();
        self.hub.tell(Message::new("match", &summary));
        self.hub.tell(Message::new("end", &summary));
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

/// A state, with what is needed to draw it.
pub(crate) fn state_message(prepared: &Prepared, state: &StateView) -> Arc<Message> {
    Message::new("state", &json!({ "layout": prepared.layout.json(), "state": state }))
}
