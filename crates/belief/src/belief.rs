//! The belief of one role, kept along with a match.

use crate::exact::{self, NotExact};
use crate::model::Model;
use crate::particles;
use crate::regenerate::{self, Past};
use crate::steps::{Seen, Steps};
use crate::world::{World, thinned};
use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, HistoryHash, MoveId, Observation, Rng, Role, RoleMap, State};
use std::collections::BTreeMap;

/// How the worlds of a belief were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All worlds there are, with their probabilities.
    Exact,
    /// A sample of them, weighed without bias.
    Particles,
    /// No world was found that explains what was observed; these ignore some of it.
    Guess,
}

impl Kind {
    /// The kind as one word, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::Particles => "particles",
            Kind::Guess => "guess",
        }
    }
}

/// How much a belief may do and keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steps that an exact update may look at; with more, the belief goes on with particles. 0 starts with particles.
    pub candidates: u64,
    /// Number of particles.
    pub particles: usize,
    /// Bytes of earlier particles that are kept, to start anew from when all have died out.
    pub snapshots: u64,
    /// Seed of the particles.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            candidates: 1 << 20,
            particles: 4096,
            snapshots: 64 << 20,
            seed: 0,
        }
    }
}

/// What a role may believe about the match, by its own moves and percepts.
pub struct Belief {
    game: Game,
    settings: Settings,
    steps: Steps,
    rng: Rng,
    observations: Vec<Observation>,
    worlds: Vec<World>,
    /// Sums of the weights up to each world, for drawing.
    sums: Vec<f64>,
    kind: Kind,
    /// The worlds before each step, as far as they are kept.
    snapshots: Vec<Option<Vec<World>>>,
    kept_bytes: u64,
    regenerated: u32,
    /// Whether it is by what all players know.
    is_public: bool,
}

impl Belief {
    /// The belief before the first move: everybody knows the initial state.
    pub fn new(game: &Game, role: Role, settings: Settings) -> Belief {
        let start = World {
            state: game.initial().clone(),
            histories: RoleMap::filled(game.roles().len(), HistoryHash::START),
            weight: 1.0,
        };
        Belief {
            game: game.clone(),
            rng: Rng::with_seed(settings.seed),
            steps: Steps::new(game, role),
            observations: Vec::new(),
            worlds: vec![start],
            sums: vec![1.0],
            kind: Kind::Exact,
            snapshots: Vec::new(),
            kept_bytes: 0,
            regenerated: 0,
            is_public: false,
            settings,
        }
    }

    /// What all players know alike, before the first move: a belief by the percepts that all of them get. The role's own
    /// moves and its other percepts are left out of what it is told.
    pub fn public(game: &Game, role: Role, settings: Settings) -> Belief {
        let mut belief = Belief::new(game, role, settings);
        belief.steps.count_public_percepts();
        belief.is_public = true;
        belief
    }

    /// The same with a model of how the others choose.
    #[must_use]
    pub fn with_model(mut self, model: Box<dyn Model>) -> Belief {
        self.steps.set_model(model);
        self
    }

    /// The role whose belief it is.
    pub fn role(&self) -> Role {
        self.steps.role
    }

    /// How the worlds were found.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Number of steps observed so far.
    pub fn step(&self) -> usize {
        self.observations.len()
    }

    /// How often the particles had died out and were found anew.
    pub fn regenerated(&self) -> u32 {
        self.regenerated
    }

    /// The possible worlds; their weights add up to one.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// Why answers cannot be trusted, if the engine met a limit.
    pub fn fault(&self) -> Option<&str> {
        self.steps.fault()
    }

    /// Draws a world by its probability.
    pub fn draw(&self, rng: &mut Rng) -> &World {
        let total = self.sums.last().copied().unwrap_or(1.0);
        let wanted = rng.f64() * total;
        let index = self.sums.partition_point(|&sum| sum <= wanted);
        &self.worlds[index.min(self.worlds.len() - 1)]
    }

    /// Takes one more step into account: the own move, the percepts, and whether the match is over now. When the budget
    /// is spent the belief goes on with what it has, so call it with some time left.
    pub fn observe(&mut self, observation: &Observation, is_over: bool, budget: &Budget) {
        let budget = &budget.child();
        let public;
        let observation = match self.is_public {
            false => observation,
            true => {
                let percepts = self.steps.counted(&observation.percepts);
                public = Observation { own: None, percepts };
                &public
            }
        };
        let seen = Seen::of(observation, is_over);
        self.keep_snapshot();
        self.observations.push(observation.clone());
        if self.kind == Kind::Exact {
            match exact::update(&mut self.steps, &self.worlds, seen, self.settings.candidates, budget) {
                Ok(worlds) => return self.set(worlds, Kind::Exact),
                // The manager is right: there is no world for this, and more search finds none.
                Err(NotExact::Unexplained) => return self.guess(seen),
                Err(NotExact::TooMany) => {}
            }
            let worlds = std::mem::take(&mut self.worlds);
            self.worlds = thinned(worlds, self.settings.particles, &mut self.rng);
        }
        let kind = match self.kind {
            Kind::Guess => Kind::Guess,
            Kind::Exact | Kind::Particles => Kind::Particles,
        };
        let count = self.settings.particles;
        let found = particles::update(&mut self.steps, &self.worlds, seen, count, &mut self.rng, budget);
        match found {
            Some(worlds) => self.set(worlds, kind),
            None => self.regenerate(seen, budget),
        }
    }

    /// Takes one more step into account after which the role knows the state, as in games without hidden information.
    pub fn observe_state(&mut self, observation: Observation, state: &State) {
        self.keep_snapshot();
        let own = observation.own.unwrap_or(MoveId(0));
        let histories = self.worlds[0].histories.values();
        let world = World {
            state: state.clone(),
            histories: histories
                .map(|history| history.after(own, &observation.percepts))
                .collect(),
            weight: 1.0,
        };
        self.observations.push(observation);
        self.set(vec![world], Kind::Exact);
    }

    fn set(&mut self, worlds: Vec<World>, kind: Kind) {
        self.worlds = worlds;
        self.kind = kind;
        self.sums.clear();
        let mut sum = 0.0;
        self.sums.extend(self.worlds.iter().map(|world| {
            sum += world.weight;
            sum
        }));
    }

    /// Keeps the worlds before a step, and drops the oldest but the first where memory is short.
    fn keep_snapshot(&mut self) {
        let bytes = |worlds: &[World]| worlds.iter().map(World::bytes).sum::<u64>();
        self.kept_bytes += bytes(&self.worlds);
        self.snapshots.push(Some(self.worlds.clone()));
        for kept in self.snapshots.iter_mut().skip(1) {
            if self.kept_bytes <= self.settings.snapshots {
                break;
            }
            if let Some(worlds) = kept.take() {
                self.kept_bytes -= bytes(&worlds);
            }
        }
    }

    /// No particle is left: finds new ones, or goes on without the percepts of this step.
    fn regenerate(&mut self, seen: Seen<'_>, budget: &Budget) {
        let past = Past {
            snapshots: &self.snapshots,
            observations: &self.observations,
            is_over: seen.is_over,
        };
        let (steps, rng) = (&mut self.steps, &mut self.rng);
        let found = regenerate::from_snapshots(steps, &past, self.settings.particles, rng, budget)
            .or_else(|| regenerate::depth_first(steps, &past, rng, budget));
        match found {
            Some(worlds) => {
                self.regenerated += 1;
                self.set(worlds, Kind::Particles);
            }
            None => self.guess(seen),
        }
    }

    /// Goes on without the conditions that no world meets: first without the percepts, then without the own move.
    fn guess(&mut self, seen: Seen<'_>) {
        let count = self.settings.particles;
        let worlds = thinned(std::mem::take(&mut self.worlds), count, &mut self.rng);
        let budget = Budget::default();
        for own in [seen.own, None] {
            let seen = Seen {
                own,
                percepts: None,
                ..seen
            };
            if let Some(next) = particles::update(&mut self.steps, &worlds, seen, count, &mut self.rng, &budget) {
                return self.set(next, Kind::Guess);
            }
        }
        self.set(worlds, Kind::Guess);
    }

    /// Probability that a fluent holds.
    pub fn probability(&self, fluent: Fluent) -> f64 {
        let holding = self.worlds.iter().filter(|world| world.state.holds(fluent));
        holding.map(|world| world.weight).sum()
    }

    /// The moves of the role that are legal in some world, sorted by term, with the probability that they are.
    pub fn legal(&mut self) -> Vec<(MoveId, f64)> {
        let choices = self.steps.legal(&self.worlds);
        let mut moves: BTreeMap<String, (MoveId, f64, usize)> = BTreeMap::new();
        let role = self.role();
        for (world, legal) in self.worlds.iter().zip(&choices) {
            for &id in legal {
                let text = || self.game.move_text(role, id);
                let entry = moves.entry(text()).or_insert((id, 0.0, 0));
                *entry = (id, entry.1 + world.weight, entry.2 + 1);
            }
        }
        let count = self.worlds.len();
        let probability = |weight: f64, worlds: usize| if worlds == count { 1.0 } else { weight.min(1.0) };
        moves
            .into_values()
            .map(|(id, weight, worlds)| (id, probability(weight, worlds)))
            .collect()
    }
}
