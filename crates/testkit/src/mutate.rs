//! Random texts for the fuzzer that resemble rules.
//!
//! Real rules are cut, joined, repeated and sprinkled with tokens and bytes, which reaches far deeper into the reader
//! and the checks than noise does.

use fastrand::Rng;

const TOKENS: &[&str] = &[
    "(", ")", "(", ")", " ", "\n", "\r\n", "\t", ";", "; c\n", "<=", "?x", "?y", "?", "not", "or", "and", "distinct",
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "random", "p", "q",
    "cell", "1", "100", "-1", "white", ":-", "&", "|", "~", ",", ".", "[", "]", "\"", "%", "X", "_", "(<= (", "))",
    "\\+", "\u{e9}", "\u{0}", "\u{2028}", "((((", "(not (", "(or (",
];

/// A random mutation of one of the seeds.
pub fn text(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut text = match rng.u8(..10) {
        0 => Vec::new(),
        1 => token_soup(rng),
        _ => match seeds.is_empty() {
            true => token_soup(rng),
            false => seeds[rng.usize(..seeds.len())].clone(),
        },
    };
    for _ in 0..rng.usize(..8) {
        change(&mut text, seeds, rng);
    }
    text.truncate(200_000);
    text
}

fn token_soup(rng: &mut Rng) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..rng.usize(..400) {
        text.extend_from_slice(TOKENS[rng.usize(..TOKENS.len())].as_bytes());
        if rng.bool() {
            text.push(b' ');
        }
    }
    text
}

fn change(text: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    let at = rng.usize(..=text.len());
    match rng.u8(..7) {
        0 => {
            let token = TOKENS[rng.usize(..TOKENS.len())];
            text.splice(at..at, token.bytes());
        }
        1 => {
            let end = (at + rng.usize(..40)).min(text.len());
            text.drain(at..end);
        }
        2 if at < text.len() => text[at] = rng.u8(..),
        3 => {
            let end = (at + rng.usize(..200)).min(text.len());
            let piece = text[at..end].to_vec();
            let to = rng.usize(..=text.len());
            text.splice(to..to, piece);
        }
        4 if !seeds.is_empty() => {
            let other = &seeds[rng.usize(..seeds.len())];
            let start = rng.usize(..=other.len());
            let end = (start + rng.usize(..500)).min(other.len());
            text.splice(at..at, other[start..end].iter().copied());
        }
        5 => {
            let count = rng.usize(..2000);
            let open = if rng.bool() { b"(not " } else { b"(f x " };
            text.splice(at..at, open.repeat(count));
        }
        _ => text.truncate(at),
    }
}
