//! States as JSON: fluents, boards and legal moves.

use crate::model::StateView;
use ludens_board::Boards;
use ludens_engine::{Game, Machine, MoveId, Role, State};
use ludens_play::Replay;
use serde_json::{Value, json};

/// Boards of a game.
#[derive(Debug)]
pub(crate) struct Layout {
    boards: Boards,
    json: Value,
}

impl Layout {
    /// Looks for boards.
    pub(crate) fn find(game: &Game) -> Layout {
        let boards = Boards::find(game);
        Layout {
            json: json!(boards.layout()),
            boards,
        }
    }

    /// Description of the boards for clients.
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }

    /// Shows the state of a machine.
    pub(crate) fn show(
        &self,
        game: &Game,
        machine: &mut dyn Machine,
        step: usize,
        moves: Option<Vec<String>>,
    ) -> StateView {
        let terminal = machine.is_terminal();
        let mut room = Room::default();
        let fluents: Vec<String> = game
            .state_texts(machine.state())
            .into_iter()
            .filter(|text| room.takes(text))
            .collect();
        let mut legal: Vec<Vec<MoveId>> = Vec::new();
        let mut texts: Vec<Vec<String>> = Vec::new();
        for role in game.roles() {
            let (ids, words) = match terminal {
                true => (Vec::new(), Vec::new()),
                false => room.moves(game, role, machine.legal(role)),
            };
            legal.push(ids);
            texts.push(words);
        }
        let mut view = match room.is_full {
            // A truncated state is not drawn.
            true => json!({ "boards": vec![Vec::<Value>::new(); self.boards.layout().boards.len()], "facts": [] }),
            false => json!(self.boards.view(game, machine.state())),
        };
        let choices = game.roles().zip(&legal);
        let choices = choices.map(|(role, legal)| json!(self.boards.moves(game, role, legal)));
        view["moves"] = choices.collect();
        StateView {
            step,
            moves,
            fluents,
            view,
            legal: texts,
            terminal,
            goals: terminal.then(|| game.roles().map(|role| machine.score(role)).collect()),
            is_cut: room.is_full,
        }
    }
}

/// Bytes left for a state: rules of strangers may have states too large to send.
#[derive(Default)]
struct Room {
    entries: usize,
    bytes: usize,
    is_full: bool,
}

impl Room {
    const ENTRIES: usize = 10_000;
    const BYTES: usize = 500_000;

    /// Whether `text` still fits; if so, takes its bytes.
    fn takes(&mut self, text: &str) -> bool {
        self.entries += 1;
        self.bytes += text.len();
        self.is_full |= self.entries > Room::ENTRIES || self.bytes > Room::BYTES;
        !self.is_full
    }

    /// Legal moves as far as they fit, at least one per role.
    fn moves(&mut self, game: &Game, role: Role, legal: &[MoveId]) -> (Vec<MoveId>, Vec<String>) {
        let mut told = (Vec::new(), Vec::new());
        for &id in legal {
            let text = game.move_text(role, id);
            if !self.takes(&text) && !told.0.is_empty() {
                break;
            }
            told.0.push(id);
            told.1.push(text);
        }
        told
    }
}

/// Up to `count` states of a recorded match, starting with number `from`; fewer if its moves no longer match the rules.
pub(crate) fn replay(game: &Game, layout: &Layout, moves: &[Vec<String>], from: usize, count: usize) -> Vec<StateView> {
    let mut replay = Replay::new(game);
    let mut states = Vec::new();
    for step in 0..from.saturating_add(count) {
        if step >= from {
            let last = step.checked_sub(1).map(|last| moves[last].clone());
            states.push(layout.show(game, replay.machine(), step, last));
        }
        let is_on = moves.get(step).is_some_and(|joint| replay.follow(joint).is_ok());
        if !is_on {
            break;
        }
    }
    states
}

/// The state after these joint moves; `None` if it is terminal or the moves cannot be followed.
pub(crate) fn state_after(game: &Game, moves: &[Vec<String>]) -> Option<State> {
    let mut replay = Replay::new(game);
    let is_on = moves.iter().all(|joint| replay.follow(joint).is_ok());
    let is_open = is_on && !replay.machine().is_terminal();
    is_open.then(|| replay.state().clone())
}
