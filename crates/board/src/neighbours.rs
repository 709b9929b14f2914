//! Neighbourhoods of cells: recognises boards of hexagons.
//!
//! Rules that connect cells have a static relation such as `(adjacent ?x1 ?y1 ?x2 ?y2)`. It is derived, and the steps
//! between its cells are compared with those on a board of hexagons.

use crate::grid::{Axes, Grid};
use ludens_datalog::{Expectations, Program, Purpose};
use ludens_engine::{Game, Limits};
use ludens_gdl::normal::{NormalRules, Term};
use ludens_gdl::{Relation, Symbol, keyword};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Limits on deriving a static relation.
const LIMITS: Limits = Limits {
    facts: 60_000,
    memory: 64 << 20,
    term_depth: 10,
    setup: Duration::from_millis(150),
    ..Limits::DEFAULT
};
/// Maximum number of relations tried.
const MOST_RELATIONS: usize = 8;

/// Step from one cell to another.
type Step = (isize, isize);

/// Shift of each row to the right against the row above, in half cells, on a board of hexagons.
pub(crate) enum Slant {
    /// The same shift in every row: 1 to the right, -1 to the left.
    Even(isize),
    /// The rows are centred.
    Centred,
}

/// Looks for a relation in which the cells of a board have six neighbours.
pub(crate) fn slant(game: &Game, grid: &Grid) -> Option<Slant> {
    let rules = game.rules();
    let changing = changing(rules);
    let width = 2 * grid.coordinate_count();
    let mut candidates: Vec<Relation> = Vec::new();
    for rule in &rules.rules {
        let relation = rule.head.relation();
        let fits = (width..=width + 2).contains(&relation.arity) && !changing.contains(&relation);
        if fits && relation.name != keyword::LEGAL && !candidates.contains(&relation) {
            candidates.push(relation);
        }
    }
    // Tries relations with fitting names first.
    candidates.sort_by_key(|relation| {
        let name = rules.symbols.name(relation.name);
        !["adj", "neigh", "next", "conn", "beside"]
            .iter()
            .any(|part| name.contains(part))
    });
    candidates.truncate(MOST_RELATIONS);
    candidates.into_iter().find_map(|relation| {
        let rows = derive(rules, relation)?;
        (0..=relation.arity - width).find_map(|start| slant_of(grid, &rows, start))
    })
}

/// Relations that depend on the state or on moves.
pub(crate) fn changing(rules: &NormalRules) -> BTreeSet<Relation> {
    let mut changing: BTreeSet<Relation> = [(keyword::TRUE, 1), (keyword::DOES, 2)]
        .into_iter()
        .map(|(name, arity)| Relation::new(name, arity))
        .collect();
    loop {
        let before = changing.len();
        for rule in &rules.rules {
            let mut atoms = rule.body.iter().filter_map(|literal| literal.atom());
            if atoms.any(|(atom, _)| changing.contains(&atom.relation())) {
                changing.insert(rule.head.relation());
            }
        }
        if changing.len() == before {
            return changing;
        }
    }
}

/// Rows of a static relation.
pub(crate) fn derive(rules: &NormalRules, relation: Relation) -> Option<Vec<Vec<Term>>> {
    let strata = rules.strata().ok()?;
    let purpose = Purpose {
        asked: &[relation],
        given: &[],
        enumerated: &[],
        limits: LIMITS,
    };
    let program = Program::new(rules, &strata, purpose, Expectations::from_facts(rules), |_| false).ok()?;
    let number = program.find(relation)?;
    let rows = program.fixed_rows(number);
    Some(
        rows.map(|row| row.iter().map(|&term| program.pool.export(term)).collect())
            .collect(),
    )
}

fn slant_of(grid: &Grid, rows: &[Vec<Term>], start: usize) -> Option<Slant> {
    let length = grid.coordinate_count();
    let mut steps: BTreeMap<Step, usize> = BTreeMap::new();
    let mut degrees: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for row in rows {
        let window: Option<Vec<Symbol>> = row[start..start + 2 * length]
            .iter()
            .map(|term| match term {
                Term::Constant(name) => Some(*name),
                _ => None,
            })
            .collect();
        let window = window?;
        let first = grid.plane(&window[..length])?;
        let second = grid.plane(&window[length..])?;
        let step = (
            second.0 as isize - first.0 as isize,
            second.1 as isize - first.1 as isize,
        );
        let sign = if step < (0, 0) { -1 } else { 1 };
        *steps.entry((step.0 * sign, step.1 * sign)).or_default() += 1;
        let (from, to) = (grid.number(first.0, first.1, 0), grid.number(second.0, second.1, 0));
        degrees.entry(from).or_default().insert(to);
        degrees.entry(to).or_default().insert(from);
    }
    let steps: BTreeSet<Step> = steps.into_keys().collect();
    // Rows count downwards: with (1, 1) the neighbours below are at c and c + 1, so rows shift to the left.
    if steps == BTreeSet::from([(0, 1), (1, 0), (1, 1)]) {
        return Some(Slant::Even(-1));
    }
    if steps == BTreeSet::from([(0, 1), (1, 0), (1, -1)]) {
        return Some(Slant::Even(1));
    }
    // Tolerates an error in a list of neighbours.
    let count = |wanted: usize| degrees.values().filter(|neighbours| neighbours.len() == wanted).count();
    let is_star = count(6) > 0 && count(6) >= 2 * count(7) && degrees.values().all(|neighbours| neighbours.len() < 8);
    (is_star && matches!(grid.axes, Axes::Names(_)) && steps.iter().all(|step| step.1.abs() <= 1))
        .then_some(Slant::Centred)
}

/// Whether cells are named in rows of different lengths that all start with the first number, as on a star.
pub(crate) fn is_ragged(grid: &Grid) -> bool {
    let Axes::Names(names) = &grid.axes else {
        return false;
    };
    let lengths: Vec<usize> = (0..grid.height)
        .map(|wanted| names.values().filter(|(_, row)| *row == wanted).count())
        .collect();
    let begins = names.values().all(|&(column, row)| column < lengths[row]);
    begins && lengths.iter().any(|&length| length != grid.width)
}
