//! Last good reply with forgetting (Drake, 2009; Baier and Drake, 2010).
//!
//! A reply is good if the role that made it got more than its mean goal.

use super::averages::Average;
use super::{Aids, LEARNING, Policy, Query, Scope};
use crate::mcts::PlayoutSettings;
use crate::mcts::backup::Episode;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::playout::Choice;
use ludens_engine::{Game, MoveId, PlayoutOptions, Rng, Role, RoleMap};

pub(super) struct LastGoodReply {
    replies: HashMap<(Role, Choice), MoveId, FixedState>,
    /// The mean goal of each role.
    means: RoleMap<Average>,
}

impl Policy for LastGoodReply {
    const NAME: &'static str = "reply";
    const HELP: &'static str = "the last good reply to the previous move, forgotten when it fails";
    const DRAWS: bool = false;
    const AVERAGES: Scope = Scope::Nothing;
    const OPTIONS: PlayoutOptions = LEARNING;

    fn new(game: &Game, _settings: &PlayoutSettings) -> LastGoodReply {
        LastGoodReply {
            replies: HashMap::default(),
            means: RoleMap::filled(game.roles().len(), Average::default()),
        }
    }

    fn choose(&mut self, query: &Query<'_>, _aids: Aids<'_>, rng: &mut Rng) -> usize {
        let last = query.before.last();
        let reply = last.and_then(|&last| self.replies.get(&(query.role, last)));
        let known = reply.and_then(|reply| query.legal.iter().position(|known| known == reply));
        known.unwrap_or_else(|| rng.usize(..query.legal.len()))
    }

    fn learn(&mut self, episode: &Episode<'_>) {
        for (mean, &goal) in self.means.values_mut().zip(episode.goals.values()) {
            mean.add(goal as f32);
        }
        for pair in episode.choices.windows(2) {
            let (last, reply) = (pair[0], pair[1]);
            let key = (reply.role, last);
            if episode.goals[reply.role] as f32 > self.means[reply.role].mean {
                self.replies.insert(key, reply.move_id);
            } else if self.replies.get(&key) == Some(&reply.move_id) {
                self.replies.remove(&key);
            }
        }
    }
}
