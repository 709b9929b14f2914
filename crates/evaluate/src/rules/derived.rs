//! Features that follow from the rules (Michulke, 2012): what says more about the conditions of goals than whether they
//! hold.
//!
//! The conditions of all goals and of the end are looked at as they are written, with their variables. A condition that
//! is true can be more or less safe, and one that is not can be more or less near:
//!
//! | [`Kind`] | of what | says |
//! | --- | --- | --- |
//! | solutions | an expression with variables that holds | the more solutions, the safer |
//! | partial solutions | a conjunction that does not hold | the more of its first conditions hold, the nearer |
//! | order | two values that are compared | the greater the margin, the safer |
//! | variable distance | two fluents that must meet in a value | the fewer steps between the values, the nearer |
//! | fixed distance | a fluent with a value in an order | the fewer steps to this value, the nearer |
//! | true persistence | a fluent that holds | it stays so |
//! | false persistence | a fluent that does not hold | it stays so |
//!
//! Features are compiled when they are found: solutions are counted as bits of the state or as
//! propositions of a small ground program, and distances are looked up in tables, so that a state costs microseconds.
//! [`neural::featured`](crate::rules::neural::featured) puts the features into goal networks.

mod compile;
mod expand;
mod expression;
mod fluents;
mod graphs;
mod measure;
mod pairs;
mod possible;
mod text;

use ludens_budget::Budget;
pub use measure::Reading;

use crate::rules::distance::{Choice, Distances};
use crate::rules::formula::{Atom, Formula, Formulas, Opaque};
use crate::rules::goals::GoalFormulas;
use crate::rules::wanted::Wanted;
use compile::Compiler;
use expand::Expander;
use expression::Expression;
use fluents::{FluentMeasure, Persistent};
use graphs::Graphs;
use ludens_engine::{Circuit, Fluent, Game, State};
use ludens_ground::Proposition;
use measure::{Counter, Measure};
use possible::Possible;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why something is not measured, or not even looked for.
const TIME_OVER: &str = "the time was over";

/// A kind of feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Number of solutions of an expression that holds.
    Solutions,
    /// How much of a conjunction holds.
    PartialSolutions,
    /// By which margin a value is before another.
    Order,
    /// How far two values are from being the same.
    VariableDistance,
    /// How far a value is from one that is given.
    FixedDistance,
    /// A fluent that holds stays so.
    TruePersistence,
    /// A fluent that does not hold stays so.
    FalsePersistence,
    /// Lower bound on the steps until a fluent holds, along a fluent graph.
    AdmissibleDistance,
}

impl Kind {
    /// All kinds, as the thesis lists them.
    pub const ALL: [Kind; 8] = [
        Kind::Solutions,
        Kind::PartialSolutions,
        Kind::Order,
        Kind::VariableDistance,
        Kind::FixedDistance,
        Kind::TruePersistence,
        Kind::FalsePersistence,
        Kind::AdmissibleDistance,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Solutions => "solutions",
            Kind::PartialSolutions => "partial solutions",
            Kind::Order => "order",
            Kind::VariableDistance => "variable distance",
            Kind::FixedDistance => "fixed distance",
            Kind::TruePersistence => "true persistence",
            Kind::FalsePersistence => "false persistence",
            Kind::AdmissibleDistance => "admissible distance",
        }
    }
}

/// A set of kinds of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// No features.
    pub const NONE: Kinds = Kinds(0);
    /// Features of all kinds.
    pub const ALL: Kinds = Kinds(0xff);

    /// These kinds.
    pub fn of(kinds: &[Kind]) -> Kinds {
        Kinds(kinds.iter().fold(0, |all, &kind| all | 1 << kind as u8))
    }

    /// Returns whether a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }
}

/// How features are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Which.
    pub kinds: Kinds,
    /// Joins of conditions that are opened.
    pub most_joins: usize,
    /// By which admissible distances fluents are measured for which there is no other distance, if by any.
    pub admissible: Option<Choice>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            kinds: Kinds::ALL,
            most_joins: 512,
            admissible: None,
        }
    }
}

/// A feature that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its kind.
    pub kind: Kind,
    /// The expression, as text.
    pub text: String,
    /// The leaf of the formulas that it belongs to.
    pub leaf: usize,
}

/// How long finding features took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Expressions and distances, from the rules.
    pub rules: Duration,
    /// Proofs of persistence.
    pub persistence: Duration,
    /// Admissible distances.
    pub admissible: Duration,
}

/// The conditions of goals and of the end with the features of their leaves.
#[derive(Clone)]
pub struct GoalFeatures {
    /// The formulas. [`Atom::Proposition`] has the number of an expression.
    pub store: Formulas,
    /// For each role its goal values, in increasing order, each with its condition.
    pub goals: Vec<Vec<(u8, Formula)>>,
    /// The condition of `terminal`.
    pub terminal: Formula,
    /// The features, by leaf.
    pub features: Vec<Feature>,
    /// Features that are not measured, and why.
    pub left_out: Vec<(Feature, &'static str)>,
    /// Why conditions had to be taken without their variables, if they had; then only fluents have features.
    pub grounded: Option<&'static str>,
    /// Kinds of features that may be incomplete or absent, and why.
    pub unfinished: Vec<(Kind, &'static str)>,
    /// How long it took.
    pub times: Times,
    /// Reads the leaves in a state.
    pub reader: Reader,
}

/// Finds out what the leaves of the formulas are in a state.
#[derive(Clone)]
pub struct Reader {
    leaves: Arc<Vec<Atom>>,
    fluents: Arc<Vec<FluentMeasure>>,
    expressions: Arc<Vec<Measure>>,
    opaque: Opaque,
}

/// The expressions of a game before anything is known about their fluents.
struct Lifted {
    store: Formulas,
    goals: Vec<Vec<(u8, Formula)>>,
    terminal: Formula,
    expressions: Vec<Expression>,
    measures: Vec<Measure>,
    opaque: Opaque,
    left_out: Vec<(usize, Kind, &'static str)>,
}

impl GoalFeatures {
    /// Finds the features of a game; `None` if it is not compiled. When the budget is spent, there are those that were
    /// found so far; if the conditions are not opened yet, they are taken without their variables.
    pub fn new(game: &Game, options: &Options, budget: &Budget) -> Option<GoalFeatures> {
        let circuit = game.engine().circuit()?;
        let begin = Instant::now();
        // Without features of expressions there is no reason to keep their variables: instances say more.
        let is_lifted = options.kinds != Kinds::NONE;
        let possible = is_lifted.then(|| Possible::new(game, budget)).flatten();
        let graphs = possible
            .as_ref()
            .map(|possible| Graphs::new(game.rules(), possible, budget));
        let known = possible.as_ref().zip(graphs.as_ref());
        let lifted = match known {
            Some((possible, graphs)) => lift(game, circuit, possible, graphs, options, budget),
            None if budget.is_spent() => Err(TIME_OVER),
            None => Err("too much can hold"),
        };
        let (lifted, grounded) = match lifted {
            Ok(lifted) => (lifted, None),
            Err(cause) => (grounded(game, options)?, Some(cause).filter(|_| is_lifted)),
        };
        let outputs = lifted
            .goals
            .iter()
            .flatten()
            .map(|goal| goal.1)
            .chain([lifted.terminal]);
        let outputs: Vec<Formula> = outputs.collect();
        let mut leaves: Vec<Atom> = outputs.iter().flat_map(|&output| lifted.store.atoms(output)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let mut features = GoalFeatures {
            store: lifted.store,
            goals: lifted.goals,
            terminal: lifted.terminal,
            features: Vec::new(),
            left_out: Vec::new(),
            grounded,
            unfinished: Vec::new(),
            times: Times::default(),
            reader: Reader {
                leaves: Arc::new(leaves),
                fluents: Arc::new(Vec::new()),
                expressions: Arc::new(lifted.measures),
                opaque: lifted.opaque,
            },
        };
        features.name_expressions(game, &lifted.expressions, &lifted.left_out);
        let reader = features.reader.clone();
        let members = |number: u32| reader.fluents_of_expression(number);
        let wanted = Wanted::new(&features.store, &features.goals, features.terminal, &members);
        let mut fluents = fluents::distances(circuit, known, features.leaves(), &wanted, options.kinds, budget);
        features.times.rules = begin.elapsed();
        if options.kinds.has(Kind::FixedDistance) && budget.is_spent() {
            features.unfinished.push((Kind::FixedDistance, TIME_OVER));
        }
        let begin = Instant::now();
        if options.kinds.has(Kind::TruePersistence) || options.kinds.has(Kind::FalsePersistence) {
            let persistent = Persistent::of(game, budget);
            fluents::persistence(&mut fluents, &persistent, options.kinds);
            let kinds = [Kind::TruePersistence, Kind::FalsePersistence].into_iter();
            let wanted = kinds.filter(|&kind| options.kinds.has(kind));
            if let Some(cause) = persistent.unfinished {
                features.unfinished.extend(wanted.map(|kind| (kind, cause)));
            }
        }
        features.times.persistence = begin.elapsed();
        let begin = Instant::now();
        if let Some(choice) = options.admissible
            && (budget.is_spent() || !features.add_admissible(game, &mut fluents, &wanted, choice, budget))
        {
            let cause = match budget.is_spent() {
                true => TIME_OVER,
                false => "the game has too many rules",
            };
            features.unfinished.push((Kind::AdmissibleDistance, cause));
        }
        features.times.admissible = begin.elapsed();
        let leaves = features.reader.leaves.clone();
        for (leaf, atom) in leaves.iter().enumerate() {
            let Atom::Fluent(fluent) = atom else {
                continue;
            };
            let measure = fluents.iter().find(|measure| measure.fluent == *fluent);
            let text = || game.vocabulary().fluent_name(*fluent).text.clone();
            let kinds = measure.map(FluentMeasure::kinds).unwrap_or_default();
            features.features.extend(kinds.into_iter().map(|kind| Feature {
                kind,
                text: text(),
                leaf,
            }));
        }
        features.reader.fluents = Arc::new(fluents);
        Some(features)
    }

    /// Adds admissible distances to fluents, and to expressions of a single fluent, that some condition wants and that
    /// have no other distance. Returns whether there was time for all.
    fn add_admissible(
        &mut self,
        game: &Game,
        fluents: &mut [FluentMeasure],
        wanted: &Wanted,
        choice: Choice,
        budget: &Budget,
    ) -> bool {
        if !fluents::admissible(game, fluents, wanted, choice, budget) {
            return false;
        }
        let mut expressions = self.reader.expressions.to_vec();
        let leaves = self.reader.leaves.clone();
        for (leaf, atom) in leaves.iter().enumerate() {
            let Atom::Proposition(number) = *atom else {
                continue;
            };
            let members = self.reader.fluents_of_expression(number);
            let Some(measure) = expressions.get_mut(number as usize) else {
                continue;
            };
            if measure.has_distance() || !members.iter().any(|&member| wanted.has(member)) {
                continue;
            }
            let Some(distances) = Distances::within(game, &members, choice, budget) else {
                return false;
            };
            measure.admissible = fluents::useful(distances, &members, wanted);
            if measure.admissible.is_some() {
                let known = self.features.iter().find(|feature| feature.leaf == leaf);
                let text = known.map_or_else(|| format!("expression {number}"), |known| known.text.clone());
                self.features.push(Feature {
                    kind: Kind::AdmissibleDistance,
                    text,
                    leaf,
                });
            }
        }
        self.reader.expressions = Arc::new(expressions);
        true
    }

    /// Returns what is missing, and why, in sentences.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if let Some(cause) = self.grounded {
            missing.push(format!("conditions are taken without variables: {cause}"));
        }
        let unfinished = self.unfinished.iter();
        missing.extend(unfinished.map(|(kind, cause)| format!("{} incomplete: {cause}", kind.name())));
        for kind in Kind::ALL {
            let mut causes: Vec<&str> = (self.left_out.iter())
                .filter(|(feature, _)| feature.kind == kind)
                .map(|(_, cause)| *cause)
                .collect();
            let count = causes.len();
            causes.sort_unstable();
            causes.dedup();
            if count > 0 {
                missing.push(format!("{} left out ({count}): {}", kind.name(), causes.join("; ")));
            }
        }
        missing
    }

    /// Returns what was found and what is missing, in one line.
    pub fn summary(&self) -> String {
        let counts = Kind::ALL.map(|kind| {
            (
                kind,
                self.features.iter().filter(|feature| feature.kind == kind).count(),
            )
        });
        let found = counts.into_iter().filter(|known| known.1 > 0);
        let mut parts: Vec<String> = found.map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        if parts.is_empty() {
            parts.push("no features".to_string());
        }
        let mut summary = parts.join(", ");
        for missing in self.missing() {
            summary += "; ";
            summary += &missing;
        }
        summary
    }

    /// Returns the leaves of the formulas.
    pub fn leaves(&self) -> &[Atom] {
        &self.reader.leaves
    }

    /// Returns whether distances measure a leaf.
    pub fn is_distance(&self, leaf: usize) -> bool {
        let mut own = self.features.iter().filter(|feature| feature.leaf == leaf);
        own.any(|feature| matches!(feature.kind, Kind::FixedDistance | Kind::VariableDistance))
    }

    /// Notes the features of expressions that are still leaves.
    fn name_expressions(&mut self, game: &Game, expressions: &[Expression], left_out: &[(usize, Kind, &'static str)]) {
        let leaves = self.reader.leaves.clone();
        for (leaf, atom) in leaves.iter().enumerate() {
            let Atom::Proposition(number) = *atom else {
                continue;
            };
            let number = number as usize;
            let Some(expression) = expressions.get(number) else {
                continue;
            };
            let text = text::conjunction(&expression.conjunction.literals, game);
            for &kind in &expression.kinds {
                let feature = Feature {
                    kind,
                    text: text.clone(),
                    leaf,
                };
                let cause = left_out.iter().find(|known| (known.0, known.1) == (number, kind));
                match cause {
                    Some(known) => self.left_out.push((feature, known.2)),
                    None => self.features.push(feature),
                }
            }
        }
    }
}

impl Reader {
    /// Returns the fluents that a leaf is about directly.
    pub(crate) fn fluents_of(&self, leaf: usize) -> Vec<Fluent> {
        match self.leaves[leaf] {
            Atom::Fluent(fluent) => vec![fluent],
            Atom::Proposition(number) => self.fluents_of_expression(number),
            Atom::Move(..) => Vec::new(),
        }
    }

    /// Returns the fluents that an expression counts; none if it is not about a single fluent.
    fn fluents_of_expression(&self, number: u32) -> Vec<Fluent> {
        let Some(Counter::Fluents(masks)) = self.expressions.get(number as usize).map(|measure| &measure.whole) else {
            return Vec::new();
        };
        let bits = |&(word, mask): &(u32, u64)| {
            (0..64)
                .filter(move |bit| mask >> bit & 1 == 1)
                .map(move |bit| Fluent(64 * word + bit))
        };
        masks.iter().flat_map(bits).collect()
    }

    /// Reads all leaves in a state.
    pub fn read(&mut self, state: &State, readings: &mut Vec<Reading>) {
        self.opaque.compute(state);
        readings.clear();
        let mut fluents = self.fluents.iter();
        readings.extend(self.leaves.iter().map(|atom| match *atom {
            // Leaves are sorted, and fluents come first, each with its measure.
            Atom::Fluent(_) => fluents.next().map_or(Reading::UNKNOWN, |measure| measure.read(state)),
            Atom::Proposition(number) => {
                let measure = self.expressions.get(number as usize);
                measure.map_or(Reading::UNKNOWN, |measure| measure.read(state, &self.opaque))
            }
            Atom::Move(..) => Reading::UNKNOWN,
        }));
    }
}

/// Returns the conditions as they are written; else why that cannot be.
fn lift(
    game: &Game,
    circuit: &Circuit,
    possible: &Possible,
    graphs: &Graphs,
    options: &Options,
    budget: &Budget,
) -> Result<Lifted, &'static str> {
    let expander = Expander::new(game, circuit, possible, graphs, options.kinds, options.most_joins);
    let expanded = expander.run(game.vocabulary().roles().as_slice(), budget)?;
    let mut compiler = Compiler::new(game, possible, graphs, &expanded.expressions);
    let compiled = compiler.run(budget).ok_or_else(|| match budget.is_spent() {
        true => TIME_OVER,
        false => "expressions have too many instances",
    })?;
    Ok(Lifted {
        left_out: compiler.left_out,
        store: expanded.store,
        goals: expanded.goals,
        terminal: expanded.terminal,
        expressions: expanded.expressions,
        measures: compiled.measures,
        opaque: compiled.opaque,
    })
}

/// Conditions of the ground program that may be computed in a state.
const MOST_CONDITIONS: usize = 20_000;

/// Returns the ground conditions; those that are not expanded are Boolean leaves.
fn grounded(game: &Game, options: &Options) -> Option<Lifted> {
    let formulas = GoalFormulas::new(game, options.most_joins)?;
    let opaque = Opaque::new(game, &formulas.opaque, MOST_CONDITIONS);
    let last = formulas.opaque.last().map_or(0, |last| last.index() + 1);
    let measure = |number| Measure {
        whole: Counter::Propositions(vec![number]),
        ..Measure::default()
    };
    let measures = match opaque {
        Some(_) => Proposition::first(last).map(measure).collect(),
        None => Vec::new(),
    };
    Some(Lifted {
        store: formulas.store,
        goals: formulas.goals,
        terminal: formulas.terminal,
        expressions: Vec::new(),
        measures,
        opaque: opaque.or_else(|| Opaque::new(game, &[], 0))?,
        left_out: Vec::new(),
    })
}
