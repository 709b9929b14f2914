//! `ludens director`: how a policy adapts games to players, shown with simulated players, and what it decides about the
//! next level of the level game.

use crate::output::{Answer, Failure, Outcome, print, print_json, table, table_text};
use crate::{interrupt, load, progress};
use anyhow::anyhow;
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_gdl::Source;
use ludens_play::director::facts::FACTS;
use ludens_play::director::levels::{Inventory, NextLevel, Situation, next_level, next_level_by};
use ludens_play::director::policy::POLICIES;
use ludens_play::director::simulate::{Series, Simulation, simulate};
use ludens_play::director::{Director, QUESTIONS};
use ludens_play::{AgentSpec, seats};
use ludens_report::plot::{Axis, Scale, lines};
use ludens_report::reason;
use ludens_statistics::mean::Mean;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Adapt games to players by a policy, and explain every change
#[derive(clap::Args)]
#[command(
    after_help = "A policy is one that ships with Ludens (`ludens director --policies`) or a file with a defeasible program; \
    `ludens director --policies --json` lists the facts it can use and the questions it is asked.\n\
    With GAMES, simulated players of several strengths play against opponents that the policy chooses. With --level, the \
    next level of the level game is decided."
)]
pub(crate) struct Arguments {
    /// Games of two roles, separated by commas
    #[arg(value_name = "GAMES", required_unless_present_any = ["policies", "level", "show"])]
    games: Option<String>,
    /// Policy: a name, or a file
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// Iterations of the simulated players for each move
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_value = "10,100,1000,10000,100000",
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    strengths: Vec<u64>,
    /// Matches of each simulated player
    #[arg(long, value_name = "N", default_value_t = 35)]
    matches: usize,
    /// Matches after which the share of points is to have settled
    #[arg(long, value_name = "N", default_value_t = 15)]
    settle: usize,
    /// Repetitions with other seeds
    #[arg(long, value_name = "N", default_value_t = 4)]
    runs: u64,
    /// Agent that stands for players and opponents
    #[arg(long, value_name = "SPEC", default_value = "uct")]
    agent: String,
    /// Seed of all chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the strength of the opponents by match; with several games, one file for each
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// List the policies, facts and questions
    #[arg(long, conflicts_with_all = ["games", "level"])]
    policies: bool,
    /// Print the text of a policy, to be edited
    #[arg(long, value_name = "NAME", conflicts_with_all = ["games", "level", "policies"])]
    show: Option<String>,
    /// Level of the level game that ends
    #[arg(long, value_name = "N", conflicts_with = "games", value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    level: Option<i64>,
    /// Health at the end of the level
    #[arg(long, value_name = "N", requires = "level", default_value_t = 100)]
    health: i64,
    /// Greatest health
    #[arg(long, value_name = "N", requires = "level", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    most_health: i64,
    /// Recovery items in the inventory
    #[arg(long, value_name = "N", requires = "level", default_value_t = 0)]
    recovery: i64,
    /// Revival items in the inventory
    #[arg(long, value_name = "N", requires = "level", default_value_t = 0)]
    revival: i64,
    /// The player has no access to the inventory
    #[arg(long, requires = "level", conflicts_with_all = ["recovery", "revival"])]
    no_inventory: bool,
    /// Enemies defeated in the level
    #[arg(long, value_name = "N", requires = "level", default_value_t = 0)]
    defeated: i64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    if arguments.policies {
        return list(arguments.json);
    }
    if let Some(name) = &arguments.show {
        return show(name);
    }
    let budget = interrupt::budget();
    match arguments.level {
        Some(level) => decide_level(&arguments, level, &budget),
        None => adapt(&arguments, &budget),
    }
}

fn list(json: bool) -> Outcome {
    if json {
        let pairs = |name: &str, list: &[(&str, &str)]| -> Vec<Value> {
            list.iter()
                .map(|(key, about)| json!({ name: key, "about": about }))
                .collect()
        };
        let policies = POLICIES.iter().map(|policy| (policy.name, policy.about));
        let policies: Vec<(&str, &str)> = policies.collect();
        print_json(&json!({
            "policies": pairs("name", &policies),
            "facts": pairs("fact", FACTS),
            "questions": pairs("question", QUESTIONS),
        }))?;
        return Ok(Answer::Yes);
    }
    let mut text = String::new();
    for policy in POLICIES {
        text += &format!("{:<10} {}\n", policy.name, policy.about);
    }
    text += "\nquestions\n";
    for (question, effect) in QUESTIONS {
        text += &format!("  {question:<19} {effect}\n");
    }
    text += "\nfacts about the player\n";
    for (fact, about) in FACTS {
        text += &format!("  {fact:<15} {about}\n");
    }
    print(&text)?;
    Ok(Answer::Yes)
}

fn show(name: &str) -> Outcome {
    let text = match ludens_play::director::policy::find(name) {
        Some(policy) => policy.text,
        None if name == "levels" => ludens_play::director::policy::LEVEL_POLICY,
        None => return Err(anyhow!("there is no policy {name}; `ludens director --policies` lists them").into()),
    };
    print(text)?;
    Ok(Answer::Yes)
}

fn policy_file(text: &str) -> Result<Option<Source>, Failure> {
    match Path::new(text).is_file() {
        true => Ok(Some(load::source(text)?)),
        false => Ok(None),
    }
}

fn decide_level(arguments: &Arguments, level: i64, budget: &Budget) -> Outcome {
    let inventory = (!arguments.no_inventory).then_some(Inventory {
        recovery: arguments.recovery,
        revival: arguments.revival,
    });
    let situation = Situation {
        level,
        health: arguments.health.clamp(0, arguments.most_health),
        most_health: arguments.most_health,
        inventory,
        defeated: arguments.defeated,
        enemies: level,
    };
    let file = arguments
        .policy
        .as_deref()
        .filter(|name| *name != "levels")
        .map(policy_file)
        .transpose()?;
    let next = match file {
        None => next_level(&situation, budget),
        Some(Some(source)) => next_level_by(source, &situation, budget),
        Some(None) => return Err(anyhow!("the level game has the policy `levels`, or a file").into()),
    };
    let next = next.map_err(|error| anyhow!("{error}"))?;
    match arguments.json {
        true => print_json(&json!({
            "level": next.level,
            "food": next.food,
            "enemies": next.enemies,
            "facts": next.facts,
            "answers": next.answers.iter().map(reason::answer).collect::<Vec<_>>(),
        }))?,
        false => print(&level_text(&next))?,
    }
    Ok(Answer::Yes)
}

fn level_text(next: &NextLevel) -> String {
    let mut text = format!("level {}: {} food, {} enemies\n", next.level, next.food, next.enemies);
    for answer in &next.answers {
        text += &format!("\n{}\n", ludens_delp::explanation(answer));
        for (number, tree) in answer.trees.iter().enumerate() {
            if answer.deciding == Some(number) {
                text += &ludens_delp::tree_text(answer, tree);
            }
        }
    }
    text
}

/// What one simulated player experienced, over all runs.
struct Player {
    game: String,
    strength: u64,
    series: Vec<Series>,
    before: Mean,
    after: Mean,
}

impl Player {
    fn is_settled(&self) -> bool {
        self.after.mean().is_some_and(|share| (0.45..=0.55).contains(&share))
    }

    /// Mean logarithm of the opponent's iterations in a match, over the runs.
    fn opponent(&self, number: usize) -> Option<f64> {
        let levels: Vec<f64> = self
            .series
            .iter()
            .filter_map(|series| Some(series.history.matches.get(number)?.level as f64))
            .collect();
        let mean = levels.iter().sum::<f64>() / levels.len() as f64;
        (!levels.is_empty()).then(|| 10f64.powf(mean / 4.0))
    }
}

fn adapt(arguments: &Arguments, budget: &Budget) -> Outcome {
    let name = arguments.policy.as_deref().unwrap_or("balanced");
    let director = match policy_file(name)? {
        Some(source) => Director::new(source),
        None => Director::named(name),
    };
    let director = director.map_err(|error| anyhow!("{error}"))?;
    let agent = AgentSpec::parse(&arguments.agent).map_err(|error| anyhow!("{error}"))?;
    let games: Vec<&str> = arguments
        .games
        .as_deref()
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .collect();
    let mut players = Vec::new();
    let bar = progress::bar((games.len() * arguments.strengths.len()) as u64 * arguments.runs);
    for name in &games {
        let game = load::game(name, &arguments.limits, Default::default())?;
        if seats(&game).len() != 2 {
            return Err(
                anyhow!("{name} does not have two roles; a director chooses the opponent of one player").into(),
            );
        }
        for &strength in &arguments.strengths {
            bar.set_message(format!("{name}, {strength} iterations"));
            players.push(player(arguments, &director, &agent, &game, strength, budget, &bar)?);
        }
    }
    bar.finish_and_clear();
    if let Some(file) = &arguments.svg {
        draw(file, &games, &players, arguments.matches)?;
    }
    match arguments.json {
        true => print_json(&as_json(&director, arguments, &players))?,
        false => print(&as_text(&director, arguments, &players))?,
    }
    Ok(match players.iter().all(Player::is_settled) {
        true => Answer::Yes,
        false => Answer::No,
    })
}

fn player(
    arguments: &Arguments,
    director: &Director,
    agent: &AgentSpec,
    game: &Game,
    strength: u64,
    budget: &Budget,
    bar: &indicatif::ProgressBar,
) -> Result<Player, Failure> {
    let mut player = Player {
        game: game.name().to_string(),
        strength,
        series: Vec::new(),
        before: Mean::default(),
        after: Mean::default(),
    };
    for run in 0..arguments.runs {
        let with = Simulation {
            agent: agent.clone(),
            strength,
            matches: arguments.matches,
            seed: arguments.seed.wrapping_mul(1000).wrapping_add(run),
        };
        let series = simulate(game, director, &with, budget).map_err(|error| anyhow!("{error}"))?;
        for (number, played) in series.history.matches.iter().enumerate() {
            match number < arguments.settle {
                true => player.before.add(played.points),
                false => player.after.add(played.points),
            }
        }
        player.series.push(series);
        bar.inc(1);
    }
    Ok(player)
}

fn draw(file: &Path, games: &[&str], players: &[Player], matches: usize) -> Result<(), Failure> {
    for (number, game) in games.iter().enumerate() {
        let each = players.len() / games.len();
        let own = &players[number * each..(number + 1) * each];
        let series: Vec<lines::Series> = own
            .iter()
            .map(|player| lines::Series {
                name: format!("player with {} iterations", player.strength),
                points: (0..matches)
                    .filter_map(|at| Some((at as f64 + 1.0, player.opponent(at)?)))
                    .collect(),
            })
            .collect();
        let axis = |label: &str, scale| Axis {
            label: label.to_string(),
            scale,
        };
        let svg = lines::draw(
            &format!("{game}: strength of the opponent"),
            &axis("match", Scale::Linear),
            &axis("iterations of the opponent", Scale::Logarithmic),
            &series,
        )?;
        let path = match games.len() {
            1 => file.to_path_buf(),
            _ => {
                let stem = file
                    .file_stem()
                    .map_or_else(String::new, |stem| stem.to_string_lossy().to_string());
                file.with_file_name(format!("{stem}-{game}.svg"))
            }
        };
        std::fs::write(&path, svg).map_err(|cause| anyhow!("cannot write {}: {cause}", path.display()))?;
    }
    Ok(())
}

fn as_json(director: &Director, arguments: &Arguments, players: &[Player]) -> Value {
    let list = players.iter().map(|player| {
        let runs = player.series.iter().map(|series| {
            let matches = &series.history.matches;
            json!({
                "points": matches.iter().map(|played| played.points).collect::<Vec<_>>(),
                "levels": matches.iter().map(|played| played.level).collect::<Vec<_>>(),
                "explanations": series.rulings.iter().map(|ruling| ruling.explanation()).collect::<Vec<_>>(),
            })
        });
        json!({
            "game": player.game,
            "strength": player.strength,
            "share_before": player.before.mean(),
            "share_after": player.after.mean(),
            "settled": player.is_settled(),
            "runs": runs.collect::<Vec<_>>(),
        })
    });
    json!({
        "policy": director.name(),
        "agent": arguments.agent,
        "matches": arguments.matches,
        "settle": arguments.settle,
        "settled": players.iter().all(Player::is_settled),
        "players": list.collect::<Vec<_>>(),
    })
}

fn as_text(director: &Director, arguments: &Arguments, players: &[Player]) -> String {
    let share = |mean: &Mean| {
        mean.mean()
            .map_or("-".to_string(), |share| format!("{:.1} %", share * 100.0))
    };
    let first = format!("matches 1–{}", arguments.settle);
    let rest = format!("matches {}–{}", arguments.settle + 1, arguments.matches);
    let mut rows = table(&["game", "player", &first, &rest, "last opponent", "settled"]);
    for player in players {
        let last = arguments.matches.checked_sub(1).and_then(|last| player.opponent(last));
        rows.add_row([
            player.game.clone(),
            player.strength.to_string(),
            share(&player.before),
            share(&player.after),
            last.map_or(String::new(), |mean| format!("{mean:.0}")),
            if player.is_settled() { "yes" } else { "no" }.to_string(),
        ]);
    }
    let mut text = format!(
        "policy {}, {} for each player; players and opponents in iterations, shares of points\n\n{}",
        director.name(),
        crate::output::counted(arguments.runs as usize, "run"),
        table_text(&rows)
    );
    let told = players
        .first()
        .and_then(|player| player.series.first())
        .and_then(|series| series.rulings.iter().rev().find(|ruling| !ruling.changes.is_empty()));
    if let Some(ruling) = told {
        text += &format!("\nthe last change for the first player\n  {}\n", ruling.explanation());
    }
    text
}
