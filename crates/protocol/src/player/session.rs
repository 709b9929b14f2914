//! A match of a player: a thread that follows it and lets an agent choose the moves.
//!
//! The thread itself never searches. The agent runs in a `ludens_play::Seat`, and a [`Preparation`] sets up the game.
//! So the thread always knows a legal move and can answer with it when time runs out.

use super::follow::{Following, Told};
use super::preparation::{Preparation, Prepared};
use super::{Log, PlayerOptions};
use crate::message::News;
use ludens_budget::Budget;
use ludens_engine::{MoveId, Rng};
use ludens_gdl::tree::{Node, NodeId};
use ludens_gdl::{Notation, Source, Symbols, read};
use ludens_play::{Answer, Place, Question, Seat, View};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Interval at which a waiting match checks for its compiled game.
const GLANCE: Duration = Duration::from_millis(100);

/// Answer if no legal move is known. It is not a move, so the manager will make one.
pub(super) const NOTHING: &str = "nil";

/// Message to a match.
pub(super) enum Event {
    /// Asks for a move.
    Play {
        news: News,
        /// Arrival of the request.
        arrived: Instant,
        answer: oneshot::Sender<String>,
    },
    /// Ends the match.
    Stop(News),
    /// Aborts the match.
    Abort,
}

/// Parameters of a match.
pub(super) struct Terms {
    pub(super) id: String,
    pub(super) role: String,
    pub(super) rules: String,
    pub(super) start_clock: Duration,
    pub(super) play_clock: Duration,
    /// Arrival of START.
    pub(super) arrived: Instant,
}

/// Data that connections can read while the match runs.
#[derive(Default)]
pub(super) struct Fallback {
    /// A legal move in the last known state, spelled as the manager does.
    fallback: Mutex<Option<String>>,
    /// Cancels the agent.
    pub(super) cancel: Arc<AtomicBool>,
}

impl Fallback {
    pub(super) fn fallback(&self) -> Option<String> {
        self.fallback.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, text: String) {
        *self.fallback.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }
}

/// Result of the set-up: an error if the match is not played.
pub(super) type Verdict = Result<(), String>;

pub(super) struct Session {
    terms: Terms,
    options: Arc<PlayerOptions>,
    log: Log,
    fallback: Arc<Fallback>,
    preparation: Preparation,
    spellings: BTreeMap<String, String>,
    told: Vec<Told>,
    last_answer: Option<String>,
    following: Option<Following>,
    seat: Option<Seat>,
    rng: Rng,
}

impl Session {
    pub(super) fn new(
        terms: Terms,
        options: Arc<PlayerOptions>,
        log: Log,
        fallback: Arc<Fallback>,
        preparation: Preparation,
    ) -> Session {
        Session {
            spellings: spellings(&terms.rules),
            rng: Rng::with_seed(options.seed),
            terms,
            options,
            log,
            fallback,
            preparation,
            told: Vec::new(),
            last_answer: None,
            following: None,
            seat: None,
        }
    }

    /// Plays the match to its end.
    pub(super) fn run(mut self, events: &Receiver<Event>, verdict: oneshot::Sender<Verdict>) {
        match self.start() {
            Ok(()) => {
                // The manager may have given up; the match then ends by its idle time.
                let _ = verdict.send(Ok(()));
            }
            Err(reason) => {
                let _ = verdict.send(Err(reason));
                return;
            }
        }
        let mut heard = Instant::now();
        loop {
            match events.recv_timeout(GLANCE) {
                Ok(Event::Play { news, arrived, answer }) => {
                    heard = Instant::now();
                    let text = self.play(news, arrived);
                    self.last_answer = Some(text.clone());
                    let _ = answer.send(text);
                }
                Ok(Event::Stop(news)) => return self.stop(news),
                Ok(Event::Abort) | Err(RecvTimeoutError::Disconnected) => return self.end(None),
                Err(RecvTimeoutError::Timeout) if heard.elapsed() > self.options.idle => {
                    self.note("nothing was heard for a long time; the match is given up");
                    return self.end(None);
                }
                Err(RecvTimeoutError::Timeout) if self.fallback.cancel.load(Ordering::Relaxed) => {
                    return self.end(None);
                }
                Err(RecvTimeoutError::Timeout) => self.upgrade(Instant::now()),
            }
        }
    }

    fn note(&self, text: &str) {
        (self.log)(&format!("{}: {text}", self.terms.id));
    }

    fn budget(&self, until: Instant) -> Budget {
        Budget::until_cancelled(self.fallback.cancel.clone()).until(until)
    }

    /// Uses the start clock.
    fn start(&mut self) -> Verdict {
        let margin = self.options.margin(self.terms.start_clock);
        let until = self.terms.arrived + self.terms.start_clock.saturating_sub(margin);
        while !self.is_compiled() && Instant::now() < until {
            if self.fallback.cancel.load(Ordering::Relaxed) {
                return Ok(());
            }
            let glance = until.min(Instant::now() + GLANCE);
            match self.preparation.wait(glance) {
                Prepared::Ready(game, role) => self.take(game, role),
                Prepared::Refused(reason) if self.following.is_none() => return Err(reason),
                Prepared::Never if self.following.is_none() => return Err("the rules cannot be set up".to_string()),
                // There is a game, and no better one will come.
                Prepared::Refused(_) | Prepared::Never => break,
                Prepared::NotYet => {}
            }
        }
        match self.following.as_ref().map(|following| following.game.engine().name()) {
            None => self.note("the rules are not ready in time; the match begins without them"),
            Some(engine) => {
                self.note(&format!("plays {} ({engine})", self.terms.role));
                self.prepare(until);
            }
        }
        Ok(())
    }

    /// Lets the agent prepare, if there is time.
    fn prepare(&mut self, until: Instant) {
        if Instant::now() >= until {
            return;
        }
        self.sit();
        let (Some(following), Some(seat)) = (&self.following, &mut self.seat) else {
            return;
        };
        let budget = Budget::until_cancelled(self.fallback.cancel.clone()).until(until);
        seat.ask(Question::Prepare(View::Whole(following.view.clone()), budget.clone()));
        let grace = self.options.margin(self.terms.start_clock) / 4;
        if let Answer::Late | Answer::Hung = seat.answer(Some(until + grace), &budget) {
            self.note("the agent is late with its preparation");
        }
    }

    fn is_compiled(&self) -> bool {
        let engine = self.following.as_ref().map(|following| following.game.engine());
        engine.is_some_and(|engine| engine.gates().is_some())
    }

    /// Switches to a game if it is better than the current one.
    fn take(&mut self, game: ludens_engine::Game, role: ludens_engine::Role) {
        let is_better = match &self.following {
            None => true,
            Some(_) => !self.is_compiled() && game.engine().gates().is_some(),
        };
        if !is_better {
            return;
        }
        self.following = Some(match &self.following {
            None => Following::new(game, role),
            Some(old) => {
                self.note("goes on with the compiled game");
                old.moved_to(game)
            }
        });
        // The agent knows only the other game.
        self.seat = None;
        self.catch_up();
    }

    /// Takes a game that has become ready, or waits for one if there is none.
    fn upgrade(&mut self, until: Instant) {
        while !self.is_compiled() {
            let moment = match self.following.is_some() {
                true => Instant::now(),
                false => until.min(Instant::now() + GLANCE),
            };
            match self.preparation.wait(moment) {
                Prepared::Ready(game, role) => self.take(game, role),
                Prepared::Refused(reason) => self.note(&reason),
                Prepared::Never => return,
                Prepared::NotYet if self.following.is_some() || Instant::now() >= until => return,
                Prepared::NotYet if self.fallback.cancel.load(Ordering::Relaxed) => return,
                Prepared::NotYet => {}
            }
        }
    }

    /// Follows all pending news.
    fn catch_up(&mut self) {
        let Some(following) = &mut self.following else {
            return;
        };
        let mut notes = Vec::new();
        while let Some(told) = self.told.get(following.followed) {
            notes.extend(following.follow(told));
        }
        let legal = &following.legal;
        if !legal.is_empty() {
            let any = legal[self.rng.usize(..legal.len())];
            let text = following.game.move_text(following.role, any);
            self.fallback.show(self.spelled(&text));
        }
        for note in notes {
            self.note(&note);
        }
    }

    /// Seats the agent.
    fn sit(&mut self) {
        let Some(following) = &self.following else {
            return;
        };
        if self.seat.is_none() {
            let place = Place {
                game: following.game.clone(),
                role: following.role,
                seed: self.options.seed,
                match_id: self.terms.id.as_str().into(),
                // The player follows one state that explains what it was told.
                is_hidden: false,
            };
            self.seat = Some(Seat::apart(self.options.agent.clone(), place));
        }
    }

    /// Answers a request for a move.
    fn play(&mut self, news: News, arrived: Instant) -> String {
        let own = self.last_answer.clone();
        self.told.push(Told { news, own });
        self.catch_up();
        let margin = self.options.margin(self.terms.play_clock);
        let until = arrived + self.terms.play_clock.saturating_sub(margin);
        self.upgrade(until);
        match self.choose(until) {
            Some(text) => text,
            None => self.fallback.fallback().unwrap_or_else(|| NOTHING.to_string()),
        }
    }

    fn choose(&mut self, until: Instant) -> Option<String> {
        let following = self.following.as_mut()?;
        if !following.is_playable() {
            let trouble = match following.is_terminal() {
                true => "a move is wanted in a terminal state",
                false => "a move is wanted where somebody has none",
            };
            self.note(trouble);
            return None;
        }
        self.sit();
        let budget = self.budget(until);
        let (following, seat) = (self.following.as_ref()?, self.seat.as_mut()?);
        // Agents respect their deadline, but may be late by some milliseconds, or more on a busy machine.
        let grace = self.options.margin(self.terms.play_clock) / 4;
        let reserve = seat.reserve(until.saturating_duration_since(Instant::now()), grace);
        let asked_by = budget.until(until.checked_sub(reserve).unwrap_or(until));
        seat.ask(Question::Choose(View::Whole(following.view.clone()), asked_by));
        let answer = seat.answer(Some(until + grace), &budget);
        let chosen: MoveId = match answer {
            Answer::Done(Some(decision), _) if following.legal.contains(&decision.choice) => decision.choice,
            Answer::Done(..) => return self.excuse("the agent chose an illegal move"),
            Answer::Failed(failure) => return self.excuse(&failure.detail),
            Answer::Panicked(message) => return self.excuse(&format!("the agent panicked: {message}")),
            Answer::Late => return self.excuse("the agent is late"),
            Answer::Hung => return self.excuse("the agent is still busy with an earlier question"),
        };
        Some(self.spelled(&following.game.move_text(following.role, chosen)))
    }

    fn excuse(&self, reason: &str) -> Option<String> {
        self.note(&format!("{reason}; some legal move is answered"));
        None
    }

    fn stop(mut self, news: News) {
        let own = self.last_answer.clone();
        self.told.push(Told { news, own });
        self.catch_up();
        let goal = self
            .following
            .as_mut()
            .and_then(|following| following.is_terminal().then(|| following.score()));
        match goal {
            Some(goal) => self.note(&format!("the match is over, our goal is {goal}")),
            None => self.note("the match is over, but we do not know how it ended"),
        }
        self.end(goal);
    }

    /// Tells the agent that the match is over.
    fn end(mut self, goal: Option<u8>) {
        let (Some(following), Some(seat)) = (&self.following, &mut self.seat) else {
            return;
        };
        let goals = goal.map(|own| {
            let mut machine = following.game.machine();
            machine.load(following.view.state());
            let goals = following.game.roles().map(|role| machine.score(role));
            let mut goals: Vec<u8> = goals.collect();
            goals[following.role.index()] = own;
            goals
        });
        let view = View::Whole(following.view.clone());
        if seat.tell_end(&view, goals.as_deref()) {
            seat.await_end(Instant::now());
        }
    }

    /// Spells a term as the manager does, because some managers compare texts.
    fn spelled(&self, text: &str) -> String {
        let spread = text.replace('(', "( ").replace(')', " )");
        let words = spread
            .split(' ')
            .map(|word| self.spellings.get(word).map_or(word, String::as_str));
        let joined = words.collect::<Vec<&str>>().join(" ");
        joined.replace("( ", "(").replace(" )", ")")
    }
}

/// Spellings of names that are not in lower case.
fn spellings(rules: &str) -> BTreeMap<String, String> {
    let source = Source::new("rules", rules);
    let mut symbols = Symbols::new();
    let (tree, _) = read::read_tree(&source, Notation::Kif, &read::Limits::default(), &mut symbols);
    let mut found = BTreeMap::new();
    for node in (0..tree.len() as u32).map(NodeId) {
        if let Node::Word(symbol) = tree.node(node) {
            let name = symbols.name(symbol);
            if !found.contains_key(name) {
                found.insert(name.to_string(), source.slice(tree.span(node)).to_string());
            }
        }
    }
    found.retain(|name, written| name != written);
    found
}
