//! N-gram selection technique (NST; Tak, Winands and Björnsson, 2012): mean goals after sequences of up to three
//! choices.

use super::averages::{HashedAverages, UNKNOWN};
use super::{Aids, LEARNING, Policy, Query};
use crate::mcts::PlayoutSettings;
use crate::mcts::backup::Episode;
use ludens_engine::playout::Choice;
use ludens_engine::{Game, MoveId, PlayoutOptions, Rng, Role};

/// Entries of the table.
const ENTRIES: usize = 1 << 16;

/// Results from which on a mean is used.
const ENOUGH: f32 = 7.0;

pub(super) struct Nst {
    /// Averages of sequences of two and three choices.
    table: HashedAverages,
}

/// The one and the two choices before, as beginnings of keys; `None` where there were fewer.
type Context = [Option<u64>; 2];

/// Mixes a choice into a key.
fn mix(key: u64, role: Role, move_id: MoveId) -> u64 {
    let word = u64::from(role.0) << 32 | u64::from(move_id.0);
    let mixed = (key ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 29
}

/// The key of a sequence and its hash.
fn key(context: u64, move_id: MoveId) -> (u64, u64) {
    let key = mix(context, Role(0), move_id) | 1;
    (key, key >> 1)
}

/// The choices before a choice of a role.
fn context(role: Role, before: &[Choice]) -> Context {
    [1, 2].map(|length| {
        let last = &before[before.len().checked_sub(length)?..];
        // The role that chooses next belongs to the sequence.
        let start = u64::from(role.0) + 1 + 1000 * length as u64;
        let mixed = last
            .iter()
            .fold(start, |key, choice| mix(key, choice.role, choice.move_id));
        Some(mixed)
    })
}

impl Nst {
    /// The mean over the sequences of all lengths that end with a move. `single` is the mean of the move alone.
    fn value(&self, context: &Context, move_id: MoveId, single: Option<f32>) -> f32 {
        let find = |context: u64| {
            let (key, hash) = key(context, move_id);
            self.table.mean(key, hash, ENOUGH)
        };
        let known = [single, context[0].and_then(find), context[1].and_then(find)];
        let (sum, count) = known
            .into_iter()
            .flatten()
            .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        if count > 0.0 { sum / count } else { UNKNOWN }
    }
}

impl Policy for Nst {
    const NAME: &'static str = "nst";
    const HELP: &'static str = "by the mean results after sequences of up to three moves (NST)";
    const OPTIONS: PlayoutOptions = LEARNING;

    fn new(_game: &Game, _settings: &PlayoutSettings) -> Nst {
        Nst {
            table: HashedAverages::new(ENTRIES),
        }
    }

    fn choose(&mut self, query: &Query<'_>, aids: Aids<'_>, rng: &mut Rng) -> usize {
        let context = context(query.role, query.before);
        let values = query.legal.iter().map(|&move_id| {
            let single = aids.averages.mean(query.role, move_id);
            self.value(&context, move_id, single)
        });
        aids.drawer.draw(values, rng)
    }

    fn learn(&mut self, episode: &Episode<'_>) {
        for (number, choice) in episode.choices.iter().enumerate() {
            let context = context(choice.role, &episode.choices[..number]);
            for context in context.into_iter().flatten() {
                let (key, hash) = key(context, choice.move_id);
                self.table.add(key, hash, episode.goals[choice.role] as f32);
            }
        }
    }

    fn fade(&mut self, keep: f32) {
        self.table.fade(keep);
    }
}
