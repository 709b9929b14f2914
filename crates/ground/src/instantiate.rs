//! Rule instances to a [`GroundProgram`].

use crate::GroundError;
use crate::program::{Body, Condition, GroundProgram, Signal};
use crate::relax::{DOES, GOAL, INIT, LEGAL, NEXT, Relaxed, SEES, TERMINAL, TRUE, body_variables};
use ludens_datalog::{Evaluator, Limits, RelationId, TermId, TermPool};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::{Atom, Literal, NormalRule, Term};
use ludens_gdl::rule::goal_value;
use ludens_gdl::{Relation, Symbol, Symbols};
use std::ops::ControlFlow;
use std::time::Instant;

/// Enumerates the instances of all rules.
pub(crate) fn instantiate(
    relaxed: &Relaxed,
    roles: &[Symbol],
    symbols: &Symbols,
    limits: Limits,
    deadline: Option<Instant>,
) -> Result<GroundProgram, GroundError> {
    let pool = &*relaxed.program.pool;
    let mut builder = Builder {
        relaxed,
        pool,
        propositions: relaxed.program.relations.iter().map(|_| Vec::new()).collect(),
        fluents: Numbers::default(),
        moves: Vec::new(),
        roles: roles.iter().map(|&role| pool.find(role, &[])).collect(),
        out: GroundProgram::default(),
        limits,
        deadline,
        count: 0,
        instances: Vec::new(),
        fault: None,
    };
    builder.number_inputs(symbols);
    for &relation in &relaxed.program.relations {
        builder.always_true(relation);
    }
    let mut evaluator = Evaluator::new(&relaxed.program, TermPool::on(relaxed.program.pool.clone()));
    evaluator.set_end(deadline, limits.steps);
    for (number, rule) in relaxed.live.iter().enumerate() {
        if builder.instances_of(number, rule, &mut evaluator).is_break() {
            break;
        }
    }
    let fault = builder.fault.take();
    if let Some(fault) = fault.or_else(|| evaluator.fault().map(str::to_string)) {
        return Err(GroundError::Limit(fault));
    }
    builder.outputs();
    Ok(builder.out)
}

/// No number.
const NONE: u32 = u32::MAX;

/// Numbers of terms.
#[derive(Default)]
struct Numbers(Vec<u32>);

impl Numbers {
    /// Numbers terms in the order of their texts and adds them to `out`.
    fn sorted(terms: impl Iterator<Item = TermId>, pool: &TermPool, symbols: &Symbols, out: &mut Vec<Term>) -> Numbers {
        let mut texts: Vec<(String, TermId)> = terms
            .map(|term| (canonical_term(&pool.export(term), symbols), term))
            .collect();
        texts.sort_unstable();
        texts.dedup();
        let mut numbers = vec![NONE; pool.len() as usize];
        for (number, &(_, term)) in texts.iter().enumerate() {
            numbers[TermPool::index(term)] = number as u32;
            out.push(pool.export(term));
        }
        Numbers(numbers)
    }

    fn get(&self, term: TermId) -> Option<u32> {
        let number = self.0.get(TermPool::index(term)).copied();
        number.filter(|&number| number != NONE)
    }
}

struct Builder<'a> {
    relaxed: &'a Relaxed,
    pool: &'a TermPool,
    /// For each relation and each of its rows the derived proposition, once it is needed.
    propositions: Vec<Vec<u32>>,
    fluents: Numbers,
    moves: Vec<Numbers>,
    roles: Vec<Option<TermId>>,
    out: GroundProgram,
    limits: Limits,
    deadline: Option<Instant>,
    /// How many propositions there are.
    count: u32,
    instances: Vec<(u32, Body)>,
    fault: Option<String>,
}

/// A condition of a rule that remains in its instances.
struct Reading<'r> {
    atom: &'r Atom,
    negated: bool,
    kind: Kind,
    /// The row that was read last, and what it was.
    last: Option<(Vec<TermId>, Option<Signal>)>,
}

enum Kind {
    Fluent,
    Move,
    /// A derived relation; one that has no rows never holds.
    Derived(Option<RelationId>),
}

impl<'a> Builder<'a> {
    fn rows(&self, relation: Relation) -> impl Iterator<Item = &'a [TermId]> + use<'a> {
        let program = &self.relaxed.program;
        let number = program.find(relation);
        number.into_iter().flat_map(|number| program.fixed_rows(number))
    }

    fn number_inputs(&mut self, symbols: &Symbols) {
        let fluents = self.rows(TRUE).map(|row| row[0]);
        self.fluents = Numbers::sorted(fluents, self.pool, symbols, &mut self.out.fluents);
        let mut initial: Vec<u32> = self.rows(INIT).filter_map(|row| self.fluents.get(row[0])).collect();
        initial.sort_unstable();
        self.out.initial = initial;
        for role in self.roles.clone() {
            let moves = self.rows(DOES).filter(|row| Some(row[0]) == role).map(|row| row[1]);
            let mut terms = Vec::new();
            self.moves.push(Numbers::sorted(moves, self.pool, symbols, &mut terms));
            self.out.moves.push(terms);
        }
    }

    /// Facts of relations that otherwise change are instances without conditions.
    fn always_true(&mut self, relation: Relation) {
        let changes = self.relaxed.changing.contains(&relation);
        if !changes && !is_output(relation) {
            return;
        }
        let Some(number) = self.relaxed.program.find(relation) else {
            return;
        };
        let facts: Vec<Vec<TermId>> = match changes {
            // An output that never changes holds as derived.
            false => self.rows(relation).map(<[TermId]>::to_vec).collect(),
            true => {
                let rules = &self.relaxed.rules.rules;
                let facts = rules
                    .iter()
                    .filter(|rule| rule.head.relation() == relation && rule.body.is_empty());
                let mut row = Vec::new();
                facts
                    .filter(|fact| self.row(&fact.head, &[], &mut row))
                    .map(|fact| fact.head.args.iter().filter_map(|arg| self.term(arg, &[])).collect())
                    .collect()
            }
        };
        let nothing = self.out.bodies.intern(&[]);
        for row in facts {
            if let Some(proposition) = self.proposition(number, &row) {
                self.instances.push((proposition, nothing));
            }
        }
    }

    fn instances_of(&mut self, number: usize, rule: &NormalRule, evaluator: &mut Evaluator) -> ControlFlow<()> {
        let program = &self.relaxed.program;
        let Some(head) = program.find(rule.head.relation()) else {
            return ControlFlow::Continue(());
        };
        let mut readings: Vec<Reading<'_>> = rule.body.iter().filter_map(|literal| self.reading(literal)).collect();
        let order = body_variables(rule);
        let mut slots = vec![None; rule.variables as usize];
        let mut row = Vec::new();
        let mut conditions = Vec::new();
        // Instances that follow each other often have the same conditions.
        let mut last: (Vec<Condition>, Option<Body>) = (Vec::new(), None);
        evaluator.enumerate(program, number, &mut |values| {
            for (&slot, &term) in order.iter().zip(values) {
                slots[slot as usize] = Some(term);
            }
            if self.conditions(&mut readings, &slots, &mut row, &mut conditions)
                && self.row(&rule.head, &slots, &mut row)
                && let Some(proposition) = self.proposition(head, &row)
            {
                let body = match last.1 {
                    Some(body) if last.0 == conditions => body,
                    _ => self.out.bodies.intern(&conditions),
                };
                last.0.clone_from(&conditions);
                last.1 = Some(body);
                self.instances.push((proposition, body));
            }
            self.count()
        })
    }

    /// Counts an instance; breaks off when a limit is hit.
    fn count(&mut self) -> ControlFlow<()> {
        if !self.instances.len().is_multiple_of(1 << 12) {
            return ControlFlow::Continue(());
        }
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            self.fault = Some("preparing the rules takes too long".to_string());
        }
        if self.out.bodies.bytes() + 8 * self.instances.capacity() > self.limits.memory {
            self.fault = Some(format!(
                "the instances of the rules take more than {} MiB",
                self.limits.memory >> 20
            ));
        }
        match self.fault {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// What a condition reads; nothing if its truth never changes and so is settled.
    fn reading<'r>(&self, literal: &'r Literal) -> Option<Reading<'r>> {
        let (atom, negated) = literal.atom()?;
        let relation = atom.relation();
        let kind = match relation {
            TRUE => Kind::Fluent,
            DOES => Kind::Move,
            _ if self.relaxed.questions.contains(&relation) || !self.relaxed.changing.contains(&relation) => {
                return None;
            }
            _ => Kind::Derived(self.relaxed.program.find(relation)),
        };
        Some(Reading {
            atom,
            negated,
            kind,
            last: None,
        })
    }

    /// Collects what an instance depends on; false if it can never hold.
    fn conditions(
        &mut self,
        readings: &mut [Reading<'_>],
        slots: &[Option<TermId>],
        row: &mut Vec<TermId>,
        conditions: &mut Vec<Condition>,
    ) -> bool {
        conditions.clear();
        for reading in readings {
            let signal = match (self.row(reading.atom, slots, row), &mut reading.last) {
                (false, _) => None,
                (true, Some((last_row, signal))) if last_row == row => *signal,
                (true, last) => {
                    let signal = self.signal(&reading.kind, row);
                    *last = Some((row.clone(), signal));
                    signal
                }
            };
            match (signal, reading.negated) {
                (Some(signal), negated) => conditions.push(Condition { signal, negated }),
                // What can never hold is false.
                (None, true) => {}
                (None, false) => return false,
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        // The opposite of a condition sorts right behind it.
        conditions.windows(2).all(|pair| pair[0].signal != pair[1].signal)
    }

    fn signal(&mut self, kind: &Kind, row: &[TermId]) -> Option<Signal> {
        match *kind {
            Kind::Fluent => self.fluents.get(row[0]).map(Signal::Fluent),
            Kind::Move => {
                let role = self.roles.iter().position(|role| *role == Some(row[0]))?;
                let number = self.moves[role].get(row[1])?;
                Some(Signal::Move(role as u8, number))
            }
            Kind::Derived(relation) => self.proposition(relation?, row).map(Signal::Derived),
        }
    }

    /// The derived proposition of a row; nothing if it can never hold.
    fn proposition(&mut self, relation: RelationId, row: &[TermId]) -> Option<u32> {
        let program = &self.relaxed.program;
        let number = program.fixed_row_number(relation, row)? as usize;
        let propositions = &mut self.propositions[relation.index()];
        if propositions.is_empty() {
            propositions.resize(program.fixed_len(relation), NONE);
        }
        if propositions[number] == NONE {
            propositions[number] = self.count;
            self.count += 1;
        }
        Some(propositions[number])
    }

    /// Makes the arguments of an atom; false if one of them is no term of the game.
    fn row(&self, atom: &Atom, slots: &[Option<TermId>], row: &mut Vec<TermId>) -> bool {
        row.clear();
        for arg in &atom.args {
            match self.term(arg, slots) {
                Some(term) => row.push(term),
                None => return false,
            }
        }
        true
    }

    fn term(&self, term: &Term, slots: &[Option<TermId>]) -> Option<TermId> {
        /// Functions with more arguments than this are rare and may cost an allocation.
        const FEW: usize = 8;
        match term {
            Term::Constant(name) => self.pool.find(*name, &[]),
            Term::Variable(variable) => slots[*variable as usize],
            Term::Function(name, args) if args.len() <= FEW => {
                let mut found: [Option<TermId>; FEW] = [None; FEW];
                for (place, arg) in found.iter_mut().zip(args) {
                    *place = Some(self.term(arg, slots)?);
                }
                let found = found.map(|term| term.unwrap_or(TermPool::FIRST));
                self.pool.find(*name, &found[..args.len()])
            }
            Term::Function(name, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.term(arg, slots)).collect();
                self.pool.find(*name, &args?)
            }
        }
    }

    fn outputs(&mut self) {
        let roles = self.roles.clone();
        let role_of = |term: TermId| roles.iter().position(|role| *role == Some(term));
        self.out.legal = vec![Vec::new(); roles.len()];
        self.out.goals = vec![Vec::new(); roles.len()];
        self.out.percepts = vec![Vec::new(); roles.len()];
        let program = &self.relaxed.program;
        for relation in [NEXT, LEGAL, GOAL, TERMINAL, SEES] {
            let Some(number) = program.find(relation) else {
                continue;
            };
            let propositions = std::mem::take(&mut self.propositions[number.index()]);
            let rows = program.fixed_rows(number).zip(propositions);
            for (row, proposition) in rows.filter(|&(_, proposition)| proposition != NONE) {
                self.output(relation, row, proposition, &role_of);
            }
        }
        self.out.next.sort_unstable();
        self.out.legal.iter_mut().for_each(|list| list.sort_unstable());
        self.out.goals.iter_mut().for_each(|list| list.sort_unstable());
        let instances = std::mem::take(&mut self.instances);
        self.out.set_instances(self.count as usize, instances);
    }

    fn output(
        &mut self,
        relation: Relation,
        row: &[TermId],
        proposition: u32,
        role_of: &dyn Fn(TermId) -> Option<usize>,
    ) {
        match relation {
            TERMINAL => self.out.terminal = Some(proposition),
            NEXT => {
                let fluent = self.fluents.get(row[0]);
                self.out.next.extend(fluent.map(|fluent| (fluent, proposition)));
            }
            LEGAL => {
                if let Some(role) = role_of(row[0]) {
                    let number = self.moves[role].get(row[1]);
                    self.out.legal[role].extend(number.map(|number| (number, proposition)));
                }
            }
            GOAL => {
                let value = self.pool.args(row[1]).is_empty().then(|| self.pool.name(row[1]));
                let value = value.and_then(|name| goal_value(self.relaxed.rules.symbols.name(name)));
                if let (Some(role), Some(value)) = (role_of(row[0]), value) {
                    self.out.goals[role].push((value, proposition));
                }
            }
            _ => {
                if let Some(role) = role_of(row[0]) {
                    self.out.percepts[role].push((self.pool.export(row[1]), proposition));
                }
            }
        }
    }
}

fn is_output(relation: Relation) -> bool {
    [NEXT, LEGAL, GOAL, TERMINAL, SEES].contains(&relation)
}
