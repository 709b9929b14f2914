//! Making rules playable while the clock runs.
//!
//! Compiling a large game can take longer than the start clock, and cannot be interrupted. So it runs on a thread of its
//! own and goes on while the match is played; if it takes its time, a second thread makes the interpreter ready, which is
//! slow but there. A match uses what it gets first, and the compiled game as soon as there is one.

use ludens_engine::{EngineChoice, Game, Options, Role};
use ludens_gdl::tree::Node;
use ludens_gdl::{Description, Limits, Notation, Source, keyword};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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

/// Rules on their way to a game.
pub(super) struct Preparation {
    results: Receiver<Prepared>,
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
    pub(super) fn begin(rules: String, role: String, options: Options, counter: &Arc<AtomicUsize>) -> Preparation {
        let (sender, results) = channel();
        let counted = Counted::new(counter);
        let refused = sender.clone();
        let work = move || prepare(rules, &role, options, &sender, counted);
        if spawn("set-up", work).is_err() {
            let _ = refused.send(Prepared::Refused("there is no room for another thread".to_string()));
        }
        Preparation { results }
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

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_string()).stack_size(STACK);
    thread.spawn(work).map(drop)
}

fn prepare(rules: String, role: &str, options: Options, results: &Sender<Prepared>, counted: Counted) {
    let description = Description::read_as(Source::new("match", rules), Some(Notation::Kif), &Limits::default());
    if let Err(reason) = look_for_role(&description, role) {
        let _ = results.send(Prepared::Refused(reason));
        return;
    }
    // Dropped when the compiled game is there or will never be.
    let (done, is_done) = channel::<()>();
    if options.engine == EngineChoice::Auto {
        let (description, role, results) = (description.clone(), role.to_string(), results.clone());
        let interpreted = Options {
            engine: EngineChoice::Interpreted,
            ..options
        };
        let also_counted = Counted::new(&counted.0);
        // Without this thread the match waits for the other.
        let _ = spawn("set-up", move || {
            let _counted = also_counted;
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                finish(description, &role, interpreted, &results);
            }
        });
    }
    finish(description, role, options, results);
    drop(done);
}

fn finish(description: Description, role: &str, options: Options, results: &Sender<Prepared>) {
    let prepared = match Game::new(description, options) {
        Ok(game) => match game.find_role(role) {
            Some(role) => Prepared::Ready(game, role),
            None => Prepared::Refused(format!("the game has no role `{role}`")),
        },
        Err(error) => Prepared::Refused(error.to_string()),
    };
    // The match may be over.
    let _ = results.send(prepared);
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
