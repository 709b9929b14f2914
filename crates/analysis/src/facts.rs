//! Facts that agents and solvers choose by: one value per game, each fact with its evidence.
//!
//! [`GameFacts::known`] costs next to nothing: it reads the rules and returns earlier results. More facts come from
//! play ([`GameFacts::glance`]), proof ([`GameFacts::prove`], [`analyse`](crate::analyse)) and exploration of all
//! states ([`GameFacts::explored`]). Decided facts never change, so they are kept on the [`Game`] and shared by its
//! clones.

use crate::sample::Sample;
use crate::{Verdict, analyse_until, properties};
use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, MoveId, RoleMap, StepCost};
use std::sync::Arc;

/// Joint moves from the initial state on.
pub type Line = Vec<Vec<MoveId>>;

/// Evidence for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Not examined yet.
    None,
    /// The form of the rules.
    Rules,
    /// A SAT solver, for all states that the proved invariants allow.
    Proof,
    /// Lines of play that show it, such as one to a state in which two roles choose.
    Play(Vec<Line>),
    /// Exploration: all reachable states show it, or one of them refutes it.
    Exploration,
    /// No counterexample in this many states of random play, which decides nothing.
    Sample(usize),
}

/// A property of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whether the game has the property.
    pub verdict: Verdict,
    /// The evidence for it.
    pub evidence: Evidence,
}

impl Fact {
    const UNKNOWN: Fact = Fact {
        verdict: Verdict::Unknown,
        evidence: Evidence::None,
    };

    /// A fact that evidence decides.
    pub(crate) fn new(holds: bool, evidence: Evidence) -> Fact {
        let verdict = match holds {
            true => Verdict::Yes,
            false => Verdict::No,
        };
        Fact { verdict, evidence }
    }

    /// A property that lines of play refute, if there are any.
    fn sampled(lines: &[Line], sample: &Sample) -> Fact {
        match lines.is_empty() {
            true => Fact {
                verdict: Verdict::Unknown,
                evidence: Evidence::Sample(sample.states.len()),
            },
            false => Fact::new(false, Evidence::Play(lines.to_vec())),
        }
    }

    /// Whether the verdict is yes.
    pub fn is_yes(&self) -> bool {
        self.verdict == Verdict::Yes
    }

    /// Whether the verdict is no.
    pub fn is_no(&self) -> bool {
        self.verdict == Verdict::No
    }

    /// Records a proof, if it was found.
    pub(crate) fn prove(&mut self, is_proved: bool) {
        if is_proved {
            *self = Fact::new(true, Evidence::Proof);
        }
    }

    /// Takes over the verdict of another fact if this one is unknown.
    fn learn(&mut self, other: &Fact) {
        let is_new = self.evidence == Evidence::None || other.verdict != Verdict::Unknown;
        if self.verdict == Verdict::Unknown && is_new {
            self.clone_from(other);
        }
    }
}

/// The number of steps of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Not decided.
    Unknown,
    /// No match has more steps, proved by a counter in the rules.
    AtMost(usize),
    /// The longest match has this many steps; exploration saw all states.
    Exactly(usize),
    /// Exploration saw all states, and play can return to one of them.
    Unbounded,
}

/// What an exploration of states decides; `None` is undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Whether in every state at most one role has a choice.
    pub turn_taking: Option<bool>,
    /// Whether the goals of all players have the same sum in all terminal states.
    pub constant_sum: Option<bool>,
    /// How long a match can last.
    pub length: Option<Length>,
}

/// A goal value of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalValue {
    /// The value.
    pub value: u8,
    /// Whether it can be the result of a match: yes if a playout ended with it, no by proof.
    pub occurs: Verdict,
}

/// Facts of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFacts {
    /// Whether in every state at most one role has a choice. Chance counts as a role.
    pub turn_taking: Fact,
    /// Whether in some state two players have a choice. Chance does not count.
    pub simultaneous: Fact,
    /// Whether the goals of all players have the same sum in all terminal states.
    pub constant_sum: Fact,
    /// That sum, if it is proved or all playouts ended with it.
    pub sum: Option<u32>,
    /// Whether there is a role of chance (`random`).
    pub chance: Fact,
    /// Whether the rules say who `sees` what (GDL-II).
    pub hidden_information: Fact,
    /// Maximum length of a match.
    pub length: Length,
    /// For each role the goal values in the rules; empty if the game is not compiled.
    pub goals: RoleMap<Vec<GoalValue>>,
    /// Cost class of a step.
    pub step_cost: StepCost,
    /// Whether everything that can be proved was proved, so that another attempt is useless.
    pub(crate) is_exhausted: bool,
}

/// The sample of [`GameFacts::glance`].
const GLANCE: Extent = Extent {
    seed: 0,
    playouts: 1,
    states: 20,
};

/// Marks a game as glanced at.
struct Glanced;

impl GameFacts {
    /// Returns the facts that the form of the rules shows. All others are unknown.
    pub fn of_rules(game: &Game) -> GameFacts {
        let players = game.roles().filter(|&role| !game.is_random(role)).count();
        let fact = |holds| Fact::new(holds, Evidence::Rules);
        GameFacts {
            turn_taking: match game.roles().len() < 2 {
                true => fact(true),
                false => Fact::UNKNOWN,
            },
            simultaneous: match players < 2 {
                true => fact(false),
                false => Fact::UNKNOWN,
            },
            constant_sum: Fact::UNKNOWN,
            sum: None,
            chance: fact(game.roles().any(|role| game.is_random(role))),
            hidden_information: fact(game.hides_information()),
            length: Length::Unknown,
            goals: game
                .engine()
                .circuit()
                .map(|circuit| properties::goals_seen(&circuit.network, &Sample::default()))
                .unwrap_or_default(),
            step_cost: game.engine().step_cost(),
            is_exhausted: false,
        }
    }

    /// Returns the facts of a game found so far. Before any proof these are the syntactic facts of the rules.
    pub fn known(game: &Game) -> Arc<GameFacts> {
        game.kept().unwrap_or_else(|| game.keep(GameFacts::of_rules(game)))
    }

    /// Returns the facts of a game after sampling the first states of one playout, which shows simultaneous moves.
    /// Takes some milliseconds, once per game.
    pub fn glance(game: &Game) -> Arc<GameFacts> {
        let known = GameFacts::known(game);
        if known.simultaneous.verdict != Verdict::Unknown || game.kept::<Glanced>().is_some() {
            return known;
        }
        game.keep(Glanced);
        let budget = Budget::default();
        let mut play = RandomPlay::new(game, GLANCE, &budget);
        let mut line = Line::new();
        while let Some(visit) = play.next_state() {
            // One playout is enough.
            if visit.choosers().filter(|&role| !game.is_random(role)).count() > 1 {
                let mut found = GameFacts::clone(&known);
                found.simultaneous = Fact::new(true, Evidence::Play(vec![line.clone()]));
                found.turn_taking = Fact::new(false, Evidence::Play(vec![line]));
                return found.keep(game);
            }
            line.push(visit.joint.to_vec());
        }
        known
    }

    /// Proves facts within a budget until `is_enough` holds of them, starting with the known ones. Without a deadline,
    /// proofs end after a number of steps. Nothing is proved of games that are not compiled.
    pub fn prove(game: &Game, budget: &Budget, is_enough: &dyn Fn(&GameFacts) -> bool) -> Arc<GameFacts> {
        let known = GameFacts::known(game);
        if !known.is_exhausted && !is_enough(&known) {
            analyse_until(game, budget, &|analysis| is_enough(&analysis.facts));
        }
        GameFacts::known(game)
    }

    /// Returns the facts with what an exploration of states decides.
    pub fn explored(mut self, found: &Explored) -> GameFacts {
        let decided = [
            (&mut self.turn_taking, found.turn_taking),
            (&mut self.constant_sum, found.constant_sum),
        ];
        for (fact, holds) in decided {
            // A line of play that refutes the property is better evidence.
            if let Some(holds) = holds.filter(|&holds| holds || !fact.is_no()) {
                *fact = Fact::new(holds, Evidence::Exploration);
            }
        }
        self.length = found.length.unwrap_or(self.length);
        self.conclude();
        self
    }

    /// Adds the facts that a sample refutes.
    pub(crate) fn sampled(mut self, sample: &Sample) -> GameFacts {
        self.turn_taking.learn(&Fact::sampled(&sample.choosing, sample));
        self.constant_sum.learn(&Fact::sampled(&sample.sums_differ, sample));
        if !sample.players_choosing.is_empty() {
            self.simultaneous = Fact::new(true, Evidence::Play(sample.players_choosing.clone()));
        }
        self.sum = sample.sum;
        self
    }

    /// Draws conclusions from one fact to another.
    pub(crate) fn conclude(&mut self) {
        if self.turn_taking.is_yes() {
            self.simultaneous.learn(&Fact {
                verdict: Verdict::No,
                ..self.turn_taking.clone()
            });
        }
        if self.constant_sum.is_no() {
            self.sum = None;
        }
    }

    /// Keeps the facts on the game, with those known before.
    pub(crate) fn keep(&self, game: &Game) -> Arc<GameFacts> {
        let mut facts = GameFacts::clone(&GameFacts::known(game));
        facts.turn_taking.learn(&self.turn_taking);
        facts.simultaneous.learn(&self.simultaneous);
        facts.constant_sum.learn(&self.constant_sum);
        facts.sum = facts.sum.or(self.sum);
        if facts.length == Length::Unknown {
            facts.length = self.length;
        }
        let goals = facts.goals.values_mut().flatten();
        for (known, new) in goals.zip(self.goals.values().flatten()) {
            if known.occurs == Verdict::Unknown {
                known.occurs = new.occurs;
            }
        }
        facts.is_exhausted |= self.is_exhausted;
        facts.conclude();
        game.keep(facts)
    }
}
