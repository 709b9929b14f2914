//! Rebuilds the program bottom-up with everything that is known about the propositions below.

use super::constants::{Constants, settled};
use super::inline::Inlined;
use crate::ids::{Proposition, RoleMap};
use crate::order::groups;
use crate::program::{Bodies, Body, Condition, GroundProgram, Signal};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use ludens_datalog::{LimitHit, Meter};
use std::hash::BuildHasher;

/// Fate of a proposition.
#[derive(Clone, Copy, PartialEq)]
enum Now {
    /// Nothing asks for it.
    Gone,
    Constant(bool),
    Same(Condition),
}

/// Fate of a body.
#[derive(Clone, Copy)]
enum NowBody {
    Unknown,
    Never,
    Same(Body),
}

/// Propositions with more instances than this are not searched for instances that follow from each other, but for
/// those that follow from a single condition.
const MANY_INSTANCES: usize = 40;

/// Builds the simplified program.
pub(crate) fn rebuild(
    program: &GroundProgram,
    constants: &Constants,
    inlined: &Inlined,
    meter: &mut Meter,
) -> Result<GroundProgram, LimitHit> {
    let mut builder = Rebuilder {
        program,
        constants,
        inlined,
        now: vec![Now::Gone; program.propositions()],
        bodies: vec![NowBody::Unknown; program.bodies.len()],
        out: Bodies::default(),
        instances: Vec::new(),
        ends: Vec::new(),
        known: HashTable::new(),
        hasher: FixedState::default(),
        work: 0,
    };
    let asked = program.asked_of_state().chain(program.asked_of_moves());
    meter.spend(program.work())?;
    for group in groups(program, asked) {
        let instances = group.members.iter().map(|&member| program.derived(member).len());
        meter.spend(1 + instances.sum::<usize>() as u64)?;
        match group.is_cyclic {
            true => builder.cycle(&group.members),
            false => builder.single(group.members[0]),
        }
        meter.spend(std::mem::take(&mut builder.work))?;
    }
    meter.spend(builder.work)?;
    Ok(builder.finish())
}

struct Rebuilder<'a> {
    program: &'a GroundProgram,
    constants: &'a Constants,
    inlined: &'a Inlined,
    now: Vec<Now>,
    bodies: Vec<NowBody>,
    out: Bodies,
    /// The instances of the new propositions, and where those of each end.
    instances: Vec<Body>,
    ends: Vec<u32>,
    /// New propositions by their instances.
    known: HashTable<Proposition>,
    hasher: FixedState,
    /// Conditions visited and not counted yet.
    work: u64,
}

impl Rebuilder<'_> {
    fn single(&mut self, proposition: Proposition) {
        if self.inlined.moves_away(proposition) {
            return;
        }
        if let Some(value) = self.constants.value(Signal::Derived(proposition)) {
            self.now[proposition.index()] = Now::Constant(value);
            return;
        }
        let instances = self.instances_of(proposition);
        self.now[proposition.index()] = match instances[..] {
            [] => Now::Constant(false),
            [body] => match *self.out.get(body) {
                [] => Now::Constant(true),
                [condition] => Now::Same(condition),
                _ => self.place(instances),
            },
            _ => self.place(instances),
        };
    }

    /// Propositions that depend on each other: they stay, with new numbers.
    fn cycle(&mut self, members: &[Proposition]) {
        let first = self.ends.len() as u32;
        let open: Vec<Proposition> = members
            .iter()
            .copied()
            .filter(|&member| match self.constants.value(Signal::Derived(member)) {
                Some(value) => {
                    self.now[member.index()] = Now::Constant(value);
                    false
                }
                None => true,
            })
            .collect();
        for (number, &member) in open.iter().enumerate() {
            self.now[member.index()] = Now::Same(positive(Proposition(first + number as u32)));
        }
        for &member in &open {
            let instances = self.instances_of(member);
            self.push(&instances);
        }
    }

    /// The simplified instances of a proposition, with those of propositions that move here.
    fn instances_of(&mut self, proposition: Proposition) -> Vec<Body> {
        let mut instances = Vec::new();
        let mut waiting = vec![proposition];
        while let Some(next) = waiting.pop() {
            for &body in self.program.derived(next) {
                if let [condition] = *self.program.bodies.get(body)
                    && let Some(moved) = self.inlined.as_instances(condition)
                {
                    waiting.push(moved);
                    continue;
                }
                match self.body(body) {
                    NowBody::Same(body) => instances.push(body),
                    NowBody::Never | NowBody::Unknown => {}
                }
            }
        }
        instances.sort_unstable();
        instances.dedup();
        self.absorb(&mut instances);
        instances
    }

    fn body(&mut self, body: Body) -> NowBody {
        if let NowBody::Unknown = self.bodies[body.0 as usize] {
            let mut conditions = Vec::new();
            self.work += self.program.bodies.get(body).len() as u64;
            self.bodies[body.0 as usize] = match self.collect(body, &mut conditions) {
                true => {
                    conditions.sort_unstable();
                    conditions.dedup();
                    // The opposite of a condition sorts right after it.
                    match conditions.windows(2).any(|pair| pair[0].signal == pair[1].signal) {
                        true => NowBody::Never,
                        false => NowBody::Same(self.out.intern(&conditions)),
                    }
                }
                false => NowBody::Never,
            };
        }
        self.bodies[body.0 as usize]
    }

    /// Collects the simplified conditions of a body; false if they can never be met.
    fn collect(&self, body: Body, out: &mut Vec<Condition>) -> bool {
        let mut waiting: Vec<Condition> = self.program.bodies.get(body).to_vec();
        while let Some(condition) = waiting.pop() {
            if let Some(moved) = self.inlined.as_conditions(condition) {
                waiting.extend_from_slice(self.program.bodies.get(moved));
                continue;
            }
            let now = match (settled(condition, self.constants), condition.signal) {
                (Some(value), _) => Now::Constant(value != condition.negated),
                (None, Signal::Derived(number)) => self.now[number.index()],
                (None, _) => Now::Same(Condition {
                    negated: false,
                    ..condition
                }),
            };
            match now {
                Now::Constant(value) if value == condition.negated => return false,
                Now::Constant(_) => {}
                // A proposition without a rule never holds.
                Now::Gone if condition.negated => {}
                Now::Gone => return false,
                Now::Same(same) => out.push(Condition {
                    signal: same.signal,
                    negated: same.negated != condition.negated,
                }),
            }
        }
        true
    }

    /// Leaves out instances whose conditions include all of another instance.
    fn absorb(&self, instances: &mut Vec<Body>) {
        if instances.len() < 2 {
            return;
        }
        if instances.iter().any(|&body| self.out.get(body).is_empty()) {
            instances.retain(|&body| self.out.get(body).is_empty());
            return;
        }
        let mut singles: Vec<Condition> = instances
            .iter()
            .filter_map(|&body| match *self.out.get(body) {
                [condition] => Some(condition),
                _ => None,
            })
            .collect();
        singles.sort_unstable();
        let has_single = |conditions: &[Condition]| {
            conditions.len() > 1
                && conditions
                    .iter()
                    .any(|condition| singles.binary_search(condition).is_ok())
        };
        instances.retain(|&body| !has_single(self.out.get(body)));
        if instances.len() > MANY_INSTANCES {
            return;
        }
        let all = instances.clone();
        instances.retain(|&body| {
            let conditions = self.out.get(body);
            !all.iter()
                .any(|&other| other != body && includes(conditions, self.out.get(other)))
        });
    }

    fn place(&mut self, instances: Vec<Body>) -> Now {
        let hash = self.hasher.hash_one(&instances[..]);
        let of = |number: Proposition| slice(&self.instances, &self.ends, number);
        if let Some(&known) = self.known.find(hash, |&number| of(number) == &instances[..]) {
            return Now::Same(positive(known));
        }
        let number = self.push(&instances);
        let (all, ends, hasher) = (&self.instances, &self.ends, &self.hasher);
        self.known
            .insert_unique(hash, number, |&other| hasher.hash_one(slice(all, ends, other)));
        Now::Same(positive(number))
    }

    fn push(&mut self, instances: &[Body]) -> Proposition {
        self.instances.extend_from_slice(instances);
        self.ends.push(self.instances.len() as u32);
        Proposition(self.ends.len() as u32 - 1)
    }

    fn finish(mut self) -> GroundProgram {
        let program = self.program;
        let mut output = |proposition: Proposition| match self.now[proposition.index()] {
            Now::Same(Condition {
                signal: Signal::Derived(number),
                negated: false,
            }) => number,
            now => {
                // An output that is a constant or an input has a proposition of its own again.
                let bodies = match now {
                    Now::Constant(true) => vec![self.out.intern(&[])],
                    Now::Constant(false) | Now::Gone => Vec::new(),
                    Now::Same(condition) => vec![self.out.intern(&[condition])],
                };
                self.instances.extend(bodies);
                self.ends.push(self.instances.len() as u32);
                let number = Proposition(self.ends.len() as u32 - 1);
                self.now[proposition.index()] = Now::Same(positive(number));
                number
            }
        };
        let mut out = GroundProgram::default();
        out.names = program.names.clone();
        out.initial.clone_from(&program.initial);
        out.terminal = program.terminal.map(&mut output);
        out.legal = renumbered(&program.legal, &mut output);
        out.goals = renumbered(&program.goals, &mut output);
        out.percepts = renumbered(&program.percepts, &mut output);
        let next = program.next.iter();
        out.next = next.map(|&(fluent, number)| (fluent, output(number))).collect();
        out.bodies = self.out;
        out.set_sorted_instances(self.ends, self.instances);
        out
    }
}

fn renumbered<Item: Clone>(
    lists: &RoleMap<Vec<(Item, Proposition)>>,
    output: &mut impl FnMut(Proposition) -> Proposition,
) -> RoleMap<Vec<(Item, Proposition)>> {
    let lists = lists.values();
    lists
        .map(|list| {
            list.iter()
                .map(|(item, number)| (item.clone(), output(*number)))
                .collect()
        })
        .collect()
}

fn positive(number: Proposition) -> Condition {
    Condition {
        signal: Signal::Derived(number),
        negated: false,
    }
}

fn slice<'a>(instances: &'a [Body], ends: &[u32], number: Proposition) -> &'a [Body] {
    let start = match number.index() {
        0 => 0,
        index => ends[index - 1],
    };
    &instances[start as usize..ends[number.index()] as usize]
}

/// Whether sorted conditions include all of some others.
fn includes(conditions: &[Condition], others: &[Condition]) -> bool {
    others.len() <= conditions.len() && others.iter().all(|other| conditions.binary_search(other).is_ok())
}
