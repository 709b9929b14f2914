//! Determinization: an agent for whole states, asked in sampled worlds; the majority decides.
//!
//! Every sampled world is played as if all knew it, so this neither pays for information nor hides it: averaging over
//! clairvoyance. It is what agents for whole states do where information is hidden.

use super::tree_search::TreeSearch;
use super::{AgentKind, AgentSettings, Sight, uct};
use crate::agent::{Agent, Failure, Place};
use crate::settings::{AnAgent, settings};
use crate::spec::AgentSpec;
use crate::tracker::Tracker;
use crate::view::{Observed, Position, View};
use ludens_belief::Settings;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, Rng};
use ludens_search::{Decision, MoveStatistics};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "determinized",
    summary: "asks an agent for whole states in sampled worlds and takes the majority, where information is hidden",
    default: || Box::<Determinized>::default(),
};

settings! {
    /// Settings of the determinization.
    struct Determinized {
        /// the agent that is asked
        agent: AgentSpec = uct::with(TreeSearch::default()), AnAgent;
        /// number of worlds, each with an equal share of the budget
        samples: usize = SAMPLES, 1..=4096;
        ..belief: BeliefSettings;
    }
}

/// Worlds that are asked about, unless told otherwise.
const SAMPLES: usize = 32;

settings! {
    /// Settings of the belief.
    pub(super) struct BeliefSettings {
        /// steps that an exact belief may look at for each move; with more it is sampled
        candidates: u64 = 100_000, 0..=1 << 32;
        /// number of sampled worlds
        particles: usize = 4096, 1..=1 << 24;
    }
}

impl BeliefSettings {
    /// A belief at the beginning of a match.
    pub(super) fn tracker(&self, place: &Place) -> Tracker {
        Tracker::new(place, self.settings())
    }

    /// Settings of the belief.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            candidates: self.candidates,
            particles: self.particles,
            ..Settings::default()
        }
    }
}

impl AgentSettings for Determinized {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        Box::new(Voting::new(&self.agent, self.samples, &self.belief, place))
    }

    fn sight(&self) -> Sight {
        match self.agent.sight() {
            Sight::Refuses(why) => Sight::Refuses(why),
            Sight::Whole | Sight::Percepts => Sight::Percepts,
        }
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        self.agent.check(game)
    }
}

/// An agent for whole states with determinization around it.
pub(crate) fn determinized(agent: &AgentSpec, place: &Place) -> Box<dyn Agent> {
    Box::new(Voting::new(agent, SAMPLES, &BeliefSettings::default(), place))
}

/// Asks an agent in sampled worlds.
struct Voting {
    place: Place,
    agent: Box<dyn Agent>,
    samples: usize,
    tracker: Tracker,
    rng: Rng,
}

/// A move with what the worlds say about it.
#[derive(Clone, Copy, Debug)]
struct Votes {
    move_id: MoveId,
    votes: u64,
    visits: u64,
    /// Sum of the values over the worlds that gave one, and their number.
    value: f64,
    valued: u64,
}

impl Voting {
    fn new(agent: &AgentSpec, samples: usize, belief: &BeliefSettings, place: &Place) -> Voting {
        let whole = Place {
            is_hidden: false,
            ..place.clone()
        };
        Voting {
            agent: agent.create(&whole),
            samples,
            tracker: belief.tracker(place),
            rng: Rng::with_seed(place.seed ^ 0xde7e_1213),
            place: place.clone(),
        }
    }

    fn vote(&mut self, observed: &Observed, budget: &Budget) -> Result<Decision, Failure> {
        self.tracker.follow(observed, budget);
        let playable = self.tracker.playable()?;
        if let [only] = playable[..] {
            return Ok(Decision::without_search(only, StopReason::OnlyMove));
        }
        let mut all: Vec<Votes> = playable.iter().map(|&move_id| Votes::none(move_id)).collect();
        // An iteration for each world at least.
        let most = budget.most_iterations().map_or(u64::MAX, |most| most.max(1));
        let samples = (self.samples as u64).min(most);
        let mut machine = self.place.game.machine();
        let mut decisions = 0;
        for sample in 0..samples {
            let state = self.tracker.draw(&mut self.rng).clone();
            machine.load(&state);
            let is_dead = machine.is_terminal() || self.place.game.roles().any(|role| machine.legal(role).is_empty());
            if is_dead {
                continue;
            }
            let share = budget
                .part(sample, samples)
                .share(1.0 / (samples - sample) as f64)
                .unobserved();
            let decision = self.agent.choose(&Position::of(state), &share);
            decisions += 1;
            all.iter_mut().for_each(|votes| votes.count(&decision));
            if budget.is_spent() {
                break;
            }
        }
        Ok(self.decision(all, decisions, budget))
    }

    /// The move with the most votes; ties by visits, then by value.
    fn decision(&mut self, mut all: Vec<Votes>, decisions: u64, budget: &Budget) -> Decision {
        self.rng.shuffle(&mut all);
        let order = |one: &&Votes, other: &&Votes| {
            let counts = (one.votes, one.visits).cmp(&(other.votes, other.visits));
            counts.then(one.mean().unwrap_or(0.0).total_cmp(&other.mean().unwrap_or(0.0)))
        };
        let chosen = all.iter().max_by(order).copied().unwrap_or(all[0]);
        all.sort_by_key(|votes| self.place.game.move_text(self.place.role, votes.move_id));
        let statistics = all.iter().map(|votes| MoveStatistics {
            move_id: votes.move_id,
            probability: f64::from(u8::from(votes.move_id == chosen.move_id)),
            value: votes.mean(),
            proved: false,
            visits: votes.visits,
        });
        let playouts = all.iter().map(|votes| votes.visits).sum();
        let note = format!(
            "determinized: {} of {decisions} votes in {}",
            chosen.votes,
            self.tracker.note()
        );
        Decision {
            value: chosen.mean(),
            moves: statistics.collect(),
            playouts,
            note: Some(note),
            ..Decision::without_search(chosen.move_id, budget.stop(playouts).unwrap_or(StopReason::Iterations))
        }
    }
}

impl Votes {
    fn none(move_id: MoveId) -> Votes {
        Votes {
            move_id,
            votes: 0,
            visits: 0,
            value: 0.0,
            valued: 0,
        }
    }

    /// Counts what an agent decided in one world.
    fn count(&mut self, decision: &Decision) {
        self.votes += u64::from(decision.choice == self.move_id);
        let statistics = decision
            .moves
            .iter()
            .find(|statistics| statistics.move_id == self.move_id);
        let own = (decision.choice == self.move_id).then_some(decision.value).flatten();
        if let Some(value) = statistics.map_or(own, |statistics| statistics.value) {
            self.value += value;
            self.valued += 1;
        }
        self.visits += statistics.map_or(0, |statistics| statistics.visits);
    }

    fn mean(&self) -> Option<f64> {
        (self.valued > 0).then(|| self.value / self.valued as f64)
    }
}

impl Agent for Voting {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.agent.prepare(start, budget);
    }

    fn choose(&mut self, position: &Position, budget: &Budget) -> Decision {
        self.agent.choose(position, budget)
    }

    fn try_prepare(&mut self, start: &View, budget: &Budget) -> Result<(), Failure> {
        match start {
            View::Whole(start) => self.prepare(start, budget),
            // Everybody knows the initial state.
            View::Percepts(observed) if observed.step() == 0 => {
                self.agent.prepare(&Position::start(&self.place.game), budget);
            }
            View::Percepts(_) => {}
        }
        Ok(())
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        match view {
            View::Whole(position) => Ok(self.choose(position, budget)),
            View::Percepts(observed) => self.vote(observed, budget),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_can_be_named_inside() {
        for kind in super::super::AGENTS.iter().filter(|kind| kind.name != "determinized") {
            let text = format!("determinized(agent={})", kind.name);
            let spec = AgentSpec::parse(&text).unwrap();
            assert_eq!(
                spec.to_string(),
                if kind.name == "uct" { "determinized" } else { &text }
            );
        }
        assert!(AgentSpec::parse("determinized(agent=determinized)").is_err());
        let spec = AgentSpec::parse("determinized(agent=uct(c=20),samples=8)").unwrap();
        assert_eq!(spec.to_string(), "determinized(agent=uct(c=20),samples=8)");
    }
}
