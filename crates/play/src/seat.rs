//! A seat at the table: an agent behind a fence.
//!
//! Whatever an agent does, the match goes on. A panic is caught, and the agent is made anew for its next move. Under a
//! clock every agent has a thread of its own, so that one that does not answer cannot hold up the others; a thread cannot
//! be ended from outside, so one that hangs is left alone and its seat gives no more answers. Without a clock nothing
//! can be late, and the agent runs on the thread of the match, which is much faster for quick agents.

use crate::agent::{Agent, Place, Position};
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
pub(crate) enum Question {
    Prepare(Position, Effort),
    Choose(Position, Effort),
    Finish(Position, Option<Vec<u8>>),
}

/// What came of a question.
pub(crate) enum Answer {
    /// It answered after this time; with a decision, if it was to choose.
    Done(Option<Decision>, Duration),
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
    fn answer(&mut self, question: &Question) -> Result<Option<Decision>, String> {
        AT_WORK.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let agent = self.agent.get_or_insert_with(|| self.player.create(&self.place));
            match question {
                Question::Prepare(start, effort) => {
                    agent.prepare(start, effort);
                    None
                }
                Question::Choose(position, effort) => Some(agent.choose(position, effort)),
                Question::Finish(position, goals) => {
                    agent.finish(position, goals.as_deref());
                    None
                }
            }
        }));
        AT_WORK.set(false);
        result.map_err(|panic| {
            self.agent = None;
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            text.or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "for a reason unknown".to_string())
        })
    }
}

/// A seat, on the thread of the match or on its own.
pub(crate) enum Seat {
    Here(Box<Here>),
    Apart(Apart),
}

pub(crate) struct Here {
    fenced: Fenced,
    question: Option<(Question, Instant)>,
}

/// A seat on its own thread.
pub(crate) struct Apart {
    questions: Sender<(u64, Instant, Question)>,
    answers: Receiver<(u64, Duration, Result<Option<Decision>, String>)>,
    asked: u64,
    answered: u64,
    is_abandoned: bool,
}

impl Seat {
    /// An agent that runs where the match runs.
    pub(crate) fn here(player: Player, place: Place) -> Seat {
        let agent = None;
        Seat::Here(Box::new(Here {
            fenced: Fenced { player, place, agent },
            question: None,
        }))
    }

    /// An agent that runs on its own thread.
    pub(crate) fn apart(player: Player, place: Place) -> Seat {
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
        Seat::Apart(Apart {
            questions,
            answers,
            asked: 0,
            answered: 0,
            is_abandoned: thread.is_err(),
        })
    }

    /// Asks; the answer is fetched with [`Seat::answer`].
    pub(crate) fn ask(&mut self, question: Question) {
        let now = Instant::now();
        match self {
            Seat::Here(here) => here.question = Some((question, now)),
            Seat::Apart(apart) if apart.is_abandoned => {}
            Seat::Apart(apart) => {
                apart.asked += 1;
                // The thread is gone only if it could not be made or panicked outside of the agent.
                apart.is_abandoned = apart.questions.send((apart.asked, now, question)).is_err();
            }
        }
    }

    /// The answer to the last question, waited for until the latest moment or, after an interrupt, some grace.
    pub(crate) fn answer(&mut self, latest: Option<Instant>, budget: &Budget) -> Answer {
        match self {
            Seat::Here(here) => match here.question.take() {
                None => Answer::Late,
                Some((question, asked)) => match here.fenced.answer(&question) {
                    Ok(decision) => Answer::Done(decision, asked.elapsed()),
                    Err(message) => Answer::Panicked(message),
                },
            },
            Seat::Apart(apart) => apart.wait(latest, budget),
        }
    }

    /// Tells that the match is over.
    pub(crate) fn finish(&mut self, position: &Position, goals: Option<&[u8]>) -> Answer {
        if matches!(self, Seat::Apart(apart) if apart.is_abandoned || apart.answered < apart.asked) {
            return Answer::Late;
        }
        self.ask(Question::Finish(position.clone(), goals.map(<[u8]>::to_vec)));
        self.answer(Some(Instant::now() + GRACE), &Budget::default())
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
                        return match answer {
                            Ok(decision) => Answer::Done(decision, time),
                            Err(message) => Answer::Panicked(message),
                        };
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
