//! Sets up a game while the clock runs.
//!
//! Compiling a large game can take longer than the start clock and cannot be interrupted. So it runs on its own thread
//! and continues while the match is played; if it takes long, a second thread sets up the interpreter, which is slow
//! but soon ready. A match uses the first game it gets, and the compiled one as soon as it is ready. Matches of the
//! same rules share all of this through the [game cache](Games).

use super::games::{Games, Lease, Share, canonical_rules};
use ludens_engine::{EngineChoice, Game, Options, Role};
use ludens_gdl::tree::Node;
use ludens_gdl::{Description, Limits, Notation, Source, keyword};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Deriving and compiling recurse over rules of strangers.
const STACK: usize = 64 << 20;

/// Time to wait for the compiled game before the interpreter is set up too.
const PATIENCE: Duration = Duration::from_millis(500);

/// Result of a set-up.
pub(super) enum Prepared {
    /// A game that contains our role.
    Ready(Game, Role),
    /// The rules are unusable.
    Refused(String),
    /// Not ready by the given time.
    NotYet,
    /// There are no further results.
    Never,
}

/// A set-up. The [cache](Games) keeps the game while it lives.
pub(super) struct Preparation {
    results: Receiver<Prepared>,
    held: Arc<Mutex<Held>>,
}

/// Share of a match in the game cache.
#[derive(Default)]
enum Held {
    /// The rules are still being read.
    #[default]
    Nothing,
    Game(#[expect(dead_code, reason = "it is there to be dropped")] Lease),
    /// The match is over.
    Over,
}

/// Counts a thread until dropped.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(counter: &Arc<AtomicUsize>) -> Counted {
        counter.fetch_add(1, Ordering::Relaxed);
        Counted(counter.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Preparation {
    /// Starts the set-up. The counter contains its threads, even after the match has ended.
    pub(super) fn begin(
        rules: String,
        role: String,
        options: Options,
        games: &Arc<Games>,
        counter: &Arc<AtomicUsize>,
    ) -> Preparation {
        let (sender, results) = channel();
        let counted = Counted::new(counter);
        let refused = sender.clone();
        let held: Arc<Mutex<Held>> = Arc::default();
        let (games, lease) = (games.clone(), held.clone());
        let work = move || prepare(rules, &role, options, sender, &games, &lease, counted);
        if spawn("set-up", work).is_err() {
            let _ = refused.send(Prepared::Refused("there is no room for another thread".to_string()));
        }
        Preparation { results, held }
    }

    /// Waits for the next result.
    pub(super) fn wait(&self, until: Instant) -> Prepared {
        let time = until.saturating_duration_since(Instant::now());
        match self.results.recv_timeout(time) {
            Ok(prepared) => prepared,
            Err(RecvTimeoutError::Timeout) => Prepared::NotYet,
            Err(RecvTimeoutError::Disconnected) => Prepared::Never,
        }
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        // The lease is dropped after the lock, because dropping it evicts games.
        let held = std::mem::replace(&mut *lock(&self.held), Held::Over);
        drop(held);
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands the lease to the match, unless it has ended.
fn hand_over(held: &Mutex<Held>, lease: Lease) {
    let mut held = lock(held);
    if !matches!(*held, Held::Over) {
        *held = Held::Game(lease);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_string()).stack_size(STACK);
    thread.spawn(work).map(drop)
}

fn prepare(
    rules: String,
    role: &str,
    options: Options,
    results: Sender<Prepared>,
    games: &Arc<Games>,
    held: &Mutex<Held>,
    counted: Counted,
) {
    let description = Description::read_as(Source::new("match", rules), Some(Notation::Kif), &Limits::default());
    if let Err(reason) = look_for_role(&description, role) {
        let _ = results.send(Prepared::Refused(reason));
        return;
    }
    let share = games.share(canonical_rules(&description), role, &results);
    // The match gets results through the cache, and the end when all senders are dropped.
    drop(results);
    let number = match share {
        Share::Taken(lease) => return hand_over(held, lease),
        Share::Begun(lease) => {
            let number = lease.number();
            hand_over(held, lease);
            number
        }
    };
    let set_up = SetUp {
        games: games.clone(),
        number,
    };
    // Dropped when the compiled game is ready or has failed.
    let (done, is_done) = channel::<()>();
    if options.engine == EngineChoice::Auto {
        let (description, games) = (description.clone(), games.clone());
        let interpreted = Options {
            engine: EngineChoice::Interpreted,
            ..options
        };
        let also_counted = Counted::new(&counted.0);
        // If this thread cannot start, matches wait for the other.
        let _ = spawn("set-up", move || {
            let _counted = also_counted;
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                set_up_game(&games, number, description, interpreted);
            }
        });
    }
    set_up_game(games, number, description, options);
    drop(set_up);
    drop(done);
}

/// Ends a set-up in the cache when dropped.
struct SetUp {
    games: Arc<Games>,
    number: u64,
}

impl Drop for SetUp {
    fn drop(&mut self) {
        self.games.finish(self.number);
    }
}

/// Sets up a game, unless the matches that wanted it have ended.
fn set_up_game(games: &Games, number: u64, description: Description, options: Options) {
    if games.is_wanted(number) {
        let game = Game::new(description, options);
        games.report(number, game.map_err(|error| error.to_string()));
    }
}

/// Checks the role early: roles are facts, so a wrong one is known long before the game is ready.
fn look_for_role(description: &Description, role: &str) -> Result<(), String> {
    let (tree, symbols) = (&description.tree, &description.rules.symbols);
    let mut facts = tree.roots.iter().filter_map(|&root| match *tree.items(root) {
        [_, name] if tree.operator(root) == Some(keyword::ROLE) => match tree.node(name) {
            Node::Word(symbol) => Some(symbol),
            _ => None,
        },
        _ => None,
    });
    let wanted = symbols.find(role);
    match facts.any(|fact| Some(fact) == wanted) {
        true => Ok(()),
        false => Err(format!("the rules have no role `{role}`")),
    }
}
