//! A seat of a match: runs an agent on a thread of its own, so that panics, delays and illegal moves stay there.
//!
//! Whatever an agent does, the match goes on. A panic is caught, and the agent is made anew for its next move. Under a
//! clock every agent has a thread of its own, so that one that does not answer cannot hold up the others; a thread cannot
//! be ended from outside, so one that hangs is waited for: it is asked again as soon as it has answered the question that
//! it hangs on. Without a clock nothing can be late, and the agent runs on the thread of the match, which is much faster
//! for quick agents.

use crate::agent::{Agent, Failure, Place};
use crate::record::FaultKind;
use crate::setup::Player;
use crate::view::View;
use ludens_budget::Budget;
use ludens_search::Decision;
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

/// A request to an agent.
#[derive(Clone)]
pub enum Question {
    /// To prepare for a match that begins here.
    Prepare(View, Budget),
    /// For a move.
    Choose(View, Budget),
    /// To note that the match is over, with its goals if it came to its end.
    Finish(View, Option<Vec<u8>>),
}

/// The answer to a request.
pub enum Answer {
    /// It answered after this time; with a decision, if it was to choose.
    Done(Option<Decision>, Duration),
    /// It said that it has no answer.
    Failed(Failure),
    /// It panicked with this message.
    Panicked(String),
    /// It did not answer in time.
    Late,
    /// It was not asked: it is still busy with an earlier question, or its thread is gone.
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
                Question::Prepare(start, budget) => agent.try_prepare(start, budget).map(|()| None),
                Question::Choose(view, budget) => agent.try_choose(view, budget).map(Some),
                Question::Finish(view, goals) => {
                    agent.finish(view, goals.as_deref());
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

/// Runs a request and turns a panic into a failure.
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
    Apart(Box<Apart>),
}

struct Here {
    fenced: Fenced,
    question: Option<(Question, Instant)>,
}

/// A seat on its own thread. The thread is sent one question at a time: while it is busy with one, the next one waits.
struct Apart {
    questions: Sender<(Instant, Question)>,
    /// With the time that each took, and when it was given: it may be fetched much later.
    answers: Receiver<(Duration, Instant, Reply)>,
    latency: Duration,
    /// When the agent ought to answer the question that it is busy with, if it is; a question need not have a deadline.
    busy: Option<Option<Instant>>,
    /// A question that was asked while the agent was busy with an earlier one.
    waiting: Option<(Instant, Question)>,
    /// How long after their deadlines answers came lately.
    overshoot: Duration,
    /// The thread could not be started, or panicked outside of the agent.
    is_gone: bool,
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
        let (questions, incoming) = channel::<(Instant, Question)>();
        let (outgoing, answers) = channel();
        let work = move || {
            let agent = None;
            let mut fenced = Fenced { player, place, agent };
            for (asked, question) in incoming {
                let answer = fenced.answer(&question);
                if outgoing.send((asked.elapsed(), Instant::now(), answer)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("agent".to_string())
            .stack_size(STACK)
            .spawn(work);
        Seat(Kind::Apart(Box::new(Apart {
            questions,
            answers,
            latency,
            busy: None,
            waiting: None,
            overshoot: Duration::ZERO,
            is_gone: thread.is_err(),
        })))
    }

    /// Asks; the answer is fetched with [`Seat::answer`].
    pub fn ask(&mut self, question: Question) {
        let now = Instant::now();
        match &mut self.0 {
            Kind::Here(here) => here.question = Some((question, now)),
            Kind::Apart(apart) => apart.ask(now, question),
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

    /// Returns how much earlier than the end of a clock this agent should be asked to answer, given how far after its
    /// deadlines it answered lately (a busy machine, a slow engine) and how late it may be. At most half of the clock.
    pub fn reserve(&self, clock: Duration, margin: Duration) -> Duration {
        match &self.0 {
            Kind::Here(_) => Duration::ZERO,
            Kind::Apart(apart) => (2 * apart.overshoot).saturating_sub(margin).min(clock / 2),
        }
    }

    /// Tells that the match is over; false if the agent is still busy with an earlier question and cannot be told.
    pub fn tell_end(&mut self, view: &View, goals: Option<&[u8]>) -> bool {
        if let Kind::Apart(apart) = &mut self.0
            && (apart.is_gone || apart.is_busy())
        {
            return false;
        }
        self.ask(Question::Finish(view.clone(), goals.map(<[u8]>::to_vec)));
        true
    }

    /// Waits a moment for an agent that was told the end.
    pub fn await_end(&mut self, told: Instant) {
        // Whatever an agent does now, the result stands.
        let _ = self.answer(Some(told + GRACE), &Budget::default());
    }
}

impl Apart {
    /// Asks at once, or, if the agent is still busy with an earlier question, when that is answered.
    fn ask(&mut self, now: Instant, question: Question) {
        match self.is_busy() {
            true => self.waiting = Some((now, question)),
            false => self.send(now, question),
        }
    }

    fn send(&mut self, asked: Instant, question: Question) {
        self.busy = Some(match &question {
            Question::Prepare(_, budget) | Question::Choose(_, budget) => budget.deadline(),
            Question::Finish(..) => None,
        });
        self.is_gone |= self.questions.send((asked, question)).is_err();
    }

    /// Whether the agent has not answered an earlier question yet. An answer that has come meanwhile is dropped.
    fn is_busy(&mut self) -> bool {
        if self.busy.is_some()
            && let Ok((_, given, _)) = self.answers.try_recv()
        {
            self.note_answer(given);
        }
        self.busy.is_some()
    }

    /// Notes when the agent has answered. One late answer is remembered for some questions.
    fn note_answer(&mut self, given: Instant) {
        if let Some(Some(deadline)) = self.busy.take() {
            let over = given.saturating_duration_since(deadline);
            self.overshoot = over.max(self.overshoot * 3 / 4);
        }
    }

    fn wait(&mut self, latest: Option<Instant>, budget: &Budget) -> Answer {
        let mut latest = latest;
        let mut was_cancelled = false;
        while !self.is_gone {
            if budget.is_cancelled() && !was_cancelled {
                was_cancelled = true;
                let grace = Instant::now() + GRACE;
                latest = Some(latest.map_or(grace, |latest| latest.min(grace)));
            }
            let left = latest.map_or(GLANCE, |latest| latest.saturating_duration_since(Instant::now()));
            match self.answers.recv_timeout(left.min(GLANCE)) {
                Ok((taken, given, answer)) => {
                    self.note_answer(given);
                    match self.waiting.take() {
                        None => return Answer::new(answer, taken),
                        // That was the answer to an earlier question. The agent has the rest of the clock for this one.
                        Some((asked, question)) => self.send(asked, question),
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return match self.waiting.take() {
                        None => Answer::Late,
                        Some(_) => Answer::Hung,
                    };
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.is_gone = true,
            }
        }
        Answer::Hung
    }
}
