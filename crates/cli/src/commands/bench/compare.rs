//! Comparison of saved results or of programs, as a table and as a plot.

use super::saved::{self, Speed, geometric_mean, median, ratio};
use super::{Arguments, programs};
use crate::output::{Answer, Failure, Outcome, print, print_json, rounded, table, table_text};
use anyhow::{Context, anyhow};
use comfy_table::CellAlignment;
use ludens_report::plot::{Axis, Scale, bars};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Reported loss of speed: more than three per cent in every round.
const LOSS: f64 = 0.97;

/// Speeds of all games in all files, or of all programs.
struct Comparison {
    files: Vec<String>,
    /// Games in the order in which the files name them first.
    games: Vec<String>,
    /// Playouts per second by game, file and round.
    speeds: Vec<Vec<Vec<f64>>>,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let paths = &arguments.compare;
    let are_programs = paths.iter().filter(|path| programs::is_program(path)).count();
    let files: Vec<Vec<Speed>> = match are_programs {
        0 if !arguments.games.is_empty() => {
            return Err(anyhow!("games are measured when programs are compared, not saved results").into());
        }
        0 => paths
            .iter()
            .map(|path| saved::read(path))
            .collect::<anyhow::Result<_>>()?,
        count if count == paths.len() => programs::measure(arguments)?,
        _ => return Err(anyhow!("compare either saved results or programs, not one with the other").into()),
    };
    let comparison = Comparison::new(names(paths), &files);
    if let Some(path) = &arguments.plot {
        let svg = comparison.draw()?;
        std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    match arguments.json {
        true => print_json(&comparison.to_json())?,
        false => comparison.print()?,
    }
    Ok(match comparison.slower().is_empty() {
        true => Answer::Yes,
        false => Answer::No,
    })
}

/// Names of the files in tables: without folder and extension, unless two would be equal.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let short: Vec<String> = paths
        .iter()
        .map(|path| {
            path.file_stem()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    paths
        .iter()
        .zip(&short)
        .map(|(path, name)| match is_unique(name) {
            true => name.clone(),
            false => path.display().to_string(),
        })
        .collect()
}

impl Comparison {
    fn new(names: Vec<String>, files: &[Vec<Speed>]) -> Comparison {
        let mut games: Vec<String> = Vec::new();
        for speed in files.iter().flatten() {
            if !games.contains(&speed.game) {
                games.push(speed.game.clone());
            }
        }
        let speeds_in = |file: &[Speed], game: &str| -> Vec<f64> {
            let speeds = file.iter().filter(|speed| speed.game == game);
            speeds.map(|speed| speed.playouts_per_second).collect()
        };
        let speeds = games
            .iter()
            .map(|game| files.iter().map(|file| speeds_in(file, game)).collect())
            .collect();
        Comparison {
            files: names,
            games,
            speeds,
        }
    }

    /// Median speed of a game in a file.
    fn speed(&self, game: usize, file: usize) -> Option<f64> {
        median(self.speeds[game][file].clone())
    }

    /// Speed of a game relative to the first file, by round.
    fn ratios(&self, game: usize, file: usize) -> Vec<f64> {
        let speeds = &self.speeds[game];
        let rounds = speeds[file].iter().zip(&speeds[0]);
        rounds
            .filter_map(|(&speed, &reference)| ratio(speed, reference))
            .collect()
    }

    /// Median of these ratios.
    fn ratio(&self, game: usize, file: usize) -> Option<f64> {
        median(self.ratios(game, file))
    }

    /// Minimum and maximum of these ratios, if there were several rounds.
    fn spread(&self, game: usize, file: usize) -> Option<[f64; 2]> {
        let ratios = self.ratios(game, file);
        let least = ratios.iter().copied().reduce(f64::min)?;
        let greatest = ratios.iter().copied().reduce(f64::max)?;
        (ratios.len() > 1).then_some([least, greatest])
    }

    /// Games that lost speed in every round, with the file.
    fn slower(&self) -> Vec<(&str, &str)> {
        let mut slower = Vec::new();
        for (game, name) in self.games.iter().enumerate() {
            for (file, title) in self.files.iter().enumerate().skip(1) {
                if self.spread(game, file).is_some_and(|[_, greatest]| greatest < LOSS) {
                    slower.push((name.as_str(), title.as_str()));
                }
            }
        }
        slower
    }

    /// Geometric mean ratio of a file over the games that it shares with the first.
    fn mean_ratio(&self, file: usize) -> Option<f64> {
        geometric_mean((0..self.games.len()).filter_map(|game| self.ratio(game, file)))
    }

    fn to_json(&self) -> Value {
        let files = 0..self.files.len();
        let games: Vec<Value> = self
            .games
            .iter()
            .enumerate()
            .map(|(game, name)| {
                let speeds: Vec<Option<f64>> = files.clone().map(|file| self.speed(game, file)).collect();
                let ratios: Vec<Option<f64>> = files.clone().map(|file| self.ratio(game, file)).collect();
                let spreads: Vec<Option<[f64; 2]>> = files.clone().map(|file| self.spread(game, file)).collect();
                json!({ "game": name, "playouts_per_second": speeds, "ratios": ratios, "spreads": spreads })
            })
            .collect();
        let means: Vec<Option<f64>> = (0..self.files.len()).map(|file| self.mean_ratio(file)).collect();
        json!({ "files": self.files, "games": games, "geometric_mean_ratios": means })
    }

    fn print(&self) -> Result<(), Failure> {
        let mut header = vec!["game"];
        for (number, file) in self.files.iter().enumerate() {
            header.push(file);
            if number > 0 {
                header.push("ratio");
            }
        }
        let mut table = table(&header);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let shown = |number: Option<f64>| number.map_or("-".to_string(), rounded);
        for (game, name) in self.games.iter().enumerate() {
            let mut row = vec![name.clone()];
            for file in 0..self.files.len() {
                row.push(shown(self.speed(game, file)));
                if file > 0 {
                    let spread = self.spread(game, file);
                    let range = spread.map(|[least, greatest]| format!(" ({least:.2}–{greatest:.2})"));
                    row.push(shown(self.ratio(game, file)) + &range.unwrap_or_default());
                }
            }
            table.add_row(row);
        }
        let mut means = vec!["geometric mean".to_string(), String::new()];
        for file in 1..self.files.len() {
            means.extend([String::new(), shown(self.mean_ratio(file))]);
        }
        table.add_row(means);
        let slower = self.slower();
        let notes = slower
            .iter()
            .map(|(game, file)| format!("{game}: {file} is more than 3 % slower in every round\n"));
        print(&(table_text(&table) + &notes.collect::<String>()))
    }

    fn draw(&self) -> anyhow::Result<String> {
        let axis = Axis {
            label: "playouts a second".to_string(),
            scale: Scale::Logarithmic,
        };
        let series: Vec<bars::Series> = self
            .files
            .iter()
            .enumerate()
            .map(|(file, name)| bars::Series {
                name: name.clone(),
                values: (0..self.games.len()).map(|game| self.speed(game, file)).collect(),
            })
            .collect();
        bars::draw("Random playouts", &axis, &self.games, &series)
    }
}
