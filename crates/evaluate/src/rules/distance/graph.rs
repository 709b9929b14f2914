//! Fluent graphs from ground programs.

use super::{Choice, NEVER};
use ludens_budget::Budget;
use ludens_engine::Fluent;
use ludens_gdl::normal::Term;
use ludens_ground::{Condition, GroundProgram, Proposition, RoleMap, Signal};

/// Conditions that may be looked at while a graph is built.
const MOST_WORK: usize = 20_000_000;
/// How deep conditions are followed.
const MOST_DEPTH: usize = 12;
/// Sets of fluents that are kept as the origin of one.
const MOST_ORIGINS: usize = 256;

/// For every fluent those of which one must hold before it comes to hold.
pub(super) struct FluentGraph {
    origins: Vec<Vec<Fluent>>,
    /// Whether a fluent may come to hold without any other.
    from_nothing: Vec<bool>,
}

impl FluentGraph {
    /// `None` if it is too much work, or the budget is spent.
    pub(super) fn new(program: &GroundProgram, choice: Choice, budget: &Budget) -> Option<FluentGraph> {
        let mut builder = Builder {
            program,
            choice,
            levels: levels(program, budget)?,
            legal: legal(program),
            work: 0,
        };
        let fluents = program.names.fluents.len();
        let mut graph = FluentGraph {
            origins: vec![Vec::new(); fluents],
            from_nothing: vec![false; fluents],
        };
        for &(fluent, proposition) in &program.next {
            match builder.origins_of(proposition, fluent, &[], 0) {
                Some(origins) => graph.origins[fluent.index()] = origins,
                None => graph.from_nothing[fluent.index()] = true,
            }
            if builder.work > MOST_WORK || budget.is_spent() {
                return None;
            }
        }
        Some(graph)
    }

    /// Returns the distance from every fluent to one, and that from no fluent at all.
    pub(super) fn distances_to(&self, target: Fluent) -> (Vec<u16>, u16) {
        let mut distances = vec![NEVER; self.origins.len()];
        let mut from_nothing = NEVER;
        let mut open = vec![target];
        if let Some(own) = distances.get_mut(target.0 as usize) {
            *own = 0;
        } else {
            open.clear();
        }
        let mut steps = 0;
        while !open.is_empty() && steps < NEVER - 1 {
            steps += 1;
            let mut next = Vec::new();
            for fluent in open {
                if self.from_nothing[fluent.index()] {
                    from_nothing = from_nothing.min(steps);
                }
                for &origin in &self.origins[fluent.index()] {
                    if distances[origin.index()] == NEVER {
                        distances[origin.index()] = steps;
                        next.push(origin);
                    }
                }
            }
            open = next;
        }
        (distances, from_nothing)
    }

    /// Returns whether a fluent can come to hold.
    pub(super) fn comes(&self, fluent: Fluent) -> bool {
        let mut origins = self.origins[fluent.index()].iter();
        self.from_nothing[fluent.index()] || origins.any(|&origin| origin != fluent)
    }

    #[cfg(test)]
    pub(super) fn origins(&self, fluent: Fluent) -> &[Fluent] {
        &self.origins[fluent.0 as usize]
    }
}

struct Builder<'a> {
    program: &'a GroundProgram,
    choice: Choice,
    levels: Vec<u32>,
    legal: RoleMap<Vec<Option<Proposition>>>,
    work: usize,
}

impl Builder<'_> {
    /// Fluents of which one holds wherever the proposition does, chosen for a target; `None` if it may hold where none
    /// of them does. Conditions that need the target itself do not tell how it comes to hold. `edges` are origins that
    /// the target has already, in order: a way that needs one of them needs no other.
    fn origins_of(
        &mut self,
        proposition: Proposition,
        target: Fluent,
        edges: &[Fluent],
        depth: usize,
    ) -> Option<Vec<Fluent>> {
        let program = self.program;
        let mut all = Vec::new();
        let mut edges = edges.to_vec();
        for body in program.instances_of(proposition) {
            self.work += body.len();
            if depth > MOST_DEPTH || self.work > MOST_WORK {
                return None;
            }
            let origins = self.origins_of_body(body, target, &edges, depth)?;
            for set in [&mut all, &mut edges] {
                set.extend_from_slice(&origins);
                set.sort_unstable();
                set.dedup();
            }
            if all.len() > MOST_ORIGINS {
                return None;
            }
        }
        Some(all)
    }

    fn origins_of_body(
        &mut self,
        body: &[Condition],
        target: Fluent,
        edges: &[Fluent],
        depth: usize,
    ) -> Option<Vec<Fluent>> {
        let positive = || body.iter().filter(|condition| !condition.negated);
        if positive().any(|condition| condition.signal == Signal::Fluent(target)) {
            return Some(vec![target]);
        }
        let mut fluents = positive().filter_map(|condition| match condition.signal {
            Signal::Fluent(number) => Some(number),
            Signal::Derived(_) | Signal::Move(..) => None,
        });
        if let Some(origin) = fluents.find(|fluent| edges.binary_search(fluent).is_ok()) {
            return Some(vec![origin]);
        }
        let mut best: Option<((bool, f64, f64), Vec<Fluent>)> = None;
        for condition in positive() {
            let origins = match condition.signal {
                Signal::Fluent(number) => Some(vec![number]),
                Signal::Derived(other) => self.origins_of(other, target, edges, depth + 1),
                Signal::Move(role, number) => {
                    let legal = self.legal[role].get(number.index()).copied().flatten();
                    // A move that is never legal never happens.
                    legal.map_or(Some(Vec::new()), |legal| {
                        self.origins_of(legal, target, edges, depth + 1)
                    })
                }
            };
            let Some(origins) = origins else {
                continue;
            };
            let is_known = origins.iter().all(|origin| edges.binary_search(origin).is_ok());
            if origins.is_empty() || origins == [target] || is_known {
                return Some(origins);
            }
            let rank = self.rank(&origins, target);
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, origins));
            }
        }
        best.map(|(_, origins)| origins)
    }

    /// How good a set of origins is: the greater, the better. Whose turn it is is often late, but says little about how
    /// anything else comes about, so what does not look alike at all comes last.
    fn rank(&self, origins: &[Fluent], target: Fluent) -> (bool, f64, f64) {
        let terms = &self.program.names.fluents;
        let similar: u32 = origins
            .iter()
            .map(|&origin| similarity(&terms[origin.index()].term, &terms[target.index()].term))
            .sum();
        let similar = f64::from(similar) / origins.len() as f64;
        let level = origins.iter().map(|&origin| self.levels[origin.index()]).min();
        let level = f64::from(level.unwrap_or(0));
        match self.choice {
            Choice::Similar => (similar > 0.0, similar, -(origins.len() as f64)),
            Choice::Late | Choice::Both => (similar > 0.0, level, similar),
        }
    }
}

/// Returns the number of constants that two terms have in common at the same places.
fn similarity(one: &Term, other: &Term) -> u32 {
    match (one, other) {
        (Term::Constant(one), Term::Constant(other)) => u32::from(one == other),
        (Term::Function(name, one), Term::Function(other_name, other))
            if name == other_name && one.len() == other.len() =>
        {
            one.iter().zip(other).map(|(one, other)| similarity(one, other)).sum()
        }
        _ => 0,
    }
}

/// Returns for each role the proposition for the legality of each of its moves.
fn legal(program: &GroundProgram) -> RoleMap<Vec<Option<Proposition>>> {
    let roles = program.legal.values().zip(program.names.moves.values());
    roles
        .map(|(legal, moves)| {
            let mut by_move = vec![None; moves.len()];
            for &(number, proposition) in legal {
                by_move[number.index()] = Some(proposition);
            }
            by_move
        })
        .collect()
}

/// Returns the earliest step at which each fluent can hold in the relaxed game: without negations, and with everything
/// kept that ever held. `None` if it is too much work, or the budget is spent.
fn levels(program: &GroundProgram, budget: &Budget) -> Option<Vec<u32>> {
    let never = u32::MAX;
    let legal = legal(program);
    let mut fluents = vec![never; program.names.fluents.len()];
    for &fluent in &program.initial {
        fluents[fluent.index()] = 0;
    }
    let mut propositions = vec![never; program.propositions()];
    let mut work = 0;
    loop {
        let mut is_changed = false;
        for proposition in Proposition::first(program.propositions()) {
            let mut least = propositions[proposition.index()];
            for body in program.instances_of(proposition) {
                work += body.len();
                let positive = body.iter().filter(|condition| !condition.negated);
                let needed = positive.map(|condition| match condition.signal {
                    Signal::Fluent(number) => fluents[number.index()],
                    Signal::Derived(other) => propositions[other.index()],
                    Signal::Move(role, number) => {
                        let legal = legal[role].get(number.index()).copied().flatten();
                        legal.map_or(never, |legal| propositions[legal.index()])
                    }
                });
                least = least.min(needed.max().unwrap_or(0));
            }
            is_changed |= least < propositions[proposition.index()];
            propositions[proposition.index()] = least;
        }
        for &(fluent, proposition) in &program.next {
            let level = propositions[proposition.index()].saturating_add(1);
            if level < fluents[fluent.index()] {
                fluents[fluent.index()] = level;
                is_changed = true;
            }
        }
        if !is_changed {
            return Some(fluents);
        }
        if work > MOST_WORK || budget.is_spent() {
            return None;
        }
    }
}
