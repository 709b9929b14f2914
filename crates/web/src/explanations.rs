//! Why positions look good: knowledge about games, found out when somebody asks and kept for a while.

use crate::error::ApiError;
use crate::pool::Pool;
use ludens_budget::Budget;
use ludens_engine::{Game, State};
use ludens_evaluate::explain::Explains;
use ludens_evaluate::learned::features::{self, GuidedFunction};
use ludens_report::explain::explanation;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Games whose knowledge is kept.
const MOST_KEPT: usize = 20;

/// How long finding out about one game may take.
const TIME: Duration = Duration::from_secs(5);

/// What was found out about a game, or why nothing was.
type Found = Result<GuidedFunction, String>;

/// What was found out lately, by game.
type Kept = Mutex<Vec<(String, Arc<Found>)>>;

/// Knowledge about games.
pub(crate) struct Explanations {
    pool: Pool,
    kept: Arc<Kept>,
}

impl Explanations {
    pub(crate) fn new(queue: usize) -> Explanations {
        Explanations {
            pool: Pool::new("explanations", 1, queue),
            kept: Arc::default(),
        }
    }

    /// What there is to say about a state that is not terminal; else why there is nothing.
    pub(crate) async fn explain(
        &self,
        id: &str,
        game: Game,
        state: State,
        budget: Budget,
    ) -> Result<Result<Value, String>, ApiError> {
        let (kept, id) = (self.kept.clone(), id.to_string());
        self.pool
            .run(move || {
                let found = find(&kept, &id, &game, &budget);
                match &*found {
                    Ok(function) => Ok(explanation(function.game(), &function.explain(&state))),
                    Err(cause) => Err(cause.clone()),
                }
            })
            .await
    }

    pub(crate) fn panics(&self) -> u64 {
        self.pool.panics()
    }
}

/// What is kept about a game, or found out now. There is one worker, so nothing is found out twice.
fn find(kept: &Kept, id: &str, game: &Game, budget: &Budget) -> Arc<Found> {
    let look = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = look().iter().find(|(known, _)| known == id) {
        return found.clone();
    }
    let function = features::build(game, &features::Options::default(), 1, &budget.within(TIME));
    let found = Arc::new(function.map_err(|cause| cause.to_string()));
    let mut kept = look();
    if kept.len() >= MOST_KEPT {
        kept.remove(0);
    }
    kept.push((id.to_string(), found.clone()));
    found
}
