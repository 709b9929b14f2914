//! Equal and unequal games: other names, other ways to write the same rules, other rules.

use ludens_budget::Budget;
use ludens_engine::{Game, Rng};
use ludens_gdl::Source;
use ludens_ground::order::groups;
use ludens_ground::{Condition, Fluent, GroundProgram, MoveId, Proposition, Role, Signal};
use ludens_symmetry::{Equivalence, fingerprint, same};
use std::fmt::Write;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).unwrap_or_else(|| panic!("the library has {name}"));
    Game::read(entry.source()).unwrap()
}

/// Games with larger programs are left out, to save time: multiplied out, they need counts and proofs.
const MOST_INSTANCES: usize = 3_000;
const FEW_INSTANCES_INLINED: usize = 700;
/// Games whose inlined copies are not decided without a clock.
const LEFT_OPEN: [&str; 4] = ["dots-and-boxes", "kalaha-3x2", "liars-dice-6", "pentago"];
/// Instances that a proposition may have to be put in the place of its uses.
const FEW_INSTANCES: usize = 3;

/// How a copy of a game is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    /// New names and another order.
    Scrambled,
    /// Also every disjunction as a negated conjunction of negations.
    DeMorganised,
    /// Also propositions with few instances multiplied out where they are used.
    Inlined,
}

/// Writes a ground program as rules of a game in another way.
struct Copy<'a> {
    program: &'a GroundProgram,
    style: Style,
    fluents: Vec<usize>,
    moves: Vec<usize>,
    roles: Vec<String>,
    is_cyclic: Vec<bool>,
    rules: Vec<String>,
    helpers: usize,
}

fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut numbers);
    numbers
}

fn copy(game: &Game, style: Style, seed: u64) -> String {
    let program = &game.engine().circuit().unwrap().program;
    let mut rng = Rng::with_seed(seed);
    let mut is_cyclic = vec![false; program.propositions()];
    let asked = program.asked_of_state().chain(program.asked_of_moves());
    for group in groups(program, asked).iter().filter(|group| group.is_cyclic) {
        group.members.iter().for_each(|atom| is_cyclic[atom.index()] = true);
    }
    let most_moves = program.names.moves.values().map(Vec::len).max().unwrap_or(0);
    let mut copy = Copy {
        program,
        style,
        fluents: shuffled(program.names.fluents.len(), &mut rng),
        moves: shuffled(most_moves, &mut rng),
        roles: game
            .roles()
            .map(|role| match game.is_random(role) {
                true => "random".to_string(),
                false => format!("r{}", role.0),
            })
            .collect(),
        is_cyclic,
        rules: Vec::new(),
        helpers: 0,
    };
    copy.write();
    rng.shuffle(&mut copy.rules);
    let mut text = String::new();
    for role in &copy.roles {
        let _ = writeln!(text, "(role {role})");
    }
    text + &copy.rules.join("\n")
}

impl Copy<'_> {
    fn fluent(&self, fluent: Fluent) -> String {
        format!("(f {})", self.fluents[fluent.index()])
    }

    fn move_name(&self, number: MoveId) -> String {
        format!("m{}", self.moves[number.index()])
    }

    fn write(&mut self) {
        let program = self.program;
        for &fluent in &program.initial {
            self.rules.push(format!("(init {})", self.fluent(fluent)));
        }
        for atom in Proposition::first(program.propositions()) {
            self.proposition(atom);
        }
        let mut heads: Vec<(String, Proposition)> = Vec::new();
        heads.extend(program.terminal.map(|atom| ("terminal".to_string(), atom)));
        for (fluent, atom) in &program.next {
            heads.push((format!("(next {})", self.fluent(*fluent)), *atom));
        }
        let role = |copy: &Self, role: Role| copy.roles[role.index()].clone();
        for (of, legal) in program.legal.iter() {
            let moves = legal.iter().map(|&(number, atom)| (self.move_name(number), atom));
            heads.extend(moves.map(|(name, atom)| (format!("(legal {} {name})", role(self, of)), atom)));
        }
        for (of, goals) in program.goals.iter() {
            let goals = goals.iter();
            heads.extend(goals.map(|&(value, atom)| (format!("(goal {} {value})", role(self, of)), atom)));
        }
        for (of, percepts) in program.percepts.iter() {
            let percepts = percepts.iter().enumerate();
            heads.extend(percepts.map(|(number, (_, atom))| (format!("(sees {} s{number})", role(self, of)), *atom)));
        }
        for (head, atom) in heads {
            let use_of = self.positive(atom);
            self.rules.push(format!("(<= {head} {use_of})"));
        }
    }

    /// The rules of a proposition.
    fn proposition(&mut self, atom: Proposition) {
        let bodies = self.bodies(atom);
        if self.style == Style::Scrambled || self.is_cyclic[atom.index()] || bodies.is_empty() {
            for body in bodies {
                self.rules.push(format!("(<= p{} {})", atom.0, self.conditions(&body)));
            }
            return;
        }
        let mut negations = String::new();
        for body in bodies {
            let _ = write!(negations, " (not h{})", self.helpers);
            self.rules
                .push(format!("(<= h{} {})", self.helpers, self.conditions(&body)));
            self.helpers += 1;
        }
        self.rules.push(format!("(<= n{}{negations})", atom.0));
    }

    /// The instances of a proposition, multiplied out if that is the style.
    fn bodies(&self, atom: Proposition) -> Vec<Vec<Condition>> {
        let own = self.program.instances_of(atom).map(<[Condition]>::to_vec);
        if self.style != Style::Inlined || self.is_cyclic[atom.index()] {
            return own.collect();
        }
        own.flat_map(|body| self.multiplied(body)).collect()
    }

    /// A body with its first proposition of few instances replaced by each of them.
    fn multiplied(&self, body: Vec<Condition>) -> Vec<Vec<Condition>> {
        let is_small = |condition: &Condition| match condition.signal {
            Signal::Derived(atom) => {
                let count = self.program.derived(atom).len();
                !condition.negated && !self.is_cyclic[atom.index()] && (1..=FEW_INSTANCES).contains(&count)
            }
            _ => false,
        };
        let Some(place) = body.iter().position(is_small) else {
            return vec![body];
        };
        let Signal::Derived(atom) = body[place].signal else {
            return vec![body];
        };
        let instances = self.program.instances_of(atom);
        instances
            .map(|instance| {
                let mut joined = body.clone();
                joined.splice(place..=place, instance.iter().copied());
                joined
            })
            .collect()
    }

    fn conditions(&self, body: &[Condition]) -> String {
        let texts: Vec<String> = body.iter().rev().map(|condition| self.condition(*condition)).collect();
        texts.join(" ")
    }

    fn condition(&self, condition: Condition) -> String {
        let text = match condition.signal {
            Signal::Fluent(fluent) => format!("(true {})", self.fluent(fluent)),
            Signal::Move(role, number) => {
                format!("(does {} {})", self.roles[role.index()], self.move_name(number))
            }
            Signal::Derived(atom) => self.positive(atom),
        };
        match condition.negated {
            true => format!("(not {text})"),
            false => text,
        }
    }

    /// A proposition as a condition.
    fn positive(&self, atom: Proposition) -> String {
        let has_rules = !self.program.derived(atom).is_empty();
        match self.style == Style::Scrambled || self.is_cyclic[atom.index()] || !has_rules {
            true => format!("p{}", atom.0),
            false => format!("(not n{})", atom.0),
        }
    }
}

/// Games that are small enough to be written down without variables.
fn small_games() -> Vec<Game> {
    let games = ludens_library::entries().map(|entry| Game::read(entry.source()).unwrap());
    games
        .filter(|game| {
            let circuit = game.engine().circuit();
            circuit.is_some_and(|circuit| circuit.program.instances() <= MOST_INSTANCES)
        })
        .collect()
}

fn is_same(first: &Game, second: &Game) -> Result<(), String> {
    match same(first, second, &Budget::default()) {
        Equivalence::Yes(mapping) => {
            assert_eq!(mapping.state(first.initial()), *second.initial(), "{}", first.name());
            assert_eq!(mapping.fluents().count(), mapping.inverse().fluents().count());
            Ok(())
        }
        Equivalence::No(reason) => Err(format!("{}: no: {reason}", first.name())),
        Equivalence::Unknown(reason) => Err(format!("{}: unknown: {reason}", first.name())),
    }
}

#[test]
fn tic_tac_toe_is_number_scrabble() {
    let (first, second) = (game("tic-tac-toe"), game("number-scrabble"));
    let Equivalence::Yes(mapping) = same(&first, &second, &Budget::default()) else {
        panic!("the games are the same");
    };
    // The centre is the five, which is in four lines.
    let centre = first.parse_move(Role(0), "(mark 2 2)").unwrap();
    let image = mapping.move_id(Role(0), centre).unwrap();
    assert_eq!(second.move_text(mapping.role(Role(0)), image), "(take 5)");
    assert_eq!(
        fingerprint(&first, &Budget::default()),
        fingerprint(&second, &Budget::default())
    );
    assert!(fingerprint(&first, &Budget::default()).is_some());
}

#[test]
fn every_game_is_its_scrambled_copy() {
    copies(Style::Scrambled);
}

#[test]
fn every_game_is_its_de_morganised_copy() {
    copies(Style::DeMorganised);
}

#[test]
fn small_games_are_their_inlined_copies() {
    copies(Style::Inlined);
}

fn copies(style: Style) {
    let mut games = small_games();
    if style == Style::Inlined {
        games.retain(|game| {
            let circuit = game.engine().circuit();
            let is_small = circuit.is_some_and(|circuit| circuit.program.instances() <= FEW_INSTANCES_INLINED);
            is_small && !LEFT_OPEN.contains(&game.name())
        });
    }
    assert!(games.len() > 40, "{}", games.len());
    let mut failures = Vec::new();
    for (seed, game) in games.iter().enumerate() {
        let text = copy(game, style, seed as u64);
        let other = Game::read(Source::new("copy", text)).unwrap();
        failures.extend(is_same(game, &other).err());
    }
    assert!(failures.is_empty(), "{style:?}:\n{}", failures.join("\n"));
}

#[test]
fn two_hundred_unequal_pairs_are_rejected() {
    let games = small_games();
    let mut rng = Rng::with_seed(11);
    let mut pairs = 0;
    while pairs < 200 {
        let (first, second) = (&games[rng.usize(..games.len())], &games[rng.usize(..games.len())]);
        // These are one game, as the test above shows.
        let is_known = |game: &Game| ["tic-tac-toe", "number-scrabble"].contains(&game.name());
        if first.name() == second.name() || (is_known(first) && is_known(second)) {
            continue;
        }
        pairs += 1;
        let answer = same(first, second, &Budget::default());
        assert!(
            matches!(answer, Equivalence::No(_)),
            "{} and {}: {answer:?}",
            first.name(),
            second.name()
        );
    }
}

#[test]
fn rules_that_differ_in_a_goal_only_are_told_apart() {
    let (first, second) = (game("connect-four"), game("connect-four-suicide"));
    let answer = same(&first, &second, &Budget::default());
    let Equivalence::No(reason) = answer else {
        panic!("{answer:?}");
    };
    assert!(reason.contains("goals of the roles"), "{reason}");
    assert_ne!(
        fingerprint(&first, &Budget::default()),
        fingerprint(&second, &Budget::default())
    );
}

#[test]
fn rules_that_agree_in_play_but_not_elsewhere_are_unknown() {
    // In play, p and q never hold together.
    let rules = |condition: &str| {
        let text = format!(
            "(role a) (init p) (legal a go) (<= (next q) (true p)) (<= (next p) (true q) {condition})
            (<= (next done) (true q)) (<= terminal (true done)) (goal a 50)"
        );
        Game::read(Source::new("test", text)).unwrap()
    };
    let answer = same(&rules(""), &rules("(not (true p))"), &Budget::default());
    assert!(matches!(answer, Equivalence::Unknown(_)), "{answer:?}");
}

#[test]
fn games_with_different_numbers_of_roles_differ() {
    let answer = same(&game("tic-tac-toe"), &game("eight-puzzle"), &Budget::default());
    let Equivalence::No(reason) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(reason, "one game has 2 roles, the other 1");
}
