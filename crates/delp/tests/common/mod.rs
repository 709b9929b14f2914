//! Helpers that the tests share.

use ludens_budget::Budget;
use ludens_delp::{Answer, Criterion, Options, Program, TreeNode};
use ludens_gdl::Source;

/// Reads a program without errors.
#[allow(dead_code)]
pub fn program(text: &str) -> Program {
    let program = Program::read(Source::new("test.delp", text));
    let errors: Vec<_> = program.diagnostics.iter().filter(|found| found.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    program
}

/// Answers a query by specificity.
#[allow(dead_code)]
pub fn ask(text: &str, query: &str) -> Answer {
    ask_by(text, query, Criterion::Specificity)
}

/// Answers a query by a criterion.
#[allow(dead_code)]
pub fn ask_by(text: &str, query: &str, criterion: Criterion) -> Answer {
    let mut program = program(text);
    let strict = program.check_strict(&Budget::default()).expect("no limit");
    assert!(strict.is_none(), "{strict:?}");
    let query = program.read_query(query).expect("a literal");
    let options = Options {
        criterion,
        decisive: false,
    };
    program.answer(&query.literal, options, &Budget::default())
}

/// A tree in one line, children sorted: conclusion, rules, kind of attack, mark.
#[allow(dead_code)]
pub fn line(answer: &Answer, node: &TreeNode) -> String {
    let argument = &answer.arguments[node.argument];
    let mut rules: Vec<&str> = argument.rules.iter().map(|rule| rule.text.as_str()).collect();
    rules.sort_unstable();
    let mut children: Vec<String> = node.children.iter().map(|child| line(answer, child)).collect();
    children.sort();
    let kind = node.attack.as_ref().map_or("root", |attack| attack.kind.name());
    format!(
        "<{} {{{}}} {kind} {} [{}]>",
        argument.conclusion,
        rules.join("; "),
        node.mark.letter(),
        children.join(" ")
    )
}
