//! The compiled engine: the game as a propositional network.
//!
//! Rules are grounded once (`ludens-ground`); after that a state costs one pass over the gates, whatever the rules look
//! like. [`Machine`]s stand at one state and compute either all gates (`plain`) or only what changes (`differential`),
//! whichever is faster in the game (`trial`); [`Playouts`] run hundreds of playouts in the bits of machine words
//! (`batch`), and [`Successors`] are computed for as many states at once (`expand`).

use crate::goals::SeveralGoals;
use crate::machine::{Circuit, Engine, Machine, Playouts, Successors};
use crate::state::{RoleMap, State};
use crate::vocabulary::{Named, Vocabulary};
use ludens_datalog::{Limits, Meter};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::{NormalRule, NormalRules};
use ludens_gdl::{Symbols, keyword};
use ludens_ground::network::{Lit, Network};
use ludens_ground::simplify::{Passes, simplify};
use ludens_ground::{GroundError, ground_within};
use outside::{Outside, Reference};
use plain::Plain;
use std::sync::Arc;
use stepper::CompiledMachine;

mod batch;
mod bits;
mod differential;
mod expand;
mod outside;
mod plain;
mod playouts;
mod rows;
mod stepper;
mod trial;
mod wide;
mod wiring;

pub use trial::Stepping;
use trial::{Chosen, choose};

/// A game compiled to a propositional network.
pub struct Compiled {
    parts: CompiledParts,
    circuit: Circuit,
    initial: State,
    stepping: Chosen,
}

/// The parts that all machines of a game share.
#[derive(Clone)]
struct CompiledParts {
    network: Arc<Network>,
    vocabulary: Arc<Vocabulary>,
    outside: Arc<Outside>,
}

impl CompiledParts {
    /// Creates a machine for states outside of the network.
    fn machine_outside(&self, state: &State) -> CompiledMachine<Plain> {
        CompiledMachine::new(self.clone(), Plain::new(self.network.clone()), state)
    }
}

impl Compiled {
    /// Grounds and compiles rules.
    pub fn new(
        rules: &Arc<NormalRules>,
        limits: Limits,
        stepping: Stepping,
        several_goals: SeveralGoals,
    ) -> Result<Compiled, GroundError> {
        let roles = rules.listed_roles();
        let by_rule = |rule: &NormalRule| rule.head.name == keyword::ROLE && !rule.body.is_empty();
        if roles.is_empty() || roles.len() > 255 || rules.rules.iter().any(by_rule) {
            return Err(GroundError::Unsuitable("the roles are not listed by facts".to_string()));
        }
        let mut meter = Meter::for_setup(&limits);
        let program = ground_within(rules, &roles, limits, &mut meter)?;
        let mut simplified = simplify(program, Passes::default(), &mut meter)?;
        let network = simplified.take_network(&mut meter)?;
        let mut network = network.ok_or_else(GroundError::depends_on_moves)?;
        let program = simplified.program;
        for goals in network.goals.values_mut() {
            several_goals.sort(goals, |&(value, _)| value);
        }
        let percepts = sort_percepts(&mut network, &rules.symbols);
        let network = Arc::new(network);
        let vocabulary = Arc::new(Vocabulary::of_names(
            rules.symbols.clone(),
            &program.names,
            &percepts,
            limits.memory,
        ));
        let initial = State::new(program.initial.iter().copied());
        let reference = Reference {
            rules: rules.clone(),
            limits,
            several_goals,
            vocabulary: vocabulary.clone(),
        };
        let outside = Outside::new(&simplified.constant_fluents, reference);
        Ok(Compiled {
            stepping: choose(&network, &initial, stepping),
            parts: CompiledParts {
                network: network.clone(),
                vocabulary,
                outside: Arc::new(outside),
            },
            initial,
            circuit: Circuit {
                program,
                before: simplified.before,
                constant_fluents: simplified.constant_fluents,
                network,
            },
        })
    }

    /// The numbering of fluents, moves and percepts.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.parts.vocabulary
    }
}

/// Sorts the percepts of each role by their texts, and returns their names in this order, which numbers them.
fn sort_percepts(network: &mut Network, symbols: &Symbols) -> RoleMap<Vec<Arc<Named>>> {
    let lists = network.percepts.values_mut().map(|percepts| {
        let mut named: Vec<(Arc<Named>, Lit)> = std::mem::take(percepts)
            .into_iter()
            .map(|(term, lit)| {
                let text = canonical_term(&term, symbols);
                (Arc::new(Named { term, text }), lit)
            })
            .collect();
        named.sort_unstable_by(|(one, _), (other, _)| one.text.cmp(&other.text));
        *percepts = named.iter().map(|(name, lit)| (name.term.clone(), *lit)).collect();
        named.into_iter().map(|(name, _)| name).collect()
    });
    lists.collect()
}

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn gates(&self) -> Option<usize> {
        Some(self.parts.network.gates.len())
    }

    fn circuit(&self) -> Option<&Circuit> {
        Some(&self.circuit)
    }

    fn stepping(&self) -> Option<&'static str> {
        Some(match self.stepping {
            Chosen::Plain(_) => "plain",
            Chosen::Differential(_) => "differential",
        })
    }

    fn machine(&self) -> Box<dyn Machine> {
        let parts = self.parts.clone();
        match &self.stepping {
            Chosen::Plain(plain) => Box::new(CompiledMachine::new(parts, plain.clone(), &self.initial)),
            Chosen::Differential(differential) => {
                Box::new(CompiledMachine::new(parts, differential.clone(), &self.initial))
            }
        }
    }

    fn playouts(&self) -> Box<dyn Playouts> {
        let alone = matches!(self.stepping, Chosen::Differential(_)).then(|| self.machine());
        Box::new(playouts::CompiledPlayouts::new(self.parts.clone(), alone))
    }

    fn successors(&self) -> Box<dyn Successors> {
        Box::new(expand::Expander::new(self.parts.clone()))
    }
}
