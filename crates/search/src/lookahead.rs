//! One-step lookahead: the successors of a state by the moves of one role and the replies of all others.
//!
//! The others move at the same time, so a move has several successors. If there are few, each is derived once and kept:
//! baselines that start thousands of playouts from them then need no step of a machine.

use ludens_engine::{Game, Machine, MoveId, Rng, Role, RoleMap, State};

/// Maximum number of successors that are kept.
const MAX_KEPT: usize = 4096;

/// The successors of a state by the moves of one role.
pub struct Lookahead {
    machine: Box<dyn Machine>,
    role: Role,
    state: State,
    legal: RoleMap<Vec<MoveId>>,
    /// Number of the others' joint moves, if it fits.
    replies: Option<usize>,
    /// Successors by own move and reply; empty if they are too many.
    kept: Vec<Option<State>>,
    joint: Vec<MoveId>,
}

impl Lookahead {
    /// Starts at the initial state.
    pub fn new(game: &Game, role: Role) -> Lookahead {
        let mut lookahead = Lookahead {
            machine: game.machine(),
            role,
            state: game.initial().clone(),
            legal: RoleMap::default(),
            replies: None,
            kept: Vec::new(),
            joint: Vec::new(),
        };
        lookahead.go_to(game.initial());
        lookahead
    }

    /// Goes to another state.
    pub fn go_to(&mut self, state: &State) {
        self.state.clone_from(state);
        self.machine.load(state);
        let machine = &mut *self.machine;
        let roles = Role::first(machine.role_count());
        self.legal = match machine.is_terminal() {
            true => roles.map(|_| Vec::new()).collect(),
            false => roles.map(|role| machine.legal(role).to_vec()).collect(),
        };
        let others = self.legal.iter().filter(|(role, _)| *role != self.role);
        self.replies = others.map(|(_, moves)| moves.len()).try_fold(1, usize::checked_mul);
        let all = self.replies.and_then(|replies| replies.checked_mul(self.moves().len()));
        self.kept.clear();
        self.kept.resize(all.filter(|&all| all <= MAX_KEPT).unwrap_or(0), None);
    }

    /// The legal moves of the role.
    pub fn moves(&self) -> &[MoveId] {
        &self.legal[self.role]
    }

    /// Number of the others' joint moves; `None` if it does not fit.
    pub fn replies(&self) -> Option<usize> {
        self.replies
    }

    /// The successor by a move of the role, given by its index, and a reply of the others, given by its number.
    pub fn successor(&mut self, own: usize, reply: usize) -> &State {
        let index = own * self.replies.unwrap_or(0) + reply;
        if self.kept.get(index).is_none_or(Option::is_none) {
            let mut rest = reply;
            self.joint.clear();
            for (role, moves) in self.legal.iter() {
                if role == self.role {
                    self.joint.push(moves[own]);
                } else {
                    self.joint.push(moves[rest % moves.len()]);
                    rest /= moves.len();
                }
            }
            self.step();
            if let Some(kept) = self.kept.get_mut(index) {
                *kept = Some(self.machine.state().clone());
            }
        }
        match self.kept.get(index) {
            Some(Some(state)) => state,
            _ => self.machine.state(),
        }
    }

    /// The successor by a move of the role and a uniformly random reply.
    pub fn sample(&mut self, own: usize, rng: &mut Rng) -> &State {
        if let Some(replies) = self.replies {
            return self.successor(own, rng.usize(..replies));
        }
        self.joint.clear();
        for (role, moves) in self.legal.iter() {
            let chosen = match role == self.role {
                true => own,
                false => rng.usize(..moves.len()),
            };
            self.joint.push(moves[chosen]);
        }
        self.step();
        self.machine.state()
    }

    /// Returns the mean of `value` over the successors by a move: over all replies if there are at most `most`,
    /// otherwise over `most` random ones.
    pub fn mean(
        &mut self,
        own: usize,
        most: usize,
        rng: &mut Rng,
        value: &mut dyn FnMut(&mut dyn Machine) -> f64,
    ) -> f64 {
        let all = self.replies.filter(|&replies| replies <= most);
        let count = all.unwrap_or(most);
        let mut total = 0.0;
        for number in 0..count {
            let state = match all {
                Some(_) => self.successor(own, number),
                None => self.sample(own, rng),
            }
            .clone();
            self.machine.load(&state);
            total += value(&mut *self.machine);
        }
        total / count as f64
    }

    fn step(&mut self) {
        self.machine.load(&self.state);
        self.machine.step(&self.joint);
    }
}
