//! Signs for contents: the appearance of words such as `white`, `king` or `x`.
//!
//! The tables contain words of games in general and no specific game. A content without a matching word is shown as
//! text.

use crate::codes::set_codes;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Appearance of a content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sign {
    /// The content in words, for display at any size; `.` for an empty cell.
    pub label: String,
    /// Unique short code for boards drawn as text; `.` for an empty cell.
    pub code: String,
    /// Whether it means an empty cell.
    pub empty: bool,
    /// Figure to draw, if any.
    pub figure: Option<Figure>,
    /// Colour: a word such as `white`, or `first` to `sixth` for the roles in order.
    pub tone: Option<&'static str>,
}

/// Figures that contents are drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Figure {
    Disc,
    Cross,
    Ring,
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
    Arrow,
    Block,
    Star,
}

/// Contents that mean an empty cell.
const EMPTY: &[&str] = &["b", "blank", "empty", "e", "none", "free", "clear", "nothing", "nobody"];

/// Words for colours, and their tones.
const TONES: &[(&str, &str)] = &[
    ("white", "white"),
    ("light", "white"),
    ("black", "black"),
    ("dark", "black"),
    ("red", "red"),
    ("blue", "blue"),
    ("green", "green"),
    ("yellow", "yellow"),
    ("gold", "yellow"),
    ("teal", "teal"),
    ("cyan", "teal"),
    ("magenta", "magenta"),
    ("pink", "magenta"),
    ("purple", "magenta"),
    ("orange", "orange"),
    ("brown", "orange"),
    ("grey", "grey"),
    ("gray", "grey"),
];

/// Tones of roles whose names are no colours.
const ROLE_TONES: &[&str] = &["first", "second", "third", "fourth", "fifth", "sixth"];

/// Words for things on boards.
const FIGURES: &[(&str, Figure)] = &[
    ("king", Figure::King),
    ("queen", Figure::Queen),
    ("rook", Figure::Rook),
    ("castle", Figure::Rook),
    ("bishop", Figure::Bishop),
    ("knight", Figure::Knight),
    ("horse", Figure::Knight),
    ("pawn", Figure::Pawn),
    ("soldier", Figure::Pawn),
    ("arrow", Figure::Arrow),
    ("bullet", Figure::Arrow),
    ("block", Figure::Block),
    ("blocked", Figure::Block),
    ("blk", Figure::Block),
    ("wall", Figure::Block),
    ("pillar", Figure::Block),
    ("rock", Figure::Block),
    ("barrier", Figure::Block),
    ("covered", Figure::Block),
    ("filled", Figure::Block),
    ("broken", Figure::Block),
    ("brick", Figure::Block),
    ("dirt", Figure::Block),
    ("obstacle", Figure::Block),
    ("checker", Figure::Disc),
    ("man", Figure::Disc),
    ("piece", Figure::Disc),
    ("pellet", Figure::Disc),
    ("stone", Figure::Disc),
    ("disc", Figure::Disc),
    ("disk", Figure::Disc),
    ("token", Figure::Disc),
    ("peg", Figure::Disc),
    ("coin", Figure::Disc),
    ("ball", Figure::Disc),
    ("chocolate", Figure::Disc),
    ("cross", Figure::Cross),
    ("ecks", Figure::Cross),
    ("x", Figure::Cross),
    ("o", Figure::Ring),
    ("oh", Figure::Ring),
    ("nought", Figure::Ring),
    ("circle", Figure::Ring),
    ("goal", Figure::Star),
    ("exit", Figure::Star),
    ("finish", Figure::Star),
    ("target", Figure::Star),
    ("treasure", Figure::Star),
    ("star", Figure::Star),
];

/// Letters for colours and for pieces in codes such as `wk`.
const TONE_LETTERS: &[(char, &str)] = &[('w', "white"), ('b', "black"), ('r', "red")];
const PIECE_LETTERS: &[(char, Figure)] = &[
    ('k', Figure::King),
    ('q', Figure::Queen),
    ('r', Figure::Rook),
    ('b', Figure::Bishop),
    ('n', Figure::Knight),
    ('p', Figure::Pawn),
];

/// Signs of the contents of a board. `roles` are the names of the roles.
pub(crate) fn signs(contents: &BTreeSet<String>, roles: &[&str]) -> BTreeMap<String, Sign> {
    let empty = empty(contents);
    let full: BTreeSet<&str> = contents
        .iter()
        .map(String::as_str)
        .filter(|content| Some(*content) != empty)
        .collect();
    let coded = are_codes(&full);
    let lettered = full.len() >= 2 && full.iter().all(|content| tone_letter(content).is_some());
    let mut signs = BTreeMap::new();
    for content in full {
        let (figure, tone) = match (coded, lettered) {
            (true, _) => coded_piece(content),
            (_, true) => (Some(Figure::Disc), tone_letter(content)),
            _ => look(content, roles),
        };
        let sign = Sign {
            label: words(content),
            code: String::new(),
            empty: false,
            figure,
            tone,
        };
        signs.insert(content.to_string(), sign);
    }
    if let Some(empty) = empty {
        let sign = Sign {
            label: ".".to_string(),
            code: ".".to_string(),
            empty: true,
            figure: None,
            tone: None,
        };
        signs.insert(empty.to_string(), sign);
    }
    set_codes(&mut signs);
    signs
}

/// The content that means an empty cell: preferably a word, because a letter may mean something else.
fn empty(contents: &BTreeSet<String>) -> Option<&str> {
    let mut empty: Vec<&str> = contents
        .iter()
        .map(String::as_str)
        .filter(|content| EMPTY.contains(content))
        .collect();
    empty.sort_by_key(|content| content.len() == 1);
    let found = *empty.first()?;
    // Of `w` and `b` alone, `b` is black.
    let is_black = found == "b" && contents.len() == 2 && contents.contains("w");
    (!is_black).then_some(found)
}

/// A content as words with single spaces. Minus signs before numbers are kept.
fn words(content: &str) -> String {
    let spaced = content.replace(['_', '(', ')'], " ");
    spaced.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn tone_letter(content: &str) -> Option<&'static str> {
    let mut letters = content.chars();
    let (first, rest) = (letters.next()?, letters.next());
    let found = TONE_LETTERS.iter().find(|(letter, _)| *letter == first)?;
    rest.is_none().then_some(found.1)
}

/// Whether contents are codes of two letters, a colour and a piece, with several of either.
fn are_codes(contents: &BTreeSet<&str>) -> bool {
    let tones: BTreeSet<_> = contents.iter().map(|content| coded_piece(content).1).collect();
    contents.len() >= 2 && tones.len() >= 2 && contents.iter().all(|content| coded_piece(content).0.is_some())
}

fn coded_piece(content: &str) -> (Option<Figure>, Option<&'static str>) {
    let letters: Vec<char> = content.chars().collect();
    let [tone, piece] = letters[..] else {
        return (None, None);
    };
    let tone = TONE_LETTERS.iter().find(|(letter, _)| *letter == tone);
    let figure = PIECE_LETTERS.iter().find(|(letter, _)| *letter == piece);
    match (figure, tone) {
        (Some(figure), Some(tone)) => (Some(figure.1), Some(tone.1)),
        _ => (None, None),
    }
}

/// Figure of a word in singular or plural.
fn thing(word: &str) -> Option<&'static (&'static str, Figure)> {
    let is_meant = |name: &str| name == word || word.strip_suffix('s') == Some(name);
    FIGURES.iter().find(|(name, _)| is_meant(name))
}

/// Figure and tone of the words of a content.
fn look(content: &str, roles: &[&str]) -> (Option<Figure>, Option<&'static str>) {
    let (mut figure, mut tone, mut owner) = (None, None, None);
    let words = content
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let mut unknown = false;
    for word in words {
        let mut rest = word
            .strip_suffix("player")
            .filter(|rest| !rest.is_empty())
            .unwrap_or(word);
        if thing(rest).is_some() {
            // Only whole words: `covered` is not red.
        } else if let Some((name, shade)) = TONES.iter().find(|(name, _)| rest.starts_with(name)) {
            tone = Some(*shade);
            rest = &rest[name.len()..];
        } else if let Some((before, shade)) = TONES
            .iter()
            .find_map(|(name, shade)| Some((rest.strip_suffix(name)?, shade)))
            && thing(before).is_some()
        {
            tone = Some(*shade);
            rest = before;
        }
        let known = thing(rest);
        figure = figure.or(known.map(|(_, figure)| *figure));
        let role = roles.iter().position(|role| *role == rest);
        if let (None, Some(role)) = (known, role) {
            owner = ROLE_TONES.get(role % ROLE_TONES.len()).copied();
            continue;
        }
        unknown |= known.is_none() && !rest.is_empty();
    }
    if let (None, Some(role)) = (tone, roles.iter().position(|role| *role == content)) {
        let is_disc = figure.is_none();
        tone = ROLE_TONES.get(role % ROLE_TONES.len()).copied();
        unknown &= !is_disc;
        figure = figure.or(Some(Figure::Disc));
    }
    let tone = tone.or(owner);
    let has_number = content.contains(|c: char| c.is_ascii_digit());
    match (figure, tone) {
        _ if unknown || has_number => (None, tone),
        (None, Some(_)) => (Some(Figure::Disc), tone),
        // Crosses and rings get the colours of the two sides.
        (Some(Figure::Cross), None) => (figure, Some("first")),
        (Some(Figure::Ring), None) => (figure, Some("second")),
        _ => (figure, tone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(contents: &[&str], content: &str) -> Sign {
        let contents = contents.iter().map(|content| content.to_string()).collect();
        signs(&contents, &["alice", "bob"])[content].clone()
    }

    #[test]
    fn words_are_known() {
        let sign = of(&["white king", "blackpawn", "empty"], "white king");
        assert_eq!((sign.figure, sign.tone), (Some(Figure::King), Some("white")));
        let sign = of(&["white king", "blackpawn", "empty"], "blackpawn");
        assert_eq!((sign.figure, sign.tone), (Some(Figure::Pawn), Some("black")));
        assert_eq!(of(&["red", "blue", "b"], "red").figure, Some(Figure::Disc));
        assert_eq!(of(&["xplayer", "oplayer"], "xplayer").figure, Some(Figure::Cross));
        assert_eq!(of(&["pawnred", "b"], "pawnred").tone, Some("red"));
        let sign = of(&["covered", "b"], "covered");
        assert_eq!((sign.figure, sign.tone), (Some(Figure::Block), None));
        assert_eq!(of(&["scattered", "b"], "scattered").tone, None);
    }

    #[test]
    fn codes_need_company() {
        let sign = of(&["wk", "bk", "bp", "b"], "bp");
        assert_eq!((sign.figure, sign.tone), (Some(Figure::Pawn), Some("black")));
        assert_eq!(of(&["bp", "nk", "b"], "bp").figure, None);
    }

    #[test]
    fn blank_and_black_are_told_apart() {
        assert!(of(&["x", "o", "b"], "b").empty);
        assert_eq!(of(&["w", "b", "empty"], "b").tone, Some("black"));
        assert_eq!(of(&["w", "b"], "b").tone, Some("black"));
    }

    #[test]
    fn owners_and_things_are_known_together() {
        let contents = ["white_man", "white_king", "alice_pawn", "alice"];
        let look = |content| {
            let sign = of(&contents, content);
            (sign.figure, sign.tone, sign.label)
        };
        assert_eq!(
            look("white_man"),
            (Some(Figure::Disc), Some("white"), "white man".to_string())
        );
        assert_eq!(
            look("white_king"),
            (Some(Figure::King), Some("white"), "white king".to_string())
        );
        assert_eq!(
            look("alice_pawn"),
            (Some(Figure::Pawn), Some("first"), "alice pawn".to_string())
        );
        assert_eq!(look("alice"), (Some(Figure::Disc), Some("first"), "alice".to_string()));
    }

    #[test]
    fn anything_else_is_words() {
        let sign = of(&["zombie 3", "zebra"], "zombie 3");
        assert_eq!((sign.label.as_str(), sign.figure), ("zombie 3", None));
        assert_eq!(of(&["alice", "bob"], "bob").tone, Some("second"));
    }
}
