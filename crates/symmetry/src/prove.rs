//! Proofs that two functions are equal, or that an input does not matter.
//!
//! Few inputs: by the table of all values. Else by a SAT solver, with the cycles of recursive propositions unrolled as
//! often as they can take: the least fixed point is what they mean, and clauses that only ask for some fixed point would
//! allow others.

use crate::lanes::{Shape, Word, xor};
use crate::weights::{FEW_INPUTS, blocks, counting};
use ludens_analysis::{Effort, Formula, Literal};
use ludens_budget::Budget;

/// Gates of a formula, all rounds of recursive parts together.
const MOST_GATES: usize = 300_000;

/// The answer of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    Equal,
    /// Values of the inputs for which the functions differ.
    Differ(Vec<bool>),
    Undecided,
}

/// Whether two functions are equal. `places` gives for each input of the second the input of the first that it is; inputs
/// of the second alone come behind those of the first.
pub(crate) fn equal(first: &Shape, second: &Shape, places: &[usize], budget: &Budget) -> Proof {
    let inputs = places.iter().map(|&place| place + 1).fold(first.width, usize::max);
    match inputs <= FEW_INPUTS {
        true => equal_by_table(first, second, places, inputs),
        false => equal_by_solver(first, second, places, inputs, budget),
    }
}

fn equal_by_table(first: &Shape, second: &Shape, places: &[usize], inputs: usize) -> Proof {
    let (mut ours, mut theirs) = (first.values(), second.values());
    let (blocks, lanes) = blocks(inputs);
    for block in 0..blocks {
        for input in 0..first.width {
            ours[1 + input] = counting(input, block);
        }
        for (input, &place) in places.iter().enumerate() {
            theirs[1 + input] = counting(place, block);
        }
        first.compute(&mut ours);
        second.compute(&mut theirs);
        let differ = xor(first.root(&ours, 0), second.root(&theirs, 0));
        if let Some(lane) = first_lane(crate::lanes::and(differ, lanes)) {
            let value = |input| counting(input, block)[lane / 64] >> (lane % 64) & 1 == 1;
            return Proof::Differ((0..inputs).map(value).collect());
        }
    }
    Proof::Equal
}

fn first_lane(word: Word) -> Option<usize> {
    let place = word.iter().position(|&bits| bits != 0)?;
    Some(place * 64 + word[place].trailing_zeros() as usize)
}

fn equal_by_solver(first: &Shape, second: &Shape, places: &[usize], inputs: usize, budget: &Budget) -> Proof {
    let mut formula = Formula::new(budget, Effort::within(budget, first.size() + second.size()));
    let variables: Vec<Literal> = (0..inputs).map(|_| formula.fresh()).collect();
    let theirs: Vec<Literal> = places.iter().map(|&place| variables[place]).collect();
    let roots = (
        first.encode(&mut formula, &variables[..first.width], MOST_GATES),
        second.encode(&mut formula, &theirs, MOST_GATES),
    );
    let (Some(a), Some(b)) = roots else {
        return Proof::Undecided;
    };
    for question in [[a, !b], [!a, b]] {
        match formula.solve(&question) {
            Some(false) => {}
            Some(true) => return Proof::Differ(variables.iter().map(|&input| formula.holds(input)).collect()),
            None => return Proof::Undecided,
        }
    }
    Proof::Equal
}

/// Asks whether a function depends on its inputs: it is written down twice, and only one input may differ.
pub(crate) struct Dependence {
    formula: Formula,
    inputs: Vec<Literal>,
    /// For each input a literal that makes its two copies equal.
    equal: Vec<Literal>,
    roots: [Literal; 2],
}

impl Dependence {
    /// Writes a function down twice; `None` if it is too large.
    pub(crate) fn new(shape: &Shape, budget: &Budget) -> Option<Dependence> {
        let mut formula = Formula::new(budget, Effort::within(budget, 2 * shape.size()));
        let inputs: Vec<Literal> = (0..shape.width).map(|_| formula.fresh()).collect();
        let others: Vec<Literal> = (0..shape.width).map(|_| formula.fresh()).collect();
        let mut equal = Vec::with_capacity(shape.width);
        for (&input, &other) in inputs.iter().zip(&others) {
            let same = formula.fresh();
            formula.clause(&[!same, !input, other]);
            formula.clause(&[!same, input, !other]);
            equal.push(same);
        }
        let roots = [
            shape.encode(&mut formula, &inputs, MOST_GATES)?,
            shape.encode(&mut formula, &others, MOST_GATES)?,
        ];
        Some(Dependence {
            formula,
            inputs,
            equal,
            roots,
        })
    }

    /// Returns values of all inputs for which this one makes a difference, if there are any; `None` if that is not decided.
    pub(crate) fn example(&mut self, input: usize) -> Option<Option<Vec<bool>>> {
        let others = self.equal.iter().enumerate().filter(|&(other, _)| other != input);
        let mut question: Vec<Literal> = others.map(|(_, &same)| same).collect();
        question.extend([self.roots[0], !self.roots[1]]);
        let found = self.formula.solve(&question)?;
        Some(found.then(|| self.inputs.iter().map(|&input| self.formula.holds(input)).collect()))
    }
}
