//! The stages from rules to the propositional network, each as text, with sizes and times.

use crate::network::Network;
use crate::simplify::{Passes, Sizes, simplify};
use crate::{GroundError, GroundProgram, ground_within, split_rules, text, verify};
use ludens_datalog::{Limits, Meter};
use ludens_gdl::format::canonical_rule;
use ludens_gdl::normal::NormalRules;
use std::time::{Duration, Instant};

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The rules in normal form.
    Normal,
    /// Rules with many variables split into several with few.
    Split,
    /// The ground program, with all instances of the rules.
    Ground,
    /// The simplified ground program.
    Simplified,
    /// The propositional network.
    Network,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 5] = [
        Stage::Normal,
        Stage::Split,
        Stage::Ground,
        Stage::Simplified,
        Stage::Network,
    ];

    /// The name of the stage.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Normal => "normal",
            Stage::Split => "split",
            Stage::Ground => "ground",
            Stage::Simplified => "simplified",
            Stage::Network => "network",
        }
    }
}

/// Numbers of parts, by the names of the parts.
pub type Counts = Vec<(&'static str, usize)>;

/// A stage, or a pass within one, that was run.
pub struct Timing {
    /// The name of the stage or pass.
    pub name: &'static str,
    /// Duration.
    pub time: Duration,
    /// The sizes after it.
    pub sizes: Counts,
}

/// A stage as text.
pub struct Dump {
    /// The text.
    pub text: String,
    /// Its sizes.
    pub sizes: Counts,
    /// Stages and passes run on the way to it, in order.
    pub timings: Vec<Timing>,
}

/// Runs the stages up to this one.
pub fn dump(rules: &NormalRules, stage: Stage, passes: Passes, limits: Limits) -> Result<Dump, GroundError> {
    let symbols = &rules.symbols;
    let mut clock = Clock::default();
    match stage {
        Stage::Normal => return Ok(clock.dump(rules_text(rules), rules_sizes(rules))),
        Stage::Split => {
            let split = clock.time("split", || split_rules(rules), rules_sizes);
            return Ok(clock.dump(rules_text(&split), rules_sizes(&split)));
        }
        Stage::Ground | Stage::Simplified | Stage::Network => {}
    }
    let roles = rules.listed_roles();
    let mut meter = Meter::for_setup(&limits);
    let start = Instant::now();
    let program = ground_within(rules, &roles, limits, &mut meter)?;
    debug_assert_eq!(verify::program(&program), Ok(()));
    clock.note("ground", start.elapsed(), program_sizes(&program, program.sizes()));
    if stage == Stage::Ground {
        return Ok(clock.dump(
            text::write_program(&program, symbols),
            program_sizes(&program, program.sizes()),
        ));
    }
    let mut simplified = simplify(program, passes, &mut meter)?;
    for pass in &simplified.passes {
        clock.note(pass.name, pass.time, program_sizes(&simplified.program, pass.sizes));
    }
    if stage == Stage::Simplified {
        let program = &simplified.program;
        return Ok(clock.dump(
            text::write_program(program, symbols),
            program_sizes(program, program.sizes()),
        ));
    }
    let start = Instant::now();
    let network = simplified
        .take_network(&mut meter)?
        .ok_or_else(GroundError::depends_on_moves)?;
    clock.note("network", start.elapsed(), network_sizes(&network));
    Ok(clock.dump(text::write_network(&network, symbols), network_sizes(&network)))
}

/// Rules as KIF, one a line.
fn rules_text(rules: &NormalRules) -> String {
    let lines = rules
        .rules
        .iter()
        .map(|rule| canonical_rule(rule, &rules.symbols) + "\n");
    lines.collect()
}

fn rules_sizes(rules: &NormalRules) -> Counts {
    let facts = rules.rules.iter().filter(|rule| rule.body.is_empty()).count();
    let conditions = rules.rules.iter().map(|rule| rule.body.len()).sum();
    vec![
        ("rules", rules.rules.len()),
        ("facts", facts),
        ("conditions", conditions),
    ]
}

fn program_sizes(program: &GroundProgram, sizes: Sizes) -> Counts {
    vec![
        ("fluents", program.names.fluents.len()),
        ("moves", program.names.moves.values().map(Vec::len).sum()),
        ("propositions", sizes.propositions),
        ("instances", sizes.instances),
        ("bodies", sizes.bodies),
    ]
}

fn network_sizes(network: &Network) -> Counts {
    vec![
        ("fluents", network.fluents),
        ("moves", network.moves.values().sum()),
        ("latches", network.latches),
        ("gates", network.gates.len()),
    ]
}

#[derive(Default)]
struct Clock(Vec<Timing>);

impl Clock {
    fn note(&mut self, name: &'static str, time: Duration, sizes: Counts) {
        self.0.push(Timing { name, time, sizes });
    }

    fn time<T>(&mut self, name: &'static str, run: impl FnOnce() -> T, sizes: impl Fn(&T) -> Counts) -> T {
        let start = Instant::now();
        let result = run();
        self.note(name, start.elapsed(), sizes(&result));
        result
    }

    fn dump(self, text: String, sizes: Counts) -> Dump {
        Dump {
            text,
            sizes,
            timings: self.0,
        }
    }
}
