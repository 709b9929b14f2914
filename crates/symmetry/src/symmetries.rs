//! The symmetries of a game as a value: a group, and how sure it is that there are no others.

use crate::find::Kind;
use crate::group::{Group, Permutation};
use crate::mapping::{Frame, Mapping};
use ludens_engine::{MoveId, Role, State};
use num_bigint::BigUint;
use std::sync::Arc;

/// Whether all symmetries are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// There are no others.
    All,
    /// All of these are symmetries; there may be more.
    AtLeast,
    /// Nothing was found out.
    Unknown,
}

impl Completeness {
    /// Returns the word that is shown.
    pub fn name(self) -> &'static str {
        match self {
            Completeness::All => "proved",
            Completeness::AtLeast => "at least these",
            Completeness::Unknown => "unknown",
        }
    }
}

/// Symmetries of a game, each proved.
#[derive(Clone, Debug)]
pub struct Symmetries {
    frame: Arc<Frame>,
    group: Group,
    kind: Kind,
    completeness: Completeness,
    cause: Option<&'static str>,
    fingerprint: Option<u64>,
}

impl Symmetries {
    pub(crate) fn new(
        frame: Arc<Frame>,
        group: Group,
        kind: Kind,
        completeness: Completeness,
        cause: Option<&'static str>,
    ) -> Symmetries {
        Symmetries {
            frame,
            group,
            kind,
            completeness,
            cause,
            fingerprint: None,
        }
    }

    pub(crate) fn with_fingerprint(self, fingerprint: Option<u64>) -> Symmetries {
        Symmetries { fingerprint, ..self }
    }

    pub(crate) fn unknown(kind: Kind, cause: &'static str) -> Symmetries {
        Symmetries::new(
            Arc::default(),
            Group::trivial(0),
            kind,
            Completeness::Unknown,
            Some(cause),
        )
    }

    /// Number of symmetries, the identity included.
    pub fn order(&self) -> BigUint {
        self.group.order()
    }

    /// Returns whether there are more than the identity.
    pub fn is_trivial(&self) -> bool {
        self.group.base().is_empty()
    }

    /// Whether all symmetries are known.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }

    /// Why not all symmetries are known, if they are not.
    pub fn cause(&self) -> Option<&'static str> {
        self.cause
    }

    /// A number that equivalent games share, if it was found: see [`fingerprint`](crate::fingerprint).
    pub fn fingerprint(&self) -> Option<u64> {
        self.fingerprint
    }

    /// Which permutations were looked for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The group of permutations of roles, fluents and moves, numbered through.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Returns symmetries that generate all.
    pub fn generators(&self) -> Vec<Mapping> {
        let generators = self.group.generators().iter();
        generators.map(|generator| self.mapping(generator.clone())).collect()
    }

    /// Returns all symmetries, the identity first, if there are at most `most`; else those of a subgroup.
    pub fn elements(&self, most: usize) -> Vec<Mapping> {
        let elements = self.group.elements(most).into_iter();
        elements.map(|element| self.mapping(element)).collect()
    }

    fn mapping(&self, images: Permutation) -> Mapping {
        Mapping::new(self.frame.clone(), self.frame.clone(), images)
    }

    /// Returns for each legal move of a role the place of the first one that is its image under a symmetry that keeps the
    /// state and the role. At most `most` symmetries are tried.
    pub fn representatives(&self, state: &State, role: Role, legal: &[MoveId], most: usize) -> Vec<usize> {
        let mut first: Vec<usize> = (0..legal.len()).collect();
        let keeping = self.elements(most).into_iter();
        for element in keeping.filter(|element| element.role(role) == role && element.state(state) == *state) {
            for (place, &number) in legal.iter().enumerate() {
                let image = element.move_id(role, number);
                if let Some(other) = legal.iter().position(|&other| Some(other) == image) {
                    let least = first[place].min(first[other]);
                    first[place] = least;
                    first[other] = least;
                }
            }
        }
        // Elements form a group, so each orbit has met its least place directly or through one that has.
        for place in 0..first.len() {
            first[place] = first[first[place]];
        }
        first
    }
}
