//! Combines candidates into boards: fluents over the same cells share a board.

use crate::candidate::{Candidate, CandidateAxes, Context};
use crate::clicks::Patterns;
use crate::fixed::fixtures;
use crate::grid::{Axes, Grid, Reading, Statement, constants};
use crate::hints::{Direction, Hints};
use crate::neighbours::{Slant, is_ragged, slant};
use crate::observe::{Observations, observe};
use crate::order::{Successions, split_names};
use crate::signs::signs;
use crate::text::TextPlan;
use crate::view::{content_text, is_line};
use crate::{BoardLayout, Boards, CellView, Shape};
use ludens_engine::Game;
use ludens_gdl::Symbol;
use std::collections::{BTreeMap, BTreeSet};

/// A board under construction.
struct Draft {
    axes: CandidateAxes,
    layers: BTreeSet<Vec<Symbol>>,
    layer_first: bool,
    readings: Vec<Reading>,
    /// Readings that cover the board.
    grounds: Vec<Reading>,
}

/// Finds the boards of a game.
pub(crate) fn recognise(game: &Game) -> Boards {
    let observations = observe(game);
    let context = Context {
        game,
        successions: Successions::new(game),
        hints: Hints::new(game),
        roles: game.vocabulary().roles().values().copied().collect(),
    };
    let mut candidates: Vec<Candidate> = observations
        .kinds
        .iter()
        .filter_map(|(&kind, seen)| context.candidate(kind, seen))
        .collect();
    // Contents form boards, pieces and marks are placed on them; candidates that form a board by themselves come first,
    // largest first.
    candidates.sort_by_key(|candidate| {
        let size = usize::MAX - candidate.axes.size() * candidate.layers.len();
        (
            !candidate.stands_alone,
            candidate.reading.statement,
            size,
            candidate.reading.kind,
        )
    });
    let drafts = assemble(&observations, candidates);
    let mut boards = Boards::default();
    for draft in drafts {
        let (grid, layout) = finish(&context, &observations, draft);
        boards.grids.push(grid);
        boards.layout.boards.push(layout);
    }
    boards.layout.signs = all_signs(game, &observations, &boards);
    boards.texts = boards
        .grids
        .iter()
        .zip(&boards.layout.boards)
        .map(|(grid, board)| TextPlan::new(game, &observations, grid, board, &boards.layout.signs))
        .collect();
    boards.patterns = Patterns::new(game, &boards.grids);
    boards
}

impl CandidateAxes {
    fn size(&self) -> usize {
        match self {
            CandidateAxes::Pair(first, second) => first.len() * second.len(),
            CandidateAxes::Names(names) => names.len(),
            CandidateAxes::Row(places) => places.len(),
        }
    }

    /// Axes that contain both, if one lies within the other.
    fn union(&self, other: &CandidateAxes) -> Option<CandidateAxes> {
        let join = |a: &BTreeSet<Symbol>, b: &BTreeSet<Symbol>| {
            (a.is_subset(b) || b.is_subset(a)).then(|| a.union(b).copied().collect::<BTreeSet<Symbol>>())
        };
        match (self, other) {
            (CandidateAxes::Pair(a, b), CandidateAxes::Pair(c, d)) => {
                Some(CandidateAxes::Pair(join(a, c)?, join(b, d)?))
            }
            (CandidateAxes::Names(a), CandidateAxes::Names(b)) => join(a, b).map(CandidateAxes::Names),
            (CandidateAxes::Row(a), CandidateAxes::Row(b)) => join(a, b).map(CandidateAxes::Row),
            _ => None,
        }
    }
}

fn assemble(observations: &Observations, candidates: Vec<Candidate>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut waiting: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let home = drafts.iter_mut().find_map(|draft| {
            let axes = draft.axes.union(&candidate.axes)?;
            let is_ground = candidate.is_ground;
            let same_layers = draft.layers == candidate.layers;
            let is_free = !is_ground
                || draft
                    .grounds
                    .iter()
                    .all(|other| never_meet(observations, other, &candidate.reading));
            // Pieces and marks must not enlarge a board much.
            let grows = axes.size() > draft.axes.size() * 2 && !is_ground;
            (same_layers && is_free && !grows).then_some((draft, axes))
        });
        match home {
            Some((draft, axes)) => {
                draft.axes = axes;
                draft
                    .grounds
                    .extend(candidate.is_ground.then(|| candidate.reading.clone()));
                draft.readings.push(candidate.reading);
            }
            None if candidate.stands_alone => drafts.push(Draft {
                layer_first: candidate.reading.layer.first() < candidate.reading.cell.first(),
                axes: candidate.axes,
                layers: candidate.layers,
                grounds: candidate
                    .is_ground
                    .then(|| candidate.reading.clone())
                    .into_iter()
                    .collect(),
                readings: vec![candidate.reading],
            }),
            None => waiting.push(candidate),
        }
    }
    // Small, hardly used boards beside a large one are better shown as facts.
    let largest = drafts.iter().map(|draft| draft.axes.size()).max().unwrap_or(0);
    drafts.retain(|draft| {
        let size = draft.axes.size() * draft.layers.len();
        size * 4 >= largest || (size >= 6 && most(observations, &draft.readings) * 2 >= size)
    });
    drafts.extend(groups_of_marks(observations, waiting));
    drafts
}

/// Maximum number of cells of a board that these fluents refer to in one state.
fn most(observations: &Observations, readings: &[Reading]) -> usize {
    readings
        .iter()
        .map(|reading| observations.kinds[&reading.kind].most())
        .sum()
}

/// Combines fluents that each mark some of the same cells, such as `(lit 3)` and `(dark 4)`, into a board.
fn groups_of_marks(observations: &Observations, waiting: Vec<Candidate>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for candidate in waiting {
        if candidate.reading.statement != Statement::Mark {
            continue;
        }
        let home = drafts.iter_mut().find(|draft| draft.axes == candidate.axes);
        match home {
            Some(draft) => draft.readings.push(candidate.reading),
            None => drafts.push(Draft {
                axes: candidate.axes,
                layers: candidate.layers,
                layer_first: false,
                grounds: Vec::new(),
                readings: vec![candidate.reading],
            }),
        }
    }
    drafts.retain(|draft| draft.readings.len() >= 2 && most(observations, &draft.readings) * 2 >= draft.axes.size());
    drafts
}

/// Whether two fluents never referred to the same cell in the same state.
fn never_meet(observations: &Observations, one: &Reading, other: &Reading) -> bool {
    let cells = |reading: &Reading, facts: &Vec<Vec<ludens_gdl::normal::Term>>| -> BTreeSet<Vec<Symbol>> {
        let places: Vec<usize> = reading.cell.iter().chain(&reading.layer).copied().collect();
        facts.iter().filter_map(|args| constants(args, &places)).collect()
    };
    let (first, second) = (&observations.kinds[&one.kind], &observations.kinds[&other.kind]);
    first
        .states
        .iter()
        .all(|(state, facts)| match second.states.get(state) {
            Some(others) => cells(one, facts).is_disjoint(&cells(other, others)),
            None => true,
        })
}

fn finish(context: &Context<'_>, observations: &Observations, draft: Draft) -> (Grid, BoardLayout) {
    let game = context.game;
    let text = |symbol: &Symbol| game.vocabulary().symbols().name(*symbol).to_string();
    let plan = plan(context, &draft);
    let (layers, layer_names, layers_across) = order_layers(context, &draft);
    let grid = Grid {
        width: plan.columns.len(),
        height: plan.rows.len(),
        axes: plan.axes,
        layers,
        layer_first: draft.layer_first,
        readings: draft.readings,
    };
    let slanted = (grid.height > 1).then(|| slant(game, &grid)).flatten();
    let slanted = slanted.or(is_ragged(&grid).then_some(Slant::Centred));
    let shifts = shifts(&grid, slanted.as_ref());
    let shape = match (&grid.axes, slanted) {
        (Axes::Row(_), _) => Shape::Row,
        (_, Some(_)) => Shape::Hex,
        (_, None) => Shape::Square,
    };
    let first = &grid.readings[0];
    let (told, contents) = told(game, observations, &grid);
    let holes = holes(observations, &grid, &told, &contents);
    let fixed = fixtures(game, &grid, &holes, &contents).into_iter();
    let layout = BoardLayout {
        title: text(&first.kind.0),
        relations: grid
            .readings
            .iter()
            .map(|reading| format!("{}/{}", text(&reading.kind.0), reading.kind.1))
            .collect(),
        shape,
        columns: plan.columns,
        rows: plan.rows,
        layers: layer_names,
        layers_across,
        shifts,
        fixed: fixed
            .map(|(cell, contents)| CellView {
                cell,
                contents,
                ..CellView::default()
            })
            .collect(),
        holes,
    };
    (grid, layout)
}

/// Names of columns and rows as drawn, and positions of the values.
struct Plan {
    axes: Axes,
    columns: Vec<String>,
    rows: Vec<String>,
}

fn plan(context: &Context<'_>, draft: &Draft) -> Plan {
    let game = context.game;
    let text = |symbol: &Symbol| game.vocabulary().symbols().name(*symbol).to_string();
    let sorted = |values: &BTreeSet<Symbol>| match context.successions.order(game, values) {
        Some(ordered) => ordered.values,
        None => values.iter().copied().collect(),
    };
    let index = |values: &[Symbol]| -> BTreeMap<Symbol, usize> {
        values
            .iter()
            .enumerate()
            .map(|(number, value)| (*value, number))
            .collect()
    };
    match &draft.axes {
        CandidateAxes::Pair(first, second) => {
            let (first, second) = (sorted(first), sorted(second));
            let row_first = is_row_first(context, draft, &text(&first[0]), &text(&second[0]));
            let (columns, mut rows) = if row_first { (second, first) } else { (first, second) };
            // Coordinates count upwards, as in plots and on chess boards; numbered rows of a table go down.
            if !row_first {
                rows.reverse();
            }
            Plan {
                axes: Axes::Pair {
                    columns: index(&columns),
                    rows: index(&rows),
                    row_first,
                },
                columns: columns.iter().map(text).collect(),
                rows: rows.iter().map(text).collect(),
            }
        }
        CandidateAxes::Names(names) => {
            let parts = split_names(game, names).unwrap_or_default();
            let letters: BTreeSet<(usize, &String)> =
                parts.values().map(|(letter, _)| (letter.len(), letter)).collect();
            let rows: Vec<String> = letters.into_iter().map(|(_, letter)| letter.clone()).collect();
            let numbers: BTreeSet<u64> = parts.values().map(|(_, number)| *number).collect();
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let place = |(letter, number): &(String, u64)| {
                let row = rows.iter().position(|row| row == letter).unwrap_or(0);
                (numbers.iter().position(|known| known == number).unwrap_or(0), row)
            };
            Plan {
                axes: Axes::Names(parts.iter().map(|(name, part)| (*name, place(part))).collect()),
                columns: numbers.iter().map(u64::to_string).collect(),
                rows,
            }
        }
        CandidateAxes::Row(values) => {
            let values = sorted(values);
            Plan {
                axes: Axes::Row(index(&values)),
                columns: values.iter().map(text).collect(),
                rows: vec![String::new()],
            }
        }
    }
}

/// Whether the first coordinate is the row, by variable names or because columns are letters.
fn is_row_first(context: &Context<'_>, draft: &Draft, first: &str, second: &str) -> bool {
    let reading = &draft.readings[0];
    let hint = |number: usize| context.hints.direction(reading.kind, reading.cell[number]);
    match (hint(0), hint(1)) {
        (Some(Direction::Along), Some(Direction::Along)) | (Some(Direction::Across), Some(Direction::Across)) => false,
        (Some(Direction::Along), _) | (None, Some(Direction::Across)) => true,
        (Some(Direction::Across), _) | (None, Some(Direction::Along)) => false,
        (None, None) => {
            let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            is_number(first) && !is_number(second)
        }
    }
}

type Layers = (BTreeMap<Vec<Symbol>, usize>, Vec<String>, usize);

/// Layers in order, their names, and the number of layers side by side.
fn order_layers(context: &Context<'_>, draft: &Draft) -> Layers {
    let game = context.game;
    let depth = draft.layers.first().map_or(0, Vec::len);
    let orders: Vec<Vec<Symbol>> = (0..depth)
        .map(|place| {
            let values: BTreeSet<Symbol> = draft.layers.iter().map(|layer| layer[place]).collect();
            match context.successions.order(game, &values) {
                Some(ordered) => ordered.values,
                None => values.into_iter().collect(),
            }
        })
        .collect();
    let rank = |layer: &Vec<Symbol>| -> Vec<usize> {
        let ranks = layer.iter().zip(&orders);
        ranks
            .map(|(value, order)| order.iter().position(|known| known == value).unwrap_or(0))
            .collect()
    };
    let mut layers: Vec<Vec<Symbol>> = draft.layers.iter().cloned().collect();
    // Boards of boards are arranged like the cells within them: first coordinate to the right, second upwards.
    layers.sort_by_key(|layer| match rank(layer)[..] {
        [column, row] => (orders[1].len() - row, column),
        [number] => (number, 0),
        _ => (0, 0),
    });
    let across = match orders.len() {
        2 => orders[0].len(),
        _ => layers.len(),
    };
    let name = |layer: &Vec<Symbol>| {
        let names: Vec<&str> = layer
            .iter()
            .map(|&value| game.vocabulary().symbols().name(value))
            .collect();
        names.join(" ")
    };
    let names = layers.iter().map(name).collect();
    (
        layers
            .into_iter()
            .enumerate()
            .map(|(number, layer)| (layer, number))
            .collect(),
        names,
        across,
    )
}

fn shifts(grid: &Grid, slant: Option<&Slant>) -> Vec<f32> {
    let rows = 0..grid.height;
    match slant {
        None => rows.map(|_| 0.0).collect(),
        Some(Slant::Even(1)) => rows.map(|row| row as f32 / 2.0).collect(),
        Some(Slant::Even(_)) => rows.map(|row| (grid.height - 1 - row) as f32 / 2.0).collect(),
        Some(Slant::Centred) => {
            let length = |wanted: usize| match &grid.axes {
                Axes::Names(names) => names.values().filter(|(_, row)| *row == wanted).count(),
                _ => grid.width,
            };
            rows.map(|row| (grid.width - length(row)) as f32 / 2.0).collect()
        }
    }
}

/// Cells of a board that fluents may refer to, and the contents they may give.
fn told(game: &Game, observations: &Observations, grid: &Grid) -> (BTreeSet<usize>, BTreeSet<String>) {
    let (mut cells, mut contents) = (BTreeSet::new(), BTreeSet::new());
    for reading in &grid.readings {
        for args in &observations.kinds[&reading.kind].possible {
            cells.extend(grid.read(reading.kind, args).map(|(_, cell)| cell));
            contents.insert(content_text(game, reading, args));
        }
    }
    (cells, contents)
}

/// Cells that never have a content. They do not exist if the board names empty cells or all fluents are known.
fn holes(observations: &Observations, grid: &Grid, told: &BTreeSet<usize>, contents: &BTreeSet<String>) -> Vec<usize> {
    let has_contents = grid
        .readings
        .iter()
        .any(|reading| reading.statement == Statement::Content);
    let names_empty = signs(contents, &[]).values().any(|sign| sign.empty);
    let is_known = observations.is_complete || names_empty || matches!(grid.axes, Axes::Names(_));
    match is_known && (has_contents || matches!(grid.axes, Axes::Names(_))) {
        true => (0..grid.cell_count()).filter(|cell| !told.contains(cell)).collect(),
        false => Vec::new(),
    }
}

/// Signs for the contents of all boards. Boards with a content in common are treated together.
fn all_signs(game: &Game, observations: &Observations, boards: &Boards) -> BTreeMap<String, crate::Sign> {
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    let fixed = boards.layout.boards.iter().flat_map(|board| &board.fixed);
    let mut contents: BTreeSet<String> = fixed.flat_map(|cell| cell.contents.iter().cloned()).collect();
    for reading in boards.grids.iter().flat_map(|grid| &grid.readings) {
        for args in &observations.kinds[&reading.kind].possible {
            let text = content_text(game, reading, args);
            if !is_line(game, reading, &text) {
                contents.insert(text);
            }
        }
    }
    signs(&contents, &roles)
}
