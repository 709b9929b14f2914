//! Finds the reachable states, layer by layer.

use super::Reporter;
use super::diagram::{Diagrams, Set};
use super::growth::Growth;
use super::lists::ListId;
use super::relation::Model;
use crate::{Phase, Report};
use ludens_budget::StopReason;

/// The reachable states.
pub struct Forward {
    /// States by the least number of steps from the initial state.
    pub layers: Vec<Set>,
    /// All of them.
    pub reached: Set,
    /// Whether the number of steps to each state is unique.
    pub is_layered: bool,
}

/// Finds the reachable states and counts them in the report, also if a limit is hit.
pub fn forward(
    diagrams: &Diagrams,
    model: &Model,
    report: &mut Report,
    reporter: &mut Reporter<'_>,
) -> Result<Forward, StopReason> {
    let mut found = Forward {
        layers: Vec::new(),
        reached: diagrams.none(),
        is_layered: true,
    };
    let done = found.fill(diagrams, model, report, reporter);
    report.nodes = nodes(diagrams, &found.reached, &done);
    done.map(|()| found)
}

impl Forward {
    fn fill(
        &mut self,
        diagrams: &Diagrams,
        model: &Model,
        report: &mut Report,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), StopReason> {
        reporter.begin(Phase::Forward);
        let moves = moves(diagrams, model)?;
        let mut layer = model.initial.clone();
        while !diagrams.is_empty(&layer) {
            diagrams.tidy();
            self.reached = diagrams.or(&self.reached, &layer)?;
            self.layers.push(layer.clone());
            let next = step(diagrams, model, &moves, &layer, report, reporter)?;
            let fresh = diagrams.minus(&next, &self.reached)?;
            self.is_layered &= fresh == next;
            layer = fresh;
        }
        Ok(())
    }
}

/// Counts the reachable states in the report and keeps no more than is needed to go on. When more than `most_nodes`
/// nodes are held, earlier states are dropped if [`Growth`] shows that they do not recur; then the number of nodes of
/// all states is not known.
pub fn count(
    diagrams: &Diagrams,
    model: &Model,
    growth: Option<Growth>,
    most_nodes: u64,
    report: &mut Report,
    reporter: &mut Reporter<'_>,
) -> Result<(), StopReason> {
    let mut reached = Some(diagrams.none());
    let mut done = count_into(&mut reached, diagrams, model, growth, most_nodes, report, reporter);
    if done == Ok(Counted::Partly) {
        (report.reachable, report.terminal, report.stuck) = Default::default();
        report.layers.clear();
        reached = Some(diagrams.none());
        done = count_into(&mut reached, diagrams, model, None, most_nodes, report, reporter);
    }
    report.nodes = reached.and_then(|all| nodes(diagrams, &all, &done));
    done.map(|_| ())
}

/// The end of counting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    All,
    /// States were dropped, and it turned out that they may recur.
    Partly,
}

/// Counts with a set of all reached states, which is dropped as soon as possible.
fn count_into(
    reached: &mut Option<Set>,
    diagrams: &Diagrams,
    model: &Model,
    mut growth: Option<Growth>,
    most_nodes: u64,
    report: &mut Report,
    reporter: &mut Reporter<'_>,
) -> Result<Counted, StopReason> {
    reporter.begin(Phase::Forward);
    let moves = moves(diagrams, model)?;
    let mut layer = model.initial.clone();
    while !diagrams.is_empty(&layer) {
        diagrams.tidy();
        if let Some(known) = &mut growth
            && !known.reaches(diagrams, &layer)?
        {
            growth = None;
            if reached.is_none() {
                return Ok(Counted::Partly);
            }
        }
        if growth.is_some() && diagrams.held_nodes() > most_nodes {
            *reached = None;
        }
        if let Some(all) = reached {
            *all = diagrams.or(all, &layer)?;
        }
        let next = step(diagrams, model, &moves, &layer, report, reporter)?;
        layer = match &reached {
            Some(all) => diagrams.minus(&next, all)?,
            None => next,
        };
    }
    Ok(Counted::All)
}

/// Number of nodes of a set, if there is time to count them.
fn nodes<T>(diagrams: &Diagrams, set: &Set, done: &Result<T, StopReason>) -> Option<u64> {
    (!matches!(done, Err(StopReason::Deadline))).then(|| diagrams.nodes(set))
}

fn moves(diagrams: &Diagrams, model: &Model) -> Result<Vec<ListId>, StopReason> {
    let relations: Vec<Set> = model.relations.iter().map(|relation| relation.set.clone()).collect();
    diagrams.list(&relations)
}

/// Counts a layer in the report and finds its successors.
fn step(
    diagrams: &Diagrams,
    model: &Model,
    moves: &[ListId],
    layer: &Set,
    report: &mut Report,
    reporter: &mut Reporter<'_>,
) -> Result<Set, StopReason> {
    let (states, live) = diagrams.count_while(layer, || model.live(diagrams, layer));
    let states = states?;
    report.reachable += &states;
    report.layers.push(states.clone());
    reporter.report(diagrams, report.layers.len() - 1, &report.reachable);
    let live = live?;
    let (going_on, next) = diagrams.count_while(&live, || {
        let stuck = diagrams.minus(&live, &model.playable)?;
        let images = moves.iter().map(|&list| diagrams.image(&live, list));
        let next = diagrams.union(images.collect::<Result<Vec<Set>, StopReason>>()?)?;
        Ok((stuck, next))
    });
    report.terminal += states - going_on?;
    let (stuck, next) = next?;
    report.stuck += diagrams.count(&stuck)?;
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::symbolic::diagram::Capacity;
    use crate::symbolic::encoding::Encoding;
    use crate::symbolic::ordering::Heuristic;
    use ludens_analysis::analyse;
    use ludens_budget::Budget;
    use ludens_engine::Game;
    use ludens_gdl::Source;
    use ludens_testkit::library;
    use num_bigint::BigUint;

    /// Returns the counts with states kept up to `most_nodes` nodes, and whether there is a count that only grows.
    fn counted(game: &Game, most_nodes: u64) -> (Report, bool) {
        let circuit = game.engine().circuit().unwrap();
        let analysis = analyse(game, &Budget::default()).unwrap();
        let encoding = Encoding::new(game, circuit, &analysis, Heuristic::default());
        let diagrams = Diagrams::new(encoding.bits, Capacity::SMALL, 1, &Budget::default());
        let Ok(model) = Model::new(&diagrams, circuit, &analysis, &encoding) else {
            panic!("{} has no model", game.name());
        };
        let growth = Growth::new(&diagrams, &analysis, &encoding).unwrap();
        let grows = growth.is_some();
        let mut report = Report::new(Method::Symbolic);
        let budget = Budget::default();
        let mut reporter = Reporter::new(&budget);
        count(&diagrams, &model, growth, most_nodes, &mut report, &mut reporter).unwrap();
        (report, grows)
    }

    /// Compares counts with all states remembered and with none; gives whether they were forgotten, and whether there
    /// was something that grows.
    fn compare(game: &Game) -> (bool, bool) {
        let (all, grows) = counted(game, u64::MAX);
        let (few, _) = counted(game, 0);
        assert!(all.nodes.is_some());
        assert_eq!(few.layers, all.layers, "{}", game.name());
        assert_eq!(
            (few.reachable, few.terminal, few.stuck),
            (all.reachable, all.terminal, all.stuck),
            "{}",
            game.name()
        );
        (few.nodes.is_none(), grows)
    }

    #[test]
    fn states_that_do_not_come_back_are_forgotten() {
        assert_eq!(compare(&library("tic-tac-toe")), (true, true));
        assert_eq!(compare(&library("connect-four-5x4")), (true, true));
        assert!(!compare(&library("pancakes-6")).0);
    }

    #[test]
    fn what_may_come_back_is_counted_all_over_again() {
        // Waiting leaves everything as it is, and a light that is on stays on.
        let rules = "
            (role guard) (light a) (light b)
            (<= (legal guard (switch ?l)) (light ?l))
            (legal guard wait)
            (<= (next (on ?l)) (true (on ?l)))
            (<= (next (on ?l)) (does guard (switch ?l)))
            (<= terminal (true (on a)) (true (on b)))
            (goal guard 100)";
        let game = Game::read(Source::new("lights", rules)).unwrap();
        assert_eq!(compare(&game), (false, true));
        let (report, _) = counted(&game, 0);
        assert_eq!(report.layers, [1u32, 2, 1].map(BigUint::from));
    }
}
