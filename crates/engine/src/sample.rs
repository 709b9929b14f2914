//! One sampler of random play: states, legal moves and results, playout by playout.
//!
//! [`RandomPlay`] draws uniformly among the legal moves of every role and returns each state it visits, with the legal
//! moves and, at the end, the scores. The draws depend on the seed alone unless the budget ends them. It runs one state
//! at a time on a [`Machine`]; to measure thousands of results, use [`Playouts`](crate::Playouts), which are much
//! faster but show less.

use crate::Rng;
use crate::game::Game;
use crate::machine::Machine;
use crate::playout::End;
use crate::state::{MoveId, Role, RoleMap, State};
use ludens_budget::Budget;

/// Extent of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Seed of the draws.
    pub seed: u64,
    /// Maximum number of playouts.
    pub playouts: usize,
    /// Maximum number of states of a playout; longer ones are cut off.
    pub states: usize,
}

/// A state of a playout.
#[derive(Debug)]
pub struct Visit<'a> {
    /// Number of the playout, from 0.
    pub playout: usize,
    /// Steps from the initial state.
    pub depth: usize,
    /// The state.
    pub state: &'a State,
    /// Legal moves of each role, sorted by term; empty if the playout ends here.
    pub legal: &'a RoleMap<Vec<MoveId>>,
    /// The joint move drawn; empty if the playout ends here.
    pub joint: &'a [MoveId],
    /// Score of each role if the state is terminal.
    pub scores: Option<&'a RoleMap<u8>>,
    /// End of the playout; `None` while it goes on, even if the next state is past the maximum.
    pub end: Option<End>,
}

impl Visit<'_> {
    /// Roles with more than one legal move.
    pub fn choosers(&self) -> impl Iterator<Item = Role> {
        let choosers = self.legal.iter().filter(|(_, legal)| legal.len() > 1);
        choosers.map(|(role, _)| role)
    }
}

/// Random play from the initial state of a game, state by state.
pub struct RandomPlay<'a> {
    initial: &'a State,
    budget: &'a Budget,
    extent: Extent,
    machine: Box<dyn Machine>,
    rng: Rng,
    playout: usize,
    depth: usize,
    /// Empty if the last playout has ended.
    joint: Vec<MoveId>,
    legal: RoleMap<Vec<MoveId>>,
    scores: RoleMap<u8>,
    is_begun: bool,
}

impl<'a> RandomPlay<'a> {
    /// Prepares to sample a game.
    pub fn new(game: &'a Game, extent: Extent, budget: &'a Budget) -> RandomPlay<'a> {
        let mut machine = game.machine();
        machine.set_deadline(budget.deadline());
        RandomPlay {
            initial: game.initial(),
            budget,
            extent,
            machine,
            rng: Rng::with_seed(extent.seed),
            playout: 0,
            depth: 0,
            joint: Vec::new(),
            legal: RoleMap::filled(game.roles().len(), Vec::new()),
            scores: RoleMap::filled(game.roles().len(), 0),
            is_begun: false,
        }
    }

    /// Goes to the next state: the successor of the last one, or the initial state if its playout has ended. `None` if
    /// all playouts are done, the budget is spent, or the engine hit a limit.
    pub fn next_state(&mut self) -> Option<Visit<'_>> {
        if self.budget.is_spent() || self.machine.fault().is_some() {
            return None;
        }
        let goes_on = !self.joint.is_empty() && self.depth + 1 < self.extent.states;
        if goes_on {
            self.machine.step(&self.joint);
            self.depth += 1;
        } else {
            self.playout += usize::from(self.is_begun);
            self.is_begun = true;
            if self.playout >= self.extent.playouts {
                return None;
            }
            self.machine.load(self.initial);
            self.depth = 0;
        }
        let end = self.look();
        Some(Visit {
            playout: self.playout,
            depth: self.depth,
            state: self.machine.state(),
            legal: &self.legal,
            joint: &self.joint,
            scores: (end == Some(End::Terminal)).then_some(&self.scores),
            end,
        })
    }

    /// Why no more states come, if the engine hit a limit.
    pub fn fault(&self) -> Option<&str> {
        self.machine.fault()
    }

    /// Draws a joint move, or finds why there is none.
    fn look(&mut self) -> Option<End> {
        self.joint.clear();
        self.legal.values_mut().for_each(Vec::clear);
        let mut end = None;
        if self.machine.is_terminal() {
            for (role, score) in self.scores.iter_mut() {
                *score = self.machine.score(role);
            }
            end = Some(End::Terminal);
        } else {
            for (role, moves) in self.legal.iter_mut() {
                moves.extend_from_slice(self.machine.legal(role));
                if moves.is_empty() {
                    end = Some(End::Stuck(role));
                    break;
                }
                self.joint.push(moves[self.rng.usize(..moves.len())]);
            }
        }
        // The answers of a machine at fault say nothing about the rules.
        if self.machine.fault().is_some() {
            end = Some(End::Fault);
        }
        if end.is_some() {
            self.joint.clear();
            self.legal.values_mut().for_each(Vec::clear);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Source;

    /// Two roles, a counter to 3; at step 2 both have two moves, and the second role's second move wins.
    const RULES: &str = "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3)
        (legal a x) (legal b x) (<= (legal a y) (true (step 2))) (<= (legal b y) (true (step 2)))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next won) (does b y))
        (<= terminal (true (step 3))) (goal a 50) (<= (goal b 100) (true won)) (<= (goal b 0) (not (true won)))";

    /// Playout, depth, roles with a choice, scores and end of a visited state.
    type Seen = (usize, usize, usize, Vec<u8>, Option<End>);

    fn sample(rules: &str, extent: Extent, budget: &Budget) -> Vec<Seen> {
        let game = Game::read(Source::new("test", rules)).unwrap();
        let mut play = RandomPlay::new(&game, extent, budget);
        let mut seen = Vec::new();
        while let Some(visit) = play.next_state() {
            seen.push((
                visit.playout,
                visit.depth,
                visit.choosers().count(),
                visit.scores.map_or(Vec::new(), |scores| scores.as_slice().to_vec()),
                visit.end,
            ));
        }
        seen
    }

    const EXTENT: Extent = Extent {
        seed: 3,
        playouts: 8,
        states: 10,
    };

    #[test]
    fn playouts_run_from_the_initial_to_a_terminal_state() {
        let seen = sample(RULES, EXTENT, &Budget::default());
        assert_eq!(seen.len(), 8 * 3);
        for (number, visits) in seen.chunks(3).enumerate() {
            assert_eq!(visits[0], (number, 0, 0, vec![], None));
            assert_eq!(visits[1], (number, 1, 2, vec![], None));
            assert_eq!((visits[2].1, visits[2].2, visits[2].4), (2, 0, Some(End::Terminal)));
            assert_eq!(visits[2].3[0], 50);
        }
        let scores: Vec<u8> = seen.iter().filter_map(|visit| visit.3.get(1)).copied().collect();
        assert!(scores.contains(&0) && scores.contains(&100), "{scores:?}");
        assert_eq!(seen, sample(RULES, EXTENT, &Budget::default()));
    }

    #[test]
    fn long_playouts_are_cut_off_after_the_given_number_of_states() {
        let extent = Extent { states: 2, ..EXTENT };
        let seen = sample(RULES, extent, &Budget::default());
        assert_eq!(seen.len(), 8 * 2);
        assert!(seen.iter().all(|visit| visit.1 < 2 && visit.4.is_none()));
    }

    #[test]
    fn a_role_without_moves_ends_its_playout() {
        let rules = "(role a) (role b) (init p) (legal a x) (<= (legal b x) (true q)) (<= terminal (true r))
            (next p) (<= (next q) (does a x)) (<= (next r) (true q)) (goal a 0) (goal b 0)";
        let seen = sample(rules, EXTENT, &Budget::default());
        assert_eq!(seen.len(), 8);
        assert!(seen.iter().all(|visit| visit.4 == Some(End::Stuck(Role(1)))));
    }

    #[test]
    fn nothing_is_sampled_with_a_spent_budget() {
        let spent = Budget::default().within(std::time::Duration::ZERO);
        assert_eq!(sample(RULES, EXTENT, &spent), vec![]);
    }
}
