//! What can hold at all, by relation, and joins over it: which values the variables of a conjunction can have.
//!
//! Fluents are those that grounding found. Relations that never change are derived exactly, others as if every fluent
//! could hold and nothing stood against it. Relations that depend on themselves and on the state are left out, because
//! they can be huge, and what depends on them as well: no join needs those.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use ludens_budget::Budget;
use ludens_datalog::{Expectations, Limits, Program, Purpose, TermId, TermPool};
use ludens_engine::{Fluent, Game};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};
use ludens_gdl::{Relation, keyword};
use ludens_ground::{Named, split_rules};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const TRUE: Relation = Relation::new(keyword::TRUE, 1);
pub(super) const DOES: Relation = Relation::new(keyword::DOES, 2);
pub(super) const GOAL: Relation = Relation::new(keyword::GOAL, 2);
pub(super) const TERMINAL: Relation = Relation::new(keyword::TERMINAL, 0);

/// Facts that may follow.
const MOST_FACTS: usize = 2_000_000;
/// Time that deriving them may take at most, in seconds.
const MOST_SECONDS: u64 = 10;
/// Steps that it may take where there is no clock.
const MOST_STEPS: u64 = 100_000_000;
/// Rows that one join may look at, and all joins together.
const MOST_WORK: usize = 300_000;
const MOST_WORK_OF_ALL: usize = 20_000_000;

/// How the truth of a relation comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It never changes.
    Static,
    /// It depends on the state, but not on itself.
    Changing,
    /// It depends on moves, but not on itself.
    Moving,
    /// It depends on the state and on itself.
    Recursive,
}

/// What can hold.
pub(super) struct Possible {
    pub(super) pool: Arc<TermPool>,
    tables: Vec<Table>,
    /// The tables of relations other than `true`.
    relations: HashMap<Relation, usize, FixedState>,
    /// The tables of fluents, by their names and numbers of arguments; the columns are the arguments.
    fluents: HashMap<(ludens_gdl::Symbol, usize), usize, FixedState>,
    natures: HashMap<Relation, Nature, FixedState>,
    /// Rows that joins have looked at so far.
    work: Cell<usize>,
    budget: Budget,
}

type Index = HashMap<Vec<TermId>, Vec<u32>, FixedState>;

struct Table {
    width: usize,
    len: usize,
    rows: Vec<TermId>,
    /// For fluents, the number of each.
    numbers: Vec<u32>,
    /// Rows by some of their columns, made when they are first asked for.
    indexes: RefCell<HashMap<u32, Arc<Index>, FixedState>>,
}

impl Table {
    fn row(&self, number: usize) -> &[TermId] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// Returns the rows by some columns. To make it counts as work, as there can be one for every set of columns.
    fn index(&self, columns: u32, work: &Cell<usize>) -> Arc<Index> {
        let mut indexes = self.indexes.borrow_mut();
        let index = indexes.entry(columns).or_insert_with(|| {
            work.set(work.get() + self.len);
            let mut index = Index::default();
            for number in 0..self.len {
                index
                    .entry(key(self.row(number), columns))
                    .or_default()
                    .push(number as u32);
            }
            Arc::new(index)
        });
        index.clone()
    }
}

fn key(row: &[TermId], columns: u32) -> Vec<TermId> {
    let chosen = row.iter().enumerate().filter(|(column, _)| columns >> column & 1 == 1);
    chosen.map(|(_, &term)| term).collect()
}

/// Returns the name of a fluent, with the number of its arguments, and the arguments; `None` for a variable.
pub(super) fn parts(term: &Term) -> Option<((ludens_gdl::Symbol, usize), &[Term])> {
    match term {
        Term::Constant(name) => Some(((*name, 0), &[])),
        Term::Function(name, args) => Some(((*name, args.len()), args)),
        Term::Variable(_) => None,
    }
}

impl Possible {
    /// Derives them for a game; `None` if it is not compiled or too much can hold.
    pub(super) fn new(game: &Game, budget: &Budget) -> Option<Possible> {
        let fluents = &game.engine().circuit()?.program.names.fluents;
        let rules = game.rules();
        let dependencies = Dependencies::of_normal(rules);
        let changing = dependencies.dependents(&[TRUE, DOES]);
        let moving = dependencies.dependents(&[DOES]);
        let itself: Vec<Relation> = (0..dependencies.relations.len())
            .filter(|&relation| changing[relation] && (dependencies.is_recursive(relation) || moving[relation]))
            .map(|relation| dependencies.relations[relation])
            .collect();
        let unknown = dependencies.dependents(&itself);
        let natures = dependencies.relations.iter().enumerate().map(|(number, &relation)| {
            let nature = match (changing[number], dependencies.is_recursive(number)) {
                (false, _) => Nature::Static,
                (true, true) => Nature::Recursive,
                (true, false) if moving[number] => Nature::Moving,
                (true, false) => Nature::Changing,
            };
            (relation, nature)
        });
        let natures: HashMap<Relation, Nature, FixedState> = natures.collect();
        let is_known = |relation: Relation| {
            let number = dependencies.find(relation);
            number.is_none_or(|number| !unknown[number]) && relation != DOES
        };
        let relaxed = relaxed(rules, fluents, &natures, &is_known);
        // Everything that goals are made of, and what never changes and can order values.
        let mut needed = dependencies.needed_by(&[GOAL, TERMINAL]);
        for (number, relation) in dependencies.relations.iter().enumerate() {
            needed[number] |= !changing[number] && relation.arity == 2;
        }
        let asked: Vec<Relation> = (0..needed.len())
            .filter(|&number| needed[number] && is_known(dependencies.relations[number]))
            .map(|number| dependencies.relations[number])
            .collect();
        let program = derive(&relaxed, &asked, budget)?;
        let mut possible = Possible {
            pool: program.pool.clone(),
            tables: Vec::new(),
            relations: HashMap::default(),
            fluents: HashMap::default(),
            natures,
            work: Cell::new(0),
            budget: budget.clone(),
        };
        for &relation in asked.iter().filter(|&&relation| relation != TRUE) {
            let number = possible.relations.len();
            let mut table = Table::empty(relation.arity);
            if let Some(id) = program.find(relation) {
                program.fixed_rows(id).for_each(|row| table.push(row));
            }
            possible.relations.insert(relation, number);
            possible.tables.push(table);
        }
        for (number, fluent) in fluents.iter().enumerate() {
            possible.add_fluent(number as u32, &fluent.term)?;
        }
        Some(possible)
    }

    fn add_fluent(&mut self, number: u32, fluent: &Term) -> Option<()> {
        let (head, args) = parts(fluent)?;
        let args: Option<Vec<TermId>> = args.iter().map(|arg| self.find(arg)).collect();
        let next = self.tables.len();
        let place = *self.fluents.entry(head).or_insert(next);
        if place == next {
            self.tables.push(Table::empty(head.1));
        }
        self.tables[place].push(&args?);
        self.tables[place].numbers.push(number);
        Some(())
    }

    /// Returns the number of a ground term, if it occurs anywhere.
    pub(super) fn find(&self, term: &Term) -> Option<TermId> {
        self.value(term, &[]).flatten()
    }

    /// How a relation comes about.
    pub(super) fn nature(&self, relation: Relation) -> Nature {
        match relation {
            TRUE => Nature::Changing,
            DOES => Nature::Moving,
            // What has no rules and no facts never holds.
            _ => self.natures.get(&relation).copied().unwrap_or(Nature::Static),
        }
    }

    /// Returns the fluent of a conjunction in which nothing else depends on the state.
    pub(super) fn only_fluent<'l>(&self, literals: &'l [Literal]) -> Option<&'l Term> {
        let mut changing = literals.iter().filter(|literal| {
            let atom = literal.atom();
            atom.is_some_and(|(atom, _)| self.nature(atom.relation()) != Nature::Static)
        });
        match (changing.next()?, changing.next()) {
            (Literal::Positive(atom), None) if atom.relation() == TRUE => {
                parts(&atom.args[0]).is_some().then_some(&atom.args[0])
            }
            _ => None,
        }
    }

    /// Returns the rows of a relation other than `true`; `None` if they are not known.
    pub(super) fn rows(&self, relation: Relation) -> Option<impl Iterator<Item = &[TermId]>> {
        let table = &self.tables[*self.relations.get(&relation)?];
        Some((0..table.len).map(|number| table.row(number)))
    }

    /// Returns all fluents of a name and number of arguments, with their arguments.
    pub(super) fn fluents(&self, head: (ludens_gdl::Symbol, usize)) -> impl Iterator<Item = (Fluent, &[TermId])> {
        let table = self.fluents.get(&head).map(|&place| &self.tables[place]);
        table.into_iter().flat_map(|table| {
            let rows = (0..table.len).map(|number| table.row(number));
            table.numbers.iter().map(|&number| Fluent(number)).zip(rows)
        })
    }

    /// Returns the fluent of a ground term, if it can hold.
    pub(super) fn fluent(&self, term: &Term) -> Option<Fluent> {
        let (head, args) = parts(term)?;
        let args: Option<Vec<TermId>> = args.iter().map(|arg| self.find(arg)).collect();
        let table = &self.tables[*self.fluents.get(&head)?];
        let all = (1u32 << table.width.min(31)) - 1;
        let index = table.index(all, &self.work);
        let rows = index.get(&args?)?;
        Some(Fluent(table.numbers[*rows.first()? as usize]))
    }

    /// Returns whether a ground atom can hold; it does if its relation never changes. `None` if that is not known.
    pub(super) fn contains(&self, atom: &Atom) -> Option<bool> {
        if atom.relation() == TRUE {
            return Some(self.fluent(&atom.args[0]).is_some());
        }
        let Some(&place) = self.relations.get(&atom.relation()) else {
            return (self.natures.get(&atom.relation()).is_none()).then_some(false);
        };
        let args: Option<Vec<TermId>> = atom.args.iter().map(|arg| self.find(arg)).collect();
        let table = &self.tables[place];
        let all = (1u32 << table.width.min(31)) - 1;
        Some(args.is_some_and(|args| table.index(all, &self.work).contains_key(&args)))
    }

    /// Returns the value of a term with bound variables: `None` if one is not bound, an inner `None` if no such term
    /// occurs.
    fn value(&self, term: &Term, slots: &[Option<TermId>]) -> Option<Option<TermId>> {
        match term {
            Term::Constant(name) => Some(self.pool.find(*name, &[])),
            Term::Variable(variable) => slots.get(*variable as usize).copied().flatten().map(Some),
            Term::Function(name, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    match self.value(arg, slots)? {
                        Some(value) => values.push(value),
                        None => return Some(None),
                    }
                }
                Some(self.pool.find(*name, &values))
            }
        }
    }

    /// Returns the different values that some variables can have where a conjunction can hold; `None` if they are more
    /// than `most`, finding them is too much work, the budget is spent, or a condition is not known.
    pub(super) fn solutions(&self, literals: &[Literal], wanted: &[u32], most: usize) -> Option<Vec<Vec<TermId>>> {
        if self.work.get() > MOST_WORK_OF_ALL || self.budget.is_spent() {
            return None;
        }
        let mut variables = 0;
        for literal in literals {
            literal.variables(&mut |variable| variables = variables.max(variable + 1));
        }
        let mut positive = Vec::new();
        let mut tests = Vec::new();
        for literal in literals {
            match literal {
                Literal::Positive(atom) => positive.push(self.source(atom)?),
                Literal::Negative(atom) if self.nature(atom.relation()) != Nature::Static => {}
                Literal::Negative(_) | Literal::Distinct(..) => tests.push(literal),
            }
        }
        let mut join = Join {
            possible: self,
            tests,
            wanted,
            slots: vec![None; variables as usize],
            found: HashSet::default(),
            order: Vec::new(),
            most,
            work: Cell::new(0),
        };
        join.run(positive);
        self.work.set(self.work.get() + join.work.get());
        (join.order.len() <= most && join.work.get() <= MOST_WORK).then_some(join.order)
    }

    /// Returns the table of an atom and the patterns for its columns; `None` if its rows are not known.
    fn source<'a>(&'a self, atom: &'a Atom) -> Option<Source<'a>> {
        if atom.relation() == TRUE {
            let (head, args) = parts(&atom.args[0])?;
            let table = self.fluents.get(&head).map(|&place| &self.tables[place]);
            return Some(Source { table, args });
        }
        match self.relations.get(&atom.relation()) {
            Some(&place) => Some(Source {
                table: Some(&self.tables[place]),
                args: &atom.args,
            }),
            None if self.natures.contains_key(&atom.relation()) => None,
            None => Some(Source {
                table: None,
                args: &atom.args,
            }),
        }
    }
}

impl Table {
    fn empty(width: usize) -> Table {
        Table {
            width,
            len: 0,
            rows: Vec::new(),
            numbers: Vec::new(),
            indexes: RefCell::default(),
        }
    }

    fn push(&mut self, row: &[TermId]) {
        self.rows.extend_from_slice(row);
        self.len += 1;
    }
}

/// Returns the rules with everything taken as possible that may hold in some state.
fn relaxed(
    rules: &NormalRules,
    fluents: &[Arc<Named>],
    natures: &HashMap<Relation, Nature, FixedState>,
    is_known: &dyn Fn(Relation) -> bool,
) -> NormalRules {
    let is_static = |atom: &Atom| natures.get(&atom.relation()) == Some(&Nature::Static);
    let mut relaxed = NormalRules {
        symbols: rules.symbols.clone(),
        rules: Vec::new(),
        left_out: Vec::new(),
    };
    for rule in &rules.rules {
        if !is_known(rule.head.relation()) {
            continue;
        }
        let is_kept = |literal: &&Literal| match literal {
            Literal::Negative(atom) => is_static(atom),
            Literal::Positive(_) | Literal::Distinct(..) => true,
        };
        relaxed.rules.push(NormalRule {
            body: rule.body.iter().filter(is_kept).cloned().collect(),
            ..rule.clone()
        });
    }
    relaxed
        .rules
        .extend(fluents.iter().map(|fluent| fact(TRUE, &fluent.term)));
    relaxed
}

/// Returns a fact about one term.
pub(super) fn fact(relation: Relation, term: &Term) -> NormalRule {
    NormalRule {
        head: Atom {
            name: relation.name,
            args: vec![term.clone()],
        },
        body: Vec::new(),
        variables: 0,
        source: 0,
    }
}

/// Limits on what may be derived within a budget. Without a clock they must not depend on time.
pub(super) fn limits(budget: &Budget) -> Limits {
    let (setup, steps) = match budget.deadline() {
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            (left.min(Duration::from_secs(MOST_SECONDS)), u64::MAX)
        }
        None => (Duration::MAX, MOST_STEPS),
    };
    Limits {
        facts: MOST_FACTS,
        memory: 256 << 20,
        setup,
        steps,
        ..Limits::default()
    }
}

fn derive(rules: &NormalRules, asked: &[Relation], budget: &Budget) -> Option<Program> {
    // Where every fluent can hold, a rule that adds up four of them has as many instances as they have combinations.
    let rules = &split_rules(rules);
    let strata = rules.strata().ok()?;
    let purpose = Purpose {
        asked,
        given: &[],
        enumerated: &[],
        limits: limits(budget),
    };
    Program::new(rules, &strata, purpose, Expectations::from_facts(rules), |_| false).ok()
}

#[derive(Clone, Copy)]
struct Source<'a> {
    /// Nothing can hold without a table.
    table: Option<&'a Table>,
    args: &'a [Term],
}

struct Join<'a> {
    possible: &'a Possible,
    tests: Vec<&'a Literal>,
    wanted: &'a [u32],
    slots: Vec<Option<TermId>>,
    found: HashSet<Vec<TermId>, FixedState>,
    /// What was found, in order.
    order: Vec<Vec<TermId>>,
    most: usize,
    work: Cell<usize>,
}

impl Join<'_> {
    /// Goes on with the conditions that are left; returns whether they can hold.
    fn run(&mut self, mut left: Vec<Source<'_>>) -> bool {
        if self.order.len() > self.most
            || self.work.get() > MOST_WORK
            || !self.tests.iter().all(|test| self.passes(test))
        {
            return false;
        }
        let is_settled = self
            .wanted
            .iter()
            .all(|&variable| self.slots[variable as usize].is_some());
        if left.is_empty() {
            // A variable that nothing binds is one of those that negations have for themselves.
            if is_settled {
                let values: Vec<TermId> = self
                    .wanted
                    .iter()
                    .filter_map(|&variable| self.slots[variable as usize])
                    .collect();
                if self.found.insert(values.clone()) {
                    self.order.push(values);
                }
            }
            return true;
        }
        let Some((next, rows)) = self.choose(&left) else {
            return false;
        };
        let Source { table, args } = left.swap_remove(next);
        let Some(table) = table else {
            return false;
        };
        let mut is_found = false;
        let mut trail = Vec::new();
        for row in rows {
            self.work.set(self.work.get() + 1);
            let row = table.row(row as usize);
            let fits = args
                .iter()
                .zip(row)
                .all(|(arg, &term)| self.possible.bind(arg, term, &mut self.slots, &mut trail));
            if fits {
                is_found |= self.run(left.clone());
            }
            for variable in trail.drain(..) {
                self.slots[variable as usize] = None;
            }
            // Once the wanted values are known, one way to go on is enough.
            if is_found && is_settled {
                break;
            }
        }
        is_found
    }

    /// Returns the condition with the fewest rows that fit, and these.
    fn choose(&self, left: &[Source<'_>]) -> Option<(usize, Vec<u32>)> {
        let mut best: Option<(usize, Vec<u32>)> = None;
        for (number, source) in left.iter().enumerate() {
            let table = source.table?;
            let mut columns = 0u32;
            let mut values = Vec::new();
            for (column, arg) in source.args.iter().enumerate().take(31) {
                if let Some(value) = self.possible.value(arg, &self.slots) {
                    columns |= 1 << column;
                    values.push(value?);
                }
            }
            let rows = match columns {
                0 => (0..table.len as u32).collect(),
                _ => {
                    let index = table.index(columns, &self.possible.work);
                    index.get(&values).cloned().unwrap_or_default()
                }
            };
            self.work.set(self.work.get() + rows.len() / 16 + 1);
            if rows.is_empty() {
                return None;
            }
            if best.as_ref().is_none_or(|(_, known)| rows.len() < known.len()) {
                best = Some((number, rows));
            }
        }
        best
    }

    /// Returns whether a test does not fail yet.
    fn passes(&self, test: &Literal) -> bool {
        match test {
            Literal::Distinct(a, b) => match (self.possible.value(a, &self.slots), self.possible.value(b, &self.slots))
            {
                (Some(a), Some(b)) => a != b || a.is_none(),
                _ => true,
            },
            Literal::Negative(atom) => {
                let values: Option<Vec<Option<TermId>>> = atom
                    .args
                    .iter()
                    .map(|arg| self.possible.value(arg, &self.slots))
                    .collect();
                let Some(values) = values else {
                    return true;
                };
                let values: Option<Vec<TermId>> = values.into_iter().collect();
                let table = self.possible.relations.get(&atom.relation());
                match (values, table) {
                    (Some(values), Some(&place)) => {
                        let table = &self.possible.tables[place];
                        let all = (1u32 << table.width.min(31)) - 1;
                        !table.index(all, &self.possible.work).contains_key(&values)
                    }
                    _ => true,
                }
            }
            Literal::Positive(_) => true,
        }
    }
}

impl Possible {
    /// Makes a pattern equal to a term by binding variables, which are noted on the trail; returns whether that is
    /// possible.
    fn bind(&self, pattern: &Term, term: TermId, slots: &mut [Option<TermId>], trail: &mut Vec<u32>) -> bool {
        match pattern {
            Term::Constant(name) => self.pool.name(term) == *name && self.pool.args(term).is_empty(),
            Term::Variable(variable) => match slots[*variable as usize] {
                Some(known) => known == term,
                None => {
                    slots[*variable as usize] = Some(term);
                    trail.push(*variable);
                    true
                }
            },
            Term::Function(name, patterns) => {
                let args = self.pool.args(term);
                self.pool.name(term) == *name
                    && args.len() == patterns.len()
                    && patterns
                        .iter()
                        .zip(args)
                        .all(|(pattern, &arg)| self.bind(pattern, arg, slots, trail))
            }
        }
    }

    /// Returns whether a fluent with these arguments fits a pattern.
    pub(super) fn fits(&self, patterns: &[Term], args: &[TermId], variables: u32) -> bool {
        let mut slots = vec![None; variables as usize];
        let mut trail = Vec::new();
        let mut pairs = patterns.iter().zip(args);
        pairs.all(|(pattern, &arg)| self.bind(pattern, arg, &mut slots, &mut trail))
    }
}
