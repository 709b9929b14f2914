//! Piece values: the mean number of moves that a piece has alone on an empty board, over all cells.
//!
//! A board is found by sampling: fluents with one argument, the content, that had at most one value for the same other
//! arguments, the cell, in all states of some playouts. If every cell always has a content, the most frequent one
//! counts as empty. This is not the board that `board` draws, which needs ordered coordinates, nor that of
//! [`structures`](crate::rules::structures), which needs ordered inputs: moves can be counted on cells in any order.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Fluent, Game, Machine, Role, State};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;

/// Maximum number of playouts that are sampled, and of states of each.
const EXTENT: Extent = Extent {
    seed: 1,
    playouts: 5,
    states: 100,
};
/// A board has at least this many places.
const LEAST_PLACES: usize = 9;
/// Positions with one piece that are looked at.
const MOST_POSITIONS: usize = 20_000;

/// Piece values for each role.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// For each role the value of each fluent, by number.
    value: Vec<Vec<f32>>,
}

/// Fluents with their arguments.
type Arguments = Vec<(Fluent, Vec<Term>)>;

/// Fluents that look like a board.
struct Board {
    /// For each place its contents.
    places: Vec<Vec<(Fluent, Term)>>,
    /// The content of an empty place, if that is one.
    empty: Option<Term>,
}

impl Pieces {
    /// Measures the pieces of a game; `None` if it has no board, no piece has moves, or the budget is spent.
    pub fn new(game: &Game, budget: &Budget) -> Option<Pieces> {
        let states = sample(game, budget);
        let board = find_board(game, &states)?;
        let mut contents: Vec<&Term> = Vec::new();
        for (_, content) in board.places.iter().flatten() {
            if !contents.contains(&content) && Some(content) != board.empty.as_ref() {
                contents.push(content);
            }
        }
        let fluents = game.vocabulary().fluent_count();
        let roles = game.roles().len();
        if contents.len() * board.places.len() * roles > MOST_POSITIONS {
            return None;
        }
        let mut machine = game.machine();
        let mut value = vec![vec![0.0; fluents]; roles];
        for role in game.roles() {
            // Whose turn it is, and all else that is no board, is as it was where the role could move.
            let Some(turn) = states.iter().find(|state| {
                machine.load(state);
                !machine.is_terminal() && machine.legal(role).len() > 1
            }) else {
                continue;
            };
            let without = board.moves(&mut *machine, role, turn, None);
            for &content in &contents {
                if budget.is_spent() {
                    return None;
                }
                let mut moves = Vec::new();
                for (place, contents) in board.places.iter().enumerate() {
                    if let Some((fluent, _)) = contents.iter().find(|known| known.1 == *content) {
                        moves.push(board.moves(&mut *machine, role, turn, Some((place, *fluent))));
                    }
                }
                let more = moves.iter().map(|&moves| moves.saturating_sub(without) as f32);
                let mean = more.sum::<f32>() / moves.len().max(1) as f32;
                for (fluent, _) in board.places.iter().flatten().filter(|known| known.1 == *content) {
                    value[role.index()][fluent.0 as usize] = mean;
                }
            }
        }
        let has_value = value.iter().flatten().any(|&value| value > 0.0);
        has_value.then_some(Pieces { value })
    }

    /// Returns the value of a fluent for a role.
    pub fn value(&self, role: usize, fluent: Fluent) -> f64 {
        let value = self.value.get(role).and_then(|value| value.get(fluent.0 as usize));
        value.copied().map_or(0.0, f64::from)
    }

    /// Returns the share of a role in the value of all pieces, a half if there are none.
    pub fn share(&self, role: usize, state: &State) -> f64 {
        let total = |role: usize| state.fluents().map(|fluent| self.value(role, fluent)).sum::<f64>();
        let own = total(role);
        let all: f64 = (0..self.value.len()).map(total).sum();
        if all > 0.0 { own / all } else { 0.5 }
    }
}

impl Board {
    /// Returns the number of moves of a role on the board with a single piece, or with none.
    fn moves(&self, machine: &mut dyn Machine, role: Role, turn: &State, piece: Option<(usize, Fluent)>) -> usize {
        let on_board = |fluent: &Fluent| self.places.iter().flatten().any(|known| known.0 == *fluent);
        let mut fluents: Vec<Fluent> = turn.fluents().filter(|fluent| !on_board(fluent)).collect();
        for (place, contents) in self.places.iter().enumerate() {
            match piece {
                Some((at, fluent)) if at == place => fluents.push(fluent),
                _ => {
                    let empty = contents.iter().find(|known| Some(&known.1) == self.empty.as_ref());
                    fluents.extend(empty.map(|known| known.0));
                }
            }
        }
        machine.load(&State::new(fluents));
        // A board with a single piece is often terminal; what the piece could do is asked all the same.
        machine.legal(role).len()
    }
}

/// States of some playouts.
fn sample(game: &Game, budget: &Budget) -> Vec<State> {
    let mut play = RandomPlay::new(game, EXTENT, budget);
    let mut states = Vec::new();
    while let Some(visit) = play.next_state() {
        states.push(visit.state.clone());
    }
    states
}

/// Returns the fluents that look most like a board: those with the most places.
fn find_board(game: &Game, states: &[State]) -> Option<Board> {
    let count = game.vocabulary().fluent_count() as u32;
    let mut by_name: HashMap<(Symbol, usize), Arguments, FixedState> = HashMap::default();
    let mut names = Vec::new();
    for fluent in (0..count).map(Fluent) {
        if let Term::Function(name, args) = &game.vocabulary().fluent_name(fluent).term {
            let key = (*name, args.len());
            by_name.entry(key).or_insert_with(|| {
                names.push(key);
                Vec::new()
            });
            by_name.get_mut(&key)?.push((fluent, args.clone()));
        }
    }
    let mut best: Option<Board> = None;
    for key in names.into_iter().filter(|key| key.1 > 1) {
        for content in (0..key.1).rev() {
            let Some(board) = as_board(by_name.get(&key)?, content, states) else {
                continue;
            };
            if best
                .as_ref()
                .is_none_or(|known| known.places.len() < board.places.len())
            {
                best = Some(board);
            }
        }
    }
    best
}

/// Fluents of one name as a board with this argument as the content, if they look like one.
fn as_board(fluents: &[(Fluent, Vec<Term>)], content: usize, states: &[State]) -> Option<Board> {
    let mut numbers: HashMap<Vec<&Term>, usize, FixedState> = HashMap::default();
    let mut places: Vec<Vec<(Fluent, Term)>> = Vec::new();
    for (fluent, args) in fluents {
        let place: Vec<&Term> = (0..args.len())
            .filter(|&arg| arg != content)
            .map(|arg| &args[arg])
            .collect();
        let number = *numbers.entry(place).or_insert(places.len());
        if number == places.len() {
            places.push(Vec::new());
        }
        places[number].push((*fluent, args[content].clone()));
    }
    if places.len() < LEAST_PLACES || places.iter().all(|contents| contents.len() < 2) {
        return None;
    }
    let mut is_full = true;
    let mut seen: Vec<(&Term, usize)> = Vec::new();
    for state in states {
        for contents in &places {
            let mut held = contents.iter().filter(|known| state.holds(known.0));
            let Some((_, there)) = held.next() else {
                is_full = false;
                continue;
            };
            if held.next().is_some() {
                return None;
            }
            match seen.iter_mut().find(|known| known.0 == there) {
                Some((_, count)) => *count += 1,
                None => seen.push((there, 1)),
            }
        }
    }
    let most = seen.iter().max_by_key(|known| known.1).map(|known| known.0.clone());
    Some(Board {
        empty: most.filter(|_| is_full),
        places,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_testkit::library;

    #[test]
    fn the_value_of_a_pawn_of_breakthrough_is_its_mean_number_of_moves() {
        let game = library("breakthrough-small");
        let pieces = Pieces::new(&game, &Budget::default()).unwrap();
        let start = game.initial();
        assert_eq!(pieces.share(0, start), 0.5);
        let own: Vec<f64> = start.fluents().map(|fluent| pieces.value(0, fluent)).collect();
        let other: Vec<f64> = start.fluents().map(|fluent| pieces.value(1, fluent)).collect();
        let most = own.iter().copied().fold(0.0, f64::max);
        // Three moves, fewer at the edges, and none from the last row.
        assert!(most > 1.0 && most < 3.0, "{most}");
        assert!(own.iter().zip(&other).all(|(own, other)| *own == 0.0 || *other == 0.0));
    }

    #[test]
    fn discs_that_never_move_have_no_value() {
        assert!(Pieces::new(&library("connect-four"), &Budget::default()).is_none());
    }
}
