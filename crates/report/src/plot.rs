//! Plots as SVG text: grouped bars, lines, networks and dialectical trees.
//!
//! The caller describes the data, and this module decides the appearance: the size follows from the data, the legend is
//! above the plot, and bars are horizontal so that each name has its own line. The caller writes the text to a file.

use anyhow::anyhow;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

mod axis;
pub mod bars;
pub mod dialectic;
pub mod lines;
pub mod network;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths; values that are not positive are not shown.
    Logarithmic,
}

/// Description of an axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Label.
    pub label: String,
    /// Scale.
    pub scale: Scale,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<axis::AxisRange, axis::AxisRange>>;

/// Colours that are distinct for all kinds of colour vision (after Okabe and Ito), most contrasting first.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
];
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(215, 215, 215);

const MARGIN: i32 = 16;
const TITLE_HEIGHT: i32 = 34;
const LEGEND_ROW: i32 = 22;
const LEGEND_MARK: i32 = 14;
/// Font sizes as the library counts them, a quarter larger than the height in pixels.
const TITLE_SIZE: i32 = 22;
const TEXT_SIZE: i32 = 16;

/// Colour of a series; colours repeat if there are more series than colours.
fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

/// Upper estimate of the width of a text, because the font of the viewer is unknown.
fn width(text: &str) -> i32 {
    text.chars().count() as i32 * 8
}

/// Text style with the given anchor.
fn text(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", TEXT_SIZE)
        .into_font()
        .color(&INK)
        .pos(Pos::new(horizontal, vertical))
}

/// Removes characters that SVG cannot represent.
fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// Positions of the legend's entries, in rows that fit into a width, and the number of rows.
fn legend_places(names: &[&str], room: i32) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut row) = (0, 0);
    let mut places = Vec::new();
    for name in names {
        let needed = LEGEND_MARK + 6 + width(name) + 18;
        if x > 0 && x + needed > room {
            (x, row) = (0, row + 1);
        }
        places.push((x, row));
        x += needed;
    }
    (places, row + 1)
}

/// Height of title and legend.
fn head_height(names: &[&str], plot_width: u32) -> i32 {
    let (_, rows) = legend_places(names, plot_width as i32 - 2 * MARGIN);
    TITLE_HEIGHT + MARGIN + rows * LEGEND_ROW
}

/// Draws title and legend and returns the area below them.
fn draw_head<'a>(area: &Area<'a>, title: &str, names: &[&str]) -> anyhow::Result<Area<'a>> {
    let (plot_width, _) = area.dim_in_pixel();
    area.fill(&WHITE).map_err(failed)?;
    let style = ("sans-serif", TITLE_SIZE).into_font().color(&INK);
    area.draw(&Text::new(clean(title), (MARGIN, MARGIN), style))
        .map_err(failed)?;
    let (places, _) = legend_places(names, plot_width as i32 - 2 * MARGIN);
    for (series, (name, (x, row))) in names.iter().zip(places).enumerate() {
        let (left, top) = (MARGIN + x, MARGIN + TITLE_HEIGHT + row * LEGEND_ROW);
        let mark = [(left, top), (left + LEGEND_MARK, top + LEGEND_MARK)];
        area.draw(&Rectangle::new(mark, colour(series).filled()))
            .map_err(failed)?;
        let place = (left + LEGEND_MARK + 6, top + LEGEND_MARK / 2);
        area.draw(&Text::new(clean(name), place, text(HPos::Left, VPos::Center)))
            .map_err(failed)?;
    }
    let (_, below) = area.split_vertically(head_height(names, plot_width));
    Ok(below)
}

/// Draws grid, axes and labels in the style of all charts.
fn draw_mesh(mut mesh: MeshStyle<'_, '_, axis::AxisRange, axis::AxisRange, SVGBackend<'_>>) -> anyhow::Result<()> {
    let labels = ("sans-serif", TEXT_SIZE).into_font().color(&INK);
    let styled = mesh.bold_line_style(GRID).light_line_style(TRANSPARENT);
    styled.axis_style(INK).label_style(labels).draw().map_err(failed)
}

/// Converts an error of the library.
fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_go_on_in_the_next_row() {
        let names = ["first", "second", "third"];
        let (places, rows) = legend_places(&names, 10_000);
        assert!(
            rows == 1 && places.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "{places:?}"
        );
        let (places, rows) = legend_places(&names, 100);
        assert_eq!((places, rows), (vec![(0, 0), (0, 1), (0, 2)], 3));
    }
}
