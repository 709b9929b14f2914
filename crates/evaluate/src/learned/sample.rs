//! Short sequences of states from random play, labelled with the mean results of playouts.
//!
//! A sequence begins at a random step of a playout and has a few successive states, none of them terminal. Playouts
//! from the last one give the mean goal of each role. What varies between sequences but little within them is a stable
//! feature of a position; useful are those that correlate with the goals.
//!
//! Where all playouts end alike, as in most puzzles, how [near](crate::learned::progress) they and their ends are to
//! better goals takes the place of the goals, spread evenly from the least to the greatest goal in the rules.
//!
//! In games of a single step all that can be told apart are ends, so there sequences are ends alone.

use crate::learned::progress::Progress;
use ludens_budget::Budget;
use ludens_engine::playout::{End, Playout};
use ludens_engine::{Game, PlayoutOptions, PlayoutSource, Playouts, Rng, State};
use std::time::{Duration, Instant};

/// How to draw a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Sequences to draw.
    pub sequences: usize,
    /// States of a sequence.
    pub length: usize,
    /// Steps from one state of a sequence to the next.
    pub apart: usize,
    /// Playouts from the last state of each sequence.
    pub playouts: u32,
    /// Maximum playout length.
    pub most_steps: usize,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            sequences: 2_000,
            length: 4,
            apart: 1,
            playouts: 8,
            most_steps: 1_000,
        }
    }
}

/// A few states that follow each other in random play.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The states, at least one, in order; none is terminal, but in games of a single step, whose ends they are.
    pub states: Vec<State>,
    /// The mean goal of each role in playouts from the last of them, or what takes its place.
    pub goals: Vec<f64>,
    /// Number of these playouts.
    pub playouts: u32,
    /// The steps that lead to the last of them.
    pub steps: usize,
    /// The mean number of steps from there to the ends of those matches.
    pub steps_left: f64,
}

impl Sequence {
    /// Returns the state that the goals belong to.
    pub fn last(&self) -> &State {
        &self.states[self.states.len() - 1]
    }
}

/// A sample of random play.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The sequences, in random order: every prefix of the list is a sample too.
    pub sequences: Vec<Sequence>,
    /// For each role the least and the greatest goal in which a match ended, or in the rules if the goals of sequences
    /// are made of their progress.
    pub goals: Vec<(u8, u8)>,
    /// Whether the goals of sequences say how near they come to better goals, because all matches ended alike.
    pub is_progress: bool,
    /// Number of playouts that came to an end, and of their steps.
    pub matches: u64,
    /// Steps of those matches.
    pub steps: u64,
    /// Whether everything was drawn that was asked for.
    pub is_complete: bool,
}

impl Sample {
    /// Returns all states, one sequence after the other.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.sequences.iter().flat_map(|sequence| &sequence.states)
    }

    /// Returns whether some role has had different goals.
    pub fn can_teach(&self) -> bool {
        self.goals.iter().any(|(least, greatest)| least < greatest)
    }

    /// Returns whether no role can tell the sequences apart by their goals.
    fn are_equally_near(&self) -> bool {
        let first = self.sequences.first().map(|sequence| &sequence.goals);
        let is_same = |goals: &[f64]| {
            let mut pairs = first.into_iter().flatten().zip(goals);
            pairs.all(|(a, b)| (a - b).abs() < 1e-9)
        };
        self.sequences.iter().all(|sequence| is_same(&sequence.goals))
    }

    /// Makes goals of how near sequences come to better goals: by their rank, from the least goal in the rules to the
    /// greatest. Roles that are always as near have the mean.
    fn spread(&mut self, game: &Game) {
        self.is_progress = true;
        let Some(circuit) = game.engine().circuit() else {
            return;
        };
        for (role, goals) in circuit.network.goals.iter() {
            let values = || goals.iter().map(|(value, _)| *value);
            let (least, greatest) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            let mut all: Vec<f64> = self
                .sequences
                .iter()
                .map(|sequence| sequence.goals[role.index()])
                .collect();
            all.sort_by(f64::total_cmp);
            for sequence in &mut self.sequences {
                let below = all.partition_point(|&other| other < sequence.goals[role.index()] - 1e-9);
                let not_above = all.partition_point(|&other| other <= sequence.goals[role.index()] + 1e-9);
                let rank = (below + not_above) as f64 / (2 * all.len()) as f64;
                sequence.goals[role.index()] = f64::from(least) + rank * f64::from(greatest.saturating_sub(least));
            }
            let is_same = all
                .first()
                .zip(all.last())
                .is_none_or(|(first, last)| last - first < 1e-9);
            self.goals[role.index()] = if is_same { (least, least) } else { (least, greatest) };
        }
    }

    fn note(&mut self, playout: &Playout) {
        self.matches += 1;
        self.steps += playout.steps as u64;
        for ((least, greatest), &score) in self.goals.iter_mut().zip(playout.scores.values()) {
            *least = (*least).min(score);
            *greatest = (*greatest).max(score);
        }
    }
}

/// Playouts that measure the length of playouts.
const LENGTHS: usize = 256;
/// Number of playouts that ended alike after which all others are assumed to.
const ENOUGH: u64 = 50;
/// Steps that are looked ahead where all sequences are as far from better goals.
const AHEAD: usize = 8;
/// Sequences that are drawn at a time: as many as the compiled engine plays at once.
const ROUND: usize = 512;

/// Draws a sample. Without a deadline it depends on the seed alone; with one it has what was drawn until then.
pub fn draw(game: &Game, sampling: &Sampling, seed: u64, budget: &Budget) -> Sample {
    let mut rng = Rng::with_seed(seed);
    let mut playouts = game.engine().playouts();
    let mut sample = Sample {
        goals: vec![(100, 0); game.roles().len()],
        ..Sample::default()
    };
    let (lengths, most_steps) = lengths(game, &mut *playouts, sampling, &mut rng, &mut sample, budget);
    let are_ends = lengths.iter().all(|&steps| steps <= 1);
    let mut sampling = Sampling {
        most_steps,
        ..*sampling
    };
    let (mut progress, mut is_ahead) = (None, false);
    if !sample.can_teach() && sample.matches >= ENOUGH {
        let reached: Vec<u8> = sample.goals.iter().map(|&(least, _)| least).collect();
        progress = Progress::new(game, &reached);
    }
    // Some begin after the end of their playout and are dropped; games in which most do need not be waited for.
    let mut rounds_left = 4 * sampling.sequences.div_ceil(ROUND) + 4;
    while sample.sequences.len() < sampling.sequences && rounds_left > 0 && !budget.is_spent() {
        rounds_left -= 1;
        let wanted = (sampling.sequences - sample.sequences.len()).min(ROUND);
        let drawn = match are_ends {
            true => ends(game, &mut *playouts, wanted, &mut rng, budget),
            false => walks(game, &mut *playouts, &sampling, &lengths, wanted, &mut rng, budget),
        };
        play_out(
            &mut *playouts,
            &sampling,
            drawn,
            &mut progress,
            &mut rng,
            &mut sample,
            budget,
        );
        if sample.are_equally_near() && !(is_ahead && sampling.length == 1) {
            // All are as far from better goals; a look ahead may tell them apart, or else the first states of matches,
            // after which everything may be lost.
            match progress.take() {
                Some(same) if !is_ahead => {
                    sample.sequences.clear();
                    progress = Some(same.ahead(AHEAD));
                }
                Some(same) => {
                    sample.sequences.clear();
                    sampling.length = 1;
                    progress = Some(same);
                }
                None => {}
            }
            is_ahead = true;
        }
    }
    if progress.is_some() {
        sample.spread(game);
    }
    sample.is_complete = sample.sequences.len() >= sampling.sequences;
    sample
}

/// Returns the lengths of playouts and the maximum number of sequences: fewer than asked for if there is little time.
fn lengths(
    game: &Game,
    playouts: &mut dyn Playouts,
    sampling: &Sampling,
    rng: &mut Rng,
    sample: &mut Sample,
    budget: &Budget,
) -> (Vec<usize>, usize) {
    /// Counts steps.
    struct Lengths<'a> {
        start: &'a State,
        left: usize,
        steps: Vec<usize>,
        sample: &'a mut Sample,
        budget: Budget,
        /// How often all matches that are under way went on.
        passes: usize,
        is_late: bool,
    }
    impl PlayoutSource for Lengths<'_> {
        fn start(&mut self) -> Option<(&State, u32)> {
            self.left = self.left.checked_sub(1)?;
            Some((self.start, 0))
        }
        fn finish(&mut self, _tag: u32, playout: &Playout) {
            if playout.end != End::Fault {
                self.steps.push(playout.steps);
                self.sample.note(playout);
            }
        }
        fn is_over(&mut self) -> bool {
            self.passes += 1;
            self.is_late |= self.budget.is_spent();
            self.is_late
        }
    }
    // Where matches take long, most of the time is for the sequences.
    let share = budget
        .deadline()
        .map(|deadline| deadline.saturating_duration_since(Instant::now()) / 8);
    let mut matches = Lengths {
        start: game.initial(),
        left: LENGTHS.min(sampling.sequences),
        steps: Vec::new(),
        sample,
        budget: share.map_or_else(|| budget.clone(), |share: Duration| budget.within(share)),
        passes: 0,
        is_late: false,
    };
    playouts.run(rng, sampling.most_steps, &mut matches);
    // Long playouts may be missing; the order of the others is not random.
    matches.steps.sort_unstable();
    let most_steps = match matches.is_late {
        true => sampling.most_steps.min(matches.passes.max(4)),
        false => sampling.most_steps,
    };
    match matches.steps.is_empty() {
        true => (vec![most_steps.min(20)], most_steps),
        false => (matches.steps, most_steps),
    }
}

/// Sequences without goals, each with the step of its last state.
fn walks(
    game: &Game,
    playouts: &mut dyn Playouts,
    sampling: &Sampling,
    lengths: &[usize],
    count: usize,
    rng: &mut Rng,
    budget: &Budget,
) -> Vec<(usize, Vec<State>)> {
    /// Looks at the states of some steps of each match.
    struct Walks<'a> {
        start: &'a State,
        begun: u32,
        /// For each match the step of its first state.
        first: Vec<usize>,
        states: Vec<Vec<State>>,
        sampling: &'a Sampling,
        budget: &'a Budget,
    }
    impl PlayoutSource for Walks<'_> {
        fn start(&mut self) -> Option<(&State, u32)> {
            let tag = self.begun;
            self.begun += 1;
            ((tag as usize) < self.first.len()).then_some((self.start, tag))
        }
        fn finish(&mut self, _tag: u32, _playout: &Playout) {}
        fn is_over(&mut self) -> bool {
            self.budget.is_spent()
        }
        fn options(&self) -> PlayoutOptions {
            PlayoutOptions {
                watched_from: Some(0),
                ..PlayoutOptions::default()
            }
        }
        fn is_watched(&mut self, tag: u32, steps: usize) -> bool {
            let first = self.first[tag as usize];
            steps >= first && (steps - first).is_multiple_of(self.sampling.apart.max(1))
        }
        fn watch(&mut self, tag: u32, _steps: usize, state: &State) -> bool {
            let states = &mut self.states[tag as usize];
            states.push(state.clone());
            states.len() >= self.sampling.length.max(1)
        }
    }
    let first = (0..count).map(|_| {
        let length = lengths[rng.usize(..lengths.len())];
        rng.usize(..length.max(1))
    });
    let mut walks = Walks {
        start: game.initial(),
        begun: 0,
        first: first.collect(),
        states: vec![Vec::new(); count],
        sampling,
        budget,
    };
    playouts.run(rng, sampling.most_steps, &mut walks);
    let drawn = walks.first.into_iter().zip(walks.states);
    drawn
        .filter(|(_, states)| !states.is_empty())
        .map(|(first, states)| (first + (states.len() - 1) * sampling.apart.max(1), states))
        .collect()
}

/// Returns the ends of matches, each as a sequence of its own, with their steps.
fn ends(
    game: &Game,
    playouts: &mut dyn Playouts,
    count: usize,
    rng: &mut Rng,
    budget: &Budget,
) -> Vec<(usize, Vec<State>)> {
    struct Ends<'a> {
        start: &'a State,
        left: usize,
        states: Vec<(usize, Vec<State>)>,
        budget: &'a Budget,
    }
    impl PlayoutSource for Ends<'_> {
        fn start(&mut self) -> Option<(&State, u32)> {
            self.left = self.left.checked_sub(1)?;
            Some((self.start, 0))
        }
        fn finish(&mut self, _tag: u32, playout: &Playout) {
            let end = playout.state.clone().filter(|_| playout.end == End::Terminal);
            self.states.extend(end.map(|state| (playout.steps, vec![state])));
        }
        fn is_over(&mut self) -> bool {
            self.budget.is_spent()
        }
        fn options(&self) -> PlayoutOptions {
            PlayoutOptions {
                last_state: true,
                ..PlayoutOptions::default()
            }
        }
    }
    let mut ends = Ends {
        start: game.initial(),
        left: count,
        states: Vec::new(),
        budget,
    };
    playouts.run(rng, 2, &mut ends);
    ends.states
}

/// Runs playouts from the last states of sequences and adds these to the sample.
fn play_out(
    playouts: &mut dyn Playouts,
    sampling: &Sampling,
    drawn: Vec<(usize, Vec<State>)>,
    progress: &mut Option<Progress>,
    rng: &mut Rng,
    sample: &mut Sample,
    budget: &Budget,
) {
    /// Runs some playouts from each state.
    struct Results<'a> {
        sequences: Vec<Sequence>,
        begun: usize,
        most: usize,
        progress: &'a mut Option<Progress>,
        /// The value of the terminal state for each role.
        values: Vec<f64>,
        sample: &'a mut Sample,
        budget: &'a Budget,
    }
    impl PlayoutSource for Results<'_> {
        fn start(&mut self) -> Option<(&State, u32)> {
            if self.begun == self.most {
                return None;
            }
            // In turn, so that each has about the same number when the time is over.
            let tag = self.begun % self.sequences.len();
            self.begun += 1;
            Some((self.sequences[tag].last(), tag as u32))
        }
        fn finish(&mut self, tag: u32, playout: &Playout) {
            if playout.end != End::Fault {
                match (&mut *self.progress, &playout.state) {
                    (Some(progress), Some(state)) => progress.of(state, &mut self.values),
                    _ => {
                        let pairs = self.values.iter_mut().zip(playout.scores.values());
                        pairs.for_each(|(values, &score)| *values = f64::from(score));
                    }
                }
                let sequence = &mut self.sequences[tag as usize];
                sequence.playouts += 1;
                sequence.steps_left += (playout.steps as f64 - sequence.steps_left) / f64::from(sequence.playouts);
                for (mean, values) in sequence.goals.iter_mut().zip(&self.values) {
                    *mean += (values - *mean) / f64::from(sequence.playouts);
                }
                self.sample.note(playout);
            }
        }
        fn is_over(&mut self) -> bool {
            self.budget.is_spent()
        }
        fn options(&self) -> PlayoutOptions {
            PlayoutOptions {
                last_state: self.progress.is_some(),
                ..PlayoutOptions::default()
            }
        }
    }
    let roles = sample.goals.len();
    let sequences: Vec<Sequence> = drawn
        .into_iter()
        .map(|(steps, states)| Sequence {
            states,
            goals: vec![0.0; roles],
            playouts: 0,
            steps,
            steps_left: 0.0,
        })
        .collect();
    let mut results = Results {
        begun: 0,
        most: sequences.len() * sampling.playouts.max(1) as usize,
        sequences,
        progress,
        values: vec![0.0; roles],
        sample,
        budget,
    };
    playouts.run(rng, sampling.most_steps, &mut results);
    let mut done = results.sequences;
    done.retain(|sequence| sequence.playouts > 0);
    if let Some(progress) = progress {
        // Where all matches come to the same end, states before it may still be nearer to a better one.
        let mut own = vec![0.0; roles];
        for sequence in &mut done {
            progress.of(sequence.last(), &mut own);
            sequence.goals.iter_mut().zip(&own).for_each(|(goal, own)| *goal += own);
        }
    }
    sample.sequences.extend(done);
}

#[cfg(test)]
mod tests;
