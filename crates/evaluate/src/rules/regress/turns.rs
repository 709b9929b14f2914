//! Turns observed in random play: which moves a role makes while it waits for others to choose.
//!
//! In a turn-taking game, a role that is not in turn usually has a single legal move, and always the same one. What
//! holds in playouts is assumed to hold everywhere: this feeds a heuristic, which may err.

use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, MoveId, StepCost};

/// Maximum number of playouts and of states of each.
const EXTENT: Extent = Extent {
    seed: 11,
    playouts: 60,
    states: 200,
};
/// Number of playouts where steps are dear: a limit on the count, unlike one on the time, is repeatable.
const FEW_PLAYOUTS: usize = 4;

/// Turns observed in playouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Whether two roles ever had a choice at the same time.
    pub is_simultaneous: bool,
    /// For each role, sorted, the moves that were its only one while another role had a choice.
    pub waiting: Vec<Vec<MoveId>>,
}

impl Turns {
    /// Samples a game.
    pub fn observe(game: &Game, budget: &Budget) -> Turns {
        let mut turns = Turns {
            is_simultaneous: false,
            waiting: vec![Vec::new(); game.roles().len()],
        };
        let extent = match game.engine().step_cost() <= StepCost::Moderate {
            true => EXTENT,
            false => Extent {
                playouts: FEW_PLAYOUTS,
                ..EXTENT
            },
        };
        let mut play = RandomPlay::new(game, extent, budget);
        while let Some(visit) = play.next_state() {
            let choosers = visit.choosers().count();
            turns.is_simultaneous |= choosers > 1;
            if choosers == 0 {
                continue;
            }
            for (known, legal) in turns.waiting.iter_mut().zip(visit.legal.values()) {
                if let &[only] = &legal[..]
                    && let Err(place) = known.binary_search(&only)
                {
                    known.insert(place, only);
                }
            }
        }
        turns
    }
}
