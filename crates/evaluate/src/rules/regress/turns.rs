//! Who waits while others choose.
//!
//! In games in which roles take turns, whoever is not in turn has a single legal move, and usually always the same. That
//! it was so in random matches is taken for granted here: a heuristic may err.

use ludens_engine::{Budget, Game, MoveId, Rng, Role};

/// Matches that are looked at, and their greatest length.
const MATCHES: usize = 60;
const STEPS: usize = 200;
/// Fewer matches are looked at where a state takes so many gates; a count, unlike a time, always comes out the same.
const MANY_GATES: usize = 20_000;
const FEW_MATCHES: usize = 4;

/// What random matches show about turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Whether two roles ever had a choice at the same time.
    pub is_simultaneous: bool,
    /// For each role the moves that were its only one while another role had a choice, in order.
    pub waiting: Vec<Vec<MoveId>>,
}

impl Turns {
    /// Plays matches of a game.
    pub fn observe(game: &Game, budget: &Budget) -> Turns {
        let mut machine = game.machine();
        let mut rng = Rng::with_seed(11);
        let roles: Vec<Role> = game.roles().collect();
        let mut turns = Turns {
            is_simultaneous: false,
            waiting: vec![Vec::new(); roles.len()],
        };
        let mut joint = Vec::new();
        let matches = match game.engine().gates() {
            Some(0..MANY_GATES) => MATCHES,
            _ => FEW_MATCHES,
        };
        for _ in 0..matches {
            machine.load(game.initial());
            for _ in 0..STEPS {
                if machine.is_terminal() || budget.is_spent() {
                    break;
                }
                joint.clear();
                let mut choosers = 0;
                let mut waiting = Vec::new();
                for &role in &roles {
                    match machine.legal(role) {
                        [] => {}
                        &[only] => {
                            waiting.push((role, only));
                            joint.push(only);
                        }
                        moves => {
                            choosers += 1;
                            joint.push(moves[rng.usize(..moves.len())]);
                        }
                    }
                }
                turns.is_simultaneous |= choosers > 1;
                if choosers > 0 {
                    for (role, only) in waiting {
                        let known = &mut turns.waiting[role.index()];
                        if let Err(place) = known.binary_search(&only) {
                            known.insert(place, only);
                        }
                    }
                }
                if joint.len() < roles.len() {
                    break;
                }
                machine.step(&joint);
            }
        }
        turns
    }
}
