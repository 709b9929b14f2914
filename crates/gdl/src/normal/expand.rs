//! Written rules to normal rules: disjunctive normal form, equality elimination, repair of free variables.

use super::order::order_body;
use super::unify::Substitution;
use super::{Atom, Literal, NormalRule, NormalRules, Term};
use crate::rule::{self, Formula, Rule, Rules, TermKind};
use crate::symbol::{Symbol, Symbols, keyword};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// Beyond this many alternatives of one rule, each `or` becomes a helper relation instead of being multiplied out.
const MOST_ALTERNATIVES: usize = 64;

pub(super) fn expand(rules: &Rules) -> NormalRules {
    let mut expander = Expander {
        symbols: rules.symbols.clone(),
        rules: Vec::new(),
        seen: HashSet::default(),
        source: 0,
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
    /// Rules made so far, to drop repetitions.
    seen: HashSet<NormalRule, RandomState>,
    source: usize,
}

/// A literal before equalities are eliminated.
#[derive(Clone)]
enum Part {
    Literal(Literal),
    Equal(Term, Term),
}

impl Expander {
    /// Adds the normal form of a rule; false if some alternative of it had to be left out.
    fn rule(&mut self, rule: &Rule) -> bool {
        let mut names = Names::default();
        let head = names.atom(&rule.head);
        let mut alternatives = vec![Vec::new()];
        for formula in &rule.body {
            let parts = self.alternatives(formula, false, &mut names);
            alternatives = self.multiply(alternatives, parts, &mut names);
        }
        let mut complete = true;
        for parts in alternatives {
            complete &= self.alternative(head.clone(), parts, names.count);
        }
        complete
    }

    /// The formula (or its negation) as a disjunction of conjunctions.
    fn alternatives(&mut self, formula: &Formula, negated: bool, names: &mut Names) -> Vec<Vec<Part>> {
        match formula {
            Formula::Atom(atom) => {
                let atom = names.atom(atom);
                vec![vec![Part::Literal(match negated {
                    false => Literal::Positive(atom),
                    true => Literal::Negative(atom),
                })]]
            }
            Formula::Distinct(a, b, _) => {
                let (a, b) = (names.term(a), names.term(b));
                vec![vec![match negated {
                    false => Part::Literal(Literal::Distinct(a, b)),
                    true => Part::Equal(a, b),
                }]]
            }
            Formula::Not(inner, _) => self.alternatives(inner, !negated, names),
            Formula::Or(parts, _) | Formula::And(parts, _) => {
                let is_union = matches!(formula, Formula::Or(..)) != negated;
                let parts: Vec<_> = parts
                    .iter()
                    .map(|part| self.alternatives(part, negated, names))
                    .collect();
                match is_union {
                    true => parts.into_iter().flatten().collect(),
                    false => parts
                        .into_iter()
                        .fold(vec![Vec::new()], |product, part| self.multiply(product, part, names)),
                }
            }
        }
    }

    /// The conjunction of two disjunctions.
    fn multiply(&mut self, a: Vec<Vec<Part>>, b: Vec<Vec<Part>>, names: &mut Names) -> Vec<Vec<Part>> {
        if b.len() > 1 && a.len() * b.len() > MOST_ALTERNATIVES {
            let helper = self.helper(b, names);
            return self.multiply(a, vec![vec![helper]], names);
        }
        a.iter()
            .flat_map(|first| {
                b.iter()
                    .map(move |second| first.iter().chain(second).cloned().collect())
            })
            .collect()
    }

    /// A new relation that holds where one of the alternatives does, over the variables that all of them bind.
    fn helper(&mut self, alternatives: Vec<Vec<Part>>, names: &mut Names) -> Part {
        let mut shared: Option<Vec<u32>> = None;
        for parts in &alternatives {
            let bound = bound_by(parts);
            shared = Some(match shared {
                None => bound,
                Some(before) => before.into_iter().filter(|variable| bound.contains(variable)).collect(),
            });
        }
        let atom = Atom {
            name: self.symbols.fresh("or"),
            args: shared.unwrap_or_default().into_iter().map(Term::Variable).collect(),
        };
        for parts in alternatives {
            self.alternative(atom.clone(), parts, names.count);
        }
        Part::Literal(Literal::Positive(atom))
    }

    /// Adds one rule for one alternative; false if it cannot be saved.
    fn alternative(&mut self, head: Atom, parts: Vec<Part>, variables: u32) -> bool {
        let mut substitution = Substitution::new(variables);
        let mut body = Vec::new();
        for part in &parts {
            match part {
                Part::Equal(a, b) if !substitution.unify(a, b) => return true,
                Part::Equal(..) => {}
                Part::Literal(literal) => body.push(literal.clone()),
            }
        }
        let head = substitution.apply_atom(&head);
        let mut literals: Vec<Literal> = Vec::new();
        for literal in &body {
            let literal = substitution.apply_literal(literal);
            match &literal {
                Literal::Distinct(a, b) if a == b => return true,
                Literal::Distinct(a, b) if never_equal(a, b, variables) => {}
                _ if literals.contains(&literal) => {}
                _ => literals.push(literal),
            }
        }
        bind_free_role(&head, &mut literals);
        let Some(literals) = order_body(&head, literals) else {
            return false;
        };
        let rule = renumbered(head, literals, self.source);
        // The place of origin does not make a rule different.
        let key = NormalRule {
            source: 0,
            ..rule.clone()
        };
        if self.seen.insert(key) {
            self.rules.push(rule);
        }
        true
    }
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
    !Substitution::new(variables).unify(a, b)
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
