//! Horizontal grouped bars: a group has a name and one bar per series.

use super::axis::{AxisRange, is_shown, short};
use super::{Area, Axis, Chart, MARGIN, clean, colour, draw_head, draw_mesh, failed, head_height, text, width};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// One value per group, if any.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Values of the groups.
    pub values: Vec<Option<f64>>,
}

const WIDTH: u32 = 900;
/// Height of the row of a bar; other sizes derive from it.
const ROW_HEIGHT: f64 = 15.0;
const BAR: f64 = 0.9;
const GAP: f64 = 0.8;
/// Space for the numbers and the label of the axis.
const FOOT: u32 = 56;
/// Space for the number at the end of the longest bar.
const RIGHT: i32 = 64;

/// Draws a bar for each value, groups from top to bottom, with the value at its end.
pub fn draw(title: &str, axis: &Axis, groups: &[String], series: &[Series]) -> anyhow::Result<String> {
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let group_height = series.len() as f64 + GAP;
    let rows = (groups.len().max(1) as f64 * group_height * ROW_HEIGHT).ceil() as u32;
    let size = (WIDTH, head_height(&names, WIDTH) as u32 + rows + FOOT);
    let values = series.iter().flat_map(|series| series.values.iter().flatten().copied());
    let range = AxisRange::around(values, axis.scale, true);
    let start = range.start();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let body = draw_head(&area, title, &names)?;
        let left = groups.iter().map(|group| width(group)).max().unwrap_or(0) + MARGIN;
        // The vertical axis points down, so that the first group is at the top.
        let mut chart = ChartBuilder::on(&body)
            .set_label_area_size(LabelAreaPosition::Left, left.min(WIDTH as i32 / 2))
            .set_label_area_size(LabelAreaPosition::Bottom, FOOT - 4)
            .margin_right(RIGHT)
            .build_cartesian_2d(range, AxisRange::exact(groups.len().max(1) as f64 * group_height, 0.0))
            .map_err(failed)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().y_labels(0).x_labels(9).x_desc(clean(&axis.label));
        draw_mesh(mesh)?;
        for (number, group) in groups.iter().enumerate() {
            let top = number as f64 * group_height + GAP / 2.0;
            let (x, y) = chart.backend_coord(&(chart.x_range().start, top + series.len() as f64 / 2.0));
            area.draw(&Text::new(clean(group), (x - 8, y), text(HPos::Right, VPos::Center)))
                .map_err(failed)?;
            for (place, bar) in series.iter().enumerate() {
                let value = bar.values.get(number).copied().flatten();
                if let Some(value) = value.filter(|&value| is_shown(value, axis.scale)) {
                    let from = (start, top + place as f64);
                    draw_bar(&area, &mut chart, from, value, colour(place))?;
                }
            }
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

/// Draws a bar from a corner to a value, with the value at its end.
fn draw_bar(
    area: &Area<'_>,
    chart: &mut Chart<'_, '_>,
    from: (f64, f64),
    value: f64,
    colour: RGBColor,
) -> anyhow::Result<()> {
    let lower = from.1 + BAR;
    let shape = Rectangle::new([from, (value, lower)], colour.filled());
    chart.draw_series([shape]).map_err(failed)?;
    let (x, y) = chart.backend_coord(&(value, (from.1 + lower) / 2.0));
    area.draw(&Text::new(short(value), (x + 5, y), text(HPos::Left, VPos::Center)))
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Scale;

    fn plot(groups: &[&str], values: &[&[Option<f64>]]) -> String {
        let axis = Axis {
            label: "a second".to_string(),
            scale: Scale::Logarithmic,
        };
        let groups: Vec<String> = groups.iter().map(|group| group.to_string()).collect();
        let series: Vec<Series> = values
            .iter()
            .enumerate()
            .map(|(number, values)| Series {
                name: format!("<series {number}>"),
                values: values.to_vec(),
            })
            .collect();
        draw("Title & more", &axis, &groups, &series).expect("drawing works")
    }

    #[test]
    fn every_value_has_a_bar_and_a_number() {
        let svg = plot(&["one", "two"], &[&[Some(10.0), Some(2000.0)], &[Some(30.0), None]]);
        // The background, two marks in the legend, three bars.
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 3, "{svg}");
        for text in ["Title &amp; more", "one", "two", "&lt;series 0&gt;", "2k", "a second"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }

    #[test]
    fn odd_values_do_no_harm() {
        assert_eq!(plot(&[], &[&[]]).matches("<rect").count(), 2);
        let svg = plot(&["a\u{1}"], &[&[Some(0.0)], &[Some(f64::NAN)], &[]]);
        assert_eq!(svg.matches("<rect").count(), 1 + 3, "{svg}");
        assert!(!svg.contains('\u{1}'));
    }
}
