//! `best`: picks a search by the class of the game and, in turn-taking games, by trial matches during the start clock.
//!
//! In turn-taking games, knowledge from the rules helps in some games and harms in others (docs/studies.md), and so do
//! search methods. So the agents of a short list play [trial matches](trial), and the winner plays the match; without time
//! for trials it is the first of the list, MCTS with the playout policy that won most. In games with one role the
//! [exact solver](alone) runs beside the search. In two-player simultaneous-move games with a constant sum whose whole
//! graph fits into the start clock, nothing is stronger than an equilibrium, which `cfr` approximates.

mod alone;
mod trial;

use super::alphabeta;
use super::cfr::{CfrAgent, CfrSettings};
use super::determinized::BeliefSettings;
use super::information_set::by_percepts;
use super::support::threads;
use super::tree_search::{AllMovesAsFirst, HeuristicUse, TreeSearch, usual_leaf};
use super::uct;
use super::{AgentKind, AgentSettings, Sight, searching};
use crate::agent::{Agent, Place};
use crate::evaluators::{FEATURES, NETWORK, Network};
use crate::playouts::Playout;
use crate::settings::{Chosen, Flag, settings};
use crate::setup::seats;
use crate::spec::AgentSpec;
use crate::view::Position;
use alone::Alone;
use ludens_analysis::GameFacts;
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_search::mcts::{Mcts, PlayoutPolicy, Settings};
use ludens_search::{Decision, Searcher, information_set};
use trial::{Candidate, Verdict};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "best",
    summary: "the recommended default: picks the strongest search by the class of the game and by trial matches",
    default: || Box::<Best>::default(),
};

settings! {
    /// Settings of the choice.
    struct Best {
        /// maximum number of tree nodes
        nodes: usize = Settings::default().expansion.max_nodes, 1..=1 << 31;
        /// number of search threads (0 = one per core)
        threads: usize = 1, 0..=256;
        /// choose among several agents by trial matches during the start clock, in turn-taking games
        trials: bool = true, Flag;
        /// let depth-first searches with evaluators play trial matches too
        judges: bool = true, Flag;
    }
}

impl AgentSettings for Best {
    fn sight(&self) -> Sight {
        Sight::Percepts
    }

    fn create(&self, place: &Place) -> Box<dyn Agent> {
        if place.is_hidden {
            return by_percepts(
                place,
                strongest_hidden(&place.game, self.nodes),
                &BeliefSettings::default(),
            );
        }
        let threads = threads(self.threads);
        // Games that take turns near the beginning are assumed to do so throughout.
        let is_simultaneous = GameFacts::glance(&place.game).simultaneous.is_yes();
        let mut settings = strongest(&place.game);
        settings.expansion.max_nodes = self.nodes;
        settings.parallel.threads = threads;
        let search = || Mcts::new(&place.game, place.role, settings.clone(), place.seed);
        match place.game.roles().len() {
            2 if is_simultaneous => {
                let mut cfr = CfrSettings::default();
                cfr.graph.threads = threads;
                Box::new(ByGraph {
                    cfr: Some(CfrAgent::new(place, cfr)),
                    search: search(),
                    is_prepared: false,
                })
            }
            0 | 1 => Box::new(Alone::new(place, settings)),
            _ if is_simultaneous || !self.trials => searching(search()),
            _ => Box::new(Tried {
                place: place.clone(),
                candidates: self.candidates(threads),
                chosen: None,
            }),
        }
    }
}

/// The search for games with hidden information.
fn strongest_hidden(game: &Game, nodes: usize) -> information_set::Settings {
    information_set::Settings {
        // Alone against chance, nobody else has anything to learn.
        observer: match seats(game).len() {
            1 => information_set::Observer::Single,
            _ => information_set::Observer::Multiple,
        },
        max_nodes: nodes,
        ..Default::default()
    }
}

impl Best {
    /// Lists the agents that play trial matches; the first is preferred in doubt. Alpha-beta has to be far ahead: at a few
    /// milliseconds a move it was ahead in games in which it lost at twenty.
    fn candidates(&self, threads: usize) -> Vec<Candidate> {
        let tree = |playout: Playout, heuristic: HeuristicUse, rave: AllMovesAsFirst| {
            let mut settings = TreeSearch {
                playout,
                heuristic,
                rave,
                ..TreeSearch::default()
            };
            settings.search.parallel.threads = threads;
            settings.search.expansion.max_nodes = self.nodes;
            uct::with(settings)
        };
        let (uniform, mast) = (Playout::default(), Playout::from(PlayoutPolicy::Mast));
        let (plain, unused) = (HeuristicUse::None, AllMovesAsFirst::None);
        let grave = AllMovesAsFirst::Grave(Default::default());
        let in_tree = HeuristicUse::Tree(Default::default());
        let combined = HeuristicUse::Combined(Default::default());
        let all_features = Chosen::new(&NETWORK, Box::new(Network::with_all_features()));
        let uct = |spec: AgentSpec| {
            let player = spec.into();
            Some(Candidate { player, handicap: 0.0 })
        };
        let alphabeta = |eval| {
            let player = alphabeta::with(eval).into();
            self.judges.then_some(Candidate { player, handicap: 30.0 })
        };
        let candidates = [
            uct(tree(mast.clone(), plain.clone(), unused.clone())),
            uct(tree(mast.clone(), plain.clone(), grave)),
            alphabeta((&NETWORK).into()),
            uct(tree(uniform.clone(), plain, unused.clone())),
            uct(tree(mast, in_tree, unused.clone())),
            alphabeta((&FEATURES).into()),
            alphabeta(all_features),
            uct(tree(uniform, combined, unused)),
        ];
        candidates.into_iter().flatten().collect()
    }
}

/// Plays as the winner of the trial matches.
struct Tried {
    place: Place,
    candidates: Vec<Candidate>,
    chosen: Option<Verdict>,
}

impl Tried {
    fn chosen(&mut self, start: &Position, budget: &Budget) -> &mut Verdict {
        let (place, candidates) = (&self.place, &self.candidates);
        self.chosen
            .get_or_insert_with(|| trial::choose(place, candidates, start, budget))
    }
}

impl Agent for Tried {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.chosen(start, budget).agent.prepare(start, budget);
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
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
    Settings::with(|settings| {
        settings.playout.per_leaf = usual_leaf(game);
        settings.playout.policy = match game.roles().len() {
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
    fn look(&mut self, start: &Position, budget: &Budget) {
        if !std::mem::replace(&mut self.is_prepared, true)
            && let Some(cfr) = &mut self.cfr
            && !cfr.solves(start.state(), budget)
        {
            self.cfr = None;
        }
    }
}

impl Agent for ByGraph {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.look(start, budget);
        match &mut self.cfr {
            Some(cfr) => cfr.prepare(start, budget),
            None => self.search.prepare(start.state(), budget),
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        self.look(view, budget);
        match &mut self.cfr {
            Some(cfr) => cfr.choose(view, budget),
            None => self.search.decide(view.state(), budget),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_have_specs_that_can_be_written() {
        let texts = |best: Best, threads| -> Vec<String> {
            let candidates = best.candidates(threads);
            candidates
                .iter()
                .map(|candidate| candidate.player.name().to_string())
                .collect()
        };
        let all = texts(Best::default(), 1);
        let expected = [
            "uct(playout=mast)",
            "uct(playout=mast,rave=grave)",
            "alphabeta(eval=network)",
            "uct",
            "uct(playout=mast,heuristic=tree)",
            "alphabeta(eval=features)",
            "alphabeta(eval=network(features=all))",
            "uct(heuristic=combined)",
        ];
        assert_eq!(all, expected);
        let searches = Best {
            nodes: 7,
            judges: false,
            ..Best::default()
        };
        assert_eq!(texts(searches, 2)[2], "uct(nodes=7,threads=2)");
    }
}
