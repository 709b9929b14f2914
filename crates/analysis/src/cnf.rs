//! One step of a match as a formula for a SAT solver.
//!
//! Every node of the network is a variable, every gate three clauses. Latches of recursive propositions equal what feeds
//! them: that allows every fixed point, not only the least one, so it can only make a proof fail, never succeed wrongly.
//! The moves are fixed by `play`: the state is not terminal and every role makes exactly one legal move.

use crate::formula::{BETWEEN_LOOKS, Effort, Formula, Literal, TIME_OVER};
use ludens_budget::Budget;
use ludens_engine::Circuit;
use ludens_ground::network::{Block, Lit, Network};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Networks beyond this size are not given to the solver.
const MOST_GATES: usize = 400_000;

/// The formula of a step.
pub(crate) struct Step {
    formula: Formula,
    network: Arc<Network>,
    /// The variable of each node.
    nodes: Vec<Literal>,
    /// For each fluent whether it holds next.
    pub(crate) next: Vec<Literal>,
    /// True where a step is made.
    pub(crate) play: Literal,
    /// For each node its value behind the step, as far as it was asked to look ahead.
    after: Vec<Literal>,
    /// Assumptions of every question.
    pub(crate) assumed: Vec<Literal>,
}

impl Step {
    /// Builds the formula; an error if the network is too large or the time is over. Questions are answered within the
    /// budget; if that has no deadline, within an effort that is counted.
    pub(crate) fn new(circuit: &Circuit, budget: &Budget) -> Result<Step, String> {
        Step::with_effort(circuit, budget, Effort::within(budget, circuit.network.nodes()))
    }

    /// Builds the formula of a step, with limits on the solver.
    pub(crate) fn with_effort(circuit: &Circuit, budget: &Budget, most: Effort) -> Result<Step, String> {
        let network = circuit.network.clone();
        if network.gates.len() > MOST_GATES {
            return Err(format!("the network has more than {MOST_GATES} gates"));
        }
        if budget.is_spent() {
            return Err(TIME_OVER.to_string());
        }
        let mut formula = Formula::new(budget, most);
        let never = formula.never();
        // Node 0 is never true.
        let mut nodes: Vec<Literal> = vec![never];
        for number in 1..network.nodes() {
            if (number as u32).is_multiple_of(BETWEEN_LOOKS) && budget.is_spent() {
                return Err(TIME_OVER.to_string());
            }
            nodes.push(formula.fresh());
        }
        let play = formula.fresh();
        let mut step = Step {
            formula,
            next: vec![never; network.fluents],
            play,
            after: Vec::new(),
            assumed: Vec::new(),
            nodes,
            network: network.clone(),
        };
        for (number, &[a, b]) in network.gates.iter().enumerate() {
            let gate = step.node(network.first_gate() + number);
            let (a, b) = (step.literal(a), step.literal(b));
            step.define_and(gate, &[a, b]);
        }
        let blocks = network.state_blocks.iter().chain(&network.move_blocks);
        for (latch, lit) in blocks.flat_map(|block| match block {
            Block::Once(_) => &[],
            Block::UntilStable(_, latches) => &latches[..],
        }) {
            let (latch, lit) = (step.node(*latch as usize), step.literal(*lit));
            step.clause(&[!latch, lit]);
            step.clause(&[latch, !lit]);
        }
        for &(fluent, lit) in &network.next {
            step.next[fluent.index()] = step.literal(lit);
        }
        step.fix_moves();
        match step.is_cut_off() {
            true => Err(TIME_OVER.to_string()),
            false => Ok(step),
        }
    }

    fn fix_moves(&mut self) {
        let network = self.network.clone();
        let (play, never) = (self.play, self.never());
        if let Some(terminal) = network.terminal {
            let terminal = self.literal(terminal);
            self.clause(&[!play, !terminal]);
        }
        for (role, legal) in network.legal.iter() {
            let mut is_legal = vec![None; network.moves[role]];
            for &(number, lit) in legal {
                is_legal[number.index()] = Some(self.literal(lit));
            }
            let moves: Vec<Literal> = (0..network.moves[role])
                .map(|number| self.node(network.first_move(role) + number))
                .collect();
            for (&made, is_legal) in moves.iter().zip(is_legal) {
                self.clause(&[!play, !made, is_legal.unwrap_or(never)]);
            }
            self.at_most_one(&moves, play);
            let mut some: Vec<Literal> = moves;
            some.push(!play);
            self.clause(&some);
        }
    }

    /// The variable of a node.
    pub(crate) fn node(&self, node: usize) -> Literal {
        self.nodes[node]
    }

    /// The variable of a fluent.
    pub(crate) fn fluent(&self, fluent: u32) -> Literal {
        self.node(1 + fluent as usize)
    }

    /// Adds the part of the network that depends on the state alone once more, for the state after the step.
    pub(crate) fn look_ahead(&mut self) {
        let network = self.network.clone();
        let mut after = vec![self.never(); network.nodes()];
        after[1..=network.fluents].copy_from_slice(&self.next);
        for block in &network.state_blocks {
            let (range, latches) = match block {
                Block::Once(range) => (range, &[][..]),
                Block::UntilStable(range, latches) => (range, &latches[..]),
            };
            for &(latch, _) in latches {
                after[latch as usize] = self.fresh();
            }
            for (number, &[a, b]) in range.clone().zip(&network.gates[range.clone()]) {
                let gate = self.fresh();
                self.define_and(gate, &[signed(&after, a), signed(&after, b)]);
                after[network.first_gate() + number] = gate;
            }
            for &(latch, lit) in latches {
                let (latch, lit) = (after[latch as usize], signed(&after, lit));
                self.clause(&[!latch, lit]);
                self.clause(&[latch, !lit]);
            }
        }
        self.after = after;
    }

    /// The value after the step of a literal that depends on the state alone.
    pub(crate) fn after(&self, lit: Lit) -> Literal {
        signed(&self.after, lit)
    }

    /// The value of a literal of the network.
    pub(crate) fn literal(&self, lit: Lit) -> Literal {
        let node = self.node(lit.node());
        match lit.is_negated() {
            true => !node,
            false => node,
        }
    }

    /// Whether all of this can hold together with what is assumed; `None` if the time is over or the effort is made.
    pub(crate) fn is_possible(&mut self, literals: &[Literal]) -> Option<bool> {
        let mut assumptions = self.assumed.clone();
        assumptions.extend_from_slice(literals);
        self.solve(&assumptions)
    }
}

// A step is a formula with names for parts of it: proofs add clauses and variables of their own.
impl Deref for Step {
    type Target = Formula;

    fn deref(&self) -> &Formula {
        &self.formula
    }
}

impl DerefMut for Step {
    fn deref_mut(&mut self) -> &mut Formula {
        &mut self.formula
    }
}

fn signed(values: &[Literal], lit: Lit) -> Literal {
    let value = values[lit.node()];
    match lit.is_negated() {
        true => !value,
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exclusive, sample};
    use ludens_engine::Game;

    /// Number of groups proved within these limits, and the conflicts that it takes.
    fn groups(game: &Game, most: Effort) -> (Option<usize>, u64) {
        let circuit = game.engine().circuit().expect("the game is compiled");
        let budget = Budget::default();
        let candidates = exclusive::candidates(circuit, &sample::sample(game, &budget), &|| false);
        let mut step = Step::with_effort(circuit, &budget, most).expect("the game is small");
        let found = exclusive::prove(&mut step, candidates, &circuit.program.initial);
        (found.map(|groups| groups.len()), step.conflicts())
    }

    #[test]
    fn what_takes_too_many_steps_is_unknown() {
        let entry = ludens_library::find("connect-four").expect("the library has the game");
        let game = Game::read(entry.source()).expect("library games can be played");
        let (proved, needed) = groups(&game, Effort::UNLIMITED);
        assert_eq!(proved, Some(43));
        let few_conflicts = Effort {
            conflicts: needed / 2,
            ..Effort::UNLIMITED
        };
        assert_eq!(groups(&game, few_conflicts), (None, needed / 2));
        let few_implied = Effort {
            implied: 0,
            ..Effort::UNLIMITED
        };
        assert_eq!(groups(&game, few_implied).0, None);
    }
}
