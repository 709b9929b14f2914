//! Values of states as a table.

use super::backward::Values;
use super::coding::Coding;
use super::outcomes::UNKNOWN;
use super::plain;
use super::store::Store;
use crate::Order;
use ludens_engine::State;

/// A table of states with their values.
pub struct ExplicitSolution {
    pub(crate) coding: Coding,
    pub(crate) numbering: Numbering,
    pub(crate) order: Order,
    pub(crate) content: Content,
}

/// How states are numbered.
pub(crate) enum Numbering {
    /// In a list of their codes.
    Listed(Store),
    /// By their codes.
    Codes,
}

/// What is known of each state.
pub(crate) enum Content {
    /// Goals of all roles by number, and for each state that number and the distance.
    Outcomes {
        goals: Vec<Vec<u8>>,
        outcomes: Vec<u16>,
        distances: Vec<u16>,
    },
    /// For each state the value of the first of two roles; not a number if it is unknown. The two have this sum.
    Shares { values: Vec<f64>, sum: u32 },
}

impl ExplicitSolution {
    pub(super) fn new(
        coding: Coding,
        numbering: Numbering,
        order: Order,
        goals: Vec<Vec<u8>>,
        values: Values,
    ) -> ExplicitSolution {
        ExplicitSolution {
            coding,
            numbering,
            order,
            content: Content::Outcomes {
                goals,
                outcomes: plain(values.outcomes),
                distances: plain(values.distances),
            },
        }
    }

    pub(super) fn of_values(
        coding: Coding,
        numbering: Numbering,
        order: Order,
        values: Vec<f64>,
        sum: u32,
    ) -> ExplicitSolution {
        ExplicitSolution {
            coding,
            numbering,
            order,
            content: Content::Shares { values, sum },
        }
    }

    /// What roles were taken to prefer.
    pub fn order(&self) -> Order {
        self.order
    }

    fn number(&self, state: &State) -> Option<usize> {
        let mut code = [0; 8];
        let mut long = Vec::new();
        let code = match self.coding.width {
            width @ 0..=8 => &mut code[..width],
            width => {
                long.resize(width, 0);
                &mut long[..]
            }
        };
        if !self.coding.encode(state.words(), code) {
            return None;
        }
        match &self.numbering {
            Numbering::Listed(store) => store.find(code).map(|number| number as usize),
            Numbering::Codes => usize::try_from(code[0]).ok(),
        }
    }

    /// The goals of all roles under best play from a state, if they are known.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        let number = self.number(state)?;
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

    /// How many steps best play takes from a state to the end, if that is known.
    pub fn distance(&self, state: &State) -> Option<u32> {
        let number = self.number(state)?;
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
