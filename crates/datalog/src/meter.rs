//! Metering of derivations: steps, time and memory against `Limits`.
//!
//! Every loop whose length depends on the rules counts its steps here, and everything that grows with them asks for its
//! memory before it is allocated. Steps are counted in the innermost loops, so a meter belongs to one thread and reads
//! the clock once in some thousand steps; a `ludens_budget::Budget`, which threads share, is too slow for that.

use crate::limits::Limits;
use ludens_gdl::normal::{Atom, Literal, Term};
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Steps between two readings of the clock.
const BETWEEN_LOOKS: u64 = 1 << 14;
/// Memory limit of one machine as a fraction of the set-up limit: there are many machines.
const PART_OF_A_MACHINE: usize = 8;

/// A limit that was hit. Displays as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitHit {
    /// Set-up takes too long.
    Time,
    /// Set-up takes too many steps.
    Steps,
    /// A question about a state passed its deadline.
    StateTime,
    /// Questions about one state take more steps than this.
    StateSteps(u64),
    /// Too many facts follow.
    Facts(usize),
    /// Derived facts take more than this many bytes.
    Memory(usize),
    /// All games of the process together take more than this many bytes.
    ProcessMemory(usize),
    /// A term is nested deeper than this.
    TermDepth(usize),
    /// A term has more symbols than this.
    TermSize(usize),
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitHit::Time => write!(f, "preparing the rules takes too long"),
            LimitHit::Steps => write!(f, "preparing the rules takes too many steps"),
            LimitHit::StateTime => write!(f, "deriving a state takes too long"),
            LimitHit::StateSteps(most) => write!(f, "deriving one state takes more than {most} steps"),
            LimitHit::Facts(most) => write!(f, "more than {most} facts follow from the rules"),
            LimitHit::Memory(most) => write!(f, "what follows from the rules takes more than {} MiB", most >> 20),
            LimitHit::ProcessMemory(most) => write!(
                f,
                "all games together take more than {} MiB, half of what this process may use",
                most >> 20
            ),
            LimitHit::TermDepth(most) => write!(
                f,
                "terms are nested more than {most} deep: the rules may build terms without end"
            ),
            LimitHit::TermSize(most) => write!(
                f,
                "a term has more than {most} symbols when it is written out: the rules may build terms without end"
            ),
        }
    }
}

/// Accounted memory, released on drop.
#[derive(Debug, Default)]
pub struct Charge {
    bytes: usize,
}

/// Memory of all charges in this process.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

impl Charge {
    /// Number of bytes taken.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes more memory; returns an error if this charge or the process would exceed its limit.
    pub fn take(&mut self, bytes: usize, most: usize) -> Result<(), LimitHit> {
        self.take_of(bytes, most, most)
    }

    /// As [`Charge::take`], for a part of work whose limit is `of_all`.
    fn take_of(&mut self, bytes: usize, most: usize, of_all: usize) -> Result<(), LimitHit> {
        if self.bytes.saturating_add(bytes) > most {
            return Err(LimitHit::Memory(of_all));
        }
        let of_process = process_memory() / 2;
        if TAKEN.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > of_process {
            TAKEN.fetch_sub(bytes, Ordering::Relaxed);
            return Err(LimitHit::ProcessMemory(of_process));
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Gives memory back.
    pub fn give_back(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        TAKEN.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.give_back(self.bytes);
    }
}

/// Counts the cost of work and reports when a limit is hit.
#[derive(Debug)]
pub struct Meter {
    deadline: Option<Instant>,
    steps: u64,
    most_steps: u64,
    next_look: u64,
    charge: Charge,
    most_bytes: usize,
    /// The limit of the whole work that this meters a part of.
    most_bytes_of_all: usize,
    pub(crate) term_depth: u32,
    pub(crate) term_size: u32,
    is_play: bool,
}

impl Default for Meter {
    /// A meter without limits.
    fn default() -> Meter {
        Meter {
            deadline: None,
            steps: 0,
            most_steps: u64::MAX,
            next_look: BETWEEN_LOOKS,
            charge: Charge::default(),
            most_bytes: usize::MAX,
            most_bytes_of_all: usize::MAX,
            term_depth: u32::MAX,
            term_size: u32::MAX,
            is_play: false,
        }
    }
}

impl Meter {
    /// Creates a meter for setting rules up, starting now.
    pub fn for_setup(limits: &Limits) -> Meter {
        Meter {
            deadline: Instant::now().checked_add(limits.setup),
            most_steps: limits.steps,
            next_look: BETWEEN_LOOKS.min(limits.steps.saturating_add(1)),
            most_bytes: limits.memory,
            most_bytes_of_all: limits.memory,
            term_depth: limits.term_depth.try_into().unwrap_or(u32::MAX),
            term_size: limits.term_size.try_into().unwrap_or(u32::MAX),
            ..Meter::default()
        }
    }

    /// Creates a meter for one machine during play.
    pub fn for_play(limits: &Limits) -> Meter {
        Meter {
            deadline: None,
            most_steps: limits.state_steps,
            most_bytes: limits.memory / PART_OF_A_MACHINE,
            most_bytes_of_all: limits.memory / PART_OF_A_MACHINE,
            is_play: true,
            ..Meter::for_setup(limits)
        }
    }

    /// Creates a meter for states derived during set-up: the limits of play, with the time and steps that are left.
    pub fn for_trial(&self, limits: &Limits) -> Meter {
        Meter {
            deadline: self.deadline,
            most_steps: limits.state_steps.min(self.most_steps),
            is_play: false,
            ..Meter::for_play(limits)
        }
    }

    /// Sets the deadline, also during play.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.next_look = self.steps;
    }

    /// The deadline, if any.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Starts counting steps from zero, for the next state.
    pub fn restart(&mut self) {
        self.steps = 0;
        self.next_look = BETWEEN_LOOKS;
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of bytes that are taken.
    pub fn bytes(&self) -> usize {
        self.charge.bytes()
    }

    /// Counts steps; returns an error if a limit is hit.
    pub fn spend(&mut self, steps: u64) -> Result<(), LimitHit> {
        self.count(steps);
        match self.steps < self.next_look {
            true => Ok(()),
            false => self.look(),
        }
    }

    /// Counts steps without checking limits.
    pub fn count(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// Checks the limits, before work that is not counted step by step.
    #[cold]
    pub fn look(&mut self) -> Result<(), LimitHit> {
        self.next_look = self.steps.saturating_add(BETWEEN_LOOKS);
        if self.steps > self.most_steps {
            return Err(match self.is_play {
                true => LimitHit::StateSteps(self.most_steps),
                false => LimitHit::Steps,
            });
        }
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(match self.is_play {
                true => LimitHit::StateTime,
                false => LimitHit::Time,
            });
        }
        Ok(())
    }

    /// Takes memory; returns an error if too little is left.
    pub fn take(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.charge.take_of(bytes, self.most_bytes, self.most_bytes_of_all)
    }

    /// Gives memory back.
    pub fn give_back(&mut self, bytes: usize) {
        self.charge.give_back(bytes);
    }

    /// Creates a meter for a part of the work with its own memory. It continues the count, and may take what is left.
    pub fn part(&self) -> Meter {
        Meter {
            charge: Charge::default(),
            most_bytes: self.most_bytes.saturating_sub(self.bytes()),
            ..*self
        }
    }

    /// Adds the cost of a part of the work.
    pub fn join(&mut self, part: &Meter) {
        self.steps = part.steps;
        self.next_look = part.next_look;
    }

    /// Hands the charge over to the owner of the memory.
    pub fn take_charge(&mut self) -> Charge {
        std::mem::take(&mut self.charge)
    }
}

/// Estimated memory of a rule with this head and body, in bytes.
pub fn rule_bytes(head: &Atom, body: &[Literal]) -> usize {
    let mut terms = 0;
    count_terms(&head.args, &mut terms);
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => count_terms(&atom.args, &mut terms),
            Literal::Distinct(a, b) => {
                count_terms(std::slice::from_ref(a), &mut terms);
                count_terms(std::slice::from_ref(b), &mut terms);
            }
        }
    }
    128 + 96 * body.len() + 48 * terms
}

fn count_terms(terms: &[Term], count: &mut usize) {
    *count += terms.len();
    for term in terms {
        if let Term::Function(_, args) = term {
            count_terms(args, count);
        }
    }
}

/// Memory that this process may use, in bytes: that of the machine, or less if the process is limited.
fn process_memory() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let of_machine = field(&read("/proc/meminfo"), "MemTotal:").map(|kibibytes| kibibytes.saturating_mul(1024));
        let of_addresses = field(&read("/proc/self/limits"), "Max address space");
        let of_group = read("/sys/fs/cgroup/memory.max").trim().parse().ok();
        let all = [of_machine, of_addresses, of_group];
        all.into_iter().flatten().min().unwrap_or(usize::MAX)
    })
}

/// The number after a name in a file of lines; `None` if there is none, as in `unlimited`.
fn field(text: &str, name: &str) -> Option<usize> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_clock_is_looked_at_once_in_some_thousand_steps() {
        let limits = Limits {
            setup: Duration::ZERO,
            ..Limits::DEFAULT
        };
        let mut meter = Meter::for_setup(&limits);
        let spent = (0..).find(|_| meter.spend(1).is_err());
        assert_eq!(spent, Some(BETWEEN_LOOKS - 1));
        assert_eq!(meter.spend(BETWEEN_LOOKS), Err(LimitHit::Time));
    }

    #[test]
    fn steps_are_counted_where_there_is_time() {
        let limits = Limits {
            steps: 100,
            ..Limits::DEFAULT
        };
        let mut meter = Meter::for_setup(&limits);
        assert_eq!(meter.spend(100), Ok(()));
        assert_eq!(meter.spend(1), Err(LimitHit::Steps));
    }

    #[test]
    fn memory_is_refused_before_it_is_taken() {
        let limits = Limits {
            memory: 1000,
            ..Limits::DEFAULT
        };
        let mut meter = Meter::for_setup(&limits);
        assert_eq!(meter.take(600), Ok(()));
        assert_eq!(meter.take(600), Err(LimitHit::Memory(1000)));
        assert_eq!(meter.bytes(), 600);
        meter.give_back(500);
        assert_eq!(meter.take(600), Ok(()));
    }

    #[test]
    fn numbers_are_found_in_the_files_of_the_system() {
        let limits = "Limit                     Soft Limit           Hard Limit\n\
                      Max cpu time              unlimited            unlimited\n\
                      Max address space         4294967296           unlimited            bytes\n";
        assert_eq!(field(limits, "Max address space"), Some(4 << 30));
        assert_eq!(field(limits, "Max cpu time"), None);
        assert_eq!(field("MemTotal:       16 kB\n", "MemTotal:"), Some(16));
    }
}
