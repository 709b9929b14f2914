//! Verifies ground programs and propositional networks.
//!
//! Everything that later stages rely on without asking is a check here: numbers in range, lists in order, no negation
//! inside a cycle, every gate after its inputs. Debug builds verify after every pass, and the reader of texts verifies
//! what it read.

use crate::ids::{MoveId, Proposition, RoleMap};
use crate::names::Names;
use crate::network::{Block, Lit, Network};
use crate::order::groups;
use crate::program::{Body, Condition, GroundProgram, Signal};
use std::fmt::Display;
use std::ops::Range;

/// Defect of a program or network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Defect {
    /// The defective part.
    pub place: String,
    /// The problem there.
    pub problem: String,
}

type Verdict = Result<(), Defect>;

fn defect(place: impl Display, problem: impl Display) -> Verdict {
    Err(Defect {
        place: place.to_string(),
        problem: problem.to_string(),
    })
}

fn ensure(holds: bool, place: impl Display, problem: impl Display) -> Verdict {
    if holds { Ok(()) } else { defect(place, problem) }
}

/// Checks that a list is in strictly increasing order and below a bound.
fn ensure_ascending(items: impl Iterator<Item = usize>, bound: usize, place: &str) -> Verdict {
    let mut least = 0;
    for (index, item) in items.enumerate() {
        ensure(item < bound, place, format_args!("entry {index} is {item}, of {bound}"))?;
        ensure(
            item >= least,
            place,
            format_args!("entry {index} is out of order or repeated"),
        )?;
        least = item + 1;
    }
    Ok(())
}

fn names(names: &Names) -> Verdict {
    let roles = names.roles.len();
    ensure(
        names.moves.len() == roles,
        "moves",
        format_args!("{} lists for {roles} roles", names.moves.len()),
    )?;
    let moves = names.moves.values().flatten();
    match names.fluents.iter().chain(moves).find(|named| !named.term.is_ground()) {
        Some(named) => defect(&named.text, "the term contains a variable"),
        None => Ok(()),
    }
}

/// Checks the outputs that programs and networks have in common; `in_range` tells whether a target exists.
fn outputs<Target: Copy>(
    moves: &RoleMap<usize>,
    legal: &RoleMap<Vec<(MoveId, Target)>>,
    goals: &RoleMap<Vec<(u8, Target)>>,
    targets: impl Iterator<Item = Target>,
    in_range: impl Fn(Target) -> bool,
) -> Verdict {
    for (what, roles) in [("legal", legal.len()), ("goals", goals.len())] {
        let problem = format_args!("{roles} lists for {} roles", moves.len());
        ensure(roles == moves.len(), what, problem)?;
    }
    for (role, legal) in legal.iter() {
        let place = format!("legal moves of role {}", role.0);
        ensure_ascending(legal.iter().map(|entry| entry.0.index()), moves[role], &place)?;
    }
    for (role, goals) in goals.iter() {
        if let Some((value, _)) = goals.iter().find(|goal| goal.0 > 100) {
            return defect(
                format_args!("goals of role {}", role.0),
                format_args!("{value} is above 100"),
            );
        }
    }
    let mut targets = targets.enumerate();
    match targets.find(|&(_, target)| !in_range(target)) {
        Some((index, _)) => defect("outputs", format_args!("output {index} does not exist")),
        None => Ok(()),
    }
}

/// Checks a ground program.
pub fn program(program: &GroundProgram) -> Verdict {
    names(&program.names)?;
    let fluents = program.names.fluents.len();
    let moves: RoleMap<usize> = program.names.moves.values().map(Vec::len).collect();
    ensure_ascending(
        program.initial.iter().map(|fluent| fluent.index()),
        fluents,
        "initial state",
    )?;
    ensure_ascending(program.next.iter().map(|next| next.0.index()), fluents, "next")?;
    let roles = program.percepts.len();
    ensure(
        roles == moves.len(),
        "percepts",
        format_args!("{roles} lists for {} roles", moves.len()),
    )?;
    for number in 0..program.bodies.len() as u32 {
        conditions(program, &moves, number)?;
    }
    for proposition in Proposition::first(program.propositions()) {
        for body in program.derived(proposition) {
            let exists = (body.0 as usize) < program.bodies.len();
            ensure(
                exists,
                format_args!("p{}", proposition.0),
                format_args!("body {} does not exist", body.0),
            )?;
        }
    }
    let asked = program.asked_of_state().chain(program.asked_of_moves());
    let in_range = |proposition: Proposition| proposition.index() < program.propositions();
    outputs(&moves, &program.legal, &program.goals, asked, in_range)?;
    stratified(program)
}

fn conditions(program: &GroundProgram, moves: &RoleMap<usize>, number: u32) -> Verdict {
    let conditions = program.bodies.get(Body(number));
    for (index, &Condition { signal, .. }) in conditions.iter().enumerate() {
        let exists = match signal {
            Signal::Fluent(fluent) => fluent.index() < program.names.fluents.len(),
            Signal::Move(role, chosen) => moves.get(role).is_some_and(|&moves| chosen.index() < moves),
            Signal::Derived(proposition) => proposition.index() < program.propositions(),
        };
        let place = format_args!("body {number}, condition {index}");
        ensure(exists, place, format_args!("{signal:?} does not exist"))?;
    }
    for pair in conditions.windows(2) {
        let place = format_args!("body {number}");
        ensure(pair[0] < pair[1], place, "the conditions are out of order or repeated")?;
        ensure(pair[0].signal != pair[1].signal, place, "a condition and its negation")?;
    }
    Ok(())
}

/// Checks that nothing depends on its own negation.
fn stratified(program: &GroundProgram) -> Verdict {
    let mut group_of = vec![0u32; program.propositions()];
    let groups = groups(program, Proposition::first(program.propositions()));
    for (number, group) in (1..).zip(groups.iter().filter(|group| group.is_cyclic)) {
        group
            .members
            .iter()
            .for_each(|member| group_of[member.index()] = number);
    }
    for proposition in Proposition::first(program.propositions()).filter(|of| group_of[of.index()] > 0) {
        for condition in program
            .instances_of(proposition)
            .flatten()
            .filter(|condition| condition.negated)
        {
            if let Signal::Derived(other) = condition.signal
                && group_of[other.index()] == group_of[proposition.index()]
            {
                let problem = format_args!("it depends on its own negation, through (not p{})", other.0);
                return defect(format_args!("p{}", proposition.0), problem);
            }
        }
    }
    Ok(())
}

/// Checks a propositional network.
pub fn network(network: &Network) -> Verdict {
    names(&network.names)?;
    let fluents = network.names.fluents.len();
    ensure(
        network.fluents == fluents,
        "fluents",
        format_args!("{}, with {fluents} names", network.fluents),
    )?;
    let moves: RoleMap<usize> = network.names.moves.values().map(Vec::len).collect();
    ensure(
        network.moves == moves,
        "moves",
        "their number is not that of their names",
    )?;
    ensure_ascending(
        network.initial.iter().map(|fluent| fluent.index()),
        fluents,
        "initial state",
    )?;
    ensure_ascending(network.next.iter().map(|next| next.0.index()), fluents, "next")?;
    let roles = network.percepts.len();
    ensure(
        roles == moves.len(),
        "percepts",
        format_args!("{roles} lists for {} roles", moves.len()),
    )?;
    let outs = outputs_of_state(network).chain(network.next.iter().map(|next| next.1));
    let outs = outs.chain(network.percepts.values().flatten().map(|percept| percept.1));
    outputs(&moves, &network.legal, &network.goals, outs, |lit| {
        lit.node() < network.nodes()
    })?;
    let mut check = NetworkCheck {
        network,
        is_ready: vec![false; network.nodes()],
        depends_on_moves: vec![false; network.nodes()],
        gates: 0,
    };
    check.is_ready[..network.first_latch()].fill(true);
    check.depends_on_moves[1 + network.fluents..network.first_latch()].fill(true);
    check.blocks(&network.state_blocks, true)?;
    check.blocks(&network.move_blocks, false)?;
    let gates = network.gates.len();
    ensure(
        check.gates == gates,
        "blocks",
        format_args!("they compute {} of {gates} gates", check.gates),
    )?;
    match outputs_of_state(network).find(|lit| check.depends_on_moves[lit.node()]) {
        Some(lit) => defect(node(network, lit), "terminal, legal or goal depends on moves"),
        None => Ok(()),
    }
}

fn outputs_of_state(network: &Network) -> impl Iterator<Item = Lit> {
    let legal = network.legal.values().flatten().map(|legal| legal.1);
    let goals = network.goals.values().flatten().map(|goal| goal.1);
    legal.chain(goals).chain(network.terminal)
}

/// The name of a node in texts.
fn node(network: &Network, lit: Lit) -> String {
    match (
        lit.node().checked_sub(network.first_gate()),
        lit.node().checked_sub(network.first_latch()),
    ) {
        (Some(gate), _) => format!("g{gate}"),
        (None, Some(latch)) => format!("l{latch}"),
        (None, None) => format!("input {}", lit.node()),
    }
}

struct NetworkCheck<'a> {
    network: &'a Network,
    /// Nodes whose value is known by now.
    is_ready: Vec<bool>,
    depends_on_moves: Vec<bool>,
    /// Number of gates in the blocks so far.
    gates: usize,
}

impl NetworkCheck<'_> {
    fn blocks(&mut self, blocks: &[Block], is_of_state: bool) -> Verdict {
        for block in blocks {
            match block {
                Block::Once(gates) => self.gates(gates, is_of_state)?,
                Block::UntilStable(gates, latches) => {
                    for &(latch, _) in latches {
                        let number = (latch as usize).wrapping_sub(self.network.first_latch());
                        ensure(
                            number < self.network.latches,
                            format_args!("node {latch}"),
                            "it is no latch",
                        )?;
                        let is_new = !std::mem::replace(&mut self.is_ready[latch as usize], true);
                        ensure(is_new, format_args!("l{number}"), "two blocks compute it")?;
                        self.depends_on_moves[latch as usize] = !is_of_state;
                    }
                    self.gates(gates, is_of_state)?;
                    for &(latch, input) in latches {
                        let is_known = self.is_ready.get(input.node()).copied().unwrap_or(false);
                        let number = latch as usize - self.network.first_latch();
                        ensure(
                            is_known,
                            format_args!("l{number}"),
                            "its input is not computed in its block",
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    fn gates(&mut self, gates: &Range<usize>, is_of_state: bool) -> Verdict {
        let is_next = gates.start == self.gates && gates.end >= gates.start && gates.end <= self.network.gates.len();
        let problem = format_args!("gates {gates:?} do not follow gate {}", self.gates);
        ensure(is_next, "blocks", problem)?;
        for gate in gates.clone() {
            let own = self.network.first_gate() + gate;
            for lit in self.network.gates[gate] {
                let is_known = self.is_ready.get(lit.node()).copied().unwrap_or(false);
                let problem = format_args!("its input {} is not computed before it", node(self.network, lit));
                ensure(is_known, format_args!("g{gate}"), problem)?;
                self.depends_on_moves[own] |= self.depends_on_moves[lit.node()];
            }
            let is_allowed = !is_of_state || !self.depends_on_moves[own];
            ensure(
                is_allowed,
                format_args!("g{gate}"),
                "it is computed with the state but depends on moves",
            )?;
            self.is_ready[own] = true;
        }
        self.gates = gates.end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Fluent, Role};
    use crate::text;
    use ludens_gdl::Source;

    const PROGRAM: &str = "(role a) (base f) (base g) (init f) (input a x) (input a y)
        (<= p0 (true f) (not p1)) (<= p0 (does a x)) (<= p1 (true g))
        (<= terminal p1) (<= (legal a x) p1) (<= (goal a 100) p1) (<= (next f) p0)";

    fn sound() -> (GroundProgram, Network) {
        let (program, _) = text::read_program(&Source::new("test", PROGRAM)).unwrap();
        let network = Network::new(&program).unwrap();
        (program, network)
    }

    #[test]
    fn sound_programs_and_networks_pass() {
        let (before, after) = sound();
        assert_eq!(program(&before), Ok(()));
        assert_eq!(network(&after), Ok(()));
    }

    #[test]
    fn a_broken_program_is_refused_with_the_place() {
        let refused = |change: &dyn Fn(&mut GroundProgram)| {
            let (mut broken, _) = sound();
            change(&mut broken);
            program(&broken).unwrap_err().to_string()
        };
        let is = |text: String, wanted: &str| assert_eq!(text, wanted);
        is(
            refused(&|p| p.initial.push(Fluent(2))),
            "initial state: entry 1 is 2, of 2",
        );
        is(
            refused(&|p| p.initial.push(Fluent(0))),
            "initial state: entry 1 is out of order or repeated",
        );
        is(
            refused(&|p| p.terminal = Some(Proposition(9))),
            "outputs: output 2 does not exist",
        );
        is(refused(&|p| p.legal.push(Vec::new())), "legal: 2 lists for 1 roles");
        is(
            refused(&|p| p.goals[Role(0)][0].0 = 101),
            "goals of role 0: 101 is above 100",
        );
        is(
            refused(&|p| p.legal[Role(0)].push((MoveId(5), Proposition(0)))),
            "legal moves of role 0: entry 1 is 5, of 2",
        );
    }

    #[test]
    fn a_negation_inside_a_cycle_is_refused() {
        let text = "(role a) (base f) (<= p0 (true f)) (<= p0 p1) (<= p1 (not p0)) (<= terminal p0)";
        let error = text::read_program(&Source::new("test", text)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "p1: it depends on its own negation, through (not p0)"
        );
    }

    #[test]
    fn a_broken_network_is_refused_with_the_place() {
        let refused = |change: &dyn Fn(&mut Network)| {
            let (_, mut broken) = sound();
            change(&mut broken);
            network(&broken).unwrap_err().to_string()
        };
        let is = |text: String, wanted: &str| assert_eq!(text, wanted);
        is(refused(&|n| n.fluents = 3), "fluents: 3, with 2 names");
        is(
            refused(&|n| n.terminal = Some(Lit(1000))),
            "outputs: output 2 does not exist",
        );
        is(
            refused(&|n| n.gates[0] = n.gates[0].map(|_| Lit(2 * n.nodes() as u32 - 2))),
            "g0: its input g1 is not computed before it",
        );
        is(refused(&|n| n.move_blocks.clear()), "blocks: they compute 0 of 2 gates");
        is(
            refused(&|n| n.terminal = n.next.first().map(|next| next.1)),
            "g1: terminal, legal or goal depends on moves",
        );
        is(
            refused(&|n| n.state_blocks = std::mem::take(&mut n.move_blocks)),
            "g1: it is computed with the state but depends on moves",
        );
    }
}
