//! What only grows in the course of a match, as a proof that no state comes back.
//!
//! Fluents that keep a value once they have it, as a square that is taken, are counted: where they have the value to keep.
//! If the number is the same in all states of a layer and greater than in all layers before, then no state of the layer was
//! reached earlier, and nobody has to remember all states to know that.

use super::diagram::{Diagrams, Set};
use super::encoding::{Encoding, Placed};
use super::gates::with_number;
use ludens_analysis::Analysis;
use ludens_budget::StopReason;

/// Operations on sets that it may take to get ready.
const MOST_WORK: usize = 100_000;

/// By how much the number may grow in one step.
const LONGEST_STEP: usize = 2;

/// States by how far they have grown.
pub struct Growth {
    /// The states in which the number is 0, 1 and so on.
    levels: Vec<Set>,
    /// The number in the layer before, which is the greatest so far; nothing before the first layer.
    last: Option<usize>,
    /// By how much it grew there. Games tend to grow evenly, and a number that is not the right one costs a pass over the
    /// layer.
    step: usize,
}

impl Growth {
    /// Gets ready, if there are such fluents and it does not take too long.
    pub fn new(diagrams: &Diagrams, analysis: &Analysis, encoding: &Encoding) -> Result<Option<Growth>, StopReason> {
        let weights: Vec<Vec<usize>> = encoding.groups.iter().map(|placed| weights(placed, analysis)).collect();
        let most = |weights: &Vec<usize>| weights.iter().copied().max().unwrap_or(0);
        let levels = 1 + weights.iter().map(most).sum::<usize>();
        let codes: usize = weights.iter().map(Vec::len).sum();
        if levels == 1 || codes * levels > MOST_WORK {
            return Ok(None);
        }
        // From the last group to the first, so that diagrams grow from their ends.
        let mut sets = vec![diagrams.all()];
        for (placed, weights) in encoding.groups.iter().zip(&weights).rev() {
            let mut larger = vec![diagrams.none(); sets.len() + most(weights)];
            for (number, &weight) in (0..).zip(weights) {
                let number = with_number(diagrams, placed.bits(), number)?;
                for (level, set) in sets.iter().enumerate() {
                    let both = diagrams.and(&number, set)?;
                    larger[level + weight] = diagrams.or(&larger[level + weight], &both)?;
                }
            }
            sets = larger;
        }
        Ok(Some(Growth {
            levels: sets,
            last: None,
            step: 1,
        }))
    }

    /// Goes on to the next layer; says whether it is certain that none of its states is in a layer before.
    pub fn reaches(&mut self, diagrams: &Diagrams, layer: &Set) -> Result<bool, StopReason> {
        let candidates: Vec<usize> = match self.last {
            None => (0..self.levels.len()).collect(),
            Some(last) => {
                let others = (1..=LONGEST_STEP).filter(|&step| step != self.step);
                std::iter::once(self.step)
                    .chain(others)
                    .map(|step| last + step)
                    .filter(|&level| level < self.levels.len())
                    .collect()
            }
        };
        for level in candidates {
            let others = diagrams.minus(layer, &self.levels[level])?;
            if diagrams.is_empty(&others) {
                self.step = self.last.map_or(1, |last| level - last);
                self.last = Some(level);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// For each number that a group can have, how many of its fluents have a value that they keep; less what they have in any
/// case.
fn weights(placed: &Placed, analysis: &Analysis) -> Vec<usize> {
    let fluents = &placed.group.fluents;
    let latches: Vec<_> = analysis
        .persistence
        .latches()
        .filter(|latch| fluents.contains(&latch.fluent))
        .collect();
    let kept = |holds: Option<usize>| {
        let holding = holds.map(|place| fluents[place]);
        latches
            .iter()
            .filter(|latch| latch.value == (holding == Some(latch.fluent)))
            .count()
    };
    let none = (!placed.group.exactly_one).then_some(None);
    let mut weights: Vec<usize> = none.into_iter().chain((0..fluents.len()).map(Some)).map(kept).collect();
    let least = weights.iter().copied().min().unwrap_or(0);
    weights.iter_mut().for_each(|weight| *weight -= least);
    weights
}
