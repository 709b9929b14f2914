//! A state looked up in a solution: its value, the value of each joint move, and the line of best play.

use crate::{Solution, matrix};
use ludens_engine::{Game, JointMoves, Machine, MoveId, Role, State};
use std::cmp::Ordering;

/// A state with its value and moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// Goals of all roles under best play, if known.
    pub values: Option<Vec<f64>>,
    /// Number of steps that best play takes to the end, if known.
    pub distance: Option<u32>,
    /// Whether distances are exact; otherwise they are upper bounds.
    pub is_exact: bool,
    /// Whether the match is over.
    pub is_terminal: bool,
    /// The role that chooses; `None` if no role or several choose.
    pub chooser: Option<Role>,
    /// All joint moves.
    pub moves: Vec<JointValue>,
    /// Mixed strategies of both roles, if two roles choose simultaneously and all values are known; otherwise empty.
    pub strategies: Vec<Vec<(MoveId, f64)>>,
}

/// A joint move with the value of its successor.
#[derive(Clone, Debug, PartialEq)]
pub struct JointValue {
    /// The moves of all roles.
    pub joint: Vec<MoveId>,
    /// Goals of all roles under best play after it, if known.
    pub values: Option<Vec<f64>>,
    /// Number of steps that best play takes from the successor to the end, if known.
    pub distance: Option<u32>,
    /// Whether it keeps the value of the state. Known only if at most one role has a choice.
    pub keeps: Option<bool>,
}

impl Position {
    /// Returns the index of the best joint move, if at most one role has a choice and the value is known. It keeps the
    /// value, and leads to a fast end if the role has the greatest goal, otherwise to a late one.
    pub fn best(&self) -> Option<usize> {
        let values = self.values.as_ref()?;
        let own = self.chooser.map_or(0, Role::index);
        let is_hurried = values.iter().all(|&value| value <= values[own]);
        let hurry = |place: &usize| {
            let distance = i64::from(self.moves[*place].distance.unwrap_or(u32::MAX));
            if is_hurried { distance } else { -distance }
        };
        let keeping = (0..self.moves.len()).filter(|&place| self.moves[place].keeps == Some(true));
        keeping.min_by_key(hurry)
    }
}

impl Solution {
    /// Looks at a state and one step ahead.
    pub fn look(&self, game: &Game, state: &State) -> Position {
        let mut machine = game.machine();
        machine.load(state);
        let values = self.known_values(game, &mut *machine);
        if machine.is_terminal() {
            return Position {
                distance: values.is_some().then_some(0),
                is_exact: true,
                values,
                is_terminal: true,
                chooser: None,
                moves: Vec::new(),
                strategies: Vec::new(),
            };
        }
        let mut joints = JointMoves::of(&mut *machine);
        let choosers: Vec<Role> = game.roles().filter(|&role| machine.legal(role).len() > 1).collect();
        let mut moves = Vec::new();
        let mut joint = Vec::new();
        while joints.next_into(&mut joint) {
            machine.load(state);
            machine.step(&joint);
            let after = self.known_values(game, &mut *machine);
            moves.push(JointValue {
                joint: joint.clone(),
                distance: match machine.is_terminal() {
                    true => Some(0),
                    false => self.distance(machine.state()),
                },
                keeps: match (&values, &after) {
                    (Some(before), Some(after)) if choosers.len() < 2 => Some(before == after),
                    _ => None,
                },
                values: after,
            });
        }
        let mut position = Position {
            values,
            distance: self.distance(state),
            is_exact: self.has_exact_distances(),
            is_terminal: false,
            chooser: match choosers[..] {
                [chooser] => Some(chooser),
                _ => None,
            },
            moves,
            strategies: Vec::new(),
        };
        position.strategies = strategies(&position, choosers.len());
        position
    }

    /// Returns the value of the state of a machine, if known; terminal states have their goals.
    fn known_values(&self, game: &Game, machine: &mut dyn Machine) -> Option<Vec<f64>> {
        match machine.is_terminal() {
            true => Some(game.roles().map(|role| f64::from(machine.score(role))).collect()),
            false => self.values(machine.state()),
        }
    }

    /// Returns a line of best play from a state, at most `most` steps long. It ends at simultaneous moves and at states
    /// without a known value.
    pub fn best_line(&self, game: &Game, state: &State, most: usize) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut machine = game.machine();
        machine.load(state);
        while line.len() < most {
            let position = self.look(game, machine.state());
            let Some(best) = position.best() else {
                break;
            };
            let joint = position.moves[best].joint.clone();
            machine.step(&joint);
            line.push(joint);
        }
        line
    }

    /// Compares two values by the preferences of a role.
    pub fn compare(&self, role: Role, got: &[f64], could: &[f64]) -> Ordering {
        let whole = |values: &[f64]| -> Vec<u8> { values.iter().map(|&value| value.round() as u8).collect() };
        let is_whole = |values: &[f64]| values.iter().all(|value| value.fract() == 0.0);
        match is_whole(got) && is_whole(could) {
            true => {
                let (got, could) = (whole(got), whole(could));
                self.order()
                    .rank(role.index(), &got)
                    .cmp(&self.order().rank(role.index(), &could))
            }
            false => got[role.index()].total_cmp(&could[role.index()]),
        }
    }
}

/// Solves the matrix game of a state in which two roles choose simultaneously.
fn strategies(position: &Position, choosers: usize) -> Vec<Vec<(MoveId, f64)>> {
    let values: Option<Vec<f64>> = position
        .moves
        .iter()
        .map(|joint| joint.values.as_ref().map(|values| values[0]))
        .collect();
    let (Some(payoffs), 2, Some(first)) = (values, choosers, position.moves.first()) else {
        return Vec::new();
    };
    if first.joint.len() != 2 {
        return Vec::new();
    }
    // The moves of the second role change fastest.
    let columns = position
        .moves
        .iter()
        .take_while(|joint| joint.joint[0] == first.joint[0])
        .count();
    let rows = position.moves.len() / columns;
    let solution = matrix::solve(&payoffs, rows, columns);
    let of_row = (0..rows).map(|row| (position.moves[row * columns].joint[0], solution.row[row]));
    let of_column = (0..columns).map(|column| (position.moves[column].joint[1], solution.column[column]));
    vec![of_row.collect(), of_column.collect()]
}
