//! The values of the leaves of formulas in a state.

use crate::rules::distance::{Choice, Distances};
use crate::rules::formula::{Atom, Graph, Opaque};
use crate::rules::goals::GoalFormulas;
use crate::rules::wanted::Wanted;
use ludens_engine::{Fluent, Game, State};
use ludens_ground::{Proposition, Signal};
use std::sync::Arc;

/// Conditions that may be computed for propositions that are not opened.
const MOST_CONDITIONS: usize = 20_000;
/// A chain that does not hold is less true than one that does.
const CHAIN_BELOW: f64 = 0.99;

/// Computes leaves in a state.
#[derive(Clone)]
pub(crate) struct Leaves {
    /// `None` if it would take too long; then these leaves are unknown.
    opaque: Option<Opaque>,
    near: Option<Near>,
    /// The propositions whose missing parts are counted, in order, with how many fluents each is about.
    chains: Arc<[(Proposition, u32)]>,
}

/// How near fluents are that do not hold.
#[derive(Clone)]
struct Near {
    distances: Distances,
    /// For each fluent the number of its target, if its distance says anything.
    target: Arc<Vec<Option<u32>>>,
}

impl Leaves {
    /// Prepares the leaves of a graph. With distances, the degree of a false fluent grows as it gets nearer.
    pub(crate) fn new(game: &Game, formulas: &GoalFormulas, graph: &Graph, distances: Option<Choice>) -> Leaves {
        Leaves {
            opaque: Opaque::new(game, &formulas.opaque, MOST_CONDITIONS),
            near: distances.and_then(|choice| Near::new(game, formulas, graph, choice)),
            chains: [].into(),
        }
    }

    /// The same, where the degree of an unopened proposition grows as fewer conditions are missing; `None` if it takes
    /// too long to count these.
    pub(crate) fn counting(mut self, game: &Game, propositions: &[Proposition]) -> Option<Leaves> {
        self.opaque = Some(self.opaque?.counting());
        let chains = propositions.iter().map(|&number| (number, width(game, number)));
        self.chains = chains.collect();
        Some(self)
    }

    /// Number of such propositions.
    pub(crate) fn chains(&self) -> usize {
        self.chains.len()
    }

    /// Returns the degree of a proposition that does not hold.
    fn chain(&self, proposition: Proposition) -> f64 {
        let place = self.chains.binary_search_by_key(&proposition, |&(known, _)| known);
        let missing = self.opaque.as_ref().and_then(|opaque| opaque.missing(proposition));
        let (Ok(place), Some(missing)) = (place, missing) else {
            return 0.0;
        };
        (1.0 - f64::from(missing) / f64::from(self.chains[place].1.max(1))).clamp(0.0, CHAIN_BELOW)
    }

    pub(crate) fn go_to(&mut self, state: &State) {
        if let Some(opaque) = &mut self.opaque {
            opaque.compute(state);
        }
    }

    /// Returns whether an atom holds, if that is known.
    pub(crate) fn holds(&self, state: &State, atom: Atom) -> Option<bool> {
        match atom {
            Atom::Fluent(fluent) => Some(state.holds(fluent)),
            Atom::Proposition(number) => self.opaque.as_ref().map(|opaque| opaque.holds(Proposition(number))),
            Atom::Move(..) => None,
        }
    }

    /// Returns the degree of a leaf, from 0 to 1: 1 if it holds, and less the more steps it is away or the more is
    /// missing. `None` if it is not known.
    pub(crate) fn degree(&self, state: &State, atom: Atom) -> Option<f64> {
        match (self.holds(state, atom)?, atom, &self.near) {
            (true, ..) => Some(1.0),
            (false, Atom::Fluent(fluent), Some(near)) => Some(near.degree(state, fluent)),
            (false, Atom::Proposition(number), _) => Some(self.chain(Proposition(number))),
            (false, ..) => Some(0.0),
        }
    }

    /// Returns whether a fluent can have a degree between true and false.
    pub(crate) fn is_gradual(&self, fluent: Fluent) -> bool {
        self.near.as_ref().is_some_and(|near| near.target_of(fluent).is_some())
    }

    /// Number of such fluents.
    pub(crate) fn gradual(&self) -> usize {
        let near = self.near.iter();
        near.map(|near| near.target.iter().flatten().count()).sum()
    }
}

impl Near {
    fn new(game: &Game, formulas: &GoalFormulas, graph: &Graph, choice: Choice) -> Option<Near> {
        let wanted = Wanted::new(&formulas.store, &formulas.goals, formulas.terminal, &|_| Vec::new());
        let mut fluents = graph.fluents();
        fluents.retain(|&fluent| wanted.has(fluent));
        let distances = Distances::new(game, &fluents, choice)?;
        let last = fluents.last()?.0 as usize;
        let mut target = vec![None; last + 1];
        for (number, fluent) in fluents.iter().enumerate() {
            // One step or never is no degree between true and false.
            if distances.greatest(number) > 1 && !wanted.is_complete(*fluent, distances.sources(number)) {
                target[fluent.0 as usize] = Some(number as u32);
            }
        }
        Some(Near {
            distances,
            target: Arc::new(target),
        })
    }

    fn target_of(&self, fluent: Fluent) -> Option<usize> {
        let target = self.target.get(fluent.0 as usize).copied().flatten();
        target.map(|target| target as usize)
    }

    fn degree(&self, state: &State, fluent: Fluent) -> f64 {
        let Some(target) = self.target_of(fluent) else {
            return 0.0;
        };
        let distance = self.distances.normalised(state, target);
        distance.map_or(0.0, |distance| 1.0 - distance)
    }
}

/// Returns the number of fluents that a proposition depends on.
fn width(game: &Game, proposition: Proposition) -> u32 {
    let Some(circuit) = game.engine().circuit() else {
        return 0;
    };
    let program = &circuit.program;
    let mut is_seen = vec![false; program.propositions()];
    let mut is_met = vec![false; program.names.fluents.len()];
    let mut open = vec![proposition];
    while let Some(number) = open.pop() {
        if std::mem::replace(&mut is_seen[number.index()], true) {
            continue;
        }
        for condition in program.instances_of(number).flatten() {
            match condition.signal {
                Signal::Fluent(fluent) => is_met[fluent.index()] = true,
                Signal::Derived(other) => open.push(other),
                Signal::Move(..) => {}
            }
        }
    }
    is_met.into_iter().filter(|&is_met| is_met).count() as u32
}

#[cfg(test)]
pub(crate) mod tests {
    use ludens_engine::Game;

    /// Twelve cells to take, of which seven are enough; rules count them one after the other.
    pub(crate) fn counting() -> Game {
        let mut rules = String::from(
            "(role robot) (init (step 1)) (<= (next (step 1)) (true (step 1)))
            (<= (legal robot (take ?c)) (cell ?c))
            (<= (next (mine ?c)) (does robot (take ?c)))
            (<= (next (mine ?c)) (true (mine ?c)))
            (<= (count 1 1) (true (mine 1)))
            (<= (count 1 0) (not (true (mine 1))) (true (step 1)))
            (<= (count ?d ?m) (succ ?c ?d) (cell ?c) (count ?c ?n) (true (mine ?d)) (succ ?n ?m))
            (<= (count ?d ?n) (succ ?c ?d) (cell ?c) (count ?c ?n) (not (true (mine ?d))))
            (<= won (count 12 ?n) (enough ?n))
            (<= (goal robot 100) won)
            (<= (goal robot 0) (not won))
            (<= terminal (true (mine 12)) (true (mine 11)))",
        );
        for number in 0..12 {
            let next = number + 1;
            rules += &format!("(cell {next}) (succ {number} {next})");
            rules += &if next >= 7 {
                format!("(enough {next})")
            } else {
                String::new()
            };
        }
        Game::read(ludens_gdl::Source::new("counting", rules)).unwrap()
    }
}
