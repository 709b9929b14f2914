//! One search: choosing leaves for playouts and bringing their results back.
//!
//! Playouts run hundreds at a time, so leaves are chosen while results are still missing. A playout under way counts as
//! a visit in the exploration term, but adds nothing to the mean ("unobserved samples"): that spreads the leaves without
//! making any of them look worse than it is.

use super::Settings;
use super::credit::{Detour, Path, add_as_first, judge, remember_best};
use super::plan::Plan;
use super::policy::stretch;
use super::prove::prove;
use super::regret;
use super::select::Selector;
use super::shared::{Parts, Shared, lock};
use super::tree::{Arm, Node};
use ludens_engine::playout::{Choice, End, Playout};
use ludens_engine::{MoveId, Role, State};
use std::sync::{Mutex, MutexGuard};

/// Paths are at most this long: games without an end of their own may go in circles.
const LONGEST_PATH: usize = 500;

/// A search that is going on, as one thread sees it.
pub(super) struct Walk<'a> {
    pub(super) shared: &'a Mutex<Shared>,
    /// Held between the playouts' steps.
    pub(super) guard: Option<MutexGuard<'a, Shared>>,
    pub(super) parts: Parts<'a>,
    /// Playouts that may be started in this round, and how many of them are left.
    pub(super) round: u64,
    pub(super) quota: u64,
    /// Whether any were started that did not settle at once, and how many have not ended.
    pub(super) round_played: bool,
    pub(super) under_way: u64,
    pub(super) paths: Vec<Path>,
    pub(super) free: Vec<u32>,
    /// The path whose leaf is to be played out again, and how often.
    pub(super) again: Option<(u32, u32)>,
    /// Whether the playout that is asked about is to be stopped.
    pub(super) stops: bool,
    pub(super) joint: Vec<MoveId>,
    /// The choices of a whole match, and its goals.
    pub(super) choices: Vec<Choice>,
    pub(super) goals: Vec<f64>,
    /// What playouts are worth to the roles at one step of their path.
    pub(super) totals: Vec<f64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(shared: &'a Mutex<Shared>, parts: Parts<'a>) -> Walk<'a> {
        Walk {
            shared,
            guard: None,
            goals: vec![0.0; parts.is_chance.len()],
            parts,
            round: 0,
            quota: 0,
            round_played: false,
            under_way: 0,
            paths: Vec::new(),
            free: Vec::new(),
            again: None,
            stops: false,
            joint: Vec::new(),
            choices: Vec::new(),
            totals: Vec::new(),
        }
    }

    /// Makes ready to start so many playouts.
    pub(super) fn begin_round(&mut self, playouts: u64) {
        (self.round, self.quota) = (playouts, playouts);
        (self.round_played, self.under_way) = (false, 0);
        self.parts.policy.refresh();
    }

    /// Lets go of the tree.
    pub(super) fn let_go(&mut self) {
        self.guard = None;
    }

    /// Goes down the tree to a leaf; the path ends at a state that is new, that is known for certain, or beyond which
    /// there is no room.
    pub(super) fn descend(&mut self, path: &mut Path) {
        path.steps.clear();
        path.places.clear();
        path.explored.clear();
        path.totals.clear();
        path.detours.clear();
        let parts = &mut self.parts;
        let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
        let exploration = shared.exploration(parts.settings);
        let mut at = shared.root;
        let mut reference = None;
        let most_nodes = parts.budget.most_nodes().unwrap_or(u64::MAX);
        let room = shared.tree.len() < parts.settings.expansion.max_nodes && (shared.tree.len() as u64) < most_nodes;
        loop {
            let tree = &mut shared.tree;
            let node = tree.get(at);
            path.leaf = Some(at);
            if node.proved.is_some() && !path.steps.is_empty() || node.is_terminal || path.steps.len() >= LONGEST_PATH {
                return;
            }
            take_advice(tree.get_mut(at), parts);
            let node = tree.get(at);
            if let Some(rave) = parts.settings.selection.rave
                && (node.finished >= rave.reference || reference.is_none())
            {
                reference = Some(at);
            }
            let start = path.places.len();
            let selector = Selector {
                settings: parts.settings,
                exploration,
                policy: parts.policy,
                amaf: reference.and_then(|reference| tree.get(reference).extra.as_ref()?.amaf.as_ref()),
            };
            path.places.resize(start + node.choices.len(), 0);
            let exploring = parts.exploring(node);
            if parts.is_regretting() {
                path.explored.resize(path.places.len(), false);
            }
            for role in order(parts, node) {
                let arms = arms_of(node, parts, role, &path.places[start..]);
                let place = match (arms, &mut shared.halving) {
                    (Some([]), _) => 0,
                    (_, _) if parts.is_chance[role] => parts.rng.u32(..node.choices[role].moves.len() as u32),
                    (_, Some(halving)) if role == parts.role && path.steps.is_empty() => halving.next(),
                    (Some(arms), _) if let Some(exploration) = exploring => {
                        let (place, explored) = regret::choose(node, role, arms, exploration, &mut parts.rng);
                        path.explored[start + role] = explored;
                        place
                    }
                    (Some(arms), _) => {
                        let selection = selector.select(tree, at, role, arms, &mut parts.rng);
                        path.detours.extend(selection.instead_of.map(|place| Detour {
                            step: path.steps.len(),
                            role,
                            place,
                        }));
                        selection.place
                    }
                    // Nothing is known yet after what others chose.
                    (None, _) => parts.rng.u32(..node.choices[role].moves.len() as u32),
                };
                path.places[start + role] = place;
            }
            if parts.settings.simultaneous.joint_first
                && node.chooser().is_none()
                && let Some(untried) = node.untried(&mut parts.rng)
            {
                node.places(untried, &mut path.places[start..]);
                if exploring.is_some() {
                    path.explored[start..].fill(true);
                }
            }
            let places = &path.places[start..];
            let joint = node.joint_number(places);
            match node.child(joint) {
                Some(child) => {
                    path.steps.push(at);
                    at = child;
                }
                None if room => {
                    node.joint(places, &mut self.joint);
                    parts.machine.load(&node.state);
                    parts.machine.step(&self.joint);
                    let before = tree.len();
                    let child = tree.add(parts.machine);
                    tree.link(at, joint, child);
                    path.steps.push(at);
                    if tree.len() > before {
                        path.leaf = Some(child);
                        look_up(tree.get_mut(child), parts);
                        return;
                    }
                    // A state that was reached before in another way: go on from there.
                    at = child;
                }
                None => {
                    path.places.truncate(start);
                    path.explored.truncate(start);
                    return;
                }
            }
        }
    }

    /// Calls `change` with every node above the leaf of a path, and `arm` with every move made there and what the playouts
    /// are worth to its role.
    fn for_each_arm(
        &mut self,
        path: &Path,
        playouts: u32,
        mut change: impl FnMut(&mut Node),
        mut arm: impl FnMut(&mut Arm, f64),
    ) {
        let parts = &self.parts;
        let roles = parts.is_chance.len();
        let totals = &mut self.totals;
        totals.clear();
        totals.extend_from_slice(&path.totals);
        totals.resize(roles, 0.0);
        let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
        let mut detours = path.detours.iter().rev().peekable();
        for (number, &step) in path.steps.iter().enumerate().rev() {
            let detour = detours.next_if(|detour| detour.step == number);
            let certain = detour.and_then(|detour| shared.tree.get(step).child(u64::from(detour.place)));
            let node = shared.tree.get_mut(step);
            let places = &path.places[number * roles..(number + 1) * roles];
            change(node);
            let is_sequenced = parts.is_sequenced() && node.chooser().is_none();
            for role in 0..roles {
                let place = places[role] as usize;
                if is_sequenced && let Some(key) = reply_key(node, parts.role, role, places) {
                    let count = node.choices[role].arms.len();
                    let replies = &mut node.extra_mut().replies;
                    let arms = replies
                        .entry(key)
                        .or_insert_with(|| vec![Arm::default(); count].into_boxed_slice());
                    arms.get_mut(place)
                        .into_iter()
                        .for_each(|known| arm(known, totals[role]));
                } else if let Some(known) = node.choices[role].arms.get_mut(place) {
                    arm(known, totals[role]);
                }
            }
            let Some((detour, certain)) = detour.zip(certain) else {
                continue;
            };
            let discount = discount(parts.settings, roles, number + 1);
            for (total, &score) in totals.iter_mut().zip(shared.tree.get(certain).proved.iter().flatten()) {
                *total = f64::from(score) * discount * f64::from(playouts);
            }
            let node = shared.tree.get_mut(step);
            if let Some(known) = node.choices[detour.role].arms.get_mut(detour.place as usize) {
                arm(known, totals[detour.role]);
            }
        }
    }

    /// Counts playouts as started.
    pub(super) fn begin(&mut self, path: &Path, playouts: u32) {
        self.for_each_arm(
            path,
            playouts,
            |node| node.started += playouts,
            |arm, _| arm.started += playouts,
        );
        if let (Some(leaf), Some(shared)) = (path.leaf, &mut self.guard) {
            shared.tree.get_mut(leaf).started += playouts;
        }
    }

    /// Brings results back to the root.
    pub(super) fn back_up(&mut self, path: &Path, playouts: u32) {
        if let (Some(leaf), Some(shared)) = (path.leaf, &mut self.guard) {
            shared.tree.get_mut(leaf).finished += playouts;
        }
        self.for_each_arm(
            path,
            playouts,
            |node| node.finished += playouts,
            |arm, total| {
                arm.finished += playouts;
                arm.total += total;
            },
        );
        let settings = self.parts.settings;
        let Some(shared) = &mut self.guard else { return };
        shared.finished += u64::from(playouts);
        let is_certain = path.leaf.is_some_and(|leaf| shared.tree.get(leaf).proved.is_some());
        if is_certain && settings.backup.solver {
            prove(&mut shared.tree, &path.steps, self.parts.is_chance);
        }
        if settings.backup.implicit_minimax > 0.0 {
            judge(&mut shared.tree, path, playouts);
        }
        if self.parts.is_regretting() {
            regret::learn(&mut shared.tree, path, playouts, self.parts.is_chance);
        }
    }

    /// Takes in one result: the choices of the match after the leaf, and `self.goals`.
    pub(super) fn learn(&mut self, path: &Path, playout: Option<&Playout>) {
        let parts = &mut self.parts;
        let roles = parts.is_chance.len();
        let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
        shared.note_goals(&self.goals);
        let is_alone = roles == 1 && !parts.is_chance[0];
        let policy_learns = parts.policy.options().choices;
        if !(is_alone || policy_learns || parts.settings.selection.rave.is_some()) {
            return;
        }
        self.choices.clear();
        for (number, &step) in path.steps.iter().enumerate() {
            let node = shared.tree.get(step);
            let places = node.choices.iter().zip(&path.places[number * roles..]).enumerate();
            for (role, (choice, &place)) in places.filter(|(_, (choice, _))| choice.moves.len() > 1) {
                self.choices.push(Choice {
                    role: Role(role as u8),
                    move_id: choice.moves[place as usize],
                });
            }
        }
        let in_tree = self.choices.len();
        let after = playout.map_or(&[][..], |playout| &playout.choices);
        self.choices.extend_from_slice(after);
        if policy_learns {
            let state = playout.and_then(|playout| playout.state.as_ref());
            parts.policy.learn(&self.choices, in_tree, &self.goals, state);
            if let Some(playout) = playout.filter(|_| parts.policy.options().choice_states) {
                let visited = path.steps.iter().flat_map(|&step| {
                    let node = shared.tree.get(step);
                    let choosers = node.choices.iter().filter(|choice| choice.moves.len() > 1);
                    choosers.map(|_| &node.state)
                });
                let visited: Vec<&State> = visited.chain(&playout.states).collect();
                parts.policy.learn_states(&self.choices, &visited, &self.goals);
            }
        }
        if is_alone {
            let steps = path.steps.len() + playout.map_or(0, |playout| playout.steps);
            let score = match playout {
                Some(playout) if playout.end == End::Terminal => Some(playout.scores[0]),
                Some(_) => None,
                // A value that is known, but not how it comes about, is no plan.
                None => path
                    .leaf
                    .filter(|&leaf| shared.tree.get(leaf).is_terminal)
                    .map(|_| self.goals[0] as u8),
            };
            if let Some(score) = score
                && shared.plan.as_ref().is_none_or(|plan| plan.is_worse_than(score, steps))
            {
                let start = &shared.tree.get(shared.root).state;
                shared.plan = Some(Plan::new(start, self.choices.clone(), score, steps));
            }
            remember_best(&mut shared.tree, path, self.goals[0] as f32);
        }
        if parts.settings.selection.rave.is_some() {
            add_as_first(&mut shared.tree, path, &mut self.choices, in_tree, &self.goals);
        }
    }

    /// Playouts to be made from one leaf.
    pub(super) fn playouts_at_a_leaf(&self, shared: &Shared) -> u32 {
        /// The first playouts are worth more than speed.
        const FIRST: u64 = 512;
        let left = self
            .parts
            .budget
            .most_iterations()
            .map_or(u64::MAX, |most| most - shared.iterations);
        let wanted = match shared.finished < FIRST {
            true => 1,
            false => u64::from(self.parts.settings.playout.per_leaf),
        };
        wanted.min(left).min(self.quota).max(1) as u32
    }

    /// Whether a leaf needs no playout, because it is known or its judgement is trusted; then its goals are in
    /// `self.goals`.
    pub(super) fn settle(&mut self, path: &mut Path) -> bool {
        let Some(leaf) = path.leaf else { return false };
        let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
        match &shared.tree.get(leaf).proved {
            Some(scores) => {
                for (goal, &score) in self.goals.iter_mut().zip(scores) {
                    *goal = f64::from(score);
                }
                true
            }
            None => {
                let trust = self.parts.settings.expansion.evaluator_share;
                path.judged.clear();
                if let Some(evaluator) = self.parts.evaluator.as_mut().filter(|_| trust > 0.0) {
                    path.judged.resize(self.goals.len(), 0.0);
                    evaluator.evaluate(&shared.tree.get(leaf).state, &mut path.judged);
                    self.goals.copy_from_slice(&path.judged);
                }
                trust >= 1.0 && !path.judged.is_empty()
            }
        }
    }
}

/// What a goal after so many steps is worth, in a game with so many roles.
pub(super) fn discount(settings: &Settings, roles: usize, steps: usize) -> f64 {
    match roles == 1 && settings.single_player.discount < 1.0 {
        true => settings.single_player.discount.powi(steps as i32),
        false => 1.0,
    }
}

/// The roles in the order in which they choose: where they are taken to choose one after the other, the own role is
/// first.
fn order(parts: &Parts<'_>, node: &Node) -> impl Iterator<Item = usize> + use<> {
    let roles = node.choices.len();
    let first = if parts.is_sequenced() { parts.role } else { 0 };
    std::iter::once(first).chain((0..roles).filter(move |&role| role != first))
}

/// What is known about the moves of a role; nothing if it is taken to know choices of others after which it never chose.
fn arms_of<'n>(node: &'n Node, parts: &Parts<'_>, role: usize, places: &[u32]) -> Option<&'n [Arm]> {
    if parts.is_sequenced()
        && node.chooser().is_none()
        && let Some(key) = reply_key(node, parts.role, role, places)
    {
        let replies = &node.extra.as_ref()?.replies;
        return replies.get(&key).map(|arms| &**arms);
    }
    Some(&node.choices[role].arms)
}

/// Under which key a role that knows what others chose keeps its statistics; nothing if it chooses first or has no
/// choice.
fn reply_key(node: &Node, first: usize, role: usize, places: &[u32]) -> Option<(u8, u64)> {
    if role == first || node.choices[role].moves.len() < 2 {
        return None;
    }
    let earlier = std::iter::once(first).chain((0..role).filter(|&other| other != first));
    let number = earlier.fold(0u64, |number, other| {
        number
            .wrapping_mul(node.choices[other].moves.len() as u64)
            .wrapping_add(u64::from(places[other]))
    });
    Some((role as u8, number))
}

/// Asks what is known about a new node.
fn look_up(node: &mut Node, parts: &mut Parts<'_>) {
    if node.proved.is_none()
        && let Some(known) = parts.known
    {
        let mut scores = vec![0; parts.is_chance.len()];
        if known.goals(&node.state, &mut scores) {
            node.proved = Some(scores.into_boxed_slice());
        }
    }
    if parts.settings.backup.implicit_minimax > 0.0
        && node.proved.is_none()
        && let Some(evaluator) = &mut parts.evaluator
    {
        let mut goals = vec![0.0; parts.is_chance.len()];
        evaluator.evaluate(&node.state, &mut goals);
        node.extra_mut().judged = goals.iter().map(|&goal| goal as f32).collect();
    }
}

/// Asks what is thought of the moves of a node, once.
fn take_advice(node: &mut Node, parts: &mut Parts<'_>) {
    let settings = parts.settings;
    let is_used = settings.selection.prior.move_equivalence > 0.0
        || settings.selection.prior.virtual_visits > 0.0
        || settings.selection.prior.node_equivalence > 0.0;
    if !is_used || node.extra.as_ref().is_some_and(|extra| !extra.advice.is_empty()) {
        return;
    }
    let Some(advisor) = &mut parts.advisor else { return };
    let advice = node.choices.iter().enumerate().map(|(role, choice)| {
        let mut goals = vec![50.0; choice.arms.len()].into_boxed_slice();
        if !goals.is_empty() && !parts.is_chance[role] {
            advisor.advise(&node.state, Role(role as u8), &choice.moves, &mut goals);
            if settings.selection.prior.rescaled {
                stretch(&mut goals);
            }
        }
        goals
    });
    let advice = advice.collect();
    node.extra_mut().advice = advice;
}
