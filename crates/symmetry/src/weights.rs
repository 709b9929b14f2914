//! Exact counts of Boolean functions that do not depend on how they are written.
//!
//! A function is counted over a set of assignments that every renaming of its inputs keeps: all of them if it has few
//! inputs, else those with few or almost all inputs true. For each input the count of true assignments with that input,
//! and for each pair of inputs the count with both, are invariants: equivalent functions agree in them. Inputs that do not
//! matter are found first, since rules may mention them or not.

use crate::graph::mix;
use crate::lanes::{ALL, Cone, NONE, Shape, WIDTH, Word, and, ones, xor};
use crate::model::Model;
use crate::prove::Dependence;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::Rng;
use std::rc::Rc;

/// Functions with at most this many inputs are counted over all assignments.
pub(crate) const FEW_INPUTS: usize = 16;
/// Others are counted over at most this many assignments with few inputs true, and as many with few false: fewer at first,
/// which is enough for most games, and more for functions whose inputs that leaves open.
const FEW_ASSIGNMENTS: u64 = 1 << 14;
const MANY_ASSIGNMENTS: u64 = 1 << 20;
/// Inputs are counted closely, and in pairs, in functions with at most this many inputs.
pub(crate) const MOST_PAIRED: usize = 96;
/// Rounds of random assignments that look for an effect of each input.
const ROUNDS: u64 = 6;

/// What was counted of a function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The inputs that matter, by place.
    kept: Vec<u32>,
    pub(crate) total: u64,
    /// One number for each input that matters.
    pub(crate) first: Vec<u64>,
    /// Whether the inputs that matter are known for certain.
    is_certain: bool,
}

/// The counts of all functions of a model.
pub(crate) struct Weights {
    /// The inputs of each function that matter, by point.
    pub(crate) inputs: Vec<Vec<u32>>,
    pub(crate) counts: Vec<Rc<Counts>>,
    /// Whether all counts are invariants; not if for some input it is not known whether it matters.
    pub(crate) is_certain: bool,
}

/// Counts all functions; `None` if the budget is spent before.
pub(crate) fn weigh(model: &Model, budget: &Budget) -> Option<Weights> {
    let mut known: HashMap<Shape, Rc<Counts>, FixedState> = HashMap::default();
    let mut weights = Weights {
        inputs: Vec::new(),
        counts: Vec::new(),
        is_certain: true,
    };
    for function in &model.functions {
        if budget.is_spent() {
            return None;
        }
        let cone = Cone::new(model, &[function.lit]);
        let counts = match known.get(&cone.shape) {
            Some(counts) => counts.clone(),
            None => {
                let counts = Rc::new(count(&cone.shape, budget)?);
                known.insert(cone.shape.clone(), counts.clone());
                counts
            }
        };
        let inputs = counts.kept.iter().map(|&place| cone.inputs[place as usize]).collect();
        weights.is_certain &= counts.is_certain;
        weights.inputs.push(inputs);
        weights.counts.push(counts);
    }
    Some(weights)
}

fn count(shape: &Shape, budget: &Budget) -> Option<Counts> {
    let (kept, is_certain) = match shape.width <= FEW_INPUTS {
        true => (inputs_of_table(shape), true),
        false => inputs_by_example(shape, budget)?,
    };
    let tally = Tally::run(shape, &kept, FEW_ASSIGNMENTS, budget)?;
    Some(Counts {
        is_certain,
        total: tally.total,
        first: tally.first,
        kept,
    })
}

/// Counts of inputs and of pairs of inputs over many assignments.
pub(crate) struct Closer {
    /// One number for each input that matters.
    pub(crate) first: Vec<u64>,
    /// One number for each pair of them, `(1, 0), (2, 0), (2, 1), …`.
    pub(crate) second: Vec<u64>,
}

/// Closer counts, made when they are asked for.
#[derive(Default)]
pub(crate) struct CloserCounts(HashMap<Shape, Rc<Closer>, FixedState>);

impl CloserCounts {
    /// Returns the closer counts of a function; `None` if the budget is spent before.
    pub(crate) fn of(&mut self, shape: &Shape, counts: &Counts, budget: &Budget) -> Option<Rc<Closer>> {
        if let Some(known) = self.0.get(shape) {
            return Some(known.clone());
        }
        let tally = Tally::run(shape, &counts.kept, MANY_ASSIGNMENTS, budget)?;
        let closer = Rc::new(Closer {
            first: tally.first,
            second: tally.second,
        });
        self.0.insert(shape.clone(), closer.clone());
        Some(closer)
    }
}

/// The values of an input in the lanes of a block, if inputs count through all assignments.
pub(crate) fn counting(input: usize, block: usize) -> Word {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    match input {
        0..=5 => [LOW[input]; 4],
        6 => [0, u64::MAX, 0, u64::MAX],
        7 => [0, 0, u64::MAX, u64::MAX],
        _ if block >> (input - 8) & 1 == 1 => ALL,
        _ => NONE,
    }
}

/// The first lanes.
fn first_lanes(count: usize) -> Word {
    std::array::from_fn(|word| match count.saturating_sub(word * 64) {
        0 => 0,
        rest if rest >= 64 => u64::MAX,
        rest => (1 << rest) - 1,
    })
}

/// Blocks of lanes, and the lanes of each, that hold all assignments of some inputs.
pub(crate) fn blocks(inputs: usize) -> (usize, Word) {
    match inputs {
        0..=8 => (1, first_lanes(1 << inputs)),
        _ => (1 << (inputs - 8), ALL),
    }
}

/// The inputs that matter, by the table of all values.
fn inputs_of_table(shape: &Shape) -> Vec<u32> {
    let mut values = shape.values();
    let (blocks, _) = blocks(shape.width);
    let table: Vec<Word> = (0..blocks)
        .map(|block| {
            for input in 0..shape.width {
                values[1 + input] = counting(input, block);
            }
            shape.compute(&mut values);
            shape.root(&values, 0)
        })
        .collect();
    let matters = |input: usize| {
        (0..blocks).any(|block| match input {
            0..=7 => {
                let with = and(table[block], counting(input, 0));
                let without = shifted(and(table[block], xor(counting(input, 0), ALL)), input);
                with != without
            }
            _ => table[block] != table[block ^ 1 << (input - 8)],
        })
    };
    (0..shape.width)
        .filter(|&input| matters(input))
        .map(|input| input as u32)
        .collect()
}

/// Lanes in which an input of the first eight is false, moved to where it is true and all else the same.
fn shifted(word: Word, input: usize) -> Word {
    match input {
        0..=5 => word.map(|bits| bits << (1 << input)),
        6 => [0, word[0], 0, word[2]],
        _ => [0, 0, word[0], word[1]],
    }
}

/// The inputs that matter: those with an example, and those without one for which none can be excluded.
fn inputs_by_example(shape: &Shape, budget: &Budget) -> Option<(Vec<u32>, bool)> {
    let mut rng = Rng::with_seed(1);
    let mut trial = SupportTrial {
        shape,
        values: shape.values(),
        matters: vec![false; shape.width],
    };
    for round in 0..ROUNDS {
        if budget.is_spent() {
            return None;
        }
        let inputs: Vec<Word> = (0..shape.width).map(|_| random_word(&mut rng, round)).collect();
        trial.look(&inputs);
    }
    let mut is_certain = true;
    let mut solver: Option<Option<Dependence>> = None;
    for input in 0..shape.width {
        if trial.matters[input] {
            continue;
        }
        if budget.is_spent() {
            return None;
        }
        let solver = solver.get_or_insert_with(|| Dependence::new(shape, budget));
        match solver.as_mut().and_then(|solver| solver.example(input)) {
            Some(None) => {}
            None => {
                is_certain = false;
                trial.matters[input] = true;
            }
            Some(Some(example)) => {
                trial.matters[input] = true;
                // Near an example for one input there are often some for others.
                trial.look(&near(&example, &mut rng));
            }
        }
    }
    let kept = (0..shape.width as u32).filter(|&input| trial.matters[input as usize]);
    Some((kept.collect(), is_certain))
}

/// A search for assignments in which inputs make a difference.
struct SupportTrial<'a> {
    shape: &'a Shape,
    values: Vec<Word>,
    matters: Vec<bool>,
}

impl SupportTrial<'_> {
    /// Changes each input that is still open in these assignments.
    fn look(&mut self, inputs: &[Word]) {
        let shape = self.shape;
        self.values[1..=shape.width].copy_from_slice(inputs);
        shape.compute(&mut self.values);
        let before = shape.root(&self.values, 0);
        for (input, &word) in inputs.iter().enumerate() {
            if !self.matters[input] {
                self.values[1 + input] = xor(word, ALL);
                shape.compute(&mut self.values);
                self.matters[input] = shape.root(&self.values, 0) != before;
                self.values[1 + input] = word;
            }
        }
    }
}

/// An assignment in the first lane, and in each other lane with one or two inputs changed.
pub(crate) fn near(assignment: &[bool], rng: &mut Rng) -> Vec<Word> {
    let mut words: Vec<Word> = assignment.iter().map(|&value| if value { ALL } else { NONE }).collect();
    for lane in 1..WIDTH {
        for _ in 0..1 + lane % 2 {
            let place = rng.usize(..words.len());
            words[place][lane / 64] ^= 1 << (lane % 64);
        }
    }
    words
}

/// Random truth values; the share of true ones depends on the round.
pub(crate) fn random_word(rng: &mut Rng, round: u64) -> Word {
    let mut draw = || rng.u64(..);
    std::array::from_fn(|_| match round % 6 {
        0 => draw(),
        1 => draw() & draw(),
        2 => draw() & draw() & draw(),
        3 => draw() | draw(),
        4 => draw() & draw() & draw() & draw(),
        _ => draw() | draw() | draw(),
    })
}

/// Counts under way.
struct Tally<'a> {
    shape: &'a Shape,
    values: Vec<Word>,
    kept: &'a [u32],
    /// Counts of the present class of assignments.
    class: (u64, Vec<u64>, Vec<u64>),
    /// Counts of all classes before, mixed.
    total: u64,
    first: Vec<u64>,
    second: Vec<u64>,
}

impl<'a> Tally<'a> {
    /// Counts a function over all assignments if it has few inputs, else over the extreme ones; pairs too if there are to
    /// be many.
    fn run(shape: &'a Shape, kept: &'a [u32], most: u64, budget: &Budget) -> Option<Tally<'a>> {
        let inputs = kept.len();
        let pairs = match most == MANY_ASSIGNMENTS {
            true => inputs * inputs.saturating_sub(1) / 2,
            false => 0,
        };
        let mut tally = Tally {
            shape,
            values: shape.values(),
            class: (0, vec![0; inputs], vec![0; pairs]),
            total: inputs as u64,
            first: vec![0; inputs],
            second: vec![0; pairs],
            kept,
        };
        match inputs <= FEW_INPUTS {
            true => tally.all_assignments(),
            false => tally.extreme_assignments(most, budget)?,
        }
        Some(tally)
    }

    /// Counts the assignments in some lanes.
    fn add(&mut self, inputs: &[Word], lanes: Word) {
        for (&place, &word) in self.kept.iter().zip(inputs) {
            self.values[1 + place as usize] = word;
        }
        self.shape.compute(&mut self.values);
        let result = and(self.shape.root(&self.values, 0), lanes);
        if result == NONE {
            return;
        }
        let (total, first, second) = &mut self.class;
        *total += ones(result);
        let mut pair = 0;
        for (number, &word) in inputs.iter().enumerate() {
            let both = and(result, word);
            first[number] += ones(both);
            if !second.is_empty() {
                if both != NONE {
                    for (count, &other) in second[pair..pair + number].iter_mut().zip(inputs) {
                        *count += ones(and(both, other));
                    }
                }
                pair += number;
            }
        }
    }

    /// Ends a class of assignments.
    fn close(&mut self) {
        let (total, first, second) = &mut self.class;
        self.total = mix(self.total, *total);
        *total = 0;
        for (all, count) in [(&mut self.first, first), (&mut self.second, second)] {
            for (all, count) in all.iter_mut().zip(count.iter_mut()) {
                *all = mix(*all, *count);
                *count = 0;
            }
        }
    }

    fn all_assignments(&mut self) {
        let inputs = self.kept.len();
        let (blocks, lanes) = blocks(inputs);
        for block in 0..blocks {
            let words: Vec<Word> = (0..inputs).map(|input| counting(input, block)).collect();
            self.add(&words, lanes);
        }
        self.close();
    }

    /// Assignments with few inputs true, and those with few false, by how many.
    fn extreme_assignments(&mut self, most: u64, budget: &Budget) -> Option<()> {
        let inputs = self.kept.len();
        let mut combinations: u64 = 1;
        let mut sum = 0;
        for size in 0..=inputs / 2 {
            sum += combinations;
            if sum > most {
                break;
            }
            for is_inverted in [false, true] {
                self.combinations(size, is_inverted, budget)?;
                self.close();
            }
            combinations = combinations.saturating_mul((inputs - size) as u64) / (size as u64 + 1);
        }
        Some(())
    }

    /// All assignments in which `size` inputs differ from the others.
    fn combinations(&mut self, size: usize, is_inverted: bool, budget: &Budget) -> Option<()> {
        let inputs = self.kept.len();
        let mut chosen: Vec<usize> = (0..size).collect();
        let mut words = vec![NONE; inputs];
        let mut lane = 0;
        let mut is_last = false;
        while !is_last {
            for &input in &chosen {
                words[input][lane / 64] |= 1 << (lane % 64);
            }
            lane += 1;
            is_last = !next_combination(&mut chosen, inputs);
            if lane == WIDTH || is_last {
                if budget.is_spent() {
                    return None;
                }
                let lanes = first_lanes(lane);
                if is_inverted {
                    words.iter_mut().for_each(|word| *word = and(xor(*word, ALL), lanes));
                }
                self.add(&words, lanes);
                words.fill(NONE);
                lane = 0;
            }
        }
        Some(())
    }
}

/// The next set of numbers below `count` in the order of their digits; `false` after the last.
fn next_combination(chosen: &mut [usize], count: usize) -> bool {
    let size = chosen.len();
    let Some(place) = (0..size).rev().find(|&place| chosen[place] < count - size + place) else {
        return false;
    };
    chosen[place] += 1;
    for next in place + 1..size {
        chosen[next] = chosen[next - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_there() {
        let mut chosen = vec![0, 1, 2];
        let mut count = 1;
        while next_combination(&mut chosen, 7) {
            count += 1;
        }
        assert_eq!((count, chosen), (35, vec![4, 5, 6]));
        assert!(!next_combination(&mut [], 7));
    }

    #[test]
    fn inputs_count_through_all_assignments() {
        let mut seen = vec![0; 1 << 10];
        for block in 0..4 {
            for lane in 0..WIDTH {
                let bit = |input| (counting(input, block)[lane / 64] >> (lane % 64) & 1) as usize;
                let assignment: usize = (0..10).map(|input| bit(input) << input).sum();
                seen[assignment] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count == 1));
        assert_eq!(blocks(10), (4, ALL));
        assert_eq!(blocks(3), (1, [255, 0, 0, 0]));
    }
}
