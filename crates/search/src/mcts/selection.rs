//! Selection: the descent from the root to a leaf, in which every role chooses by a [`SelectionRule`].
//!
//! Selection runs ahead of results, as playouts run hundreds at a time: a playout in flight counts as a visit in the
//! exploration term but not in the mean (as in WU-UCT), so descents spread without a virtual loss.
//!
//! A new rule is a file with a [`SelectionRule`] and a line in `select_move`. An addition to UCB1 is a file with an
//! [`Enhancement`](enhanced::Enhancement) and a line in the table of `enhanced`.

pub(super) mod amaf;
pub(super) mod enhanced;
pub(super) mod halving;
pub(super) mod prior;
mod progressive_bias;
mod ucb1;

use super::parallel::shared::Shared;
use super::path::{Detour, Path};
use super::policy::Policies;
use super::simultaneous::{RegretMatching, sequenced};
use super::tree::{MoveStats, Node, NodeId, Tree};
use super::worker::Context;
use super::{Settings, expansion};
pub use amaf::Rave;
use enhanced::Enhanced;
use halving::Halving;
use ludens_engine::{Rng, Role, RoleMap};
pub use prior::PriorSettings;
use ucb1::Ucb1;

/// Maximum length of a path: games without a bound on their length may go in circles.
const MAX_PATH: usize = 500;

/// Settings of the selection phase.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionSettings {
    /// Exploration constant of UCB1, for goals from 0 to 100.
    pub exploration: f64,
    /// Whether the exploration constant is scaled to the range of the goals seen so far, instead of 0 to 100.
    pub scaled: bool,
    /// First-play urgency: the score of an unvisited move. `None` visits every move once before any is visited again.
    pub first_play_urgency: Option<f64>,
    /// All-moves-as-first statistics, if any.
    pub rave: Option<Rave>,
    /// Weight of progressive bias towards moves with a high average over all playouts; 0 disables it.
    pub progressive_bias: f64,
    /// Use of the advisor's evaluations of moves.
    pub prior: PriorSettings,
    /// Whether the moves of the root are tried in rounds, dropping the worse half after each (sequential halving).
    pub halving: bool,
}

impl Default for SelectionSettings {
    fn default() -> SelectionSettings {
        SelectionSettings {
            exploration: 40.0,
            scaled: true,
            first_play_urgency: None,
            rave: None,
            progressive_bias: 0.0,
            prior: PriorSettings::default(),
            halving: false,
        }
    }
}

/// A role at a node with a choice of moves.
pub(super) struct ChoicePoint<'a> {
    pub(super) tree: &'a Tree,
    pub(super) node: &'a Node,
    pub(super) role: Role,
    /// Statistics of the role's moves. Where roles are taken to move in sequence, those after the moves before.
    pub(super) stats: &'a [MoveStats],
}

/// The move that a rule selects, by its index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    pub(super) index: u32,
    /// A move with a greater score whose value is proved, so that there is nothing to learn from it.
    pub(super) instead_of: Option<u32>,
    /// Whether the move is made to explore instead of following the rule.
    pub(super) explores: bool,
}

/// Selects the next move to try at a choice point.
pub(super) trait SelectionRule {
    fn select(&mut self, at: &ChoicePoint<'_>, rng: &mut Rng) -> Selection;
}

/// Input of rules beyond the choice point.
pub(super) struct RuleContext<'a> {
    pub(super) settings: &'a Settings,
    /// The exploration constant for the range of goals.
    pub(super) exploration: f64,
    /// Averages of moves over all playouts.
    pub(super) policies: &'a Policies,
    /// The node that lends its all-moves-as-first statistics.
    pub(super) reference: NodeId,
    /// The role that searches.
    pub(super) searcher: Role,
    pub(super) is_chance: &'a RoleMap<bool>,
}

/// Descends to a leaf: a node that is new, that is proved, or beyond which the tree has no room.
pub(super) fn descend(shared: &mut Shared, context: &mut Context<'_>, path: &mut Path) {
    path.clear();
    let exploration = shared.exploration(&context.settings.selection);
    let has_room = expansion::has_room(&shared.tree, context);
    let mut reference = shared.root;
    let mut at = shared.root;
    loop {
        path.leaf = Some(at);
        let node = shared.tree.get_mut(at);
        let is_root = path.steps.is_empty();
        // A proved root is searched on, so that its moves can be told apart.
        if node.proved.is_some() && !is_root || node.is_terminal || path.steps.len() >= MAX_PATH {
            return;
        }
        prior::ask(node, context);
        if amaf::is_reference(node, &context.settings.selection) {
            reference = at;
        }
        let rules = RuleContext {
            settings: context.settings,
            exploration,
            policies: context.policies,
            reference,
            searcher: context.role,
            is_chance: context.is_chance,
        };
        let start = path.moves.len();
        let halving = shared.halving.as_mut().filter(|_| is_root);
        select_joint_move(&shared.tree, at, &rules, halving, &mut context.rng, path);
        let node = shared.tree.get(at);
        let (child, is_new) = match node.child(node.joint_number(&path.moves[start..])) {
            Some(child) => (child, false),
            None if has_room => expansion::expand(&mut shared.tree, at, &path.moves[start..], context),
            None => {
                path.moves.truncate(start);
                path.explored.truncate(start);
                return;
            }
        };
        path.steps.push(at);
        if is_new {
            path.leaf = Some(child);
            return;
        }
        // Also where another path reached the state before: the descent goes on from there.
        at = child;
    }
}

/// Appends a move of every role to the path.
fn select_joint_move(
    tree: &Tree,
    at: NodeId,
    rules: &RuleContext<'_>,
    mut halving: Option<&mut Halving>,
    rng: &mut Rng,
    path: &mut Path,
) {
    let node = tree.get(at);
    let simultaneous = &rules.settings.simultaneous;
    let start = path.moves.len();
    path.moves.resize(start + node.legal.len(), 0);
    if simultaneous.is_regret() {
        path.explored.resize(path.moves.len(), false);
    }
    let regret = simultaneous.regret_at(node, rules.is_chance);
    for role in sequenced::order(simultaneous, rules.searcher, node) {
        let stats = sequenced::stats(simultaneous, node, rules.searcher, role, &path.moves[start..]);
        let halving = halving.as_deref_mut().filter(|_| role == rules.searcher);
        let selection = match stats {
            // A single legal move.
            Some([]) => Selection::default(),
            // Nothing is known yet after what the roles before chose.
            None => random_move(node, role, rng),
            Some(_) if rules.is_chance[role] => random_move(node, role, rng),
            Some(stats) => {
                let point = ChoicePoint {
                    tree,
                    node,
                    role,
                    stats,
                };
                select_move(&point, rules, halving, regret, rng)
            }
        };
        path.moves[start + role.index()] = selection.index;
        if selection.explores {
            path.explored[start + role.index()] = true;
        }
        path.detours.extend(selection.instead_of.map(|index| Detour {
            step: path.steps.len(),
            role,
            index,
        }));
    }
    if simultaneous.joint_first
        && node.sole_chooser().is_none()
        && let Some(untried) = node.untried(rng)
    {
        node.moves_of(untried, &mut path.moves[start..]);
        if regret.is_some() {
            path.explored[start..].fill(true);
        }
    }
}

/// Applies the rule for a choice point, one line per rule.
fn select_move(
    at: &ChoicePoint<'_>,
    rules: &RuleContext<'_>,
    halving: Option<&mut Halving>,
    regret: Option<RegretMatching>,
    rng: &mut Rng,
) -> Selection {
    let solver = rules.settings.backup.solver;
    if let Some(halving) = halving {
        halving.select(at, rng)
    } else if let Some(mut regret) = regret {
        regret.select(at, rng)
    } else if let Some(score) = Enhanced::at(at, rules) {
        Greatest { score, solver }.select(at, rng)
    } else {
        let score = Ucb1::at(at, rules, 0.0);
        Greatest { score, solver }.select(at, rng)
    }
}

fn random_move(node: &Node, role: Role, rng: &mut Rng) -> Selection {
    Selection {
        index: rng.u32(..node.legal[role].moves.len() as u32),
        ..Selection::default()
    }
}

/// A move at a choice point.
pub(super) struct Candidate<'a> {
    pub(super) index: usize,
    pub(super) stats: &'a MoveStats,
    /// Statistics whatever the other roles do. They differ from `stats` only where roles are taken to move in sequence.
    pub(super) marginal: &'a MoveStats,
    /// The node after the move, if it exists and no other role has a choice.
    pub(super) child: Option<NodeId>,
}

/// Scores a move by itself. [`Greatest`] makes it a selection rule.
pub(super) trait MoveScore {
    fn score(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>) -> f64;
}

/// Selects the move with the greatest score, at random among equal ones. A proved move scores its value and gives way
/// to the best unproved one.
struct Greatest<S> {
    score: S,
    /// Whether proofs are used.
    solver: bool,
}

impl<S: MoveScore> SelectionRule for Greatest<S> {
    #[inline]
    fn select(&mut self, at: &ChoicePoint<'_>, rng: &mut Rng) -> Selection {
        let node = at.node;
        // Where only one role chooses, its move is the joint move.
        let is_alone = node.sole_chooser() == Some(at.role);
        let marginal = &node.legal[at.role].stats;
        let mut best = (f64::NEG_INFINITY, 0);
        let mut best_unproved = best;
        let mut equal = 0;
        for (index, stats) in at.stats.iter().enumerate() {
            let child = if is_alone { node.child(index as u64) } else { None };
            let proved = child.and_then(|child| at.tree.get(child).proved.as_ref());
            let proved = proved.filter(|_| self.solver);
            let score = match proved {
                // A little less, so that an unproved move with the same score comes first.
                Some(goals) => f64::from(goals[at.role]) - 1e-6,
                None => self.score.score(
                    at,
                    &Candidate {
                        index,
                        stats,
                        marginal: &marginal[index],
                        child,
                    },
                ),
            };
            if score > best_unproved.0 && proved.is_none() {
                best_unproved = (score, index as u32);
            }
            if score > best.0 {
                best = (score, index as u32);
                equal = 1;
            } else if score == best.0 {
                // Reservoir sampling: each of n equal ones is kept with probability 1/n.
                equal += 1;
                if rng.u32(..equal) == 0 {
                    best.1 = index as u32;
                }
            }
        }
        let is_detour = best_unproved.0 < best.0 && best_unproved.0 > f64::NEG_INFINITY;
        Selection {
            index: if is_detour { best_unproved.1 } else { best.1 },
            instead_of: is_detour.then_some(best.1),
            explores: false,
        }
    }
}
