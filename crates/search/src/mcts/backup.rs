//! Backup: counting playouts when they start, and bringing their results from the leaf to the root when they finish.
//!
//! A rule that needs each result is a line in [`learn`]; one that needs the whole path is a line in [`back_up`].

pub(super) mod implicit_minimax;

use super::parallel::shared::Shared;
use super::path::Path;
use super::selection::amaf;
use super::simultaneous::{regret, sequenced};
use super::tree::{MoveStats, Node, Tree};
use super::worker::Context;
use super::{proof, single_player};
use ludens_engine::playout::{Choice, Playout};
use ludens_engine::{RoleMap, State};

/// Settings of the backup phase.
#[derive(Clone, Debug, PartialEq)]
pub struct BackupSettings {
    /// Whether proved values are backed up and used (MCTS-Solver).
    pub solver: bool,
    /// Share of implicit minimax values in the value of a move; 0 disables them.
    pub implicit_minimax: f64,
}

impl Default for BackupSettings {
    fn default() -> BackupSettings {
        BackupSettings {
            solver: true,
            implicit_minimax: 0.0,
        }
    }
}

/// One result, seen from the root.
#[derive(Clone, Copy)]
pub(super) struct Episode<'a> {
    /// The choices on the path and then in the playout.
    pub(super) choices: &'a [Choice],
    /// Number of those on the path.
    pub(super) in_tree: usize,
    /// The states in which the choices were made, if the policy wants them.
    pub(super) states: &'a [&'a State],
    /// The goal of each role.
    pub(super) goals: &'a RoleMap<f64>,
    /// The playout; `None` if the leaf needed none.
    pub(super) playout: Option<&'a Playout>,
}

/// Counts the playouts of a path as started.
pub(super) fn start(tree: &mut Tree, path: &Path, context: &mut Context<'_>) {
    let playouts = path.playouts;
    for_each_move(
        tree,
        path,
        context,
        |node| node.started += playouts,
        |stats, _| stats.started += playouts,
    );
    if let Some(leaf) = path.leaf {
        tree.get_mut(leaf).started += playouts;
    }
}

/// Backs up a path whose playouts have all finished.
pub(super) fn back_up(shared: &mut Shared, path: &Path, context: &mut Context<'_>) {
    let (tree, playouts) = (&mut shared.tree, path.playouts);
    if let Some(leaf) = path.leaf {
        tree.get_mut(leaf).visits += playouts;
    }
    for_each_move(
        tree,
        path,
        context,
        |node| node.visits += playouts,
        |stats, total| {
            stats.visits += playouts;
            stats.total += total;
        },
    );
    shared.finished += u64::from(playouts);
    let settings = context.settings;
    if settings.backup.solver {
        proof::back_up(tree, path, context.is_chance);
    }
    if settings.backup.implicit_minimax > 0.0 {
        implicit_minimax::back_up(tree, path);
    }
    if settings.simultaneous.is_regret() {
        regret::back_up(tree, path, context.is_chance);
    }
}

/// Calls `on_node` with every node above the leaf and `on_move` with the statistics of every move made there and the
/// sum of goals that the path has for its role, from the leaf up.
fn for_each_move(
    tree: &mut Tree,
    path: &Path,
    context: &mut Context<'_>,
    mut on_node: impl FnMut(&mut Node),
    mut on_move: impl FnMut(&mut MoveStats, f64),
) {
    let roles = context.is_chance.len();
    let settings = context.settings;
    let totals = &mut context.totals;
    totals.clear();
    totals.extend_from_slice(&path.totals);
    totals.resize(roles, 0.0);
    let mut detours = path.detours.iter().rev().peekable();
    for (number, &step) in path.steps.iter().enumerate().rev() {
        let node = tree.get_mut(step);
        let moves = path.moves_at(number, roles);
        on_node(node);
        for (role, (&index, &total)) in context.is_chance.roles().zip(moves.iter().zip(&*totals)) {
            let stats = sequenced::stats_mut(&settings.simultaneous, node, context.role, role, moves);
            if let Some(stats) = stats.get_mut(index as usize) {
                on_move(stats, total);
            }
        }
        // From here up the proved move counts that the path left.
        let Some(detour) = detours.next_if(|detour| detour.step == number) else {
            continue;
        };
        let Some(proved) = node.child(u64::from(detour.index)) else {
            continue;
        };
        let discount = single_player::discount(&settings.single_player, roles, number + 1);
        let scores = tree.get(proved).proved.iter().flat_map(RoleMap::values);
        for (total, &score) in totals.iter_mut().zip(scores) {
            *total = f64::from(score) * discount * f64::from(path.playouts);
        }
        let stats = &mut tree.get_mut(step).legal[detour.role].stats;
        if let Some(stats) = stats.get_mut(detour.index as usize) {
            on_move(stats, totals[detour.role.index()]);
        }
    }
}

/// Takes in one result: that of a playout, or the goals of a leaf that needed none.
pub(super) fn learn(
    shared: &mut Shared,
    path: &Path,
    context: &mut Context<'_>,
    goals: &RoleMap<f64>,
    playout: Option<&Playout>,
) {
    shared.note_goals(goals.as_slice());
    let is_single_player = context.is_single_player();
    let options = context.policies.options();
    let uses_rave = context.settings.selection.rave.is_some();
    if !(is_single_player || options.choices || uses_rave) {
        return;
    }
    let mut choices = std::mem::take(&mut context.choices);
    let in_tree = list_choices(&shared.tree, path, playout, &mut choices);
    let episode = Episode {
        choices: &choices,
        in_tree,
        states: &[],
        goals,
        playout,
    };
    if options.choices {
        let states = match playout {
            Some(playout) if options.choice_states => list_states(&shared.tree, path, playout),
            _ => Vec::new(),
        };
        context.policies.learn(&Episode {
            states: &states,
            ..episode
        });
    }
    if is_single_player {
        single_player::learn(shared, path, &episode);
    }
    if uses_rave {
        amaf::learn(&mut shared.tree, path, &episode);
    }
    context.choices = choices;
}

/// Lists the choices of a path and its playout; returns the number of those on the path.
fn list_choices(tree: &Tree, path: &Path, playout: Option<&Playout>, choices: &mut Vec<Choice>) -> usize {
    choices.clear();
    let mut moves = path.moves.iter();
    for &step in &path.steps {
        for (role, legal) in tree.get(step).legal.iter() {
            let index = moves.next().map_or(0, |&index| index as usize);
            if legal.moves.len() > 1 {
                let move_id = legal.moves[index];
                choices.push(Choice { role, move_id });
            }
        }
    }
    let in_tree = choices.len();
    choices.extend_from_slice(playout.map_or(&[][..], |playout| &playout.choices));
    in_tree
}

/// Lists the state of each of these choices.
fn list_states<'a>(tree: &'a Tree, path: &Path, playout: &'a Playout) -> Vec<&'a State> {
    let on_path = path.steps.iter().flat_map(|&step| {
        let node = tree.get(step);
        let choosers = node.legal.values().filter(|legal| legal.moves.len() > 1);
        choosers.map(|_| &node.state)
    });
    on_path.chain(&playout.states).collect()
}
