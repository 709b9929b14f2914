//! Arguments that several commands share: time controls, limits on memory and time, the engine, and their parsers.

use clap::ValueEnum;
use ludens_budget::Budget;
use ludens_engine::EngineChoice;
use ludens_play::Pace;
use std::time::Duration;

/// Time control of the agents in a match. Commands with other default clocks change them with `mut_arg`.
#[derive(clap::Args)]
pub(crate) struct PaceArguments {
    /// Seconds for each agent before the first move
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    start_clock: f64,
    /// Seconds for each agent per move
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds)]
    play_clock: f64,
    /// Iterations for each agent per move, instead of clocks; makes the result repeatable
    #[arg(long, value_name = "N", conflicts_with_all = ["start_clock", "play_clock"])]
    iterations: Option<u64>,
}

impl PaceArguments {
    pub(crate) fn pace(&self) -> Pace {
        match self.iterations {
            Some(count) => Pace::Iterations(count),
            None => Pace::Clocks {
                start: Duration::from_secs_f64(self.start_clock),
                play: Duration::from_secs_f64(self.play_clock),
            },
        }
    }

    /// Whether agents are limited by clocks and not by iterations.
    pub(crate) fn has_clocks(&self) -> bool {
        self.iterations.is_none()
    }
}

/// Limits on memory, time and threads of commands that enumerate states.
#[derive(clap::Args)]
pub(crate) struct ResourceArguments {
    /// Maximum memory for states, as in `500M` or `8G`
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = memory_size)]
    pub(crate) memory: usize,
    /// Time limit in seconds (default: none)
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Number of threads (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ResourceArguments {
    /// A part of `budget` within these limits. The time starts now.
    pub(crate) fn limit(&self, budget: Budget) -> Budget {
        let budget = match self.seconds {
            Some(seconds) => budget.within(Duration::from_secs_f64(seconds)),
            None => budget,
        };
        budget.with_bytes(self.memory as u64)
    }

    pub(crate) fn threads(&self, default: usize) -> usize {
        self.threads.map_or(default, usize::from)
    }
}

/// Engine that runs the rules.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Compiled if the rules fit into the limits, otherwise interpreted
    Auto,
    /// Compiled to a propositional network
    Compiled,
    /// The reference interpreter
    Interpreted,
}

impl From<EngineName> for EngineChoice {
    fn from(name: EngineName) -> EngineChoice {
        match name {
            EngineName::Auto => EngineChoice::Auto,
            EngineName::Compiled => EngineChoice::Compiled,
            EngineName::Interpreted => EngineChoice::Interpreted,
        }
    }
}

/// Parses a number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1e6).contains(&value) => Ok(value),
        _ => Err("not a number of seconds from 0 to 1,000,000".to_string()),
    }
}

/// Parses a number of bytes with an optional unit `K`, `M` or `G` (powers of 1024).
pub(crate) fn memory_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        unit => return Err(format!("unknown unit `{unit}`; use K, M or G")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("`{digits}` is not a number"))?;
    let bytes = number * f64::from(1u32 << shift);
    match (1.0..1e15).contains(&bytes) {
        true => Ok(bytes as usize),
        false => Err("give a size between one byte and a petabyte".to_string()),
    }
}
