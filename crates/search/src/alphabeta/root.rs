//! The moves of the root: their values after each iteration of iterative deepening.

use super::context::{Frame, SearchContext, Stopped};
use super::paranoid::{Expected, Task, Window};
use super::settings::Model;
use super::transposition::PLY;
use crate::decision::MoveStatistics;
use ludens_engine::{MoveId, Rng, Role, State};

/// A move of the root.
#[derive(Clone, Debug)]
struct RootMove {
    move_id: MoveId,
    /// Its value in the deepest iteration that found one.
    value: Option<f64>,
    /// Whether that value is proved.
    proved: bool,
    /// Whether the deepest iteration searched it.
    is_searched: bool,
    /// States visited after it.
    nodes: u64,
}

/// The moves of the root, best first.
pub(super) struct Root {
    frame: Frame,
    moves: Vec<RootMove>,
    /// The move to make.
    pub(super) choice: MoveId,
    pub(super) value: Option<f64>,
    pub(super) line: Vec<Vec<MoveId>>,
    /// Depth of the last complete iteration, in steps.
    pub(super) depth: u32,
}

/// The result of searching a move.
struct Outcome {
    value: f64,
    certain: bool,
}

impl Root {
    /// The moves of a state; `None` if some role has no legal move. Equal moves are tried in random order.
    pub(super) fn new(context: &mut SearchContext, state: &State, rng: &mut Rng) -> Option<Root> {
        context.machine.load(state);
        let mut frame = Frame::default();
        let can_move = context.describe(&mut frame);
        let moves = frame.legal.get(context.role)?;
        let mut moves: Vec<RootMove> = moves
            .iter()
            .map(|&move_id| RootMove {
                move_id,
                value: None,
                proved: false,
                is_searched: false,
                nodes: 0,
            })
            .collect();
        for last in (1..moves.len()).rev() {
            moves.swap(last, rng.usize(..=last));
        }
        let choice = moves.first()?.move_id;
        can_move.then_some(Root {
            frame,
            moves,
            choice,
            value: None,
            line: Vec::new(),
            depth: 0,
        })
    }

    /// Number of moves.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Searches one step deeper. Returns whether the value is proved.
    pub(super) fn deepen(&mut self, context: &mut SearchContext) -> Result<bool, Stopped> {
        let depth = self.depth + 1;
        let (least, most) = context.range[context.role];
        self.moves
            .iter_mut()
            .for_each(|root_move| root_move.is_searched = false);
        let mut best: Option<(usize, Outcome)> = None;
        let mut all_certain = true;
        let before = (self.choice, self.value);
        for number in 0..self.moves.len() {
            let alpha = match &best {
                Some((_, best)) if context.settings.cut => best.value,
                _ => f64::NEG_INFINITY,
            };
            let nodes = context.nodes;
            let result = self.search(context, number, depth, alpha);
            self.moves[number].nodes += context.nodes - nodes;
            let outcome = match result {
                Ok(outcome) => outcome,
                Err(stopped) => {
                    self.leave_loss(best.as_ref(), least);
                    return Err(stopped);
                }
            };
            self.moves[number].is_searched = true;
            all_certain &= outcome.certain;
            let is_better = best.as_ref().is_none_or(|(_, best)| outcome.value > best.value);
            // A move that did not raise alpha has only an upper bound.
            let is_exact = is_better || context.settings.model == Model::MaxN || !context.settings.cut;
            self.moves[number].value = is_exact.then_some(outcome.value);
            self.moves[number].proved = is_exact && outcome.certain;
            if is_better {
                self.choice = self.moves[number].move_id;
                self.value = Some(outcome.value);
                self.line = std::mem::take(&mut self.frame.line);
                let is_won = context.settings.cut && outcome.certain && outcome.value >= most;
                best = Some((number, outcome));
                if is_won {
                    all_certain = true;
                    break;
                }
            }
        }
        self.depth = depth;
        if let Some((number, best)) = best {
            if all_certain && best.value <= least && before.1.is_some() {
                // All moves lose: the one that was refuted last may be the hardest to refute.
                self.choice = before.0;
                self.line.clear();
            }
            self.sort(number);
        }
        Ok(all_certain)
    }

    /// If the search stops when only proved losses are known, a move that was not searched is no worse.
    fn leave_loss(&mut self, best: Option<&(usize, Outcome)>, least: f64) {
        if let Some((_, best)) = best
            && best.certain
            && best.value <= least
            && let Some(other) = self.moves.iter().find(|root_move| !root_move.is_searched)
        {
            self.choice = other.move_id;
            self.line.clear();
        }
    }

    /// Sorts the best move first, the others by the states visited after them.
    fn sort(&mut self, best: usize) {
        let best = self.moves[best].move_id;
        self.moves
            .sort_by_key(|root_move| (root_move.move_id != best, std::cmp::Reverse(root_move.nodes)));
    }

    /// Searches a move; if it is not above `alpha`, its value is only a bound.
    fn search(
        &mut self,
        context: &mut SearchContext,
        number: usize,
        depth: u32,
        alpha: f64,
    ) -> Result<Outcome, Stopped> {
        let own = context.role;
        self.frame.joint[own] = self.moves[number].move_id;
        // The own role, if it has a choice, has the first turn.
        let turn = usize::from(self.moves.len() > 1);
        let depth = depth as i32 * PLY;
        if context.settings.model == Model::MaxN {
            let found = context.choose_for_all(&mut self.frame, turn, 0, depth)?;
            return Ok(Outcome {
                value: found.values[own],
                certain: found.certain,
            });
        }
        let is_first = alpha == f64::NEG_INFINITY;
        let asks_first = context.settings.principal && !is_first;
        let mut task = Task {
            ply: 0,
            depth,
            window: match asks_first {
                true => Window::above(alpha),
                false => Window { alpha, ..Window::OPEN },
            },
            expected: if is_first { Expected::Value } else { Expected::Cut },
        };
        let (mut found, _) = context.choose(&mut self.frame, turn, task, None)?;
        if asks_first && found.value > alpha {
            task.window = Window { alpha, ..Window::OPEN };
            task.expected = Expected::Value;
            found = context.choose(&mut self.frame, turn, task, None)?.0;
        }
        Ok(Outcome {
            value: found.value,
            certain: found.certain,
        })
    }

    /// Statistics of the moves, in the order of the legal moves.
    pub(super) fn statistics(&self, role: Role) -> Vec<MoveStatistics> {
        let moves = self.frame.legal[role].iter();
        moves
            .filter_map(|&move_id| {
                let root_move = self.moves.iter().find(|root_move| root_move.move_id == move_id)?;
                Some(MoveStatistics {
                    move_id,
                    probability: f64::from(u8::from(move_id == self.choice)),
                    value: match move_id == self.choice {
                        true => self.value,
                        false => root_move.value,
                    },
                    proved: root_move.proved,
                    visits: root_move.nodes,
                })
            })
            .collect()
    }
}
