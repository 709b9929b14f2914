//! One step of a match as a formula for a SAT solver.
//!
//! Every node of the network is a variable, every gate three clauses. Latches of recursive propositions equal what
//! feeds them: that allows every fixed point, not only the least one, so it can only make a proof fail, never succeed
//! wrongly. The moves are fixed by `play`: the state is not terminal and every role makes exactly one legal move.
//!
//! Without a deadline, the solver's own steps are counted instead, so that the answers are the same everywhere.

use batsat::callbacks::Callbacks;
use batsat::{ClauseKind, Lit as Literal, Solver, SolverInterface, SolverOpts, Var, lbool};
use ludens_budget::Budget;
use ludens_engine::Circuit;
use ludens_ground::network::{Block, Lit, Network};
use std::sync::Arc;

/// Networks beyond this size are not given to the solver.
const MOST_GATES: usize = 400_000;
/// Limits of the solver without a deadline: conflicts, conflicts times nodes of the network, and propagations.
const MOST_CONFLICTS: u64 = 20_000;
const MOST_WORK: u64 = 200_000_000;
const MOST_IMPLIED: u64 = 100_000_000;
/// Clauses between two readings of the clock while formulas are built.
const BETWEEN_LOOKS: u32 = 1 << 12;
/// Reason why proofs are not complete.
pub(crate) const TIME_OVER: &str = "the time was over";

/// Limits of the solver for all questions about a step together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Maximum number of conflicts, each of which yields a learnt clause.
    pub(crate) conflicts: u64,
    /// Maximum number of propagations; beyond it no further question is asked. Large formulas take many even without a
    /// conflict.
    pub(crate) implied: u64,
}

impl Effort {
    const UNLIMITED: Effort = Effort {
        conflicts: u64::MAX,
        implied: u64::MAX,
    };

    /// The limits without a deadline. In a large network every conflict costs more, so fewer are allowed.
    fn counted(nodes: usize) -> Effort {
        Effort {
            conflicts: (MOST_WORK / nodes.max(1) as u64).min(MOST_CONFLICTS),
            implied: MOST_IMPLIED,
        }
    }
}

/// Tells the solver when to give up.
struct Watch {
    budget: Budget,
    conflicts: u64,
    most_conflicts: u64,
}

impl Watch {
    fn is_exhausted(&self) -> bool {
        self.conflicts >= self.most_conflicts
    }
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[Literal], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.is_exhausted() || self.budget.is_spent()
    }
}

/// The formula of a step.
pub(crate) struct Step {
    solver: Solver<Watch>,
    most_implied: u64,
    /// Clauses added so far, and whether the time was over before all were: then no question is answered.
    clauses: u32,
    is_cut_off: bool,
    network: Arc<Network>,
    /// The variable of each node.
    nodes: Vec<Var>,
    /// For each fluent whether it holds next.
    pub(crate) next: Vec<Literal>,
    /// True where a step is made.
    pub(crate) play: Literal,
    never: Literal,
    /// For each node its value after the step, once [`Step::look_ahead`] was called.
    after: Vec<Literal>,
    /// Assumptions of every question.
    pub(crate) assumed: Vec<Literal>,
}

impl Step {
    /// Builds the formula; an error if the network is too large or the time is over. Questions are answered within the
    /// budget; if that has no deadline, within an effort that is counted.
    pub(crate) fn new(circuit: &Circuit, budget: &Budget) -> Result<Step, String> {
        let most = match budget.deadline() {
            Some(_) => Effort::UNLIMITED,
            None => Effort::counted(circuit.network.nodes()),
        };
        Step::with_effort(circuit, budget, most)
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
        let watch = Watch {
            budget: budget.clone(),
            conflicts: 0,
            most_conflicts: most.conflicts,
        };
        let mut solver = Solver::new(SolverOpts::default(), watch);
        let mut nodes: Vec<Var> = Vec::with_capacity(network.nodes());
        for number in 0..network.nodes() {
            if (number as u32).is_multiple_of(BETWEEN_LOOKS) && budget.is_spent() {
                return Err(TIME_OVER.to_string());
            }
            nodes.push(solver.new_var_default());
        }
        let never = Literal::new(nodes[0], true);
        let play = Literal::new(solver.new_var_default(), true);
        let mut step = Step {
            solver,
            most_implied: most.implied,
            clauses: 0,
            is_cut_off: false,
            next: vec![never; network.fluents],
            play,
            never,
            after: Vec::new(),
            assumed: Vec::new(),
            nodes,
            network: network.clone(),
        };
        step.clause(&[!never]);
        for (number, &[a, b]) in network.gates.iter().enumerate() {
            let gate = step.node(network.first_gate() + number);
            let (a, b) = (step.literal(a), step.literal(b));
            step.define_and(gate, a, b);
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
        match step.is_cut_off {
            true => Err(TIME_OVER.to_string()),
            false => Ok(step),
        }
    }

    fn fix_moves(&mut self) {
        let network = self.network.clone();
        let play = self.play;
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
                self.clause(&[!play, !made, is_legal.unwrap_or(self.never)]);
            }
            self.at_most_one(&moves, play);
            let mut some: Vec<Literal> = moves;
            some.push(!play);
            self.clause(&some);
        }
    }

    /// The variable of a node.
    pub(crate) fn node(&self, node: usize) -> Literal {
        Literal::new(self.nodes[node], true)
    }

    /// The variable of a fluent.
    pub(crate) fn fluent(&self, fluent: u32) -> Literal {
        self.node(1 + fluent as usize)
    }

    /// Adds the part of the network that depends on the state alone once more, for the state after the step.
    pub(crate) fn look_ahead(&mut self) {
        let network = self.network.clone();
        let mut after = vec![self.never; network.nodes()];
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
                self.define_and(gate, signed(&after, a), signed(&after, b));
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

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Literal {
        if self.is_cut_off {
            return self.never;
        }
        Literal::new(self.solver.new_var_default(), true)
    }

    /// Adds a clause.
    pub(crate) fn clause(&mut self, literals: &[Literal]) {
        self.clauses = self.clauses.wrapping_add(1);
        if self.clauses.is_multiple_of(BETWEEN_LOOKS) && self.is_late() {
            self.is_cut_off = true;
        }
        if self.is_cut_off {
            return;
        }
        let mut clause = literals.to_vec();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn define_and(&mut self, gate: Literal, a: Literal, b: Literal) {
        self.clause(&[!gate, a]);
        self.clause(&[!gate, b]);
        self.clause(&[gate, !a, !b]);
    }

    /// At most one of these, where `active` holds.
    pub(crate) fn at_most_one(&mut self, literals: &[Literal], active: Literal) {
        let mut before = self.never;
        for &literal in literals {
            self.clause(&[!active, !literal, !before]);
            let so_far = self.fresh();
            self.clause(&[!literal, so_far]);
            self.clause(&[!before, so_far]);
            before = so_far;
        }
    }

    /// A literal that holds only where two of these do.
    pub(crate) fn two_of(&mut self, literals: &[Literal]) -> Literal {
        // `so_far` may only hold if a literal up to there does, `two` only if one of the pairs does.
        let mut before = self.never;
        let mut pairs = Vec::new();
        for &literal in literals {
            let pair = self.fresh();
            self.clause(&[!pair, literal]);
            self.clause(&[!pair, before]);
            pairs.push(pair);
            let so_far = self.fresh();
            self.clause(&[!so_far, literal, before]);
            before = so_far;
        }
        self.some_of(&pairs)
    }

    /// A literal that holds only where one of these does.
    pub(crate) fn some_of(&mut self, literals: &[Literal]) -> Literal {
        let some = self.fresh();
        let mut clause = literals.to_vec();
        clause.push(!some);
        self.clause(&clause);
        some
    }

    /// Returns whether all literals can hold together; `None` if the time is over or a limit is reached.
    pub(crate) fn is_possible(&mut self, literals: &[Literal]) -> Option<bool> {
        if self.is_exhausted() || self.is_cut_off {
            return None;
        }
        let mut assumptions = self.assumed.clone();
        assumptions.extend_from_slice(literals);
        match self.solver.solve_limited(&assumptions) {
            answer if answer == lbool::TRUE => Some(true),
            answer if answer == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// Whether no further question is answered because the time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.is_cut_off || self.solver.cb().budget.is_spent()
    }

    fn is_exhausted(&self) -> bool {
        self.solver.cb().is_exhausted() || self.solver.num_propagations() >= self.most_implied
    }

    /// Reason why the last question was not answered, if it was not.
    pub(crate) fn cause(&self) -> &'static str {
        match self.is_exhausted() {
            true => "a proof took too many steps",
            false => TIME_OVER,
        }
    }

    /// The value of a literal in the example found last.
    pub(crate) fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
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
        (found.map(|groups| groups.len()), step.solver.cb().conflicts)
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

    #[test]
    fn large_networks_are_given_fewer_conflicts() {
        assert_eq!(Effort::counted(1_000).conflicts, MOST_CONFLICTS);
        assert_eq!(Effort::counted(200_000).conflicts, 1_000);
    }
}
