//! Random small programs, answered by the definitions themselves: all subsets of the defeasible rules, all sets of
//! literals that may activate an argument, all acceptable lines.

mod common;

use common::line;
use fastrand::Rng;
use ludens_budget::Budget;
use ludens_delp::{Options, Program, Verdict};
use ludens_gdl::Source;

const ATOMS: usize = 5;
const LITERALS: usize = 2 * ATOMS;

/// Head, conditions as bits, whether it is strict, text.
#[derive(Clone, PartialEq)]
struct Rule {
    head: usize,
    body: u32,
    strict: bool,
    text: String,
}

fn name(literal: usize) -> String {
    let sign = if literal % 2 == 1 { "~" } else { "" };
    format!("{sign}{}", char::from(b'a' + (literal / 2) as u8))
}

/// Facts are about `a` and `b`, rules conclude the rest: that makes more conflicts than chance alone.
fn random_rule(rng: &mut Rng, strict: bool, conditions: usize) -> Rule {
    let lowest = if rng.u8(..8) == 0 { 0 } else { 4 };
    let head = match strict && conditions == 0 {
        true => [0, 2, 2, 4][rng.usize(..4)],
        false => rng.usize(lowest..LITERALS),
    };
    let mut body = Vec::new();
    while body.len() < conditions {
        let literal = rng.usize(..LITERALS);
        if literal != head && !body.contains(&literal) {
            body.push(literal);
        }
    }
    let names: Vec<String> = body.iter().map(|&literal| name(literal)).collect();
    let text = match (strict, names.is_empty()) {
        (true, true) => name(head),
        (true, false) => format!("{} <- {}", name(head), names.join(", ")),
        (false, true) => format!("{} -<", name(head)),
        (false, false) => format!("{} -< {}", name(head), names.join(", ")),
    };
    Rule {
        head,
        body: body.iter().fold(0, |bits, &literal| bits | 1 << literal),
        strict,
        text,
    }
}

fn random_program(rng: &mut Rng) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let (facts, strict, defeasible) = (rng.usize(2..4), rng.usize(..3), rng.usize(4..10));
    for _ in 0..facts {
        rules.push(random_rule(rng, true, 0));
    }
    for _ in 0..strict {
        let conditions = rng.usize(1..3);
        rules.push(random_rule(rng, true, conditions));
    }
    for _ in 0..defeasible {
        let conditions = if rng.u8(..8) == 0 {
            0
        } else {
            1 + usize::from(rng.u8(..3) == 0)
        };
        rules.push(random_rule(rng, false, conditions));
    }
    let mut distinct: Vec<Rule> = Vec::new();
    for rule in rules {
        let is_known = |other: &Rule| (other.head, other.body, other.strict) == (rule.head, rule.body, rule.strict);
        if !distinct.iter().any(is_known) {
            distinct.push(rule);
        }
    }
    distinct
}

/// Arguments are pairs of a set of defeasible rules, as bits, and a conclusion.
type Argument = (u32, usize);

struct Reference {
    strict: Vec<Rule>,
    defeasible: Vec<Rule>,
    derivable: u32,
    arguments: Vec<Argument>,
}

fn is_contradictory(literals: u32) -> bool {
    (0..ATOMS).any(|atom| literals >> (2 * atom) & 3 == 3)
}

impl Reference {
    fn new(rules: &[Rule]) -> Reference {
        let part = |strict: bool| rules.iter().filter(|rule| rule.strict == strict).cloned().collect();
        let mut reference = Reference {
            strict: part(true),
            defeasible: part(false),
            derivable: 0,
            arguments: Vec::new(),
        };
        let all = (1 << reference.defeasible.len()) - 1;
        reference.derivable = reference.closure(all, 0, true);
        for set in 0..=all {
            let derived = reference.closure(set, 0, true);
            for conclusion in (0..LITERALS).filter(|&literal| derived >> literal & 1 == 1) {
                let smaller = |part: u32| {
                    part & set == part && part != set && reference.closure(part, 0, true) >> conclusion & 1 == 1
                };
                if !is_contradictory(derived) && !(0..set).any(smaller) {
                    reference.arguments.push((set, conclusion));
                }
            }
        }
        reference
    }

    fn closure(&self, set: u32, start: u32, with_facts: bool) -> u32 {
        let mut holds = start;
        loop {
            let before = holds;
            for rule in &self.strict {
                if (with_facts || rule.body != 0) && rule.body & holds == rule.body {
                    holds |= 1 << rule.head;
                }
            }
            for (number, rule) in self.defeasible.iter().enumerate() {
                if set >> number & 1 == 1 && rule.body & holds == rule.body {
                    holds |= 1 << rule.head;
                }
            }
            if holds == before {
                return holds;
            }
        }
    }

    fn activates(&self, literals: u32, (set, conclusion): Argument) -> bool {
        self.closure(set, literals, false) >> conclusion & 1 == 1
    }

    fn activates_properly(&self, literals: u32, argument: Argument) -> bool {
        self.activates(literals, argument) && !self.activates(literals, (0, argument.1))
    }

    /// Generalised specificity, over all sets of derivable literals.
    fn is_more_specific(&self, one: Argument, other: Argument) -> bool {
        let sets = || (0..1u32 << LITERALS).filter(|literals| literals & !self.derivable == 0);
        sets().all(|literals| !self.activates_properly(literals, one) || self.activates(literals, other))
            && sets().any(|literals| self.activates_properly(literals, other) && !self.activates(literals, one))
    }

    fn disagree(&self, one: usize, other: usize) -> bool {
        is_contradictory(self.closure(0, 1 << one | 1 << other, true))
    }

    /// `proper`, `blocking` or no defeater.
    fn defeats(&self, one: Argument, other: Argument) -> Option<&'static str> {
        let mut kind = None;
        for &part in self.arguments.iter().filter(|part| part.0 & other.0 == part.0) {
            if !self.disagree(one.1, part.1) {
                continue;
            }
            if self.is_more_specific(one, part) {
                return Some("proper");
            }
            if !self.is_more_specific(part, one) {
                kind = Some("blocking");
            }
        }
        kind
    }

    fn is_concordant(&self, line: &[Argument]) -> bool {
        let side = |first: usize| line.iter().skip(first).step_by(2).fold(0, |all, (set, _)| all | set);
        (0..2).all(|first| !is_contradictory(self.closure(side(first), 0, true)))
    }

    /// The tree in one line, as `common::line` writes it, and whether its root is undefeated.
    fn tree(&self, line: &mut Vec<Argument>, kind: &str, nodes: &mut usize) -> (String, bool) {
        *nodes += 1;
        let (set, conclusion) = line[line.len() - 1];
        let mut children = Vec::new();
        let mut undefeated = true;
        for &next in &self.arguments {
            let Some(attack) = self.defeats(next, (set, conclusion)) else {
                continue;
            };
            let repeats = line.iter().any(|earlier| next.0 & earlier.0 == next.0);
            if repeats || (kind == "blocking" && attack == "blocking") {
                continue;
            }
            line.push(next);
            if self.is_concordant(line) {
                let (text, wins) = self.tree(line, attack, nodes);
                undefeated &= !wins;
                children.push(text);
            }
            line.pop();
        }
        children.sort();
        let mut rules: Vec<&str> = (0..self.defeasible.len())
            .filter(|number| set >> number & 1 == 1)
            .map(|number| self.defeasible[number].text.as_str())
            .collect();
        rules.sort_unstable();
        let mark = if undefeated { "U" } else { "D" };
        let text = format!(
            "<{} {{{}}} {kind} {mark} [{}]>",
            name(conclusion),
            rules.join("; "),
            children.join(" ")
        );
        (text, undefeated)
    }

    fn answer(&self, query: usize, nodes: &mut usize) -> (Verdict, Vec<String>) {
        let mut trees = Vec::new();
        let mut warranted = [false; 2];
        for &argument in &self.arguments {
            if argument.1 / 2 == query / 2 {
                let (text, wins) = self.tree(&mut vec![argument], "root", nodes);
                trees.push(text);
                warranted[argument.1 % 2] |= wins;
            }
        }
        trees.sort();
        let verdict = match (warranted[query % 2], warranted[1 - query % 2]) {
            (true, _) => Verdict::Yes,
            (_, true) => Verdict::No,
            _ => Verdict::Undecided,
        };
        (verdict, trees)
    }
}

#[test]
fn answers_and_trees_are_those_of_the_definitions() {
    let mut rng = Rng::with_seed(2004);
    let (mut programs, mut nodes, mut deep, mut contradictory) = (0, 0, 0, 0);
    let mut verdicts = [0; 3];
    while programs < 3000 {
        let rules = random_program(&mut rng);
        let text: String = rules.iter().map(|rule| format!("{}.\n", rule.text)).collect();
        let mut program = Program::read(Source::new("random.delp", text.clone()));
        assert!(program.is_valid(), "{text}");
        let reference = Reference::new(&rules);
        let is_refused = program.check_strict(&Budget::default()).expect("no limit").is_some();
        assert_eq!(is_refused, is_contradictory(reference.closure(0, 0, true)), "{text}");
        if is_refused {
            contradictory += 1;
            continue;
        }
        programs += 1;
        for query in (0..LITERALS).step_by(2) {
            let literal = program.read_query(&name(query)).expect("a literal").literal;
            let found = program.answer(&literal, Options::default(), &Budget::default());
            if found.verdict == Verdict::Unknown {
                assert!(!text.contains(&name(query)), "{text}");
                continue;
            }
            let mut own = 0;
            let (verdict, trees) = reference.answer(query, &mut own);
            let mut lines: Vec<String> = found.trees.iter().map(|tree| line(&found, tree)).collect();
            lines.sort();
            assert_eq!(lines, trees, "{text}?- {}", name(query));
            assert_eq!(found.verdict, verdict, "{text}?- {}", name(query));
            nodes += own;
            deep += usize::from(own > 4);
            verdicts[verdict as usize] += 1;
            let decisive = Options {
                decisive: true,
                ..Options::default()
            };
            let short = program.answer(&literal, decisive, &Budget::default());
            assert_eq!(short.verdict, verdict, "{text}");
        }
    }
    // The comparison is worth something only if there was much to compare.
    assert!(
        nodes > 5_000 && deep > 100 && contradictory > 10,
        "{nodes} {deep} {contradictory}"
    );
    assert!(verdicts.iter().all(|&count| count > 100), "{verdicts:?}");
}
