//! One state, seen with a solution: what it is worth, what each joint move is worth, and how best play goes on.

use crate::{Solution, matrix};
use ludens_engine::{Game, JointMoves, Machine, MoveId, Role, State};
use std::cmp::Ordering;

/// A state with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The goals of all roles under best play.
    pub values: Option<Vec<f64>>,
    /// How many steps best play takes to the end.
    pub distance: Option<u32>,
    /// Whether distances are exact; else they are bounds.
    pub is_exact: bool,
    /// Whether the match is over.
    pub is_terminal: bool,
    /// The role that chooses; `None` if no role or several choose.
    pub chooser: Option<Role>,
    /// All joint moves.
    pub moves: Vec<JointValue>,
    /// Where two roles choose at the same time and everything is known: for each role its moves and how likely best
    /// play makes them. Else empty.
    pub strategies: Vec<Vec<(MoveId, f64)>>,
}

/// A joint move with what is known about the state behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointValue {
    /// The moves of all roles.
    pub joint: Vec<MoveId>,
    /// The goals of all roles under best play behind it.
    pub values: Option<Vec<f64>>,
    /// How many steps best play takes from there to the end.
    pub distance: Option<u32>,
    /// Whether it keeps what the state is worth. Known only where one role chooses.
    pub keeps: Option<bool>,
}

impl Position {
    /// The number of the best joint move, where one role chooses or none, and the state is worth something certain: it
    /// keeps the value, and ends the match soon for those who do best and late for the others.
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

    /// What is known of the state where a machine stands; ends speak for themselves.
    fn known_values(&self, game: &Game, machine: &mut dyn Machine) -> Option<Vec<f64>> {
        match machine.is_terminal() {
            true => Some(game.roles().map(|role| f64::from(machine.score(role))).collect()),
            false => self.values(machine.state()),
        }
    }

    /// How best play goes on from a state, at most so many steps: every role keeps the value and makes haste if it does
    /// best. It ends where several roles choose, or where nothing is known.
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

    /// How a role that chooses ranks what it gets against what it could have got.
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

/// Where two roles choose at the same time, the matrix game of the values.
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
