//! Helpers of several agents: the number of threads, the only legal move, and a search for games that a method cannot handle.

use crate::agent::{Agent, Failure, Place};
use crate::tracker::Tracker;
use crate::view::{Position, View};
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::Knowledge;
use ludens_engine::{Game, MoveId, Rng, Role, State};
use ludens_search::mcts::{Mcts, Settings, Simultaneous};
use ludens_search::{Decision, MoveStatistics, Searcher};

/// Returns the number of threads that a setting means: 0 is one for each core.
pub(super) fn threads(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        threads => threads,
    }
}

/// Returns the decision for the only legal move, if there is only one.
pub(super) fn only_move(place: &Place, state: &State) -> Option<Decision> {
    let mut machine = place.game.machine();
    machine.load(state);
    match machine.legal(place.role) {
        [only] => Some(Decision::without_search(*only, StopReason::OnlyMove)),
        _ => None,
    }
}

/// Returns the statistics of moves that are drawn from a mixed strategy.
pub(super) fn mixture(moves: &[MoveId], probabilities: &[f64]) -> Vec<MoveStatistics> {
    let pairs = moves.iter().zip(probabilities);
    pairs
        .map(|(&move_id, &probability)| MoveStatistics {
            move_id,
            probability,
            value: None,
            proved: false,
            visits: 0,
        })
        .collect()
}

/// Why methods for games of complete and perfect information do not work in a game, if they do not.
pub(super) fn hidden_or_chance(game: &Game) -> Result<(), String> {
    use ludens_gdl::keyword;
    if game.roles().any(|role| game.is_random(role)) {
        return Err("has chance".to_string());
    }
    let hides = game.rules().rules.iter().any(|rule| rule.head.name == keyword::SEES);
    match hides {
        true => Err("hides information".to_string()),
        false => Ok(()),
    }
}

/// An agent that picks one of its legal moves without search, where information is hidden.
pub(super) fn unsearched(place: &Place, pick: fn(&[MoveId], &mut Rng) -> MoveId) -> Box<dyn Agent> {
    // Legal moves hardly ever depend on what a role does not know.
    let settings = ludens_belief::Settings {
        candidates: 2_000,
        particles: 64,
        ..Default::default()
    };
    Box::new(Unsearched {
        tracker: Tracker::new(place, settings),
        game: place.game.clone(),
        role: place.role,
        pick,
        rng: Rng::with_seed(place.seed),
    })
}

struct Unsearched {
    game: Game,
    role: Role,
    tracker: Tracker,
    pick: fn(&[MoveId], &mut Rng) -> MoveId,
    rng: Rng,
}

impl Agent for Unsearched {
    fn choose(&mut self, position: &Position, _: &Budget) -> Decision {
        let mut machine = self.game.machine();
        machine.load(position.state());
        let choice = (self.pick)(machine.legal(self.role), &mut self.rng);
        Decision::without_search(choice, StopReason::Solved)
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        match view {
            View::Whole(position) => Ok(self.choose(position, budget)),
            View::Percepts(observed) => {
                self.tracker.follow(observed, budget);
                let choice = (self.pick)(&self.tracker.playable()?, &mut self.rng);
                Ok(Decision::without_search(choice, StopReason::Solved))
            }
        }
    }
}

/// Tree search for states in which an agent cannot do what it is for. Created when it is first needed.
pub(super) struct Fallback {
    place: Place,
    settings: Settings,
    search: Option<Mcts>,
}

impl Fallback {
    /// Plain UCT.
    pub(super) fn plain(place: &Place) -> Fallback {
        Fallback {
            place: place.clone(),
            settings: Settings::default(),
            search: None,
        }
    }

    /// UCT with regret matching where several roles choose at the same time.
    pub(super) fn mixing(place: &Place) -> Fallback {
        let rule = Simultaneous::Regret { exploration: 0.1 };
        Fallback {
            settings: Settings::with(|settings| settings.simultaneous.rule = rule),
            ..Fallback::plain(place)
        }
    }

    /// Returns the search. The first call decides what it knows.
    pub(super) fn knowing(&mut self, knowledge: impl FnOnce() -> Knowledge) -> &mut Mcts {
        let Fallback {
            place,
            settings,
            search,
        } = self;
        search.get_or_insert_with(|| {
            Mcts::new(&place.game, place.role, settings.clone(), place.seed).with_knowledge(knowledge())
        })
    }

    /// Searches during the start clock.
    pub(super) fn prepare(&mut self, state: &State, budget: &Budget) {
        self.knowing(Knowledge::default).prepare(state, budget);
    }

    /// Searches for a move; the note of the decision says why.
    pub(super) fn decide(&mut self, state: &State, budget: &Budget, why: &str) -> Decision {
        let decision = self.knowing(Knowledge::default).decide(state, budget);
        decision.with_note(Some(format!("searched instead, because {why}")))
    }
}
