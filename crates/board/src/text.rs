//! Boards as lines of text, for terminals.
//!
//! All cells of a board have the same width in all states, that of the widest content seen. If codes replace words, a
//! legend below the board explains them.

use crate::grid::{Grid, Reading};
use crate::observe::Observations;
use crate::view::{content_text, is_line};
use crate::{BoardLayout, Boards, CellView, Layout, Sign, View};
use ludens_engine::Game;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum width of a legend.
const LEGEND_WIDTH: usize = 76;

/// Data for drawing a board as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextPlan {
    /// Width of a cell.
    width: usize,
    /// Lines of the legend.
    legend: Vec<String>,
}

impl TextPlan {
    pub(crate) fn new(
        game: &Game,
        observations: &Observations,
        grid: &Grid,
        board: &BoardLayout,
        signs: &BTreeMap<String, Sign>,
    ) -> TextPlan {
        let fixed = board.fixed.iter().flat_map(|cell| &cell.contents);
        let mut contents: BTreeSet<String> = fixed.cloned().collect();
        let mut widths: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let length = |content: &str| match signs.get(content) {
            Some(sign) if sign.empty => 0,
            Some(sign) => sign.code.chars().count(),
            None => content.chars().count(),
        };
        // Roles by their first letters need no legend.
        let is_role = |text: &str| length(text) == 1 && game.roles().any(|role| game.role_name(role) == text);
        let is_shown = |reading: &Reading, text: &str| !is_line(game, reading, text);
        for reading in &grid.readings {
            let seen = &observations.kinds[&reading.kind];
            let texts = seen.possible.iter().map(|args| content_text(game, reading, args));
            contents.extend(texts.filter(|text| is_shown(reading, text)));
            for (&state, facts) in &seen.states {
                for args in facts {
                    let text = content_text(game, reading, args);
                    if let Some((_, cell)) = grid.read(reading.kind, args) {
                        let width = if is_shown(reading, &text) { length(&text) } else { 1 };
                        *widths.entry((state, cell)).or_default() += width;
                    }
                }
            }
        }
        let columns = board.columns.iter().map(|column| column.chars().count());
        let widest = columns
            .chain(contents.iter().map(|content| length(content)))
            .chain(widths.into_values());
        TextPlan {
            width: widest.max().unwrap_or(1).max(1),
            legend: legend(
                contents
                    .iter()
                    .filter(|content| !is_role(content))
                    .filter_map(|content| signs.get(content)),
            ),
        }
    }
}

/// Legend of the codes that are not the words themselves.
fn legend<'a>(signs: impl Iterator<Item = &'a Sign>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for sign in signs.filter(|sign| !sign.empty && sign.code != sign.label) {
        let entry = format!("{}: {}", sign.code, sign.label);
        match lines.last_mut() {
            Some(line) if line.len() + entry.len() + 2 <= LEGEND_WIDTH => *line = format!("{line}, {entry}"),
            _ => lines.push(entry),
        }
    }
    lines
}

impl Boards {
    /// Draws each board of a view as lines of text. Empty cells are dots, cells that do not exist blanks.
    pub fn draw(&self, view: &View) -> Vec<String> {
        let layout = self.layout();
        let boards = layout.boards.iter().zip(&view.boards).zip(&self.texts);
        boards
            .map(|((board, cells), plan)| draw(layout, board, cells, plan))
            .collect()
    }
}

fn draw(layout: &Layout, board: &BoardLayout, cells: &[CellView], plan: &TextPlan) -> String {
    let fixed = board.fixed.iter().map(|cell| (cell.cell, label(layout, cell)));
    let mut texts: BTreeMap<usize, String> = fixed.collect();
    for cell in cells {
        let text = label(layout, cell);
        // An empty ground does not hide a wall.
        if text != "." || !texts.contains_key(&cell.cell) {
            texts.insert(cell.cell, text);
        }
    }
    let length = |text: &String| text.chars().count();
    let widest = |a: usize, b: usize| a.max(b);
    // A content wider than all seen before is still shown completely.
    let width = texts.values().map(length).fold(plan.width, widest);
    let margin = board.rows.iter().map(length).fold(0, widest);
    let mut lines = Vec::new();
    for (number, layer) in board.layers.iter().enumerate() {
        match (layer.is_empty(), layout.boards.len()) {
            (true, 1) => {}
            (true, _) => lines.push(format!("{}:", board.title)),
            (false, _) => lines.push(format!("{} {layer}:", board.title)),
        }
        for (row, name) in board.rows.iter().enumerate() {
            let start = (number * board.rows.len() + row) * board.columns.len();
            let parts: Vec<String> = (start..start + board.columns.len())
                .map(|cell| format!("{:^width$}", texts.get(&cell).map_or(" ", String::as_str)))
                .collect();
            let shift = " ".repeat((board.shifts[row] * (width + 1) as f32) as usize);
            lines.push(format!("{name:>margin$} | {shift}{} |", parts.join(" ")));
        }
        let names: Vec<String> = board.columns.iter().map(|column| format!("{column:^width$}")).collect();
        lines.push(format!("{:>margin$}   {}", "", names.join(" ")).trim_end().to_string());
    }
    lines.extend(plan.legend.iter().cloned());
    lines.join("\n")
}

/// Text of a cell: all contents except an empty ground below another content.
fn label(layout: &Layout, cell: &CellView) -> String {
    let signs = cell.contents.iter().map(|content| layout.signs.get(content));
    let is_empty = |sign: &Option<&Sign>| sign.is_some_and(|sign| sign.empty);
    let full: Vec<&str> = signs
        .zip(&cell.contents)
        .filter(|(sign, _)| !is_empty(sign))
        .map(|(sign, content)| sign.map_or(content.as_str(), |sign| sign.code.as_str()))
        .collect();
    let walls: String = cell.walls.iter().filter_map(|side| side.chars().next()).collect();
    match (full.is_empty(), walls.is_empty()) {
        (true, true) => ".".to_string(),
        _ => format!("{}{walls}", full.join("")),
    }
}
