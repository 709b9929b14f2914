//! Mappings between games: which role, fluent and move of one is which of the other.

use crate::group::{Permutation, compose, inverse};
use crate::model::Points;
use ludens_engine::{Circuit, Fluent, MoveId, Role, RoleMap, State};
use std::sync::Arc;

/// What mappings of a game are about: its points, and where its fluents and moves are among them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) points: Points,
    fluents: Vec<Option<u32>>,
    moves: Vec<Vec<Option<u32>>>,
    /// Fluents that hold in every state.
    always: Vec<Fluent>,
}

impl Frame {
    pub(crate) fn new(circuit: &Circuit, points: Points) -> Frame {
        let names = &circuit.program.names;
        let mut frame = Frame {
            fluents: vec![None; names.fluents.len()],
            moves: names.moves.values().map(|moves| vec![None; moves.len()]).collect(),
            always: (Fluent::first(names.fluents.len()))
                .filter(|fluent| circuit.constant_fluents[fluent.index()] == Some(true))
                .collect(),
            points,
        };
        for (slot, fluent) in frame.points.fluents.iter().enumerate() {
            frame.fluents[fluent.index()] = Some((frame.points.roles + slot) as u32);
        }
        for (slot, (role, number)) in frame.points.moves.iter().enumerate() {
            frame.moves[role.index()][number.index()] = Some((frame.points.first_move() + slot) as u32);
        }
        frame
    }

    fn fluent_at(&self, point: u32) -> Option<Fluent> {
        let slot = (point as usize).checked_sub(self.points.roles)?;
        self.points.fluents.get(slot).copied()
    }

    fn move_at(&self, point: u32) -> Option<(Role, MoveId)> {
        let slot = (point as usize).checked_sub(self.points.first_move())?;
        self.points.moves.get(slot).copied()
    }
}

/// A bijection of the roles, fluents and moves of a game with those of another game, or of the same one.
///
/// Fluents that never change and moves that are never legal have no image.
#[derive(Clone, Debug)]
pub struct Mapping {
    from: Arc<Frame>,
    to: Arc<Frame>,
    images: Permutation,
}

impl Mapping {
    pub(crate) fn new(from: Arc<Frame>, to: Arc<Frame>, images: Permutation) -> Mapping {
        Mapping { from, to, images }
    }

    /// Returns the image of a role.
    pub fn role(&self, role: Role) -> Role {
        self.images.get(role.index()).map_or(role, |&image| Role(image as u8))
    }

    /// Returns the image of a fluent; `None` if it never changes.
    pub fn fluent(&self, fluent: Fluent) -> Option<Fluent> {
        let point = self.from.fluents.get(fluent.index()).copied().flatten()?;
        self.to.fluent_at(self.images[point as usize])
    }

    /// Returns the image of a move of `role`, a move of [`Mapping::role`]; `None` if it is never legal.
    pub fn move_id(&self, role: Role, number: MoveId) -> Option<MoveId> {
        let point = self
            .from
            .moves
            .get(role.index())?
            .get(number.index())
            .copied()
            .flatten()?;
        Some(self.to.move_at(self.images[point as usize])?.1)
    }

    /// Returns the image of a state.
    pub fn state(&self, state: &State) -> State {
        let changing = state.fluents().filter_map(|fluent| self.fluent(fluent));
        State::new(changing.chain(self.to.always.iter().copied()))
    }

    /// Returns the image of a joint move, in the order of the other game's roles; `None` if one of the moves is never
    /// legal.
    pub fn joint(&self, joint: &[MoveId]) -> Option<Vec<MoveId>> {
        let mut images = joint.to_vec();
        for (role, &number) in Role::first(joint.len()).zip(joint) {
            images[self.role(role).index()] = self.move_id(role, number)?;
        }
        Some(images)
    }

    /// Returns values of roles in the order of the other game's roles.
    pub fn values<T: Clone>(&self, values: &[T]) -> Vec<T> {
        let mut images = values.to_vec();
        for (role, value) in Role::first(values.len()).zip(values) {
            images[self.role(role).index()] = value.clone();
        }
        images
    }

    /// Returns the mapping back.
    pub fn inverse(&self) -> Mapping {
        Mapping::new(self.to.clone(), self.from.clone(), inverse(&self.images))
    }

    /// Returns the mapping that applies this one, then `next`; `None` if `next` does not start where this one ends.
    pub fn then(&self, next: &Mapping) -> Option<Mapping> {
        let fits = Arc::ptr_eq(&self.to, &next.from) || self.to == next.from;
        fits.then(|| Mapping::new(self.from.clone(), next.to.clone(), compose(&self.images, &next.images)))
    }

    /// Returns whether every role is mapped to itself.
    pub fn keeps_roles(&self) -> bool {
        let mut roles = self.images[..self.from.points.roles.min(self.images.len())]
            .iter()
            .enumerate();
        roles.all(|(role, &image)| role as u32 == image)
    }

    /// Returns all pairs of fluents, in the order of the first.
    pub fn fluents(&self) -> impl Iterator<Item = (Fluent, Fluent)> {
        let fluents = self.from.points.fluents.iter();
        fluents.filter_map(|&fluent| Some((fluent, self.fluent(fluent)?)))
    }

    /// Returns all pairs of moves of a role, in the order of the first.
    pub fn moves(&self, role: Role) -> impl Iterator<Item = (MoveId, MoveId)> {
        let moves = self.from.points.moves.iter().filter(move |(of, _)| *of == role);
        moves.filter_map(move |&(role, number)| Some((number, self.move_id(role, number)?)))
    }

    /// Returns the image of each role.
    pub fn roles(&self) -> RoleMap<Role> {
        Role::first(self.from.points.roles)
            .map(|role| self.role(role))
            .collect()
    }
}
