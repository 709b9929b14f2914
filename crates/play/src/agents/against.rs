//! What agents have in common that take advantage of others: the graph of the game, a model of the others, and a strategy
//! against it.

use super::cfr::affordable_iterations;
use super::uct::threads;
use crate::agent::{Agent, Place};
use crate::modelling::Asked;
use crate::settings::{Alternative, Content, Kind, Setting, Values};
use crate::spec::AgentSpec;
use crate::view::View;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Rng, State};
use ludens_equilibrium::exploit::{Coin, Model, RestrictedOptions, Table, restricted_response};
use ludens_equilibrium::passes::{Values as GraphValues, evaluate};
use ludens_equilibrium::{Graph, GraphOptions, Strategy, Work, draw, grow};
use ludens_search::mcts::{Mcts, Settings, Simultaneous};
use ludens_search::{Decision, MoveStatistics, Searcher};
use std::time::Duration;

/// The share of the time that may go into the graph, and that into the graph and the model. The rest is for the strategy,
/// and some of it is left over: what is begun last must not be late.
const GRAPH_SHARE: f64 = 0.3;
const MODEL_SHARE: f64 = 0.65;
const STRATEGY_SHARE: f64 = 0.9;

/// Nodes that are found and put in order within a second, at least, and joint moves between them.
pub(super) const NODES_A_SECOND: f64 = 200_000.0;
pub(super) const JOINT_MOVES_A_SECOND: f64 = 2_000_000.0;

/// Where no clock limits the time and nobody said how many states there may be: so many joint moves, judged by the first
/// state, and so many states.
const UNTIMED_JOINT_MOVES: usize = 100_000;
const UNTIMED_STATES: usize = 20_000;

/// How many states the graph of a game may have from a state on.
pub(super) fn affordable_states(game: &Game, state: &State, values: &Values, budget: &Budget) -> usize {
    let mut machine = game.machine();
    machine.load(state);
    let counts = game.roles().map(|role| machine.legal(role).len().max(1));
    let joint_moves = counts.fold(1usize, usize::saturating_mul);
    let states = match (budget.time_left(), values.count("states")) {
        (Some(time), _) => {
            let joint = JOINT_MOVES_A_SECOND / joint_moves as f64;
            (time.as_secs_f64() * NODES_A_SECOND.min(joint)) as usize
        }
        (None, 0) => (UNTIMED_JOINT_MOVES / joint_moves).clamp(50, UNTIMED_STATES),
        (None, states) => states,
    };
    let most = budget.most_nodes().and_then(|most| usize::try_from(most).ok());
    states.min(most.unwrap_or(usize::MAX))
}

/// Graphs up to this size are solved by linear programs where that is exact.
const SMALL: usize = 5_000;

/// What a linear program may take, with something to spare.
const MATRIX: Duration = Duration::from_micros(100);

/// What to make of a model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// The restricted Nash response: 1 is the best response, 0 an equilibrium.
    Restricted { p: f64, coin: Coin },
}

/// A strategy from some state on.
struct Plan {
    graph: Graph,
    strategy: Strategy,
    /// What states are worth if the model is right.
    values: GraphValues,
    note: Option<String>,
}

/// Plays a strategy against a model where it can find one, and searches elsewhere.
pub(super) struct Against {
    place: Place,
    values: Values,
    aim: Aim,
    plan: Option<Plan>,
    /// Why there is no plan.
    obstacle: Option<String>,
    /// Whether looking for a plan again is of no use.
    is_hopeless: bool,
    search: Option<Mcts>,
    rng: Rng,
}

impl Against {
    pub(super) fn new(place: &Place, values: &Values, aim: impl FnOnce(&mut Rng) -> Aim) -> Against {
        let mut rng = Rng::with_seed(place.seed);
        Against {
            place: place.clone(),
            values: values.clone(),
            aim: aim(&mut rng),
            plan: None,
            obstacle: None,
            is_hopeless: false,
            search: None,
            rng,
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
        let time = budget.time_left();
        let until = |share: f64| match time {
            Some(time) => budget.within(time.mul_f64(share)),
            None => budget.clone(),
        };
        // Each share begins where the one before it ends, however early that is.
        let (graph_budget, model_budget, strategy_budget) =
            (until(GRAPH_SHARE), until(MODEL_SHARE), until(STRATEGY_SHARE));
        let nodes = affordable_states(game, state, &self.values, budget) as u64;
        let memory = (self.values.count("memory") as u64) << 20;
        let options = GraphOptions {
            threads: threads(&self.values),
            ..GraphOptions::default()
        };
        let graph_budget = graph_budget.with_nodes(nodes).with_bytes(memory);
        let growth = grow(game, state, &options, None, &graph_budget);
        let growth = growth.map_err(|error| Obstacle::Always(error.to_string()))?;
        if let Some(stop) = growth.stop {
            let why = format!("the graph of the game is too large for now: {stop}");
            return Err(Obstacle::Now(why));
        }
        let graph = growth.graph;
        let model = self.model(&graph, &model_budget).map_err(Obstacle::Always)?;
        let Aim::Restricted { p, coin } = self.aim;
        let options = RestrictedOptions {
            coin,
            iterations: match budget.most_iterations() {
                Some(most) => most.min(affordable_iterations(&graph)),
                None => u64::MAX,
            },
            exact: graph.len() <= SMALL && budget.time_left().is_none_or(|left| left > MATRIX * graph.len() as u32),
        };
        let found = restricted_response(&graph, role, &model, p, &options, &strategy_budget);
        let found = found.map_err(|error| Obstacle::Always(error.to_string()))?;
        let mut values = GraphValues::new(&graph);
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

    /// How the others are believed to play.
    fn model(&self, graph: &Graph, budget: &Budget) -> Result<Model, String> {
        let (game, role) = (&self.place.game, self.place.role.index());
        match self.values.choice("model") {
            ("table", own) => {
                let file = own
                    .file("file")
                    .ok_or("the model table needs a file: model=table(file=PATH)")?;
                let content = file.content.as_ref();
                let content = content.ok_or_else(|| format!("{} was not read", file.path))?;
                let mut table = read_table(game, content).map_err(|error| format!("{}: {error}", file.path))?;
                Ok(Model::new(graph, role, &mut table, budget))
            }
            ("uct", own) => {
                let text = format!("uct(c={},joint=true,leaf=1,ahead=1,scale=false)", own.real("c"));
                let spec = AgentSpec::parse(&text).map_err(|error| error.to_string())?;
                let (iterations, samples) = (own.count("iterations") as u64, own.count("samples") as u32);
                let mut asked = Asked::new(game, spec, iterations, samples, budget);
                Ok(Model::new(graph, role, &mut asked, budget))
            }
            _ => Ok(Model::uniform(graph, role)),
        }
    }

    /// What the plan says to do, if it knows the state.
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

    fn search(&mut self) -> &mut Mcts {
        let place = &self.place;
        self.search.get_or_insert_with(|| fallback(place))
    }
}

/// What stands in the way of a plan.
enum Obstacle {
    /// Later in the match it may be gone.
    Now(String),
    /// It is there for good.
    Always(String),
}

/// The search of agents that cannot do what they are for.
pub(super) fn fallback(place: &Place) -> Mcts {
    let settings = Settings::with(|s| s.simultaneous.rule = Simultaneous::Regret { exploration: 0.1 });
    Mcts::new(&place.game, place.role, settings, place.seed)
}

impl Agent for Against {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.look_for_plan(start.state(), budget);
        if self.plan.is_none() {
            self.search().prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(view.state());
        if let [only] = machine.legal(self.place.role) {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        if let Some(decision) = self.planned(view.state()) {
            return decision;
        }
        // What is left of the game may be small enough by now.
        self.look_for_plan(view.state(), budget);
        match self.planned(view.state()) {
            Some(decision) => decision,
            None => {
                let why = self
                    .obstacle
                    .clone()
                    .unwrap_or_else(|| "there was no time for a plan".to_string());
                let decision = self.search().decide(view.state(), budget);
                decision.with_note(Some(format!("searched instead, because {why}")))
            }
        }
    }
}

/// A strategy from a file, read once for all agents that share the file.
pub(super) fn read_table(game: &Game, content: &Content) -> Result<Table, String> {
    let text = std::str::from_utf8(&content.bytes).map_err(|_| "it is no text".to_string())?;
    Table::read(game, text).map_err(|error| error.to_string())
}

/// Whether the files that settings name fit a game; else what is wrong.
pub(super) fn check(game: &Game, values: &Values) -> Result<(), String> {
    let ("table", own) = values.choice("model") else {
        return Ok(());
    };
    let file = own
        .file("file")
        .ok_or("the model table needs a file: model=table(file=PATH)")?;
    let content = file.content.as_ref();
    let content = content.ok_or_else(|| format!("{} was not read", file.path))?;
    let table = read_table(game, content);
    table
        .map(drop)
        .map_err(|error| format!("{} cannot be used for {}: {error}", file.path, game.name()))
}

pub(super) const MODEL: Setting = Setting {
    name: "model",
    help: "how the others are believed to play",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "uct",
                help: "as decoupled UCT would, asked in every state",
                settings: &[
                    super::EXPLORATION,
                    Setting {
                        name: "iterations",
                        help: "how long it is taken to think in each state",
                        kind: Kind::Integer {
                            min: 1,
                            max: 100_000,
                            default: 100,
                        },
                    },
                    Setting {
                        name: "samples",
                        help: "how often it is asked in each state",
                        kind: Kind::Integer {
                            min: 1,
                            max: 100,
                            default: 1,
                        },
                    },
                ],
            },
            Alternative {
                name: "table",
                help: "by a strategy in a file, as `ludens exploit` writes them",
                settings: &[Setting {
                    name: "file",
                    help: "the file",
                    kind: Kind::File,
                }],
            },
            Alternative {
                name: "uniform",
                help: "all moves alike",
                settings: &[],
            },
        ],
        default: "uct",
    },
};

pub(super) const STATES: Setting = Setting {
    name: "states",
    help: "states that the graph of the game may have where no clock limits the time; 0: by the number of joint moves",
    kind: Kind::Integer {
        min: 0,
        max: 1 << 31,
        default: 0,
    },
};

pub(super) const MEMORY: Setting = Setting {
    name: "memory",
    help: "memory for the graph of the game, in megabytes",
    kind: Kind::Integer {
        min: 1,
        max: 1 << 20,
        default: 1024,
    },
};
