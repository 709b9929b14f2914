//! Information-set search, by what the role has observed.

use super::determinized::BeliefSettings;
use super::{AgentKind, AgentSettings, Sight};
use crate::agent::{Agent, Failure, Place};
use crate::settings::{OneOf, choice, settings};
use crate::tracker::Tracker;
use crate::view::{Observed, Position, View};
use ludens_budget::Budget;
use ludens_engine::{HistoryHash, Rng, RoleMap, State};
use ludens_search::Decision;
use ludens_search::information_set::{InformationSetSearch, Observer, Policy, Root, Select, Settings, Worlds};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "is",
    summary: "information-set Monte Carlo tree search, for games with hidden information",
    default: || Box::<InformationSet>::default(),
};

choice! {
    impl Observer {
        /// the searching role's observations, for the moves of all roles (SO-ISMCTS)
        "single" = Observer::Single;
        /// the observations of the role that moves (MO-ISMCTS)
        "multiple" = Observer::Multiple;
    }
}

choice! {
    impl Root {
        /// as in the tree
        "tree" = Root::Tree;
        /// every move equally often
        "uniform" = Root::Uniform;
        /// upper confidence bounds
        "ucb" = Root::Ucb;
        /// sequential halving
        "halving" = Root::Halving;
    }
}

choice! {
    impl Select {
        /// upper confidence bounds with availability
        "ucb" = Select::Ucb;
        /// smooth UCT
        "smooth" = Select::Smooth;
        /// regret matching
        "regret" = Select::Regret;
    }
}

choice! {
    impl Policy {
        /// the most visited move
        "visits" = Policy::Visits;
        /// the move with the best mean
        "value" = Policy::Value;
        /// a move drawn in proportion to visits, or from the average strategy
        "mixed" = Policy::Mixed;
    }
}

settings! {
    impl Settings {
        /// whose observations the nodes of the tree are
        observer => observer, OneOf;
        /// choice of the own move at the root
        root => root, OneOf;
        /// choice of moves in the tree
        select => select, OneOf;
        /// choice of the move to make
        policy => policy, OneOf;
        /// share of iterations that start from what all roles know
        public => public, 0.0..=1.0;
        /// exploration constant of upper confidence bounds
        c => exploration, 0.0..=1_000_000.0;
        /// maximum number of tree nodes
        nodes => max_nodes, 1..=1 << 31;
        /// maximum playout length
        steps => max_steps, 1..=1_000_000;
    }
}

settings! {
    /// Settings of the search and of the belief.
    struct InformationSet {
        ..search: Settings;
        ..belief: BeliefSettings;
    }
}

impl AgentSettings for InformationSet {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        by_percepts(place, self.search, &self.belief)
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }
}

/// An agent that searches by what its role has observed.
pub(super) fn by_percepts(place: &Place, settings: Settings, belief: &BeliefSettings) -> Box<dyn Agent> {
    Box::new(Searching {
        search: InformationSetSearch::new(&place.game, place.role, settings, place.seed),
        tracker: match settings.public > 0.0 {
            true => belief.tracker(place).with_public(place, belief.settings()),
            false => belief.tracker(place),
        },
        place: place.clone(),
    })
}

struct Searching {
    place: Place,
    search: InformationSetSearch,
    tracker: Tracker,
}

impl Searching {
    fn search(&mut self, observed: &Observed, budget: &Budget) -> Result<Decision, Failure> {
        self.tracker.follow(observed, budget);
        let playable = self.tracker.playable()?;
        let decision = self.search.decide(&self.tracker, &playable, budget);
        Ok(match decision.note {
            None if playable.len() > 1 => decision.with_note(Some(self.tracker.note())),
            _ => decision,
        })
    }
}

/// The only world there is, for positions that are known.
struct Known {
    state: State,
    histories: RoleMap<HistoryHash>,
}

impl Worlds for Known {
    fn draw(&self, _: &mut Rng) -> (&State, &RoleMap<HistoryHash>) {
        (&self.state, &self.histories)
    }
}

impl Agent for Searching {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(position.state());
        let legal = machine.legal(self.place.role).to_vec();
        let known = Known {
            state: position.state().clone(),
            histories: RoleMap::filled(self.place.game.roles().len(), HistoryHash::START),
        };
        self.search.decide(&known, &legal, budget)
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        match view {
            View::Whole(position) => Ok(self.choose(position, budget)),
            View::Percepts(observed) => self.search(observed, budget),
        }
    }
}
