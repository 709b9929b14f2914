//! Rule instances to a [`GroundProgram`].

use crate::program::{Condition, GroundProgram, Signal};
use crate::relax::{DOES, GOAL, INIT, LEGAL, LiveRule, NEXT, Relaxed, SEES, TERMINAL, TRUE};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_datalog::{RelationId, TermId, TermPool};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::{Atom, Literal, Term};
use ludens_gdl::rule::goal_value;
use ludens_gdl::{Relation, Symbol, Symbols};

pub(crate) fn instantiate(relaxed: &Relaxed, roles: &[Symbol], symbols: &Symbols) -> GroundProgram {
    let mut builder = Builder {
        relaxed,
        pool: &relaxed.program.pool,
        atoms: HashMap::default(),
        relations: relaxed
            .program
            .relations
            .iter()
            .filter_map(|&relation| Some((relation, relaxed.program.find(relation)?)))
            .collect(),
        fluents: HashMap::default(),
        moves: roles.iter().map(|_| HashMap::default()).collect(),
        roles: roles.iter().map(|&role| relaxed.program.pool.find(role, &[])).collect(),
        out: GroundProgram::default(),
    };
    builder.number_inputs(symbols);
    for relation in relaxed.program.relations.clone() {
        builder.always_true(relation);
    }
    for live in &relaxed.live {
        builder.instances(live);
    }
    builder.outputs();
    builder.out
}

struct Builder<'a> {
    relaxed: &'a Relaxed,
    pool: &'a TermPool,
    /// Derived propositions by relation and arguments.
    atoms: HashMap<(Relation, Vec<TermId>), u32, RandomState>,
    relations: HashMap<Relation, RelationId, RandomState>,
    fluents: HashMap<TermId, u32, RandomState>,
    moves: Vec<HashMap<TermId, u32, RandomState>>,
    roles: Vec<Option<TermId>>,
    out: GroundProgram,
}

impl Builder<'_> {
    fn rows(&self, relation: Relation) -> Vec<Vec<TermId>> {
        let number = self.relations.get(&relation).copied();
        let rows = number
            .into_iter()
            .flat_map(|number| self.relaxed.program.fixed_rows(number));
        rows.map(<[TermId]>::to_vec).collect()
    }

    fn number_inputs(&mut self, symbols: &Symbols) {
        let fluents: Vec<TermId> = self.rows(TRUE).iter().map(|row| row[0]).collect();
        self.fluents = sorted(&fluents, self.pool, symbols, &mut self.out.fluents);
        let mut initial: Vec<u32> = self.rows(INIT).iter().map(|row| self.fluents[&row[0]]).collect();
        initial.sort_unstable();
        self.out.initial = initial;
        let does = self.rows(DOES);
        for (number, role) in self.roles.clone().into_iter().enumerate() {
            let moves: Vec<TermId> = does
                .iter()
                .filter(|row| Some(row[0]) == role)
                .map(|row| row[1])
                .collect();
            let mut terms = Vec::new();
            self.moves[number] = sorted(&moves, self.pool, symbols, &mut terms);
            self.out.moves.push(terms);
        }
    }

    /// Facts of relations that otherwise change are instances without conditions.
    fn always_true(&mut self, relation: Relation) {
        if !self.relaxed.changing.contains(&relation) && !is_output(relation) {
            return;
        }
        let facts: Vec<Vec<TermId>> = match self.relaxed.changing.contains(&relation) {
            // An output that never changes holds as derived.
            false => self.rows(relation),
            true => {
                let rules = &self.relaxed.rules.rules;
                let facts = rules
                    .iter()
                    .filter(|rule| rule.head.relation() == relation && rule.body.is_empty());
                facts.filter_map(|fact| self.row(&fact.head, &[])).collect()
            }
        };
        for row in facts {
            let atom = self.atom(relation, row);
            self.out.derived[atom as usize].push(Vec::new());
        }
    }

    fn instances(&mut self, live: &LiveRule) {
        let rule = &live.rule;
        let mut slots = vec![None; rule.variables as usize];
        let mut used = vec![false; rule.variables as usize];
        for literal in &rule.body {
            literal.variables(&mut |variable| used[variable as usize] = true);
        }
        let order: Vec<usize> = (0..slots.len()).filter(|&slot| used[slot]).collect();
        for row in self.rows(live.instances) {
            for (&slot, &term) in order.iter().zip(&row) {
                slots[slot] = Some(term);
            }
            let Some(head) = self.row(&rule.head, &slots) else {
                continue;
            };
            if let Some(conditions) = self.conditions(&rule.body, &slots) {
                let atom = self.atom(rule.head.relation(), head);
                self.out.derived[atom as usize].push(conditions);
            }
        }
    }

    /// What an instance depends on; nothing if it can never hold.
    fn conditions(&mut self, body: &[Literal], slots: &[Option<TermId>]) -> Option<Vec<Condition>> {
        let mut conditions = Vec::new();
        for literal in body {
            let Some((atom, negated)) = literal.atom() else {
                continue;
            };
            let relation = atom.relation();
            let is_live = relation == TRUE || relation == DOES || self.relaxed.changing.contains(&relation);
            if !is_live || self.relaxed.questions.contains(&relation) {
                continue;
            }
            match (self.signal(atom, slots), negated) {
                (Some(signal), _) => conditions.push(Condition { signal, negated }),
                // What can never hold is false.
                (None, true) => {}
                (None, false) => return None,
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        Some(conditions)
    }

    fn signal(&mut self, atom: &Atom, slots: &[Option<TermId>]) -> Option<Signal> {
        let row = self.row(atom, slots)?;
        match atom.relation() {
            TRUE => self.fluents.get(&row[0]).map(|&number| Signal::Fluent(number)),
            DOES => {
                let role = self.roles.iter().position(|role| *role == Some(row[0]))?;
                let number = *self.moves[role].get(&row[1])?;
                Some(Signal::Move(role as u8, number))
            }
            relation => {
                let number = *self.relations.get(&relation)?;
                let is_possible = self.relaxed.program.is_fixed_row(number, &row);
                is_possible.then(|| Signal::Derived(self.atom(relation, row)))
            }
        }
    }

    fn atom(&mut self, relation: Relation, row: Vec<TermId>) -> u32 {
        let next = self.out.derived.len() as u32;
        let number = *self.atoms.entry((relation, row)).or_insert(next);
        if number == next {
            self.out.derived.push(Vec::new());
        }
        number
    }

    fn row(&self, atom: &Atom, slots: &[Option<TermId>]) -> Option<Vec<TermId>> {
        atom.args.iter().map(|arg| self.term(arg, slots)).collect()
    }

    fn term(&self, term: &Term, slots: &[Option<TermId>]) -> Option<TermId> {
        match term {
            Term::Constant(name) => self.pool.find(*name, &[]),
            Term::Variable(variable) => slots[*variable as usize],
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
        self.out.terminal = self.atoms.get(&(TERMINAL, Vec::new())).copied();
        let mut atoms: Vec<(&(Relation, Vec<TermId>), u32)> =
            self.atoms.iter().map(|(key, &atom)| (key, atom)).collect();
        atoms.sort_unstable_by_key(|&(_, atom)| atom);
        for ((relation, row), atom) in atoms {
            match *relation {
                NEXT => self.out.next.push((self.fluents[&row[0]], atom)),
                LEGAL => {
                    if let Some(role) = role_of(row[0]) {
                        self.out.legal[role].push((self.moves[role][&row[1]], atom));
                    }
                }
                GOAL => {
                    let value = self.pool.args(row[1]).is_empty().then(|| self.pool.name(row[1]));
                    let value = value.and_then(|name| goal_value(self.relaxed.rules.symbols.name(name)));
                    if let (Some(role), Some(value)) = (role_of(row[0]), value) {
                        self.out.goals[role].push((value, atom));
                    }
                }
                SEES => {
                    if let Some(role) = role_of(row[0]) {
                        self.out.percepts[role].push((self.pool.export(row[1]), atom));
                    }
                }
                _ => {}
            }
        }
        self.out.next.sort_unstable();
        self.out.legal.iter_mut().for_each(|list| list.sort_unstable());
        self.out.goals.iter_mut().for_each(|list| list.sort_unstable());
    }
}

fn is_output(relation: Relation) -> bool {
    [NEXT, LEGAL, GOAL, TERMINAL, SEES].contains(&relation)
}

/// Numbers terms in the order of their texts.
fn sorted(
    terms: &[TermId],
    pool: &TermPool,
    symbols: &Symbols,
    out: &mut Vec<Term>,
) -> HashMap<TermId, u32, RandomState> {
    let mut texts: Vec<(String, TermId)> = terms
        .iter()
        .map(|&term| (canonical_term(&pool.export(term), symbols), term))
        .collect();
    texts.sort_unstable();
    texts.dedup();
    out.extend(texts.iter().map(|&(_, term)| pool.export(term)));
    texts
        .iter()
        .enumerate()
        .map(|(number, &(_, term))| (term, number as u32))
        .collect()
}
