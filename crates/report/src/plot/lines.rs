//! Lines over a number, with marked points.

use super::axis::{AxisRange, is_shown};
use super::{Axis, MARGIN, clean, colour, draw_head, draw_mesh, failed, head_height};
use plotters::prelude::*;

/// Points joined by a line.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: u32 = 900;
const HEIGHT: u32 = 480;

/// Draws a line for each series.
pub fn draw(title: &str, x: &Axis, y: &Axis, series: &[Series]) -> anyhow::Result<String> {
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let has_place = |&(a, b): &(f64, f64)| is_shown(a, x.scale) && is_shown(b, y.scale);
    let points = || {
        series
            .iter()
            .flat_map(|series| series.points.iter().copied().filter(has_place))
    };
    let x_range = AxisRange::around(points().map(|(a, _)| a), x.scale, false);
    let y_range = AxisRange::around(points().map(|(_, b)| b), y.scale, false);
    let mut svg = String::new();
    {
        let size = (WIDTH, HEIGHT + head_height(&names, WIDTH) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let body = draw_head(&area, title, &names)?;
        let mut chart = ChartBuilder::on(&body)
            .set_label_area_size(LabelAreaPosition::Left, 84)
            .set_label_area_size(LabelAreaPosition::Bottom, 52)
            .margin_right(MARGIN * 2)
            .margin_top(6)
            .margin_left(MARGIN / 2)
            .build_cartesian_2d(x_range, y_range)
            .map_err(failed)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(10)
            .y_labels(8)
            .x_desc(clean(&x.label))
            .y_desc(clean(&y.label));
        draw_mesh(mesh)?;
        for (number, series) in series.iter().enumerate() {
            let points: Vec<(f64, f64)> = series.points.iter().copied().filter(has_place).collect();
            let line = PathElement::new(points.clone(), colour(number).stroke_width(2));
            chart.draw_series([line]).map_err(failed)?;
            let marks = points
                .into_iter()
                .map(|point| Circle::new(point, 3, colour(number).filled()));
            chart.draw_series(marks).map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Scale;

    #[test]
    fn every_point_is_marked() {
        let axis = |label: &str, scale| Axis {
            label: label.to_string(),
            scale,
        };
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_string(),
            points: points.to_vec(),
        };
        let svg = draw(
            "Growth",
            &axis("seconds", Scale::Linear),
            &axis("nodes", Scale::Logarithmic),
            &[
                series("first", &[(0.0, 1.0), (1.0, 10.0), (2.0, 500.0)]),
                series("second", &[(0.0, 0.0), (1.0, 20.0), (2.0, f64::NAN)]),
            ],
        )
        .expect("drawing works");
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        assert!(svg.matches("<polyline").count() >= 2, "{svg}");
        for text in ["Growth", "seconds", "nodes", "first", "second"] {
            assert!(svg.contains(text), "{text}");
        }
    }
}
