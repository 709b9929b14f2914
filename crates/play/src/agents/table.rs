//! Play by a strategy from a file.

use super::AgentKind;
use super::against::read_table;
use crate::agent::{Agent, Place};
use crate::settings::{Kind, Setting, Values};
use crate::view::View;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, Rng};
use ludens_equilibrium::draw;
use ludens_equilibrium::exploit::Table;
use ludens_search::{Decision, MoveStatistics};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "table",
    summary: "plays a strategy from a file, and uniformly where it says nothing",
    settings: &[Setting {
        name: "file",
        help: "the file, as `ludens exploit` writes them or written by hand; without one all moves are alike",
        kind: Kind::File,
    }],
    create: |place, values| Box::new(ByTable::new(place, values)),
};

struct ByTable {
    place: Place,
    table: Table,
    rng: Rng,
}

impl ByTable {
    fn new(place: &Place, values: &Values) -> ByTable {
        let content = values.file("file").and_then(|file| file.content.as_ref());
        let table = content.and_then(|content| read_table(&place.game, content).ok());
        ByTable {
            // A strategy of another game says nothing about this one.
            table: table.unwrap_or_default(),
            rng: Rng::with_seed(place.seed),
            place: place.clone(),
        }
    }
}

impl Agent for ByTable {
    fn choose(&mut self, view: &View, _budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(view.state());
        let moves: Vec<MoveId> = machine.legal(self.place.role).to_vec();
        let mixture = self.table.mixture(view.state(), self.place.role.index(), &moves);
        let mixture = mixture.unwrap_or_else(|| vec![1.0 / moves.len() as f64; moves.len()]);
        let choice = moves[draw(&mixture, &mut self.rng)];
        let pairs = moves.iter().zip(mixture);
        Decision {
            moves: pairs
                .map(|(&move_id, probability)| MoveStatistics {
                    move_id,
                    probability,
                    value: None,
                    proved: false,
                    visits: 0,
                })
                .collect(),
            ..Decision::without_search(choice, StopReason::Known)
        }
    }
}

/// Whether the file fits a game; else what is wrong.
pub(super) fn check(game: &Game, values: &Values) -> Result<(), String> {
    let Some(file) = values.file("file") else {
        return Ok(());
    };
    let content = file.content.as_ref();
    let content = content.ok_or_else(|| format!("{} was not read", file.path))?;
    let table = read_table(game, content);
    table
        .map(drop)
        .map_err(|error| format!("{} cannot be used for {}: {error}", file.path, game.name()))
}
