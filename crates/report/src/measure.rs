//! Measures the speed of random playouts on several threads for a given time.

use ludens_budget::Budget;
use ludens_engine::playout::{End, Playout};
use ludens_engine::{Game, PlayoutSource, Rng, State};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Settings of a measurement.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Duration in seconds.
    pub seconds: f64,
    /// Number of threads.
    pub threads: u16,
    /// Maximum length of a playout.
    pub most_steps: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

/// Result of a measurement, with the fields of its JSON form.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// Name of the game.
    pub game: String,
    /// Engine that ran it.
    pub engine: &'static str,
    /// Seconds of the set-up.
    pub setup_seconds: f64,
    /// Seconds of the playouts.
    pub seconds: f64,
    /// Number of playouts that ended.
    pub playouts: u64,
    /// Number of state changes in all playouts.
    pub states: u64,
    /// Playouts per second.
    pub playouts_per_second: f64,
    /// State changes per second.
    pub states_per_second: f64,
    /// Number of playouts that were stuck or too long.
    pub unfinished: u64,
    /// Number of threads.
    pub threads: u16,
}

#[derive(Default)]
struct Count {
    playouts: u64,
    states: u64,
    unfinished: u64,
}

/// Runs playouts of a game whose set-up took `setup_seconds`. An error says why the game cannot be played.
pub fn measure(game: &Game, setup_seconds: f64, settings: Settings, budget: &Budget) -> Result<Measurement, String> {
    let start = Instant::now();
    let budget = budget.within(Duration::from_secs_f64(settings.seconds));
    let counts: Vec<Result<Count, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..u64::from(settings.threads))
            .map(|thread| {
                let budget = &budget;
                let seed = settings.seed.wrapping_mul(1000).wrapping_add(thread);
                scope.spawn(move || play(game, Rng::with_seed(seed), settings.most_steps, budget))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".to_string())))
            .collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    let mut total = Count::default();
    for count in counts {
        let count = count.map_err(|fault| format!("the game cannot be played on: {fault}"))?;
        total.playouts += count.playouts;
        total.states += count.states;
        total.unfinished += count.unfinished;
    }
    Ok(Measurement {
        game: game.name().to_string(),
        engine: game.engine().name(),
        setup_seconds,
        seconds,
        playouts: total.playouts,
        states: total.states,
        playouts_per_second: total.playouts as f64 / seconds,
        states_per_second: total.states as f64 / seconds,
        unfinished: total.unfinished,
        threads: settings.threads,
    })
}

/// Playouts in flight at the end are finished if that takes no longer than this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Starts playouts until the budget is spent, at least one; those in flight are finished unless that takes long.
fn play(game: &Game, mut rng: Rng, most_steps: usize, budget: &Budget) -> Result<Count, String> {
    let mut matches = TimedMatches {
        game,
        budget,
        is_slow: game.engine().gates().is_none(),
        started: 0,
        is_spent: false,
        steps: 0,
        drop_after: budget.deadline().and_then(|deadline| deadline.checked_add(PATIENCE)),
        is_late: false,
        count: Count::default(),
        fault: false,
    };
    game.engine().playouts().run(&mut rng, most_steps, &mut matches);
    match matches.fault {
        true => Err("a limit was hit while deriving a state".to_string()),
        false => Ok(matches.count),
    }
}

/// Starts playouts from the initial state until a deadline.
struct TimedMatches<'a> {
    game: &'a Game,
    budget: &'a Budget,
    is_slow: bool,
    started: u32,
    is_spent: bool,
    steps: u32,
    /// Time at which playouts in flight are dropped.
    drop_after: Option<Instant>,
    is_late: bool,
    count: Count,
    fault: bool,
}

impl PlayoutSource for TimedMatches<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        // Reading the clock costs as much as a short playout.
        if self.started > 0 && (self.is_slow || self.started.is_multiple_of(64)) {
            self.is_spent |= self.budget.is_spent();
        }
        self.started = self.started.wrapping_add(1);
        (!self.is_spent).then(|| (self.game.initial(), 0))
    }

    fn is_over(&mut self) -> bool {
        // Called in every step, so the clock is read only in some.
        self.steps = self.steps.wrapping_add(1);
        if self.is_slow || self.steps.is_multiple_of(64) {
            self.is_late |= self.drop_after.is_some_and(|moment| Instant::now() > moment) || self.budget.is_cancelled();
        }
        self.is_late
    }

    fn finish(&mut self, _: u32, playout: &Playout) {
        match playout.end {
            End::Terminal => self.count.playouts += 1,
            End::Stuck(_) | End::TooLong | End::Stopped => self.count.unfinished += 1,
            End::Fault => self.fault = true,
        }
        self.count.states += playout.steps as u64;
    }
}
