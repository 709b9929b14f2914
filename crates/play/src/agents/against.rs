//! Shared parts of agents that exploit others: the game graph, a model of the others, and a strategy against it.

use super::graph::{GraphSettings, affordable_iterations};
use super::support::{Fallback, hidden_or_chance, only_move};
use super::table::read_table;
use super::tree_search::TreeSearch;
use super::uct;
use crate::agent::{Agent, Place};
use crate::modelling::Asked;
use crate::settings::{File, NamedFile, choice, settings};
use crate::view::Position;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Rng, State};
use ludens_equilibrium::exploit::{Coin, Model, RestrictedOptions, restricted_response};
use ludens_equilibrium::passes::{Values, evaluate};
use ludens_equilibrium::{Graph, Strategy, Work, draw, grow};
use ludens_search::baselines::Ucb;
use ludens_search::{Decision, MoveStatistics};
use std::time::Duration;

/// The share of the time that may go into the graph, and that into the graph and the model. The rest is for the strategy,
/// and some of it is left over: what is begun last must not be late.
const GRAPH_SHARE: f64 = 0.3;
const MODEL_SHARE: f64 = 0.65;
const STRATEGY_SHARE: f64 = 0.9;

/// Graphs up to this size are solved by linear programs where that is exact.
const SMALL: usize = 5_000;

/// Time that a linear program may take, with a reserve.
const MATRIX: Duration = Duration::from_micros(100);

/// How the others are modelled.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ModelSettings {
    Uct(UctModel),
    Table(TableModel),
    Uniform,
}

choice! {
    impl ModelSettings {
        /// decoupled UCT, run at every state
        "uct" => ModelSettings::Uct(UctModel);
        /// a strategy from a file that `ludens exploit` wrote
        "table" => ModelSettings::Table(TableModel);
        /// all moves equally likely
        "uniform" = ModelSettings::Uniform;
    }
}

settings! {
    /// A model that searches.
    #[derive(PartialEq)]
    pub(super) struct UctModel {
        /// exploration constant of UCB1, for scores from 0 to 100
        c: f64 = Ucb::EXPLORATION, 0.0..=1e6;
        /// iterations per state
        iterations: u64 = 100, 1..=100_000;
        /// number of searches per state, each with another seed
        samples: u32 = 1, 1..=100;
    }
}

settings! {
    /// A model from a file.
    #[derive(PartialEq)]
    pub(super) struct TableModel {
        /// strategy file
        file: Option<NamedFile> = None, File;
    }
}

impl Default for ModelSettings {
    fn default() -> ModelSettings {
        ModelSettings::Uct(UctModel::default())
    }
}

impl TableModel {
    fn file(&self) -> Result<&NamedFile, String> {
        let file = self.file.as_ref();
        file.ok_or_else(|| "the model table needs a file: model=table(file=PATH)".to_string())
    }
}

impl ModelSettings {
    /// Checks that the file, if any, fits a game.
    pub(super) fn check(&self, game: &Game) -> Result<(), String> {
        match self {
            ModelSettings::Table(own) => read_table(game, own.file()?).map(drop),
            _ => Ok(()),
        }
    }

    /// Builds the model of the others on a graph.
    fn model(&self, game: &Game, graph: &Graph, role: usize, budget: &Budget) -> Result<Model, String> {
        match self {
            ModelSettings::Table(own) => {
                let mut table = read_table(game, own.file()?)?;
                Ok(Model::new(graph, role, &mut table, budget))
            }
            ModelSettings::Uct(own) => {
                let mut settings = TreeSearch::default();
                settings.search.selection.exploration = own.c;
                settings.search.selection.scaled = false;
                settings.search.simultaneous.joint_first = true;
                settings.search.playout.per_leaf = 1;
                settings.search.playout.in_flight = 1;
                let spec = uct::with(settings);
                let mut asked = Asked::new(game, spec, own.iterations, own.samples, budget);
                Ok(Model::new(graph, role, &mut asked, budget))
            }
            ModelSettings::Uniform => Ok(Model::uniform(graph, role)),
        }
    }
}

/// Why an agent that exploits others cannot do so in a game, if it cannot.
pub(super) fn against_others(game: &Game) -> Result<(), String> {
    let players = game.roles().filter(|&role| !game.is_random(role)).count();
    if players < 2 {
        return Err("has no opponents to model, so that it plays for the best score alone".to_string());
    }
    hidden_or_chance(game).map_err(|why| format!("{why}, so that it searches as uct(simultaneous=regret) does"))
}

/// A strategy from some state on.
struct Plan {
    graph: Graph,
    strategy: Strategy,
    /// Values of states if the model is right.
    values: Values,
    note: Option<String>,
}

/// Plays a strategy against a model where it can find one, and searches elsewhere.
pub(super) struct Against {
    place: Place,
    model: ModelSettings,
    graph: GraphSettings,
    /// Trust in the model: 1 for the best response, 0 for an equilibrium.
    p: f64,
    coin: Coin,
    plan: Option<Plan>,
    /// Why there is no plan.
    obstacle: Option<String>,
    /// Whether looking for a plan again is of no use.
    is_hopeless: bool,
    search: Fallback,
    rng: Rng,
}

impl Against {
    /// The restricted Nash response to a model.
    pub(super) fn new(
        place: &Place,
        model: &ModelSettings,
        graph: &GraphSettings,
        p: f64,
        coin: Coin,
        rng: Rng,
    ) -> Against {
        Against {
            model: model.clone(),
            graph: graph.clone(),
            p,
            coin,
            plan: None,
            obstacle: None,
            is_hopeless: false,
            search: Fallback::mixing(place),
            rng,
            place: place.clone(),
        }
    }

    /// Looks for a strategy from a state on.
    fn look_for_plan(&mut self, state: &State, budget: &Budget) {
        if self.is_hopeless || budget.time_left().is_some_and(|left| left < Duration::from_millis(10)) {
            return;
        }
        match self.make_plan(state, budget) {
            Ok(plan) => self.plan = Some(plan),
            Err(Obstacle::Now(why)) => self.obstacle = Some(why),
            Err(Obstacle::Always(why)) => {
                self.obstacle = Some(why);
                self.is_hopeless = true;
            }
        }
    }

    fn make_plan(&self, state: &State, budget: &Budget) -> Result<Plan, Obstacle> {
        let game = &self.place.game;
        let role = self.place.role.index();
        // All shares begin now, so that what is done early leaves time to the rest.
        let [graph_budget, model_budget, strategy_budget] =
            [GRAPH_SHARE, MODEL_SHARE, STRATEGY_SHARE].map(|part| budget.share(part));
        let nodes = self.graph.affordable_states(game, state, budget);
        let graph_budget = self.graph.bounded(&graph_budget, nodes);
        let growth = grow(game, state, &self.graph.options(None), None, &graph_budget);
        let growth = growth.map_err(|error| Obstacle::Always(error.to_string()))?;
        if let Some(stop) = growth.stop {
            let why = format!("the graph of the game is too large for now: {stop}");
            return Err(Obstacle::Now(why));
        }
        let graph = growth.graph;
        let model = self.model.model(game, &graph, role, &model_budget);
        let model = model.map_err(Obstacle::Always)?;
        let options = RestrictedOptions {
            coin: self.coin,
            iterations: match budget.most_iterations() {
                Some(most) => most.min(affordable_iterations(&graph)),
                None => u64::MAX,
            },
            exact: graph.len() <= SMALL && budget.time_left().is_none_or(|left| left > MATRIX * graph.len() as u32),
        };
        let found = restricted_response(&graph, role, &model, self.p, &options, &strategy_budget);
        let found = found.map_err(|error| Obstacle::Always(error.to_string()))?;
        let mut values = Values::new(&graph);
        evaluate(
            &graph,
            &model.strategy.with_role(&graph, role, &found.strategy),
            &mut values,
        );
        let note = (model.known < model.choices && model.known > 0).then(|| {
            format!(
                "the model knows {} of {} choices of the others",
                model.known, model.choices
            )
        });
        Ok(Plan {
            graph,
            strategy: found.strategy,
            values,
            note,
        })
    }

    /// Returns the strategy of the plan in a state, if the plan covers it.
    fn planned(&mut self, state: &State) -> Option<Decision> {
        let plan = self.plan.as_ref()?;
        let node = plan.graph.find(state)?;
        let role = self.place.role.index();
        let moves = plan.graph.moves(node, role);
        if moves.is_empty() {
            return None;
        }
        let probabilities = plan.strategy.at(&plan.graph, node, role);
        let choice = moves[draw(probabilities, &mut self.rng)];
        let is_settled = plan
            .graph
            .runs()
            .iter()
            .any(|run| run.work == Work::Settled && run.nodes.contains(&node));
        let entries = plan.graph.entries(node, role);
        let pairs = moves.iter().zip(probabilities).zip(entries);
        Some(
            Decision {
                value: Some(plan.values.at(&plan.graph, node, role)),
                moves: pairs
                    .map(|((&move_id, &probability), entry)| MoveStatistics {
                        move_id,
                        probability,
                        value: (!is_settled).then(|| plan.values.of_moves[entry]),
                        proved: false,
                        visits: 0,
                    })
                    .collect(),
                nodes: plan.graph.len() as u64,
                memory: plan.graph.bytes() as u64,
                ..Decision::without_search(choice, StopReason::Known)
            }
            .with_note(plan.note.clone()),
        )
    }
}

/// Why there is no plan.
enum Obstacle {
    /// Later in the match it may be gone.
    Now(String),
    /// It is there for good.
    Always(String),
}

impl Agent for Against {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.look_for_plan(start.state(), budget);
        if self.plan.is_none() {
            self.search.prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        let known = only_move(&self.place, view.state()).or_else(|| self.planned(view.state()));
        if let Some(decision) = known {
            return decision;
        }
        // The rest of the game may be small enough by now.
        self.look_for_plan(view.state(), budget);
        self.planned(view.state()).unwrap_or_else(|| {
            let why = self.obstacle.as_deref().unwrap_or("there was no time for a plan");
            self.search.decide(view.state(), budget, why)
        })
    }
}
