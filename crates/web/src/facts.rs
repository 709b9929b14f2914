//! What is known about games: found out once, behind the answers, and kept.

use crate::app::App;
use crate::error::{ApiError, ErrorBody};
use crate::game_cache::Prepared;
use crate::model::StateView;
use crate::pool::Pool;
use ludens_analysis::analyse;
use ludens_budget::Budget;
use ludens_reach::{ExploreOptions, explore};
use ludens_report::info;
use ludens_report::measure::{Settings, measure};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// States that may be kept in memory while a game is explored.
const MOST_STATES: u64 = 300_000;

/// How long playouts are run to see how fast they are.
const MEASURING: Duration = Duration::from_millis(500);

/// Jobs that are remembered; the oldest that are done are forgotten first.
const MOST_JOBS: usize = 500;

/// A failure is forgotten after this time.
const FAILURE_LASTS: Duration = Duration::from_secs(60);

/// What is known about a game, or how far finding it out has come.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct FactsAnswer {
    /// `queued`, `running`, `ready` or `failed`.
    pub(crate) status: &'static str,
    /// How many others come first.
    waiting: u64,
    /// What is being done.
    stage: Option<&'static str>,
    /// How long it takes or took.
    seconds: f64,
    /// What `ludens info --json` prints, and `measured`.
    #[schema(value_type = Option<Object>)]
    facts: Option<Value>,
    /// How states can be drawn.
    #[schema(value_type = Option<Object>)]
    layout: Option<Value>,
    /// The initial state, as states of matches are told.
    initial: Option<StateView>,
    error: Option<ErrorBody>,
}

impl FactsAnswer {
    /// Whether nothing will change any more.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.status, "ready" | "failed")
    }
}

/// The jobs, by game.
pub(crate) struct Facts {
    pool: Pool,
    jobs: Mutex<HashMap<String, Job>>,
}

#[derive(Clone)]
struct Job {
    number: Option<u64>,
    begun: Instant,
    answer: FactsAnswer,
}

impl Facts {
    pub(crate) fn new(queue: usize) -> Facts {
        Facts {
            pool: Pool::new("facts", 1, queue),
            jobs: Mutex::default(),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<String, Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, game: &str, change: impl FnOnce(&mut FactsAnswer)) {
        if let Some(job) = self.jobs().get_mut(game) {
            job.answer.seconds = job.begun.elapsed().as_secs_f64();
            change(&mut job.answer);
        }
    }

    /// What a game that is known to exist is like; begins to find it out if nobody asked before.
    pub(crate) fn ask(&self, app: &Arc<App>, game: &str) -> Result<FactsAnswer, ApiError> {
        let mut jobs = self.jobs();
        if let Some(job) = jobs.get(game) {
            let is_stale = job.answer.status == "failed" && job.begun.elapsed() > FAILURE_LASTS;
            if !is_stale {
                return Ok(self.progress(job));
            }
        }
        make_room(&mut jobs);
        let mut job = Job {
            number: None,
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
        };
        let (host, name) = (app.clone(), game.to_string());
        let runtime = tokio::runtime::Handle::current();
        let work = move || {
            if let Err(error) = find_out(&host, &name, &runtime) {
                host.facts.set(&name, |answer| {
                    answer.status = "failed";
                    answer.stage = None;
                    answer.error = Some(error.body());
                });
            }
        };
        job.number = Some(self.pool.submit(work)?);
        let answer = self.progress(&job);
        jobs.insert(game.to_string(), job);
        Ok(answer)
    }

    fn progress(&self, job: &Job) -> FactsAnswer {
        let mut answer = job.answer.clone();
        if !answer.is_final() {
            answer.seconds = job.begun.elapsed().as_secs_f64();
            answer.waiting = job.number.map_or(0, |number| self.pool.waiting(number));
        }
        answer
    }

    /// How much is being found out or waits for it.
    pub(crate) fn open(&self) -> u64 {
        self.pool.open()
    }

    pub(crate) fn panics(&self) -> u64 {
        self.pool.panics()
    }
}

fn make_room(jobs: &mut HashMap<String, Job>) {
    if jobs.len() >= MOST_JOBS {
        let done = jobs.iter().filter(|(_, job)| job.answer.is_final());
        if let Some(oldest) = done.min_by_key(|(_, job)| job.begun).map(|(game, _)| game.clone()) {
            jobs.remove(&oldest);
        }
    }
}

/// Finds out all facts of a game, or reads what was found out before.
fn find_out(app: &App, game: &str, runtime: &tokio::runtime::Handle) -> Result<(), ApiError> {
    let stage = |stage| {
        app.facts.set(game, |answer| {
            answer.status = "running";
            answer.stage = Some(stage);
        });
    };
    stage("setting up");
    let prepared = runtime.block_on(app.game_cache.prepare(game))?;
    // The board can be shown long before everything is known.
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
    stage("measuring");
    let settings = Settings {
        seconds: MEASURING.as_secs_f64(),
        threads: 1,
        most_steps: app.config.limits.most_steps,
        seed: 1,
    };
    let measured = measure(game, prepared.setup_seconds, settings, &budget);
    let mut facts = info::facts(game, &exploration, analysis.as_deref(), prepared.setup_seconds);
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
