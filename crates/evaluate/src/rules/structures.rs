//! Structures in the rules: which arguments of fluents are places in an order, and what that says about fluents that do
//! not hold.
//!
//! A relation of two constants that never changes and puts them in a row is an order, whether it leads from each to the
//! next (`succ`) or to all that follow (`less`). Where most values of an argument of a fluent stand in one row, the
//! argument is ordered: it counts something, or is a coordinate, and two values of it are some steps apart.

mod degrees;

pub use degrees::{Degrees, Structure, structures};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_analysis::orders::{Order, orders};
use ludens_engine::{Fluent, Game};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::collections::BTreeSet;

/// The functor of a fluent: its name and number of arguments.
pub(crate) type FluentKind = (Symbol, usize);

/// The ordered arguments of the fluents of a game.
#[derive(Clone, Debug)]
pub struct Structures {
    orders: Vec<Order>,
    /// For each kind of fluent the order of each argument.
    arguments: HashMap<FluentKind, Vec<Option<usize>>, FixedState>,
}

impl Structures {
    /// Those of these fluents.
    pub fn new(game: &Game, fluents: &[Fluent]) -> Structures {
        let orders = orders(game);
        let mut values: HashMap<FluentKind, Vec<BTreeSet<Symbol>>, FixedState> = HashMap::default();
        for &fluent in fluents {
            let named = game.vocabulary().fluent_name(fluent);
            let Some((kind, args)) = named.term.parts() else {
                continue;
            };
            let of_kind = values.entry(kind).or_insert_with(|| vec![BTreeSet::new(); kind.1]);
            for (values, arg) in of_kind.iter_mut().zip(args) {
                if let Term::Constant(value) = arg {
                    values.insert(*value);
                }
            }
        }
        let order_of = |values: &BTreeSet<Symbol>| {
            let covered = orders.iter().map(|order| order.coverage(values.iter()));
            let best = covered
                .enumerate()
                .max_by_key(|&(number, (count, length))| (count, std::cmp::Reverse((length, number))));
            // Contents of cells may happen to be named in some order; most of them are not in one row.
            best.filter(|(_, (count, _))| *count > 1 && 2 * count > values.len())
                .map(|(number, _)| number)
        };
        // The order of the table does not matter: every entry is found by itself.
        let arguments = values
            .drain()
            .map(|(kind, values)| (kind, values.iter().map(order_of).collect()))
            .collect();
        Structures { orders, arguments }
    }

    /// Returns all orders, by the names of their relations.
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// Returns the order of an argument of a kind of fluents, named by name and number of arguments.
    pub fn order_of(&self, kind: (Symbol, usize), argument: usize) -> Option<&Order> {
        let number = self.arguments.get(&kind)?.get(argument).copied().flatten()?;
        Some(&self.orders[number])
    }
}
