//! Saved results side by side, as a table and as a plot.

use super::saved::{self, Speed, geometric_mean, ratio};
use crate::output::{Answer, Failure, Outcome, print, print_json, rounded, table, table_text};
use anyhow::Context;
use comfy_table::CellAlignment;
use ludens_report::plot::{Axis, Scale, bars};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The speeds of all games of all files.
struct Comparison {
    files: Vec<String>,
    /// In the order in which the files name them first.
    games: Vec<String>,
    /// For every game, its speed in every file.
    speeds: Vec<Vec<Option<f64>>>,
}

pub(super) fn run(paths: &[PathBuf], plot: Option<&Path>, json: bool) -> Outcome {
    let files: Vec<Vec<Speed>> = paths
        .iter()
        .map(|path| saved::read(path))
        .collect::<anyhow::Result<_>>()?;
    let comparison = Comparison::new(names(paths), &files);
    if let Some(path) = plot {
        let svg = comparison.draw()?;
        std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    }
    match json {
        true => print_json(&comparison.to_json())?,
        false => comparison.print()?,
    }
    Ok(Answer::Yes)
}

/// What the files are called in tables: their names without folder and ending, unless two have the same.
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
        let speed_in = |file: &[Speed], game: &str| {
            let speed = file.iter().find(|speed| speed.game == game);
            speed.map(|speed| speed.playouts_per_second)
        };
        let speeds = games
            .iter()
            .map(|game| files.iter().map(|file| speed_in(file, game)).collect())
            .collect();
        Comparison {
            files: names,
            games,
            speeds,
        }
    }

    /// How many times as fast as in the first file a game is in this one.
    fn ratio(&self, game: usize, file: usize) -> Option<f64> {
        let speeds = &self.speeds[game];
        ratio(speeds[file]?, speeds[0]?)
    }

    /// The mean ratio of a file over the games that it shares with the first.
    fn mean_ratio(&self, file: usize) -> Option<f64> {
        geometric_mean((0..self.games.len()).filter_map(|game| self.ratio(game, file)))
    }

    fn to_json(&self) -> Value {
        let ratios = |game| -> Vec<Option<f64>> { (0..self.files.len()).map(|file| self.ratio(game, file)).collect() };
        let games: Vec<Value> = self
            .games
            .iter()
            .enumerate()
            .map(|(game, name)| {
                json!({ "game": name, "playouts_per_second": self.speeds[game], "ratios": ratios(game) })
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
                row.push(shown(self.speeds[game][file]));
                if file > 0 {
                    row.push(shown(self.ratio(game, file)));
                }
            }
            table.add_row(row);
        }
        let mut means = vec!["geometric mean".to_string(), String::new()];
        for file in 1..self.files.len() {
            means.extend([String::new(), shown(self.mean_ratio(file))]);
        }
        table.add_row(means);
        print(&table_text(&table))
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
                values: self.speeds.iter().map(|speeds| speeds[file]).collect(),
            })
            .collect();
        bars::draw("Random playouts", &axis, &self.games, &series)
    }
}
