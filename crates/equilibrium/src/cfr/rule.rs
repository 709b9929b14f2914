//! How regrets are kept and what the average is taken of: what sets the variants of regret minimisation apart.

/// A variant of counterfactual regret minimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Variant {
    /// Regrets add up, and the average is over all iterations alike (Zinkevich and others, 2007).
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

    /// Whether roles take turns within an iteration, so that each answers to what the others have learned.
    pub(crate) fn alternates(self) -> bool {
        matches!(self, Variant::Plus | Variant::Predictive)
    }

    /// What iteration `number`, counted from 1, does.
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

/// What one iteration does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// What positive regrets are multiplied with after they were added to.
    pub(crate) positive: f64,
    /// What negative ones are.
    pub(crate) negative: f64,
    /// The weight of the iteration in the average.
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

/// Takes in one iteration for the moves of one role at one node, and mixes the moves anew.
///
/// `gain` is what each move would have been better by than the mixture, `others` and `own` how the node is reached.
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
