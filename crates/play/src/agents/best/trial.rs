//! Trial matches: finds out during the start clock which of several agents plays a game best, by letting them play.
//!
//! The first agent is the favourite of our tournaments; the others challenge it. Each challenge is a round of quick
//! matches, one in each seat, with the first agent in all other seats. The next challenge goes to the challenger with the
//! highest upper bound, so that no time is wasted on agents that lose. In the end a challenger is preferred only if its
//! lead is unlikely to be chance. Results are kept with the game, so that later matches of it start with more evidence.
//!
//! Trial matches are played by the match loop, so an agent that panics or hangs cannot hold them up.

use crate::agent::{Agent, Place};
use crate::event::MatchEvent;
use crate::record::{EndReason, FaultKind};
use crate::run::Match;
use crate::setup::{Pace, Player, Setup, seats};
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::playout::play_out;
use ludens_engine::{Rng, Role};
use ludens_search::Decision;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The share of the time that trials may take.
const SHARE: f64 = 0.7;
/// Time for an agent to prepare for its trials: a share of the whole, and a minimum.
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
/// Lead that a challenger needs after that, in points: a single round is never enough.
const MARGIN: f64 = 10.0;
/// Points by which a challenger may be better than it seems after a single round; less after more.
const HOPE: f64 = 50.0;
/// Steps of a random match at most.
const MOST_STEPS: usize = 1000;

/// An agent that may be tried.
#[derive(Clone)]
pub(super) struct Candidate {
    /// Who it is.
    pub(super) player: Player,
    /// Points that it has to lead by before that counts, because quick matches flatter it.
    pub(super) handicap: f64,
}

/// Trial results of a game, keyed by agent spec.
#[derive(Default)]
struct Scores(Mutex<BTreeMap<String, Score>>);

#[derive(Clone, Copy, Default)]
struct Score {
    rounds: f64,
    /// Sum over rounds of the agent's lead over the first one, less its handicap.
    lead: f64,
}

impl Score {
    /// The mean lead, shrunk towards zero.
    fn doubted(self) -> f64 {
        self.lead / (self.rounds + DOUBT)
    }

    /// Upper bound of the lead.
    fn promise(self) -> f64 {
        match self.rounds {
            0.0 => f64::INFINITY,
            rounds => self.lead / rounds + HOPE / rounds.sqrt(),
        }
    }
}

/// The winner of the trials.
pub(super) struct Verdict {
    /// The agent to go on with.
    pub(super) agent: Box<dyn Agent>,
    /// Note on the choice, if there were trials.
    pub(super) note: Option<String>,
}

/// Chooses the agent for a match that begins at this view.
pub(super) fn choose(place: &Place, candidates: &[Candidate], start: &Position, budget: &Budget) -> Verdict {
    let Some(time) = budget.time_left() else {
        // Trial matches need a clock; with an iteration budget the first candidate plays.
        return Verdict {
            agent: candidates[0].player.create(place),
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
        // `vec![…; n]` would clone one `Arc`, so that all seats would share one agent.
        agents: candidates
            .iter()
            .map(|_| roles.iter().map(|_| Kept::default()).collect())
            .collect(),
        is_prepared: vec![false; candidates.len()],
        is_out: vec![false; candidates.len()],
        preparation: PREPARATION.max(time.mul_f64(PREPARING)),
        roles,
        rng: Rng::with_seed(place.seed ^ 0x7121_a150),
    };
    trial.run(&scores, time, budget);
    trial.verdict(&scores)
}

/// An agent that is kept from match to match: `None` while it plays, before it is made, and after it panicked.
type Kept = Arc<Mutex<Option<Box<dyn Agent>>>>;

struct Trial<'a> {
    place: &'a Place,
    start: &'a Position,
    candidates: &'a [Candidate],
    roles: Vec<Role>,
    /// The agents of each candidate, one for each seat.
    agents: Vec<Vec<Kept>>,
    /// Candidates that have played.
    is_prepared: Vec<bool>,
    /// Challengers that panicked or hung.
    is_out: Vec<bool>,
    preparation: Duration,
    rng: Rng,
}

impl Scores {
    fn of(&self, candidate: &Candidate) -> Score {
        let scores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scores.get(candidate.player.name()).copied().unwrap_or_default()
    }

    fn add(&self, candidate: &Candidate, lead: f64) {
        let mut scores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let score = scores.entry(candidate.player.name().to_string()).or_default();
        score.rounds += 1.0;
        score.lead += lead - candidate.handicap;
    }
}

impl Trial<'_> {
    fn run(&mut self, scores: &Scores, time: Duration, budget: &Budget) {
        // The searches of trial matches are nobody's to see.
        let budget = budget.uncounted().unobserved().within(time.mul_f64(SHARE));
        let deadline = budget.deadline().unwrap_or_else(Instant::now);
        // Random play shows how long matches are and how long a step takes.
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
        let candidates = self.candidates;
        let promise = |&number: &usize| scores.of(&candidates[number]).promise();
        while let Some(next) = (1..candidates.len())
            .rev()
            .filter(|&number| !self.is_out[number])
            .max_by(|a, b| promise(a).total_cmp(&promise(b)))
        {
            // Agents often answer before their time is over, so that a round may take less.
            let round = per_move.mul_f64(moves_a_round * 0.7) + self.preparation * self.unprepared(next);
            if deadline.saturating_duration_since(Instant::now()) < round {
                return;
            }
            match self.round(next, 3 * length + 20, per_move, &budget) {
                Some(lead) => scores.add(&self.candidates[next], lead),
                None => return,
            }
        }
    }

    /// Number of agents that have to be prepared for a challenge.
    fn unprepared(&self, challenger: usize) -> u32 {
        let missing = |number: usize| {
            if self.is_prepared[number] {
                0
            } else {
                self.roles.len() as u32
            }
        };
        missing(0) + missing(challenger)
    }

    /// Plays a match in each seat and returns by how much the challenger's goals exceed the first agent's on average;
    /// `None` if the time is over.
    fn round(&mut self, challenger: usize, most: usize, per_move: Duration, budget: &Budget) -> Option<f64> {
        let mut lead = 0.0;
        for seat in 0..self.roles.len() {
            lead += self.play(challenger, seat, most, per_move, budget)?;
        }
        self.is_prepared[0] = true;
        self.is_prepared[challenger] = true;
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
        let number = |chair: usize| if chair == seat { challenger } else { 0 };
        let players = (0..self.roles.len()).map(|chair| self.player(number(chair), chair));
        let pace = Pace::Clocks {
            start: self.preparation,
            play: per_move,
        };
        let setup = Setup {
            start: Some(self.start.clone()),
            // Agents that search whole states are compared.
            is_open: true,
            most_steps: self.start.step() + most,
            ..Setup::new(self.place.game.clone(), players.collect(), pace)
        }
        .with_seed(self.rng.u64(..))
        .with_budget(budget.clone());
        let role = self.roles[seat];
        let mut has_failed = false;
        let outcome = Match::new(&setup).run(&mut [&mut |event: &MatchEvent<'_>| {
            if let MatchEvent::Fault { role: failed, kind, .. } = event {
                has_failed |= *failed == role && matches!(kind, FaultKind::Panicked | FaultKind::Hung);
            }
        }]);
        self.is_out[challenger] |= has_failed;
        if outcome.end.reason == EndReason::Interrupted {
            return None;
        }
        // A match without a result says nothing.
        let Some(goals) = outcome.goals else {
            return Some(0.0);
        };
        let goals: Vec<f64> = self.roles.iter().map(|role| f64::from(goals[role.index()])).collect();
        let others = goals.iter().sum::<f64>() - goals[seat];
        Some(goals[seat] - others / (goals.len() - 1).max(1) as f64)
    }

    /// A candidate in a seat, whose agent is the same in all its matches.
    fn player(&self, number: usize, seat: usize) -> Player {
        let player = self.candidates[number].player.clone();
        let kept = self.agents[number][seat].clone();
        Player::new(player.name().to_string(), move |place| {
            Box::new(Lent {
                kept: kept.clone(),
                player: player.clone(),
                place: place.clone(),
            })
        })
    }

    fn verdict(self, scores: &Scores) -> Verdict {
        let doubted = |number: usize| scores.of(&self.candidates[number]).doubted();
        let best = (1..self.candidates.len())
            .filter(|&number| !self.is_out[number] && doubted(number) > MARGIN)
            .max_by(|&one, &other| doubted(one).total_cmp(&doubted(other)));
        let matches = |rounds: f64| rounds * self.roles.len() as f64;
        let chosen = best.unwrap_or(0);
        let Candidate { player, handicap } = &self.candidates[chosen];
        let name = player.name();
        let note = match best {
            Some(_) => {
                let Score { rounds, lead } = scores.of(&self.candidates[chosen]);
                let (lead, matches) = (lead / rounds + handicap, matches(rounds));
                format!("plays as {name}, which was {lead:.0} points ahead in {matches} trial matches")
            }
            None => {
                let all = self.candidates.iter().map(|candidate| scores.of(candidate).rounds);
                let matches = matches(all.sum());
                format!("plays as {name}, which no other agent was clearly ahead of in {matches} trial matches")
            }
        };
        let seat = self.roles.iter().position(|&role| role == self.place.role);
        let kept = seat.and_then(|seat| take(&self.agents[chosen][seat]));
        Verdict {
            agent: kept.unwrap_or_else(|| player.create(self.place)),
            note: Some(note),
        }
    }
}

fn take(kept: &Kept) -> Option<Box<dyn Agent>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Plays a trial match with an agent that outlives it.
struct Lent {
    kept: Kept,
    player: Player,
    place: Place,
}

impl Lent {
    /// Asks the agent. It is given back only if it answers, so an agent that panics or hangs is made anew.
    fn ask<T>(&self, agent: Option<Box<dyn Agent>>, question: impl FnOnce(&mut dyn Agent) -> T) -> T {
        let mut agent = agent.unwrap_or_else(|| self.player.create(&self.place));
        let answer = question(&mut *agent);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent);
        answer
    }
}

impl Agent for Lent {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        match take(&self.kept) {
            Some(prepared) => self.ask(Some(prepared), |_| ()),
            None => self.ask(None, |agent| agent.prepare(start, budget)),
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        self.ask(take(&self.kept), |agent| agent.choose(view, budget))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::AgentSpec;
    use ludens_engine::Game;

    fn candidates(texts: [&str; 2]) -> Vec<Candidate> {
        let candidate = |text: &str| Candidate {
            player: AgentSpec::parse(text).expect("there is such an agent").into(),
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
            is_hidden: false,
        }
    }

    #[test]
    fn who_wins_its_trials_plays_the_match() {
        let place = place();
        let budget = || Budget::default().within(Duration::from_secs(2));
        let start = Position::start(&place.game);
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
            &Position::start(&place.game),
            &budget,
        );
        let note = verdict.note.expect("there was time for trials");
        assert!(note.starts_with("plays as uct, which no other"), "{note}");
    }

    #[test]
    fn the_winner_of_the_trials_plays_its_own_role() {
        for role in [Role(0), Role(1)] {
            let place = Place { role, ..place() };
            let start = Position::start(&place.game);
            let budget = Budget::default().within(Duration::from_secs(1));
            let mut verdict = choose(&place, &candidates(["uct", "random"]), &start, &budget);
            let decision = verdict.agent.choose(&start, &Budget::iterations(100));
            let mut machine = place.game.machine();
            assert!(machine.legal(role).contains(&decision.choice), "{decision:?}");
        }
    }

    #[test]
    fn without_a_clock_there_are_no_trials() {
        let place = place();
        let start = Position::start(&place.game);
        let verdict = choose(&place, &candidates(["random", "uct"]), &start, &Budget::iterations(100));
        assert_eq!(verdict.note, None);
    }

    /// Panics or hangs when it is asked for a move.
    struct Broken(fn());

    impl Agent for Broken {
        fn choose(&mut self, _view: &Position, _budget: &Budget) -> Decision {
            (self.0)();
            unreachable!("it does not return")
        }
    }

    #[test]
    fn an_agent_that_panics_or_hangs_in_its_trials_does_not_play_the_match() {
        let hang = || loop {
            std::thread::park();
        };
        let breaks: [fn(); 2] = [|| panic!("on purpose"), hang];
        for broken in breaks {
            for index in [0, 1] {
                let place = place();
                let player = Player::new("broken", move |_: &Place| Box::new(Broken(broken)));
                let mut candidates = candidates(["random", "uct"]);
                candidates[index].player = player;
                let time = Duration::from_secs(3);
                let budget = Budget::default().within(time);
                let verdict = choose(&place, &candidates, &Position::start(&place.game), &budget);
                let note = verdict.note.expect("there was time for trials");
                // As the first candidate it loses to the other one, unless waiting for it took all the time.
                assert!(index == 0 || note.starts_with("plays as random"), "{note}");
            }
        }
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
