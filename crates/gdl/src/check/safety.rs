//! Safety: every variable of the head, of a negated literal and of `distinct` is bound by a positive literal.
//!
//! In an `or`, a variable is bound only if every alternative binds it.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::rule::{Formula, Rule};
use crate::source::Span;
use crate::symbol::Symbol;
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for rule in context.rules.rules.iter().filter(|rule| !rule.body.is_empty()) {
        Safety {
            context,
            rule,
            findings,
            reported: BTreeSet::new(),
        }
        .check();
    }
}

struct Safety<'a> {
    context: &'a Context<'a>,
    rule: &'a Rule,
    findings: &'a mut Vec<Diagnostic>,
    reported: BTreeSet<Symbol>,
}

impl Safety<'_> {
    fn check(&mut self) {
        let rule = self.rule;
        let bound = bound_by_all(&rule.body);
        rule.head.variables(&mut |variable, span| {
            self.require(&bound, variable, span, &codes::UNSAFE_HEAD);
        });
        for formula in &rule.body {
            self.formula(formula, &bound, false);
        }
    }

    fn formula(&mut self, formula: &Formula, bound: &BTreeSet<Symbol>, negated: bool) {
        match formula {
            Formula::Atom(atom) if negated => atom.variables(&mut |variable, span| {
                self.require(bound, variable, span, &codes::UNSAFE_NEGATION);
            }),
            Formula::Atom(_) => {}
            Formula::Not(inner, _) => self.formula(inner, bound, !negated),
            Formula::Distinct(a, b, _) => {
                for term in [a, b] {
                    term.variables(&mut |variable, span| {
                        self.require(bound, variable, span, &codes::UNSAFE_DISTINCT);
                    });
                }
            }
            Formula::Or(parts, _) | Formula::And(parts, _) => {
                let alternatives = matches!(formula, Formula::Or(..)) && !negated;
                for part in parts {
                    let own = if alternatives { bound_by(part) } else { BTreeSet::new() };
                    match own.is_subset(bound) {
                        true => self.formula(part, bound, negated),
                        false => self.formula(part, &bound.union(&own).copied().collect(), negated),
                    }
                }
            }
        }
    }

    fn require(&mut self, bound: &BTreeSet<Symbol>, variable: Symbol, span: Span, code: &'static Code) {
        if bound.contains(&variable) || !self.reported.insert(variable) {
            return;
        }
        let name = self.context.name(variable);
        let place = match code.id {
            "E301" => "the head",
            "E302" => "a negated literal",
            _ => "`distinct`",
        };
        let mut finding = Diagnostic::new(
            code,
            span,
            format!("the variable `?{name}` of {place} is not bound by a positive condition"),
        )
        .label("unbound");
        if self.is_bound_somewhere(variable) {
            finding = finding.note("an `or` binds a variable only if every alternative does");
        }
        self.findings.push(finding.help(format!(
            "add a positive condition with `?{name}` to the body, e.g. a relation that lists its values"
        )));
    }

    fn is_bound_somewhere(&self, variable: Symbol) -> bool {
        let mut found = false;
        self.rule.body_atoms(&mut |atom, negated| {
            if !negated {
                atom.variables(&mut |name, _| found |= name == variable);
            }
        });
        found
    }
}

fn bound_by_all(formulas: &[Formula]) -> BTreeSet<Symbol> {
    formulas.iter().flat_map(bound_by).collect()
}

fn bound_by(formula: &Formula) -> BTreeSet<Symbol> {
    let mut bound = BTreeSet::new();
    match formula {
        Formula::Atom(atom) => atom.variables(&mut |name, _| {
            bound.insert(name);
        }),
        Formula::And(parts, _) => bound = bound_by_all(parts),
        Formula::Or(parts, _) => {
            let mut parts = parts.iter().map(bound_by);
            bound = parts.next().unwrap_or_default();
            for part in parts {
                bound.retain(|name| part.contains(name));
            }
        }
        Formula::Not(inner, _) => {
            if let Formula::Not(twice, _) = &**inner {
                bound = bound_by(twice);
            }
        }
        Formula::Distinct(..) => {}
    }
    bound
}
