//! One condition of a rule: its tests, the rows that match it, and the terms that it makes.

use super::{Cursor, Evaluator, LAYERS, Round, Scratch};
use crate::meter::LimitHit;
use crate::plan::{Access, Builder, Pattern, RelationId, Step};
use crate::program::Program;
use crate::table::{END, Table};
use crate::term::{TermId, TermPool};

impl Evaluator {
    pub(super) fn test(&mut self, program: &Program, step: &Step, scratch: &mut Scratch) -> Result<bool, LimitHit> {
        Ok(match step {
            Step::Distinct(a, b) => {
                let a = self.build(a, &scratch.slots, &mut scratch.build)?;
                a != self.build(b, &scratch.slots, &mut scratch.build)?
            }
            Step::Test {
                relation,
                row,
                expected,
            } => {
                scratch.row.clear();
                for builder in row {
                    match self.look_up(builder, &scratch.slots, &mut scratch.build) {
                        Some(term) => scratch.row.push(term),
                        None => return Ok(!expected),
                    }
                }
                self.contains(program, relation.index(), &scratch.row) == *expected
            }
            Step::None(access) => {
                let mut cursor = Cursor::default();
                self.enter(program, access, &mut cursor, scratch)?;
                !self.advance(program, access, &mut cursor, &mut scratch.slots)
            }
            Step::Each(_) | Step::EachNew(_) => unreachable!("enumerations are not tests"),
        })
    }

    pub(super) fn next_match(
        &mut self,
        program: &Program,
        access: &Access,
        at: usize,
        entering: bool,
        scratch: &mut Scratch,
    ) -> Result<bool, LimitHit> {
        let mut cursor = scratch.cursors[at];
        if entering {
            cursor = Cursor::default();
            self.enter(program, access, &mut cursor, scratch)?;
        }
        let found = self.advance(program, access, &mut cursor, &mut scratch.slots);
        scratch.cursors[at] = cursor;
        Ok(found)
    }

    /// Puts a cursor before its first candidate.
    fn enter(
        &mut self,
        program: &Program,
        access: &Access,
        cursor: &mut Cursor,
        scratch: &mut Scratch,
    ) -> Result<(), LimitHit> {
        let relation = access.relation.index();
        cursor.layer = 0;
        if let Some((index, key)) = &access.index {
            scratch.row.clear();
            for builder in key {
                match self.look_up(builder, &scratch.slots, &mut scratch.build) {
                    Some(term) => scratch.row.push(term),
                    None => {
                        // A term that does not exist stands in no row.
                        cursor.layer = LAYERS;
                        cursor.row = END;
                        return Ok(());
                    }
                }
            }
            for layer in 0..LAYERS {
                self.tables[layer][relation].refresh_within(*index, &self.pool, &mut self.meter)?;
            }
        }
        self.enter_layer(program, access, cursor, &scratch.row);
        Ok(())
    }

    fn enter_layer(&self, program: &Program, access: &Access, cursor: &mut Cursor, key: &[TermId]) {
        let table = self.table(program, access.relation, cursor.layer);
        match &access.index {
            Some((index, _)) => cursor.row = table.first(*index, key),
            None => {
                cursor.row = 0;
                cursor.end = table.len() as u32;
            }
        }
    }

    fn table<'a>(&'a self, program: &'a Program, relation: RelationId, layer: usize) -> &'a Table {
        match layer {
            0 => &program.fixed[relation.index()],
            _ => &self.tables[layer - 1][relation.index()],
        }
    }

    /// Goes to the next row that matches; false if there is none.
    fn advance(&mut self, program: &Program, access: &Access, cursor: &mut Cursor, slots: &mut [TermId]) -> bool {
        loop {
            let table = self.table(program, access.relation, cursor.layer);
            let row = cursor.row;
            let is_over = match access.index {
                Some(_) => row == END,
                None => row >= cursor.end,
            };
            if is_over {
                if cursor.layer == LAYERS {
                    return false;
                }
                cursor.layer += 1;
                let mut key = std::mem::take(&mut self.scratch.row);
                key.clear();
                if let Some((_, builders)) = &access.index {
                    let mut build = std::mem::take(&mut self.scratch.build);
                    for builder in builders {
                        // Known to exist: the cursor was entered with it.
                        key.extend(self.look_up(builder, slots, &mut build));
                    }
                    self.scratch.build = build;
                }
                self.enter_layer(program, access, cursor, &key);
                self.scratch.row = key;
                continue;
            }
            cursor.row = match &access.index {
                Some((index, _)) => table.next(*index, row),
                None => row + 1,
            };
            let matches = table
                .row(row)
                .iter()
                .zip(&access.patterns)
                .all(|(&term, pattern)| matches(pattern, term, &self.pool, slots));
            if matches {
                return true;
            }
            self.meter.count(1);
        }
    }

    pub(super) fn next_new(
        &mut self,
        access: &Access,
        round: &Round,
        at: usize,
        entering: bool,
        scratch: &mut Scratch,
    ) -> bool {
        let cursor = &mut scratch.cursors[at];
        if entering {
            let place = round
                .from
                .binary_search_by_key(&access.relation, |&(relation, ..)| relation);
            (cursor.row, cursor.end) = place.map_or((0, 0), |place| {
                let (_, from, to) = round.from[place];
                let table = &self.tables[round.layer][access.relation.index()];
                narrowed(table, access, &mut scratch.row, from, to)
            });
        }
        let table = &self.tables[round.layer][access.relation.index()];
        while cursor.row < cursor.end {
            let row = table.row(cursor.row);
            cursor.row += 1;
            let found = row
                .iter()
                .zip(&access.patterns)
                .all(|(&term, pattern)| matches(pattern, term, &self.pool, &mut scratch.slots));
            if found {
                return true;
            }
            self.meter.count(1);
        }
        false
    }

    /// Makes a term, adding it to the pool if it is new.
    pub(super) fn build(
        &mut self,
        builder: &Builder,
        slots: &[TermId],
        stack: &mut Vec<TermId>,
    ) -> Result<TermId, LimitHit> {
        match builder {
            Builder::Constant(term) => Ok(*term),
            Builder::Slot(slot) => Ok(slots[*slot as usize]),
            Builder::Call(name, args) => {
                let base = stack.len();
                for arg in args {
                    let term = self.build(arg, slots, stack)?;
                    stack.push(term);
                }
                let term = self.pool.intern_within(*name, &stack[base..], &mut self.meter);
                stack.truncate(base);
                term
            }
        }
    }

    /// Finds a term; `None` if it does not exist.
    fn look_up(&self, builder: &Builder, slots: &[TermId], stack: &mut Vec<TermId>) -> Option<TermId> {
        match builder {
            Builder::Constant(term) => Some(*term),
            Builder::Slot(slot) => Some(slots[*slot as usize]),
            Builder::Call(name, args) => {
                let base = stack.len();
                for arg in args {
                    match self.look_up(arg, slots, stack) {
                        Some(term) => stack.push(term),
                        None => {
                            stack.truncate(base);
                            return None;
                        }
                    }
                }
                let term = self.pool.find(*name, &stack[base..]);
                stack.truncate(base);
                term
            }
        }
    }
}

/// The rows of a range that a condition has to visit: a single one if it names the row.
fn narrowed(table: &Table, access: &Access, row: &mut Vec<TermId>, from: u32, to: u32) -> (u32, u32) {
    row.clear();
    for pattern in &access.patterns {
        match pattern {
            Pattern::Constant(term) => row.push(*term),
            Pattern::Bind(_) | Pattern::Same(_) | Pattern::Call(..) => return (from, to),
        }
    }
    match table.find(row) {
        Some(number) if (from..to).contains(&number) => (number, number + 1),
        _ => (0, 0),
    }
}

fn matches(pattern: &Pattern, term: TermId, pool: &TermPool, slots: &mut [TermId]) -> bool {
    match pattern {
        Pattern::Constant(expected) => *expected == term,
        Pattern::Same(slot) => slots[*slot as usize] == term,
        Pattern::Bind(slot) => {
            slots[*slot as usize] = term;
            true
        }
        Pattern::Call(name, patterns) => {
            let args = pool.args(term);
            pool.name(term) == *name
                && args.len() == patterns.len()
                && patterns
                    .iter()
                    .zip(args)
                    .all(|(pattern, &arg)| matches(pattern, arg, pool, slots))
        }
    }
}
