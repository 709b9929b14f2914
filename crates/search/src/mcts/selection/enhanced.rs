//! UCB1 with enhancements: estimates of a move beyond its own visits, each in a file of its own.

use super::super::backup::implicit_minimax::ImplicitMinimax;
use super::super::single_player::BestResult;
use super::amaf::AllMovesAsFirst;
use super::prior::Prior;
use super::progressive_bias::ProgressiveBias;
use super::ucb1::Ucb1;
use super::{Candidate, ChoicePoint, MoveScore, RuleContext};

/// The parts of a score that enhancements change.
pub(in crate::mcts) struct Estimate {
    /// Estimated goal of the move.
    pub(in crate::mcts) value: f64,
    /// Visits in the exploration term beyond those of the move.
    pub(in crate::mcts) virtual_visits: f64,
    /// Term that is added to the score.
    pub(in crate::mcts) bonus: f64,
    /// Score of the move while it is unvisited; `None` scores it like a visited one.
    pub(in crate::mcts) first_play: Option<f64>,
}

/// An addition to UCB1.
pub(in crate::mcts) trait Enhancement<'a>: Sized {
    /// The enhancement at a choice point; `None` if it is disabled or has no data there.
    fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<Self>;

    /// Virtual visits that it gives to each move.
    fn virtual_visits(&self) -> f64 {
        0.0
    }

    /// Changes the estimate of a move.
    fn apply(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate);
}

/// Makes a struct of all enhancements out of a table, so that calls are static.
macro_rules! enhancements {
    ($($name:ident: $type:ident,)*) => {
        struct Enhancements<'a> {
            $($name: Option<$type<'a>>,)*
        }

        impl<'a> Enhancements<'a> {
            fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Enhancements<'a> {
                Enhancements { $($name: $type::at(at, rules),)* }
            }

            fn is_empty(&self) -> bool {
                true $(&& self.$name.is_none())*
            }

            fn virtual_visits(&self) -> f64 {
                0.0 $(+ self.$name.as_ref().map_or(0.0, |one| one.virtual_visits()))*
            }

            fn apply(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
                $(if let Some(one) = &self.$name {
                    one.apply(at, candidate, estimate);
                })*
            }
        }
    };
}

// In the order in which they are applied.
enhancements! {
    best: BestResult,
    implicit: ImplicitMinimax,
    prior: Prior,
    bias: ProgressiveBias,
    amaf: AllMovesAsFirst,
}

/// UCB1 with all enhancements that are enabled.
pub(super) struct Enhanced<'a> {
    ucb1: Ucb1,
    enhancements: Enhancements<'a>,
}

impl<'a> Enhanced<'a> {
    /// `None` if no enhancement applies: then this is UCB1.
    pub(super) fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<Enhanced<'a>> {
        let enhancements = Enhancements::at(at, rules);
        if enhancements.is_empty() {
            return None;
        }
        let virtual_visits = enhancements.virtual_visits() * at.stats.len() as f64;
        Some(Enhanced {
            ucb1: Ucb1::at(at, rules, virtual_visits),
            enhancements,
        })
    }
}

impl MoveScore for Enhanced<'_> {
    #[inline]
    fn score(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>) -> f64 {
        let mut estimate = Estimate {
            value: candidate.stats.mean().unwrap_or(50.0),
            virtual_visits: 0.0,
            bonus: 0.0,
            first_play: Some(self.ucb1.first_play),
        };
        self.enhancements.apply(at, candidate, &mut estimate);
        let started = candidate.marginal.started;
        match estimate.first_play {
            Some(score) if started == 0 => score,
            _ => {
                let visits = f64::from(started) + estimate.virtual_visits;
                let visits = if visits > 0.0 { visits } else { 1.0 };
                estimate.value + estimate.bonus + self.ucb1.exploration(visits)
            }
        }
    }
}
