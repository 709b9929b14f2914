//! The conditions of all goal values and of `terminal`, as formulas of a bounded size.
//!
//! Conditions are opened level by level from the goals down, so that a limit on the number of joins only bites far from
//! them. Conditions beyond the limit and recursive conditions stay leaves, which are either true or false in a state:
//! [`Opaque`](crate::rules::formula::Opaque) finds out which. Chains of conditions that carry a number from step to
//! step, as rules that count, are nested as deep as they are long; where it is asked for, they stay leaves from the
//! start, and it is counted how many of their conditions are missing.

use crate::rules::formula::{Extractor, Formula, Formulas, Recursion, TooLarge, View};
use crate::rules::neural::{Aggregate, Settings};
use ludens_analysis::{GoalValue, Verdict, goal_values};
use ludens_budget::Budget;
use ludens_engine::{Game, StepCost};
use ludens_ground::order::groups;
use ludens_ground::{GroundProgram, Proposition, Signal};
use std::collections::VecDeque;
use std::sync::Arc;

/// Parts of formulas that are stored at most, for each join.
const PARTS_FOR_A_JOIN: usize = 64;

/// Conditions that are nested deeper than this are chains.
const DEEP: usize = 6;

/// Goals with at most this many instances are opened however deep they are.
const FEW_CONDITIONS: usize = 4;

/// Returns whether to try proofs about a game: without a clock nothing ends them, so only where steps are cheap.
pub(crate) fn may_prove(game: &Game, budget: &Budget) -> bool {
    budget.deadline().is_some() || game.engine().step_cost() <= StepCost::Moderate
}

/// For each role the goal values that are proved not to occur in terminal states: rules may give goals to other states.
#[derive(Default)]
pub(crate) struct NoResults(pub(crate) Vec<Vec<u8>>);

impl NoResults {
    /// Returns those of a game.
    pub(crate) fn of(game: &Game, budget: &Budget) -> Arc<NoResults> {
        if let Some(kept) = game.kept::<NoResults>() {
            return kept;
        }
        if !may_prove(game, budget) {
            return Arc::default();
        }
        let refuted = |goals: Vec<GoalValue>| -> Vec<u8> {
            let refuted = goals.into_iter().filter(|goal| goal.occurs == Verdict::No);
            refuted.map(|goal| goal.value).collect()
        };
        let found = goal_values(game, budget).unwrap_or_default();
        let found = NoResults(found.into_iter().map(refuted).collect());
        match budget.is_spent() {
            // With more time there may be more of them.
            true => Arc::new(found),
            false => game.keep(found),
        }
    }

    fn has(&self, role: usize, value: u8) -> bool {
        self.0.get(role).is_some_and(|values| values.contains(&value))
    }

    /// Returns for each role how its goal values are aggregated.
    pub(crate) fn aggregates(&self, goals: &[Vec<(u8, Formula)>], settings: &Settings) -> Vec<Aggregate> {
        let of_role = |(role, goals): (usize, &Vec<(u8, Formula)>)| {
            let values = goals.iter().map(|goal| goal.0).filter(|&value| !self.has(role, value));
            Aggregate::new(settings.aggregation, settings.usual, values.collect())
        };
        goals.iter().enumerate().map(of_role).collect()
    }

    /// Returns the conditions of the goal values that the aggregates need, and for each role these values with the
    /// number of the condition. Ways in which a goal only holds while the match goes on are left out, as far as that is
    /// plain to see.
    pub(crate) fn wanted(
        &self,
        store: &mut Formulas,
        goals: &[Vec<(u8, Formula)>],
        terminal: Formula,
        aggregates: &[Aggregate],
    ) -> (Vec<Formula>, Vec<Vec<(u8, usize)>>) {
        let mut wanted = Vec::new();
        let mut numbered = vec![Vec::new(); goals.len()];
        for (role, (of_role, aggregate)) in goals.iter().zip(aggregates).enumerate() {
            for &(value, goal) in of_role {
                if aggregate.needs(value) && !self.has(role, value) {
                    numbered[role].push((value, wanted.len()));
                    wanted.push(at_end(store, goal, terminal));
                }
            }
        }
        (wanted, numbered)
    }
}

/// Goals that hold in more ways than this are left as they are.
const MOST_WAYS: usize = 16;

/// Returns a goal without the ways in which it holds only while the match goes on: those that at its end follow from
/// the others, or cannot be.
fn at_end(store: &mut Formulas, goal: Formula, terminal: Formula) -> Formula {
    let mut ways = match store.view(goal) {
        View::Any(ways) if ways.len() <= MOST_WAYS => ways.to_vec(),
        _ => return goal,
    };
    let mut place = 0;
    while place < ways.len() && ways.len() > 1 {
        let way = ways.remove(place);
        let others = store.any(&ways).and_then(|others| store.negate(others));
        let alone = others.and_then(|others| store.all(&[way, others, terminal]));
        if alone != Ok(Formula::NEVER) {
            ways.insert(place, way);
            place += 1;
        }
    }
    store.any(&ways).unwrap_or(goal)
}

/// The conditions of goals and of the end.
#[derive(Clone, Debug)]
pub struct GoalFormulas {
    /// Where they are stored.
    pub store: Formulas,
    /// For each role its goal values, in increasing order, each with its condition.
    pub goals: Vec<Vec<(u8, Formula)>>,
    /// The condition of `terminal`.
    pub terminal: Formula,
    /// The propositions that stay leaves.
    pub opaque: Vec<Proposition>,
}

impl GoalFormulas {
    /// Extracts them from a game, with about `most_joins` joins at most; `None` if the game is not compiled.
    pub fn new(game: &Game, most_joins: usize) -> Option<GoalFormulas> {
        let program = &game.engine().circuit()?.program;
        let mut store = Formulas::new(most_joins.saturating_mul(PARTS_FOR_A_JOIN).max(1 << 16));
        GoalFormulas::within(program, &mut store, most_joins, usize::MAX)
    }

    /// The same, where deeply nested conditions stay leaves; `None` if there are none.
    pub fn with_chains(game: &Game, most_joins: usize) -> Option<GoalFormulas> {
        let program = &game.engine().circuit()?.program;
        let mut store = Formulas::new(most_joins.saturating_mul(PARTS_FOR_A_JOIN).max(1 << 16));
        let depth = depths(program);
        let is_deep = asked(program).any(|proposition| {
            let depth = depth[proposition.index()];
            depth > DEEP && depth < usize::MAX
        });
        is_deep.then(|| GoalFormulas::within(program, &mut store, most_joins, DEEP))?
    }

    fn within(
        program: &GroundProgram,
        store: &mut Formulas,
        most_joins: usize,
        most_depth: usize,
    ) -> Option<GoalFormulas> {
        // Even the goals may have more conditions than can be stored; then they are leaves themselves.
        for joins in [most_joins, 0] {
            if let Ok(formulas) = Opening::new(program, joins, most_depth).build(store) {
                return Some(formulas);
            }
        }
        None
    }
}

/// Decides which propositions are opened.
struct Opening<'a> {
    program: &'a GroundProgram,
    /// The propositions that goals and `terminal` are made of, each after the ones it is made of.
    order: Vec<Proposition>,
    is_opened: Vec<bool>,
    is_used: Vec<bool>,
}

impl<'a> Opening<'a> {
    fn new(program: &'a GroundProgram, most_joins: usize, most_depth: usize) -> Opening<'a> {
        let mut order = Vec::new();
        let mut is_closed = vec![false; program.propositions()];
        let depths = depths(program);
        for group in groups(program, asked(program)) {
            for &member in &group.members {
                is_closed[member.index()] = group.is_cyclic || depths[member.index()] > most_depth;
            }
            order.extend(group.members);
        }
        // Goals that are made of few conditions are opened in any case: some of these may not be deep.
        for goal in asked(program) {
            let conditions = program.derived(goal).len();
            is_closed[goal.index()] &= depths[goal.index()] == usize::MAX || conditions > FEW_CONDITIONS;
        }
        let mut opening = Opening {
            program,
            order,
            is_opened: vec![false; program.propositions()],
            is_used: vec![false; program.propositions()],
        };
        opening.open(&is_closed, most_joins);
        opening
    }

    /// Opens propositions level by level.
    fn open(&mut self, is_closed: &[bool], most_joins: usize) {
        let mut queue: VecDeque<Proposition> = asked(self.program).collect();
        let mut joins = 0;
        while let Some(proposition) = queue.pop_front() {
            if std::mem::replace(&mut self.is_used[proposition.index()], true) || is_closed[proposition.index()] {
                continue;
            }
            let bodies = self.program.derived(proposition);
            let conjunctions = self.program.instances_of(proposition).filter(|body| body.len() > 1);
            let more = conjunctions.count() + usize::from(bodies.len() > 1);
            if joins + more > most_joins {
                continue;
            }
            joins += more;
            self.is_opened[proposition.index()] = true;
            let conditions = self.program.instances_of(proposition).flatten();
            queue.extend(conditions.filter_map(|condition| match condition.signal {
                Signal::Derived(other) => Some(other),
                Signal::Fluent(_) | Signal::Move(..) => None,
            }));
        }
    }

    fn build(self, store: &mut Formulas) -> Result<GoalFormulas, TooLarge> {
        let used = self.order.into_iter().filter(|&used| self.is_used[used.index()]);
        let used: Vec<Proposition> = used.collect();
        let mut opaque: Vec<Proposition> = used.clone();
        opaque.retain(|&proposition| !self.is_opened[proposition.index()]);
        let extractor = Extractor::new(self.program, Recursion::Opaque);
        let mut extractor = extractor.with_leaves(opaque.iter().copied());
        for proposition in used {
            extractor.proposition(store, proposition)?;
        }
        let mut goals = Vec::new();
        for (role, of_role) in self.program.goals.iter() {
            let mut values: Vec<u8> = of_role.iter().map(|&(value, _)| value).collect();
            values.dedup();
            let formula = |value| Ok((value, extractor.goal(store, role, value)?));
            goals.push(values.into_iter().map(formula).collect::<Result<_, TooLarge>>()?);
        }
        let terminal = extractor.terminal(store)?;
        opaque.sort_unstable();
        Ok(GoalFormulas {
            store: store.clone(),
            goals,
            terminal,
            opaque,
        })
    }
}

/// How deep the conditions of each proposition of the goals and of the end are nested; without end where they depend on
/// themselves.
fn depths(program: &GroundProgram) -> Vec<usize> {
    let mut depths = vec![0; program.propositions()];
    for group in groups(program, asked(program)) {
        for &member in &group.members {
            let conditions = program.instances_of(member).flatten();
            let below = conditions.filter_map(|condition| match condition.signal {
                Signal::Derived(other) => Some(depths[other.index()]),
                Signal::Fluent(_) | Signal::Move(..) => None,
            });
            // Recursive conditions are leaves, so they add no depth.
            let below = below.filter(|&depth| depth < usize::MAX).max();
            depths[member.index()] = if group.is_cyclic {
                usize::MAX
            } else {
                1 + below.unwrap_or(0)
            };
        }
    }
    depths
}

/// Returns the propositions for goals and the end.
fn asked(program: &GroundProgram) -> impl Iterator<Item = Proposition> + '_ {
    let goals = program.goals.values().flatten().map(|&(_, proposition)| proposition);
    goals.chain(program.terminal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::formula::tests::truths;
    use crate::rules::formula::{Atom, Graph, Opaque};
    use ludens_engine::{Rng, playout};

    /// Returns what formulas say, with opaque leaves, is what the engine says.
    fn agree(name: &str, most_joins: usize) -> usize {
        let game = Game::read(ludens_library::find(name).unwrap().source()).unwrap();
        let formulas = GoalFormulas::new(&game, most_joins).unwrap();
        let mut opaque = Opaque::new(&game, &formulas.opaque, usize::MAX).unwrap();
        let mut outputs = vec![formulas.terminal];
        outputs.extend(formulas.goals.iter().flatten().map(|&(_, goal)| goal));
        let graph = Graph::merged(&formulas.store, &outputs);
        let mut rng = Rng::with_seed(4);
        let mut machine = game.machine();
        let mut joint = Vec::new();
        for _ in 0..5 {
            machine.load(game.initial());
            loop {
                let state = machine.state().clone();
                opaque.compute(&state);
                let truths = truths(&graph, |atom| match atom {
                    Atom::Fluent(fluent) => Some(state.holds(fluent)),
                    Atom::Proposition(number) => Some(opaque.holds(Proposition(number))),
                    Atom::Move(..) => None,
                });
                let mut expected = vec![Some(machine.is_terminal())];
                for role in game.roles() {
                    let held = machine.goal_values(role).to_vec();
                    let goals = formulas.goals[role.index()].iter();
                    expected.extend(goals.map(|(value, _)| Some(held.contains(value))));
                }
                assert_eq!(truths, expected, "{name}");
                if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                    break;
                }
                machine.step(&joint);
            }
        }
        formulas.opaque.len()
    }

    #[test]
    fn formulas_with_leaves_say_what_the_engine_says() {
        for name in [
            "tic-tac-toe",
            "connect-four",
            "breakthrough-small",
            "goofspiel-4",
            "tic-tac-toe-3-player",
        ] {
            for limit in [0, 1, 20, 512] {
                agree(name, limit);
            }
        }
        assert_eq!(agree("connect-four", 512), 0);
        assert!(agree("connect-four", 20) > 0);
    }
}
