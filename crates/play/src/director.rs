//! The director: watches how a person's matches go, argues about it with the rules of a policy, and changes the strength
//! of the opponent, hints and the size of the game.
//!
//! A policy is a defeasible program (see `ludens_delp`). Before each match the director offers it
//! [`facts`](mod@facts) about the matches so far, asks a few [`QUESTIONS`], and does what the answers say. Every change
//! comes with its explanation for the person. [`levels`] does the same for the level game, in the manner of Agis, Cohen
//! and Martínez ("Argumentative AI Director Using Defeasible Logic Programming", 2015).

pub mod facts;
pub mod levels;
pub mod mistakes;
pub mod policy;
pub mod simulate;

use crate::agent::{Agent, Failure, Place};
use crate::setup::Player;
use crate::spec::AgentSpec;
use crate::view::{Position, View};
use facts::{History, facts};
use ludens_budget::Budget;
use ludens_delp::{Answer, Criterion, Options, Program, Verdict, explanation};
use ludens_gdl::Source;
use ludens_search::Decision;
use policy::PolicyError;

/// Levels of strength: level n is an agent with 10^(n/4) iterations for each move.
pub const LEVELS: usize = 23;

/// Level of the first match.
pub const FIRST_LEVEL: usize = 8;

/// Levels of a long step.
const LONG_STEP: usize = 3;

/// Steps and things kept for each question: policies are small.
const STEPS: u64 = 10_000_000;
const KEPT: u64 = 1_000_000;

/// Iterations for each move at a level: 1, 2, 3, 6, 10, … 316,228.
pub fn iterations(level: usize) -> u64 {
    10f64.powf(level as f64 / 4.0).round() as u64
}

/// The level whose iterations are nearest to a number.
pub fn level_of(iterations: u64) -> usize {
    let level = (iterations.max(1) as f64).log10() * 4.0;
    (level.round() as usize).min(LEVELS - 1)
}

/// The questions that a director asks, in this order, and what a yes does.
pub const QUESTIONS: &[(&str, &str)] = &[
    ("muchHarder(player)", "raises the opponent by three levels"),
    ("harder(player)", "raises the opponent by one level"),
    ("muchEasier(player)", "lowers the opponent by three levels"),
    ("easier(player)", "lowers the opponent by one level"),
    ("hint(player)", "offers hints"),
    ("larger(player)", "enlarges the game by one"),
    ("smaller(player)", "reduces the game by one"),
];

/// The size of a game of a family: the value of a parameter and its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The value.
    pub value: i64,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
}

/// What the next match is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difficulty {
    /// The level of the opponent.
    pub level: usize,
    /// Whether the person is offered hints.
    pub hints: bool,
    /// The size of the game, if it belongs to a family.
    pub size: Option<Size>,
}

impl Default for Difficulty {
    fn default() -> Difficulty {
        Difficulty {
            level: FIRST_LEVEL,
            hints: false,
            size: None,
        }
    }
}

/// What a director decided, with the reasons.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The difficulty of the next match.
    pub difficulty: Difficulty,
    /// The facts that were offered to the policy.
    pub facts: Vec<String>,
    /// The changes, each as a sentence with the answer behind it; none if everything stays.
    pub changes: Vec<Change>,
    /// The answers to all questions of the policy's language.
    pub answers: Vec<Answer>,
}

/// A change with its reason.
#[derive(Clone, Debug)]
pub struct Change {
    /// What changes and why, in words.
    pub sentence: String,
    /// The answer that led to it.
    pub answer: Answer,
}

/// A policy that is ready to be asked.
#[derive(Clone, Debug)]
pub struct Director {
    name: String,
    program: Program,
    criterion: Criterion,
}

impl Director {
    /// A director with a policy that ships with Ludens; see [`policy::POLICIES`].
    pub fn named(name: &str) -> Result<Director, PolicyError> {
        let known = policy::find(name).ok_or_else(|| PolicyError::Unknown {
            name: name.to_string(),
            known: policy::names(),
        })?;
        Director::new(Source::new(format!("{name}.delp"), known.text))
    }

    /// A director with a policy of one's own.
    pub fn new(source: Source) -> Result<Director, PolicyError> {
        let name = source.name().trim_end_matches(".delp").to_string();
        let program = Program::read(source);
        policy::check(&program)?;
        let criterion = match program.priorities.is_empty() {
            true => Criterion::Specificity,
            false => Criterion::PrioritiesThenSpecificity,
        };
        Ok(Director {
            name,
            program,
            criterion,
        })
    }

    /// The name of the policy.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Decides about the next match. Without matches so far nothing changes.
    pub fn rule(&self, history: &History, now: Difficulty, budget: &Budget) -> Result<Ruling, PolicyError> {
        let mut ruling = Ruling {
            difficulty: now,
            facts: facts(history, now),
            changes: Vec::new(),
            answers: Vec::new(),
        };
        let text: String = ruling.facts.iter().map(|fact| format!("{fact}.\n")).collect();
        let mut program = self.program.extended(&text);
        policy::check(&program)?;
        for (question, _) in QUESTIONS {
            let answer = ask(&mut program, question, self.criterion, budget)?;
            if answer.verdict != Verdict::Unknown {
                ruling.answers.push(answer);
            }
        }
        ruling.apply();
        Ok(ruling)
    }
}

/// Asks a program that was checked before.
fn ask(program: &mut Program, question: &str, criterion: Criterion, budget: &Budget) -> Result<Answer, PolicyError> {
    let query = program.read_query(question).map_err(|wrong| PolicyError::Invalid {
        message: wrong.1.message,
        line: 0,
    })?;
    let options = Options {
        criterion,
        decisive: false,
    };
    let budget = budget.uncounted().with_iterations(STEPS).with_nodes(KEPT);
    Ok(program.answer(&query.literal, options, &budget))
}

impl Ruling {
    fn says(&self, question: &str) -> Option<Answer> {
        let is_it = |answer: &&Answer| answer.query == question && answer.verdict == Verdict::Yes;
        self.answers.iter().find(is_it).cloned()
    }

    /// Does what the answers say. Where a policy says opposite things, the player gets neither.
    fn apply(&mut self) {
        let up = self.says("muchHarder(player)").map(|answer| (answer, LONG_STEP));
        let up = up.or_else(|| self.says("harder(player)").map(|answer| (answer, 1)));
        let down = self.says("muchEasier(player)").map(|answer| (answer, LONG_STEP));
        let down = down.or_else(|| self.says("easier(player)").map(|answer| (answer, 1)));
        let before = self.difficulty.level;
        match (up, down) {
            (Some((answer, step)), None) => self.set_level((before + step).min(LEVELS - 1), answer),
            (None, Some((answer, step))) => self.set_level(before.saturating_sub(step), answer),
            _ => {}
        }
        let hints = self.says("hint(player)");
        if hints.is_some() != self.difficulty.hints {
            self.difficulty.hints = hints.is_some();
            let asked = self
                .answers
                .iter()
                .find(|answer| answer.query == "hint(player)")
                .cloned();
            if let Some(answer) = asked {
                let words = if hints.is_some() {
                    "Hints are offered"
                } else {
                    "Hints end"
                };
                self.note(words.to_string(), answer);
            }
        }
        if let Some(size) = self.difficulty.size {
            let larger = self.says("larger(player)").filter(|_| size.value < size.max);
            let smaller = self.says("smaller(player)").filter(|_| size.value > size.min);
            let (value, answer) = match (larger, smaller) {
                (Some(answer), None) => (size.value + 1, answer),
                (None, Some(answer)) => (size.value - 1, answer),
                _ => return,
            };
            self.difficulty.size = Some(Size { value, ..size });
            self.note(format!("The size goes from {} to {value}", size.value), answer);
        }
    }

    fn set_level(&mut self, level: usize, answer: Answer) {
        let before = self.difficulty.level;
        if level == before {
            return;
        }
        self.difficulty.level = level;
        let words = format!(
            "The opponent goes from level {before} to {level} ({} to {} iterations)",
            iterations(before),
            iterations(level)
        );
        self.note(words, answer);
    }

    fn note(&mut self, words: String, answer: Answer) {
        let sentence = format!("{words}. {}", explanation(&answer));
        self.changes.push(Change { sentence, answer });
    }

    /// What changed and why, or that everything stays, in words.
    pub fn explanation(&self) -> String {
        match self.changes.is_empty() {
            true => format!("Everything stays as it is: level {}.", self.difficulty.level),
            false => {
                let sentences: Vec<&str> = self.changes.iter().map(|change| change.sentence.as_str()).collect();
                sentences.join(" ")
            }
        }
    }
}

/// A player with at most this number of iterations for each move, whatever the match allows.
pub fn limited(spec: &AgentSpec, iterations: u64) -> Player {
    let inner = spec.clone();
    Player::new(format!("{spec}@{iterations}"), move |place: &Place| {
        Box::new(Limited {
            agent: inner.create(place),
            iterations,
        })
    })
}

struct Limited {
    agent: Box<dyn Agent>,
    iterations: u64,
}

impl Agent for Limited {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.agent.prepare(start, budget);
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        self.agent
            .choose(view, &budget.clone().with_iterations(self.iterations))
    }

    fn try_prepare(&mut self, start: &View, budget: &Budget) -> Result<(), Failure> {
        self.agent.try_prepare(start, budget)
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        let budget = budget.clone().with_iterations(self.iterations);
        self.agent.try_choose(view, &budget)
    }

    fn finish(&mut self, view: &View, goals: Option<&[u8]>) {
        self.agent.finish(view, goals);
    }
}
