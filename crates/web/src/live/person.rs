//! A person as an agent: waits until a client sends a move.

use super::live_match::LiveMatch;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Machine, Role};
use ludens_play::{Agent, Place, Player, Position};
use ludens_search::Decision;
use std::sync::Arc;
use std::time::Duration;

/// Player name for a person, in place of an agent spec.
pub(crate) const HUMAN: &str = "human";

struct Person {
    live: Arc<LiveMatch>,
    role: Role,
    machine: Box<dyn Machine>,
    patience: Duration,
}

impl Agent for Person {
    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        self.machine.load(view.state());
        let legal = self.machine.legal(self.role);
        if let [only] = legal {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        let chosen = self
            .live
            .await_move(view.step(), self.role.index(), budget, self.patience);
        // Without an answer the match has ended, and this move is discarded.
        Decision::without_search(chosen.unwrap_or(legal[0]), StopReason::Interrupted)
    }
}

/// Player for a person without a clock; the match is aborted after `patience` without a move.
pub(crate) fn person(live: Arc<LiveMatch>, patience: Duration) -> Player {
    let create = move |place: &Place| -> Box<dyn Agent> {
        Box::new(Person {
            live: live.clone(),
            role: place.role,
            machine: place.game.machine(),
            patience,
        })
    };
    Player::new(HUMAN, create).untimed()
}
