//! Answers of defeasible reasoning as JSON: the verdict, the arguments and the dialectical trees.

use ludens_delp::{Answer, Mark, TreeNode, explanation};
use serde_json::{Value, json};

/// An answer: `answer`, `arguments`, the `tree` that decides it, and all `trees`.
pub fn answer(answer: &Answer) -> Value {
    let tree = |number: usize| answer.trees.get(number).map(|tree| node(answer, tree));
    json!({
        "query": answer.query,
        "answer": answer.verdict.name(),
        "explanation": explanation(answer),
        "arguments": arguments(answer),
        "tree": answer.deciding.and_then(tree),
        "trees": answer.trees.iter().map(|tree| node(answer, tree)).collect::<Vec<_>>(),
        "complete": answer.limit.is_none(),
        "limit": answer.limit.map(|limit| limit.to_string()),
        "steps": answer.steps,
        "instances": answer.instances,
    })
}

fn arguments(answer: &Answer) -> Vec<Value> {
    let list = answer.arguments.iter().enumerate().map(|(number, argument)| {
        let rules: Vec<Value> = argument
            .rules
            .iter()
            .map(|rule| json!({ "rule": rule.text, "line": rule.line }))
            .collect();
        json!({
            "number": number + 1,
            "conclusion": argument.conclusion,
            "rules": rules,
            "strict": argument.rules.is_empty(),
        })
    });
    list.collect()
}

fn node(answer: &Answer, tree: &TreeNode) -> Value {
    let argument = &answer.arguments[tree.argument];
    let mark = match tree.mark {
        Mark::Undefeated => "undefeated",
        Mark::Defeated => "defeated",
        Mark::Open => "open",
    };
    json!({
        "argument": tree.argument + 1,
        "conclusion": argument.conclusion,
        "mark": mark,
        "defeater": tree.attack.as_ref().map(|attack| attack.kind.name()),
        "attacks": tree.attack.as_ref().map(|attack| &attack.at),
        "why": tree.attack.as_ref().map(|attack| attack.reason()),
        "children": tree.children.iter().map(|child| node(answer, child)).collect::<Vec<_>>(),
    })
}
