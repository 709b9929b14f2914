//! The rounds of sequential halving.

/// The rounds for `moves` moves and `total` iterations: how many moves are left in each, and how many iterations each of
/// them gets. There are ⌈log2 K⌉ rounds from the start, each of which halves the moves.
pub fn rounds(moves: usize, total: u64) -> Vec<(usize, u64)> {
    let count = moves.max(2).next_power_of_two().ilog2();
    let mut left = moves;
    let round = |_| {
        let now = left;
        left = left.div_ceil(2);
        (now, total / (now as u64 * u64::from(count)).max(1))
    };
    (0..count).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_never_spend_more_than_there_is() {
        let spent = |moves, total| {
            rounds(moves, total)
                .iter()
                .map(|(left, each)| *left as u64 * each)
                .sum::<u64>()
        };
        let each: Vec<(usize, u64)> = vec![(56, 29), (28, 59), (14, 119), (7, 238), (4, 416), (2, 833)];
        assert_eq!(rounds(56, 10_000), each);
        assert_eq!(
            (spent(56, 10_000), spent(8, 10_000), spent(3, 10_000)),
            (9938, 9992, 9998)
        );
        for moves in 1..100 {
            assert!(spent(moves, 1000) <= 1000);
        }
    }
}
