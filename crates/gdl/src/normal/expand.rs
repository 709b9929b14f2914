//! Written rules to normal rules: disjunctive normal form, equality elimination, repair of free variables.

use super::order::order_body;
use super::unify::Substitution;
use super::{Atom, Literal, NormalRule, NormalRules, Term};
use crate::rule::{self, Formula, Rule, Rules, TermKind};
use crate::symbol::{Symbol, Symbols, keyword};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet, HashTable};
use std::hash::BuildHasher;

/// Beyond this many alternatives of one rule, each `or` becomes a helper relation instead of being multiplied out.
const MOST_ALTERNATIVES: usize = 64;
/// A rule with more alternatives than this, none of which can be moved into a helper, is left out.
const MOST_PARTS: usize = 20_000;
/// The same for a rule whose alternatives have more conditions than this, all together.
const MOST_CONDITIONS: usize = 400_000;
/// Conditions that multiplying out may make in all rules together; rules beyond it are left out.
const MOST_CONDITIONS_OF_ALL: usize = 2_000_000;

/// A variable that no choice mentions.
const UNUSED: usize = usize::MAX;
/// A variable that is also used outside of the choice.
const SHARED: usize = usize::MAX - 1;

pub(super) fn expand(rules: &Rules) -> NormalRules {
    let mut expander = Expander {
        symbols: rules.symbols.clone(),
        rules: Vec::new(),
        seen: HashTable::new(),
        hasher: RandomState::default(),
        source: 0,
        multiplied: 0,
    };
    let mut left_out = Vec::new();
    for (number, rule) in rules.rules.iter().enumerate() {
        expander.source = number;
        if !expander.rule(rule) {
            left_out.push(number);
        }
    }
    NormalRules {
        symbols: expander.symbols,
        rules: expander.rules,
        left_out,
    }
}

struct Expander {
    symbols: Symbols,
    rules: Vec<NormalRule>,
    /// Rules made so far by their numbers, to drop repetitions.
    seen: HashTable<u32>,
    hasher: RandomState,
    source: usize,
    /// Conditions made by multiplying out so far.
    multiplied: usize,
}

/// A literal before equalities are eliminated.
#[derive(Clone)]
enum Part {
    Literal(Literal),
    Equal(Term, Term),
}

impl Expander {
    /// Adds the normal form of a rule; false if some part of it had to be left out.
    fn rule(&mut self, rule: &Rule) -> bool {
        let mut names = Names::default();
        let head = names.atom(&rule.head);
        if rule.body.is_empty() && names.count == 0 {
            self.push(NormalRule {
                head,
                body: Vec::new(),
                variables: 0,
                source: self.source,
            });
            return true;
        }
        let mut plain = Vec::new();
        let mut choices = Vec::new();
        for formula in conjuncts(&rule.body) {
            let Some(mut parts) = alternatives(formula, false, &mut names) else {
                return false;
            };
            match parts.len() {
                1 => plain.append(&mut parts[0]),
                _ => choices.push(parts),
            }
        }
        // For each variable the choice that mentions it; `SHARED` if several do, or a part outside of the choices.
        let mut used_by: Vec<usize> = vec![UNUSED; names.count as usize];
        for variable in plain.iter().flat_map(variables_of).chain(atom_variables(&head)) {
            used_by[variable as usize] = SHARED;
        }
        for (number, choice) in choices.iter().enumerate() {
            for variable in choice.iter().flatten().flat_map(variables_of) {
                let user = &mut used_by[variable as usize];
                *user = match *user {
                    UNUSED => number,
                    known if known == number => number,
                    _ => SHARED,
                };
            }
        }
        let mut product = vec![plain.clone()];
        for choice in &choices {
            let is_large = product.len() * choice.len() > MOST_ALTERNATIVES;
            let next = match is_large
                .then(|| self.helper(&plain, choice, &used_by, names.count))
                .flatten()
            {
                Some(helper) => multiply(&product, &[vec![helper]]),
                // When too much was made in all, nothing large is made any more.
                None if is_large && self.multiplied > MOST_CONDITIONS_OF_ALL => return false,
                None => multiply(&product, choice),
            };
            let Some(next) = next else {
                return false;
            };
            product = next;
            if is_large {
                self.multiplied += product.iter().map(Vec::len).sum::<usize>();
            }
        }
        let mut complete = true;
        for parts in product {
            complete &= self.alternative(head.clone(), parts, names.count);
        }
        complete
    }

    /// A new relation that holds where one of the alternatives does, in the context of the plain conditions. Nothing if
    /// some variable that is used elsewhere would not be bound.
    fn helper(&mut self, plain: &[Part], choice: &[Vec<Part>], used_by: &[usize], variables: u32) -> Option<Part> {
        let context: Vec<Part> = plain
            .iter()
            .filter(|part| matches!(part, Part::Literal(Literal::Positive(_)) | Part::Equal(..)))
            .cloned()
            .collect();
        let mut shared: Vec<u32> = choice.iter().flatten().flat_map(variables_of).collect();
        shared.retain(|&variable| used_by[variable as usize] == SHARED);
        shared.sort_unstable();
        shared.dedup();
        let bound_in_context = bound_by(&context);
        let bound_in_choice: Vec<Vec<u32>> = choice.iter().map(|parts| bound_by(parts)).collect();
        let is_bound = |variable: &u32| {
            let mut lists = bound_in_choice.iter();
            bound_in_context.binary_search(variable).is_ok() || lists.all(|bound| bound.binary_search(variable).is_ok())
        };
        if !shared.iter().all(is_bound) {
            return None;
        }
        self.multiplied += choice.len() * context.len();
        if self.multiplied > MOST_CONDITIONS_OF_ALL {
            return None;
        }
        let atom = Atom {
            name: self.symbols.fresh("or"),
            args: shared.into_iter().map(Term::Variable).collect(),
        };
        for parts in choice {
            let parts = context.iter().chain(parts).cloned().collect();
            self.alternative(atom.clone(), parts, variables);
        }
        Some(Part::Literal(Literal::Positive(atom)))
    }

    /// Adds one rule for one alternative; false if it cannot be saved.
    fn alternative(&mut self, head: Atom, parts: Vec<Part>, variables: u32) -> bool {
        let mut substitution = Substitution::new(variables);
        let mut body = Vec::new();
        for part in &parts {
            match part {
                // A term that is too large to be written out cannot be run.
                Part::Equal(a, b) if !substitution.unify(a, b) => return !substitution.is_exhausted(),
                Part::Equal(..) => {}
                Part::Literal(literal) => body.push(literal.clone()),
            }
        }
        if !fits(&substitution, &head, &body) {
            return false;
        }
        let head = substitution.apply_atom(&head);
        let mut literals: Vec<Literal> = Vec::new();
        let mut known: HashSet<Literal, RandomState> = HashSet::default();
        for literal in &body {
            let literal = substitution.apply_literal(literal);
            match &literal {
                Literal::Distinct(a, b) if a == b => return true,
                Literal::Distinct(a, b) if never_equal(a, b, variables) => {}
                _ if known.contains(&literal) => {}
                _ => {
                    known.insert(literal.clone());
                    literals.push(literal);
                }
            }
        }
        bind_free_role(&head, &mut literals);
        let Some(literals) = order_body(&head, literals) else {
            return false;
        };
        self.push(renumbered(head, literals, self.source));
        true
    }

    /// Adds a rule, unless it is there already. Where it comes from does not make it different.
    fn push(&mut self, rule: NormalRule) {
        let (rules, hasher) = (&self.rules, &self.hasher);
        let hash = |rule: &NormalRule| hasher.hash_one((&rule.head, &rule.body));
        let is_same = |&number: &u32| {
            let other = &rules[number as usize];
            other.head == rule.head && other.body == rule.body
        };
        let of_rule = hash(&rule);
        if self.seen.find(of_rule, is_same).is_none() {
            let number = rules.len() as u32;
            self.seen
                .insert_unique(of_rule, number, |&other| hash(&rules[other as usize]));
            self.rules.push(rule);
        }
    }
}

/// Whether a rule is not too large with the values of its variables.
fn fits(substitution: &Substitution, head: &Atom, body: &[Literal]) -> bool {
    let mut room = MOST_CONDITIONS;
    let mut take = |term: &Term| match substitution.size(term, room) {
        Some(size) => {
            room -= size;
            true
        }
        None => false,
    };
    head.args.iter().all(&mut take)
        && body.iter().all(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter().all(&mut take),
            Literal::Distinct(a, b) => take(a) && take(b),
        })
}

/// The conditions of a body; an `and` among them is the same as its parts.
fn conjuncts(body: &[Formula]) -> Vec<&Formula> {
    body.iter()
        .flat_map(|formula| match formula {
            Formula::And(parts, _) => conjuncts(parts),
            other => vec![other],
        })
        .collect()
}

/// The formula (or its negation) as a disjunction of conjunctions; `None` if there are too many.
fn alternatives(formula: &Formula, negated: bool, names: &mut Names) -> Option<Vec<Vec<Part>>> {
    match formula {
        Formula::Atom(atom) => {
            let atom = names.atom(atom);
            Some(vec![vec![Part::Literal(match negated {
                false => Literal::Positive(atom),
                true => Literal::Negative(atom),
            })]])
        }
        Formula::Distinct(a, b, _) => {
            let (a, b) = (names.term(a), names.term(b));
            Some(vec![vec![match negated {
                false => Part::Literal(Literal::Distinct(a, b)),
                true => Part::Equal(a, b),
            }]])
        }
        Formula::Not(inner, _) => alternatives(inner, !negated, names),
        Formula::Or(parts, _) | Formula::And(parts, _) => {
            let is_union = matches!(formula, Formula::Or(..)) != negated;
            let mut result = if is_union { Vec::new() } else { vec![Vec::new()] };
            for part in parts {
                let part = alternatives(part, negated, names)?;
                match is_union {
                    true => result.extend(part),
                    false => result = multiply(&result, &part)?,
                }
            }
            (result.len() <= MOST_PARTS).then_some(result)
        }
    }
}

/// The conjunction of two disjunctions; `None` if it is too large.
fn multiply(a: &[Vec<Part>], b: &[Vec<Part>]) -> Option<Vec<Vec<Part>>> {
    let conditions = |parts: &[Vec<Part>]| parts.iter().map(Vec::len).sum::<usize>();
    let is_multiplied = a.len() > 1 || b.len() > 1;
    if a.len() * b.len() > MOST_PARTS
        || is_multiplied && conditions(a) * b.len() + conditions(b) * a.len() > MOST_CONDITIONS
    {
        return None;
    }
    let pairs = a.iter().flat_map(|first| b.iter().map(move |second| (first, second)));
    Some(
        pairs
            .map(|(first, second)| first.iter().chain(second).cloned().collect())
            .collect(),
    )
}

fn atom_variables(atom: &Atom) -> Vec<u32> {
    let mut variables = Vec::new();
    atom.variables(&mut |variable| variables.push(variable));
    variables
}

fn variables_of(part: &Part) -> Vec<u32> {
    let mut variables = Vec::new();
    match part {
        Part::Literal(literal) => literal.variables(&mut |variable| variables.push(variable)),
        Part::Equal(a, b) => {
            a.variables(&mut |variable| variables.push(variable));
            b.variables(&mut |variable| variables.push(variable));
        }
    }
    variables
}

fn bound_by(parts: &[Part]) -> Vec<u32> {
    let mut bound = Vec::new();
    for part in parts {
        match part {
            Part::Literal(Literal::Positive(atom)) => atom.variables(&mut |variable| bound.push(variable)),
            Part::Literal(_) => {}
            Part::Equal(a, b) => {
                a.variables(&mut |variable| bound.push(variable));
                b.variables(&mut |variable| bound.push(variable));
            }
        }
    }
    bound.sort_unstable();
    bound.dedup();
    bound
}

fn never_equal(a: &Term, b: &Term, variables: u32) -> bool {
    match (a, b) {
        (Term::Variable(_), Term::Variable(_) | Term::Constant(_)) | (Term::Constant(_), Term::Variable(_)) => false,
        (Term::Constant(a), Term::Constant(b)) => a != b,
        _ => !Substitution::new(variables).unify(a, b),
    }
}

/// `(<= (legal ?r noop) (true f))`: the field reads the free variable as any role.
fn bind_free_role(head: &Atom, body: &mut Vec<Literal>) {
    if !matches!(head.name, keyword::LEGAL | keyword::GOAL | keyword::SEES) || head.args.len() != 2 {
        return;
    }
    if let Term::Variable(role) = head.args[0] {
        let mut bound = false;
        for literal in body.iter() {
            if let Literal::Positive(atom) = literal {
                atom.variables(&mut |variable| bound |= variable == role);
            }
        }
        if !bound {
            body.insert(
                0,
                Literal::Positive(Atom {
                    name: keyword::ROLE,
                    args: vec![Term::Variable(role)],
                }),
            );
        }
    }
}

/// Numbers the variables by first occurrence, so that equal rules become identical.
fn renumbered(head: Atom, body: Vec<Literal>, source: usize) -> NormalRule {
    let mut numbers: HashMap<u32, u32, RandomState> = HashMap::default();
    let mut note = |variable: u32| {
        let next = numbers.len() as u32;
        numbers.entry(variable).or_insert(next);
    };
    head.variables(&mut note);
    for literal in &body {
        literal.variables(&mut note);
    }
    let most = numbers.keys().max().map_or(0, |&most| most + 1);
    let mut renaming = vec![0; most as usize];
    for (&from, &to) in &numbers {
        renaming[from as usize] = to;
    }
    let rename = |atom: &Atom| Atom {
        name: atom.name,
        args: atom.args.iter().map(|arg| renamed(arg, &renaming)).collect(),
    };
    let body = body
        .iter()
        .map(|literal| match literal {
            Literal::Positive(atom) => Literal::Positive(rename(atom)),
            Literal::Negative(atom) => Literal::Negative(rename(atom)),
            Literal::Distinct(a, b) => Literal::Distinct(renamed(a, &renaming), renamed(b, &renaming)),
        })
        .collect();
    NormalRule {
        head: rename(&head),
        body,
        variables: numbers.len() as u32,
        source,
    }
}

fn renamed(term: &Term, renaming: &[u32]) -> Term {
    match term {
        Term::Constant(name) => Term::Constant(*name),
        Term::Variable(number) => Term::Variable(renaming[*number as usize]),
        Term::Function(name, args) => Term::Function(*name, args.iter().map(|arg| renamed(arg, renaming)).collect()),
    }
}

/// The variables of one written rule.
#[derive(Default)]
struct Names {
    numbers: HashMap<Symbol, u32, RandomState>,
    count: u32,
}

impl Names {
    fn atom(&mut self, atom: &rule::Atom) -> Atom {
        Atom {
            name: atom.name,
            args: atom.args.iter().map(|arg| self.term(arg)).collect(),
        }
    }

    fn term(&mut self, term: &rule::Term) -> Term {
        match &term.kind {
            TermKind::Constant(name) => Term::Constant(*name),
            TermKind::Variable(name) => {
                let next = self.count;
                let number = *self.numbers.entry(*name).or_insert(next);
                self.count = self.count.max(number + 1);
                Term::Variable(number)
            }
            TermKind::Function(name, args) => Term::Function(*name, args.iter().map(|arg| self.term(arg)).collect()),
        }
    }
}
