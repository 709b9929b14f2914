//! One step ahead, seen from one role: its own moves, and what all others may do meanwhile.
//!
//! The others move without knowing the own move, so a move leads to several states. Where there are few of them, each is
//! derived once and kept: baselines that play thousands of matches from the successors of one state then need no step of
//! a machine at all.

use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};

/// As many successors of one state are kept.
const MOST_KEPT: usize = 4096;

/// The successors of a state by the moves of one role.
pub struct Outlook {
    machine: Box<dyn Machine>,
    role: Role,
    state: State,
    legal: Vec<Vec<MoveId>>,
    /// How many ways the others have to move, where it is a number that can be handled.
    replies: Option<usize>,
    /// Outlook by own move and reply; empty if they are too many.
    kept: Vec<Option<State>>,
    joint: Vec<MoveId>,
}

impl Outlook {
    /// Those of the initial state.
    pub fn new(game: &Game, role: Role) -> Outlook {
        let mut outlook = Outlook {
            machine: game.machine(),
            role,
            state: game.initial().clone(),
            legal: Vec::new(),
            replies: None,
            kept: Vec::new(),
            joint: Vec::new(),
        };
        outlook.go_to(game.initial());
        outlook
    }

    /// Looks at another state, which is not terminal.
    pub fn go_to(&mut self, state: &State) {
        self.state.clone_from(state);
        self.machine.load(state);
        let machine = &mut *self.machine;
        self.legal.clear();
        if !machine.is_terminal() {
            let roles = (0..machine.role_count()).map(|role| Role(role as u8));
            self.legal.extend(roles.map(|role| machine.legal(role).to_vec()));
        } else {
            self.legal.resize(machine.role_count(), Vec::new());
        }
        let others = self
            .legal
            .iter()
            .enumerate()
            .filter(|(role, _)| *role != self.role.index());
        self.replies = others.map(|(_, moves)| moves.len()).try_fold(1, usize::checked_mul);
        let all = self.replies.and_then(|replies| replies.checked_mul(self.moves().len()));
        self.kept.clear();
        self.kept.resize(all.filter(|&all| all <= MOST_KEPT).unwrap_or(0), None);
    }

    /// The legal moves of the role.
    pub fn moves(&self) -> &[MoveId] {
        &self.legal[self.role.index()]
    }

    /// How many ways all others together have to move; nothing if they are beyond counting.
    pub fn replies(&self) -> Option<usize> {
        self.replies
    }

    /// Where a move of the role, by its place among the legal ones, leads together with a reply, counted from zero.
    pub fn successor(&mut self, own: usize, reply: usize) -> &State {
        let place = own * self.replies.unwrap_or(0) + reply;
        if self.kept.get(place).is_none_or(Option::is_none) {
            let mut rest = reply;
            self.joint.clear();
            for (role, moves) in self.legal.iter().enumerate() {
                if role == self.role.index() {
                    self.joint.push(moves[own]);
                } else {
                    self.joint.push(moves[rest % moves.len()]);
                    rest /= moves.len();
                }
            }
            self.step();
            if let Some(kept) = self.kept.get_mut(place) {
                *kept = Some(self.machine.state().clone());
            }
        }
        match self.kept.get(place) {
            Some(Some(state)) => state,
            _ => self.machine.state(),
        }
    }

    /// Where a move of the role leads if all others choose uniformly.
    pub fn sample(&mut self, own: usize, rng: &mut Rng) -> &State {
        if let Some(replies) = self.replies {
            return self.successor(own, rng.usize(..replies));
        }
        self.joint.clear();
        for (role, moves) in self.legal.iter().enumerate() {
            let chosen = if role == self.role.index() {
                own
            } else {
                rng.usize(..moves.len())
            };
            self.joint.push(moves[chosen]);
        }
        self.step();
        self.machine.state()
    }

    /// The mean, over the replies, of what `worth` says about the successors by a move. All replies are looked at if
    /// there are no more than `most`, else so many are drawn.
    pub fn mean(
        &mut self,
        own: usize,
        most: usize,
        rng: &mut Rng,
        worth: &mut dyn FnMut(&mut dyn Machine) -> f64,
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
            total += worth(&mut *self.machine);
        }
        total / count as f64
    }

    fn step(&mut self) {
        self.machine.load(&self.state);
        self.machine.step(&self.joint);
    }
}
