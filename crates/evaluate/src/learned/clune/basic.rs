//! The quantities measured in a state: solutions of expressions, distances along orders, conditions that are met in
//! part.

use crate::learned::features::pattern;
use crate::rules::formula::{Atom, Dependents, Graph, Incremental, Node, Opaque};
use crate::rules::goals::GoalFormulas;
use crate::rules::leaves::Leaves;
use crate::rules::structures::Structures;
use ludens_engine::{Fluent, Game, Role, State};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::sync::Arc;

/// A measured quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basic {
    /// The number of solutions of an expression.
    Count(Term),
    /// Nearness of all fluents that could come to match an expression: 1 for each that does, less the farther it is.
    Near(Way),
    /// Distance of the nearest of them in steps; more than the longest way if there is none.
    Least(Way),
    /// The share of the conditions of a goal, or of the end, that are met, where several ways lead there of the best.
    Part(Asked),
}

/// A goal, or the end, whose conditions can be met in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A goal value of a role.
    Goal(Role, u8),
    /// The end of the match.
    End,
}

/// A way to an expression that has constants in ordered arguments, as `(cell ?x 8 white)`: other values of these
/// arguments are a number of steps away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The expression.
    target: Term,
    /// The same with variables in the place of the constants.
    source: Term,
    /// The arguments with their constants.
    ends: Vec<(usize, Symbol)>,
    /// The longest way.
    greatest: u32,
}

impl Way {
    /// To an expression; `None` if no constant of it stands in an ordered argument.
    pub(super) fn new(target: &Term, structures: &Structures) -> Option<Way> {
        let (kind, args) = target.parts()?;
        let mut ends = Vec::new();
        let mut greatest = 0;
        let mut source = args.to_vec();
        let mut next = pattern::variables(target);
        for (place, arg) in args.iter().enumerate() {
            let Term::Constant(value) = arg else {
                continue;
            };
            let Some(longest) = structures
                .order_of(kind, place)
                .and_then(|order| order.greatest(*value))
            else {
                continue;
            };
            ends.push((place, *value));
            greatest += longest;
            source[place] = Term::Variable(next);
            next += 1;
        }
        (greatest > 1).then(|| Way {
            target: target.clone(),
            source: pattern::numbered(&Term::Function(kind.0, source)),
            ends,
            greatest,
        })
    }

    /// How far a fluent is away, if it is one that could come to fit.
    fn distance(&self, fluent: &Term, structures: &Structures) -> Option<u32> {
        if !pattern::is_instance(&self.source, fluent) {
            return None;
        }
        let (kind, args) = fluent.parts()?;
        let mut sum = 0;
        for &(place, end) in &self.ends {
            let Term::Constant(value) = args[place] else {
                return None;
            };
            sum += structures.order_of(kind, place)?.distance(value, end)?;
        }
        Some(sum)
    }
}

impl Basic {
    /// For people.
    pub fn text(&self, game: &Game) -> String {
        let text = |term| pattern::text(term, game.vocabulary().symbols());
        match self {
            Basic::Count(term) => text(term),
            Basic::Near(way) => format!("nearness to {}", text(&way.target)),
            Basic::Least(way) => format!("distance to {}", text(&way.target)),
            Basic::Part(Asked::End) => "part of terminal".to_string(),
            Basic::Part(Asked::Goal(role, value)) => format!("part of (goal {} {value})", game.role_name(*role)),
        }
    }

    /// Its value where no fluent holds.
    fn start(&self) -> f32 {
        match self {
            Basic::Least(way) => way.greatest as f32 + 1.0,
            _ => 0.0,
        }
    }

    /// Returns what a fluent that holds brings: to be added, or for distances the least of all.
    fn amount(&self, fluent: &Term, structures: &Structures) -> Option<f32> {
        match self {
            Basic::Count(term) => pattern::is_instance(term, fluent).then_some(1.0),
            Basic::Near(way) => {
                let distance = way.distance(fluent, structures)?;
                Some(1.0 - distance as f32 / way.greatest as f32)
            }
            Basic::Least(way) => way.distance(fluent, structures).map(|distance| distance as f32),
            Basic::Part(_) => None,
        }
    }
}

/// Contributions of a fluent that holds, by measure.
#[derive(Clone, Default)]
struct Brings {
    /// To be added.
    added: Box<[(u32, f32)]>,
    /// Distances, of which the least counts.
    steps: Box<[(u32, f32)]>,
}

/// Measures some things in states.
#[derive(Clone)]
pub(super) struct Meter {
    game: Game,
    structures: Arc<Structures>,
    basics: Arc<[Basic]>,
    /// Their values where no fluent holds.
    starts: Arc<[f32]>,
    /// By fluent, what it adds; `None` if it was not looked up yet.
    brings: Vec<Option<Brings>>,
    parts: Option<Parts>,
    /// Which of them are shares of conditions, with their outputs.
    shares: Arc<[(usize, usize)]>,
}

impl Meter {
    pub(super) fn new(game: &Game, structures: &Arc<Structures>, basics: Vec<Basic>, parts: Option<Parts>) -> Meter {
        let place = |asked: Asked| parts.as_ref()?.asked.iter().position(|&known| known == asked);
        let shares: Vec<(usize, usize)> = (basics.iter().enumerate())
            .filter_map(|(number, basic)| match basic {
                Basic::Part(asked) => Some((number, place(*asked)?)),
                _ => None,
            })
            .collect();
        Meter {
            game: game.clone(),
            structures: structures.clone(),
            parts: parts.filter(|_| !shares.is_empty()),
            shares: shares.into(),
            starts: basics.iter().map(Basic::start).collect(),
            basics: basics.into(),
            brings: Vec::new(),
        }
    }

    /// The same, with known solutions of the first quantities for some fluents, which saves looking for them.
    pub(super) fn with_solutions(mut self, known: impl Iterator<Item = (Fluent, Vec<u32>)>, first: usize) -> Meter {
        for (fluent, solutions) in known {
            let solutions = solutions.into_iter().map(|basic| (basic, 1.0)).collect();
            self.look(fluent, solutions, first);
        }
        self
    }

    /// Finds out what a fluent brings to the things from the first one on; what it adds to the others is known.
    fn look(&mut self, fluent: Fluent, mut added: Vec<(u32, f32)>, first: usize) {
        let named = self.game.vocabulary().fluent_name(fluent);
        let mut steps = Vec::new();
        for (number, basic) in (0..).zip(&*self.basics).skip(first) {
            if let Some(amount) = basic.amount(&named.term, &self.structures) {
                let list = if let Basic::Least(_) = basic {
                    &mut steps
                } else {
                    &mut added
                };
                list.push((number, amount));
            }
        }
        let number = fluent.0 as usize;
        if number >= self.brings.len() {
            self.brings.resize(number + 1, None);
        }
        self.brings[number] = Some(Brings {
            added: added.into(),
            steps: steps.into(),
        });
    }

    /// Writes the measures of a state.
    pub(super) fn measure(&mut self, state: &State, values: &mut [f32]) {
        values.copy_from_slice(&self.starts);
        for fluent in state.fluents() {
            if self.brings.get(fluent.0 as usize).is_none_or(Option::is_none) {
                self.look(fluent, Vec::new(), 0);
            }
            let Some(brings) = &self.brings[fluent.0 as usize] else {
                continue;
            };
            for &(number, amount) in &brings.added {
                values[number as usize] += amount;
            }
            for &(number, steps) in &brings.steps {
                let value = &mut values[number as usize];
                *value = value.min(steps);
            }
        }
        if let Some(parts) = &mut self.parts {
            parts.compute(state);
            for &(number, output) in &*self.shares {
                values[number] = parts.of(output);
            }
        }
    }
}

/// Returns a fluent with the same variable in the place of all ordered arguments: what fluents of a family have in
/// common.
fn without_ordered(fluent: &Term, structures: &Structures) -> Term {
    let Some((kind, args)) = fluent.parts().filter(|(_, args)| !args.is_empty()) else {
        return fluent.clone();
    };
    let args = args
        .iter()
        .enumerate()
        .map(|(place, arg)| match structures.order_of(kind, place) {
            Some(_) => Term::Variable(0),
            None => arg.clone(),
        });
    Term::Function(kind.0, args.collect())
}

/// Returns what two fluents of a family have in common, with a variable of its own for each argument in which they
/// differ.
fn common(one: &Term, other: &Term) -> Term {
    match (one, other) {
        (Term::Function(name, args), Term::Function(_, others)) => {
            let pairs = (0..).zip(args.iter().zip(others));
            let args = pairs.map(|(place, (arg, other))| match arg == other {
                true => arg.clone(),
                false => Term::Variable(place),
            });
            Term::Function(*name, args.collect())
        }
        _ => one.clone(),
    }
}

/// Joins of conditions that are opened.
const MOST_JOINS: usize = 512;
/// With more conditions than this, opened or not, it takes too long to see which are met: evaluations must be cheap.
const MOST_CONDITIONS: usize = 2_000;

/// Which share of the conditions of goals and of the end is met.
#[derive(Clone)]
pub(super) struct Parts {
    graph: Arc<Graph>,
    /// The goal or end of each output of the graph.
    pub(super) asked: Arc<[Asked]>,
    /// Whether it takes little time to see which conditions are met.
    pub(super) is_cheap: bool,
    leaves: Leaves,
    dependents: Arc<Dependents>,
    nodes: Incremental<f32>,
}

impl Parts {
    /// Creates them for a game; `None` if it is not compiled.
    pub(super) fn new(game: &Game) -> Option<Parts> {
        let formulas = GoalFormulas::new(game, MOST_JOINS)?;
        let (mut asked, mut outputs) = (Vec::new(), Vec::new());
        for (role, goals) in game.roles().zip(&formulas.goals) {
            for &(value, goal) in goals {
                asked.push(Asked::Goal(role, value));
                outputs.push(goal);
            }
        }
        asked.push(Asked::End);
        outputs.push(formulas.terminal);
        let graph = Graph::merged(&formulas.store, &outputs);
        let opaque = Opaque::new(game, &formulas.opaque, MOST_CONDITIONS);
        Some(Parts {
            leaves: Leaves::new(game, &formulas, &graph, None),
            is_cheap: opaque.is_some() && graph.operands.len() <= MOST_CONDITIONS,
            dependents: Arc::new(graph.dependents(|_| true)),
            nodes: Incremental::new(graph.nodes.len()),
            graph: Arc::new(graph),
            asked: asked.into(),
        })
    }

    fn compute(&mut self, state: &State) {
        let Parts {
            graph,
            leaves,
            dependents,
            nodes,
            ..
        } = self;
        leaves.go_to(state);
        nodes.go_to(state, dependents, |place, values| {
            let node = graph.nodes[place];
            let operands = graph.operands_of(node);
            let of_operands = operands.iter().map(|&operand| values[operand as usize]);
            match node {
                Node::Constant(value) => f32::from(u8::from(value)),
                Node::Unknown => 0.5,
                Node::Leaf(atom, negated) => match leaves.holds(state, atom) {
                    Some(holds) => f32::from(u8::from(holds != negated)),
                    None => 0.5,
                },
                Node::All(..) => of_operands.sum::<f32>() / operands.len() as f32,
                Node::Any(..) => of_operands.fold(0.0, f32::max),
            }
        });
    }

    /// Returns what goals and the end ask for, as expressions: the fluents that they are made of, where those that
    /// differ in ordered arguments only are one, with a variable for each argument in which they differ.
    pub(super) fn aims(&self, game: &Game, structures: &Structures) -> Vec<(Asked, Term)> {
        let mut aims: Vec<(Asked, Term)> = Vec::new();
        for (&asked, &output) in self.asked.iter().zip(&self.graph.outputs) {
            let mut is_seen = vec![false; self.graph.nodes.len()];
            let mut open = vec![output];
            let mut groups: Vec<(Term, Term)> = Vec::new();
            while let Some(place) = open.pop() {
                if std::mem::replace(&mut is_seen[place as usize], true) {
                    continue;
                }
                let node = self.graph.nodes[place as usize];
                open.extend_from_slice(self.graph.operands_of(node));
                if let Node::Leaf(Atom::Fluent(fluent), false) = node {
                    let named = game.vocabulary().fluent_name(fluent);
                    let family = without_ordered(&named.term, structures);
                    match groups.iter_mut().find(|(known, _)| *known == family) {
                        Some((_, aim)) => *aim = common(aim, &named.term),
                        None => groups.push((family, named.term.clone())),
                    }
                }
            }
            aims.extend(groups.into_iter().map(|(_, aim)| (asked, pattern::numbered(&aim))));
        }
        aims
    }

    /// Returns the value of an output in the last state.
    fn of(&self, output: usize) -> f32 {
        self.nodes.value(self.graph.outputs[output])
    }
}
