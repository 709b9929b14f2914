//! How moves are chosen in playouts, and what is learnt from playouts for that.
//!
//! Every policy gives a value to each legal move; a move is then drawn by these values. Values are averages of goals, so
//! that all policies use the same scale. What is learnt belongs to one thread: threads share the tree, but not this.

mod averages;
mod fast;
mod grams;
mod replies;

use super::settings::{Draw, PlayoutPolicy, Settings};
use averages::Averages;
use fast::Fast;
use grams::Grams;
use ludens_engine::playout::Choice;
use ludens_engine::{Game, MoveId, Rng, Role, State, Wishes};
use replies::Replies;

/// Chooses moves in playouts.
pub(super) struct Policy {
    kind: PlayoutPolicy,
    draw: Draw,
    /// The averages of all moves; they also serve progressive bias in the tree.
    averages: Option<Averages>,
    grams: Option<Grams>,
    replies: Option<Replies>,
    fast: Option<Fast>,
    /// The values of the moves at hand.
    values: Vec<f32>,
}

impl Policy {
    pub(super) fn new(game: &Game, settings: &Settings) -> Policy {
        let kind = settings.playout;
        let averages = matches!(kind, PlayoutPolicy::Mast | PlayoutPolicy::Nst | PlayoutPolicy::Fast);
        let roles = game.roles().count();
        Policy {
            kind,
            draw: settings.draw,
            averages: (averages || settings.bias > 0.0).then(|| Averages::new(roles)),
            grams: (kind == PlayoutPolicy::Nst).then(Grams::default),
            replies: (kind == PlayoutPolicy::Reply).then(Replies::default),
            fast: (kind == PlayoutPolicy::Fast).then(|| Fast::new(game)),
            values: Vec::new(),
        }
    }

    /// What it has to be told by playouts.
    pub(super) fn wishes(&self) -> Wishes {
        Wishes {
            guided: self.kind != PlayoutPolicy::Uniform,
            states: false,
            crowds: false,
            choice_states: false,
            choices: self.kind != PlayoutPolicy::Uniform || self.averages.is_some(),
            last_state: self.fast.is_some(),
            watched_from: None,
        }
    }

    /// Makes ready for a round of playouts: values change between rounds only, where that saves time.
    pub(super) fn refresh(&mut self) {
        if let (Some(fast), Some(averages)) = (&mut self.fast, &self.averages) {
            fast.refresh(averages);
        }
        if let (Some(averages), Draw::Gibbs { temperature }) = (&mut self.averages, self.draw) {
            averages.refresh(temperature);
        }
    }

    /// Forgets a part of what was learnt, as the match has gone on.
    pub(super) fn fade(&mut self, keep: f64) {
        if let Some(averages) = &mut self.averages {
            averages.fade(keep);
        }
        if let Some(grams) = &mut self.grams {
            grams.fade(keep);
        }
        if let Some(fast) = &mut self.fast {
            fast.fade(keep);
        }
    }

    /// The average goal of a role after one of its moves, if it was made often enough to say.
    pub(super) fn average(&self, role: usize, move_id: MoveId) -> Option<f32> {
        self.averages.as_ref()?.mean(role, move_id)
    }

    /// Chooses one of several legal moves, by its place.
    pub(super) fn choose(&mut self, role: Role, legal: &[MoveId], before: &[Choice], rng: &mut Rng) -> usize {
        match self.kind {
            PlayoutPolicy::Uniform => return rng.usize(..legal.len()),
            PlayoutPolicy::Reply => {
                let reply = self.replies.as_ref().and_then(|replies| replies.to(role, before));
                let known = reply.and_then(|reply| legal.iter().position(|&known| known == reply));
                return known.unwrap_or_else(|| rng.usize(..legal.len()));
            }
            PlayoutPolicy::Mast => {
                if let (Some(averages), Draw::Gibbs { .. }) = (&self.averages, self.draw) {
                    // The usual case is worth a short way.
                    return by_weight(legal, |known| averages.weight(role.index(), known), rng);
                }
            }
            PlayoutPolicy::Nst | PlayoutPolicy::Fast => {}
        }
        self.values.clear();
        let averages = self.averages.as_ref();
        let average = |known: MoveId| averages.and_then(|averages| averages.mean(role.index(), known));
        match (&self.grams, &self.fast) {
            (Some(grams), _) => {
                let context = grams.context(role, before);
                let values = legal.iter().map(|&known| grams.value(&context, known, average(known)));
                self.values.extend(values);
            }
            (None, Some(fast)) => self
                .values
                .extend(legal.iter().map(|&known| fast.value(role.index(), known))),
            (None, None) => self
                .values
                .extend(legal.iter().map(|&known| average(known).unwrap_or(averages::UNKNOWN))),
        }
        match self.draw {
            Draw::Gibbs { temperature } => {
                let greatest = self.values.iter().copied().fold(f32::MIN, f32::max);
                let temperature = temperature.max(1e-3) as f32;
                for value in &mut self.values {
                    *value = ((*value - greatest) / temperature).exp();
                }
                let values = &self.values;
                by_weight(&places(legal.len()), |place| values[place.0 as usize], rng)
            }
            Draw::Greedy { epsilon } if rng.f64() < epsilon => rng.usize(..legal.len()),
            Draw::Greedy { .. } => crate::bandit::best(self.values.iter().map(|&value| f64::from(value)), rng),
        }
    }

    /// Learns from the choices of a whole match, those in the tree first, and its goals.
    pub(super) fn learn(&mut self, choices: &[Choice], goals: &[f64], state: Option<&State>) {
        if let Some(averages) = &mut self.averages {
            averages.learn(choices, goals);
        }
        if let Some(grams) = &mut self.grams {
            grams.learn(choices, goals);
        }
        if let Some(replies) = &mut self.replies {
            replies.learn(choices, goals);
        }
        if let (Some(fast), Some(state)) = (&mut self.fast, state) {
            fast.learn(state, goals);
        }
    }
}

/// The places of a list, for drawing by them.
fn places(count: usize) -> Vec<MoveId> {
    (0..count as u32).map(MoveId).collect()
}

/// Draws a place with a probability proportional to its weight.
fn by_weight(legal: &[MoveId], weight: impl Fn(MoveId) -> f32, rng: &mut Rng) -> usize {
    let total: f32 = legal.iter().map(|&known| weight(known)).sum();
    let mut left = rng.f32() * total;
    for (place, &known) in legal.iter().enumerate() {
        left -= weight(known);
        if left < 0.0 {
            return place;
        }
    }
    // Rounding: nothing is left, or the weights say nothing.
    if total > 0.0 {
        legal.len() - 1
    } else {
        rng.usize(..legal.len())
    }
}
