//! Settings of the search, one struct per phase.

/// Settings of [`Mcts`](super::Mcts). The default is UCT with the solver and nothing that costs time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Which move is tried next in the tree.
    pub selection: SelectionSettings,
    /// How the tree grows and how new nodes are valued.
    pub expansion: ExpansionSettings,
    /// How playouts are run.
    pub playout: PlayoutSettings,
    /// What results change on their way to the root.
    pub backup: BackupSettings,
    /// Threads and trees.
    pub parallel: ParallelSettings,
    /// Games with one role.
    pub single_player: SinglePlayerSettings,
    /// Nodes where several roles choose at the same time.
    pub simultaneous: SimultaneousSettings,
}

impl Settings {
    /// Returns the default settings after a change.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Settings {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    }
}

/// Settings of the selection phase.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionSettings {
    /// Exploration constant of UCB1, for goals from 0 to 100.
    pub exploration: f64,
    /// Whether the exploration constant is scaled to the range of the goals seen so far, instead of 0 to 100.
    pub scaled: bool,
    /// First-play urgency: the score of an unvisited move. `None` visits every move once before any is visited again.
    pub first_play_urgency: Option<f64>,
    /// All-moves-as-first statistics, if any.
    pub rave: Option<Rave>,
    /// Weight of progressive bias towards moves with a high average over all playouts; 0 disables it.
    pub progressive_bias: f64,
    /// How the advisor's evaluations of moves are used.
    pub prior: PriorSettings,
    /// Whether the moves of the root are tried in rounds, dropping the worse half after each (sequential halving).
    pub halving: bool,
}

/// How the advisor's evaluations of moves (the prior) enter their values in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriorSettings {
    /// Visits of a move at which its own mean and the prior weigh equally; 0 disables this use of the prior.
    pub move_equivalence: f64,
    /// Visits of a node at which the means of its moves and their priors weigh equally; 0 disables this use of the prior.
    pub node_equivalence: f64,
    /// Virtual visits of each move with the prior as their result; 0 disables this use of the prior.
    pub virtual_visits: f64,
    /// Whether the priors of a node are rescaled so that the worst is 0 and the best 100.
    pub rescaled: bool,
}

/// All-moves-as-first statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// Visits from which on a node lends its statistics to its descendants (GRAVE). With 0 every node uses its own (RAVE).
    pub reference: u32,
    /// Visits of a move at which its own mean and these statistics weigh equally.
    pub equivalence: f64,
}

/// Settings of the expansion phase.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpansionSettings {
    /// Maximum number of tree nodes.
    pub max_nodes: usize,
    /// Share of the evaluator in the value of a new node; the rest comes from playouts. With 1 there are no playouts.
    pub evaluator_share: f64,
}

/// Settings of the playout phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayoutSettings {
    /// How moves are chosen.
    pub policy: PlayoutPolicy,
    /// How a move is drawn by the values that the policy gives to the legal moves.
    pub draw: Draw,
    /// Share of what the policy learnt that is kept from one decision to the next.
    pub keep: f64,
    /// Whether the advisor's evaluations are rescaled so that the worst legal move has 0 and the best 100.
    pub rescaled: bool,
    /// Playouts from each leaf.
    pub per_leaf: u32,
    /// Maximum number of playouts in flight. With 1 every result is backed up before the next leaf is selected.
    pub in_flight: u64,
    /// Maximum length of a playout.
    pub max_steps: usize,
    /// Length at which playouts are cut off and their last state is evaluated, if any.
    pub cut: Option<usize>,
    /// Probability of stopping a playout in each of its states, which the evaluator then values.
    pub stop: f64,
}

/// How moves are chosen in playouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Uniformly at random.
    Uniform,
    /// By the mean result after a move, wherever it was made (MAST).
    Mast,
    /// MAST over the moves made in the tree only (TO-MAST).
    TreeMast,
    /// By the mean result after a move, separately for every fluent that held when it was made (PAST).
    Past,
    /// By the mean results after a move and after sequences that end with it (NST).
    Nst,
    /// The last good reply to the previous move, uniform without one (last good reply with forgetting).
    Reply,
    /// By what is learnt about the fluents that moves make true (in the manner of FAST).
    Fast,
    /// By the advisor's evaluation of each move; uniform without an advisor.
    Advised,
}

/// How a move is drawn by the values of all legal ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// Gibbs sampling: probabilities grow exponentially with the value.
    Gibbs {
        /// Temperature in goal points: the lower, the greedier.
        temperature: f64,
    },
    /// Epsilon-greedy: the best move, or with this probability a uniformly random one.
    Greedy {
        /// Probability of a random move.
        epsilon: f64,
    },
}

/// Settings of the backup phase.
#[derive(Clone, Debug, PartialEq)]
pub struct BackupSettings {
    /// Whether proved values are backed up and used (MCTS-Solver).
    pub solver: bool,
    /// Share of implicit minimax values in the value of a move; 0 disables them.
    pub implicit_minimax: f64,
}

/// Settings of parallel search.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelSettings {
    /// Number of threads.
    pub threads: usize,
    /// Whether all threads search one tree (tree parallelisation), instead of one each (root parallelisation).
    pub shared_tree: bool,
}

/// Settings for games with one role.
#[derive(Clone, Debug, PartialEq)]
pub struct SinglePlayerSettings {
    /// Share of the best result in the value of a move; the rest is the mean.
    pub best_share: f64,
    /// Factor on a result for each step that it takes.
    pub discount: f64,
}

/// Settings for nodes where several roles choose at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct SimultaneousSettings {
    /// How the roles choose.
    pub rule: Simultaneous,
    /// Whether every joint move is made once before statistics decide.
    pub joint_first: bool,
}

/// How roles that choose at the same time are treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simultaneous {
    /// Each role selects by its own statistics, as if it were alone (decoupled UCT).
    Decoupled,
    /// The roles choose one after the other, the searching role first, each knowing the choices before (sequential UCT).
    /// Simple, and wrong.
    Sequenced,
    /// Each role draws its move by regret matching; the final move is drawn from its average strategy.
    Regret {
        /// Probability of a uniformly random move instead.
        exploration: f64,
    },
}

impl Default for SelectionSettings {
    fn default() -> SelectionSettings {
        SelectionSettings {
            exploration: 40.0,
            scaled: true,
            first_play_urgency: None,
            rave: None,
            progressive_bias: 0.0,
            prior: PriorSettings::default(),
            halving: false,
        }
    }
}

impl Default for ExpansionSettings {
    fn default() -> ExpansionSettings {
        ExpansionSettings {
            max_nodes: 1_000_000,
            evaluator_share: 0.0,
        }
    }
}

impl Default for PlayoutSettings {
    fn default() -> PlayoutSettings {
        PlayoutSettings {
            policy: PlayoutPolicy::Uniform,
            draw: Draw::Gibbs { temperature: 10.0 },
            keep: 0.25,
            rescaled: false,
            per_leaf: 1,
            in_flight: 4096,
            max_steps: crate::baselines::MOST_STEPS,
            cut: None,
            stop: 0.0,
        }
    }
}

impl Default for BackupSettings {
    fn default() -> BackupSettings {
        BackupSettings {
            solver: true,
            implicit_minimax: 0.0,
        }
    }
}

impl Default for ParallelSettings {
    fn default() -> ParallelSettings {
        ParallelSettings {
            threads: 1,
            shared_tree: false,
        }
    }
}

impl Default for SinglePlayerSettings {
    fn default() -> SinglePlayerSettings {
        SinglePlayerSettings {
            best_share: 0.25,
            discount: 1.0,
        }
    }
}

impl Default for SimultaneousSettings {
    fn default() -> SimultaneousSettings {
        SimultaneousSettings {
            rule: Simultaneous::Decoupled,
            joint_first: false,
        }
    }
}

/// A playout policy with the words by which users choose it.
pub struct PolicyEntry {
    /// Name in agent specs.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The policy.
    pub policy: PlayoutPolicy,
    /// Whether it gives values to moves, by which [`Draw`] then draws one.
    pub draws: bool,
}

/// All playout policies.
pub const PLAYOUT_POLICIES: &[PolicyEntry] = &[
    PolicyEntry {
        name: "uniform",
        help: "all moves alike",
        policy: PlayoutPolicy::Uniform,
        draws: false,
    },
    PolicyEntry {
        name: "mast",
        help: "by the average result after a move, wherever it was made",
        policy: PlayoutPolicy::Mast,
        draws: true,
    },
    PolicyEntry {
        name: "to-mast",
        help: "the same, but only results of moves in the tree count",
        policy: PlayoutPolicy::TreeMast,
        draws: true,
    },
    PolicyEntry {
        name: "past",
        help: "by the average result after a move in states that have something in common with the one at hand",
        policy: PlayoutPolicy::Past,
        draws: true,
    },
    PolicyEntry {
        name: "nst",
        help: "by the average results after sequences of up to three moves",
        policy: PlayoutPolicy::Nst,
        draws: true,
    },
    PolicyEntry {
        name: "reply",
        help: "the last good reply to the move before, forgotten when it fails",
        policy: PlayoutPolicy::Reply,
        draws: false,
    },
    PolicyEntry {
        name: "fast",
        help: "by the average results of matches that end with what a move brings about",
        policy: PlayoutPolicy::Fast,
        draws: true,
    },
    PolicyEntry {
        name: "advised",
        help: "by what eval thinks of the state behind a move; all moves alike without one",
        policy: PlayoutPolicy::Advised,
        draws: true,
    },
];
