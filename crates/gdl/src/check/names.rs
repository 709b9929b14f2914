//! One arity for each name, and no name that is both a relation and a function.

use super::{Context, Relation};
use crate::diagnostic::{Diagnostic, codes};
use crate::rule::{Atom, Formula, Term, TermKind};
use crate::source::Span;
use crate::symbol::Symbol;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// Uses of names, in the order of the text.
#[derive(Default)]
struct Uses {
    first: HashMap<Symbol, (usize, Span), RandomState>,
    clashes: Vec<(Symbol, usize, Span)>,
    known: HashSet<(Symbol, usize), RandomState>,
}

impl Uses {
    fn note(&mut self, name: Symbol, arity: usize, span: Span) {
        let (first, _) = *self.first.entry(name).or_insert((arity, span));
        if first != arity && self.known.insert((name, arity)) {
            self.clashes.push((name, arity, span));
        }
    }
}

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut relations = Uses::default();
    let mut functions = Uses::default();
    for rule in &context.rules.rules {
        note_atom(&rule.head, &mut relations, &mut functions);
        for formula in &rule.body {
            note_formula(formula, &mut relations, &mut functions);
        }
    }
    for (what, uses) in [("relation", &relations), ("function", &functions)] {
        for &(name, arity, span) in &uses.clashes {
            let (first, first_span) = uses.first[&name];
            let text = context.name(name);
            diagnostics.push(
                Diagnostic::new(
                    &codes::TWO_ARITIES,
                    span,
                    format!("the {what} `{text}` has {arity} arguments here and {first} elsewhere"),
                )
                .label(format!("{arity} arguments"))
                .related(first_span, format!("{first} arguments"))
                .note("Ludens takes them for two different names")
                .help("add or remove arguments, or rename one of them"),
            );
        }
    }
    // A relation that is read but not defined is reported as such, with better advice.
    let defined: HashSet<Symbol, RandomState> = context.rules.rules.iter().map(|rule| rule.head.name).collect();
    let mut both: Vec<_> = functions
        .first
        .iter()
        .filter(|&(&name, &(arity, _))| arity > 0 && relations.first.get(&name).is_some_and(|&(arity, _)| arity > 0))
        .map(|(&name, &(_, span))| (span, name))
        .filter(|&(_, name)| !is_language_relation(name) && defined.contains(&name))
        .collect();
    both.sort_unstable();
    for (span, name) in both {
        let text = context.name(name);
        diagnostics.push(
            Diagnostic::new(
                &codes::RELATION_AND_FUNCTION,
                span,
                format!("`{text}` is used as a function here and as a relation elsewhere"),
            )
            .label("a function")
            .related(relations.first[&name].1, "a relation")
            .help("rename one of them; or is a `true` missing around the relation?"),
        );
    }
}

/// Keywords inside terms have a code of their own.
fn is_language_relation(name: Symbol) -> bool {
    super::relation::ASKED
        .iter()
        .chain(&super::relation::GIVEN)
        .any(|relation: &Relation| relation.name == name)
}

fn note_formula(formula: &Formula, relations: &mut Uses, functions: &mut Uses) {
    match formula {
        Formula::Atom(atom) => note_atom(atom, relations, functions),
        Formula::Not(inner, _) => note_formula(inner, relations, functions),
        Formula::Or(parts, _) | Formula::And(parts, _) => {
            for part in parts {
                note_formula(part, relations, functions);
            }
        }
        Formula::Distinct(a, b, _) => {
            note_term(a, functions);
            note_term(b, functions);
        }
    }
}

fn note_atom(atom: &Atom, relations: &mut Uses, functions: &mut Uses) {
    relations.note(atom.name, atom.args.len(), atom.span);
    for arg in &atom.args {
        note_term(arg, functions);
    }
}

/// Constants are not functions of no arguments here: `(succ 1 2)` beside a piece called `succ` is fine.
fn note_term(term: &Term, functions: &mut Uses) {
    term.walk(&mut |part| {
        if let TermKind::Function(name, args) = &part.kind {
            functions.note(*name, args.len(), part.span);
        }
    });
}
