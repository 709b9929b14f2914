//! Alpha-beta over the value of the searching role, with all others against it (the paranoid assumption). In two-player
//! constant-sum games it is exact.
//!
//! Values and windows are those of the searching role. Where another role chooses, signs are flipped, so that the role
//! to choose always maximises. Roles that choose at the same time are taken to choose in sequence, the searching role
//! first, within one step of depth. Chance nodes are means.

use super::context::{Frame, SearchContext, Side, Stopped, Turn};
use super::settings::{MultiCut, Settings};
use super::transposition::{Bound, Entry, PLY};
use ludens_engine::{MoveId, Role};

/// Result of a search: a value, which is a bound if it lies outside the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) value: f64,
    /// Whether it is proved: no evaluation contributes to it.
    pub(super) certain: bool,
}

/// The window of values that matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    pub(super) alpha: f64,
    pub(super) beta: f64,
}

impl Window {
    pub(super) const OPEN: Window = Window {
        alpha: f64::NEG_INFINITY,
        beta: f64::INFINITY,
    };

    /// The null window just above a value.
    pub(super) fn above(value: f64) -> Window {
        Window {
            alpha: value,
            beta: value.next_up(),
        }
    }

    /// Whether nothing lies strictly between the ends.
    fn is_null(self) -> bool {
        self.alpha.next_up() >= self.beta
    }

    /// The window as a side sees it.
    fn of(self, side: Side) -> Window {
        match side {
            Side::Against => Window {
                alpha: -self.beta,
                beta: -self.alpha,
            },
            Side::Own | Side::Chance => self,
        }
    }
}

impl Side {
    /// A value of the searching role as this side sees it, and back.
    fn sees(self, value: f64) -> f64 {
        match self {
            Side::Against => -value,
            Side::Own | Side::Chance => value,
        }
    }
}

/// The expected type of a node (Knuth and Moore, 1975).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// PV node: its exact value matters.
    Value,
    /// Cut node: some move causes a cut-off.
    Cut,
    /// All node: no move does.
    All,
}

impl Expected {
    /// The expected type of the successor by a move.
    fn after(self, is_first: bool) -> Expected {
        match self {
            Expected::Value if is_first => Expected::Value,
            Expected::Value | Expected::All => Expected::Cut,
            Expected::Cut => Expected::All,
        }
    }
}

/// A search of the machine's state.
#[derive(Clone, Copy)]
pub(super) struct Task {
    /// Distance from the root.
    pub(super) ply: usize,
    pub(super) depth: i32,
    pub(super) window: Window,
    pub(super) expected: Expected,
}

impl SearchContext {
    /// Searches the machine's state.
    pub(super) fn visit(&mut self, task: Task) -> Result<Found, Stopped> {
        self.count()?;
        if self.is_end() {
            return Ok(self.end());
        }
        if task.depth <= 0 {
            return self.leaf(task);
        }
        let hash = self.machine.state().hash64();
        let mut hint = None;
        if let Some((entry, values)) = self.table.get(hash) {
            hint = entry.index;
            if is_usable(&entry, task.depth, &self.settings) && settles(&entry, values[0], task.window) {
                return Ok(Found {
                    value: values[0],
                    certain: entry.certain,
                });
            }
        }
        let mut frame = self.take_frame(task.ply);
        if !self.describe(&mut frame) {
            self.frames[task.ply] = frame;
            return Ok(self.stuck());
        }
        let found = match self.enhanced_cut(&mut frame, task)? {
            Some(found) => found,
            None => {
                let (found, index) = self.choose(&mut frame, 0, task, hint)?;
                self.remember(hash, task, found, index);
                found
            }
        };
        self.frames[task.ply] = frame;
        Ok(found)
    }

    fn remember(&mut self, hash: u64, task: Task, found: Found, index: Option<u32>) {
        let bound = if found.value >= task.window.beta {
            Bound::Lower
        } else if found.value <= task.window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let entry = Entry {
            depth: task.depth,
            bound,
            certain: found.certain,
            index,
        };
        self.table.put(hash, entry, &[found.value]);
    }

    /// The value of a terminal state.
    fn end(&self) -> Found {
        Found {
            value: f64::from(self.end_goals()[self.role]),
            certain: true,
        }
    }

    /// The value of a state in which some role has no legal move: the game ends there with the goals that hold.
    fn stuck(&mut self) -> Found {
        Found {
            value: f64::from(self.machine.score(self.role)),
            certain: true,
        }
    }

    /// Chooses for the role of a turn and for those after it. Also returns the index of the best move at the first turn
    /// of a state.
    pub(super) fn choose(
        &mut self,
        frame: &mut Frame,
        turn: usize,
        task: Task,
        hint: Option<u32>,
    ) -> Result<(Found, Option<u32>), Stopped> {
        match frame.turns.get(turn) {
            None => self.follow(frame, task, PLY).map(|found| (found, None)),
            Some(&Turn {
                role,
                side: Side::Chance,
            }) => self.mean(frame, turn, role, task).map(|found| (found, None)),
            Some(&Turn { role, side }) => {
                let mut choice = Choice {
                    role,
                    side,
                    turn,
                    task,
                    window: task.window.of(side),
                    alone: frame.turns.len() == 1,
                };
                let mut order = std::mem::take(&mut frame.orders[turn]);
                let legal = std::mem::take(&mut frame.legal[role]);
                self.ordering.sort(task.ply, role, &legal, hint, &mut order);
                let mut indices: Vec<u32> = order.iter().map(|&(_, index)| index).collect();
                let result = match self.multi_cut(frame, &choice, &legal, &mut indices) {
                    Ok(Some(found)) => Ok((found, None)),
                    Ok(None) => self.best(frame, &mut choice, &legal, &indices),
                    Err(stopped) => Err(stopped),
                };
                frame.orders[turn] = order;
                frame.legal[role] = legal;
                result
            }
        }
    }

    /// The best of all moves of a role.
    fn best(
        &mut self,
        frame: &mut Frame,
        choice: &mut Choice,
        legal: &[MoveId],
        indices: &[u32],
    ) -> Result<(Found, Option<u32>), Stopped> {
        let Choice { role, side, task, .. } = *choice;
        let lowest = choice.window.alpha;
        let top = self.top(side);
        let mut best = f64::NEG_INFINITY;
        let mut best_index = None;
        let mut all_certain = true;
        let mut line = Vec::new();
        for (number, &index) in indices.iter().enumerate() {
            frame.joint[role] = legal[index as usize];
            let found = self.try_move(frame, choice, index, number == 0)?;
            let value = side.sees(found.value);
            all_certain &= found.certain;
            if value > best {
                best = value;
                best_index = Some((number, index));
                if !task.window.is_null() && value > lowest {
                    line = std::mem::take(&mut frame.line);
                }
            }
            choice.window.alpha = choice.window.alpha.max(best);
            let is_cut = self.settings.cut && best >= choice.window.beta;
            // No value is greater than the greatest goal.
            let is_top = self.settings.cut && found.certain && value >= top;
            if is_cut || is_top {
                self.reward(choice, legal, indices, number);
                frame.line = line;
                let found = Found {
                    value: side.sees(best),
                    certain: found.certain,
                };
                return Ok((found, Some(index)));
            }
        }
        frame.line = line;
        if best > lowest
            && let Some((number, _)) = best_index
        {
            self.reward(choice, legal, indices, number);
        }
        let found = Found {
            value: side.sees(best),
            certain: all_certain,
        };
        // If no move raised alpha, only upper bounds are known.
        Ok((found, best_index.filter(|_| best > lowest).map(|(_, index)| index)))
    }

    /// Searches a move, with a null window first where that is enabled.
    fn try_move(&mut self, frame: &mut Frame, choice: &Choice, index: u32, is_first: bool) -> Result<Found, Stopped> {
        let Choice { role, side, task, .. } = *choice;
        let window = if self.settings.cut { choice.window } else { Window::OPEN };
        let likelihood = self.settings.likelihood.filter(|_| choice.alone);
        let (cost, least) = match &likelihood {
            Some(likelihood) => (
                self.ordering.cost(role, frame.joint[role], likelihood),
                (likelihood.least * f64::from(PLY)) as i32,
            ),
            None => (PLY, PLY),
        };
        let expected = task.expected.after(is_first);
        let asks_first = self.settings.principal && self.settings.cut && !is_first && !window.is_null();
        let first = if asks_first {
            Window::above(window.alpha)
        } else {
            window
        };
        let found = self.after(frame, choice, index, first, expected, cost)?;
        let value = side.sees(found.value);
        let is_good = value > window.alpha;
        if is_good && (cost > least || asks_first && value < window.beta) {
            return self.after(frame, choice, index, window, Expected::Value, least);
        }
        Ok(found)
    }

    /// Searches on after a move was put into the joint move.
    fn after(
        &mut self,
        frame: &mut Frame,
        choice: &Choice,
        index: u32,
        window: Window,
        expected: Expected,
        cost: i32,
    ) -> Result<Found, Stopped> {
        let task = Task {
            window: window.of(choice.side),
            expected,
            ..choice.task
        };
        if choice.alone {
            if let Some(Some(child)) = frame.children.get(index as usize) {
                self.machine.load(child);
                return self.enter(frame, task, cost);
            }
            return self.follow(frame, task, cost);
        }
        self.choose(frame, choice.turn + 1, task, None).map(|(found, _)| found)
    }

    /// Makes the joint move and searches the successor.
    fn follow(&mut self, frame: &mut Frame, task: Task, cost: i32) -> Result<Found, Stopped> {
        self.step(frame);
        self.enter(frame, task, cost)
    }

    /// Searches the successor, which is the machine's state.
    fn enter(&mut self, frame: &mut Frame, task: Task, cost: i32) -> Result<Found, Stopped> {
        let below = Task {
            ply: task.ply + 1,
            depth: task.depth - cost,
            ..task
        };
        if let Some(next) = self.frames.get_mut(below.ply) {
            next.line.clear();
        }
        let found = self.visit(below)?;
        if !task.window.is_null() {
            frame.line.clear();
            frame.line.push(frame.joint.as_slice().to_vec());
            if let Some(next) = self.frames.get_mut(below.ply) {
                frame.line.append(&mut next.line);
            }
        }
        Ok(found)
    }

    /// The mean over the moves of chance.
    fn mean(&mut self, frame: &mut Frame, turn: usize, role: Role, task: Task) -> Result<Found, Stopped> {
        let moves = std::mem::take(&mut frame.legal[role]);
        let task = Task {
            // A cut-off needs bounds for all moves that are left; so every move is searched with an open window.
            window: Window::OPEN,
            expected: Expected::Value,
            ..task
        };
        let mut total = Found {
            value: 0.0,
            certain: true,
        };
        for &made in &moves {
            frame.joint[role] = made;
            let (found, _) = self.choose(frame, turn + 1, task, None)?;
            total.value += found.value;
            total.certain &= found.certain;
        }
        total.value /= moves.len() as f64;
        frame.legal[role] = moves;
        frame.line.clear();
        Ok(total)
    }

    /// The best value for a side.
    fn top(&self, side: Side) -> f64 {
        let (least, most) = self.range[self.role];
        match side {
            Side::Against => -least,
            Side::Own | Side::Chance => most,
        }
    }

    /// Records a good move, so that it is tried earlier.
    fn reward(&mut self, choice: &Choice, legal: &[MoveId], indices: &[u32], number: usize) {
        let made = legal[indices[number] as usize];
        let before = indices[..number].iter().map(|&index| legal[index as usize]);
        self.ordering
            .reward(choice.task.ply, choice.role, made, before, choice.task.depth);
        if self.settings.likelihood.is_some() {
            self.ordering.learn(choice.role, legal, made);
        }
    }

    /// Enhanced transposition cut-off: a successor in the table may refute the state before any is searched.
    fn enhanced_cut(&mut self, frame: &mut Frame, task: Task) -> Result<Option<Found>, Stopped> {
        let &[Turn { role, side }] = &frame.turns[..] else {
            return Ok(None);
        };
        let is_wanted = self.settings.enhanced && self.settings.cut && self.settings.table > 0;
        // If moves differ in cost, the depth of a successor is not known yet.
        if !is_wanted || side == Side::Chance || task.depth <= 2 * PLY || self.settings.likelihood.is_some() {
            return Ok(None);
        }
        let window = task.window.of(side);
        frame.children.resize(frame.legal[role].len(), None);
        for index in 0..frame.legal[role].len() {
            self.check_stop()?;
            frame.joint[role] = frame.legal[role][index];
            self.step(frame);
            let child = self.machine.state();
            let known = self.table.get(child.hash64());
            frame.children[index] = Some(child.clone());
            if let Some((entry, values)) = known
                && is_usable(&entry, task.depth - PLY, &self.settings)
                && is_no_less(&entry, side)
                && side.sees(values[0]) >= window.beta
            {
                return Ok(Some(Found {
                    value: values[0],
                    certain: entry.certain,
                }));
            }
        }
        Ok(None)
    }

    /// Multi-cut: prunes the state if several shallow searches cut off; otherwise moves those moves to the front.
    fn multi_cut(
        &mut self,
        frame: &mut Frame,
        choice: &Choice,
        legal: &[MoveId],
        indices: &mut [u32],
    ) -> Result<Option<Found>, Stopped> {
        let task = choice.task;
        let Some(multi_cut) = self.settings.multi_cut.filter(|_| self.settings.cut) else {
            return Ok(None);
        };
        let cuts_needed = match task.expected {
            Expected::Value => return Ok(None),
            Expected::Cut => multi_cut.cuts,
            Expected::All => multi_cut.cuts.saturating_sub(1).max(1),
        };
        if !choice.alone || task.depth <= 2 * PLY || !choice.window.is_null() {
            return Ok(None);
        }
        let MultiCut { moves, reduction, .. } = multi_cut;
        let mut cuts = 0;
        for number in 0..indices.len().min(moves) {
            let index = indices[number];
            frame.joint[choice.role] = legal[index as usize];
            let cost = PLY * (1 + reduction as i32);
            let expected = task.expected.after(false);
            let found = self.after(frame, choice, index, choice.window, expected, cost)?;
            let value = choice.side.sees(found.value);
            if value < choice.window.beta {
                continue;
            }
            if found.certain {
                return Ok(Some(found));
            }
            indices[cuts..=number].rotate_right(1);
            cuts += 1;
            if cuts >= cuts_needed {
                return Ok(Some(Found {
                    value: choice.side.sees(choice.window.beta),
                    certain: false,
                }));
            }
        }
        Ok(None)
    }

    /// The value of a state at the maximum depth.
    fn leaf(&mut self, task: Task) -> Result<Found, Stopped> {
        match self.settings.quiescence {
            Some(quiescence) => self.quiesce(task, quiescence.threshold, quiescence.steps),
            None => Ok(self.evaluation()),
        }
    }

    fn evaluation(&mut self) -> Found {
        Found {
            value: self.evaluate()[0],
            certain: false,
        }
    }

    /// Quiescence search: follows moves that change the evaluation much. The role to choose may also stand pat.
    fn quiesce(&mut self, task: Task, threshold: f64, steps: u32) -> Result<Found, Stopped> {
        let here = self.evaluation();
        let mut frame = self.take_frame(task.ply);
        let can_move = self.describe(&mut frame);
        let result = match frame.turns[..] {
            [Turn { role, side }] if can_move && steps > 0 && side != Side::Chance => {
                self.quiesce_choice(&mut frame, task, (role, side), here, threshold, steps)
            }
            _ => Ok(here),
        };
        self.frames[task.ply] = frame;
        result
    }

    fn quiesce_choice(
        &mut self,
        frame: &mut Frame,
        task: Task,
        (role, side): (Role, Side),
        here: Found,
        threshold: f64,
        steps: u32,
    ) -> Result<Found, Stopped> {
        let mut window = match self.settings.cut {
            true => task.window.of(side),
            false => Window::OPEN,
        };
        let mut best = side.sees(here.value);
        for index in 0..frame.legal[role].len() {
            window.alpha = window.alpha.max(best);
            if self.settings.cut && best >= window.beta {
                break;
            }
            frame.joint[role] = frame.legal[role][index];
            self.step(frame);
            self.count()?;
            let value = if self.is_end() {
                self.end().value
            } else {
                let there = self.evaluation();
                if (there.value - here.value).abs() <= threshold {
                    continue;
                }
                let below = Task {
                    ply: task.ply + 1,
                    window: window.of(side),
                    ..task
                };
                self.quiesce(below, threshold, steps - 1)?.value
            };
            best = best.max(side.sees(value));
        }
        Ok(Found {
            value: side.sees(best),
            certain: false,
        })
    }
}

/// A choice of one role on the line that is searched.
struct Choice {
    role: Role,
    side: Side,
    /// Index of the turn in its state.
    turn: usize,
    task: Task,
    /// As the side sees it; alpha rises while moves are searched.
    window: Window,
    /// Whether no other role chooses at the same time.
    alone: bool,
}

/// Whether an entry of the table answers a search of this depth.
pub(super) fn is_usable(entry: &Entry, depth: i32, settings: &Settings) -> bool {
    // A proved value is the same at every depth.
    entry.depth == depth
        || entry.certain && entry.depth <= depth
        || settings.deeper && (entry.certain || entry.depth >= depth)
}

fn settles(entry: &Entry, value: f64, window: Window) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => value >= window.beta,
        Bound::Upper => value <= window.alpha,
    }
}

/// Whether the value is no less than known, as a side sees it.
fn is_no_less(entry: &Entry, side: Side) -> bool {
    match (entry.bound, side) {
        (Bound::Exact, _) => true,
        (Bound::Lower, Side::Against) | (Bound::Upper, Side::Own | Side::Chance) => false,
        (Bound::Lower, Side::Own | Side::Chance) | (Bound::Upper, Side::Against) => true,
    }
}
