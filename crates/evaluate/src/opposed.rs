//! Evaluation of both sides where two roles share a constant sum.
//!
//! Evaluators estimate the goal of each role by its own conditions. These may say nothing about the opponent: where a
//! role has goal 0 whenever it has not won, its evaluation is the same however near the opponent is to winning. If the
//! goals of two roles are proved to add up to a constant, what one role can expect is known from the other one too, and
//! the mean of both estimates counts.

use ludens_engine::State;
use ludens_engine::knowledge::Evaluator;

/// Combines the estimates of two roles whose goals have a constant sum.
pub struct Opposed {
    evaluator: Box<dyn Evaluator>,
    players: [usize; 2],
    sum: f64,
}

impl Opposed {
    /// Creates it from an evaluator, the numbers of the two roles and the sum of their goals.
    pub fn new(evaluator: Box<dyn Evaluator>, players: [usize; 2], sum: f64) -> Opposed {
        Opposed {
            evaluator,
            players,
            sum,
        }
    }
}

impl Evaluator for Opposed {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.evaluator.evaluate(state, goals);
        let [one, other] = self.players;
        goals[one] = (goals[one] + self.sum - goals[other]) / 2.0;
        goals[other] = self.sum - goals[one];
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Opposed {
            evaluator: self.evaluator.another(),
            ..*self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed([f64; 3]);

    impl Evaluator for Fixed {
        fn evaluate(&mut self, _: &State, goals: &mut [f64]) {
            goals.copy_from_slice(&self.0);
        }

        fn another(&self) -> Box<dyn Evaluator> {
            Box::new(Fixed(self.0))
        }
    }

    #[test]
    fn estimates_of_both_roles_add_up_to_the_sum() {
        let mut opposed = Opposed::new(Box::new(Fixed([60.0, 10.0, 70.0])), [0, 2], 100.0);
        let mut goals = [0.0; 3];
        for mut evaluator in [opposed.another(), opposed.another().another()] {
            evaluator.evaluate(&State::default(), &mut goals);
            assert_eq!(goals, [45.0, 10.0, 55.0]);
        }
        opposed.evaluate(&State::default(), &mut goals);
        assert_eq!(goals, [45.0, 10.0, 55.0]);
    }
}
