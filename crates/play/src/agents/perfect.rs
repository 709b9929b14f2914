//! Play that never gives anything away: from a solution of the game.

use super::AgentKind;
use crate::agent::{Agent, Place};
use crate::settings::{Content, Kind, Setting, Values};
use crate::view::View;
use ludens_artifact::ArtifactError;
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Knowledge, Known};
use ludens_engine::{Game, MoveId, Rng};
use ludens_search::mcts::{Mcts, Settings};
use ludens_search::{Decision, MoveStatistics, Searcher};
use ludens_solve::{Method, Options, Solution};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "perfect",
    summary: "plays from a solution of the game, its own or one from a file, and searches as uct does where it has none",
    settings: &[SOLUTION, STATES, MEMORY],
    create: |place, values| Box::new(Perfect::new(place, values)),
};

const SOLUTION: Setting = Setting {
    name: "solution",
    help: "a file written by `ludens solve --save`; without one the game is solved before the match",
    kind: Kind::File,
};

const STATES: Setting = Setting {
    name: "states",
    help: "without a file: states that may be looked at where no clock limits the time",
    kind: Kind::Integer {
        min: 0,
        max: 1 << 32,
        default: 200_000,
    },
};

const MEMORY: Setting = Setting {
    name: "memory",
    help: "without a file: memory for states, in megabytes",
    kind: Kind::Integer {
        min: 1,
        max: 1 << 20,
        default: 1024,
    },
};

/// The share of the start clock that goes into solving; if that fails, the rest goes into search.
const SHARE: f64 = 0.8;

struct Perfect {
    place: Place,
    /// Bytes and states that solving may take.
    memory: u64,
    states: u64,
    solution: Option<Arc<Solution>>,
    search: Option<Mcts>,
    /// Whether it was tried to find a solution.
    is_prepared: bool,
    rng: Rng,
}

impl Perfect {
    fn new(place: &Place, values: &Values) -> Perfect {
        let file = values.file("solution");
        let content = file.and_then(|file| file.content.as_ref());
        Perfect {
            // A file of another game is no help; what is done without one is then done here too.
            solution: content.and_then(|content| from_file(&place.game, content).ok()),
            memory: (values.count("memory") as u64) << 20,
            states: values.count("states") as u64,
            search: None,
            is_prepared: false,
            rng: Rng::with_seed(place.seed),
            place: place.clone(),
        }
    }

    fn solve(&mut self, budget: &Budget) {
        if self.solution.is_some() || std::mem::replace(&mut self.is_prepared, true) {
            return;
        }
        let options = Options {
            method: Method::Explicit,
            threads: 1,
            ..Options::default()
        };
        let solving = budget.share(SHARE).uncounted().with_bytes(self.memory);
        // With a clock it is the clock that counts; without one, results must not depend on it.
        let solving = match budget.time_left() {
            Some(_) => solving,
            None => solving.with_nodes(self.states),
        };
        if budget.time_left().is_none_or(|left| left > Duration::from_millis(10))
            && let Ok((_, solution)) = ludens_solve::solve(&self.place.game, &options, &solving)
        {
            self.solution = solution.map(Arc::new);
        }
    }

    fn search(&mut self) -> &mut Mcts {
        let place = &self.place;
        let known = self.solution.clone().map(|solution| solution as Arc<dyn Known>);
        self.search.get_or_insert_with(|| {
            let knowledge = Knowledge {
                known,
                ..Knowledge::default()
            };
            Mcts::new(&place.game, place.role, Settings::default(), place.seed).with_knowledge(knowledge)
        })
    }

    /// What the solution says to do; `None` if it does not know the state.
    fn known(&mut self, view: &View) -> Option<Decision> {
        by_solution(&self.place, self.solution.as_ref()?, view, &mut self.rng)
    }
}

/// Returns the decision of a role by a solution of the game; `None` if the solution does not know the state.
pub(super) fn by_solution(place: &Place, solution: &Solution, view: &View, rng: &mut Rng) -> Option<Decision> {
    let (game, role) = (&place.game, place.role.index());
    let here = solution.look(game, view.state());
    let value = here.values.as_ref()?[role];
    let strategy = here.strategies.get(role);
    let choice = match strategy {
        Some(strategy) => drawn(strategy, rng)?,
        None => here.moves[here.best()?].joint[role],
    };
    let mut moves: Vec<MoveStatistics> = Vec::new();
    for joint in &here.moves {
        let move_id = joint.joint[role];
        if moves.iter().any(|known| known.move_id == move_id) {
            continue;
        }
        let chance = strategy.and_then(|strategy| strategy.iter().find(|(known, _)| *known == move_id));
        moves.push(MoveStatistics {
            move_id,
            probability: chance.map_or(f64::from(u8::from(move_id == choice)), |&(_, chance)| chance),
            // Behind a move that is made at the same time as another's, the value depends on that one too.
            value: joint
                .values
                .as_ref()
                .filter(|_| strategy.is_none())
                .map(|values| values[role]),
            proved: strategy.is_none() && joint.values.is_some(),
            visits: 0,
        });
    }
    Some(Decision {
        value: Some(value),
        line: solution.best_line(game, view.state(), 20),
        moves,
        ..Decision::without_search(choice, StopReason::Known)
    })
}

/// Whether the file has a solution of this game; else what is wrong.
pub(super) fn check(game: &Game, values: &Values) -> Result<(), String> {
    let Some(file) = values.file("solution") else {
        return Ok(());
    };
    let content = file.content.as_ref();
    let content = content.ok_or_else(|| format!("{} was not read", file.path))?;
    from_file(game, content)
        .map(drop)
        .map_err(|error| format!("{} cannot be used for {}: {error}", file.path, game.name()))
}

/// A move by its probability.
fn drawn(strategy: &[(MoveId, f64)], rng: &mut Rng) -> Option<MoveId> {
    let mut left = rng.f64();
    for &(move_id, chance) in strategy {
        left -= chance;
        if left < 0.0 {
            return Some(move_id);
        }
    }
    let likely = strategy.iter().max_by(|one, other| one.1.total_cmp(&other.1));
    likely.map(|&(move_id, _)| move_id)
}

/// A solution that was read from a file before, with the game it was read for.
struct Cached(Game, Result<Arc<Solution>, ArtifactError>);

/// The solution of a game in a file. It is read once for all agents that share the file.
fn from_file(game: &Game, content: &Content) -> Result<Arc<Solution>, ArtifactError> {
    let mut made = content.made.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = made.iter().filter_map(|thing| thing.downcast_ref::<Cached>());
    // Numbers of fluents belong to one reading of the rules.
    let mut same = cached.filter(|cached| std::ptr::eq(cached.0.vocabulary(), game.vocabulary()));
    if let Some(Cached(_, solution)) = same.next() {
        return solution.clone();
    }
    let solution = Solution::read(game, &content.bytes).map(Arc::new);
    made.push(Arc::new(Cached(game.clone(), solution.clone())));
    solution
}

impl Agent for Perfect {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.solve(budget);
        let start_is_known = self
            .solution
            .as_ref()
            .is_some_and(|solution| solution.values(start.state()).is_some());
        if !start_is_known {
            self.search().prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(view.state());
        if let [only] = machine.legal(self.place.role) {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        // Where iterations are counted there is no time to prepare.
        self.solve(budget);
        match self.known(view) {
            Some(decision) => decision,
            None => self.search().decide(view.state(), budget),
        }
    }
}
