//! Formulas for a SAT solver, within bounds on its work.
//!
//! Where there is no clock, the solver's own steps are counted instead, so that the answers are the same everywhere.

use batsat::callbacks::Callbacks;
use batsat::{ClauseKind, Solver, SolverInterface, SolverOpts, lbool};
use ludens_budget::Budget;

pub use batsat::Lit as Literal;

/// Conflicts that the solver may have where there is no clock, the same times the nodes of the network, and values that it
/// may find to follow from others.
const MOST_CONFLICTS: u64 = 20_000;
const MOST_WORK: u64 = 200_000_000;
const MOST_IMPLIED: u64 = 100_000_000;
/// Clauses between two looks at the clock while formulas are built.
pub(crate) const BETWEEN_LOOKS: u32 = 1 << 12;
/// Why proofs are not complete.
pub(crate) const TIME_OVER: &str = "the time was over";

/// How much the solver may do for all questions about a formula together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Maximum number of conflicts, each of which teaches the solver a clause.
    pub conflicts: u64,
    /// Maximum number of values that follow from others; beyond it no further question is asked. Large formulas take many
    /// even without a conflict.
    pub implied: u64,
}

impl Effort {
    /// No bound but the budget's.
    pub const UNLIMITED: Effort = Effort {
        conflicts: u64::MAX,
        implied: u64::MAX,
    };

    /// The effort for a network of this size: unlimited if the budget has a deadline, else counted. In a large network
    /// every conflict costs more, so there are fewer of them.
    pub fn within(budget: &Budget, nodes: usize) -> Effort {
        match budget.deadline() {
            Some(_) => Effort::UNLIMITED,
            None => Effort::counted(nodes),
        }
    }

    pub(crate) fn counted(nodes: usize) -> Effort {
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

/// A formula in conjunctive normal form, and a solver for questions about it.
pub struct Formula {
    solver: Solver<Watch>,
    most_implied: u64,
    /// Clauses added so far, and whether the time was over before all were: then no question is answered.
    clauses: u32,
    is_cut_off: bool,
    never: Literal,
}

impl Formula {
    /// Returns a formula without clauses.
    pub fn new(budget: &Budget, most: Effort) -> Formula {
        let watch = Watch {
            budget: budget.clone(),
            conflicts: 0,
            most_conflicts: most.conflicts,
        };
        let mut solver = Solver::new(SolverOpts::default(), watch);
        let never = Literal::new(solver.new_var_default(), true);
        let mut formula = Formula {
            solver,
            most_implied: most.implied,
            clauses: 0,
            is_cut_off: false,
            never,
        };
        formula.clause(&[!never]);
        formula
    }

    /// Returns the literal that is never true.
    pub fn never(&self) -> Literal {
        self.never
    }

    /// Returns a new variable, or the literal that is never true once the time is over.
    pub fn fresh(&mut self) -> Literal {
        if self.is_cut_off {
            return self.never;
        }
        Literal::new(self.solver.new_var_default(), true)
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: &[Literal]) {
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

    /// Makes `gate` the conjunction of `conditions`.
    pub fn define_and(&mut self, gate: Literal, conditions: &[Literal]) {
        let mut all = vec![gate];
        for &condition in conditions {
            self.clause(&[!gate, condition]);
            all.push(!condition);
        }
        self.clause(&all);
    }

    /// Allows at most one of these where `active` holds.
    pub fn at_most_one(&mut self, literals: &[Literal], active: Literal) {
        let mut before = self.never;
        for &literal in literals {
            self.clause(&[!active, !literal, !before]);
            let so_far = self.fresh();
            self.clause(&[!literal, so_far]);
            self.clause(&[!before, so_far]);
            before = so_far;
        }
    }

    /// Returns a literal that holds only where two of these do.
    pub fn two_of(&mut self, literals: &[Literal]) -> Literal {
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

    /// Returns a literal that holds only where one of these does.
    pub fn some_of(&mut self, literals: &[Literal]) -> Literal {
        let some = self.fresh();
        let mut clause = literals.to_vec();
        clause.push(!some);
        self.clause(&clause);
        some
    }

    /// Returns whether the formula has a model in which all of these hold; `None` if the time is over or the effort is
    /// made.
    pub fn solve(&mut self, assumptions: &[Literal]) -> Option<bool> {
        if self.is_exhausted() || self.is_cut_off {
            return None;
        }
        match self.solver.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Some(true),
            answer if answer == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// Returns the value of a literal in the model found last.
    pub fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }

    /// Returns whether no further question is answered because the time is over.
    pub fn is_late(&self) -> bool {
        self.is_cut_off || self.solver.cb().budget.is_spent()
    }

    /// Returns why the last question was not answered, if it was not.
    pub fn cause(&self) -> &'static str {
        match self.is_exhausted() {
            true => "a proof took too many steps",
            false => TIME_OVER,
        }
    }

    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    #[cfg(test)]
    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.cb().conflicts
    }

    fn is_exhausted(&self) -> bool {
        self.solver.cb().is_exhausted() || self.solver.num_propagations() >= self.most_implied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_networks_are_given_fewer_conflicts() {
        assert_eq!(Effort::counted(1_000).conflicts, MOST_CONFLICTS);
        assert_eq!(Effort::counted(200_000).conflicts, 1_000);
    }

    #[test]
    fn gates_are_the_conjunction_of_all_their_conditions() {
        let mut formula = Formula::new(&Budget::default(), Effort::UNLIMITED);
        let inputs: Vec<Literal> = (0..3).map(|_| formula.fresh()).collect();
        let gate = formula.fresh();
        formula.define_and(gate, &inputs);
        assert_eq!(formula.solve(&[gate, !inputs[1]]), Some(false));
        assert_eq!(formula.solve(&[!gate, inputs[0], inputs[1], inputs[2]]), Some(false));
        assert_eq!(formula.solve(&[!gate, inputs[0], inputs[2]]), Some(true));
        assert!(!formula.holds(inputs[1]));
    }
}
