//! Depth-first search with a judgement of states: alpha-beta, paranoid search, MaxN.

mod judgement;
mod options;

use super::AgentKind;
use super::clune;
use super::guct::features as feature_options;
use crate::agent::{Agent, Place};
use crate::settings::Values;
use crate::view::View;
pub(super) use judgement::*;
use ludens_analysis::{GameFacts, Verdict};
use ludens_budget::Budget;
use ludens_engine::{Game, StepCost};
use ludens_search::alphabeta::{AlphaBeta, Model, Settings};
use ludens_search::baselines::MOST_STEPS;
use ludens_search::{Decision, Searcher};
pub(super) use options::*;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "alphabeta",
    summary: "depth-first search by iterative deepening, as deep as time allows; leaves are judged by a function",
    settings: &[
        EVALUATOR, MODEL, DEPTH, CUT, PRINCIPAL, TABLE, DEEPER, ENHANCED, KILLERS, HISTORY, CACHE, QUIET, MULTI_CUT,
        LIKELY,
    ],
    create: |place, values| {
        let judgement = match values.choice("eval") {
            ("features", own) => {
                let (options, share) = feature_options(&place.game, own, MOST_STEPS);
                Judgement::Features(options, share)
            }
            ("clune", own) => {
                let (options, share) = clune::options(&place.game, own);
                Judgement::Clune(options, share)
            }
            (name, own) => Judgement::read(name, own),
        };
        depth_first(place, values, judgement)
    },
};

/// The agent for a judgement, with the settings of the search.
pub(super) fn depth_first(place: &Place, values: &Values, judgement: Judgement) -> Box<dyn Agent> {
    Box::new(DepthFirst {
        model: match values.choice("model").0 {
            "opposed" => Some(Model::Opposed),
            "maxn" => Some(Model::MaxN),
            _ => None,
        },
        settings: settings(values),
        judgement,
        place: place.clone(),
        search: None,
    })
}

struct DepthFirst {
    place: Place,
    judgement: Judgement,
    settings: Settings,
    /// How the others are taken to choose; to be found out if nothing was said.
    model: Option<Model>,
    /// Made when it is first needed, so that making it counts as thinking.
    search: Option<AlphaBeta>,
}

/// The share of the time before the match that may go into proofs.
const PROOF_SHARE: f64 = 0.25;

impl DepthFirst {
    fn search(&mut self, budget: &Budget) -> &mut AlphaBeta {
        let DepthFirst {
            place,
            judgement,
            settings,
            model,
            search,
        } = self;
        search.get_or_insert_with(|| {
            let settings = Settings {
                model: model.unwrap_or_else(|| usual_model(&place.game, budget)),
                ..settings.clone()
            };
            AlphaBeta::judged_by(
                judgement.learn(place, budget),
                &place.game,
                place.role,
                settings,
                place.seed,
            )
        })
    }
}

/// How the others choose, by what can be proved: against the own role where two share a constant sum, each for itself
/// where they take turns, else against it.
fn usual_model(game: &Game, budget: &Budget) -> Model {
    let players = game.roles().filter(|&role| !game.is_random(role)).count();
    let model_of = |facts: &GameFacts| match (facts.constant_sum.verdict, facts.turn_taking.verdict) {
        _ if players < 2 => Some(Model::Opposed),
        (Verdict::Yes, _) if players == 2 => Some(Model::Opposed),
        (Verdict::Unknown, _) if players == 2 => None,
        (_, Verdict::Yes) => Some(Model::MaxN),
        (_, Verdict::No) => Some(Model::Opposed),
        (_, Verdict::Unknown) => None,
    };
    let known = GameFacts::known(game);
    if let Some(model) = model_of(&known) {
        return model;
    }
    let budget = match budget.time_left() {
        Some(left) => budget.within(left.mul_f64(PROOF_SHARE)),
        // Without a clock nothing ends the proofs of games whose steps are dear.
        None if known.step_cost > StepCost::Moderate => return Model::Opposed,
        None => budget.clone(),
    };
    let facts = GameFacts::prove(game, &budget, &|facts| model_of(facts).is_some());
    match (model_of(&facts), facts.turn_taking.verdict) {
        (Some(model), _) => model,
        (None, Verdict::Yes) => Model::MaxN,
        (None, _) => Model::Opposed,
    }
}

impl Agent for DepthFirst {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.search(budget).prepare(start.state(), budget);
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        self.search(budget).decide(view.state(), budget)
    }
}
