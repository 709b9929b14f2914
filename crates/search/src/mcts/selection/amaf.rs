//! All moves as first: the mean goal after a move, made at any time after a state.
//!
//! RAVE (Gelly and Silver, 2007) lets a node use its own statistics, GRAVE (Cazenave, 2015) those of the nearest node
//! on the path with enough visits.

use super::super::backup::Episode;
use super::super::path::Path;
use super::super::tree::{Node, PhaseData, Tree};
use super::enhanced::{Enhancement, Estimate};
use super::{Candidate, ChoicePoint, RuleContext, SelectionSettings};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::playout::Choice;
use ludens_engine::{MoveId, Role, RoleMap};

/// All-moves-as-first statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rave {
    /// Visits from which on a node lends its statistics to its descendants (GRAVE). With 0 every node uses its own
    /// (RAVE).
    pub reference: u32,
    /// Visits of a move at which its own mean and these statistics weigh equally.
    pub equivalence: f64,
}

/// The mean goal after one move.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    count: u32,
    mean: f32,
}

/// The means after one state, by role and move.
#[derive(Clone, Debug, Default)]
pub(in crate::mcts) struct Amaf {
    table: HashMap<Choice, Average, FixedState>,
}

impl Amaf {
    fn mean(&self, role: Role, move_id: MoveId) -> Option<f32> {
        let choice = Choice { role, move_id };
        self.table.get(&choice).map(|average| average.mean)
    }

    fn add(&mut self, choices: &[Choice], goals: &RoleMap<f64>) {
        for choice in choices {
            let average = self.table.entry(*choice).or_default();
            average.count += 1;
            average.mean += (goals[choice.role] as f32 - average.mean) / average.count as f32;
        }
    }
}

impl PhaseData for Amaf {
    fn bytes(&self) -> usize {
        self.table.capacity() * (size_of::<(Choice, Average)>() + 1)
    }
}

/// Whether a node has enough visits to lend its statistics to its descendants.
pub(super) fn is_reference(node: &Node, settings: &SelectionSettings) -> bool {
    settings.rave.is_some_and(|rave| node.visits >= rave.reference)
}

/// Share of an estimate against a mean over `visits`, of which it weighs as much as `equivalence`.
pub(super) fn share(equivalence: f64, visits: f64) -> f64 {
    (equivalence / (3.0 * visits + equivalence)).sqrt()
}

/// Counts the choices of a playout as if each had been made first, in every node on the path, up to the last detour. A
/// choice made several times counts once.
pub(in crate::mcts) fn learn(tree: &mut Tree, path: &Path, episode: &Episode<'_>) {
    let (mut above, after) = episode.choices.split_at(episode.in_tree);
    // The choices after the leaf; going up, those of each node are added.
    let mut later: Vec<Choice> = after.to_vec();
    let key = |choice: &Choice| (choice.role, choice.move_id);
    later.sort_unstable_by_key(key);
    later.dedup();
    let top = path.detours.last().map_or(0, |detour| detour.step);
    for &step in path.steps[top..].iter().rev() {
        let node = tree.get_mut(step);
        let made = node.legal.values().filter(|legal| legal.moves.len() > 1).count();
        let (rest, here) = above.split_at(above.len() - made);
        above = rest;
        for choice in here {
            if let Err(index) = later.binary_search_by_key(&key(choice), key) {
                later.insert(index, *choice);
            }
        }
        node.data_mut().amaf.add(&later, episode.goals);
    }
}

/// The statistics that a node uses.
pub(super) struct AllMovesAsFirst<'a> {
    amaf: &'a Amaf,
    equivalence: f64,
}

impl<'a> Enhancement<'a> for AllMovesAsFirst<'a> {
    fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<AllMovesAsFirst<'a>> {
        let rave = rules.settings.selection.rave?;
        let amaf = &at.tree.get(rules.reference).data.as_ref()?.amaf;
        Some(AllMovesAsFirst {
            amaf,
            equivalence: rave.equivalence,
        })
    }

    fn apply(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
        let move_id = at.node.legal[at.role].moves[candidate.index];
        if let Some(mean) = self.amaf.mean(at.role, move_id) {
            let share = match candidate.marginal.visits {
                0 => 1.0,
                visits => share(self.equivalence, f64::from(visits)),
            };
            estimate.value += share * (f64::from(mean) - estimate.value);
            // Something is known of an unvisited move too.
            estimate.first_play = None;
        }
    }
}
