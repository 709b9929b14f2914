//! All moves as first: the average goal after a move, made at any time after a state.
//!
//! RAVE (Gelly and Silver, 2007) lets a state use its own statistics, GRAVE (Cazenave, 2015) those of the nearest state
//! on the way that was seen often enough.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::MoveId;
use ludens_engine::playout::Choice;

/// The average goal after one move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Average {
    pub(super) count: u32,
    pub(super) mean: f32,
}

/// The averages after one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Amaf {
    table: HashMap<(u8, u32), Average, FixedState>,
}

impl Amaf {
    pub(super) fn get(&self, role: usize, MoveId(number): MoveId) -> Option<Average> {
        self.table.get(&(role as u8, number)).copied()
    }

    pub(super) fn add(&mut self, choices: &[Choice], goals: &[f64]) {
        for choice in choices {
            let average = self.table.entry((choice.role.0, choice.move_id.0)).or_default();
            average.count += 1;
            average.mean += (goals[choice.role.index()] as f32 - average.mean) / average.count as f32;
        }
    }

    /// An estimate of the memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.table.capacity() * (size_of::<((u8, u32), Average)>() + 1)
    }
}

/// How much all-moves-as-first statistics count against so many tries of the move itself.
pub(super) fn share(equivalence: f64, tries: f64) -> f64 {
    (equivalence / (3.0 * tries + equivalence)).sqrt()
}
