//! The setup of a match: game, players, limits and seed.

use crate::agent::{Agent, Place};
use crate::record::{End, EndReason, Information, MatchRecord};
use crate::spec::AgentSpec;
use crate::view::Position;
use ludens_budget::{Budget, Progress};
use ludens_engine::{Game, Role};
use ludens_search::Decision;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How late an answer may be without being late, unless told otherwise: threads are not always woken up at once.
pub const MARGIN: Duration = Duration::from_millis(100);

/// How many steps a match may have, unless told otherwise: games need not end by themselves.
pub const MOST_STEPS: usize = 10_000;

/// How much agents may do for each move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Time before the first move, and for each move.
    Clocks {
        /// Before the first move.
        start: Duration,
        /// For each move.
        play: Duration,
    },
    /// Iterations for each move. Matches are then repeatable, and nothing is ever late.
    Iterations(u64),
}

/// Makes an agent for a place.
type Create = dyn Fn(&Place) -> Box<dyn Agent> + Send + Sync;

/// Who is to play a role: a name for the record, and how the agent is made.
#[derive(Clone)]
pub struct Player {
    name: String,
    create: Arc<Create>,
    latency: Duration,
    is_untimed: bool,
}

impl Player {
    /// A player of any kind.
    pub fn new(name: impl Into<String>, create: impl Fn(&Place) -> Box<dyn Agent> + Send + Sync + 'static) -> Player {
        Player {
            name: name.into(),
            create: Arc::new(create),
            latency: Duration::ZERO,
            is_untimed: false,
        }
    }

    /// The same, but its answers may be so much later than those of others: it is somewhere else, and the way to it
    /// takes time.
    pub fn with_latency(self, latency: Duration) -> Player {
        Player { latency, ..self }
    }

    /// How much later than those of others its answers may be.
    pub fn latency(&self) -> Duration {
        self.latency
    }

    /// The same under another name.
    pub fn named(self, name: impl Into<String>) -> Player {
        Player {
            name: name.into(),
            ..self
        }
    }

    /// The same without a clock: a person, who may think as long as it takes. The others keep theirs.
    pub fn untimed(self) -> Player {
        Player {
            is_untimed: true,
            ..self
        }
    }

    /// Whether it has no clock.
    pub fn is_untimed(&self) -> bool {
        self.is_untimed
    }

    /// Its name in records.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn create(&self, place: &Place) -> Box<dyn Agent> {
        (self.create)(place)
    }
}

impl From<AgentSpec> for Player {
    fn from(spec: AgentSpec) -> Player {
        Player::new(spec.to_string(), move |place| spec.create(place))
    }
}

/// An agent's search result, during its time or at the end.
#[derive(Clone, Copy, Debug)]
pub struct Thought<'a> {
    /// The step that it thinks about, counted from zero.
    pub step: usize,
    /// The role it plays.
    pub role: Role,
    /// The decision.
    pub decision: &'a Decision,
    /// Whether this is its answer.
    pub is_final: bool,
}

/// Is shown what agents think. It is called on their threads, so it should not take long.
pub type Listener = Arc<dyn Fn(&Thought<'_>) + Send + Sync>;

/// How often listeners are shown what an agent thinks.
const LISTENING: Duration = Duration::from_millis(200);

/// The roles that need a player: all but chance.
pub fn seats(game: &Game) -> Vec<Role> {
    game.roles().filter(|&role| !game.is_random(role)).collect()
}

/// Everything that has to be known to play a match.
#[derive(Clone)]
pub struct Setup {
    /// The game.
    pub game: Game,
    /// Who plays, in the order of [`seats`].
    pub players: Vec<Player>,
    /// How much they may do.
    pub pace: Pace,
    /// Where the match begins; `None` for the initial state.
    pub start: Option<Position>,
    /// Whether every player sees the whole state, also where the rules hide information.
    pub is_open: bool,
    /// Where all chance comes from.
    pub seed: u64,
    /// How late an answer may be.
    pub margin: Duration,
    /// Whether agents think at the same time under a clock.
    pub at_once: bool,
    /// The greatest number of steps.
    pub most_steps: usize,
    /// States that each agent may keep in memory; without a number their settings decide alone.
    pub most_nodes: Option<u64>,
    /// Who is shown what agents think.
    pub listener: Option<Listener>,
    /// Ends the match early.
    pub budget: Budget,
}

impl Setup {
    /// A match with seed 0 that goes on until it ends by itself.
    ///
    /// # Panics
    ///
    /// If there are not exactly as many players as seats.
    pub fn new(game: Game, players: Vec<Player>, pace: Pace) -> Setup {
        assert_eq!(players.len(), seats(&game).len(), "one player for each seat");
        Setup {
            game,
            players,
            pace,
            start: None,
            is_open: false,
            seed: 0,
            margin: MARGIN,
            at_once: false,
            most_steps: MOST_STEPS,
            most_nodes: None,
            listener: None,
            budget: Budget::default(),
        }
    }

    /// The same with another seed.
    pub fn with_seed(self, seed: u64) -> Setup {
        Setup { seed, ..self }
    }

    /// The same, ended early when this budget is spent.
    pub fn with_budget(self, budget: Budget) -> Setup {
        Setup { budget, ..self }
    }

    /// Whether players observe their own moves and percepts only.
    pub fn hides(&self) -> bool {
        let has_history = |start: &Position| start.step() > 0 || start == &Position::start(&self.game);
        // What was perceived on the way to a state of unknown history is unknown too.
        self.game.hides_information() && !self.is_open && self.start.as_ref().is_none_or(has_history)
    }

    /// The name of the player of each role; `random` for chance.
    pub fn player_names(&self) -> Vec<String> {
        let mut players = self.players.iter();
        let name = |role| match self.game.is_random(role) {
            true => "random".to_string(),
            false => players.next().map_or_else(String::new, |player| player.name.clone()),
        };
        self.game.roles().map(name).collect()
    }

    /// Returns the bounds of one move or of the preparation for the player of a chair, and when the answer is late. The
    /// player is asked to answer earlier than its clock ends by a reserve.
    pub(crate) fn budget(
        &self,
        chair: usize,
        role: Role,
        step: usize,
        time: Duration,
        reserve: Duration,
    ) -> (Budget, Option<Instant>) {
        let (mut budget, latest) = match self.players.get(chair).is_some_and(Player::is_untimed) {
            true => (self.budget.clone(), None),
            false => self.bounds(time, reserve),
        };
        if let Some(most) = self.most_nodes {
            budget = budget.with_nodes(most);
        }
        if let Some(listener) = self.listener.clone() {
            let progress = Progress::every(LISTENING, move |decision: &Decision| {
                listener(&Thought {
                    step,
                    role,
                    decision,
                    is_final: false,
                });
            });
            budget = budget.observed_by(progress);
        }
        (budget, latest)
    }

    fn bounds(&self, time: Duration, reserve: Duration) -> (Budget, Option<Instant>) {
        match self.pace {
            Pace::Iterations(count) => (self.budget.clone().with_iterations(count), None),
            Pace::Clocks { .. } => {
                let clock = Instant::now().checked_add(time);
                let end = self.budget.deadline().into_iter().chain(clock).min();
                let budget = match end {
                    Some(end) => self.budget.until(end.checked_sub(reserve).unwrap_or(end)),
                    None => self.budget.clone(),
                };
                (budget, end.map(|end| end + self.margin))
            }
        }
    }

    /// The record of a match that has not begun.
    pub(crate) fn header(&self) -> MatchRecord {
        let game = &self.game;
        let (start_clock, play_clock, iterations) = match self.pace {
            Pace::Clocks { start, play } => (Some(start.as_secs_f64()), Some(play.as_secs_f64()), None),
            Pace::Iterations(count) => (None, None, Some(count)),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        MatchRecord {
            game: game.name().to_string(),
            roles: game.roles().map(|role| game.role_name(role).to_string()).collect(),
            players: self.player_names(),
            seed: self.seed,
            start_clock,
            play_clock,
            iterations,
            version: env!("CARGO_PKG_VERSION").to_string(),
            engine: game.engine().name().to_string(),
            started: u64::try_from(now.as_millis()).unwrap_or(0),
            gdl: if game.hides_information() { 2 } else { 1 },
            information: game.hides_information().then_some(match self.hides() {
                true => Information::Percepts,
                false => Information::Open,
            }),
            moves: Vec::new(),
            percepts: Vec::new(),
            evaluations: Vec::new(),
            times: Vec::new(),
            goals: None,
            end: End {
                reason: EndReason::Unfinished,
                detail: None,
            },
            errors: Vec::new(),
            seconds: 0.0,
        }
    }
}
