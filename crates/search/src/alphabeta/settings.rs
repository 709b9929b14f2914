//! What can be set about depth-first search.

/// How the others are taken to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// All others want what is worst for the own role. Exact where two roles share a constant sum; else it is the
    /// *paranoid* assumption, which also serves roles that choose at the same time: the others answer what they see.
    #[default]
    Opposed,
    /// Everybody wants the best for itself (MaxN). Among moves that are equally good for who moves, the one that is worst
    /// for the own role is expected.
    MaxN,
}

/// How moves that led to cut-offs elsewhere are preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// Not at all.
    None,
    /// By how often they did, deep ones counting more.
    Absolute,
    /// By how often they did among the times they were tried.
    #[default]
    Relative,
}

/// Goes on from leaves until the judgement is stable. Changes the value of a search; the same search with any other
/// settings that keep values gives the same one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiescence {
    /// Moves that change the judgement by more than this are looked at further, in points of goals.
    pub threshold: f64,
    /// So many steps at most.
    pub steps: u32,
}

/// Gives a state up after shallow searches of some moves: *forward pruning*, which may change values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiCut {
    /// Moves that are tried (M).
    pub moves: usize,
    /// Cut-offs among them that suffice where a cut-off is expected (C); where none is expected one less does.
    pub cuts: usize,
    /// Steps by which their searches are shallower (R).
    pub reduction: u32,
}

/// Searches likely moves deeper than others: *forward pruning*, which changes values. A move that is best in a share P of
/// the states where it can be made costs `log(P)` to the base K of depth, between two bounds.
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

/// How a depth-first search goes about it.
///
/// The value of a search to a fixed depth depends on `model`, `quiescence`, `deeper`, `multi_cut` and `likelihood` only;
/// all else changes how fast it is found.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How the others are taken to choose.
    pub model: Model,
    /// The greatest depth in steps. A step takes some stack.
    pub most_depth: u32,
    /// Whether lines that cannot change the value are cut off. Without it, all are searched, as a baseline.
    pub cut: bool,
    /// Whether moves after the first are first searched with a window that only asks whether they are better.
    pub principal: bool,
    /// Memory for the transposition table in bytes; 0 for none.
    pub table: usize,
    /// Whether results of deeper searches than asked for are taken from the table. They are better, but not the same.
    pub deeper: bool,
    /// Whether successors are looked up in the table before any is searched, in states deeper than two steps.
    pub enhanced: bool,
    /// Whether moves that led to cut-offs at the same distance from the root are tried early.
    pub killers: bool,
    /// Whether moves that led to cut-offs anywhere are tried early.
    pub history: History,
    /// Memory for judgements of states in bytes; 0 for none.
    pub cache: usize,
    /// Whether to go on from leaves that are not quiet.
    pub quiescence: Option<Quiescence>,
    /// Whether to give states up early. Forward pruning.
    pub multi_cut: Option<MultiCut>,
    /// Whether likely moves are searched deeper. Forward pruning.
    pub likelihood: Option<Likelihood>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            model: Model::Opposed,
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
    /// Plain search: nothing that makes it faster.
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
