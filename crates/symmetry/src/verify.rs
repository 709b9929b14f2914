//! Whether a bijection of points maps the functions of one model onto those of another: first by trial, then by proof.
//!
//! Trials compare all functions in 256 assignments at once and reject nearly every wrong candidate. Functions that are
//! built alike need no proof; the rest is proved by `prove`. An assignment that a proof finds for a difference joins the
//! trials.

use crate::graph::mix;
use crate::lanes::{Cone, Word};
use crate::model::{Kind, Lit, Model, Node};
use crate::prove::{Proof, equal};
use crate::search::Accept;
use crate::weights::{near, random_word};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::Rng;
use ludens_ground::Role;

/// Random trials at the start.
const TRIALS: u64 = 12;
/// Trials that proofs add.
const MOST_TRIALS: usize = 64;

/// Values of all points of the first model, and of its functions.
struct Trial {
    points: Vec<Word>,
    results: Vec<Word>,
}

pub(crate) struct Verifier<'a> {
    from: &'a Model,
    to: &'a Model,
    /// The vertices that stand for the functions of the models, in the graphs that candidates come from.
    owners: (&'a [u32], HashMap<u32, u32, FixedState>),
    /// All functions of each model.
    whole: (Cone, Cone),
    trials: Vec<Trial>,
    /// The conjunctions of the first model, and the nodes of its inputs by point.
    nodes: HashMap<&'a [Lit], u32, FixedState>,
    inputs: Vec<u32>,
    budget: &'a Budget,
    /// Calls of the solver or of tables, for reports and tests.
    pub(crate) proofs: u64,
}

impl<'a> Verifier<'a> {
    pub(crate) fn new(from: (&'a Model, &'a [u32]), to: (&'a Model, &'a [u32]), budget: &'a Budget) -> Verifier<'a> {
        let roots = |model: &Model| -> Vec<Lit> { model.functions.iter().map(|function| function.lit).collect() };
        let mut nodes: HashMap<&[Lit], u32, FixedState> = HashMap::default();
        let mut inputs = vec![0; from.0.points.len()];
        for (number, node) in from.0.nodes.iter().enumerate() {
            match node {
                Node::And(lits) => drop(nodes.insert(lits, number as u32)),
                Node::Input(point) => inputs[*point as usize] = number as u32,
                Node::Never | Node::Latch => {}
            }
        }
        let numbered = to.1.iter().enumerate();
        let mut verifier = Verifier {
            owners: (
                from.1,
                numbered.map(|(number, &vertex)| (vertex, number as u32)).collect(),
            ),
            whole: (Cone::new(from.0, &roots(from.0)), Cone::new(to.0, &roots(to.0))),
            from: from.0,
            to: to.0,
            trials: Vec::new(),
            nodes,
            inputs,
            budget,
            proofs: 0,
        };
        let mut rng = Rng::with_seed(2);
        for round in 0..TRIALS {
            let points = (0..verifier.from.points.len()).map(|_| random_word(&mut rng, round));
            let points = points.collect();
            verifier.add_trial(points);
        }
        verifier
    }

    fn add_trial(&mut self, points: Vec<Word>) {
        let cone = &self.whole.0;
        let mut values = cone.shape.values();
        for (number, &point) in cone.inputs.iter().enumerate() {
            values[1 + number] = points[point as usize];
        }
        cone.shape.compute(&mut values);
        let results = (0..cone.shape.roots.len()).map(|root| cone.shape.root(&values, root));
        let results = results.collect();
        self.trials.push(Trial { points, results });
    }

    /// Whether a bijection of vertices, whose first ones are the points, maps the functions onto each other.
    pub(crate) fn accept(&mut self, images: &[u32]) -> Accept {
        let Some(pairs) = self.pairs(images) else {
            return Accept::No;
        };
        let mut back = vec![0; self.from.points.len()];
        for (point, &image) in images[..back.len()].iter().enumerate() {
            back[image as usize] = point as u32;
        }
        if !self.trials.iter().all(|trial| self.passes(trial, &back, &pairs)) {
            return Accept::No;
        }
        self.prove(&back, &pairs)
    }

    /// For each function of the first model that of the second, if all correspond.
    fn pairs(&self, images: &[u32]) -> Option<Vec<u32>> {
        let (owners, functions) = &self.owners;
        let pair = |(number, &owner): (usize, &u32)| {
            let other = *functions.get(&images[owner as usize])?;
            let is_image = |role: Role, other: Role| images[role.index()] == u32::from(other.0);
            let fits = match (self.from.functions[number].kind, self.to.functions[other as usize].kind) {
                (Kind::Goal(role, value), Kind::Goal(other, its)) => value == its && is_image(role, other),
                (Kind::Percept(role), Kind::Percept(other)) => is_image(role, other),
                (ours, theirs) => std::mem::discriminant(&ours) == std::mem::discriminant(&theirs),
            };
            fits.then_some(other)
        };
        owners.iter().enumerate().map(pair).collect()
    }

    fn passes(&self, trial: &Trial, back: &[u32], pairs: &[u32]) -> bool {
        let cone = &self.whole.1;
        let mut values = cone.shape.values();
        for (number, &point) in cone.inputs.iter().enumerate() {
            values[1 + number] = trial.points[back[point as usize] as usize];
        }
        cone.shape.compute(&mut values);
        let mut numbered = pairs.iter().enumerate();
        numbered.all(|(number, &other)| trial.results[number] == cone.shape.root(&values, other as usize))
    }

    fn prove(&mut self, back: &[u32], pairs: &[u32]) -> Accept {
        let same = self.translated(back);
        let mut answer = Accept::Yes;
        for (number, &other) in pairs.iter().enumerate() {
            let (ours, theirs) = (self.from.functions[number].lit, self.to.functions[other as usize].lit);
            if same[(theirs >> 1) as usize].is_some_and(|lit| lit ^ (theirs & 1) == ours) {
                continue;
            }
            if self.budget.is_spent() {
                return Accept::Undecided;
            }
            let (first, second) = (Cone::new(self.from, &[ours]), Cone::new(self.to, &[theirs]));
            let mut points = first.inputs.clone();
            let place = |point: &u32| {
                let point = back[*point as usize];
                points.iter().position(|&other| other == point).unwrap_or_else(|| {
                    points.push(point);
                    points.len() - 1
                })
            };
            let places: Vec<usize> = second.inputs.iter().map(place).collect();
            self.proofs += 1;
            match equal(&first.shape, &second.shape, &places, self.budget) {
                Proof::Equal => {}
                Proof::Undecided => answer = Accept::Undecided,
                Proof::Differ(values) => {
                    self.remember(&points, &values);
                    return Accept::No;
                }
            }
        }
        answer
    }

    /// Adds an assignment and its neighbourhood to the trials.
    fn remember(&mut self, points: &[u32], values: &[bool]) {
        if self.trials.len() >= MOST_TRIALS {
            return;
        }
        let mut rng = Rng::with_seed(mix(3, self.trials.len() as u64));
        let mut assignment = vec![false; self.from.points.len()];
        for (&point, &value) in points.iter().zip(values) {
            assignment[point as usize] = value;
        }
        let words = near(&assignment, &mut rng);
        self.add_trial(words);
    }

    /// For each node of the second model the literal of the first that is built alike, if there is one.
    fn translated(&self, back: &[u32]) -> Vec<Option<Lit>> {
        let mut same: Vec<Option<Lit>> = Vec::with_capacity(self.to.nodes.len());
        let mut lits: Vec<Lit> = Vec::new();
        for node in &self.to.nodes {
            let lit = match node {
                Node::Never => Some(0),
                Node::Input(point) => Some(self.inputs[back[*point as usize] as usize] << 1),
                Node::Latch => None,
                Node::And(conditions) => {
                    lits.clear();
                    let translated = conditions.iter();
                    lits.extend(translated.map_while(|&lit| same[(lit >> 1) as usize].map(|other| other ^ (lit & 1))));
                    lits.sort_unstable();
                    match lits.len() == conditions.len() {
                        true => self.nodes.get(&lits[..]).map(|number| number << 1),
                        false => None,
                    }
                }
            };
            same.push(lit);
        }
        same
    }
}
