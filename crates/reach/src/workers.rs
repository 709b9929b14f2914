//! Workers: threads that find successors, each with an engine of its own.

use crate::ReachError;
use ludens_engine::{Game, Successors};
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// One thread's tools.
pub struct Worker<T> {
    /// Finds the successors of states.
    pub successors: Box<dyn Successors>,
    /// Whatever else a thread keeps from one batch to the next.
    pub kept: T,
}

/// The workers of a game, created on demand and reused.
pub struct Workers<'a, T = ()> {
    game: &'a Game,
    deadline: Option<Instant>,
    idle: Mutex<Vec<Worker<T>>>,
}

impl<'a, T: Default + Send> Workers<'a, T> {
    /// No workers yet.
    pub fn new(game: &'a Game) -> Workers<'a, T> {
        Workers {
            game,
            deadline: None,
            idle: Mutex::default(),
        }
    }

    /// The same workers, which give up at a deadline in the middle of a state. They are at fault from then on.
    pub fn until(self, deadline: Option<Instant>) -> Workers<'a, T> {
        Workers { deadline, ..self }
    }

    /// The game.
    pub fn game(&self) -> &'a Game {
        self.game
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker<T>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn create(&self) -> Worker<T> {
        let mut successors = self.game.engine().successors();
        successors.set_deadline(self.deadline);
        Worker {
            successors,
            kept: T::default(),
        }
    }

    /// Lends a worker.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker<T>) -> R) -> R {
        let known = self.idle().pop();
        let mut worker = known.unwrap_or_else(|| self.create());
        let result = work(&mut worker);
        self.idle().push(worker);
        result
    }

    /// Lets workers process `items` in parallel, `chunk` of them at a time, and returns the results in order.
    pub fn in_chunks<I: Sync, R: Send>(
        &self,
        items: &[I],
        chunk: usize,
        work: impl Fn(&mut Worker<T>, &[I]) -> R + Sync,
    ) -> Vec<R> {
        let chunks = items.par_chunks(chunk);
        chunks.map(|items| self.with(|worker| work(worker, items))).collect()
    }

    /// An error if some worker hit a limit of the engine, so that its answers cannot be trusted any more.
    pub fn check(&self) -> Result<(), ReachError> {
        let idle = self.idle();
        let fault = idle.iter().find_map(|worker| worker.successors.fault());
        fault.map_or(Ok(()), |cause| {
            Err(ReachError::Fault {
                game: self.game.name().to_string(),
                cause: cause.to_string(),
            })
        })
    }

    /// Dismisses workers that are at fault.
    pub fn dismiss_faulty(&self) {
        self.idle().retain(|worker| worker.successors.fault().is_none());
    }
}

/// Runs work on `threads` threads, at least one.
pub fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, ReachError> {
    Ok(pool(threads)?.install(work))
}

/// Starts a pool of `threads` threads, at least one.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, ReachError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| ReachError::Threads(error.to_string()))
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
        assert_eq!(workers.check(), Ok(()));
        assert_eq!(workers.idle().len(), 1);
    }

    #[test]
    fn results_of_chunks_come_in_order() {
        let source = ludens_library::find("tic-tac-toe").expect("the library has it");
        let game = Game::read(source.source()).expect("it can be played");
        let workers: Workers<'_> = Workers::new(&game);
        let items: Vec<u32> = (0..10).collect();
        let sums = in_pool(2, || workers.in_chunks(&items, 4, |_, some| some.iter().sum::<u32>()));
        assert_eq!(sums, Ok(vec![6, 22, 17]));
    }
}
