//! Typed numbers: roles, moves, percepts, fluents and derived propositions, and tables indexed by role.
//!
//! A number means something only together with the game it belongs to. Moves and percepts are numbered for each role
//! separately.

use std::ops::{Index, IndexMut};

macro_rules! ids {
    ($($(#[$about:meta])* $name:ident($number:ty);)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $number);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The first `count` of them, in order.
            pub fn first(count: usize) -> impl ExactSizeIterator<Item = $name> + DoubleEndedIterator + Clone {
                (0..count).map(|index| $name(index as $number))
            }
        }
    )*};
}

ids! {
    /// A seat in the game, counted from zero in the order of the `role` facts.
    Role(u8);
    /// A move of a role; the same number means different moves for different roles.
    MoveId(u32);
    /// A percept of a role; the same number means different percepts for different roles.
    PerceptId(u32);
    /// A fluent of the game.
    Fluent(u32);
    /// A derived proposition of a ground program.
    Proposition(u32);
}

/// One value for each role.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoleMap<T>(Box<[T]>);

impl<T> RoleMap<T> {
    /// The same value for each of `roles` roles.
    pub fn filled(roles: usize, value: T) -> RoleMap<T>
    where
        T: Clone,
    {
        RoleMap(vec![value; roles].into_boxed_slice())
    }

    /// Number of roles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no role.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The roles, in order.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> + DoubleEndedIterator + Clone + use<T> {
        Role::first(self.len())
    }

    /// The value of a role, or `None` if there is no such role.
    pub fn get(&self, role: Role) -> Option<&T> {
        self.0.get(role.index())
    }

    /// The values as a slice, in the order of the roles.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values, in the order of the roles.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The values as a mutable slice, in the order of the roles.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// The values, in the order of the roles.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// The roles with their values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Role, &T)> + DoubleEndedIterator {
        self.roles().zip(&*self.0)
    }

    /// The roles with their values, in order.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (Role, &mut T)> + DoubleEndedIterator {
        self.roles().zip(&mut *self.0)
    }

    /// Adds the value of one more role.
    pub fn push(&mut self, value: T) {
        let mut values = std::mem::take(&mut self.0).into_vec();
        values.push(value);
        self.0 = values.into_boxed_slice();
    }
}

impl<T> Default for RoleMap<T> {
    fn default() -> RoleMap<T> {
        RoleMap(Box::default())
    }
}

impl<T> Index<Role> for RoleMap<T> {
    type Output = T;

    fn index(&self, role: Role) -> &T {
        &self.0[role.index()]
    }
}

impl<T> IndexMut<Role> for RoleMap<T> {
    fn index_mut(&mut self, role: Role) -> &mut T {
        &mut self.0[role.index()]
    }
}

impl<T> FromIterator<T> for RoleMap<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> RoleMap<T> {
        RoleMap(values.into_iter().collect())
    }
}

impl<T> IntoIterator for RoleMap<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}
