//! Convergence of regret minimisation, as a file.

use anyhow::anyhow;
use ludens_equilibrium::curve::Point;
use ludens_report::plot::{Axis, Scale, lines};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Parses a path whose extension says what to write.
pub(super) fn curve_file(text: &str) -> Result<PathBuf, String> {
    match ending(Path::new(text)).as_deref() {
        Some("csv" | "json" | "svg") => Ok(PathBuf::from(text)),
        _ => Err("the name of the file must end in .csv, .json or .svg".to_string()),
    }
}

fn ending(path: &Path) -> Option<String> {
    path.extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// The curve in the format of the path's extension.
pub(super) fn curve_text(path: &Path, game: &str, algorithm: String, points: &[Point]) -> anyhow::Result<String> {
    match ending(path).as_deref() {
        Some("csv") => Ok(csv(points)),
        Some("json") => {
            let list: Vec<_> = points.iter().map(as_json).collect();
            Ok(serde_json::to_string_pretty(&json!({"game": game, "algorithm": algorithm, "points": list}))? + "\n")
        }
        Some("svg") => svg(game, &algorithm, points),
        _ => Err(anyhow!(
            "the name of {} must end in .csv, .json or .svg",
            path.display()
        )),
    }
}

fn csv(points: &[Point]) -> String {
    let optional = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    let mut text = "iterations,seconds,exploitability,nash_conv,mse,greatest_change\n".to_string();
    for point in points {
        text += &format!(
            "{},{},{},{},{},{}\n",
            point.iterations,
            point.time.as_secs_f64(),
            optional(point.assessment.exploitability),
            point.assessment.nash_conv,
            optional(point.mean_square_error),
            point.greatest_change,
        );
    }
    text
}

fn as_json(point: &Point) -> serde_json::Value {
    json!({
        "iterations": point.iterations,
        "seconds": point.time.as_secs_f64(),
        "exploitability": point.assessment.exploitability,
        "nash_conv": point.assessment.nash_conv,
        "mse": point.mean_square_error,
        "greatest_change": point.greatest_change,
    })
}

fn svg(game: &str, algorithm: &str, points: &[Point]) -> anyhow::Result<String> {
    let axis = |label: &str| Axis {
        label: label.to_string(),
        scale: Scale::Logarithmic,
    };
    let series = |name: &str, value: &dyn Fn(&Point) -> Option<f64>| lines::Series {
        name: name.to_string(),
        points: points
            .iter()
            .filter_map(|point| Some((point.iterations as f64, value(point)?)))
            .collect(),
    };
    let has_sum = points.iter().all(|point| point.assessment.exploitability.is_some());
    let gain = if has_sum {
        "exploitability (points)"
    } else {
        "nash_conv (points)"
    };
    let mut list = vec![series(gain, &|point| Some(point.assessment.nash_conv))];
    if points.iter().any(|point| point.mean_square_error.is_some()) {
        list.push(series("mean squared distance from the exact strategy", &|point| {
            point.mean_square_error
        }));
    }
    lines::draw(
        &format!("{game}, {algorithm}"),
        &axis("iterations"),
        &axis("distance"),
        &list,
    )
}
