//! Why a move looks good: the ways to the goal, and which of them it brings nearer.

use super::{MoveHeuristic, build::Builder};
use crate::ahead::replies;
use crate::explain::{Change, Explains, Explanation, MoveOutlook, Outlook, Reason};
use crate::rules::formula::{Atom, Formula, Formulas, Graph, LaneDegrees, TooLarge, View};
use ludens_engine::{MoveId, Rng, Role, State};

/// Ways to the goal that are looked at: those that are nearest.
const MOST_WAYS: usize = 40;
/// Characters of a condition that are shown.
const MOST_CHARACTERS: usize = 200;
/// Changes of less than this, in points, are none.
const LEAST_CHANGE: f64 = 1e-4;

impl Explains for MoveHeuristic {
    /// Returns a reason is one way to the goal of a role, as its condition is written: the points are its degree. A
    /// move changes the degrees; its own degree is that of all of them together.
    fn explain(&self, state: &State) -> Explanation {
        let size = self.size();
        let mut explanation = Explanation {
            kind: "heuristic",
            made_of: vec![
                ("formulas", size.steps as f64),
                ("parts", size.operands as f64),
                ("moves", size.moves as f64),
                ("different", size.different as f64),
            ],
            left_out: Vec::new(),
            roles: Vec::new(),
            moves: Vec::new(),
        };
        let mut machine = self.game.machine();
        machine.load(state);
        let legal: Vec<Vec<MoveId>> = self.game.roles().map(|role| machine.legal(role).to_vec()).collect();
        for role in self.game.roles() {
            let own = &legal[role.index()];
            let (outlook, changes) = self
                .ways(state, role, own)
                .unwrap_or_else(|_| (nothing(role), Vec::new()));
            explanation.roles.push(outlook);
            if own.len() < 2 || self.roles[role.index()].is_none() {
                continue;
            }
            let mut degrees = vec![0.0; own.len()];
            self.evaluate(state, role, own, &mut LaneDegrees::default(), &mut degrees);
            let joints = replies(&legal, role, &mut Rng::with_seed(0));
            for (place, (&move_id, degree)) in own.iter().zip(degrees).enumerate() {
                let may_end = joints.iter().any(|joint| {
                    let mut joint = joint.clone();
                    joint[role.index()] = move_id;
                    machine.load(state);
                    machine.step(&joint);
                    machine.is_terminal()
                });
                explanation.moves.push(MoveOutlook {
                    role,
                    move_id,
                    goal: 100.0 * f64::from(degree),
                    may_end,
                    changes: changes.get(place).cloned().unwrap_or_default(),
                });
            }
        }
        explanation
    }
}

fn nothing(role: Role) -> Outlook {
    Outlook {
        role,
        goal: 0.0,
        middle: 0.0,
        reasons: Vec::new(),
    }
}

impl MoveHeuristic {
    /// Returns the ways of a role to its best goal, the nearest first, and for each of its moves what it changes about
    /// them.
    fn ways(&self, state: &State, role: Role, moves: &[MoveId]) -> Result<(Outlook, Vec<Vec<Change>>), TooLarge> {
        let (Some(circuit), Some(_)) = (self.game.engine().circuit(), &self.roles[role.index()]) else {
            return Ok((nothing(role), Vec::new()));
        };
        let mut store = Formulas::new(self.options.most_parts);
        let mut builder = Builder::new(&self.game, circuit, &self.options, &self.turns);
        let Some((_, goal)) = builder.best_goal(&mut store, role)? else {
            return Ok((nothing(role), Vec::new()));
        };
        let ways = match store.view(goal) {
            View::Any(ways) => ways.to_vec(),
            _ => vec![goal],
        };
        let mut wanted = ways.clone();
        wanted.push(goal);
        let degrees = self.degrees_of(&store, &wanted, state);
        let mut order: Vec<usize> = (0..ways.len()).collect();
        order.sort_by(|&a, &b| degrees[b].total_cmp(&degrees[a]));
        order.truncate(MOST_WAYS);
        let reasons = order.iter().map(|&way| Reason {
            text: store.text(ways[way], &self.game, MOST_CHARACTERS),
            points: 100.0 * degrees[way],
            numbers: Vec::new(),
        });
        let outlook = Outlook {
            role,
            goal: 100.0 * degrees[ways.len()],
            middle: 0.0,
            reasons: reasons.collect(),
        };
        let mut changes = vec![Vec::new(); moves.len()];
        for (reason, &way) in order.iter().enumerate().filter(|_| moves.len() > 1) {
            let formulas = builder.regressed_by_move(&mut store, ways[way], role)?;
            let formulas: Vec<Formula> = moves.iter().map(|known| formulas[known.0 as usize]).collect();
            let after = self.degrees_of(&store, &formulas, state);
            for (changes, after) in changes.iter_mut().zip(after) {
                let points = 100.0 * (after - degrees[way]);
                if points.abs() > LEAST_CHANGE {
                    changes.push(Change { reason, points });
                }
            }
        }
        for changes in &mut changes {
            changes.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
        }
        Ok((outlook, changes))
    }

    /// Returns the degrees of formulas in a state.
    fn degrees_of(&self, store: &Formulas, formulas: &[Formula], state: &State) -> Vec<f64> {
        let graph = Graph::with_shared_runs(store, formulas);
        let mut lanes = LaneDegrees::<1>::default();
        let (norm, unknown) = (self.options.norm, self.options.unknown);
        graph.degrees(0..formulas.len(), norm, unknown, &mut lanes, |atom| match atom {
            Atom::Fluent(fluent) => [self.degree(fluent, state.holds(fluent))],
            Atom::Move(..) | Atom::Proposition(_) => [unknown],
        });
        (0..formulas.len())
            .map(|output| f64::from(graph.output(output, &lanes)[0]))
            .collect()
    }
}
