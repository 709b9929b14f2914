//! A belief that follows what a role has observed of a match.

use crate::agent::{Failure, Place};
use crate::record::FaultKind;
use crate::view::Observed;
use ludens_belief::{Belief, Kind, Settings};
use ludens_budget::Budget;
use ludens_engine::{HistoryHash, MoveId, Rng, RoleMap, State};
use ludens_search::information_set::Worlds;

/// Follows a match by the own moves and percepts of its role.
pub struct Tracker {
    belief: Belief,
    /// What all players know, if that is wanted.
    public: Option<Belief>,
}

/// Share of the time for a move that keeping the belief may take.
const SHARE: f64 = 0.3;

impl Tracker {
    /// At the beginning of a match.
    pub fn new(place: &Place, settings: Settings) -> Tracker {
        let seed = place.seed ^ 0xbe11_ef00;
        Tracker {
            belief: Belief::new(&place.game, place.role, Settings { seed, ..settings }),
            public: None,
        }
    }

    /// The same, with a belief by what all players know beside it.
    #[must_use]
    pub fn with_public(mut self, place: &Place, settings: Settings) -> Tracker {
        let seed = place.seed ^ 0x9b11_c000;
        self.public = Some(Belief::public(&place.game, place.role, Settings { seed, ..settings }));
        self
    }

    /// Takes into account what was observed since it was last asked. The match is not over.
    pub fn follow(&mut self, observed: &Observed, budget: &Budget) {
        let budget = budget.uncounted().share(SHARE);
        for observation in observed.observations().iter().skip(self.belief.step()) {
            self.belief.observe(observation, false, &budget);
            if let Some(public) = &mut self.public {
                public.observe(observation, false, &budget);
            }
        }
    }

    /// The moves that are legal in all worlds, sorted by term; if there is none, the likeliest. A failure if no world has
    /// any.
    pub fn playable(&mut self) -> Result<Vec<MoveId>, Failure> {
        let legal = self.belief.legal();
        let most = legal.iter().map(|(_, probability)| *probability).fold(0.0, f64::max);
        let likeliest = legal.iter().filter(|(_, probability)| *probability >= most);
        let moves: Vec<MoveId> = likeliest.map(|(id, _)| *id).collect();
        match moves.is_empty() {
            false => Ok(moves),
            true => Err(Failure {
                kind: FaultKind::Illegal,
                detail: "no move is legal in the worlds that it believes in".to_string(),
            }),
        }
    }

    /// The belief.
    pub fn belief(&mut self) -> &mut Belief {
        &mut self.belief
    }

    /// Draws a possible state.
    pub fn draw(&self, rng: &mut Rng) -> &State {
        &self.belief.draw(rng).state
    }

    /// What to say about the belief in the note on a decision.
    pub fn note(&self) -> String {
        let worlds = self.belief.worlds().len();
        match self.belief.kind() {
            Kind::Exact => format!("{worlds} possible worlds"),
            Kind::Particles => format!("{worlds} sampled worlds"),
            Kind::Guess => format!("{worlds} guessed worlds: none explains all percepts"),
        }
    }
}

impl Worlds for Tracker {
    fn draw(&self, rng: &mut Rng) -> (&State, &RoleMap<HistoryHash>) {
        let world = self.belief.draw(rng);
        (&world.state, &world.histories)
    }

    fn draw_public(&self, rng: &mut Rng) -> Option<(&State, &RoleMap<HistoryHash>)> {
        let world = self.public.as_ref()?.draw(rng);
        Some((&world.state, &world.histories))
    }
}
