//! The solution of the explicit method: a table of values by state.

use super::backward::Values;
use super::outcomes::UNKNOWN;
use super::plain;
use crate::Order;
use ludens_engine::State;
use ludens_reach::{Coding, PackedStates};

/// Values of states, by number.
pub struct ExplicitSolution {
    pub(crate) numbering: Numbering,
    pub(crate) order: Order,
    pub(crate) content: Content,
}

/// How states are numbered.
pub(crate) enum Numbering {
    /// In the order in which they were found.
    Listed(PackedStates),
    /// By their codes.
    Codes(Coding),
}

impl Numbering {
    pub(crate) fn coding(&self) -> &Coding {
        match self {
            Numbering::Listed(states) => states.coding(),
            Numbering::Codes(coding) => coding,
        }
    }

    fn number(&self, state: &State) -> Option<usize> {
        match self {
            Numbering::Listed(states) => states.find(state).map(|number| number as usize),
            Numbering::Codes(coding) => {
                let mut code = [0];
                let is_coded = coding.encode(state.words(), &mut code);
                usize::try_from(code[0]).ok().filter(|_| is_coded)
            }
        }
    }
}

/// Values of the states.
pub(crate) enum Content {
    /// Numbered outcomes, and for each state the number of its outcome and its distance.
    Outcomes {
        goals: Vec<Vec<u8>>,
        outcomes: Vec<u16>,
        distances: Vec<u16>,
    },
    /// For each state the value of the first of two roles, NaN if unknown; the values of both have this sum.
    Shares { values: Vec<f64>, sum: u32 },
}

impl ExplicitSolution {
    pub(super) fn new(numbering: Numbering, order: Order, goals: Vec<Vec<u8>>, values: Values) -> ExplicitSolution {
        let content = Content::Outcomes {
            goals,
            outcomes: plain(values.outcomes),
            distances: plain(values.distances),
        };
        ExplicitSolution {
            numbering,
            order,
            content,
        }
    }

    /// Preferences of the roles that the values are for.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the goals of all roles under best play from a state, if known.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        let number = self.numbering.number(state)?;
        match &self.content {
            Content::Outcomes { goals, outcomes, .. } => {
                let outcome = *outcomes.get(number)?;
                let goals = goals.get(usize::from(outcome)).filter(|_| outcome != UNKNOWN)?;
                Some(goals.iter().map(|&goal| f64::from(goal)).collect())
            }
            Content::Shares { values, sum } => {
                let value = *values.get(number).filter(|value| !value.is_nan())?;
                Some(vec![value, f64::from(*sum) - value])
            }
        }
    }

    /// Returns the number of steps that best play takes from a state to the end, if known.
    pub fn distance(&self, state: &State) -> Option<u32> {
        let number = self.numbering.number(state)?;
        match &self.content {
            Content::Outcomes {
                outcomes, distances, ..
            } => {
                let is_known = *outcomes.get(number)? != UNKNOWN;
                is_known.then(|| u32::from(distances[number]))
            }
            Content::Shares { .. } => None,
        }
    }
}
