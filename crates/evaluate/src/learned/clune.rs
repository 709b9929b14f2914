//! Payoff, control and termination, in the manner of Cluneplayer (Clune, 2007): an abstract model of a game made of
//! stable features, found before a match in random play.
//!
//! Candidates for features are the numbers of solutions of [expressions](crate::learned::features), distances along
//! [orders](crate::rules::structures) to what goals and the end ask for, the share of their conditions that is met, and
//! differences of two of these that are even at the start. What changes from state to state as much as from match to
//! match is dropped. From the rest three functions are made:
//!
//! * **payoff**: what a role can expect. Features of the goals count by their stability, with the sign of their
//!   correlation with the results of playouts; a straight line maps the sum to goals.
//! * **control**: who has the freedom to choose. For each role the number of its moves when it has a turn, fitted by
//!   least squares to features of the rules for legal moves; control is how much more a role has than the others.
//! * **termination**: which part of the match is over, fitted to features of the rules for the end.
//!
//! The value of a state goes from control, and as much of payoff as is stable, to payoff alone as the end comes near:
//! `T · P + (1 - T) · (c · 50 (1 + C) + p · P)`, where `c` and `p` add up to 1 and are to each other as the stabilities
//! of control and payoff. The published formula has a minus, which contradicts what is said about it, and shares that
//! need not add up to 1, with which it leaves the range of goals.

mod basic;
mod candidates;
mod explain;
mod model;
mod relevance;

pub use basic::{Asked, Basic, Way};
use ludens_budget::Budget;
pub use model::Linear;

use crate::learned::features::{BuildError, Measure, RoleFunction, check, for_sample};
use crate::learned::sample::{Sample, Sampling, draw};
use basic::Meter;
use candidates::Candidates;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, State};
use std::sync::Arc;

/// How a function is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How random play is sampled.
    pub sampling: Sampling,
    /// Features in the payoff of a role.
    pub features: usize,
    /// Expressions that are looked at.
    pub expressions: usize,
    /// Whether distances along orders are candidates.
    pub distances: bool,
    /// Whether shares of conditions that are met are candidates.
    pub parts: bool,
    /// Whether control counts; else the value is the payoff alone.
    pub control: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sampling: Sampling::default(),
            features: 30,
            expressions: 5_000,
            distances: true,
            parts: true,
            control: true,
        }
    }
}

/// The terms of a feature, as indices of basic measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One thing.
    One(usize),
    /// The first minus the second.
    Difference(usize, usize),
}

/// A feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its terms.
    pub shape: Shape,
    /// Its statistics in the sample.
    pub measure: Measure,
}

/// The model of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleModel {
    /// The expected goal.
    pub payoff: RoleFunction,
    /// Number of its moves when it has a turn.
    pub freedom: Linear,
    /// The share of control in the value of a state that is far from the end.
    pub control: f64,
}

/// The learned functions of payoff, control and termination.
#[derive(Clone)]
pub struct CluneFunction {
    game: Game,
    basics: Arc<[Basic]>,
    features: Arc<[Feature]>,
    roles: Arc<[RoleModel]>,
    termination: Arc<Linear>,
    meter: Meter,
    values: Vec<f32>,
    /// Number of sequences it was learned from.
    pub sequences: usize,
    /// Number of playouts it was learned from.
    pub matches: u64,
    /// Number of candidates for features.
    pub candidates: usize,
}

/// The values of the three functions in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Payoff of each role, from 0 to 100.
    pub payoff: Vec<f64>,
    /// Control of each role relative to the others, from -1 to 1.
    pub control: Vec<f64>,
    /// The part of the match that is over, from 0 to 1.
    pub termination: f64,
}

/// Finds features and makes a function of them. Without a deadline the result depends on the seed alone.
pub fn build(game: &Game, options: &Options, seed: u64, budget: &Budget) -> Result<CluneFunction, BuildError> {
    let sample = draw(game, &options.sampling, seed, &for_sample(budget));
    learn(game, options, &sample, budget)
}

/// Makes a function of a sample.
pub fn learn(game: &Game, options: &Options, sample: &Sample, budget: &Budget) -> Result<CluneFunction, BuildError> {
    check(sample)?;
    let mut candidates = Candidates::new(game, options, sample, budget);
    let function = model::make(game, options, &mut candidates, sample, budget);
    match function.roles.iter().all(|role| role.payoff.parts.is_empty()) {
        true => Err(BuildError::NothingChanges),
        false => Ok(function),
    }
}

impl CluneFunction {
    /// Returns what the function was learned from, in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} features of {} candidates, from {} sequences",
            self.features.len(),
            self.candidates,
            self.sequences
        )
    }

    /// Returns the quantities measured in a state.
    pub fn basics(&self) -> &[Basic] {
        &self.basics
    }

    /// Returns the features that any part of the model uses.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Returns the model of each role.
    pub fn roles(&self) -> &[RoleModel] {
        &self.roles
    }

    /// Returns the model of the end.
    pub fn termination(&self) -> &Linear {
        &self.termination
    }

    /// Returns a feature for people.
    pub fn feature_text(&self, feature: usize) -> String {
        let text = |basic: usize| self.basics[basic].text(&self.game);
        match self.features[feature].shape {
            Shape::One(basic) => text(basic),
            Shape::Difference(a, b) => format!("{} - {}", text(a), text(b)),
        }
    }

    fn measure(&mut self, state: &State) {
        self.meter.measure(state, &mut self.values);
    }

    /// Returns the value of a feature in the last state.
    fn feature(&self, number: usize) -> f64 {
        f64::from(self.features[number].shape.value(&self.values))
    }

    /// Returns what each feature of a role's payoff adds in the last measured state, in points.
    fn contributions(&self, role: usize) -> impl Iterator<Item = f64> {
        let parts = self.roles[role].payoff.parts.iter();
        parts.map(|part| part.points * (self.feature(part.feature) - self.features[part.feature].measure.mean))
    }

    /// Returns the values of the three functions in a state.
    pub fn evaluate(&mut self, state: &State) -> Evaluation {
        self.measure(state);
        let mut evaluation = Evaluation::default();
        self.write(&mut evaluation);
        evaluation
    }

    fn write(&self, evaluation: &mut Evaluation) {
        let Evaluation { payoff, control, .. } = evaluation;
        payoff.clear();
        control.clear();
        for (role, model) in self.roles.iter().enumerate() {
            let sum: f64 = self.contributions(role).sum();
            payoff.push(model.payoff.bounded(model.payoff.middle + sum));
            control.push(model.freedom.value(|feature| self.feature(feature)).max(0.0));
        }
        self.compare(control);
        let termination = self.termination.value(|feature| self.feature(feature));
        evaluation.termination = termination.clamp(0.0, 1.0);
    }

    /// Turns the numbers of moves of all roles into control.
    fn compare(&self, freedom: &mut [f64]) {
        let players = || self.game.roles().filter(|&role| !self.game.is_random(role));
        let total: f64 = players().map(|role| freedom[role.index()]).sum();
        let count = players().count();
        for role in self.game.roles() {
            let own = freedom[role.index()];
            let others = match count {
                // In a single-player game the usual number of moves takes the place of the others.
                0 | 1 => self.roles[role.index()].freedom.mean,
                count => (total - own) / (count - 1) as f64,
            };
            let both = own + others;
            freedom[role.index()] = if both > 1e-9 { (own - others) / both } else { 0.0 };
        }
    }
}

impl Evaluation {
    /// Returns the share of payoff in the value of a role's state; the rest is control.
    fn payoff_share(&self, model: &RoleModel) -> f64 {
        self.termination + (1.0 - self.termination) * (1.0 - model.control)
    }

    /// Returns the goal that a role can expect.
    fn goal(&self, role: usize, model: &RoleModel) -> f64 {
        let share = self.payoff_share(model);
        share * self.payoff[role] + (1.0 - share) * 50.0 * (1.0 + self.control[role])
    }
}

/// Evaluates states by a [`CluneFunction`].
pub struct Clune {
    function: CluneFunction,
    evaluation: Evaluation,
}

impl Clune {
    /// Creates the evaluator of a function.
    pub fn new(function: &CluneFunction) -> Clune {
        Clune {
            function: function.clone(),
            evaluation: Evaluation::default(),
        }
    }
}

impl Evaluator for Clune {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.function.measure(state);
        self.function.write(&mut self.evaluation);
        let roles = self.function.roles.iter().enumerate();
        for (goal, (role, model)) in goals.iter_mut().zip(roles) {
            *goal = self.evaluation.goal(role, model);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Clune::new(&self.function))
    }
}
