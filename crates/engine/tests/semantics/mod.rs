//! The semantics of rules, one point per test: small rule sets as text, run on the engine of the including test.
//!
//! Most of them define a relation and ask for it through `legal`: the moves of the only role `w` are the answers.

use crate::ENGINE;
use ludens_engine::{Game, GameError, Limits, Machine, MoveId, Options, Role};
use ludens_gdl::{Description, Source};

mod language;
mod scale;

/// A game and a machine that plays it.
pub struct Play {
    game: Game,
    machine: Box<dyn Machine>,
}

fn options(limits: Limits) -> Options {
    Options {
        engine: ENGINE,
        limits,
        ..Options::default()
    }
}

pub fn play(rules: &str) -> Play {
    play_within(rules, Limits::default())
}

/// The game within limits that are hit if more is derived than is asked for.
fn play_within(rules: &str, limits: Limits) -> Play {
    let description = Description::read(Source::new("test", rules));
    let game = Game::new(description, options(limits)).unwrap_or_else(|error| panic!("{error}\n{rules}"));
    let machine = game.machine();
    Play { game, machine }
}

impl Play {
    fn role(&self, name: &str) -> Role {
        self.game.find_role(name).expect("the role exists")
    }

    pub fn legal(&mut self, role: &str) -> Vec<String> {
        let role = self.role(role);
        let moves = self.machine.legal(role).to_vec();
        assert_eq!(self.machine.fault(), None);
        moves.iter().map(|&id| self.game.move_text(role, id)).collect()
    }

    fn joint(&self, moves: &[&str]) -> Vec<MoveId> {
        let moves = self.game.roles().zip(moves);
        moves
            .map(|(role, text)| self.game.parse_move(role, text).expect("the move can be read"))
            .collect()
    }

    pub fn step(&mut self, moves: &[&str]) -> &mut Play {
        let joint = self.joint(moves);
        assert_eq!(joint.len(), self.game.roles().len());
        self.machine.step(&joint);
        assert_eq!(self.machine.fault(), None);
        self
    }

    pub fn state(&self) -> Vec<String> {
        self.game.state_texts(self.machine.state())
    }

    fn goals(&mut self, role: &str) -> Vec<u8> {
        let role = self.role(role);
        self.machine.goal_values(role).to_vec()
    }

    fn percepts(&mut self, role: &str, moves: &[&str]) -> Vec<String> {
        let joint = self.joint(moves);
        let role = self.role(role);
        let percepts = self.machine.percepts(role, &joint);
        self.game.percept_texts(role, &percepts)
    }
}

/// The legal moves at the start of a game whose only role is `w`.
fn answers(rules: &str) -> Vec<String> {
    play(&format!("(role w) {rules}")).legal("w")
}

/// Reads rules that must be refused.
fn refusal(rules: &str, limits: Limits) -> GameError {
    let description = Description::read(Source::new("test", rules));
    match Game::new(description, options(limits)) {
        Ok(_) => panic!("these rules were accepted: {rules}"),
        Err(error) => error,
    }
}
