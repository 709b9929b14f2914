//! Monte Carlo tree search.
//!
//! One searcher for all games: any number of roles, in turns or at the same time. Every role keeps its own statistics
//! and chooses by UCB, without regard to what the others choose at the same time ("decoupled"); where only one role has a
//! choice that is ordinary UCT (Kocsis and Szepesvári, 2006). States that are reached in several ways share a node, what
//! is proved by the solver (Winands and others, 2008, here for goals of any kind) is not explored any more, and the tree
//! is kept from one move to the next.

mod tree;
mod walk;

use crate::decision::{Decision, MoveStatistics, StopReason};
use crate::effort::Effort;
use crate::searcher::Searcher;
use ludens_engine::{Game, Machine, MoveId, Playouts, Rng, Role, State};
use tree::{NodeId, Tree};
use walk::Walk;

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How much moves that are little known are preferred, for goals from 0 to 100.
    pub exploration: f64,
    /// The urgency of a move that was never tried; without one, every move is tried once before any is tried again.
    pub first_play: Option<f64>,
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
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exploration: 40.0,
            first_play: None,
            leaf: 1,
            ahead: 4096,
            most_nodes: 1_000_000,
            solver: true,
            most_steps: crate::baselines::MOST_STEPS,
        }
    }
}

/// Monte Carlo tree search for one role.
pub struct Mcts {
    game: Game,
    role: Role,
    settings: Settings,
    is_chance: Vec<bool>,
    machine: Box<dyn Machine>,
    playouts: Box<dyn Playouts>,
    tree: Tree,
    rng: Rng,
}

impl Mcts {
    /// For a role.
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> Mcts {
        Mcts {
            machine: game.machine(),
            playouts: game.engine().playouts(),
            is_chance: game.roles().map(|role| game.is_random(role)).collect(),
            game: game.clone(),
            role,
            settings,
            tree: Tree::default(),
            rng: Rng::with_seed(seed),
        }
    }

    /// The node of a state; what cannot be reached from it any more is dropped.
    fn go_to(&mut self, state: &State) -> NodeId {
        match self.tree.find(state) {
            Some(known) => self.tree.keep(known),
            None => {
                self.tree = Tree::default();
                self.machine.load(state);
                self.tree.add(&mut *self.machine)
            }
        }
    }

    /// Searches; gives the number of playouts and what ended it.
    fn search(&mut self, root: NodeId, effort: &Effort) -> (u64, StopReason) {
        let mut walk = Walk::new(
            &mut self.tree,
            &mut *self.machine,
            &self.settings,
            &self.is_chance,
            effort,
            root,
            self.rng.fork(),
        );
        let first = first_round(&self.game);
        while walk.stop.is_none() {
            // At first results come back before much is started on what little is known.
            walk.quota = (walk.finished / 2).max(first).clamp(1, self.settings.ahead);
            self.playouts.run(&mut self.rng, self.settings.most_steps, &mut walk);
            if effort.budget().is_spent() && walk.stop.is_none() {
                walk.stop = effort.stop(walk.iterations).or(Some(StopReason::Deadline));
            }
        }
        (walk.finished, walk.stop.unwrap_or(StopReason::Iterations))
    }

    /// The statistics of the own moves at a node.
    fn statistics(&self, root: NodeId) -> Vec<MoveStatistics> {
        let node = self.tree.get(root);
        let choice = &node.choices[self.role.index()];
        let is_alone = node.chooser() == Some(self.role.index());
        let visits: u64 = choice.arms.iter().map(|arm| u64::from(arm.finished)).sum();
        let pairs = choice.moves.iter().zip(&choice.arms).enumerate();
        pairs
            .map(|(place, (&move_id, arm))| {
                let certain = match is_alone {
                    true => node.child(place as u64).and_then(|child| self.tree.get(child).proved.as_ref()),
                    false => None,
                };
                MoveStatistics {
                    move_id,
                    probability: f64::from(arm.finished) / visits.max(1) as f64,
                    value: certain.map(|scores| f64::from(scores[self.role.index()])).or(arm.mean()),
                    visits: u64::from(arm.finished),
                }
            })
            .collect()
    }

    /// The place of the move to make: the best one if it is proved, else the one that was tried most.
    fn best(&mut self, root: NodeId, moves: &[MoveStatistics]) -> usize {
        let proved = self.tree.get(root).proved.as_ref();
        let goal = proved.map(|scores| f64::from(scores[self.role.index()]));
        let rank = |move_of: &MoveStatistics| match goal {
            Some(goal) if self.tree.get(root).chooser() == Some(self.role.index()) => {
                (move_of.value == Some(goal), move_of.visits)
            }
            _ => (false, move_of.visits),
        };
        let best = moves.iter().map(rank).max();
        let equal: Vec<usize> = (0..moves.len()).filter(|&place| Some(rank(&moves[place])) == best).collect();
        // Among moves tried equally often the mean decides, then chance.
        let means = equal.iter().map(|&place| moves[place].value.unwrap_or(-1.0));
        equal[crate::bandit::best(means, &mut self.rng)]
    }

    /// How the match is expected to go on: every role makes the move that was tried most.
    fn line(&self, root: NodeId, first: MoveId) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = root;
        while line.len() < 20 {
            let node = self.tree.get(at);
            if node.is_terminal || (node.finished == 0 && !line.is_empty()) {
                break;
            }
            let places: Vec<u32> = node
                .choices
                .iter()
                .enumerate()
                .map(|(role, choice)| {
                    let own = line.is_empty() && role == self.role.index();
                    let fixed = choice.moves.iter().position(|&known| own && known == first);
                    let most = choice.arms.iter().enumerate().max_by_key(|(_, arm)| arm.finished);
                    fixed.or(most.map(|(place, _)| place)).unwrap_or(0) as u32
                })
                .collect();
            let mut joint = Vec::new();
            node.joint(&places, &mut joint);
            line.push(joint);
            match node.child(node.joint_number(&places)) {
                Some(child) => at = child,
                None => break,
            }
        }
        line
    }
}

/// Playouts of the first rounds. In large networks one playout takes as long as hundreds at once.
fn first_round(game: &Game) -> u64 {
    match game.engine().gates() {
        None | Some(0..=2_000) => 1,
        Some(2_001..=20_000) => 16,
        Some(20_001..=100_000) => 64,
        Some(_) => 256,
    }
}

impl Searcher for Mcts {
    fn prepare(&mut self, state: &State, effort: &Effort) {
        // Without a deadline the start is no gift of time.
        if effort.budget().deadline().is_some() {
            let root = self.go_to(state);
            self.search(root, effort);
        }
    }

    fn decide(&mut self, state: &State, effort: &Effort) -> Decision {
        let root = self.go_to(state);
        let node = self.tree.get(root);
        let moves = &node.choices.get(self.role.index()).map_or(&[][..], |choice| &choice.moves);
        if let [only] = moves[..] {
            // Others may think meanwhile; there is nothing to find out for this role that cannot wait.
            return Decision::without_search(only, StopReason::OnlyMove);
        }
        let (playouts, stop) = self.search(root, effort);
        let moves = self.statistics(root);
        let best = self.best(root, &moves);
        let choice = moves[best].move_id;
        Decision {
            choice,
            value: moves[best].value,
            line: self.line(root, choice),
            nodes: self.tree.len() as u64,
            playouts,
            stop,
            moves,
        }
    }
}
