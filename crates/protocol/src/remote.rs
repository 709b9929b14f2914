//! A remote player as an agent.
//!
//! The match loop of `ludens_play` asks it like any other agent. A late, illegal or missing answer is a fault, and the
//! loop makes a random legal move instead. The clock starts when the request is sent and ends with the clock of the
//! match plus some slack for the network.

use crate::http::client::{self, NoAnswer};
use crate::message::{Information, News, Request, first_term};
use crate::scramble::Scrambler;
use ludens_budget::{Budget, StopReason};
use ludens_engine::Machine;
use ludens_play::{Agent, Failure, FaultKind, Observed, Place, Player, Position, RemoteAddress, View};
use ludens_search::Decision;
use std::time::{Duration, Instant};

/// Default tolerance for late answers.
pub const SLACK: Duration = Duration::from_secs(1);

/// Additional time that the match loop waits, so that it always learns how the conversation ended.
const WAKE: Duration = Duration::from_millis(400);

/// Time limit for an ABORT.
const ABORT: Duration = Duration::from_secs(1);

/// Maximum length of an illegal answer in a record.
const KEPT: usize = 200;

/// Default time limit for the answer to INFO before a match.
pub const PRESENCE: Duration = Duration::from_secs(5);

/// Content of messages after a joint move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The joint move, to every player, also in games with hidden information.
    #[default]
    Moves,
    /// In games with hidden information the percepts of the player, otherwise the joint move.
    Percepts,
    /// In games with hidden information the number of the turn, the own move and the percepts, otherwise the joint
    /// move.
    Turns,
}

/// Options for a remote player.
#[derive(Clone, Copy, Debug)]
pub struct RemoteOptions {
    /// Seconds before the first move.
    pub start_clock: u64,
    /// Seconds per move.
    pub play_clock: u64,
    /// Tolerance for late answers.
    pub slack: Duration,
    /// Whether the rules are scrambled.
    pub scramble: bool,
    /// Content of messages.
    pub dialect: Dialect,
}

impl RemoteOptions {
    /// Default options with these clocks, which are whole seconds in the protocol.
    pub fn new(start_clock: u64, play_clock: u64) -> RemoteOptions {
        RemoteOptions {
            start_clock,
            play_clock,
            slack: SLACK,
            scramble: false,
            dialect: Dialect::default(),
        }
    }
}

/// A remote player, for matches with clocks.
pub fn player(address: RemoteAddress, options: RemoteOptions) -> Player {
    let name = address.to_string();
    Player::new(name, move |place| {
        Box::new(Remote::new(address.clone(), options, place))
    })
    .with_latency(options.slack + WAKE)
}

/// Sends INFO to a player. Any text is an answer, because some players predate INFO and names are optional.
pub fn inquire(address: &RemoteAddress, budget: &Budget) -> Result<Information, NoAnswer> {
    let answer = client::ask(address, &address.host, &Request::Info.to_string(), budget)?;
    Ok(Information::parse(&answer).unwrap_or_default())
}

/// Name of a player in tables and records: its own name and its address, because names repeat.
pub fn full_name(address: &RemoteAddress, information: &Information) -> String {
    match information.plain_name() {
        Some(name) => format!("{name} at {address}"),
        None => address.to_string(),
    }
}

struct Remote {
    address: RemoteAddress,
    options: RemoteOptions,
    place: Place,
    scrambler: Scrambler,
    /// Follows the match, if percepts have to be derived.
    witness: Option<Box<dyn Machine>>,
    /// News of the last step, if percepts were derived.
    last_news: (usize, News),
}

impl Remote {
    fn new(address: RemoteAddress, options: RemoteOptions, place: &Place) -> Remote {
        let description = place.game.description();
        let scrambler = match options.scramble {
            // All players of a match get the same names.
            true => Scrambler::new(description, seed(&place.match_id)),
            false => Scrambler::none(),
        };
        let has_percepts = place.game.hides_information();
        let needs_witness = options.dialect != Dialect::Moves && has_percepts;
        Remote {
            address,
            options,
            scrambler,
            witness: needs_witness.then(|| place.game.machine()),
            last_news: (0, News::Nothing),
            place: place.clone(),
        }
    }

    fn ask(&self, request: &Request, budget: &Budget) -> Result<String, NoAnswer> {
        client::ask(&self.address, &self.address.host, &request.to_string(), budget)
    }

    /// Budget of a conversation: the clock and the slack.
    fn with_slack(&self, budget: &Budget) -> Budget {
        match budget.deadline() {
            Some(_) => budget.extended(self.options.slack),
            None => budget.within(Duration::from_secs(self.options.play_clock) + self.options.slack),
        }
    }

    /// News about the last joint move.
    fn news(&mut self, view: &View) -> News {
        match view {
            View::Whole(position) => self.news_of_all(position),
            View::Percepts(observed) => self.news_of_percepts(observed),
        }
    }

    /// What to say where information is hidden: the own move and the percepts of the last step.
    fn news_of_percepts(&self, observed: &Observed) -> News {
        let (game, role) = (&self.place.game, self.place.role);
        let last = observed.observations().last();
        let texts = last.map_or_else(Vec::new, |last| game.percept_texts(role, &last.percepts));
        let percepts: Vec<String> = texts.iter().map(|term| self.scrambler.scramble(term)).collect();
        let own = last.and_then(|last| last.own);
        match self.options.dialect {
            Dialect::Percepts if percepts.is_empty() => News::Nothing,
            Dialect::Percepts => News::List(percepts),
            // The joint move is nobody's to know.
            Dialect::Turns | Dialect::Moves => News::Turn {
                turn: observed.step() as u64,
                own: own.map(|own| self.scrambler.scramble(&game.move_text(role, own))),
                percepts,
            },
        }
    }

    /// What to say where the player sees everything.
    fn news_of_all(&mut self, view: &Position) -> News {
        let Some(joint) = view.history().last() else {
            return match self.witness.is_some() && self.options.dialect == Dialect::Turns {
                true => News::Turn {
                    turn: 0,
                    own: None,
                    percepts: Vec::new(),
                },
                false => News::Nothing,
            };
        };
        if self.last_news.0 == view.step() {
            return self.last_news.1.clone();
        }
        let (game, role) = (&self.place.game, self.place.role);
        let scrambler = &self.scrambler;
        let news = match &mut self.witness {
            None => {
                let moves = game.roles().zip(joint);
                News::List(
                    moves
                        .map(|(role, &chosen)| scrambler.scramble(&game.move_text(role, chosen)))
                        .collect(),
                )
            }
            Some(witness) => {
                let mut percepts = Vec::new();
                // Requests may have been skipped; the percepts of those steps are lost.
                let missed = view.history().iter().skip(self.last_news.0);
                for joint in missed {
                    percepts = witness.percepts(role, joint);
                    witness.step(joint);
                }
                let texts = game.percept_texts(role, &percepts);
                let percepts: Vec<String> = texts.iter().map(|term| scrambler.scramble(term)).collect();
                let own = scrambler.scramble(&game.move_text(role, joint[role.index()]));
                match self.options.dialect {
                    Dialect::Turns => News::Turn {
                        turn: view.step() as u64,
                        own: Some(own),
                        percepts,
                    },
                    _ if percepts.is_empty() => News::Nothing,
                    _ => News::List(percepts),
                }
            }
        };
        self.last_news = (view.step(), news.clone());
        news
    }
}

impl Agent for Remote {
    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        match self.try_choose(&View::Whole(view.clone()), budget) {
            Ok(decision) => decision,
            // This call cannot report failures; the first legal move is as good as any.
            Err(_) => {
                let mut machine = self.place.game.machine();
                machine.load(view.state());
                Decision::without_search(machine.legal(self.place.role)[0], StopReason::Interrupted)
            }
        }
    }

    fn try_prepare(&mut self, _start: &View, budget: &Budget) -> Result<(), Failure> {
        let game = &self.place.game;
        let request = Request::Start {
            id: self.place.match_id.to_string(),
            role: self.scrambler.scramble(game.role_name(self.place.role)),
            rules: self.scrambler.rules(game.description()),
            start_clock: Duration::from_secs(self.options.start_clock),
            play_clock: Duration::from_secs(self.options.play_clock),
        };
        // The content of the answer does not matter; the player's moves will show.
        match self.ask(&request, &self.with_slack(budget)) {
            Ok(_) | Err(NoAnswer::Garbage(_)) => Ok(()),
            Err(trouble) => Err(failure(trouble)),
        }
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        let request = Request::Play {
            id: self.place.match_id.to_string(),
            news: self.news(view),
        };
        let answer = self.ask(&request, &self.with_slack(budget)).map_err(failure)?;
        let illegal = || Failure {
            kind: FaultKind::Illegal,
            detail: answer.trim().chars().take(KEPT).collect(),
        };
        let term = self.scrambler.unscramble(first_term(&answer).ok_or_else(illegal)?);
        let chosen = self.place.game.parse_move(self.place.role, &term).ok_or_else(illegal)?;
        // The player's reason for stopping is unknown.
        Ok(Decision::without_search(chosen, StopReason::Deadline))
    }

    fn finish(&mut self, view: &View, goals: Option<&[u8]>) {
        let id = self.place.match_id.to_string();
        let now = Instant::now();
        let (request, time) = match goals {
            Some(_) => {
                let news = self.news(view);
                let time = Duration::from_secs(self.options.play_clock) + self.options.slack;
                (Request::Stop { id, news }, time)
            }
            None => (Request::Abort { id }, ABORT),
        };
        // The match is over, whatever the answer.
        let _ = self.ask(&request, &Budget::default().until(now + time));
    }
}

fn failure(trouble: NoAnswer) -> Failure {
    let kind = match trouble {
        NoAnswer::Late | NoAnswer::Interrupted => FaultKind::Late,
        NoAnswer::Unreachable(_) => FaultKind::Unreachable,
        NoAnswer::Garbage(_) => FaultKind::Illegal,
    };
    Failure {
        kind,
        detail: trouble.to_string(),
    }
}

/// A seed from a name, the same on every machine (FNV-1a).
fn seed(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}
