//! How moves are chosen in playouts, and what is learnt from playouts for that.
//!
//! Every policy gives a value to each legal move; a move is then drawn by these values. Values are averages of goals, so
//! that all policies use the same scale. What is learnt belongs to one thread: threads share the tree, but not this.

mod averages;
mod fast;
mod grams;
mod past;
mod replies;

use super::settings::{Draw, PlayoutPolicy, Settings};
use averages::Averages;
use fast::Fast;
use grams::Grams;
use ludens_engine::knowledge::Advisor;
use ludens_engine::playout::Choice;
use ludens_engine::{Game, LANES, Lanes, MoveId, PlayoutOptions, Rng, Role, State};
use past::Past;
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
    past: Option<Past>,
    /// Whether the judgements of an advisor are stretched.
    is_stretched: bool,
    survey: Survey,
    /// The values of the moves at hand.
    values: Vec<f32>,
}

/// What an advisor thinks of the moves in many states.
#[derive(Default)]
struct Survey {
    /// By move and state.
    goals: Vec<[f32; LANES]>,
    /// For each move its place there.
    places: Vec<u32>,
    /// The states in which nothing was chosen yet, as bits.
    open: u64,
}

impl Policy {
    pub(super) fn new(game: &Game, settings: &Settings) -> Policy {
        let kind = settings.playout.policy;
        let averages = !matches!(
            kind,
            PlayoutPolicy::Uniform | PlayoutPolicy::Reply | PlayoutPolicy::Advised
        );
        let roles = game.roles().count();
        Policy {
            kind,
            draw: settings.playout.draw,
            averages: (averages || settings.selection.progressive_bias > 0.0).then(|| Averages::new(roles)),
            grams: (kind == PlayoutPolicy::Nst).then(Grams::default),
            replies: (kind == PlayoutPolicy::Reply).then(Replies::default),
            fast: (kind == PlayoutPolicy::Fast).then(|| Fast::new(game)),
            past: (kind == PlayoutPolicy::Past).then(Past::default),
            is_stretched: settings.playout.rescaled,
            survey: Survey::default(),
            values: Vec::new(),
        }
    }

    /// Whether it learns from the choices of playouts.
    fn learns(&self) -> bool {
        self.averages.is_some() || !matches!(self.kind, PlayoutPolicy::Uniform | PlayoutPolicy::Advised)
    }

    /// What it has to be told by playouts.
    pub(super) fn options(&self) -> PlayoutOptions {
        PlayoutOptions {
            guided: self.kind != PlayoutPolicy::Uniform,
            states: matches!(self.kind, PlayoutPolicy::Advised | PlayoutPolicy::Past),
            lanes: false,
            choices: self.learns(),
            choice_states: self.past.is_some(),
            last_state: self.fast.is_some(),
            watched_from: None,
            at_most: None,
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
        if let Some(past) = &mut self.past {
            past.fade(keep);
        }
    }

    /// The average goal of a role after one of its moves, if it was made often enough to say.
    pub(super) fn average(&self, role: usize, move_id: MoveId) -> Option<f32> {
        self.averages.as_ref()?.mean(role, move_id)
    }

    /// Chooses one of several legal moves, by its place. The state and the advisor are there where they are needed.
    pub(super) fn choose(
        &mut self,
        role: Role,
        legal: &[MoveId],
        before: &[Choice],
        state: Option<&State>,
        advisor: Option<&mut (dyn Advisor + 'static)>,
        rng: &mut Rng,
    ) -> usize {
        match self.kind {
            PlayoutPolicy::Uniform => return rng.usize(..legal.len()),
            PlayoutPolicy::Reply => {
                let reply = self.replies.as_ref().and_then(|replies| replies.to(role, before));
                let known = reply.and_then(|reply| legal.iter().position(|&known| known == reply));
                return known.unwrap_or_else(|| rng.usize(..legal.len()));
            }
            PlayoutPolicy::Advised => return self.choose_advised(role, legal, state, advisor, rng),
            PlayoutPolicy::Mast | PlayoutPolicy::TreeMast => {
                if let (Some(averages), Draw::Gibbs { .. }) = (&self.averages, self.draw) {
                    // The usual case is worth a short way.
                    return by_weight(legal, |known| averages.weight(role.index(), known), rng);
                }
            }
            PlayoutPolicy::Nst | PlayoutPolicy::Fast | PlayoutPolicy::Past => {}
        }
        self.values.clear();
        let averages = self.averages.as_ref();
        let average = |known: MoveId| averages.and_then(|averages| averages.mean(role.index(), known));
        let value = |known: MoveId| average(known).unwrap_or(averages::UNKNOWN);
        match (&self.grams, &self.fast, &self.past) {
            (Some(grams), ..) => {
                let context = grams.context(role, before);
                let values = legal.iter().map(|&known| grams.value(&context, known, average(known)));
                self.values.extend(values);
            }
            (None, Some(fast), _) => self
                .values
                .extend(legal.iter().map(|&known| fast.value(role.index(), known))),
            (None, None, Some(past)) => self.values.extend(legal.iter().map(|&known| {
                let best = state.and_then(|state| past.value(role, known, state));
                best.unwrap_or_else(|| value(known))
            })),
            (None, None, None) => self.values.extend(legal.iter().map(|&known| value(known))),
        }
        self.draw(rng)
    }

    /// Asks what an advisor thinks of moves in many states at once; these are asked about next, one after the other.
    pub(super) fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>, advisor: &mut dyn Advisor) {
        let Survey { goals, places, open } = &mut self.survey;
        goals.resize(moves.len().max(goals.len()), [0.0; LANES]);
        for (&MoveId(number), place) in moves.iter().zip(0..) {
            if number as usize >= places.len() {
                places.resize(number as usize + 1, 0);
            }
            places[number as usize] = place;
        }
        advisor.advise_lanes(lanes, role, moves, &mut goals[..moves.len()]);
        *open = lanes.active();
    }

    /// Chooses one of several legal moves by what an advisor thinks of them.
    fn choose_advised(
        &mut self,
        role: Role,
        legal: &[MoveId],
        state: Option<&State>,
        advisor: Option<&mut (dyn Advisor + 'static)>,
        rng: &mut Rng,
    ) -> usize {
        self.values.clear();
        match (self.survey.open, state, advisor) {
            (0, Some(state), Some(advisor)) => {
                self.values.resize(legal.len(), 50.0);
                advisor.advise(state, role, legal, &mut self.values);
            }
            (0, ..) => return rng.usize(..legal.len()),
            (open, ..) => {
                let lane = open.trailing_zeros() as usize;
                self.survey.open = open & (open - 1);
                let Survey { goals, places, .. } = &self.survey;
                let goal = |known: &MoveId| goals[places[known.0 as usize] as usize][lane];
                self.values.extend(legal.iter().map(goal));
            }
        }
        if self.is_stretched {
            stretch(&mut self.values);
        }
        self.draw(rng)
    }

    /// Draws a place by the values at hand.
    fn draw(&mut self, rng: &mut Rng) -> usize {
        match self.draw {
            Draw::Gibbs { temperature } => {
                let greatest = self.values.iter().copied().fold(f32::MIN, f32::max);
                let temperature = temperature.max(1e-3) as f32;
                for value in &mut self.values {
                    *value = ((*value - greatest) / temperature).exp();
                }
                by_weights(&self.values, rng)
            }
            Draw::Greedy { epsilon } if rng.f64() < epsilon => rng.usize(..self.values.len()),
            Draw::Greedy { .. } => crate::bandit::best(self.values.iter().map(|&value| f64::from(value)), rng),
        }
    }

    /// Learns from the choices of a whole match, so many of them in the tree, and its goals.
    pub(super) fn learn(&mut self, choices: &[Choice], in_tree: usize, goals: &[f64], state: Option<&State>) {
        if let Some(averages) = &mut self.averages {
            match self.kind {
                PlayoutPolicy::TreeMast => averages.learn(&choices[..in_tree], goals),
                _ => averages.learn(choices, goals),
            }
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

    /// Learns from the states in which the choices of a match were made, where that is wished for.
    pub(super) fn learn_states(&mut self, choices: &[Choice], states: &[&State], goals: &[f64]) {
        if let Some(past) = &mut self.past {
            past.learn(choices.iter().copied().zip(states.iter().copied()), goals);
        }
    }
}

/// The least difference between judgements that is stretched in full, as a share of the greatest: less than that may be the
/// noise of conditions that matter only much later.
const LEAST_RANGE: f32 = 0.1;

/// Stretches judgements so that the least is 0 and the greatest 100. Those that hardly differ are stretched no further than
/// others would be, and equal ones are 50.
pub(super) fn stretch(values: &mut [f32]) {
    let least = values.iter().copied().fold(f32::MAX, f32::min);
    let greatest = values.iter().copied().fold(f32::MIN, f32::max);
    let range = (greatest - least).max(LEAST_RANGE * greatest.abs());
    for value in values {
        *value = match greatest > least {
            true => 50.0 + 100.0 * (*value - (least + greatest) / 2.0) / range,
            false => 50.0,
        };
    }
}

/// Draws a place with a probability proportional to its weight.
fn by_weights(weights: &[f32], rng: &mut Rng) -> usize {
    let total: f32 = weights.iter().sum();
    let mut left = rng.f32() * total;
    for (place, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return place;
        }
    }
    // Rounding: nothing is left.
    weights.len() - 1
}

/// The same, with a weight for each move.
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

#[cfg(test)]
mod tests {
    use super::stretch;

    #[test]
    fn judgements_are_stretched_unless_they_hardly_differ() {
        let stretched = |mut values: [f32; 3]| {
            stretch(&mut values);
            values.map(f32::round)
        };
        assert_eq!(stretched([0.002, 0.006, 0.004]), [0.0, 100.0, 50.0]);
        assert_eq!(stretched([3.0, 3.0, 3.0]), [50.0; 3]);
        assert_eq!(stretched([100.0, 99.0, 99.5]), [55.0, 45.0, 50.0]);
    }
}
