//! How near a state is to better goals, by degrees, for games in which random play shows none.
//!
//! In many puzzles every playout ends with the same goals, from which no function can be learned. What the rules demand
//! for a better goal can still be met more or less: conditions are given degrees instead of truth values, fluents that
//! hold a high one and others a low one, and the gates of the network combine them as if they were probabilities of
//! independent events. The logarithm of the degree is about the number of conditions that are not met.
//!
//! Where goals ask for one fluent that comes last of all, every state before it is as far from them. Then degrees can
//! be carried some steps ahead: every legal move is made by a half, and the degrees of what holds next are those of the
//! next state, so that what is nearly there counts more.

use ludens_engine::{Game, Role, State};
use ludens_ground::network::{Block, Lit, Network};
use std::sync::Arc;

/// The degree of a fluent that holds.
const TRUE: f64 = 0.95;
/// How often gates that depend on each other in a circle are gone round.
const ROUNDS: usize = 2;

/// How near states are to better goals than one that is always reached.
pub struct Progress {
    network: Arc<Network>,
    /// For each role the better goals, with what they are better by.
    goals: Vec<Vec<(f64, Lit)>>,
    /// The degree to which each node holds, and that to which it does not: both, as either may be tiny.
    degrees: Vec<(f64, f64)>,
    is_needed: Vec<bool>,
    /// Number of steps that degrees are carried ahead.
    ahead: usize,
}

impl Progress {
    /// Creates it for goals that are better than those reached, one per role; `None` if no role has any, or if the game
    /// is not compiled.
    pub fn new(game: &Game, reached: &[u8]) -> Option<Progress> {
        let network = game.engine().circuit()?.network.clone();
        let better = |(role, &reached): (Role, &u8)| -> Vec<(f64, Lit)> {
            let goals = network.goals[role].iter();
            goals
                .filter(|(value, lit)| *value > reached && *lit != Lit::FALSE)
                .map(|&(value, lit)| (f64::from(value - reached), lit))
                .collect()
        };
        let goals: Vec<_> = network.goals.roles().zip(reached).map(better).collect();
        if goals.iter().all(Vec::is_empty) {
            return None;
        }
        let mut is_needed = vec![network.latches > 0; network.nodes()];
        for &(_, lit) in goals.iter().flatten() {
            is_needed[lit.node()] = true;
        }
        let first = network.first_gate();
        for gate in (0..network.gates.len()).rev().filter(|_| network.latches == 0) {
            if is_needed[first + gate] {
                network.gates[gate].iter().for_each(|lit| is_needed[lit.node()] = true);
            }
        }
        Some(Progress {
            degrees: vec![(0.0, 1.0); network.nodes()],
            network,
            goals,
            is_needed,
            ahead: 0,
        })
    }

    /// The same, with degrees carried `steps` steps ahead.
    pub fn ahead(self, steps: usize) -> Progress {
        Progress {
            is_needed: vec![true; self.is_needed.len()],
            ahead: steps,
            ..self
        }
    }

    /// For each role the logarithm of how near a state is to better goals; the same for all states if it has none.
    pub fn of(&mut self, state: &State, nearness: &mut [f64]) {
        let network = self.network.clone();
        self.degrees[1..=network.fluents].fill((1.0 - TRUE, TRUE));
        for fluent in state.fluents().filter(|fluent| (fluent.0 as usize) < network.fluents) {
            self.degrees[1 + fluent.0 as usize] = (TRUE, 1.0 - TRUE);
        }
        nearness.fill(0.0);
        for step in 0..=self.ahead {
            self.compute_all(&network, &network.state_blocks);
            for (nearness, goals) in nearness.iter_mut().zip(&self.goals) {
                let degrees = goals.iter().map(|&(better, lit)| better * self.degree(lit).0);
                *nearness += degrees.sum::<f64>();
            }
            if step < self.ahead {
                self.go_on(&network);
            }
        }
        for nearness in nearness {
            *nearness = nearness.max(f64::MIN_POSITIVE).ln();
        }
    }

    /// The degrees of what holds after a step in which every legal move is made by a half.
    fn go_on(&mut self, network: &Network) {
        for (role, legal) in network.legal.iter() {
            let first = network.first_move(role);
            for &(number, lit) in legal {
                let degree = self.degree(lit).0 / 2.0;
                self.degrees[first + number.index()] = (degree, 1.0 - degree);
            }
        }
        self.compute_all(network, &network.move_blocks);
        let next: Vec<(f64, f64)> = network.next.iter().map(|&(_, lit)| self.degree(lit)).collect();
        self.degrees[1..=network.fluents].fill((0.0, 1.0));
        for (&(fluent, _), degree) in network.next.iter().zip(next) {
            self.degrees[1 + fluent.index()] = degree;
        }
    }

    fn compute_all(&mut self, network: &Network, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Once(range) => self.compute(network, range.clone()),
                Block::UntilStable(range, latches) => {
                    for &(latch, _) in latches {
                        self.degrees[latch as usize] = (0.0, 1.0);
                    }
                    for _ in 0..ROUNDS {
                        self.compute(network, range.clone());
                        for &(latch, lit) in latches {
                            self.degrees[latch as usize] = self.degree(lit);
                        }
                    }
                }
            }
        }
    }

    fn degree(&self, lit: Lit) -> (f64, f64) {
        let (holds, fails) = self.degrees[lit.node()];
        if lit.is_negated() {
            (fails, holds)
        } else {
            (holds, fails)
        }
    }

    fn compute(&mut self, network: &Network, gates: std::ops::Range<usize>) {
        let first = network.first_gate();
        for gate in gates.filter(|gate| self.is_needed[first + gate]) {
            let [(a, not_a), (b, not_b)] = network.gates[gate].map(|lit| self.degree(lit));
            self.degrees[first + gate] = (a * b, not_a + not_b - not_a * not_b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_in_their_places_are_nearer_to_the_goal() {
        let entry = ludens_library::find("eight-puzzle").expect("the library has the game");
        let game = Game::read(entry.source()).expect("library games can be played");
        let mut progress = Progress::new(&game, &[0]).expect("there are better goals");
        // Tiles in rising order from the top left, with some of them swapped.
        let nearness_with = |swaps: usize, progress: &mut Progress| {
            let mut tiles: Vec<String> = (1..=8)
                .map(|tile| tile.to_string())
                .chain(["empty".to_string()])
                .collect();
            (0..swaps).for_each(|swap| tiles.swap(2 * swap, 2 * swap + 1));
            let cells = tiles.iter().enumerate().filter_map(|(place, tile)| {
                let text = format!("(cell {} {} {tile})", place % 3 + 1, 3 - place / 3);
                game.parse_fluent(&text)
            });
            let mut nearness = [0.0];
            progress.of(&State::new(cells), &mut nearness);
            nearness[0]
        };
        let all: Vec<f64> = (0..=4).map(|swaps| nearness_with(swaps, &mut progress)).collect();
        assert!(all.is_sorted_by(|near, far| near > far), "{all:?}");
        assert!(Progress::new(&game, &[100]).is_none());
    }

    #[test]
    fn degrees_carried_ahead_tell_near_states_apart() {
        let text = "(role alone) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) \
            (legal alone go) (legal alone stay) \
            (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (does alone go)) \
            (<= (next (at ?m)) (true (at ?m)) (does alone stay)) \
            (<= terminal (true (at 4))) \
            (<= (goal alone 100) (true (at 4))) (<= (goal alone 0) (not (true (at 4))))";
        let game = Game::read(ludens_gdl::Source::new("walk", text)).expect("the rules can be played");
        let nearness = |place: usize, steps: usize| {
            let mut progress = Progress::new(&game, &[0]).expect("there are better goals").ahead(steps);
            let mut nearness = [0.0];
            let at = game.parse_fluent(&format!("(at {place})"));
            progress.of(&State::new(at), &mut nearness);
            nearness[0]
        };
        let all = |steps: usize| -> Vec<f64> { (0..4).map(|place| nearness(place, steps)).collect() };
        assert!(
            all(0).is_sorted_by(|far, near| (far - near).abs() < 1e-12),
            "{:?}",
            all(0)
        );
        assert!(all(4).is_sorted_by(|far, near| far < near), "{:?}", all(4));
    }
}
