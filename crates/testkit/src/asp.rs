//! The rules of a game as a logic program for answer set programming, for comparing grounders.
//!
//! The translation is plain, rule by rule, without anything that would help or hinder a grounder. Fluents come from
//! `init` and `next`, moves from `legal`. Both are choices (`{true(F)} :- next(F).`), so that the grounder keeps the
//! conditions on them instead of taking them for facts. Every name gets a number as a prefix, which makes it a valid
//! identifier.

use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};
use ludens_gdl::{Symbol, Symbols, keyword};
use std::fmt::Write;

/// The program for rules in normal form, one rule per line.
pub fn program(rules: &NormalRules) -> String {
    let mut writer = Writer {
        symbols: &rules.symbols,
        text: String::new(),
        helpers: 0,
    };
    writer.choice(keyword::TRUE, keyword::INIT, 1);
    writer.choice(keyword::TRUE, keyword::NEXT, 1);
    writer.choice(keyword::DOES, keyword::LEGAL, 2);
    for rule in &rules.rules {
        writer.rule(rule);
    }
    writer.text
}

struct Writer<'a> {
    symbols: &'a Symbols,
    text: String,
    /// Number of helper relations so far.
    helpers: usize,
}

impl Writer<'_> {
    /// Adds a choice: whatever holds in one relation may or may not hold in the other.
    fn choice(&mut self, chosen: Symbol, among: Symbol, arity: u32) {
        let atom = |name| Atom {
            name,
            args: (0..arity).map(Term::Variable).collect(),
        };
        let (chosen, among) = (self.atom(&atom(chosen)), self.atom(&atom(among)));
        self.text += &format!("{{{chosen}}} :- {among}.\n");
    }

    fn rule(&mut self, rule: &NormalRule) {
        let mut bound = Vec::new();
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                atom.variables(&mut |variable| bound.push(variable));
            }
        }
        let body: Vec<String> = rule.body.iter().map(|literal| self.literal(literal, &bound)).collect();
        let head = self.atom(&rule.head);
        self.text += &match body.is_empty() {
            true => format!("{head}.\n"),
            false => format!("{head} :- {}.\n", body.join(", ")),
        };
    }

    fn literal(&mut self, literal: &Literal, bound: &[u32]) -> String {
        match literal {
            Literal::Positive(atom) => self.atom(atom),
            Literal::Negative(atom) => format!("not {}", self.negated(atom, bound)),
            Literal::Distinct(a, b) => format!("{} != {}", self.term(a), self.term(b)),
        }
    }

    /// An atom under `not`. Grounders want all its variables bound; for local ones, a helper relation contains the
    /// values of the others for which there is an instance.
    fn negated(&mut self, atom: &Atom, bound: &[u32]) -> String {
        let mut variables = Vec::new();
        atom.variables(&mut |variable| variables.push(variable));
        if variables.iter().all(|variable| bound.contains(variable)) {
            return self.atom(atom);
        }
        variables.retain(|variable| bound.contains(variable));
        variables.sort_unstable();
        variables.dedup();
        let args: Vec<Term> = variables.into_iter().map(Term::Variable).collect();
        let helper = self.applied(&format!("some{}", self.helpers), &args);
        self.helpers += 1;
        let atom = self.atom(atom);
        self.text += &format!("{helper} :- {atom}.\n");
        helper
    }

    fn atom(&self, atom: &Atom) -> String {
        self.applied(&self.name(atom.name), &atom.args)
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Constant(name) => self.name(*name),
            Term::Variable(number) => format!("V{number}"),
            Term::Function(name, args) => self.applied(&self.name(*name), args),
        }
    }

    fn applied(&self, name: &str, args: &[Term]) -> String {
        let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
        match args.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", args.join(",")),
        }
    }

    /// A name that is unique by its number and still recognisable.
    fn name(&self, symbol: Symbol) -> String {
        let mut name = format!("n{}_", symbol.0);
        for letter in self.symbols.name(symbol).chars().filter(char::is_ascii_alphanumeric) {
            // Writing to a string cannot fail.
            let _ = write!(name, "{letter}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::{Description, Source};

    /// The program without the numbers of names and the three choices.
    fn translate(text: &str) -> Vec<String> {
        let program = program(&Description::read(Source::new("test", text)).normal());
        let plain = |line: &str| {
            let mut out = String::new();
            let mut rest = line;
            while let Some(start) = rest.find('n') {
                let digits = rest[start + 1..].find('_').filter(|&end| {
                    let number = &rest[start + 1..start + 1 + end];
                    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                });
                let skipped = digits.map_or(0, |end| end + 2);
                out += &rest[..start];
                out += &rest[start..start + usize::from(skipped == 0)];
                rest = &rest[start + skipped.max(1)..];
            }
            out + rest
        };
        let lines: Vec<String> = program.lines().map(plain).collect();
        assert_eq!(
            lines[..3],
            [
                "{true(V0)} :- init(V0).",
                "{true(V0)} :- next(V0).",
                "{does(V0,V1)} :- legal(V0,V1)."
            ]
        );
        lines[3..].to_vec()
    }

    #[test]
    fn rules_are_translated_one_by_one() {
        let lines = translate(
            "(role w) (init (at 1 A+)) (<= (legal ?r (go ?x)) (role ?r) (true (at ?x ?y)) (not (true (at ?y ?x))) \
             (distinct ?x ?y))",
        );
        assert_eq!(
            lines,
            [
                "role(w).",
                "init(at(1,a)).",
                "legal(V0,go(V1)) :- role(V0), true(at(V1,V2)), not true(at(V2,V1)), V1 != V2."
            ]
        );
    }

    #[test]
    fn variables_under_not_alone_get_a_helper() {
        let lines = translate("(role w) (<= terminal (role ?r) (not (true (at ?r ?x ?x))))");
        assert_eq!(
            lines,
            [
                "role(w).",
                "some0(V0) :- true(at(V0,V1,V1)).",
                "terminal :- role(V0), not some0(V0)."
            ]
        );
    }

    #[test]
    fn names_that_look_alike_stay_apart() {
        let text = "(role w) (init a+) (init a-) (init (a b))";
        let program = program(&Description::read(Source::new("test", text)).normal());
        let facts: Vec<&str> = program.lines().skip(4).collect();
        assert_eq!(facts.len(), 3);
        assert!(facts[0] != facts[1] && facts[1] != facts[2], "{facts:?}");
    }
}
