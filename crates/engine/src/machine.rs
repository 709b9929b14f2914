//! The game interface: the traits that engines implement and searchers use.
//!
//! An [`Engine`] is the shared, immutable part of a game; a [`Machine`] is one thread's cursor with its scratch memory.
//! A machine stands at one state and answers questions about it.

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

/// The parts of a compiled game.
pub struct Circuit {
    /// The ground program, simplified.
    pub program: GroundProgram,
    /// Size of the program before simplification.
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

    /// Number of gates, for engines that compile the rules to a propositional network.
    fn gates(&self) -> Option<usize> {
        None
    }

    /// Cost class of a step.
    fn step_cost(&self) -> StepCost {
        StepCost::of_gates(self.gates())
    }

    /// The propositional network and its ground program, for engines that have them.
    fn circuit(&self) -> Option<&Circuit> {
        None
    }

    /// How machines of a compiled game step: `plain` computes all gates, `differential` only those that change. See
    /// [`Stepping`](crate::compiled::Stepping).
    fn stepping(&self) -> Option<&'static str> {
        None
    }

    /// Creates a machine at the initial state.
    fn machine(&self) -> Box<dyn Machine>;

    /// Creates the fastest runner of playouts.
    fn playouts(&self) -> Box<dyn Playouts> {
        Box::new(OneByOne(self.machine()))
    }

    /// Creates the fastest finder of successors.
    fn successors(&self) -> Box<dyn Successors> {
        Box::new(OneByOne(self.machine()))
    }
}

/// Computes successors, many at once if the engine can: 512 cost little more than one, so ask for many.
pub trait Successors: Send {
    /// Computes the successor by each joint move, with legal moves and scores. Calls `answer` with the number of the
    /// question and the successor, in order.
    fn expand(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &Successor));

    /// Computes legal moves and scores of states. Calls `answer` with the index of each state and the answer, in order.
    fn look(&mut self, states: &[&State], answer: &mut dyn FnMut(usize, &Successor));

    /// Computes only the successor states, without legal moves and scores. Calls `answer` with the number of the
    /// question and the words of [`State::from_words`], possibly with empty words at the end, in order. Cheaper than
    /// [`Successors::expand`] when many successors repeat. Questions about one borrowed state are best asked in a row.
    fn follow(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &[u64]));

    /// Tells `answer` what follows each joint move, as [`Successors::expand`] does, and what every role perceives of
    /// the step (GDL-II), each role's percepts in the order of their numbers. With `wanted`, only of the steps in which
    /// this role perceives exactly these percepts, given in the same order; the others cost no read-out.
    fn perceive(
        &mut self,
        questions: &[(&State, &[MoveId])],
        wanted: Option<(Role, &[PerceptId])>,
        answer: &mut dyn FnMut(usize, &Successor, &Percepts),
    );

    /// Sets a deadline as [`Machine::set_deadline`] does.
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        let _ = deadline;
    }

    /// The limit that was hit while deriving answers, if any. Answers cannot be trusted after that.
    fn fault(&self) -> Option<&str> {
        None
    }
}

/// A state with its legal moves and scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// Whether it is terminal.
    pub is_terminal: bool,
    /// The score of each role, as [`Machine::score`] gives it.
    pub scores: RoleMap<u8>,
    /// The legal moves of each role, sorted by term; empty in a terminal state.
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

    /// Options beyond uniformly random moves and scores. They must not change during a run.
    fn options(&self) -> PlayoutOptions {
        PlayoutOptions::default()
    }

    /// Returns the index of the legal move to play in the playout with this tag, after the choices `before`. Called
    /// only with [`PlayoutOptions::guided`]; the state is given only with [`PlayoutOptions::states`].
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

    /// Shows the states of several playouts at once, right before [`PlayoutSource::choose`] is called for each of them,
    /// in the order of their bits. `moves` are all moves of the role that are legal in some of them, in order. Called
    /// only with [`PlayoutOptions::lanes`].
    fn survey(&mut self, _role: Role, _moves: &[MoveId], _lanes: &Lanes<'_>) {}

    /// Returns whether to inspect the state of the playout with this tag at this depth; skipping it saves the copy.
    /// Called right before [`PlayoutSource::watch`].
    fn is_watched(&mut self, _tag: u32, _steps: usize) -> bool {
        true
    }

    /// Inspects a non-terminal state of the playout with this tag and returns whether the playout stops here. Called
    /// only from the depth [`PlayoutOptions::watched_from`] on.
    fn watch(&mut self, _tag: u32, _steps: usize, _state: &State) -> bool {
        false
    }
}

/// Options of a [`PlayoutSource`] beyond uniformly random moves and scores. Each one costs time.
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
    /// among its legal moves unless the source chooses. Results come in no particular order, and several hundred
    /// playouts may be started before the first result comes.
    fn run(&mut self, rng: &mut Rng, max_steps: usize, source: &mut dyn PlayoutSource);

    /// Available batch sizes in ascending order. The smallest that covers [`PlayoutOptions::at_most`] is used, and a
    /// single playout takes about as long as a full batch of that size.
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
    /// Describes the machine's state.
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

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.0.set_deadline(deadline);
    }

    fn fault(&self) -> Option<&str> {
        self.0.fault()
    }
}

/// A cursor in the state graph of a game.
pub trait Machine: Send {
    /// Number of roles of the game.
    fn role_count(&self) -> usize;

    /// Moves to a state.
    fn load(&mut self, state: &State);

    /// The machine's state.
    fn state(&self) -> &State;

    /// Whether the state is terminal.
    fn is_terminal(&mut self) -> bool;

    /// Returns the legal moves of `role`, sorted by term. In terminal states these are the moves that the rules derive,
    /// although no match goes on to make one.
    fn legal(&mut self, role: Role) -> &[MoveId];

    /// Returns all goal values of a role that hold here, the one that counts first (see
    /// [`SeveralGoals`](crate::SeveralGoals)). In a well-formed game exactly one holds in every terminal state.
    fn goal_values(&mut self, role: Role) -> &[u8];

    /// Makes a joint move, one move per role, and moves to the successor. The moves need not be legal here; a move that
    /// is legal nowhere may have no effect.
    fn step(&mut self, joint: &[MoveId]);

    /// What a role would perceive if this joint move were made here (GDL-II), in the order of the numbers.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId>;

    /// The limit that was hit while deriving answers, if any. Answers of this machine cannot be trusted after that.
    fn fault(&self) -> Option<&str>;

    /// Sets a deadline for all questions: one that is not answered by then is a fault, and so is every later one.
    /// Engines that answer in bounded time ignore it.
    fn set_deadline(&mut self, deadline: Option<Instant>) {
        let _ = deadline;
    }

    /// Returns the goal value of a role if exactly one holds.
    fn goal(&mut self, role: Role) -> Option<u8> {
        match *self.goal_values(role) {
            [value] => Some(value),
            _ => None,
        }
    }

    /// Returns the goal value that counts: the first of [`goal_values`](Machine::goal_values), or 0 if none holds.
    fn score(&mut self, role: Role) -> u8 {
        self.goal_values(role).first().copied().unwrap_or(0)
    }
}
