//! Solution files, for the commands that read them.

use crate::output::Failure;
use anyhow::{Context, anyhow};
use ludens_engine::Game;
use ludens_solve::Solution;
use std::path::Path;

/// Reads a solution and its game from a file.
pub(crate) fn load(path: &Path) -> Result<(Game, Solution), Failure> {
    let shown = path.display();
    let wanted = |game: &dyn std::fmt::Display| {
        format!("a solution file is wanted here; `ludens solve {game} --save FILE` writes one")
    };
    if let Some(entry) = path.to_str().filter(|_| !path.exists()).and_then(ludens_library::find) {
        return Err(anyhow!("{shown} is a game of the library: {}", wanted(&entry.name)).into());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}: {}", wanted(&"GAME")))?;
    let rules =
        Solution::rules(&bytes).map_err(|error| anyhow!("{shown} cannot be used: {error}; {}", wanted(&"GAME")))?;
    let game = Game::read(rules).map_err(|error| anyhow!("{shown} cannot be used: {error}"))?;
    let solution = Solution::read(&game, &bytes).map_err(|error| anyhow!("{shown} cannot be used: {error}"))?;
    Ok((game, solution))
}
