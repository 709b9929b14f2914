//! Orders of constants, from relations of the rules that never change: successors such as `succ`, and transitive
//! relations such as `less`.

use hashbrown::{HashMap, HashSet};
use ludens_datalog::{Expectations, Program, Purpose};
use ludens_engine::{Game, Limits};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{NormalRules, Term};
use ludens_gdl::{Relation, Symbol, keyword};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Relations of two constants are derived within these limits, or not at all.
const LIMITS: Limits = Limits {
    facts: 200_000,
    memory: 128 << 20,
    term_depth: 10,
    setup: Duration::MAX,
    steps: 50_000_000,
    ..Limits::DEFAULT
};
/// Maximum number of pairs of a relation that is examined.
const MOST_PAIRS: usize = 50_000;

/// Kind of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// It leads from each constant to at most one other, and never two to the same, as `succ`.
    Successor,
    /// It is transitive, as `less`; constants that it puts next to each other are one step apart.
    Order,
}

/// A relation that puts constants in a row, or in several rows.
#[derive(Clone, Debug)]
pub struct Order {
    /// Name of the relation.
    pub name: Symbol,
    /// Kind of order.
    pub kind: OrderKind,
    /// For each constant its row and its index there.
    places: HashMap<Symbol, (u32, u32), foldhash::fast::FixedState>,
    lengths: Vec<u32>,
}

impl Order {
    /// Returns the number of steps between two constants in either direction; `None` if they are in no row together.
    pub fn distance(&self, one: Symbol, other: Symbol) -> Option<u32> {
        let (&(row, place), &(other_row, other_place)) = (self.places.get(&one)?, self.places.get(&other)?);
        (row == other_row).then_some(place.abs_diff(other_place))
    }

    /// Returns the greatest distance in the row of a constant.
    pub fn greatest(&self, of: Symbol) -> Option<u32> {
        let (row, _) = self.places.get(&of)?;
        Some(self.lengths[*row as usize] - 1)
    }

    /// Returns the greatest number of these constants that are in one row, and the length of that row.
    pub fn coverage<'s>(&self, values: impl Iterator<Item = &'s Symbol>) -> (usize, u32) {
        let mut counts = vec![0; self.lengths.len()];
        for value in values {
            if let Some((row, _)) = self.places.get(value) {
                counts[*row as usize] += 1;
            }
        }
        let rows = counts.into_iter().zip(self.lengths.iter().copied());
        rows.max_by_key(|&(count, length)| (count, std::cmp::Reverse(length)))
            .unwrap_or((0, 0))
    }

    fn new(name: Symbol, pairs: &BTreeSet<(Symbol, Symbol)>) -> Option<Order> {
        let is_antisymmetric = pairs
            .iter()
            .all(|&(one, other)| one != other && !pairs.contains(&(other, one)));
        if !is_antisymmetric {
            return None;
        }
        if let Some((places, lengths)) = rows(pairs.iter().copied()) {
            return Some(Order {
                name,
                kind: OrderKind::Successor,
                places,
                lengths,
            });
        }
        let pairs: Vec<(Symbol, Symbol)> = pairs.iter().copied().collect();
        let (places, lengths) = rows(covering(&pairs)?.into_iter())?;
        Some(Order {
            name,
            kind: OrderKind::Order,
            places,
            lengths,
        })
    }
}

type Rows = (HashMap<Symbol, (u32, u32), foldhash::fast::FixedState>, Vec<u32>);

/// Returns the rows that steps lead along; `None` if a step leads to two constants or from two to one, or if all go
/// round in circles.
fn rows(steps: impl Iterator<Item = (Symbol, Symbol)>) -> Option<Rows> {
    let mut next: BTreeMap<Symbol, Symbol> = BTreeMap::new();
    let mut followers: HashSet<Symbol, foldhash::fast::FixedState> = HashSet::default();
    for (one, other) in steps {
        if next.insert(one, other).is_some() || !followers.insert(other) {
            return None;
        }
    }
    let (mut places, mut lengths) = (HashMap::default(), Vec::new());
    for &start in next.keys().filter(|start| !followers.contains(*start)) {
        let (row, mut place, mut at) = (lengths.len() as u32, 0, start);
        places.insert(at, (row, place));
        while let Some(&follower) = next.get(&at) {
            place += 1;
            at = follower;
            places.insert(at, (row, place));
        }
        lengths.push(place + 1);
    }
    (!lengths.is_empty()).then_some((places, lengths))
}

/// Returns the values along pairs that form one chain through all of them, if they do.
pub fn chain(pairs: &[(Symbol, Symbol)], values: &BTreeSet<Symbol>) -> Option<Vec<Symbol>> {
    let among = |pair: &(Symbol, Symbol)| values.contains(&pair.0) && values.contains(&pair.1);
    let (places, lengths) = rows(pairs.iter().copied().filter(among))?;
    let is_one = lengths.len() == 1 && places.len() == values.len();
    let mut ordered: Vec<Symbol> = values.iter().copied().collect();
    ordered.sort_by_key(|value| places.get(value));
    is_one.then_some(ordered)
}

/// Returns the covering pairs of a strict partial order, in increasing order; `None` if the relation is not irreflexive
/// or not transitive.
pub fn covering<Value: Copy + Ord>(pairs: &[(Value, Value)]) -> Option<Vec<(Value, Value)>> {
    let mut numbers: BTreeMap<Value, usize> = pairs.iter().flat_map(|&(one, other)| [(one, 0), (other, 0)]).collect();
    let values: Vec<Value> = numbers.keys().copied().collect();
    numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
    for (one, other) in pairs {
        followers[numbers[one]].push(numbers[other]);
    }
    for others in &mut followers {
        others.sort_unstable();
        others.dedup();
    }
    // By value the last one that it follows, and the last one that it follows by more than a step.
    let (mut is_follower, mut is_further) = (vec![usize::MAX; values.len()], vec![usize::MAX; values.len()]);
    let mut steps = Vec::new();
    for (one, others) in followers.iter().enumerate() {
        others.iter().for_each(|&other| is_follower[other] = one);
        if is_follower[one] == one {
            return None;
        }
        for &further in others.iter().flat_map(|&other| &followers[other]) {
            if is_follower[further] != one {
                return None;
            }
            is_further[further] = one;
        }
        let nearest = others.iter().filter(|&&other| is_further[other] != one);
        steps.extend(nearest.map(|&other| (values[one], values[other])));
    }
    Some(steps)
}

/// Returns all orders of a game, by the names of their relations.
pub fn orders(game: &Game) -> Vec<Order> {
    let rules = game.rules();
    let mut orders = Vec::new();
    for (relation, pairs) in fixed_pairs(rules) {
        if let Some(order) = Order::new(relation.name, &pairs) {
            orders.push(order);
        }
    }
    orders.sort_by_key(|order| game.vocabulary().symbols().name(order.name).to_string());
    orders
}

/// Returns the relations of two constants that never change, with their pairs.
fn fixed_pairs(rules: &NormalRules) -> Vec<(Relation, BTreeSet<(Symbol, Symbol)>)> {
    let dependencies = Dependencies::of_normal(rules);
    let changing = dependencies.dependents(&[Relation::new(keyword::TRUE, 1), Relation::new(keyword::DOES, 2)]);
    let is_keyword = |name: Symbol| [keyword::LEGAL, keyword::GOAL, keyword::DOES, keyword::SEES].contains(&name);
    let candidates: Vec<Relation> = dependencies
        .relations
        .iter()
        .zip(&changing)
        .filter(|(relation, changing)| relation.arity == 2 && !**changing && !is_keyword(relation.name))
        .map(|(relation, _)| *relation)
        .collect();
    let known = derive(rules, &candidates);
    let listed = || {
        // If some relation is too large to be derived, those that are listed by facts are still used.
        candidates.iter().filter_map(|&relation| {
            let of_relation = || rules.rules.iter().filter(move |rule| rule.head.relation() == relation);
            let is_listed = of_relation().all(|rule| rule.body.is_empty());
            is_listed.then(|| (relation, of_relation().map(|rule| rule.head.args.clone()).collect()))
        })
    };
    let rows: Vec<(Relation, Vec<Vec<Term>>)> = known.unwrap_or_else(|| listed().collect());
    let pairs = rows.into_iter().filter(|(_, rows)| rows.len() <= MOST_PAIRS);
    let constants = |row: &Vec<Term>| match row[..] {
        [Term::Constant(one), Term::Constant(other)] => Some((one, other)),
        _ => None,
    };
    pairs
        .filter_map(|(relation, rows)| Some((relation, rows.iter().map(constants).collect::<Option<_>>()?)))
        .collect()
}

fn derive(rules: &NormalRules, relations: &[Relation]) -> Option<Vec<(Relation, Vec<Vec<Term>>)>> {
    let strata = rules.strata().ok()?;
    let purpose = Purpose {
        asked: relations,
        given: &[],
        enumerated: &[],
        limits: LIMITS,
    };
    let program = Program::new(rules, &strata, purpose, Expectations::from_facts(rules), |_| false).ok()?;
    let rows = |relation: &Relation| {
        let rows = program.find(*relation).map(|number| {
            let rows = program.fixed_rows(number);
            rows.map(|row| row.iter().map(|&term| program.pool.export(term)).collect())
                .collect()
        });
        (*relation, rows.unwrap_or_default())
    };
    Some(relations.iter().map(rows).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Symbols;

    fn order(pairs: &[(&str, &str)]) -> Option<(Order, Symbols)> {
        let mut symbols = Symbols::new();
        let pairs: BTreeSet<(Symbol, Symbol)> = pairs
            .iter()
            .map(|(one, other)| (symbols.intern(one), symbols.intern(other)))
            .collect();
        let name = symbols.intern("before");
        Order::new(name, &pairs).map(|order| (order, symbols))
    }

    #[test]
    fn successors_make_rows() {
        let (order, mut symbols) = order(&[("1", "2"), ("2", "3"), ("a", "b")]).unwrap();
        assert_eq!(order.kind, OrderKind::Successor);
        let [one, three, a] = ["1", "3", "a"].map(|name| symbols.intern(name));
        assert_eq!(order.distance(three, one), Some(2));
        assert_eq!(order.distance(a, one), None);
        assert_eq!((order.greatest(one), order.greatest(a)), (Some(2), Some(1)));
    }

    #[test]
    fn transitive_relations_are_orders_by_their_nearest_pairs() {
        let less = [("1", "2"), ("1", "3"), ("1", "4"), ("2", "3"), ("2", "4"), ("3", "4")];
        let (order, mut symbols) = order(&less).unwrap();
        assert_eq!(order.kind, OrderKind::Order);
        assert_eq!(order.distance(symbols.intern("1"), symbols.intern("4")), Some(3));
    }

    #[test]
    fn relations_with_cycles_or_forks_are_no_orders() {
        assert!(order(&[("1", "2"), ("2", "1")]).is_none());
        assert!(order(&[("1", "1")]).is_none());
        assert!(order(&[("1", "2"), ("1", "3")]).is_none());
        assert!(order(&[("1", "2"), ("2", "3"), ("3", "1")]).is_none());
        assert!(order(&[("1", "2"), ("2", "3"), ("1", "3"), ("3", "4")]).is_none());
    }

    #[test]
    fn the_steps_of_an_order_leave_out_what_follows_from_others() {
        assert_eq!(covering(&[(1, 2), (1, 3), (2, 3)]), Some(vec![(1, 2), (2, 3)]));
        // Two ways that meet again.
        let pairs = [(1, 2), (1, 3), (1, 4), (2, 4), (3, 4)];
        assert_eq!(covering(&pairs), Some(vec![(1, 2), (1, 3), (2, 4), (3, 4)]));
        assert_eq!(covering(&[(1, 2), (3, 4)]), Some(vec![(1, 2), (3, 4)]));
    }

    #[test]
    fn cyclic_or_intransitive_relations_are_no_orders() {
        assert_eq!(covering(&[(1, 2), (2, 1)]), None);
        assert_eq!(covering(&[(1, 1)]), None);
        assert_eq!(covering(&[(1, 2), (2, 3)]), None);
    }
}
