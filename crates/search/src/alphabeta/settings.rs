//! Settings of depth-first search.

/// Assumption about the other roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// All others minimise the value of the searching role: exact in two-player constant-sum games, otherwise the
    /// paranoid assumption. Roles that choose at the same time are taken to see the move of the searching role.
    #[default]
    Paranoid,
    /// Every role maximises its own value (max-n). Ties go to the move that is worst for the searching role.
    MaxN,
}

/// The history heuristic: how moves that caused cut-offs elsewhere are preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// Not at all.
    None,
    /// By the number of cut-offs, deep ones counting more.
    Absolute,
    /// By the share of cut-offs among the times they were tried (relative history).
    #[default]
    Relative,
}

/// Quiescence search: goes on from leaves until the evaluation is stable. Changes the value of a search; the same
/// search with any other settings that keep values gives the same one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiescence {
    /// Moves that change the evaluation by more than this many goal points are searched further.
    pub threshold: f64,
    /// Maximum number of steps.
    pub steps: u32,
}

/// Multi-cut: prunes a state after shallow searches of some moves. Forward pruning, which may change values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiCut {
    /// Moves that are tried (M).
    pub moves: usize,
    /// Cut-offs among them that suffice where a cut-off is expected (C); where none is expected one less does.
    pub cuts: usize,
    /// Steps by which their searches are shallower (R).
    pub reduction: u32,
}

/// Realisation probability search: searches likely moves deeper than others. Forward pruning, which changes values. A
/// move that is best in a share P of the states where it can be made costs `log(P)` to the base K of depth, between two
/// bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    /// The share of a move that costs exactly one step of depth (K).
    pub base: f64,
    /// The least cost in steps.
    pub least: f64,
    /// The greatest cost in steps.
    pub most: f64,
}

impl Default for Likelihood {
    fn default() -> Likelihood {
        Likelihood {
            base: 0.25,
            least: 0.5,
            most: 4.0,
        }
    }
}

impl Default for MultiCut {
    fn default() -> MultiCut {
        MultiCut {
            moves: 10,
            cuts: 3,
            reduction: 2,
        }
    }
}

impl Default for Quiescence {
    fn default() -> Quiescence {
        Quiescence {
            threshold: 5.0,
            steps: 4,
        }
    }
}

/// Settings of [`AlphaBeta`](super::AlphaBeta).
///
/// The value of a search to a fixed depth depends on `model`, `quiescence`, `deeper`, `multi_cut` and `likelihood`
/// only; all else changes how fast it is found.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Assumption about the other roles.
    pub model: Model,
    /// Maximum depth in steps. A step takes some stack.
    pub most_depth: u32,
    /// Whether alpha-beta prunes. Without it the search is plain minimax, as a baseline.
    pub cut: bool,
    /// Whether moves after the first are searched with a null window first (principal variation search).
    pub principal: bool,
    /// Memory for the transposition table in bytes; 0 for none.
    pub table: usize,
    /// Whether entries of deeper searches are used too. They are better, but not the same.
    pub deeper: bool,
    /// Whether successors are looked up in the table before any is searched, beyond depth two (enhanced transposition
    /// cut-off).
    pub enhanced: bool,
    /// Whether moves that caused cut-offs at the same distance from the root are tried early (killer moves).
    pub killers: bool,
    /// Whether moves that caused cut-offs anywhere are tried early.
    pub history: History,
    /// Memory for evaluations of states in bytes; 0 for none.
    pub cache: usize,
    /// Quiescence search, if any.
    pub quiescence: Option<Quiescence>,
    /// Multi-cut, if any. Forward pruning.
    pub multi_cut: Option<MultiCut>,
    /// Realisation probabilities, if any. Forward pruning.
    pub likelihood: Option<Likelihood>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            model: Model::Paranoid,
            most_depth: 100,
            cut: true,
            principal: true,
            table: 64 << 20,
            deeper: true,
            enhanced: true,
            killers: true,
            history: History::Relative,
            cache: 16 << 20,
            quiescence: None,
            multi_cut: None,
            likelihood: None,
        }
    }
}

impl Settings {
    /// Plain minimax: nothing that makes it faster.
    pub fn plain() -> Settings {
        Settings {
            cut: false,
            principal: false,
            table: 0,
            deeper: false,
            enhanced: false,
            killers: false,
            history: History::None,
            cache: 0,
            ..Settings::default()
        }
    }
}
