//! Steps from worlds to worlds: all joint moves that agree with the own move, and the successors that agree with the
//! percepts.

use crate::model::{Model, with_floor};
use crate::world::World;
use ludens_engine::{Game, MoveId, Observation, PerceptId, Rng, Role, State, Successors, weighted_index};

/// Steps that are asked about at once: enough to fill the lanes of the engine.
const AT_ONCE: usize = 4096;

/// Makes steps of a game, as one role can observe them.
pub(crate) struct Steps {
    game: Game,
    pub(crate) role: Role,
    successors: Box<dyn Successors>,
    /// How the others choose; `None` is uniformly.
    model: Option<Box<dyn Model>>,
    /// The percepts that count, if only some do: those that all players get.
    counted: Option<Vec<bool>>,
}

/// What happened, as far as the role knows.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) own: Option<MoveId>,
    /// The percepts; `None` puts no condition on them.
    pub(crate) percepts: Option<&'a [PerceptId]>,
    /// Whether the match is over after the step.
    pub(crate) is_over: bool,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(observation: &'a Observation, is_over: bool) -> Seen<'a> {
        Seen {
            own: observation.own,
            percepts: Some(&observation.percepts),
            is_over,
        }
    }
}

/// The moves of every role in one world, with their probabilities.
pub(crate) struct Choices(Vec<Vec<(MoveId, f64)>>);

impl Choices {
    /// Number of joint moves.
    pub(crate) fn count(&self) -> u64 {
        let counts = self.0.iter().map(|moves| moves.len() as u64);
        counts.fold(1, u64::saturating_mul)
    }

    /// Tells `found` every joint move with its probability.
    pub(crate) fn each(&self, found: &mut dyn FnMut(&[MoveId], f64)) {
        if self.0.iter().any(Vec::is_empty) {
            return;
        }
        let mut chosen = vec![0; self.0.len()];
        let mut joint = Vec::with_capacity(self.0.len());
        loop {
            joint.clear();
            let mut probability = 1.0;
            for (moves, &index) in self.0.iter().zip(&chosen) {
                joint.push(moves[index].0);
                probability *= moves[index].1;
            }
            found(&joint, probability);
            let mut places = chosen.iter_mut().zip(&self.0).rev();
            let next = places.find_map(|(index, moves)| {
                *index = (*index + 1) % moves.len();
                (*index > 0).then_some(())
            });
            if next.is_none() {
                return;
            }
        }
    }

    /// Draws a joint move; `None` if some role has no move.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Option<Vec<MoveId>> {
        let mut draw = |moves: &Vec<(MoveId, f64)>| {
            let index = weighted_index(moves.iter().map(|(_, probability)| *probability), rng)?;
            Some(moves[index].0)
        };
        self.0.iter().map(&mut draw).collect()
    }
}

/// A step to be made: the number of its world, the joint move, and a number of the caller's.
pub(crate) type Request = (usize, Vec<MoveId>, f64);

impl Steps {
    pub(crate) fn new(game: &Game, role: Role) -> Steps {
        Steps {
            game: game.clone(),
            role,
            successors: game.engine().successors(),
            model: None,
            counted: None,
        }
    }

    pub(crate) fn set_model(&mut self, model: Box<dyn Model>) {
        self.model = Some(model);
    }

    /// Lets only the percepts count that all players get at the same time.
    pub(crate) fn count_public_percepts(&mut self) {
        self.counted = Some(public_percepts(&self.game, self.role));
    }

    /// The percepts that count.
    pub(crate) fn counted(&self, percepts: &[PerceptId]) -> Vec<PerceptId> {
        let counts = |id: &PerceptId| match &self.counted {
            Some(counted) => counted.get(id.index()).copied().unwrap_or(false),
            None => true,
        };
        percepts.iter().copied().filter(counts).collect()
    }

    /// The moves of all roles in each of these worlds, the own one fixed if it is known. In worlds in which the match is
    /// over or the own move is not legal, some role has no move.
    pub(crate) fn choices(&mut self, worlds: &[World], own: Option<MoveId>) -> Vec<Choices> {
        let states: Vec<&State> = worlds.iter().map(|world| &world.state).collect();
        let mut all = Vec::with_capacity(worlds.len());
        let (game, role, model) = (&self.game, self.role, &mut self.model);
        let mut probabilities = Vec::new();
        self.successors.look(&states, &mut |number, successor| {
            let world: &World = &worlds[number];
            let moves = game.roles().map(|other| {
                let legal = &successor.legal[other];
                match (own, model.as_mut()) {
                    (Some(own), _) if other == role => {
                        legal.iter().filter(|&&id| id == own).map(|&id| (id, 1.0)).collect()
                    }
                    (_, Some(model)) if other != role && !game.is_random(other) => {
                        model.probabilities(other, world.histories[other], &world.state, legal, &mut probabilities);
                        probabilities.resize(legal.len(), 0.0);
                        with_floor(&mut probabilities);
                        legal.iter().copied().zip(probabilities.iter().copied()).collect()
                    }
                    _ => {
                        let even = 1.0 / legal.len().max(1) as f64;
                        legal.iter().map(|&id| (id, even)).collect()
                    }
                }
            });
            all.push(Choices(moves.collect()));
        });
        all
    }

    /// The legal moves of the role in each of these worlds.
    pub(crate) fn legal(&mut self, worlds: &[World]) -> Vec<Vec<MoveId>> {
        let states: Vec<&State> = worlds.iter().map(|world| &world.state).collect();
        let mut all = Vec::with_capacity(worlds.len());
        let role = self.role;
        self.successors
            .look(&states, &mut |_, successor| all.push(successor.legal[role].clone()));
        all
    }

    /// Makes steps and tells `found` those that agree with what was seen: the number of the request and the world after
    /// it, which keeps its weight.
    pub(crate) fn make(
        &mut self,
        worlds: &[World],
        requests: &[Request],
        seen: Seen<'_>,
        found: &mut dyn FnMut(usize, World),
    ) {
        let role = self.role;
        let all_count = self.counted.is_none();
        let wanted = seen.percepts.filter(|_| all_count).map(|percepts| (role, percepts));
        let counted = self.counted.clone();
        let counts = |id: &&PerceptId| {
            let counted = counted.as_ref();
            counted.is_none_or(|counted| counted.get(id.index()).copied().unwrap_or(false))
        };
        for (block, requests) in requests.chunks(AT_ONCE).enumerate() {
            let questions: Vec<(&State, &[MoveId])> = requests
                .iter()
                .map(|(world, joint, _)| (&worlds[*world].state, &joint[..]))
                .collect();
            self.successors
                .perceive(&questions, wanted, &mut |number, successor, percepts| {
                    if successor.is_terminal != seen.is_over {
                        return;
                    }
                    let public = || percepts[role].iter().filter(counts);
                    if !all_count && seen.percepts.is_some_and(|wanted| !public().eq(wanted)) {
                        return;
                    }
                    let (world, joint, _) = &requests[number];
                    let world = &worlds[*world];
                    let after = |(index, (other, history)): (usize, (Role, &ludens_engine::HistoryHash))| {
                        history.after(joint[index], &percepts[other])
                    };
                    let next = World {
                        state: successor.state.clone(),
                        histories: world.histories.iter().enumerate().map(after).collect(),
                        weight: world.weight,
                    };
                    found(block * AT_ONCE + number, next);
                });
        }
    }

    /// Why answers cannot be trusted, if the engine met a limit.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.successors.fault()
    }
}

/// For each percept of a role, whether all players provably get it at the same time: the rules derive the same term for
/// each of them by the same gate. Nothing is known of games that are not compiled.
fn public_percepts(game: &Game, role: Role) -> Vec<bool> {
    let Some(circuit) = game.engine().circuit() else {
        return Vec::new();
    };
    let percepts = &circuit.network.percepts;
    let others: Vec<Role> = game
        .roles()
        .filter(|&other| other != role && !game.is_random(other))
        .collect();
    let own = percepts[role].iter();
    own.map(|percept| others.iter().all(|&other| percepts[other].contains(percept)))
        .collect()
}
