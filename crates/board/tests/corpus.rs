//! Boards of published games.

use ludens_board::{Boards, Shape};
use ludens_engine::Game;
use ludens_gdl::Source;
use ludens_testkit::corpus;

/// The file, the shape, columns, rows and layers of the first board, and the clicks of a first move.
const EXPECTED: &[(&str, Shape, usize, usize, usize, usize)] = &[
    ("ticTacToe", Shape::Square, 3, 3, 1, 1),
    ("breakthrough", Shape::Square, 8, 8, 1, 2),
    ("knightazons", Shape::Square, 10, 10, 1, 3),
    ("connectFour", Shape::Square, 8, 6, 1, 1),
    ("hex", Shape::Hex, 9, 9, 1, 1),
    ("hidato19", Shape::Hex, 5, 5, 1, 1),
    ("chineseCheckers4", Shape::Hex, 7, 9, 1, 2),
    ("tictactoe_3d_small_2player", Shape::Square, 3, 3, 3, 1),
    ("nineBoardTicTacToe", Shape::Square, 3, 3, 9, 1),
    ("pentago", Shape::Square, 3, 3, 4, 1),
    ("racetrackcorridor", Shape::Square, 3, 5, 2, 1),
    ("bomberman2p", Shape::Square, 8, 8, 1, 0),
    ("coins", Shape::Row, 8, 1, 1, 2),
    ("toetictac", Shape::Row, 9, 1, 1, 1),
];

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn boards_of_the_corpus_are_found() {
    let folder = corpus();
    for &(name, shape, columns, rows, layers, clicks) in EXPECTED {
        let bytes = std::fs::read(folder.join("games").join(format!("{name}.kif"))).unwrap();
        let game = Game::read(Source::from_bytes(name, bytes)).unwrap();
        let boards = Boards::find(&game);
        let board = &boards
            .layout()
            .boards
            .first()
            .unwrap_or_else(|| panic!("{name} has no board"));
        let size = (board.columns.len(), board.rows.len(), board.layers.len());
        assert_eq!((board.shape, size), (shape, (columns, rows, layers)), "{name}");
        let mut machine = game.machine();
        let most = game
            .roles()
            .flat_map(|role| boards.moves(&game, role, machine.legal(role)));
        assert_eq!(most.map(|view| view.clicks.len()).max(), Some(clicks), "{name}");
    }
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn games_of_the_corpus_without_a_board_have_none() {
    let folder = corpus();
    for name in ["gt_prisoner", "guess", "hanoi_6_disks", "blocks2player"] {
        let bytes = std::fs::read(folder.join("games").join(format!("{name}.kif"))).unwrap();
        let game = Game::read(Source::from_bytes(name, bytes)).unwrap();
        assert!(Boards::find(&game).layout().boards.is_empty(), "{name}");
    }
}
