//! Action heuristics by regression of goals (Trutman and Schiffel, "Creating action heuristics for general game playing
//! agents", 2015).
//!
//! The condition of a role's best goal is regressed by one step: what must hold now, and be done, for the goal to hold
//! next. For every move of the role that gives a formula over the present state alone: the move itself is put in as
//! done and all others of the role as not done; what the other roles do is known where they can only wait (`turns`),
//! else it is unknown. The formulas are simplified and evaluated by degrees: a fluent that holds is nearly true, one
//! that does not is nearly false, unless it is proved to stay so. A move that completes a part of the condition raises
//! its degree, and one that fulfils it brings it near 1.
//!
//! Everything is built before a match from the ground program ([`MoveHeuristic::build`]) and then costs only the
//! evaluation: no move has to be made.

mod build;
mod turns;
mod why;

use crate::rules::formula::{Atom, Formula, Formulas, Graph, LaneDegrees, Norm, TooLarge};
use ludens_analysis::{Persistence, Verdict};
use ludens_budget::Budget;
use ludens_engine::knowledge::Advisor;
use ludens_engine::{Fluent, Game, LANES, Lanes, MoveId, Role, State};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use turns::Turns;

/// Settings of the heuristic. Every choice that the paper leaves open is a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The degree of a fluent that holds; one that does not has the rest to 1.
    pub certainty: f32,
    /// The degree of unknowns, as the moves of others who choose at the same time.
    pub unknown: f32,
    /// How degrees are joined.
    pub norm: Norm,
    /// Which goals are regressed.
    pub goals: Goals,
    /// Whether fluents that are proved to keep their value count as certain.
    pub persistence: bool,
    /// How often propositions that depend on themselves are unrolled.
    pub unrolled: usize,
    /// Maximum number of parts of formulas.
    pub most_parts: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            certainty: 0.97,
            unknown: 0.5,
            norm: Norm::Product,
            goals: Goals::Best,
            persistence: true,
            unrolled: 4,
            most_parts: 4_000_000,
        }
    }
}

/// Which goals of a role are regressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goals {
    /// The greatest that can be reached.
    Best,
    /// All, each counted by its value.
    All,
}

/// Why there is no heuristic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Only compiled games have a ground program.
    #[error("the game is not compiled: {0}")]
    NotCompiled(String),
    /// The formulas explode, or the time is over.
    #[error("{0}")]
    TooLarge(#[from] TooLarge),
    /// The role has no goal above 0 that can be reached.
    #[error("{0} has no goal that could be reached")]
    NoGoal(String),
}

/// Formulas for the moves of one role.
struct RoleMoves {
    graph: Graph,
    /// For each goal that is regressed its share in the value.
    shares: Vec<f32>,
    /// For each move the number of its first output; the others, one for each goal, follow.
    outputs: Vec<u32>,
    /// The same as formulas of the store.
    formulas: Vec<Formula>,
}

/// The regressed goals of all moves. Shared between threads.
pub struct MoveHeuristic {
    game: Game,
    options: Options,
    store: Formulas,
    roles: Vec<Option<RoleMoves>>,
    turns: Turns,
    persistence: Option<Arc<Persistence>>,
    /// For each fluent its degree if it does not hold and if it does.
    degrees: Vec<[f32; 2]>,
}

/// Sizes of a heuristic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Formulas that are evaluated, and their parts.
    pub steps: usize,
    /// Parts of these formulas.
    pub operands: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// Different formulas for moves of the same role: where there is only one, all moves look alike.
    pub different: usize,
}

impl MoveHeuristic {
    /// Builds the formulas for all roles but chance.
    pub fn build(game: &Game, options: &Options, budget: &Budget) -> Result<MoveHeuristic, Failure> {
        let Some(circuit) = game.engine().circuit() else {
            let cause = game.fallback().unwrap_or("the interpreter was asked for");
            return Err(Failure::NotCompiled(cause.to_string()));
        };
        let turns = Turns::observe(game, budget);
        let mut store = Formulas::within(options.most_parts, budget);
        let mut builder = build::Builder::new(game, circuit, options, &turns);
        let mut roles = Vec::new();
        for role in game.roles() {
            let moves = match game.is_random(role) {
                true => None,
                false => Some(builder.role(&mut store, role)?),
            };
            roles.push(moves);
        }
        let persistence = match options.persistence {
            true => proved(game, budget),
            false => None,
        };
        Ok(MoveHeuristic {
            degrees: degrees(
                circuit.program.names.fluents.len(),
                options.certainty,
                persistence.as_deref(),
            ),
            persistence,
            game: game.clone(),
            options: *options,
            store,
            roles,
            turns,
        })
    }

    /// Returns who waits while others choose.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Returns which fluents keep their values, if that was asked for.
    pub fn persistence(&self) -> Option<&Persistence> {
        self.persistence.as_deref()
    }

    /// Returns its size.
    pub fn size(&self) -> Size {
        let mut size = Size::default();
        for role in self.roles.iter().flatten() {
            size.steps += role.graph.nodes.len();
            size.operands += role.graph.operands.len();
            size.moves += role.outputs.len();
            let mut formulas: Vec<&[Formula]> = role.formulas.chunks(role.shares.len().max(1)).collect();
            formulas.sort_unstable();
            formulas.dedup();
            size.different += formulas.len();
        }
        size
    }

    /// Returns the formula for a move as text, cut off after `most` characters; `None` for chance and unknown moves.
    pub fn text(&self, role: Role, MoveId(number): MoveId, most: usize) -> Option<String> {
        let moves = self.roles.get(role.index())?.as_ref()?;
        let first = *moves.outputs.get(number as usize)? as usize;
        // The greatest goal comes first.
        Some(self.store.text(moves.formulas[first], &self.game, most))
    }

    /// Writes the degree, from 0 to 1, to which each of these moves of a role brings its goal about. Use one `lanes`
    /// per role.
    pub fn evaluate(
        &self,
        state: &State,
        role: Role,
        moves: &[MoveId],
        lanes: &mut LaneDegrees<1>,
        degrees: &mut [f32],
    ) {
        let leaf = |atom: Atom| match atom {
            Atom::Fluent(fluent) => [self.degree(fluent, state.holds(fluent))],
            // Formulas of moves have only fluents left.
            Atom::Move(..) | Atom::Proposition(_) => [self.options.unknown],
        };
        self.evaluate_lanes(role, moves, lanes, leaf, |place, degree: &[f32; 1]| {
            degrees[place] = degree[0]
        });
    }

    /// Writes the expected goals, from 0 to 100, of moves in the first `N` lanes.
    fn evaluate_packed<const N: usize>(
        &self,
        lanes: &Lanes<'_>,
        role: Role,
        moves: &[MoveId],
        buffer: &mut LaneDegrees<N>,
        goals: &mut [[f32; LANES]],
    ) {
        let leaf = |atom: Atom| match atom {
            Atom::Fluent(fluent) => {
                let (bits, [without, with]) = (lanes.holds(fluent), self.degrees[fluent.0 as usize]);
                // Halves, so that a lane takes as much room in a vector as its degree.
                let halves = [bits as u32, (bits >> 32) as u32];
                std::array::from_fn(|lane| match halves[lane / 32] >> (lane % 32) & 1 {
                    0 => without,
                    _ => with,
                })
            }
            Atom::Move(..) | Atom::Proposition(_) => [self.options.unknown; N],
        };
        self.evaluate_lanes(role, moves, buffer, leaf, |place, degrees: &[f32; N]| {
            goals[place][..N].copy_from_slice(&degrees.map(|degree| 100.0 * degree));
        });
    }

    /// Returns the degree of a fluent that holds or not.
    pub fn degree(&self, Fluent(number): Fluent, holds: bool) -> f32 {
        self.degrees
            .get(number as usize)
            .map_or(0.0, |degrees| degrees[usize::from(holds)])
    }

    fn evaluate_lanes<const N: usize>(
        &self,
        role: Role,
        moves: &[MoveId],
        lanes: &mut LaneDegrees<N>,
        leaf: impl FnMut(Atom) -> [f32; N],
        mut tell: impl FnMut(usize, &[f32; N]),
    ) {
        let Some(known) = self.roles.get(role.index()).and_then(Option::as_ref) else {
            (0..moves.len()).for_each(|place| tell(place, &[0.0; N]));
            return;
        };
        let goals = known.shares.len();
        let first = |move_id: &MoveId| known.outputs.get(move_id.0 as usize).map(|&first| first as usize);
        let wanted = moves.iter().filter_map(first).flat_map(|first| first..first + goals);
        known
            .graph
            .degrees(wanted, self.options.norm, self.options.unknown, lanes, leaf);
        for (place, move_id) in moves.iter().enumerate() {
            match (first(move_id), goals) {
                (None, _) => tell(place, &[0.0; N]),
                (Some(first), 1) => tell(place, known.graph.output(first, lanes)),
                (Some(first), _) => {
                    let mut sum = [0.0; N];
                    for (number, share) in known.shares.iter().enumerate() {
                        let degrees = known.graph.output(first + number, lanes);
                        sum.iter_mut()
                            .zip(degrees)
                            .for_each(|(sum, degree)| *sum += share * degree);
                    }
                    tell(place, &sum);
                }
            }
        }
    }
}

/// Proofs that were made for a game. They take longer than all else, so they are kept with it.
struct Proofs {
    known: Arc<Persistence>,
    /// The time they had, if it was over before the last of them.
    cut_after: Option<Duration>,
}

/// Returns which fluents keep their values. Proofs that were cut off are made again if there is much more time now.
fn proved(game: &Game, budget: &Budget) -> Option<Arc<Persistence>> {
    let time = proof_time(budget);
    if let Some(proofs) = game.kept::<Proofs>()
        && proofs
            .cut_after
            .is_none_or(|had| time.is_some_and(|time| time < 2 * had))
    {
        return Some(proofs.known.clone());
    }
    let within = time.map_or_else(|| budget.clone(), |time| budget.within(time));
    let known = Arc::new(ludens_analysis::persistence(game, &within)?);
    if !within.is_cancelled() {
        game.keep(Proofs {
            known: known.clone(),
            cut_after: time.filter(|_| within.is_spent()),
        });
    }
    Some(known)
}

/// Returns the time that proofs about fluents may take, if there is a clock: formulas are useful without them. Without
/// a clock, proofs count their steps.
fn proof_time(budget: &Budget) -> Option<Duration> {
    let left = budget.deadline()?.saturating_duration_since(Instant::now());
    Some((left / 2).min(LONGEST_PROOF))
}

/// The longest time for that.
const LONGEST_PROOF: Duration = Duration::from_secs(5);

/// Returns the degrees of all fluents, by value.
fn degrees(fluents: usize, certainty: f32, persistence: Option<&Persistence>) -> Vec<[f32; 2]> {
    let stays =
        |number: u32, value: bool| persistence.is_some_and(|known| known.stays(Fluent(number), value) == Verdict::Yes);
    (0..fluents as u32)
        .map(|number| {
            [
                if stays(number, false) { 0.0 } else { 1.0 - certainty },
                if stays(number, true) { 1.0 } else { certainty },
            ]
        })
        .collect()
}

/// The heuristic as an advisor, for one thread.
pub struct Regressed {
    heuristic: Arc<MoveHeuristic>,
    /// Room for one state and for many, by role.
    lanes: Vec<LaneDegrees<1>>,
    packed: Vec<DegreesBySize>,
}

/// Buffers for states side by side. A young search has few playouts in flight, in the first lanes, and most of the work
/// for all lanes would be wasted.
#[derive(Clone, Default)]
struct DegreesBySize {
    few: LaneDegrees<8>,
    some: LaneDegrees<24>,
    all: LaneDegrees<LANES>,
}

impl Regressed {
    /// Creates the advisor.
    pub fn new(heuristic: Arc<MoveHeuristic>) -> Regressed {
        Regressed {
            lanes: vec![LaneDegrees::default(); heuristic.roles.len()],
            packed: vec![DegreesBySize::default(); heuristic.roles.len()],
            heuristic,
        }
    }
}

impl Advisor for Regressed {
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]) {
        self.heuristic
            .evaluate(state, role, legal, &mut self.lanes[role.index()], goals);
        goals.iter_mut().for_each(|goal| *goal *= 100.0);
    }

    fn supports_lanes(&self) -> bool {
        true
    }

    fn advise_lanes(&mut self, lanes: &Lanes<'_>, role: Role, moves: &[MoveId], goals: &mut [[f32; LANES]]) {
        let room = &mut self.packed[role.index()];
        match u64::BITS - lanes.active().leading_zeros() {
            0..=8 => self.heuristic.evaluate_packed(lanes, role, moves, &mut room.few, goals),
            9..=24 => self
                .heuristic
                .evaluate_packed(lanes, role, moves, &mut room.some, goals),
            _ => self.heuristic.evaluate_packed(lanes, role, moves, &mut room.all, goals),
        }
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(Regressed::new(self.heuristic.clone()))
    }
}

#[cfg(test)]
mod tests;
