//! Explanations of the model's evaluation of a position.

use super::CluneFunction;
use crate::explain::{Explains, Explanation, Outlook, Reason, moves};
use ludens_engine::State;

impl Explains for CluneFunction {
    fn explain(&self, state: &State) -> Explanation {
        let mut function = self.clone();
        let evaluation = function.evaluate(state);
        let outlook = |role: ludens_engine::Role| {
            let number = role.index();
            let model = &self.roles[number];
            let share = evaluation.payoff_share(model);
            let mut reasons = vec![Reason {
                text: "control".to_string(),
                points: (1.0 - share) * 50.0 * evaluation.control[number],
                numbers: vec![("value", evaluation.control[number]), ("weight", 1.0 - share)],
            }];
            for (part, points) in model.payoff.parts.iter().zip(function.contributions(number)) {
                let measure = &self.features[part.feature].measure;
                reasons.push(Reason {
                    text: self.feature_text(part.feature),
                    points: share * points,
                    numbers: vec![
                        ("value", function.feature(part.feature)),
                        ("weight", part.weight),
                        ("correlation", measure.correlations[number]),
                        ("stability", measure.stability),
                        ("mean", measure.mean),
                    ],
                });
            }
            Outlook {
                role,
                goal: evaluation.goal(number, model),
                middle: share * model.payoff.middle + (1.0 - share) * 50.0,
                reasons,
            }
        };
        let roles: Vec<Outlook> = self.game.roles().map(outlook).collect();
        let value = |role: usize, after: &State| {
            let evaluation = self.clone().evaluate(after);
            evaluation.goal(role, &self.roles[role])
        };
        let points = |role: usize, after: &State| {
            let mut function = self.clone();
            let evaluation = function.evaluate(after);
            let share = evaluation.payoff_share(&self.roles[role]);
            let control = (1.0 - share) * 50.0 * evaluation.control[role];
            let payoff = function.contributions(role).map(|points| share * points);
            std::iter::once(control).chain(payoff).collect()
        };
        Explanation {
            kind: "clune",
            made_of: vec![
                ("sequences", self.sequences as f64),
                ("matches", self.matches as f64),
                ("candidates", self.candidates as f64),
                ("features", self.features.len() as f64),
            ],
            left_out: Vec::new(),
            moves: moves(&self.game, state, &roles, &value, &points),
            roles,
        }
    }
}
