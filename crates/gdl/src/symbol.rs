//! Interned names.
//!
//! GDL does not distinguish upper and lower case, so names are folded to lower case before they are interned. A
//! [`Symbols`] table belongs to one rule set: there is no global state, and a symbol means something only together
//! with the table it came from. The names that the language itself uses have fixed numbers, see [`keyword`].

use foldhash::fast::RandomState;
use hashbrown::{HashSet, HashTable};
use std::hash::BuildHasher;

/// An interned, case-folded name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

macro_rules! keywords {
    ($($name:ident = $text:literal, $number:literal, $about:literal;)*) => {
        /// The names with a meaning in the language, interned with these numbers in every [`Symbols`](super::Symbols).
        pub mod keyword {
            use super::Symbol;
            $(#[doc = $about] pub const $name: Symbol = Symbol($number);)*
            pub(super) const ALL: &[&str] = &[$($text),*];
        }
    };
}

keywords! {
    ROLE = "role", 0, "`(role R)`: R is one of the seats.";
    INIT = "init", 1, "`(init F)`: F holds at the start.";
    TRUE = "true", 2, "`(true F)`: F holds now.";
    DOES = "does", 3, "`(does R M)`: R plays M in this step.";
    NEXT = "next", 4, "`(next F)`: F holds after this step.";
    LEGAL = "legal", 5, "`(legal R M)`: R may play M.";
    GOAL = "goal", 6, "`(goal R N)`: the state is worth N to R.";
    TERMINAL = "terminal", 7, "`terminal`: the match is over.";
    BASE = "base", 8, "`(base F)`: F can ever hold (optional).";
    INPUT = "input", 9, "`(input R M)`: R can ever play M (optional).";
    SEES = "sees", 10, "`(sees R P)`: R perceives P after this step (GDL-II).";
    RANDOM = "random", 11, "the role of chance (GDL-II).";
    DISTINCT = "distinct", 12, "`(distinct A B)`: A and B are different terms.";
    NOT = "not", 13, "`(not L)`: L does not hold.";
    OR = "or", 14, "`(or L ...)`: one of them holds.";
    AND = "and", 15, "`(and L ...)`: all of them hold (accepted, not GDL).";
    IMPLIED_BY = "<=", 16, "`(<= HEAD BODY...)`: a rule.";
    NIL = "nil", 17, "the empty list.";
    CONS = "cons", 18, "`(cons HEAD TAIL)`: what the infix list notation stands for.";
}

/// A table of interned names.
#[derive(Clone)]
pub struct Symbols {
    names: Vec<Box<str>>,
    lookup: HashTable<u32>,
    hasher: RandomState,
    folded: String,
    /// Constants that the author writes in parentheses.
    wrapped: HashSet<Symbol, RandomState>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols::new()
    }
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Symbols({} names)", self.names.len())
    }
}

impl Symbols {
    /// A table that holds the keywords only.
    pub fn new() -> Symbols {
        let mut symbols = Symbols {
            names: Vec::new(),
            lookup: HashTable::new(),
            hasher: RandomState::default(),
            folded: String::new(),
            wrapped: HashSet::default(),
        };
        for name in keyword::ALL {
            symbols.intern(name);
        }
        symbols
    }

    /// The symbol of a name, whatever its case.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let mut folded = std::mem::take(&mut self.folded);
        fold_into(name, &mut folded);
        let hash = self.hasher.hash_one(folded.as_str());
        let names = &self.names;
        let found = self.lookup.find(hash, |&number| *names[number as usize] == *folded);
        let number = match found {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(folded.as_str().into());
                let (names, hasher) = (&self.names, &self.hasher);
                self.lookup
                    .insert_unique(hash, number, |&other| hasher.hash_one(&*names[other as usize]));
                number
            }
        };
        self.folded = folded;
        Symbol(number)
    }

    /// The symbol of a name if it is known.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        let mut folded = String::new();
        fold_into(name, &mut folded);
        let hash = self.hasher.hash_one(folded.as_str());
        self.lookup
            .find(hash, |&number| *self.names[number as usize] == *folded)
            .map(|&number| Symbol(number))
    }

    /// The folded name of a symbol of this table.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Remembers that a constant is written in parentheses wherever it stands: `(noop)` means `noop`, but programs
    /// that compare text want it back as it was.
    pub fn set_wrapped(&mut self, symbol: Symbol) {
        self.wrapped.insert(symbol);
    }

    /// Whether a constant is to be printed in parentheses.
    pub fn is_wrapped(&self, symbol: Symbol) -> bool {
        !self.wrapped.is_empty() && self.wrapped.contains(&symbol)
    }

    /// A name like `stem` that is not yet taken, interned.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let mut count = self.names.len();
        loop {
            let name = format!("{stem}#{count}");
            if self.find(&name).is_none() {
                return self.intern(&name);
            }
            count += 1;
        }
    }

    /// Number of names in the table; all symbol numbers are below it.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

fn fold_into(name: &str, folded: &mut String) {
    folded.clear();
    if name.is_ascii() {
        folded.push_str(name);
        folded.make_ascii_lowercase();
    } else {
        folded.extend(name.chars().flat_map(char::to_lowercase));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_and_keywords_keep_their_numbers() {
        let mut symbols = Symbols::new();
        assert_eq!(symbols.intern("Legal"), keyword::LEGAL);
        assert_eq!(symbols.intern("<="), keyword::IMPLIED_BY);
        let cell = symbols.intern("Cell");
        assert_eq!(symbols.intern("CELL"), cell);
        assert_eq!(symbols.name(cell), "cell");
        assert_eq!(symbols.find("cEll"), Some(cell));
        assert_eq!(symbols.find("none"), None);
    }

    #[test]
    fn fresh_names_are_new() {
        let mut symbols = Symbols::new();
        let first = symbols.fresh("or");
        let second = symbols.fresh("or");
        assert_ne!(first, second);
    }
}
