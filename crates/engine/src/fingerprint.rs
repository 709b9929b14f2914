//! Fingerprints of games: a hash of their rules.

use crate::Game;
use ludens_artifact::Fingerprint;
use ludens_gdl::format::canonical_rule;
use sha2::{Digest, Sha256};

/// Returns a hash of the rules of a game that does not depend on their order, layout or names of variables.
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
