//! Averages that change with every result, in tables of several kinds.

use ludens_engine::playout::Choice;
use ludens_engine::{MoveId, Role, RoleMap};

/// The value of a move that was never made: optimistic.
pub(super) const UNKNOWN: f32 = 75.0;

/// A mean that changes with every result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Average {
    pub(super) count: f32,
    pub(super) mean: f32,
}

impl Average {
    pub(super) fn add(&mut self, value: f32) {
        self.count += 1.0;
        self.mean += (value - self.mean) / self.count;
    }

    /// The mean if it is over `count` results at least.
    pub(super) fn over(&self, count: f32) -> Option<f32> {
        (self.count >= count).then_some(self.mean)
    }
}

/// The mean goal after each move of each role, wherever it was made. Tables grow with the moves that are met.
pub(super) struct Averages {
    table: RoleMap<Vec<Average>>,
}

impl Averages {
    pub(super) fn new(roles: usize) -> Averages {
        Averages {
            table: RoleMap::filled(roles, Vec::new()),
        }
    }

    pub(super) fn mean(&self, role: Role, MoveId(number): MoveId) -> Option<f32> {
        let average = self.table[role].get(number as usize)?;
        (average.count > 0.0).then_some(average.mean)
    }

    /// The value of a move: its mean, or that of an unknown one.
    pub(super) fn value(&self, role: Role, move_id: MoveId) -> f32 {
        self.mean(role, move_id).unwrap_or(UNKNOWN)
    }

    /// The averages of a role, by the number of the move.
    pub(super) fn of(&self, role: Role) -> &[Average] {
        &self.table[role]
    }

    pub(super) fn learn(&mut self, choices: &[Choice], goals: &RoleMap<f64>) {
        for choice in choices {
            let goal = goals[choice.role] as f32;
            add_at(&mut self.table[choice.role], choice.move_id.0, goal);
        }
    }

    pub(super) fn fade(&mut self, keep: f32) {
        fade(self.table.values_mut().flatten(), keep);
    }
}

/// Adds a value to an entry of a table that grows as needed.
pub(super) fn add_at(table: &mut Vec<Average>, number: u32, value: f32) {
    let number = number as usize;
    if number >= table.len() {
        table.resize(number + 1, Average::default());
    }
    table[number].add(value);
}

/// Keeps a share of the weight of averages against later results.
pub(super) fn fade<'a>(averages: impl Iterator<Item = &'a mut Average>, keep: f32) {
    averages.for_each(|average| average.count *= keep);
}

/// Averages by key in a table of fixed size. Keys that fall on the same entry overwrite each other; the newest stays.
pub(super) struct HashedAverages {
    /// A power of two of entries.
    table: Vec<(u64, Average)>,
}

impl HashedAverages {
    pub(super) fn new(entries: usize) -> HashedAverages {
        HashedAverages {
            table: vec![(0, Average::default()); entries.next_power_of_two()],
        }
    }

    fn index(&self, hash: u64) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// The mean of a key, if it is over `count` results at least. Keys are not 0.
    pub(super) fn mean(&self, key: u64, hash: u64, count: f32) -> Option<f32> {
        let (known, average) = &self.table[self.index(hash)];
        (*known == key).then(|| average.over(count))?
    }

    pub(super) fn add(&mut self, key: u64, hash: u64, value: f32) {
        let index = self.index(hash);
        let entry = &mut self.table[index];
        if entry.0 != key {
            *entry = (key, Average::default());
        }
        entry.1.add(value);
    }

    pub(super) fn fade(&mut self, keep: f32) {
        fade(self.table.iter_mut().map(|(_, average)| average), keep);
    }
}
