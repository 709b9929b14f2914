//! A board: maps arguments of fluents and moves to cells.

use crate::observe::Kind;
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::collections::BTreeMap;

/// How constants name cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Axes {
    /// A column and a row.
    Pair {
        columns: BTreeMap<Symbol, usize>,
        rows: BTreeMap<Symbol, usize>,
        /// Whether the row comes first.
        row_first: bool,
    },
    /// One name for both, with its column and row.
    Names(BTreeMap<Symbol, (usize, usize)>),
    /// An index in a single row.
    Row(BTreeMap<Symbol, usize>),
}

/// Kind of statement that a fluent makes about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Statement {
    /// The content of the cell.
    Content,
    /// A piece in the cell, perhaps among others.
    Piece,
    /// A mark, given by the name of the fluent alone.
    Mark,
}

/// How fluents of one kind are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) kind: Kind,
    pub(crate) statement: Statement,
    /// Arguments that name the cell, in the order of the axes.
    pub(crate) cell: Vec<usize>,
    /// Arguments that name the layer.
    pub(crate) layer: Vec<usize>,
    /// All other arguments.
    pub(crate) content: Vec<usize>,
}

/// A board with the fluents that are read as it.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) axes: Axes,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) layers: BTreeMap<Vec<Symbol>, usize>,
    /// Whether the arguments of the layer come before the coordinates in a reference to a cell.
    pub(crate) layer_first: bool,
    pub(crate) readings: Vec<Reading>,
}

impl Grid {
    pub(crate) fn cell_count(&self) -> usize {
        self.width * self.height * self.layers.len()
    }

    /// Number of arguments that name a cell.
    pub(crate) fn reference_len(&self) -> usize {
        self.coordinate_count() + self.layer_len()
    }

    pub(crate) fn coordinate_count(&self) -> usize {
        match self.axes {
            Axes::Pair { .. } => 2,
            Axes::Names(_) | Axes::Row(_) => 1,
        }
    }

    fn layer_len(&self) -> usize {
        self.layers.keys().next().map_or(0, Vec::len)
    }

    pub(crate) fn number(&self, column: usize, row: usize, layer: usize) -> usize {
        (layer * self.height + row) * self.width + column
    }

    /// Column and row of the cell with these coordinates.
    pub(crate) fn plane(&self, coordinates: &[Symbol]) -> Option<(usize, usize)> {
        match (&self.axes, coordinates) {
            (
                Axes::Pair {
                    columns,
                    rows,
                    row_first,
                },
                [first, second],
            ) => {
                let (column, row) = if *row_first { (second, first) } else { (first, second) };
                Some((*columns.get(column)?, *rows.get(row)?))
            }
            (Axes::Names(names), [name]) => names.get(name).copied(),
            (Axes::Row(places), [place]) => Some((*places.get(place)?, 0)),
            _ => None,
        }
    }

    /// Index of the cell with these coordinates on this layer.
    pub(crate) fn locate(&self, coordinates: &[Symbol], layer: &[Symbol]) -> Option<usize> {
        let (column, row) = self.plane(coordinates)?;
        Some(self.number(column, row, *self.layers.get(layer)?))
    }

    /// Index of the cell that consecutive arguments of a move refer to.
    pub(crate) fn refer(&self, args: &[Symbol]) -> Option<usize> {
        let split = if self.layer_first {
            self.layer_len()
        } else {
            self.coordinate_count()
        };
        let (first, second) = args.split_at_checked(split)?;
        match self.layer_first {
            true => self.locate(second, first),
            false => self.locate(first, second),
        }
    }

    /// Cell that a fluent refers to, with its reading.
    pub(crate) fn read<'a>(&'a self, kind: Kind, args: &[Term]) -> Option<(&'a Reading, usize)> {
        let reading = self.readings.iter().find(|reading| reading.kind == kind)?;
        let cell = constants(args, &reading.cell)?;
        let layer = constants(args, &reading.layer)?;
        // A fluent without a layer belongs to a flat board or to the first layer.
        let number = match layer.is_empty() && !self.layers.contains_key(&layer) {
            true => self.plane(&cell).map(|(column, row)| self.number(column, row, 0)),
            false => self.locate(&cell, &layer),
        };
        Some((reading, number?))
    }
}

/// Constants at some arguments.
pub(crate) fn constants(args: &[Term], places: &[usize]) -> Option<Vec<Symbol>> {
    places
        .iter()
        .map(|&place| match args.get(place)? {
            Term::Constant(name) => Some(*name),
            _ => None,
        })
        .collect()
}
