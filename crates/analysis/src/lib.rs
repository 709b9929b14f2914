//! What can be proved of a game.
//!
//! [`analyse`] looks at a compiled game and decides properties that searchers and solvers build on: which fluents
//! exclude each other, whether roles take turns, whether goals always have the same sum, how long a match can last.
//! Every answer is [`Verdict::Proved`], [`Verdict::Refuted`] or [`Verdict::Unknown`], never a guess:
//!
//! * random matches (`sample`) refute by example and suggest what might hold;
//! * `structure` reads off the network what depends on what;
//! * `exclusive` proves groups of exclusive fluents by induction over the steps of a match, with a SAT solver (`cnf`);
//! * [`orders`] finds orders of constants in relations that never change;
//! * [`persistence`] finds fluents that keep a value once they have it;
//! * `properties` asks the solver about the rest, in all states that the proved groups allow.
//!
//! Proofs hold for all states that play can reach. States in which some role has no legal move count as ends: nothing
//! follows them.

mod cnf;
mod exclusive;
pub mod orders;
mod persistence;
mod properties;
mod sample;
mod structure;

use ludens_budget::Budget;
use ludens_engine::{Circuit, Fluent, Game, MoveId};

pub use exclusive::{ExclusiveGroup, exclusive_groups};
pub use persistence::{Persistence, persistence};
pub use properties::goal_values;
pub use structure::{Chain, Structure};

/// What is known of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Proved,
    /// It does not hold.
    Refuted,
    /// It could not be decided.
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

/// A goal value of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalValue {
    /// The value.
    pub value: u8,
    /// Whether it can be the result of a match.
    pub occurs: Verdict,
}

/// What is known of a game.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Groups of fluents of which at most one holds in every state, each proved.
    pub exclusive: Vec<ExclusiveGroup>,
    /// Whether in every state at most one role has a choice.
    pub turn_taking: Verdict,
    /// Whether the goals of all roles but chance have the same sum in all terminal states.
    pub constant_sum: Verdict,
    /// That sum, where it is proved or all matches seen have it.
    pub sum: Option<u32>,
    /// For each role the goal values in the rules.
    pub goals: Vec<Vec<GoalValue>>,
    /// Which fluents keep a value once they have it.
    pub persistence: Persistence,
    /// A match takes at most this many steps, proved.
    pub longest_match: Option<usize>,
    /// What the network shows by itself.
    pub structure: Structure,
    /// Why the proofs are not complete, if they are not.
    pub incomplete: Option<String>,
}

impl Analysis {
    /// The moves of a role that change nothing, whatever else is played.
    pub fn noops(&self, role: usize) -> &[MoveId] {
        &self.structure.noops[role]
    }
}

/// Analyses a game; nothing if it is not compiled. When the budget is spent, what is not proved yet stays unknown. If it has
/// no deadline, proofs end after a number of steps instead, so that the answers do not depend on the machine.
pub fn analyse(game: &Game, budget: &Budget) -> Option<Analysis> {
    analyse_until(game, budget, &|_| false)
}

/// The same, but ends as soon as what is known is enough for whoever asks. It is asked after the order of play and again
/// after the ends of matches were looked at; the rest takes longest.
pub fn analyse_until(game: &Game, budget: &Budget, is_enough: &dyn Fn(&Analysis) -> bool) -> Option<Analysis> {
    let circuit = game.engine().circuit()?;
    let structure = structure::read(circuit, &|| budget.is_spent());
    let is_cut_off = structure.is_none();
    let structure = structure.unwrap_or_else(|| Structure::unknown(&circuit.network));
    let sample = sample::sample(game, budget);
    let mut analysis = Analysis {
        exclusive: Vec::new(),
        turn_taking: sample.refuted(sample.most_choosers > 1),
        constant_sum: sample.refuted(sample.has_several_sums),
        sum: sample.sum,
        goals: properties::goals_seen(&circuit.network, &sample),
        persistence: persistence::begin(circuit, &sample, budget),
        longest_match: None,
        structure,
        incomplete: None,
    };
    match cnf::Step::new(circuit, budget) {
        _ if is_cut_off => analysis.incomplete = Some(cnf::TIME_OVER.to_string()),
        Err(cause) => analysis.incomplete = Some(cause),
        Ok(mut step) => {
            if decide(&mut step, circuit, &sample, &mut analysis, is_enough).is_none() {
                analysis.incomplete = Some(step.cause().to_string());
            }
        }
    }
    Some(analysis)
}

/// Decides what the sample left open, what is cheap first; nothing if the time is over before the end.
fn decide(
    step: &mut cnf::Step,
    circuit: &Circuit,
    sample: &sample::Sample,
    analysis: &mut Analysis,
    is_enough: &dyn Fn(&Analysis) -> bool,
) -> Option<()> {
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
        return Some(());
    }
    let others = exclusive::prove(step, others, initial)?;
    analysis.exclusive.extend(others);
    properties::decide_order(step, circuit, analysis)?;
    properties::decide_ends(step, circuit, sample, analysis)?;
    if is_enough(analysis) {
        return Some(());
    }
    persistence::prove(step, &mut analysis.persistence)
}
