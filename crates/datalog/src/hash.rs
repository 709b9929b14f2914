//! Hashing of short sequences of term numbers: multiply and rotate, mixed at the end.

use crate::term::TermId;

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) fn hash_words(seed: u64, words: &[TermId]) -> u64 {
    words.iter().fold(seed ^ words.len() as u64, |hash, word| {
        (hash.rotate_left(23) ^ u64::from(word.0)).wrapping_mul(FACTOR)
    })
}

pub(crate) fn hash_finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}
