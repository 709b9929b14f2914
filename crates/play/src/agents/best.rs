//! The strongest agent, by our own tournaments (docs/studies.md), for each class of games.
//!
//! Where roles take turns, or play alone, that is the tree search with the playout policy that won most: the same
//! searcher as `uct`, so whatever is found to be stronger goes into the settings below. Where two roles whose goals have
//! a constant sum choose at the same time, and the whole graph of the game fits into the time before the match, nothing
//! is stronger than an equilibrium, which `cfr` comes near.

use super::cfr::CfrAgent;
use super::uct::{NODES, THREADS, threads, usual_leaf};
use super::{AgentKind, searching};
use crate::agent::{Agent, Position};
use crate::spec::AgentSpec;
use ludens_engine::{Game, MoveId, Rng};
use ludens_search::mcts::{Mcts, PlayoutPolicy, Settings};
use ludens_search::{Decision, Effort, Searcher};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "best",
    summary: "the strongest search by our own tournaments, chosen by the kind of game",
    settings: &[NODES, THREADS],
    create: |place, values| {
        let threads = threads(values);
        let is_simultaneous = is_simultaneous(&place.game);
        let settings = Settings {
            most_nodes: values.count("nodes"),
            threads,
            ..strongest(&place.game)
        };
        let search = Mcts::new(&place.game, place.role, settings, place.seed);
        let cfr = AgentSpec::parse(&format!("cfr(threads={threads})")).ok();
        match cfr.filter(|_| is_simultaneous && place.game.roles().len() == 2) {
            Some(cfr) => Box::new(ByGraph {
                cfr: Some(CfrAgent::new(place, cfr.values())),
                search,
                is_prepared: false,
            }),
            None => searching(search),
        }
    },
};

/// The settings for a kind of game.
fn strongest(game: &Game) -> Settings {
    Settings {
        leaf: usual_leaf(game),
        playout: match game.roles().len() {
            // Alone, chance finds more plans than averages do.
            1 => PlayoutPolicy::Uniform,
            _ => PlayoutPolicy::Mast,
        },
        ..Settings::default()
    }
}

/// States of a random match that are looked at to see whether roles choose at the same time.
const GLANCES: usize = 20;

/// Whether two roles choose at the same time in some state near the beginning. What takes turns there is taken to do so
/// throughout.
fn is_simultaneous(game: &Game) -> bool {
    let mut rng = Rng::with_seed(0);
    let mut machine = game.machine();
    for _ in 0..GLANCES {
        let mut joint: Vec<MoveId> = Vec::new();
        let mut choosers = 0;
        for role in game.roles() {
            let legal = machine.legal(role);
            choosers += usize::from(legal.len() > 1 && !game.is_random(role));
            joint.extend(rng.choice(legal).copied());
        }
        if machine.is_terminal() || joint.len() < game.roles().len() {
            return false;
        }
        if choosers > 1 {
            return true;
        }
        machine.step(&joint);
    }
    false
}

/// Plays by the graph of the game if there is a whole one and what one role gets the other does not; searches otherwise.
struct ByGraph {
    /// Nothing once it is seen to be of no use.
    cfr: Option<CfrAgent>,
    search: Mcts,
    is_prepared: bool,
}

impl ByGraph {
    /// Looks at the graph of the game, once.
    fn look(&mut self, start: &Position, effort: &Effort) {
        if !std::mem::replace(&mut self.is_prepared, true)
            && let Some(cfr) = &mut self.cfr
            && !cfr.solves(&start.state, effort)
        {
            self.cfr = None;
        }
    }
}

impl Agent for ByGraph {
    fn prepare(&mut self, start: &Position, effort: &Effort) {
        self.look(start, effort);
        match &mut self.cfr {
            Some(cfr) => cfr.prepare(start, effort),
            None => self.search.prepare(&start.state, effort),
        }
    }

    fn choose(&mut self, position: &Position, effort: &Effort) -> Decision {
        self.look(position, effort);
        match &mut self.cfr {
            Some(cfr) => cfr.choose(position, effort),
            None => self.search.decide(&position.state, effort),
        }
    }
}
