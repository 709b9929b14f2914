//! Uniformly random moves.

use super::{Aids, Policy, Query, Scope};
use crate::mcts::PlayoutSettings;
use ludens_engine::{Game, PlayoutOptions, Rng};

pub(super) struct Uniform;

impl Policy for Uniform {
    const NAME: &'static str = "uniform";
    const HELP: &'static str = "all moves alike";
    const DRAWS: bool = false;
    const AVERAGES: Scope = Scope::Nothing;
    // The engine draws uniformly by itself.
    const OPTIONS: PlayoutOptions = PlayoutOptions {
        guided: false,
        choices: false,
        ..super::LEARNING
    };

    fn new(_game: &Game, _settings: &PlayoutSettings) -> Uniform {
        Uniform
    }

    fn choose(&mut self, query: &Query<'_>, _aids: Aids<'_>, rng: &mut Rng) -> usize {
        rng.usize(..query.legal.len())
    }
}
