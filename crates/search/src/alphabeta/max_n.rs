//! Max-n (Luckhardt and Irani, 1986): every role maximises its own value, so a state has one value per role.
//!
//! Values of one role say nothing about those of another, so hardly anything can be pruned, and the transposition table
//! keeps whole vectors. Ties for the role to move go to the move that is worst for the searching role, then to lesser
//! values of the others in their order, so values do not depend on the order of moves.

use super::context::{Frame, SearchContext, Side, Stopped, Turn};
use super::paranoid::is_usable;
use super::transposition::{Bound, Entry, PLY};
use ludens_engine::{Role, RoleMap};

/// Result of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) values: RoleMap<f64>,
    /// Whether they are proved: no evaluation contributes to them.
    pub(super) certain: bool,
}

impl SearchContext {
    /// Searches the machine's state for all roles.
    pub(super) fn visit_all(&mut self, ply: usize, depth: i32) -> Result<Values, Stopped> {
        self.count()?;
        if self.is_end() {
            return Ok(self.end_values());
        }
        if depth <= 0 {
            return self.leaf_values(ply);
        }
        let hash = self.machine.state().hash64();
        if let Some((entry, values)) = self.table.get(hash)
            && is_usable(&entry, depth, &self.settings)
        {
            return Ok(Values {
                values: values.iter().copied().collect(),
                certain: entry.certain,
            });
        }
        let mut frame = self.take_frame(ply);
        let found = match self.describe(&mut frame) {
            true => self.choose_for_all(&mut frame, 0, ply, depth)?,
            false => self.stuck_values(),
        };
        self.frames[ply] = frame;
        let entry = Entry {
            depth,
            bound: Bound::Exact,
            certain: found.certain,
            index: None,
        };
        self.table.put(hash, entry, found.values.as_slice());
        Ok(found)
    }

    fn end_values(&self) -> Values {
        Values {
            values: self.end_goals().values().map(|&goal| f64::from(goal)).collect(),
            certain: true,
        }
    }

    /// The game ends where some role has no legal move, with the goals that hold.
    fn stuck_values(&mut self) -> Values {
        let scores = self.range.roles().map(|role| f64::from(self.machine.score(role)));
        Values {
            values: scores.collect(),
            certain: true,
        }
    }

    /// Chooses for the role of a turn and for those after it.
    pub(super) fn choose_for_all(
        &mut self,
        frame: &mut Frame,
        turn: usize,
        ply: usize,
        depth: i32,
    ) -> Result<Values, Stopped> {
        let Some(&Turn { role, side }) = frame.turns.get(turn) else {
            self.step(frame);
            if let Some(next) = self.frames.get_mut(ply + 1) {
                next.line.clear();
            }
            let found = self.visit_all(ply + 1, depth - PLY)?;
            frame.line.clear();
            frame.line.push(frame.joint.as_slice().to_vec());
            if let Some(next) = self.frames.get_mut(ply + 1) {
                frame.line.append(&mut next.line);
            }
            return Ok(found);
        };
        let moves = std::mem::take(&mut frame.legal[role]);
        let mut best: Option<Values> = None;
        let mut total = RoleMap::filled(self.range.len(), 0.0);
        let mut all_certain = true;
        let mut line = Vec::new();
        for &made in &moves {
            frame.joint[role] = made;
            let found = self.choose_for_all(frame, turn + 1, ply, depth)?;
            all_certain &= found.certain;
            for (total, value) in total.values_mut().zip(found.values.values()) {
                *total += value;
            }
            if best
                .as_ref()
                .is_none_or(|best| self.is_preferred(role, &found.values, &best.values))
            {
                line = std::mem::take(&mut frame.line);
                let is_top = self.settings.cut && self.is_unbeatable(role, &found.values);
                best = Some(found);
                if is_top && side != Side::Chance {
                    break;
                }
            }
        }
        let values = match (side, best) {
            (Side::Own | Side::Against, Some(best)) => {
                frame.line = line;
                best.values
            }
            _ => {
                frame.line.clear();
                total.values_mut().for_each(|total| *total /= moves.len() as f64);
                total
            }
        };
        frame.legal[role] = moves;
        Ok(Values {
            values,
            certain: all_certain,
        })
    }

    /// Whether a role prefers one vector to the other.
    fn is_preferred(&self, role: Role, one: &RoleMap<f64>, other: &RoleMap<f64>) -> bool {
        let by_mover = one[role].total_cmp(&other[role]);
        let by_own = other[self.role].total_cmp(&one[self.role]);
        let by_all = || {
            let pairs = other
                .values()
                .zip(one.values())
                .map(|(other, one)| other.total_cmp(one));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        by_mover.then(by_own).then_with(by_all).is_gt()
    }

    /// Whether no vector can be preferred: the most for the role to choose, the least for all others.
    fn is_unbeatable(&self, role: Role, values: &RoleMap<f64>) -> bool {
        let mut values = values.iter();
        values.all(|(other, &value)| match other == role {
            true => value >= self.range[other].1,
            false => value <= self.range[other].0,
        })
    }

    fn leaf_values(&mut self, ply: usize) -> Result<Values, Stopped> {
        match self.settings.quiescence {
            Some(quiescence) => self.quiescent_values(ply, quiescence.threshold, quiescence.steps),
            None => Ok(self.evaluated_values()),
        }
    }

    fn evaluated_values(&mut self) -> Values {
        Values {
            values: self.evaluate().iter().copied().collect(),
            certain: false,
        }
    }

    /// Quiescence search: follows moves that change the evaluation of the role to move much. It may also stand pat.
    fn quiescent_values(&mut self, ply: usize, threshold: f64, steps: u32) -> Result<Values, Stopped> {
        let here = self.evaluated_values();
        let mut frame = self.take_frame(ply);
        let can_move = self.describe(&mut frame);
        let mut best = here.clone();
        if let [Turn { role, side }] = frame.turns[..]
            && can_move
            && steps > 0
            && side != Side::Chance
        {
            for index in 0..frame.legal[role].len() {
                frame.joint[role] = frame.legal[role][index];
                self.step(&frame);
                self.count()?;
                let found = if self.is_end() {
                    self.end_values()
                } else {
                    let there = self.evaluated_values();
                    if (there.values[role] - here.values[role]).abs() <= threshold {
                        continue;
                    }
                    self.quiescent_values(ply + 1, threshold, steps - 1)?
                };
                if self.is_preferred(role, &found.values, &best.values) {
                    best = found;
                }
            }
        }
        self.frames[ply] = frame;
        best.certain = false;
        Ok(best)
    }
}
