//! Iterations side by side: from drawn worlds down the tree, and random playouts from the leaves.

use super::node::{Choice, Tree};
use super::{InformationSetSearch, Observer, Root, RootChoice, Select, Worlds};
use ludens_budget::Budget;
use ludens_engine::playout::Playout;
use ludens_engine::{HistoryHash, MoveId, PlayoutOptions, PlayoutSource, RoleMap, State, Successor};

/// An iteration under way.
struct Walk {
    here: Successor,
    histories: RoleMap<HistoryHash>,
    path: Vec<Choice>,
    joint: Vec<MoveId>,
    /// The own move at the root, if it is given.
    forced: Option<usize>,
    /// Whether it starts from a world by what all roles know.
    is_public: bool,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// In the tree.
    Descending,
    /// At a leaf: the rest is random.
    Leaf,
    /// At the end of the match, or of what can be played.
    Ended,
    /// Its result does not count.
    Dropped,
}

impl InformationSetSearch {
    /// Runs some iterations. False if the time was up before all had a result.
    pub(super) fn walk_all(
        &mut self,
        worlds: &dyn Worlds,
        root: usize,
        lanes: usize,
        choice: &mut RootChoice<'_>,
        budget: &Budget,
    ) -> bool {
        let mut walks = self.drawn(worlds, lanes, choice);
        if let Some(first) = walks.iter().find(|walk| !walk.is_public) {
            let key = first.histories[self.role];
            self.tree.name(self.role, key, root);
        }
        let mut depth = 0;
        while walks.iter().any(|walk| walk.stage == Stage::Descending) {
            for walk in walks.iter_mut().filter(|walk| walk.stage == Stage::Descending) {
                self.choose(walk, root, depth == 0);
            }
            self.step(&mut walks);
            depth += 1;
            if budget.is_spent() {
                return self.finish(walks, budget);
            }
            let is_flat = !self.settings.tree;
            for walk in walks.iter_mut().filter(|walk| walk.stage == Stage::Descending) {
                if depth >= self.settings.max_steps {
                    walk.stage = Stage::Ended;
                } else if is_flat {
                    walk.stage = Stage::Leaf;
                }
            }
        }
        self.finish(walks, budget)
    }

    /// Draws worlds and looks at their states.
    fn drawn(&mut self, worlds: &dyn Worlds, lanes: usize, choice: &mut RootChoice<'_>) -> Vec<Walk> {
        let public = self.settings.public;
        let rng = &mut self.rng;
        let drawn: Vec<(&State, &RoleMap<HistoryHash>, bool)> = (0..lanes)
            .map(|_| {
                let is_public = public > 0.0 && choice.is_free() && rng.f64() < public;
                let shared = if is_public { worlds.draw_public(rng) } else { None };
                let is_public = shared.is_some();
                let (state, histories) = shared.unwrap_or_else(|| worlds.draw(rng));
                (state, histories, is_public)
            })
            .collect();
        let states: Vec<&State> = drawn.iter().map(|&(state, ..)| state).collect();
        let mut walks = Vec::with_capacity(lanes);
        self.successors.look(&states, &mut |number, here| {
            let (_, histories, is_public) = drawn[number];
            walks.push(Walk {
                here: here.clone(),
                histories: histories.clone(),
                path: Vec::new(),
                joint: Vec::new(),
                forced: choice.forced(),
                is_public,
                stage: Stage::Descending,
            });
        });
        walks
    }

    /// Chooses the moves of all roles for an iteration, or ends it.
    fn choose(&mut self, walk: &mut Walk, root: usize, is_start: bool) {
        let stuck = walk.here.legal.values().any(Vec::is_empty);
        if walk.here.is_terminal || stuck {
            walk.stage = Stage::Ended;
            return;
        }
        walk.joint.clear();
        let mut is_leaf = false;
        for role in self.game.roles() {
            let legal = &walk.here.legal[role];
            let at_root = is_start && role == self.role && !walk.is_public;
            let any = legal[self.rng.usize(..legal.len())];
            if self.game.is_random(role) || (legal.len() == 1 && !at_root) {
                walk.joint.push(any);
                continue;
            }
            if at_root {
                let chosen = self.choose_at_root(walk, root);
                let Some(chosen) = chosen else {
                    walk.stage = Stage::Dropped;
                    return;
                };
                walk.path.push(chosen);
                walk.joint.push(self.tree.move_of(chosen));
                continue;
            }
            if !self.settings.tree {
                walk.joint.push(any);
                continue;
            }
            let key = match self.settings.observer {
                Observer::Single => walk.histories[self.role],
                Observer::Multiple => walk.histories[role],
            };
            let settings = self.settings;
            let found = self.tree.find(role, key, settings.max_nodes);
            is_leaf |= found.is_none_or(|(_, is_new)| is_new);
            let choice = found.and_then(|(node, _)| {
                let place = (role, node);
                self.tree
                    .select(place, legal, node == root, settings.select, &settings, &mut self.rng)
            });
            match choice {
                Some(choice) => {
                    walk.path.push(choice);
                    walk.joint.push(self.tree.move_of(choice));
                }
                None => walk.joint.push(any),
            }
        }
        if is_leaf {
            walk.stage = Stage::Leaf;
        }
    }

    fn choose_at_root(&mut self, walk: &Walk, root: usize) -> Option<Choice> {
        let settings = self.settings;
        let legal = &walk.here.legal[self.role];
        let place = (self.role, root);
        if let Some(arm) = walk.forced {
            return self.tree.forced(place, arm, legal);
        }
        let select = match settings.root {
            Root::Tree | Root::Halving => settings.select,
            Root::Ucb => Select::Ucb,
            Root::Uniform => {
                let arms = self.tree.arms(root).len();
                // The arm that was chosen least often, which is one after the other.
                let arm = self.tree.least_started(root).min(arms.saturating_sub(1));
                return self.tree.forced(place, arm, legal);
            }
        };
        self.tree.select(place, legal, true, select, &settings, &mut self.rng)
    }

    /// Makes the chosen moves.
    fn step(&mut self, walks: &mut [Walk]) {
        let moving: Vec<usize> = (0..walks.len())
            .filter(|&index| {
                matches!(walks[index].stage, Stage::Descending | Stage::Leaf) && !walks[index].joint.is_empty()
            })
            .collect();
        let mut after: Vec<(Successor, RoleMap<HistoryHash>)> = Vec::with_capacity(moving.len());
        let questions: Vec<(&State, &[MoveId])> = moving
            .iter()
            .map(|&index| (&walks[index].here.state, &walks[index].joint[..]))
            .collect();
        self.successors
            .perceive(&questions, None, &mut |number, successor, percepts| {
                let walk = &walks[moving[number]];
                let histories = walk.histories.iter().zip(&walk.joint);
                let histories = histories.map(|((role, history), &own)| history.after(own, &percepts[role]));
                after.push((successor.clone(), histories.collect()));
            });
        for (index, (here, histories)) in moving.into_iter().zip(after) {
            let walk = &mut walks[index];
            walk.here = here;
            walk.histories = histories;
            // A leaf is stepped from once.
            walk.joint.clear();
        }
    }

    /// Plays out the leaves and backs up all results. False if the time was up.
    fn finish(&mut self, walks: Vec<Walk>, budget: &Budget) -> bool {
        let select = self.settings.select;
        let mut leaves = Vec::new();
        for walk in walks {
            match walk.stage {
                Stage::Ended => back_up(&mut self.tree, &walk.path, &walk.here.scores, select),
                Stage::Leaf if walk.here.is_terminal => {
                    back_up(&mut self.tree, &walk.path, &walk.here.scores, select);
                }
                Stage::Leaf => leaves.push(walk),
                Stage::Descending | Stage::Dropped => walk.path.iter().for_each(|&choice| self.tree.drop(choice)),
            }
        }
        let mut source = Leaves {
            is_open: vec![true; leaves.len()],
            leaves: &leaves,
            next: 0,
            tree: &mut self.tree,
            select,
            budget,
        };
        self.playouts.run(&mut self.rng, self.settings.max_steps, &mut source);
        let open = std::mem::take(&mut source.is_open);
        for (walk, _) in leaves.iter().zip(&open).filter(|(_, is_open)| **is_open) {
            walk.path.iter().for_each(|&choice| self.tree.drop(choice));
        }
        !open.contains(&true)
    }
}

fn back_up(tree: &mut Tree, path: &[Choice], scores: &RoleMap<u8>, select: Select) {
    for &choice in path {
        tree.credit(choice, scores[choice.role], select);
    }
}

/// Playouts from leaves.
struct Leaves<'a> {
    leaves: &'a [Walk],
    next: usize,
    /// Leaves without a result yet.
    is_open: Vec<bool>,
    tree: &'a mut Tree,
    select: Select,
    budget: &'a Budget,
}

impl PlayoutSource for Leaves<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        let walk = self.leaves.get(self.next)?;
        self.next += 1;
        Some((&walk.here.state, self.next as u32 - 1))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.is_open[tag as usize] = false;
        let walk = &self.leaves[tag as usize];
        back_up(self.tree, &walk.path, &playout.scores, self.select);
    }

    fn is_over(&mut self) -> bool {
        self.budget.is_spent()
    }

    fn options(&self) -> PlayoutOptions {
        PlayoutOptions {
            at_most: Some(self.leaves.len() as u64),
            ..PlayoutOptions::default()
        }
    }
}
