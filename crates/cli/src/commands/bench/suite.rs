//! `ludens bench --suite`: many games on both engines, as a table.

use super::Arguments;
use super::saved::{self, geometric_mean, ratio, short_name};
use crate::output::{Answer, Failure, Outcome, grouped, print, print_json, rounded, table, table_text};
use crate::{interrupt, load, progress};
use comfy_table::CellAlignment;
use ludens_budget::Budget;
use ludens_engine::{EngineChoice, Game, Options};
use ludens_gdl::{Description, Source};
use ludens_report::measure::{self, Measurement, Settings};
use serde::Serialize;
use serde_json::json;
use std::time::Instant;

/// Games of different kinds and sizes that compile at once and that the interpreter can play to the end quickly.
pub(super) const GAMES: [&str; 12] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "othello",
    "hex",
    "pentago",
    "checkers-small",
    "minichess",
    "skirmish",
    "tron",
    "eight-puzzle",
    "kuhn-poker",
];

/// A line of the table.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Measured(Box<Measured>),
    /// The game cannot be loaded or played.
    Failed {
        game: String,
        error: String,
    },
}

#[derive(Serialize)]
struct Measured {
    /// Measurement on the engine chosen for the game.
    #[serde(flatten)]
    chosen: Measurement,
    gates: Option<usize>,
    /// Reason why the game is not compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    /// Measurement of the interpreter on the same game, unless it is the chosen engine.
    interpreted: Option<Measurement>,
    /// Ratio of the playouts per second of both engines.
    ratio: Option<f64>,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let games: Vec<&str> = match arguments.games.is_empty() {
        true => GAMES.to_vec(),
        false => arguments.games.iter().map(String::as_str).collect(),
    };
    let settings = arguments.settings(1.0);
    let budget = interrupt::budget();
    let bar = progress::bar(games.len() as u64);
    let mut rows = Vec::new();
    for game in games {
        bar.set_message(short_name(game));
        let row = match load::source(game) {
            Ok(source) => measure(source, arguments, settings, &budget),
            Err(Failure::Error(error)) => Some(Row::Failed {
                game: game.to_string(),
                error: format!("{error:#}"),
            }),
            Err(failure) => return Err(failure),
        };
        // An interrupted measurement is not shown.
        let Some(row) = row.filter(|_| !budget.is_cancelled()) else {
            break;
        };
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(path) = &arguments.save {
        saved::write(path, settings, &rows)?;
    }
    report(&rows, arguments.json)?;
    if budget.is_cancelled() {
        tell!("interrupted: these are the games that were done");
    }
    let all_measured = rows.iter().all(|row| matches!(row, Row::Measured(_)));
    match all_measured && !budget.is_cancelled() {
        true => Ok(Answer::Yes),
        false => Ok(Answer::No),
    }
}

/// Measures one game on both engines; `None` after Ctrl-C.
fn measure(source: Source, arguments: &Arguments, settings: Settings, budget: &Budget) -> Option<Row> {
    let options = [EngineChoice::Auto, EngineChoice::Interpreted].map(|engine| arguments.limits.options(engine));
    let (name, for_worker) = (source.name().to_string(), budget.clone());
    let measured = interrupt::attended(budget, move || both_engines(&source, options, settings, &for_worker))?;
    Some(match measured {
        Ok(measured) => Row::Measured(Box::new(measured)),
        Err(error) => Row::Failed { game: name, error },
    })
}

fn both_engines(
    source: &Source,
    [auto, interpreted]: [Options; 2],
    settings: Settings,
    budget: &Budget,
) -> Result<Measured, String> {
    let (chosen, game) = one_engine(source, auto, settings, budget)?;
    let interpreted = match game.engine().gates() {
        Some(_) => Some(one_engine(source, interpreted, settings, budget)?.0),
        None => None,
    };
    let reference = interpreted.as_ref().map(|measurement| measurement.playouts_per_second);
    Ok(Measured {
        ratio: reference.and_then(|reference| ratio(chosen.playouts_per_second, reference)),
        gates: game.engine().gates(),
        fallback: game.fallback().map(str::to_string),
        chosen,
        interpreted,
    })
}

fn one_engine(
    source: &Source,
    options: Options,
    settings: Settings,
    budget: &Budget,
) -> Result<(Measurement, Game), String> {
    let start = Instant::now();
    let game = Game::new(Description::read(source.clone()), options).map_err(|error| error.to_string())?;
    let setup = start.elapsed().as_secs_f64();
    Ok((measure::measure(&game, setup, settings, budget)?, game))
}

fn report(rows: &[Row], json: bool) -> Result<(), Failure> {
    let ratios = rows.iter().filter_map(|row| match row {
        Row::Measured(measured) => measured.ratio,
        Row::Failed { .. } => None,
    });
    let mean = geometric_mean(ratios);
    if json {
        return print_json(&json!({ "suite": rows, "geometric_mean_ratio": mean }));
    }
    let mut text = text(rows);
    if let Some(mean) = mean {
        text += &format!("geometric mean of the ratios: {}\n", rounded(mean));
    }
    print(&text)
}

fn text(rows: &[Row]) -> String {
    let mut table = table(&[
        "game",
        "engine",
        "set-up s",
        "gates",
        "playouts/s",
        "states/s",
        "interpreter",
        "ratio",
    ]);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut notes = String::new();
    let shown = |number: Option<f64>| number.map_or("-".to_string(), rounded);
    for row in rows {
        match row {
            Row::Measured(measured) => {
                let chosen = &measured.chosen;
                let interpreted = measured.interpreted.as_ref();
                if let Some(cause) = &measured.fallback {
                    notes += &format!("{}: not compiled: {cause}\n", short_name(&chosen.game));
                }
                table.add_row([
                    short_name(&chosen.game),
                    chosen.engine.to_string(),
                    format!("{:.3}", chosen.setup_seconds),
                    measured.gates.map_or("-".to_string(), |gates| grouped(gates as u128)),
                    rounded(chosen.playouts_per_second),
                    rounded(chosen.states_per_second),
                    shown(interpreted.map(|measurement| measurement.playouts_per_second)),
                    shown(measured.ratio),
                ]);
            }
            Row::Failed { game, error } => {
                let name = short_name(game);
                notes += &format!("{name}: {error}\n");
                table.add_row([&name, "error", "-", "-", "-", "-", "-", "-"]);
            }
        }
    }
    table_text(&table) + &notes
}
