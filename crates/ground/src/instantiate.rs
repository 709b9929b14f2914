//! Rule instances to a [`GroundProgram`].

use crate::ids::{Fluent, MoveId, Proposition, Role, RoleMap};
use crate::program::{Body, Condition, GroundProgram, Signal};
use crate::relax::{DOES, GOAL, INIT, LEGAL, NEXT, Relaxed, SEES, TERMINAL, TRUE, body_variables};
use crate::{GroundError, Named, Names};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_datalog::{Evaluator, LimitHit, Meter, RelationId, TermId, TermPool};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::{Atom, Literal, NormalRule, Term};
use ludens_gdl::rule::goal_value;
use ludens_gdl::{Relation, Symbol, Symbols};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Enumerates the instances of all rules.
pub(crate) fn instantiate(
    relaxed: &Relaxed,
    roles: &[Symbol],
    symbols: &Symbols,
    meter: &mut Meter,
) -> Result<GroundProgram, GroundError> {
    let pool = &*relaxed.program.pool;
    let mut builder = Builder {
        relaxed,
        pool,
        propositions: relaxed.program.relations.iter().map(|_| Vec::new()).collect(),
        fluents: Numbers::default(),
        moves: RoleMap::default(),
        roles: roles.iter().map(|&role| pool.find(role, &[])).collect(),
        out: GroundProgram::default(),
        meter: std::mem::take(meter),
        count: 0,
        instances: Vec::new(),
        hit: None,
    };
    let result = builder.build(roles, symbols);
    *meter = builder.meter;
    result.map(|()| builder.out)
}

/// Memory that a fluent or move takes in a program, in the numbering of the game and as text, roughly; and each of its
/// symbols.
const BYTES_OF_A_TERM: usize = 300;
const BYTES_OF_A_SYMBOL: usize = 150;

/// No number.
const NONE: u32 = u32::MAX;

/// Numbers of terms.
#[derive(Default)]
struct Numbers(Vec<u32>);

impl Numbers {
    /// Numbers terms in the order of their texts.
    fn sorted(
        terms: impl Iterator<Item = TermId>,
        pool: &TermPool,
        symbols: &Symbols,
        meter: &mut Meter,
    ) -> Result<(Numbers, Vec<Arc<Named>>), LimitHit> {
        meter.take(4 * pool.len() as usize)?;
        let mut all: Vec<(TermId, Named)> = Vec::new();
        for term in terms {
            let size = pool.size(term) as usize;
            meter.spend(size as u64)?;
            meter.take(BYTES_OF_A_TERM + BYTES_OF_A_SYMBOL * size)?;
            let exported = pool.export(term);
            let text = canonical_term(&exported, symbols);
            all.push((term, Named { term: exported, text }));
        }
        all.sort_unstable_by(|(a, one), (b, other)| one.text.cmp(&other.text).then(a.cmp(b)));
        all.dedup_by_key(|(term, _)| *term);
        let mut numbers = vec![NONE; pool.len() as usize];
        for (number, &(term, _)) in all.iter().enumerate() {
            numbers[TermPool::index(term)] = number as u32;
        }
        let names = all.into_iter().map(|(_, named)| Arc::new(named)).collect();
        Ok((Numbers(numbers), names))
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
    moves: RoleMap<Numbers>,
    roles: RoleMap<Option<TermId>>,
    out: GroundProgram,
    meter: Meter,
    /// Number of propositions.
    count: u32,
    instances: Vec<(Proposition, Body)>,
    hit: Option<LimitHit>,
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
    fn build(&mut self, roles: &[Symbol], symbols: &Symbols) -> Result<(), GroundError> {
        let relaxed = self.relaxed;
        self.number_inputs(roles, symbols)?;
        self.always_true()?;
        // Enumeration is counted there, construction here; both share the deadline.
        let pool = TermPool::on(relaxed.program.pool.clone());
        let mut evaluator = Evaluator::within(&relaxed.program, pool, self.meter.part());
        for (number, rule) in relaxed.live.iter().enumerate() {
            if self.instances_of(number, rule, &mut evaluator).is_break() {
                break;
            }
        }
        if let Some(hit) = self.hit.take() {
            return Err(GroundError::Limit(format!("{hit}, by the instances of the rules")));
        }
        if let Some(fault) = evaluator.fault() {
            return Err(GroundError::Limit(fault.to_string()));
        }
        self.meter.join(&evaluator.into_meter());
        self.outputs()?;
        Ok(())
    }

    fn rows(&self, relation: Relation) -> impl Iterator<Item = &'a [TermId]> + use<'a> {
        let program = &self.relaxed.program;
        let number = program.find(relation);
        number.into_iter().flat_map(|number| program.fixed_rows(number))
    }

    fn number_inputs(&mut self, roles: &[Symbol], symbols: &Symbols) -> Result<(), LimitHit> {
        let fluents = self.rows(TRUE).map(|row| row[0]);
        let (numbers, fluents) = Numbers::sorted(fluents, self.pool, symbols, &mut self.meter)?;
        self.fluents = numbers;
        let mut names = Names {
            roles: roles.iter().copied().collect(),
            fluents,
            moves: RoleMap::default(),
        };
        let initial = self.rows(INIT).filter_map(|row| self.fluents.get(row[0]));
        let mut initial: Vec<Fluent> = initial.map(Fluent).collect();
        initial.sort_unstable();
        self.out.initial = initial;
        let mut moves_of: HashMap<TermId, Vec<TermId>, RandomState> = HashMap::default();
        for row in self.rows(DOES) {
            moves_of.entry(row[0]).or_default().push(row[1]);
        }
        for role in self.roles.clone() {
            let moves = role.and_then(|role| moves_of.get(&role)).into_iter().flatten().copied();
            let (numbers, moves) = Numbers::sorted(moves, self.pool, symbols, &mut self.meter)?;
            self.moves.push(numbers);
            names.moves.push(moves);
        }
        self.out.names = Arc::new(names);
        Ok(())
    }

    /// Facts of relations that otherwise change are instances without conditions.
    fn always_true(&mut self) -> Result<(), LimitHit> {
        let relaxed = self.relaxed;
        let program = &relaxed.program;
        let mut facts_of: HashMap<Relation, Vec<&Atom>, RandomState> = HashMap::default();
        for rule in relaxed.rules.rules.iter().filter(|rule| rule.body.is_empty()) {
            facts_of.entry(rule.head.relation()).or_default().push(&rule.head);
        }
        let nothing = self.out.bodies.intern(&[]);
        let mut row = Vec::new();
        for &relation in &program.relations {
            let changes = relaxed.changing.contains(&relation);
            let Some(number) = program.find(relation).filter(|_| changes || is_output(relation)) else {
                continue;
            };
            if !changes {
                // An output that never changes holds as derived.
                for row in program.fixed_rows(number) {
                    self.fact(number, row, nothing)?;
                }
                continue;
            }
            for &fact in facts_of.get(&relation).into_iter().flatten() {
                if self.row(fact, &[], &mut row) {
                    self.fact(number, &row, nothing)?;
                }
            }
        }
        Ok(())
    }

    fn fact(&mut self, relation: RelationId, row: &[TermId], nothing: Body) -> Result<(), LimitHit> {
        self.meter.spend(1)?;
        match self.proposition(relation, row) {
            Some(proposition) => self.push(proposition, nothing),
            None => Ok(()),
        }
    }

    /// Adds an instance.
    fn push(&mut self, proposition: Proposition, body: Body) -> Result<(), LimitHit> {
        if self.instances.len() == self.instances.capacity() {
            self.meter.take(8 * self.instances.capacity().max(4))?;
        }
        self.instances.push((proposition, body));
        Ok(())
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
                if last.1.is_none() || last.0 != conditions {
                    if let Err(hit) = self.meter.take(self.out.bodies.growth(conditions.len())) {
                        self.hit = Some(hit);
                        return ControlFlow::Break(());
                    }
                    last.0.clone_from(&conditions);
                    last.1 = Some(self.out.bodies.intern(&conditions));
                }
                let pushed = last.1.map_or(Ok(()), |body| self.push(proposition, body));
                self.hit = pushed.err();
            }
            let spent = self.meter.spend(1 + readings.len() as u64);
            self.hit = self.hit.take().or(spent.err());
            match self.hit {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        })
    }

    /// The relation that a condition reads; `None` if its truth never changes.
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

    /// Collects the conditions of an instance; returns `false` if it can never hold.
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
                // A proposition that can never hold is false.
                (None, true) => {}
                (None, false) => return false,
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        // The opposite of a condition sorts right after it.
        conditions.windows(2).all(|pair| pair[0].signal != pair[1].signal)
    }

    fn signal(&mut self, kind: &Kind, row: &[TermId]) -> Option<Signal> {
        match *kind {
            Kind::Fluent => self.fluents.get(row[0]).map(|number| Signal::Fluent(Fluent(number))),
            Kind::Move => {
                let role = self.role(row[0])?;
                let number = self.moves[role].get(row[1])?;
                Some(Signal::Move(role, MoveId(number)))
            }
            Kind::Derived(relation) => self.proposition(relation?, row).map(Signal::Derived),
        }
    }

    /// The derived proposition of a row; `None` if it can never hold.
    fn proposition(&mut self, relation: RelationId, row: &[TermId]) -> Option<Proposition> {
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
        Some(Proposition(propositions[number]))
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

    fn outputs(&mut self) -> Result<(), LimitHit> {
        let roles = self.roles.len();
        self.out.legal = RoleMap::filled(roles, Vec::new());
        self.out.goals = RoleMap::filled(roles, Vec::new());
        self.out.percepts = RoleMap::filled(roles, Vec::new());
        let program = &self.relaxed.program;
        for relation in [NEXT, LEGAL, GOAL, TERMINAL, SEES] {
            let Some(number) = program.find(relation) else {
                continue;
            };
            let propositions = std::mem::take(&mut self.propositions[number.index()]);
            let rows = program.fixed_rows(number).zip(propositions);
            for (row, proposition) in rows.filter(|&(_, proposition)| proposition != NONE) {
                self.meter.spend(1)?;
                if relation == SEES {
                    let size = self.pool.size(row[1]) as usize;
                    self.meter.take(BYTES_OF_A_TERM + BYTES_OF_A_SYMBOL * size)?;
                }
                self.output(relation, row, Proposition(proposition));
            }
        }
        self.out.next.sort_unstable();
        self.out.legal.values_mut().for_each(|list| list.sort_unstable());
        self.out.goals.values_mut().for_each(|list| list.sort_unstable());
        let instances = std::mem::take(&mut self.instances);
        self.out.set_instances(self.count as usize, instances);
        Ok(())
    }

    fn role(&self, term: TermId) -> Option<Role> {
        let mut roles = self.roles.iter();
        roles.find(|&(_, of)| *of == Some(term)).map(|(role, _)| role)
    }

    fn output(&mut self, relation: Relation, row: &[TermId], proposition: Proposition) {
        match relation {
            TERMINAL => self.out.terminal = Some(proposition),
            NEXT => {
                let fluent = self.fluents.get(row[0]);
                self.out.next.extend(fluent.map(|number| (Fluent(number), proposition)));
            }
            LEGAL => {
                if let Some(role) = self.role(row[0]) {
                    let number = self.moves[role].get(row[1]);
                    self.out.legal[role].extend(number.map(|number| (MoveId(number), proposition)));
                }
            }
            GOAL => {
                let value = self.pool.args(row[1]).is_empty().then(|| self.pool.name(row[1]));
                let value = value.and_then(|name| goal_value(self.relaxed.rules.symbols.name(name)));
                if let (Some(role), Some(value)) = (self.role(row[0]), value) {
                    self.out.goals[role].push((value, proposition));
                }
            }
            _ => {
                if let Some(role) = self.role(row[0]) {
                    self.out.percepts[role].push((self.pool.export(row[1]), proposition));
                }
            }
        }
    }
}

fn is_output(relation: Relation) -> bool {
    [NEXT, LEGAL, GOAL, TERMINAL, SEES].contains(&relation)
}
