//! The conditions of goals and of the end as they are written, opened level by level, with the expressions that
//! features are found for left as leaves.
//!
//! A condition with variables of its own is an *expression*: it holds if it has a solution. Conjunctions without common
//! variables come apart, relations are replaced by what they are made of, and conjunctions with common variables by
//! their instances as long as these are few. Fluents and expressions are left.

use super::expression::{Conjunction, Expression, Pair, components};
use super::graphs::Graphs;
use super::possible::{Nature, Possible, TRUE};
use super::{Kind, Kinds, TIME_OVER};
use crate::rules::formula::{Atom as Leaf, Formula, Formulas, TooLarge};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_datalog::TermId;
use ludens_engine::{Circuit, Fluent, Game};
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Substitution, Term};
use ludens_gdl::{Relation, keyword};
use std::collections::VecDeque;

/// Instances of a conjunction that it is replaced by at most.
const MOST_INSTANCES: usize = 256;
/// Conditions that are looked at altogether.
const MOST_NODES: usize = 50_000;
/// Why conditions are not opened.
const TOO_MANY: &str = "there are too many conditions";

/// The conditions as formulas, with the expressions that are their leaves.
pub(super) struct Expanded {
    pub(super) store: Formulas,
    pub(super) goals: Vec<Vec<(u8, Formula)>>,
    pub(super) terminal: Formula,
    pub(super) expressions: Vec<Expression>,
}

#[derive(Clone, Debug)]
enum Piece {
    Open,
    Constant(bool),
    Fluent(Fluent),
    Expression(u32),
    /// All of these, or one of them; each with whether it is negated.
    All(Vec<(u32, bool)>),
    Any(Vec<(u32, bool)>),
}

pub(super) struct Expander<'a> {
    rules: &'a NormalRules,
    by_head: HashMap<Relation, Vec<&'a NormalRule>, FixedState>,
    pub(super) possible: &'a Possible,
    pub(super) graphs: &'a Graphs,
    circuit: &'a Circuit,
    pub(super) kinds: Kinds,
    pieces: Vec<Piece>,
    conjunctions: Vec<Conjunction>,
    known: HashMap<Conjunction, u32, FixedState>,
    expressions: Vec<Expression>,
    queue: VecDeque<u32>,
    /// Joins that may still be made.
    joins: usize,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        game: &'a Game,
        circuit: &'a Circuit,
        possible: &'a Possible,
        graphs: &'a Graphs,
        kinds: Kinds,
        most_joins: usize,
    ) -> Expander<'a> {
        let rules = game.rules();
        let mut by_head: HashMap<Relation, Vec<&NormalRule>, FixedState> = HashMap::default();
        for rule in &rules.rules {
            by_head.entry(rule.head.relation()).or_default().push(rule);
        }
        Expander {
            rules,
            by_head,
            possible,
            graphs,
            circuit,
            kinds,
            pieces: Vec::new(),
            conjunctions: Vec::new(),
            known: HashMap::default(),
            expressions: Vec::new(),
            queue: VecDeque::new(),
            joins: most_joins,
        }
    }

    /// Opens all goals of all roles and the end; else why that cannot be.
    pub(super) fn run(mut self, roles: &[ludens_gdl::Symbol], budget: &Budget) -> Result<Expanded, &'static str> {
        let mut goals = Vec::new();
        for (role, values) in roles.iter().zip(self.circuit.program.goals.values()) {
            let mut values: Vec<u8> = values.iter().map(|&(value, _)| value).collect();
            values.sort_unstable();
            values.dedup();
            let mut of_role = Vec::new();
            for value in values {
                // Values are written as numbers, maybe with zeros before them.
                let names: Vec<Term> = self.names_of(value);
                let nodes: Vec<u32> = names
                    .into_iter()
                    .map(|name| {
                        self.node(&[Literal::Positive(Atom {
                            name: keyword::GOAL,
                            args: vec![Term::Constant(*role), name],
                        })])
                    })
                    .collect();
                of_role.push((value, nodes));
            }
            goals.push(of_role);
        }
        let terminal = self.node(&[Literal::Positive(Atom {
            name: keyword::TERMINAL,
            args: Vec::new(),
        })]);
        while let Some(node) = self.queue.pop_front() {
            if budget.is_spent() {
                return Err(TIME_OVER);
            }
            if self.pieces.len() > MOST_NODES {
                return Err(TOO_MANY);
            }
            self.open(node);
        }
        self.build(goals, terminal, budget).map_err(|cause| match cause {
            TooLarge::Time => TIME_OVER,
            TooLarge::Parts(_) => TOO_MANY,
        })
    }

    /// Returns the constants of the rules that stand for a goal value.
    fn names_of(&self, value: u8) -> Vec<Term> {
        let symbols = &self.rules.symbols;
        let names = (0..symbols.len() as u32).map(ludens_gdl::Symbol);
        names
            .filter(|&name| ludens_gdl::rule::goal_value(symbols.name(name)) == Some(value))
            .map(Term::Constant)
            .collect()
    }

    /// Returns the node of a conjunction.
    fn node(&mut self, literals: &[Literal]) -> u32 {
        let conjunction = Conjunction::new(literals);
        if let Some(&known) = self.known.get(&conjunction) {
            return known;
        }
        let node = self.pieces.len() as u32;
        self.pieces.push(Piece::Open);
        self.conjunctions.push(conjunction.clone());
        self.known.insert(conjunction, node);
        self.queue.push_back(node);
        node
    }

    fn open(&mut self, node: u32) {
        let conjunction = self.conjunctions[node as usize].clone();
        let mut left: Vec<Literal> = Vec::new();
        for literal in conjunction.literals {
            match self.settled(&literal) {
                Some(true) => {}
                Some(false) => {
                    self.pieces[node as usize] = Piece::Constant(false);
                    return;
                }
                None if left.contains(&literal) => {}
                None => left.push(literal),
            }
        }
        let components = components(&left);
        let piece = match &components[..] {
            [] => Piece::Constant(true),
            [_] => self.component(left),
            _ => match self.take(1) {
                true => {
                    let children = components
                        .iter()
                        .map(|members| {
                            let members: Vec<Literal> = members.iter().map(|&number| left[number].clone()).collect();
                            (self.node(&members), false)
                        })
                        .collect();
                    Piece::All(children)
                }
                false => self.expression(left, Vec::new(), None),
            },
        };
        self.pieces[node as usize] = piece;
    }

    /// Takes some joins, if there are as many left.
    fn take(&mut self, joins: usize) -> bool {
        let enough = self.joins >= joins;
        if enough {
            self.joins -= joins;
        }
        enough
    }

    /// Returns whether a literal holds in every state or in none.
    fn settled(&self, literal: &Literal) -> Option<bool> {
        match literal {
            Literal::Distinct(a, b) => {
                let mut variables = 0;
                literal.variables(&mut |variable| variables = variables.max(variable + 1));
                if a.is_ground() && b.is_ground() {
                    return Some(a != b);
                }
                (!Substitution::new(variables).unify(a, b)).then_some(true)
            }
            Literal::Positive(atom) => self.settled_atom(atom),
            Literal::Negative(atom) => self.settled_atom(atom).map(|holds| !holds),
        }
    }

    fn settled_atom(&self, atom: &Atom) -> Option<bool> {
        if !atom.args.iter().all(Term::is_ground) {
            return None;
        }
        if atom.relation() == TRUE {
            return match self.possible.fluent(&atom.args[0]) {
                Some(fluent) => self.circuit.constant_fluents[fluent.0 as usize],
                None => Some(false),
            };
        }
        match (self.possible.contains(atom), self.possible.nature(atom.relation())) {
            (Some(holds), Nature::Static) => Some(holds),
            (Some(false), _) => Some(false),
            _ => None,
        }
    }

    /// Returns a conjunction whose conditions have variables in common, or a single condition.
    fn component(&mut self, literals: Vec<Literal>) -> Piece {
        match &literals[..] {
            [Literal::Positive(atom)] => self.positive(atom),
            [Literal::Negative(atom)] => {
                let child = self.node(&[Literal::Positive(atom.clone())]);
                Piece::All(vec![(child, true)])
            }
            // Something is always different from a term.
            [Literal::Distinct(..)] => Piece::Constant(true),
            _ => self.several(literals),
        }
    }

    fn positive(&mut self, atom: &Atom) -> Piece {
        let literal = Literal::Positive(atom.clone());
        if atom.relation() == TRUE {
            let Some((head, args)) = atom.args[0].parts() else {
                return self.expression(vec![literal], Vec::new(), None);
            };
            if atom.args[0].is_ground() {
                let fluent = self.possible.fluent(&atom.args[0]);
                return fluent.map_or(Piece::Constant(false), Piece::Fluent);
            }
            return self.query(literal, head, args);
        }
        match self.possible.nature(atom.relation()) {
            Nature::Static => {
                let some = self.possible.solutions(&[literal], &[], 1);
                Piece::Constant(some.is_none_or(|solutions| !solutions.is_empty()))
            }
            Nature::Recursive | Nature::Moving => {
                let pair = self.repeated(atom);
                let kinds = pair.iter().map(|_| Kind::VariableDistance).collect();
                self.expression(vec![literal], kinds, pair)
            }
            Nature::Changing => self.unfolded(atom),
        }
    }

    /// Returns a fluent with variables.
    fn query(&mut self, literal: Literal, head: (ludens_gdl::Symbol, usize), args: &[Term]) -> Piece {
        let mut variables = 0;
        literal.variables(&mut |variable| variables = variables.max(variable + 1));
        let fluents = self.possible.fluents(head);
        let fitting = fluents.filter(|(_, found)| self.possible.fits(args, found, variables));
        let fluents: Vec<Fluent> = fitting.map(|(fluent, _)| fluent).collect();
        let kinds = self.query_kinds(head, args);
        match fluents[..] {
            [] => Piece::Constant(false),
            [only] => Piece::Fluent(only),
            _ if kinds.is_empty() && self.take(1) => {
                let terms = fluents
                    .iter()
                    .map(|&Fluent(number)| self.circuit.program.names.fluents[number as usize].term.clone());
                let literals: Vec<Literal> = terms
                    .map(|term| {
                        Literal::Positive(Atom {
                            name: keyword::TRUE,
                            args: vec![term],
                        })
                    })
                    .collect();
                Piece::Any(
                    literals
                        .into_iter()
                        .map(|literal| (self.node(&[literal]), false))
                        .collect(),
                )
            }
            _ => self.expression(vec![literal], kinds, None),
        }
    }

    /// Returns the features of a fluent with variables.
    fn query_kinds(&self, head: (ludens_gdl::Symbol, usize), args: &[Term]) -> Vec<Kind> {
        let mut kinds = Vec::new();
        if self.kinds.has(Kind::Solutions) {
            kinds.push(Kind::Solutions);
        }
        let is_ordered = |(place, arg): (usize, &Term)| {
            let graph = self.graphs.argument(head, place);
            let value = self.possible.find(arg);
            arg.is_ground() && graph.zip(value).is_some_and(|(graph, value)| graph.is_reached(value))
        };
        if self.kinds.has(Kind::FixedDistance) && args.iter().enumerate().any(is_ordered) {
            kinds.push(Kind::FixedDistance);
        }
        kinds
    }

    /// Returns an atom by the rules for it.
    fn unfolded(&mut self, atom: &Atom) -> Piece {
        let mut variables = 0;
        atom.variables(&mut |variable| variables = variables.max(variable + 1));
        let mut bodies: Vec<Vec<Literal>> = Vec::new();
        for rule in self.by_head.get(&atom.relation()).map_or(&[][..], |rules| rules) {
            let head = rule.head.shifted(variables);
            let mut substitution = Substitution::new(variables + rule.variables);
            if atom.args.iter().zip(&head.args).all(|(a, b)| substitution.unify(a, b)) {
                let body = rule.body.iter().map(|literal| literal.shifted(variables));
                bodies.push(body.map(|literal| substitution.apply_literal(&literal)).collect());
            }
        }
        match bodies.len() {
            0 => Piece::Constant(false),
            1 => Piece::All(vec![(self.node(&bodies[0]), false)]),
            _ if self.take(1) => Piece::Any(bodies.iter().map(|body| (self.node(body), false)).collect()),
            _ => {
                let kinds = match variables > 0 && self.kinds.has(Kind::Solutions) {
                    true => vec![Kind::Solutions],
                    false => Vec::new(),
                };
                self.expression(vec![Literal::Positive(atom.clone())], kinds, None)
            }
        }
    }

    /// Several conditions with variables in common.
    fn several(&mut self, literals: Vec<Literal>) -> Piece {
        if let Some(forced) = self.forced(&literals) {
            return Piece::All(vec![(self.node(&forced), false)]);
        }
        if self.kinds.has(Kind::Order)
            && let Some(pair) = self.ordered(&literals)
        {
            return self.expression(literals, vec![Kind::Order], Some(pair));
        }
        if self.kinds.has(Kind::VariableDistance)
            && let Some(pair) = self.meeting(&literals)
        {
            let mut kinds = vec![Kind::VariableDistance];
            if self.kinds.has(Kind::Solutions) {
                kinds.push(Kind::Solutions);
            }
            return self.expression(literals, kinds, Some(pair));
        }
        if let Some(fluent) = self.possible.only_fluent(&literals)
            && let Some((head, args)) = fluent.parts()
        {
            let kinds = self.query_kinds(head, args);
            if !kinds.is_empty() {
                return self.expression(literals, kinds, None);
            }
        }
        if let Some(piece) = self.instances(&literals) {
            return piece;
        }
        let mut kinds = vec![Kind::Solutions, Kind::PartialSolutions];
        kinds.retain(|&kind| self.kinds.has(kind));
        self.expression(literals, kinds, None)
    }

    /// Returns the conjunction with the values of variables that can have only one; `None` if there are none.
    fn forced(&self, literals: &[Literal]) -> Option<Vec<Literal>> {
        let bound = Conjunction::bound(literals);
        let mut variables = 0;
        for literal in literals {
            literal.variables(&mut |variable| variables = variables.max(variable + 1));
        }
        let mut substitution = Substitution::new(variables);
        let mut is_forced = false;
        for &variable in &bound {
            let values = self.possible.solutions(literals, &[variable], 1).unwrap_or_default();
            if let Some(&value) = values.first().and_then(|values| values.first()) {
                let value = self.possible.pool.export(value);
                is_forced |= substitution.unify(&Term::Variable(variable), &value);
            }
        }
        is_forced.then(|| {
            let literals = literals.iter();
            literals.map(|literal| substitution.apply_literal(literal)).collect()
        })
    }

    /// Returns a conjunction by the values of the variables that its conditions have in common, if these are few.
    fn instances(&mut self, literals: &[Literal]) -> Option<Piece> {
        let mut counts: Vec<(u32, usize)> = Vec::new();
        for literal in literals {
            let mut own = Vec::new();
            literal.variables(&mut |variable| own.push(variable));
            own.sort_unstable();
            own.dedup();
            for variable in own {
                match counts.iter_mut().find(|(known, _)| *known == variable) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((variable, 1)),
                }
            }
        }
        let common: Vec<u32> = counts
            .into_iter()
            .filter(|(_, count)| *count > 1)
            .map(|known| known.0)
            .collect();
        let bound = Conjunction::bound(literals);
        if common.iter().any(|variable| !bound.contains(variable)) {
            return None;
        }
        let most = self.joins.saturating_sub(1).min(MOST_INSTANCES);
        let solutions = self.possible.solutions(literals, &common, most)?;
        let values = |solution: Vec<TermId>| {
            let terms = solution.into_iter().map(|term| self.possible.pool.export(term));
            common.iter().copied().zip(terms).collect::<Vec<(u32, Term)>>()
        };
        let bindings: Vec<Vec<(u32, Term)>> = solutions.into_iter().map(values).collect();
        if bindings.len() > 1 && !self.take(1) {
            return None;
        }
        let mut variables = 0;
        for literal in literals {
            literal.variables(&mut |variable| variables = variables.max(variable + 1));
        }
        let mut children = Vec::new();
        for binding in bindings {
            let mut substitution = Substitution::new(variables);
            for (variable, term) in binding {
                substitution.unify(&Term::Variable(variable), &term);
            }
            let instance: Vec<Literal> = literals
                .iter()
                .map(|literal| substitution.apply_literal(literal))
                .collect();
            children.push((self.node(&instance), false));
        }
        Some(match children.is_empty() {
            true => Piece::Constant(false),
            false => Piece::Any(children),
        })
    }

    fn expression(&mut self, literals: Vec<Literal>, kinds: Vec<Kind>, pair: Option<Pair>) -> Piece {
        let number = self.expressions.len() as u32;
        let conjunction = Conjunction {
            variables: literals
                .iter()
                .map(|literal| {
                    let mut most = 0;
                    literal.variables(&mut |variable| most = most.max(variable + 1));
                    most
                })
                .max()
                .unwrap_or(0),
            literals,
        };
        self.expressions.push(Expression {
            conjunction,
            kinds,
            pair,
        });
        Piece::Expression(number)
    }

    fn build(self, goals: Vec<Vec<(u8, Vec<u32>)>>, terminal: u32, budget: &Budget) -> Result<Expanded, TooLarge> {
        let mut store = Formulas::new(1 << 20);
        let mut built: Vec<Option<Formula>> = vec![None; self.pieces.len()];
        let mut stack: Vec<u32> = goals.iter().flatten().flat_map(|(_, nodes)| nodes.clone()).collect();
        stack.push(terminal);
        // Recursive relations are leaves, so the expansion ends.
        while let Some(&node) = stack.last() {
            if built[node as usize].is_some() {
                stack.pop();
                continue;
            }
            if budget.is_spent() {
                return Err(TooLarge::Time);
            }
            let links = match &self.pieces[node as usize] {
                Piece::All(links) | Piece::Any(links) => &links[..],
                _ => &[],
            };
            let open: Vec<u32> = links
                .iter()
                .map(|link| link.0)
                .filter(|&child| built[child as usize].is_none())
                .collect();
            if !open.is_empty() {
                stack.extend(open);
                continue;
            }
            let mut operands = Vec::with_capacity(links.len());
            for &(child, negated) in links {
                let formula = built[child as usize].unwrap_or(Formula::NEVER);
                operands.push(if negated { store.negate(formula)? } else { formula });
            }
            built[node as usize] = Some(match &self.pieces[node as usize] {
                Piece::Open => Formula::UNKNOWN,
                Piece::Constant(value) => Formula::constant(*value),
                Piece::Fluent(fluent) => store.leaf(Leaf::Fluent(*fluent), false),
                Piece::Expression(number) => store.leaf(Leaf::Proposition(*number), false),
                Piece::All(_) => store.all(&operands)?,
                Piece::Any(_) => store.any(&operands)?,
            });
            stack.pop();
        }
        let get = |node: &u32| built[*node as usize].unwrap_or(Formula::NEVER);
        let mut formulas = Vec::new();
        for of_role in &goals {
            let mut values = Vec::new();
            for (value, nodes) in of_role {
                let parts: Vec<Formula> = nodes.iter().map(get).collect();
                values.push((*value, store.any(&parts)?));
            }
            formulas.push(values);
        }
        Ok(Expanded {
            goals: formulas,
            terminal: get(&terminal),
            store,
            expressions: self.expressions,
        })
    }
}
