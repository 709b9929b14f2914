//! Explanations of positions, from evaluation functions that are learned on request and cached.

use crate::cache::{Cache, Cached};
use crate::error::ApiError;
use crate::pool::Pool;
use ludens_budget::Budget;
use ludens_engine::{Game, State};
use ludens_evaluate::explain::Explains;
use ludens_evaluate::learned::features::{self, GuidedFunction};
use ludens_report::explain::explanation;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of evaluation functions in the cache.
const MOST_FUNCTIONS: usize = 20;

/// Time limit for learning the evaluation function of a game.
const TIME: Duration = Duration::from_secs(5);

/// The evaluation function of a game, or why there is none.
type Learned = Arc<Result<GuidedFunction, String>>;

impl Cached for Learned {
    fn is_done(&self) -> bool {
        true
    }

    fn is_failure(&self) -> bool {
        self.is_err()
    }
}

/// Explains positions with evaluation functions of their games.
pub(crate) struct Explanations {
    pool: Pool,
    functions: Arc<Cache<Learned>>,
}

impl Explanations {
    pub(crate) fn new(queue: usize) -> Explanations {
        Explanations {
            pool: Pool::new("explanations", 1, queue),
            functions: Arc::new(Cache::new(MOST_FUNCTIONS, usize::MAX)),
        }
    }

    /// Explains a state that is not terminal. The inner error is the reason why there is no explanation.
    pub(crate) async fn explain(
        &self,
        id: &str,
        game: Game,
        state: State,
        budget: Budget,
    ) -> Result<Result<Value, String>, ApiError> {
        let (functions, id) = (self.functions.clone(), id.to_string());
        let work = move || {
            // There is one worker, so nobody else waits for the lock of the cache.
            let Ok(learned) = functions.get_or_create::<Infallible>(&id, || {
                let function = features::build(&game, &features::Options::default(), 1, &budget.within(TIME));
                Ok(Arc::new(function.map_err(|cause| cause.to_string())))
            });
            match &*learned {
                Ok(function) => Ok(explanation(function.game(), &function.explain(&state))),
                Err(cause) => Err(cause.clone()),
            }
        };
        self.pool.run(work).await
    }

    pub(crate) fn panics(&self) -> u64 {
        self.pool.panics()
    }
}
