//! The compiled engine: the game as a network of gates.
//!
//! Rules are grounded once (`ludens-ground`); after that a state costs one pass over the gates, whatever the rules look
//! like. [`Machine`]s stand at one state; [`Playouts`] run hundreds of random matches in the bits of machine words
//! (`batch`).

use crate::interpret::listed_roles;
use crate::machine::{Circuit, Engine, Machine, Playouts};
use crate::state::{Fluent, MoveId, Role, State};
use crate::vocabulary::Vocabulary;
use ludens_datalog::Limits;
use ludens_gdl::format::canonical_term;
use ludens_gdl::keyword;
use ludens_gdl::normal::{NormalRule, NormalRules};
use ludens_ground::network::{Block, Lit, Network};
use ludens_ground::simplify::simplify;
use ludens_ground::{GroundError, GroundProgram, ground};
use std::sync::Arc;

mod batch;
mod bits;
mod wide;

/// A game compiled to gates.
pub struct Compiled {
    parts: CompiledParts,
    circuit: Circuit,
    initial: State,
}

/// What all machines of a game share.
#[derive(Clone)]
struct CompiledParts {
    network: Arc<Network>,
    vocabulary: Arc<Vocabulary>,
}

impl Compiled {
    /// Grounds and compiles rules.
    pub fn new(rules: &NormalRules, limits: Limits) -> Result<Compiled, GroundError> {
        let roles = listed_roles(rules);
        let by_rule = |rule: &NormalRule| rule.head.name == keyword::ROLE && !rule.body.is_empty();
        if roles.is_empty() || roles.len() > 255 || rules.rules.iter().any(by_rule) {
            return Err(GroundError::Unsuitable("the roles are not listed by facts".to_string()));
        }
        let program = ground(rules, &roles, limits)?;
        let simplified = simplify(program);
        let program = simplified.program;
        let network = Arc::new(Network::new(&program).ok_or_else(|| {
            GroundError::Unsuitable("terminal, legal or goal depends on the moves being made".to_string())
        })?);
        let vocabulary = Vocabulary::new(rules.symbols.clone(), roles);
        number(&program, &vocabulary);
        Ok(Compiled {
            parts: CompiledParts {
                network: network.clone(),
                vocabulary: Arc::new(vocabulary),
            },
            initial: State::new(program.initial.iter().map(|&number| Fluent(number))),
            circuit: Circuit {
                program,
                before: simplified.before,
                constant_fluents: simplified.constant_fluents,
                network,
            },
        })
    }

    /// The numbering of fluents and moves.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.parts.vocabulary
    }
}

/// Gives every fluent and move the number that it has in the program.
fn number(program: &GroundProgram, vocabulary: &Vocabulary) {
    for term in &program.fluents {
        vocabulary.fluent(term);
    }
    for (role, moves) in program.moves.iter().enumerate() {
        for term in moves {
            vocabulary.move_id(Role(role as u8), term);
        }
    }
}

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn gates(&self) -> Option<usize> {
        Some(self.parts.network.gates.len())
    }

    fn circuit(&self) -> Option<&Circuit> {
        Some(&self.circuit)
    }

    fn machine(&self) -> Box<dyn Machine> {
        let network = self.parts.network.clone();
        let mut machine = CompiledMachine {
            values: vec![0; network.nodes()],
            vocabulary: self.parts.vocabulary.clone(),
            state: State::default(),
            is_computed: false,
            legal: vec![Vec::new(); network.moves.len()],
            goals: vec![Vec::new(); network.moves.len()],
            network,
        };
        machine.load(&self.initial);
        Box::new(machine)
    }

    fn playouts(&self) -> Box<dyn Playouts> {
        Box::new(batch::Batch::new(self.parts.clone()))
    }
}

struct CompiledMachine {
    network: Arc<Network>,
    vocabulary: Arc<Vocabulary>,
    values: Vec<u64>,
    state: State,
    /// Whether the gates that depend on the state alone are up to date.
    is_computed: bool,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<u8>>,
}

impl CompiledMachine {
    fn compute_state(&mut self) {
        if !std::mem::replace(&mut self.is_computed, true) {
            let network = self.network.clone();
            compute(&network, &network.state_blocks, &mut self.values);
        }
    }

    fn set_moves(&mut self, joint: &[MoveId]) {
        let network = self.network.clone();
        self.values[1 + network.fluents..network.first_latch()].fill(0);
        for (role, &MoveId(number)) in joint.iter().enumerate() {
            // A move that the rules never make legal has no node: it has no effect either.
            if (number as usize) < network.moves[role] {
                self.values[network.first_move(role) + number as usize] = !0;
            }
        }
    }

    fn compute_moves(&mut self, joint: &[MoveId]) {
        self.compute_state();
        self.set_moves(joint);
        let network = self.network.clone();
        compute(&network, &network.move_blocks, &mut self.values);
    }
}

fn value(values: &[u64], lit: Lit) -> u64 {
    let inverted = if lit.is_negated() { !0 } else { 0 };
    values[lit.node()] ^ inverted
}

fn holds(values: &[u64], lit: Lit) -> bool {
    value(values, lit) & 1 == 1
}

/// Computes blocks of gates.
fn compute(network: &Network, blocks: &[Block], values: &mut [u64]) {
    let first = network.first_gate();
    for block in blocks {
        match block {
            Block::Once(range) => gates(network, first, range.clone(), values),
            Block::UntilStable(range, latches) => {
                for &(latch, _) in latches {
                    values[latch as usize] = 0;
                }
                loop {
                    gates(network, first, range.clone(), values);
                    let mut changed = 0;
                    for &(latch, lit) in latches {
                        let new = value(values, lit);
                        changed |= new ^ values[latch as usize];
                        values[latch as usize] = new;
                    }
                    if changed == 0 {
                        break;
                    }
                }
            }
        }
    }
}

fn gates(network: &Network, first: usize, range: std::ops::Range<usize>, values: &mut [u64]) {
    for (number, [a, b]) in range.clone().zip(&network.gates[range]) {
        values[first + number] = value(values, *a) & value(values, *b);
    }
}

impl Machine for CompiledMachine {
    fn role_count(&self) -> usize {
        self.network.moves.len()
    }

    fn load(&mut self, state: &State) {
        let fluents = self.network.fluents;
        self.values[1..=fluents].fill(0);
        for Fluent(number) in state.fluents() {
            if (number as usize) < fluents {
                self.values[1 + number as usize] = !0;
            }
        }
        self.state.clone_from(state);
        self.is_computed = false;
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn is_terminal(&mut self) -> bool {
        self.compute_state();
        self.network.terminal.is_some_and(|lit| holds(&self.values, lit))
    }

    fn legal(&mut self, role: Role) -> &[MoveId] {
        self.compute_state();
        let list = &mut self.legal[role.index()];
        list.clear();
        let legal = self.network.legal[role.index()].iter();
        list.extend(
            legal
                .filter(|&&(_, lit)| holds(&self.values, lit))
                .map(|&(number, _)| MoveId(number)),
        );
        list
    }

    fn goal_values(&mut self, role: Role) -> &[u8] {
        self.compute_state();
        let list = &mut self.goals[role.index()];
        list.clear();
        let goals = self.network.goals[role.index()].iter();
        list.extend(
            goals
                .filter(|&&(_, lit)| holds(&self.values, lit))
                .map(|&(value, _)| value),
        );
        list.dedup();
        list
    }

    fn step(&mut self, joint: &[MoveId]) {
        self.compute_moves(joint);
        let next = self.network.next.iter().filter(|&&(_, lit)| holds(&self.values, lit));
        let next = State::new(next.map(|&(fluent, _)| Fluent(fluent)));
        self.load(&next);
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<String> {
        self.compute_moves(joint);
        let percepts = self.network.percepts[role.index()].iter();
        let mut texts: Vec<String> = percepts
            .filter(|(_, lit)| holds(&self.values, *lit))
            .map(|(term, _)| canonical_term(term, self.vocabulary.symbols()))
            .collect();
        texts.sort_unstable();
        texts
    }

    fn fault(&self) -> Option<&str> {
        None
    }
}
