//! A rule set made ready to be interpreted: relations numbered, rules planned, everything that never changes derived.

use crate::compile::{Compiler, reach};
use crate::evaluate::Evaluator;
use crate::limits::Limits;
use crate::meter::{Charge, LimitHit, Meter};
use crate::plan::{Builder, Plan, RelationId};
use crate::table::{Shape, Table};
use crate::term::TermPool;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_gdl::normal::{NormalRule, NormalRules, Strata, Term};
use ludens_gdl::{Relation, Symbol, Symbols, keyword};
use std::sync::Arc;

/// Phase in which the truth of a fact is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Before play; it never changes.
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

/// Use that rules are compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    /// The relations that will be asked for; rules that nothing of this needs are never run.
    pub asked: &'a [Relation],
    /// The relations whose facts are asserted from outside, and the phase.
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
    /// Facts that hold in every state, by relation.
    pub(crate) fixed: Vec<Table>,
    /// The indexes of each relation.
    pub(crate) shapes: Vec<Vec<Vec<Shape>>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) enumerated: Vec<Plan>,
    /// For each group those that derive what it reads.
    pub(crate) needs: Vec<Vec<usize>>,
    /// The groups that derive each relation.
    pub(crate) defining: HashMap<Relation, Vec<usize>, RandomState>,
    pub(crate) given: Vec<RelationId>,
    pub(crate) widths: Vec<usize>,
    pub(crate) limits: Limits,
    /// The relations by number.
    pub relations: Vec<Relation>,
    pub(crate) numbers: HashMap<Relation, RelationId, RandomState>,
    pub(crate) symbols: Arc<Symbols>,
    /// The memory that all this takes.
    pub(crate) charge: Charge,
    /// Number of rows from which on each relation is derived on demand; beyond every limit if it cannot be.
    pub(crate) large: Vec<usize>,
}

/// Reason why rules could not be compiled.
#[derive(Debug)]
pub enum Overflow {
    /// A relation is large; another way to derive it may help.
    Large(Relation),
    /// A limit was hit.
    Limit(String),
}

impl From<LimitHit> for Overflow {
    fn from(hit: LimitHit) -> Overflow {
        Overflow::Limit(hit.to_string())
    }
}

/// Sizes to plan with.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    pub(crate) rows: HashMap<(Symbol, usize), f64, RandomState>,
    pub(crate) fluents: HashMap<(Symbol, usize), f64, RandomState>,
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
        let mut meter = Meter::for_setup(&purpose.limits);
        Program::within(rules, strata, purpose, expectations, is_watched, &mut meter)
    }

    /// The same as part of other work.
    pub fn within(
        rules: &NormalRules,
        strata: &Strata,
        purpose: Purpose<'_>,
        expectations: Expectations,
        is_watched: impl Fn(Relation) -> bool,
        meter: &mut Meter,
    ) -> Result<Program, Overflow> {
        // Memory that is kept is handed over at the end; whatever else was taken is given back.
        let mut own = meter.part();
        let result = Program::prepare(rules, strata, purpose, expectations, is_watched, &mut own);
        meter.join(&own);
        let mut program = result?;
        program.charge = own.take_charge();
        Ok(program)
    }

    fn prepare(
        rules: &NormalRules,
        strata: &Strata,
        purpose: Purpose<'_>,
        expectations: Expectations,
        is_watched: impl Fn(Relation) -> bool,
        meter: &mut Meter,
    ) -> Result<Program, Overflow> {
        meter.look()?;
        let mut compiler = Compiler::new(rules, purpose, expectations, meter);
        let mut first = compiler.compile(rules, strata, purpose, &is_watched)?;
        compiler.meter.look()?;
        let fixed = first.derive_fixed(compiler.meter)?;
        let is_changing = first.changing();
        // Plan what is still to be done again, now that the sizes of everything that never changes are known.
        for (relation, number) in &compiler.relations {
            let table = &fixed[number.index()];
            if !is_changing[number.index()] {
                let shape = (relation.name, relation.arity);
                compiler.expectations.rows.insert(shape, table.len() as f64);
                if relation.name == keyword::TRUE {
                    compiler.expectations.count_fluents(table, &first.pool);
                }
            }
        }
        compiler.pool = TermPool::clone(&first.pool);
        compiler.meter.give_back(first.plan_bytes());
        let mut program = compiler.compile(rules, strata, purpose, &is_watched)?;
        let tables = fixed.into_iter().zip(program.fixed);
        program.fixed = tables
            .map(|(derived, indexed)| indexed.with_rows_of(derived, &program.pool, compiler.meter))
            .collect::<Result<_, _>>()?;
        Ok(program)
    }

    /// The number of any relation that the rules speak of.
    pub fn find(&self, relation: Relation) -> Option<RelationId> {
        self.numbers.get(&relation).copied()
    }

    /// A relation that the program was prepared to be asked for.
    pub fn query(&self, relation: Relation) -> Query {
        let mut needed = vec![false; self.groups.len()];
        reach(&self.needs, self.defining.get(&relation), &mut needed);
        Query {
            relation: self.find(relation),
            groups: (0..needed.len()).filter(|&group| needed[group]).collect(),
        }
    }

    /// Name of the relation that a plan derives, for messages.
    pub(crate) fn describe(&self, plan: &Plan) -> String {
        let name = |symbol: Symbol| self.symbols.name(symbol);
        let head = name(self.relations[plan.head.index()].name);
        match plan.row.last() {
            None => format!("`{head}`"),
            Some(Builder::Call(function, _)) => format!("`({head} ... ({} ...))`", name(*function)),
            Some(_) => format!("`({head} ...)`"),
        }
    }

    fn plan_bytes(&self) -> usize {
        let plans = self
            .groups
            .iter()
            .flat_map(|group| group.plans.iter().chain(&group.again));
        plans.chain(&self.enumerated).map(|plan| plan.bytes).sum()
    }

    /// The rows of a relation that hold in every state.
    pub fn fixed_rows(&self, relation: RelationId) -> impl Iterator<Item = &[crate::TermId]> {
        self.fixed[relation.index()].rows()
    }

    /// Number of rows of a relation that hold in every state.
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

    /// For each relation whether it depends on state or moves.
    fn changing(&self) -> Vec<bool> {
        let mut is_changing = vec![false; self.widths.len()];
        for relation in &self.given {
            is_changing[relation.index()] = true;
        }
        for group in self.groups.iter().filter(|group| group.phase != Phase::Fixed) {
            for plan in &group.plans {
                is_changing[plan.head.index()] = true;
            }
        }
        is_changing
    }

    fn derive_fixed(&mut self, meter: &mut Meter) -> Result<Vec<Table>, Overflow> {
        let mut evaluator = Evaluator::within(self, TermPool::clone(&self.pool), std::mem::take(meter));
        let needed: Vec<usize> = (0..self.groups.len())
            .filter(|&group| self.groups[group].phase == Phase::Fixed)
            .collect();
        for group in needed {
            evaluator.derive(self, group);
            if evaluator.fault().is_some() {
                break;
            }
        }
        let result = evaluator.check(self);
        let (mut tables, pool, counted) = evaluator.into_fixed();
        *meter = counted;
        result?;
        for (table, facts) in tables.iter_mut().zip(&self.fixed) {
            meter.spend(facts.len() as u64)?;
            for row in facts.rows() {
                table.make_room(meter)?;
                table.insert(row);
            }
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
