//! Play by a strategy from a file.

use super::support::mixture;
use super::{AgentKind, AgentSettings, Sight};
use crate::agent::{Agent, Place};
use crate::settings::{File, NamedFile, settings};
use crate::view::Position;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, Rng};
use ludens_equilibrium::draw;
use ludens_equilibrium::exploit::Table;
use ludens_search::Decision;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "table",
    summary: "plays a strategy from a file, and uniformly at random in states that it does not cover",
    default: || Box::<Strategy>::default(),
};

settings! {
    /// Settings of the strategy.
    struct Strategy {
        /// strategy file, written by `ludens exploit` or by hand; without one all moves are equally likely
        file: Option<NamedFile> = None, File;
    }
}

impl AgentSettings for Strategy {
    fn sight(&self) -> Sight {
        Sight::Refuses("its strategy is made of states")
    }

    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let table = self.file.as_ref().and_then(|file| read_table(&place.game, file).ok());
        Box::new(ByTable {
            // A strategy of another game says nothing about this one.
            table: table.unwrap_or_default(),
            rng: Rng::with_seed(place.seed),
            place: place.clone(),
        })
    }

    fn is_light(&self) -> bool {
        true
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        match &self.file {
            Some(file) => read_table(game, file).map(drop),
            None => Ok(()),
        }
    }
}

/// Reads a strategy for a game.
pub(super) fn read_table(game: &Game, file: &NamedFile) -> Result<Table, String> {
    let cause = match std::str::from_utf8(&file.content()?.bytes) {
        Ok(text) => match Table::read(game, text) {
            Ok(table) => return Ok(table),
            Err(error) => error.to_string(),
        },
        Err(_) => "it is no text".to_string(),
    };
    Err(format!("{} cannot be used for {}: {cause}", file.path, game.name()))
}

struct ByTable {
    place: Place,
    table: Table,
    rng: Rng,
}

impl Agent for ByTable {
    fn choose(&mut self, view: &Position, _budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(view.state());
        let moves: Vec<MoveId> = machine.legal(self.place.role).to_vec();
        let probabilities = self.table.mixture(view.state(), self.place.role.index(), &moves);
        let probabilities = probabilities.unwrap_or_else(|| vec![1.0 / moves.len() as f64; moves.len()]);
        let choice = moves[draw(&probabilities, &mut self.rng)];
        Decision {
            moves: mixture(&moves, &probabilities),
            ..Decision::without_search(choice, StopReason::Known)
        }
    }
}
