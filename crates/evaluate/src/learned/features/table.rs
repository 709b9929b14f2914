//! The function made fast: one number for each fluent and role.
//!
//! Counts and differences of counts are sums over the fluents that hold, and so is a weighted sum of them: each fluent
//! brings the same points whenever it holds. Only ratios need their counts.

use super::function::{GuidedFunction, Shape};
use super::pattern;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Fluent, State};
use ludens_gdl::normal::Term;

/// Evaluates states by a [`GuidedFunction`], at the cost of one pass over the fluents that hold.
#[derive(Clone)]
pub struct Guided {
    function: GuidedFunction,
    /// The expected goal of each role before any fluent is counted.
    start: Vec<f64>,
    /// By number of fluent and role, for the fluents that were looked at.
    points: Vec<f64>,
    /// By fluent, the counts that it belongs to; `None` if it was not looked up yet.
    counted: Vec<Option<Box<[u32]>>>,
    ratios: Vec<Ratio>,
    /// Twice for each ratio: of its first expression and of its second.
    counts: Vec<f32>,
}

/// A ratio with the points that each role gets for it.
#[derive(Clone)]
struct Ratio {
    feature: usize,
    points: Vec<f64>,
}

impl Guided {
    /// Creates the evaluator of a function.
    pub fn new(function: &GuidedFunction) -> Guided {
        let roles = function.roles.len();
        let mut start: Vec<f64> = function.roles.iter().map(|role| role.middle).collect();
        let mut ratios: Vec<Ratio> = Vec::new();
        for (role, parts) in function.roles.iter().enumerate() {
            for part in &parts.parts {
                let feature = &function.features[part.feature];
                start[role] -= part.points * feature.measure.mean;
                if let Shape::Ratio(..) = feature.shape {
                    let known = ratios.iter().position(|ratio| ratio.feature == part.feature);
                    let place = known.unwrap_or_else(|| {
                        ratios.push(Ratio {
                            feature: part.feature,
                            points: vec![0.0; roles],
                        });
                        ratios.len() - 1
                    });
                    ratios[place].points[role] += part.points;
                }
            }
        }
        let mut guided = Guided {
            function: function.clone(),
            start,
            points: Vec::new(),
            counted: Vec::new(),
            counts: vec![0.0; 2 * ratios.len()],
            ratios,
        };
        // Where all fluents are known, all are looked at now.
        if function.game.engine().circuit().is_some() {
            let fluents = function.game.vocabulary().fluent_count();
            (0..fluents).for_each(|number| guided.look(number));
        }
        guided
    }

    /// Returns the function.
    pub fn function(&self) -> &GuidedFunction {
        &self.function
    }

    /// Finds out what a fluent brings.
    fn look(&mut self, number: usize) {
        let roles = self.function.roles.len();
        if number >= self.counted.len() {
            self.counted.resize(number + 1, None);
            self.points.resize((number + 1) * roles, 0.0);
        }
        let named = self.function.game.vocabulary().fluent_name(Fluent(number as u32));
        let holds = |term: &Term| pattern::is_instance(term, &named.term);
        let times: Vec<f64> = (self.function.features.iter())
            .map(|feature| match &feature.shape {
                Shape::Count(a) => f64::from(u8::from(holds(a))),
                Shape::Difference(a, b) => f64::from(u8::from(holds(a))) - f64::from(u8::from(holds(b))),
                Shape::Ratio(..) => 0.0,
            })
            .collect();
        for (role, function) in self.function.roles.iter().enumerate() {
            let points = function.parts.iter().map(|part| part.points * times[part.feature]);
            self.points[number * roles + role] = points.sum();
        }
        let mut counted = Vec::new();
        for (place, ratio) in (0..).zip(&self.ratios) {
            if let Shape::Ratio(a, b) = &self.function.features[ratio.feature].shape {
                counted.extend(holds(a).then_some(2 * place));
                counted.extend(holds(b).then_some(2 * place + 1));
            }
        }
        self.counted[number] = Some(counted.into_boxed_slice());
    }
}

impl Evaluator for Guided {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        let roles = self.start.len();
        goals.copy_from_slice(&self.start);
        self.counts.fill(0.0);
        for Fluent(number) in state.fluents() {
            let number = number as usize;
            if self.counted.get(number).is_none_or(Option::is_none) {
                self.look(number);
            }
            for (goal, points) in goals.iter_mut().zip(&self.points[number * roles..]) {
                *goal += points;
            }
            for &place in self.counted[number].iter().flatten() {
                self.counts[place as usize] += 1.0;
            }
        }
        for (ratio, counts) in self.ratios.iter().zip(self.counts.chunks(2)) {
            let value = f64::from(Shape::ratio(counts[0], counts[1]));
            for (goal, points) in goals.iter_mut().zip(&ratio.points) {
                *goal += points * value;
            }
        }
        for (goal, role) in goals.iter_mut().zip(self.function.roles.iter()) {
            *goal = role.bounded(*goal);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}
