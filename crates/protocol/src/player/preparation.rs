//! Making rules playable while the clock runs.
//!
//! Compiling a large game can take longer than the start clock, and cannot be interrupted. So it runs on a thread of its
//! own and goes on while the match is played; if it takes its time, a second thread makes the interpreter ready, which is
//! slow but there. A match uses what it gets first, and the compiled game as soon as there is one. Matches of the same rules
//! share all of this through the [game cache](Games).

use super::games::{Games, Lease, Share, canonical_rules};
use ludens_engine::{EngineChoice, Game, Options, Role};
use ludens_gdl::tree::Node;
use ludens_gdl::{Description, Limits, Notation, Source, keyword};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Deriving and compiling recurse over rules that strangers wrote.
const STACK: usize = 64 << 20;

/// How long to hope for the compiled game before the interpreter is made ready too.
const PATIENCE: Duration = Duration::from_millis(500);

/// What came of the rules.
pub(super) enum Prepared {
    /// A game with our role in it.
    Ready(Game, Role),
    /// There is no such game.
    Refused(String),
    /// The moment came first.
    NotYet,
    /// Nothing more will come.
    Never,
}

/// Rules on their way to a game. While it lives, the [cache](Games) keeps the game.
pub(super) struct Preparation {
    results: Receiver<Prepared>,
    held: Arc<Mutex<Held>>,
}

/// What a match holds of the game cache.
#[derive(Default)]
enum Held {
    /// The rules are still being read.
    #[default]
    Nothing,
    Game(#[expect(dead_code, reason = "it is there to be dropped")] Lease),
    /// The match is over.
    Over,
}

/// Counts threads until it is dropped.
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
    /// Begins. The counter tells how many threads are at it, also after nobody waits for them any more.
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

    /// What there is by some moment.
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
        // The lease is dropped after the lock: its end tidies the cache up.
        let held = std::mem::replace(&mut *lock(&self.held), Held::Over);
        drop(held);
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands the lease to the match, unless that is over.
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
    // The match hears of everything through the cache, and of the end by all senders being gone.
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
    // Dropped when the compiled game is there or will never be.
    let (done, is_done) = channel::<()>();
    if options.engine == EngineChoice::Auto {
        let (description, games) = (description.clone(), games.clone());
        let interpreted = Options {
            engine: EngineChoice::Interpreted,
            ..options
        };
        let also_counted = Counted::new(&counted.0);
        // Without this thread the matches wait for the other.
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

/// Ends a set-up in the cache when it is dropped, whatever became of it.
struct SetUp {
    games: Arc<Games>,
    number: u64,
}

impl Drop for SetUp {
    fn drop(&mut self) {
        self.games.finish(self.number);
    }
}

/// Makes a game of rules, unless the matches that wanted it are over.
fn set_up_game(games: &Games, number: u64, description: Description, options: Options) {
    if games.is_wanted(number) {
        let game = Game::new(description, options);
        games.report(number, game.map_err(|error| error.to_string()));
    }
}

/// Roles are facts, so a wrong one is known long before the game is ready.
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
