//! Degrees of false fluents by what holds in their place: quantities and boards, after Fluxplayer.
//!
//! Arguments of a fluent are inputs or outputs: the inputs of a fluent that holds determine its outputs, in all states
//! that were seen. In `(cell 3 4 white)` the first two are inputs, in `(step 7)` there is none. Where an output is
//! ordered, the fluent is a quantity, and the degree of a false value grows with its nearness to the one that holds.
//! Where inputs are ordered and what stands there moves about, they are coordinates, and the degree of a fluent grows
//! with the nearness of the same piece. What only comes to stand somewhere, as discs in connect four, is as far away
//! everywhere. A board here is a set of ordered inputs, whatever the outputs are; `board` also needs coordinates that
//! can be drawn, and [`pieces`](crate::rules::pieces) needs one content for each cell but no order.

use super::{FluentKind, Structures};
use crate::learned::sample::{Sampling, draw};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, State, StepCost};
use ludens_gdl::normal::Term;
use std::sync::Arc;

/// Fluents with more arguments than this are left alone.
const MOST_ARGUMENTS: usize = 6;
/// Pairs of fluents that are stored at most.
const MOST_PAIRS: usize = 2_000_000;
/// Something moves if it goes away somewhere as often as this where it comes to stand elsewhere.
const MOVES: f64 = 0.9;
/// Seed of the sampled playouts.
const SEED: u64 = 0x0bde;

/// Degrees of truth of some fluents.
#[derive(Clone, Debug)]
pub struct Degrees {
    /// For each fluent those that may hold in its place, with its degree then, the highest first.
    places: Arc<Vec<Vec<(Fluent, f64)>>>,
}

/// The structure of a kind of fluents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// These outputs are ordered.
    Quantity(Vec<usize>),
    /// These inputs are ordered.
    Board(Vec<usize>),
}

impl Degrees {
    /// Computes the degrees of these fluents of a compiled game; `None` if none of them has any.
    pub fn new(game: &Game, targets: &[Fluent]) -> Option<Degrees> {
        let circuit = game.engine().circuit()?;
        let all: Vec<Fluent> = (0..circuit.program.names.fluents.len() as u32).map(Fluent).collect();
        let structures = Structures::new(game, &all);
        let term = |fluent: Fluent| &circuit.program.names.fluents[fluent.index()].term;
        let mut kinds: Vec<FluentKind> = targets
            .iter()
            .filter_map(|&target| Some(term(target).parts()?.0))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.retain(|&kind| (0..kind.1).any(|argument| structures.order_of(kind, argument).is_some()));
        if kinds.is_empty() {
            return None;
        }
        let seen = Seen::new(game);
        let mut pairs = 0;
        let mut places = vec![Vec::new(); all.len()];
        for kind in kinds {
            let Some(structure) = seen.structure(kind, &structures) else {
                continue;
            };
            let of_kind: Vec<Fluent> = all
                .iter()
                .copied()
                .filter(|&fluent| term(fluent).parts().is_some_and(|(other, _)| other == kind))
                .collect();
            let of_kind_targets = targets
                .iter()
                .filter(|&&target| term(target).parts().is_some_and(|(other, _)| other == kind));
            // Whether things with the same arguments but for coordinates move.
            let mut known: Vec<(Vec<&Term>, bool)> = Vec::new();
            for &target in of_kind_targets {
                let identity = identity(&structure, term(target));
                let moves = match known.iter().find(|(other, _)| *other == identity) {
                    Some((_, moves)) => *moves,
                    None => {
                        let moves = seen.applies(&structure, term(target));
                        known.push((identity, moves));
                        moves
                    }
                };
                if !moves {
                    continue;
                }
                let mut near: Vec<(Fluent, f64)> = of_kind
                    .iter()
                    .filter(|&&other| other != target)
                    .filter_map(|&other| Some((other, degree(&structures, &structure, term(target), term(other))?)))
                    .collect();
                near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.0.cmp(&b.0.0)));
                pairs += near.len();
                if pairs > MOST_PAIRS {
                    return None;
                }
                places[target.0 as usize] = near;
            }
        }
        (pairs > 0).then(|| Degrees {
            places: Arc::new(places),
        })
    }

    /// Returns the degree of a false fluent, from 0 to less than 1; `None` if no structure applies to it.
    pub fn of(&self, state: &State, fluent: Fluent) -> Option<f64> {
        let places = self.places.get(fluent.0 as usize)?;
        if places.is_empty() {
            return None;
        }
        let held = places.iter().find(|(other, _)| state.holds(*other));
        Some(held.map_or(0.0, |(_, degree)| *degree))
    }

    /// Returns whether a fluent can have a degree between true and false.
    pub(crate) fn applies_to(&self, fluent: Fluent) -> bool {
        self.places
            .get(fluent.0 as usize)
            .is_some_and(|places| !places.is_empty())
    }

    /// Number of such fluents.
    pub fn count(&self) -> usize {
        self.places.iter().filter(|places| !places.is_empty()).count()
    }
}

/// Returns the degree of one fluent where the other holds in its place.
fn degree(structures: &Structures, structure: &Structure, target: &Term, other: &Term) -> Option<f64> {
    let (kind, args) = target.parts()?;
    let (_, others) = other.parts()?;
    let (Structure::Quantity(compared) | Structure::Board(compared)) = structure;
    let (mut distance, mut greatest) = (0, 0);
    for (argument, (one, other)) in args.iter().zip(others).enumerate() {
        match (compared.contains(&argument), one, other) {
            (true, Term::Constant(one), Term::Constant(other)) => {
                let order = structures.order_of(kind, argument)?;
                distance += order.distance(*one, *other)?;
                greatest += order.greatest(*one)?;
            }
            _ if one == other => {}
            _ => return None,
        }
    }
    (greatest > 0).then(|| (1.0 - f64::from(distance) / f64::from(greatest)).max(0.0))
}

/// Returns what stands somewhere: the arguments but for those that are compared.
fn identity<'t>(structure: &Structure, target: &'t Term) -> Vec<&'t Term> {
    let (Structure::Quantity(compared) | Structure::Board(compared)) = structure;
    let args = target.parts().map_or(&[][..], |(_, args)| args).iter().enumerate();
    args.filter(|(place, _)| !compared.contains(place))
        .map(|(_, arg)| arg)
        .collect()
}

type Rows<'t> = Vec<&'t [Term]>;

/// States of playouts, as tables. They come from all parts of playouts, which is why [`draw`] samples them and not
/// `RandomPlay` of the engine, whose states are the first ones of each playout.
struct Seen {
    /// The terms of all fluents of states, sequence by sequence.
    sequences: Vec<Vec<Vec<Term>>>,
}

impl Seen {
    fn new(game: &Game) -> Seen {
        let is_large = game.engine().step_cost() > StepCost::High;
        let sampling = Sampling {
            sequences: if is_large { 16 } else { 128 },
            playouts: 1,
            most_steps: 200,
            ..Sampling::default()
        };
        let sample = draw(game, &sampling, SEED, &Budget::default());
        let terms = |state: &State| -> Vec<Term> {
            let names = state.fluents().map(|fluent| game.vocabulary().fluent_name(fluent));
            names.map(|named| named.term.clone()).collect()
        };
        Seen {
            sequences: (sample.sequences.iter())
                .map(|sequence| sequence.states.iter().map(terms).collect())
                .collect(),
        }
    }

    fn rows<'t>(state: &'t [Term], kind: FluentKind) -> Rows<'t> {
        let rows = state.iter().filter_map(Term::parts);
        rows.filter(|(other, _)| *other == kind).map(|(_, args)| args).collect()
    }

    /// Returns what a kind of fluents is, if anything.
    fn structure(&self, kind: FluentKind, structures: &Structures) -> Option<Structure> {
        let inputs = self.inputs(kind)?;
        let is_ordered = |argument: usize| structures.order_of(kind, argument).is_some();
        let ordered = |of_inputs: bool| -> Vec<usize> {
            let arguments = 0..kind.1;
            arguments
                .filter(|argument| inputs.contains(argument) == of_inputs && is_ordered(*argument))
                .collect()
        };
        match (ordered(false), ordered(true)) {
            (outputs, _) if !outputs.is_empty() => Some(Structure::Quantity(outputs)),
            (_, coordinates) if !coordinates.is_empty() => Some(Structure::Board(coordinates)),
            _ => None,
        }
    }

    /// Returns the fewest arguments that determine the others, in all sampled states; `None` if only all do.
    fn inputs(&self, kind: FluentKind) -> Option<Vec<usize>> {
        if kind.1 > MOST_ARGUMENTS {
            return None;
        }
        let mut sets: Vec<u32> = (0..(1u32 << kind.1) - 1).collect();
        sets.sort_by_key(|set| set.count_ones());
        let states = || self.sequences.iter().flatten();
        let is_key = |set: u32| {
            states().all(|state| {
                let mut known: HashSet<Vec<&Term>, FixedState> = HashSet::default();
                let chosen =
                    |row: &[Term]| -> Vec<usize> { (0..row.len()).filter(|place| set >> place & 1 == 1).collect() };
                let mut rows = Self::rows(state, kind).into_iter();
                rows.all(|row| known.insert(chosen(row).into_iter().map(|place| &row[place]).collect()))
            })
        };
        let set = sets.into_iter().find(|&set| is_key(set))?;
        Some((0..kind.1).filter(|place| set >> place & 1 == 1).collect())
    }

    /// Returns whether distances say something about a fluent: on a board only if what stands there moves.
    fn applies(&self, structure: &Structure, target: &Term) -> bool {
        let (Structure::Board(coordinates), Some((kind, args))) = (structure, target.parts()) else {
            return true;
        };
        let is_same = |row: &&[Term]| {
            let mut places = (0..args.len()).filter(|place| !coordinates.contains(place));
            places.all(|place| row[place] == args[place])
        };
        let (mut came, mut moved) = (0, 0);
        for pair in self.sequences.iter().flat_map(|sequence| sequence.windows(2)) {
            let [before, after] = [0, 1]
                .map(|number| -> Rows<'_> { Self::rows(&pair[number], kind).into_iter().filter(is_same).collect() });
            let new = after.iter().filter(|row| !before.contains(row)).count();
            let gone = before.iter().filter(|row| !after.contains(row)).count();
            came += new;
            moved += new.min(gone);
        }
        came > 0 && moved as f64 >= MOVES * f64::from(came as u32)
    }
}

/// Returns what kinds of fluents are found to be, with the names of the kinds, for people.
pub fn structures(game: &Game) -> Vec<(String, Structure)> {
    let Some(circuit) = game.engine().circuit() else {
        return Vec::new();
    };
    let all: Vec<Fluent> = (0..circuit.program.names.fluents.len() as u32).map(Fluent).collect();
    let structures = Structures::new(game, &all);
    let seen = Seen::new(game);
    let mut names: HashMap<FluentKind, String, FixedState> = HashMap::default();
    let mut kinds = Vec::new();
    for named in &circuit.program.names.fluents {
        if let Some((kind, _)) = named.term.parts()
            && names
                .insert(kind, game.vocabulary().symbols().name(kind.0).to_string())
                .is_none()
        {
            kinds.push(kind);
        }
    }
    let found = kinds.into_iter().filter_map(|kind| {
        let structure = seen.structure(kind, &structures)?;
        Some((names[&kind].clone(), structure))
    });
    found.collect()
}
