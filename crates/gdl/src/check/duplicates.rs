//! Duplicate rules, up to the names of their variables.

use super::Context;
use crate::diagnostic::{Diagnostic, codes};
use crate::rule::{Formula, Rule, Term, TermKind};
use crate::symbol::{Symbol, keyword};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut first: HashMap<Vec<u32>, &Rule, RandomState> = HashMap::default();
    for rule in &context.rules.rules {
        let key = fingerprint(rule);
        match first.get(&key) {
            None => {
                first.insert(key, rule);
            }
            // A role that stands twice has a code of its own.
            Some(_) if rule.head.name == keyword::ROLE => {}
            Some(earlier) => diagnostics.push(
                Diagnostic::new(&codes::DUPLICATE_RULE, rule.span, "this stands twice")
                    .label("again here")
                    .related(earlier.span, "first here")
                    .help("delete one of them, or mend the one that was meant to be different"),
            ),
        }
    }
}

/// The rule as a flat sequence in which variables are numbered by first occurrence.
fn fingerprint(rule: &Rule) -> Vec<u32> {
    let mut print = Fingerprint::default();
    print.call(rule.head.name, &rule.head.args);
    for formula in &rule.body {
        print.formula(formula);
    }
    print.out
}

#[derive(Default)]
struct Fingerprint {
    out: Vec<u32>,
    variables: HashMap<Symbol, u32, RandomState>,
}

impl Fingerprint {
    fn call(&mut self, name: Symbol, args: &[Term]) {
        self.out.extend([0, name.0, args.len() as u32]);
        args.iter().for_each(|arg| self.term(arg));
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Constant(name) => self.out.extend([1, name.0]),
            TermKind::Function(name, args) => self.call(*name, args),
            TermKind::Variable(name) => {
                let next = self.variables.len() as u32;
                let number = *self.variables.entry(*name).or_insert(next);
                self.out.extend([2, number]);
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(atom) => self.call(atom.name, &atom.args),
            Formula::Not(inner, _) => {
                self.out.push(3);
                self.formula(inner);
            }
            Formula::Or(parts, _) | Formula::And(parts, _) => {
                let kind = if matches!(formula, Formula::Or(..)) { 4 } else { 5 };
                self.out.extend([kind, parts.len() as u32]);
                parts.iter().for_each(|part| self.formula(part));
            }
            Formula::Distinct(a, b, _) => {
                self.out.push(6);
                self.term(a);
                self.term(b);
            }
        }
    }
}
