//! The last good reply to each choice, forgotten when it fails (Drake, 2009; Baier and Drake, 2010).
//!
//! A reply is good if the role that made it came out better than it usually does.

use super::averages::Average;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::playout::Choice;
use ludens_engine::{MoveId, Role};

#[derive(Default)]
pub(super) struct Replies {
    table: HashMap<(Role, Choice), MoveId, FixedState>,
    /// The usual goal of each role.
    usual: Vec<Average>,
}

impl Replies {
    /// The reply of a role to the last choice.
    pub(super) fn to(&self, role: Role, before: &[Choice]) -> Option<MoveId> {
        self.table.get(&(role, *before.last()?)).copied()
    }

    pub(super) fn learn(&mut self, choices: &[Choice], goals: &[f64]) {
        self.usual.resize(goals.len(), Average::default());
        for (usual, &goal) in self.usual.iter_mut().zip(goals) {
            usual.add(goal as f32);
        }
        for pair in choices.windows(2) {
            let (to, reply) = (pair[0], pair[1]);
            let key = (reply.role, to);
            let index = reply.role.index();
            if goals[index] as f32 > self.usual[index].mean {
                self.table.insert(key, reply.move_id);
            } else if self.table.get(&key) == Some(&reply.move_id) {
                self.table.remove(&key);
            }
        }
    }
}
