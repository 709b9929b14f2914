//! The average goal after each move, apart for every fluent that held when it was made (predicate-average sampling, PAST;
//! Finnsson and Björnsson, 2010).
//!
//! A move is worth the best that is known of it together with one of the fluents at hand. The table has a fixed size;
//! pairs that fall on the same place overwrite each other when they are met, the newer one stays.

use super::averages::Average;
use ludens_engine::playout::Choice;
use ludens_engine::{Fluent, MoveId, Role, State};

/// Places in the table.
const PLACES: usize = 1 << 20;

/// How often a move must have been made while a fluent held for that to be believed.
const BELIEVED: f32 = 3.0;

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    average: Average,
}

pub(super) struct Past {
    table: Vec<Entry>,
}

impl Default for Past {
    fn default() -> Past {
        Past {
            table: vec![Entry::default(); PLACES],
        }
    }
}

/// The key of a move of a role while a fluent holds, and its place. Keys of different pairs differ.
fn key(role: Role, MoveId(number): MoveId, Fluent(fluent): Fluent) -> (u64, usize) {
    // Sizes are far below these bounds; where they are not, pairs share what is learnt.
    let key = (u64::from(role.0) << 56 | u64::from(number & 0xfff_ffff) << 28 | u64::from(fluent & 0xfff_ffff)) + 1;
    let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (key, (mixed >> 40) as usize & (PLACES - 1))
}

impl Past {
    /// The best that is believed of a move with one of the fluents of a state.
    pub(super) fn value(&self, role: Role, move_id: MoveId, state: &State) -> Option<f32> {
        let known = state.fluents().filter_map(|fluent| {
            let (key, place) = key(role, move_id, fluent);
            let entry = &self.table[place];
            (entry.key == key && entry.average.count >= BELIEVED).then_some(entry.average.mean)
        });
        known.reduce(f32::max)
    }

    /// Learns from choices, each with the state in which it was made.
    pub(super) fn learn<'s>(&mut self, choices: impl Iterator<Item = (Choice, &'s State)>, goals: &[f64]) {
        for (choice, state) in choices {
            let goal = goals[choice.role.index()] as f32;
            for fluent in state.fluents() {
                let (key, place) = key(choice.role, choice.move_id, fluent);
                let entry = &mut self.table[place];
                if entry.key != key {
                    *entry = Entry {
                        key,
                        ..Entry::default()
                    };
                }
                entry.average.add(goal);
            }
        }
    }

    pub(super) fn fade(&mut self, keep: f64) {
        for entry in &mut self.table {
            entry.average.count *= keep as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_worth_the_best_of_what_holds() {
        let mut past = Past::default();
        let choice = Choice {
            role: Role(1),
            move_id: MoveId(7),
        };
        let states = [[3, 5], [3, 6]].map(|numbers| State::new(numbers.map(Fluent)));
        for _ in 0..4 {
            past.learn([(choice, &states[0])].into_iter(), &[0.0, 100.0]);
            past.learn([(choice, &states[1])].into_iter(), &[100.0, 20.0]);
        }
        let value = |numbers: &[u32]| past.value(Role(1), MoveId(7), &State::new(numbers.iter().copied().map(Fluent)));
        // Fluent 3 held in all matches, 5 in those that were won, 6 in the others.
        assert_eq!(value(&[3]), Some(60.0));
        assert_eq!(value(&[6]), Some(20.0));
        assert_eq!(value(&[3, 5, 6]), Some(100.0));
        assert_eq!(value(&[4]), None);
        assert_eq!(past.value(Role(0), MoveId(7), &states[0]), None);
    }
}
