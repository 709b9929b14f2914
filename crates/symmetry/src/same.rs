//! Whether two games are the same: a mapping that is proved, or a difference that shows in play.
//!
//! Rules can agree in all states of play and differ elsewhere, so the lack of a mapping refutes nothing. What refutes is
//! counting: sequences of joint moves, and the ends among them by their goals, are equally many in equivalent games.

use crate::find::{model, weighted};
use crate::graph::{self, mix};
use crate::mapping::{Frame, Mapping};
use crate::model::Model;
use crate::search::{Accept, isomorphism};
use crate::verify::Verifier;
use crate::weights::weigh;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Game, JointMoves, Machine, MoveId, Role, State};
use std::sync::Arc;

/// States that are looked at in each game to find a difference.
const MOST_STATES: usize = 100_000;
/// Joint moves between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

/// Whether two games are equivalent.
#[derive(Clone, Debug)]
pub enum Equivalence {
    /// They are, by this mapping of the first onto the second.
    Yes(Box<Mapping>),
    /// They are not, for this reason.
    No(String),
    /// Not decided, for this reason.
    Unknown(String),
}

/// Compares two games, as far as the budget goes.
pub fn same(first: &Game, second: &Game, budget: &Budget) -> Equivalence {
    let roles = (first.roles().len(), second.roles().len());
    if roles.0 != roles.1 {
        return Equivalence::No(format!("one game has {} roles, the other {}", roles.0, roles.1));
    }
    let reason = match (model(first), model(second)) {
        (Ok(ours), Ok(theirs)) => match mapping((&ours.0, &ours.1), (&theirs.0, &theirs.1), budget) {
            Ok(mapping) => return Equivalence::Yes(Box::new(mapping)),
            Err(reason) => reason,
        },
        (Err(cause), _) => format!("{}: {cause}", first.name()),
        (_, Err(cause)) => format!("{}: {cause}", second.name()),
    };
    match difference(first, second, budget) {
        Some(difference) => Equivalence::No(difference),
        None => Equivalence::Unknown(reason),
    }
}

/// A mapping that is proved, or why there is none.
fn mapping(from: (&Model, &Arc<Frame>), to: (&Model, &Arc<Frame>), budget: &Budget) -> Result<Mapping, String> {
    let sizes = |model: &Model| {
        [
            model.points.fluents.len(),
            model.points.moves.len(),
            model.functions.len(),
        ]
    };
    let (ours, theirs) = (sizes(from.0), sizes(to.0));
    let names = ["fluents that change", "moves", "functions"];
    for ((name, our), their) in names.iter().zip(ours).zip(theirs) {
        if our != their {
            return Err(format!("one game has {our} {name}, the other {their}"));
        }
    }
    let points = from.0.points.len();
    let made = |images: Vec<u32>| Mapping::new(from.1.clone(), to.1.clone(), images[..points].to_vec());
    let graphs = (graph::and_or(from.0, true), graph::and_or(to.0, true));
    let mut accept = |images: &[u32]| match graphs.0.is_mapped(&graphs.1, images) {
        true => Accept::Yes,
        false => Accept::No,
    };
    if let Ok(Some(images)) = isomorphism(&graphs.0, &graphs.1, &mut accept, budget) {
        return Ok(made(images));
    }
    let late = || "the time was over".to_string();
    let weights = (
        weigh(from.0, budget).ok_or_else(late)?,
        weigh(to.0, budget).ok_or_else(late)?,
    );
    let ours = weighted(from.0, &weights.0, true, budget).ok_or_else(late)?;
    let theirs = weighted(to.0, &weights.1, true, budget).ok_or_else(late)?;
    let mut verifier = Verifier::new((from.0, &ours.1), (to.0, &theirs.1), budget);
    match isomorphism(&ours.0, &theirs.0, &mut |images| verifier.accept(images), budget) {
        Ok(Some(images)) => Ok(made(images)),
        Ok(None) if !weights.0.is_certain || !weights.1.is_certain => Err("a proof was not finished".to_string()),
        Ok(None) => Err("no mapping makes the rules equal in all states, reachable or not".to_string()),
        Err(cause) => Err(cause.to_string()),
    }
}

/// A layer of the tree of joint moves.
struct Layer {
    /// States with the number of ways to reach them.
    states: HashMap<State, u128, FixedState>,
    /// For each role what happened up to here, as a number that does not depend on its name.
    roles: Vec<u64>,
    ends: u128,
    /// Whether states are missing because there are too many.
    is_cut: bool,
}

/// What differs in the numbers of sequences, if that shows among the first states.
fn difference(first: &Game, second: &Game, budget: &Budget) -> Option<String> {
    let mut machines = (first.machine(), second.machine());
    machines.0.set_deadline(budget.deadline());
    machines.1.set_deadline(budget.deadline());
    let mut layers = (Layer::start(first), Layer::start(second));
    let mut seen = 0;
    for depth in 0.. {
        let next = (
            layers.0.next(&mut *machines.0, budget)?,
            layers.1.next(&mut *machines.1, budget)?,
        );
        let (ours, theirs) = (next.0.ends, next.1.ends);
        if ours != theirs {
            return Some(format!(
                "{ours} matches end after {depth} joint moves in one game, {theirs} in the other"
            ));
        }
        if next.0.sorted_roles() != next.1.sorted_roles() {
            return Some(format!(
                "legal moves or goals of the roles differ after {depth} joint moves"
            ));
        }
        if next.0.is_cut || next.1.is_cut {
            return None;
        }
        let (ours, theirs) = (next.0.sequences(), next.1.sequences());
        if ours != theirs {
            return Some(format!(
                "joint moves after {depth} others can be made in {ours} ways in one game, {theirs} in the other"
            ));
        }
        seen += next.0.states.len().max(next.1.states.len());
        if ours == 0 || seen > MOST_STATES {
            return None;
        }
        layers = next;
    }
    None
}

impl Layer {
    fn start(game: &Game) -> Layer {
        let mut states = HashMap::default();
        states.insert(game.initial().clone(), 1);
        Layer {
            states,
            roles: vec![0; game.roles().len()],
            ends: 0,
            is_cut: false,
        }
    }

    fn sequences(&self) -> u128 {
        self.states.values().sum()
    }

    fn sorted_roles(&self) -> Vec<u64> {
        let mut roles = self.roles.clone();
        roles.sort_unstable();
        roles
    }

    /// The next layer, with the ends in this one; `None` if the budget is spent or the engine is at fault.
    fn next(&self, machine: &mut dyn Machine, budget: &Budget) -> Option<Layer> {
        let mut next = Layer {
            states: HashMap::default(),
            roles: self.roles.clone(),
            ends: 0,
            is_cut: false,
        };
        let mut joint: Vec<MoveId> = Vec::new();
        let mut made = 0;
        // Legal moves and goals are summed up over all ways, for each role.
        let mut sums = vec![0u64; self.roles.len()];
        let mut states: Vec<(&State, &u128)> = self.states.iter().collect();
        states.sort_unstable();
        for (state, &ways) in states {
            machine.load(state);
            let is_end = machine.is_terminal();
            for role in Role::first(sums.len()) {
                let fact = match is_end {
                    true => mix(1, machine.score(role).into()),
                    false => mix(2, machine.legal(role).len() as u64),
                };
                let sum = &mut sums[role.index()];
                *sum = sum.wrapping_add(fact.wrapping_mul(ways as u64));
            }
            if is_end {
                next.ends += ways;
                continue;
            }
            let mut moves = JointMoves::of(machine);
            if next.is_cut || moves.stuck().is_some() {
                continue;
            }
            while moves.next_into(&mut joint) {
                machine.load(state);
                machine.step(&joint);
                *next.states.entry(machine.state().clone()).or_default() += ways;
                made += 1;
                if made % BETWEEN_LOOKS == 0 && budget.is_spent() {
                    return None;
                }
                if next.states.len() > MOST_STATES {
                    next.is_cut = true;
                    break;
                }
            }
        }
        for (role, sum) in next.roles.iter_mut().zip(sums) {
            *role = mix(*role, sum);
        }
        machine.fault().is_none().then_some(next)
    }
}
