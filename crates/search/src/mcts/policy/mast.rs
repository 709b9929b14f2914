//! Move-average sampling technique (MAST; Finnsson and Björnsson, 2008): by the mean goal after a move, wherever it was
//! made. TO-MAST counts only the moves made in the tree.

use super::averages::{Averages, UNKNOWN};
use super::{Aids, Draw, LEARNING, Policy, Query, Scope};
use crate::mcts::PlayoutSettings;
use ludens_engine::{Game, MoveId, PlayoutOptions, Rng, Role, RoleMap, weighted_index};

/// MAST, which leaves the averages to what all policies share.
pub(super) struct Mast {
    /// Temperature of Gibbs sampling, if moves are drawn that way.
    temperature: Option<f32>,
    /// By role and move: the weights of Gibbs sampling as of the last refresh.
    weights: RoleMap<Vec<f32>>,
}

impl Mast {
    fn weight(&self, role: Role, MoveId(number): MoveId) -> f32 {
        let known = self.weights[role].get(number as usize);
        known.copied().unwrap_or(1.0)
    }
}

impl Policy for Mast {
    const NAME: &'static str = "mast";
    const HELP: &'static str = "by the mean result after a move, wherever it was made (MAST)";
    const OPTIONS: PlayoutOptions = LEARNING;

    fn new(game: &Game, settings: &PlayoutSettings) -> Mast {
        Mast {
            temperature: match settings.draw {
                Draw::Gibbs { temperature } => Some(temperature.max(1e-3) as f32),
                Draw::Greedy { .. } => None,
            },
            weights: RoleMap::filled(game.roles().len(), Vec::new()),
        }
    }

    #[inline]
    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        let (role, legal) = (query.role, query.legal);
        if self.temperature.is_some() {
            // The usual case: the weights are known.
            let weights = legal.iter().map(|&move_id| self.weight(role, move_id));
            return weighted_index(weights, rng).unwrap_or_else(|| rng.usize(..legal.len()));
        }
        let values = legal.iter().map(|&move_id| aids.averages.value(role, move_id));
        aids.drawer.draw(values, rng)
    }

    /// Computes the weights, relative to that of an unknown move.
    fn refresh(&mut self, averages: &Averages) {
        let Some(temperature) = self.temperature else { return };
        for (role, weights) in self.weights.iter_mut() {
            weights.clear();
            weights.extend(averages.of(role).iter().map(|average| match average.count > 0.0 {
                // Weights must stay finite at very low temperatures.
                true => ((average.mean - UNKNOWN) / temperature).clamp(-80.0, 80.0).exp(),
                false => 1.0,
            }));
        }
    }
}

/// TO-MAST: the same by averages over the moves made in the tree.
pub(super) struct TreeMast(Mast);

impl Policy for TreeMast {
    const NAME: &'static str = "to-mast";
    const HELP: &'static str = "by the mean result after a move made in the tree (TO-MAST)";
    const AVERAGES: Scope = Scope::Tree;
    const OPTIONS: PlayoutOptions = LEARNING;

    fn new(game: &Game, settings: &PlayoutSettings) -> TreeMast {
        TreeMast(Mast::new(game, settings))
    }

    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        self.0.choose(query, aids, rng)
    }

    fn refresh(&mut self, averages: &Averages) {
        self.0.refresh(averages);
    }
}
