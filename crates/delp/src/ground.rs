//! Instances of rules: variables replaced by constants, only for rules that a query can depend on.
//!
//! Relevance goes by predicates: from the query to the conditions of rules for it and for its complement, and along
//! strict rules in both directions, because strict rules carry conflicts. The instances of relevant rules are found
//! bottom-up with indexes: an instance is made once every condition of it can be derived, whatever speaks against it.
//! Variables that no condition binds stand for every constant.

use crate::meter::{Limit, Meter};
use crate::program::{Literal, Name, Program, Rule, Term, statement_text};
use std::collections::{HashMap, HashSet, VecDeque};

/// A ground literal: twice the number of its atom, plus one if it is negated.
pub(crate) type Lit = u32;

/// The literal that contradicts another.
pub(crate) fn complement(literal: Lit) -> Lit {
    literal ^ 1
}

/// A rule without variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    pub(crate) head: Lit,
    /// Conditions in the order of the text, without repetition.
    pub(crate) body: Vec<Lit>,
    pub(crate) strict: bool,
}

/// The relevant part of a program without variables.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    atoms: Vec<(Name, Vec<Name>)>,
    numbers: HashMap<(Name, Vec<Name>), u32>,
    pub(crate) instances: Vec<Instance>,
    /// Number of the rule in the program that each instance comes from.
    pub(crate) origins: Vec<usize>,
    /// Instances by head.
    pub(crate) by_head: Vec<Vec<u32>>,
    /// Instances by condition.
    pub(crate) by_body: Vec<Vec<u32>>,
    known: HashSet<Instance>,
}

impl Ground {
    /// Number of literals, derivable or not.
    pub(crate) fn literals(&self) -> usize {
        2 * self.atoms.len()
    }

    /// The number of a ground literal, if it is known.
    pub(crate) fn find(&self, literal: &Literal) -> Option<Lit> {
        let args = literal.args.iter().map(|term| match term {
            Term::Constant(name) => Some(*name),
            Term::Variable(_) => None,
        });
        let key = (literal.predicate, args.collect::<Option<Vec<Name>>>()?);
        let atom = self.numbers.get(&key)?;
        Some(2 * atom + u32::from(literal.negated))
    }

    fn intern(&mut self, negated: bool, predicate: Name, args: Vec<Name>) -> Lit {
        let key = (predicate, args);
        let atom = match self.numbers.get(&key) {
            Some(&atom) => atom,
            None => {
                let atom = self.atoms.len() as u32;
                self.atoms.push(key.clone());
                self.numbers.insert(key, atom);
                for table in [&mut self.by_head, &mut self.by_body] {
                    table.resize(self.atoms.len() * 2, Vec::new());
                }
                atom
            }
        };
        2 * atom + u32::from(negated)
    }

    fn args(&self, literal: Lit) -> &[Name] {
        &self.atoms[literal as usize / 2].1
    }

    /// Adds an instance and returns whether it is new.
    fn add(&mut self, instance: Instance, origin: usize) -> bool {
        if !self.known.insert(instance.clone()) {
            return false;
        }
        let number = self.instances.len() as u32;
        self.by_head[instance.head as usize].push(number);
        for &condition in &instance.body {
            self.by_body[condition as usize].push(number);
        }
        self.instances.push(instance);
        self.origins.push(origin);
        true
    }

    /// A literal of the program's language.
    pub(crate) fn literal(&self, literal: Lit) -> Literal {
        let (predicate, args) = &self.atoms[literal as usize / 2];
        Literal {
            negated: literal % 2 == 1,
            predicate: *predicate,
            args: args.iter().map(|&name| Term::Constant(name)).collect(),
        }
    }

    /// A literal as text.
    pub(crate) fn text(&self, program: &Program, literal: Lit) -> String {
        program.literal_text(&self.literal(literal), &[])
    }

    /// An instance as text.
    pub(crate) fn instance_text(&self, program: &Program, number: u32) -> String {
        let instance = &self.instances[number as usize];
        let body: Vec<String> = instance.body.iter().map(|&lit| self.text(program, lit)).collect();
        statement_text(&self.text(program, instance.head), &body, instance.strict)
    }
}

/// Predicates, with their number of arguments, that answers to queries about `start` can depend on.
fn relevant(program: &Program, start: &Literal) -> HashSet<(Name, usize)> {
    type Predicate = (Name, usize);
    let key = |literal: &Literal| (literal.predicate, literal.args.len());
    let mut by_head: HashMap<Predicate, Vec<&Rule>> = HashMap::new();
    let mut by_strict_body: HashMap<Predicate, Vec<&Rule>> = HashMap::new();
    for rule in program.rules.iter().filter(|rule| !rule.body.is_empty()) {
        by_head.entry(key(&rule.head)).or_default().push(rule);
        if rule.strict {
            for condition in &rule.body {
                by_strict_body.entry(key(condition)).or_default().push(rule);
            }
        }
    }
    let mut seen = HashSet::from([key(start)]);
    let mut open = vec![key(start)];
    while let Some(predicate) = open.pop() {
        let needs = by_head.get(&predicate).into_iter().flatten();
        let needs = needs.flat_map(|rule| rule.body.iter().map(key));
        let carries = by_strict_body.get(&predicate).into_iter().flatten();
        let carries = carries.map(|rule| key(&rule.head));
        open.extend(needs.chain(carries).filter(|&other| seen.insert(other)));
    }
    seen
}

/// Which part of a program to instantiate.
pub(crate) enum Part<'a> {
    /// Everything that an answer to this query can depend on.
    For(&'a Literal),
    /// All facts and strict rules.
    Strict,
}

/// The instances of a part of a program.
pub(crate) fn ground(program: &Program, part: &Part<'_>, meter: &mut Meter) -> Result<Ground, Limit> {
    let mut constants = program.constants();
    let chosen: Vec<usize> = match part {
        Part::Strict => (0..program.rules.len())
            .filter(|&rule| program.rules[rule].strict)
            .collect(),
        Part::For(query) => {
            constants.extend(query.args.iter().filter_map(|term| match term {
                Term::Constant(name) => Some(*name),
                Term::Variable(_) => None,
            }));
            constants.sort_unstable();
            constants.dedup();
            let seen = relevant(program, query);
            let is_relevant = |&rule: &usize| {
                seen.contains(&(program.rules[rule].head.predicate, program.rules[rule].head.args.len()))
            };
            (0..program.rules.len()).filter(is_relevant).collect()
        }
    };
    let mut grounder = Grounder::new(program, constants, &chosen);
    grounder.run(&chosen, meter)?;
    Ok(grounder.ground)
}

/// A predicate with its number of arguments and its sign.
type Relation = (Name, usize, bool);

/// Literals of a relation that can be derived, with an index on each argument.
#[derive(Default)]
struct Table {
    rows: Vec<Lit>,
    index: HashMap<(usize, Name), Vec<Lit>>,
}

/// Where conditions stand: by relation and, if the condition has one, its first constant.
#[derive(Default)]
struct Occurrences {
    plain: Vec<(usize, usize)>,
    positions: Vec<usize>,
    with_constant: HashMap<(usize, Name), Vec<(usize, usize)>>,
}

struct Grounder<'a> {
    program: &'a Program,
    constants: Vec<Name>,
    ground: Ground,
    tables: HashMap<Relation, Table>,
    occurrences: HashMap<Relation, Occurrences>,
    derived: Vec<bool>,
    queue: VecDeque<Lit>,
}

fn relation(literal: &Literal) -> Relation {
    (literal.predicate, literal.args.len(), literal.negated)
}

impl<'a> Grounder<'a> {
    fn new(program: &'a Program, constants: Vec<Name>, chosen: &[usize]) -> Grounder<'a> {
        let mut occurrences: HashMap<Relation, Occurrences> = HashMap::new();
        for &rule in chosen {
            for (place, condition) in program.rules[rule].body.iter().enumerate() {
                let entry = occurrences.entry(relation(condition)).or_default();
                let constant = condition.args.iter().enumerate().find_map(|(at, term)| match term {
                    Term::Constant(name) => Some((at, *name)),
                    Term::Variable(_) => None,
                });
                match constant {
                    None => entry.plain.push((rule, place)),
                    Some(key) => {
                        if !entry.positions.contains(&key.0) {
                            entry.positions.push(key.0);
                        }
                        entry.with_constant.entry(key).or_default().push((rule, place));
                    }
                }
            }
        }
        Grounder {
            program,
            constants,
            ground: Ground::default(),
            tables: HashMap::new(),
            occurrences,
            derived: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    fn run(&mut self, chosen: &[usize], meter: &mut Meter) -> Result<(), Limit> {
        for &rule in chosen {
            if self.program.rules[rule].body.is_empty() {
                let unbound = vec![None; self.program.rules[rule].variables.len()];
                self.emit(rule, &unbound, meter)?;
            }
        }
        while let Some(literal) = self.queue.pop_front() {
            self.insert(literal);
            for (rule, place) in self.matching(literal) {
                let mut found = Vec::new();
                let mut bindings = vec![None; self.program.rules[rule].variables.len()];
                meter.step(1)?;
                if self.unify(&self.program.rules[rule].body[place], literal, &mut bindings) {
                    let rest: Vec<usize> = (0..self.program.rules[rule].body.len())
                        .filter(|&other| other != place)
                        .collect();
                    self.join(rule, rest, &bindings, &mut found, meter)?;
                }
                for bindings in found {
                    self.emit(rule, &bindings, meter)?;
                }
            }
        }
        Ok(())
    }

    fn relation_of(&self, literal: Lit) -> Relation {
        let (predicate, args) = &self.ground.atoms[literal as usize / 2];
        (*predicate, args.len(), literal % 2 == 1)
    }

    fn insert(&mut self, literal: Lit) {
        let table = self.tables.entry(self.relation_of(literal)).or_default();
        table.rows.push(literal);
        for (at, &name) in self.ground.args(literal).iter().enumerate() {
            table.index.entry((at, name)).or_default().push(literal);
        }
    }

    /// Conditions of rules that a literal may fulfil.
    fn matching(&self, literal: Lit) -> Vec<(usize, usize)> {
        let Some(occurrences) = self.occurrences.get(&self.relation_of(literal)) else {
            return Vec::new();
        };
        let args = self.ground.args(literal);
        let keyed = occurrences
            .positions
            .iter()
            .filter_map(|&at| occurrences.with_constant.get(&(at, args[at])));
        keyed.flatten().chain(&occurrences.plain).copied().collect()
    }

    /// Binds the variables of a condition so that it becomes a literal, if that is possible.
    fn unify(&self, condition: &Literal, literal: Lit, bindings: &mut [Option<Name>]) -> bool {
        condition
            .args
            .iter()
            .zip(self.ground.args(literal))
            .all(|(term, &name)| match term {
                Term::Constant(constant) => *constant == name,
                Term::Variable(number) => *bindings[*number as usize].get_or_insert(name) == name,
            })
    }

    /// Literals that a condition can become under some bindings: the shortest list that an index has.
    fn candidates(&self, condition: &Literal, bindings: &[Option<Name>]) -> &[Lit] {
        let Some(table) = self.tables.get(&relation(condition)) else {
            return &[];
        };
        let mut best = table.rows.as_slice();
        for (at, term) in condition.args.iter().enumerate() {
            let name = match term {
                Term::Constant(name) => Some(*name),
                Term::Variable(number) => bindings[*number as usize],
            };
            if let Some(name) = name {
                let rows = table.index.get(&(at, name)).map_or(&[][..], Vec::as_slice);
                if rows.len() < best.len() {
                    best = rows;
                }
            }
        }
        best
    }

    /// Fulfils the conditions in `rest`, always that with the fewest candidates first.
    fn join(
        &self,
        rule: usize,
        mut rest: Vec<usize>,
        bindings: &[Option<Name>],
        found: &mut Vec<Vec<Option<Name>>>,
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let body = &self.program.rules[rule].body;
        let best = (0..rest.len()).min_by_key(|&at| self.candidates(&body[rest[at]], bindings).len());
        let Some(best) = best else {
            found.push(bindings.to_vec());
            return meter.keep(1);
        };
        let place = rest.swap_remove(best);
        for &literal in self.candidates(&body[place], bindings) {
            meter.step(1)?;
            let mut bound = bindings.to_vec();
            if self.unify(&body[place], literal, &mut bound) {
                self.join(rule, rest.clone(), &bound, found, meter)?;
            }
        }
        Ok(())
    }

    /// Makes the instances of a rule under bindings of the variables of its conditions.
    fn emit(&mut self, rule: usize, bindings: &[Option<Name>], meter: &mut Meter) -> Result<(), Limit> {
        let free: Vec<usize> = (0..bindings.len()).filter(|&at| bindings[at].is_none()).collect();
        let mut bound = bindings.to_vec();
        // An odometer over the constants, one wheel for each variable that is free.
        let mut wheels = vec![0; free.len()];
        loop {
            meter.step(1)?;
            for (&at, &wheel) in free.iter().zip(&wheels) {
                match self.constants.get(wheel) {
                    Some(&name) => bound[at] = Some(name),
                    // There is no constant at all.
                    None => return Ok(()),
                }
            }
            self.emit_bound(rule, &bound, meter)?;
            let Some(turned) = wheels.iter().rposition(|&wheel| wheel + 1 < self.constants.len()) else {
                return Ok(());
            };
            wheels[turned] += 1;
            wheels[turned + 1..].fill(0);
        }
    }

    fn emit_bound(&mut self, number: usize, bindings: &[Option<Name>], meter: &mut Meter) -> Result<(), Limit> {
        let rule = &self.program.rules[number];
        let head = self.instance_literal(&rule.head, bindings);
        let mut body: Vec<Lit> = Vec::with_capacity(rule.body.len());
        for condition in &rule.body {
            let literal = self.instance_literal(condition, bindings);
            if !body.contains(&literal) {
                body.push(literal);
            }
        }
        meter.keep(1 + body.len())?;
        let instance = Instance {
            head,
            body,
            strict: rule.strict,
        };
        // A rule that needs its own head derives nothing that is not there already.
        if instance.body.contains(&head) || !self.ground.add(instance, number) {
            return Ok(());
        }
        self.derived.resize(self.ground.literals(), false);
        if !std::mem::replace(&mut self.derived[head as usize], true) {
            self.queue.push_back(head);
        }
        Ok(())
    }

    fn instance_literal(&mut self, literal: &Literal, bindings: &[Option<Name>]) -> Lit {
        let args = literal.args.iter().map(|term| match term {
            Term::Constant(name) => *name,
            Term::Variable(number) => bindings[*number as usize].unwrap_or_default(),
        });
        let args = args.collect();
        self.ground.intern(literal.negated, literal.predicate, args)
    }
}
