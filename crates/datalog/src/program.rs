//! A rule set made ready to be interpreted: relations numbered, rules planned, everything that never changes derived.

use crate::evaluate::Evaluator;
use crate::limits::Limits;
use crate::plan::{Catalogue, Plan, RelationId, plan};
use crate::table::{Shape, Table};
use crate::term::TermPool;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_gdl::normal::{Literal, NormalRule, NormalRules, Strata, Term};
use ludens_gdl::{Relation, Symbol, keyword};
use std::sync::Arc;
use std::time::Instant;

/// When the truth of something is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// For ever.
    Fixed,
    /// When the state is known.
    State,
    /// When the moves are known.
    Move,
}

/// Rules to be applied until nothing new follows.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Every rule once, to begin with.
    pub(crate) plans: Vec<Plan>,
    /// For recursive groups: every rule once for each condition that the group itself derives, reading new rows.
    pub(crate) again: Vec<Plan>,
    pub(crate) phase: Phase,
}

/// A relation and the groups that derive it.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The relation, if the rules speak of it at all.
    pub relation: Option<RelationId>,
    pub(crate) groups: Vec<usize>,
}

/// What to prepare rules for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    /// The relations that will be asked for; rules that nothing of this needs are never run.
    pub asked: &'a [Relation],
    /// The relations that are stated from outside, and when.
    pub given: &'a [(Relation, Phase)],
    /// Rules whose matches will be enumerated one by one, never collected; their heads are relations of their own.
    pub enumerated: &'a [NormalRule],
    /// Bounds.
    pub limits: Limits,
}

/// Rules made ready to be evaluated.
pub struct Program {
    /// The terms that the rules and everything fixed are made of.
    pub pool: Arc<TermPool>,
    /// What holds in every state, by relation.
    pub(crate) fixed: Vec<Table>,
    /// The indexes of each relation.
    pub(crate) shapes: Vec<Vec<Vec<Shape>>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) enumerated: Vec<Plan>,
    queries: Vec<(Relation, Query)>,
    given: Vec<RelationId>,
    pub(crate) widths: Vec<usize>,
    pub(crate) limits: Limits,
    /// The relations by number.
    pub relations: Vec<Relation>,
    /// Rows of each relation from which on it is worth deriving it on demand; beyond every limit if it cannot be.
    pub(crate) large: Vec<usize>,
}

/// Why rules could not be prepared.
#[derive(Debug)]
pub enum Overflow {
    /// A relation is large; another way to derive it may help.
    Large(Relation),
    /// A limit was hit.
    Limit(String),
}

/// Sizes to plan with.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    rows: HashMap<(Symbol, usize), f64, RandomState>,
    fluents: HashMap<(Symbol, usize), f64, RandomState>,
}

impl Program {
    /// Prepares the rules; an error if what never changes exceeds the limits. Relations for which `is_watched` holds
    /// are reported when they turn out to be large.
    pub fn new(
        rules: &NormalRules,
        strata: &Strata,
        purpose: Purpose<'_>,
        expectations: Expectations,
        is_watched: impl Fn(Relation) -> bool,
    ) -> Result<Program, Overflow> {
        let mut compiler = Compiler::new(rules, purpose, expectations);
        let mut first = compiler.compile(rules, strata, purpose, &is_watched);
        let fixed = first.derive_fixed()?;
        // Plan what is still to be done again, now that the sizes of everything that never changes are known.
        for (relation, number) in &compiler.relations {
            let table = &fixed[number.index()];
            if first.is_fixed(*number) {
                let shape = (relation.name, relation.arity);
                compiler.expectations.rows.insert(shape, table.len() as f64);
                if relation.name == keyword::TRUE {
                    compiler.expectations.count_fluents(table, &first.pool);
                }
            }
        }
        compiler.pool = TermPool::clone(&first.pool);
        let mut program = compiler.compile(rules, strata, purpose, &is_watched);
        program.fixed = fixed
            .into_iter()
            .zip(program.fixed)
            .map(|(derived, indexed)| indexed.with_rows_of(derived, &program.pool))
            .collect();
        Ok(program)
    }

    /// The number of any relation that the rules speak of.
    pub fn find(&self, relation: Relation) -> Option<RelationId> {
        let index = self.relations.iter().position(|&known| known == relation)?;
        Some(RelationId(index as u32))
    }

    /// A relation that the program was prepared to be asked for.
    pub fn query(&self, relation: Relation) -> Query {
        let found = self.queries.iter().find(|(asked, _)| *asked == relation);
        found.map(|(_, query)| query.clone()).unwrap_or_default()
    }

    /// The rows of a relation that hold in every state.
    pub fn fixed_rows(&self, relation: RelationId) -> impl Iterator<Item = &[crate::TermId]> {
        self.fixed[relation.index()].rows()
    }

    /// How many rows of a relation hold in every state.
    pub fn fixed_len(&self, relation: RelationId) -> usize {
        self.fixed[relation.index()].len()
    }

    /// The place of a row among those of a relation that hold in every state.
    pub fn fixed_row_number(&self, relation: RelationId, row: &[crate::TermId]) -> Option<u32> {
        self.fixed[relation.index()].find(row)
    }

    /// The number of a relation that is stated from outside.
    pub fn given(&self, number: usize) -> RelationId {
        self.given[number]
    }

    fn is_fixed(&self, relation: RelationId) -> bool {
        !self.given.contains(&relation)
            && self
                .groups
                .iter()
                .all(|group| group.phase == Phase::Fixed || group.plans.iter().all(|plan| plan.head != relation))
    }

    fn derive_fixed(&mut self) -> Result<Vec<Table>, Overflow> {
        let mut evaluator = Evaluator::new(self, TermPool::clone(&self.pool));
        evaluator.set_end(Instant::now().checked_add(self.limits.setup), self.limits.steps);
        let needed: Vec<usize> = (0..self.groups.len())
            .filter(|&group| self.groups[group].phase == Phase::Fixed)
            .collect();
        for group in needed {
            evaluator.derive(self, group);
            evaluator.check(self)?;
        }
        let (mut tables, pool) = evaluator.into_fixed();
        for (table, facts) in tables.iter_mut().zip(&self.fixed) {
            for row in facts.rows() {
                table.insert(row);
            }
        }
        for table in &mut tables {
            table.refresh_all(&pool);
        }
        self.pool = Arc::new(pool);
        Ok(tables)
    }
}

impl Expectations {
    /// From what was seen in some states, by relation and kind of fluent.
    pub fn measured(
        rows: impl Iterator<Item = (Relation, f64)>,
        fluents: impl Iterator<Item = ((Symbol, usize), f64)>,
    ) -> Expectations {
        Expectations {
            rows: rows
                .map(|(relation, rows)| ((relation.name, relation.arity), rows))
                .collect(),
            fluents: fluents.collect(),
        }
    }

    /// Counts fluents by kind.
    fn count_fluents(&mut self, table: &Table, pool: &TermPool) {
        self.fluents.clear();
        for row in table.rows() {
            let shape = (pool.name(row[0]), pool.args(row[0]).len());
            *self.fluents.entry(shape).or_insert(0.0) += 1.0;
        }
    }

    /// From the initial state as far as it is listed by facts.
    pub fn from_facts(rules: &NormalRules) -> Expectations {
        let mut expectations = Expectations::default();
        for rule in &rules.rules {
            if rule.head.relation() != Relation::new(keyword::INIT, 1) {
                continue;
            }
            let shape = match &rule.head.args[0] {
                Term::Constant(name) => (*name, 0),
                Term::Function(name, args) => (*name, args.len()),
                Term::Variable(_) => continue,
            };
            let weight = if rule.body.is_empty() { 1.0 } else { 8.0 };
            *expectations.fluents.entry(shape).or_insert(0.0) += weight;
        }
        expectations
    }
}

/// A relation that never changes is derived once; up to this size that is no trouble.
const LARGE_FIXED: usize = 300_000;
/// A relation that depends on the state is derived anew in every state.
const LARGE: usize = 4_000;
/// Without better knowledge: rows of a relation that depends on the state.
const USUAL_ROWS: f64 = 20.0;
/// Without better knowledge: fluents of one kind that hold.
const USUAL_FLUENTS: f64 = 4.0;

struct Compiler {
    pool: TermPool,
    relations: HashMap<Relation, RelationId, RandomState>,
    widths: Vec<usize>,
    shapes: Vec<Vec<Vec<Shape>>>,
    expectations: Expectations,
    roles: f64,
}

impl Compiler {
    fn new(rules: &NormalRules, purpose: Purpose<'_>, expectations: Expectations) -> Compiler {
        let roles = rules
            .rules
            .iter()
            .filter(|rule| rule.head.relation() == Relation::new(keyword::ROLE, 1))
            .count();
        let mut compiler = Compiler {
            pool: TermPool::default(),
            relations: HashMap::default(),
            widths: Vec::new(),
            shapes: Vec::new(),
            expectations,
            roles: roles as f64,
        };
        for (relation, _) in purpose.given {
            compiler.number(*relation);
        }
        for rule in rules.rules.iter().chain(purpose.enumerated) {
            compiler.number(rule.head.relation());
            for (atom, _) in rule.body.iter().filter_map(Literal::atom) {
                compiler.number(atom.relation());
            }
        }
        compiler
    }

    fn number(&mut self, relation: Relation) -> RelationId {
        let next = RelationId(self.widths.len() as u32);
        let number = *self.relations.entry(relation).or_insert(next);
        if number == next {
            self.widths.push(relation.arity);
            self.shapes.push(Vec::new());
        }
        number
    }

    fn compile(
        &mut self,
        rules: &NormalRules,
        strata: &Strata,
        purpose: Purpose<'_>,
        is_watched: &dyn Fn(Relation) -> bool,
    ) -> Program {
        self.shapes.iter_mut().for_each(Vec::clear);
        let mut phases = vec![Phase::Fixed; self.widths.len()];
        let mut given = Vec::new();
        for &(relation, phase) in purpose.given {
            let number = self.number(relation);
            phases[number.index()] = phase;
            given.push(number);
        }
        let queries = self.queries(rules, strata, purpose.asked);
        let mut is_asked = vec![false; strata.list.len()];
        for &group in queries.iter().flat_map(|(_, query)| &query.groups) {
            is_asked[group] = true;
        }
        let groups: Vec<Group> = strata
            .list
            .iter()
            .enumerate()
            .map(|(number, stratum)| {
                let group = self.group(rules, stratum, &mut phases);
                // Rules that nothing asks for are never run, not even once.
                match is_asked[number] {
                    true => group,
                    false => Group {
                        plans: Vec::new(),
                        again: Vec::new(),
                        phase: group.phase,
                    },
                }
            })
            .collect();
        let enumerated = purpose.enumerated.iter().map(|rule| plan(rule, None, self)).collect();
        let mut facts: Vec<Table> = self
            .widths
            .iter()
            .zip(&self.shapes)
            .map(|(&width, shapes)| Table::new(width, shapes))
            .collect();
        for rule in rules.rules.iter().filter(|rule| rule.body.is_empty()) {
            let row: Vec<_> = rule.head.args.iter().map(|arg| self.pool.import(arg)).collect();
            facts[self.head(rule).index()].insert(&row);
        }
        facts.iter_mut().for_each(|table| table.refresh_all(&self.pool));
        let mut relations = vec![Relation::new(keyword::TRUE, 1); self.widths.len()];
        let mut large = vec![usize::MAX; self.widths.len()];
        for (relation, number) in &self.relations {
            relations[number.index()] = *relation;
            if is_watched(*relation) {
                large[number.index()] = match phases[number.index()] {
                    Phase::Fixed => LARGE_FIXED,
                    Phase::State | Phase::Move => LARGE,
                };
            }
        }
        Program {
            relations,
            large,
            pool: Arc::new(self.pool.clone()),
            fixed: facts,
            shapes: self.shapes.clone(),
            groups,
            enumerated,
            queries,
            given,
            widths: self.widths.clone(),
            limits: purpose.limits,
        }
    }

    fn group(&mut self, rules: &NormalRules, stratum: &ludens_gdl::normal::Stratum, phases: &mut [Phase]) -> Group {
        let members = stratum.rules.iter().map(|&rule| &rules.rules[rule]);
        let mut phase = Phase::Fixed;
        for literal in members.clone().flat_map(|rule| &rule.body) {
            if literal.atom().is_some() {
                phase = phase.max(phases[self.relation(literal).index()]);
            }
        }
        for rule in members.clone() {
            let head = self.head(rule).index();
            phases[head] = phases[head].max(phase);
        }
        let plans = members.clone().map(|rule| plan(rule, None, self)).collect();
        let mut again = Vec::new();
        for rule in members {
            for (number, literal) in rule.body.iter().enumerate() {
                if stratum.reads_itself(rules, literal) {
                    again.push(plan(rule, Some(number), self));
                }
            }
        }
        Group { plans, again, phase }
    }

    fn queries(&self, rules: &NormalRules, strata: &Strata, asked: &[Relation]) -> Vec<(Relation, Query)> {
        let mut defining: HashMap<Relation, Vec<usize>, RandomState> = HashMap::default();
        for (number, stratum) in strata.list.iter().enumerate() {
            for &rule in &stratum.rules {
                let groups = defining.entry(rules.rules[rule].head.relation()).or_default();
                if groups.last() != Some(&number) {
                    groups.push(number);
                }
            }
        }
        let query = |relation: Relation| {
            let mut needed = vec![false; strata.list.len()];
            let mut queue = defining.get(&relation).cloned().unwrap_or_default();
            while let Some(group) = queue.pop() {
                if std::mem::replace(&mut needed[group], true) {
                    continue;
                }
                for &rule in &strata.list[group].rules {
                    for (atom, _) in rules.rules[rule].body.iter().filter_map(Literal::atom) {
                        queue.extend(defining.get(&atom.relation()).into_iter().flatten());
                    }
                }
            }
            Query {
                relation: self.relations.get(&relation).copied(),
                groups: (0..needed.len()).filter(|&group| needed[group]).collect(),
            }
        };
        asked.iter().map(|&relation| (relation, query(relation))).collect()
    }
}

impl Catalogue for Compiler {
    fn pool(&mut self) -> &mut TermPool {
        &mut self.pool
    }

    fn relation(&self, literal: &Literal) -> RelationId {
        let (atom, _) = literal.atom().expect("only atoms have relations");
        self.relations[&atom.relation()]
    }

    fn head(&self, rule: &NormalRule) -> RelationId {
        self.relations[&rule.head.relation()]
    }

    fn index(&mut self, relation: RelationId, shape: Vec<Shape>) -> usize {
        let shapes = &mut self.shapes[relation.index()];
        shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
            shapes.push(shape);
            shapes.len() - 1
        })
    }

    fn expected_rows(&self, literal: &Literal) -> f64 {
        let Some((atom, _)) = literal.atom() else {
            return 1.0;
        };
        let rows = match atom.name {
            keyword::TRUE => match &atom.args[0] {
                Term::Variable(_) => self.expectations.fluents.values().sum::<f64>().max(USUAL_ROWS),
                Term::Constant(_) => 1.0,
                Term::Function(name, args) => self
                    .expectations
                    .fluents
                    .get(&(*name, args.len()))
                    .copied()
                    .unwrap_or(USUAL_FLUENTS),
            },
            _ => {
                let measured = self.expectations.rows.get(&(atom.name, atom.args.len()));
                let usual = if atom.name == keyword::DOES {
                    self.roles
                } else {
                    USUAL_ROWS
                };
                measured.copied().unwrap_or(usual)
            }
        };
        // Each constant argument leaves a part of the rows.
        let mut constants = 0.0;
        let mut places = 0.0;
        for arg in &atom.args {
            count_constants(arg, &mut constants, &mut places);
        }
        match places > 0.0 {
            true => rows.max(1.0).powf(1.0 - 0.7 * constants / places),
            false => rows,
        }
    }
}

fn count_constants(term: &Term, constants: &mut f64, places: &mut f64) {
    match term {
        Term::Constant(_) => {
            *constants += 1.0;
            *places += 1.0;
        }
        Term::Variable(_) => *places += 1.0,
        Term::Function(_, args) => args.iter().for_each(|arg| count_constants(arg, constants, places)),
    }
}
