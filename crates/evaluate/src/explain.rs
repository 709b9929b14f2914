//! Explanations of evaluations, in words and numbers.
//!
//! Everything that implements [`Explains`] gives the same [`Explanation`]: the expected goal of each role, the reasons
//! with what each adds, and what each move would change. Details of a reason are a list of named numbers, so that the
//! code that shows them need not know the kind.

use crate::ahead::replies;
use crate::learned::features::GuidedFunction;
use ludens_engine::{Game, MoveId, Rng, Role, State};

/// Explains its own evaluation.
pub trait Explains {
    /// Explains the evaluation of a state that is not terminal.
    fn explain(&self, state: &State) -> Explanation;
}

/// The explanation of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The kind of evaluator, in one word.
    pub kind: &'static str,
    /// Sizes of the evaluator, by name.
    pub made_of: Vec<(&'static str, f64)>,
    /// Parts that were not built, each with the reason.
    pub left_out: Vec<String>,
    /// The expected goal of each role, with reasons.
    pub roles: Vec<Outlook>,
    /// Effects of the legal moves, for the roles that have a choice.
    pub moves: Vec<MoveOutlook>,
}

/// The expected goal of a role, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// Who.
    pub role: Role,
    /// The expected goal.
    pub goal: f64,
    /// The expected goal without any reason for or against.
    pub middle: f64,
    /// The reasons, most important in general first.
    pub reasons: Vec<Reason>,
}

/// A reason for an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The expression that it is about.
    pub text: String,
    /// Points that it adds to the expected goal.
    pub points: f64,
    /// More about it.
    pub numbers: Vec<(&'static str, f64)>,
}

/// The effect of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveOutlook {
    /// Whose move.
    pub role: Role,
    /// The move.
    pub move_id: MoveId,
    /// The expected goal of the role after it, as a mean over what others may do at the same time.
    pub goal: f64,
    /// Whether the state after it may be terminal.
    pub may_end: bool,
    /// Reasons that it changes, the greatest change first.
    pub changes: Vec<Change>,
}

/// A reason that is changed by a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Index of the reason in the list of its role.
    pub reason: usize,
    /// Points that the change adds to the expected goal.
    pub points: f64,
}

/// Changes below this do not count.
const LEAST_CHANGE: f64 = 1e-6;

impl Explains for GuidedFunction {
    fn explain(&self, state: &State) -> Explanation {
        let outlook = |role: Role| {
            let function = &self.roles()[role.index()];
            let contributions = self.contributions(role.index(), state);
            let reasons = function.parts.iter().zip(contributions).map(|(part, points)| {
                let feature = &self.features()[part.feature];
                let measure = &feature.measure;
                Reason {
                    text: feature.text.clone(),
                    points,
                    numbers: vec![
                        ("value", feature.value(self.game(), state)),
                        ("weight", part.weight),
                        ("correlation", measure.correlations[role.index()]),
                        ("stability", measure.stability),
                        ("points_each", part.points),
                        ("mean", measure.mean),
                        ("mean_absolute", measure.mean_absolute),
                        ("variance", measure.variance),
                        ("least", measure.least),
                        ("greatest", measure.greatest),
                    ],
                }
            });
            Outlook {
                role,
                goal: self.value(role.index(), state),
                middle: function.middle,
                reasons: reasons.collect(),
            }
        };
        let roles: Vec<Outlook> = self.game().roles().map(outlook).collect();
        let changes = |role: usize, after: &State| self.contributions(role, after);
        let value = |role: usize, after: &State| self.value(role, after);
        Explanation {
            kind: "features",
            made_of: vec![
                ("sequences", self.sequences as f64),
                ("matches", self.matches as f64),
                ("expressions", self.expressions as f64),
                ("features", self.features().len() as f64),
            ],
            left_out: Vec::new(),
            moves: moves(self.game(), state, &roles, &value, &changes),
            roles,
        }
    }
}

/// Returns what the moves of all roles that have a choice would change. `value` returns the expected goal of a role in
/// a state, `changes` what each of its reasons adds there.
pub(crate) fn moves(
    game: &Game,
    state: &State,
    roles: &[Outlook],
    value: &dyn Fn(usize, &State) -> f64,
    points: &dyn Fn(usize, &State) -> Vec<f64>,
) -> Vec<MoveOutlook> {
    let mut machine = game.machine();
    machine.load(state);
    let legal: Vec<Vec<MoveId>> = game.roles().map(|role| machine.legal(role).to_vec()).collect();
    let mut rng = Rng::with_seed(0);
    let mut outlooks = Vec::new();
    for outlook in roles.iter().filter(|outlook| legal[outlook.role.index()].len() > 1) {
        let own = outlook.role.index();
        let joints = replies(&legal, outlook.role, &mut rng);
        for &move_id in &legal[own] {
            let mut goal = 0.0;
            let mut change = vec![0.0; outlook.reasons.len()];
            let mut may_end = false;
            for mut joint in joints.iter().cloned() {
                joint[own] = move_id;
                machine.load(state);
                machine.step(&joint);
                let is_over = machine.is_terminal();
                may_end |= is_over;
                goal += match is_over {
                    true => f64::from(machine.score(outlook.role)),
                    false => value(own, machine.state()),
                };
                let after = points(own, machine.state());
                let pairs = after.iter().zip(&outlook.reasons);
                for (change, (after, before)) in change.iter_mut().zip(pairs) {
                    *change += (after - before.points) / joints.len() as f64;
                }
            }
            let changes = change.iter().enumerate();
            let mut changes: Vec<Change> = changes
                .filter(|(_, points)| points.abs() > LEAST_CHANGE)
                .map(|(reason, &points)| Change { reason, points })
                .collect();
            changes.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
            outlooks.push(MoveOutlook {
                role: outlook.role,
                move_id,
                goal: goal / joints.len().max(1) as f64,
                may_end,
                changes,
            });
        }
    }
    outlooks
}
