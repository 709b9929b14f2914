//! Isomorphisms and automorphisms of coloured graphs, by individualisation and refinement.
//!
//! One path of the search tree gives a *base*: points that, fixed one after the other, leave no point undecided. For
//! groups, each level of the path asks where its base point can go while those before stay; points in an orbit that is
//! known already, or known to fail, are skipped. So a group is found by few generators, and its order is the product of
//! the orbits (Schreier's chain of stabilisers). A bijection counts only if `accept` says so.

use crate::graph::Graph;
use crate::refine::{Partition, Scratch};
use ludens_budget::Budget;

/// What is found out about a bijection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accept {
    /// It is a symmetry.
    Yes,
    /// It is none.
    No,
    /// That could not be decided.
    Undecided,
}

/// Refinements of one search, and bijections that are tried.
const MOST_REFINEMENTS: u64 = 100_000;
const MOST_BIJECTIONS: u64 = 4_000;
/// Vertices in all partitions of the path together.
const MOST_MEMORY: usize = 60_000_000;

/// A step of the path: a cell, and the vertex of it that is fixed.
struct Level {
    cell: u32,
    vertex: u32,
    trace: u64,
    /// The partition before the vertex is fixed.
    before: Partition,
}

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Automorphisms {
    /// The points of the path.
    pub(crate) base: Vec<u32>,
    /// Bijections of the vertices, which together with those known before generate what was found.
    pub(crate) generators: Vec<Vec<u32>>,
    /// Why there may be more, if there may.
    pub(crate) incomplete: Option<&'static str>,
}

pub(crate) struct Search<'a> {
    from: &'a Graph,
    to: &'a Graph,
    accept: &'a mut dyn FnMut(&[u32]) -> Accept,
    budget: &'a Budget,
    scratch: Scratch,
    levels: Vec<Level>,
    /// The order of vertices at the end of the path.
    leaf: Vec<u32>,
    refinements: u64,
    bijections: u64,
    incomplete: Option<&'static str>,
}

impl<'a> Search<'a> {
    fn new(
        from: &'a Graph,
        to: &'a Graph,
        accept: &'a mut dyn FnMut(&[u32]) -> Accept,
        budget: &'a Budget,
    ) -> Search<'a> {
        Search {
            from,
            to,
            accept,
            budget,
            scratch: Scratch::default(),
            levels: Vec::new(),
            leaf: Vec::new(),
            refinements: 0,
            bijections: 0,
            incomplete: None,
        }
    }

    /// Follows one path to the end, through these points first.
    fn descend(&mut self, mut partition: Partition, first: &[u32]) -> bool {
        let mut wanted = first.iter().copied();
        loop {
            let wanted = wanted.find(|&vertex| partition.members(partition.cell_of(vertex)).len() > 1);
            let smallest = || {
                partition
                    .smallest_open_cell(self.from)
                    .map(|cell| partition.members(cell)[0])
            };
            let Some(vertex) = wanted.or_else(smallest) else {
                break;
            };
            if self.is_over() {
                return false;
            }
            if self.levels.len() * self.from.len() > MOST_MEMORY {
                self.incomplete = Some("the search took too much memory");
                return false;
            }
            let before = partition.clone();
            let cell = partition.cell_of(vertex);
            self.refinements += 1;
            partition.individualise(self.from, vertex, &mut self.scratch);
            self.levels.push(Level {
                cell,
                vertex,
                trace: partition.trace,
                before,
            });
        }
        self.leaf = partition.order;
        true
    }

    /// Whether to give up.
    fn is_over(&mut self) -> bool {
        if self.incomplete.is_none() {
            self.incomplete = match () {
                _ if self.budget.is_spent() => Some("the time was over"),
                _ if self.refinements > MOST_REFINEMENTS => Some("the search took too many steps"),
                _ if self.bijections > MOST_BIJECTIONS => Some("too many permutations had to be tried"),
                _ => None,
            };
        }
        // What could not be decided does not end the search for others.
        matches!(self.incomplete, Some(cause) if cause != UNDECIDED)
    }

    /// Maps the path from some level on into a partition of the other graph.
    fn find(&mut self, level: usize, partition: Partition) -> Option<Vec<u32>> {
        if self.is_over() {
            return None;
        }
        let Some(next) = self.levels.get(level) else {
            return self.bijection(&partition);
        };
        let candidates = partition.members(next.cell).to_vec();
        candidates
            .into_iter()
            .find_map(|vertex| self.try_image(level, &partition, vertex))
    }

    /// The same if the vertex of the level goes to this one.
    fn try_image(&mut self, level: usize, partition: &Partition, vertex: u32) -> Option<Vec<u32>> {
        if self.is_over() {
            return None;
        }
        let mut partition = partition.clone();
        self.refinements += 1;
        partition.individualise(self.to, vertex, &mut self.scratch);
        match partition.trace == self.levels[level].trace {
            true => self.find(level + 1, partition),
            false => None,
        }
    }

    fn bijection(&mut self, partition: &Partition) -> Option<Vec<u32>> {
        self.bijections += 1;
        let mut images = vec![0; self.leaf.len()];
        for (&from, &to) in self.leaf.iter().zip(&partition.order) {
            images[from as usize] = to;
        }
        match (self.accept)(&images) {
            Accept::Yes => Some(images),
            Accept::No => None,
            Accept::Undecided => {
                self.incomplete.get_or_insert(UNDECIDED);
                None
            }
        }
    }
}

const UNDECIDED: &str = "a proof was not finished";

/// An isomorphism, or `None` and why there may be one nevertheless.
pub(crate) fn isomorphism(
    from: &Graph,
    to: &Graph,
    accept: &mut dyn FnMut(&[u32]) -> Accept,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, &'static str> {
    if from.len() != to.len() || from.points != to.points {
        return Ok(None);
    }
    let mut search = Search::new(from, to, accept, budget);
    let ours = Partition::new(from, &mut search.scratch);
    let theirs = Partition::new(to, &mut search.scratch);
    if ours.trace != theirs.trace {
        return Ok(None);
    }
    search.descend(ours, &[]);
    let found = search.find(0, theirs);
    match (found, search.incomplete) {
        (None, Some(cause)) => Err(cause),
        (found, _) => Ok(found),
    }
}

/// The group of accepted automorphisms. `known` are generators of a part of it, strong for `base`.
pub(crate) fn automorphisms(
    graph: &Graph,
    base: &[u32],
    known: &[Vec<u32>],
    accept: &mut dyn FnMut(&[u32]) -> Accept,
    budget: &Budget,
) -> Automorphisms {
    let mut search = Search::new(graph, graph, accept, budget);
    let root = Partition::new(graph, &mut search.scratch);
    let mut found = Automorphisms::default();
    if search.descend(root, base) {
        search.group(known, &mut found);
    }
    found.base = search.levels.iter().map(|level| level.vertex).collect();
    found.incomplete = search.incomplete;
    found
}

impl Search<'_> {
    /// Finds generators level by level, from the end of the path back.
    fn group(&mut self, known: &[Vec<u32>], found: &mut Automorphisms) {
        let mut orbits = Orbits::new(self.from.points);
        let base: Vec<u32> = self.levels.iter().map(|level| level.vertex).collect();
        for number in (0..base.len()).rev() {
            // Generators that fix the base up to here, but not this point, are new at this level.
            for generator in known.iter().filter(|generator| fixes(generator, &base[..number])) {
                orbits.join(generator);
            }
            let (cell, before) = (self.levels[number].cell, self.levels[number].before.clone());
            let mut failed: Vec<u32> = Vec::new();
            for &vertex in before.members(cell) {
                let orbit = orbits.of(vertex);
                if orbit == orbits.of(base[number]) || failed.iter().any(|&other| orbits.of(other) == orbit) {
                    continue;
                }
                match self.try_image(number, &before, vertex) {
                    Some(generator) => {
                        orbits.join(&generator);
                        found.generators.push(generator);
                    }
                    None => failed.push(vertex),
                }
                if self.is_over() {
                    return;
                }
            }
        }
    }
}

fn fixes(permutation: &[u32], points: &[u32]) -> bool {
    points.iter().all(|&point| permutation[point as usize] == point)
}

/// Sets of points that permutations map to each other.
pub(crate) struct Orbits(Vec<u32>);

impl Orbits {
    pub(crate) fn new(points: usize) -> Orbits {
        Orbits((0..points as u32).collect())
    }

    /// The point that names the orbit of another.
    pub(crate) fn of(&mut self, point: u32) -> u32 {
        let mut root = point;
        while self.0[root as usize] != root {
            self.0[root as usize] = self.0[self.0[root as usize] as usize];
            root = self.0[root as usize];
        }
        root
    }

    /// Joins the orbits of points that a permutation maps to each other.
    pub(crate) fn join(&mut self, permutation: &[u32]) {
        for point in 0..self.0.len() as u32 {
            let (a, b) = (self.of(point), self.of(permutation[point as usize]));
            self.0[a.max(b) as usize] = a.min(b);
        }
    }
}
