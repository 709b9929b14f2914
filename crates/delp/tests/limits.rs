//! Large programs take little work, hostile ones stop at their limit, and what is said then is right.

mod common;

use common::program;
use ludens_budget::{Budget, StopReason};
use ludens_delp::{Answer, Options, TreeNode, Verdict};

fn ask(text: &str, query: &str, budget: &Budget) -> Answer {
    let mut program = program(text);
    let query = program.read_query(query).expect("a literal");
    program.answer(&query.literal, Options::default(), budget)
}

/// A taxonomy with 9,990 facts about individuals and ten schematic rules.
fn taxonomy() -> String {
    let mut text = String::from(
        "bird(X) <- chicken(X). bird(X) <- penguin(X). flies(X) -< bird(X). ~flies(X) -< chicken(X).
         ~flies(X) -< penguin(X). flies(X) -< chicken(X), scared(X). nests(X) -< flies(X). swims(X) -< penguin(X).
         ~swims(X) -< penguin(X), young(X). hunts(X) -< swims(X).\n",
    );
    for number in 0..3330 {
        let kind = ["chicken", "penguin", "bird"][number % 3];
        text += &format!("{kind}(i{number}). scared(i{number}). young(i{number}).\n");
    }
    text
}

/// 10,000 ground rules in 1,000 parts that have nothing to do with each other.
fn parts() -> String {
    (0..1000)
        .map(|n| {
            format!(
                "a{n}. b{n}. p{n} -< a{n}. ~p{n} -< a{n}, b{n}. q{n} -< p{n}. r{n} <- q{n}. ~r{n} -< b{n}. s{n} -< ~p{n}.
                 t{n} -< s{n}. ~t{n} -< b{n}, ~p{n}.\n"
            )
        })
        .collect()
}

#[test]
fn programs_of_ten_thousand_rules_take_little_work() {
    let answer = ask(&taxonomy(), "nests(i300)", &Budget::default());
    assert_eq!((answer.verdict, answer.limit), (Verdict::Yes, None));
    assert!(answer.steps < 200_000, "{} steps", answer.steps);
    let answer = ask(&parts(), "t500", &Budget::default());
    assert_eq!((answer.verdict, answer.limit), (Verdict::No, None));
    assert!(
        answer.steps < 2_000 && answer.instances < 20,
        "{} {}",
        answer.steps,
        answer.instances
    );
}

#[test]
fn a_chain_of_hundreds_of_rules_is_followed_to_its_end() {
    let mut text = String::from("p0.\n");
    for number in 1..=300 {
        text += &format!("p{number} -< p{}.\n", number - 1);
    }
    let answer = ask(&text, "p300", &Budget::default());
    assert_eq!(answer.verdict, Verdict::Yes);
    assert_eq!(answer.arguments[0].rules.len(), 300);
}

/// Two ways for each of 60 steps: 2^60 arguments.
fn many_arguments() -> String {
    let mut text = String::from("p0.\n");
    for n in 1..=60 {
        text += &format!("p{n} -< a{n}. p{n} -< b{n}. a{n} -< p{0}. b{n} -< p{0}.\n", n - 1);
    }
    text
}

#[test]
fn too_many_arguments_meet_the_limit() {
    let budget = Budget::iterations(2_000_000).with_nodes(500_000);
    let answer = ask(&many_arguments(), "p60", &budget);
    assert_eq!(answer.verdict, Verdict::Undecided);
    let limit = answer.limit.expect("a limit");
    assert!(
        matches!(limit.reason, StopReason::Iterations | StopReason::Nodes),
        "{limit}"
    );
    assert!(limit.to_string().contains("while finding arguments"), "{limit}");
    assert!(answer.steps <= 2_100_000);
}

#[test]
fn too_many_instances_meet_the_limit() {
    let mut text: String = (0..200).map(|n| format!("c(k{n}).\n")).collect();
    text += "p(A, B, C, D) -< c(A), c(B), c(C), c(D).\n";
    let answer = ask(&text, "p(k1, k2, k3, k4)", &Budget::default().with_nodes(100_000));
    assert_eq!(answer.verdict, Verdict::Undecided);
    assert_eq!(answer.limit.map(|limit| limit.reason), Some(StopReason::Nodes));
}

#[test]
fn a_yes_within_the_limit_stays_a_yes() {
    // The second argument for `goal` runs into the limit; the first is warranted whatever comes of it.
    let text = "easy. goal -< easy.".to_string();
    let budget = Budget::iterations(200_000).with_nodes(100_000);
    assert_eq!(ask(&text, "goal", &budget).verdict, Verdict::Yes);
    let hostile = format!("{text}\n{}\n~easy2 -< p60. goal2 -< easy.", many_arguments());
    let answer = ask(&hostile, "goal2", &budget);
    assert_eq!((answer.verdict, answer.limit), (Verdict::Yes, None));
}

#[test]
fn a_mark_that_depends_on_what_was_not_examined_is_left_open() {
    let text = format!("easy. goal -< easy. ~goal -< easy, p60.\n{}", many_arguments());
    let answer = ask(&text, "goal", &Budget::iterations(300_000).with_nodes(200_000));
    assert_eq!(answer.verdict, Verdict::Undecided);
    assert!(answer.limit.is_some());
    assert!(answer.trees.iter().all(|tree| tree.mark == ludens_delp::Mark::Open));
}

#[test]
fn trees_that_are_too_large_are_built_again_without_what_cannot_matter() {
    // The full tree of `p` has 1 + 40 + 1,600 + 64,000 nodes.
    let mut text = String::from("a. b. p -< a.\n");
    for n in 0..40 {
        text += &format!("~p -< q{n}. q{n} -< b. r{n} -< a. s{n} -< b.\n");
        for m in 0..40 {
            text += &format!("~q{n} -< b, r{m}. ~r{n} -< a, s{m}.\n");
        }
    }
    let answer = ask(&text, "p", &Budget::iterations(500_000_000).with_nodes(50_000_000));
    assert_eq!((answer.verdict, answer.limit), (Verdict::Undecided, None));
    let sizes: Vec<usize> = answer.trees.iter().map(nodes).collect();
    // `p`, its first defeater, the 40 that attack it, and what defeats each of them.
    assert_eq!(sizes[0], 82);
}

fn nodes(tree: &TreeNode) -> usize {
    1 + tree.children.iter().map(nodes).sum::<usize>()
}

#[test]
fn long_rules_and_many_priorities_are_read_in_linear_time() {
    let long = format!("p <- {}.", vec!["q(X)"; 1000].join(", "));
    let wide = format!(
        "p({}) -< .",
        (0..1000).map(|n| format!("X{n}")).collect::<Vec<_>>().join(", ")
    );
    for text in [long, wide] {
        let program = ludens_delp::Program::read(ludens_gdl::Source::new("x", text));
        assert_eq!(program.diagnostics.first().map(|found| found.code.id), Some("E601"));
        assert!(program.rules.is_empty());
    }
    let mut text = String::from("a.\n");
    for n in 0..20_000 {
        text += &format!("r{n}: p{n} -< a.\n");
    }
    let chain: Vec<String> = (0..20_000).map(|n| format!("r{n}")).collect();
    text += &format!("{}.\n", chain.join(" > "));
    assert!(program(&text).is_valid());
}
