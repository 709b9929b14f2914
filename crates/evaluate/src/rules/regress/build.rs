//! The formulas of all moves of a role.

use super::{Failure, Goals, Options, RoleMoves, Turns};
use crate::rules::formula::{Atom, Extractor, Formula, Formulas, Graph, Recursion, TooLarge, View};
use ludens_engine::{Circuit, Game, MoveId, Role};

pub(super) struct Builder<'a> {
    game: &'a Game,
    circuit: &'a Circuit,
    extractor: Extractor<'a>,
    options: &'a Options,
    turns: &'a Turns,
}

impl<'a> Builder<'a> {
    pub(super) fn new(game: &'a Game, circuit: &'a Circuit, options: &'a Options, turns: &'a Turns) -> Builder<'a> {
        Builder {
            game,
            circuit,
            extractor: Extractor::new(&circuit.program, Recursion::Unrolled(options.unrolled)),
            options,
            turns,
        }
    }

    /// Returns the formulas of a role's moves.
    pub(super) fn role(&mut self, store: &mut Formulas, role: Role) -> Result<RoleMoves, Failure> {
        let mut shares = Vec::new();
        let mut by_goal = Vec::new();
        let goals = self.goals(store, role)?;
        if goals.is_empty() {
            return Err(Failure::NoGoal(self.game.role_name(role).to_string()));
        }
        for (value, goal) in goals {
            by_goal.push(self.regressed_by_move(store, goal, role)?);
            shares.push(f32::from(value));
        }
        let total: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        let moves = self.circuit.program.names.moves[role].len();
        let formulas: Vec<Formula> = (0..moves)
            .flat_map(|number| by_goal.iter().map(move |formulas| formulas[number]))
            .collect();
        Ok(RoleMoves {
            graph: Graph::with_shared_runs(store, &formulas),
            outputs: (0..moves as u32).map(|number| number * shares.len() as u32).collect(),
            shares,
            formulas,
        })
    }

    /// Returns the goals of a role above 0, the greatest first, with their conditions.
    fn goals(&mut self, store: &mut Formulas, role: Role) -> Result<Vec<(u8, Formula)>, TooLarge> {
        let mut values: Vec<u8> = self.circuit.program.goals[role].iter().map(|goal| goal.0).collect();
        values.sort_unstable();
        values.dedup();
        let mut goals = Vec::new();
        for &value in values.iter().rev().filter(|value| **value > 0) {
            let goal = self.extractor.goal(store, role, value)?;
            if goal != Formula::NEVER {
                goals.push((value, goal));
            }
            if self.options.goals == Goals::Best && !goals.is_empty() {
                break;
            }
        }
        Ok(goals)
    }

    /// Returns the greatest goal of a role that can be reached, with its condition.
    pub(super) fn best_goal(&mut self, store: &mut Formulas, role: Role) -> Result<Option<(u8, Formula)>, TooLarge> {
        Ok(self.goals(store, role)?.into_iter().next())
    }

    /// For every move of a role what must hold now for a condition to hold after it.
    pub(super) fn regressed_by_move(
        &mut self,
        store: &mut Formulas,
        condition: Formula,
        role: Role,
    ) -> Result<Vec<Formula>, TooLarge> {
        let regressed = self.regress(store, condition)?;
        let regressed = self.without_others(store, regressed, role)?;
        self.by_move(store, regressed, role)
    }

    /// Returns what must hold now, and be done, for a condition on states to hold next.
    fn regress(&mut self, store: &mut Formulas, condition: Formula) -> Result<Formula, TooLarge> {
        let mut next = vec![None; self.circuit.program.names.fluents.len()];
        for atom in store.atoms(condition) {
            if let Atom::Fluent(fluent) = atom {
                next[fluent.0 as usize] = Some(self.extractor.next(store, fluent)?);
            }
        }
        let regressed = store.replace(&[condition], |atom| match atom {
            Atom::Fluent(fluent) => next[fluent.0 as usize],
            Atom::Move(..) | Atom::Proposition(_) => Some(Formula::UNKNOWN),
        })?;
        Ok(regressed[0])
    }

    /// The same, with known facts about the moves of the others.
    fn without_others(&self, store: &mut Formulas, formula: Formula, own: Role) -> Result<Formula, TooLarge> {
        let known = |role: Role, move_id: MoveId| {
            let waiting = &self.turns.waiting[role.index()];
            if self.turns.is_simultaneous || waiting.is_empty() {
                return Formula::UNKNOWN;
            }
            match waiting.contains(&move_id) {
                // Which of several ways to wait is taken is unknown.
                true if waiting.len() > 1 => Formula::UNKNOWN,
                is_waiting => Formula::constant(is_waiting),
            }
        };
        let replaced = store.replace(&[formula], |atom| match atom {
            Atom::Move(role, move_id) if role != own => Some(known(role, move_id)),
            Atom::Proposition(_) => Some(Formula::UNKNOWN),
            Atom::Move(..) | Atom::Fluent(_) => None,
        })?;
        Ok(replaced[0])
    }

    /// Returns the formula for every move of a role, done alone.
    ///
    /// A move changes little of a formula, so first no move at all is put in everywhere, and then for each move only
    /// what depends on it is built anew.
    fn by_move(&self, store: &mut Formulas, formula: Formula, own: Role) -> Result<Vec<Formula>, TooLarge> {
        let cone = store.cone(&[formula]);
        let without = store.replace(&cone, |atom| match atom {
            Atom::Move(role, _) => (role == own).then_some(Formula::NEVER),
            Atom::Fluent(_) | Atom::Proposition(_) => None,
        })?;
        let place = |part: Formula| cone.binary_search(&part).unwrap_or(0);
        let moves = self.circuit.program.names.moves[own].len();
        let mut leaves: Vec<Vec<(usize, bool)>> = vec![Vec::new(); moves];
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); cone.len()];
        for (number, &part) in cone.iter().enumerate() {
            if let View::Leaf {
                atom: Atom::Move(role, move_id),
                negated,
            } = store.view(part)
                && role == own
            {
                leaves[move_id.0 as usize].push((number, negated));
            }
            for &child in store.parts_of(part) {
                parents[place(child)].push(number as u32);
            }
        }
        let root = cone.len().saturating_sub(1);
        let mut new = without.clone();
        let mut formulas = Vec::with_capacity(moves);
        for leaves in &leaves {
            let mut changed: Vec<u32> = leaves.iter().map(|leaf| leaf.0 as u32).collect();
            let mut is_changed = hashbrown::HashSet::with_hasher(foldhash::fast::FixedState::default());
            let mut at = 0;
            while at < changed.len() {
                for &parent in &parents[changed[at] as usize] {
                    if is_changed.insert(parent) {
                        changed.push(parent);
                    }
                }
                at += 1;
            }
            for &(leaf, negated) in leaves {
                new[leaf] = Formula::constant(!negated);
            }
            let mut above = changed.split_off(leaves.len());
            above.sort_unstable();
            for &part in &above {
                let parts = store.parts_of(cone[part as usize]);
                let parts: Vec<Formula> = parts.iter().map(|&child| new[place(child)]).collect();
                new[part as usize] = store.with_parts(cone[part as usize], parts)?;
            }
            formulas.push(new[root]);
            for &part in changed.iter().chain(&above) {
                new[part as usize] = without[part as usize];
            }
        }
        Ok(formulas)
    }
}
