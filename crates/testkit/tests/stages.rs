//! Stages of compilation as text: every rule file in `tests/files/STAGE` has an expected text, and every stage has the
//! meaning of the rules.

use ludens_engine::{EngineChoice, Game, Options, Rng, playout};
use ludens_gdl::normal::NormalRules;
use ludens_gdl::{Description, Source};
use ludens_ground::simplify::Passes;
use ludens_ground::stages::{Stage, dump};
use ludens_ground::{ground, text};
use ludens_testkit::{compare, files, root};
use std::collections::HashSet;

fn rules(source: Source) -> NormalRules {
    Description::read(source).take_normal()
}

fn text_of(rules: &NormalRules, stage: Stage) -> (String, String) {
    let dump = dump(rules, stage, Passes::default(), Default::default()).expect("it has all stages");
    let sizes: Vec<String> = dump
        .sizes
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    (dump.text, sizes.join(", "))
}

/// All rule files of all stages, and some games of the library.
fn sources() -> Vec<Source> {
    let folders = Stage::ALL.map(|stage| root().join("tests/files").join(stage.name()));
    let paths = folders.iter().flat_map(|folder| files(folder, &["kif"]));
    let mut sources: Vec<Source> = paths
        .map(|path| Source::from_bytes(path.display().to_string(), std::fs::read(&path).unwrap()))
        .collect();
    for name in ["tic-tac-toe", "nim-3", "blocker", "kuhn-poker", "tron-small"] {
        sources.extend(ludens_library::find(name).map(|entry| entry.source()));
    }
    assert!(sources.len() >= 12, "{}", sources.len());
    sources
}

#[test]
fn stages_read_as_recorded() {
    let mut failures = Vec::new();
    for stage in Stage::ALL {
        let paths = files(&root().join("tests/files").join(stage.name()), &["kif"]);
        assert!(!paths.is_empty(), "no file shows {}", stage.name());
        for path in paths {
            let rules = rules(Source::from_bytes("test", std::fs::read(&path).unwrap()));
            let (text, sizes) = text_of(&rules, stage);
            failures.extend(compare(&path.with_extension("expected"), &format!("{text}; {sizes}\n")).err());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A visited state as texts: its fluents, the legal moves of each role, and the goal values of each role.
type Visited = (Vec<String>, Vec<Vec<String>>, Vec<Vec<u8>>);

/// All states that one playout visits.
fn walk(game: &Game, seed: u64) -> Vec<Visited> {
    let mut rng = Rng::with_seed(seed);
    let mut machine = game.machine();
    let mut joint = Vec::new();
    let mut seen = Vec::new();
    for _ in 0..60 {
        let is_over = machine.is_terminal();
        let legal = game.roles().map(|role| {
            let legal = if is_over {
                Vec::new()
            } else {
                machine.legal(role).to_vec()
            };
            legal.into_iter().map(|chosen| game.move_text(role, chosen)).collect()
        });
        let legal = legal.collect();
        let goals = game.roles().map(|role| machine.goal_values(role).to_vec()).collect();
        seen.push((game.state_texts(machine.state()), legal, goals));
        match is_over || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            true => machine.load(game.initial()),
            false => machine.step(&joint),
        }
    }
    seen
}

#[test]
fn the_text_of_a_stage_is_the_game_itself() {
    let interpreted = |source: Source| {
        let options = Options {
            engine: EngineChoice::Interpreted,
            ..Options::default()
        };
        Game::new(Description::read(source), options).expect("it can be played")
    };
    for source in sources() {
        let rules = rules(source.clone());
        let name = source.name().to_string();
        let wanted = walk(&interpreted(source), 3);
        for stage in Stage::ALL {
            let (text, sizes) = text_of(&rules, stage);
            // Latches depend on negations of themselves, which rules must not.
            if stage == Stage::Network && !sizes.contains(" 0 latches") {
                continue;
            }
            let game = interpreted(Source::new(stage.name(), text));
            assert_eq!(walk(&game, 3), wanted, "{name}, {}", stage.name());
        }
    }
}

#[test]
fn the_normal_form_of_a_normal_form_is_itself() {
    for source in sources() {
        let name = source.name().to_string();
        let (text, _) = text_of(&rules(source), Stage::Normal);
        let (again, _) = text_of(&rules(Source::new("again", text.clone())), Stage::Normal);
        assert!(again == text, "{name}:\n{text}\n{again}");
    }
}

#[test]
fn grounding_covers_everything_that_random_play_meets() {
    for source in sources() {
        let name = source.name().to_string();
        let rules = rules(source.clone());
        let program = ground(&rules, &rules.listed_roles(), Default::default()).unwrap();
        let fluents: HashSet<&str> = program.names.fluents.iter().map(|named| &*named.text).collect();
        let options = Options {
            engine: EngineChoice::Interpreted,
            ..Options::default()
        };
        let game = Game::new(Description::read(source), options).unwrap();
        for seed in 0..5 {
            for (state, legal, _) in walk(&game, seed) {
                let unknown = state.iter().find(|fluent| !fluents.contains(fluent.as_str()));
                assert_eq!(unknown, None, "{name}");
                for (moves, known) in legal.iter().zip(program.names.moves.values()) {
                    let is_known = |text: &String| known.iter().any(|named| named.text == *text);
                    assert!(moves.iter().all(is_known), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_network_with_latches_is_read_back() {
    let path = root().join("tests/files/network/cycle.kif");
    let rules = rules(Source::from_bytes("cycle", std::fs::read(path).unwrap()));
    let (printed, sizes) = text_of(&rules, Stage::Network);
    assert!(!sizes.contains(" 0 latches"), "{sizes}");
    let (network, symbols) = text::read_network(&Source::new("cycle", printed.clone())).unwrap();
    assert_eq!(text::write_network(&network, &symbols), printed);
}
