//! One search: choosing leaves for playouts and bringing their results back.
//!
//! Playouts run hundreds at a time, so leaves are chosen while results are still missing. A playout under way counts as
//! a visit in the exploration term, but adds nothing to the mean ("unobserved samples"): that spreads the leaves without
//! making any of them look worse than it is.
//!
//! Several threads may search the same tree. Each runs its own batch of playouts; a thread holds the tree while it takes
//! results in and chooses new leaves, and lets go of it while its batch advances, which takes most of the time.

use super::credit::{Detour, Path, add_as_first, judge, remember_best};
use super::plan::Plan;
use super::policy::{Policy, stretch};
use super::prove::prove;
use super::regret;
use super::root::Halving;
use super::select::Selector;
use super::tree::{Arm, Node, NodeId, Tree};
use super::{PlayoutPolicy, Settings, Simultaneous};
use crate::decision::StopReason;
use crate::effort::Effort;
use crate::knowledge::{Advisor, Evaluator};
use ludens_engine::playout::{Choice, End, Playout};
use ludens_engine::{Crowd, Known, Machine, Matches, MoveId, Rng, Role, State, Wishes};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Paths are at most this long: games without an end of their own may go in circles.
const LONGEST_PATH: usize = 500;

/// What all threads of a search share.
pub(super) struct Shared {
    pub(super) tree: Tree,
    pub(super) root: NodeId,
    /// Playouts begun, and those that came back.
    pub(super) iterations: u64,
    pub(super) finished: u64,
    pub(super) stop: Option<StopReason>,
    /// The rounds at the root, where there are rounds.
    pub(super) halving: Option<Halving>,
    /// The best line, where there is one role.
    pub(super) plan: Option<Plan>,
    /// The least and the greatest goal that occurred.
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Shared {
    pub(super) fn new(tree: Tree, root: NodeId) -> Shared {
        Shared {
            tree,
            root,
            iterations: 0,
            finished: 0,
            stop: None,
            halving: None,
            plan: None,
            least: 100.0,
            greatest: 0.0,
        }
    }

    /// Whether the search is to stop, and remembers why.
    fn check(&mut self, effort: &Effort) -> bool {
        /// To ask for the time takes as long as a short way down the tree.
        const NOT_EVERY_TIME: u64 = 8;
        let is_spent = effort.most_iterations().is_some_and(|most| self.iterations >= most);
        if self.stop.is_none() && (is_spent || self.iterations.is_multiple_of(NOT_EVERY_TIME)) {
            self.stop = effort.stop(self.iterations);
        }
        if self.stop.is_none() && self.tree.get(self.root).proved.is_some() {
            self.stop = Some(StopReason::Solved);
        }
        if self.stop.is_none() && self.plan.as_ref().is_some_and(|plan| plan.score == 100) {
            self.stop = Some(StopReason::Solved);
        }
        self.stop.is_some()
    }

    /// The preference for moves that are little known, for the goals that occur.
    fn exploration(&self, settings: &Settings) -> f64 {
        match settings.scaled && self.greatest > self.least {
            true => settings.exploration * (self.greatest - self.least) / 100.0,
            false => settings.exploration,
        }
    }

    fn note_goals(&mut self, goals: &[f64]) {
        for &goal in goals {
            self.least = self.least.min(goal);
            self.greatest = self.greatest.max(goal);
        }
    }
}

/// What one thread brings along.
pub(super) struct Parts<'a> {
    pub(super) machine: &'a mut dyn Machine,
    pub(super) policy: &'a mut Policy,
    pub(super) evaluator: Option<&'a mut Box<dyn Evaluator>>,
    pub(super) advisor: Option<&'a mut Box<dyn Advisor>>,
    pub(super) known: Option<&'a dyn Known>,
    pub(super) settings: &'a Settings,
    pub(super) is_chance: &'a [bool],
    /// The role that searches.
    pub(super) role: usize,
    pub(super) effort: &'a Effort,
    pub(super) rng: Rng,
}

impl Parts<'_> {
    fn is_sequenced(&self) -> bool {
        self.settings.simultaneous == Simultaneous::Sequenced
    }

    fn is_regretting(&self) -> bool {
        matches!(self.settings.simultaneous, Simultaneous::Regret { .. })
    }

    /// How often roles explore in a node; nothing where they do not choose by regret.
    fn exploring(&self, node: &Node) -> Option<f64> {
        match self.settings.simultaneous {
            Simultaneous::Regret { exploration } if node.is_contested(self.is_chance) => Some(exploration),
            _ => None,
        }
    }
}

/// A search that is going on, as one thread sees it.
pub(super) struct Walk<'a> {
    shared: &'a Mutex<Shared>,
    /// Held between the playouts' steps.
    guard: Option<MutexGuard<'a, Shared>>,
    pub(super) parts: Parts<'a>,
    /// Playouts that may still be started in this round.
    pub(super) quota: u64,
    paths: Vec<Path>,
    free: Vec<u32>,
    /// The path whose leaf is to be played out again, and how often.
    again: Option<(u32, u32)>,
    /// Whether the playout that is asked about is to be stopped.
    stops: bool,
    joint: Vec<MoveId>,
    /// The choices of a whole match, and its goals.
    choices: Vec<Choice>,
    goals: Vec<f64>,
    /// What playouts are worth to the roles at one step of their path.
    totals: Vec<f64>,
}

/// Takes hold of the tree. A thread that panicked leaves numbers that are at worst a little wrong.
pub(super) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    /// The tree is held for some microseconds at a time. To be put to sleep and woken up takes longer than that.
    const PATIENCE: usize = 2_000;
    for _ in 0..PATIENCE {
        match shared.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Walk<'a> {
    pub(super) fn new(shared: &'a Mutex<Shared>, parts: Parts<'a>) -> Walk<'a> {
        Walk {
            shared,
            guard: None,
            goals: vec![0.0; parts.is_chance.len()],
            parts,
            quota: 0,
            paths: Vec::new(),
            free: Vec::new(),
            again: None,
            stops: false,
            joint: Vec::new(),
            choices: Vec::new(),
            totals: Vec::new(),
        }
    }

    /// Lets go of the tree.
    pub(super) fn let_go(&mut self) {
        self.guard = None;
    }

    /// Goes down the tree to a leaf; the path ends at a state that is new, that is known for certain, or beyond which
    /// there is no room.
    fn descend(&mut self, path: &mut Path) {
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
        let most_nodes = parts.effort.most_nodes().unwrap_or(u64::MAX);
        let room = shared.tree.len() < parts.settings.most_nodes && (shared.tree.len() as u64) < most_nodes;
        loop {
            let tree = &mut shared.tree;
            let node = tree.get(at);
            path.leaf = Some(at);
            if node.proved.is_some() && !path.steps.is_empty() || node.is_terminal || path.steps.len() >= LONGEST_PATH {
                return;
            }
            take_advice(tree.get_mut(at), parts);
            let node = tree.get(at);
            if let Some(rave) = parts.settings.rave
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
            if parts.settings.joint_first
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
    fn begin(&mut self, path: &Path, playouts: u32) {
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
    fn back_up(&mut self, path: &Path, playouts: u32) {
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
        if is_certain && settings.solver {
            prove(&mut shared.tree, &path.steps, self.parts.is_chance);
        }
        if settings.implicit > 0.0 {
            judge(&mut shared.tree, path, playouts);
        }
        if self.parts.is_regretting() {
            regret::learn(&mut shared.tree, path, playouts, self.parts.is_chance);
        }
    }

    /// Takes in one result: the choices of the match after the leaf, and `self.goals`.
    fn learn(&mut self, path: &Path, playout: Option<&Playout>) {
        let parts = &mut self.parts;
        let roles = parts.is_chance.len();
        let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
        shared.note_goals(&self.goals);
        let is_alone = roles == 1 && !parts.is_chance[0];
        let policy_learns = parts.policy.wishes().choices;
        if !(is_alone || policy_learns || parts.settings.rave.is_some()) {
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
            if let Some(playout) = playout.filter(|_| parts.policy.wishes().choice_states) {
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
        if parts.settings.rave.is_some() {
            add_as_first(&mut shared.tree, path, &mut self.choices, in_tree, &self.goals);
        }
    }

    /// Playouts to be made from one leaf.
    fn playouts_at_a_leaf(&self, shared: &Shared) -> u32 {
        /// The first playouts are worth more than speed.
        const FIRST: u64 = 512;
        let left = self
            .parts
            .effort
            .most_iterations()
            .map_or(u64::MAX, |most| most - shared.iterations);
        let wanted = match shared.finished < FIRST {
            true => 1,
            false => u64::from(self.parts.settings.leaf),
        };
        wanted.min(left).min(self.quota).max(1) as u32
    }

    /// Whether a leaf needs no playout, because it is known or its judgement is trusted; then its goals are in
    /// `self.goals`.
    fn settle(&mut self, path: &mut Path) -> bool {
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
                let trust = self.parts.settings.trust;
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
fn discount(settings: &Settings, roles: usize, steps: usize) -> f64 {
    match roles == 1 && settings.discount < 1.0 {
        true => settings.discount.powi(steps as i32),
        false => 1.0,
    }
}

impl Matches for Walk<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        loop {
            let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
            if let Some((tag, left)) = self.again {
                self.again = (left > 1).then_some((tag, left - 1));
                let leaf = self.paths[tag as usize].leaf.unwrap_or(shared.root);
                return Some((&self.guard.as_ref()?.tree.get(leaf).state, tag));
            }
            let is_round_over = |halving: &Halving| halving.is_round_over(shared.iterations);
            if self.quota == 0 || shared.halving.as_ref().is_some_and(is_round_over) || shared.check(self.parts.effort)
            {
                return None;
            }
            let tag = self.free.pop().unwrap_or_else(|| {
                self.paths.push(Path::default());
                self.paths.len() as u32 - 1
            });
            let mut path = std::mem::take(&mut self.paths[tag as usize]);
            self.descend(&mut path);
            if self.settle(&mut path) {
                self.begin(&path, 1);
                self.learn(&path, None);
                let discount = discount(self.parts.settings, self.goals.len(), path.steps.len());
                path.totals.extend(self.goals.iter().map(|goal| goal * discount));
                self.back_up(&path, 1);
                self.guard.iter_mut().for_each(|shared| shared.iterations += 1);
                self.quota -= 1;
                self.free.push(tag);
            } else if let Some(shared) = &self.guard {
                let playouts = self.playouts_at_a_leaf(shared);
                self.begin(&path, playouts);
                path.totals.resize(self.parts.is_chance.len(), 0.0);
                path.playouts = playouts;
                path.missing = playouts;
                let count = u64::from(playouts);
                self.guard.iter_mut().for_each(|shared| shared.iterations += count);
                self.quota -= count;
                self.again = Some((tag, playouts));
            }
            self.paths[tag as usize] = path;
        }
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        let mut path = std::mem::take(&mut self.paths[tag as usize]);
        for (goal, &score) in self.goals.iter_mut().zip(&playout.scores) {
            *goal = f64::from(score);
        }
        if let (End::Stopped, Some(state)) = (playout.end, &playout.state) {
            self.judge_end(state);
        }
        for (goal, judged) in self.goals.iter_mut().zip(&path.judged) {
            *goal += self.parts.settings.trust * (judged - *goal);
        }
        path.missing -= 1;
        if playout.end != End::Fault {
            self.learn(&path, Some(playout));
            let steps = path.steps.len() + playout.steps;
            let discount = discount(self.parts.settings, self.goals.len(), steps);
            for (total, &goal) in path.totals.iter_mut().zip(&self.goals) {
                *total += goal * discount;
            }
        }
        if path.missing == 0 {
            self.guard.get_or_insert_with(|| lock(self.shared));
            self.back_up(&path, path.playouts);
            self.free.push(tag);
        }
        self.paths[tag as usize] = path;
    }

    fn is_over(&mut self) -> bool {
        // The next step of the batch takes time that others can use.
        self.let_go();
        self.parts.effort.budget().is_spent()
    }

    fn wishes(&self) -> Wishes {
        let wishes = self.parts.policy.wishes();
        let is_alone = self.parts.is_chance == [false];
        let settings = self.parts.settings;
        let is_watched = self.parts.known.is_some() || settings.cut.is_some() || settings.stop > 0.0;
        // The leaf itself was looked at when it came into the tree.
        let is_watched_from_start = self.parts.known.is_some() || settings.stop > 0.0;
        let first = if is_watched_from_start {
            1
        } else {
            settings.cut.unwrap_or(1)
        };
        // Only the advisor needs states that way.
        let is_surveyed = settings.playout == PlayoutPolicy::Advised
            && self
                .parts
                .advisor
                .as_ref()
                .is_some_and(|advisor| advisor.judges_crowds());
        Wishes {
            states: wishes.states && !is_surveyed,
            crowds: is_surveyed,
            choices: wishes.choices || is_alone || settings.rave.is_some(),
            last_state: wishes.last_state || is_watched,
            watched_from: is_watched.then_some(first),
            ..wishes
        }
    }

    fn choose(
        &mut self,
        _tag: u32,
        role: Role,
        legal: &[MoveId],
        before: &[Choice],
        state: Option<&State>,
        rng: &mut Rng,
    ) -> usize {
        match self.parts.is_chance[role.index()] {
            true => rng.usize(..legal.len()),
            false => {
                let advisor = self.parts.advisor.as_mut().map(|advisor| &mut ***advisor);
                self.parts.policy.choose(role, legal, before, state, advisor, rng)
            }
        }
    }

    fn survey(&mut self, role: Role, moves: &[MoveId], crowd: &Crowd<'_>) {
        if let Some(advisor) = &mut self.parts.advisor
            && !self.parts.is_chance[role.index()]
        {
            self.parts.policy.survey(role, moves, crowd, &mut ***advisor);
        }
    }

    fn is_watched(&mut self, _tag: u32, steps: usize) -> bool {
        let settings = self.parts.settings;
        self.stops = settings.cut.is_some_and(|cut| steps >= cut)
            || settings.stop > 0.0 && self.parts.evaluator.is_some() && self.parts.rng.f64() < settings.stop;
        self.stops || self.parts.known.is_some()
    }

    fn watch(&mut self, _tag: u32, _steps: usize, state: &State) -> bool {
        let mut goals = [0; 256];
        let known = self.parts.known;
        self.stops || known.is_some_and(|known| known.goals(state, &mut goals[..self.goals.len()]))
    }
}

impl Walk<'_> {
    /// Puts the goals of a state at which a playout was stopped into `self.goals`.
    fn judge_end(&mut self, state: &State) {
        let mut scores = [0; 256];
        let scores = &mut scores[..self.goals.len()];
        if self.parts.known.is_some_and(|known| known.goals(state, scores)) {
            for (goal, &score) in self.goals.iter_mut().zip(&*scores) {
                *goal = f64::from(score);
            }
        } else if let Some(evaluator) = &mut self.parts.evaluator {
            evaluator.evaluate(state, &mut self.goals);
        }
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
    if parts.settings.implicit > 0.0
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
    let is_used = settings.blend > 0.0 || settings.head_start > 0.0 || settings.lean > 0.0;
    if !is_used || node.extra.as_ref().is_some_and(|extra| !extra.advice.is_empty()) {
        return;
    }
    let Some(advisor) = &mut parts.advisor else { return };
    let advice = node.choices.iter().enumerate().map(|(role, choice)| {
        let mut goals = vec![50.0; choice.arms.len()].into_boxed_slice();
        if !goals.is_empty() && !parts.is_chance[role] {
            advisor.advise(&node.state, Role(role as u8), &choice.moves, &mut goals);
            if settings.stretched {
                stretch(&mut goals);
            }
        }
        goals
    });
    let advice = advice.collect();
    node.extra_mut().advice = advice;
}
