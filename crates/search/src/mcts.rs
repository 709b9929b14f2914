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
    /// Whether every joint move is made once before statistics decide, where several roles choose at the same time.
    pub joint_first: bool,
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
            joint_first: false,
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
        let visits: u64 = choice.arms.iter().map(|arm| u64::from(arm.finished)).sum();
        let pairs = choice.moves.iter().zip(&choice.arms).enumerate();
        pairs
            .map(|(place, (&move_id, arm))| MoveStatistics {
                move_id,
                probability: f64::from(arm.finished) / visits.max(1) as f64,
                value: self.certain(root, place).map(f64::from).or(arm.mean()),
                visits: u64::from(arm.finished),
            })
            .collect()
    }

    /// The goal of the role behind one of its moves, by its place, if it is certain and no other role has a choice.
    fn certain(&self, root: NodeId, place: usize) -> Option<u8> {
        let node = self.tree.get(root);
        if node.chooser() != Some(self.role.index()) {
            return None;
        }
        // Where only one role chooses, its move is the joint move.
        let child = node.child(place as u64)?;
        Some(self.tree.get(child).proved.as_ref()?[self.role.index()])
    }

    /// The place of the move to make: the best one if the outcome is proved, else the one that was tried most.
    fn best(&mut self, root: NodeId, moves: &[MoveStatistics]) -> usize {
        let proved = self.tree.get(root).proved.as_ref();
        let goal = proved.map(|scores| scores[self.role.index()]);
        // A mean can look as good as a proof.
        let rank = |place: usize| (goal.is_some() && self.certain(root, place) == goal, moves[place].visits);
        let best = (0..moves.len()).map(rank).max();
        let equal: Vec<usize> = (0..moves.len()).filter(|&place| Some(rank(place)) == best).collect();
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
        let moves = &node
            .choices
            .get(self.role.index())
            .map_or(&[][..], |choice| &choice.moves);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn game(name: &str) -> Game {
        let entry = ludens_library::find(name).expect("the library has the game");
        Game::read(entry.source()).expect("library games can be played")
    }

    fn one_by_one() -> Settings {
        Settings {
            ahead: 1,
            joint_first: true,
            ..Settings::default()
        }
    }

    /// The worked trace of biased rock-paper-scissors: after every joint move was made once, both players have equal
    /// statistics, make equal moves for ever, and drift to a third each, which is no equilibrium.
    #[test]
    fn decoupled_uct_goes_in_circles_in_biased_rock_paper_scissors() {
        let game = game("biased-rock-paper-scissors");
        let visits = |iterations: u64| -> Vec<(String, u64, f64)> {
            let mut search = Mcts::new(&game, Role(0), one_by_one(), 1);
            let decision = search.decide(game.initial(), &Effort::iterations(iterations));
            let of = |name: &str| {
                let found = decision
                    .moves
                    .iter()
                    .find(|known| game.move_text(Role(0), known.move_id) == name);
                let known = found.expect("the move is legal");
                (name.to_string(), known.visits, known.value.unwrap_or(0.0))
            };
            vec![of("rock"), of("paper"), of("scissors")]
        };
        let nine = visits(9);
        assert!(nine.iter().all(|(_, visits, _)| *visits == 3));
        let means: Vec<f64> = nine.iter().map(|(_, _, mean)| (mean * 100.0).round() / 100.0).collect();
        assert_eq!(means, [58.33, 56.67, 35.0]);
        let mut choices = String::new();
        let mut before = nine;
        for iterations in 10..=27 {
            let after = visits(iterations);
            let made = (0..3).find(|&place| after[place].1 > before[place].1);
            choices.push(
                ["r", "p", "s"][made.expect("one of them was made")]
                    .chars()
                    .next()
                    .unwrap_or('?'),
            );
            before = after;
        }
        // N = 9 chooses rock, 23 scissors for the first time, 24 to 26 go round.
        assert_eq!(choices, "rprprprprprprpsrps");
        let many = visits(100_000);
        for (name, visits, mean) in many {
            assert!(
                (visits as f64 / 100_000.0 - 1.0 / 3.0).abs() < 0.003,
                "{name}: {visits}"
            );
            assert!((mean - 50.0).abs() < 0.01, "{name}: {mean}");
        }
    }

    #[test]
    fn joint_moves_that_lead_to_one_state_share_a_node() {
        let game = game("simultaneous-tic-tac-toe");
        let mut search = Mcts::new(&game, Role(0), one_by_one(), 1);
        search.decide(game.initial(), &Effort::iterations(200));
        let root = search.tree.find(game.initial()).expect("the root is known");
        let mut children: Vec<NodeId> = search.tree.get(root).children();
        assert_eq!(children.len(), 81);
        children.sort_unstable();
        children.dedup();
        // 72 with two different cells, and one where both chose the same.
        assert_eq!(children.len(), 73);
    }

    #[test]
    fn the_solver_proves_forced_wins() {
        let game = game("tic-tac-toe");
        let mut machine = game.machine();
        // The centre against an edge wins by force.
        for texts in [["(mark 2 2)", "noop"], ["noop", "(mark 1 2)"]] {
            let joint: Vec<MoveId> = game
                .roles()
                .zip(texts)
                .filter_map(|(role, text)| game.parse_move(role, text))
                .collect();
            machine.step(&joint);
        }
        let mut search = Mcts::new(&game, Role(0), Settings::default(), 3);
        let decision = search.decide(machine.state(), &Effort::iterations(200_000));
        assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(100.0)));
        assert!(decision.playouts < 200_000);
    }

    #[test]
    fn tic_tac_toe_is_not_lost() {
        let game = game("tic-tac-toe");
        for seed in 0..100 {
            let role = Role((seed % 2) as u8);
            let mut search = Mcts::new(&game, role, Settings::default(), seed);
            let mut rng = Rng::with_seed(seed);
            let mut machine = game.machine();
            while !machine.is_terminal() {
                let mut joint: Vec<MoveId> = game
                    .roles()
                    .filter_map(|role| rng.choice(machine.legal(role)).copied())
                    .collect();
                let state = machine.state().clone();
                joint[role.index()] = search.decide(&state, &Effort::iterations(1_000)).choice;
                machine.step(&joint);
            }
            assert!(machine.score(role) >= 50, "lost with seed {seed}");
        }
    }

    #[test]
    fn iterations_are_spent_exactly_and_alike() {
        for name in [
            "connect-four",
            "breakthrough-small",
            "goofspiel-5",
            "smallest-3",
            "eight-puzzle",
        ] {
            let game = game(name);
            let decide = || {
                let mut search = Mcts::new(&game, Role(0), Settings::default(), 11);
                search.decide(game.initial(), &Effort::iterations(2_345))
            };
            let decision = decide();
            assert_eq!(decision.playouts, 2_345, "{name}");
            assert_eq!(decision, decide(), "{name}");
            let visits: u64 = decision.moves.iter().map(|known| known.visits).sum();
            assert_eq!(visits, 2_345, "{name}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let game = game("connect-four");
        let settings = Settings {
            most_nodes: 50,
            ..Settings::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, 1);
        let decision = search.decide(game.initial(), &Effort::iterations(5_000));
        assert_eq!((decision.nodes, decision.playouts), (50, 5_000));
    }
}
