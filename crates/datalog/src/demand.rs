//! Deriving on demand: for relations that are too large to be derived as a whole.
//!
//! Some helper relations hold for millions of tuples although the game only ever asks about a few, say whether *this*
//! square is threatened after *this* move. Such a relation `q` is replaced, for each way it is called, by a copy that
//! derives only what is asked for: a *question* relation collects the known arguments of the calls, and every rule of
//! the copy starts with a question (the "magic sets" of deductive databases). The result is an ordinary rule set with
//! the same answers.
//!
//! Copies are kept apart by the stratum of the caller, so that questions of a later stratum do not make an earlier one
//! depend on it. Questions are asked without regard to negated conditions: that asks a little more than needed, and
//! keeps questions from closing a cycle through negation.

use crate::meter::{LimitHit, Meter, rule_bytes};
use crate::order::{Readers, Waiting};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Strata, Term};
use ludens_gdl::{Relation, Symbol, Symbols};

/// A way of calling a relation: which arguments are known, and from which stratum.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Call {
    relation: Relation,
    known: Vec<bool>,
    stratum: usize,
}

/// The relations that stand for a call.
#[derive(Clone, Copy)]
struct Copy {
    answer: Symbol,
    question: Symbol,
}

/// Rules in which some relations are derived on demand.
pub struct OnDemand {
    /// The rewritten rules.
    pub rules: NormalRules,
    /// The question relations.
    pub questions: Vec<Relation>,
    /// Relations called without any known argument, each with its caller: there the whole relation is needed.
    whole: Vec<(Relation, Relation)>,
    /// Memory that was taken for the rules.
    pub bytes: usize,
}

/// The relations to derive on demand, found by trial.
pub struct Demand {
    /// Relations that rules define and that are not asked for themselves: those that can be derived on demand.
    helpers: HashSet<Relation, RandomState>,
    large: HashSet<Relation, RandomState>,
    /// Large relations for which nothing more can be done.
    accepted: HashSet<Relation, RandomState>,
}

impl Demand {
    /// Starts with every relation derived as a whole.
    pub fn new(rules: &NormalRules, asked: &[Relation]) -> Demand {
        let rules = rules.rules.iter().filter(|rule| !rule.body.is_empty());
        Demand {
            helpers: rules
                .map(|rule| rule.head.relation())
                .filter(|relation| !asked.contains(relation) && relation.arity > 0)
                .collect(),
            large: HashSet::default(),
            accepted: HashSet::default(),
        }
    }

    /// Whether to report the relation when it is large.
    pub fn is_watched(&self, relation: Relation) -> bool {
        self.helpers.contains(&relation) && !self.accepted.contains(&relation)
    }

    /// The rules with large relations derived on demand.
    pub fn rewrite(&self, rules: &NormalRules, strata: &Strata, meter: &mut Meter) -> Result<OnDemand, LimitHit> {
        on_demand(rules, strata, &self.large, meter)
    }

    /// Takes note of a large relation. One that is on demand already is still needed as a whole by some callers: these
    /// are derived on demand too, or else the relation is accepted as it is.
    pub fn note_large(&mut self, relation: Relation, rewritten: &OnDemand) {
        let mut changed = self.large.insert(relation);
        if !changed {
            let callers = rewritten.whole.iter().filter(|(called, _)| *called == relation);
            for (_, caller) in callers.filter(|(_, caller)| self.helpers.contains(caller)) {
                changed |= self.large.insert(*caller);
            }
        }
        if !changed {
            self.accepted.insert(relation);
        }
    }
}

fn on_demand(
    rules: &NormalRules,
    strata: &Strata,
    large: &HashSet<Relation, RandomState>,
    meter: &mut Meter,
) -> Result<OnDemand, LimitHit> {
    meter.look()?;
    let mut stratum_of = vec![0; rules.rules.len()];
    for (number, stratum) in strata.list.iter().enumerate() {
        for &rule in &stratum.rules {
            stratum_of[rule] = number;
        }
    }
    let mut defining: HashMap<Relation, Vec<usize>, RandomState> = HashMap::default();
    for (number, rule) in rules.rules.iter().enumerate() {
        if large.contains(&rule.head.relation()) {
            defining.entry(rule.head.relation()).or_default().push(number);
        }
    }
    let mut rewriter = Rewriter {
        original: rules,
        defining,
        meter,
        bytes: 0,
        symbols: rules.symbols.clone(),
        large,
        copies: HashMap::default(),
        waiting: Vec::new(),
        facts: HashMap::default(),
        out: Vec::new(),
        whole: Vec::new(),
        questions: Vec::new(),
    };
    for (number, rule) in rules.rules.iter().enumerate() {
        rewriter.rule(rule, None, stratum_of[number])?;
    }
    while let Some((call, copy)) = rewriter.waiting.pop() {
        rewriter.define(&call, copy)?;
    }
    Ok(OnDemand {
        bytes: rewriter.bytes,
        rules: NormalRules {
            symbols: rewriter.symbols,
            rules: rewriter.out,
            left_out: rules.left_out.clone(),
        },
        questions: rewriter.questions,
        whole: rewriter.whole,
    })
}

struct Rewriter<'a> {
    original: &'a NormalRules,
    /// The rules of each large relation.
    defining: HashMap<Relation, Vec<usize>, RandomState>,
    meter: &'a mut Meter,
    bytes: usize,
    symbols: Symbols,
    large: &'a HashSet<Relation, RandomState>,
    copies: HashMap<Call, Copy, RandomState>,
    /// Copies that are called but not defined yet.
    waiting: Vec<(Call, Copy)>,
    /// The facts of a large relation, under a name of their own.
    facts: HashMap<Relation, Option<Symbol>, RandomState>,
    out: Vec<NormalRule>,
    whole: Vec<(Relation, Relation)>,
    questions: Vec<Relation>,
}

impl<'a> Rewriter<'a> {
    /// Rewrites the calls in a rule; `copy` is the call and copy that the rule shall define, if any.
    fn rule(&mut self, rule: &NormalRule, copy: Option<(&Call, Copy)>, stratum: usize) -> Result<(), LimitHit> {
        self.meter.spend(1 + rule.body.len() as u64)?;
        let mut head = rule.head.clone();
        let mut body: Vec<Literal> = Vec::new();
        let mut bound = vec![false; rule.variables as usize];
        if let Some((call, copy)) = copy {
            let question = question(&rule.head, call, copy);
            question.variables(&mut |variable| bound[variable as usize] = true);
            body.push(Literal::Positive(question));
            head.name = copy.answer;
        }
        let is_positive = |literal: &Literal| matches!(literal, Literal::Positive(_));
        let positive = rule.body.iter().enumerate().filter(|(_, literal)| is_positive(literal));
        let readers = Readers::new(rule.variables, positive);
        let costs = rule
            .body
            .iter()
            .map(|literal| is_positive(literal).then(|| rank(literal, &bound, self.large)))
            .collect();
        let mut waiting = Waiting::new(&readers, bound, costs);
        while let Some(next) = waiting.cheapest() {
            let literal = &rule.body[next];
            let rewritten = self.call(rule, literal, waiting.bound(), &body, stratum)?;
            waiting.take(next, literal, |other, bound| rank(&rule.body[other], bound, self.large));
            body.push(rewritten);
        }
        // Tests remain; they come last, when everything that can be known is.
        for literal in rule.body.iter().filter(|literal| !is_positive(literal)) {
            let rewritten = self.call(rule, literal, waiting.bound(), &body, stratum)?;
            body.push(rewritten);
        }
        self.push(NormalRule {
            head,
            body,
            variables: rule.variables,
            source: rule.source,
        })
    }

    fn push(&mut self, rule: NormalRule) -> Result<(), LimitHit> {
        let bytes = rule_bytes(&rule.head, &rule.body);
        self.meter.take(bytes)?;
        self.bytes += bytes;
        self.out.push(rule);
        Ok(())
    }

    /// A literal with its relation replaced by a copy, if it is large; adds the rule that asks the question.
    fn call(
        &mut self,
        rule: &NormalRule,
        literal: &Literal,
        bound: &[bool],
        before: &[Literal],
        stratum: usize,
    ) -> Result<Literal, LimitHit> {
        let Some((atom, negative)) = literal.atom().filter(|(atom, _)| self.large.contains(&atom.relation())) else {
            return Ok(literal.clone());
        };
        let known: Vec<bool> = atom.args.iter().map(|arg| is_known(arg, bound)).collect();
        if !known.contains(&true) {
            self.whole.push((atom.relation(), rule.head.relation()));
            return Ok(literal.clone());
        }
        let call = Call {
            relation: atom.relation(),
            known,
            stratum,
        };
        let copy = self.copy(&call);
        self.meter.spend(1 + before.len() as u64)?;
        self.push(NormalRule {
            head: question(atom, &call, copy),
            body: before
                .iter()
                .filter(|literal| !matches!(literal, Literal::Negative(_)))
                .cloned()
                .collect(),
            variables: rule.variables,
            source: rule.source,
        })?;
        let atom = Atom {
            name: copy.answer,
            args: atom.args.clone(),
        };
        Ok(match negative {
            true => Literal::Negative(atom),
            false => Literal::Positive(atom),
        })
    }

    fn copy(&mut self, call: &Call) -> Copy {
        if let Some(&copy) = self.copies.get(call) {
            return copy;
        }
        let name = self.symbols.name(call.relation.name).to_string();
        let copy = Copy {
            answer: self.symbols.fresh(&name),
            question: self.symbols.fresh(&format!("{name}?")),
        };
        let arity = call.known.iter().filter(|known| **known).count();
        self.questions.push(Relation::new(copy.question, arity));
        self.copies.insert(call.clone(), copy);
        self.waiting.push((call.clone(), copy));
        copy
    }

    /// Adds the rules of a copy.
    fn define(&mut self, call: &Call, copy: Copy) -> Result<(), LimitHit> {
        for rule in self.defining(call.relation) {
            if !rule.body.is_empty() {
                self.rule(rule, Some((call, copy)), call.stratum)?;
            }
        }
        let Some(facts) = self.facts_of(call.relation)? else {
            return Ok(());
        };
        let args: Vec<Term> = (0..call.relation.arity as u32).map(Term::Variable).collect();
        let atom = |name: Symbol| Atom {
            name,
            args: args.clone(),
        };
        self.push(NormalRule {
            head: atom(copy.answer),
            body: vec![
                Literal::Positive(question(&atom(facts), call, copy)),
                Literal::Positive(atom(facts)),
            ],
            variables: call.relation.arity as u32,
            source: 0,
        })
    }

    /// The rules of a large relation.
    fn defining(&self, relation: Relation) -> Vec<&'a NormalRule> {
        let rules = &self.original.rules;
        let numbers = self.defining.get(&relation).into_iter().flatten();
        numbers.map(|&number| &rules[number]).collect()
    }

    /// The facts of a relation under a name of their own; `None` if it has none.
    fn facts_of(&mut self, relation: Relation) -> Result<Option<Symbol>, LimitHit> {
        if let Some(&known) = self.facts.get(&relation) {
            return Ok(known);
        }
        let mut facts = self.defining(relation);
        facts.retain(|rule| rule.body.is_empty());
        let name = (!facts.is_empty()).then(|| {
            let text = self.symbols.name(relation.name).to_string();
            self.symbols.fresh(&text)
        });
        if let Some(name) = name {
            for fact in facts {
                let mut fact = fact.clone();
                fact.head.name = name;
                self.push(fact)?;
            }
        }
        self.facts.insert(relation, name);
        Ok(name)
    }
}

/// Rank of a positive literal, lowest first: literals come early that are connected to known variables, add few
/// unknown ones, and are restricted by many known ones.
fn rank(literal: &Literal, bound: &[bool], large: &HashSet<Relation, RandomState>) -> (u8, usize, usize) {
    let (mut known, mut unknown) = (0, 0);
    literal.variables(&mut |variable| match bound[variable as usize] {
        true => known += 1,
        false => unknown += 1,
    });
    let is_large = literal.atom().is_some_and(|(atom, _)| large.contains(&atom.relation()));
    let class = match (unknown == 0, known > 0, is_large) {
        (true, _, _) => 0,
        (false, true, _) => 1,
        (false, false, false) => 2,
        (false, false, true) => 3,
    };
    (class, unknown, usize::MAX - known)
}

/// The question of a call: its known arguments.
fn question(atom: &Atom, call: &Call, copy: Copy) -> Atom {
    let known = atom.args.iter().zip(&call.known).filter(|(_, known)| **known);
    Atom {
        name: copy.question,
        args: known.map(|(arg, _)| arg.clone()).collect(),
    }
}

fn is_known(term: &Term, bound: &[bool]) -> bool {
    let mut known = true;
    term.variables(&mut |variable| known &= bound[variable as usize]);
    known
}
