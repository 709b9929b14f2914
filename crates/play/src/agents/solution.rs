//! Play from a solution of the game.

use crate::agent::Place;
use crate::settings::{Content, NamedFile};
use crate::view::Position;
use ludens_artifact::ArtifactError;
use ludens_budget::StopReason;
use ludens_engine::{Game, MoveId, Rng, weighted_index};
use ludens_search::{Decision, MoveStatistics};
use ludens_solve::Solution;
use std::sync::{Arc, PoisonError};

/// Returns the decision of a role by a solution of the game; `None` if the solution does not know the state.
pub(super) fn by_solution(place: &Place, solution: &Solution, view: &Position, rng: &mut Rng) -> Option<Decision> {
    let (game, role) = (&place.game, place.role.index());
    let here = solution.look(game, view.state());
    let value = here.values.as_ref()?[role];
    let strategy = here.strategies.get(role);
    let choice = match strategy {
        Some(strategy) => drawn(strategy, rng)?,
        None => here.moves[here.best()?].joint[role],
    };
    let mut moves: Vec<MoveStatistics> = Vec::new();
    for joint in &here.moves {
        let move_id = joint.joint[role];
        if moves.iter().any(|known| known.move_id == move_id) {
            continue;
        }
        let chance = strategy.and_then(|strategy| strategy.iter().find(|(known, _)| *known == move_id));
        moves.push(MoveStatistics {
            move_id,
            probability: chance.map_or(f64::from(u8::from(move_id == choice)), |&(_, chance)| chance),
            // Behind a move that is made at the same time as another's, the value depends on that one too.
            value: joint
                .values
                .as_ref()
                .filter(|_| strategy.is_none())
                .map(|values| values[role]),
            proved: strategy.is_none() && joint.values.is_some(),
            visits: 0,
        });
    }
    Some(Decision {
        value: Some(value),
        line: solution.best_line(game, view.state(), 20),
        moves,
        ..Decision::without_search(choice, StopReason::Known)
    })
}

/// A move by its probability.
fn drawn(strategy: &[(MoveId, f64)], rng: &mut Rng) -> Option<MoveId> {
    let index = weighted_index(strategy.iter().map(|&(_, chance)| chance), rng)?;
    Some(strategy[index].0)
}

/// A solution that was read from a file before, with the game it was read for.
struct Cached(Game, Result<Arc<Solution>, ArtifactError>);

/// Reads the solution of a game from a file, once for all agents that share the file.
pub(super) fn from_file(game: &Game, file: &NamedFile) -> Result<Arc<Solution>, String> {
    let wrong = |error| format!("{} cannot be used for {}: {error}", file.path, game.name());
    read_once(game, file.content()?).map_err(wrong)
}

fn read_once(game: &Game, content: &Content) -> Result<Arc<Solution>, ArtifactError> {
    let mut made = content.made.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = made.iter().filter_map(|thing| thing.downcast_ref::<Cached>());
    // Numbers of fluents belong to one reading of the rules.
    let mut same = cached.filter(|cached| std::ptr::eq(cached.0.vocabulary(), game.vocabulary()));
    if let Some(Cached(_, solution)) = same.next() {
        return solution.clone();
    }
    let solution = Solution::read(game, &content.bytes).map(Arc::new);
    made.push(Arc::new(Cached(game.clone(), solution.clone())));
    solution
}
