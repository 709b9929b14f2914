//! Answers to queries: yes, no, undecided or unknown, with all arguments and dialectical trees behind them.

use crate::argue::Arguments;
use crate::codes;
use crate::compare::{Argument as Pair, Comparer, Criterion, Preference};
use crate::ground::{Lit, Part, complement, ground};
use crate::meter::{Limit, Meter};
use crate::program::{Literal, Program, Term};
use crate::theory::Theory;
use crate::tree::{Builder, Kind, Mark, Node};
use ludens_budget::Budget;
use ludens_gdl::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The answer to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The literal is warranted.
    Yes,
    /// Its complement is warranted.
    No,
    /// Neither is.
    Undecided,
    /// The literal is not in the language of the program.
    Unknown,
}

impl Verdict {
    /// The answer in one word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Undecided => "undecided",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A rule in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedRule {
    /// The instance as text.
    pub text: String,
    /// Its head.
    pub head: String,
    /// Its conditions.
    pub body: Vec<String>,
    /// Number of the rule in the program.
    pub rule: usize,
    /// Line of the rule in the text, counted from one.
    pub line: usize,
}

/// An argument: a minimal set of defeasible rules that derives a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What it concludes.
    pub conclusion: String,
    /// Its defeasible rules; none if the conclusion follows strictly.
    pub rules: Vec<UsedRule>,
}

/// A node of a dialectical tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// Index of the argument in [`Answer::arguments`].
    pub argument: usize,
    /// Whether it is defeated.
    pub mark: Mark,
    /// How it attacks its parent; `None` at the root.
    pub attack: Option<Attack>,
    /// Its defeaters along acceptable lines.
    pub children: Vec<TreeNode>,
}

/// How an argument attacks another.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Whether it is a proper or a blocking defeater.
    pub kind: Kind,
    /// The conclusion, perhaps an intermediate one, that it attacks.
    pub at: String,
    /// Conditions of its last rule that the attacked part does not have.
    pub besides: Vec<String>,
}

/// An answer with everything behind it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The query as text.
    pub query: String,
    /// The answer.
    pub verdict: Verdict,
    /// All arguments in the trees.
    pub arguments: Vec<Argument>,
    /// The tree of every argument for the query, then of every argument for its complement.
    pub trees: Vec<TreeNode>,
    /// Index of the tree that decides: that of a warranted argument, else the first one.
    pub deciding: Option<usize>,
    /// The limit that was met, if any. A yes or no is right all the same; undecided then means that it was not found out.
    pub limit: Option<Limit>,
    /// Counted steps.
    pub steps: u64,
    /// Instances of rules that were looked at.
    pub instances: usize,
}

/// How to answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How arguments are compared.
    pub criterion: Criterion,
    /// Whether trees leave out what cannot change the answer any more.
    pub decisive: bool,
}

impl Program {
    /// Derives everything from facts and strict rules, and returns a diagnostic if that holds a contradiction. Programs
    /// with a contradiction have no meaning; [`Program::answer`] must not be asked about them.
    pub fn check_strict(&self, budget: &Budget) -> Result<Option<Diagnostic>, Limit> {
        let mut meter = Meter::new(budget);
        let ground = ground(self, &Part::Strict, &mut meter)?;
        let theory = Theory::new(&ground, &mut meter)?;
        let Some(literal) = theory.contradiction() else {
            return Ok(None);
        };
        let text = ground.text(self, literal);
        let message = format!("facts and strict rules derive both `{text}` and `~{text}`");
        let last = |literal| theory.derivation(&ground, literal).last().copied();
        let span = |literal| last(literal).map_or(Span::default(), |at| self.rules[ground.origins[at as usize]].span);
        let mut diagnostic = Diagnostic::new(&codes::CONTRADICTORY, span(complement(literal)), message)
            .label(format!("derives `~{text}`"))
            .help("make one of the rules defeasible (`-<`), or take a fact back");
        if span(literal) != span(complement(literal)) {
            diagnostic = diagnostic.related(span(literal), format!("derives `{text}`"));
        }
        for literal in [literal, complement(literal)] {
            let steps = theory.derivation(&ground, literal).into_iter().map(|number| {
                let line = self.line(ground.origins[number as usize]);
                format!("`{}` (line {line})", ground.instance_text(self, number))
            });
            let steps: Vec<String> = steps.collect();
            let shown = steps.len().saturating_sub(10);
            diagnostic = diagnostic.note(format!(
                "`{}` follows from {}{}",
                ground.text(self, literal),
                if shown > 0 { "…, " } else { "" },
                steps[shown..].join(", ")
            ));
        }
        Ok(Some(diagnostic))
    }

    /// The ground literals that a query with variables stands for: those that some rule concludes, or whose complement
    /// some rule concludes, sorted by text. A query without variables stands for itself.
    pub fn instances_of(&self, query: &Literal, budget: &Budget) -> Result<Vec<Literal>, Limit> {
        if query.is_ground() {
            return Ok(vec![query.clone()]);
        }
        let ground = ground(self, &Part::For(query), &mut Meter::new(budget))?;
        let mut found = BTreeMap::new();
        for instance in &ground.instances {
            let mut literal = ground.literal(instance.head);
            literal.negated = query.negated;
            if matches(query, &literal) {
                found.insert(self.literal_text(&literal, &[]), literal);
            }
        }
        Ok(found.into_values().collect())
    }

    /// Answers a query without variables.
    pub fn answer(&self, query: &Literal, options: Options, budget: &Budget) -> Answer {
        let mut answer = Answer {
            query: self.literal_text(query, &[]),
            verdict: Verdict::Unknown,
            arguments: Vec::new(),
            trees: Vec::new(),
            deciding: None,
            limit: None,
            steps: 0,
            instances: 0,
        };
        if !self.has_in_signature(query) {
            return answer;
        }
        answer.verdict = Verdict::Undecided;
        let mut meter = Meter::new(budget);
        let outcome = self.argue(query, options, &mut answer, &mut meter);
        answer.limit = outcome.err().or(answer.limit);
        answer.steps = meter.steps;
        answer
    }

    fn argue(&self, query: &Literal, options: Options, answer: &mut Answer, meter: &mut Meter) -> Result<(), Limit> {
        let ground = ground(self, &Part::For(query), meter)?;
        answer.instances = ground.instances.len();
        let Some(literal) = ground.find(query) else {
            return Ok(());
        };
        let mut arguments = Arguments::new(ground, meter)?;
        let comparer = Comparer::new(options.criterion, &self.priorities);
        let mut builder = Builder::new(&mut arguments, comparer, meter, options.decisive);
        let mut nodes = builder.trees_of(literal);
        if builder.may_be_decisive() {
            builder.start_again_decisively();
            nodes = builder.trees_of(literal);
        }
        answer.limit = builder.limit;
        let warranted = |side| {
            let wins = |node: &Node| node.argument.1 == side && node.mark == Mark::Undefeated;
            nodes.iter().position(wins)
        };
        let (for_it, against) = (warranted(literal), warranted(complement(literal)));
        answer.verdict = match (for_it, against) {
            (Some(_), _) => Verdict::Yes,
            (None, Some(_)) => Verdict::No,
            (None, None) => Verdict::Undecided,
        };
        answer.deciding = for_it.or(against).or((!nodes.is_empty()).then_some(0));
        let mut shown = Shown::default();
        answer.trees = nodes.iter().map(|node| shown.node(self, &arguments, node)).collect();
        answer.arguments = shown.arguments;
        Ok(())
    }
}

impl Builder<'_> {
    /// The trees of all arguments for a literal, then of those for its complement.
    fn trees_of(&mut self, literal: Lit) -> Vec<Node> {
        let mut nodes = Vec::new();
        for side in [literal, complement(literal)] {
            match self.arguments.supports(side, self.meter) {
                Ok(supports) => nodes.extend(supports.into_iter().map(|set| self.tree((set, side)))),
                Err(limit) => {
                    self.limit.get_or_insert(limit);
                }
            }
        }
        nodes
    }
}

/// Whether a query with variables can become a ground literal.
fn matches(query: &Literal, literal: &Literal) -> bool {
    let mut bound: BTreeMap<u32, Term> = BTreeMap::new();
    query.predicate == literal.predicate
        && query.args.len() == literal.args.len()
        && query
            .args
            .iter()
            .zip(&literal.args)
            .all(|(term, &constant)| match term {
                Term::Constant(_) => *term == constant,
                Term::Variable(number) => *bound.entry(*number).or_insert(constant) == constant,
            })
}

/// Turns numbers into texts, each argument once.
#[derive(Default)]
struct Shown {
    arguments: Vec<Argument>,
    numbers: BTreeMap<Pair, usize>,
}

impl Shown {
    fn node(&mut self, program: &Program, arguments: &Arguments, node: &Node) -> TreeNode {
        let argument = self.argument(program, arguments, node.argument);
        let attack = node.attack.map(|(kind, point)| Attack {
            kind,
            at: arguments.ground.text(program, point.1),
            besides: besides(program, arguments, node.argument, point),
        });
        TreeNode {
            argument,
            mark: node.mark,
            attack,
            children: node
                .children
                .iter()
                .map(|child| self.node(program, arguments, child))
                .collect(),
        }
    }

    fn argument(&mut self, program: &Program, arguments: &Arguments, pair: Pair) -> usize {
        if let Some(&number) = self.numbers.get(&pair) {
            return number;
        }
        let ground = &arguments.ground;
        let rules = arguments.members(pair.0).iter().map(|&number| {
            let instance = &ground.instances[number as usize];
            let origin = ground.origins[number as usize];
            UsedRule {
                text: ground.instance_text(program, number),
                head: ground.text(program, instance.head),
                body: instance.body.iter().map(|&lit| ground.text(program, lit)).collect(),
                rule: origin,
                line: program.line(origin),
            }
        });
        self.arguments.push(Argument {
            conclusion: ground.text(program, pair.1),
            rules: rules.collect(),
        });
        self.numbers.insert(pair, self.arguments.len() - 1);
        self.arguments.len() - 1
    }
}

/// Conditions of the last rules of an argument that those of the attacked part do not have.
fn besides(program: &Program, arguments: &Arguments, one: Pair, other: Pair) -> Vec<String> {
    let ground = &arguments.ground;
    let conditions = |(set, conclusion): Pair| -> BTreeSet<u32> {
        let members = arguments
            .members(set)
            .iter()
            .map(|&number| &ground.instances[number as usize]);
        let last = members.clone().filter(|instance| instance.head == conclusion);
        let chosen: Vec<_> = match last.clone().next() {
            Some(_) => last.collect(),
            // Strict rules lead from the argument to its conclusion.
            None => members.collect(),
        };
        chosen
            .iter()
            .flat_map(|instance| instance.body.iter().copied())
            .collect()
    };
    let theirs = conditions(other);
    let extra = conditions(one)
        .into_iter()
        .filter(|condition| !theirs.contains(condition));
    extra.map(|condition| ground.text(program, condition)).collect()
}

impl Kind {
    /// Whether it is a proper or a blocking defeater, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Proper(_) => "proper",
            Kind::Blocking => "blocking",
        }
    }
}

impl Attack {
    /// Why the attack succeeds, as a phrase.
    pub fn reason(&self) -> String {
        match self.kind {
            Kind::Blocking => "neither is preferred".to_string(),
            Kind::Proper(Preference::Priority) => "its rules have priority".to_string(),
            Kind::Proper(Preference::Specificity) if self.besides.is_empty() => {
                "more specific: more direct".to_string()
            }
            Kind::Proper(Preference::Specificity) => format!("more specific: uses {} too", self.besides.join(", ")),
        }
    }
}

impl Mark {
    /// The mark as a letter: U, D, or ? if a limit was met.
    pub fn letter(self) -> &'static str {
        match self {
            Mark::Undefeated => "U",
            Mark::Defeated => "D",
            Mark::Open => "?",
        }
    }
}
