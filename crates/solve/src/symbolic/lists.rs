//! Lists of relations, on which operations work as on a single relation.
//!
//! A relation changes only the bits that it tests: a path on which it does not test the next copy of a bit leaves that
//! bit unchanged. So the relation of a move needs no frame axioms and is small. For the same reason the union of
//! relations is not a relation of this kind, as they leave different bits unchanged. Instead relations are kept as a
//! *list*. One bit further down, a list becomes the list of the cofactors of its relations. All lists that can occur
//! are numbered beforehand, so that operations on all moves at once can cache their results like operations on one.

use super::diagram::{Diagrams, Set};
use ludens_budget::StopReason;
use std::collections::BTreeMap;

/// A list of relations, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(pub u32);

impl ListId {
    /// The list without relations.
    pub const EMPTY: ListId = ListId(0);
}

/// A list, one bit further down.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The first bit that any of the relations tests.
    pub pair: u32,
    /// The lists of cofactors, by the current and the next value of that bit.
    pub branches: [[ListId; 2]; 2],
    /// The other relations, if one of them leaves all further bits unchanged.
    pub rest: Option<ListId>,
}

/// All lists of a game.
pub struct Lists {
    lists: Vec<List>,
    numbers: BTreeMap<Vec<Set>, ListId>,
}

/// Maximum number of lists made for one list of relations; a list that needs more is split in two.
const MOST_LISTS: usize = 30_000;

/// Number of lists between two looks at the clock.
const LOOK: usize = 256;

impl Lists {
    /// The empty list alone.
    pub fn new() -> Lists {
        Lists {
            lists: vec![List {
                pair: u32::MAX / 2,
                branches: [[ListId::EMPTY; 2]; 2],
                rest: None,
            }],
            numbers: BTreeMap::from([(Vec::new(), ListId::EMPTY)]),
        }
    }

    /// The lists by number.
    pub fn all(&self) -> &[List] {
        &self.lists
    }

    /// Returns the numbers of lists that together contain the given relations: a single one unless it is too
    /// complicated.
    pub fn add(&mut self, diagrams: &Diagrams, relations: &[Set]) -> Result<Vec<ListId>, StopReason> {
        let most = self.lists.len() + MOST_LISTS;
        if let Some(list) = self.number(diagrams, relations.to_vec(), most) {
            return Ok(vec![list]);
        }
        diagrams.check_time()?;
        if relations.len() > 1 {
            let (front, back) = relations.split_at(relations.len() / 2);
            let mut lists = self.add(diagrams, front)?;
            lists.extend(self.add(diagrams, back)?);
            return Ok(lists);
        }
        let list = self.number(diagrams, relations.to_vec(), usize::MAX);
        diagrams.check_time()?;
        Ok(list.into_iter().collect())
    }

    /// Returns the number of a list; `None` if there would be too many lists, or the budget is spent.
    fn number(&mut self, diagrams: &Diagrams, mut relations: Vec<Set>, most: usize) -> Option<ListId> {
        relations.retain(|relation| !diagrams.is_empty(relation));
        relations.sort_unstable();
        relations.dedup();
        if let Some(&known) = self.numbers.get(&relations) {
            return Some(known);
        }
        let tops: Vec<Option<usize>> = relations.iter().map(|relation| diagrams.top(relation)).collect();
        let list = match tops.iter().position(Option::is_none) {
            Some(done) => {
                let mut others = relations.clone();
                others.remove(done);
                List {
                    rest: Some(self.number(diagrams, others, most)?),
                    ..self.lists[0]
                }
            }
            None => {
                let pair = tops.iter().flatten().min()? / 2;
                let mut branches = [[ListId::EMPTY; 2]; 2];
                for (now, branches) in branches.iter_mut().enumerate() {
                    for (next, branch) in branches.iter_mut().enumerate() {
                        let left = relations
                            .iter()
                            .filter_map(|relation| follow(diagrams, relation, pair, now, next));
                        *branch = self.number(diagrams, left.collect(), most)?;
                    }
                }
                List {
                    pair: pair as u32,
                    branches,
                    rest: None,
                }
            }
        };
        let looks = self.lists.len().is_multiple_of(LOOK);
        if self.lists.len() >= most || (looks && diagrams.check_time().is_err()) {
            return None;
        }
        let number = ListId(self.lists.len() as u32);
        self.lists.push(list);
        self.numbers.insert(relations, number);
        Some(number)
    }
}

/// Returns the cofactor of a relation for a current and a next value of a bit; `None` if it does not allow them.
fn follow(diagrams: &Diagrams, relation: &Set, pair: usize, now: usize, next: usize) -> Option<Set> {
    let half = |halves: [Set; 2], bit: usize| {
        let [one, zero] = halves;
        if bit == 1 { one } else { zero }
    };
    let left = match diagrams.split(relation, 2 * pair) {
        Some(halves) => half(halves, now),
        None => relation.clone(),
    };
    match diagrams.split(&left, 2 * pair + 1) {
        Some(halves) => Some(half(halves, next)),
        // The bit stays as it is.
        None => (now == next).then_some(left),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::diagram::Capacity;
    use crate::symbolic::relation::single;
    use ludens_budget::Budget;
    use ludens_engine::Rng;
    use num_bigint::BigUint;

    const BITS: usize = 6;
    const STATES: usize = 1 << BITS;

    /// A move by hand: for each state the successor, if it is legal there.
    type Table = Vec<Option<usize>>;

    fn random_table(rng: &mut Rng) -> Table {
        let changed = rng.usize(..STATES) & rng.usize(..STATES);
        // Whether it is legal, and what it does, depends on few bits, as it does in games.
        let seen = rng.usize(..STATES) & rng.usize(..STATES);
        let verdicts: Vec<(bool, usize)> = (0..STATES).map(|_| (rng.bool(), rng.usize(..STATES))).collect();
        (0..STATES)
            .map(|state| {
                let (is_legal, effect) = verdicts[state & seen];
                is_legal.then_some(state & !changed | effect & changed)
            })
            .collect()
    }

    fn set_of(diagrams: &Diagrams, states: impl Iterator<Item = usize>) -> Result<Set, StopReason> {
        let singles: Vec<Set> = states
            .map(|state| single(diagrams, &[state as u64]))
            .collect::<Result<_, _>>()?;
        diagrams.union(singles)
    }

    /// The relation of a table: it tests the second copy of the bits that change somewhere, and of no others.
    fn relation_of(diagrams: &Diagrams, table: &Table) -> Result<Set, StopReason> {
        let moves = || {
            table
                .iter()
                .enumerate()
                .filter_map(|(state, next)| next.map(|next| (state, next)))
        };
        let changed = moves().fold(0, |changed, (state, next)| changed | state ^ next);
        let mut relation = diagrams.none();
        for (state, next) in moves() {
            let mut pair = single(diagrams, &[state as u64])?;
            for bit in (0..BITS).filter(|bit| changed >> bit & 1 == 1) {
                let has = diagrams.next_bit(bit)?;
                let fits = if next >> bit & 1 == 1 { has } else { diagrams.not(&has) };
                pair = diagrams.and(&pair, &fits)?;
            }
            relation = diagrams.or(&relation, &pair)?;
        }
        Ok(relation)
    }

    #[test]
    fn images_both_ways_are_those_of_tables() -> Result<(), StopReason> {
        let mut rng = Rng::with_seed(6);
        for threads in [1, 2] {
            let diagrams = Diagrams::new(BITS, Capacity::within(1 << 22), threads, &Budget::default());
            for round in 0..60 {
                let tables: Vec<Table> = (0..1 + round % 5).map(|_| random_table(&mut rng)).collect();
                let relations: Vec<Set> = tables
                    .iter()
                    .map(|table| relation_of(&diagrams, table))
                    .collect::<Result<_, _>>()?;
                let made = diagrams.list(&relations)?;
                assert_eq!(made.len(), 1, "few relations make one list");
                let here: Vec<bool> = (0..STATES).map(|_| rng.bool()).collect();
                let there: Vec<bool> = (0..STATES).map(|_| rng.u8(..) < 60).collect();
                let from = set_of(&diagrams, (0..STATES).filter(|&state| here[state]))?;
                let into = set_of(&diagrams, (0..STATES).filter(|&state| there[state]))?;

                let mut reached = [false; STATES];
                for table in &tables {
                    for state in (0..STATES).filter(|&state| here[state]) {
                        table[state].into_iter().for_each(|next| reached[next] = true);
                    }
                }
                let expected = set_of(&diagrams, (0..STATES).filter(|&state| reached[state]))?;
                assert!(diagrams.image(&from, made[0])? == expected);
                let count = reached.iter().filter(|is_reached| **is_reached).count();
                assert_eq!(diagrams.count(&expected)?, BigUint::from(count));

                let avoids = |state: usize| tables.iter().all(|table| table[state].is_none_or(|next| !there[next]));
                let expected = set_of(&diagrams, (0..STATES).filter(|&state| here[state] && avoids(state)))?;
                assert!(diagrams.avoiding(&into, made[0], &from)? == expected);
            }
        }
        Ok(())
    }
}
