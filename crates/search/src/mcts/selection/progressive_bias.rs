//! Progressive bias (Chaslot and others, 2008) towards moves with a high average over all playouts.

use super::super::policy::Policies;
use super::enhanced::{Enhancement, Estimate};
use super::{Candidate, ChoicePoint, RuleContext};

/// Adds a bonus that shrinks with the visits of the move.
pub(super) struct ProgressiveBias<'a> {
    weight: f64,
    first_play_urgency: Option<f64>,
    policies: &'a Policies,
}

impl<'a> Enhancement<'a> for ProgressiveBias<'a> {
    fn at(_at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<ProgressiveBias<'a>> {
        let settings = &rules.settings.selection;
        (settings.progressive_bias != 0.0).then_some(ProgressiveBias {
            weight: settings.progressive_bias,
            first_play_urgency: settings.first_play_urgency,
            policies: rules.policies,
        })
    }

    fn apply(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
        let move_id = at.node.legal[at.role].moves[candidate.index];
        let average = f64::from(self.policies.average(at.role, move_id).unwrap_or(50.0));
        estimate.bonus += self.weight * average / f64::from(candidate.marginal.started + 1);
        // Without an urgency every move is visited once, the better ones first.
        estimate.first_play = Some(self.first_play_urgency.unwrap_or(1e6) + average);
    }
}
