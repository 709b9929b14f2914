//! Everything that the analysis proves holds in all reachable states of games that are small enough to enumerate, and
//! in random matches of the others.

use ludens_analysis::{Analysis, Evidence, Length, Verdict, analyse, goal_values};
use ludens_budget::Budget;
use ludens_engine::{Game, JointMoves, MoveId, Rng, Role, State};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    Game::read(entry.source()).expect("library games can be played")
}

fn analysed(game: &Game) -> Arc<Analysis> {
    analyse(game, &Budget::default().within(Duration::from_secs(60))).expect("library games are compiled")
}

/// Everything that is claimed of states and steps.
struct Claims<'a> {
    game: &'a Game,
    analysis: Arc<Analysis>,
}

impl Claims<'_> {
    fn check_state(&self, state: &State, steps: usize) {
        let name = self.game.name();
        for group in &self.analysis.exclusive {
            let count = group.fluents.iter().filter(|&&fluent| state.holds(fluent)).count();
            assert!(count <= 1, "{name}: {count} of a group hold");
            assert!(count == 1 || !group.exactly_one, "{name}: none of a group holds");
        }
        if let Length::AtMost(longest) = self.analysis.facts.length {
            assert!(steps <= longest, "{name}: {steps} steps");
        }
    }

    fn check_choices(&self, choosers: usize) {
        assert!(
            !self.analysis.facts.turn_taking.is_yes() || choosers <= 1,
            "{}",
            self.game.name()
        );
        assert!(!self.analysis.facts.turn_taking.is_no() || self.game.roles().len() > 1);
    }

    fn check_end(&self, goals: &[u8]) {
        let name = self.game.name();
        if self.analysis.facts.constant_sum.is_yes() {
            let players = self.game.roles().filter(|&role| !self.game.is_random(role));
            let sum: u32 = players.map(|role| u32::from(goals[role.index()])).sum();
            assert_eq!(Some(sum), self.analysis.facts.sum, "{name}");
        }
        for (goals, goal) in self.analysis.facts.goals.values().zip(goals) {
            let known = goals.iter().find(|known| known.value == *goal);
            assert!(known.is_none_or(|known| known.occurs != Verdict::No), "{name}: {goal}");
        }
    }

    fn check_step(&self, before: &State, after: &State) {
        for latch in self.analysis.persistence.latches() {
            let has = |state: &State| state.holds(latch.fluent) == latch.value;
            assert!(!has(before) || has(after), "{}: a latch opens", self.game.name());
        }
        for chain in &self.analysis.structure.chains {
            for pair in chain.fluents.windows(2) {
                assert_eq!(before.holds(pair[0]), after.holds(pair[1]), "{}", self.game.name());
            }
        }
    }
}

/// Looks at all states up to a number; whether these are all.
fn check_all(claims: &Claims<'_>, most_states: usize) -> bool {
    let game = claims.game;
    let mut machine = game.machine();
    let mut known: BTreeSet<State> = BTreeSet::from([game.initial().clone()]);
    let mut layer = vec![game.initial().clone()];
    let mut steps = 0;
    while !layer.is_empty() {
        let mut next_layer = Vec::new();
        for state in &layer {
            machine.load(state);
            claims.check_state(state, steps);
            if machine.is_terminal() {
                let goals: Vec<u8> = game.roles().map(|role| machine.score(role)).collect();
                claims.check_end(&goals);
                continue;
            }
            let mut joints = JointMoves::of(&mut *machine);
            claims.check_choices(joints.choosers());
            let mut successors = BTreeSet::new();
            let mut joint = Vec::new();
            while joints.next_into(&mut joint) {
                machine.load(state);
                machine.step(&joint);
                successors.insert(machine.state().clone());
            }
            for successor in successors {
                claims.check_step(state, &successor);
                if known.insert(successor.clone()) {
                    next_layer.push(successor);
                }
            }
            if known.len() > most_states {
                return false;
            }
        }
        layer = next_layer;
        steps += 1;
    }
    true
}

fn check_random(claims: &Claims<'_>) {
    let game = claims.game;
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(99);
    for _ in 0..20 {
        machine.load(game.initial());
        for steps in 0..200 {
            let state = machine.state().clone();
            claims.check_state(&state, steps);
            if machine.is_terminal() {
                let goals: Vec<u8> = game.roles().map(|role| machine.score(role)).collect();
                claims.check_end(&goals);
                break;
            }
            let joint: Vec<MoveId> = game
                .roles()
                .filter_map(|role| rng.choice(machine.legal(role)).copied())
                .collect();
            if joint.len() < game.roles().len() {
                break;
            }
            machine.step(&joint);
            claims.check_step(&state, machine.state());
        }
    }
}

#[test]
fn what_is_proved_holds() {
    let mut complete = 0;
    for entry in ludens_library::entries() {
        let game = Game::read(entry.source()).expect("library games can be played");
        let gates = game.engine().gates().unwrap_or(usize::MAX);
        if gates > 20_000 {
            continue;
        }
        let analysis = analyse(&game, &Budget::default().within(Duration::from_secs(2))).expect("compiled");
        let claims = Claims { game: &game, analysis };
        complete += usize::from(check_all(&claims, 3_000));
        check_random(&claims);
    }
    assert!(complete >= 20, "only {complete} games were looked at completely");
}

#[test]
fn tic_tac_toe_is_known_completely() {
    let game = game("tic-tac-toe");
    let analysis = analysed(&game);
    assert!(analysis.facts.turn_taking.is_yes());
    assert!(analysis.facts.constant_sum.is_yes());
    assert_eq!(analysis.facts.sum, Some(100));
    // Nine cells and the turn.
    assert_eq!(analysis.exclusive.len(), 10);
    assert!(analysis.exclusive.iter().all(|group| group.exactly_one));
    // Marks stay, and no cell becomes empty again.
    let persistence = &analysis.persistence;
    assert_eq!(persistence.latches().filter(|latch| latch.value).count(), 18);
    assert_eq!(persistence.latches().filter(|latch| !latch.value).count(), 9);
    // Random matches refute the rest: the turn comes and goes, marks come, empty cells go.
    assert_eq!(persistence.count(true, Verdict::No), 2 + 9);
    assert_eq!(persistence.count(false, Verdict::No), 2 + 18);
    let alone = ludens_analysis::persistence(&game, &Budget::default().within(Duration::from_secs(60)));
    assert_eq!(alone.as_ref(), Some(persistence));
    let groups = ludens_analysis::exclusive_groups(&game, &Budget::default().within(Duration::from_secs(60)));
    assert_eq!(groups.map(|groups| groups.len()), Some(10));
    for role in game.roles() {
        let noops: Vec<String> = analysis
            .noops(role)
            .iter()
            .map(|&noop| game.move_text(role, noop))
            .collect();
        assert_eq!(noops, ["noop"]);
    }
    assert!(analysis.incomplete.is_none());
}

#[test]
fn breakthrough_has_a_constant_sum() {
    let analysis = analysed(&game("breakthrough-small"));
    assert!(analysis.facts.constant_sum.is_yes());
    assert_eq!(analysis.facts.sum, Some(100));
}

#[test]
fn step_counters_bound_the_match() {
    let analysis = analysed(&game("eight-puzzle"));
    let Length::AtMost(longest) = analysis.facts.length else {
        panic!("there is a step limit");
    };
    let counter = analysis.structure.chains.iter().find(|chain| !chain.is_cyclic);
    assert_eq!(counter.map(|chain| chain.fluents.len() - 1), Some(longest));
}

#[test]
fn simultaneous_games_are_refuted_by_example() {
    let facts = &analysed(&game("biased-rock-paper-scissors")).facts;
    // Both choose in the initial state.
    let shown = Evidence::Play(vec![Vec::new()]);
    assert_eq!(
        (facts.turn_taking.verdict, &facts.turn_taking.evidence),
        (Verdict::No, &shown)
    );
    assert_eq!(
        (facts.simultaneous.verdict, &facts.simultaneous.evidence),
        (Verdict::Yes, &shown)
    );
}

#[test]
fn without_time_nothing_is_claimed() {
    let game = game("connect-four");
    let analysis = analyse(&game, &Budget::default().within(Duration::ZERO)).expect("compiled");
    assert_eq!(
        (analysis.facts.turn_taking.verdict, analysis.facts.constant_sum.verdict),
        (Verdict::Unknown, Verdict::Unknown)
    );
    assert!(analysis.exclusive.is_empty());
    // The shape of the rules is seen at once: marks stay, and cells stay filled.
    assert_eq!(analysis.persistence.count(true, Verdict::Yes), 84);
    assert_eq!(analysis.persistence.count(false, Verdict::Yes), 42);
    assert!(analysis.incomplete.is_some());
}

#[test]
fn what_only_groups_show_is_proved_too() {
    // A door that is either open or locked, and is locked by the only move once it is not open: that `locked` stays
    // follows only from their excluding each other.
    let rules = "(role you) (init open) (<= (legal you push) (true open)) (<= (legal you pull) (true open))
        (<= (legal you wait) (true locked))
        (<= (next open) (true open) (does you push)) (<= (next locked) (true open) (does you pull))
        (<= (next locked) (true locked) (not (true open)))
        (<= terminal (true done)) (<= (goal you 100) (true locked)) (<= (goal you 0) (true open))";
    let game = Game::read(ludens_gdl::Source::new("door", rules)).expect("the rules are right");
    let persistence = ludens_analysis::persistence(&game, &Budget::default()).expect("compiled");
    let fluent = |text: &str| game.parse_fluent(text).expect("it is a term");
    assert_eq!(persistence.stays(fluent("locked"), true), Verdict::Yes);
    assert_eq!(persistence.stays(fluent("open"), false), Verdict::Yes);
    assert_eq!(persistence.stays(fluent("open"), true), Verdict::No);
    assert_eq!(persistence.stays(fluent("locked"), false), Verdict::No);
}

#[test]
fn without_a_clock_the_answers_are_always_the_same() {
    let answers = || {
        let game = game("breakthrough-small");
        format!("{:?}", analyse(&game, &Budget::default()).expect("compiled"))
    };
    assert_eq!(answers(), answers());
}

#[test]
fn goals_of_matches_that_go_on_are_no_results() {
    let rules = "(role robot) (init (step 0)) (succ 0 1) (succ 1 2)
        (<= (legal robot go) (true (step ?n)))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 2)))
        (<= (goal robot 100) (true (step 2)))
        (<= (goal robot 70) (not (true (step 2))))";
    let game = Game::read(ludens_gdl::Source::new("short", rules)).expect("it can be played");
    let goals = goal_values(&game, &Budget::default()).expect("it is compiled");
    let verdicts: Vec<(u8, Verdict)> = goals[Role(0)].iter().map(|goal| (goal.value, goal.occurs)).collect();
    assert_eq!(verdicts, [(70, Verdict::No), (100, Verdict::Yes)]);
}
