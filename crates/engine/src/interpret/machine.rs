//! The game interface on top of the evaluator.

use super::{InterpretError, MOST_ROLES};
use crate::goals::SeveralGoals;
use crate::machine::Machine;
use crate::state::{Fluent, MoveId, PerceptId, Role, RoleMap, State};
use crate::vocabulary::{Named, Vocabulary};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use ludens_datalog::{Evaluator, Meter, Overflow, Phase, Program, Query, TermId, TermPool};
use ludens_gdl::rule::goal_value;
use ludens_gdl::{Relation, Symbol, keyword};
use std::sync::Arc;
use std::time::Instant;

/// Relations stated about a state: the fluents that hold, then the moves.
pub(super) const GIVEN: [(Relation, Phase); 2] = [
    (Relation::new(keyword::TRUE, 1), Phase::State),
    (Relation::new(keyword::DOES, 2), Phase::Move),
];

const ROLE: Relation = Relation::new(keyword::ROLE, 1);
const INIT: Relation = Relation::new(keyword::INIT, 1);
const NEXT: Relation = Relation::new(keyword::NEXT, 1);
const TERMINAL: Relation = Relation::new(keyword::TERMINAL, 0);
const LEGAL: Relation = Relation::new(keyword::LEGAL, 2);
const GOAL: Relation = Relation::new(keyword::GOAL, 2);
const SEES: Relation = Relation::new(keyword::SEES, 2);

/// Relations asked of the rules.
pub(super) const ASKED: [Relation; 7] = [ROLE, INIT, NEXT, TERMINAL, LEGAL, GOAL, SEES];

/// Queries of every state.
#[derive(Clone)]
struct Queries {
    next: Query,
    terminal: Query,
    legal: Query,
    goal: Query,
    sees: Query,
}

pub(super) struct InterpreterMachine {
    queries: Arc<Queries>,
    program: Arc<Program>,
    several_goals: SeveralGoals,
    vocabulary: Arc<Vocabulary>,
    evaluator: Evaluator,
    state: State,
    roles: RoleMap<TermId>,
    fluents: Numbers,
    moves: RoleMap<Numbers>,
    percepts: RoleMap<Numbers>,
    move_names: RoleMap<HashMap<MoveId, Arc<Named>, RandomState>>,
    legal: RoleMap<Option<Vec<MoveId>>>,
    goals: RoleMap<Option<Vec<u8>>>,
}

/// This machine's terms for the game's numbers, and back.
#[derive(Default)]
struct Numbers {
    number_of: HashMap<TermId, u32, RandomState>,
    term_of: Vec<Option<TermId>>,
}

impl Numbers {
    fn pair(&mut self, number: u32, term: TermId) {
        self.number_of.insert(term, number);
        let index = number as usize;
        if index >= self.term_of.len() {
            self.term_of.resize(index + 1, None);
        }
        self.term_of[index] = Some(term);
    }

    fn term(&self, number: u32) -> Option<TermId> {
        self.term_of.get(number as usize).copied().flatten()
    }
}

/// The role constants: those listed by facts in their order, then those that rules add.
pub(super) fn roles(
    program: &Program,
    listed: Vec<Symbol>,
    deadline: Option<Instant>,
) -> Result<RoleMap<Symbol>, InterpretError> {
    let mut evaluator = Evaluator::new(program, TermPool::on(program.pool.clone()));
    evaluator.meter().set_deadline(deadline);
    let query = program.query(ROLE);
    evaluator.derive_all(program, &query);
    if let Some(fault) = evaluator.fault() {
        return Err(InterpretError::Limit(fault.to_string()));
    }
    let mut roles = listed;
    let mut known: HashSet<Symbol, RandomState> = roles.iter().copied().collect();
    if let Some(relation) = query.relation {
        for row in evaluator.rows(program, relation) {
            let role = evaluator.pool.name(row[0]);
            if known.insert(role) {
                roles.push(role);
            }
        }
    }
    match roles.len() {
        0 => Err(InterpretError::NoRole),
        count if count > MOST_ROLES => Err(InterpretError::TooManyRoles(count)),
        _ => Ok(roles.into_iter().collect()),
    }
}

impl InterpreterMachine {
    pub(super) fn new(
        program: Arc<Program>,
        vocabulary: Arc<Vocabulary>,
        several_goals: SeveralGoals,
        meter: Meter,
    ) -> InterpreterMachine {
        let mut pool = TermPool::on(program.pool.clone());
        let roles: RoleMap<TermId> = vocabulary
            .roles()
            .values()
            .map(|&role| pool.intern(role, &[]))
            .collect();
        let queries = Queries {
            next: program.query(NEXT),
            terminal: program.query(TERMINAL),
            legal: program.query(LEGAL),
            goal: program.query(GOAL),
            sees: program.query(SEES),
        };
        let mut machine = InterpreterMachine {
            queries: Arc::new(queries),
            evaluator: Evaluator::within(&program, pool, meter),
            state: State::default(),
            fluents: Numbers::default(),
            moves: roles.values().map(|_| Numbers::default()).collect(),
            percepts: roles.values().map(|_| Numbers::default()).collect(),
            move_names: roles.values().map(|_| HashMap::default()).collect(),
            legal: RoleMap::filled(roles.len(), None),
            goals: RoleMap::filled(roles.len(), None),
            roles,
            program,
            several_goals,
            vocabulary,
        };
        let initial = machine.collect_state(&machine.program.query(INIT));
        machine.load(&initial);
        machine
    }

    /// Whether everything could be derived so far.
    pub(super) fn check(&self) -> Result<(), Overflow> {
        self.evaluator.check(&self.program)
    }

    /// Number of facts about each relation here, as far as they were derived.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.program.relations.len()).map(|relation| self.evaluator.changing_rows(relation))
    }

    /// The kinds of fluents that hold here: name and number of arguments of each.
    pub(super) fn fluent_kinds(&self) -> Vec<(Symbol, usize)> {
        let terms = self.state.fluents().filter_map(|fluent| self.fluents.term(fluent.0));
        let pool = &self.evaluator.pool;
        terms.map(|term| (pool.name(term), pool.args(term).len())).collect()
    }

    /// The state made of the fluents that `init` or `next` yields.
    fn collect_state(&mut self, query: &Query) -> State {
        let program = self.program.clone();
        self.evaluator.derive_all(&program, query);
        let Some(relation) = query.relation.filter(|_| self.evaluator.fault().is_none()) else {
            return State::default();
        };
        let (vocabulary, fluents, evaluator) = (&self.vocabulary, &mut self.fluents, &self.evaluator);
        let mut hit = None;
        let state = State::new(evaluator.rows(&program, relation).map_while(|row| {
            let term = row[0];
            if let Some(&number) = fluents.number_of.get(&term) {
                return Some(Fluent(number));
            }
            hit = vocabulary.make_room(evaluator.pool.size(term)).err();
            if hit.is_some() {
                return None;
            }
            let Fluent(number) = vocabulary.fluent(&evaluator.pool.export(term));
            fluents.pair(number, term);
            Some(Fluent(number))
        }));
        if let Some(hit) = hit {
            self.evaluator.fail(format!("{hit}, by the names of fluents"));
        }
        state
    }

    fn fluent_term(&mut self, fluent: Fluent) -> TermId {
        self.fluents.term(fluent.0).unwrap_or_else(|| {
            let term = self.evaluator.pool.import(&self.vocabulary.fluent_name(fluent).term);
            self.fluents.pair(fluent.0, term);
            term
        })
    }

    fn move_term(&mut self, role: Role, move_id: MoveId) -> TermId {
        self.moves[role].term(move_id.0).unwrap_or_else(|| {
            let named = self.vocabulary.move_name(role, move_id);
            let term = self.evaluator.pool.import(&named.term);
            self.moves[role].pair(move_id.0, term);
            // It may be among the legal moves later on, which are sorted by name.
            self.move_names[role].insert(move_id, named);
            term
        })
    }

    /// The number of a move; `None`, and a fault, if there is no room for more moves.
    fn move_number(&mut self, role: Role, term: TermId) -> Option<MoveId> {
        if let Some(&number) = self.moves[role].number_of.get(&term) {
            return Some(MoveId(number));
        }
        if let Err(hit) = self.vocabulary.make_room(self.evaluator.pool.size(term)) {
            self.evaluator.fail(format!("{hit}, by the names of moves"));
            return None;
        }
        let number = self.vocabulary.move_id(role, &self.evaluator.pool.export(term));
        self.moves[role].pair(number.0, term);
        self.move_names[role].insert(number, self.vocabulary.move_name(role, number));
        Some(number)
    }

    /// The number of a percept; `None`, and a fault, if there is no room for more names.
    fn percept_number(&mut self, role: Role, term: TermId) -> Option<PerceptId> {
        if let Some(&number) = self.percepts[role].number_of.get(&term) {
            return Some(PerceptId(number));
        }
        if let Err(hit) = self.vocabulary.make_room(self.evaluator.pool.size(term)) {
            self.evaluator.fail(format!("{hit}, by the names of percepts"));
            return None;
        }
        let number = self.vocabulary.percept(role, &self.evaluator.pool.export(term));
        self.percepts[role].pair(number.0, term);
        Some(number)
    }

    /// Asserts the moves in place of earlier ones.
    fn assert_moves(&mut self, joint: &[MoveId]) {
        let program = self.program.clone();
        self.evaluator.forget_moves(&program);
        for (role, &move_id) in self.roles.roles().zip(joint) {
            let row = [self.roles[role], self.move_term(role, move_id)];
            self.evaluator.assert(program.given(1), &row, Phase::Move);
        }
    }

    /// The second arguments of the rows that have the role as the first.
    fn second_arguments(&mut self, query: &Query, role: Role) -> Vec<TermId> {
        let program = self.program.clone();
        self.evaluator.derive_all(&program, query);
        let wanted = self.roles[role];
        let Some(relation) = query.relation.filter(|_| self.evaluator.fault().is_none()) else {
            return Vec::new();
        };
        self.evaluator
            .rows(&program, relation)
            .filter(|row| row[0] == wanted)
            .map(|row| row[1])
            .collect()
    }
}

impl Machine for InterpreterMachine {
    fn role_count(&self) -> usize {
        self.roles.len()
    }

    fn load(&mut self, state: &State) {
        let program = self.program.clone();
        self.evaluator.forget_state(&program);
        for fluent in state.fluents() {
            let term = self.fluent_term(fluent);
            self.evaluator.assert(program.given(0), &[term], Phase::State);
        }
        self.legal.values_mut().for_each(|legal| *legal = None);
        self.goals.values_mut().for_each(|goals| *goals = None);
        self.state.clone_from(state);
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn is_terminal(&mut self) -> bool {
        let program = self.program.clone();
        let query = &self.queries.clone().terminal;
        self.evaluator.derive_all(&program, query);
        query
            .relation
            .is_some_and(|relation| self.evaluator.holds(&program, relation))
    }

    fn legal(&mut self, role: Role) -> &[MoveId] {
        if self.legal[role].is_none() {
            let terms = self.second_arguments(&self.queries.clone().legal, role);
            let moves: Vec<MoveId> = terms
                .into_iter()
                .map_while(|term| self.move_number(role, term))
                .collect();
            let names = &self.move_names[role];
            let mut named: Vec<(&str, MoveId)> = moves.iter().map(|&number| (&*names[&number].text, number)).collect();
            named.sort_unstable();
            self.legal[role] = Some(named.into_iter().map(|(_, number)| number).collect());
        }
        self.legal[role].as_deref().unwrap_or_default()
    }

    fn goal_values(&mut self, role: Role) -> &[u8] {
        if self.goals[role].is_none() {
            let terms = self.second_arguments(&self.queries.clone().goal, role);
            let symbols = self.vocabulary.symbols();
            let mut values: Vec<u8> = terms
                .into_iter()
                .filter(|&term| self.evaluator.pool.args(term).is_empty())
                .filter_map(|term| goal_value(symbols.name(self.evaluator.pool.name(term))))
                .collect();
            self.several_goals.sort(&mut values, |&value| value);
            values.dedup();
            self.goals[role] = Some(values);
        }
        self.goals[role].as_deref().unwrap_or_default()
    }

    fn step(&mut self, joint: &[MoveId]) {
        self.assert_moves(joint);
        let next = self.collect_state(&self.queries.clone().next);
        self.load(&next);
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId> {
        self.assert_moves(joint);
        let terms = self.second_arguments(&self.queries.clone().sees, role);
        let mut percepts: Vec<PerceptId> = terms
            .into_iter()
            .map_while(|term| self.percept_number(role, term))
            .collect();
        percepts.sort_unstable();
        self.evaluator.forget_moves(&self.program);
        percepts
    }

    fn fault(&self) -> Option<&str> {
        self.evaluator.fault()
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.evaluator.meter().set_deadline(deadline);
    }
}
