//! Answers in words and as text trees.

use crate::answer::{Answer, TreeNode, Verdict};
use crate::tree::{Kind, Mark};

/// Why the answer is what it is, in a few sentences.
pub fn explanation(answer: &Answer) -> String {
    let mut text = format!("{}: {}.", answer.query, answer.verdict.name().to_uppercase());
    if let Some(limit) = &answer.limit {
        text += &format!(" It was not examined completely: {limit}.");
    }
    let Some(tree) = answer.deciding.and_then(|number| answer.trees.get(number)) else {
        text += match answer.verdict {
            Verdict::Unknown => " The program does not speak of it.",
            _ if answer.limit.is_some() => " No argument had been found by then.",
            _ => " There is no argument for it and none against it.",
        };
        return text;
    };
    let root = &answer.arguments[tree.argument];
    if root.rules.is_empty() {
        return text + &format!(" {} follows strictly.", root.conclusion);
    }
    text += &format!(" {}: {}.", root.conclusion, reasons(answer, tree));
    attacks(answer, tree, &mut text, 0);
    text
}

/// The conditions of an argument, as a phrase.
fn reasons(answer: &Answer, node: &TreeNode) -> String {
    let argument = &answer.arguments[node.argument];
    let heads: Vec<&String> = argument.rules.iter().map(|rule| &rule.head).collect();
    let mut needs: Vec<&str> = Vec::new();
    for condition in argument.rules.iter().flat_map(|rule| &rule.body) {
        if !heads.contains(&condition) && !needs.contains(&condition.as_str()) {
            needs.push(condition);
        }
    }
    match needs.is_empty() {
        true => "presumed".to_string(),
        false => format!("because of {}", needs.join(" and ")),
    }
}

fn attacks(answer: &Answer, node: &TreeNode, text: &mut String, depth: usize) {
    if node.children.is_empty() {
        *text += match depth {
            0 => " Nothing speaks against that.",
            _ => " Nothing defeats that.",
        };
    }
    // The attack that decides is told; if none does, all are.
    let decisive = node.children.iter().position(|child| child.mark == Mark::Undefeated);
    let told: Vec<&TreeNode> = match decisive {
        Some(at) => vec![&node.children[at]],
        None => node.children.iter().collect(),
    };
    for child in told {
        let Some(attack) = &child.attack else { continue };
        let conclusion = &answer.arguments[child.argument].conclusion;
        *text += &format!(
            " Against {}: {conclusion}, {} ({}).",
            attack.at,
            reasons(answer, child),
            attack.reason()
        );
        attacks(answer, child, text, depth + 1);
    }
}

/// A dialectical tree as lines of text: mark, number of the argument counted from one, conclusion, kind of attack and
/// its reason.
pub fn tree_text(answer: &Answer, tree: &TreeNode) -> String {
    let mut text = String::new();
    write_node(answer, tree, "", "", &mut text);
    text
}

fn write_node(answer: &Answer, node: &TreeNode, first: &str, rest: &str, text: &mut String) {
    let argument = &answer.arguments[node.argument];
    *text += &format!(
        "{first}{} {} {}",
        node.mark.letter(),
        node.argument + 1,
        argument.conclusion
    );
    if let Some(attack) = &node.attack {
        let at = match attack.at {
            _ if attack.kind == Kind::Blocking => format!("blocks {}", attack.at),
            _ => format!("defeats {}", attack.at),
        };
        *text += &format!(": {at}, {}", attack.reason());
    }
    *text += "\n";
    for (number, child) in node.children.iter().enumerate() {
        let (branch, stem) = match number + 1 == node.children.len() {
            true => ("└─ ", "   "),
            false => ("├─ ", "│  "),
        };
        write_node(
            answer,
            child,
            &format!("{rest}{branch}"),
            &format!("{rest}{stem}"),
            text,
        );
    }
}
