//! What results are worth to the nodes on their way: beyond the means of moves, the best results, all moves as first, and
//! implicit minimax.

use super::tree::{NodeId, Tree};
use ludens_engine::playout::Choice;

/// A way from the root to a leaf.
#[derive(Default)]
pub(super) struct Path {
    /// The nodes and the places of the moves made there, one a role.
    pub(super) steps: Vec<NodeId>,
    pub(super) places: Vec<u32>,
    /// With regret matching: which of these moves were made to explore.
    pub(super) explored: Vec<bool>,
    pub(super) leaf: Option<NodeId>,
    /// Playouts that were started, and those that have not come back.
    pub(super) playouts: u32,
    pub(super) missing: u32,
    /// The sums of the goals of those that have.
    pub(super) totals: Vec<f64>,
    /// What the evaluator thinks of the leaf, if it is asked.
    pub(super) judged: Vec<f64>,
    /// Where the way left a move whose worth is proved.
    pub(super) detours: Vec<Detour>,
}

/// A step in which a move was tried although another one is known to be better for now. What is found behind it counts
/// for the nodes below the step; above it the worth of the better move counts, as if that had been made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detour {
    /// The number of the step.
    pub(super) step: usize,
    /// The role that chooses there, and the place of its move whose worth is proved.
    pub(super) role: usize,
    pub(super) place: u32,
}

/// Remembers the best result behind each move on a path, in a game with one role.
pub(super) fn remember_best(tree: &mut Tree, path: &Path, result: f32) {
    for (&step, &place) in path.steps.iter().zip(&path.places) {
        let node = tree.get_mut(step);
        let count = node.choices[0].arms.len();
        let best = &mut node.extra_mut().best;
        if best.len() < count {
            *best = vec![0.0; count].into_boxed_slice();
        }
        if let Some(best) = best.get_mut(place as usize) {
            *best = best.max(result);
        }
    }
}

/// Counts the choices of a match as if each had been made first, in every node on the path, up to the last detour. A
/// choice made several times counts once.
pub(super) fn add_as_first(tree: &mut Tree, path: &Path, choices: &mut Vec<Choice>, in_tree: usize, goals: &[f64]) {
    // After the leaf; then, going up, what was chosen in each node comes to it.
    let mut later: Vec<Choice> = choices.split_off(in_tree);
    later.sort_unstable_by_key(|choice| (choice.role, choice.move_id));
    later.dedup();
    let top = path.detours.last().map_or(0, |detour| detour.step);
    for &step in path.steps[top..].iter().rev() {
        let node = tree.get_mut(step);
        let chosen = node.choices.iter().filter(|choice| choice.moves.len() > 1).count();
        for choice in choices.split_off(choices.len() - chosen) {
            let key = |known: &Choice| (known.role, known.move_id);
            if let Err(place) = later.binary_search_by_key(&key(&choice), key) {
                later.insert(place, choice);
            }
        }
        let amaf = node.extra_mut().amaf.get_or_insert_default();
        amaf.add(&later, goals);
    }
}

/// Implicit minimax (Lanctot and others, 2014): the judgement of a leaf, here that of an evaluator or else of its first
/// playouts, goes up the path; each node takes that of the best move of the role that chooses there.
pub(super) fn judge(tree: &mut Tree, path: &Path, playouts: u32) {
    if let Some(leaf) = path.leaf {
        let node = tree.get_mut(leaf);
        if let Some(scores) = &node.proved {
            let judged = scores.iter().map(|&score| f32::from(score)).collect();
            node.extra_mut().judged = judged;
        } else if node.extra.as_ref().is_none_or(|extra| extra.judged.is_empty()) {
            let goals = path.totals.iter();
            node.extra_mut().judged = goals.map(|total| (total / f64::from(playouts)) as f32).collect();
        }
    }
    for &step in path.steps.iter().rev() {
        let node = tree.get(step);
        let Some(role) = node.chooser() else { continue };
        let judged = |place: usize| {
            let extra = tree.get(node.child(place as u64)?).extra.as_ref()?;
            extra.judged.get(role).map(|_| &extra.judged)
        };
        let best = (0..node.choices[role].moves.len())
            .filter_map(judged)
            .max_by(|a, b| a[role].total_cmp(&b[role]));
        if let Some(best) = best.cloned() {
            tree.get_mut(step).extra_mut().judged = best;
        }
    }
}
