//! Fuzzy goal evaluation: degrees of truth of the goals, in the manner of Fluxplayer (Schiffel and Thielscher, 2007).
//!
//! A fluent that holds is true to the degree `p`, one that does not to `1 - p`; Yager norms join degrees along the
//! conditions of a goal. Where the fluent is some steps away, its degree lies between these two: the nearer, the truer
//! ([`crate::rules::distance`]), or the nearer what holds in its place ([`crate::rules::structures`]). A goal that
//! holds counts more the nearer the end is, one that does not the farther it is. The value of a state is the mean of
//! the goal values, weighted by their degrees.

use crate::rules::distance::Choice;
use crate::rules::formula::{Atom, Dependents, Graph, Incremental, Node};
use crate::rules::goals::GoalFormulas;
use crate::rules::leaves::Leaves;
use crate::rules::structures::Degrees;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, State};
use std::sync::Arc;

/// Settings of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The degree of a fluent that holds (p).
    pub truth: f64,
    /// The exponent of the Yager norm (q): the greater, the more the greatest degree counts alone.
    pub exponent: f64,
    /// Maximum number of conjunctions and disjunctions expanded from the goals; deeper conditions are Boolean leaves.
    pub most_joins: usize,
    /// Distances by which a false fluent gets a degree between true and false, if any.
    pub distances: Option<Choice>,
    /// Whether to give a false fluent a degree by the distance, along a successor relation, to the value that holds
    /// instead. Takes precedence over `distances`.
    pub structures: bool,
    /// Whether deeply nested conditions, as in rules that count, get a degree by the number of conditions missing.
    pub chains: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            truth: 0.75,
            exponent: 15.0,
            most_joins: 2_000,
            distances: Some(Choice::Both),
            structures: true,
            chains: true,
        }
    }
}

/// Evaluates states by degrees of truth of the goals.
pub struct Fuzzy {
    shared: Arc<Shared>,
    leaves: Leaves,
    structures: Option<Degrees>,
    /// The degree of each node, and whether it holds; a leaf of which neither is known counts as false.
    nodes: Incremental<(f64, bool)>,
}

struct Shared {
    settings: Settings,
    graph: Graph,
    /// For each role its goal values, each with the number of its output. The last output is the end.
    goals: Vec<Vec<(u8, usize)>>,
    dependents: Dependents,
}

impl Fuzzy {
    /// Creates the evaluator of a game; `None` if it is not compiled.
    pub fn new(game: &Game, settings: Settings) -> Option<Fuzzy> {
        if settings.chains
            && let Some(formulas) = GoalFormulas::with_chains(game, settings.most_joins)
            && let Some(fuzzy) = Fuzzy::of(game, settings, &formulas, true)
        {
            return Some(fuzzy);
        }
        let formulas = GoalFormulas::new(game, settings.most_joins)?;
        Fuzzy::of(game, settings, &formulas, false)
    }

    fn of(game: &Game, settings: Settings, formulas: &GoalFormulas, counting: bool) -> Option<Fuzzy> {
        let mut outputs = Vec::new();
        let mut goals = Vec::new();
        for of_role in &formulas.goals {
            let mut numbered = Vec::new();
            for &(value, goal) in of_role {
                numbered.push((value, outputs.len()));
                outputs.push(goal);
            }
            goals.push(numbered);
        }
        outputs.push(formulas.terminal);
        let graph = Graph::merged(&formulas.store, &outputs);
        let structures = settings
            .structures
            .then(|| Degrees::new(game, &graph.fluents()))
            .flatten();
        let mut leaves = Leaves::new(game, formulas, &graph, settings.distances);
        if counting {
            leaves = leaves.counting(game, &formulas.opaque)?;
        }
        let by_structures = |fluent| structures.as_ref().is_some_and(|degrees| degrees.applies_to(fluent));
        let dependents = graph.dependents(|fluent| !leaves.is_gradual(fluent) && !by_structures(fluent));
        Some(Fuzzy {
            leaves,
            structures,
            nodes: Incremental::new(graph.nodes.len()),
            shared: Arc::new(Shared {
                settings,
                graph,
                goals,
                dependents,
            }),
        })
    }

    /// Number of fluents of the goals that are measured by distances.
    pub fn distances(&self) -> usize {
        self.leaves.gradual()
    }

    /// Number of fluents of the goals that are measured along orders of constants.
    pub fn structures(&self) -> usize {
        self.structures.as_ref().map_or(0, Degrees::count)
    }

    /// Number of leaves whose missing conditions are counted.
    pub fn chains(&self) -> usize {
        self.leaves.chains()
    }

    fn compute(&mut self, state: &State) {
        let Fuzzy {
            shared,
            leaves,
            structures,
            nodes,
        } = self;
        leaves.go_to(state);
        let Settings { truth, exponent, .. } = shared.settings;
        let leaf = |atom: Atom| {
            let by_structure = match (&structures, atom) {
                (Some(structures), Atom::Fluent(fluent)) if !state.holds(fluent) => structures.of(state, fluent),
                _ => None,
            };
            by_structure.or_else(|| leaves.degree(state, atom))
        };
        let graph = &shared.graph;
        nodes.go_to(state, &shared.dependents, |place, values| {
            let node = graph.nodes[place];
            let operands = graph.operands_of(node).iter().map(|&operand| values[operand as usize]);
            let degrees = operands.clone().map(|(degree, _)| degree);
            let mut truths = operands.map(|(_, holds)| holds);
            match node {
                Node::Constant(value) => (f64::from(u8::from(value)), value),
                Node::Unknown => (0.5, false),
                Node::Leaf(atom, negated) => match leaf(atom) {
                    Some(degree) => {
                        let truth = (1.0 - truth) + (2.0 * truth - 1.0) * degree;
                        let truth = if negated { 1.0 - truth } else { truth };
                        (truth, (degree == 1.0) != negated)
                    }
                    None => (0.5, false),
                },
                Node::All(..) => {
                    let degree = 1.0 - either(degrees.map(|degree| 1.0 - degree), exponent);
                    (degree, truths.all(|holds| holds))
                }
                Node::Any(..) => (either(degrees, exponent), truths.any(|holds| holds)),
            }
        });
    }
}

/// Returns the degree of a disjunction.
fn either(degrees: impl Iterator<Item = f64>, exponent: f64) -> f64 {
    let is_usual = exponent == 15.0;
    let power = |degree: f64| match is_usual {
        true => degree.powi(15),
        false => degree.powf(exponent),
    };
    degrees.map(power).sum::<f64>().powf(1.0 / exponent).min(1.0)
}

impl Evaluator for Fuzzy {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.compute(state);
        let Shared {
            settings,
            graph,
            goals: of_roles,
            ..
        } = &*self.shared;
        let end = graph.outputs.last().map_or(0.0, |&end| self.nodes.value(end).0);
        for (goal, of_role) in goals.iter_mut().zip(of_roles) {
            let total: f64 = of_role.iter().map(|&(value, _)| f64::from(value)).sum();
            let weighted = of_role.iter().map(|&(value, number)| {
                let (degree, holds) = self.nodes.value(graph.outputs[number]);
                let degree = match holds {
                    true => either([degree, end].into_iter(), settings.exponent),
                    false => 1.0 - either([1.0 - degree, end].into_iter(), settings.exponent),
                };
                f64::from(value) * degree
            });
            *goal = if total > 0.0 {
                100.0 * weighted.sum::<f64>() / total
            } else {
                50.0
            };
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Fuzzy {
            shared: self.shared.clone(),
            leaves: self.leaves.clone(),
            structures: self.structures.clone(),
            nodes: self.nodes.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::leaves::tests::counting;
    use ludens_engine::{Machine, MoveId, Role};
    use ludens_testkit::library;

    fn play(game: &Game, machine: &mut dyn Machine, texts: &[&str]) {
        let joint: Vec<MoveId> = game
            .roles()
            .zip(texts)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        machine.step(&joint);
    }

    #[test]
    fn norms_are_those_of_yager() {
        assert!((either([0.75, 0.25].into_iter(), 15.0) - 0.75).abs() < 1e-8);
        assert!((either([0.75, 0.75].into_iter(), 15.0) - 0.75 * 2f64.powf(1.0 / 15.0)).abs() < 1e-12);
        assert!((either([0.6, 0.8].into_iter(), 2.0) - 1.0).abs() < 1e-12);
        assert_eq!(either([0.9, 0.9].into_iter(), 2.0), 1.0);
        assert_eq!(either(std::iter::empty(), 15.0), 0.0);
    }

    #[test]
    fn a_longer_line_gets_a_higher_evaluation() {
        let game = library("tic-tac-toe");
        let mut fuzzy = Fuzzy::new(&game, Settings::default()).unwrap();
        let mut machine = game.machine();
        let mut values = Vec::new();
        let mut goals = [0.0; 2];
        for texts in [
            ["(mark 1 1)", "noop"],
            ["noop", "(mark 2 3)"],
            ["(mark 1 2)", "noop"],
            ["noop", "(mark 3 3)"],
        ] {
            fuzzy.evaluate(machine.state(), &mut goals);
            values.push(goals[0]);
            play(&game, &mut *machine, &texts);
        }
        assert!(values[1] > values[0], "{values:?}");
        assert!(values[3] > values[2], "{values:?}");
        assert!((0.0..=100.0).contains(&values[0]));
        let mut again = [0.0; 2];
        let mut other = fuzzy.another();
        fuzzy.evaluate(machine.state(), &mut goals);
        other.evaluate(machine.state(), &mut again);
        assert_eq!(goals, again);
        assert_eq!(game.role_name(Role(0)), "x");
    }

    #[test]
    fn the_degree_of_a_chain_grows_as_fewer_conditions_are_missing() {
        let game = counting();
        let settings = |chains| Settings {
            chains,
            ..Settings::default()
        };
        let mut with = Fuzzy::new(&game, settings(true)).unwrap();
        assert!(with.chains() > 0);
        assert_eq!(Fuzzy::new(&game, settings(false)).unwrap().chains(), 0);
        let mut machine = game.machine();
        let mut values = Vec::new();
        for cell in [5, 3, 1, 7, 8, 2] {
            let mut goal = [0.0];
            with.evaluate(machine.state(), &mut goal);
            values.push(goal[0]);
            play(&game, &mut *machine, &[&format!("(take {cell})")]);
        }
        assert!(values.windows(2).all(|pair| pair[1] > pair[0]), "{values:?}");
    }
}
