//! Nodes where several roles choose at the same time.

pub(super) mod regret;
pub(super) mod sequenced;

use super::tree::Node;
use ludens_engine::RoleMap;
pub(super) use regret::RegretMatching;

/// Settings for nodes where several roles choose at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct SimultaneousSettings {
    /// The rule by which the roles choose.
    pub rule: Simultaneous,
    /// Whether every joint move is made once before statistics decide.
    pub joint_first: bool,
}

/// Treatment of roles that choose at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Simultaneous {
    /// Each role selects by its own statistics, as if it were alone (decoupled UCT).
    Decoupled,
    /// The roles choose one after the other, the searching role first, each knowing the choices before (sequential
    /// UCT). Simple, and wrong.
    Sequenced,
    /// Each role draws its move by regret matching; the final move is drawn from its average strategy.
    Regret {
        /// Probability of a uniformly random move instead.
        exploration: f64,
    },
}

impl Default for SimultaneousSettings {
    fn default() -> SimultaneousSettings {
        SimultaneousSettings {
            rule: Simultaneous::Decoupled,
            joint_first: false,
        }
    }
}

impl SimultaneousSettings {
    pub(super) fn is_sequenced(&self) -> bool {
        self.rule == Simultaneous::Sequenced
    }

    pub(super) fn is_regret(&self) -> bool {
        matches!(self.rule, Simultaneous::Regret { .. })
    }

    /// The rule of a node where the roles choose by regret matching.
    pub(super) fn regret_at(&self, node: &Node, is_chance: &RoleMap<bool>) -> Option<RegretMatching> {
        match self.rule {
            Simultaneous::Regret { exploration } if node.is_simultaneous(is_chance) => {
                Some(RegretMatching { exploration })
            }
            _ => None,
        }
    }
}
