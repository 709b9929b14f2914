//! What boards look like: whole words, walls and exits that never change, and text of a stable width.

use ludens_board::{BoardLayout, Boards, Figure};
use ludens_engine::{Game, Rng, playout};
use ludens_testkit::{library as game, library_games};
use std::collections::BTreeSet;

/// The drawings of the first board of a game in the states of a random match.
fn drawings(game: &Game, boards: &Boards) -> Vec<String> {
    let mut machine = game.machine();
    let (mut rng, mut joint) = (Rng::with_seed(3), Vec::new());
    let mut found = Vec::new();
    for _ in 0..40 {
        let view = boards.view(game, machine.state());
        found.extend(boards.draw(&view).into_iter().next());
        if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            break;
        }
        machine.step(&joint);
    }
    found
}

#[test]
fn labels_are_whole_words() {
    for (name, content, label) in [
        ("lights-out", "off", "off"),
        ("switches", "off", "off"),
        ("amazons-4x4", "arrow", "arrow"),
        ("minichess", "black_knight", "black knight"),
    ] {
        let boards = Boards::find(&game(name));
        let sign = boards.layout().signs.get(content);
        assert_eq!(sign.map(|sign| sign.label.as_str()), Some(label), "{name}");
    }
}

#[test]
fn the_owner_and_the_figure_of_a_piece_are_seen() {
    let boards = Boards::find(&game("checkers-small"));
    let look = |content: &str| {
        let sign = &boards.layout().signs[content];
        (sign.figure, sign.tone)
    };
    assert_eq!(look("white_man"), (Some(Figure::Disc), Some("white")));
    assert_eq!(look("black_king"), (Some(Figure::King), Some("black")));
}

#[test]
fn no_two_contents_have_the_same_code() {
    for (name, game) in library_games(3000) {
        let boards = Boards::find(&game);
        let signs = boards.layout().signs.values().filter(|sign| !sign.empty);
        let codes: Vec<&str> = signs.map(|sign| sign.code.as_str()).collect();
        let different: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(codes.len(), different.len(), "{name}: {codes:?}");
        assert!(!different.contains("") && !different.contains("."), "{name}");
    }
}

#[test]
fn text_boards_are_equally_wide_in_all_states() {
    for name in [
        "minichess",
        "checkers-small",
        "connect-four",
        "pursuit",
        "eight-puzzle",
        "ghost-maze",
    ] {
        let game = game(name);
        let boards = Boards::find(&game);
        let height = boards.layout().boards[0].rows.len();
        let widths: BTreeSet<Vec<usize>> = drawings(&game, &boards)
            .iter()
            .map(|drawing| drawing.lines().take(height).map(|line| line.chars().count()).collect())
            .collect();
        assert_eq!(widths.len(), 1, "{name}: {widths:?}");
    }
}

#[test]
fn text_boards_tell_kings_from_knights() {
    let game = game("minichess");
    let boards = Boards::find(&game);
    let drawing = drawings(&game, &boards).remove(0);
    let first = drawing.lines().next().unwrap();
    assert_eq!(first, "5 | .  .  bk bn br |");
    assert!(
        drawing.contains("bn: black knight") && drawing.contains("wk: white king"),
        "{drawing}"
    );
}

/// The cells of a board that have a content in all states, as column and row.
fn fixed<'a>(board: &'a BoardLayout, content: &str) -> Vec<(&'a str, &'a str)> {
    let has = board
        .fixed
        .iter()
        .filter(|cell| cell.contents.iter().any(|text| text == content));
    let width = board.columns.len();
    has.map(|cell| {
        (
            board.columns[cell.cell % width].as_str(),
            board.rows[cell.cell / width].as_str(),
        )
    })
    .collect()
}

#[test]
fn mazes_have_walls_and_exits() {
    let boards = Boards::find(&game("racing-maze"));
    let board = &boards.layout().boards[0];
    assert_eq!(fixed(board, "exit"), [("4", "5")]);
    let walls = fixed(board, "wall");
    assert_eq!(walls.len(), 7 * 5 - 27);
    assert!(walls.contains(&("2", "4")) && walls.contains(&("1", "2")), "{walls:?}");
    assert_eq!(boards.layout().signs["wall"].figure, Some(Figure::Block));
    assert_eq!(boards.layout().signs["exit"].figure, Some(Figure::Star));

    let boards = Boards::find(&game("ghost-maze"));
    let board = &boards.layout().boards[0];
    assert_eq!(fixed(board, "exit"), [("1", "3"), ("7", "3")]);
    assert_eq!(fixed(board, "key_place"), [("4", "3")]);
    assert_eq!(fixed(board, "wall").len(), 8);
    // Cells that no fluent ever speaks of need no walls.
    let boards = Boards::find(&game("pursuit"));
    let board = &boards.layout().boards[0];
    assert_eq!((board.holes.len(), board.fixed.len()), (4, 0));
}

#[test]
fn walls_are_drawn_in_text_too() {
    let game = game("racing-maze");
    let boards = Boards::find(&game);
    let drawing = drawings(&game, &boards).remove(0);
    let rows: Vec<&str> = drawing.lines().collect();
    assert!(rows[1].starts_with("4 |   # #   # #   |"), "{drawing}");
    assert!(rows[4].starts_with("1 | r           b |"), "{drawing}");
    assert!(drawing.contains("*: exit") && drawing.contains("#: wall"), "{drawing}");
}

#[test]
fn walls_that_fluents_tell_of_are_drawn_once() {
    let boards = Boards::find(&game("racetrack-small"));
    assert!(boards.layout().signs.contains_key("wall"));
    assert!(boards.layout().boards[0].fixed.is_empty());
}

#[test]
fn boards_without_such_words_have_nothing_fixed() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "othello-6x6",
        "sheep-and-wolf",
        "minichess",
        "hex-5",
    ] {
        let boards = Boards::find(&game(name));
        assert!(
            boards.layout().boards.iter().all(|board| board.fixed.is_empty()),
            "{name}"
        );
    }
}
