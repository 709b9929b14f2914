//! Compiles rules to a [`Program`]: numbers relations, plans rules, and finds the phase in which facts are settled.

use crate::meter::{Charge, LimitHit, Meter};
use crate::plan::{Catalogue, RelationId, plan};
use crate::program::{Expectations, Group, Phase, Program, Purpose};
use crate::table::{Shape, Table};
use crate::term::TermPool;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use ludens_gdl::normal::{Literal, NormalRule, NormalRules, Strata, Stratum, Term};
use ludens_gdl::{Relation, Symbols, keyword};
use std::sync::Arc;

/// Number of rows up to which a relation that never changes is derived as a whole: it is derived once.
const LARGE_FIXED: usize = 300_000;
/// The same for a relation that depends on the state, which is derived again in every state.
const LARGE: usize = 4_000;
/// Assumed rows of a relation that depends on the state, if nothing was measured.
const USUAL_ROWS: f64 = 20.0;
/// Assumed fluents of one kind that hold, if nothing was measured.
const USUAL_FLUENTS: f64 = 4.0;

pub(crate) struct Compiler<'m> {
    pub(crate) meter: &'m mut Meter,
    symbols: Arc<Symbols>,
    pub(crate) pool: TermPool,
    pub(crate) relations: HashMap<Relation, RelationId, RandomState>,
    widths: Vec<usize>,
    shapes: Vec<Vec<Vec<Shape>>>,
    /// The number of each shape of an index.
    shape_numbers: Vec<HashMap<Vec<Shape>, usize, RandomState>>,
    pub(crate) expectations: Expectations,
    /// Fluents that are expected to hold.
    fluents: f64,
    roles: f64,
}

impl<'m> Compiler<'m> {
    pub(crate) fn new(
        rules: &NormalRules,
        purpose: Purpose<'_>,
        expectations: Expectations,
        meter: &'m mut Meter,
    ) -> Compiler<'m> {
        let roles = rules
            .rules
            .iter()
            .filter(|rule| rule.head.relation() == Relation::new(keyword::ROLE, 1))
            .count();
        let mut compiler = Compiler {
            meter,
            symbols: Arc::new(rules.symbols.clone()),
            pool: TermPool::default(),
            relations: HashMap::default(),
            widths: Vec::new(),
            shapes: Vec::new(),
            shape_numbers: Vec::new(),
            fluents: 0.0,
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
            self.shape_numbers.push(HashMap::default());
        }
        number
    }

    pub(crate) fn compile(
        &mut self,
        rules: &NormalRules,
        strata: &Strata,
        purpose: Purpose<'_>,
        is_watched: &dyn Fn(Relation) -> bool,
    ) -> Result<Program, LimitHit> {
        self.meter.spend(rules.rules.len() as u64)?;
        self.shapes.iter_mut().for_each(Vec::clear);
        self.shape_numbers.iter_mut().for_each(HashMap::clear);
        self.fluents = self.expectations.fluents.values().sum::<f64>();
        let mut phases = vec![Phase::Fixed; self.widths.len()];
        let mut given = Vec::new();
        for &(relation, phase) in purpose.given {
            let number = self.number(relation);
            phases[number.index()] = phase;
            given.push(number);
        }
        let (defining, needs) = needs(rules, strata);
        let mut is_asked = vec![false; strata.list.len()];
        for relation in purpose.asked {
            reach(&needs, defining.get(relation), &mut is_asked);
        }
        let mut groups = Vec::new();
        for (number, stratum) in strata.list.iter().enumerate() {
            groups.push(self.group(rules, stratum, &mut phases, is_asked[number])?);
        }
        let rules_to_enumerate = purpose.enumerated.iter();
        let enumerated = rules_to_enumerate
            .map(|rule| plan(rule, None, self))
            .collect::<Result<_, _>>()?;
        let mut facts: Vec<Table> = self
            .widths
            .iter()
            .zip(&self.shapes)
            .map(|(&width, shapes)| Table::new(width, shapes))
            .collect();
        for rule in rules.rules.iter().filter(|rule| rule.body.is_empty()) {
            self.meter.spend(1)?;
            let row: Vec<_> = rule.head.args.iter().map(|arg| self.pool.import(arg)).collect();
            facts[self.head(rule).index()].insert(&row);
        }
        for table in &mut facts {
            table.refresh_all(&self.pool, self.meter)?;
        }
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
        Ok(Program {
            relations,
            numbers: self.relations.clone(),
            symbols: self.symbols.clone(),
            charge: Charge::default(),
            large,
            pool: Arc::new(self.pool.clone()),
            fixed: facts,
            shapes: self.shapes.clone(),
            groups,
            enumerated,
            needs,
            defining,
            given,
            widths: self.widths.clone(),
            limits: purpose.limits,
        })
    }

    /// Plans a stratum; rules that nothing asks for are never run, not even once.
    fn group(
        &mut self,
        rules: &NormalRules,
        stratum: &Stratum,
        phases: &mut [Phase],
        is_asked: bool,
    ) -> Result<Group, LimitHit> {
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
        let (mut plans, mut again) = (Vec::new(), Vec::new());
        if is_asked {
            for rule in members.clone() {
                plans.push(plan(rule, None, self)?);
            }
            let heads = match stratum.recursive {
                true => members.clone().map(|rule| rule.head.relation()).collect(),
                false => HashSet::<Relation, RandomState>::default(),
            };
            for rule in members {
                for (number, literal) in rule.body.iter().enumerate() {
                    if let Literal::Positive(atom) = literal
                        && heads.contains(&atom.relation())
                    {
                        again.push(plan(rule, Some(number), self)?);
                    }
                }
            }
        }
        Ok(Group { plans, again, phase })
    }
}

/// The groups that derive each relation, and for each group those that derive what it reads.
fn needs(rules: &NormalRules, strata: &Strata) -> (HashMap<Relation, Vec<usize>, RandomState>, Vec<Vec<usize>>) {
    let mut defining: HashMap<Relation, Vec<usize>, RandomState> = HashMap::default();
    for (number, stratum) in strata.list.iter().enumerate() {
        for &rule in &stratum.rules {
            let groups = defining.entry(rules.rules[rule].head.relation()).or_default();
            if groups.last() != Some(&number) {
                groups.push(number);
            }
        }
    }
    let of_stratum = |stratum: &Stratum| {
        let body = stratum.rules.iter().flat_map(|&rule| &rules.rules[rule].body);
        let read: HashSet<Relation, RandomState> = body
            .filter_map(Literal::atom)
            .map(|(atom, _)| atom.relation())
            .collect();
        let mut needs: Vec<usize> = read
            .iter()
            .filter_map(|relation| defining.get(relation))
            .flatten()
            .copied()
            .collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    let needs = strata.list.iter().map(of_stratum).collect();
    (defining, needs)
}

/// Marks groups and all that they need.
pub(crate) fn reach(needs: &[Vec<usize>], groups: Option<&Vec<usize>>, needed: &mut [bool]) {
    let mut queue = groups.cloned().unwrap_or_default();
    while let Some(group) = queue.pop() {
        if !std::mem::replace(&mut needed[group], true) {
            queue.extend(&needs[group]);
        }
    }
}

impl Catalogue for Compiler<'_> {
    fn pool(&mut self) -> &mut TermPool {
        &mut self.pool
    }

    fn meter(&mut self) -> &mut Meter {
        self.meter
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
        let numbers = &mut self.shape_numbers[relation.index()];
        *numbers.entry(shape).or_insert_with_key(|shape| {
            shapes.push(shape.clone());
            shapes.len() - 1
        })
    }

    fn expected_rows(&self, literal: &Literal) -> f64 {
        let Some((atom, _)) = literal.atom() else {
            return 1.0;
        };
        let rows = match atom.name {
            keyword::TRUE => match &atom.args[0] {
                Term::Variable(_) => self.fluents.max(USUAL_ROWS),
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
