//! The settings of Monte Carlo tree search, for all agents that search so.

use super::AgentSettings;
use super::knowing::{Knowing, Wanted};
use super::support::threads;
use crate::advisors::Heuristic;
use crate::agent::{Agent, Place};
use crate::evaluators::EvaluatorSpec;
use crate::playouts::Playout;
use crate::settings::{Flag, NoneAt, OneOf, choice, settings};
use ludens_engine::{Game, StepCost};
use ludens_search::mcts::{Draw, Mcts, PlayoutPolicy, Rave, Settings, Simultaneous};

/// The settings of the search, with what it is to know.
#[derive(Clone, Debug)]
pub(super) struct TreeSearch {
    /// No playouts per leaf at all stand for as many as suit the game, no threads for one on each core.
    pub(super) search: Settings,
    pub(super) playout: Playout,
    pub(super) heuristic: HeuristicUse,
    pub(super) evaluator: Option<EvaluatorSpec>,
    pub(super) rave: AllMovesAsFirst,
    pub(super) root: Root,
    pub(super) trees: Trees,
    /// Backward steps of the endgame database.
    pub(super) endgame: usize,
}

impl Default for TreeSearch {
    fn default() -> TreeSearch {
        TreeSearch {
            search: Settings::with(|search| search.playout.per_leaf = 0),
            playout: Playout::default(),
            heuristic: HeuristicUse::None,
            evaluator: None,
            rave: AllMovesAsFirst::None,
            root: Root::Ucb,
            trees: Trees::Each,
            endgame: 0,
        }
    }
}

settings! {
    impl TreeSearch {
        /// exploration constant of UCB1, for scores from 0 to 100
        c => search.selection.exploration, 0.0..=1e6;
        /// scale c to the range of scores that occur, instead of 0 to 100
        scale => search.selection.scaled, Flag;
        /// first-play urgency (0–100); -1 = visit every move once first
        first => search.selection.first_play_urgency, NoneAt(-1.0, -1.0..=1000.0);
        /// playout policy
        playout => playout, OneOf;
        /// where the move heuristic from the goals, regressed one step, is used
        heuristic => heuristic, OneOf;
        /// share of the playout policy's statistics kept from one move to the next
        keep => search.playout.keep, 0.0..=1.0;
        /// all-moves-as-first statistics in selection
        rave => rave, OneOf;
        /// weight of progressive bias towards moves with a good mean wherever they were made
        bias => search.selection.progressive_bias, 0.0..=1e6;
        /// evaluator for stop, blend, head, playout=advised, cut, trust and implicit
        eval => evaluator, OneOf;
        /// probability of ending a playout in each of its states, with an evaluation
        stop => search.playout.stop, 0.0..=1.0;
        /// visits at which the move's own mean and the evaluator's prior weigh equally (0 = off)
        blend => search.selection.prior.move_equivalence, 0.0..=1e9;
        /// number of visits that the evaluator's prior of a move counts for (0 = off)
        head => search.selection.prior.virtual_visits, 0.0..=1e6;
        /// number of steps after which a playout ends with an evaluation (0 = never)
        cut => search.playout.cut, NoneAt(0, 0..=1_000_000);
        /// weight of the evaluation in the value of a new node; 1 = no playouts
        trust => search.expansion.evaluator_share, 0.0..=1.0;
        /// weight of implicit minimax values in the value of a move
        implicit => search.backup.implicit_minimax, 0.0..=1.0;
        /// selection rule at the root
        root => root, OneOf;
        /// selection where several roles choose at the same time
        simultaneous => search.simultaneous.rule, OneOf;
        /// where several roles choose at the same time: visit every joint move once first
        joint => search.simultaneous.joint_first, Flag;
        /// games with one role: weight of the best result in the value of a move
        max => search.single_player.best_share, 0.0..=1.0;
        /// games with one role: factor on a result for each step it takes
        discount => search.single_player.discount, 0.0..=1.0;
        /// MCTS-Solver: stop exploring moves with a proven value
        solver => search.backup.solver, Flag;
        /// playouts from each leaf (0 = 1, more in small games)
        leaf => search.playout.per_leaf, 0..=512;
        /// maximum number of playouts in flight; 1 = strictly sequential
        ahead => search.playout.in_flight, 1..=1 << 20;
        /// backward steps of the endgame database built during the start clock (0 = none)
        endgame => endgame, 0..=10_000;
        /// maximum number of tree nodes
        nodes => search.expansion.max_nodes, 1..=1 << 31;
        /// maximum playout length
        steps => search.playout.max_steps, 1..=1_000_000;
        /// number of search threads (0 = one per core)
        threads => search.parallel.threads, 0..=256;
        /// what several threads search
        trees => trees, OneOf;
    }
}

/// All-moves-as-first statistics.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AllMovesAsFirst {
    None,
    Rave(OwnStatistics),
    Grave(AncestorStatistics),
}

choice! {
    impl AllMovesAsFirst {
        /// not used
        "none" = AllMovesAsFirst::None;
        /// RAVE: every node uses its own statistics
        "rave" => AllMovesAsFirst::Rave(OwnStatistics);
        /// GRAVE: a node uses the statistics of its nearest ancestor with enough visits
        "grave" => AllMovesAsFirst::Grave(AncestorStatistics);
    }
}

settings! {
    /// Settings of RAVE.
    #[derive(PartialEq)]
    pub(super) struct OwnStatistics {
        /// visits at which a move's own mean and these statistics weigh equally
        k: f64 = 1000.0, 0.0..=1e9;
    }
}

/// Settings of GRAVE.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AncestorStatistics {
    own: OwnStatistics,
    reference: u32,
}

impl Default for AncestorStatistics {
    fn default() -> AncestorStatistics {
        AncestorStatistics {
            own: OwnStatistics::default(),
            reference: 50,
        }
    }
}

settings! {
    impl AncestorStatistics {
        /// visits at which a move's own mean and these statistics weigh equally
        k => own.k, 0.0..=1e9;
        /// visits that an ancestor needs
        ref => reference, 0..=1 << 31;
    }
}

/// Selection at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Root {
    Ucb,
    Halving,
}

choice! {
    impl Root {
        /// UCB1, as everywhere in the tree
        "ucb" = Root::Ucb;
        /// sequential halving: rounds that drop the worse half of the moves
        "halving" = Root::Halving;
    }
}

/// How threads search together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trees {
    Each,
    Shared,
}

choice! {
    impl Trees {
        /// root parallelisation: a tree for each thread, visits added up in the end
        "each" = Trees::Each;
        /// tree parallelisation: one larger tree, but threads wait for each other and runs are not repeatable
        "shared" = Trees::Shared;
    }
}

choice! {
    impl Simultaneous {
        /// decoupled UCT: each role by its own statistics
        "decoupled" = Simultaneous::Decoupled;
        /// as if roles moved one after the other, the own role first: simple, and wrong
        "sequenced" = Simultaneous::Sequenced;
        /// regret matching (SM-MCTS); the move is drawn from the average strategy
        "regret": Simultaneous::Regret {
            /// probability of a uniformly random move instead
            gamma => exploration = 0.1, 0.0..=1.0;
        };
    }
}

/// Where the move heuristic is used.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum HeuristicUse {
    None,
    Playout(PlayoutHeuristic),
    Tree(TreeHeuristic),
    Combined(CombinedHeuristic),
}

choice! {
    impl HeuristicUse {
        /// not used
        "none" = HeuristicUse::None;
        /// in playouts, instead of the playout policy
        "playout" => HeuristicUse::Playout(PlayoutHeuristic);
        /// in the tree, as a prior
        "tree" => HeuristicUse::Tree(TreeHeuristic);
        /// in playouts and in the tree
        "combined" => HeuristicUse::Combined(CombinedHeuristic);
    }
}

settings! {
    /// Use in playouts.
    #[derive(PartialEq)]
    pub(super) struct InPlayouts {
        /// playouts: temperature of Gibbs sampling, for degrees of truth from 0 to 1; the lower, the greedier
        tau: f64 = 0.05, 1e-4..=1e4;
        /// playouts: stretch degrees so that the worst move has 0 and the best 1
        spread: bool = false, Flag;
    }
}

settings! {
    /// Use in the tree.
    #[derive(PartialEq)]
    pub(super) struct InTree {
        /// tree: visits of a node at which results and the prior weigh equally
        k: f64 = 20.0, 1e-6..=1e9;
        /// tree: stretch degrees so that the worst move has 0 and the best 100
        stretch: bool = true, Flag;
    }
}

settings! {
    /// The heuristic in playouts.
    #[derive(PartialEq)]
    pub(super) struct PlayoutHeuristic {
        ..playouts: InPlayouts;
        ..heuristic: Heuristic;
    }
}

settings! {
    /// The heuristic in the tree.
    #[derive(PartialEq)]
    pub(super) struct TreeHeuristic {
        ..tree: InTree;
        ..heuristic: Heuristic;
    }
}

settings! {
    /// The heuristic in both.
    #[derive(PartialEq)]
    pub(super) struct CombinedHeuristic {
        ..playouts: InPlayouts;
        ..tree: InTree;
        ..heuristic: Heuristic;
    }
}

impl HeuristicUse {
    /// Makes a search use the heuristic. Returns how to build it, if it is used.
    fn apply(&self, search: &mut Settings) -> Option<Heuristic> {
        let (playouts, tree, heuristic) = match self {
            HeuristicUse::None => return None,
            HeuristicUse::Playout(own) => (Some(&own.playouts), None, &own.heuristic),
            HeuristicUse::Tree(own) => (None, Some(&own.tree), &own.heuristic),
            HeuristicUse::Combined(own) => (Some(&own.playouts), Some(&own.tree), &own.heuristic),
        };
        if let Some(playouts) = playouts {
            search.playout.policy = PlayoutPolicy::Advised;
            // Degrees of truth are from 0 to 1, scores from 0 to 100.
            search.playout.draw = Draw::Gibbs {
                temperature: 100.0 * playouts.tau,
            };
            search.playout.rescaled = playouts.spread;
        }
        if let Some(tree) = tree {
            search.selection.prior.node_equivalence = tree.k;
            search.selection.prior.rescaled = tree.stretch;
        }
        Some(heuristic.clone())
    }
}

impl TreeSearch {
    /// Returns the same search with RAVE.
    pub(super) fn with_rave(self) -> TreeSearch {
        TreeSearch {
            rave: AllMovesAsFirst::Rave(OwnStatistics::default()),
            ..self
        }
    }

    /// Returns the settings of the search for a game, and how to build the heuristic, if it is used.
    fn resolve(&self, game: &Game) -> (Settings, Option<Heuristic>) {
        let mut search = self.search.clone();
        if search.playout.per_leaf == 0 {
            search.playout.per_leaf = usual_leaf(game);
        }
        search.parallel.threads = threads(search.parallel.threads);
        search.parallel.shared_tree = self.trees == Trees::Shared;
        search.selection.halving = self.root == Root::Halving;
        let rave = match &self.rave {
            AllMovesAsFirst::None => None,
            AllMovesAsFirst::Rave(own) => Some((0, own.k)),
            AllMovesAsFirst::Grave(own) => Some((own.reference, own.own.k)),
        };
        search.selection.rave = rave.map(|(reference, equivalence)| Rave { reference, equivalence });
        self.playout.apply(&mut search.playout);
        let heuristic = self.heuristic.apply(&mut search);
        (search, heuristic)
    }
}

impl AgentSettings for TreeSearch {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let (settings, heuristic) = self.resolve(&place.game);
        let prior = settings.selection.prior;
        let is_advised = settings.playout.policy == PlayoutPolicy::Advised;
        let wanted = Wanted {
            endgame: self.endgame,
            evaluator: self.evaluator.clone(),
            heuristic,
            lookahead: is_advised || prior.move_equivalence > 0.0 || prior.virtual_visits > 0.0,
            max_steps: settings.playout.max_steps,
        };
        let search = Mcts::new(&place.game, place.role, settings, place.seed);
        Box::new(Knowing::new(place, wanted, search))
    }
}

/// Returns the number of playouts from each leaf: several where a playout takes less time than the way to the leaf.
pub(super) fn usual_leaf(game: &Game) -> u32 {
    match game.engine().step_cost() {
        StepCost::Trivial => 8,
        StepCost::VeryLow | StepCost::Low => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defaults of the agent are those of the library, but for playouts per leaf, which depend on the game.
    #[test]
    fn defaults_are_those_of_the_library() {
        let game = Game::read(
            ludens_library::find("tic-tac-toe")
                .expect("it is in the library")
                .source(),
        );
        let (settings, heuristic) = TreeSearch::default().resolve(&game.expect("it has rules"));
        let expected = Settings::with(|settings| settings.playout.per_leaf = 8);
        assert_eq!(settings, expected);
        assert_eq!(heuristic, None);
    }
}
