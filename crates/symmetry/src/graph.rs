//! Coloured graphs with labelled edges whose automorphisms are, or contain, the symmetries of a game.
//!
//! * The *and/or graph* has every conjunction as a vertex. Its automorphisms are symmetries, but it sees only rules that
//!   are written alike.
//! * The *opaque graph* knows of each function only which inputs it has. All symmetries are among its automorphisms, and
//!   usually many more permutations.
//! * The *weighted graph* is the opaque graph with exact counts of the functions (see `weights`), which do not depend on
//!   how a function is written either. Few of its automorphisms are no symmetries.
//!
//! The first vertices are the points of the model: roles, fluents, moves. A fluent stands for its next value too, a move
//! for its legality.

use crate::lanes::needed;
use crate::model::{FALSE, Function, Kind, Lit, Model, Node, TRUE};

/// Mixes two numbers into one, the same on every machine.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut bits = a
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(b ^ 0x243f_6a88_85a3_08d3);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Kinds of vertices and edges.
#[derive(Clone, Copy)]
enum Tag {
    Role,
    Chance,
    Fluent,
    Move,
    Goal,
    Terminal,
    Percept,
    Initial,
    Constant,
    And,
    Latch,
    MadeBy,
    HoldsFirst,
    Next,
    Legal,
    Value,
    Condition,
    Becomes,
    Input,
    Backward,
}

fn tag(tag: Tag, number: u64) -> u64 {
    mix(tag as u64 + 1, number)
}

/// A graph in which every edge is listed at both of its ends.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) colours: Vec<u64>,
    /// Number of points: vertices that symmetries are made of.
    pub(crate) points: usize,
    ends: Vec<u32>,
    targets: Vec<u32>,
    labels: Vec<u64>,
}

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.colours.len()
    }

    /// The neighbours of a vertex with the labels of the edges, each label telling the direction too.
    pub(crate) fn neighbours(&self, vertex: u32) -> impl Iterator<Item = (u32, u64)> {
        let start = match vertex {
            0 => 0,
            _ => self.ends[vertex as usize - 1] as usize,
        };
        let range = start..self.ends[vertex as usize] as usize;
        self.targets[range.clone()]
            .iter()
            .copied()
            .zip(self.labels[range].iter().copied())
    }

    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// Whether a bijection of vertices maps this graph onto another.
    pub(crate) fn is_mapped(&self, other: &Graph, images: &[u32]) -> bool {
        let mut ours: Vec<(u32, u64)> = Vec::new();
        let mut theirs: Vec<(u32, u64)> = Vec::new();
        (0..self.len() as u32).all(|vertex| {
            let image = images[vertex as usize];
            ours.clear();
            theirs.clear();
            ours.extend(
                self.neighbours(vertex)
                    .map(|(next, label)| (images[next as usize], label)),
            );
            theirs.extend(other.neighbours(image));
            ours.sort_unstable();
            theirs.sort_unstable();
            self.colours[vertex as usize] == other.colours[image as usize] && ours == theirs
        })
    }
}

/// A graph under construction.
pub(crate) struct Sketch {
    colours: Vec<u64>,
    points: usize,
    edges: Vec<(u32, u32, u64)>,
}

impl Sketch {
    /// The points of a model, and the vertex of the initial state if symmetries are to keep it.
    fn new(model: &Model, keep_initial: bool) -> Sketch {
        let points = &model.points;
        let mut colours: Vec<u64> = Vec::new();
        let roles = model.is_random.iter();
        colours.extend(roles.map(|&is_random| tag(if is_random { Tag::Chance } else { Tag::Role }, 0)));
        colours.extend(points.fluents.iter().map(|_| tag(Tag::Fluent, 0)));
        colours.extend(points.moves.iter().map(|_| tag(Tag::Move, 0)));
        let mut sketch = Sketch {
            points: colours.len(),
            colours,
            edges: Vec::new(),
        };
        for (number, (role, _)) in points.moves.iter().enumerate() {
            sketch.edge(
                (points.first_move() + number) as u32,
                role.0.into(),
                tag(Tag::MadeBy, 0),
            );
        }
        if keep_initial {
            let initial = sketch.vertex(tag(Tag::Initial, 0));
            for (slot, _) in model.initial.iter().enumerate().filter(|&(_, &holds)| holds) {
                sketch.edge(initial, (points.roles + slot) as u32, tag(Tag::HoldsFirst, 0));
            }
        }
        sketch
    }

    fn vertex(&mut self, colour: u64) -> u32 {
        self.colours.push(colour);
        self.colours.len() as u32 - 1
    }

    pub(crate) fn edge(&mut self, from: u32, to: u32, label: u64) {
        self.edges.push((from, to, label));
    }

    /// Adds to the colour of a vertex.
    fn recolour(&mut self, vertex: u32, number: u64) {
        let colour = &mut self.colours[vertex as usize];
        *colour = mix(*colour, number);
    }

    /// The vertex that stands for a function.
    fn owner(&mut self, function: &Function) -> u32 {
        match function.kind {
            Kind::Next(point) | Kind::Legal(point) => point,
            Kind::Terminal => self.vertex(tag(Tag::Terminal, 0)),
            Kind::Goal(role, value) => {
                let vertex = self.vertex(tag(Tag::Goal, value.into()));
                self.edge(vertex, role.0.into(), tag(Tag::MadeBy, 1));
                vertex
            }
            Kind::Percept(role) => {
                let vertex = self.vertex(tag(Tag::Percept, 0));
                self.edge(vertex, role.0.into(), tag(Tag::MadeBy, 2));
                vertex
            }
        }
    }

    /// The graph of what was drawn.
    pub(crate) fn finish(&self) -> Graph {
        let mut degrees = vec![0u32; self.colours.len()];
        for &(from, to, _) in &self.edges {
            degrees[from as usize] += 1;
            degrees[to as usize] += 1;
        }
        let mut ends = degrees;
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // Filled from the back, so that each end moves to its start and the start of the next is its end.
        let mut places = ends.clone();
        let mut targets = vec![0u32; sum as usize];
        let mut labels = vec![0u64; sum as usize];
        for &(from, to, label) in &self.edges {
            for (at, other, label) in [(from, to, label), (to, from, mix(Tag::Backward as u64, label))] {
                places[at as usize] -= 1;
                targets[places[at as usize] as usize] = other;
                labels[places[at as usize] as usize] = label;
            }
        }
        Graph {
            colours: self.colours.clone(),
            points: self.points,
            ends,
            targets,
            labels,
        }
    }
}

/// The kind of a function as a number.
pub(crate) fn kind_number(kind: Kind) -> u64 {
    match kind {
        Kind::Next(_) => tag(Tag::Next, 0),
        Kind::Legal(_) => tag(Tag::Legal, 0),
        Kind::Goal(_, value) => tag(Tag::Value, value.into()),
        Kind::Terminal => tag(Tag::Value, 1000),
        Kind::Percept(_) => tag(Tag::Value, 1001),
    }
}

/// The and/or graph.
pub(crate) fn and_or(model: &Model, keep_initial: bool) -> Graph {
    let mut sketch = Sketch::new(model, keep_initial);
    // Conjunctions that were spliced into others may be used nowhere else; whether they are there depends on the writing.
    let roots: Vec<Lit> = model.functions.iter().map(|function| function.lit).collect();
    let mut vertices: Vec<Option<u32>> = vec![None; model.nodes.len()];
    for node in needed(model, &roots) {
        vertices[node as usize] = Some(match model.nodes[node as usize] {
            Node::Never => sketch.vertex(tag(Tag::Constant, 0)),
            Node::Input(point) => point,
            Node::Latch => sketch.vertex(tag(Tag::Latch, 0)),
            Node::And(_) => sketch.vertex(tag(Tag::And, 0)),
        });
    }
    let vertex_of = |lit: Lit| vertices[(lit >> 1) as usize].unwrap_or(0);
    for (node, vertex) in model.nodes.iter().zip(&vertices) {
        if let (Node::And(lits), &Some(vertex)) = (node, vertex) {
            for &lit in lits {
                sketch.edge(vertex, vertex_of(lit), tag(Tag::Condition, (lit & 1).into()));
            }
        }
    }
    for &(latch, lit) in model.blocks.iter().flat_map(|block| &block.latches) {
        if let Some(vertex) = vertices[latch as usize] {
            sketch.edge(vertex, vertex_of(lit), tag(Tag::Becomes, (lit & 1).into()));
        }
    }
    for function in &model.functions {
        let owner = sketch.owner(function);
        let label = mix(kind_number(function.kind), (function.lit & 1).into());
        sketch.edge(owner, vertex_of(function.lit), label);
    }
    sketch.finish()
}

/// Invariants of a function that do not depend on how it is written: the inputs that matter, and model counts of the
/// function, of each input and of pairs of inputs.
pub(crate) struct Profile<'a> {
    pub(crate) inputs: &'a [u32],
    pub(crate) total: u64,
    /// For each input a number; empty if nothing was counted.
    pub(crate) first: &'a [u64],
}

/// The opaque graph, or the weighted one if the profiles have counts; with the vertex of each function.
pub(crate) fn of_profiles(model: &Model, keep_initial: bool, profiles: &[Profile<'_>]) -> (Sketch, Vec<u32>) {
    let mut sketch = Sketch::new(model, keep_initial);
    let mut owners = Vec::with_capacity(profiles.len());
    for (function, profile) in model.functions.iter().zip(profiles) {
        let owner = sketch.owner(function);
        owners.push(owner);
        let is_constant = match function.lit {
            FALSE => 1,
            TRUE => 2,
            _ => 0,
        };
        sketch.recolour(owner, mix(profile.total, is_constant));
        for (number, &input) in profile.inputs.iter().enumerate() {
            let weight = profile.first.get(number).copied().unwrap_or(0);
            sketch.edge(owner, input, mix(tag(Tag::Input, weight), kind_number(function.kind)));
        }
    }
    (sketch, owners)
}
