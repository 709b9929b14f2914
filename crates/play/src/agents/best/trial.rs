//! Trial matches: which of several agents plays a game best is seen before the match, by letting them play.
//!
//! The first agent is the one that our tournaments speak for; the others challenge it. Each challenge is a round of quick
//! matches, one in each seat, with the first agent in all other seats. The next challenge goes to whom it may still
//! help most, so time is not wasted on agents that lose. In the end a challenger is preferred only if it was so much
//! better that chance is an unlikely reason. What came of all rounds is kept with the game, so that who plays many matches of
//! it knows more and more.

use crate::agent::{Agent, Place};
use crate::setup::seats;
use crate::spec::AgentSpec;
use crate::view::View;
use ludens_budget::Budget;
use ludens_engine::playout::{choose_joint, play_out};
use ludens_engine::{MoveId, Rng, Role};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The share of the time that trials may take.
const SHARE: f64 = 0.7;
/// What an agent gets to prepare for its trials: a share of the time, and so much at least.
const PREPARING: f64 = 0.02;
const PREPARATION: Duration = Duration::from_millis(50);
/// The time for a move in a trial, at least and at most. Less says little about longer times: depth-first search is quick
/// to see something, tree search catches up.
const MOVE: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(50)];
/// Random matches that fit into a move, at least: who searches by them must get somewhere.
const RANDOM_MATCHES: u32 = 5;
/// Rounds that each challenger should get; the time for a move follows from it.
const ROUNDS: f64 = 6.0;
/// As many rounds in which a challenger was as good as the first agent are added to what it did.
const DOUBT: f64 = 9.0;
/// What a challenger must be better by after that, in points: a single round never is enough.
const MARGIN: f64 = 10.0;
/// Points by which a challenger may be better than it seems after a single round; less after more.
const HOPE: f64 = 50.0;
/// Steps of a random match at most.
const MOST_STEPS: usize = 1000;

/// An agent that may be tried.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// What it is.
    pub(super) spec: AgentSpec,
    /// Points that it has to lead by before that counts, because quick matches flatter it.
    pub(super) handicap: f64,
}

/// What came of the trials of a game so far, by the texts of the agents.
#[derive(Default)]
struct Scores(Mutex<BTreeMap<String, Score>>);

#[derive(Clone, Copy, Default)]
struct Score {
    rounds: f64,
    /// What the agent got more than the first one in a round, less its handicap, added up.
    lead: f64,
}

impl Score {
    /// What is believed of the lead after all doubts.
    fn doubted(self) -> f64 {
        self.lead / (self.rounds + DOUBT)
    }

    /// What the lead may be at best.
    fn promise(self) -> f64 {
        match self.rounds {
            0.0 => f64::INFINITY,
            rounds => self.lead / rounds + HOPE / rounds.sqrt(),
        }
    }
}

/// What came of the trials.
pub(super) struct Verdict {
    /// The agent to go on with.
    pub(super) agent: Box<dyn Agent>,
    /// What to say about it, if there were trials.
    pub(super) note: Option<String>,
}

/// Finds out which agent to go on with in a match that begins at a position.
pub(super) fn choose(place: &Place, candidates: &[Candidate], start: &View, budget: &Budget) -> Verdict {
    let Some(time) = budget.time_left() else {
        // Trial matches need a clock; with a budget of iterations, play the first candidate.
        return Verdict {
            agent: candidates[0].spec.create(place),
            note: None,
        };
    };
    let game = &place.game;
    let scores = game.kept::<Scores>().unwrap_or_else(|| game.keep(Scores::default()));
    let roles = seats(game);
    let mut trial = Trial {
        place,
        start,
        candidates,
        agents: candidates.iter().map(|_| Vec::new()).collect(),
        preparation: PREPARATION.max(time.mul_f64(PREPARING)),
        roles,
        rng: Rng::with_seed(place.seed ^ 0x7121_a150),
    };
    trial.run(&scores, time, budget);
    trial.verdict(&scores)
}

struct Trial<'a> {
    place: &'a Place,
    start: &'a View,
    candidates: &'a [Candidate],
    roles: Vec<Role>,
    /// For each candidate that was tried its agents, one for each seat.
    agents: Vec<Vec<Box<dyn Agent>>>,
    preparation: Duration,
    rng: Rng,
}

impl Scores {
    fn of(&self, candidate: &Candidate) -> Score {
        let scores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scores.get(&candidate.spec.to_string()).copied().unwrap_or_default()
    }

    fn add(&self, candidate: &Candidate, lead: f64) {
        let mut scores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let score = scores.entry(candidate.spec.to_string()).or_default();
        score.rounds += 1.0;
        score.lead += lead - candidate.handicap;
    }
}

impl Trial<'_> {
    fn run(&mut self, scores: &Scores, time: Duration, budget: &Budget) {
        // The searches of trial matches are nobody's to see.
        let budget = budget.uncounted().unobserved().within(time.mul_f64(SHARE));
        let deadline = budget.deadline().unwrap_or_else(Instant::now);
        // What random matches say of how long matches are, and how long it takes to play them.
        let mut machine = self.place.game.machine();
        let (began, mut matches, mut steps) = (Instant::now(), 0u32, 0);
        while matches < 20 && (matches == 0 || began.elapsed() < time.mul_f64(0.02)) {
            machine.load(self.start.state());
            steps += play_out(&mut *machine, &mut self.rng, MOST_STEPS).steps;
            matches += 1;
        }
        let length = steps / matches as usize + 1;
        let moves_a_round = (length * self.roles.len()) as f64;
        let least = (began.elapsed() / matches * RANDOM_MATCHES).max(MOVE[0]);
        let wanted = ROUNDS * (self.candidates.len() - 1) as f64;
        let ideal = time.mul_f64(SHARE).div_f64(moves_a_round * wanted);
        let per_move = ideal.min(MOVE[1]).max(least);
        let challengers = 1..self.candidates.len();
        let promise = |&number: &usize| scores.of(&self.candidates[number]).promise();
        while let Some(next) = challengers
            .clone()
            .rev()
            .max_by(|a, b| promise(a).total_cmp(&promise(b)))
        {
            // Agents often answer before their time is over, so that a round may take less.
            let round = per_move.mul_f64(moves_a_round * 0.7) + self.preparation * self.unprepared(next);
            if deadline.saturating_duration_since(Instant::now()) < round {
                return;
            }
            self.prepare(0, &budget);
            self.prepare(next, &budget);
            match self.round(next, 3 * length + 20, per_move, &budget) {
                Some(lead) => scores.add(&self.candidates[next], lead),
                None => return,
            }
        }
    }

    /// How many agents have to be prepared for a challenge.
    fn unprepared(&self, challenger: usize) -> u32 {
        let missing = |number: usize| (self.roles.len() - self.agents[number].len()) as u32;
        missing(0) + missing(challenger)
    }

    fn prepare(&mut self, number: usize, budget: &Budget) {
        for &role in &self.roles[self.agents[number].len()..] {
            let place = Place {
                role,
                seed: self.rng.u64(..),
                ..self.place.clone()
            };
            let mut agent = self.candidates[number].spec.create(&place);
            agent.prepare(self.start, &budget.within(self.preparation));
            self.agents[number].push(agent);
        }
    }

    /// Plays a match in each seat; tells what the challenger got more than the first agent on average. Nothing if the time
    /// is over.
    fn round(&mut self, challenger: usize, most: usize, per_move: Duration, budget: &Budget) -> Option<f64> {
        let mut lead = 0.0;
        for seat in 0..self.roles.len() {
            lead += self.play(challenger, seat, most, per_move, budget)?;
        }
        Some(lead / self.roles.len() as f64)
    }

    fn play(
        &mut self,
        challenger: usize,
        seat: usize,
        most: usize,
        per_move: Duration,
        budget: &Budget,
    ) -> Option<f64> {
        let mut machine = self.place.game.machine();
        let mut view = self.start.clone();
        machine.load(view.state());
        let mut joint: Vec<MoveId> = Vec::new();
        for _ in 0..most {
            if machine.is_terminal() || machine.fault().is_some() {
                break;
            }
            if budget.is_spent() {
                return None;
            }
            // What chance does, and the only moves there are; the agents choose the others.
            if choose_joint(&mut *machine, &mut self.rng, &mut joint).is_err() {
                break;
            }
            for (chair, &role) in self.roles.iter().enumerate() {
                if machine.legal(role).len() > 1 {
                    let number = if chair == seat { challenger } else { 0 };
                    let budget = budget.within(per_move);
                    joint[role.index()] = self.agents[number][chair].choose(&view, &budget).choice;
                }
            }
            machine.step(&joint);
            view.observe(joint.clone(), machine.state());
        }
        // A match that was broken off says nothing.
        if !machine.is_terminal() {
            return Some(0.0);
        }
        let goals: Vec<f64> = self.roles.iter().map(|&role| f64::from(machine.score(role))).collect();
        let others = goals.iter().sum::<f64>() - goals[seat];
        Some(goals[seat] - others / (goals.len() - 1).max(1) as f64)
    }

    fn verdict(mut self, scores: &Scores) -> Verdict {
        let doubted = |number: usize| scores.of(&self.candidates[number]).doubted();
        let best = (1..self.candidates.len())
            .filter(|&number| doubted(number) > MARGIN)
            .max_by(|&one, &other| doubted(one).total_cmp(&doubted(other)));
        let matches = |rounds: f64| rounds * self.roles.len() as f64;
        let chosen = best.unwrap_or(0);
        let Candidate { spec, handicap } = &self.candidates[chosen];
        let note = match best {
            Some(_) => {
                let Score { rounds, lead } = scores.of(&self.candidates[chosen]);
                let (lead, matches) = (lead / rounds + handicap, matches(rounds));
                format!("plays as {spec}, which was {lead:.0} points ahead in {matches} trial matches")
            }
            None => {
                let all = self.candidates.iter().map(|candidate| scores.of(candidate).rounds);
                let matches = matches(all.sum());
                format!("plays as {spec}, which no other agent was clearly ahead of in {matches} trial matches")
            }
        };
        let seat = self.roles.iter().position(|&role| role == self.place.role);
        let mut tried = std::mem::take(&mut self.agents[chosen]);
        let agent = match seat {
            Some(seat) if seat < tried.len() => tried.swap_remove(seat),
            _ => spec.create(self.place),
        };
        Verdict {
            agent,
            note: Some(note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::Game;

    fn candidates(texts: [&str; 2]) -> Vec<Candidate> {
        let candidate = |text: &str| Candidate {
            spec: AgentSpec::parse(text).expect("there is such an agent"),
            handicap: 0.0,
        };
        texts.map(candidate).into()
    }

    fn place() -> Place {
        let source = ludens_library::find("tic-tac-toe")
            .expect("it is in the library")
            .source();
        Place {
            game: Game::read(source).expect("it has rules"),
            role: Role(1),
            seed: 1,
            match_id: "trial".into(),
        }
    }

    #[test]
    fn who_wins_its_trials_plays_the_match() {
        let place = place();
        let budget = || Budget::default().within(Duration::from_secs(2));
        let start = View::start(&place.game);
        let verdict = choose(&place, &candidates(["random", "uct"]), &start, &budget());
        let note = verdict.note.expect("there was time for trials");
        assert!(note.starts_with("plays as uct, which was"), "{note}");
    }

    #[test]
    fn who_loses_its_trials_does_not() {
        let place = place();
        let budget = Budget::default().within(Duration::from_secs(2));
        let verdict = choose(
            &place,
            &candidates(["uct", "random"]),
            &View::start(&place.game),
            &budget,
        );
        let note = verdict.note.expect("there was time for trials");
        assert!(note.starts_with("plays as uct, which no other"), "{note}");
    }

    #[test]
    fn without_a_clock_there_are_no_trials() {
        let place = place();
        let start = View::start(&place.game);
        let verdict = choose(&place, &candidates(["random", "uct"]), &start, &Budget::iterations(100));
        assert_eq!(verdict.note, None);
    }

    #[test]
    fn a_single_round_is_never_enough() {
        let score = |rounds, lead| Score { rounds, lead };
        assert!(score(1.0, 100.0).doubted() <= MARGIN);
        assert!(score(2.0, 200.0).doubted() > MARGIN);
        assert!(score(1.0, -100.0).promise() < score(4.0, 0.0).promise());
        assert_eq!(score(0.0, 0.0).promise(), f64::INFINITY);
    }
}
