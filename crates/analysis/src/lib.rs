//! Facts of a game that hold in every state play can reach.
//!
//! [`GameFacts`] is what agents and solvers choose by: whether roles take turns, whether goals have a constant sum,
//! what is hidden, how long a match can last, what a step costs. Each fact has a verdict and its evidence, and is kept
//! on the game. [`analyse`] proves facts of a compiled game, together with invariants that solvers encode states by:
//! groups of exclusive fluents, fluents that keep a value, chains and clocks. A verdict is `Yes`, `No` or `Unknown`,
//! never a guess:
//!
//! * playouts (`sample`) refute by example and suggest what might hold;
//! * `structure` reads off the network what depends on what;
//! * `exclusive` proves groups of exclusive fluents by induction over the steps of a match, with a SAT solver (`cnf`, [`Formula`]);
//! * [`orders`] finds orders of constants in relations that never change;
//! * [`persistence`] finds fluents that keep a value once they have it;
//! * `properties` asks the solver about the rest, in all states that the proved groups allow.
//!
//! States in which some role has no legal move count as ends: nothing follows them.

mod cnf;
mod exclusive;
mod facts;
mod formula;
pub mod orders;
mod persistence;
mod properties;
mod sample;
mod structure;

use ludens_budget::Budget;
use ludens_engine::{Circuit, Fluent, Game, MoveId, Role};
use std::sync::Arc;

pub use exclusive::{ExclusiveGroup, exclusive_groups};
pub use facts::{Evidence, Explored, Fact, GameFacts, GoalValue, Length, Line};
pub use formula::{Effort, Formula, Literal};
pub use persistence::{Persistence, persistence};
pub use properties::goal_values;
pub use structure::{Chain, Structure};

/// Whether a game has a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has the property.
    Yes,
    /// It does not have the property.
    No,
    /// Not decided.
    Unknown,
}

/// A fluent that cannot change any more once it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Latch {
    /// The fluent.
    pub fluent: Fluent,
    /// The value that stays.
    pub value: bool,
}

/// Everything that is proved of a game.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Groups of fluents of which at most one holds in every state, each proved.
    pub exclusive: Vec<ExclusiveGroup>,
    /// The facts that agents and solvers choose by.
    pub facts: GameFacts,
    /// Fluents that keep a value once they have it.
    pub persistence: Persistence,
    /// Dependencies in the network.
    pub structure: Structure,
    /// Reason why the proofs are not complete, if they are not.
    pub incomplete: Option<String>,
}

impl Analysis {
    /// The moves of a role that change nothing, whatever the others do.
    pub fn noops(&self, role: Role) -> &[MoveId] {
        &self.structure.noops[role]
    }
}

/// Analyses a game; `None` if it is not compiled. When the budget is spent, what is not proved yet stays unknown.
/// Without a deadline, proofs end after a number of steps instead, so that the answers do not depend on the computer.
///
/// A complete analysis is kept on the game and returned again.
pub fn analyse(game: &Game, budget: &Budget) -> Option<Arc<Analysis>> {
    if let Some(known) = game.kept::<Analysis>() {
        return Some(known);
    }
    let analysis = analyse_until(game, budget, &|_| false)?;
    match analysis.facts.is_exhausted {
        true => Some(game.keep(analysis)),
        false => Some(Arc::new(analysis)),
    }
}

/// Analyses a game until `is_enough` holds. It is asked after the order of play and again after the ends of matches
/// were decided; the rest takes longest. Facts are kept on the game.
fn analyse_until(game: &Game, budget: &Budget, is_enough: &dyn Fn(&Analysis) -> bool) -> Option<Analysis> {
    let circuit = game.engine().circuit()?;
    let structure = structure::read(circuit, &|| budget.is_spent());
    let is_cut_off = structure.is_none();
    let structure = structure.unwrap_or_else(|| Structure::unknown(&circuit.network));
    let sample = sample::sample(game, budget);
    let mut analysis = Analysis {
        exclusive: Vec::new(),
        facts: GameFacts::of_rules(game).sampled(&sample),
        persistence: persistence::begin(circuit, &sample, budget),
        structure,
        incomplete: None,
    };
    analysis.facts.goals = properties::goals_seen(&circuit.network, &sample);
    match cnf::Step::new(circuit, budget) {
        _ if is_cut_off => analysis.incomplete = Some(formula::TIME_OVER.to_string()),
        Err(cause) => analysis.incomplete = Some(cause),
        Ok(mut step) => match decide(&mut step, circuit, &sample, &mut analysis, is_enough) {
            None => analysis.incomplete = Some(step.cause().to_string()),
            Some(is_all) => analysis.facts.is_exhausted = is_all && sample.is_whole,
        },
    }
    analysis.facts.conclude();
    analysis.facts.keep(game);
    Some(analysis)
}

/// Decides what the sample left open, the cheap parts first. Returns whether that is everything, not only enough;
/// `None` if the time is over before.
fn decide(
    step: &mut cnf::Step,
    circuit: &Circuit,
    sample: &sample::Sample,
    analysis: &mut Analysis,
    is_enough: &dyn Fn(&Analysis) -> bool,
) -> Option<bool> {
    let is_clock = |group: &ExclusiveGroup| {
        let mut fluents = group.fluents.iter();
        fluents.all(|fluent| analysis.structure.is_clock[fluent.0 as usize])
    };
    let candidates = exclusive::candidates(circuit, sample, &|| step.is_late());
    let (clocks, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_clock);
    let initial = &circuit.program.initial;
    analysis.exclusive = exclusive::prove(step, clocks, initial)?;
    // Turns and step counters depend on clocks alone in most games; if not, the other groups may help.
    properties::decide_order(step, circuit, analysis)?;
    if is_enough(analysis) {
        return Some(false);
    }
    let others = exclusive::prove(step, others, initial)?;
    analysis.exclusive.extend(others);
    properties::decide_order(step, circuit, analysis)?;
    properties::decide_ends(step, circuit, sample, analysis)?;
    if is_enough(analysis) {
        return Some(false);
    }
    persistence::prove(step, &mut analysis.persistence)?;
    Some(true)
}
