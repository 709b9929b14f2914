//! The playouts of a search, as the engine asks for them: where each starts, which moves are made in it, when it stops, and
//! what came of it.

use super::PlayoutPolicy;
use super::credit::Path;
use super::root::Halving;
use super::shared::lock;
use super::walk::{Walk, discount};
use ludens_engine::playout::{Choice, End, Playout};
use ludens_engine::{Lanes, MoveId, PlayoutOptions, PlayoutSource, Rng, Role, State};

impl PlayoutSource for Walk<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        loop {
            let shared = &mut **self.guard.get_or_insert_with(|| lock(self.shared));
            if let Some((tag, left)) = self.again {
                self.again = (left > 1).then_some((tag, left - 1));
                let leaf = self.paths[tag as usize].leaf.unwrap_or(shared.root);
                self.round_played = true;
                self.under_way += 1;
                return Some((&self.guard.as_ref()?.tree.get(leaf).state, tag));
            }
            let is_round_over = |halving: &Halving| halving.is_round_over(shared.iterations);
            if self.quota == 0 || shared.halving.as_ref().is_some_and(is_round_over) || shared.check(self.parts.budget)
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
            *goal += self.parts.settings.expansion.evaluator_share * (judged - *goal);
        }
        path.missing -= 1;
        self.under_way -= 1;
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
        self.parts.budget.is_spent()
    }

    fn options(&self) -> PlayoutOptions {
        let options = self.parts.policy.options();
        let is_alone = self.parts.is_chance == [false];
        let settings = self.parts.settings;
        let is_watched = self.parts.known.is_some() || settings.playout.cut.is_some() || settings.playout.stop > 0.0;
        // The leaf itself was looked at when it came into the tree.
        let is_watched_from_start = self.parts.known.is_some() || settings.playout.stop > 0.0;
        let first = if is_watched_from_start {
            1
        } else {
            settings.playout.cut.unwrap_or(1)
        };
        // Only the advisor needs states that way.
        let is_surveyed = settings.playout.policy == PlayoutPolicy::Advised
            && self
                .parts
                .advisor
                .as_ref()
                .is_some_and(|advisor| advisor.supports_lanes());
        PlayoutOptions {
            states: options.states && !is_surveyed,
            lanes: is_surveyed,
            choices: options.choices || is_alone || settings.selection.rave.is_some(),
            last_state: options.last_state || is_watched,
            watched_from: is_watched.then_some(first),
            at_most: Some(self.round),
            ..options
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

    fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>) {
        if let Some(advisor) = &mut self.parts.advisor
            && !self.parts.is_chance[role.index()]
        {
            self.parts.policy.survey(role, moves, lanes, &mut ***advisor);
        }
    }

    fn is_watched(&mut self, _tag: u32, steps: usize) -> bool {
        let settings = self.parts.settings;
        self.stops = settings.playout.cut.is_some_and(|cut| steps >= cut)
            || settings.playout.stop > 0.0
                && self.parts.evaluator.is_some()
                && self.parts.rng.f64() < settings.playout.stop;
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
