//! The report as a self-contained HTML page: tables, and plots as SVG.

use super::Description;
use super::report::{Grid, Report};
use crate::plot::bars::{self, Series};
use crate::plot::{Axis, Scale};
use anyhow::Result;
use ludens_play::tournament::Section;

const STYLE: &str = "body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #282828; background: #fff }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; font-variant-numeric: tabular-nums }
th, td { padding: 0.2rem 0.8rem; text-align: right; border-bottom: 1px solid #d7d7d7; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
div { overflow-x: auto }
svg { max-width: 100%; height: auto }";

/// Renders the report as one page.
pub fn html(report: &Report) -> Result<String> {
    let description = &report.description;
    let mut body = format!("<h1>Tournament</h1>\n<p>{}</p>\n", escaped(&conditions(description)));
    for note in report.notes() {
        body += &format!("<p>{}</p>\n", escaped(&note));
    }
    body += &format!("<div>{}</div>\n", plot(report)?);
    for (name, section) in report.sections() {
        body += &format!("<h2>{}</h2>\n{}", escaped(&name), table(&report.standing_grid(section)));
        let duels = report.duel_grid(section);
        if !duels.rows.is_empty() {
            body += &format!("<h3>Differences</h3>\n{}", table(&duels));
        }
    }
    body += "<p>Intervals have a confidence of 95 %. Elo ratings are relative to the mean of the players. Differences are \
             those of mean goals over whole rounds; their p-values are corrected by Holm's method for all pairs.</p>\n";
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Tournament</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    ))
}

/// Conditions of the matches as a sentence.
fn conditions(description: &Description) -> String {
    let effort = match (description.iterations, description.start_clock, description.play_clock) {
        (Some(count), _, _) => format!("{count} iterations for each move"),
        (None, start, play) => format!(
            "{} s before the first move, {} s for each move",
            start.unwrap_or_default(),
            play.unwrap_or_default()
        ),
    };
    format!("Ludens {}: {effort}.", description.version)
}

/// Plots the mean goals of all players by game.
fn plot(report: &Report) -> Result<String> {
    let sections = report.sections();
    let groups: Vec<String> = sections.iter().map(|(name, _)| name.clone()).collect();
    let goal = |section: &Section, player: usize| section.entries[player].mean_goal;
    let series = report
        .description
        .players
        .iter()
        .enumerate()
        .map(|(player, name)| Series {
            name: name.clone(),
            values: sections.iter().map(|(_, section)| goal(section, player)).collect(),
        });
    let axis = Axis {
        label: "mean goal".to_string(),
        scale: Scale::Linear,
    };
    bars::draw("Mean goals", &axis, &groups, &series.collect::<Vec<_>>())
}

fn table(grid: &Grid) -> String {
    let row = |mark: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells: String = cells
            .map(|cell| format!("<{mark}>{}</{mark}>", escaped(cell)))
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = row("th", &mut grid.header.iter().copied());
    let lines = grid
        .rows
        .iter()
        .map(|cells| row("td", &mut cells.iter().map(String::as_str)));
    format!("<div><table>\n{head}{}</table></div>\n", lines.collect::<String>())
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_taken_for_marks() {
        let grid = Grid {
            header: vec!["player"],
            rows: vec![vec!["<b>&".to_string()]],
        };
        assert!(table(&grid).contains("<td>&lt;b&gt;&amp;</td>"));
    }
}
