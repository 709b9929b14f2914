//! The numbering of fluents, moves and percepts of a game.
//!
//! A compiled game starts with the numbering of its ground program, in which everything that play can meet has a
//! number. The interpreter continues the numbering that it is given, or an empty one, and hands out numbers on first
//! sight. All machines of a game share the numbering, so that their states agree.

use crate::state::{Fluent, MoveId, PerceptId, Role, RoleMap};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use ludens_datalog::{Charge, LimitHit};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::Term;
use ludens_gdl::{Symbol, Symbols};
pub use ludens_ground::Named;
use ludens_ground::Names;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The shared numbering of a game.
pub struct Vocabulary {
    symbols: Symbols,
    roles: RoleMap<Symbol>,
    fluents: RwLock<Numbering>,
    moves: RoleMap<RwLock<Numbering>>,
    percepts: RoleMap<RwLock<Numbering>>,
    /// Memory of the names numbered on first sight, and its limit.
    charge: Mutex<Charge>,
    most_bytes: usize,
}

/// Memory that a name takes as a term, as text and in the numbering, and each of its symbols, roughly.
const BYTES_OF_A_NAME: usize = 300;
const BYTES_OF_A_SYMBOL: usize = 100;

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vocabulary({} roles)", self.roles.len())
    }
}

#[derive(Default)]
struct Numbering {
    list: Vec<Arc<Named>>,
    /// Numbers by their terms.
    lookup: HashTable<u32>,
    hasher: RandomState,
}

impl Numbering {
    fn find(&self, term: &Term) -> Option<u32> {
        let is_it = |&number: &u32| self.list[number as usize].term == *term;
        self.lookup.find(self.hasher.hash_one(term), is_it).copied()
    }

    /// Gives the next number to a term that has none.
    fn add(&mut self, named: Arc<Named>) -> u32 {
        let number = self.list.len() as u32;
        let hash = self.hasher.hash_one(&named.term);
        self.list.push(named);
        let (list, hasher) = (&self.list, &self.hasher);
        let rehash = |&other: &u32| hasher.hash_one(&list[other as usize].term);
        self.lookup.insert_unique(hash, number, rehash);
        number
    }

    /// Gives numbers to different terms, in order.
    fn of(names: &[Arc<Named>]) -> RwLock<Numbering> {
        let mut numbering = Numbering::default();
        for named in names {
            numbering.add(named.clone());
        }
        RwLock::new(numbering)
    }
}

impl Vocabulary {
    /// Creates an empty vocabulary. Names that are numbered on first sight may take `memory` bytes.
    pub(crate) fn new(symbols: Symbols, roles: RoleMap<Symbol>, memory: usize) -> Vocabulary {
        Vocabulary {
            charge: Mutex::default(),
            most_bytes: memory,
            moves: roles.values().map(|_| RwLock::default()).collect(),
            percepts: roles.values().map(|_| RwLock::default()).collect(),
            fluents: RwLock::default(),
            symbols,
            roles,
        }
    }

    /// The numbering of a ground program, with percepts numbered as they are listed.
    pub(crate) fn of_names(
        symbols: Symbols,
        names: &Names,
        percepts: &RoleMap<Vec<Arc<Named>>>,
        memory: usize,
    ) -> Vocabulary {
        Vocabulary {
            percepts: percepts.values().map(|percepts| Numbering::of(percepts)).collect(),
            fluents: Numbering::of(&names.fluents),
            moves: names.moves.values().map(|moves| Numbering::of(moves)).collect(),
            ..Vocabulary::new(symbols, names.roles.clone(), memory)
        }
    }

    /// The names that terms are made of.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The role constants, in order.
    pub fn roles(&self) -> &RoleMap<Symbol> {
        &self.roles
    }

    /// Charges the memory of a name with this many symbols; returns an error if none is left.
    pub(crate) fn make_room(&self, symbols: u32) -> Result<(), LimitHit> {
        let bytes = BYTES_OF_A_NAME + BYTES_OF_A_SYMBOL * symbols as usize;
        let mut charge = self.charge.lock().unwrap_or_else(PoisonError::into_inner);
        charge.take(bytes, self.most_bytes)
    }

    /// The number of a fluent, a new one if it was never seen.
    pub fn fluent(&self, term: &Term) -> Fluent {
        Fluent(self.number(&self.fluents, term))
    }

    /// The number of a role's move, a new one if it was never seen.
    pub fn move_id(&self, role: Role, term: &Term) -> MoveId {
        MoveId(self.number(&self.moves[role], term))
    }

    /// The number of a role's percept, a new one if it was never seen.
    pub fn percept(&self, role: Role, term: &Term) -> PerceptId {
        PerceptId(self.number(&self.percepts[role], term))
    }

    /// A fluent's term and text.
    pub fn fluent_name(&self, fluent: Fluent) -> Arc<Named> {
        Vocabulary::entry(&self.fluents, fluent.0)
    }

    /// A move's term and text.
    pub fn move_name(&self, role: Role, move_id: MoveId) -> Arc<Named> {
        Vocabulary::entry(&self.moves[role], move_id.0)
    }

    /// A percept's term and text.
    pub fn percept_name(&self, role: Role, percept: PerceptId) -> Arc<Named> {
        Vocabulary::entry(&self.percepts[role], percept.0)
    }

    /// Number of fluents numbered so far.
    pub fn fluent_count(&self) -> usize {
        Vocabulary::count(&self.fluents)
    }

    /// Number of moves of a role numbered so far.
    pub fn move_count(&self, role: Role) -> usize {
        Vocabulary::count(&self.moves[role])
    }

    /// How many percepts of a role have a number so far.
    pub fn percept_count(&self, role: Role) -> usize {
        Vocabulary::count(&self.percepts[role])
    }

    fn count(numbering: &RwLock<Numbering>) -> usize {
        numbering.read().unwrap_or_else(PoisonError::into_inner).list.len()
    }

    fn entry(numbering: &RwLock<Numbering>, number: u32) -> Arc<Named> {
        let numbering = numbering.read().unwrap_or_else(PoisonError::into_inner);
        numbering.list[number as usize].clone()
    }

    fn number(&self, numbering: &RwLock<Numbering>, term: &Term) -> u32 {
        {
            let known = numbering.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(number) = known.find(term) {
                return number;
            }
        }
        let mut numbering = numbering.write().unwrap_or_else(PoisonError::into_inner);
        numbering.find(term).unwrap_or_else(|| {
            numbering.add(Arc::new(Named {
                term: term.clone(),
                text: canonical_term(term, &self.symbols),
            }))
        })
    }
}
