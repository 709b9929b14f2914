//! Facts about regressed goals.

use super::*;
use crate::explain::{Explains, MoveOutlook};
use ludens_budget::Budget;
use ludens_engine::knowledge::Knowledge;
use ludens_engine::{Rng, playout};
use ludens_search::Searcher;
use ludens_search::mcts::{Draw, Mcts, PlayoutPolicy, Settings};

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    Game::read(entry.source()).expect("library games can be played")
}

fn built(game: &Game, options: &Options) -> MoveHeuristic {
    MoveHeuristic::build(game, options, &Budget::default()).expect("the game is small")
}

fn degree(heuristic: &MoveHeuristic, state: &State, text: &str) -> f32 {
    let known = heuristic.game.parse_move(Role(0), text).expect("it is a move");
    let mut degrees = [0.0];
    heuristic.evaluate(state, Role(0), &[known], &mut LaneDegrees::default(), &mut degrees);
    degrees[0]
}

/// Tic-tac-toe; the lines are added.
const RULES: &str = "(role x) (role o) (init (control x)) (index 1) (index 2) (index 3)
    (<= (init (cell ?m ?n b)) (index ?m) (index ?n))
    (<= (legal ?p (mark ?m ?n)) (true (control ?p)) (true (cell ?m ?n b)))
    (<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
    (<= (next (cell ?m ?n ?p)) (does ?p (mark ?m ?n)) (true (cell ?m ?n b)))
    (<= (next (cell ?m ?n ?p)) (true (cell ?m ?n ?p)) (role ?p))
    (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (not (marked ?m ?n)))
    (<= (marked ?m ?n) (does ?p (mark ?m ?n)))
    (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
    (<= terminal (line ?p)) (<= terminal (not open)) (<= open (true (cell ?m ?n b)))
    (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))
    (<= (line ?p) (role ?p) (true (cell 1 1 ?p)) (true (cell 2 2 ?p)) (true (cell 3 3 ?p)))
    (<= (line ?p) (role ?p) (true (cell 1 3 ?p)) (true (cell 2 2 ?p)) (true (cell 3 1 ?p)))";
const STRAIGHT: &str = "
    (<= (line ?p) (role ?p) (index ?m) (true (cell ?m 1 ?p)) (true (cell ?m 2 ?p)) (true (cell ?m 3 ?p)))
    (<= (line ?p) (role ?p) (index ?n) (true (cell 1 ?n ?p)) (true (cell 2 ?n ?p)) (true (cell 3 ?n ?p)))";

/// Centre, corner and edge at the start.
fn first_moves(rules: String, options: &Options) -> [f32; 3] {
    let game = Game::read(ludens_gdl::Source::new("lines", rules)).expect("the rules are right");
    let heuristic = built(&game, options);
    ["(mark 2 2)", "(mark 1 1)", "(mark 1 2)"].map(|text| degree(&heuristic, game.initial(), text))
}

#[test]
fn with_diagonals_only_the_centre_is_best_and_edges_are_worst() {
    let [centre, corner, edge] = first_moves(RULES.to_string(), &Options::default());
    assert!(centre > corner && corner > edge, "{centre} {corner} {edge}");
    // A cell that is brought about counts 1 - 0.03 · 0.03, one that does not hold 0.03.
    for (degree, expected) in [(centre, 0.001747), (corner, 0.000901), (edge, 0.000054)] {
        assert!((degree - expected).abs() < 1e-6, "{degree} for {expected}");
    }
    let [centre, corner, edge] = first_moves(format!("{RULES}{STRAIGHT}"), &Options::default());
    for (degree, expected) in [(centre, 0.00360), (corner, 0.00275), (edge, 0.00191)] {
        assert!((degree - expected).abs() < 2e-5, "{degree} for {expected}");
    }
}

#[test]
fn persistent_fluents_are_certain() {
    let game = Game::read(ludens_gdl::Source::new("lines", RULES)).expect("the rules are right");
    let with = built(&game, &Options::default());
    let without = built(
        &game,
        &Options {
            persistence: false,
            ..Options::default()
        },
    );
    let fluent = |text: &str| game.parse_fluent(text).expect("it is a fluent");
    // Marks stay, empty cells do not come back, turns change.
    assert_eq!(with.degree(fluent("(cell 1 1 x)"), true), 1.0);
    assert_eq!(with.degree(fluent("(cell 1 1 b)"), false), 0.0);
    assert_eq!(with.degree(fluent("(cell 1 1 b)"), true), 0.97);
    assert_eq!(with.degree(fluent("(control x)"), true), 0.97);
    assert_eq!(without.degree(fluent("(cell 1 1 x)"), true), 0.97);
    assert_eq!(without.degree(fluent("(cell 1 1 b)"), false), 1.0 - 0.97);
}

/// With certain fluents, moves have the degree 1 that win at once, and only those: a look one step ahead.
#[test]
fn with_certain_fluents_only_winning_moves_have_degree_one() {
    let options = Options {
        certainty: 1.0,
        ..Options::default()
    };
    for name in [
        "tic-tac-toe",
        "connect-four",
        "breakthrough",
        "pentago",
        "nine-board-tic-tac-toe",
    ] {
        let game = game(name);
        let heuristic = built(&game, &options);
        let mut rng = Rng::with_seed(9);
        let mut machine = game.machine();
        let (mut joint, mut wins) = (Vec::new(), 0);
        for _ in 0..20 {
            machine.load(game.initial());
            while !machine.is_terminal() {
                let state = machine.state().clone();
                playout::choose_joint(&mut *machine, &mut rng, &mut joint).expect("there are moves");
                for role in game.roles() {
                    let legal = machine.legal(role).to_vec();
                    if legal.len() < 2 {
                        continue;
                    }
                    let mut degrees = vec![0.0; legal.len()];
                    heuristic.evaluate(&state, role, &legal, &mut LaneDegrees::default(), &mut degrees);
                    let mut tried = joint.clone();
                    for (&own, degree) in legal.iter().zip(degrees) {
                        tried[role.index()] = own;
                        machine.load(&state);
                        machine.step(&tried);
                        let is_won = machine.goal_values(role).contains(&100);
                        wins += usize::from(is_won);
                        assert_eq!(degree, f32::from(u8::from(is_won)), "{name}");
                    }
                    machine.load(&state);
                }
                machine.step(&joint);
            }
        }
        assert!(wins > 0, "{name}");
    }
}

#[test]
fn simultaneous_moves_of_others_are_unknown() {
    let game = game("simultaneous-tic-tac-toe");
    let heuristic = built(&game, &Options::default());
    assert!(heuristic.turns().is_simultaneous);
    let turns = built(&self::game("tic-tac-toe"), &Options::default()).turns().clone();
    assert!(!turns.is_simultaneous);
    assert_eq!(turns.waiting.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_failed_build_says_why() {
    let game = game("connect-four");
    let small = Options {
        most_parts: 100,
        ..Options::default()
    };
    let failure = MoveHeuristic::build(&game, &small, &Budget::default()).err();
    assert_eq!(
        failure.map(|failure| failure.to_string()),
        Some("formulas have more than 100 parts".to_string())
    );
    let rules = "(role you) (init a) (legal you go) (<= (next b) (true a)) (<= terminal (true b)) (goal you 0)";
    let game = Game::read(ludens_gdl::Source::new("nothing", rules)).expect("the rules are right");
    let failure = MoveHeuristic::build(&game, &Options::default(), &Budget::default()).err();
    assert_eq!(failure, Some(Failure::NoGoal("you".to_string())));
}

/// The same advisor, one state at a time.
struct OneByOne(Regressed);

impl Advisor for OneByOne {
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]) {
        self.0.advise(state, role, legal, goals);
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(OneByOne(Regressed::new(self.0.heuristic.clone())))
    }
}

#[test]
fn many_states_at_once_get_the_same_advice_as_one_by_one() {
    let settings = Settings::with(|s| {
        s.playout.policy = PlayoutPolicy::Advised;
        s.playout.draw = Draw::Gibbs { temperature: 20.0 };
        s.selection.prior.node_equivalence = 20.0;
    });
    for name in [
        "connect-four",
        "breakthrough",
        "bidding-tic-tac-toe",
        "tic-tac-toe-3-player",
    ] {
        let game = game(name);
        let heuristic = Arc::new(built(&game, &Options::default()));
        let advisors: [Box<dyn Advisor>; 2] = [
            Box::new(Regressed::new(heuristic.clone())),
            Box::new(OneByOne(Regressed::new(heuristic))),
        ];
        let [together, alone] = advisors.map(|advisor| {
            let knowledge = Knowledge {
                advisor: Some(advisor),
                ..Knowledge::default()
            };
            let mut search = Mcts::new(&game, Role(0), settings.clone(), 3).with_knowledge(knowledge);
            search.decide(game.initial(), &Budget::iterations(2_000))
        });
        assert_eq!(together, alone, "{name}");
    }
}

#[test]
fn good_moves_are_explained_by_the_ways_they_bring_nearer() {
    let game = Game::read(ludens_gdl::Source::new("lines", RULES)).expect("the rules are right");
    let heuristic = built(&game, &Options::default());
    let explanation = heuristic.explain(game.initial());
    assert_eq!(explanation.roles[0].reasons.len(), 2);
    assert_eq!(explanation.moves.len(), 9);
    let changed = |text: &str| {
        let is_it = |known: &&MoveOutlook| game.move_text(Role(0), known.move_id) == text;
        let known = explanation.moves.iter().find(is_it).expect("it is a move");
        (
            known.changes.len(),
            known.changes.iter().all(|change| change.points > 0.0),
            known.may_end,
        )
    };
    // Both diagonals go through the centre, one through a corner, none through an edge.
    assert_eq!(changed("(mark 2 2)"), (2, true, false));
    assert_eq!(changed("(mark 1 3)"), (1, true, false));
    assert_eq!(changed("(mark 1 2)"), (0, true, false));
    assert!(explanation.roles[0].reasons[0].text.contains("(cell 2 2 x)"));
}

#[test]
fn proofs_that_were_cut_off_are_made_again_with_more_time() {
    let game = game("breakthrough-small");
    let decided = |known: Option<Arc<Persistence>>| {
        let known = known.expect("the game is compiled");
        let proved = [true, false].map(|value| known.count(value, Verdict::Yes));
        proved.iter().sum::<usize>()
    };
    let hurried = decided(proved(&game, &Budget::default().within(Duration::ZERO)));
    let thorough = decided(proved(&game, &Budget::default()));
    assert!(hurried < thorough, "{hurried} {thorough}");
    // A later build with little time finds them.
    let found = decided(proved(&game, &Budget::default().within(Duration::ZERO)));
    assert_eq!(found, thorough);
}
