//! How states can be drawn: which boards a game has, and what is on them.

use ludens_engine::{Game, State};
use serde_json::{Value, json};

/// What is known about the boards of a game.
#[derive(Debug)]
pub(crate) struct Layout {
    json: Value,
}

impl Layout {
    /// Looks for boards.
    pub(crate) fn find(_game: &Game) -> Layout {
        Layout {
            json: json!({ "boards": [] }),
        }
    }

    /// What clients are told about the boards.
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }

    /// What is on the boards in a state.
    pub(crate) fn view(&self, game: &Game, state: &State) -> Value {
        json!({ "boards": [], "others": game.state_texts(state) })
    }
}
