//! Which move a role tries next in a node of the tree.

use super::Settings;
use super::amaf::{self, Amaf};
use super::policy::Policy;
use super::tree::{Arm, Node, NodeId, Tree};
use ludens_engine::Rng;

/// Chooses by the urgency of moves.
pub(super) struct Selector<'a> {
    pub(super) settings: &'a Settings,
    /// The preference for moves that are little known, for the goals that occur.
    pub(super) exploration: f64,
    /// What was learnt about moves in general.
    pub(super) policy: &'a Policy,
    /// All moves as first: the statistics that are used in this node.
    pub(super) amaf: Option<&'a Amaf>,
}

/// The move to try next, by its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    pub(super) place: u32,
    /// A move that is more urgent, but whose worth is proved: there is nothing left to find out behind it.
    pub(super) instead_of: Option<u32>,
}

impl Selector<'_> {
    /// The move that a role tries next, by what is known about its moves (`arms`), which is empty if there is nothing
    /// to choose.
    pub(super) fn select(&self, tree: &Tree, at: NodeId, role: usize, arms: &[Arm], rng: &mut Rng) -> Selection {
        if arms.is_empty() {
            return Selection::default();
        }
        let node = tree.get(at);
        let tries: u32 = match std::ptr::eq(arms, &*node.choices[role].arms) {
            true => node.started,
            false => arms.iter().map(|arm| arm.started).sum(),
        };
        // Where only one role chooses, its move is the joint move.
        let is_alone = node.chooser() == Some(role);
        let settings = self.settings;
        let advice = node.extra.as_ref().and_then(|extra| extra.advice.get(role));
        let advice = advice.map_or(&[][..], |advice| advice);
        let is_plain = self.amaf.is_none()
            && settings.selection.progressive_bias == 0.0
            && settings.backup.implicit_minimax == 0.0
            && advice.is_empty();
        // Head starts count as tries.
        let given = if advice.is_empty() {
            0.0
        } else {
            settings.selection.prior.virtual_visits
        };
        let log = (f64::from(tries.max(1)) + given * arms.len() as f64).ln();
        let best_results = node.extra.as_ref().map_or(&[][..], |extra| &extra.best);
        let mut best = (f64::NEG_INFINITY, 0);
        let mut best_open = best;
        let mut equal = 0;
        for (place, arm) in arms.iter().enumerate() {
            let child = if is_alone { node.child(place as u64) } else { None };
            let certain = child.and_then(|child| tree.get(child).proved.as_ref());
            let certain = certain.filter(|_| settings.backup.solver);
            let urgency = match certain {
                // What is known for certain need not be explored.
                Some(scores) => f64::from(scores[role]) - 1e-6,
                None if is_plain && arm.started == 0 => settings.selection.first_play_urgency.unwrap_or(f64::INFINITY),
                None => {
                    let mut value = arm.mean().unwrap_or(50.0);
                    if let Some(&greatest) = best_results.get(place).filter(|_| arm.finished > 0) {
                        value += settings.single_player.best_share * (f64::from(greatest) - value);
                    }
                    match is_plain {
                        true => value + self.exploration * (log / f64::from(arm.started)).sqrt(),
                        false => self.informed(tree, node, role, place, child, value, log),
                    }
                }
            };
            if urgency > best_open.0 && certain.is_none() {
                best_open = (urgency, place as u32);
            }
            if urgency > best.0 {
                best = (urgency, place as u32);
                equal = 1;
            } else if urgency == best.0 {
                // Each of n equal ones is kept with probability 1/n.
                equal += 1;
                if rng.u32(..equal) == 0 {
                    best.1 = place as u32;
                }
            }
        }
        // What is most urgent is known for certain, unless it is open itself.
        let is_certain = best_open.0 < best.0 && best_open.0 > f64::NEG_INFINITY;
        match is_certain {
            true => Selection {
                place: best_open.1,
                instead_of: Some(best.1),
            },
            false => Selection {
                place: best.1,
                instead_of: None,
            },
        }
    }

    /// What a head start of so many tries with the advisor's judgement, and then a share of that judgement that shrinks
    /// with the number of tries or of visits of the state, make of the mean of a move.
    fn advised(&self, node: &Node, arm: &Arm, value: f64, advice: f64) -> f64 {
        let (settings, tries) = (self.settings, f64::from(arm.finished));
        let mut value = value;
        if settings.selection.prior.virtual_visits > 0.0 {
            value = (tries * value + settings.selection.prior.virtual_visits * advice)
                / (tries + settings.selection.prior.virtual_visits);
        }
        if settings.selection.prior.move_equivalence > 0.0 {
            value += amaf::share(settings.selection.prior.move_equivalence, tries) * (advice - value);
        }
        if settings.selection.prior.node_equivalence > 0.0 {
            value += amaf::share(settings.selection.prior.node_equivalence, f64::from(node.started)) * (advice - value);
        }
        value
    }

    /// The urgency of a move with everything that is known beyond its own tries.
    #[allow(clippy::too_many_arguments)]
    fn informed(
        &self,
        tree: &Tree,
        node: &Node,
        role: usize,
        place: usize,
        child: Option<NodeId>,
        value: f64,
        log: f64,
    ) -> f64 {
        let settings = self.settings;
        let choice = &node.choices[role];
        let (arm, move_id) = (&choice.arms[place], choice.moves[place]);
        let mut value = value;
        let judged = child
            .and_then(|child| tree.get(child).extra.as_ref())
            .and_then(|extra| extra.judged.get(role));
        if let Some(&judged) = judged.filter(|_| settings.backup.implicit_minimax > 0.0) {
            value += settings.backup.implicit_minimax * (f64::from(judged) - value);
        }
        let advice = node.extra.as_ref().and_then(|extra| extra.advice.get(role)?.get(place));
        let given = match advice {
            Some(&advice) => {
                value = self.advised(node, arm, value, f64::from(advice));
                settings.selection.prior.virtual_visits
            }
            None => 0.0,
        };
        let first = settings
            .selection
            .rave
            .and_then(|rave| Some((rave, self.amaf?.get(role, move_id)?)));
        if let Some((rave, average)) = first {
            let share = match arm.finished {
                0 => 1.0,
                tries => amaf::share(rave.equivalence, f64::from(tries)),
            };
            value += share * (f64::from(average.mean) - value);
        } else if arm.started == 0 && settings.selection.progressive_bias == 0.0 && given == 0.0 {
            return match advice {
                // Every move is tried, those that look better first.
                Some(_) if settings.selection.first_play_urgency.is_none() => 1e6 + value,
                Some(&advice) => self.advised(
                    node,
                    arm,
                    settings.selection.first_play_urgency.unwrap_or(50.0),
                    f64::from(advice),
                ),
                None => settings.selection.first_play_urgency.unwrap_or(f64::INFINITY),
            };
        }
        let bias = match settings.selection.progressive_bias {
            0.0 => 0.0,
            weight => {
                let average = f64::from(self.policy.average(role, move_id).unwrap_or(50.0));
                if arm.started == 0 && first.is_none() {
                    // Every move is tried, the better ones first.
                    return settings.selection.first_play_urgency.unwrap_or(1e6) + average;
                }
                weight * average / f64::from(arm.started + 1)
            }
        };
        let tries = f64::from(arm.started) + given;
        value + bias + self.exploration * (log / if tries > 0.0 { tries } else { 1.0 }).sqrt()
    }
}
