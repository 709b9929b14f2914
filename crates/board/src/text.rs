//! Boards as lines of text, for terminals.

use crate::{BoardLayout, Boards, CellView, Layout, View};
use std::collections::BTreeMap;

impl Boards {
    /// Draws each board of a view as lines of text. Empty cells are dots, cells that do not exist blanks.
    pub fn draw(&self, view: &View) -> Vec<String> {
        let layout = self.layout();
        let boards = layout.boards.iter().zip(&view.boards);
        boards.map(|(board, cells)| draw(layout, board, cells)).collect()
    }
}

fn draw(layout: &Layout, board: &BoardLayout, cells: &[CellView]) -> String {
    let texts: BTreeMap<usize, String> = cells.iter().map(|cell| (cell.cell, label(layout, cell))).collect();
    let length = |text: &String| text.chars().count();
    let widest = |a: usize, b: usize| a.max(b);
    let width = texts.values().chain(&board.columns).map(length).fold(1, widest);
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
    lines.join("\n")
}

/// What a cell is shown as: all contents but an empty ground that something lies on.
fn label(layout: &Layout, cell: &CellView) -> String {
    let signs = cell.contents.iter().map(|content| layout.signs.get(content));
    let is_empty = |sign: &Option<&crate::Sign>| sign.is_some_and(|sign| sign.empty);
    let full: Vec<&str> = signs
        .zip(&cell.contents)
        .filter(|(sign, _)| !is_empty(sign))
        .map(|(sign, content)| sign.map_or(content.as_str(), |sign| sign.label.as_str()))
        .collect();
    let walls: String = cell.walls.iter().filter_map(|side| side.chars().next()).collect();
    match (full.is_empty(), walls.is_empty()) {
        (true, true) => ".".to_string(),
        _ => format!("{}{walls}", full.join("")),
    }
}
