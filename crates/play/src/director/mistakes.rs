//! Mistakes in a match: moves that gave something away, judged by search or by a solution.

use crate::agent::Place;
use crate::record::MatchRecord;
use crate::replay::{Replay, ReplayError};
use crate::spec::AgentSpec;
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::{Game, MoveId, Role};
use ludens_solve::Solution;

/// Points of the goal that a move must give away to count as a mistake when a search judges it.
const LOST_POINTS: f64 = 20.0;

/// How a person's moves were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Moves where there was a choice.
    pub moves: usize,
    /// Those of them that gave something away.
    pub mistakes: usize,
}

impl Judged {
    /// Share of the moves that were mistakes, if there were any moves.
    pub fn share(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.mistakes as f64 / self.moves as f64)
    }
}

/// Judges the moves of a role by an agent that searches each state for some iterations: a move is a mistake if the search
/// expects at least 20 points less of it than of the best move.
pub fn by_search(
    game: &Game,
    record: &MatchRecord,
    role: Role,
    judge: &AgentSpec,
    budget: &Budget,
) -> Result<Judged, ReplayError> {
    each_choice(game, record, role, |view, chosen| {
        let place = Place {
            game: game.clone(),
            role,
            seed: 1,
            match_id: "judge".into(),
            is_hidden: false,
        };
        let decision = judge.create(&place).choose(view, budget);
        let value = |wanted: MoveId| {
            let found = decision.moves.iter().find(|known| known.move_id == wanted);
            found.and_then(|known| known.value)
        };
        let best = value(decision.choice).or(decision.value)?;
        Some(best - value(chosen)? >= LOST_POINTS)
    })
}

/// Judges the moves of a role by a solution: a move is a mistake if the role could have got more.
pub fn by_solution(game: &Game, record: &MatchRecord, role: Role, solution: &Solution) -> Result<Judged, ReplayError> {
    each_choice(game, record, role, |view, chosen| {
        let position = solution.look(game, view.state());
        let with_move = position
            .moves
            .iter()
            .filter(|known| known.joint[role.index()] == chosen);
        let keeps: Vec<bool> = with_move.filter_map(|known| known.keeps).collect();
        (!keeps.is_empty()).then(|| keeps.iter().all(|keeps| !keeps))
    })
}

/// Goes through a match and judges every step in which the role had a choice. States that cannot be judged do not count.
fn each_choice(
    game: &Game,
    record: &MatchRecord,
    role: Role,
    mut is_mistake: impl FnMut(&Position, MoveId) -> Option<bool>,
) -> Result<Judged, ReplayError> {
    let mut replay = Replay::new(game);
    let mut judged = Judged::default();
    for texts in &record.moves {
        let view = Position::of(replay.state().clone());
        let machine = replay.machine();
        let choices = machine.legal(role).len();
        let joint = replay.follow(texts)?;
        if choices < 2 {
            continue;
        }
        if let Some(mistake) = is_mistake(&view, joint[role.index()]) {
            judged.moves += 1;
            judged.mistakes += usize::from(mistake);
        }
    }
    Ok(judged)
}
