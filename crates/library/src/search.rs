//! Search for games by words, and suggestions for misspelled names.

use crate::{Entry, entries};
use ludens_gdl::diagnostic::closest;

/// Games that contain every word of a text in their name, title, tags or description; best matches first.
pub fn search(text: &str) -> Vec<&'static Entry> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut found: Vec<(usize, &'static Entry)> = entries()
        .filter_map(|entry| Some((rank(entry, &words)?, entry)))
        .collect();
    found.sort_by_key(|(rank, entry)| (*rank, entry.name.len(), &entry.name));
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// Rank of the worst match among the words; `None` if one is missing or there are none.
fn rank(entry: &Entry, words: &[&str]) -> Option<usize> {
    let title = entry.metadata.title.to_lowercase();
    let description = entry.metadata.description.to_lowercase();
    let place = |word: &&str| match *word {
        word if entry.name.split('-').any(|part| part == word) => Some(0),
        word if entry.name.contains(word) => Some(1),
        word if title.contains(word) => Some(2),
        word if entry.metadata.tags.iter().any(|tag| tag.contains(word)) => Some(3),
        word if description.contains(word) => Some(4),
        _ => None,
    };
    words.iter().map(place).collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// Suggests the name of a game: one with a similar spelling, or the first that [`search`] finds.
pub fn suggest(name: &str) -> Option<&'static str> {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let meant = plain(name);
    let same = entries().find(|entry| plain(&entry.name) == meant);
    let names = || entries().map(|entry| entry.name.as_str());
    same.map(|entry| entry.name.as_str())
        .or_else(|| closest(&name.to_lowercase(), names()))
        .or_else(|| {
            (meant.len() >= 3)
                .then(|| search(name))?
                .first()
                .map(|entry| entry.name.as_str())
        })
}

/// All tags, sorted, without repetitions.
pub fn tags() -> Vec<&'static str> {
    let mut tags: Vec<&str> = entries()
        .flat_map(|entry| entry.metadata.tags.iter().map(String::as_str))
        .collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_use_lead_to_our_games() {
        for (name, meant) in [
            ("TicTacToe", "tic-tac-toe"),
            ("connectFour", "connect-four"),
            ("tic_tac_toe", "tic-tac-toe"),
            ("tic-tac-to", "tic-tac-toe"),
            ("mini_chess", "minichess"),
            ("reversi", "othello"),
            ("draughts", "checkers"),
        ] {
            assert_eq!(suggest(name), Some(meant), "{name}");
        }
        assert_eq!(suggest("nothing-like-any-game-here"), None);
        assert_eq!(suggest(""), None);
        assert_eq!(suggest("---"), None);
    }

    #[test]
    fn a_search_finds_all_words_anywhere_and_names_first() {
        let names = |text| -> Vec<&str> { search(text).iter().map(|entry| entry.name.as_str()).collect() };
        assert_eq!(names("chess")[..2], ["chess", "minichess"]);
        assert!(names("reversi").iter().all(|name| name.starts_with("othello")));
        assert!(names("tic-tac-toe three").len() < names("tic-tac-toe").len());
        assert_eq!(names("tic-tac-toe")[0], "tic-tac-toe");
        assert!(names("no-such-word").is_empty() && names("").is_empty());
    }

    #[test]
    fn tags_are_listed_once() {
        let tags = tags();
        assert!(tags.contains(&"puzzle") && tags.is_sorted_by(|a, b| a < b));
    }
}
