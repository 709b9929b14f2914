//! Expressions made ready to be measured: their solutions as sets of fluents, or as propositions of a ground program
//! that has only them and what they are made of.

use super::expression::{Compared, Conjunction, Expression, Pair};
use super::graphs::Graphs;
use super::measure::{Counter, Item, Joint, Measure, PairTable, Sources};
use super::possible::{Possible, limits};
use super::{Kind, TIME_OVER};
use crate::rules::distance::NORM;
use crate::rules::formula::Opaque;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_datalog::TermId;
use ludens_engine::{Fluent, Game};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Substitution, Term};
use ludens_gdl::{Relation, Symbol, keyword};
use ludens_ground::{GroundProgram, Proposition, Signal, fact, ground};

/// Solutions that are counted of one conjunction.
const MOST_SOLUTIONS: usize = 2_000;
/// Pairs of values in one table.
const MOST_PAIRS: usize = 1 << 20;
/// Conditions that may be computed in a state.
const MOST_CONDITIONS: usize = 20_000;

/// Why an expression is not measured.
const TOO_LONG: &str = "too many conditions in a state";

const INIT: Relation = Relation::new(keyword::INIT, 1);
const SEES: Relation = Relation::new(keyword::SEES, 2);

/// Which part of an expression a proposition belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Whole,
    /// A prefix of the conditions of this length.
    Prefix(usize),
    /// One side of a comparison.
    Side(usize),
    /// Both values of a comparison.
    Both,
}

/// Everything that expressions need in a state.
pub(super) struct Compiled {
    pub(super) opaque: Opaque,
    pub(super) measures: Vec<Measure>,
}

pub(super) struct Compiler<'a> {
    game: &'a Game,
    possible: &'a Possible,
    graphs: &'a Graphs,
    expressions: &'a [Expression],
    symbols: ludens_gdl::Symbols,
    wanted: Vec<NormalRule>,
    names: HashMap<Symbol, (usize, Part), FixedState>,
    /// Features that are not measured, and why.
    pub(super) left_out: Vec<(usize, Kind, &'static str)>,
}

/// For each part of each expression its instances: the arguments, and the proposition.
type Instances = HashMap<(usize, Part), Vec<(Vec<Term>, Proposition)>, FixedState>;

impl<'a> Compiler<'a> {
    pub(super) fn new(
        game: &'a Game,
        possible: &'a Possible,
        graphs: &'a Graphs,
        expressions: &'a [Expression],
    ) -> Compiler<'a> {
        Compiler {
            game,
            possible,
            graphs,
            expressions,
            symbols: game.rules().symbols.clone(),
            wanted: Vec::new(),
            names: HashMap::default(),
            left_out: Vec::new(),
        }
    }

    /// `None` if there is too much. Expressions that the budget does not allow to measure are left out.
    pub(super) fn run(&mut self, budget: &Budget) -> Option<Compiled> {
        for number in 0..self.expressions.len() {
            if budget.is_spent() {
                return None;
            }
            self.ask(number);
        }
        let (program, instances) = match self.wanted.is_empty() {
            true => (GroundProgram::default(), Instances::default()),
            false => self.ground(budget)?,
        };
        let mut costs = Costs::new(&program);
        let mut is_needed = Vec::new();
        let mut measures = Vec::new();
        for number in 0..self.expressions.len() {
            let parts = [Part::Whole, Part::Side(0), Part::Side(1), Part::Both];
            let own: Vec<Proposition> = parts
                .into_iter()
                .flat_map(|part| propositions(&instances, number, part))
                .collect();
            let is_late = budget.is_spent();
            let measure = (!is_late).then(|| self.measure(number, &instances)).flatten();
            let (Some(mut measure), true) = (measure, costs.try_add(&own)) else {
                self.leave_out(number, if is_late { TIME_OVER } else { TOO_LONG });
                measures.push(Measure {
                    is_unknown: true,
                    ..Measure::default()
                });
                continue;
            };
            is_needed.extend(own);
            if self.is_measured(number, Kind::PartialSolutions) {
                let prefixes = 1..self.expressions[number].conjunction.literals.len();
                let counted: Vec<Vec<Proposition>> = prefixes
                    .map(|prefix| propositions(&instances, number, Part::Prefix(prefix)).collect())
                    .collect();
                let all: Vec<Proposition> = counted.iter().flatten().copied().collect();
                if costs.try_add(&all) {
                    is_needed.extend(all);
                    measure.prefixes = counted.into_iter().map(Counter::Propositions).collect();
                } else {
                    self.left_out.push((number, Kind::PartialSolutions, TOO_LONG));
                }
            }
            measures.push(measure);
        }
        is_needed.sort_unstable();
        is_needed.dedup();
        let opaque = Opaque::of(&program, &is_needed, MOST_CONDITIONS)?;
        let mut compiled = Compiled { opaque, measures };
        let start = self.game.initial();
        compiled.opaque.compute(start);
        for measure in &mut compiled.measures {
            let count = measure.whole.count(start, &compiled.opaque);
            measure.at_start = (count as f64).max(1.0);
        }
        Some(compiled)
    }

    /// Returns whether a feature of an expression is measured.
    pub(super) fn is_measured(&self, expression: usize, kind: Kind) -> bool {
        let left_out = self
            .left_out
            .iter()
            .any(|known| (known.0, known.1) == (expression, kind));
        self.expressions[expression].kinds.contains(&kind) && !left_out
    }

    /// Notes that no feature of an expression is measured.
    fn leave_out(&mut self, number: usize, cause: &'static str) {
        for &kind in &self.expressions[number].kinds {
            if self.is_measured(number, kind) {
                self.left_out.push((number, kind, cause));
            }
        }
    }

    /// Asks for what an expression needs.
    fn ask(&mut self, number: usize) {
        let expression = &self.expressions[number];
        let literals = &expression.conjunction.literals;
        match &expression.pair {
            Some(Pair {
                sides,
                compared: Compared::Order(_, terms),
            }) => {
                for (side, (members, term)) in sides.iter().zip(terms).enumerate() {
                    let body: Vec<Literal> = members.iter().map(|&member| literals[member].clone()).collect();
                    if !members.is_empty() && self.possible.only_fluent(&body).is_none() {
                        self.want(number, Part::Side(side), vec![term.clone()], body);
                    }
                }
                return;
            }
            Some(Pair {
                compared: Compared::Fluents(_),
                ..
            }) => return,
            Some(Pair {
                compared: Compared::Arguments(places),
                ..
            }) => {
                if let [Literal::Positive(atom)] = &literals[..] {
                    let mut apart = atom.clone();
                    let other = Term::Variable(expression.conjunction.variables);
                    apart.args[places[1]] = other.clone();
                    let head = vec![apart.args[places[0]].clone(), other];
                    self.want(number, Part::Both, head, vec![Literal::Positive(apart)]);
                    self.want(number, Part::Whole, Vec::new(), literals.clone());
                }
                return;
            }
            None => {}
        }
        if self
            .possible
            .only_fluent(literals)
            .is_some_and(|fluent| self.fluents_of(literals, fluent).is_some())
        {
            return;
        }
        let bound = Conjunction::bound(literals);
        let mut is_counted = self.is_measured(number, Kind::Solutions);
        if is_counted && self.possible.solutions(literals, &bound, MOST_SOLUTIONS).is_none() {
            self.left_out.push((number, Kind::Solutions, "too many solutions"));
            is_counted = false;
        }
        let variables = |bound: &[u32]| bound.iter().map(|&variable| Term::Variable(variable)).collect();
        let head = if is_counted { variables(&bound) } else { Vec::new() };
        self.want(number, Part::Whole, head, literals.clone());
        if self.is_measured(number, Kind::PartialSolutions) {
            let prefixes = (1..literals.len()).map(|end| &literals[..end]);
            let bounds: Vec<Vec<u32>> = prefixes.clone().map(Conjunction::bound).collect();
            let is_small = prefixes
                .zip(&bounds)
                .all(|(prefix, bound)| self.possible.solutions(prefix, bound, MOST_SOLUTIONS).is_some());
            if !is_small {
                self.left_out
                    .push((number, Kind::PartialSolutions, "too many partial solutions"));
                return;
            }
            for (end, bound) in (1..).zip(bounds) {
                self.want(number, Part::Prefix(end), variables(&bound), literals[..end].to_vec());
            }
        }
    }

    /// Asks for the instances of a conjunction, as percepts of the first role: grounding keeps the names of these.
    fn want(&mut self, number: usize, part: Part, args: Vec<Term>, body: Vec<Literal>) {
        let name = self.symbols.fresh("expression");
        self.names.insert(name, (number, part));
        let percept = match args.is_empty() {
            true => Term::Constant(name),
            false => Term::Function(name, args),
        };
        let role = self.game.vocabulary().roles()[ludens_engine::Role(0)];
        let mut variables = 0;
        for literal in &body {
            literal.variables(&mut |variable| variables = variables.max(variable + 1));
        }
        self.wanted.push(NormalRule {
            head: Atom {
                name: keyword::SEES,
                args: vec![Term::Constant(role), percept],
            },
            body,
            variables,
            source: 0,
        });
    }

    /// Grounds what was asked for, with every fluent as if it could hold at the start.
    fn ground(&self, budget: &Budget) -> Option<(GroundProgram, Instances)> {
        let rules = self.game.rules();
        let fluents = &self.game.engine().circuit()?.program.names.fluents;
        let mut roots: Vec<Relation> = Vec::new();
        for literal in self.wanted.iter().flat_map(|rule| &rule.body) {
            roots.extend(literal.atom().map(|(atom, _)| atom.relation()));
        }
        let dependencies = Dependencies::of_normal(rules);
        let needed = dependencies.needed_by(&roots);
        let is_needed = |rule: &&NormalRule| {
            let relation = rule.head.relation();
            let number = dependencies.find(relation);
            relation.name == keyword::ROLE
                || relation != INIT && relation != SEES && number.is_some_and(|number| needed[number])
        };
        let mut restricted = NormalRules {
            symbols: self.symbols.clone(),
            rules: rules.rules.iter().filter(is_needed).cloned().collect(),
            left_out: Vec::new(),
        };
        restricted
            .rules
            .extend(fluents.iter().map(|fluent| fact(INIT, &fluent.term)));
        restricted.rules.extend(self.wanted.iter().cloned());
        let program = ground(&restricted, self.game.vocabulary().roles().as_slice(), limits(budget)).ok()?;
        // Numbers of fluents are the same, as the fluents are.
        if program.names.fluents != *fluents {
            return None;
        }
        let mut instances = Instances::default();
        for (term, proposition) in program.percepts.values().next()? {
            let ((name, _), args) = term.parts()?;
            if let Some(&key) = self.names.get(&name) {
                instances.entry(key).or_default().push((args.to_vec(), *proposition));
            }
        }
        Some((program, instances))
    }

    fn measure(&self, number: usize, instances: &Instances) -> Option<Measure> {
        let expression = &self.expressions[number];
        let literals = &expression.conjunction.literals;
        let whole = || Counter::Propositions(propositions(instances, number, Part::Whole).collect());
        let mut measure = Measure {
            is_counted: self.is_measured(number, Kind::Solutions),
            ..Measure::default()
        };
        match &expression.pair {
            Some(pair) => match &pair.compared {
                Compared::Order(relation, terms) => {
                    measure.pair = Some(self.order(number, pair, *relation, terms, instances)?);
                }
                Compared::Fluents(places) => measure.pair = Some(self.meeting(literals, pair, places)?),
                Compared::Arguments(places) => {
                    measure.whole = whole();
                    measure.joint = self.joint(number, literals, places, instances);
                }
            },
            None => match self.possible.only_fluent(literals) {
                Some(term) if self.fluents_of(literals, term).is_some() => {
                    let fluents = self.fluents_of(literals, term)?;
                    measure.whole = Counter::fluents(fluents.into_iter().map(|(fluent, _)| fluent));
                    if self.is_measured(number, Kind::FixedDistance) {
                        measure.distance = sources(self.possible, self.graphs, term);
                    }
                }
                _ => measure.whole = whole(),
            },
        }
        Some(measure)
    }

    /// Returns the values of one side, each with what must hold for it.
    fn side(
        &self,
        number: usize,
        side: usize,
        members: &[usize],
        term: &Term,
        instances: &Instances,
    ) -> Option<Vec<(Item, TermId)>> {
        let literals = &self.expressions[number].conjunction.literals;
        if members.is_empty() {
            return Some(vec![(Item::Always, self.possible.find(term)?)]);
        }
        let own: Vec<Literal> = members.iter().map(|&member| literals[member].clone()).collect();
        if let Some(fluent) = self.possible.only_fluent(&own) {
            let found = self.fluents_of(&own, fluent)?;
            let values = found.into_iter().map(|(fluent, substitution)| {
                Some((Item::Fluent(fluent), self.possible.find(&substitution.apply(term))?))
            });
            return values.collect();
        }
        let found = instances.get(&(number, Part::Side(side)));
        let found = found.into_iter().flatten();
        found
            .map(|(args, proposition)| Some((Item::Proposition(*proposition), self.possible.find(args.first()?)?)))
            .collect()
    }

    /// Returns the fluents that one with variables can be where all these conditions hold, each with the values of the
    /// variables; `None` if they are too many.
    fn fluents_of(&self, literals: &[Literal], fluent: &Term) -> Option<Vec<(Fluent, Substitution)>> {
        let bound = Conjunction::bound(literals);
        let variables = bound.iter().max().map_or(0, |most| most + 1);
        let solutions = self.possible.solutions(literals, &bound, MOST_SOLUTIONS)?;
        let found = solutions.into_iter().filter_map(|solution| {
            let mut substitution = Substitution::new(variables);
            for (&variable, term) in bound.iter().zip(solution) {
                substitution.unify(&Term::Variable(variable), &self.possible.pool.export(term));
            }
            let fluent = self.possible.fluent(&substitution.apply(fluent))?;
            Some((fluent, substitution))
        });
        Some(found.collect())
    }

    fn order(
        &self,
        number: usize,
        pair: &Pair,
        relation: Relation,
        terms: &[Term; 2],
        instances: &Instances,
    ) -> Option<PairTable> {
        let graph = self.graphs.order(relation)?;
        let left = self.side(number, 0, &pair.sides[0], &terms[0], instances)?;
        let right = self.side(number, 1, &pair.sides[1], &terms[1], instances)?;
        if left.len() * right.len() > MOST_PAIRS {
            return None;
        }
        let holds_itself = |value: TermId| {
            let term = self.possible.pool.export(value);
            let atom = Atom {
                name: relation.name,
                args: vec![term.clone(), term],
            };
            self.possible.contains(&atom) == Some(true)
        };
        let mut values = Vec::with_capacity(left.len() * right.len());
        for &(_, x) in &left {
            for &(_, y) in &right {
                values.push(match (x == y, graph.distance(x, y), graph.distance(y, x)) {
                    (true, ..) if holds_itself(x) => f32::MIN_POSITIVE,
                    (true, ..) => -f32::MIN_POSITIVE,
                    (false, Some(margin), _) => margin as f32,
                    (false, None, Some(margin)) => -margin as f32,
                    (false, None, None) => f32::NAN,
                });
            }
        }
        Some(PairTable::new(left, right, values, true))
    }

    fn meeting(&self, literals: &[Literal], pair: &Pair, places: &[usize]) -> Option<PairTable> {
        let mut sides = Vec::new();
        let mut head = None;
        for members in &pair.sides {
            let own: Vec<Literal> = members.iter().map(|&member| literals[member].clone()).collect();
            let fluent = self.possible.only_fluent(&own)?;
            head = fluent.parts().map(|known| known.0);
            let mut found: Vec<Fluent> = self
                .fluents_of(&own, fluent)?
                .into_iter()
                .map(|known| known.0)
                .collect();
            found.sort_unstable();
            found.dedup();
            sides.push(found);
        }
        let head = head?;
        let args: HashMap<Fluent, &[TermId], FixedState> = self.possible.fluents(head).collect();
        if sides[0].len() * sides[1].len() > MOST_PAIRS {
            return None;
        }
        let distance = |from: &[TermId], to: &[TermId]| {
            let mut total = 0.0;
            let mut measured = 0;
            for &place in places {
                total += match (self.graphs.argument(head, place), from[place] == to[place]) {
                    (Some(graph), _) => {
                        measured += 1;
                        let both = [
                            graph.distance(from[place], to[place]),
                            graph.distance(to[place], from[place]),
                        ];
                        both.into_iter().flatten().min_by(f64::total_cmp)?
                    }
                    (None, true) => 0.0,
                    (None, false) => return None,
                };
            }
            Some(total / f64::from(measured.max(1)))
        };
        let mut values = Vec::new();
        for x in &sides[0] {
            for y in &sides[1] {
                values.push(distance(args.get(x)?, args.get(y)?).map_or(f32::NAN, |known| known as f32));
            }
        }
        let items = |side: &[Fluent]| -> Vec<(Item, TermId)> {
            let first = ludens_datalog::TermPool::FIRST;
            side.iter().map(|&fluent| (Item::Fluent(fluent), first)).collect()
        };
        Some(PairTable::new(items(&sides[0]), items(&sides[1]), values, false))
    }

    fn joint(&self, number: usize, literals: &[Literal], places: &[usize; 2], instances: &Instances) -> Joint {
        let Some(Literal::Positive(atom)) = literals.first() else {
            return Vec::new();
        };
        let head = (atom.name, atom.args.len());
        let graphs: Vec<_> = places
            .iter()
            .filter_map(|&place| self.graphs.argument(head, place))
            .collect();
        let found = instances.get(&(number, Part::Both)).into_iter().flatten();
        let measured = found.filter_map(|(args, proposition)| {
            let [x, y] = [self.possible.find(args.first()?)?, self.possible.find(args.get(1)?)?];
            let ways = graphs
                .iter()
                .flat_map(|graph| [graph.distance(x, y), graph.distance(y, x)]);
            let distance = ways.flatten().min_by(f64::total_cmp)?;
            (distance > 0.0).then_some((*proposition, distance as f32))
        });
        measured.collect()
    }
}

fn propositions(instances: &Instances, number: usize, part: Part) -> impl Iterator<Item = Proposition> {
    let found = instances.get(&(number, part)).into_iter().flatten();
    found.map(|(_, proposition)| *proposition)
}

/// Where a fluent that does not hold can come from, by the values of its ordered arguments: a fluent of the same name
/// that differs in them alone, the nearer the more weight. `None` if there are none.
pub(super) fn sources(possible: &Possible, graphs: &Graphs, term: &Term) -> Option<Sources> {
    let (head, args) = term.parts()?;
    let mut ordered = Vec::new();
    let mut same = Vec::new();
    for (place, arg) in args.iter().enumerate().filter(|(_, arg)| arg.is_ground()) {
        let value = possible.find(arg)?;
        match graphs.argument(head, place).filter(|graph| graph.is_reached(value)) {
            Some(graph) => ordered.push((place, value, graph)),
            None => same.push((place, value)),
        }
    }
    let mut found = Sources::default();
    for (fluent, from) in possible.fluents(head) {
        if same.iter().any(|&(place, value)| from[place] != value) {
            continue;
        }
        let mut total = 0.0;
        let is_near = ordered.iter().all(|&(place, value, graph)| {
            let distance = graph.distance(from[place], value);
            total += distance.unwrap_or(0.0);
            distance.is_some()
        });
        if is_near && total > 0.0 {
            let mean = total / ordered.len() as f64;
            found.weights.push((fluent, mean.powf(NORM)));
        }
    }
    (!found.weights.is_empty()).then_some(found)
}

/// Number of conditions that some propositions are made of.
struct Costs<'a> {
    program: &'a GroundProgram,
    is_seen: Vec<bool>,
    conditions: usize,
}

impl<'a> Costs<'a> {
    fn new(program: &'a GroundProgram) -> Costs<'a> {
        Costs {
            program,
            is_seen: vec![false; program.propositions()],
            conditions: 0,
        }
    }

    /// Adds some propositions, if there is room for them.
    fn try_add(&mut self, wanted: &[Proposition]) -> bool {
        let mut conditions = self.conditions;
        let mut added: Vec<Proposition> = Vec::new();
        let mut open = wanted.to_vec();
        while let Some(proposition) = open.pop() {
            if std::mem::replace(&mut self.is_seen[proposition.index()], true) {
                continue;
            }
            added.push(proposition);
            for body in self.program.instances_of(proposition) {
                conditions += body.len();
                open.extend(body.iter().filter_map(|condition| match condition.signal {
                    Signal::Derived(other) => Some(other),
                    Signal::Fluent(_) | Signal::Move(..) => None,
                }));
            }
            if conditions > MOST_CONDITIONS {
                for proposition in added {
                    self.is_seen[proposition.index()] = false;
                }
                return false;
            }
        }
        self.conditions = conditions;
        true
    }
}
