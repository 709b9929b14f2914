//! Saved results, for later comparisons.

use anyhow::Context;
use ludens_report::measure::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::path::Path;

/// Checks that results can be written, before time is spent on them. An existing file is left as it is.
pub(super) fn prepare(path: &Path) -> anyhow::Result<()> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened
        .map(drop)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Writes results with everything needed to reproduce them.
pub(super) fn write(path: &Path, settings: Settings, results: &[impl Serialize]) -> anyhow::Result<()> {
    let saved = json!({
        "ludens": env!("CARGO_PKG_VERSION"),
        "seconds": settings.seconds,
        "threads": settings.threads,
        "most_steps": settings.most_steps,
        "seed": settings.seed,
        "results": results,
    });
    let text = serde_json::to_string_pretty(&saved)? + "\n";
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The fields of a saved file that comparisons read.
#[derive(Deserialize)]
struct Saved {
    results: Vec<Value>,
}

/// Speed of a game.
pub(super) struct Speed {
    pub(super) game: String,
    pub(super) playouts_per_second: f64,
}

/// Reads the speeds in a file, without games that failed.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Speed>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let saved: Saved = serde_json::from_str(&text)
        .with_context(|| format!("{} was not written by `ludens bench --save`", path.display()))?;
    Ok(saved.results.iter().filter_map(speed).collect())
}

/// Speed in a result as JSON, if any.
pub(super) fn speed(result: &Value) -> Option<Speed> {
    Some(Speed {
        game: short_name(result["game"].as_str()?),
        playouts_per_second: result["playouts_per_second"].as_f64()?,
    })
}

/// Name of a game, or of its file without folder and extension, so that it does not depend on the place of the file.
pub(super) fn short_name(game: &str) -> String {
    let is_path = game.contains(['/', '\\']) || Path::new(game).extension().is_some();
    let stem = Path::new(game).file_stem().filter(|_| is_path);
    stem.map_or(game.to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Geometric mean of positive numbers; `None` if there are none.
pub(super) fn geometric_mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = numbers.map(f64::ln).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    (!logarithms.is_empty()).then(|| mean.exp())
}

/// Median; the mean of the two middle numbers of an even count.
pub(super) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    let lower = numbers[(numbers.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// Quotient of two speeds; `None` if one is zero.
pub(super) fn ratio(speed: f64, reference: f64) -> Option<f64> {
    (speed > 0.0 && reference > 0.0).then(|| speed / reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_in_files_are_called_by_the_name_of_the_file() {
        let names = ["tic-tac-toe", "../games/hex.kif", "hex.kif", "<stdin>"].map(short_name);
        assert_eq!(names, ["tic-tac-toe", "hex", "hex", "<stdin>"]);
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean([].into_iter()), None);
        let mean = geometric_mean([2.0, 8.0].into_iter()).expect("there are numbers");
        assert!((mean - 4.0).abs() < 1e-9);
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
