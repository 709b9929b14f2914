//! Games in which most codes are states: the code is the number of the state.
//!
//! No codes and no tables are stored, and no lists of successors either. Codes are sums of weights, so a step changes the
//! code by a difference that depends on the step and not on the rest of the state: a handful of differences describe all
//! steps, and a state's successors are one of not so many *patterns*, lists of differences. The predecessors of a state
//! are found by trying all differences backwards, and asking the pattern of what is found there.

use super::coding::Coding;
use super::expand::{END, SEVERAL, STUCK, Workers, expand};
use super::graph::Graph;
use super::outcomes::{Outcomes, UNKNOWN};
use super::watched::Watched;
use crate::{Phase, SolveError};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Stopped;
use ludens_engine::Game;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// States that one thread takes at a time.
const CHUNK: usize = 1 << 10;
/// States that are expanded between looks at the clock.
const BATCH: usize = CHUNK << 8;
/// More patterns than this among fewer than sixteen times as many states are too many.
const MANY_PATTERNS: usize = 1 << 14;
/// Differences that are tried backwards from every state.
const MOST_DIFFERENCES: usize = 512;
/// No state: the kind of a code that was not met.
const NOTHING: u8 = 252;

/// The greatest number of codes.
pub(crate) const MOST_CODES: u64 = 1 << 29;
/// Bytes for each code, without values.
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

/// All steps as differences of codes.
#[derive(Default)]
struct Steps {
    differences: Vec<i64>,
    /// For each pattern its differences.
    patterns: Vec<Vec<i64>>,
    /// For each pattern the differences that it has, as bits.
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

/// What is collected while states are found.
struct Search<'a> {
    dense: &'a Dense,
    outcomes: Mutex<Outcomes>,
    patterns: Mutex<HashMap<Vec<i64>, u32, FixedState>>,
    terminal: AtomicUsize,
    stuck: AtomicUsize,
    transitions: AtomicU64,
    /// Whether the game turned out not to be made for this.
    is_unfit: AtomicBool,
}

/// Finds all states; nothing if the game is not made for this.
pub(crate) fn find(
    game: &Game,
    coding: &Coding,
    workers: &Workers<'_>,
    watched: &Watched<'_>,
) -> Result<Option<Dense>, SolveError> {
    let Some(size) = coding.size().filter(|&size| size <= MOST_CODES) else {
        return Ok(None);
    };
    let mut dense = Dense::new(coding.clone(), size as usize);
    let mut layers = Vec::new();
    let mut found = 1;
    let mut stop = None;
    let search = Search::new(&dense);
    let mut code = [0];
    coding.encode(game.initial().words(), &mut code);
    dense.meet(code[0] as usize);
    let mut frontier = vec![code[0] as u32];
    'layers: while !frontier.is_empty() {
        layers.push(frontier.len());
        let mut next: Vec<Vec<u32>> = Vec::new();
        for batch in frontier.chunks(BATCH) {
            let lists: Vec<Vec<u32>> = batch
                .par_chunks(CHUNK)
                .map(|states| search.expand(states, workers, game.roles().len()))
                .collect();
            found += lists.iter().map(Vec::len).sum::<usize>();
            next.extend(lists);
            watched.tell(Phase::Forward, layers.len() - 1, found, dense.bytes() + found * 4);
            if let Some(cause) = workers.fault() {
                let game = game.name().to_string();
                return Err(SolveError::Fault { game, cause });
            }
            if search.is_unfit(found) {
                return Ok(None);
            }
            stop = watched.stop();
            if stop.is_some() {
                layers.push(next.iter().map(Vec::len).sum());
                break 'layers;
            }
        }
        frontier = next.concat();
        // Neighbours in the order of codes have neighbours for successors.
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
            kinds: codes().map(|_| AtomicU8::new(NOTHING)).collect(),
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

    /// Whether a code is a state.
    pub(crate) fn is_state(&self, code: usize) -> bool {
        self.kinds[code].load(Relaxed) != NOTHING
    }

    /// Notes that a code is a state; says whether that is new.
    fn meet(&self, code: usize) -> bool {
        let bit = 1 << (code % 64);
        let word = &self.met[code / 64];
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }
}

impl<'a> Search<'a> {
    fn new(dense: &'a Dense) -> Search<'a> {
        Search {
            dense,
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

    /// Expands states; gives the new ones among their successors.
    fn expand(&self, states: &[u32], workers: &Workers<'_>, roles: usize) -> Vec<u32> {
        let dense = self.dense;
        let mut fresh = Vec::new();
        workers.with(|worker| {
            let codes: Vec<u64> = states.iter().map(|&code| u64::from(code)).collect();
            let expansion = expand(&mut *worker.successors, &dense.coding, &codes);
            if expansion.is_too_wide {
                // The other way of storing states will say so.
                self.is_unfit.store(true, Relaxed);
                return;
            }
            self.transitions.fetch_add(expansion.codes.len() as u64, Relaxed);
            let mut goals = expansion.goals.chunks(roles);
            let mut successors = &expansion.codes[..];
            let mut pattern = Vec::new();
            for ((&state, &kind), &degree) in states.iter().zip(&expansion.kinds).zip(&expansion.degrees) {
                dense.kinds[state as usize].store(kind, Relaxed);
                match kind {
                    END => {
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
                fresh.extend(
                    these
                        .iter()
                        .map(|&next| next as u32)
                        .filter(|&next| dense.meet(next as usize)),
                );
                let number = match worker.kept.get(&pattern[..]) {
                    Some(&number) => number,
                    None => {
                        let mut known = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
                        let next = known.len() as u32;
                        let number = *known.entry(pattern.clone()).or_insert(next);
                        worker.kept.insert(pattern.clone(), number);
                        number
                    }
                };
                dense.patterns[state as usize].store(number, Relaxed);
            }
        });
        fresh
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
            END | STUCK | NOTHING => 0,
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
            if before >= self.kinds.len() || self.kind(before) >= NOTHING {
                continue;
            }
            let pattern = self.patterns[before].load(Relaxed) as usize;
            if steps.bits[pattern * steps.words + place / 64] >> (place % 64) & 1 == 1 {
                visit(before);
            }
        }
    }
}
