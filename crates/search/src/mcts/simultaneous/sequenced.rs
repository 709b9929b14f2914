//! Simultaneous choices as a sequence: the searching role moves first, and each role knows the moves before.
//!
//! Many players do this. It is wrong, as the first role then prepares for opponents who see its move.

use super::SimultaneousSettings;
use crate::mcts::tree::{MoveStats, Node, PhaseData};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::Role;

/// Statistics of the moves of a role after the moves before, by role and number of the moves before.
#[derive(Default)]
pub(in crate::mcts) struct Replies(HashMap<(Role, u64), Box<[MoveStats]>, FixedState>);

impl PhaseData for Replies {
    fn bytes(&self) -> usize {
        self.0.values().map(|stats| size_of_val(&**stats) + 40).sum()
    }

    fn drop_in_flight(&mut self) {
        self.0.values_mut().flatten().for_each(MoveStats::drop_in_flight);
    }
}

/// The roles in the order in which they choose.
pub(in crate::mcts) fn order(
    settings: &SimultaneousSettings,
    searcher: Role,
    node: &Node,
) -> impl Iterator<Item = Role> + use<> {
    let first = if settings.is_sequenced() { searcher } else { Role(0) };
    std::iter::once(first).chain(node.legal.roles().filter(move |&role| role != first))
}

/// The statistics by which a role chooses; `None` if it never chose after the moves before. `moves` are the indices of
/// the moves of all roles, as far as they have chosen.
pub(in crate::mcts) fn stats<'n>(
    settings: &SimultaneousSettings,
    node: &'n Node,
    searcher: Role,
    role: Role,
    moves: &[u32],
) -> Option<&'n [MoveStats]> {
    match key(settings, node, searcher, role, moves) {
        Some(key) => node.data.as_ref()?.replies.0.get(&key).map(|stats| &**stats),
        None => Some(&node.legal[role].stats),
    }
}

/// Mutable access to the statistics by which a role chooses.
pub(in crate::mcts) fn stats_mut<'n>(
    settings: &SimultaneousSettings,
    node: &'n mut Node,
    searcher: Role,
    role: Role,
    moves: &[u32],
) -> &'n mut [MoveStats] {
    match key(settings, node, searcher, role, moves) {
        Some(key) => {
            let count = node.legal[role].stats.len();
            let replies = &mut node.data_mut().replies.0;
            replies
                .entry(key)
                .or_insert_with(|| vec![MoveStats::default(); count].into_boxed_slice())
        }
        None => &mut node.legal[role].stats,
    }
}

/// The key of a role's replies; `None` if it chooses by the statistics of the node.
fn key(settings: &SimultaneousSettings, node: &Node, searcher: Role, role: Role, moves: &[u32]) -> Option<(Role, u64)> {
    let is_reply = settings.is_sequenced() && role != searcher && node.legal[role].moves.len() > 1;
    if !is_reply || node.sole_chooser().is_some() {
        return None;
    }
    let earlier = std::iter::once(searcher).chain(Role::first(role.index()).filter(|&other| other != searcher));
    let number = earlier.fold(0u64, |number, other| {
        number
            .wrapping_mul(node.legal[other].moves.len() as u64)
            .wrapping_add(u64::from(moves[other.index()]))
    });
    Some((role, number))
}
