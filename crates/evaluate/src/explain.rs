//! What knowledge says about a position, in words and numbers that people can follow.
//!
//! Every kind of knowledge that [`Explains`] itself gives the same [`Explanation`]: what each role can expect, the reasons
//! for that with what each adds, and for each move what it would change. What else there is to say about a reason is a
//! list of named numbers, so that whoever shows it need not know the kind.

use crate::ahead::replies;
use crate::learned::features::GuidedFunction;
use ludens_engine::{Game, MoveId, Rng, Role, State};

/// Can say why it judges as it does.
pub trait Explains {
    /// What it says about a state that is not terminal.
    fn explain(&self, state: &State) -> Explanation;
}

/// What some knowledge says about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The kind of knowledge, in one word.
    pub kind: &'static str,
    /// What it was made of: numbers with their names.
    pub made_of: Vec<(&'static str, f64)>,
    /// What each role can expect.
    pub roles: Vec<Outlook>,
    /// What the moves of roles that have a choice would change.
    pub moves: Vec<MoveOutlook>,
}

/// What a role can expect, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// Who.
    pub role: Role,
    /// The goal that it can expect.
    pub goal: f64,
    /// What it could expect without any reason for or against.
    pub middle: f64,
    /// The reasons, in the order of their importance in general.
    pub reasons: Vec<Reason>,
}

/// A reason for a judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it is about.
    pub text: String,
    /// What it adds to the goal here, in points.
    pub points: f64,
    /// What else there is to say about it.
    pub numbers: Vec<(&'static str, f64)>,
}

/// What a move would change.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveOutlook {
    /// Whose move.
    pub role: Role,
    /// The move.
    pub move_id: MoveId,
    /// The goal that the role can expect after it, on average over what others may do at the same time.
    pub goal: f64,
    /// Whether the match may be over after it.
    pub may_end: bool,
    /// What it changes, the greatest change first; what it does not change is left out.
    pub changes: Vec<Change>,
}

/// A reason that is changed by a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What it is about: the place of the reason in the list of its role.
    pub reason: usize,
    /// What the change adds to the goal, in points.
    pub points: f64,
}

/// Changes of less than this are none.
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
            moves: moves(self.game(), state, &roles, &value, &changes),
            roles,
        }
    }
}

/// What the moves of all roles that have a choice would change, by functions that say what a role can expect in a state
/// and what each of its reasons adds there.
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
