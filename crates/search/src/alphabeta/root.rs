//! The moves at hand: what every search by one step deeper finds out about each of them.

use super::opposed::{Expected, Task, Window};
use super::settings::Model;
use super::stage::{Frame, Stage, Stopped};
use super::table::PLY;
use crate::decision::MoveStatistics;
use ludens_engine::{MoveId, Rng, State};

/// A move at hand.
#[derive(Clone, Debug)]
struct Hand {
    move_id: MoveId,
    /// What it was worth in the deepest search that found its value.
    value: Option<f64>,
    /// Whether no deeper search can change that value.
    proved: bool,
    /// Whether it was searched in the deepest search.
    is_searched: bool,
    /// States looked at behind it.
    nodes: u64,
}

/// The moves at hand, best first.
pub(super) struct Root {
    frame: Frame,
    hands: Vec<Hand>,
    /// The move to make.
    pub(super) choice: MoveId,
    pub(super) value: Option<f64>,
    pub(super) line: Vec<Vec<MoveId>>,
    /// The depth of the last search that was finished, in steps.
    pub(super) depth: u32,
}

/// What a search found about a move.
struct Outcome {
    value: f64,
    certain: bool,
}

impl Root {
    /// Those of a state in which every role has a legal move; nothing if somebody has none. Moves that seem equal are
    /// tried in a random order.
    pub(super) fn new(stage: &mut Stage, state: &State, rng: &mut Rng) -> Option<Root> {
        stage.machine.load(state);
        let mut frame = Frame::default();
        let can_move = stage.describe(&mut frame);
        let moves = frame.legal.get(stage.role.index())?;
        let mut hands: Vec<Hand> = moves
            .iter()
            .map(|&move_id| Hand {
                move_id,
                value: None,
                proved: false,
                is_searched: false,
                nodes: 0,
            })
            .collect();
        for last in (1..hands.len()).rev() {
            hands.swap(last, rng.usize(..=last));
        }
        let choice = hands.first()?.move_id;
        can_move.then_some(Root {
            frame,
            hands,
            choice,
            value: None,
            line: Vec::new(),
            depth: 0,
        })
    }

    /// The moves at hand.
    pub(super) fn len(&self) -> usize {
        self.hands.len()
    }

    /// Searches one step deeper. Says whether the value is certain, so that no deeper search can change it.
    pub(super) fn deepen(&mut self, stage: &mut Stage) -> Result<bool, Stopped> {
        let depth = self.depth + 1;
        let (least, most) = stage.range[stage.role.index()];
        self.hands.iter_mut().for_each(|hand| hand.is_searched = false);
        let mut best: Option<(usize, Outcome)> = None;
        let mut all_certain = true;
        let before = (self.choice, self.value);
        for number in 0..self.hands.len() {
            let alpha = match &best {
                Some((_, best)) if stage.settings.cut => best.value,
                _ => f64::NEG_INFINITY,
            };
            let nodes = stage.nodes;
            let result = self.search(stage, number, depth, alpha);
            self.hands[number].nodes += stage.nodes - nodes;
            let outcome = match result {
                Ok(outcome) => outcome,
                Err(stopped) => {
                    self.leave_loss(best.as_ref(), least);
                    return Err(stopped);
                }
            };
            self.hands[number].is_searched = true;
            all_certain &= outcome.certain;
            let is_better = best.as_ref().is_none_or(|(_, best)| outcome.value > best.value);
            // What is no better was only found to be no better.
            let is_exact = is_better || stage.settings.model == Model::MaxN || !stage.settings.cut;
            self.hands[number].value = is_exact.then_some(outcome.value);
            self.hands[number].proved = is_exact && outcome.certain;
            if is_better {
                self.choice = self.hands[number].move_id;
                self.value = Some(outcome.value);
                self.line = std::mem::take(&mut self.frame.line);
                let is_won = stage.settings.cut && outcome.certain && outcome.value >= most;
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
                // All is lost: what was refuted last may be the hardest to refute.
                self.choice = before.0;
                self.line.clear();
            }
            self.sort(number);
        }
        Ok(all_certain)
    }

    /// If the time is over when all that is known is a certain loss, anything not searched yet is no worse.
    fn leave_loss(&mut self, best: Option<&(usize, Outcome)>, least: f64) {
        if let Some((_, best)) = best
            && best.certain
            && best.value <= least
            && let Some(other) = self.hands.iter().find(|hand| !hand.is_searched)
        {
            self.choice = other.move_id;
            self.line.clear();
        }
    }

    /// The best first, the others by how much there was to search behind them.
    fn sort(&mut self, best: usize) {
        let best = self.hands[best].move_id;
        self.hands
            .sort_by_key(|hand| (hand.move_id != best, std::cmp::Reverse(hand.nodes)));
    }

    /// Searches a move; if it is not above `alpha`, its value is only a bound.
    fn search(&mut self, stage: &mut Stage, number: usize, depth: u32, alpha: f64) -> Result<Outcome, Stopped> {
        let own = stage.role.index();
        self.frame.joint[own] = self.hands[number].move_id;
        // The own role, if it has a choice, has the first turn.
        let turn = usize::from(self.hands.len() > 1);
        let depth = depth as i32 * PLY;
        if stage.settings.model == Model::MaxN {
            let found = stage.choose_for_all(&mut self.frame, turn, 0, depth)?;
            return Ok(Outcome {
                value: found.values[own],
                certain: found.certain,
            });
        }
        let is_first = alpha == f64::NEG_INFINITY;
        let asks_first = stage.settings.principal && !is_first;
        let mut task = Task {
            ply: 0,
            depth,
            window: match asks_first {
                true => Window::above(alpha),
                false => Window { alpha, ..Window::OPEN },
            },
            expected: if is_first { Expected::Value } else { Expected::Cut },
        };
        let (mut found, _) = stage.choose(&mut self.frame, turn, task, None)?;
        if asks_first && found.value > alpha {
            task.window = Window { alpha, ..Window::OPEN };
            task.expected = Expected::Value;
            found = stage.choose(&mut self.frame, turn, task, None)?.0;
        }
        Ok(Outcome {
            value: found.value,
            certain: found.certain,
        })
    }

    /// What is known of the moves, in the order of the legal moves.
    pub(super) fn statistics(&self, role: usize) -> Vec<MoveStatistics> {
        let moves = self.frame.legal[role].iter();
        moves
            .filter_map(|&move_id| {
                let hand = self.hands.iter().find(|hand| hand.move_id == move_id)?;
                Some(MoveStatistics {
                    move_id,
                    probability: f64::from(u8::from(move_id == self.choice)),
                    value: match move_id == self.choice {
                        true => self.value,
                        false => hand.value,
                    },
                    proved: hand.proved,
                    visits: hand.nodes,
                })
            })
            .collect()
    }
}
