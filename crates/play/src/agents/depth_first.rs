//! Depth-first search with an evaluator, which several agents share: alpha-beta, paranoid search, max-n.

use super::AgentSettings;
use crate::agent::{Agent, Place};
use crate::evaluators::{Built, Context, EvaluatorSettings, current_goals};
use crate::settings::{Configurable, Flag, Megabytes, NamedFile, OneOf, Setting, choice, settings};
use crate::spec::{SpecError, Written};
use crate::view::Position;
use ludens_analysis::{GameFacts, Verdict};
use ludens_budget::Budget;
use ludens_engine::{Game, StepCost};
use ludens_evaluate::opposed::Opposed;
use ludens_search::alphabeta::{AlphaBeta, History, Likelihood, Model, MultiCut, Quiescence, Settings};
use ludens_search::baselines::MOST_STEPS;
use ludens_search::{Decision, Searcher};
use std::sync::Arc;

/// The settings of an agent that searches depth-first with an evaluator of type `E`: those of the evaluator, then those
/// of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct DepthFirst<E> {
    pub(super) evaluator: E,
    pub(super) search: Search,
}

/// The settings of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// `None` to find out which suits the game.
    model: Option<Model>,
    sides: Sides,
    settings: Settings,
}

/// Whose estimates count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Sides {
    #[default]
    Own,
    Both,
}

settings! {
    impl Search {
        /// model of the other roles
        model => model, OneOf;
        /// whose estimates count where two roles provably share a constant sum
        sides => sides, OneOf;
        /// maximum search depth in steps
        depth => settings.most_depth, 1..=120;
        /// alpha-beta pruning
        cut => settings.cut, Flag;
        /// principal variation search: null-window searches after the first move
        pvs => settings.principal, Flag;
        /// size of the transposition table in megabytes
        table => settings.table, Megabytes(0..=1 << 16);
        /// use table entries from deeper searches; changes values, for the better
        deeper => settings.deeper, Flag;
        /// enhanced transposition cut-offs: look all successors up before any is searched
        etc => settings.enhanced, Flag;
        /// killer moves
        killers => settings.killers, Flag;
        /// history heuristic
        history => settings.history, OneOf;
        /// size of the cache of evaluations in megabytes
        cache => settings.cache, Megabytes(0..=1 << 16);
        /// quiescence search at the leaves
        quiet => settings.quiescence, OneOf;
        /// multi-cut, a forward pruning: give a state up after shallow searches of some moves
        multicut => settings.multi_cut, OneOf;
        /// realization-probability search, a forward pruning: search moves that are often best deeper than others
        likely => settings.likelihood, OneOf;
    }
}

choice! {
    impl Option<Model> {
        /// opposed if two roles provably share a constant sum, maxn if turns are proved, else opposed
        "auto" = None;
        /// all others play against the own role and know its move: alpha-beta, or paranoid search
        "opposed" = Some(Model::Paranoid);
        /// max-n: every role maximises its own score; hardly anything can be pruned
        "maxn" = Some(Model::MaxN);
    }
}

choice! {
    impl Sides {
        /// the own role's alone
        "own" = Sides::Own;
        /// both: the mean of the own estimate and of the sum less the opponent's
        "both" = Sides::Both;
    }
}

choice! {
    impl History {
        /// cut-offs of a move per try
        "relative" = History::Relative;
        /// number of cut-offs of a move
        "absolute" = History::Absolute;
        /// not used
        "none" = History::None;
    }
}

choice! {
    impl Option<Quiescence> {
        /// evaluate leaves as they are
        "off" = None;
        /// follow moves that change the evaluation
        "stable" => Some(Quiescence);
    }
}

settings! {
    impl Quiescence {
        /// least change of the evaluation that is followed, in points of score
        change => threshold, 0.0..=100.0;
        /// maximum number of steps
        steps => steps, 0..=32;
    }
}

choice! {
    impl Option<MultiCut> {
        /// search every state
        "off" = None;
        /// prune after enough cut-offs
        "on" => Some(MultiCut);
    }
}

settings! {
    impl MultiCut {
        /// number of moves tried
        m => moves, 1..=1_000;
        /// number of cut-offs needed; one less where none is expected
        c => cuts, 1..=1_000;
        /// depth reduction of these searches in steps
        r => reduction, 0..=100;
    }
}

choice! {
    impl Option<Likelihood> {
        /// every move costs one step of depth
        "off" = None;
        /// a move costs half a step to four, by how often it was best where it was legal
        "on" => Some(Likelihood);
    }
}

settings! {
    impl Likelihood {
        /// frequency of being best at which a move costs one step
        k => base, 0.01..=0.99;
    }
}

impl<E: EvaluatorSettings> Configurable for DepthFirst<E> {
    fn settings(&self) -> Vec<Setting> {
        let evaluator = self.evaluator.settings().into_iter();
        evaluator.chain(self.search.settings()).collect()
    }

    fn set(&mut self, name: &str, value: &Written) -> Option<Result<(), SpecError>> {
        let evaluator = self.evaluator.set(name, value);
        evaluator.or_else(|| self.search.set(name, value))
    }

    fn files(&self) -> Vec<&NamedFile> {
        self.evaluator.files()
    }
}

impl<E: EvaluatorSettings + Clone + 'static> AgentSettings for DepthFirst<E> {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        Box::new(Searching {
            place: place.clone(),
            evaluator: Arc::new(self.evaluator.clone()),
            settings: self.search.clone(),
            search: None,
            report: None,
        })
    }
}

struct Searching {
    place: Place,
    evaluator: Arc<dyn EvaluatorSettings>,
    settings: Search,
    /// Created when it is first needed, so that building the evaluator counts as thinking.
    search: Option<AlphaBeta>,
    /// Note on the evaluator, until a decision carries it.
    report: Option<String>,
}

/// The share of the time before the match that may go into proofs.
const PROOF_SHARE: f64 = 0.25;

impl Searching {
    fn search(&mut self, budget: &Budget) -> &mut AlphaBeta {
        let Searching {
            place,
            evaluator,
            report,
            ..
        } = self;
        let Search { model, sides, settings } = &self.settings;
        self.search.get_or_insert_with(|| {
            let settings = Settings {
                model: model.unwrap_or_else(|| usual_model(&place.game, budget)),
                ..settings.clone()
            };
            let context = Context {
                game: &place.game,
                seed: place.seed,
                max_steps: MOST_STEPS,
                budget: &budget.share(evaluator.share().unwrap_or(PROOF_SHARE)),
            };
            let built = evaluator.build(&context);
            let built = built.unwrap_or_else(|cause| current_goals(&place.game, &cause));
            let Built {
                mut evaluator,
                report: said,
            } = built;
            *report = said.map(|said| format!("evaluator: {said}"));
            if *sides == Sides::Both
                && let Some((players, sum)) = constant_sum(&place.game, budget)
            {
                evaluator = Box::new(Opposed::new(evaluator, players, sum));
            }
            AlphaBeta::with_evaluator(evaluator, &place.game, place.role, settings, place.seed)
        })
    }
}

/// Returns the two players of a game and the sum of their goals, if that is proved to be constant.
fn constant_sum(game: &Game, budget: &Budget) -> Option<([usize; 2], f64)> {
    let players = game.roles().filter(|&role| !game.is_random(role));
    let players: Vec<usize> = players.map(|role| role.index()).collect();
    let players = <[usize; 2]>::try_from(players).ok()?;
    let is_decided = |facts: &GameFacts| facts.constant_sum.verdict != Verdict::Unknown;
    let known = GameFacts::known(game);
    let facts = match is_decided(&known) || known.step_cost > StepCost::Moderate && budget.time_left().is_none() {
        true => known,
        false => GameFacts::prove(game, &budget.share(PROOF_SHARE), &is_decided),
    };
    let sum = facts.sum.filter(|_| facts.constant_sum.verdict == Verdict::Yes)?;
    Some((players, f64::from(sum)))
}

/// How the others choose, by what can be proved: against the own role where two share a constant sum, each for itself
/// where they take turns, else against it.
fn usual_model(game: &Game, budget: &Budget) -> Model {
    let players = game.roles().filter(|&role| !game.is_random(role)).count();
    let model_of = |facts: &GameFacts| match (facts.constant_sum.verdict, facts.turn_taking.verdict) {
        _ if players < 2 => Some(Model::Paranoid),
        (Verdict::Yes, _) if players == 2 => Some(Model::Paranoid),
        (Verdict::Unknown, _) if players == 2 => None,
        (_, Verdict::Yes) => Some(Model::MaxN),
        (_, Verdict::No) => Some(Model::Paranoid),
        (_, Verdict::Unknown) => None,
    };
    let known = GameFacts::known(game);
    if let Some(model) = model_of(&known) {
        return model;
    }
    // Without a clock nothing ends the proofs of games whose steps are costly.
    if known.step_cost > StepCost::Moderate && budget.time_left().is_none() {
        return Model::Paranoid;
    }
    let facts = GameFacts::prove(game, &budget.share(PROOF_SHARE), &|facts| model_of(facts).is_some());
    match (model_of(&facts), facts.turn_taking.verdict) {
        (Some(model), _) => model,
        (None, Verdict::Yes) => Model::MaxN,
        (None, _) => Model::Paranoid,
    }
}

impl Agent for Searching {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.search(budget).prepare(start.state(), budget);
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        let decision = self.search(budget).decide(view.state(), budget);
        match self.report.take() {
            None => decision,
            report => decision.with_note(report),
        }
    }
}
