//! Counts of library games against simulators written by hand, without GDL.

use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_engine::perft::perft;
use std::collections::BTreeMap;

/// A game written by hand: the successors of a position, empty if it is terminal.
trait ByHand: Clone + Ord {
    fn successors(&self) -> Vec<Self>;
}

/// Number of sequences of each length, with equal positions merged.
fn count(start: impl ByHand, depth: usize) -> Vec<u128> {
    let mut layer = BTreeMap::from([(start, 1u128)]);
    let mut counts = vec![1];
    for _ in 0..depth {
        let mut next = BTreeMap::new();
        for (position, ways) in layer {
            for successor in position.successors() {
                *next.entry(successor).or_insert(0) += ways;
            }
        }
        counts.push(next.values().sum());
        layer = next;
    }
    counts
}

fn agrees(name: &str, start: impl ByHand, depth: usize) {
    let game = Game::read(ludens_library::find(name).unwrap().source()).unwrap();
    let counted = perft(&game, depth, usize::MAX, &Budget::default(), |_, _| {});
    assert_eq!(counted.nodes, count(start, depth), "{name}");
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ConnectFour {
    columns: Vec<Vec<u8>>,
    rows: usize,
    turn: u8,
}

impl ConnectFour {
    fn new(columns: usize, rows: usize) -> ConnectFour {
        ConnectFour {
            columns: vec![Vec::new(); columns],
            rows,
            turn: 0,
        }
    }

    fn at(&self, column: i32, row: i32) -> Option<u8> {
        let column = self.columns.get(usize::try_from(column).ok()?)?;
        column.get(usize::try_from(row).ok()?).copied()
    }

    fn has_line(&self, player: u8) -> bool {
        let (width, height) = (self.columns.len() as i32, self.rows as i32);
        let cells = (0..width).flat_map(|x| (0..height).map(move |y| (x, y)));
        cells.into_iter().any(|(x, y)| {
            let directions = [(1, 0), (0, 1), (1, 1), (1, -1)];
            directions
                .iter()
                .any(|(dx, dy)| (0..4).all(|n| self.at(x + n * dx, y + n * dy) == Some(player)))
        })
    }
}

impl ByHand for ConnectFour {
    fn successors(&self) -> Vec<ConnectFour> {
        if self.has_line(1 - self.turn) {
            return Vec::new();
        }
        let open = (0..self.columns.len()).filter(|&column| self.columns[column].len() < self.rows);
        open.map(|column| {
            let mut next = self.clone();
            next.columns[column].push(self.turn);
            next.turn = 1 - self.turn;
            next
        })
        .collect()
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TicTacToe {
    cells: [Option<u8>; 9],
    turn: u8,
}

impl ByHand for TicTacToe {
    fn successors(&self) -> Vec<TicTacToe> {
        const LINES: [[usize; 3]; 8] = [
            [0, 1, 2],
            [3, 4, 5],
            [6, 7, 8],
            [0, 3, 6],
            [1, 4, 7],
            [2, 5, 8],
            [0, 4, 8],
            [2, 4, 6],
        ];
        if LINES
            .iter()
            .any(|line| line.iter().all(|&cell| self.cells[cell] == Some(1 - self.turn)))
        {
            return Vec::new();
        }
        let empty = (0..9).filter(|&cell| self.cells[cell].is_none());
        empty
            .map(|cell| {
                let mut next = self.clone();
                next.cells[cell] = Some(self.turn);
                next.turn = 1 - self.turn;
                next
            })
            .collect()
    }
}

/// White moves up and black down, straight to an empty cell or diagonally to an empty or opposing one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Breakthrough {
    cells: Vec<Vec<Option<u8>>>,
    turn: u8,
}

impl Breakthrough {
    fn new(columns: usize, rows: usize) -> Breakthrough {
        let row = |number: usize| match number {
            0 | 1 => Some(0),
            _ if number + 2 >= rows => Some(1),
            _ => None,
        };
        Breakthrough {
            cells: (0..rows).map(|number| vec![row(number); columns]).collect(),
            turn: 0,
        }
    }
}

impl ByHand for Breakthrough {
    fn successors(&self) -> Vec<Breakthrough> {
        let last = self.cells.len() - 1;
        let is_through = self.cells[last].contains(&Some(0)) || self.cells[0].contains(&Some(1));
        let has_pieces = |player: u8| self.cells.iter().flatten().any(|&cell| cell == Some(player));
        if is_through || !has_pieces(0) || !has_pieces(1) {
            return Vec::new();
        }
        let mut successors = Vec::new();
        for (y, row) in self.cells.iter().enumerate() {
            for (x, _) in row.iter().enumerate().filter(|(_, cell)| **cell == Some(self.turn)) {
                let to = if self.turn == 0 { y + 1 } else { y.wrapping_sub(1) };
                for step in [-1, 0, 1] {
                    let target = x as i32 + step;
                    if to > last || target < 0 || target >= row.len() as i32 {
                        continue;
                    }
                    let content = self.cells[to][target as usize];
                    if content == Some(self.turn) || (step == 0 && content.is_some()) {
                        continue;
                    }
                    let mut next = self.clone();
                    next.cells[y][x] = None;
                    next.cells[to][target as usize] = Some(self.turn);
                    next.turn = 1 - self.turn;
                    successors.push(next);
                }
            }
        }
        successors
    }
}

#[test]
fn tic_tac_toe_to_the_end() {
    let start = TicTacToe {
        cells: [None; 9],
        turn: 0,
    };
    agrees("tic-tac-toe", start, 9);
}

#[test]
fn connect_four_in_several_sizes() {
    agrees("connect-four-4x4", ConnectFour::new(4, 4), 16);
    agrees("connect-four-5x4", ConnectFour::new(5, 4), 9);
    agrees("connect-four", ConnectFour::new(7, 6), 7);
    agrees("connect-four-8x6", ConnectFour::new(8, 6), 6);
}

#[test]
fn breakthrough_in_several_sizes() {
    agrees("breakthrough-5x5", Breakthrough::new(5, 5), 5);
    agrees("breakthrough-small", Breakthrough::new(6, 6), 4);
    agrees("breakthrough", Breakthrough::new(8, 8), 3);
}
