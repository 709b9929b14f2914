//! Short codes for contents, for boards drawn as text.
//!
//! A code is never a word cut somewhere: it is the whole text where that is short, or one or more letters of each word. All
//! codes of a game differ, and where a code is not the text itself, a legend says what it means.

use crate::order::stem;
use crate::signs::{Figure, Sign};
use std::collections::{BTreeMap, BTreeSet};

/// Texts of up to so many letters stand in cells as they are.
const SHORT: usize = 3;
/// Maximum number of letters of each word.
const MOST_LETTERS: usize = 3;

/// The code of an obstacle, if there is one kind of them only.
const OBSTACLE: &str = "#";

/// Words whose usual letter is not their first.
const LETTERS: &[(&str, &str)] = &[("knight", "n")];

/// Sets the codes of all signs that are not empty.
pub(crate) fn set_codes(signs: &mut BTreeMap<String, Sign>) {
    let is_block = |sign: &Sign| sign.figure == Some(Figure::Block);
    let has_one_obstacle = signs.values().filter(|sign| is_block(sign)).count() == 1;
    let texts: Vec<String> = signs
        .values()
        .filter(|sign| !sign.empty && !(has_one_obstacle && is_block(sign)))
        .map(|sign| sign.label.clone())
        .collect();
    let is_short = texts.iter().all(|text| text.chars().count() <= SHORT);
    let whole = |text: &String| text.replace(' ', "-");
    let ways = (1..=MOST_LETTERS).map(|letters| texts.iter().map(|text| initials(text, letters)).collect());
    let first = is_short.then(|| texts.iter().map(whole).collect());
    let mut ways = first.into_iter().chain(ways);
    let differ = |codes: &Vec<String>| codes.iter().collect::<BTreeSet<_>>().len() == codes.len();
    let codes = ways.find(differ).unwrap_or_else(|| texts.iter().map(whole).collect());
    let codes: BTreeMap<&String, String> = texts.iter().zip(codes).collect();
    for sign in signs.values_mut().filter(|sign| !sign.empty) {
        sign.code = match codes.get(&sign.label) {
            Some(code) => code.clone(),
            None => OBSTACLE.to_string(),
        };
    }
}

/// So many letters of each word, and numbers whole.
fn initials(text: &str, letters: usize) -> String {
    let mut code = String::new();
    for word in text.split(' ') {
        let letter = LETTERS.iter().find(|(known, _)| *known == word);
        match letter.filter(|_| letters == 1) {
            Some((_, letter)) => code.push_str(letter),
            None => {
                let start = stem(word);
                code.extend(start.chars().take(letters));
                code.push_str(&word[start.len()..]);
            }
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use crate::signs::signs;
    use std::collections::BTreeSet;

    fn codes(contents: &[&str]) -> Vec<String> {
        let set: BTreeSet<String> = contents.iter().map(|content| content.to_string()).collect();
        let signs = signs(&set, &[]);
        contents.iter().map(|content| signs[*content].code.clone()).collect()
    }

    #[test]
    fn codes_are_whole_words_or_initials_and_differ() {
        assert_eq!(codes(&["on", "off"]), ["on", "off"]);
        assert_eq!(codes(&["black_king", "black_knight", "empty"]), ["bk", "bn", "."]);
        assert_eq!(codes(&["white_man", "white_king", "black_man"]), ["wm", "wk", "bm"]);
        assert_eq!(codes(&["pursuer", "pellet", "wall"]), ["pu", "pe", "#"]);
        assert_eq!(codes(&["zombie 3", "zebra 3", "ax 12"]), ["zo3", "ze3", "ax12"]);
        assert_eq!(codes(&["abcd_x", "abce_x"]), ["abcd-x", "abce-x"]);
    }
}
