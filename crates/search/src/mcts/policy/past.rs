//! Predicate-average sampling technique (PAST; Finnsson and Björnsson, 2010): the mean goal after a move, separately
//! for every fluent that held when it was made. A move has the greatest mean that it has with one of the fluents of the
//! state.

use super::averages::HashedAverages;
use super::{Aids, LEARNING, Policy, Query};
use crate::mcts::PlayoutSettings;
use crate::mcts::backup::Episode;
use ludens_engine::playout::Choice;
use ludens_engine::{Fluent, Game, MoveId, PlayoutOptions, Rng, Role, State};

/// Entries of the table.
const ENTRIES: usize = 1 << 20;

/// Results from which on a mean is used.
const ENOUGH: f32 = 3.0;

pub(super) struct Past {
    table: HashedAverages,
}

/// The key of a move of a role while a fluent holds, and its hash. Keys of different pairs differ.
fn key(role: Role, MoveId(number): MoveId, Fluent(fluent): Fluent) -> (u64, u64) {
    // Sizes are far below these bounds; beyond them, pairs share an average.
    let key = (u64::from(role.0) << 56 | u64::from(number & 0xfff_ffff) << 28 | u64::from(fluent & 0xfff_ffff)) + 1;
    let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (key, mixed >> 40)
}

impl Past {
    fn empty() -> Past {
        Past {
            table: HashedAverages::new(ENTRIES),
        }
    }

    /// The greatest mean of a move with one of the fluents of a state.
    fn value(&self, role: Role, move_id: MoveId, state: &State) -> Option<f32> {
        let known = state.fluents().filter_map(|fluent| {
            let (key, hash) = key(role, move_id, fluent);
            self.table.mean(key, hash, ENOUGH)
        });
        known.reduce(f32::max)
    }

    fn add(&mut self, choice: Choice, state: &State, goal: f32) {
        for fluent in state.fluents() {
            let (key, hash) = key(choice.role, choice.move_id, fluent);
            self.table.add(key, hash, goal);
        }
    }
}

impl Policy for Past {
    const NAME: &'static str = "past";
    const HELP: &'static str =
        "by the mean result after a move in states that share a fluent with the current one (PAST)";
    const OPTIONS: PlayoutOptions = PlayoutOptions {
        states: true,
        choice_states: true,
        ..LEARNING
    };

    fn new(_game: &Game, _settings: &PlayoutSettings) -> Past {
        Past::empty()
    }

    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        let values = query.legal.iter().map(|&move_id| {
            let best = query.state.and_then(|state| self.value(query.role, move_id, state));
            best.unwrap_or_else(|| aids.averages.value(query.role, move_id))
        });
        aids.drawer.draw(values, rng)
    }

    fn learn(&mut self, episode: &Episode<'_>) {
        for (choice, state) in episode.choices.iter().zip(episode.states) {
            self.add(*choice, state, episode.goals[choice.role] as f32);
        }
    }

    fn fade(&mut self, keep: f32) {
        self.table.fade(keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_has_its_greatest_mean_with_a_fluent_that_holds() {
        let mut past = Past::empty();
        let choice = Choice {
            role: Role(1),
            move_id: MoveId(7),
        };
        let states = [[3, 5], [3, 6]].map(|numbers| State::new(numbers.map(Fluent)));
        for _ in 0..4 {
            past.add(choice, &states[0], 100.0);
            past.add(choice, &states[1], 20.0);
        }
        let value = |numbers: &[u32]| past.value(Role(1), MoveId(7), &State::new(numbers.iter().copied().map(Fluent)));
        // Fluent 3 held in all playouts, 5 in those that were won, 6 in the others.
        assert_eq!(value(&[3]), Some(60.0));
        assert_eq!(value(&[6]), Some(20.0));
        assert_eq!(value(&[3, 5, 6]), Some(100.0));
        assert_eq!(value(&[4]), None);
        assert_eq!(past.value(Role(0), MoveId(7), &states[0]), None);
    }
}
