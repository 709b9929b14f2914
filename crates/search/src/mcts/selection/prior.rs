//! The prior: an advisor's evaluations of the moves of a node, which count less as the node is visited.

use super::super::tree::{MoveStats, Node, PhaseData};
use super::super::worker::Context;
use super::amaf::share;
use super::enhanced::{Enhancement, Estimate};
use super::{Candidate, ChoicePoint, RuleContext};
use crate::mcts::policy::rescale;
use ludens_engine::RoleMap;

/// Weights of the advisor's evaluations of moves (the prior) in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriorSettings {
    /// Visits of a move at which its own mean and the prior weigh equally; 0 disables this use of the prior.
    pub move_equivalence: f64,
    /// Visits of a node at which the means of its moves and their priors weigh equally; 0 disables this use of the
    /// prior.
    pub node_equivalence: f64,
    /// Virtual visits of each move with the prior as their result; 0 disables this use of the prior.
    pub virtual_visits: f64,
    /// Whether the priors of a node are rescaled so that the worst is 0 and the best 100.
    pub rescaled: bool,
}

impl PriorSettings {
    fn is_used(&self) -> bool {
        self.move_equivalence > 0.0 || self.virtual_visits > 0.0 || self.node_equivalence > 0.0
    }
}

/// For each role the priors of its moves; empty for roles without a choice.
#[derive(Default)]
pub(in crate::mcts) struct Priors(RoleMap<Box<[f32]>>);

impl PhaseData for Priors {
    fn bytes(&self) -> usize {
        self.0.values().map(|priors| size_of_val(&**priors) + 16).sum()
    }
}

/// Asks the advisor about the moves of a node, once.
pub(in crate::mcts) fn ask(node: &mut Node, context: &mut Context<'_>) {
    let settings = &context.settings.selection.prior;
    if !settings.is_used() || node.data.as_ref().is_some_and(|data| !data.priors.0.is_empty()) {
        return;
    }
    let Some(advisor) = &mut context.advisor else { return };
    let priors = node.legal.iter().map(|(role, legal)| {
        let mut goals = vec![50.0; legal.stats.len()].into_boxed_slice();
        if !goals.is_empty() && !context.is_chance[role] {
            advisor.advise(&node.state, role, &legal.moves, &mut goals);
            if settings.rescaled {
                rescale(&mut goals);
            }
        }
        goals
    });
    let priors = priors.collect();
    node.data_mut().priors = Priors(priors);
}

/// The priors of a role at a node.
pub(super) struct Prior<'a> {
    priors: &'a [f32],
    settings: &'a PriorSettings,
    first_play_urgency: Option<f64>,
    /// Visits of the node, those in flight included.
    visits: f64,
}

impl Prior<'_> {
    fn blend(&self, stats: &MoveStats, value: f64, prior: f64) -> f64 {
        let (settings, visits) = (self.settings, f64::from(stats.visits));
        let mut value = value;
        if settings.virtual_visits > 0.0 {
            value = (visits * value + settings.virtual_visits * prior) / (visits + settings.virtual_visits);
        }
        if settings.move_equivalence > 0.0 {
            value += share(settings.move_equivalence, visits) * (prior - value);
        }
        if settings.node_equivalence > 0.0 {
            value += share(settings.node_equivalence, self.visits) * (prior - value);
        }
        value
    }
}

impl<'a> Enhancement<'a> for Prior<'a> {
    fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<Prior<'a>> {
        let priors = at.node.data.as_ref()?.priors.0.get(at.role)?;
        (!priors.is_empty()).then(|| Prior {
            priors,
            settings: &rules.settings.selection.prior,
            first_play_urgency: rules.settings.selection.first_play_urgency,
            visits: f64::from(at.node.started),
        })
    }

    fn virtual_visits(&self) -> f64 {
        self.settings.virtual_visits
    }

    fn apply(&self, _at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
        let prior = f64::from(self.priors[candidate.index]);
        estimate.value = self.blend(candidate.marginal, estimate.value, prior);
        estimate.virtual_visits = self.settings.virtual_visits;
        estimate.first_play = match self.first_play_urgency {
            _ if self.settings.virtual_visits > 0.0 => None,
            // Every move is visited once, in the order of the priors.
            None => Some(1e6 + estimate.value),
            Some(urgency) => Some(self.blend(candidate.marginal, urgency, prior)),
        };
    }
}
