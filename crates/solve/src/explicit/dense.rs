//! The state graph of games in which most codes are reachable states: the code is the number of the state.
//!
//! This graph shares workers, expansion, notes, bounds and progress with [`StateGraph`](ludens_reach::StateGraph), but
//! not its store. A `StateGraph` holds 8 bytes of code and 6 to 12 bytes of hash table per state, 4 bytes per step, and
//! inserts codes in order on one thread; here a bitmap marks the codes that were met, all threads set it at once, and
//! there is no table and no list of steps. That halves the memory of such games and removes the sequential part. The
//! price is that states have no breadth-first numbers, which the other users of `StateGraph` rely on.
//!
//! Codes are sums of weights, so a move changes the code by a difference that depends on the move and not on the rest
//! of the state. A few differences describe all steps, and the successors of a state form one of a limited number of
//! *patterns*, lists of differences. Predecessors are found by applying all differences backwards and checking the
//! pattern of the state found there.

use super::graph::Graph;
use super::nodes::{Classifier, Notes, Patterns, SEVERAL, STUCK, TERMINAL, Workers};
use super::outcomes::{Outcomes, UNKNOWN};
use ludens_budget::Stopped;
use ludens_engine::Game;
use ludens_reach::{Coding, Expansion, MOST_JOINT_MOVES, Monitor, Phase, ReachError, Worker, expand};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// States that one worker expands at a time.
const CHUNK: usize = 1 << 10;
/// States expanded between two looks at the clock.
const BATCH: usize = CHUNK << 8;
/// More patterns than this, and more than one for 16 states, are too many.
const MANY_PATTERNS: usize = 1 << 14;
/// Maximum number of differences, all of which are tried backwards from every state.
const MOST_DIFFERENCES: usize = 512;
/// Kind of a code that is not a reachable state.
const UNREACHED: u8 = 252;

/// Maximum number of codes.
pub(crate) const MOST_CODES: u64 = 1 << 29;
/// Bytes per code, without values.
pub(crate) const BYTES: usize = 8;

/// The states that were found.
pub(crate) struct Dense {
    pub(crate) coding: Coding,
    kinds: Vec<AtomicU8>,
    ends: Vec<AtomicU16>,
    patterns: Vec<AtomicU32>,
    met: Vec<AtomicU64>,
    pub(crate) outcomes: Outcomes,
    /// States in each layer.
    pub(crate) layers: Vec<usize>,
    pub(crate) terminal: usize,
    pub(crate) stuck: usize,
    pub(crate) transitions: u64,
    pub(crate) stop: Option<Stopped>,
    steps: Steps,
}

/// All steps, as differences of codes.
#[derive(Default)]
struct Steps {
    differences: Vec<i64>,
    /// Differences of each pattern.
    patterns: Vec<Vec<i64>>,
    /// Differences of each pattern as a bit set over `differences`.
    bits: Vec<u64>,
    words: usize,
}

impl Steps {
    fn new(mut patterns: Vec<Vec<i64>>) -> Steps {
        for pattern in &mut patterns {
            // Several moves may lead to the same state.
            pattern.sort_unstable();
            pattern.dedup();
        }
        let mut differences: Vec<i64> = patterns.iter().flatten().copied().collect();
        differences.sort_unstable();
        differences.dedup();
        let words = differences.len().div_ceil(64);
        let mut bits = vec![0; patterns.len() * words];
        for (number, pattern) in patterns.iter().enumerate() {
            for difference in pattern {
                if let Ok(place) = differences.binary_search(difference) {
                    bits[number * words + place / 64] |= 1 << (place % 64);
                }
            }
        }
        Steps {
            differences,
            patterns,
            bits,
            words,
        }
    }
}

/// What all threads collect while states are found.
struct Search<'a> {
    dense: &'a Dense,
    classifier: Classifier,
    outcomes: Mutex<Outcomes>,
    patterns: Mutex<Patterns>,
    terminal: AtomicUsize,
    stuck: AtomicUsize,
    transitions: AtomicU64,
    /// Whether the game turned out to be unsuitable.
    is_unfit: AtomicBool,
}

/// Finds all states; `None` if the game is not suitable.
pub(crate) fn find(
    game: &Game,
    coding: &Coding,
    workers: &Workers<'_>,
    monitor: &Monitor<'_>,
) -> Result<Option<Dense>, ReachError> {
    let Some(size) = coding.size().filter(|&size| size <= MOST_CODES) else {
        return Ok(None);
    };
    let mut dense = Dense::new(coding.clone(), size as usize);
    let mut layers = Vec::new();
    let mut found = 1;
    let mut stop = None;
    let search = Search::new(&dense, game.roles().len());
    let mut code = [0];
    coding.encode(game.initial().words(), &mut code);
    dense.meet(code[0] as usize);
    let mut frontier = vec![code[0] as u32];
    'layers: while !frontier.is_empty() {
        layers.push(frontier.len());
        let mut next: Vec<Vec<u32>> = Vec::new();
        for batch in frontier.chunks(BATCH) {
            let lists = workers.in_chunks(batch, CHUNK, |worker, states| search.expand(worker, states));
            found += lists.iter().map(Vec::len).sum::<usize>();
            next.extend(lists);
            monitor.report(Phase::Forward, layers.len() - 1, found, dense.bytes() + found * 4);
            workers.check()?;
            if search.is_unfit(found) {
                return Ok(None);
            }
            stop = monitor.stop();
            if stop.is_some() {
                layers.push(next.iter().map(Vec::len).sum());
                break 'layers;
            }
        }
        frontier = next.concat();
        // States with neighbouring codes have neighbouring successors.
        frontier.par_sort_unstable();
    }
    let Search {
        outcomes,
        patterns,
        terminal,
        stuck,
        transitions,
        ..
    } = search;
    let patterns = patterns.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut listed = vec![Vec::new(); patterns.len()];
    let mut numbered: Vec<(Vec<i64>, u32)> = patterns.into_iter().collect();
    numbered.sort_unstable_by_key(|&(_, number)| number);
    for (pattern, number) in numbered {
        listed[number as usize] = pattern;
    }
    (dense.terminal, dense.stuck) = (terminal.into_inner(), stuck.into_inner());
    dense.transitions = transitions.into_inner();
    dense.outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    dense.steps = Steps::new(listed);
    (dense.layers, dense.stop) = (layers, stop);
    Ok((dense.steps.differences.len() <= MOST_DIFFERENCES).then_some(dense))
}

impl Dense {
    fn new(coding: Coding, size: usize) -> Dense {
        let codes = || (0..size).into_par_iter();
        Dense {
            coding,
            kinds: codes().map(|_| AtomicU8::new(UNREACHED)).collect(),
            ends: codes().map(|_| AtomicU16::new(UNKNOWN)).collect(),
            patterns: codes().map(|_| AtomicU32::new(0)).collect(),
            met: (0..size.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            outcomes: Outcomes::default(),
            layers: Vec::new(),
            terminal: 0,
            stuck: 0,
            transitions: 0,
            stop: None,
            steps: Steps::default(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kinds.len() * BYTES
    }

    /// Whether a code is a reachable state.
    pub(crate) fn is_state(&self, code: usize) -> bool {
        self.kinds[code].load(Relaxed) != UNREACHED
    }

    /// Marks a code as reachable and returns whether it was not before.
    fn meet(&self, code: usize) -> bool {
        let bit = 1 << (code % 64);
        let word = &self.met[code / 64];
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }
}

impl<'a> Search<'a> {
    fn new(dense: &'a Dense, roles: usize) -> Search<'a> {
        Search {
            dense,
            classifier: Classifier {
                roles,
                needs_values: true,
            },
            outcomes: Mutex::default(),
            patterns: Mutex::default(),
            terminal: AtomicUsize::new(0),
            stuck: AtomicUsize::new(0),
            transitions: AtomicU64::new(0),
            is_unfit: AtomicBool::new(false),
        }
    }

    fn is_unfit(&self, found: usize) -> bool {
        let patterns = self.patterns.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.is_unfit.load(Relaxed) || (patterns > MANY_PATTERNS && patterns > found / 16)
    }

    /// Expands states and returns the new ones among their successors.
    fn expand(&self, worker: &mut Worker<Patterns>, states: &[u32]) -> Vec<u32> {
        let dense = self.dense;
        let codes: Vec<u64> = states.iter().map(|&code| u64::from(code)).collect();
        let successors = &mut *worker.successors;
        let expansion: Expansion<Notes> = expand(successors, &self.classifier, &dense.coding, &codes, MOST_JOINT_MOVES);
        if expansion.is_overfull || expansion.widest > MOST_JOINT_MOVES {
            // `StateGraph` copes with these.
            self.is_unfit.store(true, Relaxed);
            return Vec::new();
        }
        self.transitions.fetch_add(expansion.codes.len() as u64, Relaxed);
        let mut fresh = Vec::new();
        let mut goals = expansion.notes.goals.chunks(self.classifier.roles);
        let mut successors = &expansion.codes[..];
        let mut pattern = Vec::new();
        for ((&state, &kind), &degree) in states.iter().zip(&expansion.notes.kinds).zip(&expansion.degrees) {
            dense.kinds[state as usize].store(kind, Relaxed);
            match kind {
                TERMINAL => {
                    let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                    let outcome = goals.next().map_or(UNKNOWN, |goals| outcomes.number(goals));
                    dense.ends[state as usize].store(outcome, Relaxed);
                    self.terminal.fetch_add(1, Relaxed);
                }
                STUCK => {
                    self.stuck.fetch_add(1, Relaxed);
                }
                SEVERAL => self.is_unfit.store(true, Relaxed),
                _ => {}
            }
            let (these, others) = successors.split_at(degree as usize);
            successors = others;
            pattern.clear();
            pattern.extend(these.iter().map(|&next| next as i64 - i64::from(state)));
            let next = these.iter().map(|&next| next as u32);
            fresh.extend(next.filter(|&next| dense.meet(next as usize)));
            let number = self.pattern_number(&mut worker.kept, &pattern);
            dense.patterns[state as usize].store(number, Relaxed);
        }
        fresh
    }

    fn pattern_number(&self, known: &mut Patterns, pattern: &[i64]) -> u32 {
        if let Some(&number) = known.get(pattern) {
            return number;
        }
        let mut shared = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        let next = shared.len() as u32;
        let number = *shared.entry(pattern.to_vec()).or_insert(next);
        known.insert(pattern.to_vec(), number);
        number
    }
}

impl Graph for Dense {
    fn size(&self) -> usize {
        self.kinds.len()
    }

    fn kind(&self, state: usize) -> u8 {
        self.kinds[state].load(Relaxed)
    }

    fn end(&self, state: usize) -> u16 {
        self.ends[state].load(Relaxed)
    }

    fn degree(&self, state: usize) -> usize {
        match self.kind(state) {
            TERMINAL | STUCK | UNREACHED => 0,
            _ => self.steps.patterns[self.patterns[state].load(Relaxed) as usize].len(),
        }
    }

    fn successors(&self, state: usize, mut visit: impl FnMut(usize)) {
        let pattern = self.patterns[state].load(Relaxed) as usize;
        for difference in &self.steps.patterns[pattern] {
            visit((state as i64 + difference) as usize);
        }
    }

    fn predecessors(&self, state: usize, mut visit: impl FnMut(usize)) {
        let steps = &self.steps;
        for (place, difference) in steps.differences.iter().enumerate() {
            let before = (state as i64 - difference) as usize;
            if before >= self.kinds.len() || self.kind(before) >= UNREACHED {
                continue;
            }
            let pattern = self.patterns[before].load(Relaxed) as usize;
            if steps.bits[pattern * steps.words + place / 64] >> (place % 64) & 1 == 1 {
                visit(before);
            }
        }
    }
}
