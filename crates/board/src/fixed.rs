//! Static contents of boards, such as walls and exits, from relations that never change.
//!
//! Mazes state by facts such as `(open 2 3)` or `(wall 4 1)` where walls are, and by `(exit 4 5)` where a path ends.
//! Static relations over the cells of a board with such names are drawn below everything that changes.

use crate::grid::{Axes, Grid};
use crate::neighbours::{changing, derive};
use ludens_engine::Game;
use ludens_gdl::normal::{NormalRules, Term};
use ludens_gdl::{Relation, Symbol, keyword};
use std::collections::{BTreeMap, BTreeSet};

/// Words for cells that can be entered: all others are walls.
const FLOORS: &[&str] = &["open", "floor", "corridor", "passable", "walkable", "passage", "path"];
/// Words for walls.
const WALLS: &[&str] = &[
    "wall", "pillar", "block", "blocked", "obstacle", "rock", "brick", "barrier",
];
/// Words for special places.
const PLACES: &[&str] = &[
    "exit", "door", "gate", "finish", "target", "treasure", "key", "trap", "pit", "star",
];
/// Content of cells that cannot be entered, if the rules have no word for it.
const WALL: &str = "wall";

/// Static contents of each cell of a board. Contents that fluents give too are shown by the fluents.
pub(crate) fn fixtures(
    game: &Game,
    grid: &Grid,
    holes: &[usize],
    contents: &BTreeSet<String>,
) -> BTreeMap<usize, Vec<String>> {
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    if grid.layers.len() > 1 || matches!(grid.axes, Axes::Row(_)) {
        return found;
    }
    let rules = game.rules();
    let holes: BTreeSet<usize> = holes.iter().copied().collect();
    let mut floor: Option<BTreeSet<usize>> = None;
    let mut add = |cell: usize, content: &str| {
        if !holes.contains(&cell) {
            found.entry(cell).or_default().push(content.to_string());
        }
    };
    for relation in unchanging(rules, grid.coordinate_count()) {
        let name = rules.symbols.name(relation.name);
        let is_floor = has_word(name, FLOORS);
        if contents.contains(name) || !(is_floor || has_word(name, WALLS) || has_word(name, PLACES)) {
            continue;
        }
        let Some(cells) = derive(rules, relation).and_then(|rows| cells(grid, &rows)) else {
            continue;
        };
        match is_floor {
            true => floor.get_or_insert_default().extend(cells),
            false => cells.into_iter().for_each(|cell| add(cell, name)),
        }
    }
    let all = grid.width * grid.height;
    let has_walls = contents.contains(WALL);
    if let Some(floor) = floor.filter(|floor| floor.len() * 3 >= all && !has_walls) {
        (0..all)
            .filter(|cell| !floor.contains(cell))
            .for_each(|cell| add(cell, WALL));
    }
    found
}

/// Whether a name contains one of these words.
fn has_word(name: &str, words: &[&str]) -> bool {
    let is_known = |part: &str| {
        words
            .iter()
            .any(|word| part == *word || part.strip_suffix('s') == Some(*word))
    };
    name.split(['_', '-']).any(is_known)
}

/// Cells that rows of constants name; `None` if one is not a cell.
fn cells(grid: &Grid, rows: &[Vec<Term>]) -> Option<BTreeSet<usize>> {
    let cell = |row: &Vec<Term>| {
        let names = row.iter().map(|term| match term {
            Term::Constant(name) => Some(*name),
            _ => None,
        });
        let names: Vec<Symbol> = names.collect::<Option<_>>()?;
        grid.plane(&names).map(|(column, row)| grid.number(column, row, 0))
    };
    rows.iter().map(cell).collect()
}

/// Relations of this arity that depend neither on the state nor on moves.
fn unchanging(rules: &NormalRules, arity: usize) -> Vec<Relation> {
    let changing = changing(rules);
    let mut found: Vec<Relation> = Vec::new();
    for rule in &rules.rules {
        let relation = rule.head.relation();
        let is_keyword = [keyword::LEGAL, keyword::GOAL, keyword::INPUT].contains(&relation.name);
        let fits = relation.arity == arity && !is_keyword && !changing.contains(&relation);
        if fits && !found.contains(&relation) {
            found.push(relation);
        }
    }
    found
}
