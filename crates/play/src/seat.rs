//! A seat at the table: an agent behind a fence.
//!
//! Whatever an agent does, the match goes on. A panic is caught, and the agent is made anew for its next move. Under a
//! clock every agent has a thread of its own, so that one that does not answer cannot hold up the others; a thread cannot
//! be ended from outside, so one that hangs is left alone and its seat gives no more answers. Without a clock nothing
//! can be late, and the agent runs on the thread of the match, which is much faster for quick agents.

use crate::agent::{Agent, Failure, Place, Position};
use crate::record::FaultKind;
use crate::setup::Player;
use ludens_engine::Budget;
use ludens_search::{Decision, Effort};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Agents may recurse deeper than a usual thread allows.
const STACK: usize = 32 << 20;

/// How often it is looked whether somebody asked to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// How long agents may take to end after an interrupt, or with what they do at the end of a match.
const GRACE: Duration = Duration::from_millis(500);

thread_local! {
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running an agent, whose panics are caught and recorded. Panic hooks may want to keep silent.
pub fn is_agent_at_work() -> bool {
    AT_WORK.get()
}

/// What to ask an agent.
#[derive(Clone)]
pub enum Question {
    /// To prepare for a match that begins here.
    Prepare(Position, Effort),
    /// For a move.
    Choose(Position, Effort),
    /// To note that the match is over, with its goals if it came to its end.
    Finish(Position, Option<Vec<u8>>),
}

/// What came of a question.
pub enum Answer {
    /// It answered after this time; with a decision, if it was to choose.
    Done(Option<Decision>, Duration),
    /// It said that it has no answer.
    Failed(Failure),
    /// It panicked with this message.
    Panicked(String),
    /// It did not answer in time.
    Late,
    /// It did not answer the last two questions and is not asked any more.
    Hung,
}

/// An agent with a fence around its panics.
struct Fenced {
    player: Player,
    place: Place,
    agent: Option<Box<dyn Agent>>,
}

impl Fenced {
    fn answer(&mut self, question: &Question) -> Reply {
        AT_WORK.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let agent = self.agent.get_or_insert_with(|| self.player.create(&self.place));
            match question {
                Question::Prepare(start, effort) => agent.try_prepare(start, effort).map(|()| None),
                Question::Choose(position, effort) => agent.try_choose(position, effort).map(Some),
                Question::Finish(position, goals) => {
                    agent.finish(position, goals.as_deref());
                    Ok(None)
                }
            }
        }));
        AT_WORK.set(false);
        result.unwrap_or_else(|panic| {
            self.agent = None;
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Failure {
                kind: FaultKind::Panicked,
                detail: text.unwrap_or_else(|| "for a reason unknown".to_string()),
            })
        })
    }
}

/// What an agent behind its fence says: a panic is one of its failures.
type Reply = Result<Option<Decision>, Failure>;

impl Answer {
    fn new(reply: Reply, time: Duration) -> Answer {
        match reply {
            Ok(decision) => Answer::Done(decision, time),
            Err(failure) if failure.kind == FaultKind::Panicked => Answer::Panicked(failure.detail),
            Err(failure) => Answer::Failed(failure),
        }
    }
}

/// A seat, on the thread of the match or on its own.
pub struct Seat(Kind);

enum Kind {
    Here(Box<Here>),
    Apart(Apart),
}

struct Here {
    fenced: Fenced,
    question: Option<(Question, Instant)>,
}

/// A seat on its own thread.
struct Apart {
    questions: Sender<(u64, Instant, Question)>,
    answers: Receiver<(u64, Duration, Reply)>,
    latency: Duration,
    asked: u64,
    answered: u64,
    is_abandoned: bool,
}

impl Seat {
    /// An agent that runs where the match runs.
    pub fn here(player: Player, place: Place) -> Seat {
        let agent = None;
        Seat(Kind::Here(Box::new(Here {
            fenced: Fenced { player, place, agent },
            question: None,
        })))
    }

    /// An agent that runs on its own thread.
    pub fn apart(player: Player, place: Place) -> Seat {
        let latency = player.latency();
        let (questions, incoming) = channel::<(u64, Instant, Question)>();
        let (outgoing, answers) = channel();
        let work = move || {
            let agent = None;
            let mut fenced = Fenced { player, place, agent };
            for (number, asked, question) in incoming {
                let answer = fenced.answer(&question);
                if outgoing.send((number, asked.elapsed(), answer)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("agent".to_string())
            .stack_size(STACK)
            .spawn(work);
        Seat(Kind::Apart(Apart {
            questions,
            answers,
            latency,
            asked: 0,
            answered: 0,
            is_abandoned: thread.is_err(),
        }))
    }

    /// Asks; the answer is fetched with [`Seat::answer`].
    pub fn ask(&mut self, question: Question) {
        let now = Instant::now();
        match &mut self.0 {
            Kind::Here(here) => here.question = Some((question, now)),
            Kind::Apart(apart) if apart.is_abandoned => {}
            Kind::Apart(apart) => {
                apart.asked += 1;
                // The thread is gone only if it could not be made or panicked outside of the agent.
                apart.is_abandoned = apart.questions.send((apart.asked, now, question)).is_err();
            }
        }
    }

    /// The answer to the last question, waited for until the latest moment (and the latency of the player) or, after
    /// an interrupt, some grace.
    pub fn answer(&mut self, latest: Option<Instant>, budget: &Budget) -> Answer {
        match &mut self.0 {
            Kind::Here(here) => match here.question.take() {
                None => Answer::Late,
                Some((question, asked)) => {
                    let reply = here.fenced.answer(&question);
                    Answer::new(reply, asked.elapsed())
                }
            },
            Kind::Apart(apart) => apart.wait(latest.map(|latest| latest + apart.latency), budget),
        }
    }

    /// Tells that the match is over; false if the agent is still busy with an earlier question and cannot be told.
    pub fn tell_end(&mut self, position: &Position, goals: Option<&[u8]>) -> bool {
        if matches!(&self.0, Kind::Apart(apart) if apart.is_abandoned || apart.answered < apart.asked) {
            return false;
        }
        self.ask(Question::Finish(position.clone(), goals.map(<[u8]>::to_vec)));
        true
    }

    /// Waits a moment for an agent that was told the end.
    pub fn await_end(&mut self, told: Instant) {
        // Whatever an agent does now, the result stands.
        let _ = self.answer(Some(told + GRACE), &Budget::default());
    }
}

impl Apart {
    fn wait(&mut self, latest: Option<Instant>, budget: &Budget) -> Answer {
        let mut latest = latest;
        let mut was_cancelled = false;
        while !self.is_abandoned {
            if budget.is_cancelled() && !was_cancelled {
                was_cancelled = true;
                let grace = Instant::now() + GRACE;
                latest = Some(latest.map_or(grace, |latest| latest.min(grace)));
            }
            let left = latest.map_or(GLANCE, |latest| latest.saturating_duration_since(Instant::now()));
            match self.answers.recv_timeout(left.min(GLANCE)) {
                Ok((number, time, answer)) => {
                    self.answered = number;
                    if number == self.asked {
                        return Answer::new(answer, time);
                    }
                    // The answer to an earlier question, which came too late for it.
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    self.is_abandoned = self.answered + 1 < self.asked && !was_cancelled;
                    if !self.is_abandoned {
                        return Answer::Late;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.is_abandoned = true,
            }
        }
        Answer::Hung
    }
}
