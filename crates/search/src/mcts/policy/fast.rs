//! In the manner of FAST (Finnsson and Björnsson, 2010), which learns the values of pieces and cells and prefers moves
//! that win them.
//!
//! Here every fluent is a feature: its value for a role is the mean goal of playouts in whose last state it holds. A
//! move has the mean value of the fluents that it makes true, or its own average if it makes none true.

use super::averages::{Average, Averages, UNKNOWN, add_at, fade};
use super::{Aids, LEARNING, Policy, Query};
use crate::mcts::PlayoutSettings;
use crate::mcts::backup::Episode;
use ludens_engine::{Fluent, Game, MoveId, PlayoutOptions, Rng, RoleMap};

pub(super) struct Fast {
    /// By role and fluent.
    features: RoleMap<Vec<Average>>,
    /// By role and move: the fluents that it makes true.
    effects: RoleMap<Vec<Vec<Fluent>>>,
    /// The values of moves, as of the last refresh.
    values: RoleMap<Vec<f32>>,
}

impl Policy for Fast {
    const NAME: &'static str = "fast";
    const HELP: &'static str = "by the mean result of playouts that end with a fluent that the move makes true (FAST)";
    const OPTIONS: PlayoutOptions = PlayoutOptions {
        last_state: true,
        ..LEARNING
    };

    fn new(game: &Game, _settings: &PlayoutSettings) -> Fast {
        let roles = game.roles().len();
        Fast {
            features: RoleMap::filled(roles, Vec::new()),
            effects: game.move_effects(),
            values: RoleMap::filled(roles, Vec::new()),
        }
    }

    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        let known = &self.values[query.role];
        let value = |&MoveId(number): &MoveId| known.get(number as usize).copied().unwrap_or(UNKNOWN);
        aids.drawer.draw(query.legal.iter().map(value), rng)
    }

    fn learn(&mut self, episode: &Episode<'_>) {
        let Some(state) = episode.playout.and_then(|playout| playout.state.as_ref()) else {
            return;
        };
        for (features, &goal) in self.features.values_mut().zip(episode.goals.values()) {
            for Fluent(number) in state.fluents() {
                add_at(features, number, goal as f32);
            }
        }
    }

    /// Computes the values of all moves.
    fn refresh(&mut self, averages: &Averages) {
        for (role, values) in self.values.iter_mut() {
            let features = &self.features[role];
            let of = |fluent: &Fluent| features.get(fluent.0 as usize).filter(|average| average.count > 0.0);
            values.clear();
            values.extend(self.effects[role].iter().zip(0..).map(|(fluents, number)| {
                let known = fluents.iter().filter_map(of);
                let (sum, count) = known.fold((0.0, 0.0), |(sum, count), known| (sum + known.mean, count + 1.0));
                match count > 0.0 {
                    true => sum / count,
                    false => averages.value(role, MoveId(number)),
                }
            }));
        }
    }

    fn fade(&mut self, keep: f32) {
        fade(self.features.values_mut().flatten(), keep);
    }
}
