//! Trial matches: which of several agents plays a game best is seen before the match, by letting them play.
//!
//! The first agent is the one that our tournaments speak for; the others challenge it. Each challenge is a round of quick
//! matches, one in each seat, with the first agent in all other seats. The next challenge goes to whom it may still
//! help most, so time is not wasted on agents that lose. In the end a challenger is preferred only if it was so much
//! better that chance is an unlikely reason.

use crate::agent::{Agent, Place, Position};
use crate::setup::seats;
use crate::spec::AgentSpec;
use ludens_engine::playout::{choose_joint, play_out};
use ludens_engine::{Budget, MoveId, Rng, Role};
use ludens_search::Effort;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The shares of the time that may go into preparing the agents and into preparing and the matches together.
const PREPARING: f64 = 0.25;
const ALL: f64 = 0.7;
/// What an agent needs to prepare, at least; with less time there are fewer challengers.
const PREPARATION: Duration = Duration::from_millis(60);
/// The time for a move in a trial, at least and at most.
const MOVE: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];
/// Random matches that fit into a move, at least: who searches by them must get somewhere.
const RANDOM_MATCHES: u32 = 30;
/// Rounds that each challenger should get; the time for a move follows from it.
const ROUNDS: f64 = 12.0;
/// With fewer rounds for all of them together, trials say nothing.
const FEWEST_ROUNDS: f64 = 3.0;
/// As many rounds in which a challenger was as good as the first agent are added to what it did.
const DOUBT: f64 = 3.0;
/// What a challenger must be better by after that, in points.
const MARGIN: f64 = 4.0;
/// Points by which a challenger may be better than it seems after a single round; less after more.
const HOPE: f64 = 40.0;

/// An agent on trial.
struct Contender {
    spec: AgentSpec,
    /// One for each seat.
    agents: Vec<Box<dyn Agent>>,
    rounds: f64,
    /// What it got more than the first agent in a round, added up.
    lead: f64,
}

/// What came of the trials.
pub(super) struct Verdict {
    /// The agent to go on with.
    pub(super) agent: Box<dyn Agent>,
    /// What to say about it, if there were trials.
    pub(super) note: Option<String>,
}

/// Finds out which agent to go on with in a match that begins at a position.
pub(super) fn choose(place: &Place, specs: &[AgentSpec], start: &Position, effort: &Effort) -> Verdict {
    let roles = seats(&place.game);
    let seat = roles.iter().position(|&role| role == place.role).unwrap_or(0);
    let mut trial = Trial {
        place,
        start,
        roles,
        rng: Rng::with_seed(place.seed ^ 0x7121_a150),
        contenders: Vec::new(),
    };
    if let Some(time) = effort.time_left() {
        trial.run(specs, time, effort.budget());
    }
    trial.verdict(specs, seat)
}

struct Trial<'a> {
    place: &'a Place,
    start: &'a Position,
    roles: Vec<Role>,
    rng: Rng,
    contenders: Vec<Contender>,
}

impl Trial<'_> {
    fn run(&mut self, specs: &[AgentSpec], time: Duration, budget: &Budget) {
        let all = budget.within(time.mul_f64(ALL));
        // What random matches say of how long matches are, and how long it takes to play them.
        let mut machine = self.place.game.machine();
        let (began, mut matches, mut steps) = (Instant::now(), 0, 0);
        while matches < 20 && began.elapsed() < time.mul_f64(0.02) {
            machine.load(&self.start.state);
            steps += play_out(&mut *machine, &mut self.rng, MOST_STEPS).steps;
            matches += 1;
        }
        let Some(length) = (steps / matches.max(1)).checked_add(1).filter(|_| matches > 0) else {
            return;
        };
        let shortest = (began.elapsed() / matches as u32 * RANDOM_MATCHES).max(MOVE[0]);
        let round = |per_move: Duration| per_move.mul_f64((length * self.roles.len()) as f64);
        let (playing, preparing) = (time.mul_f64(ALL - PREPARING), time.mul_f64(PREPARING));
        let affordable = (playing.as_secs_f64() / round(shortest).as_secs_f64() / FEWEST_ROUNDS) as usize;
        let preparable = (preparing.as_secs_f64() / PREPARATION.as_secs_f64()) as usize / self.roles.len();
        let count = specs.len().min(1 + affordable).min(preparable);
        if count < 2 {
            return;
        }
        let wanted = ROUNDS * (count - 1) as f64;
        let ideal = playing.div_f64((length * self.roles.len()) as f64 * wanted);
        let per_move = ideal.min(MOVE[1]).max(shortest);
        self.prepare(
            &specs[..count],
            preparing.div_f64((count * self.roles.len()) as f64),
            &all,
        );
        while let Some(next) = self.next() {
            match self.round(next, length, per_move, &all) {
                Some(lead) => {
                    self.contenders[next].rounds += 1.0;
                    self.contenders[next].lead += lead;
                }
                None => break,
            }
        }
    }

    fn prepare(&mut self, specs: &[AgentSpec], each: Duration, all: &Budget) {
        for spec in specs {
            let agents = self.roles.iter().map(|&role| {
                let place = Place {
                    role,
                    seed: self.rng.u64(..),
                    ..self.place.clone()
                };
                let mut agent = spec.create(&place);
                agent.prepare(self.start, &Effort::new(all.within(each)));
                agent
            });
            self.contenders.push(Contender {
                spec: spec.clone(),
                agents: agents.collect(),
                rounds: 0.0,
                lead: 0.0,
            });
        }
    }

    /// The challenger that may be the best as far as is known.
    fn next(&self) -> Option<usize> {
        let promise = |contender: &Contender| match contender.rounds {
            0.0 => f64::INFINITY,
            rounds => contender.lead / rounds + HOPE / rounds.sqrt(),
        };
        let challengers = 1..self.contenders.len();
        challengers.max_by(|&one, &other| {
            let [one, other] = [one, other].map(|number| (promise(&self.contenders[number]), other.cmp(&number)));
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        })
    }

    /// Plays a match in each seat; tells what the challenger got more than the first agent on average. Nothing if the time
    /// is over.
    fn round(&mut self, challenger: usize, length: usize, per_move: Duration, all: &Budget) -> Option<f64> {
        let mut lead = 0.0;
        for seat in 0..self.roles.len() {
            lead += self.play(challenger, seat, 3 * length + 20, per_move, all)?;
        }
        Some(lead / self.roles.len() as f64)
    }

    fn play(&mut self, challenger: usize, seat: usize, most: usize, per_move: Duration, all: &Budget) -> Option<f64> {
        let game = &self.place.game;
        let mut machine = game.machine();
        let mut position = self.start.clone();
        machine.load(&position.state);
        let mut joint: Vec<MoveId> = Vec::new();
        for _ in 0..most {
            if machine.is_terminal() || machine.fault().is_some() {
                break;
            }
            if all.is_spent() {
                return None;
            }
            // What chance does, and the only moves there are; the agents choose the others.
            if choose_joint(&mut *machine, &mut self.rng, &mut joint).is_err() {
                break;
            }
            for (chair, &role) in self.roles.iter().enumerate() {
                if machine.legal(role).len() > 1 {
                    let contender = if chair == seat { challenger } else { 0 };
                    let agent = &mut self.contenders[contender].agents[chair];
                    let effort = Effort::new(all.within(per_move));
                    joint[role.index()] = agent.choose(&position, &effort).choice;
                }
            }
            machine.step(&joint);
            Arc::make_mut(&mut position.history).push(joint.clone());
            position.state = machine.state().clone();
        }
        // A match that was broken off says nothing.
        if !machine.is_terminal() {
            return Some(0.0);
        }
        let goals: Vec<f64> = self.roles.iter().map(|&role| f64::from(machine.score(role))).collect();
        let others = goals.iter().sum::<f64>() - goals[seat];
        Some(goals[seat] - others / (goals.len() - 1).max(1) as f64)
    }

    fn verdict(mut self, specs: &[AgentSpec], seat: usize) -> Verdict {
        if self.contenders.is_empty() {
            return Verdict {
                agent: specs[0].create(self.place),
                note: None,
            };
        }
        let doubted = |contender: &Contender| contender.lead / (contender.rounds + DOUBT);
        let best = (1..self.contenders.len())
            .filter(|&number| doubted(&self.contenders[number]) >= MARGIN)
            .max_by(|&one, &other| doubted(&self.contenders[one]).total_cmp(&doubted(&self.contenders[other])));
        let rounds: f64 = self.contenders.iter().map(|contender| contender.rounds).sum();
        let matches = rounds * self.roles.len() as f64;
        let note = match best {
            Some(best) => {
                let Contender { spec, rounds, lead, .. } = &self.contenders[best];
                let matches = rounds * self.roles.len() as f64;
                format!(
                    "plays as {spec}, which was {:.0} points ahead in {matches} trial matches",
                    lead / rounds
                )
            }
            None => format!(
                "plays as {}, which no other agent was clearly ahead of in {matches} trial matches",
                specs[0]
            ),
        };
        Verdict {
            agent: self.contenders.swap_remove(best.unwrap_or(0)).agents.swap_remove(seat),
            note: Some(note),
        }
    }
}

/// Steps of a random match at most.
const MOST_STEPS: usize = 1000;
