//! Ground programs and propositional networks as text, and back.
//!
//! The text is GDL without variables. Both open with the roles and all fluents and moves in the order of their numbers:
//!
//! ```text
//! (role white)
//! (base (cell 1 b))
//! (init (cell 1 b))
//! (input white (mark 1))
//! ```
//!
//! A program follows with one rule for each instance of a proposition, `p0`, `p1` and so on, and one for each output:
//!
//! ```text
//! (<= p0 (true (cell 1 b)) (not p1))
//! (<= (legal white (mark 1)) p0)
//! ```
//!
//! A network has one rule for each gate, `g0`, `g1` and so on, whose two conditions are its inputs; one for the input
//! of each latch, `l0`; and outputs that read any node. `false` is the node that is never true. A line before each
//! block of gates tells when it is computed: `(once state)`, `(until-stable state)`, `(once moves)` or `(until-stable
//! moves)`.
//!
//! Printed text is read back as the same program or network. As the text is GDL, it can also be run as a game, unless
//! a network has latches: then it is not stratified.

use crate::ids::{Fluent, MoveId, Proposition, Role, RoleMap};
use crate::names::Names;
use crate::network::{Block, Lit, Network};
use crate::program::{GroundProgram, Signal};
use ludens_gdl::Symbols;
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::Term;
use std::fmt::Write;

mod read;

pub use read::{TextError, read_network, read_program};

/// The text of a ground program.
pub fn write_program(program: &GroundProgram, symbols: &Symbols) -> String {
    let mut writer = Writer::new(&program.names, symbols);
    writer.inputs(&program.initial);
    for proposition in Proposition::first(program.propositions()) {
        for conditions in program.instances_of(proposition) {
            let _ = write!(writer.out, "(<= p{}", proposition.0);
            for condition in conditions {
                writer.out.push(' ');
                writer.negated(condition.negated, |writer| writer.signal(condition.signal));
            }
            writer.out.push_str(")\n");
        }
    }
    let name = |writer: &mut Writer<'_>, proposition: Proposition| {
        let _ = write!(writer.out, "p{}", proposition.0);
    };
    writer.outputs(
        program.terminal,
        (&program.legal, &program.goals, &program.next, &program.percepts),
        name,
    );
    writer.out
}

/// The text of a propositional network.
pub fn write_network(network: &Network, symbols: &Symbols) -> String {
    let mut writer = Writer::new(&network.names, symbols);
    writer.inputs(&network.initial);
    for (blocks, when) in [(&network.state_blocks, "state"), (&network.move_blocks, "moves")] {
        for block in blocks {
            let (how, gates, latches) = match block {
                Block::Once(gates) => ("once", gates, &[][..]),
                Block::UntilStable(gates, latches) => ("until-stable", gates, &latches[..]),
            };
            let _ = writeln!(writer.out, "({how} {when})");
            for gate in gates.clone() {
                let _ = write!(writer.out, "(<= g{gate}");
                for lit in network.gates[gate] {
                    writer.out.push(' ');
                    writer.lit(network, lit);
                }
                writer.out.push_str(")\n");
            }
            for &(latch, input) in latches {
                let _ = write!(writer.out, "(<= l{} ", latch as usize - network.first_latch());
                writer.lit(network, input);
                writer.out.push_str(")\n");
            }
        }
    }
    writer.outputs(
        network.terminal,
        (&network.legal, &network.goals, &network.next, &network.percepts),
        |writer, lit| writer.lit(network, lit),
    );
    writer.out
}

/// Legal moves, goals, successor and percepts.
type Outputs<'a, Target> = (
    &'a RoleMap<Vec<(MoveId, Target)>>,
    &'a RoleMap<Vec<(u8, Target)>>,
    &'a [(Fluent, Target)],
    &'a RoleMap<Vec<(Term, Target)>>,
);

struct Writer<'a> {
    names: &'a Names,
    symbols: &'a Symbols,
    roles: RoleMap<String>,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(names: &'a Names, symbols: &'a Symbols) -> Writer<'a> {
        let role = |&role| canonical_term(&Term::Constant(role), symbols);
        Writer {
            names,
            symbols,
            roles: names.roles.values().map(role).collect(),
            out: String::new(),
        }
    }

    fn inputs(&mut self, initial: &[Fluent]) {
        let names = self.names;
        for role in self.roles.values() {
            let _ = writeln!(self.out, "(role {role})");
        }
        for fluent in &names.fluents {
            let _ = writeln!(self.out, "(base {})", fluent.text);
        }
        for fluent in initial {
            let _ = writeln!(self.out, "(init {})", names.fluents[fluent.index()].text);
        }
        for (role, moves) in names.moves.iter() {
            for chosen in moves {
                let _ = writeln!(self.out, "(input {} {})", self.roles[role], chosen.text);
            }
        }
    }

    fn negated(&mut self, negated: bool, write: impl FnOnce(&mut Self)) {
        self.out.push_str(if negated { "(not " } else { "" });
        write(self);
        self.out.push_str(if negated { ")" } else { "" });
    }

    fn signal(&mut self, signal: Signal) {
        let _ = match signal {
            Signal::Fluent(fluent) => write!(self.out, "(true {})", self.names.fluents[fluent.index()].text),
            Signal::Move(role, chosen) => {
                let chosen = &self.names.moves[role][chosen.index()].text;
                write!(self.out, "(does {} {chosen})", self.roles[role])
            }
            Signal::Derived(proposition) => write!(self.out, "p{}", proposition.0),
        };
    }

    fn lit(&mut self, network: &Network, lit: Lit) {
        let node = lit.node();
        self.negated(lit.is_negated(), |writer| {
            if node == 0 {
                writer.out.push_str("false");
            } else if node <= network.fluents {
                writer.signal(Signal::Fluent(Fluent(node as u32 - 1)));
            } else if let Some(gate) = node.checked_sub(network.first_gate()) {
                let _ = write!(writer.out, "g{gate}");
            } else if let Some(latch) = node.checked_sub(network.first_latch()) {
                let _ = write!(writer.out, "l{latch}");
            } else {
                let is_before = |role: &Role| network.first_move(*role) <= node;
                let role = network.moves.roles().take_while(is_before).last().unwrap_or(Role(0));
                let chosen = MoveId((node - network.first_move(role)) as u32);
                writer.signal(Signal::Move(role, chosen));
            }
        });
    }

    fn outputs<Target: Copy>(
        &mut self,
        terminal: Option<Target>,
        (legal, goals, next, percepts): Outputs<'_, Target>,
        target: impl Fn(&mut Self, Target),
    ) {
        let names = self.names;
        let output = |writer: &mut Self, head: String, to: Target| {
            let _ = write!(writer.out, "(<= {head} ");
            target(writer, to);
            writer.out.push_str(")\n");
        };
        for (role, legal) in legal.iter() {
            for &(chosen, to) in legal {
                let chosen = &names.moves[role][chosen.index()].text;
                output(self, format!("(legal {} {chosen})", self.roles[role]), to);
            }
        }
        for (role, goals) in goals.iter() {
            for &(value, to) in goals {
                output(self, format!("(goal {} {value})", self.roles[role]), to);
            }
        }
        if let Some(to) = terminal {
            output(self, "terminal".to_string(), to);
        }
        for &(fluent, to) in next {
            output(self, format!("(next {})", names.fluents[fluent.index()].text), to);
        }
        for (role, percepts) in percepts.iter() {
            for (percept, to) in percepts {
                let percept = canonical_term(percept, self.symbols);
                output(self, format!("(sees {} {percept})", self.roles[role]), *to);
            }
        }
    }
}
