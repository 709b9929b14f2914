//! Fingerprints of games: a hash of their rules.

use crate::Game;
use ludens_artifact::Fingerprint;
use ludens_gdl::format::canonical_rule;
use sha2::{Digest, Sha256};

/// A hash of the rules of a game, whatever their order, their layout and the names of their variables.
pub fn fingerprint(game: &Game) -> Fingerprint {
    let rules = game.rules();
    let mut texts: Vec<String> = rules
        .rules
        .iter()
        .map(|rule| canonical_rule(rule, &rules.symbols))
        .collect();
    texts.sort_unstable();
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().into()
}
