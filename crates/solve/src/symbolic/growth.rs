//! A count that only grows in the course of a match, as a proof that no state recurs.
//!
//! Some fluents keep a value once they have it, such as those of an occupied square. The count is the number of fluents
//! that have such a value. If it is the same in all states of a layer and greater than in all layers before, no state
//! of the layer was reached earlier, so the set of all states need not be kept.

use super::diagram::{Diagrams, Set};
use super::encoding::{Encoding, Placed};
use super::gates::with_number;
use ludens_analysis::Analysis;
use ludens_budget::StopReason;

/// Maximum number of operations on sets for the preparation.
const MOST_WORK: usize = 100_000;

/// Maximum growth of the count in one step.
const LONGEST_STEP: usize = 2;

/// States by count.
pub struct Growth {
    /// The states in which the count is 0, 1 and so on.
    levels: Vec<Set>,
    /// The count of the previous layer, which is the greatest so far; `None` before the first layer.
    last: Option<usize>,
    /// The growth in the previous layer. Games tend to grow evenly, and each wrong guess costs a pass over the layer.
    step: usize,
}

impl Growth {
    /// Prepares the count, if there are such fluents and it does not take too long.
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

    /// Goes on to the next layer; returns whether none of its states can be in an earlier layer.
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

/// Returns for each value of a group the number of its fluents that have a value they keep, minus the least such
/// number.
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
