//! A game: rules made playable, with names for everything.

use crate::compiled::{Compiled, Stepping};
use crate::goals::SeveralGoals;
use crate::interpret::{InterpretError, Interpreter};
use crate::machine::{Engine, Machine};
use crate::state::{Fluent, MoveId, PerceptId, Role, State};
use crate::vocabulary::Vocabulary;
use ludens_datalog::Limits;
use ludens_gdl::normal::{NormalRules, Term};
use ludens_gdl::symbol::keyword;
use ludens_gdl::{Description, Diagnostic, Notation, Source, Symbol, Symbols, build, read};
use ludens_ground::GroundError;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A playable game. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Game {
    name: String,
    description: Arc<Description>,
    rules: Arc<NormalRules>,
    vocabulary: Arc<Vocabulary>,
    engine: Arc<dyn Engine>,
    /// Reason why compiling failed, if it did.
    fallback: Option<String>,
    several_goals: SeveralGoals,
    initial: State,
    /// Results of analyses of the game, one per type; see [`Game::keep`].
    kept: Arc<Mutex<Vec<Arc<dyn Any + Send + Sync>>>>,
}

/// Choice of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The compiled engine if the rules fit into the limits, else the interpreter.
    #[default]
    Auto,
    /// The compiled engine or an error.
    Compiled,
    /// The reference interpreter.
    Interpreted,
}

/// Options of setting up a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The engine.
    pub engine: EngineChoice,
    /// Limits of derivation.
    pub limits: Limits,
    /// How a compiled game steps. Changes speed only, never an answer.
    pub stepping: Stepping,
    /// The goal value that counts where several hold for a role.
    pub several_goals: SeveralGoals,
}

/// Reason why a text is not a playable game.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// The text cannot be read; the diagnostics say where.
    #[error("{name} cannot be read as a game: {}", first_of(.diagnostics))]
    Unreadable {
        /// The name of the source.
        name: String,
        /// The errors.
        diagnostics: Vec<Diagnostic>,
    },
    /// The rules can be read but not run.
    #[error("{name} cannot be played: {cause}")]
    Unplayable {
        /// The name of the source.
        name: String,
        /// Why.
        cause: InterpretError,
    },
    /// The rules cannot be compiled, and no other engine was allowed.
    #[error("{name} cannot be compiled: {cause}")]
    NotCompiled {
        /// The name of the source.
        name: String,
        /// Why.
        cause: GroundError,
    },
    /// Deriving the initial state or its legal moves hit a limit.
    #[error("{name} cannot be played: {cause}")]
    Fault {
        /// The name of the source.
        name: String,
        /// The limit.
        cause: String,
    },
}

/// The message of the first diagnostic, and the number of further ones.
fn first_of(diagnostics: &[Diagnostic]) -> String {
    match diagnostics {
        [] => "it has errors".to_string(),
        [only] => only.message.clone(),
        [first, more @ ..] => format!("{} (and {} more)", first.message, more.len()),
    }
}

impl Game {
    /// Makes a text playable.
    ///
    /// Rules with defects that are common in published games are run anyway; the
    /// [diagnostics](Description::diagnostics) of the [description](Game::description) list them. Text that cannot be
    /// read as GDL is an error.
    pub fn read(source: Source) -> Result<Game, GameError> {
        Game::new(Description::read(source), Options::default())
    }

    /// Makes a description playable.
    pub fn new(mut description: Description, options: Options) -> Result<Game, GameError> {
        let name = description.source.name().to_string();
        let unreadable = description.unreadable();
        if !unreadable.is_empty() {
            return Err(GameError::Unreadable {
                name,
                diagnostics: unreadable,
            });
        }
        let start = Instant::now();
        let rules = Arc::new(description.take_normal());
        let (engine, vocabulary, fallback) = choose_engine(&name, &rules, options, start)?;
        let machine = engine.machine();
        let initial = machine.state().clone();
        if let Some(cause) = machine.fault() {
            return Err(GameError::Fault {
                name,
                cause: cause.to_string(),
            });
        }
        Ok(Game {
            name,
            description: Arc::new(description),
            rules,
            vocabulary,
            engine,
            fallback,
            several_goals: options.several_goals,
            initial,
            kept: Arc::default(),
        })
    }

    /// Returns the same game on the reference interpreter.
    ///
    /// The interpreter continues the numbering of this game, so states and moves can be handed from one to the other.
    pub fn interpreted(&self, limits: Limits) -> Result<Game, GameError> {
        let vocabulary = self.vocabulary.clone();
        let interpreter = Interpreter::numbered(&self.rules, limits, self.several_goals, vocabulary);
        let interpreter = interpreter.map_err(|cause| GameError::Unplayable {
            name: self.name.clone(),
            cause,
        })?;
        let machine = interpreter.machine();
        let initial = machine.state().clone();
        if let Some(cause) = machine.fault() {
            return Err(GameError::Fault {
                name: self.name.clone(),
                cause: cause.to_string(),
            });
        }
        Ok(Game {
            engine: Arc::new(interpreter),
            fallback: None,
            initial,
            kept: Arc::default(),
            ..self.clone()
        })
    }

    /// Returns the number that a move of another game has here. Both games are made from the same rules.
    pub fn adopt_move(&self, from: &Game, role: Role, move_id: MoveId) -> MoveId {
        match Arc::ptr_eq(&self.vocabulary, &from.vocabulary) {
            true => move_id,
            false => self
                .vocabulary
                .move_id(role, &from.vocabulary.move_name(role, move_id).term),
        }
    }

    /// Returns the kept value of this type, if any.
    pub fn kept<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find_map(|thing| thing.clone().downcast().ok())
    }

    /// Keeps a value that is costly to compute, for all clones of the game: something that follows from the rules, or
    /// that was learnt by play. One value per type; a new one replaces the old one.
    pub fn keep<T: Any + Send + Sync>(&self, thing: T) -> Arc<T> {
        let thing = Arc::new(thing);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| !other.as_ref().is::<T>());
        kept.push(thing.clone());
        thing
    }

    /// Name of the game.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that the game was read from, with its diagnostics.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The rules in normal form.
    pub fn rules(&self) -> &NormalRules {
        &self.rules
    }

    /// The names of fluents, moves and percepts.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The engine that runs the game.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// Reason why the interpreter runs the game although [`EngineChoice::Auto`] prefers the compiled engine.
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// The goal value that counts where several hold for a role.
    pub fn several_goals(&self) -> SeveralGoals {
        self.several_goals
    }

    /// Returns the roles for which several goal values hold where a machine stands, with these values in increasing
    /// order.
    pub fn ambiguous_goals(&self, machine: &mut dyn Machine) -> Vec<(Role, Vec<u8>)> {
        let values = self.roles().map(|role| (role, machine.goal_values(role).to_vec()));
        let mut several: Vec<(Role, Vec<u8>)> = values.filter(|(_, values)| values.len() > 1).collect();
        several.iter_mut().for_each(|(_, values)| values.sort_unstable());
        several
    }

    /// A machine at the initial state.
    pub fn machine(&self) -> Box<dyn Machine> {
        self.engine.machine()
    }

    /// The initial state.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// All roles, in order.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> + use<> {
        Role::first(self.vocabulary.roles().len())
    }

    /// The name of a role.
    pub fn role_name(&self, role: Role) -> &str {
        let symbol = self.vocabulary.roles()[role];
        self.vocabulary.symbols().name(symbol)
    }

    /// The role of this name.
    pub fn find_role(&self, name: &str) -> Option<Role> {
        self.roles()
            .find(|&role| self.role_name(role).eq_ignore_ascii_case(name))
    }

    /// Whether the role is chance (GDL-II), which chooses uniformly among its legal moves.
    pub fn is_random(&self, role: Role) -> bool {
        self.vocabulary.roles()[role] == keyword::RANDOM
    }

    /// Whether the rules say what roles `see` (GDL-II), so that information is hidden from them.
    pub fn hides_information(&self) -> bool {
        self.description.rules.hide_information()
    }

    /// A move in canonical KIF.
    pub fn move_text(&self, role: Role, move_id: MoveId) -> String {
        self.vocabulary.move_name(role, move_id).text.clone()
    }

    /// Parses a move of a role, whatever its spacing and case. It need not be legal.
    pub fn parse_move(&self, role: Role, text: &str) -> Option<MoveId> {
        let term = parse_ground_term(text, self.vocabulary.symbols())?;
        Some(self.vocabulary.move_id(role, &term))
    }

    /// A percept in canonical KIF.
    pub fn percept_text(&self, role: Role, percept: PerceptId) -> String {
        self.vocabulary.percept_name(role, percept).text.clone()
    }

    /// Percepts in canonical KIF, in bytewise order.
    pub fn percept_texts(&self, role: Role, percepts: &[PerceptId]) -> Vec<String> {
        let mut texts: Vec<String> = percepts.iter().map(|&id| self.percept_text(role, id)).collect();
        texts.sort_unstable();
        texts
    }

    /// The percept of a role that a text means, whatever its spacing and case; `None` if it uses names that the rules
    /// do not have, so that nobody ever perceives it.
    pub fn parse_percept(&self, role: Role, text: &str) -> Option<PerceptId> {
        let term = parse_ground_term(text, self.vocabulary.symbols())?;
        Some(self.vocabulary.percept(role, &term))
    }

    /// The percepts of a role that texts mean, as a set in the order of their numbers; `None` if one of them can never
    /// be perceived.
    pub fn parse_percepts(&self, role: Role, texts: &[String]) -> Option<Vec<PerceptId>> {
        let percepts: Option<Vec<PerceptId>> = texts.iter().map(|text| self.parse_percept(role, text)).collect();
        let mut percepts = percepts?;
        percepts.sort_unstable();
        percepts.dedup();
        Some(percepts)
    }

    /// Parses a fluent, whatever its spacing and case. It need not hold anywhere.
    pub fn parse_fluent(&self, text: &str) -> Option<Fluent> {
        let term = parse_ground_term(text, self.vocabulary.symbols())?;
        Some(self.vocabulary.fluent(&term))
    }

    /// The fluents of a state in canonical KIF, in bytewise order.
    pub fn state_texts(&self, state: &State) -> Vec<String> {
        let mut texts: Vec<String> = state
            .fluents()
            .map(|fluent| self.vocabulary.fluent_name(fluent).text.clone())
            .collect();
        texts.sort_unstable();
        texts
    }
}

/// Minimum time for the interpreter even if none is left: enough for any ordinary game.
const LEAST_TIME: Duration = Duration::from_millis(500);

/// An engine, its vocabulary, and why it is not the compiled one if that was preferred.
type Chosen = (Arc<dyn Engine>, Arc<Vocabulary>, Option<String>);

fn choose_engine(name: &str, rules: &Arc<NormalRules>, options: Options, start: Instant) -> Result<Chosen, GameError> {
    let mut fallback = None;
    let time_left = || options.limits.setup.saturating_sub(start.elapsed());
    let within = |setup: Duration| Limits {
        setup,
        ..options.limits
    };
    if options.engine != EngineChoice::Interpreted {
        // If compiling fails, the interpreter needs some time too.
        let time = match options.engine {
            EngineChoice::Auto => time_left() / 4 * 3,
            EngineChoice::Compiled | EngineChoice::Interpreted => time_left(),
        };
        match Compiled::new(rules, within(time), options.stepping, options.several_goals) {
            Ok(compiled) => {
                let vocabulary = compiled.vocabulary().clone();
                return Ok((Arc::new(compiled), vocabulary, None));
            }
            Err(cause) if options.engine == EngineChoice::Compiled => {
                return Err(GameError::NotCompiled {
                    name: name.to_string(),
                    cause,
                });
            }
            Err(cause) => fallback = Some(cause.to_string()),
        }
    }
    let interpreter =
        Interpreter::new(rules, within(time_left().max(LEAST_TIME)), options.several_goals).map_err(|cause| {
            GameError::Unplayable {
                name: name.to_string(),
                cause,
            }
        })?;
    let vocabulary = interpreter.vocabulary().clone();
    Ok((Arc::new(interpreter), vocabulary, fallback))
}

/// Parses a ground term in either notation that uses known names only.
fn parse_ground_term(text: &str, symbols: &Symbols) -> Option<Term> {
    let source = Source::new("move", text);
    for notation in [Notation::Kif, Notation::Infix] {
        // The names of the text get a small table of their own: that of the game is shared and may be large.
        let mut own = Symbols::new();
        let (tree, diagnostics) = read::read_tree(&source, notation, &read::Limits::default(), &mut own);
        let [root] = tree.roots[..] else {
            continue;
        };
        if diagnostics.iter().any(Diagnostic::is_error) {
            continue;
        }
        let term = build::build_term(&tree, root, &own).and_then(|term| term.to_ground());
        if let Some(term) = term.and_then(|term| renamed(&term, &own, symbols)) {
            return Some(term);
        }
    }
    None
}

/// The same ground term with the symbols of another table, or `None` if that lacks a name.
fn renamed(term: &Term, from: &Symbols, to: &Symbols) -> Option<Term> {
    let name = |symbol: Symbol| to.find(from.name(symbol));
    Some(match term {
        Term::Constant(symbol) => Term::Constant(name(*symbol)?),
        Term::Variable(_) => return None,
        Term::Function(symbol, args) => {
            let args: Option<Vec<Term>> = args.iter().map(|arg| renamed(arg, from, to)).collect();
            Term::Function(name(*symbol)?, args?)
        }
    })
}
