//! The states that play can reach, layer by layer.

use super::Observer;
use super::diagram::{Diagrams, Halt, Set};
use super::relation::Model;
use crate::{Phase, Report};

/// The reachable states.
pub struct Forward {
    /// The states by the least number of steps from the start, if they are kept.
    pub layers: Vec<Set>,
    /// All of them.
    pub reached: Set,
    /// Whether no state can be reached in different numbers of steps.
    pub is_layered: bool,
}

/// Finds the reachable states and counts them into the report, which has what was found even if a limit is hit. Layers are
/// only kept for those who go back through them: they take most of the room.
pub fn forward(
    diagrams: &Diagrams,
    model: &Model,
    keeps_layers: bool,
    report: &mut Report,
    observer: &mut Observer<'_>,
) -> Result<Forward, Halt> {
    observer.begin(Phase::Forward);
    let mut found = Forward {
        layers: Vec::new(),
        reached: diagrams.none(),
        is_layered: true,
    };
    let relations: Vec<Set> = model.relations.iter().map(|relation| relation.set.clone()).collect();
    let moves = diagrams.list(&relations);
    let mut layer = model.initial.clone();
    while !diagrams.is_empty(&layer) {
        diagrams.tidy();
        found.reached = diagrams.or(&found.reached, &layer)?;
        let states = diagrams.count(&layer);
        report.reachable += &states;
        report.layers.push(states);
        if keeps_layers {
            found.layers.push(layer.clone());
        }
        observer.tell(diagrams, report.layers.len() - 1, &report.reachable);
        let over = diagrams.and(&layer, &model.terminal)?;
        report.terminal += diagrams.count(&over);
        let live = diagrams.minus(&layer, &over)?;
        report.stuck += diagrams.count(&diagrams.minus(&live, &model.playable)?);
        let images = moves.iter().map(|&list| diagrams.image(&live, list));
        let next = diagrams.union(images.collect::<Result<Vec<Set>, Halt>>()?)?;
        let fresh = diagrams.minus(&next, &found.reached)?;
        found.is_layered &= fresh == next;
        layer = fresh;
    }
    report.nodes = Some(diagrams.nodes(&found.reached));
    Ok(found)
}
