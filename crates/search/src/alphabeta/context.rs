//! Shared state of a depth-first search: the machine, the tables, the counters, and the evaluation of leaves.

use super::ordering::{Order, Ordering};
use super::settings::{Model, Settings};
use super::transposition::{EvaluationCache, TranspositionTable};
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Evaluator, Known};
use ludens_engine::{Game, Machine, MoveId, Role, RoleMap, State};
use std::sync::Arc;

/// The search has to end now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// Side of a role, seen from the searching role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Maximises.
    Own,
    /// Minimises.
    Against,
    /// Chooses uniformly at random.
    Chance,
}

/// A role with a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) role: Role,
    pub(super) side: Side,
}

/// A state on the line that is searched.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) state: State,
    pub(super) legal: RoleMap<Vec<MoveId>>,
    /// The roles with a choice: the searching one first, chance last.
    pub(super) turns: Vec<Turn>,
    /// The joint move that is searched.
    pub(super) joint: RoleMap<MoveId>,
    /// The order of the moves of each of the turns.
    pub(super) orders: Vec<Order>,
    /// Successors by the index of the move, as far as they are known.
    pub(super) children: Vec<Option<State>>,
    /// Principal variation after the joint move searched last.
    pub(super) line: Vec<Vec<MoveId>>,
}

/// The context of a search.
pub(super) struct SearchContext {
    pub(super) machine: Box<dyn Machine>,
    pub(super) settings: Settings,
    pub(super) role: Role,
    is_chance: RoleMap<bool>,
    pub(super) known: Option<Arc<dyn Known>>,
    evaluator: Box<dyn Evaluator>,
    /// The least and the greatest goal of each role.
    pub(super) range: RoleMap<(f64, f64)>,
    pub(super) table: TranspositionTable,
    pub(super) cache: EvaluationCache,
    pub(super) ordering: Ordering,
    pub(super) budget: Budget,
    pub(super) frames: Vec<Frame>,
    /// States visited in this search.
    pub(super) nodes: u64,
    /// States evaluated in this search.
    pub(super) evaluated: u64,
    pub(super) stop: Option<StopReason>,
    scratch: RoleMap<f64>,
    goals: RoleMap<u8>,
}

impl SearchContext {
    pub(super) fn new(game: &Game, role: Role, settings: Settings, evaluator: Box<dyn Evaluator>) -> SearchContext {
        let roles = game.roles().len();
        let width = match settings.model {
            Model::Paranoid => 1,
            Model::MaxN => roles,
        };
        SearchContext {
            machine: game.machine(),
            role,
            is_chance: game.roles().map(|role| game.is_random(role)).collect(),
            known: None,
            evaluator,
            range: goal_ranges(game),
            table: TranspositionTable::new(settings.table, width),
            cache: EvaluationCache::new(settings.cache, width),
            ordering: Ordering::new(game, &settings),
            budget: Budget::default(),
            frames: Vec::new(),
            nodes: 0,
            evaluated: 0,
            stop: None,
            scratch: RoleMap::filled(roles, 0.0),
            goals: RoleMap::filled(roles, 0),
            settings,
        }
    }

    pub(super) fn set_evaluator(&mut self, evaluator: Box<dyn Evaluator>) {
        self.evaluator = evaluator;
    }

    /// Starts another search.
    pub(super) fn begin(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.nodes = 0;
        self.evaluated = 0;
        self.stop = None;
        self.table.next_search();
        self.ordering.next_search();
    }

    /// Counts a state. Reads the clock every time: a state costs far more than that.
    pub(super) fn count(&mut self) -> Result<(), Stopped> {
        self.check_stop()?;
        self.nodes += 1;
        Ok(())
    }

    /// Returns an error if the search has to stop.
    pub(super) fn check_stop(&mut self) -> Result<(), Stopped> {
        self.stop = self.stop.or_else(|| self.budget.stop(self.nodes));
        self.stop.map_or(Ok(()), |_| Err(Stopped))
    }

    /// Whether the machine's state is terminal or its goals are known; they are then in [`Self::end_goals`].
    pub(super) fn is_end(&mut self) -> bool {
        if self.machine.is_terminal() {
            for (role, goal) in self.goals.iter_mut() {
                *goal = self.machine.score(role);
            }
            return true;
        }
        match &self.known {
            Some(known) => known.goals(self.machine.state(), self.goals.as_mut_slice()),
            None => false,
        }
    }

    /// The goals of the last state for which [`Self::is_end`] returned `true`.
    pub(super) fn end_goals(&self) -> &RoleMap<u8> {
        &self.goals
    }

    /// Evaluates the machine's state for the searching role, or for all roles with max-n.
    pub(super) fn evaluate(&mut self) -> &[f64] {
        let hash = match self.settings.cache {
            0 => 0,
            _ => self.machine.state().hash64(),
        };
        let wanted = match self.settings.model {
            Model::Paranoid => self.role.index()..self.role.index() + 1,
            Model::MaxN => 0..self.scratch.len(),
        };
        let scratch = self.scratch.as_mut_slice();
        match self.cache.get(hash) {
            Some(known) => scratch[wanted.clone()].copy_from_slice(known),
            None => {
                self.evaluated += 1;
                self.evaluator.evaluate(self.machine.state(), scratch);
                for (value, &(least, most)) in scratch.iter_mut().zip(self.range.values()) {
                    // NaN must not get into comparisons.
                    *value = if value.is_nan() {
                        least
                    } else {
                        value.clamp(least, most)
                    };
                }
                self.cache.put(hash, &scratch[wanted.clone()]);
            }
        }
        &scratch[wanted]
    }

    /// Fills a frame with the machine's state; returns whether all roles have a legal move.
    pub(super) fn describe(&mut self, frame: &mut Frame) -> bool {
        frame.state.clone_from(self.machine.state());
        if frame.legal.is_empty() {
            frame.legal = RoleMap::filled(self.is_chance.len(), Vec::new());
            frame.joint = RoleMap::filled(self.is_chance.len(), MoveId(0));
        }
        frame.turns.clear();
        frame.children.clear();
        frame.line.clear();
        for (role, legal) in frame.legal.iter_mut() {
            legal.clear();
            legal.extend_from_slice(self.machine.legal(role));
            let Some(&first) = legal.first() else {
                return false;
            };
            frame.joint[role] = first;
        }
        let own = self.role;
        let others = self.is_chance.roles().filter(|&role| role != own);
        let players = others.clone().filter(|&role| !self.is_chance[role]);
        let chance = others.filter(|&role| self.is_chance[role]);
        for role in std::iter::once(own).chain(players).chain(chance) {
            if frame.legal[role].len() > 1 {
                frame.turns.push(Turn {
                    role,
                    side: match (role == own, self.is_chance[role]) {
                        (true, _) => Side::Own,
                        (false, true) => Side::Chance,
                        (false, false) => Side::Against,
                    },
                });
            }
        }
        frame
            .orders
            .resize(frame.turns.len().max(frame.orders.len()), Vec::new());
        true
    }

    /// Takes the frame of a distance from the root, which the caller puts back.
    pub(super) fn take_frame(&mut self, ply: usize) -> Frame {
        if self.frames.len() <= ply {
            self.frames.resize_with(ply + 1, Frame::default);
        }
        std::mem::take(&mut self.frames[ply])
    }

    /// Goes to the successor by the joint move of a frame.
    pub(super) fn step(&mut self, frame: &Frame) {
        self.machine.load(&frame.state);
        self.machine.step(frame.joint.as_slice());
    }
}

/// The range of each role's scores. Where no goal holds, or several do, the score can be 0.
fn goal_ranges(game: &Game) -> RoleMap<(f64, f64)> {
    let range = |role| (0.0, f64::from(game.greatest_goal(role)));
    game.roles().map(range).collect()
}
