//! The signature of the program: one number that changes whenever the result of a playout, a search, an evaluation or a
//! solver changes.
//!
//! Every part runs on library games with fixed seeds and counted budgets, on one thread, so that the number is the same
//! on every machine. A commit that is meant to preserve results must preserve the signature; any other says why it
//! changed.

use ludens_budget::Budget;
use ludens_engine::playout::Playout;
use ludens_engine::{EngineChoice, Game, Options, PlayoutSource, Rng, State};
use ludens_equilibrium::{Cfr, Settings, Start, Variant};
use ludens_gdl::Description;
use ludens_play::{AgentSpec, Pace, Player, Setup, play, seats};
use ludens_solve::Method;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;

/// The signature with its parts.
#[derive(Clone, Debug, Serialize)]
pub struct Signature {
    /// Decimal number of up to 20 digits, made from the digests of all parts.
    pub signature: String,
    /// The parts, in the order in which they run.
    pub parts: Vec<Part>,
}

/// The parts as lines, then the signature.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            writeln!(f, "{} {:>9} {}", part.digest, part.count, part.name)?;
        }
        writeln!(f, "signature {}", self.signature)
    }
}

/// Results of one search, solver or series of playouts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Method and game, such as `playouts tic-tac-toe compiled`.
    pub name: String,
    /// Amount of work: state changes, iterations, or states.
    pub count: u64,
    /// Hash of all results, in hexadecimal.
    pub digest: String,
}

/// Reason why a part could not run. The parts are fixed, so this is a bug.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{part}: {cause}")]
pub struct SignatureError {
    part: String,
    cause: String,
}

/// Number of playouts of a part.
const PLAYOUTS: usize = 300;

/// Games whose playouts are part of the signature: turn-taking, simultaneous, with chance, with one and three roles.
const PLAYOUT_GAMES: &[&str] = &[
    "tic-tac-toe",
    "connect-four",
    "breakthrough-small",
    "simultaneous-tic-tac-toe",
    "tic-tac-toe-3-player",
    "eight-puzzle",
    "kuhn-poker",
    "checkers-small",
];

/// Matches that are part of the signature: game, agent in all seats, and iterations per move.
const MATCHES: &[(&str, &str, u64)] = &[
    ("tic-tac-toe", "random", 1),
    ("tic-tac-toe", "legal", 1),
    ("connect-four-4x4", "greedy", 1),
    ("connect-four-4x4", "mobility", 1),
    ("connect-four-4x4", "flat", 200),
    ("connect-four-4x4", "ucb", 200),
    ("connect-four-4x4", "halving", 200),
    ("breakthrough-small", "uct", 300),
    ("connect-four-4x4", "uct(playout=mast)", 200),
    ("connect-four-4x4", "uct(playout=to-mast(draw=greedy))", 200),
    ("connect-four-4x4", "uct(playout=past)", 200),
    ("connect-four-4x4", "uct(playout=nst)", 200),
    ("connect-four-4x4", "uct(playout=reply)", 200),
    ("connect-four-4x4", "uct(playout=fast)", 200),
    ("connect-four-4x4", "uct(playout=advised,eval=mobility)", 200),
    ("connect-four-4x4", "uct(heuristic=combined)", 100),
    ("connect-four-4x4", "uct(rave=rave,root=halving)", 200),
    ("connect-four-4x4", "uct(rave=grave,bias=5,playout=mast,first=50)", 200),
    ("connect-four-4x4", "uct(eval=fuzzy,blend=10,head=2,stop=0.1)", 100),
    ("connect-four-4x4", "uct(eval=goals,cut=4,trust=0.3,implicit=0.2)", 200),
    ("connect-four-4x4", "uct(ahead=1,leaf=1,solver=false,nodes=200)", 200),
    ("connect-four-4x4", "uct(endgame=2)", 200),
    ("simultaneous-tic-tac-toe", "uct", 200),
    ("simultaneous-tic-tac-toe", "uct(simultaneous=regret,joint=true)", 200),
    ("simultaneous-tic-tac-toe", "uct(simultaneous=sequenced)", 200),
    ("eight-puzzle", "uct(discount=0.99)", 20),
    ("tic-tac-toe-3-player", "uct", 100),
    ("kuhn-poker", "uct", 100),
    ("connect-four-4x4", "alphabeta", 500),
    (
        "connect-four-4x4",
        "alphabeta(eval=features(sequences=200),quiet=stable)",
        300,
    ),
    (
        "connect-four-4x4",
        "alphabeta(eval=network(features=all),multicut=on,likely=on)",
        300,
    ),
    ("tic-tac-toe-3-player", "alphabeta(eval=mobility)", 300),
    ("breakthrough-small", "flux", 100),
    ("breakthrough-small", "nexplayer", 100),
    ("tic-tac-toe", "nexplayer(version=1.0)", 200),
    ("tic-tac-toe", "clune(sequences=200)", 200),
    ("tic-tac-toe", "guct", 100),
    ("connect-four-4x4", "perfect", 100),
    ("goofspiel-4", "cfr", 100),
    ("biased-rock-paper-scissors", "cfr(depth=1)", 100),
    ("goofspiel-4", "rnr", 100),
    ("goofspiel-4", "mixed", 100),
    ("breakthrough-small", "best", 100),
    ("eight-puzzle", "best", 20),
    ("simultaneous-tic-tac-toe", "best", 100),
];

/// Games solved by both methods.
const SOLVED: &[&str] = &[
    "tic-tac-toe",
    "connect-four-4x4",
    "clobber-3x4",
    "lights-out-3x3",
    "chomp-3x4",
];

/// Games whose equilibria are computed.
const EQUILIBRIA: &[&str] = &["goofspiel-4", "biased-rock-paper-scissors", "battle-of-the-sexes"];

/// Iterations of regret minimisation.
const CFR_ITERATIONS: u64 = 50;

/// Runs all parts. `progress` gets the name of each part before it runs.
pub fn signature(budget: &Budget, progress: &mut dyn FnMut(&str)) -> Result<Option<Signature>, SignatureError> {
    let mut parts = Vec::new();
    for (name, part) in all_parts() {
        if budget.is_spent() {
            return Ok(None);
        }
        progress(&name);
        let (count, results) = part().map_err(|cause| SignatureError {
            part: name.clone(),
            cause,
        })?;
        parts.push(Part {
            name,
            count,
            digest: hexadecimal(&results.0.finalize()[..8]),
        });
    }
    let mut all = Sha256::new();
    for part in &parts {
        all.update(format!("{} {} {}\n", part.name, part.count, part.digest));
    }
    let digest = all.finalize();
    let number = digest[..8]
        .iter()
        .fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    Ok(Some(Signature {
        signature: number.to_string(),
        parts,
    }))
}

/// A part to run; returns the amount of work and the results.
type Run = Box<dyn FnOnce() -> Result<(u64, Results), String>>;

fn all_parts() -> Vec<(String, Run)> {
    let mut parts: Vec<(String, Run)> = Vec::new();
    for &game in PLAYOUT_GAMES {
        for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
            let name = format!("playouts {game} {}", engine_name(engine));
            parts.push((name, Box::new(move || playouts(game, engine))));
        }
    }
    for &(game, agent, iterations) in MATCHES {
        parts.push((
            format!("match {game} {agent}"),
            Box::new(move || one_match(game, agent, iterations)),
        ));
    }
    for &game in SOLVED {
        for method in [Method::Explicit, Method::Symbolic] {
            parts.push((
                format!("solve {game} {}", method.name()),
                Box::new(move || solve(game, method)),
            ));
        }
    }
    let variants = [
        ("cfr", Variant::Vanilla),
        ("cfr+", Variant::Plus),
        ("pcfr+", Variant::Predictive),
    ];
    for &game in EQUILIBRIA {
        for (name, variant) in variants {
            parts.push((
                format!("equilibrium {game} {name}"),
                Box::new(move || equilibrium(game, variant)),
            ));
        }
    }
    parts
}

fn engine_name(engine: EngineChoice) -> &'static str {
    match engine {
        EngineChoice::Interpreted => "interpreted",
        _ => "compiled",
    }
}

/// Hashes results.
struct Results(Sha256);

impl Results {
    fn new() -> Results {
        Results(Sha256::new())
    }

    fn text(&mut self, text: &str) {
        self.0.update(text);
        self.0.update([0]);
    }

    /// Adds a number rounded to nine significant digits: the last bits of logarithms and powers may differ between
    /// processors.
    fn number(&mut self, number: f64) {
        self.text(&format!("{number:.8e}"));
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn game(name: &str, engine: EngineChoice) -> Result<Game, String> {
    let rules = ludens_library::find(name).ok_or("there is no such game in the library")?;
    let options = Options {
        engine,
        ..Options::default()
    };
    Game::new(Description::read(rules.source()), options).map_err(|error| error.to_string())
}

/// Playouts from the initial state.
struct Starts<'a> {
    game: &'a Game,
    left: usize,
    states: u64,
    results: Vec<(u32, usize, Vec<u8>)>,
}

impl PlayoutSource for Starts<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        self.left = self.left.checked_sub(1)?;
        Some((self.game.initial(), self.left as u32))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.states += playout.steps as u64;
        self.results
            .push((tag, playout.steps, playout.scores.as_slice().to_vec()));
    }
}

fn playouts(name: &str, engine: EngineChoice) -> Result<(u64, Results), String> {
    let game = game(name, engine)?;
    let mut starts = Starts {
        game: &game,
        left: PLAYOUTS,
        states: 0,
        results: Vec::new(),
    };
    game.engine().playouts().run(&mut Rng::with_seed(1), 1_000, &mut starts);
    let mut results = Results::new();
    for (tag, steps, scores) in &starts.results {
        results.text(&format!("{tag} {steps} {scores:?}"));
    }
    Ok((starts.states, results))
}

fn one_match(name: &str, agent: &str, iterations: u64) -> Result<(u64, Results), String> {
    let game = game(name, EngineChoice::Auto)?;
    let spec = AgentSpec::parse(agent).map_err(|error| error.to_string())?;
    let players = vec![Player::from(spec); seats(&game).len()];
    let mut setup = Setup::new(game, players, Pace::Iterations(iterations)).with_seed(1);
    setup.most_steps = 60;
    let record = play(&setup);
    if let Some(fault) = record.errors.first() {
        return Err(format!("{}: {}", fault.role, fault.detail));
    }
    let mut results = Results::new();
    let mut playouts = 0;
    for (joint, evaluations) in record.moves.iter().zip(&record.evaluations) {
        joint.iter().for_each(|text| results.text(text));
        for evaluation in evaluations.iter().flatten() {
            playouts += evaluation.playouts;
            results.text(&format!(
                "{} {} {}",
                evaluation.nodes, evaluation.playouts, evaluation.stop
            ));
            results.number(evaluation.value.unwrap_or(-1.0));
        }
    }
    results.text(&format!("{:?}", record.goals));
    Ok((playouts, results))
}

fn solve(name: &str, method: Method) -> Result<(u64, Results), String> {
    let game = game(name, EngineChoice::Auto)?;
    let options = ludens_solve::Options {
        method,
        threads: 1,
        ..ludens_solve::Options::default()
    };
    let solved = ludens_solve::solve(&game, &options, &Budget::default());
    let (report, _) = solved.map_err(|error| error.to_string())?;
    let mut results = Results::new();
    for value in report.values.iter().flatten() {
        results.number(*value);
    }
    results.text(&format!(
        "{} {} {} {} {:?} {:?}",
        report.reachable, report.terminal, report.classified, report.unclassified, report.layers, report.distances
    ));
    for bucket in &report.buckets {
        results.text(&format!("{:?} {}", bucket.goals, bucket.states));
    }
    Ok((u64::try_from(&report.reachable).unwrap_or(u64::MAX), results))
}

fn equilibrium(name: &str, variant: Variant) -> Result<(u64, Results), String> {
    let game = game(name, EngineChoice::Auto)?;
    let options = ludens_equilibrium::GraphOptions {
        threads: 1,
        ..ludens_equilibrium::GraphOptions::default()
    };
    let budget = Budget::default();
    let grown = ludens_equilibrium::grow(&game, game.initial(), &options, None, &budget);
    let graph = grown.map_err(|error| error.to_string())?.graph;
    let settings = Settings {
        variant,
        start: Start::Uniform,
        frozen: Vec::new(),
        threads: 1,
    };
    let mut cfr = Cfr::new(&graph, settings).map_err(|error| error.to_string())?;
    cfr.iterate(&graph, CFR_ITERATIONS, &budget);
    let assessment = ludens_equilibrium::assess(&graph, &cfr.average(&graph));
    let mut results = Results::new();
    for number in assessment.values.iter().chain(&assessment.best_responses) {
        results.number(*number);
    }
    results.text(&format!("{} {}", graph.len(), graph.transitions()));
    Ok((graph.len() as u64, results))
}
