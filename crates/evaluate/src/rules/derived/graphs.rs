//! How far values are from each other: graphs of the values of one argument, from relations that never change.
//!
//! Where the rules say that a fluent follows one of the same name in which an argument is another value, and that a
//! relation of two arguments holds between the two values, that relation is a step of the argument. Moves are taken as
//! what makes them legal, so that the steps of pieces count too, and relations as what they are made of. Only relations
//! are taken that never hold both ways.

use super::possible::{DOES, Nature, Possible, TRUE};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use ludens_analysis::orders::covering;
use ludens_budget::Budget;
use ludens_datalog::TermId;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Substitution, Term};
use ludens_gdl::{Relation, Symbol, keyword};

/// Values of an argument beyond which there is no graph.
const MOST_VALUES: usize = 1_000;
/// Ways to write the conditions of one rule that are looked at, and how often relations are replaced by their
/// conditions.
const MOST_WAYS: usize = 200;
const MOST_DEPTH: usize = 4;

/// An argument: the name of a fluent or relation, the number of its arguments, and which one.
type Argument = (Symbol, usize, usize);

/// Distances between values.
#[derive(Clone, Debug)]
pub(super) struct ValueGraph {
    places: HashMap<TermId, u32, FixedState>,
    /// For each pair of values the steps from one to the other.
    steps: Vec<u16>,
    /// The greatest number of steps.
    longest: u16,
}

const NEVER: u16 = u16::MAX;

impl ValueGraph {
    fn new(edges: &[(TermId, TermId)]) -> Option<ValueGraph> {
        let mut places: HashMap<TermId, u32, FixedState> = HashMap::default();
        let mut next: Vec<Vec<u32>> = Vec::new();
        for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
            let [from, to] = [from, to].map(|value| {
                *places.entry(value).or_insert_with(|| {
                    next.push(Vec::new());
                    next.len() as u32 - 1
                })
            });
            next[from as usize].push(to);
        }
        let values = next.len();
        if values == 0 || values > MOST_VALUES {
            return None;
        }
        let mut steps = vec![NEVER; values * values];
        for from in 0..values {
            let row = &mut steps[from * values..(from + 1) * values];
            row[from] = 0;
            let mut open = vec![from as u32];
            let mut count = 0;
            while !open.is_empty() {
                count += 1;
                let mut found = Vec::new();
                for &to in open.iter().flat_map(|&value| &next[value as usize]) {
                    if row[to as usize] == NEVER {
                        row[to as usize] = count;
                        found.push(to);
                    }
                }
                open = found;
            }
        }
        let finite = steps.iter().copied().filter(|&steps| steps < NEVER);
        Some(ValueGraph {
            longest: finite.max().unwrap_or(0).max(1),
            places,
            steps,
        })
    }

    /// Returns the steps from one value to another; `None` if there is no path.
    pub(super) fn steps(&self, from: TermId, to: TermId) -> Option<u16> {
        if from == to {
            return Some(0);
        }
        let (&from, &to) = (self.places.get(&from)?, self.places.get(&to)?);
        let steps = self.steps[from as usize * self.places.len() + to as usize];
        (steps < NEVER).then_some(steps)
    }

    /// The same as a share of the greatest number of steps.
    pub(super) fn distance(&self, from: TermId, to: TermId) -> Option<f64> {
        self.steps(from, to)
            .map(|steps| f64::from(steps) / f64::from(self.longest))
    }

    /// Returns whether a value can be reached from another one.
    pub(super) fn is_reached(&self, value: TermId) -> bool {
        self.places
            .keys()
            .any(|&from| from != value && self.steps(from, value).is_some())
    }
}

/// All graphs of a game.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    arguments: HashMap<Argument, ValueGraph, FixedState>,
    /// For relations that order values, the steps between neighbours.
    orders: HashMap<Relation, ValueGraph, FixedState>,
}

impl Graphs {
    /// Those that the rules show, as far as the time goes.
    pub(super) fn new(rules: &NormalRules, possible: &Possible, budget: &Budget) -> Graphs {
        let mut relations: HashMap<Argument, Vec<(Relation, bool)>, FixedState> = HashMap::default();
        let unfolder = Unfolder::new(rules, possible);
        for rule in rules.rules.iter().take_while(|_| !budget.is_spent()) {
            let is_recursive = possible.nature(rule.head.relation()) == Nature::Recursive;
            match (rule.head.name, &rule.head.args[..]) {
                (keyword::NEXT, [fluent]) => {
                    for (head, body) in unfolder.ways(fluent, &rule.body, rule.variables) {
                        unfolder.note(&head, TRUE, &body, &mut relations);
                    }
                }
                _ if is_recursive => {
                    let head = Term::Function(rule.head.name, rule.head.args.clone());
                    unfolder.note(&head, rule.head.relation(), &rule.body, &mut relations);
                }
                _ => {}
            }
        }
        let mut graphs = Graphs::default();
        let mut arguments: Vec<(Argument, Vec<(Relation, bool)>)> = relations.into_iter().collect();
        arguments.sort_unstable_by_key(|(argument, _)| *argument);
        for (argument, mut steps) in arguments.into_iter().take_while(|_| !budget.is_spent()) {
            steps.sort_unstable();
            steps.dedup();
            let mut edges: Vec<(TermId, TermId)> = Vec::new();
            for (relation, is_backwards) in steps {
                let rows = possible.rows(relation).into_iter().flatten();
                edges.extend(rows.map(|row| match is_backwards {
                    false => (row[0], row[1]),
                    true => (row[1], row[0]),
                }));
            }
            if let Some(graph) = ValueGraph::new(&edges) {
                graphs.arguments.insert(argument, graph);
            }
        }
        graphs.find_orders(rules, possible, budget);
        graphs
    }

    /// Returns the graph of an argument of a fluent, or of a relation that depends on itself.
    pub(super) fn argument(&self, head: (Symbol, usize), argument: usize) -> Option<&ValueGraph> {
        self.arguments.get(&(head.0, head.1, argument))
    }

    /// Returns the steps between neighbours in a relation that orders values.
    pub(super) fn order(&self, relation: Relation) -> Option<&ValueGraph> {
        self.orders.get(&relation)
    }

    /// Relations that never change, hold one way only and are transitive.
    fn find_orders(&mut self, rules: &NormalRules, possible: &Possible, budget: &Budget) {
        let mut relations: Vec<Relation> = rules.rules.iter().map(|rule| rule.head.relation()).collect();
        relations.sort_unstable();
        relations.dedup();
        for relation in relations.into_iter().filter(|relation| relation.arity == 2) {
            if budget.is_spent() {
                return;
            }
            if possible.nature(relation) != Nature::Static || relation.name == keyword::INPUT {
                continue;
            }
            let rows = possible.rows(relation).into_iter().flatten();
            let pairs: Vec<(TermId, TermId)> = rows.map(|row| (row[0], row[1])).filter(|(a, b)| a != b).collect();
            if pairs.len() > MOST_VALUES * MOST_VALUES {
                continue;
            }
            // A single chain of two values, or pairs without anything in common, order nothing.
            let edges = covering(&pairs).filter(|edges| edges.len() < pairs.len());
            if let Some(graph) = edges.and_then(|edges| ValueGraph::new(&edges)) {
                self.orders.insert(relation, graph);
            }
        }
    }
}

/// Returns whether a relation never changes, has two arguments and never holds both ways.
fn is_step(relation: Relation, possible: &Possible) -> bool {
    if relation.arity != 2 || possible.nature(relation) != Nature::Static {
        return false;
    }
    let Some(rows) = possible.rows(relation) else {
        return false;
    };
    let pairs: HashSet<(TermId, TermId), FixedState> = rows.map(|row| (row[0], row[1])).collect();
    let mut distinct = pairs.iter().filter(|(a, b)| a != b).peekable();
    distinct.peek().is_some() && distinct.all(|&(a, b)| !pairs.contains(&(b, a)))
}

struct Unfolder<'a> {
    by_head: HashMap<Relation, Vec<&'a NormalRule>, FixedState>,
    possible: &'a Possible,
    /// Relations that are steps.
    steps: HashSet<Relation, FixedState>,
    /// Relations that have conditions.
    conditional: HashSet<Relation, FixedState>,
}

impl<'a> Unfolder<'a> {
    fn new(rules: &'a NormalRules, possible: &'a Possible) -> Unfolder<'a> {
        let mut by_head: HashMap<Relation, Vec<&NormalRule>, FixedState> = HashMap::default();
        for rule in &rules.rules {
            by_head.entry(rule.head.relation()).or_default().push(rule);
        }
        let conditional = rules.rules.iter().filter(|rule| !rule.body.is_empty());
        Unfolder {
            conditional: conditional.map(|rule| rule.head.relation()).collect(),
            steps: by_head
                .keys()
                .copied()
                .filter(|&relation| is_step(relation, possible))
                .collect(),
            by_head,
            possible,
        }
    }

    /// Notes the relations between arguments of a head and those of a condition of the same name.
    fn note(
        &self,
        head: &Term,
        of: Relation,
        body: &[Literal],
        relations: &mut HashMap<Argument, Vec<(Relation, bool)>, FixedState>,
    ) {
        let Some((name, after)) = head.parts() else {
            return;
        };
        let positive = || {
            body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                Literal::Negative(_) | Literal::Distinct(..) => None,
            })
        };
        for atom in positive() {
            let before = match atom.relation() {
                TRUE if of == TRUE => match atom.args[0].parts() {
                    Some((other, args)) if other == name => args,
                    _ => continue,
                },
                relation if relation == of => &atom.args[..],
                _ => continue,
            };
            for (place, pair) in before.iter().zip(after).enumerate() {
                let (&Term::Variable(from), &Term::Variable(to)) = pair else {
                    continue;
                };
                if from == to {
                    continue;
                }
                for step in positive() {
                    let is_backwards = match step.args[..] {
                        [Term::Variable(a), Term::Variable(b)] if (a, b) == (from, to) => false,
                        [Term::Variable(a), Term::Variable(b)] if (a, b) == (to, from) => true,
                        _ => continue,
                    };
                    if self.steps.contains(&step.relation()) {
                        let known = relations.entry((name.0, name.1, place)).or_default();
                        if !known.contains(&(step.relation(), is_backwards)) {
                            known.push((step.relation(), is_backwards));
                        }
                    }
                }
            }
        }
    }

    /// Returns the head and the conditions of a rule, with moves replaced by what makes them legal and relations by
    /// what they are made of, in all ways, up to a limit.
    fn ways(&self, head: &Term, body: &[Literal], variables: u32) -> Vec<(Term, Vec<Literal>)> {
        let mut done = Vec::new();
        let mut open = vec![(head.clone(), body.to_vec(), variables, 0)];
        while let Some((head, body, variables, depth)) = open.pop() {
            let next = match depth < MOST_DEPTH {
                true => body.iter().position(|literal| self.is_opened(literal)),
                false => None,
            };
            // The rule as it stands counts too: what is replaced may hide a step.
            done.push((head.clone(), body.clone()));
            if done.len() + open.len() > MOST_WAYS {
                break;
            }
            let Some((place, atom)) = next.and_then(|place| Some((place, body[place].atom()?.0))) else {
                continue;
            };
            for rule in self.rules_for(atom) {
                let shifted = rule.head.shifted(variables);
                let mut substitution = Substitution::new(variables + rule.variables);
                let mut pairs = atom.args.iter().zip(&shifted.args);
                if !pairs.all(|(a, b)| substitution.unify(a, b)) {
                    continue;
                }
                let others = body.iter().enumerate().filter(|(number, _)| *number != place);
                let mut new: Vec<Literal> = others.map(|(_, literal)| substitution.apply_literal(literal)).collect();
                let conditions = rule.body.iter().map(|literal| literal.shifted(variables));
                new.extend(conditions.map(|literal| substitution.apply_literal(&literal)));
                open.push((substitution.apply(&head), new, variables + rule.variables, depth + 1));
            }
        }
        done
    }

    fn is_opened(&self, literal: &Literal) -> bool {
        let Literal::Positive(atom) = literal else {
            return false;
        };
        match atom.relation() {
            DOES => true,
            TRUE => false,
            relation => match self.possible.nature(relation) {
                Nature::Changing | Nature::Moving => true,
                Nature::Static => self.conditional.contains(&relation) && !self.steps.contains(&relation),
                Nature::Recursive => false,
            },
        }
    }

    fn rules_for(&self, atom: &Atom) -> &[&'a NormalRule] {
        let name = match atom.name {
            keyword::DOES => keyword::LEGAL,
            name => name,
        };
        let rules = self.by_head.get(&Relation::new(name, atom.args.len()));
        rules.map_or(&[], |rules| rules)
    }
}
