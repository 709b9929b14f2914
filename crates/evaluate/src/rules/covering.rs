//! The covering relation of an order: the pairs without a value between them.

use std::collections::BTreeMap;

/// Returns the covering pairs of a strict partial order, in increasing order; `None` if the relation is not irreflexive
/// or not transitive.
pub(crate) fn covering<Value: Copy + Ord>(pairs: &[(Value, Value)]) -> Option<Vec<(Value, Value)>> {
    let mut numbers: BTreeMap<Value, usize> = pairs.iter().flat_map(|&(one, other)| [(one, 0), (other, 0)]).collect();
    let values: Vec<Value> = numbers.keys().copied().collect();
    numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
    for (one, other) in pairs {
        behind[numbers[one]].push(numbers[other]);
    }
    for others in &mut behind {
        others.sort_unstable();
        others.dedup();
    }
    // By value the last one that it follows, and the last one that it follows by more than a step.
    let (mut is_behind, mut is_further) = (vec![usize::MAX; values.len()], vec![usize::MAX; values.len()]);
    let mut steps = Vec::new();
    for (one, others) in behind.iter().enumerate() {
        others.iter().for_each(|&other| is_behind[other] = one);
        if is_behind[one] == one {
            return None;
        }
        for &further in others.iter().flat_map(|&other| &behind[other]) {
            if is_behind[further] != one {
                return None;
            }
            is_further[further] = one;
        }
        let nearest = others.iter().filter(|&&other| is_further[other] != one);
        steps.extend(nearest.map(|&other| (values[one], values[other])));
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::covering;

    #[test]
    fn the_steps_of_an_order_leave_out_what_follows_from_others() {
        assert_eq!(covering(&[(1, 2), (1, 3), (2, 3)]), Some(vec![(1, 2), (2, 3)]));
        // Two ways that meet again.
        let pairs = [(1, 2), (1, 3), (1, 4), (2, 4), (3, 4)];
        assert_eq!(covering(&pairs), Some(vec![(1, 2), (1, 3), (2, 4), (3, 4)]));
        assert_eq!(covering(&[(1, 2), (3, 4)]), Some(vec![(1, 2), (3, 4)]));
    }

    #[test]
    fn cyclic_or_intransitive_relations_are_no_orders() {
        assert_eq!(covering(&[(1, 2), (2, 1)]), None);
        assert_eq!(covering(&[(1, 1)]), None);
        assert_eq!(covering(&[(1, 2), (2, 3)]), None);
    }
}
