//! The outcomes that occur, and the preferences of roles among them.

use super::nodes::{SEVERAL, STUCK, TERMINAL};
use crate::Order;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Number of an unknown outcome.
pub(crate) const UNKNOWN: u16 = u16::MAX;

/// Numbers the goals of terminal states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) goals: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u16, FixedState>,
}

impl Outcomes {
    /// Returns the number of an outcome, a new one if it is new.
    pub(crate) fn number(&mut self, goals: &[u8]) -> u16 {
        if let Some(&known) = self.numbers.get(goals) {
            return known;
        }
        // No real game has 65,534 different outcomes; further ones share the last number.
        let number = self.goals.len().min(usize::from(UNKNOWN) - 1) as u16;
        self.numbers.insert(goals.to_vec(), number);
        if usize::from(number) == self.goals.len() {
            self.goals.push(goals.to_vec());
        }
        number
    }

    /// Returns the sum of goals, if it is the same in all outcomes.
    pub(crate) fn sum(&self) -> Option<u32> {
        let sum = |goals: &Vec<u8>| goals.iter().map(|&goal| u32::from(goal)).sum::<u32>();
        let first = sum(self.goals.first()?);
        self.goals.iter().all(|goals| sum(goals) == first).then_some(first)
    }
}

/// Preferences of all roles.
pub(crate) struct Preferences {
    roles: Vec<Preference>,
    pub(crate) is_single: bool,
}

struct Preference {
    /// Rank of each outcome: greater is better, and no two are equal.
    ranks: Vec<u16>,
    /// The outcome that no other result can beat, if any: the best one, with a goal of 100.
    top: u16,
    /// For each outcome whether the role prefers a fast end to a late one.
    is_hurried: Vec<bool>,
}

impl Preferences {
    pub(crate) fn new(outcomes: &Outcomes, order: Order, roles: usize) -> Preferences {
        let preference = |role: usize| {
            let goals = &outcomes.goals;
            let mut sorted: Vec<usize> = (0..goals.len()).collect();
            sorted.sort_by(|&one, &other| order.compare(role, &goals[one], &goals[other]));
            let mut ranks = vec![0; goals.len()];
            for (rank, &outcome) in sorted.iter().enumerate() {
                ranks[outcome] = rank as u16;
            }
            let best = sorted.last().filter(|&&best| goals[best][role] == 100);
            Preference {
                ranks,
                top: best.map_or(UNKNOWN, |&best| best as u16),
                is_hurried: goals
                    .iter()
                    .map(|goals| goals[role] >= goals.iter().copied().max().unwrap_or(0))
                    .collect(),
            }
        };
        Preferences {
            roles: (0..roles).map(preference).collect(),
            is_single: roles == 1,
        }
    }

    /// Whether no other result can beat an outcome for a role.
    pub(crate) fn is_top(&self, role: u8, outcome: u16) -> bool {
        self.roles[usize::from(role)].top == outcome
    }

    /// Outcomes from best to worst for the first role.
    pub(crate) fn best_first(&self) -> Vec<u16> {
        let ranks = &self.roles[0].ranks;
        let mut sorted: Vec<u16> = (0..ranks.len() as u16).collect();
        sorted.sort_by_key(|&outcome| std::cmp::Reverse(ranks[usize::from(outcome)]));
        sorted
    }

    /// Returns the outcome and distance of a state, given those of its successors; `None` if they are not certain yet.
    pub(crate) fn judge(&self, kind: u8, successors: impl Iterator<Item = (u16, u16)>) -> Option<(u16, u16)> {
        if matches!(kind, TERMINAL | STUCK | SEVERAL) {
            return None;
        }
        let preference = &self.roles[usize::from(kind)];
        let mut best: Option<(u16, u16)> = None;
        let mut is_certain = true;
        for (outcome, distance) in successors {
            if outcome == UNKNOWN {
                is_certain = false;
                continue;
            }
            best = match best {
                None => Some((outcome, distance)),
                Some((known, least)) if known == outcome => Some(match preference.is_hurried[usize::from(outcome)] {
                    true => (known, least.min(distance)),
                    false => (known, least.max(distance)),
                }),
                Some((known, _)) if preference.ranks[usize::from(outcome)] > preference.ranks[usize::from(known)] => {
                    Some((outcome, distance))
                }
                other => other,
            };
        }
        let (outcome, distance) = best?;
        let is_known = is_certain || self.is_single || preference.top == outcome;
        is_known.then_some((outcome, distance.saturating_add(1)))
    }
}
