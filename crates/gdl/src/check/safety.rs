//! Safety: every variable of the head, of a negated literal and of `distinct` is bound by a positive literal.
//!
//! In an `or`, a variable is bound only if every alternative binds it.

use super::Context;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::rule::{Atom, Formula, Rule, Term, TermKind};
use crate::source::Span;
use crate::symbol::{Symbol, keyword};
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for rule in context.rules.rules.iter().filter(|rule| !rule.body.is_empty()) {
        Safety {
            context,
            rule,
            diagnostics,
            reported: BTreeSet::new(),
        }
        .check();
    }
}

struct Safety<'a> {
    context: &'a Context<'a>,
    rule: &'a Rule,
    diagnostics: &'a mut Vec<Diagnostic>,
    reported: BTreeSet<Symbol>,
}

impl Safety<'_> {
    fn check(&mut self) {
        let rule = self.rule;
        let bound = bound_by_all(&rule.body);
        rule.head.variables(&mut |variable, span| {
            self.require(&bound, variable, span, &codes::UNSAFE_HEAD, None);
        });
        for formula in &rule.body {
            self.formula(formula, &bound, false);
        }
    }

    fn formula(&mut self, formula: &Formula, bound: &BTreeSet<Symbol>, negated: bool) {
        match formula {
            Formula::Atom(atom) if negated => atom.variables(&mut |variable, span| {
                self.require(bound, variable, span, &codes::UNSAFE_NEGATION, Some(atom));
            }),
            Formula::Atom(_) => {}
            Formula::Not(inner, _) => self.formula(inner, bound, !negated),
            Formula::Distinct(a, b, _) => {
                for term in [a, b] {
                    term.variables(&mut |variable, span| {
                        self.require(bound, variable, span, &codes::UNSAFE_DISTINCT, None);
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

    /// Reports a variable that nothing binds; `negated` is the atom under `not` that it stands in, if any.
    fn require(
        &mut self,
        bound: &BTreeSet<Symbol>,
        variable: Symbol,
        span: Span,
        code: &'static Code,
        negated: Option<&Atom>,
    ) {
        if bound.contains(&variable) || !self.reported.insert(variable) {
            return;
        }
        let name = self.context.name(variable);
        let place = match code.id {
            "E301" => "the head",
            "E302" => "a negated literal",
            _ => "`distinct`",
        };
        let mut diagnostic = Diagnostic::new(
            code,
            span,
            format!("the variable `?{name}` of {place} is not bound by a positive condition"),
        )
        .label("unbound");
        if self.is_bound_somewhere(variable) {
            diagnostic = diagnostic.note("an `or` binds a variable only if every alternative does");
        }
        let help = match negated {
            Some(atom) => self.help_with_negation(atom, variable, bound),
            None => {
                format!("add a positive condition with `?{name}` to the body, e.g. a relation that lists its values")
            }
        };
        self.diagnostics.push(diagnostic.help(help));
    }

    /// Authors of such a rule nearly always mean "there is none". A condition that binds the variable makes the rule
    /// valid, but it then holds as soon as *one* value fails.
    fn help_with_negation(&self, atom: &Atom, variable: Symbol, bound: &BTreeSet<Symbol>) -> String {
        let name = match (atom.name, &atom.args[..]) {
            (keyword::TRUE, [fluent]) | (keyword::DOES, [_, fluent]) => {
                fluent.shape().map_or(atom.name, |shape| shape.0)
            }
            _ => atom.name,
        };
        let mut head = format!("some_{}", self.context.name(name));
        let mut kept = BTreeSet::new();
        atom.variables(&mut |variable, _| {
            if bound.contains(&variable) && kept.insert(variable) {
                head += &format!(" ?{}", self.context.name(variable));
            }
        });
        if !kept.is_empty() {
            head = format!("({head})");
        }
        let positive = self.call(atom.name, &atom.args);
        let variable = self.context.name(variable);
        format!(
            "to say that there is none, name the positive statement and negate the name: `(<= {head} {positive})` and \
             `(not {head})`; a condition that merely binds `?{variable}` says that one of them is not so"
        )
    }

    fn call(&self, name: Symbol, args: &[Term]) -> String {
        let args: String = args.iter().map(|arg| format!(" {}", self.term(arg))).collect();
        match args.is_empty() {
            true => self.context.name(name).to_string(),
            false => format!("({}{args})", self.context.name(name)),
        }
    }

    fn term(&self, term: &Term) -> String {
        match &term.kind {
            TermKind::Constant(name) => self.context.name(*name).to_string(),
            TermKind::Variable(name) => format!("?{}", self.context.name(*name)),
            TermKind::Function(name, args) => self.call(*name, args),
        }
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
