//! How near a state is to better goals, by degrees, for games in which random play shows none.
//!
//! In many puzzles every random match ends with the same goals, which teaches nothing. What the rules demand for a better
//! goal can still be met more or less: conditions are given degrees instead of truth values, fluents that hold a high one
//! and others a low one, and the gates of the network combine them as if they were probabilities of independent events.
//! The logarithm of the degree is about the number of conditions that are not met.

use ludens_engine::{Game, State};
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
}

impl Progress {
    /// Towards goals that are better than these, one a role; nothing if no role has any, or if the game is not compiled.
    pub fn new(game: &Game, reached: &[u8]) -> Option<Progress> {
        let network = game.engine().circuit()?.network.clone();
        let better = |(role, &reached): (usize, &u8)| -> Vec<(f64, Lit)> {
            let goals = network.goals[role].iter();
            goals
                .filter(|(value, lit)| *value > reached && *lit != Lit::FALSE)
                .map(|&(value, lit)| (f64::from(value - reached), lit))
                .collect()
        };
        let goals: Vec<_> = reached.iter().enumerate().map(better).collect();
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
        })
    }

    /// For each role the logarithm of how near a state is to better goals; the same for all states if it has none.
    pub fn of(&mut self, state: &State, nearness: &mut [f64]) {
        let network = self.network.clone();
        self.degrees[1..=network.fluents].fill((1.0 - TRUE, TRUE));
        for fluent in state.fluents().filter(|fluent| (fluent.0 as usize) < network.fluents) {
            self.degrees[1 + fluent.0 as usize] = (TRUE, 1.0 - TRUE);
        }
        for block in &network.state_blocks {
            match block {
                Block::Once(range) => self.compute(&network, range.clone()),
                Block::UntilStable(range, latches) => {
                    for &(latch, _) in latches {
                        self.degrees[latch as usize] = (0.0, 1.0);
                    }
                    for _ in 0..ROUNDS {
                        self.compute(&network, range.clone());
                        for &(latch, lit) in latches {
                            self.degrees[latch as usize] = self.degree(lit);
                        }
                    }
                }
            }
        }
        for (nearness, goals) in nearness.iter_mut().zip(&self.goals) {
            let degrees = goals.iter().map(|&(better, lit)| better * self.degree(lit).0);
            *nearness = degrees.sum::<f64>().max(f64::MIN_POSITIVE).ln();
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
}
