//! The average goal after sequences of two and three choices (N-gram selection, NST; Tak, Winands and Björnsson, 2012).
//!
//! The table has a fixed size; sequences that fall on the same place overwrite each other when they are met, the newer
//! one stays.

use super::averages::{Average, UNKNOWN};
use ludens_engine::playout::Choice;
use ludens_engine::{MoveId, Role};

/// Places in the table.
const PLACES: usize = 1 << 16;

/// How often a sequence must have been seen to be believed.
const BELIEVED: f32 = 7.0;

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    average: Average,
}

pub(super) struct Grams {
    table: Vec<Entry>,
}

impl Default for Grams {
    fn default() -> Grams {
        Grams {
            table: vec![Entry::default(); PLACES],
        }
    }
}

/// What came before a choice, as the beginnings of keys; nothing where too little came before.
pub(super) struct Context {
    two: Option<u64>,
    three: Option<u64>,
}

/// Mixes a choice into a key.
fn mix(key: u64, role: Role, move_id: MoveId) -> u64 {
    let word = u64::from(role.0) << 32 | u64::from(move_id.0);
    let mixed = (key ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 29
}

impl Grams {
    /// What came before a choice of a role.
    pub(super) fn context(&self, role: Role, before: &[Choice]) -> Context {
        // The role whose choice follows belongs to the sequence.
        let start = u64::from(role.0) + 1;
        let of = |choices: &[Choice]| {
            let start = start + 1000 * choices.len() as u64;
            choices
                .iter()
                .fold(start, |key, choice| mix(key, choice.role, choice.move_id))
        };
        Context {
            two: before.len().checked_sub(1).map(|from| of(&before[from..])),
            three: before.len().checked_sub(2).map(|from| of(&before[from..])),
        }
    }

    fn find(&self, context: Option<u64>, move_id: MoveId) -> Option<f32> {
        let key = mix(context?, Role(0), move_id) | 1;
        let entry = &self.table[key as usize >> 1 & (PLACES - 1)];
        (entry.key == key && entry.average.count >= BELIEVED).then_some(entry.average.mean)
    }

    /// The mean of what is believed about the sequences that end with a move, of all lengths; `single` is what is known
    /// of the move alone.
    pub(super) fn value(&self, context: &Context, move_id: MoveId, single: Option<f32>) -> f32 {
        let known = [
            single,
            self.find(context.two, move_id),
            self.find(context.three, move_id),
        ];
        let (sum, count) = known
            .into_iter()
            .flatten()
            .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        if count > 0.0 { sum / count } else { UNKNOWN }
    }

    pub(super) fn learn(&mut self, choices: &[Choice], goals: &[f64]) {
        for (number, choice) in choices.iter().enumerate() {
            let context = self.context(choice.role, &choices[..number]);
            for context in [context.two, context.three].into_iter().flatten() {
                let key = mix(context, Role(0), choice.move_id) | 1;
                let entry = &mut self.table[key as usize >> 1 & (PLACES - 1)];
                if entry.key != key {
                    *entry = Entry {
                        key,
                        ..Entry::default()
                    };
                }
                entry.average.add(goals[choice.role.index()] as f32);
            }
        }
    }

    pub(super) fn fade(&mut self, keep: f64) {
        for entry in &mut self.table {
            entry.average.count *= keep as f32;
        }
    }
}
