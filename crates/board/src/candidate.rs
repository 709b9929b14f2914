//! Candidate boards: reads each kind of fluent on its own.
//!
//! A board is something that can be drawn, so that coordinates must be ordered, or named by letter and number. The
//! boards of `evaluate` are found by other criteria: piece values need cells but no order, distances need an order but
//! no cells.

use crate::grid::{Reading, Statement};
use crate::hints::Hints;
use crate::observe::{Kind, Seen};
use crate::order::{Ordered, Successions, split_names};
use crate::view::{content_text, is_line};
use ludens_engine::Game;
use ludens_gdl::Symbol;
use std::collections::BTreeSet;

/// Maximum number of values of a coordinate.
pub(crate) const LONGEST: usize = 40;
/// Maximum number of arguments of a board fluent; trying all pairs of more would take long.
const MOST_ARGUMENTS: usize = 6;
/// Maximum number of layers.
const MOST_LAYERS: usize = 16;

/// A kind of fluent that can be read as a board.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) reading: Reading,
    /// Values of the coordinates, in the order of the arguments.
    pub(crate) axes: CandidateAxes,
    /// Values that name layers; one empty list if there are none.
    pub(crate) layers: BTreeSet<Vec<Symbol>>,
    /// Whether it forms a board by itself, and not only on a board of others.
    pub(crate) stands_alone: bool,
    /// Whether it covers a board, so that two such fluents need two boards.
    pub(crate) is_ground: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CandidateAxes {
    Pair(BTreeSet<Symbol>, BTreeSet<Symbol>),
    Names(BTreeSet<Symbol>),
    Row(BTreeSet<Symbol>),
}

/// Data for reading a kind of fluent.
pub(crate) struct Context<'a> {
    pub(crate) game: &'a Game,
    pub(crate) successions: Successions,
    pub(crate) hints: Hints,
    pub(crate) roles: BTreeSet<Symbol>,
}

impl Context<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.game.vocabulary().symbols().name(symbol)
    }

    fn is_number(&self, symbol: Symbol) -> bool {
        self.name(symbol).bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Order of the values at an argument, if they can be coordinates.
    fn coordinate(&self, seen: &Seen, place: usize) -> Option<Ordered> {
        let values = seen.domains[place].as_ref()?;
        let fits = (2..=LONGEST).contains(&values.len()) && !values.is_subset(&self.roles);
        fits.then(|| self.successions.order(self.game, values)).flatten()
    }

    /// Whether the values at these arguments include words, not only numbers.
    fn has_words(&self, seen: &Seen, places: &[usize]) -> bool {
        places.iter().any(|&place| match &seen.domains[place] {
            Some(values) => values.iter().any(|&value| !self.is_number(value)),
            None => true,
        })
    }

    /// Reads a kind of fluent as a board, if possible.
    pub(crate) fn candidate(&self, kind: Kind, seen: &Seen) -> Option<Candidate> {
        if kind.1 > MOST_ARGUMENTS {
            return None;
        }
        if let Some(candidate) = self.names(kind, seen) {
            return Some(candidate);
        }
        let orders: Vec<Option<Ordered>> = (0..kind.1).map(|place| self.coordinate(seen, place)).collect();
        match kind.1 {
            0 => None,
            1 => self.row(kind, seen, &orders),
            2 if self.is_hinted(kind, 0, 1) && orders.iter().all(Option::is_some) => self.marks(kind, seen, &orders),
            2 => self
                .row(kind, seen, &orders)
                .or_else(|| self.marks(kind, seen, &orders)),
            _ => self
                .plane(kind, seen, &orders)
                .or_else(|| self.layered(kind, seen, &orders)),
        }
    }

    /// Reads cells named by a letter and a number.
    fn names(&self, kind: Kind, seen: &Seen) -> Option<Candidate> {
        let place = (0..kind.1).find(|&place| {
            let values = seen.domains[place].as_ref();
            values.is_some_and(|values| values.len() >= 6 && split_names(self.game, values).is_some())
        })?;
        let values = seen.domains[place].clone()?;
        if self.is_among_others(seen, place) {
            return None;
        }
        let content: Vec<usize> = (0..kind.1).filter(|&other| other != place).collect();
        let statement = match (content.is_empty(), seen.is_key(&[place])) {
            (true, _) => Statement::Mark,
            (false, true) => Statement::Content,
            (false, false) => Statement::Piece,
        };
        Some(Candidate {
            reading: Reading {
                kind,
                statement,
                cell: vec![place],
                layer: Vec::new(),
                content,
            },
            axes: CandidateAxes::Names(values),
            layers: BTreeSet::from([Vec::new()]),
            stands_alone: statement == Statement::Content || seen.most() > 1,
            is_ground: statement == Statement::Content,
        })
    }

    /// Whether values of an argument occur at other arguments too: then the fluent relates pairs of things and not
    /// places and contents. Numbers are exempt.
    fn is_among_others(&self, seen: &Seen, place: usize) -> bool {
        let Some(values) = &seen.domains[place] else {
            return false;
        };
        let others = seen.domains.iter().enumerate().filter(|(other, _)| *other != place);
        let mut shared = others.filter_map(|(_, domain)| domain.as_ref()).flatten();
        shared.any(|value| values.contains(value) && !self.is_number(*value))
    }

    /// Reads one ordered coordinate and a content, or only a coordinate.
    fn row(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>]) -> Option<Candidate> {
        orders[0].as_ref()?;
        let values = seen.domains[0].clone()?;
        let fits = values.len() >= 3 && seen.most() >= 2 && seen.is_key(&[0]) && !self.is_among_others(seen, 0);
        // Two ordered arguments may be marks on a plane, unless nearly every place has a content.
        let is_plane = kind.1 == 2 && orders[1].is_some() && !self.is_full(seen, values.len());
        (fits && !is_plane).then(|| Candidate {
            reading: Reading {
                kind,
                statement: if kind.1 == 1 {
                    Statement::Mark
                } else {
                    Statement::Content
                },
                cell: vec![0],
                layer: Vec::new(),
                content: (1..kind.1).collect(),
            },
            axes: CandidateAxes::Row(values),
            layers: BTreeSet::from([Vec::new()]),
            stands_alone: kind.1 == 2,
            is_ground: kind.1 == 2,
        })
    }

    /// Whether variables at both arguments are named after columns and rows.
    fn is_hinted(&self, kind: Kind, first: usize, second: usize) -> bool {
        [first, second]
            .iter()
            .all(|&place| self.hints.direction(kind, place).is_some())
    }

    /// Whether some state has a fluent for at least half of the values.
    fn is_full(&self, seen: &Seen, values: usize) -> bool {
        seen.most() * 2 >= values
    }

    /// Reads two ordered coordinates without a content.
    fn marks(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>]) -> Option<Candidate> {
        let (first, second) = (orders[0].as_ref()?, orders[1].as_ref()?);
        let is_function = seen.is_key(&[0]) || seen.is_key(&[1]);
        let is_hinted = self.is_hinted(kind, 0, 1);
        let is_plane = !is_function && (first.is_certain && second.is_certain || is_hinted);
        (is_hinted || seen.most() > 1).then(|| Candidate {
            reading: Reading {
                kind,
                statement: Statement::Mark,
                cell: vec![0, 1],
                layer: Vec::new(),
                content: Vec::new(),
            },
            axes: CandidateAxes::Pair(
                first.values.iter().copied().collect(),
                second.values.iter().copied().collect(),
            ),
            layers: BTreeSet::from([Vec::new()]),
            stands_alone: is_plane,
            is_ground: false,
        })
    }

    /// Score of two arguments as coordinates of a board.
    fn score(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>], first: usize, second: usize) -> Option<usize> {
        let (one, other) = (orders[first].as_ref()?, orders[second].as_ref()?);
        let hinted = |place| usize::from(self.hints.direction(kind, place).is_some());
        let same = seen.domains[first] == seen.domains[second];
        Some(
            4 * usize::from(same)
                + 3 * usize::from(seen.is_key(&[first, second]))
                + 3 * hinted(first)
                + 3 * hinted(second)
                + 2 * usize::from(second == first + 1)
                + usize::from(one.is_certain)
                + usize::from(other.is_certain)
                + usize::from(first == 0),
        )
    }

    /// The pair of arguments with the best score.
    fn best_pair(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>]) -> Option<(usize, usize)> {
        let pairs = (0..kind.1).flat_map(|first| (first + 1..kind.1).map(move |second| (first, second)));
        let scored = pairs.filter_map(|(first, second)| {
            let score = self.score(kind, seen, orders, first, second)?;
            // Ties go to the first pair; `max_by_key` alone would take the last.
            Some((score, usize::MAX - first, usize::MAX - second, (first, second)))
        });
        scored.max().map(|(.., pair)| pair)
    }

    /// Reads two ordered coordinates and a content.
    fn plane(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>]) -> Option<Candidate> {
        let (first, second) = self.best_pair(kind, seen, orders)?;
        let content: Vec<usize> = (0..kind.1).filter(|&place| place != first && place != second).collect();
        let has_words = self.has_words(seen, &content);
        let cells = seen.domains[first].as_ref()?.len() * seen.domains[second].as_ref()?.len();
        let is_filled = seen.most() * 2 >= cells;
        let is_behind = content.iter().all(|&place| place > second);
        let statement = match (seen.is_key(&[first, second]), has_words, content.len()) {
            // Another cell is not a content, and numbers of cells, such as group numbers, are not shown.
            (true, false, 2..) => return None,
            (true, false, 1) if !is_behind => return None,
            // Every piece is in one cell, and there are few of them.
            (true, ..) if !is_filled && seen.is_key(&content) => Statement::Piece,
            (true, ..) => Statement::Content,
            (false, false, 2..) => return None,
            (false, false, _) if !is_filled || !is_behind => return None,
            (false, ..) if kind.1 > 3 && self.layered(kind, seen, orders).is_some() => return None,
            (false, ..) => Statement::Piece,
        };
        let same = seen.domains[first] == seen.domains[second];
        let is_evident = statement == Statement::Content || same || self.is_hinted(kind, first, second);
        let axes = CandidateAxes::Pair(seen.domains[first].clone()?, seen.domains[second].clone()?);
        let reading = Reading {
            kind,
            statement,
            cell: vec![first, second],
            layer: Vec::new(),
            content,
        };
        // Lines lie between cells and cover nothing.
        let is_line =
            (seen.possible.iter()).all(|args| is_line(self.game, &reading, &content_text(self.game, &reading, args)));
        Some(Candidate {
            reading,
            axes,
            layers: BTreeSet::from([Vec::new()]),
            stands_alone: is_evident && seen.most() > 1,
            is_ground: (statement == Statement::Content || is_filled) && !is_line,
        })
    }

    /// Reads two ordered coordinates, one or two arguments that name the layer, and a content.
    fn layered(&self, kind: Kind, seen: &Seen, orders: &[Option<Ordered>]) -> Option<Candidate> {
        let arity = kind.1;
        let mut layered: Vec<(usize, Vec<usize>, (usize, usize))> = Vec::new();
        for first in 0..arity {
            for second in first + 1..arity {
                let Some(score) = self.score(kind, seen, orders, first, second) else {
                    continue;
                };
                for third in (0..arity).filter(|place| ![first, second].contains(place)) {
                    layered.push((score, vec![third], (first, second)));
                    for fourth in (third + 1..arity).filter(|place| ![first, second].contains(place)) {
                        // Boards of boards name the outer one first.
                        let is_outer = fourth < first;
                        layered.push((score + usize::from(is_outer), vec![third, fourth], (first, second)));
                    }
                }
            }
        }
        // Prefers few layers, then the best score, then the last argument as the layer.
        layered.sort_by_key(|(score, layer, pair)| (layer.len(), usize::MAX - score, *pair));
        layered.into_iter().find_map(|(_, layer, (first, second))| {
            let mut key = vec![first, second];
            key.extend(&layer);
            let content: Vec<usize> = (0..arity).filter(|place| !key.contains(place)).collect();
            let layers = self.layers(seen, &layer)?;
            let cells = seen.domains[first].as_ref()?.len() * seen.domains[second].as_ref()?.len() * layers.len();
            let is_ordered = layer.iter().all(|&place| orders[place].is_some());
            let is_filled = seen.most() * 4 >= cells;
            // A content with the values of the coordinates would be a pair of cells.
            let is_pair = content.iter().any(|&place| seen.domains[place] == seen.domains[first]);
            let fits = !content.is_empty() && !is_pair && (is_ordered || is_filled) && seen.is_key(&key);
            fits.then(|| {
                Some(Candidate {
                    reading: Reading {
                        kind,
                        statement: Statement::Content,
                        cell: vec![first, second],
                        layer,
                        content,
                    },
                    axes: CandidateAxes::Pair(seen.domains[first].clone()?, seen.domains[second].clone()?),
                    layers,
                    stands_alone: true,
                    is_ground: true,
                })
            })?
        })
    }

    fn layers(&self, seen: &Seen, places: &[usize]) -> Option<BTreeSet<Vec<Symbol>>> {
        let domains: Option<Vec<&BTreeSet<Symbol>>> =
            places.iter().map(|&place| seen.domains[place].as_ref()).collect();
        let mut layers: BTreeSet<Vec<Symbol>> = BTreeSet::from([Vec::new()]);
        for domain in domains? {
            if !(2..=MOST_LAYERS).contains(&domain.len()) {
                return None;
            }
            layers = layers
                .iter()
                .flat_map(|layer| {
                    domain
                        .iter()
                        .map(move |&value| layer.iter().copied().chain([value]).collect())
                })
                .collect();
        }
        (layers.len() <= MOST_LAYERS).then_some(layers)
    }
}
