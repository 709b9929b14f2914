//! Nested Monte Carlo search (Cazenave 2009).
//!
//! A search of level 0 is a random playout. A search of level n tries every move with a search of level n - 1, and plays
//! the next move of the best line it has seen so far, not of the last step only: a lucky line is memorised and followed
//! until a better one turns up.

use crate::line::{BEST, Found, Line, LineSearch};
use crate::walk::{NotForOne, Walk};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, State};

/// Nested Monte Carlo search, repeated until the budget is spent.
pub struct Nested {
    walk: Walk,
    level: usize,
}

impl Nested {
    /// Creates a search of this level.
    pub fn new(game: &Game, level: usize, seed: u64) -> Result<Nested, NotForOne> {
        Ok(Nested {
            walk: Walk::new(game, seed)?,
            level,
        })
    }

    /// Returns the best line of a search of this level, or what it has found when the budget is spent.
    fn nested(&mut self, start: &State, level: usize, budget: &Budget) -> Option<Line> {
        if level == 0 {
            return Some(self.walk.playout(start, |legal, rng| rng.usize(..legal.len())));
        }
        let mut best: Option<Line> = None;
        let mut played = Vec::new();
        let mut here = start.clone();
        while let Some(legal) = self.walk.legal(&here) {
            for move_id in legal {
                if self.walk.stop(budget).is_some() {
                    return best;
                }
                let next = self.walk.after(&here, move_id);
                let Some(rest) = self.nested(&next, level - 1, budget) else {
                    return best;
                };
                if best.as_ref().is_none_or(|best| rest.score > best.score) {
                    let moves = played.iter().copied().chain([move_id]).chain(rest.moves).collect();
                    best = Some(Line {
                        score: rest.score,
                        moves,
                    });
                }
                if rest.score == BEST {
                    return best;
                }
            }
            let &next = best.as_ref()?.moves.get(played.len())?;
            played.push(next);
            here = self.walk.after(&here, next);
        }
        match best {
            // The start of an inner search may be the end of the match.
            None => Some(self.walk.playout(start, |_, _| 0)),
            best => best,
        }
    }
}

impl LineSearch for Nested {
    fn search(&mut self, state: &State, budget: &Budget) -> Found {
        self.walk.restart();
        let mut line = self.walk.playout(state, |legal, rng| rng.usize(..legal.len()));
        let stop = loop {
            if line.score == BEST {
                break StopReason::Solved;
            }
            if let Some(stop) = self.walk.stop(budget) {
                break stop;
            }
            if let Some(found) = self.nested(state, self.level, budget)
                && found.score > line.score
            {
                line = found;
            }
        };
        Found {
            line,
            playouts: self.walk.playouts(),
            stop,
        }
    }
}
