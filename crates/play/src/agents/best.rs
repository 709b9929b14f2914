//! The strongest agent, by our own tournaments (docs/studies.md), for each class of games.
//!
//! Where roles take turns, what is known of a game from its rules helps in some games and harms in others, and so do the
//! ways to search. So the agents of a short list play [trial matches](trial) before the match, and the one that wins
//! them plays it. Where there is no time for trials it is the first of the list, the tree search with the playout policy
//! that won most. Who plays alone needs no trials: there the [exact solver](alone) runs beside the search. Where two roles whose goals have a constant sum choose at the same
//! time, and the whole graph of the game fits into the time before the match, nothing is stronger than an equilibrium,
//! which `cfr` comes near.

mod alone;
mod trial;

use super::cfr::CfrAgent;
use super::uct::{NODES, THREADS, threads, usual_leaf};
use super::{AgentKind, searching};
use crate::agent::{Agent, Place};
use crate::settings::{Kind, Setting};
use crate::spec::AgentSpec;
use crate::view::View;
use alone::Alone;
use ludens_analysis::GameFacts;
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_search::mcts::{Mcts, PlayoutPolicy, Settings};
use ludens_search::{Decision, Searcher};
use trial::{Candidate, Verdict};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "best",
    summary: "the strongest search by our own tournaments, chosen by the kind of game and by trial matches",
    settings: &[NODES, THREADS, TRIALS, JUDGES],
    create: |place, values| {
        let threads = threads(values);
        // What takes turns near the beginning is assumed to do so throughout.
        let is_simultaneous = GameFacts::glance(&place.game).simultaneous.is_yes();
        let mut settings = strongest(&place.game);
        settings.expansion.max_nodes = values.count("nodes");
        settings.parallel.threads = threads;
        let search = || Mcts::new(&place.game, place.role, settings.clone(), place.seed);
        let cfr = AgentSpec::parse(&format!("cfr(threads={threads})")).ok();
        match cfr.filter(|_| is_simultaneous && place.game.roles().len() == 2) {
            Some(cfr) => Box::new(ByGraph {
                cfr: Some(CfrAgent::new(place, cfr.values())),
                search: search(),
                is_prepared: false,
            }),
            None if place.game.roles().len() < 2 => Box::new(Alone::new(place, settings)),
            None if is_simultaneous || !values.flag("trials") => searching(search()),
            None => Box::new(Tried {
                place: place.clone(),
                candidates: candidates(threads, values.count("nodes"), values.flag("judges")),
                chosen: None,
            }),
        }
    },
};

const TRIALS: Setting = Setting {
    name: "trials",
    help: "whether agents of several kinds play trial matches before the match, where roles take turns",
    kind: Kind::Flag { default: true },
};

const JUDGES: Setting = Setting {
    name: "judges",
    help: "whether depth-first searches that judge positions by what is known of them play trial matches too",
    kind: Kind::Flag { default: true },
};

/// Who plays trial matches; the first is preferred in doubt. Alpha-beta has to be far ahead: at a few milliseconds a move
/// it was ahead in games in which it lost at twenty.
fn candidates(threads: usize, nodes: usize, judges: bool) -> Vec<Candidate> {
    let tree = format!("threads={threads},nodes={nodes}");
    let judge = |text: &str| judges.then(|| (text.to_string(), 30.0));
    let texts = [
        Some((format!("uct(playout=mast,{tree})"), 0.0)),
        Some((format!("uct(playout=mast,rave=grave,{tree})"), 0.0)),
        judge("alphabeta(eval=network)"),
        Some((format!("uct({tree})"), 0.0)),
        Some((format!("uct(playout=mast,heuristic=tree,{tree})"), 0.0)),
        judge("alphabeta(eval=features)"),
        judge("alphabeta(eval=network(features=all))"),
        Some((format!("uct(heuristic=combined,{tree})"), 0.0)),
    ];
    let candidate = |(text, handicap): (String, f64)| {
        let player = AgentSpec::parse(&text).ok()?.into();
        Some(Candidate { player, handicap })
    };
    texts.into_iter().flatten().filter_map(candidate).collect()
}

/// Plays as whoever won the trial matches.
struct Tried {
    place: Place,
    candidates: Vec<Candidate>,
    chosen: Option<Verdict>,
}

impl Tried {
    fn chosen(&mut self, start: &View, budget: &Budget) -> &mut Verdict {
        let (place, candidates) = (&self.place, &self.candidates);
        self.chosen
            .get_or_insert_with(|| trial::choose(place, candidates, start, budget))
    }
}

impl Agent for Tried {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.chosen(start, budget).agent.prepare(start, budget);
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        // There was no time before the match, so there is none for trials.
        let verdict = self.chosen(view, &Budget::default());
        let decision = verdict.agent.choose(view, budget);
        match (&decision.note, verdict.note.take()) {
            (None, Some(note)) => decision.with_note(Some(note)),
            _ => decision,
        }
    }
}

/// The settings for a kind of game.
fn strongest(game: &Game) -> Settings {
    Settings::with(|s| {
        s.playout.per_leaf = usual_leaf(game);
        s.playout.policy = match game.roles().len() {
            // Alone, chance finds more plans than averages do.
            1 => PlayoutPolicy::Uniform,
            _ => PlayoutPolicy::Mast,
        };
    })
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
    fn look(&mut self, start: &View, budget: &Budget) {
        if !std::mem::replace(&mut self.is_prepared, true)
            && let Some(cfr) = &mut self.cfr
            && !cfr.solves(start.state(), budget)
        {
            self.cfr = None;
        }
    }
}

impl Agent for ByGraph {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.look(start, budget);
        match &mut self.cfr {
            Some(cfr) => cfr.prepare(start, budget),
            None => self.search.prepare(start.state(), budget),
        }
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        self.look(view, budget);
        match &mut self.cfr {
            Some(cfr) => cfr.choose(view, budget),
            None => self.search.decide(view.state(), budget),
        }
    }
}
