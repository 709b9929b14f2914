//! Expressions over fluents with variables: matching, generalising, specialising.
//!
//! An expression is a term of the game's language whose variables are numbered in the order of their first occurrence.
//! Different variables may stand for the same thing; a variable that occurs twice stands for the same thing twice.

use ludens_gdl::Symbols;
use ludens_gdl::normal::Term;

/// Constants of one expression that are generalised in all combinations; beyond that only one at a time, and all.
const MOST_COMBINED: usize = 8;

/// Returns an expression with its variables numbered in the order of their first occurrence.
pub(crate) fn numbered(term: &Term) -> Term {
    fn walk(term: &Term, seen: &mut Vec<u32>) -> Term {
        match term {
            Term::Constant(name) => Term::Constant(*name),
            Term::Variable(number) => {
                let place = seen.iter().position(|known| known == number).unwrap_or_else(|| {
                    seen.push(*number);
                    seen.len() - 1
                });
                Term::Variable(place as u32)
            }
            Term::Function(name, args) => Term::Function(*name, args.iter().map(|arg| walk(arg, seen)).collect()),
        }
    }
    walk(term, &mut Vec::new())
}

/// Returns the number of different variables of an expression.
pub(crate) fn variables(pattern: &Term) -> u32 {
    let mut count = 0;
    pattern.variables(&mut |number| count = count.max(number + 1));
    count
}

/// Returns whether a ground term is an instance of an expression; then the values of its variables are in `values`.
pub(super) fn matches<'t>(pattern: &Term, term: &'t Term, values: &mut Vec<Option<&'t Term>>) -> bool {
    values.clear();
    values.resize(variables(pattern) as usize, None);
    unify(pattern, term, values)
}

/// Returns whether a ground term is an instance of an expression.
pub(crate) fn is_instance(pattern: &Term, term: &Term) -> bool {
    matches(pattern, term, &mut Vec::new())
}

fn unify<'t>(pattern: &Term, term: &'t Term, values: &mut [Option<&'t Term>]) -> bool {
    match (pattern, term) {
        (Term::Variable(number), _) => {
            let value = &mut values[*number as usize];
            match *value {
                Some(known) => known == term,
                None => {
                    *value = Some(term);
                    true
                }
            }
        }
        (Term::Constant(a), Term::Constant(b)) => a == b,
        (Term::Function(a, args), Term::Function(b, others)) => {
            let pairs = || args.iter().zip(others);
            a == b && args.len() == others.len() && pairs().all(|(arg, other)| unify(arg, other, values))
        }
        _ => false,
    }
}

/// Returns an expression with a value in the place of a variable.
pub(super) fn specialised(pattern: &Term, variable: u32, value: &Term) -> Term {
    fn walk(pattern: &Term, variable: u32, value: &Term) -> Term {
        match pattern {
            Term::Variable(number) if *number == variable => value.clone(),
            Term::Constant(_) | Term::Variable(_) => pattern.clone(),
            Term::Function(name, args) => {
                Term::Function(*name, args.iter().map(|arg| walk(arg, variable, value)).collect())
            }
        }
    }
    numbered(&walk(pattern, variable, value))
}

/// Returns all expressions that come of replacing constants by variables, each by its own, the expression itself first.
/// Where a variable occurs several times, there are also those in which every place has its own.
pub(super) fn generalised(pattern: &Term) -> Vec<Term> {
    let mut out = Vec::new();
    let mut starts = vec![pattern.clone()];
    let apart = numbered(&replaced(pattern, &|_| false, true));
    if apart != *pattern {
        starts.push(apart);
    }
    for start in starts {
        let constants = constants(&start);
        let mut push = |chosen: &dyn Fn(usize) -> bool| out.push(numbered(&replaced(&start, chosen, false)));
        if constants <= MOST_COMBINED {
            (0..1usize << constants).for_each(|set| push(&|place| set >> place & 1 == 1));
        } else {
            push(&|_| false);
            (0..constants).for_each(|only| push(&|place| place == only));
            push(&|_| true);
        }
    }
    out
}

/// Returns for each constant of an expression what is left of it without that one, and which one it is.
pub(super) fn without_one_constant(pattern: &Term) -> impl Iterator<Item = (Term, usize)> {
    let places = 0..constants(pattern);
    places.map(|only| (replaced(pattern, &|place| place == only, false), only))
}

/// Returns the number of constants among the arguments of a fluent.
fn constants(pattern: &Term) -> usize {
    match pattern {
        Term::Function(_, args) => args.iter().map(leaves).sum(),
        _ => 0,
    }
}

fn leaves(term: &Term) -> usize {
    match term {
        Term::Constant(_) => 1,
        Term::Variable(_) => 0,
        Term::Function(_, args) => args.iter().map(leaves).sum(),
    }
}

/// Replaces the constants at chosen places by new variables, and with `apart` every variable too.
fn replaced(pattern: &Term, chosen: &dyn Fn(usize) -> bool, apart: bool) -> Term {
    fn walk(term: &Term, chosen: &dyn Fn(usize) -> bool, apart: bool, place: &mut usize, next: &mut u32) -> Term {
        let mut new = || {
            *next += 1;
            Term::Variable(*next - 1)
        };
        match term {
            Term::Constant(_) => {
                *place += 1;
                if chosen(*place - 1) { new() } else { term.clone() }
            }
            Term::Variable(_) => {
                if apart {
                    new()
                } else {
                    term.clone()
                }
            }
            Term::Function(name, args) => {
                let args = args.iter().map(|arg| walk(arg, chosen, apart, place, next)).collect();
                Term::Function(*name, args)
            }
        }
    }
    match pattern {
        Term::Function(name, args) => {
            let (mut place, mut next) = (0, variables(pattern));
            let args = args.iter().map(|arg| walk(arg, chosen, apart, &mut place, &mut next));
            Term::Function(*name, args.collect())
        }
        _ => pattern.clone(),
    }
}

/// Returns an expression as text: `?` for a variable that occurs once, `?a`, `?b` and so on for others.
pub(crate) fn text(pattern: &Term, symbols: &Symbols) -> String {
    let mut counts = vec![0; variables(pattern) as usize];
    pattern.variables(&mut |number| counts[number as usize] += 1);
    let mut names: Vec<String> = Vec::new();
    let mut several = 0;
    for count in counts {
        names.push(match count {
            1 => "?".to_string(),
            _ => {
                several += 1;
                match several {
                    1..=26 => format!("?{}", char::from(b'a' + several as u8 - 1)),
                    more => format!("?v{more}"),
                }
            }
        });
    }
    fn write(term: &Term, names: &[String], symbols: &Symbols, out: &mut String) {
        match term {
            Term::Constant(name) => out.push_str(symbols.name(*name)),
            Term::Variable(number) => out.push_str(&names[*number as usize]),
            Term::Function(name, args) => {
                out.push('(');
                out.push_str(symbols.name(*name));
                for arg in args {
                    out.push(' ');
                    write(arg, names, symbols, out);
                }
                out.push(')');
            }
        }
    }
    let mut out = String::new();
    write(pattern, &names, symbols, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads an expression; variables begin with a question mark.
    fn read(text: &str, symbols: &mut Symbols) -> Term {
        let words: Vec<&str> = text.trim_matches(['(', ')']).split(' ').collect();
        let mut seen: Vec<&str> = Vec::new();
        let args = words[1..].iter().map(|word| match word.strip_prefix('?') {
            Some(name) => {
                if !seen.contains(&name) {
                    seen.push(name);
                }
                Term::Variable(seen.iter().position(|known| *known == name).unwrap_or(0) as u32)
            }
            None => Term::Constant(symbols.intern(word)),
        });
        let args = args.collect();
        Term::Function(symbols.intern(words[0]), args)
    }

    #[test]
    fn constants_are_generalised_in_all_combinations() {
        let mut symbols = Symbols::new();
        let pattern = read("(cell 1 ?x b)", &mut symbols);
        let texts: Vec<String> = generalised(&pattern).iter().map(|term| text(term, &symbols)).collect();
        assert_eq!(texts, ["(cell 1 ? b)", "(cell ? ? b)", "(cell 1 ? ?)", "(cell ? ? ?)"]);
    }

    #[test]
    fn repeated_variables_stay_and_come_apart() {
        let mut symbols = Symbols::new();
        let pattern = read("(cell ?x ?x b)", &mut symbols);
        let texts: Vec<String> = generalised(&pattern).iter().map(|term| text(term, &symbols)).collect();
        assert_eq!(
            texts,
            ["(cell ?a ?a b)", "(cell ?a ?a ?)", "(cell ? ? b)", "(cell ? ? ?)"]
        );
        let mut values = Vec::new();
        let (same, other) = (read("(cell 1 1 b)", &mut symbols), read("(cell 1 2 b)", &mut symbols));
        assert!(matches(&pattern, &same, &mut values));
        assert!(!matches(&pattern, &other, &mut values));
    }

    #[test]
    fn values_take_the_places_of_variables() {
        let mut symbols = Symbols::new();
        let pattern = read("(cell ?x ?y ?x)", &mut symbols);
        let term = read("(cell 1 2 1)", &mut symbols);
        let mut values = Vec::new();
        assert!(matches(&pattern, &term, &mut values));
        let value = values[0].expect("the variable has a value");
        assert_eq!(text(&specialised(&pattern, 0, value), &symbols), "(cell 1 ? 1)");
        let value = values[1].expect("the variable has a value");
        assert_eq!(text(&specialised(&pattern, 1, value), &symbols), "(cell ?a 2 ?a)");
    }
}
