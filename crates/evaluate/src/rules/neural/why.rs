//! Explains a network with features: what each feature adds.

use super::featured::FeatureNetwork;
use crate::explain::{Explains, Explanation, Outlook, Reason, moves};
use crate::rules::derived::{Feature, Kind, Reading};
use ludens_engine::{Role, State};
use std::cell::RefCell;

impl Explains for FeatureNetwork {
    /// Gives a reason for each feature. Its points are what the evaluation would lose if its leaf counted only by whether
    /// it holds; they do not add up to the evaluation, as features work together.
    fn explain(&self, state: &State) -> Explanation {
        let network = RefCell::new(self.copy());
        let found = self.found();
        let end = network.borrow_mut().compute(state);
        let probable = self.probable(end);
        let mut roles = Vec::new();
        let mut orders: Vec<Vec<usize>> = Vec::new();
        for role in self.game().roles() {
            let points = points(&mut network.borrow_mut(), role, state);
            let mut order: Vec<usize> = (0..found.features.len()).collect();
            order.sort_by(|&a, &b| points[b].abs().total_cmp(&points[a].abs()));
            let network = network.borrow();
            let reasons = order.iter().map(|&number| {
                let feature = &found.features[number];
                let reading = network.reading(feature.leaf);
                Reason {
                    text: format!("{}: {}", feature.kind.name(), feature.text),
                    points: points[number],
                    numbers: vec![
                        ("value", reading.value(probable)),
                        ("holds", f64::from(u8::from(reading.holds))),
                        ("settled", f64::from(u8::from(reading.settled))),
                        ("degree", reading.degree),
                    ],
                }
            });
            roles.push(Outlook {
                role,
                goal: network.goal(role.index()),
                middle: self.usual(),
                reasons: reasons.collect(),
            });
            orders.push(order);
        }
        let value = |role: usize, after: &State| {
            let mut network = network.borrow_mut();
            network.compute(after);
            network.goal(role)
        };
        let changes = |role: usize, after: &State| {
            let points = points(&mut network.borrow_mut(), Role(role as u8), after);
            orders[role].iter().map(|&number| points[number]).collect()
        };
        Explanation {
            kind: "network",
            made_of: vec![
                ("neurons", self.neurons() as f64),
                ("leaves", found.leaves().len() as f64),
                ("features", found.features.len() as f64),
                ("omitted", found.left_out.len() as f64),
            ],
            left_out: found.missing(),
            moves: moves(self.game(), state, &roles, &value, &changes),
            roles,
        }
    }
}

/// Returns what each feature adds to the evaluation of a state for a role.
fn points(network: &mut FeatureNetwork, role: Role, state: &State) -> Vec<f64> {
    network.compute(state);
    let whole = network.goal(role.index());
    let features: Vec<Feature> = network.found().features.clone();
    let readings: Vec<Reading> = features.iter().map(|feature| network.reading(feature.leaf)).collect();
    let points = features.iter().zip(readings).map(|(feature, reading)| {
        if !speaks(feature.kind, reading) {
            return 0.0;
        }
        network.read_as(
            feature.leaf,
            Reading {
                settled: false,
                degree: 0.0,
                ..reading
            },
        );
        let without = network.goal(role.index());
        network.read_as(feature.leaf, reading);
        whole - without
    });
    points.collect()
}

/// Returns whether a feature says anything about a leaf as it is.
fn speaks(kind: Kind, reading: Reading) -> bool {
    let has_degree = reading.degree != 0.0;
    match kind {
        Kind::Solutions => reading.holds && has_degree,
        Kind::Order => has_degree,
        Kind::PartialSolutions | Kind::VariableDistance | Kind::FixedDistance => !reading.holds && has_degree,
        Kind::AdmissibleDistance => !reading.holds && (has_degree || reading.settled),
        // The fluent that excludes this one persists too.
        Kind::TruePersistence => reading.settled,
        Kind::FalsePersistence => reading.settled && !reading.holds,
    }
}
