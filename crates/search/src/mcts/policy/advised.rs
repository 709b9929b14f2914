//! Advised playouts: moves by an advisor's evaluation.

use super::{Aids, LEARNING, Policy, Query, Scope};
use crate::mcts::PlayoutSettings;
use ludens_engine::knowledge::Advisor;
use ludens_engine::{Game, LANES, Lanes, MoveId, PlayoutOptions, Rng, Role};

pub(super) struct Advised {
    /// Whether evaluations are rescaled.
    rescaled: bool,
    /// Evaluations in many states, by move and lane.
    goals: Vec<[f32; LANES]>,
    /// The index of each move there.
    indices: Vec<u32>,
    /// Bit mask of the lanes in which nothing was chosen yet.
    open: u64,
}

impl Policy for Advised {
    const NAME: &'static str = "advised";
    const HELP: &'static str = "by the evaluation of the state after each move; uniform without eval";
    const AVERAGES: Scope = Scope::Nothing;
    const OPTIONS: PlayoutOptions = PlayoutOptions {
        states: true,
        lanes: true,
        choices: false,
        ..LEARNING
    };

    fn new(_game: &Game, settings: &PlayoutSettings) -> Advised {
        Advised {
            rescaled: settings.rescaled,
            goals: Vec::new(),
            indices: Vec::new(),
            open: 0,
        }
    }

    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        let legal = query.legal;
        let values = &mut aids.drawer.values;
        values.clear();
        match (self.open, query.state, aids.advisor) {
            (0, Some(state), Some(advisor)) => {
                values.resize(legal.len(), 50.0);
                advisor.advise(state, query.role, legal, values);
            }
            (0, ..) => return rng.usize(..legal.len()),
            (open, ..) => {
                let lane = open.trailing_zeros() as usize;
                self.open = open & (open - 1);
                let goal = |known: &MoveId| self.goals[self.indices[known.0 as usize] as usize][lane];
                values.extend(legal.iter().map(goal));
            }
        }
        if self.rescaled {
            rescale(values);
        }
        aids.drawer.draw_filled(rng)
    }

    fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>, advisor: &mut dyn Advisor) {
        self.goals.resize(moves.len().max(self.goals.len()), [0.0; LANES]);
        for (&MoveId(number), index) in moves.iter().zip(0..) {
            if number as usize >= self.indices.len() {
                self.indices.resize(number as usize + 1, 0);
            }
            self.indices[number as usize] = index;
        }
        advisor.advise_lanes(lanes, role, moves, &mut self.goals[..moves.len()]);
        self.open = lanes.active();
    }
}

/// The least range that is rescaled in full, as a share of the greatest value: less may be the noise of conditions that
/// matter only much later.
const LEAST_RANGE: f32 = 0.1;

/// Rescales evaluations so that the least is 0 and the greatest 100. If they hardly differ, the factor is that of the
/// least range; equal ones become 50.
pub(in crate::mcts) fn rescale(values: &mut [f32]) {
    let least = values.iter().copied().fold(f32::MAX, f32::min);
    let greatest = values.iter().copied().fold(f32::MIN, f32::max);
    let range = (greatest - least).max(LEAST_RANGE * greatest.abs());
    for value in values {
        *value = match greatest > least {
            true => 50.0 + 100.0 * (*value - (least + greatest) / 2.0) / range,
            false => 50.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::rescale;

    #[test]
    fn evaluations_are_rescaled_unless_they_hardly_differ() {
        let rescaled = |mut values: [f32; 3]| {
            rescale(&mut values);
            values.map(f32::round)
        };
        assert_eq!(rescaled([0.002, 0.006, 0.004]), [0.0, 100.0, 50.0]);
        assert_eq!(rescaled([3.0, 3.0, 3.0]), [50.0; 3]);
        assert_eq!(rescaled([100.0, 99.0, 99.5]), [55.0, 45.0, 50.0]);
    }
}
