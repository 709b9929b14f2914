//! What agents that plan for one role share: the best line is kept and followed until a better one is found.

use super::support::{Fallback, only_move};
use crate::agent::{Agent, Place};
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::{Game, MoveId, State};
use ludens_plan::{Line, LineSearch, NotForOne};
use ludens_search::{Decision, MoveStatistics};

/// Returns an agent that follows the lines of a search. In games that the search is not for it plays like `uct`, and
/// says so; commands refuse to seat it there.
pub(super) fn following<S: LineSearch + 'static>(place: &Place, search: Result<S, NotForOne>) -> Box<dyn Agent> {
    Box::new(Planned {
        search,
        fallback: Fallback::plain(place),
        kept: None,
        place: place.clone(),
    })
}

/// Returns why an agent that plans cannot be seated in a game, if it cannot.
pub(super) fn seatable(game: &Game, name: &str) -> Result<(), String> {
    let chance = game.roles().filter(|&role| game.is_random(role)).count();
    match game.roles().len() {
        1 if chance == 0 => Ok(()),
        count => Err(format!(
            "{name} plans for games with one role and without chance; {} has {count} roles{}",
            game.name(),
            if chance > 0 { ", one of them chance" } else { "" }
        )),
    }
}

/// The rest of the best line, and the state in which its next move is to be made.
struct Kept {
    line: Line,
    at: State,
}

struct Planned<S> {
    place: Place,
    search: Result<S, NotForOne>,
    fallback: Fallback,
    kept: Option<Kept>,
}

impl<S: LineSearch> Planned<S> {
    /// Searches from a state and keeps the line if it is better than what is left of the kept one.
    fn improve(search: &mut S, kept: &mut Option<Kept>, state: &State, budget: &Budget) -> ludens_plan::Found {
        let found = search.search(state, budget);
        let fits = |kept: &&Kept| kept.at == *state && !kept.line.moves.is_empty();
        let known = kept.as_ref().filter(fits).map(|kept| kept.line.score);
        if known.is_none_or(|known| found.line.score > known) {
            *kept = Some(Kept {
                line: found.line.clone(),
                at: state.clone(),
            });
        }
        found
    }

    /// Takes the next move of the kept line and notes the state behind it.
    fn follow(&mut self, legal: &[MoveId]) -> MoveId {
        let Some(kept) = &mut self.kept else {
            return legal[0];
        };
        let next = kept.line.moves.remove(0);
        let mut machine = self.place.game.machine();
        machine.load(&kept.at);
        machine.step(&[next]);
        kept.at = machine.state().clone();
        next
    }
}

impl<S: LineSearch> Agent for Planned<S> {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        match &mut self.search {
            Ok(search) => drop(Self::improve(search, &mut self.kept, start.state(), budget)),
            Err(_) => self.fallback.prepare(start.state(), budget),
        }
    }

    fn choose(&mut self, position: &Position, budget: &Budget) -> Decision {
        let state = position.state();
        let search = match &mut self.search {
            Ok(search) => search,
            Err(why) => return self.fallback.decide(state, budget, &why.to_string()),
        };
        let mut machine = self.place.game.machine();
        machine.load(state);
        let legal = machine.legal(self.place.role).to_vec();
        let is_kept = self.kept.as_ref().is_some_and(|kept| kept.at == *state);
        if !is_kept && let Some(decision) = only_move(&self.place, state) {
            return decision;
        }
        let found = Self::improve(search, &mut self.kept, state, budget);
        let line = self.kept.as_ref().map(|kept| kept.line.clone()).unwrap_or_default();
        let choice = self.follow(&legal);
        let statistics = legal.iter().map(|&move_id| MoveStatistics {
            move_id,
            probability: f64::from(u8::from(move_id == choice)),
            value: (move_id == choice).then_some(f64::from(line.score)),
            proved: false,
            visits: 0,
        });
        Decision {
            value: Some(f64::from(line.score)),
            moves: statistics.collect(),
            line: line.moves.iter().map(|&move_id| vec![move_id]).collect(),
            playouts: found.playouts,
            ..Decision::without_search(choice, found.stop)
        }
    }
}
