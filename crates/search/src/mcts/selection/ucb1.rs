//! UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), the rule of UCT (Kocsis and Szepesvári, 2006).

use super::{Candidate, ChoicePoint, MoveScore, RuleContext};

/// Mean plus exploration term.
pub(super) struct Ucb1 {
    exploration: f64,
    log: f64,
    /// Score of an unvisited move.
    pub(super) first_play: f64,
}

impl Ucb1 {
    /// `virtual_visits` are added to the visits of the node.
    pub(super) fn at(at: &ChoicePoint<'_>, rules: &RuleContext<'_>, virtual_visits: f64) -> Ucb1 {
        let visits: u32 = match std::ptr::eq(at.stats, &*at.node.legal[at.role].stats) {
            true => at.node.started,
            false => at.stats.iter().map(|stats| stats.started).sum(),
        };
        let urgency = rules.settings.selection.first_play_urgency;
        Ucb1 {
            exploration: rules.exploration,
            log: (f64::from(visits.max(1)) + virtual_visits).ln(),
            first_play: urgency.unwrap_or(f64::INFINITY),
        }
    }

    /// The exploration term of a move. Visits in flight count.
    pub(super) fn exploration(&self, visits: f64) -> f64 {
        self.exploration * (self.log / visits).sqrt()
    }
}

impl MoveScore for Ucb1 {
    #[inline]
    fn score(&self, _at: &ChoicePoint<'_>, candidate: &Candidate<'_>) -> f64 {
        let stats = candidate.stats;
        match stats.started {
            0 => self.first_play,
            started => stats.mean().unwrap_or(50.0) + self.exploration(f64::from(started)),
        }
    }
}
