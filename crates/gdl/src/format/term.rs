//! Terms in canonical KIF: lower case, one space between items, none inside parentheses. A constant that the rules
//! write in parentheses throughout, such as `(noop)`, is printed so.

use crate::normal::{Atom, Literal, NormalRule, Term};
use crate::symbol::Symbols;

/// A term; variables print as `?0`, `?1` …
pub fn canonical_term(term: &Term, symbols: &Symbols) -> String {
    let mut out = String::new();
    write_term(term, symbols, &mut out);
    out
}

/// An atom.
pub fn canonical_atom(atom: &Atom, symbols: &Symbols) -> String {
    let mut out = String::new();
    write_call(symbols.name(atom.name), &atom.args, symbols, &mut out);
    out
}

/// A literal.
pub fn canonical_literal(literal: &Literal, symbols: &Symbols) -> String {
    match literal {
        Literal::Positive(atom) => canonical_atom(atom, symbols),
        Literal::Negative(atom) => format!("(not {})", canonical_atom(atom, symbols)),
        Literal::Distinct(a, b) => format!(
            "(distinct {} {})",
            canonical_term(a, symbols),
            canonical_term(b, symbols)
        ),
    }
}

/// A rule on one line.
pub fn canonical_rule(rule: &NormalRule, symbols: &Symbols) -> String {
    let head = canonical_atom(&rule.head, symbols);
    if rule.body.is_empty() {
        return head;
    }
    let body: Vec<String> = rule
        .body
        .iter()
        .map(|literal| canonical_literal(literal, symbols))
        .collect();
    format!("(<= {head} {})", body.join(" "))
}

fn write_term(term: &Term, symbols: &Symbols, out: &mut String) {
    match term {
        Term::Constant(name) if symbols.is_wrapped(*name) => {
            out.push('(');
            out.push_str(symbols.name(*name));
            out.push(')');
        }
        Term::Constant(name) => out.push_str(symbols.name(*name)),
        Term::Variable(number) => {
            out.push('?');
            out.push_str(&number.to_string());
        }
        Term::Function(name, args) => write_call(symbols.name(*name), args, symbols, out),
    }
}

fn write_call(name: &str, args: &[Term], symbols: &Symbols, out: &mut String) {
    if args.is_empty() {
        out.push_str(name);
        return;
    }
    out.push('(');
    out.push_str(name);
    for arg in args {
        out.push(' ');
        write_term(arg, symbols, out);
    }
    out.push(')');
}
