//! Dependencies in the propositional network: noops, chains, clocks and sub-games.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::{Circuit, Fluent, MoveId, Role, RoleMap};
use ludens_ground::network::{Block, Lit, Network};

/// Fluents that hold one after the other, each exactly one step after the one before it, from the start of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The fluents in order.
    pub fluents: Vec<Fluent>,
    /// Whether the last is followed by the first; else nothing follows it.
    pub is_cyclic: bool,
}

/// Dependencies in the network.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// For each fluent the roles whose moves its next value depends on.
    pub moved_by: Vec<Vec<Role>>,
    /// For each role the moves that change nothing, whatever else is played.
    pub noops: RoleMap<Vec<MoveId>>,
    /// Fluents that follow each other whatever is played: step counters, and turns.
    pub chains: Vec<Chain>,
    /// For each fluent whether it changes by itself: its next value depends on no move, nor on a fluent that does.
    pub is_clock: Vec<bool>,
    /// Sub-games, if the game falls apart into several: sets of fluents that have no influence on each other, such that
    /// the end and every goal are plain conjunctions or disjunctions of conditions on one of them each.
    pub factors: Vec<Vec<Fluent>>,
}

impl Structure {
    /// The structure that is valid for every network: everything depends on everything.
    pub(crate) fn unknown(network: &Network) -> Structure {
        Structure {
            moved_by: vec![network.moves.roles().collect(); network.fluents],
            noops: RoleMap::filled(network.moves.len(), Vec::new()),
            chains: Vec::new(),
            is_clock: vec![false; network.fluents],
            factors: Vec::new(),
        }
    }
}

/// Reads off the structure; `None` if it gets late before the end.
pub(crate) fn read(circuit: &Circuit, is_late: &dyn Fn() -> bool) -> Option<Structure> {
    let network = &circuit.network;
    let roles = moving_roles(network, is_late)?;
    let next_of = next_literals(network);
    let moved_by = next_of
        .iter()
        .map(|&lit| {
            let mask = roles[lit.node()];
            let roles = network.moves.roles();
            roles.filter(|role| mask >> role.0.min(63) & 1 == 1).collect()
        })
        .collect();
    let is_clock = clocks(network, &next_of, &roles, is_late)?;
    Some(Structure {
        moved_by,
        noops: noops(network),
        chains: chains(network, &next_of, &circuit.program.initial),
        factors: factors(network, &next_of, &is_clock, is_late)?,
        is_clock,
    })
}

fn next_literals(network: &Network) -> Vec<Lit> {
    let mut next = vec![Lit::FALSE; network.fluents];
    for &(fluent, lit) in &network.next {
        next[fluent.index()] = lit;
    }
    next
}

fn latches(network: &Network) -> impl Iterator<Item = (u32, Lit)> {
    let blocks = network.state_blocks.iter().chain(&network.move_blocks);
    blocks.flat_map(|block| match block {
        Block::Once(_) => Vec::new(),
        Block::UntilStable(_, latches) => latches.clone(),
    })
}

/// Computes a set for every node as the union over the nodes it depends on; `sets` starts with those of the inputs.
fn spread(network: &Network, mut sets: Vec<u64>, is_late: &dyn Fn() -> bool) -> Option<Vec<u64>> {
    let first = network.first_gate();
    sets.resize(network.nodes(), 0);
    loop {
        if is_late() {
            return None;
        }
        for (number, [a, b]) in network.gates.iter().enumerate() {
            sets[first + number] = sets[a.node()] | sets[b.node()];
        }
        let mut has_changed = false;
        for (latch, lit) in latches(network) {
            let set = sets[latch as usize] | sets[lit.node()];
            has_changed |= set != sets[latch as usize];
            sets[latch as usize] = set;
        }
        if !has_changed {
            return Some(sets);
        }
    }
}

/// For each node the roles whose moves it depends on, one bit a role; roles beyond the 63rd share a bit.
fn moving_roles(network: &Network, is_late: &dyn Fn() -> bool) -> Option<Vec<u64>> {
    let mut sets = vec![0; network.first_latch()];
    for (role, &moves) in network.moves.iter() {
        let first = network.first_move(role);
        sets[first..first + moves].fill(1 << role.0.min(63));
    }
    spread(network, sets, is_late)
}

/// Fluents whose next value depends on no move and on no other fluents than such.
fn clocks(network: &Network, next_of: &[Lit], roles: &[u64], is_late: &dyn Fn() -> bool) -> Option<Vec<bool>> {
    let mut is_clock: Vec<bool> = next_of.iter().map(|lit| roles[lit.node()] == 0).collect();
    loop {
        let mut sets = vec![0; network.first_latch()];
        for (fluent, &is_clock) in is_clock.iter().enumerate() {
            sets[1 + fluent] = u64::from(!is_clock);
        }
        let sets = spread(network, sets, is_late)?;
        let before = is_clock.clone();
        for (is_clock, lit) in is_clock.iter_mut().zip(next_of) {
            *is_clock &= sets[lit.node()] == 0;
        }
        if before == is_clock {
            return Some(is_clock);
        }
    }
}

/// The nodes that some literals depend on.
fn cone(network: &Network, roots: impl Iterator<Item = Lit>) -> Vec<bool> {
    let first = network.first_gate();
    let mut feeding = vec![None; network.latches];
    for (latch, lit) in latches(network) {
        feeding[latch as usize - network.first_latch()] = Some(lit);
    }
    let mut inside = vec![false; network.nodes()];
    let mut waiting: Vec<usize> = roots.map(Lit::node).collect();
    while let Some(node) = waiting.pop() {
        if std::mem::replace(&mut inside[node], true) {
            continue;
        }
        if node >= first {
            waiting.extend(network.gates[node - first].map(Lit::node));
        } else if node >= network.first_latch() {
            waiting.extend(feeding[node - network.first_latch()].map(Lit::node));
        }
    }
    inside
}

/// Moves that neither the next state nor what is perceived depends on.
fn noops(network: &Network) -> RoleMap<Vec<MoveId>> {
    let next = network.next.iter().map(|&(_, lit)| lit);
    let inside = cone(
        network,
        next.chain(network.percepts.values().flatten().map(|&(_, lit)| lit)),
    );
    let roles = network.moves.roles();
    roles
        .map(|role| {
            let first = network.first_move(role);
            let moves = MoveId::first(network.moves[role]);
            moves.filter(|chosen| !inside[first + chosen.index()]).collect()
        })
        .collect()
}

fn chains(network: &Network, next_of: &[Lit], initial: &[Fluent]) -> Vec<Chain> {
    let mut following = vec![None; network.fluents];
    for (fluent, lit) in next_of.iter().enumerate() {
        let node = lit.node();
        if !lit.is_negated() && node >= 1 && node <= network.fluents && node != 1 + fluent {
            following[node - 1] = Some(fluent);
        }
    }
    let mut chains = Vec::new();
    // By which start each fluent was met last.
    let mut met_by = vec![None; network.fluents];
    for &start in initial {
        let mut fluents = vec![start];
        met_by[start.index()] = Some(start);
        let mut at = start.index();
        let is_cyclic = loop {
            match following[at] {
                None => break false,
                Some(next) if next == start.index() => break true,
                // A loop that the start does not lie on: what comes before it can hold only once.
                Some(next) if met_by[next] == Some(start) => break false,
                Some(next) => {
                    met_by[next] = Some(start);
                    fluents.push(Fluent(next as u32));
                    at = next;
                }
            }
        };
        if fluents.len() > 1 {
            chains.push(Chain { fluents, is_cyclic });
        }
    }
    chains
}

/// Connected parts of the network of next states and legal moves, clocks left out.
fn factors(
    network: &Network,
    next_of: &[Lit],
    is_clock: &[bool],
    is_late: &dyn Fn() -> bool,
) -> Option<Vec<Vec<Fluent>>> {
    let mut sets = vec![1; network.first_latch()];
    sets[0] = 0;
    for (fluent, &is_clock) in is_clock.iter().enumerate() {
        sets[1 + fluent] = u64::from(!is_clock);
    }
    let counts = spread(network, sets, is_late)?;
    let legal = || {
        network
            .legal
            .iter()
            .flat_map(|(role, legal)| legal.iter().map(move |pair| (role, pair)))
    };
    let roots = next_of.iter().copied().chain(legal().map(|(_, &(_, lit))| lit));
    let ends = network
        .goals
        .values()
        .flatten()
        .map(|&(_, lit)| lit)
        .chain(network.terminal);
    let ends = ends.flat_map(|lit| operands(network, lit));
    let inside = cone(network, roots.chain(ends));
    let mut parts = Parts((0..network.nodes() as u32).collect());
    let mut join = |a: usize, b: usize| {
        if counts[a] != 0 && counts[b] != 0 {
            parts.join(a, b);
        }
    };
    for (number, gate) in network.gates.iter().enumerate() {
        let node = network.first_gate() + number;
        if inside[node] {
            gate.iter().for_each(|lit| join(node, lit.node()));
        }
    }
    for (latch, lit) in latches(network) {
        join(latch as usize, lit.node());
    }
    for (fluent, lit) in next_of.iter().enumerate() {
        join(1 + fluent, lit.node());
    }
    for (role, &(number, lit)) in legal() {
        join(network.first_move(role) + number.index(), lit.node());
    }
    let mut factors: Vec<Vec<Fluent>> = Vec::new();
    let mut factor_of: HashMap<usize, usize, FixedState> = HashMap::default();
    for fluent in (0..network.fluents).filter(|&fluent| !is_clock[fluent]) {
        let factor = *factor_of.entry(parts.root(1 + fluent)).or_insert(factors.len());
        if factor == factors.len() {
            factors.push(Vec::new());
        }
        factors[factor].push(Fluent(fluent as u32));
    }
    Some(match factors.len() {
        0 | 1 => Vec::new(),
        _ => factors,
    })
}

/// The operands of the conjunction or disjunction that a literal is.
fn operands(network: &Network, lit: Lit) -> Vec<Lit> {
    let gate = |node: usize| {
        node.checked_sub(network.first_gate())
            .map(|number| network.gates[number])
    };
    let Some(inputs) = gate(lit.node()) else {
        return vec![lit];
    };
    let mut operands = Vec::new();
    let mut waiting = inputs.to_vec();
    while let Some(lit) = waiting.pop() {
        match gate(lit.node()) {
            Some(inputs) if !lit.is_negated() => waiting.extend(inputs),
            _ => operands.push(lit),
        }
    }
    operands
}

/// Disjoint sets of nodes.
struct Parts(Vec<u32>);

impl Parts {
    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] as usize != node {
            self.0[node] = self.0[self.0[node] as usize];
            node = self.0[node] as usize;
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b as u32;
    }
}
