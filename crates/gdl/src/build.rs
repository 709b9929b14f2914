//! [`Tree`] to [`Rules`]: the form of single statements.
//!
//! Statements that break the form are reported and left out; the rest of the text is still built and checked, so that
//! one run shows everything.

use crate::diagnostic::{Code, Diagnostic, codes};
use crate::read::Notation;
use crate::rule::{Atom, Formula, Rule, Rules, Term, TermKind};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols, keyword};
use crate::tree::{Node, NodeId, Tree};
use std::collections::BTreeSet;

/// Builds the rules of a tree; `symbols` is the table that the tree was read with.
pub fn build(tree: &Tree, notation: Notation, mut symbols: Symbols) -> (Rules, Vec<Diagnostic>) {
    let mut builder = Builder {
        tree,
        notation,
        symbols: &symbols,
        diagnostics: Vec::new(),
        wrapped: BTreeSet::new(),
        bare: BTreeSet::new(),
    };
    let mut rules = Vec::new();
    for &root in &tree.roots {
        rules.extend(builder.statement(root).ok());
    }
    let diagnostics = builder.diagnostics;
    for &constant in builder.wrapped.difference(&builder.bare) {
        symbols.set_wrapped(constant);
    }
    (Rules { symbols, rules }, diagnostics)
}

/// A ground term such as a move or a fluent, from text on its own; `None` where it is not exactly one term.
pub fn build_term(tree: &Tree, root: NodeId, symbols: &Symbols) -> Option<Term> {
    let mut builder = Builder {
        tree,
        notation: Notation::Kif,
        symbols,
        diagnostics: Vec::new(),
        wrapped: BTreeSet::new(),
        bare: BTreeSet::new(),
    };
    let term = builder.term(root).ok()?;
    builder
        .diagnostics
        .iter()
        .all(|diagnostic| !diagnostic.is_error())
        .then_some(term)
}

/// The statement is left out; the diagnostic was made where this is raised.
struct LeftOut;

type Built<T> = Result<T, LeftOut>;

struct Builder<'a> {
    tree: &'a Tree,
    notation: Notation,
    symbols: &'a Symbols,
    diagnostics: Vec<Diagnostic>,
    /// Constants that stand in parentheses somewhere, and those that stand without.
    wrapped: BTreeSet<Symbol>,
    bare: BTreeSet<Symbol>,
}

fn is_operator(symbol: Symbol) -> bool {
    matches!(
        symbol,
        keyword::NOT | keyword::OR | keyword::AND | keyword::DISTINCT | keyword::IMPLIED_BY
    )
}

/// The arity that the language gives a relation.
fn keyword_arity(symbol: Symbol) -> Option<usize> {
    match symbol {
        keyword::TERMINAL => Some(0),
        keyword::ROLE | keyword::INIT | keyword::TRUE | keyword::NEXT => Some(1),
        keyword::DOES | keyword::LEGAL | keyword::GOAL | keyword::SEES => Some(2),
        _ => None,
    }
}

impl Builder<'_> {
    fn statement(&mut self, root: NodeId) -> Built<Rule> {
        let span = self.tree.span(root);
        let items = self.tree.items(root);
        if self.tree.operator(root) != Some(keyword::IMPLIED_BY) || items.is_empty() {
            return self.fact(root, span);
        }
        let [arrow, head, body @ ..] = items else {
            return self.error(
                Diagnostic::new(&codes::RULE_WITHOUT_HEAD, span, "this rule has no head")
                    .label("nothing behind `<=`")
                    .help("write `(<= head condition ...)`"),
            );
        };
        let arrow = self.tree.span(*arrow);
        let head = self.head(*head);
        let body: Vec<Built<Formula>> = body.iter().map(|&literal| self.formula(literal)).collect();
        let rule = Rule {
            head: head?,
            body: body.into_iter().collect::<Built<_>>()?,
            span,
        };
        if rule.body.is_empty() {
            let help = "add conditions that bind the variable, or write one fact for each value";
            self.check_fact(&rule, "a rule without conditions", help)?;
            self.diagnostics.push(
                Diagnostic::new(&codes::EMPTY_BODY, arrow, "this rule has no conditions")
                    .label("read as a fact")
                    .help("leave out `<=` and its parentheses"),
            );
        } else if rule.head.name == keyword::ROLE {
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::ROLE_BY_RULE,
                    rule.head.span,
                    "roles are facts, not the result of rules",
                )
                .label("defined by a rule")
                .note("the order of the `role` facts is the order of the players everywhere")
                .help("list every role: `(role white)`"),
            );
        }
        Ok(rule)
    }

    fn fact(&mut self, root: NodeId, span: Span) -> Built<Rule> {
        if let Some(operator) = self.tree.operator(root).filter(|&name| is_operator(name)) {
            let name = self.symbols.name(operator).to_string();
            return self.error(
                Diagnostic::new(
                    &codes::OPERATOR_AS_FACT,
                    span,
                    format!("`{name}` is an operator and cannot be a fact"),
                )
                .label("not a fact")
                .help(format!("`{name}` belongs into the body of a rule")),
            );
        }
        let head = self.atom(root)?;
        self.check_defined(&head)?;
        let rule = Rule {
            head,
            body: Vec::new(),
            span,
        };
        let help = "write one fact for each value, or a rule with conditions that bind the variable";
        self.check_fact(&rule, "the fact", help)?;
        Ok(rule)
    }

    /// Reports the variables of a statement without conditions.
    fn check_fact(&mut self, rule: &Rule, what: &str, help: &str) -> Built<()> {
        let mut found = Vec::new();
        rule.head.variables(&mut |name, span| found.push((name, span)));
        for &(name, span) in &found {
            let name = self.symbols.name(name);
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::VARIABLE_IN_FACT,
                    span,
                    format!("{what} holds the variable `?{name}`"),
                )
                .label("no condition binds it")
                .help(help),
            );
        }
        match found.is_empty() {
            true => Ok(()),
            false => Err(LeftOut),
        }
    }

    fn head(&mut self, node: NodeId) -> Built<Atom> {
        if let Some(operator) = self.tree.operator(node).filter(|&name| is_operator(name)) {
            let name = self.symbols.name(operator).to_string();
            return self.error(
                Diagnostic::new(
                    &codes::OPERATOR_AS_HEAD,
                    self.tree.span(node),
                    format!("`{name}` cannot be the head of a rule"),
                )
                .label("a head is a single atom")
                .help("define a relation of your own and use the operator where it is read"),
            );
        }
        let atom = self.atom(node)?;
        self.check_defined(&atom)?;
        Ok(atom)
    }

    fn check_defined(&mut self, head: &Atom) -> Built<()> {
        let instead = match head.name {
            keyword::TRUE => "`init` for the start and `next` for later",
            keyword::DOES => "`legal` for what may be done",
            _ => return Ok(()),
        };
        let name = self.symbols.name(head.name).to_string();
        self.error(
            Diagnostic::new(
                &codes::KEYWORD_DEFINED,
                head.span,
                format!("`{name}` cannot be defined by the rules: it is given from outside"),
            )
            .label("defined here")
            .help(format!("use {instead}")),
        )
    }

    fn formula(&mut self, node: NodeId) -> Built<Formula> {
        let span = self.tree.span(node);
        let items = self.tree.items(node);
        let Some(operator) = self.tree.operator(node).filter(|&name| is_operator(name)) else {
            let atom = self.atom(node)?;
            self.check_read(&atom);
            return Ok(Formula::Atom(atom));
        };
        let args = items.get(1..).unwrap_or(&[]);
        match operator {
            keyword::NOT => self.negation(args, span),
            keyword::OR | keyword::AND => self.junction(operator, args, span),
            keyword::DISTINCT => {
                let [a, b] = args else {
                    let message = format!("`distinct` takes two terms, here are {}", args.len());
                    return self.wrong_count(&codes::DISTINCT_ARITY, span, message, "(distinct ?x ?y)");
                };
                let (a, b) = (self.term(*a), self.term(*b));
                Ok(Formula::Distinct(a?, b?, span))
            }
            _ => self.error(
                Diagnostic::new(&codes::OPERATOR_AS_TERM, span, "a rule cannot stand inside a rule")
                    .label("`<=` inside a body")
                    .help("close the parenthesis of the rule before this one"),
            ),
        }
    }

    fn negation(&mut self, args: &[NodeId], span: Span) -> Built<Formula> {
        let [inner] = args else {
            let message = format!("`not` takes one literal, here are {}", args.len());
            return self.wrong_count(&codes::NOT_ARITY, span, message, "(not (true (f ?x)))");
        };
        let inner = self.formula(*inner)?;
        if !matches!(inner, Formula::Atom(_)) {
            let reading = match inner {
                Formula::Distinct(..) => "read as: the two terms are equal",
                Formula::Not(..) => "read as the literal itself",
                _ => "read by pushing the negation inwards",
            };
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::NESTED_NEGATION,
                    inner.span(),
                    "`not` is applied to something other than an atom",
                )
                .label(reading)
                .help("define a helper relation and negate that, or rewrite the condition"),
            );
        }
        Ok(Formula::Not(Box::new(inner), span))
    }

    fn junction(&mut self, operator: Symbol, args: &[NodeId], span: Span) -> Built<Formula> {
        let parts: Vec<Built<Formula>> = args.iter().map(|&part| self.formula(part)).collect();
        let parts = parts.into_iter().collect::<Built<Vec<_>>>()?;
        if operator == keyword::AND {
            // The infix notation has no other way to write a conjunction, e.g. inside `|`.
            if self.notation == Notation::Kif {
                self.diagnostics.push(
                    Diagnostic::new(&codes::AND_IS_NOT_GDL, span, "`and` is not part of GDL")
                        .label("read as: all of these hold")
                        .help("list the conditions one after the other in the body"),
                );
            }
            return Ok(Formula::And(parts, span));
        }
        if parts.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(&codes::EMPTY_OR, span, "an `or` without alternatives is always false")
                    .label("so this rule never fires")
                    .help("add the alternatives or delete the rule"),
            );
        }
        Ok(Formula::Or(parts, span))
    }

    fn check_read(&mut self, atom: &Atom) {
        let from = match atom.name {
            keyword::INIT if atom.args.len() == 1 => "the start of the match",
            keyword::NEXT if atom.args.len() == 1 => "the next state",
            keyword::SEES if atom.args.len() == 2 => "what a role perceives",
            _ => return,
        };
        let name = self.symbols.name(atom.name).to_string();
        self.diagnostics.push(
            Diagnostic::new(
                &codes::HEAD_KEYWORD_IN_BODY,
                atom.span,
                format!("`{name}` may only be defined, not read"),
            )
            .label("read in a body")
            .help(format!(
                "define a helper relation for {from} and read that in both places"
            )),
        );
    }

    fn atom(&mut self, node: NodeId) -> Built<Atom> {
        let span = self.tree.span(node);
        let name = match self.tree.node(node) {
            Node::Word(name) => name,
            Node::Variable(_) => return self.variable_as_atom(span, "a variable cannot be a condition or fact"),
            Node::List { .. } => self.list_name(node, span)?,
        };
        let args = self.arguments(node)?;
        if let Some(arity) = keyword_arity(name).filter(|&arity| arity != args.len()) {
            let text = self.symbols.name(name).to_string();
            let message = format!("`{text}` takes {}, here are {}", count(arity), args.len());
            let example = match arity {
                0 => text,
                1 => format!("({text} ...)"),
                _ => format!("({text} role ...)"),
            };
            return self.wrong_count(&codes::KEYWORD_ARITY, span, message, &example);
        }
        Ok(Atom { name, args, span })
    }

    fn list_name(&mut self, node: NodeId, span: Span) -> Built<Symbol> {
        let items = self.tree.items(node);
        let Some(&first) = items.first() else {
            return self.error(
                Diagnostic::new(&codes::EMPTY_LIST, span, "these parentheses hold nothing")
                    .label("empty")
                    .help("delete them, or write a name inside"),
            );
        };
        match self.tree.node(first) {
            Node::Word(name) if is_operator(name) => {
                let text = self.symbols.name(name).to_string();
                self.error(
                    Diagnostic::new(
                        &codes::OPERATOR_AS_TERM,
                        span,
                        format!("`{text}` is an operator and cannot stand inside a term"),
                    )
                    .label("not a term"),
                )
            }
            Node::Word(name) => {
                if items.len() == 1 {
                    let text = self.symbols.name(name);
                    self.diagnostics.push(
                        Diagnostic::new(
                            &codes::NEEDLESS_PARENTHESES,
                            span,
                            format!("`({text})` has no arguments and means the same as `{text}`"),
                        )
                        .label("needless parentheses")
                        .help(format!("write `{text}`")),
                    );
                }
                Ok(name)
            }
            Node::Variable(_) => self.variable_as_atom(
                self.tree.span(first),
                "a variable cannot stand for a relation or function",
            ),
            Node::List { .. } => self.error(
                Diagnostic::new(&codes::NAMELESS_LIST, span, "this list does not start with a name")
                    .label("the first item is a list")
                    .help("remove one pair of parentheses, or put the name of a relation or function first"),
            ),
        }
    }

    fn arguments(&mut self, node: NodeId) -> Built<Vec<Term>> {
        let items = self.tree.items(node).get(1..).unwrap_or(&[]);
        let terms: Vec<Built<Term>> = items.iter().map(|&item| self.term(item)).collect();
        terms.into_iter().collect()
    }

    fn term(&mut self, node: NodeId) -> Built<Term> {
        let span = self.tree.span(node);
        let kind = match self.tree.node(node) {
            Node::Variable(name) => TermKind::Variable(name),
            Node::Word(name) => {
                self.check_term_name(name, span, false)?;
                self.bare.insert(name);
                TermKind::Constant(name)
            }
            Node::List { .. } => {
                let name = self.list_name(node, span)?;
                let args = self.arguments(node)?;
                self.check_term_name(name, span, !args.is_empty())?;
                match args.is_empty() {
                    true => {
                        self.wrapped.insert(name);
                        TermKind::Constant(name)
                    }
                    false => TermKind::Function(name, args),
                }
            }
        };
        Ok(Term { kind, span })
    }

    fn check_term_name(&mut self, name: Symbol, span: Span, is_function: bool) -> Built<()> {
        let text = self.symbols.name(name);
        if is_operator(name) {
            let message = format!("`{text}` is an operator and cannot stand inside a term");
            return self.error(
                Diagnostic::new(&codes::OPERATOR_AS_TERM, span, message)
                    .label("not a term")
                    .help("give the constant or function another name"),
            );
        }
        if keyword_arity(name).is_some() {
            let what = if is_function { "function" } else { "constant" };
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::KEYWORD_IN_TERM,
                    span,
                    format!("the keyword `{text}` is used as a {what}"),
                )
                .label("has no special meaning inside a term")
                .help(match is_function {
                    true => format!("leave out `{text}`, or give the {what} another name"),
                    false => format!("give the {what} another name"),
                }),
            );
        }
        Ok(())
    }

    fn variable_as_atom<T>(&mut self, span: Span, message: &str) -> Built<T> {
        self.error(
            Diagnostic::new(&codes::VARIABLE_AS_ATOM, span, message)
                .label("a name is needed here")
                .help("GDL variables stand for terms only, e.g. `(true ?x)`"),
        )
    }

    fn wrong_count<T>(&mut self, code: &'static Code, span: Span, message: String, example: &str) -> Built<T> {
        self.error(
            Diagnostic::new(code, span, message)
                .label("wrong number of arguments")
                .help(format!("write `{example}`")),
        )
    }

    fn error<T>(&mut self, diagnostic: Diagnostic) -> Built<T> {
        self.diagnostics.push(diagnostic);
        Err(LeftOut)
    }
}

fn count(number: usize) -> String {
    match number {
        0 => "no arguments".to_string(),
        1 => "one argument".to_string(),
        _ => format!("{number} arguments"),
    }
}
