//! Workers: the successors of states are found by many threads, each with an engine of its own.

use ludens_engine::{Game, Successors};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One thread's tools.
pub struct Worker<T> {
    /// Finds the successors of states.
    pub successors: Box<dyn Successors>,
    /// Whatever else a thread keeps from one batch to the next.
    pub kept: T,
}

/// The workers of a game. They are made when they are needed first and lent out as long as somebody works with them.
pub struct Workers<'a, T = ()> {
    game: &'a Game,
    idle: Mutex<Vec<Worker<T>>>,
}

impl<'a, T: Default> Workers<'a, T> {
    /// No workers yet.
    pub fn new(game: &'a Game) -> Workers<'a, T> {
        Workers {
            game,
            idle: Mutex::default(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker<T>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends a worker.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker<T>) -> R) -> R {
        let known = self.idle().pop();
        let mut worker = known.unwrap_or_else(|| Worker {
            successors: self.game.engine().successors(),
            kept: T::default(),
        });
        let result = work(&mut worker);
        self.idle().push(worker);
        result
    }

    /// Why the answers of a worker cannot be trusted any more, if so.
    pub fn fault(&self) -> Option<String> {
        let idle = self.idle();
        idle.iter()
            .find_map(|worker| worker.successors.fault().map(str::to_string))
    }
}

/// Runs work on `threads` threads, at least one; an error if the system starts none.
pub fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    let pool = pool.map_err(|error| format!("no threads can be started: {error}"))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_used_again() {
        let source = ludens_library::find("tic-tac-toe")
            .expect("the library has it")
            .source();
        let game = Game::read(source).expect("it can be played");
        let workers: Workers<'_, u32> = Workers::new(&game);
        for round in 0..3 {
            workers.with(|worker| {
                assert_eq!(worker.kept, round);
                worker.kept += 1;
            });
        }
        assert_eq!(workers.fault(), None);
        assert_eq!(workers.idle().len(), 1);
    }
}
