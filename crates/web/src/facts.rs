//! Facts about games, computed in the background and stored.

use crate::app::App;
use crate::cache::{Cache, Cached};
use crate::error::{ApiError, ErrorBody};
use crate::game_cache::Prepared;
use crate::model::StateView;
use crate::pool::Pool;
use ludens_analysis::analyse;
use ludens_budget::Budget;
use ludens_reach::{ExploreOptions, explore};
use ludens_report::info;
use ludens_report::measure::{Settings, measure};
use ludens_symmetry::{Kind, symmetries};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// Maximum number of states in memory while a game is explored.
const MOST_STATES: u64 = 300_000;

/// Time for measuring the speed of playouts.
const MEASURING: Duration = Duration::from_millis(500);

/// Maximum number of finished jobs in memory.
const MOST_JOBS: usize = 500;

/// Facts about a game, or the progress of computing them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct FactsAnswer {
    /// `queued`, `running`, `ready` or `failed`.
    pub(crate) status: &'static str,
    /// Number of jobs ahead in the queue.
    waiting: u64,
    /// Current stage.
    stage: Option<&'static str>,
    /// Seconds since the request.
    seconds: f64,
    /// The facts, as `ludens info --json` prints them, with `measured`.
    #[schema(value_type = Option<Object>)]
    facts: Option<Value>,
    /// How to draw the states.
    #[schema(value_type = Option<Object>)]
    layout: Option<Value>,
    /// The initial state, in the form of states of matches.
    initial: Option<StateView>,
    error: Option<ErrorBody>,
}

impl FactsAnswer {
    /// Whether the job has ended.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.status, "ready" | "failed")
    }
}

/// Jobs by game.
pub(crate) struct Facts {
    pool: Pool,
    jobs: Cache<Job>,
}

#[derive(Clone)]
struct Job {
    number: u64,
    begun: Instant,
    answer: FactsAnswer,
}

impl Cached for Job {
    fn is_done(&self) -> bool {
        self.answer.is_final()
    }

    fn is_failure(&self) -> bool {
        self.answer.status == "failed"
    }
}

impl Facts {
    pub(crate) fn new(queue: usize) -> Facts {
        Facts {
            pool: Pool::new("facts", 1, queue),
            jobs: Cache::new(MOST_JOBS, usize::MAX),
        }
    }

    fn set(&self, game: &str, change: impl FnOnce(&mut FactsAnswer)) {
        self.jobs.update(game, |job| {
            job.answer.seconds = job.begun.elapsed().as_secs_f64();
            change(&mut job.answer);
        });
    }

    /// Returns the facts of an existing game, or starts computing them.
    pub(crate) fn ask(&self, app: &Arc<App>, game: &str) -> Result<FactsAnswer, ApiError> {
        let job = self.jobs.get_or_create(game, || self.begin(app, game))?;
        Ok(self.progress(&job))
    }

    fn begin(&self, app: &Arc<App>, game: &str) -> Result<Job, ApiError> {
        let (host, name) = (app.clone(), game.to_string());
        let runtime = tokio::runtime::Handle::current();
        let number = self.pool.submit(move || {
            if let Err(error) = compute(&host, &name, &runtime) {
                host.facts.set(&name, |answer| {
                    answer.status = "failed";
                    answer.stage = None;
                    answer.error = Some(error.body());
                });
            }
        })?;
        Ok(Job {
            number,
            begun: Instant::now(),
            answer: FactsAnswer {
                status: "queued",
                waiting: 0,
                stage: None,
                seconds: 0.0,
                facts: None,
                layout: None,
                initial: None,
                error: None,
            },
        })
    }

    fn progress(&self, job: &Job) -> FactsAnswer {
        let mut answer = job.answer.clone();
        if !answer.is_final() {
            answer.seconds = job.begun.elapsed().as_secs_f64();
            answer.waiting = self.pool.waiting(job.number);
        }
        answer
    }

    /// Number of queued and running jobs.
    pub(crate) fn open(&self) -> u64 {
        self.pool.open()
    }

    pub(crate) fn panics(&self) -> u64 {
        self.pool.panics()
    }
}

/// Computes all facts of a game, or reads them from the store.
fn compute(app: &App, game: &str, runtime: &tokio::runtime::Handle) -> Result<(), ApiError> {
    let stage = |stage| {
        app.facts.set(game, |answer| {
            answer.status = "running";
            answer.stage = Some(stage);
        });
    };
    stage("setting up");
    let prepared = runtime.block_on(app.game_cache.prepare(game))?;
    // The page shows the board long before the facts are complete.
    let mut machine = prepared.game.machine();
    let initial = prepared.layout.show(&prepared.game, &mut *machine, 0, None);
    app.facts.set(game, |answer| {
        answer.layout = Some(prepared.layout.json().clone());
        answer.initial = Some(initial);
    });
    let facts = match app.store.facts(game)? {
        Some(known) => known,
        None => {
            let facts = look(app, &prepared, &stage)?;
            if !app.is_ending() {
                app.store.add_facts(game, &facts)?;
            }
            facts
        }
    };
    app.facts.set(game, |answer| {
        answer.status = "ready";
        answer.stage = None;
        answer.facts = Some(facts);
    });
    Ok(())
}

fn look(app: &App, prepared: &Prepared, stage: &dyn Fn(&'static str)) -> Result<Value, ApiError> {
    let (game, time) = (&prepared.game, app.config.limits.facts_time);
    let budget = Budget::until_cancelled(app.cancel.clone());
    stage("exploring");
    let exploring = budget.within(time).with_nodes(MOST_STATES);
    let exploration = explore(game, &ExploreOptions::default(), &exploring);
    stage("proving");
    let analysis = analyse(game, &budget.within(time));
    let symmetries = symmetries(game, Kind::Game, &budget.within(time));
    stage("measuring");
    let settings = Settings {
        seconds: MEASURING.as_secs_f64(),
        threads: 1,
        most_steps: app.config.limits.most_steps,
        seed: 1,
    };
    let measured = measure(game, prepared.setup_seconds, settings, &budget);
    let setup = prepared.setup_seconds;
    let mut facts = info::facts(game, &exploration, analysis.as_deref(), &symmetries, setup);
    facts["measured"] = match measured {
        Ok(measured) => json!({
            "seconds": measured.seconds,
            "playouts": measured.playouts,
            "playouts_per_second": measured.playouts_per_second,
            "states_per_second": measured.states_per_second,
        }),
        Err(_) => Value::Null,
    };
    Ok(facts)
}
