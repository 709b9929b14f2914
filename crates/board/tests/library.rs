//! Boards that are found in the games of the library, and what moves look like on them.

use ludens_board::{Boards, Figure, MoveView, Shape, View};
use ludens_engine::{Game, Rng, Role, playout};
use ludens_testkit::{library as game, library_games};

fn first_moves(game: &Game, boards: &Boards, role: u8) -> Vec<MoveView> {
    let legal = game.machine().legal(Role(role)).to_vec();
    boards.moves(game, Role(role), &legal)
}

fn named<'a>(moves: &'a [MoveView], text: &str) -> &'a MoveView {
    moves
        .iter()
        .find(|view| view.text == text)
        .unwrap_or_else(|| panic!("no {text}"))
}

#[test]
fn one_click_marks_a_cell() {
    let game = game("tic-tac-toe");
    let boards = Boards::find(&game);
    let [board] = &boards.layout().boards[..] else {
        panic!("one board: {:?}", boards.layout());
    };
    assert_eq!(
        (board.columns.len(), board.rows.len(), board.shape),
        (3, 3, Shape::Square)
    );
    assert_eq!(board.rows, ["3", "2", "1"]);
    assert_eq!(boards.layout().signs["x"].figure, Some(Figure::Cross));
    assert!(boards.layout().signs["empty"].empty);
    let moves = first_moves(&game, &boards, 0);
    assert_eq!(named(&moves, "(mark 1 1)").clicks[0].cells, [6]);
    assert_eq!(named(&moves, "(mark 3 3)").clicks[0].cells, [2]);
    assert!(first_moves(&game, &boards, 1)[0].clicks.is_empty());
}

#[test]
fn two_clicks_move_a_piece() {
    let game = game("breakthrough-small");
    let boards = Boards::find(&game);
    let moves = first_moves(&game, &boards, 0);
    assert!(moves.iter().all(|view| view.clicks.len() == 2), "{moves:?}");
    let view = boards.view(&game, game.initial());
    // A move starts where a piece stands and leads to the row before it.
    for moved in &moves {
        let (from, to) = (moved.clicks[0].cells[0], moved.clicks[1].cells[0]);
        assert_ne!(content(&view, from), content(&view, to));
        assert_eq!((from / 6).abs_diff(to / 6), 1);
    }
}

fn content(view: &View, cell: usize) -> Option<&str> {
    let found = view.boards[0].iter().find(|here| here.cell == cell)?;
    found.contents.first().map(String::as_str)
}

#[test]
fn a_column_is_clicked_anywhere() {
    let game = game("connect-four");
    let boards = Boards::find(&game);
    let moves = first_moves(&game, &boards, 0);
    assert_eq!(moves.len(), 7);
    for (column, view) in moves.iter().enumerate() {
        let cells: Vec<usize> = (0..6).map(|row| row * 7 + column).collect();
        assert_eq!(view.clicks[0].cells, cells);
    }
}

#[test]
fn six_neighbours_make_hexagons() {
    for name in ["hex-5", "chinese-checkers-small"] {
        let boards = Boards::find(&game(name));
        assert_eq!(boards.layout().boards[0].shape, Shape::Hex, "{name}");
        let shifts = &boards.layout().boards[0].shifts;
        assert_eq!((shifts[0] - shifts[1]).abs(), 0.5, "{name}");
    }
    let boards = Boards::find(&game("othello-6x6"));
    assert_eq!(boards.layout().boards[0].shape, Shape::Square);
}

#[test]
fn a_third_coordinate_makes_layers() {
    let boards = Boards::find(&game("qubic"));
    let board = &boards.layout().boards[0];
    assert_eq!((board.columns.len(), board.rows.len(), board.layers.len()), (4, 4, 4));
    let nine = Boards::find(&game("nine-board-tic-tac-toe"));
    let board = &nine.layout().boards[0];
    assert_eq!((board.layers.len(), board.layers_across), (9, 3));
}

#[test]
fn cells_that_never_exist_are_holes() {
    let boards = Boards::find(&game("peg-solitaire"));
    let board = &boards.layout().boards[0];
    assert_eq!((board.columns.len() * board.rows.len(), board.holes.len()), (49, 16));
    assert!(board.holes.contains(&0));
}

#[test]
fn what_lies_on_the_same_cells_is_one_board() {
    let game = game("dots-and-boxes");
    let boards = Boards::find(&game);
    let [board] = &boards.layout().boards[..] else {
        panic!("one board: {:?}", boards.layout());
    };
    assert_eq!(board.relations, ["cell/3", "drawn/3"]);
    let mut machine = game.machine();
    let mut joint = Vec::new();
    playout::choose_joint(&mut *machine, &mut Rng::with_seed(1), &mut joint).unwrap();
    machine.step(&joint);
    let view = boards.view(&game, machine.state());
    let walls: usize = view.boards[0].iter().map(|cell| cell.walls.len()).sum();
    assert_eq!(walls, 1);
}

#[test]
fn rows_are_boards_of_one_dimension() {
    let game = game("nim");
    let boards = Boards::find(&game);
    assert_eq!(boards.layout().boards[0].shape, Shape::Row);
    assert_eq!(boards.view(&game, game.initial()).boards[0].len(), 4);
}

#[test]
fn games_without_boards_have_facts() {
    let game = game("prisoners-dilemma");
    let boards = Boards::find(&game);
    assert!(boards.layout().boards.is_empty());
    let view = boards.view(&game, game.initial());
    assert_eq!(view.facts.len(), game.state_texts(game.initial()).len());
}

#[test]
fn every_fluent_is_shown_somewhere() {
    for (_, game) in library_games(3000) {
        let boards = Boards::find(&game);
        let mut machine = game.machine();
        let (mut rng, mut joint) = (Rng::with_seed(7), Vec::new());
        for _ in 0..8 {
            let view = boards.view(&game, machine.state());
            let on_boards: usize = view
                .boards
                .iter()
                .flatten()
                .map(|cell| cell.contents.len() + cell.walls.len())
                .sum();
            let count = machine.state().fluents().count();
            assert_eq!(on_boards + view.facts.len(), count, "{}", game.name());
            for (board, cells) in boards.layout().boards.iter().zip(&view.boards) {
                let places = board.columns.len() * board.rows.len() * board.layers.len();
                assert!(
                    cells
                        .iter()
                        .all(|cell| cell.cell < places && !board.holes.contains(&cell.cell))
                );
            }
            if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                break;
            }
            machine.step(&joint);
        }
    }
}

#[test]
fn layouts_are_the_same_every_time() {
    for name in ["tic-tac-toe", "hex-5", "pursuit", "qubic"] {
        let game = game(name);
        assert_eq!(Boards::find(&game).layout(), Boards::find(&game).layout());
        let json = serde_json::to_value(Boards::find(&game).layout()).unwrap();
        assert!(json["boards"][0]["columns"].is_array());
    }
}
