//! Request rate limits: a token bucket per client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of clients remembered; beyond it, clients with a full bucket are dropped.
const MOST_CLIENTS: usize = 10_000;

/// Burst size, in seconds of the sustained rate.
const BURST: f64 = 5.0;

/// Rate limit for each client.
#[derive(Debug)]
pub(crate) struct RateLimit {
    per_second: f64,
    clients: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl RateLimit {
    pub(crate) fn new(per_second: f64) -> RateLimit {
        RateLimit {
            per_second: per_second.max(0.001),
            clients: Mutex::default(),
        }
    }

    /// Admits a request, or returns how long the client has to wait.
    pub(crate) fn admit(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        let most = (self.per_second * BURST).max(1.0);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_CLIENTS && !clients.contains_key(&client) {
            // A client whose bucket is full again needs no entry.
            let full = Duration::from_secs_f64(most / self.per_second);
            clients.retain(|_, bucket| now.saturating_duration_since(bucket.filled) < full);
            if clients.len() >= MOST_CLIENTS {
                return Err(full);
            }
        }
        let bucket = clients.entry(client).or_insert(Bucket {
            tokens: most,
            filled: now,
        });
        let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.tokens = (bucket.tokens + passed * self.per_second).min(most);
        bucket.filled = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            Ok(())
        } else {
            Err(Duration::from_secs_f64((1.0 - bucket.tokens) / self.per_second))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_burst_passes_and_then_only_the_rate() {
        let limit = RateLimit::new(2.0);
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let other = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        for _ in 0..10 {
            assert!(limit.admit(client, start).is_ok());
        }
        assert_eq!(limit.admit(client, start), Err(Duration::from_millis(500)));
        assert!(limit.admit(other, start).is_ok(), "clients do not share a bucket");
        assert!(limit.admit(client, at(400)).is_err());
        assert!(limit.admit(client, at(1_000)).is_ok());
        assert!(limit.admit(client, at(1_000)).is_ok());
        assert!(limit.admit(client, at(1_000)).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let limit = RateLimit::new(1.0);
        let start = Instant::now();
        for number in 0..(MOST_CLIENTS as u32 + 100) {
            let _ = limit.admit(IpAddr::V4(Ipv4Addr::from(number)), start);
        }
        assert!(limit.clients.lock().unwrap().len() <= MOST_CLIENTS);
        let later = start + Duration::from_secs(60);
        assert!(limit.admit(IpAddr::V4(Ipv4Addr::from(u32::MAX)), later).is_ok());
        assert_eq!(limit.clients.lock().unwrap().len(), 1);
    }
}
