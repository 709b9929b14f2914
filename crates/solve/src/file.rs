//! Solutions as artifacts that can be saved to files.
//!
//! The body starts with the method and the order of preference, followed by the data of the method. Numbers of fluents
//! belong to a `Game`, so files name fluents by their text.

use crate::explicit::ExplicitSolution;
use crate::symbolic::SymbolicSolution;
use crate::{Order, Solution};
use ludens_artifact::{About, Artifact, ArtifactError, Encoder, Kind};
use ludens_engine::{Fluent, Game, fingerprint};
use ludens_gdl::Source;
use std::io::{self, Write};

/// Files of solutions.
const KIND: Kind = Kind {
    name: "solution",
    version: 2,
    command: "ludens solve GAME --save FILE",
    remedy: "solve the game again",
};

impl Solution {
    /// Writes the solution of a game so that [`Solution::read`] can read it.
    pub fn write(&self, game: &Game, out: &mut dyn Write) -> io::Result<()> {
        let method = match self {
            Solution::Explicit(_) => 0,
            Solution::Symbolic(_) => 1,
        };
        let order = match self.order() {
            Order::Own => 0,
            Order::Difference => 1,
        };
        let source = &game.description().source;
        let about = About {
            fingerprint: fingerprint(game),
            name: source.name(),
            rules: source.text(),
        };
        Artifact::write(&KIND, &about, out, |out| {
            out.write_all(&[method, order])?;
            match self {
                Solution::Explicit(table) => table.write(game, out),
                Solution::Symbolic(sets) => sets.write(game, out),
            }
        })
    }

    /// Reads what [`Solution::write`] wrote for a game of the same rules.
    pub fn read(game: &Game, bytes: &[u8]) -> Result<Solution, ArtifactError> {
        let broken = |what: String| Err(ArtifactError::Broken(what));
        let artifact = Artifact::read_for(&KIND, &fingerprint(game), game.name(), bytes)?;
        let [method, order, rest @ ..] = artifact.body else {
            return broken("it ends too early".to_string());
        };
        let order = match order {
            0 => Order::Own,
            1 => Order::Difference,
            other => return broken(format!("there is no order {other}")),
        };
        match method {
            0 => Ok(Solution::Explicit(ExplicitSolution::read(game, order, rest)?)),
            1 => Ok(Solution::Symbolic(SymbolicSolution::read(game, order, rest)?)),
            other => broken(format!("there is no method {other}")),
        }
    }

    /// Returns the rules that a solution was written for.
    pub fn rules(bytes: &[u8]) -> Result<Source, ArtifactError> {
        let about = Artifact::read(&KIND, bytes)?.about;
        Ok(Source::new(about.name, about.rules))
    }
}

/// Writes a fluent by its text.
pub(crate) fn write_fluent(out: &mut Encoder<'_>, game: &Game, fluent: Fluent) -> io::Result<()> {
    out.text(&game.vocabulary().fluent_name(fluent).text)
}
