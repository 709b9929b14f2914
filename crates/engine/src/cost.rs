//! Cost classes of a step, for defaults that must not depend on the clock.

/// Cost class of computing a state, by the size of the propositional network. Classes are ordered by cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepCost {
    /// At most 1,000 gates.
    Trivial,
    /// At most 2,000 gates.
    VeryLow,
    /// At most 5,000 gates.
    Low,
    /// At most 20,000 gates. Proofs and samples that must not ask the clock go up to here.
    Moderate,
    /// At most 200,000 gates.
    High,
    /// More gates.
    VeryHigh,
    /// No network: rules are interpreted, orders of magnitude slower and at a cost that differs from state to state.
    Interpreted,
}

/// Maximum number of gates of the classes, in order.
const LIMITS: [(usize, StepCost); 5] = [
    (1_000, StepCost::Trivial),
    (2_000, StepCost::VeryLow),
    (5_000, StepCost::Low),
    (20_000, StepCost::Moderate),
    (200_000, StepCost::High),
];

impl StepCost {
    /// Returns the class of a network with this many gates; `None` stands for a game without a network.
    pub fn of_gates(gates: Option<usize>) -> StepCost {
        let Some(gates) = gates else {
            return StepCost::Interpreted;
        };
        let class = LIMITS.iter().find(|(most, _)| gates <= *most);
        class.map_or(StepCost::VeryHigh, |&(_, class)| class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ordered_and_include_their_limits() {
        let gates = [0, 1_000, 1_001, 2_001, 5_001, 20_000, 20_001, 200_001];
        let classes: Vec<StepCost> = gates.iter().map(|&gates| StepCost::of_gates(Some(gates))).collect();
        assert!(classes.is_sorted());
        assert_eq!(classes[1], StepCost::Trivial);
        assert_eq!((classes[5], classes[6]), (StepCost::Moderate, StepCost::High));
        assert!(StepCost::of_gates(None) > classes[7]);
    }
}
