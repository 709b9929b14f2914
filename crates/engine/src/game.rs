//! A game: rules made playable, with names for everything.

use crate::interpret::{InterpretError, Interpreter};
use crate::machine::{Engine, Machine};
use crate::state::{MoveId, Role, State};
use crate::vocabulary::Vocabulary;
use ludens_datalog::Limits;
use ludens_gdl::normal::NormalRules;
use ludens_gdl::symbol::keyword;
use ludens_gdl::{Description, Diagnostic, Notation, Source, Symbols, build, read};
use std::sync::Arc;

/// A playable game. Cheap to clone and to share between threads.
#[derive(Clone)]
pub struct Game {
    name: String,
    description: Arc<Description>,
    rules: Arc<NormalRules>,
    vocabulary: Arc<Vocabulary>,
    engine: Arc<dyn Engine>,
    initial: State,
}

/// Why a text is not a playable game.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// The text cannot be read; the findings say where.
    #[error("{name} cannot be read as a game: {} (and {} more)", .findings[0].message, .findings.len() - 1)]
    Unreadable {
        /// The name of the source.
        name: String,
        /// The errors.
        findings: Vec<Diagnostic>,
    },
    /// The rules can be read but not run.
    #[error("{name} cannot be played: {cause}")]
    Unplayable {
        /// The name of the source.
        name: String,
        /// Why.
        cause: InterpretError,
    },
    /// Deriving the initial state or its legal moves hit a limit.
    #[error("{name} cannot be played: {cause}")]
    Fault {
        /// The name of the source.
        name: String,
        /// Which limit.
        cause: String,
    },
}

impl Game {
    /// Makes a text playable.
    ///
    /// Rules with defects that the field has learned to live with are run anyway; look at the
    /// [findings](Description::findings) of the [description](Game::description) to know about them. Text that cannot
    /// be read as GDL is an error.
    pub fn read(source: Source) -> Result<Game, GameError> {
        Game::new(Description::read(source), Limits::default())
    }

    /// Makes a description playable within limits.
    pub fn new(description: Description, limits: Limits) -> Result<Game, GameError> {
        let name = description.source.name().to_string();
        // Errors of the text itself (1xx): what was read may not be what was meant.
        let unreadable: Vec<Diagnostic> = description
            .findings
            .iter()
            .filter(|finding| finding.code.id.starts_with("E1"))
            .cloned()
            .collect();
        if !unreadable.is_empty() {
            return Err(GameError::Unreadable {
                name,
                findings: unreadable,
            });
        }
        let rules = description.normal();
        let interpreter = Interpreter::new(&rules, limits).map_err(|cause| GameError::Unplayable {
            name: name.clone(),
            cause,
        })?;
        let vocabulary = interpreter.vocabulary().clone();
        let engine: Arc<dyn Engine> = Arc::new(interpreter);
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
            rules: Arc::new(rules),
            vocabulary,
            engine,
            initial,
        })
    }

    /// What the game is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that the game was read from, with its findings.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The rules in normal form.
    pub fn rules(&self) -> &NormalRules {
        &self.rules
    }

    /// The names of fluents and moves.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The engine that runs the game.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// A machine at the initial state.
    pub fn machine(&self) -> Box<dyn Machine> {
        self.engine.machine()
    }

    /// Where every match starts.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// All roles, in order.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> + use<> {
        (0..self.vocabulary.roles().len() as u8)
            .collect::<Vec<_>>()
            .into_iter()
            .map(Role)
    }

    /// The name of a role.
    pub fn role_name(&self, role: Role) -> &str {
        let symbol = self.vocabulary.roles()[role.index()];
        self.vocabulary.symbols().name(symbol)
    }

    /// The role of this name.
    pub fn find_role(&self, name: &str) -> Option<Role> {
        self.roles()
            .find(|&role| self.role_name(role).eq_ignore_ascii_case(name))
    }

    /// Whether the role is chance (GDL-II), which chooses uniformly among its legal moves.
    pub fn is_random(&self, role: Role) -> bool {
        self.vocabulary.roles()[role.index()] == keyword::RANDOM
    }

    /// A move in canonical KIF.
    pub fn move_text(&self, role: Role, move_id: MoveId) -> String {
        self.vocabulary.move_name(role, move_id).text.clone()
    }

    /// The move of a role that a text means, whatever its spacing and case. It need not be legal.
    pub fn parse_move(&self, role: Role, text: &str) -> Option<MoveId> {
        let term = parse_ground_term(text, self.vocabulary.symbols())?;
        Some(self.vocabulary.move_id(role, &term))
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

/// A ground term in either notation that uses known names only.
fn parse_ground_term(text: &str, symbols: &Symbols) -> Option<ludens_gdl::normal::Term> {
    let known = symbols.len();
    let mut symbols = symbols.clone();
    let source = Source::new("move", text);
    for notation in [Notation::Kif, Notation::Infix] {
        let (tree, findings) = read::read_tree(&source, notation, &read::Limits::default(), &mut symbols);
        let [root] = tree.roots[..] else {
            continue;
        };
        if findings.iter().any(Diagnostic::is_error) {
            continue;
        }
        let term = build::build_term(&tree, root, &symbols).and_then(|term| ground(&term, known));
        if term.is_some() {
            return term;
        }
    }
    None
}

fn ground(term: &ludens_gdl::rule::Term, known: usize) -> Option<ludens_gdl::normal::Term> {
    use ludens_gdl::normal::Term;
    use ludens_gdl::rule::TermKind;
    match &term.kind {
        TermKind::Constant(name) => ((name.0 as usize) < known).then_some(Term::Constant(*name)),
        TermKind::Variable(_) => None,
        TermKind::Function(name, args) => {
            let args: Option<Vec<Term>> = args.iter().map(|arg| ground(arg, known)).collect();
            ((name.0 as usize) < known).then_some(Term::Function(*name, args?))
        }
    }
}
