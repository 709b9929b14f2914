//! One-step lookahead: an advisor made of any evaluator.
//!
//! An evaluator rates states, a search often asks about moves. Where only one role has a choice, a move has the value
//! of its successor state. Where others choose at the same time, it has the mean over their joint moves, or over a
//! sample of these if they are many.

use ludens_engine::knowledge::{Advisor, Evaluator};
use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};

/// Maximum number of joint moves of the others that are tried for each move.
const MOST_REPLIES: usize = 16;

/// Rates moves by an evaluator's values of their successor states; terminal states count with their goals.
pub struct Ahead {
    game: Game,
    machine: Box<dyn Machine>,
    evaluator: Box<dyn Evaluator>,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<f64>,
    /// Samples the others' joint moves where they have too many.
    rng: Rng,
}

impl Ahead {
    /// Creates the advisor of a game from an evaluator.
    pub fn new(game: &Game, evaluator: Box<dyn Evaluator>) -> Ahead {
        Ahead {
            machine: game.machine(),
            legal: Vec::new(),
            goals: vec![0.0; game.roles().len()],
            rng: Rng::with_seed(0),
            game: game.clone(),
            evaluator,
        }
    }

    /// Returns the expected goal of a role after a joint move.
    fn after(&mut self, state: &State, role: Role, joint: &[MoveId]) -> f64 {
        self.machine.load(state);
        self.machine.step(joint);
        match self.machine.is_terminal() {
            true => f64::from(self.machine.score(role)),
            false => {
                self.evaluator.evaluate(self.machine.state(), &mut self.goals);
                self.goals[role.index()]
            }
        }
    }
}

/// Returns joint moves of the others while `role` moves: all of them, or a sample if they are many. The entry of `role`
/// itself is arbitrary. Empty if some role has no legal move.
pub(crate) fn replies(legal: &[Vec<MoveId>], role: Role, rng: &mut Rng) -> Vec<Vec<MoveId>> {
    if legal.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let others = legal.iter().enumerate().filter(|(number, _)| *number != role.index());
    let ways = others.map(|(_, moves)| moves.len()).try_fold(1, usize::checked_mul);
    let all = ways.filter(|&ways| ways <= MOST_REPLIES);
    let joint = |number: usize| -> Vec<MoveId> {
        let mut rest = number;
        let place = |(owner, moves): (usize, &Vec<MoveId>)| match (owner == role.index(), all) {
            (true, _) => moves[0],
            (false, None) => moves[rng.usize(..moves.len())],
            (false, Some(_)) => {
                let place = rest % moves.len();
                rest /= moves.len();
                moves[place]
            }
        };
        legal.iter().enumerate().map(place).collect()
    };
    (0..all.unwrap_or(MOST_REPLIES)).map(joint).collect()
}

impl Advisor for Ahead {
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]) {
        self.machine.load(state);
        let roles = self.game.roles();
        self.legal.clear();
        self.legal.extend(roles.map(|role| self.machine.legal(role).to_vec()));
        let replies = replies(&self.legal, role, &mut self.rng);
        goals.fill(if replies.is_empty() { 50.0 } else { 0.0 });
        let count = replies.len() as f64;
        for mut joint in replies {
            for (&own, goal) in legal.iter().zip(goals.iter_mut()) {
                joint[role.index()] = own;
                *goal += (self.after(state, role, &joint) / count) as f32;
            }
        }
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(Ahead::new(&self.game, self.evaluator.another()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::knowledge::Standing;

    #[test]
    fn goals_are_means_over_the_moves_of_others() {
        let entry = ludens_library::find("biased-rock-paper-scissors").expect("the library has the game");
        let game = Game::read(entry.source()).expect("library games can be played");
        let mut ahead = Ahead::new(&game, Box::new(Standing::new(&game)));
        let mut machine = game.machine();
        let legal = machine.legal(Role(0)).to_vec();
        let mut goals = vec![0.0; legal.len()];
        ahead.advise(game.initial(), Role(0), &legal, &mut goals);
        for (&own, goal) in legal.iter().zip(goals) {
            let mean = machine_mean(&game, own);
            assert!((goal - mean).abs() < 1e-3, "{goal} {mean}");
        }
    }

    /// Returns the mean goal of the first role over the moves of the second.
    fn machine_mean(game: &Game, own: MoveId) -> f32 {
        let mut machine = game.machine();
        let others = machine.legal(Role(1)).to_vec();
        let goals = others.iter().map(|&other| {
            machine.load(game.initial());
            machine.step(&[own, other]);
            f32::from(machine.score(Role(0)))
        });
        goals.sum::<f32>() / others.len() as f32
    }

    #[test]
    fn many_replies_are_sampled() {
        let moves = |count: u32| -> Vec<MoveId> { (0..count).map(MoveId).collect() };
        let mut rng = Rng::with_seed(1);
        let mut all = replies(&[moves(5), moves(2), moves(3)], Role(0), &mut rng);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
        assert_eq!(replies(&[moves(5), moves(40)], Role(0), &mut rng).len(), MOST_REPLIES);
        assert_eq!(replies(&[moves(5), moves(0)], Role(0), &mut rng).len(), 0);
    }
}
