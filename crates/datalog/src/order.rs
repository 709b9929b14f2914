//! Greedy ordering of conditions: always the cheapest one next.
//!
//! The cost of a condition changes only when one of its variables becomes known, so a body of many thousand conditions
//! is ordered in little more than linear time.

use ludens_gdl::normal::Literal;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For each variable of a rule the conditions that mention it.
pub(crate) struct Readers(Vec<Vec<u32>>);

impl Readers {
    /// Collects them from these conditions, given with their indices.
    pub(crate) fn new<'a>(variables: u32, literals: impl Iterator<Item = (usize, &'a Literal)>) -> Readers {
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); variables as usize];
        for (place, literal) in literals {
            let place = place as u32;
            literal.variables(&mut |variable| {
                let list = &mut readers[variable as usize];
                if list.last() != Some(&place) {
                    list.push(place);
                }
            });
        }
        Readers(readers)
    }

    /// The indices of the conditions that mention a variable.
    pub(crate) fn of(&self, variable: u32) -> &[u32] {
        &self.0[variable as usize]
    }
}

/// Conditions that wait to be taken, with their costs.
pub(crate) struct Waiting<'r, Cost> {
    readers: &'r Readers,
    bound: Vec<bool>,
    /// By index; `None` if the condition is taken or never waited.
    costs: Vec<Option<Cost>>,
    /// Costs may have changed since they were put here.
    heap: BinaryHeap<Reverse<(Cost, usize)>>,
}

impl<'r, Cost: Ord + Copy> Waiting<'r, Cost> {
    /// Starts with the variables `bound` known; conditions without a cost are never taken.
    pub(crate) fn new(readers: &'r Readers, bound: Vec<bool>, costs: Vec<Option<Cost>>) -> Waiting<'r, Cost> {
        let waiting = costs.iter().enumerate();
        let heap = waiting.filter_map(|(place, cost)| Some(Reverse(((*cost)?, place))));
        Waiting {
            heap: heap.collect(),
            readers,
            bound,
            costs,
        }
    }

    /// For each variable whether it is known.
    pub(crate) fn bound(&self) -> &[bool] {
        &self.bound
    }

    /// The index of the cheapest condition, the first of several.
    pub(crate) fn cheapest(&mut self) -> Option<usize> {
        while let Some(&Reverse((cost, place))) = self.heap.peek() {
            if self.costs[place] == Some(cost) {
                return Some(place);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes a condition: its variables are known from now on, and the others that mention them have a new cost.
    pub(crate) fn take(&mut self, place: usize, literal: &Literal, mut cost: impl FnMut(usize, &[bool]) -> Cost) {
        self.costs[place] = None;
        let mut new = Vec::new();
        literal.variables(&mut |variable| {
            if !std::mem::replace(&mut self.bound[variable as usize], true) {
                new.push(variable);
            }
        });
        for variable in new {
            for &reader in &self.readers.0[variable as usize] {
                let reader = reader as usize;
                if let Some(before) = self.costs[reader] {
                    let now = cost(reader, &self.bound);
                    if now != before {
                        self.costs[reader] = Some(now);
                        self.heap.push(Reverse((now, reader)));
                    }
                }
            }
        }
    }
}
