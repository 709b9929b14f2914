//! Preferences of roles: the order in which they rank outcomes.

use std::cmp::Ordering;

/// What a role maximises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Its own goal; ties are broken by the least sum of the others' goals.
    #[default]
    Own,
    /// Its lead over the others; ties are broken by its own goal.
    Difference,
}

impl Order {
    /// The order as one word.
    pub fn name(self) -> &'static str {
        match self {
            Order::Own => "own",
            Order::Difference => "difference",
        }
    }

    /// Compares two outcomes for a role: greater is better. Different outcomes are never equal: if a role is
    /// indifferent, the one with the lesser goals of earlier roles counts as better, so that results are unique.
    pub fn compare(self, role: usize, one: &[u8], other: &[u8]) -> Ordering {
        self.rank(role, one)
            .cmp(&self.rank(role, other))
            .then_with(|| other.cmp(one))
    }

    /// Returns what a role maximises in an outcome, the more important number first.
    pub fn rank(self, role: usize, goals: &[u8]) -> (i32, i32) {
        let own = i32::from(goals[role]);
        let others: i32 = goals.iter().map(|&goal| i32::from(goal)).sum::<i32>() - own;
        match self {
            Order::Own => (own, -others),
            // With several others the lead over their mean, times their number.
            Order::Difference => (own * (goals.len() as i32 - 1).max(1) - others, own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_where_they_should() {
        let best = |order: Order, role: usize, outcomes: &[[u8; 2]]| {
            let best = outcomes.iter().max_by(|one, other| order.compare(role, *one, *other));
            *best.expect("there are outcomes")
        };
        let outcomes = [[90, 90], [60, 0], [90, 80], [0, 100]];
        assert_eq!(best(Order::Own, 0, &outcomes), [90, 80]);
        assert_eq!(best(Order::Difference, 0, &outcomes), [60, 0]);
        assert_eq!(best(Order::Own, 1, &outcomes), [0, 100]);
        assert_eq!(best(Order::Difference, 1, &[[10, 20], [70, 80]]), [70, 80]);
    }

    #[test]
    fn only_equal_outcomes_are_equal() {
        let outcomes = [[10, 20, 30], [10, 30, 20], [30, 10, 20], [20, 10, 30]];
        for order in [Order::Own, Order::Difference] {
            for one in &outcomes {
                for other in &outcomes {
                    let equal = order.compare(0, one, other) == Ordering::Equal;
                    assert_eq!(equal, one == other);
                }
            }
        }
    }
}
