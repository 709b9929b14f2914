//! Many playouts at once have the same results, on average, as playouts one after the other.

use ludens_engine::playout::{Choice, End, Playout};
use ludens_engine::{
    EngineChoice, Fluent, Game, JointMoves, Lanes, MoveId, Options, PlayoutOptions, PlayoutSource, Rng, Role, RoleMap,
    State, Stepping,
};
use ludens_gdl::{Description, Source};

/// A small race with branching, different lengths and three kinds of ends.
const RULES: &str = "
    (role white) (role black) (init (at white 0)) (init (at black 0)) (init (control white))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal ?r (go 1)) (true (control ?r)))
    (<= (legal ?r (go 2)) (true (control ?r)))
    (<= (legal ?r (go 3)) (true (control ?r)) (true (at ?r 0)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (other white black) (other black white)
    (<= (plus ?n 1 ?m) (succ ?n ?m))
    (<= (plus ?n 2 ?m) (succ ?n ?k) (succ ?k ?m))
    (<= (plus ?n 3 ?m) (plus ?n 2 ?k) (succ ?k ?m))
    (<= (arrives ?r 6) (does ?r (go ?d)) (true (at ?r ?n)) (not (within ?n ?d)))
    (<= (within ?n ?d) (plus ?n ?d ?m))
    (<= (arrives ?r ?m) (does ?r (go ?d)) (true (at ?r ?n)) (plus ?n ?d ?m))
    (<= (next (at ?r ?m)) (arrives ?r ?m))
    (<= (next (at ?r ?n)) (true (at ?r ?n)) (does ?r noop))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= (won ?r) (true (at ?r 6)))
    (<= terminal (won ?r))
    (<= (goal ?r 100) (won ?r))
    (<= (goal ?r 0) (role ?r) (not (won ?r)))";

fn game(engine: EngineChoice) -> Game {
    game_with(Options {
        engine,
        ..Options::default()
    })
}

fn game_with(options: Options) -> Game {
    Game::new(Description::read(Source::new("race", RULES)), options).unwrap()
}

/// A number of playouts from these states in turn; the tag is the number of the state.
struct Turns<'a> {
    starts: &'a [State],
    left: usize,
    results: Vec<(u32, Playout)>,
}

impl PlayoutSource for Turns<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.left % self.starts.len();
        Some((&self.starts[index], index as u32))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.results.push((tag, playout.clone()));
    }
}

fn tagged_results(game: &Game, starts: &[State], count: usize, most_steps: usize) -> Vec<(u32, Playout)> {
    let mut turns = Turns {
        starts,
        left: count,
        results: Vec::new(),
    };
    let mut playouts = game.engine().playouts();
    playouts.run(&mut Rng::with_seed(5), most_steps, &mut turns);
    turns.results
}

fn results(engine: EngineChoice, count: usize) -> Vec<Playout> {
    let game = game(engine);
    let results = tagged_results(&game, &[game.initial().clone()], count, 100);
    results.into_iter().map(|(_, playout)| playout).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

#[test]
fn as_many_playouts_end_as_are_started() {
    for count in [1, 63, 512, 1000] {
        let results = results(EngineChoice::Compiled, count);
        assert_eq!(results.len(), count);
        assert!(results.iter().all(|playout| playout.end == End::Terminal));
        assert!(results.iter().all(|playout| (3..=12).contains(&playout.steps)));
        assert!(
            results
                .iter()
                .all(|playout| playout.scores.values().map(|&score| u32::from(score)).sum::<u32>() == 100)
        );
    }
}

#[test]
fn scores_and_lengths_agree_with_playouts_one_by_one() {
    let fast = results(EngineChoice::Compiled, 40_000);
    let slow = results(EngineChoice::Interpreted, 4_000);
    let measures: [fn(&Playout) -> f64; 2] = [
        |playout| f64::from(playout.scores[Role(0)]),
        |playout| playout.steps as f64,
    ];
    for measure in measures {
        let (fast_mean, fast_error) = mean(fast.iter().map(measure));
        let (slow_mean, slow_error) = mean(slow.iter().map(measure));
        let error = fast_error.hypot(slow_error);
        assert!(
            (fast_mean - slow_mean).abs() < 4.0 * error,
            "{fast_mean} and {slow_mean}, error {error}"
        );
    }
}

#[test]
fn first_moves_are_uniform() {
    // After a first move of three, five in a row of ones and so on: the state after one step shows the move.
    let game = game(EngineChoice::Compiled);
    let mut counts = [0f64; 3];
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(9);
    let mut joint = Vec::new();
    for _ in 0..30_000 {
        machine.load(game.initial());
        ludens_engine::playout::choose_joint(&mut *machine, &mut rng, &mut joint).unwrap();
        let text = game.move_text(ludens_engine::Role(0), joint[0]);
        counts[text
            .trim_end_matches(')')
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<usize>()
            .unwrap()
            - 1] += 1.0;
    }
    let chi_square: f64 = counts.iter().map(|count| (count - 10_000.0).powi(2) / 10_000.0).sum();
    // The 99.9 % point for two degrees of freedom.
    assert!(chi_square < 13.82, "{counts:?}");
}

#[test]
fn runs_with_the_same_seed_are_the_same() {
    assert_eq!(
        results(EngineChoice::Compiled, 700),
        results(EngineChoice::Compiled, 700)
    );
}

#[test]
fn playouts_end_after_the_greatest_number_of_steps() {
    let game = game(EngineChoice::Compiled);
    let results = tagged_results(&game, &[game.initial().clone()], 2000, 4);
    let ends: Vec<(End, usize)> = results
        .iter()
        .map(|(_, playout)| (playout.end, playout.steps))
        .collect();
    assert_eq!(ends.len(), 2000);
    assert!(
        ends.iter()
            .all(|&(end, steps)| steps <= 4 && (end == End::Terminal || (end, steps) == (End::TooLong, 4)))
    );
    assert!(ends.iter().any(|&(end, _)| end == End::TooLong));
}

#[test]
fn results_are_tagged_with_the_start_they_belong_to() {
    for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
        // White goes one, then whoever is to move goes one: the start shows in the fewest and the most steps left.
        let game = game(engine);
        let mut machine = game.machine();
        let mut starts = vec![machine.state().clone()];
        for text in [
            "(go 1)", "(go 1)", "(go 1)", "(go 1)", "(go 2)", "(go 2)", "(go 1)", "(go 1)", "(go 2)",
        ] {
            let joint: Vec<_> = game
                .roles()
                .map(|role| match machine.legal(role) {
                    [single] => *single,
                    _ => game.parse_move(role, text).unwrap(),
                })
                .collect();
            machine.step(&joint);
            starts.push(machine.state().clone());
        }
        assert!(machine.is_terminal());
        let results = tagged_results(&game, &starts, 3000, 100);
        for (tag, state) in starts.iter().enumerate() {
            let lengths: Vec<usize> = results
                .iter()
                .filter(|(known, _)| *known == tag as u32)
                .map(|(_, playout)| playout.steps)
                .collect();
            assert_eq!(lengths.len(), 300);
            let (shortest, longest) = steps_left(&game, state);
            assert!(lengths.iter().all(|steps| (shortest..=longest).contains(steps)));
            assert!(lengths.contains(&shortest));
        }
    }
}

/// The fewest and the most steps until a match ends.
fn steps_left(game: &Game, state: &State) -> (usize, usize) {
    let mut machine = game.machine();
    machine.load(state);
    if machine.is_terminal() {
        return (0, 0);
    }
    let mut joints = JointMoves::of(&mut *machine);
    let mut joint = Vec::new();
    let (mut shortest, mut longest) = (usize::MAX, 0);
    while joints.next_into(&mut joint) {
        machine.load(state);
        machine.step(&joint);
        let (least, most) = steps_left(game, machine.state());
        shortest = shortest.min(1 + least);
        longest = longest.max(1 + most);
    }
    (shortest, longest)
}

/// Matches that choose by a rule of their own, know everything and end some matches early.
struct Guided {
    start: State,
    left: u32,
    /// Number of playouts in a round, if it is announced, and the number left.
    round: Option<u64>,
    open: u64,
    /// The states that were shown together and in which nothing was chosen yet, and the moves that came with them.
    surveyed: std::collections::VecDeque<State>,
    moves: Vec<MoveId>,
    results: Vec<(u32, Playout)>,
}

/// Playouts with odd tags end after this many steps.
const STOP: usize = 4;

impl PlayoutSource for Guided {
    fn start(&mut self) -> Option<(&State, u32)> {
        self.open = self.open.checked_sub(1)?;
        self.left = self.left.checked_sub(1)?;
        Some((&self.start, self.left))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.results.push((tag, playout.clone()));
    }

    fn options(&self) -> PlayoutOptions {
        PlayoutOptions {
            guided: true,
            states: true,
            lanes: true,
            choices: true,
            choice_states: true,
            last_state: true,
            watched_from: Some(1),
            at_most: self.round,
        }
    }

    fn choose(
        &mut self,
        tag: u32,
        role: Role,
        legal: &[MoveId],
        before: &[Choice],
        state: Option<&State>,
        _rng: &mut Rng,
    ) -> usize {
        assert_eq!(self.surveyed.pop_front().as_ref(), state);
        assert!(legal.iter().all(|known| self.moves.contains(known)));
        let fluents = state.expect("states are wished for").len();
        (tag as usize * 7 + role.index() * 3 + before.len() * 5 + fluents) % legal.len()
    }

    fn survey(&mut self, _role: Role, moves: &[MoveId], lanes: &Lanes<'_>) {
        assert!(self.surveyed.is_empty(), "all were asked about");
        self.moves = moves.to_vec();
        for lane in (0..64).filter(|lane| lanes.active() >> lane & 1 == 1) {
            let fluents = (0..200)
                .map(Fluent)
                .filter(|&fluent| lanes.holds(fluent) >> lane & 1 == 1);
            self.surveyed.push_back(State::new(fluents));
        }
    }

    fn is_watched(&mut self, tag: u32, steps: usize) -> bool {
        assert!(steps >= 1);
        tag % 2 == 1 && steps == STOP
    }

    fn watch(&mut self, tag: u32, steps: usize, _state: &State) -> bool {
        assert!(tag % 2 == 1 && steps == STOP, "nobody wanted to look");
        true
    }
}

/// The results of 700 guided playouts, in rounds of this size.
fn guided_results(game: &Game, round: Option<u64>) -> Vec<(u32, Playout)> {
    let mut guided = Guided {
        start: game.initial().clone(),
        left: 700,
        round,
        open: 0,
        surveyed: Default::default(),
        moves: Vec::new(),
        results: Vec::new(),
    };
    let mut playouts = game.engine().playouts();
    while guided.left > 0 {
        guided.open = round.unwrap_or(u64::MAX);
        playouts.run(&mut Rng::with_seed(1), 100, &mut guided);
    }
    guided.results.sort_by_key(|(tag, _)| *tag);
    guided.results
}

#[test]
fn guided_matches_are_the_same_few_or_many_at_once() {
    let game = game_with(Options {
        engine: EngineChoice::Compiled,
        stepping: Stepping::Differential,
        ..Options::default()
    });
    assert_eq!(game.engine().playouts().sizes(), [1, 64, 512]);
    let many = guided_results(&game, None);
    for round in [1, 2, 64, 65] {
        assert_eq!(guided_results(&game, Some(round)), many, "rounds of {round}");
    }
}

#[test]
fn guided_matches_are_the_same_on_both_engines_and_can_be_played_again() {
    let compiled = guided_results(&game(EngineChoice::Compiled), None);
    assert_eq!(compiled.len(), 700);
    // Numbers of fluents and moves belong to a game and may differ.
    let outcome = |results: &[(u32, Playout)]| -> Vec<(End, usize, RoleMap<u8>, usize)> {
        let playouts = results.iter().map(|(_, playout)| playout.clone());
        playouts
            .map(|playout| (playout.end, playout.steps, playout.scores, playout.choices.len()))
            .collect()
    };
    assert_eq!(
        outcome(&compiled),
        outcome(&guided_results(&game(EngineChoice::Interpreted), None))
    );
    let game = game(EngineChoice::Compiled);
    let mut machine = game.machine();
    for (tag, playout) in &compiled {
        let is_stopped = tag % 2 == 1 && playout.steps == STOP;
        assert_eq!(playout.end == End::Stopped, is_stopped && playout.end != End::Terminal);
        machine.load(game.initial());
        let mut choices = playout.choices.iter();
        let mut states = Vec::new();
        for _ in 0..playout.steps {
            let choosers = game.roles().filter(|&role| machine.legal(role).len() > 1).count();
            states.extend(vec![machine.state().clone(); choosers]);
            let joint: Vec<MoveId> = game
                .roles()
                .map(|role| match *machine.legal(role) {
                    [only] => only,
                    _ => choices.next().filter(|choice| choice.role == role).unwrap().move_id,
                })
                .collect();
            machine.step(&joint);
        }
        assert_eq!(choices.next(), None);
        assert_eq!(states, playout.states);
        assert_eq!(Some(machine.state()), playout.state.as_ref());
    }
    assert!(compiled.iter().any(|(_, playout)| playout.end == End::Stopped));
}

#[test]
fn machines_take_moves_that_they_never_listed() {
    let game = game(EngineChoice::Interpreted);
    let mut first = game.machine();
    let joint: Vec<MoveId> = game.roles().map(|role| first.legal(role)[0]).collect();
    first.step(&joint);
    // A machine that steps before it lists anything knows the moves by their numbers only.
    let mut second = game.machine();
    second.step(&joint);
    for role in game.roles() {
        assert_eq!(first.legal(role), second.legal(role));
    }
}
