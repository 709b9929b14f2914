//! Finding the symmetries of a game: the and/or graph first, then the weighted graph with proofs.

use crate::graph::{self, Graph, Profile, Sketch, mix};
use crate::group::{Group, Permutation};
use crate::lanes::Cone;
use crate::mapping::Frame;
use crate::model::Model;
use crate::refine::{Partition, Scratch};
use crate::search::{Accept, Automorphisms, automorphisms};
use crate::symmetries::{Completeness, Symmetries};
use crate::verify::Verifier;
use crate::weights::{CloserCounts, MOST_PAIRED, Weights, weigh};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Circuit, Game};
use std::sync::Arc;

/// Programs with more conditions are not looked at.
const MOST_INSTANCES: usize = 2_000_000;
/// Pairs of inputs that get an edge of the weighted graph.
const MOST_PAIRS: usize = 4_000_000;

/// Which permutations count as symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Those that keep the rules and the initial state. They map matches to matches.
    Game,
    /// Those that keep the rules. They keep the values of states and the distances between them.
    Rules,
}

/// Invariants of the functions of a game that the search for permutations uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Every conjunction: each permutation found is a symmetry, but symmetries of rules that are written differently are
    /// missed.
    AndOr,
    /// The inputs of each function only: all symmetries are among the permutations, and many others.
    Opaque,
    /// Inputs with exact counts: all symmetries are among the permutations, and few others.
    Weighted,
}

/// A graph of a game and the group of its automorphisms, restricted to roles, fluents and moves.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of ground rules: functions, roles and initial fluents.
    pub rules: usize,
    /// The group.
    pub group: Group,
}

/// Returns the automorphisms of a graph of a game, not all of which need be symmetries; `None` if the game is not compiled
/// or the budget is spent before.
pub fn candidates(game: &Game, kind: Kind, detail: Detail, budget: &Budget) -> Option<Candidates> {
    let model = model(game).ok()?.0;
    let keep = kind == Kind::Game;
    let graph = match detail {
        Detail::AndOr => graph::and_or(&model, keep),
        Detail::Opaque => opaque(&model, keep),
        Detail::Weighted => weighted(&model, &weigh(&model, budget)?, keep, budget)?.0,
    };
    let found = automorphisms(&graph, &[], &[], &mut |images| is_automorphism(&graph, images), budget);
    let group = group_of(&model, &found, &[], budget)?;
    found.incomplete.is_none().then(|| Candidates {
        vertices: graph.len(),
        edges: graph.edges(),
        rules: model.rules(),
        group,
    })
}

fn is_automorphism(graph: &Graph, images: &[u32]) -> Accept {
    match graph.is_mapped(graph, images) {
        true => Accept::Yes,
        false => Accept::No,
    }
}

/// The model of a compiled game, and its frame; why there is none if not.
pub(crate) fn model(game: &Game) -> Result<(Model, Arc<Frame>), &'static str> {
    let Some(circuit) = game.engine().circuit() else {
        return Err("the game is not compiled");
    };
    if circuit.program.instances() > MOST_INSTANCES {
        return Err("the ground program is too large");
    }
    let model = model_of(game, circuit);
    let frame = Frame::new(circuit, model.points.clone());
    Ok((model, Arc::new(frame)))
}

fn model_of(game: &Game, circuit: &Circuit) -> Model {
    let is_random = game.roles().map(|role| game.is_random(role)).collect();
    Model::new(&circuit.program, &circuit.constant_fluents, is_random)
}

/// Finds the symmetries of a game, as far as the budget goes. The result says whether it is complete.
///
/// A complete result is kept on the game and returned again.
pub fn symmetries(game: &Game, kind: Kind, budget: &Budget) -> Arc<Symmetries> {
    let kept = game.kept::<Kept>();
    let of_kind = |kept: &Kept| match kind {
        Kind::Game => kept.game.clone(),
        Kind::Rules => kept.rules.clone(),
    };
    if let Some(known) = kept.as_deref().and_then(of_kind) {
        return known;
    }
    let found = Arc::new(find(game, kind, budget));
    if found.completeness() == Completeness::All {
        let mut kept = kept.map_or_else(Kept::default, |kept| Kept::clone(&kept));
        match kind {
            Kind::Game => kept.game = Some(found.clone()),
            Kind::Rules => kept.rules = Some(found.clone()),
        }
        game.keep(kept);
    }
    found
}

/// What is kept on a game.
#[derive(Clone, Default)]
struct Kept {
    game: Option<Arc<Symmetries>>,
    rules: Option<Arc<Symmetries>>,
}

fn find(game: &Game, kind: Kind, budget: &Budget) -> Symmetries {
    let (model, frame) = match model(game) {
        Ok(made) => made,
        Err(cause) => return Symmetries::unknown(kind, cause),
    };
    let keep = kind == Kind::Game;
    let alike = graph::and_or(&model, keep);
    let first = automorphisms(&alike, &[], &[], &mut |images| is_automorphism(&alike, images), budget);
    drop(alike);
    let points = model.points.len();
    let known: Vec<Permutation> = restricted(&first.generators, points);
    let at_least = |found: &Automorphisms, known: &[Permutation], cause: &'static str| {
        let group = group_of(&model, found, known, &budget.extended(GRACE));
        let group = group.unwrap_or_else(|| Group::trivial(points));
        Symmetries::new(frame.clone(), group, kind, Completeness::AtLeast, Some(cause))
    };
    if let Some(cause) = first.incomplete {
        return at_least(&first, &[], cause);
    }
    let late = || at_least(&first, &[], "the time was over");
    let Some(weights) = weigh(&model, budget) else {
        return late();
    };
    let Some((graph, owners)) = weighted(&model, &weights, keep, budget) else {
        return late();
    };
    let mut verifier = Verifier::new((&model, &owners), (&model, &owners), budget);
    let second = automorphisms(
        &graph,
        &first.base,
        &known,
        &mut |images| verifier.accept(images),
        budget,
    );
    let found = match second.incomplete {
        Some(cause) => at_least(&second, &known, cause),
        None if !weights.is_certain => at_least(&second, &known, "a proof was not finished"),
        None => {
            let mut generators = known;
            generators.extend(restricted(&second.generators, points));
            let group = Group::strong(points, second.base, generators);
            Symmetries::new(frame.clone(), group, kind, Completeness::All, None)
        }
    };
    found.with_fingerprint(keep.then(|| trace(&weights, &graph)).flatten())
}

/// The trace of the weighted graph, if it is an invariant.
fn trace(weights: &Weights, graph: &Graph) -> Option<u64> {
    let trace = Partition::new(graph, &mut Scratch::default()).trace;
    weights.is_certain.then_some(trace)
}

/// Time beyond the deadline for the order of a group whose generators are known.
const GRACE: std::time::Duration = std::time::Duration::from_millis(500);

fn restricted(generators: &[Permutation], points: usize) -> Vec<Permutation> {
    let restricted = generators.iter().map(|generator| generator[..points].to_vec());
    restricted.collect()
}

/// The group of what was found.
fn group_of(model: &Model, found: &Automorphisms, known: &[Permutation], budget: &Budget) -> Option<Group> {
    let points = model.points.len();
    let mut generators = known.to_vec();
    generators.extend(restricted(&found.generators, points));
    match found.incomplete {
        None => Some(Group::strong(points, found.base.clone(), generators)),
        Some(_) => Group::generated(points, generators, budget),
    }
}

/// The opaque graph, by the inputs that rules mention.
fn opaque(model: &Model, keep_initial: bool) -> Graph {
    let cones = model.functions.iter().map(|function| Cone::new(model, &[function.lit]));
    let inputs: Vec<Vec<u32>> = cones.map(|cone| cone.inputs).collect();
    let profiles: Vec<Profile<'_>> = inputs
        .iter()
        .map(|inputs| Profile {
            inputs,
            total: 0,
            first: &[],
        })
        .collect();
    graph::of_profiles(model, keep_initial, &profiles).0.finish()
}

/// The weighted graph, with the vertex of each function; `None` if the budget is spent before.
pub(crate) fn weighted(
    model: &Model,
    weights: &Weights,
    keep_initial: bool,
    budget: &Budget,
) -> Option<(Graph, Vec<u32>)> {
    let profiles: Vec<Profile<'_>> = weights
        .inputs
        .iter()
        .zip(&weights.counts)
        .map(|(inputs, counts)| Profile {
            inputs,
            total: counts.total,
            first: &counts.first,
        })
        .collect();
    let (mut sketch, owners) = graph::of_profiles(model, keep_initial, &profiles);
    let graph = sketch.finish();
    let partition = Partition::new(&graph, &mut Scratch::default());
    if partition.open_points == 0 {
        return Some((graph, owners));
    }
    add_closer(&mut sketch, model, weights, &owners, &partition, budget)?;
    Some((sketch.finish(), owners))
}

/// Adds closer counts for points that a partition leaves open: for each function and input, and for pairs of points those
/// of all functions that depend on both.
fn add_closer(
    sketch: &mut Sketch,
    model: &Model,
    weights: &Weights,
    owners: &[u32],
    partition: &Partition,
    budget: &Budget,
) -> Option<()> {
    let is_open = |point: u32| partition.members(partition.cell_of(point)).len() > 1;
    let is_paired =
        |inputs: &Vec<u32>| inputs.len() <= MOST_PAIRED && inputs.iter().filter(|&&point| is_open(point)).count() > 1;
    let paired: Vec<usize> = (0..owners.len())
        .filter(|&number| is_paired(&weights.inputs[number]))
        .collect();
    let sizes = paired.iter().map(|&number| weights.inputs[number].len().pow(2) / 2);
    if sizes.sum::<usize>() > MOST_PAIRS {
        return Some(());
    }
    let mut sums: HashMap<(u32, u32), u64, FixedState> = HashMap::default();
    let mut counts = CloserCounts::default();
    for number in paired {
        let (function, inputs) = (&model.functions[number], &weights.inputs[number]);
        let shape = Cone::new(model, &[function.lit]).shape;
        let closer = counts.of(&shape, &weights.counts[number], budget)?;
        let colour = mix(
            partition.cell_of(owners[number]).into(),
            graph::kind_number(function.kind),
        );
        let mut pair = 0;
        for (place, &x) in inputs.iter().enumerate() {
            sketch.edge(owners[number], x, mix(colour, closer.first[place]));
            for (&y, &count) in inputs[..place].iter().zip(&closer.second[pair..]) {
                if is_open(x) && is_open(y) {
                    let sum = sums.entry((x.min(y), x.max(y))).or_default();
                    *sum = sum.wrapping_add(mix(colour, count));
                }
            }
            pair += place;
        }
    }
    let mut sums: Vec<((u32, u32), u64)> = sums.into_iter().collect();
    sums.sort_unstable();
    for ((x, y), sum) in sums {
        sketch.edge(x, y, sum);
        sketch.edge(y, x, sum);
    }
    Some(())
}

/// Returns a number that equivalent games share, by the stable colours of the weighted graph; `None` if the game is not
/// compiled or the budget is spent before.
pub fn fingerprint(game: &Game, budget: &Budget) -> Option<u64> {
    let model = model(game).ok()?.0;
    let weights = weigh(&model, budget)?;
    let (graph, _) = weighted(&model, &weights, true, budget)?;
    trace(&weights, &graph)
}
