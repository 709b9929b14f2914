//! The game interface: what every engine implements and every searcher uses.
//!
//! An [`Engine`] is the shared, immutable part of a game; a [`Machine`] is one thread's cursor with its scratch memory.
//! A machine stands at one state and answers questions about it; answers that need the same work share it.

use crate::Rng;
use crate::crowd::Crowd;
use crate::playout::{Choice, Playout, play_match};
use crate::state::{MoveId, Role, State};
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

    /// The fastest way to run many random matches.
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
    pub scores: Vec<u8>,
    /// The legal moves of each role there, in the order of their terms; none if the match is over.
    pub legal: Vec<Vec<MoveId>>,
}

impl Successor {
    pub(crate) fn empty(roles: usize) -> Successor {
        Successor {
            state: State::default(),
            is_terminal: false,
            scores: vec![0; roles],
            legal: vec![Vec::new(); roles],
        }
    }
}

/// Random matches to be played: where they start and where their results go.
///
/// Both are asked of the same value, so that a search can choose a start in its tree and put the result back there.
pub trait Matches {
    /// The start of the next match, and a tag by which its result will be known; nothing if there are no more. The
    /// state is only looked at, so that the same one can be lent again and again. Tags may repeat.
    fn start(&mut self) -> Option<(&State, u32)>;

    /// Takes the result of the match with this tag.
    fn finish(&mut self, tag: u32, playout: &Playout);

    /// Whether to drop the matches that are under way, without results, so that no deadline is missed by the length of
    /// a match. Asked after every step.
    fn is_over(&mut self) -> bool {
        false
    }

    /// What is wanted beyond uniformly random moves and scores. It must stay the same while matches are run.
    fn wishes(&self) -> Wishes {
        Wishes::default()
    }

    /// Chooses one of several legal moves, by its place, in the match with this tag, after the choices `before`. Only
    /// asked if wished for; the state is told only if that is wished for too.
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

    /// Looks at the states of several matches at once, right before [`Matches::choose`] is asked about each of them, in the
    /// order of their bits. `moves` are all moves of the role that are legal in some of them, in order. Only told if wished
    /// for.
    fn survey(&mut self, _role: Role, _moves: &[MoveId], _crowd: &Crowd<'_>) {}

    /// Whether to look at the state of the match with this tag after so many steps; where it is not looked at, it need
    /// not be written down. Asked right before [`Matches::watch`].
    fn is_watched(&mut self, _tag: u32, _steps: usize) -> bool {
        true
    }

    /// Looks at a state of the match with this tag, which is not terminal, after so many steps; says whether the match
    /// ends here. Only asked if wished for.
    fn watch(&mut self, _tag: u32, _steps: usize, _state: &State) -> bool {
        false
    }
}

/// What [`Matches`] want beyond uniformly random moves and scores. Everything costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// To choose moves by [`Matches::choose`].
    pub guided: bool,
    /// To be told the state in which a move is chosen by [`Matches::choose`].
    pub states: bool,
    /// To look at many states at once with [`Matches::survey`] before moves are chosen in them.
    pub crowds: bool,
    /// To be told the choices that were made, in [`Playout::choices`].
    pub choices: bool,
    /// To be told the states in which they were made too, in [`Playout::states`].
    pub choice_states: bool,
    /// To be told where the match ended, in [`Playout::state`].
    pub last_state: bool,
    /// To look at the states after so many steps or more with [`Matches::watch`].
    pub watched_from: Option<usize>,
    /// That no more than so many matches are started, where that is known before: few take less time.
    pub at_most: Option<u64>,
}

/// Runs random matches, many at once where the engine can.
pub trait Playouts: Send {
    /// Plays matches, at most `most_steps` steps each, until there are no more to start. Every role chooses uniformly
    /// among its legal moves, unless the matches wish to choose. Results come in no particular order, and several hundred
    /// matches may be started before the first result comes.
    fn run(&mut self, rng: &mut Rng, most_steps: usize, matches: &mut dyn Matches);

    /// How many matches can be under way at once, from few to many. The least that will do for [`Wishes::at_most`] is
    /// taken, and a single match takes about as long as so many.
    fn sizes(&self) -> &'static [u64] {
        &[1]
    }
}

/// Playouts and successors one after the other on a machine.
pub(crate) struct OneByOne(pub(crate) Box<dyn Machine>);

impl Playouts for OneByOne {
    fn run(&mut self, rng: &mut Rng, most_steps: usize, matches: &mut dyn Matches) {
        while let Some((state, tag)) = matches.start() {
            self.0.load(state);
            match play_match(&mut *self.0, rng, most_steps, tag, matches) {
                Some(playout) => matches.finish(tag, &playout),
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
        for index in 0..machine.role_count() {
            let role = Role(index as u8);
            successor.scores[index] = machine.score(role);
            successor.legal[index].clear();
            if !successor.is_terminal {
                successor.legal[index].extend_from_slice(machine.legal(role));
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

    /// The legal moves of a role, in the order of their terms. Not to be asked of terminal states.
    fn legal(&mut self, role: Role) -> &[MoveId];

    /// All goal values of a role that hold here, the one that counts first (see [`SeveralGoals`](crate::SeveralGoals)).
    /// In a well-formed game exactly one does in every terminal state.
    fn goal_values(&mut self, role: Role) -> &[u8];

    /// Makes a joint move, one move a role, and stands at the successor. The moves need not be legal here; a move that
    /// is legal nowhere may have no effect.
    fn step(&mut self, joint: &[MoveId]);

    /// What a role would perceive if this joint move were made here (GDL-II), as canonical terms in order.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<String>;

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
