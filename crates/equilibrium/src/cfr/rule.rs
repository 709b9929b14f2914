//! Update rules: how the variants of regret minimisation discount regrets and weigh iterations in the average.

/// A variant of counterfactual regret minimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Variant {
    /// Plain sums of regrets, and an unweighted average (Zinkevich and others, 2007).
    #[default]
    Vanilla,
    /// Regrets never fall below zero, roles take turns, later iterations weigh more (Tammelin, 2014).
    Plus,
    /// The same, but the last regrets count twice, as a guess at the next ones (Farina, Kroer and Sandholm, 2021); the
    /// average weighs iterations by their squares.
    Predictive,
    /// Iterations weigh as much as their number, in regrets and average (Brown and Sandholm, 2019).
    Linear,
    /// Before iteration t is added to them, positive regrets are multiplied by t^α/(t^α+1), negative ones with β for α;
    /// iterations weigh t^γ in the average (Brown and Sandholm, 2019).
    Discounted {
        /// For positive regrets.
        alpha: f64,
        /// For negative regrets.
        beta: f64,
        /// For the average.
        gamma: f64,
    },
}

impl Variant {
    /// Discounting with the exponents that its authors recommend.
    pub const DISCOUNTED: Variant = Variant::Discounted {
        alpha: 1.5,
        beta: 0.0,
        gamma: 2.0,
    };

    /// Whether roles are updated in turns within an iteration, each with the new strategies of the others.
    pub(crate) fn alternates(self) -> bool {
        matches!(self, Variant::Plus | Variant::Predictive)
    }

    /// Returns the update of iteration `number`, counted from 1.
    pub(crate) fn step(self, number: u64) -> Step {
        let time = number as f64;
        let kept = |exponent: f64| {
            let power = time.powf(exponent);
            if power.is_finite() { power / (power + 1.0) } else { 1.0 }
        };
        let plain = Step {
            positive: 1.0,
            negative: 1.0,
            weight: 1.0,
            predicts: false,
        };
        match self {
            Variant::Vanilla => plain,
            Variant::Plus => Step {
                negative: 0.0,
                weight: time,
                ..plain
            },
            Variant::Predictive => Step {
                negative: 0.0,
                weight: time * time,
                predicts: true,
                ..plain
            },
            Variant::Linear => Step {
                positive: kept(1.0),
                negative: kept(1.0),
                weight: time,
                ..plain
            },
            Variant::Discounted { alpha, beta, gamma } => Step {
                positive: kept(alpha),
                negative: kept(beta),
                weight: time.powf(gamma),
                ..plain
            },
        }
    }
}

/// The update of one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Factor of positive regrets after the addition.
    pub(crate) positive: f64,
    /// Factor of negative regrets.
    pub(crate) negative: f64,
    /// Weight of the iteration in the average.
    pub(crate) weight: f64,
    /// Whether the last regrets count twice.
    pub(crate) predicts: bool,
}

impl Step {
    /// Whether nothing happens where nothing is reached.
    pub(crate) fn is_plain(&self) -> bool {
        self.positive == 1.0 && self.negative == 1.0
    }
}

/// Updates regrets, average and strategy of one role at one node.
///
/// `gain` is the advantage of each move over the current strategy; `others` and `own` are the reach probabilities.
#[inline(always)]
pub(crate) fn learn<const PLAIN: bool>(
    [regret, total, mixture]: [&mut [f64]; 3],
    gain: &[f64],
    others: f64,
    own: f64,
    step: &Step,
) {
    let weight = own * step.weight;
    let mut sum = 0.0;
    for place in 0..gain.len() {
        total[place] += weight * mixture[place];
        let news = others * gain[place];
        let mut now = regret[place] + news;
        let mut wish = now;
        if !PLAIN {
            now *= if now > 0.0 { step.positive } else { step.negative };
            wish = if step.predicts { now + news } else { now };
        }
        regret[place] = now;
        let wish = if wish > 0.0 { wish } else { 0.0 };
        mixture[place] = wish;
        sum += wish;
    }
    if sum > 0.0 {
        let scale = 1.0 / sum;
        mixture.iter_mut().for_each(|chance| *chance *= scale);
    } else {
        let even = 1.0 / mixture.len() as f64;
        mixture.iter_mut().for_each(|chance| *chance = even);
    }
}
