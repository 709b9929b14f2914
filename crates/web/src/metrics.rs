//! Metrics in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the buckets of answer times, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 60.0];

/// Counters of the server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Counts by route, method and status.
    requests: Mutex<BTreeMap<(String, String, u16), u64>>,
    times: [AtomicU64; BOUNDS.len() + 1],
    time_total_micros: AtomicU64,
    pub(crate) matches_begun: AtomicU64,
    pub(crate) matches_ended: AtomicU64,
    pub(crate) moves: AtomicU64,
    pub(crate) faults: AtomicU64,
    pub(crate) tournament_matches: AtomicU64,
    pub(crate) checks: AtomicU64,
    pub(crate) events: AtomicU64,
    pub(crate) lagging_watchers: AtomicU64,
}

/// A value read when metrics are requested.
pub(crate) struct Gauge {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) value: f64,
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn answered(&self, route: &str, method: &str, status: u16, time: Duration) {
        let key = (route.to_string(), method.to_string(), status);
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry(key).or_default() += 1;
        let seconds = time.as_secs_f64();
        let class = BOUNDS
            .iter()
            .position(|&bound| seconds <= bound)
            .unwrap_or(BOUNDS.len());
        self.times[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.time_total_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// All metrics as text.
    pub(crate) fn text(&self, gauges: &[Gauge]) -> String {
        let mut text = String::new();
        head(
            &mut text,
            "ludens_requests_total",
            "counter",
            "Requests by route, method and status.",
        );
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((route, method, status), count) in &requests {
            let labels = format!(
                "route=\"{}\",method=\"{}\",status=\"{status}\"",
                escaped(route),
                escaped(method)
            );
            let _ = writeln!(text, "ludens_requests_total{{{labels}}} {count}");
        }
        self.write_times(&mut text);
        let counters = [
            ("matches_begun", "Matches started.", &self.matches_begun),
            ("matches_ended", "Matches ended, for any reason.", &self.matches_ended),
            ("moves", "Joint moves made.", &self.moves),
            ("faults", "Faults of players.", &self.faults),
            (
                "tournament_matches",
                "Tournament matches played.",
                &self.tournament_matches,
            ),
            ("checks", "Rule texts checked.", &self.checks),
            ("events", "Events sent.", &self.events),
            (
                "lagging_watchers",
                "Times a slow subscriber got a snapshot instead of events.",
                &self.lagging_watchers,
            ),
        ];
        for (name, help, value) in counters {
            let name = format!("ludens_{name}_total");
            head(&mut text, &name, "counter", help);
            let _ = writeln!(text, "{name} {}", value.load(Ordering::Relaxed));
        }
        for gauge in gauges {
            let name = format!("ludens_{}", gauge.name);
            head(&mut text, &name, "gauge", gauge.help);
            let _ = writeln!(text, "{name} {}", gauge.value);
        }
        text
    }

    fn write_times(&self, text: &mut String) {
        let name = "ludens_request_seconds";
        head(
            text,
            name,
            "histogram",
            "Time from the request to the head of the answer.",
        );
        let mut sum = 0;
        for (bound, count) in BOUNDS.iter().zip(&self.times) {
            sum += count.load(Ordering::Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {sum}");
        }
        sum += self.times[BOUNDS.len()].load(Ordering::Relaxed);
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {sum}");
        let seconds = self.time_total_micros.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_sum {seconds}\n{name}_count {sum}");
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Escapes the value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_counts_what_happened() {
        let metrics = Metrics::default();
        metrics.answered("/api/games", "GET", 200, Duration::from_millis(3));
        metrics.answered("/api/games", "GET", 200, Duration::from_secs(100));
        let gauge = Gauge {
            name: "watchers",
            help: "Open event streams.",
            value: 2.0,
        };
        let text = metrics.text(&[gauge]);
        for line in [
            "ludens_requests_total{route=\"/api/games\",method=\"GET\",status=\"200\"} 2",
            "ludens_request_seconds_bucket{le=\"0.001\"} 0",
            "ludens_request_seconds_bucket{le=\"0.005\"} 1",
            "ludens_request_seconds_bucket{le=\"+Inf\"} 2",
            "ludens_request_seconds_count 2",
            "ludens_watchers 2",
            "# TYPE ludens_moves_total counter",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
