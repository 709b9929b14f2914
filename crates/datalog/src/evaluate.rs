//! Bottom-up evaluation: applies plans to tables until nothing new follows.
//!
//! Facts live in three layers by the phase in which they are settled; the fixed layer is shared between machines. A
//! recursive group is evaluated semi-naively: after a first round, each further round joins the rows of the round
//! before with everything.

use crate::meter::{LimitHit, Meter};
use crate::plan::{Plan, RelationId, Step};
use crate::program::{Overflow, Phase, Program, Query};
use crate::table::Table;
use crate::term::{TermId, TermPool};
use std::ops::ControlFlow;

mod matching;

/// The layers above the fixed one.
const LAYERS: usize = 2;

fn layer(phase: Phase) -> usize {
    match phase {
        Phase::Fixed | Phase::State => 0,
        Phase::Move => 1,
    }
}

/// Facts and what follows from them.
pub struct Evaluator {
    /// The terms of the facts.
    pub pool: TermPool,
    tables: [Vec<Table>; LAYERS],
    /// For each group whether it is complete.
    done: Vec<bool>,
    facts: usize,
    fault: Option<String>,
    /// A relation that turned out to be large.
    large: Option<RelationId>,
    meter: Meter,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    slots: Vec<TermId>,
    cursors: Vec<Cursor>,
    row: Vec<TermId>,
    build: Vec<TermId>,
}

/// Position of a step in its enumeration.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// 0: the fixed layer; then the others.
    layer: usize,
    row: u32,
    end: u32,
}

/// Rows of the round before, by relation: those from `from` to `to` in the layer of the group.
struct Round {
    layer: usize,
    from: Vec<(RelationId, u32, u32)>,
}

impl Evaluator {
    /// Creates an evaluator with the fixed facts alone, within the limits of play.
    pub fn new(program: &Program, pool: TermPool) -> Evaluator {
        Evaluator::within(program, pool, Meter::for_play(&program.limits))
    }

    /// Creates an evaluator with the fixed facts alone, within the limits of a meter.
    pub fn within(program: &Program, pool: TermPool, meter: Meter) -> Evaluator {
        let tables = || {
            program
                .widths
                .iter()
                .zip(&program.shapes)
                .map(|(&width, shapes)| Table::new(width, shapes))
                .collect()
        };
        Evaluator {
            pool,
            tables: [tables(), tables()],
            done: vec![false; program.groups.len()],
            facts: 0,
            fault: None,
            large: None,
            meter,
            scratch: Scratch::default(),
        }
    }

    /// Cost of the work so far.
    pub fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    /// Records that a limit was hit, unless one was before. Derivation stops.
    pub fn fail(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// The same while a rule was applied.
    fn hit(&mut self, program: &Program, plan: &Plan, hit: &LimitHit) {
        let fault = match hit {
            LimitHit::Time | LimitHit::Steps | LimitHit::StateTime => hit.to_string(),
            _ => format!("{hit}; this was seen while deriving {}", program.describe(plan)),
        };
        self.fail(fault);
    }

    /// The limit that was hit, if any.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether everything could be derived so far.
    pub fn check(&self, program: &Program) -> Result<(), Overflow> {
        match (&self.large, &self.fault) {
            (Some(relation), _) => Err(Overflow::Large(program.relations[relation.index()])),
            (None, Some(fault)) => Err(Overflow::Limit(fault.clone())),
            (None, None) => Ok(()),
        }
    }

    /// The facts derived so far, as the fixed layer of a program.
    pub(crate) fn into_fixed(self) -> (Vec<Table>, TermPool, Meter) {
        let [tables, _] = self.tables;
        (tables, self.pool, self.meter)
    }

    /// Ends the work and returns its meter.
    pub fn into_meter(self) -> Meter {
        self.meter
    }

    /// Forgets the state and the moves.
    pub fn forget_state(&mut self, program: &Program) {
        self.facts = 0;
        self.meter.restart();
        self.forget_layer(program, Phase::State);
        self.forget_moves(program);
    }

    /// Forgets the moves and everything derived from them.
    pub fn forget_moves(&mut self, program: &Program) {
        self.forget_layer(program, Phase::Move);
    }

    fn forget_layer(&mut self, program: &Program, phase: Phase) {
        self.tables[layer(phase)].iter_mut().for_each(Table::clear);
        for (done, group) in self.done.iter_mut().zip(&program.groups) {
            *done &= group.phase != phase;
        }
    }

    /// States a fact.
    pub fn assert(&mut self, relation: RelationId, row: &[TermId], phase: Phase) {
        let table = &mut self.tables[layer(phase)][relation.index()];
        match table.make_room(&mut self.meter) {
            Ok(()) => {
                table.insert(row);
            }
            Err(hit) => self.fail(hit.to_string()),
        }
    }

    /// Derives what a query needs, unless it is there already.
    pub fn derive_all(&mut self, program: &Program, query: &Query) {
        for &group in &query.groups {
            self.derive(program, group);
        }
    }

    pub(crate) fn derive(&mut self, program: &Program, number: usize) {
        let group = &program.groups[number];
        if self.fault.is_some() || std::mem::replace(&mut self.done[number], true) {
            return;
        }
        let layer = layer(group.phase);
        let heads = heads(&group.plans);
        let mut before = self.sizes(layer, &heads);
        let nothing_new = Round {
            layer,
            from: Vec::new(),
        };
        for plan in &group.plans {
            self.apply(program, plan, layer, &nothing_new);
            if self.fault.is_some() {
                return;
            }
        }
        if group.again.is_empty() {
            return;
        }
        loop {
            let after = self.sizes(layer, &heads);
            if before == after || self.fault.is_some() {
                return;
            }
            let round = Round {
                layer,
                from: heads
                    .iter()
                    .zip(before.iter().zip(&after))
                    .map(|(&head, (&from, &to))| (head, from, to))
                    .collect(),
            };
            for plan in &group.again {
                self.apply(program, plan, layer, &round);
                if self.fault.is_some() {
                    return;
                }
            }
            before = after;
        }
    }

    fn sizes(&self, layer: usize, heads: &[RelationId]) -> Vec<u32> {
        heads
            .iter()
            .map(|head| self.tables[layer][head.index()].len() as u32)
            .collect()
    }

    /// Number of facts about a relation that depend on the state or the moves.
    pub fn changing_rows(&self, relation: usize) -> usize {
        self.tables.iter().map(|tables| tables[relation].len()).sum()
    }

    /// All rows of a relation.
    pub fn rows<'a>(&'a self, program: &'a Program, relation: RelationId) -> impl Iterator<Item = &'a [TermId]> {
        let index = relation.index();
        program.fixed[index]
            .rows()
            .chain(self.tables[0][index].rows())
            .chain(self.tables[1][index].rows())
    }

    /// Whether a proposition holds.
    pub fn holds(&self, program: &Program, relation: RelationId) -> bool {
        self.contains(program, relation.index(), &[])
    }

    fn contains(&self, program: &Program, relation: usize, row: &[TermId]) -> bool {
        program.fixed[relation].contains(row) || self.tables.iter().any(|tables| tables[relation].contains(row))
    }

    /// Calls `found` with the head of every match of an enumerated rule, over everything that is fixed, until it
    /// breaks off or a limit is hit. The same head may come more than once.
    pub fn enumerate(
        &mut self,
        program: &Program,
        rule: usize,
        found: &mut dyn FnMut(&[TermId]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let nothing_new = Round {
            layer: 0,
            from: Vec::new(),
        };
        let plan = &program.enumerated[rule];
        self.walk(program, plan, &nothing_new, |evaluator, scratch| {
            evaluator.head_row(plan, scratch)?;
            Ok(found(&scratch.row))
        })
    }

    fn apply(&mut self, program: &Program, plan: &Plan, layer: usize, round: &Round) {
        // A fault ends the walk and is asked for by the caller.
        let _ = self.walk(program, plan, round, |evaluator, scratch| {
            evaluator.emit(program, plan, layer, scratch)?;
            Ok(match evaluator.fault.is_some() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        });
    }

    /// Finds all matches of a plan: a depth-first walk over its steps without recursion.
    fn walk(
        &mut self,
        program: &Program,
        plan: &Plan,
        round: &Round,
        found_all: impl FnMut(&mut Self, &mut Scratch) -> Result<ControlFlow<()>, LimitHit>,
    ) -> ControlFlow<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let flow = self.walk_within(program, plan, round, &mut scratch, found_all);
        self.scratch = scratch;
        flow.unwrap_or_else(|hit| {
            self.hit(program, plan, &hit);
            ControlFlow::Break(())
        })
    }

    fn walk_within(
        &mut self,
        program: &Program,
        plan: &Plan,
        round: &Round,
        scratch: &mut Scratch,
        mut found_all: impl FnMut(&mut Self, &mut Scratch) -> Result<ControlFlow<()>, LimitHit>,
    ) -> Result<ControlFlow<()>, LimitHit> {
        scratch.slots.clear();
        scratch.slots.resize(plan.slots as usize, TermId(0));
        scratch.cursors.clear();
        scratch.cursors.resize(plan.steps.len(), Cursor::default());
        let last = plan.steps.len();
        let mut at = 0;
        let mut entering = true;
        loop {
            if at == last {
                let flow = found_all(self, scratch)?;
                if plan.repeat == 0 || flow.is_break() {
                    return Ok(flow);
                }
                at = plan.repeat - 1;
                entering = false;
                continue;
            }
            // A join can visit very many rows before it yields a fact, if it ever does.
            self.meter.spend(1)?;
            let found = match (&plan.steps[at], entering) {
                (Step::Each(access), _) => self.next_match(program, access, at, entering, scratch)?,
                (Step::EachNew(access), _) => self.next_new(access, round, at, entering, scratch),
                (_, false) => false,
                (step, true) => self.test(program, step, scratch)?,
            };
            if found {
                at += 1;
                entering = true;
            } else if at == 0 {
                return Ok(ControlFlow::Continue(()));
            } else {
                at -= 1;
                entering = false;
            }
        }
    }

    fn head_row(&mut self, plan: &Plan, scratch: &mut Scratch) -> Result<(), LimitHit> {
        scratch.row.clear();
        for builder in &plan.row {
            let term = self.build(builder, &scratch.slots, &mut scratch.build)?;
            scratch.row.push(term);
        }
        Ok(())
    }

    fn emit(&mut self, program: &Program, plan: &Plan, layer: usize, scratch: &mut Scratch) -> Result<(), LimitHit> {
        self.head_row(plan, scratch)?;
        let head = plan.head.index();
        let known =
            program.fixed[head].contains(&scratch.row) || (layer == 1 && self.tables[0][head].contains(&scratch.row));
        if known {
            return Ok(());
        }
        let table = &mut self.tables[layer][head];
        table.make_room(&mut self.meter)?;
        if !table.insert(&scratch.row) {
            return Ok(());
        }
        self.facts += 1;
        if table.len() > program.large[head] {
            self.large = Some(plan.head);
            self.fault = Some("a relation is large".to_string());
        }
        match self.facts > program.limits.facts {
            true => Err(LimitHit::Facts(program.limits.facts)),
            false => Ok(()),
        }
    }
}

fn heads(plans: &[Plan]) -> Vec<RelationId> {
    let mut heads: Vec<RelationId> = plans.iter().map(|plan| plan.head).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}
