//! Games with one role and without chance: nobody can interfere, so the best line found can be followed.

use super::backup::Episode;
use super::parallel::shared::Shared;
use super::path::Path;
use super::selection::enhanced::{Enhancement, Estimate};
use super::selection::{Candidate, ChoicePoint, RuleContext};
use super::tree::{PhaseData, Tree};
use ludens_engine::playout::{Choice, End};
use ludens_engine::{Machine, MoveId, Role, State};

/// Settings for games with one role.
#[derive(Clone, Debug, PartialEq)]
pub struct SinglePlayerSettings {
    /// Share of the best result in the value of a move; the rest is the mean.
    pub best_share: f64,
    /// Factor on a result for each step that it takes.
    pub discount: f64,
}

impl Default for SinglePlayerSettings {
    fn default() -> SinglePlayerSettings {
        SinglePlayerSettings {
            best_share: 0.25,
            discount: 1.0,
        }
    }
}

/// The factor on a goal after a number of steps.
pub(super) fn discount(settings: &SinglePlayerSettings, roles: usize, steps: usize) -> f64 {
    match roles == 1 && settings.discount < 1.0 {
        true => settings.discount.powi(steps as i32),
        false => 1.0,
    }
}

/// The best line found so far.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Its first state.
    start: State,
    /// Its choices. Steps with a single legal move are not listed.
    choices: Vec<Choice>,
    /// Its goal.
    pub(super) score: u8,
    /// Its length.
    steps: usize,
}

impl Plan {
    /// Whether a line with this score and length is better.
    fn is_worse_than(&self, score: u8, steps: usize) -> bool {
        (score, std::cmp::Reverse(steps)) > (self.score, std::cmp::Reverse(self.steps))
    }

    /// The first choice.
    pub(super) fn first(&self) -> Option<MoveId> {
        self.choices.first().map(|choice| choice.move_id)
    }

    /// The rest of the plan from a state on, if it leads through that state.
    pub(super) fn from(mut self, state: &State, machine: &mut dyn Machine) -> Option<Plan> {
        machine.load(&self.start);
        let mut made = 0;
        let mut steps = 0;
        while machine.state() != state {
            if steps == self.steps || machine.is_terminal() {
                return None;
            }
            let next = match *machine.legal(Role(0)) {
                [only] => only,
                _ => {
                    made += 1;
                    self.choices.get(made - 1)?.move_id
                }
            };
            machine.step(&[next]);
            steps += 1;
        }
        self.choices.drain(..made);
        self.start = state.clone();
        self.steps -= steps;
        Some(self)
    }
}

/// The best result after each move of a node.
#[derive(Default)]
pub(super) struct BestResults(Box<[f32]>);

impl PhaseData for BestResults {
    fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// Takes in a result: it may be the best line, and the best after each move on its path.
pub(super) fn learn(shared: &mut Shared, path: &Path, episode: &Episode<'_>) {
    let steps = path.steps.len() + episode.playout.map_or(0, |playout| playout.steps);
    let score = match episode.playout {
        Some(playout) => (playout.end == End::Terminal).then(|| playout.scores[Role(0)]),
        // A value without the moves that lead to it is no plan.
        None => path
            .leaf
            .filter(|&leaf| shared.tree.get(leaf).is_terminal)
            .map(|_| episode.goals[Role(0)] as u8),
    };
    if let Some(score) = score
        && shared.plan.as_ref().is_none_or(|plan| plan.is_worse_than(score, steps))
    {
        shared.plan = Some(Plan {
            start: shared.tree.get(shared.root).state.clone(),
            choices: episode.choices.to_vec(),
            score,
            steps,
        });
    }
    remember_best(&mut shared.tree, path, episode.goals[Role(0)] as f32);
}

fn remember_best(tree: &mut Tree, path: &Path, result: f32) {
    for (&step, &index) in path.steps.iter().zip(&path.moves) {
        let node = tree.get_mut(step);
        let count = node.legal[Role(0)].stats.len();
        let best = &mut node.data_mut().best.0;
        if best.len() < count {
            *best = vec![0.0; count].into_boxed_slice();
        }
        if let Some(best) = best.get_mut(index as usize) {
            *best = best.max(result);
        }
    }
}

/// Mixes the best result into the value of a move.
pub(super) struct BestResult<'a> {
    share: f64,
    best: &'a [f32],
}

impl<'a> Enhancement<'a> for BestResult<'a> {
    fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<BestResult<'a>> {
        let best = &at.node.data.as_ref()?.best.0;
        (!best.is_empty()).then_some(BestResult {
            share: rules.settings.single_player.best_share,
            best,
        })
    }

    fn apply(&self, _at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
        if candidate.stats.visits > 0 {
            estimate.value += self.share * (f64::from(self.best[candidate.index]) - estimate.value);
        }
    }
}
