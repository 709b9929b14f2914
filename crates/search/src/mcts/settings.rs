//! How to search: every part of the searcher that can be switched or tuned.

/// Settings of the search. The default is plain UCT with what costs nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How much moves that are little known are preferred, for goals from 0 to 100.
    pub exploration: f64,
    /// Whether the preference is for goals between the least and the greatest that occur, instead of 0 and 100.
    pub scaled: bool,
    /// The urgency of a move that was never tried; without one, every move is tried once before any is tried again.
    pub first_play: Option<f64>,
    /// Whether every joint move is made once before statistics decide, where several roles choose at the same time.
    pub joint_first: bool,
    /// How roles that choose at the same time are treated.
    pub simultaneous: Simultaneous,
    /// Playouts from each leaf.
    pub leaf: u32,
    /// How many playouts may be started on the same knowledge; with 1 every result is in before the next leaf is chosen.
    pub ahead: u64,
    /// Nodes that are kept in memory.
    pub most_nodes: usize,
    /// Whether proved values are used.
    pub solver: bool,
    /// The greatest length of a playout.
    pub most_steps: usize,
    /// After how many steps playouts are cut off and their last state is judged.
    pub cut: Option<usize>,
    /// With which probability playouts are stopped in each of their states, which the evaluator then judges.
    pub stop: f64,
    /// The share of the evaluator's judgement in the value of a new state of the tree; the rest comes from playouts. With
    /// 1 there are no playouts.
    pub trust: f64,
    /// After so many tries of a move its own results count as much as the advisor's judgement of it; 0 leaves the advisor
    /// out.
    pub blend: f64,
    /// The advisor's judgement of a move counts as so many tries of it that came before all others.
    pub head_start: f64,
    /// After so many visits of a state the results of its moves count as much as the advisor's judgement of them; 0 leaves
    /// the advisor out.
    pub lean: f64,
    /// Whether the advisor's judgements of the moves of a state are stretched in the tree, so that the worst has 0 and the
    /// best 100.
    pub stretched: bool,
    /// The same in playouts.
    pub stretched_playouts: bool,
    /// Threads that search at the same time.
    pub threads: usize,
    /// Whether all threads search one tree, instead of one each.
    pub one_tree: bool,
    /// Statistics over all moves of a playout as if they had been made first.
    pub rave: Option<Rave>,
    /// The weight of progressive bias towards moves that are good on average.
    pub bias: f64,
    /// The share of implicit minimax values in the value of a move.
    pub implicit: f64,
    /// How moves are chosen in playouts.
    pub playout: PlayoutPolicy,
    /// How a move is drawn by the averages of such a policy.
    pub draw: Draw,
    /// The share of what was learnt about moves that is kept from one decision to the next.
    pub keep: f64,
    /// Whether the moves of the root are tried in rounds, dropping the worse half after each (sequential halving).
    pub halving: bool,
    /// In games with one role: the share of the best result in the value of a move; the rest is the mean.
    pub maximum: f64,
    /// In games with one role: the factor on a result for each step that it takes.
    pub discount: f64,
}

/// How roles that choose at the same time are treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simultaneous {
    /// Each chooses by its own statistics, as if it were alone.
    Decoupled,
    /// They are taken to choose one after the other, the own role first and each knowing what was chosen before: what
    /// many players do, and wrong.
    Sequenced,
    /// Each draws its move by regret matching, and the move to make is drawn from its average strategy.
    Regret {
        /// How often any move is drawn instead.
        exploration: f64,
    },
}

/// All-moves-as-first statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// How many playouts a state must have seen to lend its statistics to the states behind it (GRAVE). With 0 every
    /// state uses its own (RAVE).
    pub reference: u32,
    /// After so many tries of a move its own results count as much as these statistics.
    pub equivalence: f64,
}

/// How moves are chosen in playouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// All moves alike.
    Uniform,
    /// By the average result after a move, wherever it was made (MAST).
    Mast,
    /// The same, but only results in the tree count (TO-MAST).
    TreeMast,
    /// By the average result after a move, apart for every fluent that held when it was made (PAST).
    Past,
    /// By the average results after a move and after sequences that end with it (NST).
    Nst,
    /// The last reply to a move that was good; where there is none, all moves alike (last good reply with forgetting).
    Reply,
    /// By what is learnt about fluents that moves bring about (in the manner of FAST).
    Fast,
    /// By the advisor's judgement of each move; without an advisor, all moves alike.
    Advised,
}

/// How a move is drawn by what is known about all legal ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// With probabilities that grow exponentially with the value (Gibbs), by this temperature in points.
    Gibbs {
        /// In points of goals: the smaller, the greedier.
        temperature: f64,
    },
    /// The best move, but with this probability any.
    Greedy {
        /// The probability.
        epsilon: f64,
    },
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exploration: 40.0,
            scaled: true,
            first_play: None,
            joint_first: false,
            simultaneous: Simultaneous::Decoupled,
            leaf: 1,
            ahead: 4096,
            most_nodes: 1_000_000,
            solver: true,
            most_steps: crate::baselines::MOST_STEPS,
            cut: None,
            stop: 0.0,
            trust: 0.0,
            blend: 0.0,
            head_start: 0.0,
            lean: 0.0,
            stretched: false,
            stretched_playouts: false,
            threads: 1,
            one_tree: false,
            rave: None,
            bias: 0.0,
            implicit: 0.0,
            playout: PlayoutPolicy::Uniform,
            draw: Draw::Gibbs { temperature: 10.0 },
            keep: 0.25,
            halving: false,
            maximum: 0.25,
            discount: 1.0,
        }
    }
}
