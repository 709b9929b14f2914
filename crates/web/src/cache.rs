//! One bounded cache for everything that is computed in the background: games, facts and explanations.
//!
//! The least recently used entry is evicted first; entries under construction stay. Failures expire, because a limit may
//! have been hit only because the machine was busy.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lifetime of a failure.
const FAILURE_LIFETIME: Duration = Duration::from_secs(60);

/// A value that a [`Cache`] can hold.
pub(crate) trait Cached: Clone {
    /// Whether the computation has ended.
    fn is_done(&self) -> bool;

    /// Whether it failed.
    fn is_failure(&self) -> bool;

    /// Share of the capacity of the cache, in any unit.
    fn size(&self) -> usize {
        0
    }
}

/// Values by key, bounded in number and total size.
pub(crate) struct Cache<T> {
    entries: Mutex<HashMap<String, Entry<T>>>,
    most_entries: usize,
    most_size: usize,
}

struct Entry<T> {
    value: T,
    created: Instant,
    used: Instant,
}

impl<T: Cached> Cache<T> {
    pub(crate) fn new(most_entries: usize, most_size: usize) -> Cache<T> {
        Cache {
            entries: Mutex::default(),
            most_entries,
            most_size,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry<T>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of `key`, if any.
    pub(crate) fn get(&self, key: &str) -> Option<T> {
        let mut entries = self.lock();
        let entry = entries.get_mut(key)?;
        entry.used = Instant::now();
        Some(entry.value.clone())
    }

    /// Returns the value of `key`, or creates it if there is none or only an expired failure.
    pub(crate) fn get_or_create<E>(&self, key: &str, create: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut entries = self.lock();
        let now = Instant::now();
        if let Some(entry) = entries.get_mut(key)
            && !(entry.value.is_failure() && now - entry.created > FAILURE_LIFETIME)
        {
            entry.used = now;
            return Ok(entry.value.clone());
        }
        let value = create()?;
        let entry = Entry {
            value: value.clone(),
            created: now,
            used: now,
        };
        entries.insert(key.to_string(), entry);
        self.evict(&mut entries);
        Ok(value)
    }

    /// Changes the value of `key`, if any.
    pub(crate) fn update(&self, key: &str, change: impl FnOnce(&mut T)) {
        if let Some(entry) = self.lock().get_mut(key) {
            change(&mut entry.value);
        }
    }

    fn evict(&self, entries: &mut HashMap<String, Entry<T>>) {
        loop {
            let done = || entries.iter().filter(|(_, entry)| entry.value.is_done());
            let size: usize = done().map(|(_, entry)| entry.value.size()).sum();
            if done().count() <= self.most_entries && size <= self.most_size {
                return;
            }
            let Some((oldest, _)) = done().min_by_key(|(_, entry)| entry.used) else {
                return;
            };
            let oldest = oldest.clone();
            entries.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size, done or not.
    #[derive(Clone, Debug, PartialEq)]
    struct Sized(usize, bool);

    impl Cached for Sized {
        fn is_done(&self) -> bool {
            self.1
        }

        fn is_failure(&self) -> bool {
            false
        }

        fn size(&self) -> usize {
            self.0
        }
    }

    fn add(cache: &Cache<Sized>, key: &str, value: Sized) {
        let _ = cache.get_or_create::<()>(key, || Ok(value));
        // Instants may otherwise be equal.
        std::thread::sleep(Duration::from_millis(2));
    }

    #[test]
    fn the_least_recently_used_entry_that_is_done_is_evicted() {
        let cache = Cache::new(2, 100);
        add(&cache, "pending", Sized(0, false));
        add(&cache, "a", Sized(1, true));
        add(&cache, "b", Sized(1, true));
        assert!(cache.get("a").is_some());
        add(&cache, "c", Sized(1, true));
        let kept = |key| cache.get(key).is_some();
        assert_eq!(
            [kept("pending"), kept("a"), kept("b"), kept("c")],
            [true, true, false, true]
        );
    }

    #[test]
    fn the_total_size_is_bounded() {
        let cache = Cache::new(10, 100);
        add(&cache, "a", Sized(60, true));
        add(&cache, "b", Sized(60, true));
        assert_eq!(cache.get("a"), None);
        assert_eq!(cache.get("b"), Some(Sized(60, true)));
        assert_eq!(cache.get_or_create::<()>("b", || Err(())), Ok(Sized(60, true)));
    }
}
