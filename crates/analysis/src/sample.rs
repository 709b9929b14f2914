//! Random matches: they refute what does not hold and suggest what may.

use ludens_engine::{Budget, Game, Rng, Role, State};
use std::time::{Duration, Instant};

/// States that are looked at.
const MOST_STATES: usize = 3_000;
/// Memory that they may take.
const MOST_BYTES: usize = 64 << 20;
/// Matches that are looked at.
const MOST_MATCHES: usize = 200;
/// Steps of a match after which another one is begun.
const MOST_STEPS: usize = 300;
/// The time for all of them, where there is a clock.
const MOST_TIME: Duration = Duration::from_millis(400);

/// What was seen.
#[derive(Default)]
pub(crate) struct Sample {
    /// The states, one match after the other.
    pub(crate) states: Vec<State>,
    /// For each state whether it follows the one before it.
    pub(crate) follows: Vec<bool>,
    /// The greatest number of roles that had a choice at the same time.
    pub(crate) most_choosers: usize,
    /// For each role whether it is chance, whose goals do not count.
    pub(crate) is_chance: Vec<bool>,
    /// The sum of the goals of the players, if it was always the same.
    pub(crate) sum: Option<u32>,
    pub(crate) has_several_sums: bool,
    /// The goal values that occurred, by role.
    pub(crate) goals: Vec<Vec<u8>>,
}

impl Sample {
    /// What a property is so far if the sample speaks against it or not.
    pub(crate) fn refuted(&self, is_refuted: bool) -> crate::Verdict {
        match is_refuted {
            true => crate::Verdict::Refuted,
            false => crate::Verdict::Unknown,
        }
    }

    /// The pairs of a state and the one that followed it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&State, &State)> {
        let pairs = self.states.iter().zip(self.states.iter().skip(1));
        pairs
            .zip(self.follows.iter().skip(1))
            .filter(|(_, follows)| **follows)
            .map(|(pair, _)| pair)
    }
}

/// Plays random matches, for a short time if there is a clock. Without one, what is seen must not depend on time.
pub(crate) fn sample(game: &Game, budget: &Budget) -> Sample {
    let budget = match budget.deadline() {
        Some(deadline) => budget.until(deadline.min(Instant::now() + MOST_TIME)),
        None => budget.clone(),
    };
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(7);
    let roles: Vec<Role> = game.roles().collect();
    let mut sample = Sample {
        goals: vec![Vec::new(); roles.len()],
        is_chance: roles.iter().map(|&role| game.is_random(role)).collect(),
        ..Sample::default()
    };
    let mut matches = 0;
    machine.set_deadline(budget.deadline());
    let bytes_of_a_state = 8 * game.initial().words().len() + 64;
    let most_states = MOST_STATES.min(MOST_BYTES / bytes_of_a_state).max(1);
    while matches < MOST_MATCHES && sample.states.len() < most_states && !budget.is_spent() {
        matches += 1;
        machine.load(game.initial());
        for step in 0..MOST_STEPS.min(most_states) {
            sample.states.push(machine.state().clone());
            sample.follows.push(step > 0);
            if machine.is_terminal() {
                let goals: Vec<u8> = roles.iter().map(|&role| machine.score(role)).collect();
                sample.note_goals(&goals);
                break;
            }
            let mut choosers = 0;
            let mut joint = Vec::new();
            for &role in &roles {
                let legal = machine.legal(role);
                choosers += usize::from(legal.len() > 1);
                joint.extend(rng.choice(legal).copied());
            }
            sample.most_choosers = sample.most_choosers.max(choosers);
            if joint.len() < roles.len() || budget.is_spent() {
                break;
            }
            machine.step(&joint);
        }
    }
    sample
}

impl Sample {
    fn note_goals(&mut self, goals: &[u8]) {
        let players = goals.iter().zip(&self.is_chance).filter(|(_, is_chance)| !**is_chance);
        let sum = players.map(|(&goal, _)| u32::from(goal)).sum();
        self.has_several_sums |= self.sum.is_some_and(|known| known != sum);
        self.sum = Some(sum);
        for (known, &goal) in self.goals.iter_mut().zip(goals) {
            if !known.contains(&goal) {
                known.push(goal);
            }
        }
    }
}
