//! The evaluation of a role from the degrees of its goal values.
//!
//! In a terminal state exactly one goal value holds, and any of these sums is that value. Elsewhere several goals can be
//! true to some degree, and the published sum, `γ + Σ (v - γ) · degree`, then leaves the range of goals and pushes away
//! from every goal below γ: with the goals 0, 25, 50 and 100, a step towards 25 lowers the evaluation although the
//! state is still at 0. The cumulative sum has neither fault. It adds up, from the worst goal `w` to the best, the gap
//! between neighbouring goals times the degree to which the role gets at least the upper one, which is the greatest
//! degree of the goals from there up. Below γ the first gap counts by how little the worst goal holds instead, so that
//! what the opponents need for it counts too. With two goals, or with three of which γ is the middle one, both sums are
//! the same.

/// How the degrees of goal values are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregation {
    /// By the degree to which at least each goal value is reached.
    #[default]
    Cumulative,
    /// By the distance of each goal value from the usual one, as published.
    Published,
}

/// The aggregation for one role.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    aggregation: Aggregation,
    /// The expected goal without evidence for another (γ).
    usual: f64,
    /// The goal values that the role can have, in increasing order.
    values: Vec<u8>,
}

impl Aggregate {
    pub(crate) fn new(aggregation: Aggregation, usual: f64, values: Vec<u8>) -> Aggregate {
        // A single goal value says nothing by its gaps.
        let aggregation = match values.len() {
            0 | 1 => Aggregation::Published,
            _ => aggregation,
        };
        Aggregate {
            aggregation,
            usual,
            values,
        }
    }

    /// Returns whether the evaluation depends on the degree of a goal value.
    pub(crate) fn needs(&self, value: u8) -> bool {
        match self.aggregation {
            Aggregation::Published => f64::from(value) != self.usual,
            Aggregation::Cumulative => match self.values.iter().position(|&known| known == value) {
                Some(0) => self.usual > f64::from(value),
                // The first gap is the only one that this goal alone could fill.
                Some(1) => self.split() < self.gap(1),
                Some(_) => true,
                None => false,
            },
        }
    }

    /// Returns the difference between a goal value and the one below it.
    fn gap(&self, place: usize) -> f64 {
        f64::from(self.values[place]) - f64::from(self.values[place - 1])
    }

    /// Returns the part of the first gap that lies below γ.
    fn split(&self) -> f64 {
        (self.usual - f64::from(self.values[0])).clamp(0.0, self.gap(1))
    }

    /// Returns the evaluation by the outputs for goal values, from -1 to 1, in increasing order of the values.
    pub(crate) fn evaluate(&self, outputs: impl DoubleEndedIterator<Item = (u8, f64)>) -> f64 {
        let degrees = outputs.map(|(value, output)| (value, (output + 1.0) / 2.0));
        within(match self.aggregation {
            Aggregation::Published => {
                let shares = degrees.map(|(value, degree)| (f64::from(value) - self.usual) * degree);
                self.usual + shares.sum::<f64>()
            }
            Aggregation::Cumulative => self.cumulative(degrees),
        })
    }

    fn cumulative(&self, degrees: impl DoubleEndedIterator<Item = (u8, f64)>) -> f64 {
        let mut degrees = degrees.rev().peekable();
        let mut total = f64::from(self.values[0]);
        let mut at_least: f64 = 0.0;
        for place in (1..self.values.len()).rev() {
            if let Some((_, degree)) = degrees.next_if(|known| known.0 == self.values[place]) {
                at_least = at_least.max(degree);
            }
            total += match place {
                1 => (self.gap(1) - self.split()) * at_least,
                _ => self.gap(place) * at_least,
            };
        }
        let worst = degrees.next().map_or(0.0, |(_, degree)| degree);
        total + self.split() * (1.0 - worst)
    }
}

/// Compresses values beyond 5 and 95, so that the order is kept and hardly anything leaves the range of goals.
fn within(value: f64) -> f64 {
    match value {
        value if value < 5.0 => 5.0 + (value - 5.0) / 100.0,
        value if value > 95.0 => 95.0 + (value - 95.0) / 100.0,
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::Rng;

    fn aggregate(aggregation: Aggregation, values: &[u8]) -> Aggregate {
        Aggregate::new(aggregation, 50.0, values.to_vec())
    }

    fn evaluate(aggregate: &Aggregate, outputs: &[f64]) -> f64 {
        let outputs = aggregate.values.iter().copied().zip(outputs.iter().copied());
        let needed: Vec<(u8, f64)> = outputs.filter(|&(value, _)| aggregate.needs(value)).collect();
        aggregate.evaluate(needed.into_iter())
    }

    #[test]
    fn values_stay_in_the_range_of_goals() {
        assert_eq!([50.0, -45.0, 145.0].map(within), [50.0, 4.5, 95.5]);
    }

    #[test]
    fn two_goals_and_three_around_the_usual_one_are_as_published() {
        let mut rng = Rng::with_seed(1);
        for values in [&[0, 100][..], &[0, 50, 100], &[25, 50, 75]] {
            let [cumulative, published] =
                [Aggregation::Cumulative, Aggregation::Published].map(|kind| aggregate(kind, values));
            for _ in 0..100 {
                let outputs: Vec<f64> = values.iter().map(|_| 2.0 * rng.f64() - 1.0).collect();
                let [one, other] = [&cumulative, &published].map(|kind| evaluate(kind, &outputs));
                assert!((one - other).abs() < 1e-9, "{values:?} {outputs:?}: {one} {other}");
            }
        }
    }

    #[test]
    fn a_goal_that_holds_alone_is_the_evaluation() {
        for values in [
            &[0, 25, 50, 100][..],
            &[0, 6, 12, 48, 54, 93, 100],
            &[10, 20],
            &[60, 70, 80],
        ] {
            let aggregate = aggregate(Aggregation::Cumulative, values);
            for (place, &value) in values.iter().enumerate() {
                let mut outputs = vec![-1.0; values.len()];
                outputs[place] = 1.0;
                assert_eq!(evaluate(&aggregate, &outputs), within(f64::from(value)), "{values:?}");
            }
        }
    }

    #[test]
    fn nearer_to_a_better_goal_is_never_worse() {
        let mut rng = Rng::with_seed(2);
        for values in [
            &[0, 25, 50, 100][..],
            &[0, 5, 10, 15, 25, 50, 75, 100],
            &[0, 30, 100],
            &[0, 100],
        ] {
            let aggregate = aggregate(Aggregation::Cumulative, values);
            for _ in 0..200 {
                let mut outputs: Vec<f64> = values.iter().map(|_| 2.0 * rng.f64() - 1.0).collect();
                let before = evaluate(&aggregate, &outputs);
                let place = rng.usize(0..values.len());
                outputs[place] += (1.0 - outputs[place]) * rng.f64();
                let after = evaluate(&aggregate, &outputs);
                match place {
                    0 => assert!(after <= before, "{values:?} {outputs:?}"),
                    _ => assert!(after >= before, "{values:?} {outputs:?}"),
                }
            }
        }
        // The published sum is worse the nearer 25 is.
        let published = aggregate(Aggregation::Published, &[0, 25, 50, 100]);
        assert!(evaluate(&published, &[0.9, -0.2, -1.0, -1.0]) < evaluate(&published, &[0.9, -0.8, -1.0, -1.0]));
    }
}
