//! The match loop, also with agents that misbehave.

use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, Options, Role, SeveralGoals};
use ludens_gdl::{Description, Source};
use ludens_play::{
    Agent, AgentSpec, EndReason, FaultKind, Listener, Match, MatchEvent, MatchRecord, Pace, Place, Player, Position,
    Replay, Setup, Thought, View, ggp, joint_texts, play,
};
use ludens_search::Decision;
use ludens_testkit::library;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An agent made of a function from the step to what it does.
struct Scripted<F>(F, Box<dyn Agent>);

impl<F: FnMut(usize) -> Option<Decision> + Send> Agent for Scripted<F> {
    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        match (self.0)(view.step()) {
            Some(decision) => decision,
            None => self.1.choose(view, budget),
        }
    }
}

/// A player that does something in each step and then, unless that was a decision, plays at random.
fn scripted(script: impl Fn(usize) -> Option<Decision> + Clone + Send + Sync + 'static) -> Player {
    Player::new("scripted", move |place: &Place| {
        let random = AgentSpec::parse("random").unwrap().create(place);
        Box::new(Scripted(script.clone(), random))
    })
}

fn random() -> Player {
    AgentSpec::parse("random").unwrap().into()
}

fn quick() -> Pace {
    Pace::Clocks {
        start: Duration::from_millis(50),
        play: Duration::from_millis(50),
    }
}

fn faults(record: &MatchRecord) -> Vec<(Option<usize>, &str, FaultKind)> {
    let faults = record.errors.iter();
    faults
        .map(|fault| (fault.step, fault.role.as_str(), fault.kind))
        .collect()
}

/// Plays a match with another observer beside the recorder.
fn observed(setup: &Setup, observe: &mut dyn FnMut(&MatchEvent<'_>)) -> MatchRecord {
    let seated = Match::new(setup);
    let mut recorder = seated.recorder();
    let mut observer = |event: &MatchEvent<'_>| observe(event);
    seated.run(&mut [&mut recorder, &mut observer]);
    recorder.into_record()
}

#[test]
fn observers_see_the_moves_and_states_of_the_replayed_record() {
    for name in ["tic-tac-toe", "goofspiel-4", "monty-hall"] {
        let game = library(name);
        let players = vec![random(); ludens_play::seats(&game).len()];
        let setup = Setup::new(game.clone(), players, Pace::Iterations(1)).with_seed(7);
        let mut seen = Vec::new();
        let mut order = Vec::new();
        let mut ended = None;
        let record = observed(&setup, &mut |event| match event {
            MatchEvent::Started { state, .. } => {
                order.push("started");
                assert_eq!(*state, game.initial());
            }
            MatchEvent::Prepared => order.push("prepared"),
            MatchEvent::Fault { .. } => order.push("fault"),
            MatchEvent::Moved { step, joint, state, .. } => {
                assert_eq!(*step, seen.len());
                seen.push((joint.to_vec(), (*state).clone()));
            }
            MatchEvent::Ended { goals, end, .. } => {
                order.push("ended");
                ended = Some((goals.map(<[u8]>::to_vec), (*end).clone()));
            }
        });
        assert_eq!(order, ["started", "prepared", "ended"], "{name}");
        assert_eq!(ended, Some((record.goals.clone(), record.end.clone())), "{name}");
        assert_eq!(seen.len(), record.moves.len(), "{name}");
        let mut replay = Replay::new(&game);
        for (texts, (joint, state)) in record.moves.iter().zip(&seen) {
            assert_eq!(&joint_texts(&game, joint), texts, "{name}");
            assert_eq!(&replay.follow(texts).unwrap(), joint, "{name}");
            assert_eq!(replay.state(), state, "{name}");
        }
        assert!(replay.follow(&record.moves[0]).is_err(), "{name}: the match is over");
    }
}

#[test]
fn the_exchange_format_is_the_same_from_events_and_from_the_record() {
    let setup = |player| Setup::new(library("tic-tac-toe"), vec![player, random()], Pace::Iterations(1)).with_seed(3);
    let broken = scripted(|step| {
        assert!(step != 2, "broken on purpose");
        None
    });
    for setup in [setup(random()), setup(broken)] {
        let seated = Match::new(&setup);
        let mut recorder = seated.recorder();
        let mut export = ggp::Export::new(seated.header(), &setup.game, "http://ludens.invalid/");
        seated.run(&mut [&mut recorder, &mut export]);
        let replayed = ggp::export(recorder.record(), &setup.game, "http://ludens.invalid/");
        assert_eq!(export.current(), &replayed);
        assert_eq!(replayed.states.len(), recorder.record().moves.len() + 1);
    }
}

#[test]
fn a_panic_costs_one_move() {
    let player = scripted(|step| if step == 2 { panic!("out of ideas") } else { None });
    for pace in [quick(), Pace::Iterations(5)] {
        let mut setup = Setup::new(library("tic-tac-toe"), vec![player.clone(), random()], pace);
        setup.margin = Duration::from_secs(10);
        let record = play(&setup);
        assert_eq!(record.end.reason, EndReason::Terminal);
        assert_eq!(faults(&record), [(Some(2), "x", FaultKind::Panicked)]);
        assert_eq!(record.errors[0].detail, "out of ideas");
        assert_eq!(record.errors[0].instead.as_ref(), Some(&record.moves[2][0]));
        assert_eq!(record.evaluations[2][0], None);
        assert!(record.evaluations[1][0].is_some());
    }
}

#[test]
fn illegal_moves_are_replaced() {
    let game = library("tic-tac-toe");
    // In step 1 x has to wait; a number that no move has is illegal too.
    let mark = game.parse_move(game.roles().next().unwrap(), "(mark 1 1)").unwrap();
    let player = scripted(move |step| match step {
        1 => Some(Decision::without_search(mark, StopReason::Solved)),
        2 => Some(Decision::without_search(MoveId(u32::MAX), StopReason::Solved)),
        _ => None,
    });
    let setup = Setup::new(game, vec![player, random()], Pace::Iterations(5));
    let record = play(&setup);
    assert_eq!(record.end.reason, EndReason::Terminal);
    let illegal = |step| (Some(step), "x", FaultKind::Illegal);
    assert_eq!(faults(&record), [illegal(1), illegal(2)]);
    assert_eq!(record.errors[0].detail, "(mark 1 1)");
    assert_eq!(record.errors[0].instead.as_deref(), Some("noop"));
}

#[test]
fn a_late_answer_costs_one_move() {
    let player = scripted(|step| {
        if step == 1 {
            std::thread::sleep(Duration::from_millis(400));
        }
        None
    });
    let pace = Pace::Clocks {
        start: Duration::from_millis(50),
        play: Duration::from_millis(300),
    };
    for at_once in [false, true] {
        let mut setup = Setup::new(library("goofspiel-4"), vec![player.clone(), random()], pace);
        setup.margin = Duration::ZERO;
        setup.at_once = at_once;
        let record = play(&setup);
        assert_eq!(record.end.reason, EndReason::Terminal);
        let late = (Some(1), record.roles[0].as_str(), FaultKind::Late);
        assert!(faults(&record).contains(&late), "{:?}", record.errors);
        assert_eq!(
            record
                .errors
                .iter()
                .filter(|fault| fault.kind == FaultKind::Hung)
                .count(),
            0
        );
    }
}

#[test]
fn an_agent_that_was_late_twice_is_asked_again_when_it_has_answered() {
    let is_free = Arc::new(AtomicBool::new(false));
    let gate = is_free.clone();
    // It hangs in step 1 until the match has gone on without it for three steps.
    let player = scripted(move |step| {
        while step == 1 && !gate.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    });
    let mut setup = Setup::new(library("goofspiel-7"), vec![player, random()], quick());
    setup.margin = Duration::from_secs(1);
    let record = observed(&setup, &mut |event| {
        if let MatchEvent::Moved { step: 3, .. } = event {
            is_free.store(true, Ordering::Relaxed);
        }
    });
    assert_eq!(record.end.reason, EndReason::Terminal);
    let role = record.roles[0].as_str();
    let expected = [
        (Some(1), role, FaultKind::Late),
        (Some(2), role, FaultKind::Hung),
        (Some(3), role, FaultKind::Hung),
    ];
    assert_eq!(faults(&record), expected);
    let answered: Vec<bool> = record.evaluations.iter().map(|step| step[0].is_some()).collect();
    assert_eq!(answered[..4], [true, false, false, false]);
    assert!(answered[4..].iter().all(|&answered| answered), "{answered:?}");
}

#[test]
fn an_agent_that_answers_late_is_given_less_time() {
    let clock = Duration::from_millis(400);
    let given: Arc<Mutex<Vec<Duration>>> = Arc::default();
    /// Answers 700 ms after its deadline.
    struct Slow(Arc<Mutex<Vec<Duration>>>, Box<dyn Agent>);
    impl Agent for Slow {
        fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
            let left = budget.time_left().unwrap();
            self.0.lock().unwrap().push(left);
            std::thread::sleep(left + Duration::from_millis(700));
            self.1.choose(view, budget)
        }
    }
    let seen = given.clone();
    let player = Player::new("slow", move |place: &Place| {
        Box::new(Slow(seen.clone(), AgentSpec::parse("random").unwrap().create(place)))
    });
    let pace = Pace::Clocks {
        start: Duration::ZERO,
        play: clock,
    };
    let mut setup = Setup::new(library("goofspiel-4"), vec![player, random()], pace);
    setup.margin = Duration::from_secs(1);
    play(&setup);
    let given = given.lock().unwrap();
    assert!(given[0] > clock * 3 / 4, "{given:?}");
    // Twice 700 ms less the margin of a second is as much as half of the clock, which is the most that is kept back.
    assert!(
        given.len() > 1 && given[1..].iter().all(|&given| given <= clock / 2),
        "{given:?}"
    );
}

#[test]
fn a_match_that_ends_with_several_goals_says_so_or_has_no_result() {
    let rules = "(role w) (legal w go) (init (s 1)) (<= (next (s 2)) (true (s 1))) (<= terminal (true (s 2)))
        (goal w 100) (goal w 50)";
    let played = |several_goals| {
        let options = Options {
            several_goals,
            ..Options::default()
        };
        let game = Game::new(Description::read(Source::new("two goals", rules)), options).unwrap();
        play(&Setup::new(game, vec![random()], Pace::Iterations(1)))
    };
    let lowest = played(SeveralGoals::Lowest);
    assert_eq!((lowest.end.reason, lowest.goals), (EndReason::Terminal, Some(vec![50])));
    assert_eq!(
        lowest.end.detail.as_deref(),
        Some("w has the goals 50 and 100; the lowest counts")
    );
    let highest = played(SeveralGoals::Highest);
    assert_eq!(
        (highest.end.reason, highest.goals),
        (EndReason::Terminal, Some(vec![100]))
    );
    let error = played(SeveralGoals::Error);
    assert_eq!((error.end.reason, error.goals), (EndReason::SeveralGoals, None));
    assert_eq!(error.end.detail.as_deref(), Some("w has the goals 50 and 100"));
}

#[test]
fn an_agent_that_hangs_loses_its_moves_and_nothing_else() {
    let player = scripted(|step| {
        if step == 2 {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        None
    });
    let mut setup = Setup::new(library("tic-tac-toe"), vec![player, random()], quick());
    setup.margin = Duration::from_millis(500);
    let record = play(&setup);
    assert_eq!(record.end.reason, EndReason::Terminal);
    let x: Vec<_> = faults(&record).into_iter().filter(|fault| fault.1 == "x").collect();
    assert_eq!(
        x[..2],
        [(Some(2), "x", FaultKind::Late), (Some(3), "x", FaultKind::Hung)]
    );
    assert_eq!(x.len(), record.moves.len() - 2);
    assert!(record.evaluations.iter().all(|step| step[1].is_some()));
}

#[test]
fn agents_are_told_everything() {
    static FINISHED: AtomicUsize = AtomicUsize::new(0);
    struct Listener(Box<dyn Agent>);
    impl Agent for Listener {
        fn prepare(&mut self, start: &Position, _budget: &Budget) {
            assert_eq!(start.step(), 0);
        }
        fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
            assert!(view.history().iter().all(|joint| joint.len() == 2));
            self.0.choose(view, budget)
        }
        fn finish(&mut self, view: &View, goals: Option<&[u8]>) {
            assert!(view.step() >= 5 && goals.is_some_and(|goals| goals.len() == 2));
            FINISHED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let listener = Player::new("listener", |place: &Place| {
        Box::new(Listener(AgentSpec::parse("random").unwrap().create(place)))
    });
    for pace in [quick(), Pace::Iterations(1)] {
        let mut setup = Setup::new(library("tic-tac-toe"), vec![listener.clone(), random()], pace);
        setup.margin = Duration::from_secs(10);
        let mut watched = Vec::new();
        let record = observed(&setup, &mut |event| {
            if let MatchEvent::Moved { step, .. } = event {
                watched.push(*step);
            }
        });
        assert!(record.is_clean(), "{record:?}");
        assert_eq!(watched, (0..record.moves.len()).collect::<Vec<_>>());
    }
    assert_eq!(FINISHED.load(Ordering::Relaxed), 2);
}

#[test]
fn an_interrupt_keeps_what_was_played() {
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::until_cancelled(cancel.clone());
    for pace in [quick(), Pace::Iterations(1)] {
        cancel.store(false, Ordering::Relaxed);
        let setup = Setup::new(library("tic-tac-toe"), vec![random(), random()], pace).with_budget(budget.clone());
        let record = observed(&setup, &mut |event| {
            if let MatchEvent::Moved { step: 2, .. } = event {
                cancel.store(true, Ordering::Relaxed);
            }
        });
        assert_eq!((record.end.reason, record.moves.len()), (EndReason::Interrupted, 3));
        assert_eq!((record.goals, record.errors.len()), (None, 0));
    }
}

#[test]
fn matches_without_an_end_end() {
    let rules = "(role you) (init (at a)) (<= (legal you stay) (true (at a))) (<= (legal you go) (true (at a)))
        (<= (next (at a)) (does you stay)) (<= (next (at b)) (does you go))
        (<= terminal (true (at c))) (goal you 0)";
    let game = Game::read(Source::new("trap", rules)).unwrap();
    let play_out = |script: fn(usize) -> usize| {
        let moves = game.machine().legal(ludens_engine::Role(0)).to_vec();
        let player = scripted(move |step| Some(Decision::without_search(moves[script(step)], StopReason::Solved)));
        let mut setup = Setup::new(game.clone(), vec![player], Pace::Iterations(1));
        setup.most_steps = 30;
        play(&setup)
    };
    let stuck = play_out(|step| usize::from(step < 4));
    assert_eq!((stuck.end.reason, stuck.moves.len()), (EndReason::Stuck, 5));
    assert_eq!(stuck.end.detail.as_deref(), Some("you has no legal move"));
    assert_eq!(stuck.goals, None);
    let endless = play_out(|_| 1);
    assert_eq!((endless.end.reason, endless.moves.len()), (EndReason::TooLong, 30));
}

#[test]
fn people_have_no_clock() {
    let slow = scripted(|_| {
        std::thread::sleep(Duration::from_millis(400));
        None
    });
    let game = library("tic-tac-toe");
    let pace = Pace::Clocks {
        start: Duration::ZERO,
        play: Duration::from_millis(50),
    };
    let setup = |player: Player| Setup {
        most_steps: 1,
        ..Setup::new(game.clone(), vec![player, random()], pace)
    };
    let late = play(&setup(slow.clone()));
    assert_eq!(faults(&late), [(Some(0), "x", FaultKind::Late)]);
    let patient = play(&setup(slow.untimed()));
    assert_eq!(faults(&patient), []);
    assert!(patient.evaluations[0][0].as_ref().unwrap().seconds > 0.3);
}

#[test]
fn listeners_hear_thoughts_and_change_nothing() {
    let game = library("connect-four");
    let players = || {
        ["uct", "ucb"]
            .map(|text| Player::from(AgentSpec::parse(text).unwrap()))
            .to_vec()
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = heard.clone();
    let listener: Listener = Arc::new(move |thought: &Thought<'_>| {
        let visits: u64 = thought.decision.moves.iter().map(|known| known.visits).sum();
        let choice = (thought.step, thought.role, thought.decision.choice);
        hear.lock().unwrap().push((choice, thought.is_final, visits));
    });
    let silent = Setup {
        most_steps: 4,
        ..Setup::new(game.clone(), players(), Pace::Iterations(2_000))
    };
    let watched = Setup {
        listener: Some(listener.clone()),
        ..silent.clone()
    };
    let record = play(&watched);
    assert_eq!(record.moves, play(&silent).moves);
    let heard_last: Vec<_> = heard
        .lock()
        .unwrap()
        .iter()
        .filter(|(_, is_final, _)| *is_final)
        .cloned()
        .collect();
    assert_eq!(
        heard_last.len(),
        8,
        "one answer for each of two roles in each of four steps"
    );
    for ((step, role, choice), _, _) in heard_last {
        assert_eq!(game.move_text(role, choice), record.moves[step][role.index()]);
    }
    heard.lock().unwrap().clear();
    let clocked = Setup {
        most_steps: 2,
        pace: Pace::Clocks {
            start: Duration::ZERO,
            play: Duration::from_millis(700),
        },
        ..watched
    };
    play(&clocked);
    let heard = heard.lock().unwrap();
    for role in [Role(0), Role(1)] {
        let on_the_way = |thought: &&((usize, Role, MoveId), bool, u64)| thought.0.1 == role && !thought.1;
        assert!(
            heard.iter().filter(on_the_way).any(|thought| thought.2 > 0),
            "{heard:?}"
        );
    }
}

#[test]
fn records_are_kept_as_json() {
    let player = scripted(|step| if step == 2 { panic!("no") } else { None });
    let setup = Setup::new(library("tic-tac-toe"), vec![player, random()], Pace::Iterations(5));
    let record = play(&setup);
    let text = serde_json::to_string(&record).unwrap();
    let read: MatchRecord = serde_json::from_str(&text).unwrap();
    assert_eq!(read.moves, record.moves);
    assert_eq!((read.errors, read.end), (record.errors, record.end));
}

#[test]
fn records_are_exchanged() {
    let game = library("tic-tac-toe");
    let player = scripted(|step| if step == 2 { panic!("no") } else { None });
    let setup = Setup::new(game.clone(), vec![player, random()], Pace::Iterations(5));
    let record = play(&setup);
    let exported = ggp::export(&record, &game, "http://example.org/tic-tac-toe/v0/");
    let json = serde_json::to_value(&exported).unwrap();
    let steps = record.moves.len();
    let length = |field: &str| json[field].as_array().unwrap().len();
    assert_eq!((length("moves"), length("states")), (steps, steps + 1));
    assert_eq!((length("stateTimes"), length("errors")), (steps + 1, steps + 1));
    assert_eq!(json["errors"][3][0], "CE");
    assert_eq!(json["goalValues"], serde_json::to_value(&record.goals).unwrap());
    assert_eq!(json["gameMetaURL"], "http://example.org/tic-tac-toe/v0/");
    assert!(json["startTime"].as_u64().unwrap() > 1_200_000_000_000);
    let state = json["states"][0].as_str().unwrap();
    assert!(
        state.starts_with("( ( cell 1 1 empty ) ") && state.ends_with("( control x ) )"),
        "{state}"
    );
    let moves = json["moves"][0][0].as_str().unwrap();
    assert!(moves.starts_with("( mark "), "{moves}");
    assert!(json["randomToken"].as_str().unwrap().len() >= 12);
}

#[test]
#[ignore = "a measurement, not a test"]
fn how_long_a_thousand_matches_take() {
    let game = library("tic-tac-toe");
    let start = std::time::Instant::now();
    for seed in 0..1000 {
        let setup = Setup::new(game.clone(), vec![random(), random()], Pace::Iterations(1)).with_seed(seed);
        assert!(play(&setup).is_clean());
    }
    println!("1,000 matches of tic-tac-toe by random: {:?}", start.elapsed());
}
