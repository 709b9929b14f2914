//! Drawing of the neural network of a goal, layer by layer: fluents on the left, goals on the right.
//!
//! The colour of a node shows its output, that of an edge the sign of its weight. Nodes are placed near their
//! neighbours, so that few edges cross.

use super::{INK, MARGIN, TITLE_SIZE, clean, failed, text, width};
use ludens_engine::Game;
use ludens_evaluate::rules::neural::{Picture, PictureKind};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Maximum number of nodes of a readable drawing.
pub const MOST_NODES: usize = 300;

const ROW: i32 = 22;
const RADIUS: i32 = 8;
const LAYER: i32 = 170;
const HEAD: i32 = 84;
/// Rounds of moving nodes towards their neighbours.
const ROUNDS: usize = 8;

const TRUE: RGBColor = RGBColor(0, 114, 178);
const FALSE: RGBColor = RGBColor(230, 120, 0);
const WANTED: RGBColor = RGBColor(120, 150, 175);
const UNWANTED: RGBColor = RGBColor(205, 130, 90);

/// Draws a network with its outputs in a state; `None` if it has too many nodes.
pub fn draw(game: &Game, title: &str, picture: &Picture) -> anyhow::Result<Option<String>> {
    if picture.nodes.len() > MOST_NODES {
        return Ok(None);
    }
    let layers = picture.nodes.iter().map(|node| node.layer + 1).max().unwrap_or(1);
    let rows = rows(picture, layers);
    let tallest = (0..layers)
        .map(|layer| picture.nodes.iter().filter(|node| node.layer == layer).count())
        .max();
    let leaf_text = |kind: &PictureKind| match kind {
        PictureKind::Leaf(text) => width(text),
        _ => 0,
    };
    let left = MARGIN
        + picture
            .nodes
            .iter()
            .map(|node| leaf_text(&node.kind))
            .max()
            .unwrap_or(0)
        + 2 * RADIUS;
    let goal_texts: Vec<String> = (picture.goals.iter())
        .map(|&(role, value, node)| {
            format!(
                "(goal {} {value})  {:+.3}",
                game.role_name(role),
                picture.nodes[node].value
            )
        })
        .collect();
    let right = goal_texts.iter().map(|text| width(text)).max().unwrap_or(0) + 2 * MARGIN + RADIUS;
    let height = tallest.unwrap_or(1).max(1) as i32 * ROW;
    let size = (
        left + (layers as i32 - 1) * LAYER + right + 3 * RADIUS,
        HEAD + height + MARGIN,
    );
    let place = |node: usize| {
        let x = left + picture.nodes[node].layer as i32 * LAYER;
        (x, HEAD + (rows[node] * f64::from(height)) as i32)
    };
    let mut svg = String::new();
    {
        let size = (size.0.max(760) as u32, size.1 as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        head(&area, title)?;
        for (number, node) in picture.nodes.iter().enumerate() {
            for &(input, weight) in &node.inputs {
                let colour = if weight < 0.0 { UNWANTED } else { WANTED };
                let line = vec![place(input), place(number)];
                area.draw(&PathElement::new(line, colour.stroke_width(1)))
                    .map_err(failed)?;
            }
        }
        for (number, node) in picture.nodes.iter().enumerate() {
            let (x, y) = place(number);
            area.draw(&Circle::new((x, y), RADIUS, shade(node.value).filled()))
                .map_err(failed)?;
            area.draw(&Circle::new((x, y), RADIUS, INK)).map_err(failed)?;
            let label = match &node.kind {
                PictureKind::Leaf(name) => {
                    let style = text(HPos::Right, VPos::Center);
                    area.draw(&Text::new(clean(name), (x - RADIUS - 4, y), style))
                        .map_err(failed)?;
                    continue;
                }
                PictureKind::All => "∧",
                PictureKind::Any => "∨",
                PictureKind::Constant => "",
            };
            area.draw(&Text::new(label, (x, y), text(HPos::Center, VPos::Center)))
                .map_err(failed)?;
        }
        // Goals with the same condition are listed below each other.
        let mut seen: Vec<usize> = Vec::new();
        for (&(_, _, node), name) in picture.goals.iter().zip(&goal_texts) {
            let (x, y) = place(node);
            let before = seen.iter().filter(|&&other| other == node).count() as i32;
            seen.push(node);
            let style = text(HPos::Left, VPos::Center);
            area.draw(&Text::new(clean(name), (x + RADIUS + 6, y + before * ROW), style))
                .map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws the title and the meaning of colours.
fn head(area: &Area<'_>, title: &str) -> anyhow::Result<()> {
    let style = ("sans-serif", TITLE_SIZE).into_font().color(&INK);
    area.draw(&Text::new(clean(title), (MARGIN, MARGIN), style))
        .map_err(failed)?;
    let y = MARGIN + 44;
    let mut x = MARGIN + RADIUS;
    for (value, name) in [(-1.0, "false"), (0.0, "half"), (1.0, "true")] {
        area.draw(&Circle::new((x, y), RADIUS, shade(value).filled()))
            .map_err(failed)?;
        area.draw(&Circle::new((x, y), RADIUS, INK)).map_err(failed)?;
        x += RADIUS + 6;
        area.draw(&Text::new(name, (x, y), text(HPos::Left, VPos::Center)))
            .map_err(failed)?;
        x += width(name) + 24;
    }
    for (colour, name) in [(WANTED, "must hold"), (UNWANTED, "must not hold")] {
        area.draw(&PathElement::new(vec![(x, y), (x + 24, y)], colour.stroke_width(3)))
            .map_err(failed)?;
        x += 30;
        area.draw(&Text::new(name, (x, y), text(HPos::Left, VPos::Center)))
            .map_err(failed)?;
        x += width(name) + 24;
    }
    let rest = "∧ all, ∨ one";
    area.draw(&Text::new(rest, (x, y), text(HPos::Left, VPos::Center)))
        .map_err(failed)?;
    Ok(())
}

/// Colour of an output from -1 to 1. Most outputs are near the ends, so colours change most there.
fn shade(value: f64) -> RGBColor {
    let end = if value < 0.0 { FALSE } else { TRUE };
    let share = value.abs().min(1.0).powi(3);
    let mixed = |part: u8| (255.0 + (f64::from(part) - 255.0) * share) as u8;
    RGBColor(mixed(end.0), mixed(end.1), mixed(end.2))
}

/// Vertical position of every node, from 0 to 1: within its layer near the mean of its neighbours.
fn rows(picture: &Picture, layers: usize) -> Vec<f64> {
    let count = picture.nodes.len();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, node) in picture.nodes.iter().enumerate() {
        for &(input, _) in &node.inputs {
            neighbours[number].push(input);
            neighbours[input].push(number);
        }
    }
    let mut order: Vec<Vec<usize>> = (0..layers)
        .map(|layer| {
            (0..count)
                .filter(|&number| picture.nodes[number].layer == layer)
                .collect()
        })
        .collect();
    let mut rows = vec![0.0; count];
    let spread = |layer: &[usize], rows: &mut Vec<f64>| {
        for (place, &number) in layer.iter().enumerate() {
            rows[number] = (place as f64 + 0.5) / layer.len() as f64;
        }
    };
    order.iter().for_each(|layer| spread(layer, &mut rows));
    for _ in 0..ROUNDS {
        // Fluents keep the order of their texts, by which they are easy to find.
        for layer in order.iter_mut().skip(1) {
            let mean = |number: usize| {
                let near = &neighbours[number];
                near.iter().map(|&other| rows[other]).sum::<f64>() / near.len().max(1) as f64
            };
            let mut placed: Vec<(f64, usize)> = layer.iter().map(|&number| (mean(number), number)).collect();
            placed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *layer = placed.into_iter().map(|(_, number)| number).collect();
            spread(layer, &mut rows);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_budget::Budget;
    use ludens_evaluate::rules::neural::{GoalNetwork, Settings};

    fn picture(name: &str) -> (Game, Picture) {
        let game = Game::read(ludens_library::find(name).unwrap().source()).unwrap();
        let mut network = GoalNetwork::new(&game, Settings::default(), &Budget::default()).unwrap();
        let picture = network.picture(&game, game.initial());
        (game, picture)
    }

    #[test]
    fn every_node_and_line_is_drawn() {
        let (game, picture) = picture("tic-tac-toe");
        let svg = draw(&game, "tic-tac-toe", &picture).unwrap().unwrap();
        // Two circles for each node, and two for each of three in the legend.
        assert_eq!(svg.matches("<circle").count(), 2 * (picture.nodes.len() + 3));
        let lines: usize = picture.nodes.iter().map(|node| node.inputs.len()).sum();
        assert_eq!(svg.matches("<polyline").count(), lines + 2);
        assert!(svg.contains("(cell 2 2 x)") && svg.contains("(goal x 100)"));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_drawn() {
        let (game, picture) = picture("connect-four-8x6");
        assert!(picture.nodes.len() > MOST_NODES || draw(&game, "", &picture).unwrap().is_some());
        let mut large = picture;
        large.nodes = vec![large.nodes[0].clone(); MOST_NODES + 1];
        assert_eq!(draw(&game, "", &large).unwrap(), None);
    }

    #[test]
    fn colours_go_from_false_to_true() {
        assert_eq!(shade(-1.0), FALSE);
        assert_eq!(shade(0.0), WHITE);
        assert_eq!(shade(1.0), TRUE);
    }
}
