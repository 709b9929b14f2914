//! How the others are believed to choose their moves.
//!
//! Chance is never modelled: it chooses uniformly by definition.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_engine::{HistoryHash, MoveId, Role, State};

/// Probabilities of a role's moves, by what it has observed.
pub trait Model: Send {
    /// Writes the probability of each of these legal moves. The state is the one of the world that is looked at; a model
    /// of what the role knows reads the history only. Probabilities need not add up to one.
    fn probabilities(
        &mut self,
        role: Role,
        history: HistoryHash,
        state: &State,
        legal: &[MoveId],
        probabilities: &mut Vec<f64>,
    );
}

/// All legal moves are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Model for Uniform {
    fn probabilities(&mut self, _: Role, _: HistoryHash, _: &State, legal: &[MoveId], probabilities: &mut Vec<f64>) {
        probabilities.clear();
        probabilities.resize(legal.len(), 1.0 / legal.len().max(1) as f64);
    }
}

/// Mixed strategies by what roles have observed; uniform where nothing is known.
#[derive(Clone, Debug, Default)]
pub struct Strategies {
    table: HashMap<(Role, HistoryHash), Vec<(MoveId, f64)>, RandomState>,
}

impl Strategies {
    /// States how a role chooses after this history.
    pub fn set(&mut self, role: Role, history: HistoryHash, strategy: Vec<(MoveId, f64)>) {
        self.table.insert((role, history), strategy);
    }
}

impl Model for Strategies {
    fn probabilities(
        &mut self,
        role: Role,
        history: HistoryHash,
        state: &State,
        legal: &[MoveId],
        probabilities: &mut Vec<f64>,
    ) {
        let Some(strategy) = self.table.get(&(role, history)) else {
            return Uniform.probabilities(role, history, state, legal, probabilities);
        };
        probabilities.clear();
        probabilities.extend(legal.iter().map(|&move_id| {
            let entry = strategy.iter().find(|(known, _)| *known == move_id);
            entry.map_or(0.0, |(_, probability)| probability.max(0.0))
        }));
    }
}

/// Share of the probability that is spread evenly over all legal moves, so that no model excludes the true world.
pub(crate) const FLOOR: f64 = 0.05;

/// The probabilities of a model with the floor, adding up to one.
pub(crate) fn with_floor(probabilities: &mut [f64]) {
    let count = probabilities.len().max(1) as f64;
    let total: f64 = probabilities.iter().filter(|probability| probability.is_finite()).sum();
    for probability in probabilities.iter_mut() {
        let share = match total > 0.0 && probability.is_finite() {
            true => *probability / total,
            false => 1.0 / count,
        };
        *probability = (1.0 - FLOOR) * share + FLOOR / count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_move_is_excluded_by_a_model() {
        let mut strategies = Strategies::default();
        strategies.set(Role(0), HistoryHash::START, vec![(MoveId(3), 1.0)]);
        let mut probabilities = Vec::new();
        let legal = [MoveId(3), MoveId(4)];
        strategies.probabilities(
            Role(0),
            HistoryHash::START,
            &State::default(),
            &legal,
            &mut probabilities,
        );
        assert_eq!(probabilities, [1.0, 0.0]);
        with_floor(&mut probabilities);
        assert_eq!(probabilities, [0.975, 0.025]);
        strategies.probabilities(
            Role(1),
            HistoryHash::START,
            &State::default(),
            &legal,
            &mut probabilities,
        );
        with_floor(&mut probabilities);
        assert_eq!(probabilities, [0.5, 0.5]);
        let mut odd = [f64::NAN, 0.0];
        with_floor(&mut odd);
        assert_eq!(odd, [0.5, 0.5]);
    }
}
