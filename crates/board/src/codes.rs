//! Short codes for contents, for boards drawn as text.
//!
//! A code is the whole text if that is short, or one or more letters of each word. All codes of a game differ. If a
//! code is not the text itself, a legend explains it.

use crate::order::stem;
use crate::signs::{Figure, Sign};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum length of texts that are their own code.
const SHORT: usize = 3;
/// Maximum number of letters of each word.
const MOST_LETTERS: usize = 3;

/// Figures with a code of their own, if only one content is drawn as the figure.
const MARKS: &[(Figure, &str)] = &[(Figure::Block, "#"), (Figure::Star, "*")];

/// Words whose usual letter is not their first.
const LETTERS: &[(&str, &str)] = &[("knight", "n")];

/// Sets the codes of all signs that are not empty.
pub(crate) fn set_codes(signs: &mut BTreeMap<String, Sign>) {
    let count = |figure: Figure| signs.values().filter(|sign| sign.figure == Some(figure)).count();
    let marks: Vec<&(Figure, &str)> = MARKS.iter().filter(|(figure, _)| count(*figure) == 1).collect();
    let mark = |sign: &Sign| marks.iter().find(|(figure, _)| Some(*figure) == sign.figure);
    let texts = signs.values().filter(|sign| !sign.empty && mark(sign).is_none());
    let codes = codes(&texts.map(|sign| sign.label.clone()).collect());
    for sign in signs.values_mut().filter(|sign| !sign.empty) {
        let mark = marks.iter().find(|(figure, _)| Some(*figure) == sign.figure);
        sign.code = match (mark, codes.get(&sign.label)) {
            (Some((_, code)), _) => code.to_string(),
            (None, Some(code)) => code.clone(),
            (None, None) => sign.label.clone(),
        };
    }
}

/// Unique codes for texts: those that would collide get more letters.
fn codes(texts: &BTreeSet<String>) -> BTreeMap<String, String> {
    let is_short = texts.iter().all(|text| text.chars().count() <= SHORT);
    let code = |text: &str, letters: usize| match (is_short || letters > MOST_LETTERS, letters > MOST_LETTERS + 1) {
        (_, true) => text.to_string(),
        (true, false) => text.replace(' ', "-"),
        (false, false) => initials(text, letters),
    };
    let mut letters: BTreeMap<&String, usize> = texts.iter().map(|text| (text, 1)).collect();
    loop {
        let mut users: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for (text, &letters) in &letters {
            users.entry(code(text, letters)).or_default().push(text);
        }
        let equal = users.into_values().filter(|users| users.len() > 1).flatten();
        let mut lengthened = false;
        for text in equal {
            let letters = letters.entry(text).or_default();
            lengthened |= *letters <= MOST_LETTERS + 1;
            *letters += 1;
        }
        if !lengthened {
            return letters
                .into_iter()
                .map(|(text, letters)| (text.clone(), code(text, letters)))
                .collect();
        }
    }
}

/// The first letters of each word, and whole numbers.
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
        assert_eq!(codes(&["zombie 3", "zebra 3", "ax 12"]), ["zo3", "ze3", "a12"]);
        assert_eq!(
            codes(&["explorer", "ghost", "exit", "key_place"]),
            ["e", "g", "*", "kp"]
        );
        assert_eq!(codes(&["exile", "exit", "goal"]), ["exile", "exit", "g"]);
        assert_eq!(codes(&["abcd_x", "abce_x"]), ["abcd-x", "abce-x"]);
    }
}
