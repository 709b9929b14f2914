//! The game interface: what every engine implements and every searcher uses.
//!
//! An [`Engine`] is the shared, immutable part of a game; a [`Machine`] is one thread's cursor with its scratch memory.
//! A machine stands at one state and answers questions about it; answers that need the same work share it.

use crate::Rng;
use crate::cost::StepCost;
use crate::lanes::Lanes;
use crate::observation::Percepts;
use crate::playout::{Choice, Playout, play_tagged};
use crate::state::{MoveId, PerceptId, Role, RoleMap, State};
use ludens_ground::GroundProgram;
use ludens_ground::network::Network;
use ludens_ground::simplify::Sizes;
use std::sync::Arc;
use std::time::Instant;

/// What a compiled game consists of.
pub struct Circuit {
    /// The ground program, simplified.
    pub program: GroundProgram,
    /// How large the program was before that.
    pub before: Sizes,
    /// For each fluent the value that it has in every state, if it never changes.
    pub constant_fluents: Vec<Option<bool>>,
    /// The gates.
    pub network: Arc<Network>,
}

/// A game made ready to run. Cheap to share between threads.
pub trait Engine: Send + Sync {
    /// `interpreted` or `compiled`.
    fn name(&self) -> &'static str;

    /// How many gates a state takes, for engines that compile the rules to gates.
    fn gates(&self) -> Option<usize> {
        None
    }

    /// Cost class of a step.
    fn step_cost(&self) -> StepCost {
        StepCost::of_gates(self.gates())
    }

    /// The gates and the ground program they were made from, for engines that have them.
    fn circuit(&self) -> Option<&Circuit> {
        None
    }

    /// How machines of a compiled game go from state to state: `plain` if they compute all gates, `differential` if
    /// only what changes. See [`Stepping`](crate::compiled::Stepping).
    fn stepping(&self) -> Option<&'static str> {
        None
    }

    /// A new machine, standing at the initial state.
    fn machine(&self) -> Box<dyn Machine>;

    /// The fastest way to run many playouts.
    fn playouts(&self) -> Box<dyn Playouts> {
        Box::new(OneByOne(self.machine()))
    }

    /// The fastest way to find many successors.
    fn successors(&self) -> Box<dyn Successors> {
        Box::new(OneByOne(self.machine()))
    }
}

/// Finds successors, many at once where the engine can: 512 cost little more than one, so ask for many.
pub trait Successors: Send {
    /// Tells `answer` what follows each joint move in its state, in order, with the number of the question.
    fn expand(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &Successor));

    /// Tells `answer` about each of these states, in order, with its number in the list.
    fn look(&mut self, states: &[&State], answer: &mut dyn FnMut(usize, &Successor));

    /// Tells `answer` only the state behind each joint move, as the words of [`State::from_words`] with empty words at
    /// the end, in order, with the number of the question. Cheaper than [`Successors::expand`] where states are met
    /// again and again; questions about the same state, lent again and again, are best asked one after the other.
    fn follow(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &[u64]));

    /// Tells `answer` what follows each joint move, as [`Successors::expand`] does, and what every role perceives of the
    /// step (GDL-II), each role's percepts in the order of their numbers. With `wanted`, only of the steps in which this
    /// role perceives exactly these percepts, given in the same order; the others cost no read-out.
    fn perceive(
        &mut self,
        questions: &[(&State, &[MoveId])],
        wanted: Option<(Role, &[PerceptId])>,
        answer: &mut dyn FnMut(usize, &Successor, &Percepts),
    );

    /// Why answers cannot be trusted any more: some limit was hit while deriving them.
    fn fault(&self) -> Option<&str> {
        None
    }
}

/// What follows a joint move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// Whether the match is over there.
    pub is_terminal: bool,
    /// The score of each role there, as [`Machine::score`] gives it.
    pub scores: RoleMap<u8>,
    /// The legal moves of each role there, in the order of their terms; none if the match is over.
    pub legal: RoleMap<Vec<MoveId>>,
}

impl Successor {
    pub(crate) fn empty(roles: usize) -> Successor {
        Successor {
            state: State::default(),
            is_terminal: false,
            scores: RoleMap::filled(roles, 0),
            legal: RoleMap::filled(roles, Vec::new()),
        }
    }
}

/// Supplies start states for playouts and consumes their results.
///
/// One value does both, so that a search can start a playout at a leaf of its tree and back up the result from there.
pub trait PlayoutSource {
    /// Returns the start state of the next playout and a tag that comes back with its result; `None` if no more are
    /// to be started. The state is borrowed, so the same one can be lent many times. Tags may repeat.
    fn start(&mut self) -> Option<(&State, u32)>;

    /// Receives the result of the playout with this tag.
    fn finish(&mut self, tag: u32, playout: &Playout);

    /// Whether to drop all playouts in flight, without results, so that a deadline is not missed by the length of a
    /// playout. Asked after every step.
    fn is_over(&mut self) -> bool {
        false
    }

    /// What the source needs beyond uniformly random moves and scores. Must not change during a run.
    fn options(&self) -> PlayoutOptions {
        PlayoutOptions::default()
    }

    /// Returns the index of the legal move to play in the playout with this tag, after the choices `before`. Called only
    /// with [`PlayoutOptions::guided`]; the state is given only with [`PlayoutOptions::states`].
    fn choose(
        &mut self,
        _tag: u32,
        _role: Role,
        legal: &[MoveId],
        _before: &[Choice],
        _state: Option<&State>,
        rng: &mut Rng,
    ) -> usize {
        rng.usize(..legal.len())
    }

    /// Shows the states of several playouts at once, right before [`PlayoutSource::choose`] is called for each of them, in
    /// the order of their bits. `moves` are all moves of the role that are legal in some of them, in order. Called only
    /// with [`PlayoutOptions::lanes`].
    fn survey(&mut self, _role: Role, _moves: &[MoveId], _lanes: &Lanes<'_>) {}

    /// Returns whether to inspect the state of the playout with this tag at this depth; skipping it saves the copy.
    /// Called right before [`PlayoutSource::watch`].
    fn is_watched(&mut self, _tag: u32, _steps: usize) -> bool {
        true
    }

    /// Inspects a non-terminal state of the playout with this tag and returns whether the playout stops here. Called only
    /// from the depth [`PlayoutOptions::watched_from`] on.
    fn watch(&mut self, _tag: u32, _steps: usize, _state: &State) -> bool {
        false
    }
}

/// What a [`PlayoutSource`] needs beyond uniformly random moves and scores. Each option costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayoutOptions {
    /// Moves are chosen by [`PlayoutSource::choose`].
    pub guided: bool,
    /// [`PlayoutSource::choose`] is given the state.
    pub states: bool,
    /// [`PlayoutSource::survey`] is called before moves are chosen.
    pub lanes: bool,
    /// [`Playout::choices`] is filled in.
    pub choices: bool,
    /// [`Playout::states`] is filled in.
    pub choice_states: bool,
    /// [`Playout::state`] is filled in.
    pub last_state: bool,
    /// Depth from which on [`PlayoutSource::watch`] is called.
    pub watched_from: Option<usize>,
    /// Upper bound on the number of playouts, if known: a small batch takes less time.
    pub at_most: Option<u64>,
}

/// Runs playouts, many at once where the engine can.
pub trait Playouts: Send {
    /// Runs playouts of at most `max_steps` steps until the source has no more to start. Every role chooses uniformly
    /// among its legal moves unless the source chooses. Results come in no particular order, and several hundred playouts
    /// may be started before the first result comes.
    fn run(&mut self, rng: &mut Rng, max_steps: usize, source: &mut dyn PlayoutSource);

    /// Available batch sizes in ascending order. The smallest that covers [`PlayoutOptions::at_most`] is used, and a single
    /// playout takes about as long as a full batch of that size.
    fn sizes(&self) -> &'static [u64] {
        &[1]
    }
}

/// Playouts and successors one after the other on a machine.
pub(crate) struct OneByOne(pub(crate) Box<dyn Machine>);

impl Playouts for OneByOne {
    fn run(&mut self, rng: &mut Rng, max_steps: usize, source: &mut dyn PlayoutSource) {
        while let Some((state, tag)) = source.start() {
            self.0.load(state);
            match play_tagged(&mut *self.0, rng, max_steps, tag, source) {
                Some(playout) => source.finish(tag, &playout),
                None => return,
            }
        }
    }
}

impl OneByOne {
    /// Writes down where the machine stands.
    fn describe(&mut self, successor: &mut Successor) {
        let machine = &mut *self.0;
        successor.state.clone_from(machine.state());
        successor.is_terminal = machine.is_terminal();
        for (role, legal) in successor.legal.iter_mut() {
            successor.scores[role] = machine.score(role);
            legal.clear();
            if !successor.is_terminal {
                legal.extend_from_slice(machine.legal(role));
            }
        }
    }
}

impl Successors for OneByOne {
    fn expand(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &Successor)) {
        let mut successor = Successor::empty(self.0.role_count());
        for (number, (state, joint)) in questions.iter().enumerate() {
            self.0.load(state);
            self.0.step(joint);
            self.describe(&mut successor);
            answer(number, &successor);
        }
    }

    fn look(&mut self, states: &[&State], answer: &mut dyn FnMut(usize, &Successor)) {
        let mut successor = Successor::empty(self.0.role_count());
        for (number, state) in states.iter().enumerate() {
            self.0.load(state);
            self.describe(&mut successor);
            answer(number, &successor);
        }
    }

    fn follow(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &[u64])) {
        for (number, (state, joint)) in questions.iter().enumerate() {
            self.0.load(state);
            self.0.step(joint);
            answer(number, self.0.state().words());
        }
    }

    fn perceive(
        &mut self,
        questions: &[(&State, &[MoveId])],
        wanted: Option<(Role, &[PerceptId])>,
        answer: &mut dyn FnMut(usize, &Successor, &Percepts),
    ) {
        let mut successor = Successor::empty(self.0.role_count());
        for (number, (state, joint)) in questions.iter().enumerate() {
            self.0.load(state);
            if wanted.is_some_and(|(role, wanted)| self.0.percepts(role, joint) != wanted) {
                continue;
            }
            let roles = Role::first(self.0.role_count());
            let percepts = roles.map(|role| self.0.percepts(role, joint)).collect();
            self.0.step(joint);
            self.describe(&mut successor);
            answer(number, &successor, &percepts);
        }
    }

    fn fault(&self) -> Option<&str> {
        self.0.fault()
    }
}

/// A cursor in the state graph of a game.
pub trait Machine: Send {
    /// How many roles the game has.
    fn role_count(&self) -> usize;

    /// Goes to a state.
    fn load(&mut self, state: &State);

    /// Where the machine stands.
    fn state(&self) -> &State;

    /// Whether the match is over here.
    fn is_terminal(&mut self) -> bool;

    /// Returns the legal moves of `role`, sorted by term. In terminal states these are the moves that the rules derive,
    /// although no match goes on to make one.
    fn legal(&mut self, role: Role) -> &[MoveId];

    /// All goal values of a role that hold here, the one that counts first (see [`SeveralGoals`](crate::SeveralGoals)).
    /// In a well-formed game exactly one does in every terminal state.
    fn goal_values(&mut self, role: Role) -> &[u8];

    /// Makes a joint move, one move a role, and stands at the successor. The moves need not be legal here; a move that
    /// is legal nowhere may have no effect.
    fn step(&mut self, joint: &[MoveId]);

    /// What a role would perceive if this joint move were made here (GDL-II), in the order of the numbers.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId>;

    /// Why answers of this machine cannot be trusted any more: some limit was hit while deriving them.
    fn fault(&self) -> Option<&str>;

    /// Ends all questions at this time: one that is not answered by then is a fault, and so is every later one. Engines
    /// that answer in a bounded time ignore it.
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        let _ = deadline;
    }

    /// The goal value of a role, if exactly one holds.
    fn goal(&mut self, role: Role) -> Option<u8> {
        match *self.goal_values(role) {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The goal value that a match scores: the one that counts if several hold, 0 if none does.
    fn score(&mut self, role: Role) -> u8 {
        self.goal_values(role).first().copied().unwrap_or(0)
    }
}
