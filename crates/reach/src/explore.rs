//! Exploration: what the reachable states show about a game.
//!
//! States are enumerated breadth-first. If that ends within the budget, the answers are certain: sizes, whether every
//! match ends, the best goal of each role. If not, the remaining time goes into random playouts, which can refute a
//! property by an example but never prove it.

use crate::{
    Coding, Edges, Enumeration, Limits, Monitor, NodeKind, Observer, Pause, ReachError, StateGraph, Workers, in_pool,
};
use ludens_analysis::{Explored, Length};
use ludens_budget::Budget;
use ludens_engine::playout::End;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, JointMoves, Machine, MoveId, Role, State, Successor};
use std::marker::PhantomData;
use std::time::Duration;

/// Time of an exploration if the budget has no deadline.
const TIME: Duration = Duration::from_secs(10);
/// Share of the time for enumeration; the rest is for playouts.
const SHARE: f64 = 0.7;
/// Bytes that states may take if the budget does not bound them.
const MEMORY: u64 = 1 << 30;
/// Number of states with which enumeration stops if the budget does not bound them.
const STATES: u64 = 2_000_000;
/// Maximum number of joint moves of a state that is expanded.
const JOINT_MOVES: u64 = 1 << 20;

/// Settings of an exploration. The budget bounds time, states and bytes.
#[derive(Clone, Copy, Debug)]
pub struct ExploreOptions {
    /// Steps after which a random playout counts as endless.
    pub most_steps: usize,
    /// Seed of the random playouts.
    pub seed: u64,
    /// Number of threads that enumerate states.
    pub threads: usize,
}

impl Default for ExploreOptions {
    fn default() -> ExploreOptions {
        ExploreOptions {
            most_steps: 2_000,
            seed: 1,
            threads: 1,
        }
    }
}

/// A way in which a game is not well-formed, with a line of play that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The fault.
    pub kind: ViolationKind,
    /// Joint moves from the initial state to the fault.
    pub line: Vec<Vec<MoveId>>,
}

/// Faults of games that exploration finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A role has no legal move in a state that is not terminal.
    NoLegalMove(Role),
    /// No goal value holds for a role in a terminal state.
    NoGoal(Role),
    /// Several goal values hold for a role in a terminal state.
    SeveralGoals(Role, Vec<u8>),
    /// The line returns to the state that it was in this many steps before its end.
    Cycle(usize),
    /// All reachable states were seen, and none of them is terminal.
    NoTerminal,
    /// A random playout reached the maximum number of steps.
    TooLong,
    /// The engine hit a limit.
    Fault(String),
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Distinct states seen.
    pub states: usize,
    /// Number of terminal states among them, and ends of random playouts.
    pub terminal: usize,
    /// Joint moves between them.
    pub transitions: u64,
    /// Number of random playouts.
    pub playouts: usize,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// Length of the longest match, if the exploration is complete and there is no cycle.
    pub longest: Option<usize>,
    /// Best goal value of each role in a terminal state.
    pub best: Vec<Option<u8>>,
    /// Maximum number of roles with a choice in the same state.
    pub choosers: usize,
    /// Sum of the goals of all players, if it is the same in all terminal states seen.
    pub sum: Option<u32>,
    /// Whether two terminal states have different sums of goals.
    pub sums_differ: bool,
    /// Whether the graph has cycles, if known.
    pub cyclic: Option<bool>,
    /// Faults of the game, one example of each kind.
    pub violations: Vec<Violation>,
}

impl Exploration {
    /// Returns the facts that the exploration decides.
    pub fn facts(&self) -> Explored {
        let unless = |is_refuted: bool| match is_refuted {
            true => Some(false),
            false => self.complete.then_some(true),
        };
        Explored {
            turn_taking: unless(self.choosers > 1),
            constant_sum: unless(self.terminal > 0 && self.sum.is_none()),
            length: self
                .complete
                .then(|| self.longest.map_or(Length::Unbounded, Length::Exactly)),
        }
    }

    /// Adds the goals of a terminal state.
    fn add_goals(&mut self, goals: &[(Role, Vec<u8>)]) {
        self.terminal += 1;
        for (role, values) in goals {
            if let Some(&value) = values.last() {
                let best = &mut self.best[role.index()];
                *best = Some(best.map_or(value, |best: u8| best.max(value)));
            }
        }
        let sum = goals.iter().try_fold(0, |sum, (_, values)| match values[..] {
            [value] => Some(sum + u32::from(value)),
            _ => None,
        });
        if self.terminal == 1 {
            self.sum = sum;
        }
        if self.sum.is_none() || self.sum != sum {
            (self.sum, self.sums_differ) = (None, true);
        }
    }
}

/// Explores a game within a budget. Without bounds in the budget it takes up to ten seconds, two million states and one
/// gibibyte.
pub fn explore(game: &Game, options: &ExploreOptions, budget: &Budget) -> Exploration {
    let budget = match budget.deadline() {
        Some(_) => budget.clone(),
        None => budget.within(TIME),
    };
    let mut explorer = Explorer::new(game);
    let graph = in_pool(options.threads, || explorer.enumerate(&budget.share(SHARE)));
    match graph {
        Ok(graph) => explorer.conclude(&graph),
        Err(error) => explorer.violation(ViolationKind::Fault(error.to_string()), &[]),
    }
    if !explorer.result.complete && !explorer.is_at_fault() {
        explorer.play_randomly(options, &budget);
    }
    explorer.result
}

/// What matters about a state.
enum Seen {
    Inner,
    Stuck(Role),
    Terminal(State),
}

/// Passes what matters about the states of a game to the explorer.
struct Scout<'a>(PhantomData<&'a Game>);

impl<'a> Observer for Scout<'a> {
    /// For each state the number of roles with a choice, and what else matters.
    type Notes = Vec<(usize, Seen)>;
    type Record = Explorer<'a>;

    fn observe(&self, notes: &mut Self::Notes, state: &Successor, kind: NodeKind) {
        let choosers = state.legal.values().filter(|moves| moves.len() > 1).count();
        let stuck = state.legal.values().position(Vec::is_empty);
        notes.push(match (kind, stuck) {
            (NodeKind::Terminal, _) => (0, Seen::Terminal(state.state.clone())),
            (NodeKind::Stuck, Some(role)) => (choosers, Seen::Stuck(Role(role as u8))),
            _ => (choosers, Seen::Inner),
        });
    }

    fn absorb(&self, explorer: &mut Explorer<'a>, notes: Self::Notes) {
        for (choosers, seen) in notes {
            let number = explorer.seen;
            explorer.seen += 1;
            explorer.result.choosers = explorer.result.choosers.max(choosers);
            match seen {
                Seen::Inner => {}
                Seen::Stuck(role) => explorer.mark(number, ViolationKind::NoLegalMove(role)),
                Seen::Terminal(state) => match explorer.goals(&state) {
                    Some(violations) => violations.into_iter().for_each(|kind| explorer.mark(number, kind)),
                    None => explorer.fault = explorer.fault.or(Some(number)),
                },
            }
        }
    }

    fn bytes(&self, _explorer: &Explorer<'a>, graph: usize) -> usize {
        graph
    }

    fn is_enough(&self, explorer: &Explorer<'a>) -> bool {
        explorer.fault.is_some()
    }
}

struct Explorer<'a> {
    game: &'a Game,
    /// Derives the goals of terminal states.
    machine: Box<dyn Machine>,
    result: Exploration,
    /// Number of states noted.
    seen: usize,
    /// Violations found by enumeration, each with the number of its state.
    marks: Vec<(usize, ViolationKind)>,
    /// The state whose goals the machine could not derive.
    fault: Option<usize>,
}

fn is_same(one: &ViolationKind, other: &ViolationKind) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

impl<'a> Explorer<'a> {
    fn new(game: &'a Game) -> Explorer<'a> {
        Explorer {
            game,
            machine: game.machine(),
            result: Exploration {
                best: vec![None; game.roles().len()],
                ..Exploration::default()
            },
            seen: 0,
            marks: Vec::new(),
            fault: None,
        }
    }

    /// Enumerates states as far as the budget allows.
    fn enumerate(&mut self, budget: &Budget) -> StateGraph {
        let coding = Coding::of_bits(self.game.initial().words().len().max(1));
        let mut graph = StateGraph::new(coding, self.game.initial());
        self.machine.set_deadline(budget.deadline());
        let workers: Workers<'_> = Workers::new(self.game).until(budget.deadline());
        let mut enumeration = Enumeration {
            workers: &workers,
            observer: &Scout(PhantomData),
            monitor: &Monitor::new(budget),
            limits: Limits {
                joint_moves: JOINT_MOVES,
                ..Limits::of(budget, MEMORY, STATES)
            },
        };
        let mut result = enumeration.grow(&mut graph, self, Pause::default());
        if matches!(result, Err(ReachError::Fault { .. })) && !budget.is_spent() {
            // Somewhere in the last batch. State by state it shows where.
            workers.dismiss_faulty();
            enumeration.limits.batch = 1;
            result = enumeration.grow(&mut graph, self, Pause::default());
        }
        let fault = match (result, self.fault) {
            // An answer that came too late is no fault of the rules.
            _ if budget.is_spent() => None,
            (Err(ReachError::Fault { cause, .. }), _) => Some((graph.expanded, cause)),
            (_, Some(number)) => self.machine.fault().map(|cause| (number, cause.to_string())),
            _ => None,
        };
        self.result.complete = graph.is_complete() && self.fault.is_none();
        if let Some((number, cause)) = fault {
            self.mark(number, ViolationKind::Fault(cause));
        }
        graph
    }

    fn mark(&mut self, number: usize, kind: ViolationKind) {
        if !self.marks.iter().any(|(_, other)| is_same(other, &kind)) {
            self.marks.push((number, kind));
        }
    }

    /// Takes the goals of a terminal state into account and returns what is wrong with them; `None` if the machine is
    /// at fault.
    fn goals(&mut self, state: &State) -> Option<Vec<ViolationKind>> {
        self.machine.load(state);
        let players = self.game.roles().filter(|&role| !self.game.is_random(role));
        let mut goals = Vec::new();
        for role in players {
            let mut values = self.machine.goal_values(role).to_vec();
            values.sort_unstable();
            goals.push((role, values));
        }
        if self.machine.fault().is_some() {
            return None;
        }
        self.result.add_goals(&goals);
        let wrong = goals.into_iter().filter_map(|(role, values)| match values.len() {
            0 => Some(ViolationKind::NoGoal(role)),
            1 => None,
            _ => Some(ViolationKind::SeveralGoals(role, values)),
        });
        Some(wrong.collect())
    }

    /// Draws conclusions from the graph: lines of play to violations, cycles, the longest match.
    fn conclude(&mut self, graph: &StateGraph) {
        (self.result.states, self.result.transitions) = (graph.states.len(), graph.transitions);
        let Some(edges) = &graph.edges else {
            return;
        };
        let levels = self.result.complete.then(|| edges.levels(true));
        let is_cyclic = levels.as_ref().map(|levels| levels.order.len() < edges.lists());
        self.result.cyclic = is_cyclic;
        if let Some(levels) = levels.as_ref().filter(|_| is_cyclic == Some(false)) {
            self.result.longest = levels.depths.iter().max().map(|&depth| depth as usize);
        }
        if self.marks.is_empty() && self.result.terminal > 0 && is_cyclic != Some(true) {
            return;
        }
        let paths = Paths::new(self.game, graph, edges);
        for (number, kind) in std::mem::take(&mut self.marks) {
            let line = paths.to(number);
            self.result.violations.push(Violation { kind, line });
        }
        if self.result.complete && self.result.terminal == 0 {
            let (kind, line) = (ViolationKind::NoTerminal, Vec::new());
            self.result.violations.push(Violation { kind, line });
        }
        let cycle = levels.filter(|_| is_cyclic == Some(true));
        self.result
            .violations
            .extend(cycle.and_then(|levels| paths.cycle(&levels.unresolved)));
    }

    fn is_at_fault(&self) -> bool {
        let mut violations = self.result.violations.iter();
        violations.any(|violation| matches!(violation.kind, ViolationKind::Fault(_)))
    }

    fn violation(&mut self, kind: ViolationKind, line: &[Vec<MoveId>]) {
        let mut known = self.result.violations.iter();
        if !known.any(|other| is_same(&other.kind, &kind)) {
            let line = line.to_vec();
            self.result.violations.push(Violation { kind, line });
        }
    }

    fn play_randomly(&mut self, options: &ExploreOptions, budget: &Budget) {
        self.machine = self.game.machine();
        self.machine.set_deadline(budget.deadline());
        let extent = Extent {
            seed: options.seed,
            playouts: usize::MAX,
            states: options.most_steps.saturating_add(1),
        };
        let mut play = RandomPlay::new(self.game, extent, budget);
        let mut line: Vec<Vec<MoveId>> = Vec::new();
        while let Some(visit) = play.next_state() {
            line.truncate(visit.depth);
            self.result.choosers = self.result.choosers.max(visit.choosers().count());
            match visit.end {
                None if visit.depth < options.most_steps => line.push(visit.joint.to_vec()),
                None | Some(End::TooLong | End::Stopped) => self.violation(ViolationKind::TooLong, &line),
                Some(End::Stuck(role)) => self.violation(ViolationKind::NoLegalMove(role), &line),
                Some(End::Terminal) => {
                    let wrong = self.goals(visit.state).unwrap_or_default();
                    wrong.into_iter().for_each(|kind| self.violation(kind, &line));
                }
                Some(End::Fault) => {}
            }
            let has_ended = visit.end.is_some() || visit.depth == options.most_steps;
            let fault = play.fault().or(self.machine.fault()).map(str::to_string);
            if budget.is_spent() {
                return;
            }
            if let Some(fault) = fault {
                return self.violation(ViolationKind::Fault(fault), &line);
            }
            self.result.playouts += usize::from(has_ended);
        }
    }
}

/// Finds lines of play in a graph.
struct Paths<'a> {
    game: &'a Game,
    graph: &'a StateGraph,
    edges: &'a Edges,
    /// The state from which each state was found first.
    parents: Vec<u32>,
}

impl<'a> Paths<'a> {
    fn new(game: &'a Game, graph: &'a StateGraph, edges: &'a Edges) -> Paths<'a> {
        let mut parents = vec![u32::MAX; graph.states.len()];
        for state in 0..edges.lists() {
            for &next in edges.of(state).iter().filter(|&&next| next != 0) {
                let parent = &mut parents[next as usize];
                *parent = (*parent).min(state as u32);
            }
        }
        Paths {
            game,
            graph,
            edges,
            parents,
        }
    }

    /// A shortest line from the initial state to a state.
    fn to(&self, state: usize) -> Vec<Vec<MoveId>> {
        let mut states = vec![state];
        let mut at = state;
        while self.parents[at] != u32::MAX {
            at = self.parents[at] as usize;
            states.push(at);
        }
        states.reverse();
        self.along(&states)
    }

    /// The first joint moves that lead from each state to the next.
    fn along(&self, states: &[usize]) -> Vec<Vec<MoveId>> {
        let mut machine = self.game.machine();
        let joints = states.windows(2).filter_map(|step| {
            let targets = self.edges.of(step[0]);
            let index = targets.iter().position(|&next| next as usize == step[1])?;
            machine.load(&self.graph.states.state(step[0]));
            let mut joints = JointMoves::of(&mut *machine);
            let mut joint = Vec::new();
            (0..=index).all(|_| joints.next_into(&mut joint)).then_some(joint)
        });
        joints.collect()
    }

    /// A line that returns to a state, given what a topological order left unresolved.
    fn cycle(&self, unresolved: &[u32]) -> Option<Violation> {
        // An unresolved state has an unresolved predecessor: going backwards must come to a state twice.
        let mut before: Vec<Option<usize>> = vec![None; unresolved.len()];
        for state in (0..unresolved.len()).filter(|&state| unresolved[state] > 0) {
            for &next in self.edges.of(state) {
                before[next as usize] = Some(state);
            }
        }
        let mut at = unresolved.iter().position(|&count| count > 0)?;
        let mut seen = vec![false; unresolved.len()];
        let mut backwards = Vec::new();
        while !std::mem::replace(&mut seen[at], true) {
            backwards.push(at);
            at = before[at]?;
        }
        let first = backwards.iter().position(|&state| state == at)?;
        // Forwards from the state at which going backwards began to repeat, and back to it.
        let cycle: Vec<usize> = std::iter::once(at)
            .chain(backwards[first..].iter().rev().copied())
            .collect();
        let mut line = self.to(at);
        line.extend(self.along(&cycle));
        let kind = ViolationKind::Cycle(cycle.len() - 1);
        Some(Violation { kind, line })
    }
}
