//! The ground program in a form that does not depend on how its rules are written: conjunctions and negations.
//!
//! Disjunctions are negated conjunctions of negations, a conjunction within a conjunction is spliced into it, and equal
//! conjunctions are one node. So helper relations with one use, De Morgan's laws and the order of conditions leave no
//! trace. Propositions that depend on each other in a cycle are *latches*: their least fixed point is what they mean.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_ground::order::groups;
use ludens_ground::{Condition, Fluent, GroundProgram, MoveId, Proposition, Role, Signal};
use std::ops::Range;

/// A node or its negation: twice the node's number, plus one if negated. Node 0 is never true.
pub(crate) type Lit = u32;

pub(crate) const FALSE: Lit = 0;
pub(crate) const TRUE: Lit = 1;

/// Conjunctions are spliced into others only up to this length, so that sizes stay in proportion.
const MOST_SPLICED: usize = 256;

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Never,
    /// The value of a fluent or move, by its point.
    Input(u32),
    /// A proposition on a cycle.
    Latch,
    /// The conjunction of these, in order.
    And(Box<[Lit]>),
}

/// Nodes that are computed together: once, or until the latches keep their values.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) nodes: Range<u32>,
    /// Each latch with what it becomes; empty if the nodes are computed once.
    pub(crate) latches: Vec<(u32, Lit)>,
}

/// What symmetries permute: roles, then fluents, then moves, numbered through. Fluents that never change and moves that
/// are never legal are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Points {
    pub(crate) roles: usize,
    pub(crate) fluents: Vec<Fluent>,
    pub(crate) moves: Vec<(Role, MoveId)>,
}

impl Points {
    pub(crate) fn len(&self) -> usize {
        self.roles + self.fluents.len() + self.moves.len()
    }

    pub(crate) fn first_move(&self) -> usize {
        self.roles + self.fluents.len()
    }
}

/// A function of the state or of state and moves that play asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whether the fluent of this point holds next.
    Next(u32),
    /// Whether the move of this point is legal.
    Legal(u32),
    Goal(Role, u8),
    Terminal,
    /// Something that a role perceives.
    Percept(Role),
}

/// A function and the node that computes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) kind: Kind,
    pub(crate) lit: Lit,
}

/// The functions of a game.
pub(crate) struct Model {
    pub(crate) points: Points,
    /// For each role whether it is chance.
    pub(crate) is_random: Vec<bool>,
    /// For each fluent among the points whether it holds at the start.
    pub(crate) initial: Vec<bool>,
    /// Nodes, each behind those that it reads, but for latches.
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) functions: Vec<Function>,
}

impl Model {
    /// Reads the functions off a program. `constant` tells the fluents that keep one value in every state.
    pub(crate) fn new(program: &GroundProgram, constant: &[Option<bool>], is_random: Vec<bool>) -> Model {
        let mut builder = Builder::new(program, constant);
        builder.propositions();
        builder.finish(is_random)
    }

    /// Number of rules of the ground game as the field counts them: one for each function, role and initial fluent.
    pub(crate) fn rules(&self) -> usize {
        let initial = self.initial.iter().filter(|&&holds| holds).count();
        self.functions.len() + self.is_random.len() + initial
    }
}

struct Builder<'a> {
    program: &'a GroundProgram,
    points: Points,
    nodes: Vec<Node>,
    interned: HashMap<Box<[Lit]>, u32, FixedState>,
    blocks: Vec<Block>,
    /// The literal of each fluent, of each move by role, and of each proposition.
    fluents: Vec<Lit>,
    moves: Vec<Vec<Lit>>,
    built: Vec<Lit>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a GroundProgram, constant: &[Option<bool>]) -> Builder<'a> {
        let names = &program.names;
        let roles = names.roles.len();
        let mut builder = Builder {
            program,
            points: Points {
                roles,
                ..Points::default()
            },
            nodes: vec![Node::Never],
            interned: HashMap::default(),
            blocks: Vec::new(),
            fluents: Vec::new(),
            moves: names.moves.values().map(|moves| vec![FALSE; moves.len()]).collect(),
            built: vec![FALSE; program.propositions()],
        };
        for fluent in Fluent::first(names.fluents.len()) {
            let lit = match constant.get(fluent.index()).copied().flatten() {
                Some(value) => Lit::from(value),
                None => {
                    builder.points.fluents.push(fluent);
                    builder.input(roles + builder.points.fluents.len() - 1)
                }
            };
            builder.fluents.push(lit);
        }
        for (role, legal) in program.legal.iter() {
            for &(number, proposition) in legal {
                // A move without an instance is never legal.
                if !program.derived(proposition).is_empty() {
                    builder.points.moves.push((role, number));
                    let lit = builder.input(builder.points.len() - 1);
                    builder.moves[role.index()][number.index()] = lit;
                }
            }
        }
        builder
    }

    fn input(&mut self, point: usize) -> Lit {
        self.nodes.push(Node::Input(point as u32));
        (self.nodes.len() as u32 - 1) << 1
    }

    fn propositions(&mut self) {
        let program = self.program;
        let asked = program.asked_of_state().chain(program.asked_of_moves());
        for group in groups(program, asked) {
            let start = self.nodes.len() as u32;
            if !group.is_cyclic {
                let atom = group.members[0];
                self.built[atom.index()] = self.proposition(atom);
                self.close(start, Vec::new());
                continue;
            }
            for &atom in &group.members {
                self.nodes.push(Node::Latch);
                self.built[atom.index()] = (self.nodes.len() as u32 - 1) << 1;
            }
            let definitions = group.members.iter();
            let latches: Vec<(u32, Lit)> = definitions
                .map(|&atom| (self.built[atom.index()] >> 1, self.proposition(atom)))
                .collect();
            self.close(start, latches);
        }
    }

    /// Ends a block; blocks that are computed once are joined.
    fn close(&mut self, start: u32, latches: Vec<(u32, Lit)>) {
        let end = self.nodes.len() as u32;
        match self.blocks.last_mut() {
            Some(last) if latches.is_empty() && last.latches.is_empty() => last.nodes.end = end,
            _ => self.blocks.push(Block {
                nodes: start..end,
                latches,
            }),
        }
    }

    fn proposition(&mut self, atom: Proposition) -> Lit {
        let program = self.program;
        let bodies: Vec<Lit> = program
            .instances_of(atom)
            .map(|conditions| {
                let lits = conditions.iter().map(|&condition| self.condition(condition)).collect();
                self.and(lits) ^ 1
            })
            .collect();
        self.and(bodies) ^ 1
    }

    fn condition(&self, condition: Condition) -> Lit {
        let lit = match condition.signal {
            Signal::Fluent(fluent) => self.fluents[fluent.index()],
            Signal::Move(role, number) => self.moves[role.index()][number.index()],
            Signal::Derived(atom) => self.built[atom.index()],
        };
        lit ^ u32::from(condition.negated)
    }

    fn and(&mut self, lits: Vec<Lit>) -> Lit {
        let mut all: Vec<Lit> = Vec::with_capacity(lits.len());
        for lit in lits {
            match &self.nodes[(lit >> 1) as usize] {
                Node::And(inner) if lit & 1 == 0 && inner.len() <= MOST_SPLICED => all.extend_from_slice(inner),
                _ => all.push(lit),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&lit| lit != TRUE);
        if all.first() == Some(&FALSE) || all.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return FALSE;
        }
        match all[..] {
            [] => TRUE,
            [only] => only,
            _ => {
                let next = self.nodes.len() as u32;
                let all = all.into_boxed_slice();
                let node = *self.interned.entry(all.clone()).or_insert(next);
                if node == next {
                    self.nodes.push(Node::And(all));
                }
                node << 1
            }
        }
    }

    fn finish(self, is_random: Vec<bool>) -> Model {
        let program = self.program;
        let points = &self.points;
        let lit = |atom: Proposition| self.built[atom.index()];
        let mut next: Vec<Lit> = vec![FALSE; program.names.fluents.len()];
        for &(fluent, atom) in &program.next {
            next[fluent.index()] = lit(atom);
        }
        let mut functions: Vec<Function> = Vec::new();
        for (slot, fluent) in points.fluents.iter().enumerate() {
            functions.push(Function {
                kind: Kind::Next((points.roles + slot) as u32),
                lit: next[fluent.index()],
            });
        }
        let mut point = points.first_move() as u32;
        for &(_, atom) in program.legal.values().flatten() {
            if !program.derived(atom).is_empty() {
                functions.push(Function {
                    kind: Kind::Legal(point),
                    lit: lit(atom),
                });
                point += 1;
            }
        }
        for (role, goals) in program.goals.iter() {
            functions.extend(goals.iter().map(|&(value, atom)| Function {
                kind: Kind::Goal(role, value),
                lit: lit(atom),
            }));
        }
        functions.extend(program.terminal.map(|atom| Function {
            kind: Kind::Terminal,
            lit: lit(atom),
        }));
        for (role, percepts) in program.percepts.iter() {
            functions.extend(percepts.iter().map(|(_, atom)| Function {
                kind: Kind::Percept(role),
                lit: lit(*atom),
            }));
        }
        // What can never be seen or scored tells nothing, and encodings differ in it.
        functions.retain(|function| {
            function.lit != FALSE || matches!(function.kind, Kind::Next(_) | Kind::Legal(_) | Kind::Terminal)
        });
        let mut initial = vec![false; program.names.fluents.len()];
        for fluent in &program.initial {
            initial[fluent.index()] = true;
        }
        Model {
            initial: points.fluents.iter().map(|fluent| initial[fluent.index()]).collect(),
            points: self.points,
            is_random,
            nodes: self.nodes,
            blocks: self.blocks,
            functions,
        }
    }
}
