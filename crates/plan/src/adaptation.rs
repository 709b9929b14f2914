//! Nested rollout policy adaptation (Rosin 2011).
//!
//! A playout draws moves with probabilities in proportion to exp(weight of the move). A search of level n runs N searches of
//! level n - 1 and after each one moves the weights towards the best line so far. Equal lines replace each other, which
//! keeps the search moving. A move has one weight wherever it is made: its number.

use crate::line::{BEST, Found, Line, LineSearch};
use crate::walk::{NotForOne, Walk};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, State};

/// Settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptationSettings {
    /// Levels of nesting.
    pub level: usize,
    /// Searches of the level below, at each level.
    pub iterations: usize,
    /// Step of the adaptation.
    pub alpha: f64,
}

impl Default for AdaptationSettings {
    fn default() -> AdaptationSettings {
        AdaptationSettings {
            level: 3,
            iterations: 100,
            alpha: 1.0,
        }
    }
}

/// Weights of moves, by their numbers.
#[derive(Clone, Default)]
struct Policy(Vec<f64>);

impl Policy {
    fn weight(&self, move_id: MoveId) -> f64 {
        self.0.get(move_id.index()).copied().unwrap_or(0.0)
    }

    fn add(&mut self, move_id: MoveId, change: f64) {
        let index = move_id.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, 0.0);
        }
        self.0[index] += change;
    }

    /// The probability of each of these moves. The greatest weight is taken off first, so that no power overflows.
    fn probabilities(&self, legal: &[MoveId]) -> Vec<f64> {
        let greatest = legal.iter().map(|&m| self.weight(m)).fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = legal.iter().map(|&m| (self.weight(m) - greatest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|power| power / sum).collect()
    }

    /// Moves the weights towards a line: up for the moves made, down for each legal move by its probability.
    fn adapt(&mut self, line: &Line, legal: &[Vec<MoveId>], alpha: f64) {
        let old = self.clone();
        for (&chosen, legal) in line.moves.iter().zip(legal) {
            self.add(chosen, alpha);
            for (&move_id, probability) in legal.iter().zip(old.probabilities(legal)) {
                self.add(move_id, -alpha * probability);
            }
        }
    }
}

/// A line with the legal moves of each of its states, which the adaptation needs.
struct Episode {
    line: Line,
    legal: Vec<Vec<MoveId>>,
}

/// Nested rollout policy adaptation, repeated with new weights until the budget is spent.
pub struct Adaptation {
    walk: Walk,
    settings: AdaptationSettings,
}

impl Adaptation {
    /// Creates a search.
    pub fn new(game: &Game, settings: AdaptationSettings, seed: u64) -> Result<Adaptation, NotForOne> {
        Ok(Adaptation {
            walk: Walk::new(game, seed)?,
            settings,
        })
    }

    fn playout(&mut self, state: &State, policy: &Policy) -> Episode {
        let mut all = Vec::new();
        let line = self.walk.playout(state, |legal, rng| {
            all.push(legal.to_vec());
            let mut left = rng.f64();
            let probabilities = policy.probabilities(legal);
            let drawn = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            drawn.unwrap_or(legal.len() - 1)
        });
        Episode { line, legal: all }
    }

    /// Returns the best line of a search of this level, or what it has found when the budget is spent.
    fn adapted(&mut self, state: &State, level: usize, mut policy: Policy, budget: &Budget) -> Option<Episode> {
        if level == 0 {
            return Some(self.playout(state, &policy));
        }
        let mut best: Option<Episode> = None;
        for _ in 0..self.settings.iterations {
            if self.walk.stop(budget).is_some() {
                break;
            }
            let Some(found) = self.adapted(state, level - 1, policy.clone(), budget) else {
                break;
            };
            if best.as_ref().is_none_or(|best| found.line.score >= best.line.score) {
                best = Some(found);
            }
            if let Some(best) = &best {
                if best.line.score == BEST {
                    break;
                }
                policy.adapt(&best.line, &best.legal, self.settings.alpha);
            }
        }
        best
    }
}

impl LineSearch for Adaptation {
    fn search(&mut self, state: &State, budget: &Budget) -> Found {
        self.walk.restart();
        let mut line = self.playout(state, &Policy::default()).line;
        let stop = loop {
            if line.score == BEST {
                break StopReason::Solved;
            }
            if let Some(stop) = self.walk.stop(budget) {
                break stop;
            }
            let found = self.adapted(state, self.settings.level, Policy::default(), budget);
            if let Some(found) = found.filter(|found| found.line.score > line.score) {
                line = found.line;
            }
        };
        Found {
            line,
            playouts: self.walk.playouts(),
            stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapting_raises_the_probability_of_the_line() {
        let legal = vec![MoveId(0), MoveId(1), MoveId(2)];
        let line = Line {
            score: 50,
            moves: vec![MoveId(1)],
        };
        let mut policy = Policy::default();
        policy.adapt(&line, std::slice::from_ref(&legal), 1.0);
        // The weights are -1/3, 1 - 1/3 and -1/3.
        let expected = 1.0_f64.exp() / (1.0_f64.exp() + 2.0);
        assert!((policy.probabilities(&legal)[1] - expected).abs() < 1e-12);
    }

    #[test]
    fn huge_weights_do_not_overflow() {
        let legal = vec![MoveId(0), MoveId(1)];
        let mut policy = Policy::default();
        policy.add(MoveId(0), 1e6);
        assert_eq!(policy.probabilities(&legal), [1.0, 0.0]);
    }
}
