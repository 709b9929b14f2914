//! What looking at the reachable states shows.
//!
//! States are enumerated breadth-first. If that ends within the budget, everything is known for certain: sizes,
//! whether every match ends, whether each role can win. If not, the rest of the time goes into random matches, which
//! can refute a property by an example but never prove it.

use crate::joint::JointMoves;
use crate::machine::Machine;
use crate::playout::choose_joint;
use crate::state::{MoveId, Role, State};
use crate::{Game, Rng};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use std::time::{Duration, Instant};

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Time for all of it.
    pub time: Duration,
    /// States that may be kept in memory.
    pub states: usize,
    /// Memory that they may take, in bytes.
    pub memory: usize,
    /// Steps of a random match after which it counts as endless.
    pub steps: usize,
    /// Seed of the random matches.
    pub seed: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            time: Duration::from_secs(10),
            states: 2_000_000,
            memory: 1 << 30,
            steps: 2_000,
            seed: 1,
        }
    }
}

/// A way in which a game is not well-formed, with a line of play that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is wrong.
    pub kind: ViolationKind,
    /// The joint moves from the start to the place.
    pub line: Vec<Vec<MoveId>>,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A role has no legal move in a state that is not terminal.
    NoLegalMove(Role),
    /// No goal value holds for a role in a terminal state.
    NoGoal(Role),
    /// Several goal values hold for a role in a terminal state.
    SeveralGoals(Role, Vec<u8>),
    /// The line comes back to a state that it has been in, this many steps before its end.
    Cycle(usize),
    /// All reachable states were seen, and none of them is terminal.
    NoTerminal,
    /// A random match went on for the greatest number of steps.
    TooLong,
    /// The engine hit a limit.
    Fault(String),
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Distinct states seen.
    pub states: usize,
    /// How many of them are terminal.
    pub terminal: usize,
    /// Joint moves between them.
    pub transitions: u64,
    /// Random matches played.
    pub matches: usize,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// The longest match if it is complete and without cycles.
    pub longest: Option<usize>,
    /// The best goal value of each role in a terminal state.
    pub best: Vec<Option<u8>>,
    /// The greatest number of roles that had a choice at the same time.
    pub choosers: usize,
    /// Whether the goals of all roles always had this sum in terminal states; nothing if they differed or none was seen.
    pub sum: Option<u32>,
    /// Whether two terminal states had different sums of goals.
    pub sums_differ: bool,
    /// Whether the graph has cycles, where that is known.
    pub cyclic: Option<bool>,
    /// What is wrong, one example of each kind.
    pub violations: Vec<Violation>,
}

/// Explores a game within bounds.
pub fn explore(game: &Game, bounds: Bounds, budget: &Budget) -> Exploration {
    let start = Instant::now();
    let mut explorer = Explorer {
        game,
        machine: game.machine(),
        nodes: Vec::new(),
        index: HashMap::default(),
        bytes: 0,
        result: Exploration {
            best: vec![None; game.roles().len()],
            ..Exploration::default()
        },
    };
    let enumeration = budget.within(bounds.time.mul_f64(0.7));
    explorer.machine.set_deadline(enumeration.deadline());
    let is_at_fault = explorer.enumerate(bounds, &enumeration);
    if explorer.result.complete {
        if explorer.result.terminal == 0 {
            explorer.violation(ViolationKind::NoTerminal, |_| Vec::new());
        }
        explorer.find_cycles();
    } else if !is_at_fault {
        let rest = budget.within(bounds.time.saturating_sub(start.elapsed()));
        if explorer.machine.fault().is_some() {
            explorer.machine = game.machine();
        }
        explorer.machine.set_deadline(rest.deadline());
        explorer.random_matches(bounds.steps, bounds.seed, &rest);
    }
    explorer.result.states = explorer.nodes.len();
    explorer.result
}

struct Node {
    state: State,
    parent: u32,
    joint: Vec<MoveId>,
    successors: Vec<u32>,
}

struct Explorer<'a> {
    game: &'a Game,
    machine: Box<dyn Machine>,
    nodes: Vec<Node>,
    index: HashMap<State, u32, FixedState>,
    /// Memory that the nodes take.
    bytes: usize,
    result: Exploration,
}

/// Joint moves between two looks at the clock.
const BETWEEN_LOOKS: u64 = 16;
/// Memory of a state beside its fluents: the node, its place in the index, what the allocator adds.
const BYTES_OF_A_NODE: usize = 240;

impl Explorer<'_> {
    /// Looks at all states, as far as the bounds allow; whether the engine is at fault.
    fn enumerate(&mut self, bounds: Bounds, budget: &Budget) -> bool {
        self.add(self.game.initial().clone(), u32::MAX, Vec::new());
        let mut at = 0;
        while at < self.nodes.len() {
            if self.is_enough(bounds, budget) {
                return false;
            }
            let state = self.nodes[at].state.clone();
            self.machine.load(&state);
            let joints = self.look(|explorer| explorer.line_to(at));
            if let Some(mut joints) = joints {
                let mut joint = Vec::new();
                let mut successors = Vec::new();
                while joints.next_into(&mut joint) {
                    // A state can have more joint moves than there is time for.
                    let looks = self.result.transitions.is_multiple_of(BETWEEN_LOOKS);
                    if looks && self.is_enough(bounds, budget) || self.machine.fault().is_some() {
                        break;
                    }
                    self.machine.load(&state);
                    self.machine.step(&joint);
                    self.result.transitions += 1;
                    let next = self.machine.state().clone();
                    successors.push(self.add(next, at as u32, joint.clone()));
                }
                successors.sort_unstable();
                successors.dedup();
                self.bytes += 4 * successors.capacity();
                self.nodes[at].successors = successors;
            }
            // An answer that came too late is no fault of the rules.
            if self.is_enough(bounds, budget) {
                return false;
            }
            if self.fault(|explorer| explorer.line_to(at)) {
                return true;
            }
            at += 1;
        }
        self.result.complete = true;
        false
    }

    /// Whether the time, the states or the memory are used up.
    fn is_enough(&self, bounds: Bounds, budget: &Budget) -> bool {
        budget.is_spent() || self.nodes.len() > bounds.states || self.bytes > bounds.memory
    }

    fn add(&mut self, state: State, parent: u32, joint: Vec<MoveId>) -> u32 {
        let next = self.nodes.len() as u32;
        if let Some(&known) = self.index.get(&state) {
            return known;
        }
        // The state stands in the index too.
        self.bytes += BYTES_OF_A_NODE + 16 * state.words().len() + size_of::<MoveId>() * joint.len();
        self.index.insert(state.clone(), next);
        self.nodes.push(Node {
            state,
            parent,
            joint,
            successors: Vec::new(),
        });
        next
    }

    /// Judges the state where the machine stands; its joint moves unless the match ends here.
    fn look(&mut self, line: impl Fn(&Self) -> Vec<Vec<MoveId>>) -> Option<JointMoves> {
        let is_over = self.machine.is_terminal();
        if is_over && self.machine.fault().is_none() {
            self.look_at_end(line);
            return None;
        }
        let joints = JointMoves::of(&mut *self.machine);
        // What a machine at fault answers says nothing about the rules.
        if self.machine.fault().is_some() {
            return None;
        }
        self.result.choosers = self.result.choosers.max(joints.choosers());
        if let Some(role) = joints.stuck() {
            self.violation(ViolationKind::NoLegalMove(role), line);
            return None;
        }
        Some(joints)
    }

    fn look_at_end(&mut self, line: impl Fn(&Self) -> Vec<Vec<MoveId>>) {
        for role in self.game.roles() {
            self.machine.goal_values(role);
        }
        if self.machine.fault().is_some() {
            return;
        }
        self.result.terminal += 1;
        let mut sum = Some(0);
        for role in self.game.roles() {
            if self.game.is_random(role) {
                continue;
            }
            let mut values = self.machine.goal_values(role).to_vec();
            values.sort_unstable();
            match values[..] {
                [] => self.violation(ViolationKind::NoGoal(role), &line),
                [_] => {}
                _ => self.violation(ViolationKind::SeveralGoals(role, values.clone()), &line),
            }
            if let Some(&value) = values.last() {
                let best = &mut self.result.best[role.index()];
                *best = Some(best.map_or(value, |best: u8| best.max(value)));
            }
            sum = match (sum, &values[..]) {
                (Some(sum), [value]) => Some(sum + u32::from(*value)),
                _ => None,
            };
        }
        match (self.result.sum, sum) {
            _ if self.result.sums_differ => {}
            (None, Some(_)) if self.result.terminal == 1 => self.result.sum = sum,
            (before, now) if before == now && now.is_some() => {}
            _ => {
                self.result.sum = None;
                self.result.sums_differ = true;
            }
        }
    }

    fn violation(&mut self, kind: ViolationKind, line: impl Fn(&Self) -> Vec<Vec<MoveId>>) {
        let same = |other: &Violation| std::mem::discriminant(&other.kind) == std::mem::discriminant(&kind);
        if !self.result.violations.iter().any(same) {
            let line = line(self);
            self.result.violations.push(Violation { kind, line });
        }
    }

    fn fault(&mut self, line: impl Fn(&Self) -> Vec<Vec<MoveId>>) -> bool {
        let Some(fault) = self.machine.fault().map(str::to_string) else {
            return false;
        };
        self.violation(ViolationKind::Fault(fault), line);
        true
    }

    fn line_to(&self, node: usize) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = node;
        while self.nodes[at].parent != u32::MAX {
            line.push(self.nodes[at].joint.clone());
            at = self.nodes[at].parent as usize;
        }
        line.reverse();
        line
    }

    /// On the complete graph: a cycle, or the length of the longest match.
    fn find_cycles(&mut self) {
        // Removes states without predecessors again and again; what cannot be removed lies on or behind a cycle.
        let mut predecessors = vec![0u32; self.nodes.len()];
        for node in &self.nodes {
            for &next in &node.successors {
                predecessors[next as usize] += 1;
            }
        }
        let mut depth = vec![0usize; self.nodes.len()];
        let mut queue: Vec<usize> = (0..self.nodes.len()).filter(|&node| predecessors[node] == 0).collect();
        let mut removed = 0;
        while let Some(node) = queue.pop() {
            removed += 1;
            for &next in &self.nodes[node].successors {
                let next = next as usize;
                depth[next] = depth[next].max(depth[node] + 1);
                predecessors[next] -= 1;
                if predecessors[next] == 0 {
                    queue.push(next);
                }
            }
        }
        let cyclic = removed < self.nodes.len();
        self.result.cyclic = Some(cyclic);
        match cyclic {
            false => self.result.longest = depth.into_iter().max(),
            true => self.report_cycle(&predecessors),
        }
    }

    /// Follows edges among the states that remain until one comes back.
    fn report_cycle(&mut self, remaining: &[u32]) {
        // A state that remains has a predecessor that remains: going backwards must repeat.
        let mut before: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for (number, node) in self
            .nodes
            .iter()
            .enumerate()
            .filter(|&(number, _)| remaining[number] > 0)
        {
            for &next in &node.successors {
                before[next as usize] = Some(number as u32);
            }
        }
        let Some(mut at) = (0..self.nodes.len()).find(|&node| remaining[node] > 0) else {
            return;
        };
        let mut seen = vec![false; self.nodes.len()];
        let mut backwards = Vec::new();
        while !std::mem::replace(&mut seen[at], true) {
            backwards.push(at);
            match before[at] {
                Some(previous) => at = previous as usize,
                None => return,
            }
        }
        let first = backwards.iter().position(|&node| node == at).unwrap_or(0);
        let mut cycle: Vec<usize> = backwards[first..].to_vec();
        cycle.reverse();
        // `cycle` now goes forward and ends at `at`, whose successor on the cycle is its first element.
        let mut line = self.line_to(at);
        let mut from = at;
        let length = cycle.len();
        for next in cycle {
            if let Some(joint) = self.joint_between(from, next) {
                line.push(joint);
            }
            from = next;
        }
        self.violation(ViolationKind::Cycle(length), |_| line.clone());
    }

    fn joint_between(&mut self, from: usize, to: usize) -> Option<Vec<MoveId>> {
        let state = self.nodes[from].state.clone();
        self.machine.load(&state);
        let mut joints = JointMoves::of(&mut *self.machine);
        let mut joint = Vec::new();
        while joints.next_into(&mut joint) {
            self.machine.load(&state);
            self.machine.step(&joint);
            if *self.machine.state() == self.nodes[to].state {
                return Some(joint);
            }
        }
        None
    }

    fn random_matches(&mut self, most_steps: usize, seed: u64, budget: &Budget) {
        let mut rng = Rng::with_seed(seed);
        while !budget.is_spent() {
            self.machine.load(&self.game.initial().clone());
            let mut line: Vec<Vec<MoveId>> = Vec::new();
            let mut joint = Vec::new();
            loop {
                let looked = self.look(|_| line.clone());
                if budget.is_spent() || self.fault(|_| line.clone()) {
                    return;
                }
                if looked.is_none() {
                    break;
                }
                if line.len() >= most_steps {
                    self.violation(ViolationKind::TooLong, |_| line.clone());
                    break;
                }
                if choose_joint(&mut *self.machine, &mut rng, &mut joint).is_err() {
                    break;
                }
                self.machine.step(&joint);
                line.push(joint.clone());
            }
            self.result.matches += 1;
        }
    }
}
