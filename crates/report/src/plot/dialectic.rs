//! Dialectical trees, level by level: the argument on the left, its defeaters to the right of it.
//!
//! The colour of a box says whether its argument is defeated; the line to its parent is solid for a proper defeater and
//! thin for a blocking one. The rules of an argument stand below its conclusion.

use super::{INK, MARGIN, TITLE_SIZE, clean, failed, text, width};
use ludens_delp::{Answer, Kind, Mark, TreeNode};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Nodes that can be told apart on one drawing.
pub const MOST_NODES: usize = 200;

const LINE: i32 = 20;
const GAP: i32 = 14;
const BETWEEN: i32 = 60;
const HEAD: i32 = 60;

const UNDEFEATED: RGBColor = RGBColor(214, 234, 222);
const DEFEATED: RGBColor = RGBColor(246, 222, 208);
const OPEN: RGBColor = RGBColor(232, 232, 232);

struct Placed<'a> {
    node: &'a TreeNode,
    lines: Vec<String>,
    level: usize,
    top: i32,
    parent: Option<usize>,
}

/// Draws the trees of an answer below each other; `None` if they have more nodes than can be told apart.
pub fn draw(answer: &Answer) -> anyhow::Result<Option<String>> {
    let mut boxes = Vec::new();
    let mut bottom = HEAD;
    for tree in &answer.trees {
        bottom = place(answer, tree, 0, None, bottom, &mut boxes) + GAP;
        if boxes.len() > MOST_NODES {
            return Ok(None);
        }
    }
    let levels = boxes.iter().map(|found| found.level + 1).max().unwrap_or(1);
    let widths: Vec<i32> = (0..levels)
        .map(|level| {
            let lines = boxes
                .iter()
                .filter(|found| found.level == level)
                .flat_map(|found| &found.lines);
            lines.map(|line| width(line)).max().unwrap_or(0) + 2 * GAP
        })
        .collect();
    let left = |level: usize| MARGIN + widths[..level].iter().map(|wide| wide + BETWEEN).sum::<i32>();
    let title = format!("{}: {}", answer.query, answer.verdict.name());
    let size = (
        (left(levels) - BETWEEN + MARGIN)
            .max(width(&title) * 3 / 2 + 2 * MARGIN)
            .max(360) as u32,
        (bottom + MARGIN) as u32,
    );
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let style = ("sans-serif", TITLE_SIZE).into_font().color(&INK);
        area.draw(&Text::new(clean(&title), (MARGIN, MARGIN), style))
            .map_err(failed)?;
        for found in &boxes {
            let Some(parent) = found.parent.map(|number| &boxes[number]) else {
                continue;
            };
            let from = (left(parent.level) + widths[parent.level], parent.top + LINE);
            let to = (left(found.level), found.top + LINE);
            let is_proper = found
                .node
                .attack
                .as_ref()
                .is_some_and(|attack| attack.kind != Kind::Blocking);
            let stroke = INK.stroke_width(if is_proper { 3 } else { 1 });
            area.draw(&PathElement::new(vec![from, to], stroke)).map_err(failed)?;
        }
        for found in &boxes {
            let corner = (left(found.level), found.top);
            let far = (corner.0 + widths[found.level], corner.1 + height(&found.lines));
            let fill = match found.node.mark {
                Mark::Undefeated => UNDEFEATED,
                Mark::Defeated => DEFEATED,
                Mark::Open => OPEN,
            };
            area.draw(&Rectangle::new([corner, far], fill.filled()))
                .map_err(failed)?;
            area.draw(&Rectangle::new([corner, far], INK)).map_err(failed)?;
            for (number, line) in found.lines.iter().enumerate() {
                let at = (corner.0 + GAP, corner.1 + GAP / 2 + LINE * number as i32 + LINE / 2);
                area.draw(&Text::new(clean(line), at, text(HPos::Left, VPos::Center)))
                    .map_err(failed)?;
            }
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

fn height(lines: &[String]) -> i32 {
    LINE * lines.len() as i32 + GAP
}

/// Places a node and what is below it from `top` down, and returns where the next one may begin.
fn place<'a>(
    answer: &Answer,
    node: &'a TreeNode,
    level: usize,
    parent: Option<usize>,
    top: i32,
    boxes: &mut Vec<Placed<'a>>,
) -> i32 {
    let argument = &answer.arguments[node.argument];
    let mut lines = vec![format!("{} {}", node.mark.letter(), argument.conclusion)];
    lines.extend(argument.rules.iter().map(|rule| rule.text.clone()));
    if argument.rules.is_empty() {
        lines.push("follows strictly".to_string());
    }
    if let Some(attack) = &node.attack {
        lines.push(format!("{} at {}: {}", attack.kind.name(), attack.at, attack.reason()));
    }
    let own_bottom = top + height(&lines) + GAP;
    let number = boxes.len();
    boxes.push(Placed {
        node,
        lines,
        level,
        top,
        parent,
    });
    let mut bottom = top;
    for child in &node.children {
        if boxes.len() > MOST_NODES {
            break;
        }
        bottom = place(answer, child, level + 1, Some(number), bottom, boxes);
    }
    bottom.max(own_bottom)
}
