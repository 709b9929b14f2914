//! Dialectical trees: an argument, its defeaters, their defeaters, along all acceptable lines.
//!
//! A line is acceptable if the arguments in support of the root do not contradict each other, nor do those against it;
//! if no argument is part of an earlier one; and if a blocking defeater is followed by proper defeaters only. A node is
//! defeated if one of its children is not. Where a limit cut a tree short, marks that depend on the missing part are
//! left open, so that a mark that is given is right.

use crate::argue::Arguments;
use crate::compare::{Argument, Comparer, Comparison, Preference};
use crate::ground::Lit;
use crate::meter::{Limit, Meter, Phase};
use ludens_budget::StopReason;
use std::collections::HashMap;
use std::rc::Rc;

/// The status of an argument in a dialectical tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Every defeater is defeated.
    Undefeated,
    /// Some defeater is undefeated.
    Defeated,
    /// A limit was met before it was decided.
    Open,
}

/// How a defeater relates to what it attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is better than the argument that it attacks.
    Proper(Preference),
    /// Neither is better.
    Blocking,
}

/// A defeater of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defeater {
    pub(crate) argument: Argument,
    pub(crate) kind: Kind,
    /// The part of the argument that is attacked, and its conclusion.
    pub(crate) point: Argument,
}

/// A node of a dialectical tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) argument: Argument,
    /// How it attacks its parent; `None` at the root.
    pub(crate) attack: Option<(Kind, Argument)>,
    pub(crate) children: Vec<Node>,
    pub(crate) mark: Mark,
}

/// Longest argumentation line.
pub const LONGEST_LINE: usize = 100;

/// Nodes of all trees of an answer.
pub const MOST_NODES: usize = 20_000;

/// Builds trees and remembers defeaters.
pub(crate) struct Builder<'a> {
    pub(crate) arguments: &'a mut Arguments,
    pub(crate) comparer: Comparer,
    defeaters: HashMap<u32, Rc<Vec<Defeater>>>,
    pub(crate) meter: &'a mut Meter,
    /// The first limit that was met.
    pub(crate) limit: Option<Limit>,
    /// Whether to leave out siblings of a defeater that is undefeated.
    decisive: bool,
    nodes: usize,
}

/// The argumentation line from the root to a node.
struct Line {
    arguments: Vec<Argument>,
    /// The union of the arguments at even places, and of those at odd ones.
    sides: [u32; 2],
    /// Whether the last one is a blocking defeater.
    blocking: bool,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        arguments: &'a mut Arguments,
        comparer: Comparer,
        meter: &'a mut Meter,
        decisive: bool,
    ) -> Builder<'a> {
        meter.phase = Phase::Trees;
        Builder {
            arguments,
            comparer,
            defeaters: HashMap::new(),
            meter,
            limit: None,
            decisive,
            nodes: 0,
        }
    }

    /// Leaves out from now on what cannot change the answer, and forgets the limit that was met.
    pub(crate) fn start_again_decisively(&mut self) {
        self.decisive = true;
        self.limit = None;
        self.nodes = 0;
    }

    /// Whether leaving out what cannot change the answer may help.
    pub(crate) fn may_be_decisive(&self) -> bool {
        let is_size = |limit: Limit| limit == too_large(MOST_NODES) || limit == too_large(LONGEST_LINE);
        !self.decisive && self.limit.is_some_and(is_size)
    }

    /// The tree of an argument.
    pub(crate) fn tree(&mut self, root: Argument) -> Node {
        let line = Line {
            arguments: vec![root],
            sides: [root.0, 0],
            blocking: false,
        };
        self.node(None, &line)
    }

    fn node(&mut self, attack: Option<(Kind, Argument)>, line: &Line) -> Node {
        let argument = line.arguments[line.arguments.len() - 1];
        let mut node = Node {
            argument,
            attack,
            children: Vec::new(),
            mark: Mark::Open,
        };
        match self.expand(&mut node, line) {
            Ok(complete) => {
                let has = |mark: Mark| node.children.iter().any(|child| child.mark == mark);
                node.mark = match () {
                    () if has(Mark::Undefeated) => Mark::Defeated,
                    () if has(Mark::Open) || !complete => Mark::Open,
                    () => Mark::Undefeated,
                };
            }
            Err(limit) => {
                self.limit.get_or_insert(limit);
                let defeated = node.children.iter().any(|child| child.mark == Mark::Undefeated);
                node.mark = if defeated { Mark::Defeated } else { Mark::Open };
            }
        }
        node
    }

    /// Adds the children of a node; returns whether none is missing that may matter.
    fn expand(&mut self, node: &mut Node, line: &Line) -> Result<bool, Limit> {
        self.meter.step(1)?;
        self.meter.keep(1)?;
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(too_large(MOST_NODES));
        }
        let defeaters = self.defeaters_of(node.argument.0)?;
        for defeater in defeaters.iter() {
            let Some(next) = self.continued(line, defeater)? else {
                continue;
            };
            if next.arguments.len() > LONGEST_LINE {
                return Err(too_large(LONGEST_LINE));
            }
            let child = self.node(Some((defeater.kind, defeater.point)), &next);
            let is_decisive = child.mark == Mark::Undefeated && self.decisive;
            node.children.push(child);
            if is_decisive {
                break;
            }
        }
        Ok(true)
    }

    /// The line with one more argument, if it stays acceptable.
    fn continued(&mut self, line: &Line, defeater: &Defeater) -> Result<Option<Line>, Limit> {
        let (set, _) = defeater.argument;
        let blocking = defeater.kind == Kind::Blocking;
        self.meter.step(line.arguments.len())?;
        let is_repeated = |&(earlier, _): &Argument| self.arguments.is_part(set, earlier);
        if (line.blocking && blocking) || line.arguments.iter().any(is_repeated) {
            return Ok(None);
        }
        let side = line.arguments.len() % 2;
        let joined = self.arguments.join(line.sides[side], set, self.meter)?;
        if !self.arguments.is_consistent(joined, self.meter)? {
            return Ok(None);
        }
        let mut next = Line {
            arguments: line.arguments.clone(),
            sides: line.sides,
            blocking,
        };
        next.arguments.push(defeater.argument);
        next.sides[side] = joined;
        Ok(Some(next))
    }

    /// All defeaters of an argument with this set of rules, each with its strongest attack.
    fn defeaters_of(&mut self, set: u32) -> Result<Rc<Vec<Defeater>>, Limit> {
        if let Some(known) = self.defeaters.get(&set) {
            return Ok(known.clone());
        }
        let mut found: Vec<Defeater> = Vec::new();
        for attacked in self.arguments.conclusions(set, self.meter)? {
            self.attacks_at(set, attacked, &mut found)?;
        }
        let found = Rc::new(found);
        self.defeaters.insert(set, found.clone());
        Ok(found)
    }

    fn attacks_at(&mut self, set: u32, attacked: Lit, found: &mut Vec<Defeater>) -> Result<(), Limit> {
        let parts: Vec<u32> = self
            .arguments
            .supports(attacked, self.meter)?
            .into_iter()
            .filter(|&part| self.arguments.is_part(part, set))
            .collect();
        let against = {
            let Arguments { ground, theory, .. } = &mut *self.arguments;
            theory.disagreements(ground, attacked, self.meter)?
        };
        for literal in against {
            for attacker in self.arguments.supports(literal, self.meter)? {
                for &part in &parts {
                    let (argument, point) = ((attacker, literal), (part, attacked));
                    let result = self.comparer.compare(self.arguments, argument, point, self.meter)?;
                    let kind = match result {
                        Comparison::Better(preference) => Kind::Proper(preference),
                        Comparison::Unrelated => Kind::Blocking,
                        Comparison::Worse => continue,
                    };
                    note(found, Defeater { argument, kind, point });
                }
            }
        }
        Ok(())
    }
}

/// A bound on the size of trees was met.
fn too_large(bound: usize) -> Limit {
    Limit {
        reason: StopReason::Nodes,
        phase: Phase::Trees,
        bound: Some(bound as u64),
    }
}

/// Adds a defeater, or replaces its blocking attack by a proper one.
fn note(found: &mut Vec<Defeater>, defeater: Defeater) {
    match found.iter_mut().find(|other| other.argument == defeater.argument) {
        None => found.push(defeater),
        Some(other) if other.kind == Kind::Blocking && defeater.kind != Kind::Blocking => *other = defeater,
        Some(_) => {}
    }
}
