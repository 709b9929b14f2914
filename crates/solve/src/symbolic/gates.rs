//! The gates of a game as sets of states.
//!
//! A gate that depends on the state alone is the set of states in which it is true. Gates that depend on moves become
//! such sets once the moves are fixed: first constants are propagated through the network, which shows without any set
//! which fluents a move leaves unchanged, then the sets of the remaining gates are built.

use super::diagram::{Diagrams, Set};
use super::encoding::Encoding;
use ludens_budget::StopReason;
use ludens_engine::{Circuit, Fluent};
use ludens_ground::network::{Block, Lit, Network};
use std::collections::{BTreeSet, HashSet};

/// Sets of states for literals of the network.
pub struct Gates<'a> {
    diagrams: &'a Diagrams,
    network: &'a Network,
    /// The input of each latch.
    feeding: Vec<Lit>,
    /// Sets of nodes, if known.
    known: Vec<Option<Set>>,
    /// The first gate that may depend on moves.
    first_moved: usize,
}

/// The network with the moves of a step fixed.
pub struct Step {
    /// The constant or literal that each node reduces to.
    resolved: Vec<Lit>,
}

impl Step {
    /// Returns what a literal reduces to.
    pub fn resolve(&self, lit: Lit) -> Lit {
        let resolved = self.resolved[lit.node()];
        match lit.is_negated() {
            true => resolved.negated(),
            false => resolved,
        }
    }
}

impl<'a> Gates<'a> {
    /// Starts with the sets of the fluents.
    pub fn new(diagrams: &'a Diagrams, circuit: &'a Circuit, encoding: &Encoding) -> Result<Gates<'a>, StopReason> {
        let network = &*circuit.network;
        let mut known: Vec<Option<Set>> = vec![None; network.nodes()];
        known[0] = Some(diagrams.none());
        for (fluent, constant) in circuit.constant_fluents.iter().enumerate() {
            known[1 + fluent] = Some(match constant {
                Some(true) => diagrams.all(),
                Some(false) => diagrams.none(),
                None => holds(diagrams, encoding, Fluent(fluent as u32))?,
            });
        }
        let mut feeding = vec![Lit::FALSE; network.latches];
        let blocks = network.state_blocks.iter().chain(&network.move_blocks);
        for block in blocks {
            if let Block::UntilStable(_, latches) = block {
                for &(latch, lit) in latches {
                    feeding[latch as usize - network.first_latch()] = lit;
                }
            }
        }
        let first_moved = network
            .state_blocks
            .iter()
            .map(|block| range(block).end)
            .max()
            .unwrap_or(0);
        Ok(Gates {
            diagrams,
            network,
            feeding,
            known,
            first_moved,
        })
    }

    /// Fixes the moves of a step: these are made, and no others.
    pub fn step(&self, moves: &[usize]) -> Step {
        let network = self.network;
        let mut resolved: Vec<Lit> = (0..network.nodes() as u32).map(|node| Lit(node << 1)).collect();
        resolved[1 + network.fluents..network.first_latch()].fill(Lit::FALSE);
        for &node in moves {
            resolved[node] = Lit::TRUE;
        }
        let mut step = Step { resolved };
        for (number, &[a, b]) in network.gates.iter().enumerate().skip(self.first_moved) {
            let (a, b) = (step.resolve(a), step.resolve(b));
            let node = network.first_gate() + number;
            step.resolved[node] = match (a, b) {
                (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
                (Lit::TRUE, other) | (other, Lit::TRUE) => other,
                _ if a == b => a,
                _ if a == b.negated() => Lit::FALSE,
                _ => step.resolved[node],
            };
        }
        step
    }

    /// Returns the sets of literals that depend on the state alone. They are kept.
    pub fn of_state(&mut self, lits: &[Lit]) -> Result<Vec<Set>, StopReason> {
        self.build(lits, None)?;
        Ok(lits.iter().map(|&lit| self.set(lit)).collect())
    }

    /// Returns the set of a literal as a union of few sets, joined as long as they have at most `most_nodes` nodes. The
    /// whole is often much larger than its parts together, as with lines of two players on a board.
    pub fn in_parts(&mut self, lit: Lit, most_nodes: u64) -> Result<Vec<Set>, StopReason> {
        let mut parts = Vec::new();
        let mut part = self.diagrams.none();
        for set in self.of_state(&self.alternatives(lit))? {
            let joined = self.diagrams.or(&part, &set)?;
            part = match self.diagrams.nodes(&joined) > most_nodes {
                true => {
                    parts.push(part);
                    set
                }
                false => joined,
            };
        }
        parts.push(part);
        Ok(parts)
    }

    /// Returns literals whose disjunction is a literal, in the order of the network, which keeps related ones together.
    fn alternatives(&self, lit: Lit) -> Vec<Lit> {
        let mut alternatives = BTreeSet::new();
        let mut waiting = vec![lit];
        let mut seen = HashSet::new();
        while let Some(lit) = waiting.pop() {
            match lit.node().checked_sub(self.network.first_gate()) {
                Some(gate) if lit.is_negated() => {
                    if seen.insert(gate) {
                        waiting.extend(self.network.gates[gate].map(Lit::negated));
                    }
                }
                _ => {
                    alternatives.insert(lit);
                }
            }
        }
        alternatives.into_iter().collect()
    }

    /// Returns the sets of literals for fixed moves.
    pub fn of_step(&mut self, lits: &[Lit], step: &Step) -> Result<Vec<Set>, StopReason> {
        let resolved: Vec<Lit> = lits.iter().map(|&lit| step.resolve(lit)).collect();
        let built = self.build(&resolved, Some(step))?;
        let sets = resolved.iter().map(|&lit| self.set(lit)).collect();
        // They mean something else in the next step.
        for node in built {
            if self.depends_on_moves(node) {
                self.known[node] = None;
            }
        }
        Ok(sets)
    }

    /// Whether a node may mean something else in another step.
    fn depends_on_moves(&self, node: usize) -> bool {
        let network = self.network;
        let is_state_gate = (network.first_gate()..network.first_gate() + self.first_moved).contains(&node);
        node >= network.first_latch() && !is_state_gate
    }

    fn set(&self, lit: Lit) -> Set {
        let set = self.known[lit.node()].clone().unwrap_or_else(|| self.diagrams.none());
        match lit.is_negated() {
            true => self.diagrams.not(&set),
            false => set,
        }
    }

    /// Builds the sets of all nodes that literals depend on, and returns the nodes that were not known before.
    fn build(&mut self, lits: &[Lit], step: Option<&Step>) -> Result<Vec<usize>, StopReason> {
        let network = self.network;
        let resolve = |lit: Lit| step.map_or(lit, |step| step.resolve(lit));
        let mut needed = vec![false; network.nodes()];
        let mut nodes = Vec::new();
        let mut waiting: Vec<usize> = lits.iter().map(|lit| lit.node()).collect();
        while let Some(node) = waiting.pop() {
            if self.known[node].is_some() || std::mem::replace(&mut needed[node], true) {
                continue;
            }
            nodes.push(node);
            if node >= network.first_gate() {
                waiting.extend(network.gates[node - network.first_gate()].map(|lit| resolve(lit).node()));
            } else if node >= network.first_latch() {
                waiting.push(resolve(self.feeding[node - network.first_latch()]).node());
            }
        }
        let blocks = network.state_blocks.iter().chain(&network.move_blocks);
        for block in blocks {
            match block {
                Block::Once(range) => self.compute(range.clone(), &needed, &resolve)?,
                Block::UntilStable(range, latches) => {
                    let latches: Vec<(u32, Lit)> = latches
                        .iter()
                        .filter(|(latch, _)| needed[*latch as usize])
                        .map(|&(latch, lit)| (latch, resolve(lit)))
                        .collect();
                    for &(latch, _) in &latches {
                        self.known[latch as usize] = Some(self.diagrams.none());
                    }
                    loop {
                        self.compute(range.clone(), &needed, &resolve)?;
                        let mut is_stable = true;
                        for &(latch, lit) in &latches {
                            let set = Some(self.set(lit));
                            is_stable &= self.known[latch as usize] == set;
                            self.known[latch as usize] = set;
                        }
                        if is_stable {
                            break;
                        }
                    }
                }
            }
        }
        Ok(nodes)
    }

    fn compute(
        &mut self,
        gates: std::ops::Range<usize>,
        needed: &[bool],
        resolve: &impl Fn(Lit) -> Lit,
    ) -> Result<(), StopReason> {
        for number in gates {
            let node = self.network.first_gate() + number;
            if needed[node] {
                let [a, b] = self.network.gates[number].map(|lit| self.set(resolve(lit)));
                self.known[node] = Some(self.diagrams.and(&a, &b)?);
            }
        }
        Ok(())
    }
}

fn range(block: &Block) -> std::ops::Range<usize> {
    match block {
        Block::Once(range) | Block::UntilStable(range, _) => range.clone(),
    }
}

/// Returns the states in which a changing fluent holds.
fn holds(diagrams: &Diagrams, encoding: &Encoding, fluent: Fluent) -> Result<Set, StopReason> {
    match encoding.place[fluent.0 as usize] {
        None => Ok(diagrams.none()),
        Some((group, place)) => {
            let placed = &encoding.groups[group as usize];
            with_number(diagrams, placed.bits(), placed.group.code(place as usize))
        }
    }
}

/// Returns the states in which the given bits form a number.
pub fn with_number(
    diagrams: &Diagrams,
    bits: impl Iterator<Item = (usize, u32)>,
    number: u32,
) -> Result<Set, StopReason> {
    let mut set = diagrams.all();
    for (bit, weight) in bits {
        let has = diagrams.bit(bit)?;
        let fits = match number & weight {
            0 => diagrams.not(&has),
            _ => has,
        };
        set = diagrams.and(&set, &fits)?;
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::diagram::Capacity;
    use crate::symbolic::ordering::Heuristic;
    use ludens_analysis::analyse;
    use ludens_budget::Budget;
    use ludens_engine::Game;

    #[test]
    fn parts_make_up_the_whole() -> Result<(), StopReason> {
        let game = Game::read(ludens_library::find("tic-tac-toe").unwrap().source()).unwrap();
        let circuit = game.engine().circuit().unwrap();
        let analysis = analyse(&game, &Budget::default()).unwrap();
        let encoding = Encoding::new(&game, circuit, &analysis, Heuristic::default());
        let diagrams = Diagrams::new(encoding.bits, Capacity::SMALL, 1, &Budget::default());
        let mut gates = Gates::new(&diagrams, circuit, &encoding)?;
        let lit = circuit.network.terminal.unwrap();
        let whole = gates.of_state(&[lit])?.remove(0);
        let mut numbers = Vec::new();
        for most_nodes in [0, 40, u64::MAX] {
            let parts = gates.in_parts(lit, most_nodes)?;
            numbers.push(parts.len());
            assert!(diagrams.union(parts)? == whole);
        }
        assert!(numbers[0] > numbers[1] && numbers[1] > numbers[2], "{numbers:?}");
        assert_eq!(numbers[2], 1);
        Ok(())
    }
}
