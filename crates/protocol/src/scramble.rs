//! Renames all constants and variables of a game, so that players cannot recognise it.
//!
//! Every constant and variable gets a word made of syllables, the same throughout a match. Keywords of the language and
//! numbers keep their names. Records of matches contain the original names: moves are translated in both directions.

use ludens_engine::Rng;
use ludens_gdl::tree::{Node, NodeId};
use ludens_gdl::{Description, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// Names that are not changed: keywords, extensions and operators.
const KEPT: &[&str] = &[
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "distinct", "not", "or",
    "and", "<=", "_", "random", "sees", "percept", "sees_xml", "knows",
];

/// A translation of names in both directions.
#[derive(Clone, Debug, Default)]
pub struct Scrambler {
    forth: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

impl Scrambler {
    /// The identity.
    pub fn none() -> Scrambler {
        Scrambler::default()
    }

    /// New names for all names of some rules. The same seed gives the same names.
    pub fn new(description: &Description, seed: u64) -> Scrambler {
        let names = names(description);
        let mut taken: BTreeSet<String> = names.iter().cloned().collect();
        taken.extend(KEPT.iter().map(|name| name.to_string()));
        // The protocol uses it as a keyword.
        taken.insert("nil".to_string());
        let mut rng = Rng::with_seed(seed);
        let mut scrambler = Scrambler::default();
        for name in names.into_iter().filter(|name| !is_kept(name)) {
            let word = loop {
                let word = word(&mut rng, taken.len());
                if taken.insert(word.clone()) {
                    break word;
                }
            };
            scrambler.back.insert(word.clone(), name.clone());
            scrambler.forth.insert(name, word);
        }
        scrambler
    }

    /// Whether it is the identity.
    pub fn is_none(&self) -> bool {
        self.forth.is_empty()
    }

    /// Translates a term to the new names.
    pub fn scramble(&self, term: &str) -> String {
        translated(term, &self.forth)
    }

    /// Translates a term to the original names, in lower case. Unknown words are kept.
    pub fn unscramble(&self, term: &str) -> String {
        match self.is_none() {
            true => term.to_string(),
            false => translated(&term.to_lowercase(), &self.back),
        }
    }

    /// All rules in the new names, in prefix notation as one list.
    pub fn rules(&self, description: &Description) -> String {
        let mut text = String::from("(");
        for (place, &root) in description.tree.roots.iter().enumerate() {
            if place > 0 {
                text.push(' ');
            }
            self.write(description, root, &mut text);
        }
        text.push(')');
        text
    }

    fn name<'a>(&'a self, description: &'a Description, symbol: Symbol) -> &'a str {
        let name = description.rules.symbols.name(symbol);
        self.forth.get(name).map_or(name, String::as_str)
    }

    /// Writes a tree. The reader bounds its nesting.
    fn write(&self, description: &Description, node: NodeId, text: &mut String) {
        match description.tree.node(node) {
            Node::Word(symbol) => text.push_str(self.name(description, symbol)),
            Node::Variable(symbol) => {
                text.push('?');
                text.push_str(self.name(description, symbol));
            }
            Node::List { .. } => {
                text.push('(');
                for (place, &item) in description.tree.items(node).iter().enumerate() {
                    if place > 0 {
                        text.push(' ');
                    }
                    self.write(description, item, text);
                }
                text.push(')');
            }
        }
    }
}

/// All names in the rules, sorted.
fn names(description: &Description) -> BTreeSet<String> {
    let tree = &description.tree;
    let nodes = (0..tree.len() as u32).map(|number| tree.node(NodeId(number)));
    let symbols = nodes.filter_map(|node| match node {
        Node::Word(symbol) | Node::Variable(symbol) => Some(symbol),
        Node::List { .. } => None,
    });
    symbols
        .collect::<BTreeSet<Symbol>>()
        .into_iter()
        .map(|symbol| description.rules.symbols.name(symbol).to_string())
        .collect()
}

fn is_kept(name: &str) -> bool {
    name.is_empty() || KEPT.contains(&name) || name.parse::<i64>().is_ok() || is_long_number(name)
}

fn is_long_number(name: &str) -> bool {
    let digits = name.strip_prefix(['-', '+']).unwrap_or(name);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A word of two syllables, or more if many words are needed.
fn word(rng: &mut Rng, taken: usize) -> String {
    let syllables = 2 + usize::from(taken > 1_500) + usize::from(taken > 100_000);
    let pick = |rng: &mut Rng, letters: &[u8]| char::from(letters[rng.usize(..letters.len())]);
    let mut word = String::new();
    for _ in 0..syllables {
        word.push(pick(rng, b"bdfgklmnprstvz"));
        word.push(pick(rng, b"aeiou"));
    }
    word.push(pick(rng, b"lmnrst"));
    word
}

fn translated(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let is_end = |letter: char| letter.is_whitespace() || "()".contains(letter);
    while !rest.is_empty() {
        let end = rest.find(is_end).unwrap_or(rest.len());
        let word = &rest[..end];
        out.push_str(names.get(word).map_or(word, String::as_str));
        let skipped = rest[end..]
            .find(|letter| !is_end(letter))
            .map_or(rest.len(), |length| end + length);
        out.push_str(&rest[end..skipped]);
        rest = &rest[skipped..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Source;

    fn describe(text: &str) -> Description {
        Description::read(Source::new("test", text))
    }

    #[test]
    fn names_change_and_come_back() {
        let description =
            describe("(role White) (role random) (init (cell 1 -2 b)) (<= (sees white ?x) (true ?x) (distinct ?x b))");
        let scrambler = Scrambler::new(&description, 7);
        let rules = scrambler.rules(&description);
        for kept in [
            "(role random)",
            "(init (",
            " 1 -2 ",
            "(<= (sees ",
            "(true ?",
            "(distinct ?",
        ] {
            assert!(rules.contains(kept), "{kept} in {rules}");
        }
        for gone in ["white", "cell", "?x", " b)"] {
            assert!(!rules.contains(gone), "{gone} in {rules}");
        }
        let term = "(cell 1 (b white) noname)";
        let there = scrambler.scramble(term);
        assert_ne!(there, term);
        assert_eq!(scrambler.unscramble(&there), term);
        assert_eq!(scrambler.unscramble(&there.to_uppercase()), term);
        assert_eq!(Scrambler::new(&description, 7).scramble(term), there);
        assert_ne!(Scrambler::new(&description, 8).scramble(term), there);
    }

    #[test]
    fn without_scrambling_rules_are_the_same() {
        let text = "((role w) (<= (legal w a) (not (true (f ?x)))) (<= terminal (or p q)))";
        assert_eq!(Scrambler::none().rules(&describe(text)), text);
        let infix = describe("role(w) legal(w, a) :- ~true(f(X)) & p(X)");
        let kif = "((role w) (<= (legal w a) (not (true (f ?x))) (p ?x)))";
        assert_eq!(Scrambler::none().rules(&infix), kif);
    }

    #[test]
    fn scrambled_games_are_the_same_games() {
        use ludens_engine::{Game, playout};
        for name in ["tic-tac-toe", "connect-four-5x4", "goofspiel-4"] {
            let game = Game::read(ludens_library::find(name).unwrap().source()).unwrap();
            let scrambler = Scrambler::new(game.description(), 3);
            let other = Game::read(Source::new("scrambled", scrambler.rules(game.description()))).unwrap();
            let (mut ours, mut theirs) = (game.machine(), other.machine());
            let mut rng = Rng::with_seed(5);
            let mut joint = Vec::new();
            while !ours.is_terminal() {
                assert!(!theirs.is_terminal());
                playout::choose_joint(&mut *ours, &mut rng, &mut joint).unwrap();
                let there: Vec<_> = game
                    .roles()
                    .zip(&joint)
                    .map(|(role, &chosen)| {
                        let text = scrambler.scramble(&game.move_text(role, chosen));
                        let there = other.parse_move(role, &text).unwrap();
                        assert!(theirs.legal(role).contains(&there));
                        there
                    })
                    .collect();
                ours.step(&joint);
                theirs.step(&there);
            }
            assert!(theirs.is_terminal());
            for role in game.roles() {
                assert_eq!(ours.score(role), theirs.score(role));
            }
        }
    }
}
