//! The rule base of Agis, Cohen and Martínez (2015), with the answers that the paper and its definitions give.

mod common;

use common::{ask, line};
use ludens_delp::{Verdict, explanation, tree_text};

const PLAYER: &str = "
~dying(X) <- mediumHealth(X).
~dying(X) <- highHealth(X).
~dying(X) <- fullHealth(X).
dying(X) -< lowHealth(X).
~dying(X) -< lowHealth(X), recovery(X).
~dying(X) -< lowHealth(X), willRevive(X).
dying(X) -< veryLowHealth(X).
~dying(X) -< veryLowHealth(X), highRecovery(X).
~dying(X) -< veryLowHealth(X), willRevive(X).
willRevive(X) -< revivalAbility(X).
~willRevive(X) -< revivalAbility(X), experienced(X).
";
const INVENTORY: &str = "
recovery(X) <- highRecovery(X).
recovery(X) <- mediumRecovery(X).
recovery(X) <- lowRecovery(X).
";

fn with(facts: &[&str]) -> String {
    let facts: String = facts.iter().map(|fact| format!("{fact}(player).\n")).collect();
    format!("{PLAYER}{INVENTORY}{facts}")
}

#[test]
fn the_ten_cases_have_their_answers() {
    use Verdict::{No, Yes};
    let cases: [(&[&str], Verdict); 11] = [
        (&["lowHealth", "revivalAbility"], No),
        (&["lowHealth", "revivalAbility", "experienced"], Yes),
        (&["lowHealth", "lowRecovery"], No),
        (&["veryLowHealth", "lowRecovery"], Yes),
        (&["veryLowHealth", "highRecovery"], No),
        (&["veryLowHealth", "revivalAbility"], No),
        (&["veryLowHealth", "revivalAbility", "experienced"], Yes),
        (&["veryLowHealth", "revivalAbility", "experienced", "highRecovery"], No),
        (&["lowHealth", "revivalAbility", "experienced", "lowRecovery"], No),
        (&["mediumHealth"], No),
        (&["fullHealth", "lowRecovery"], No),
    ];
    for (facts, expected) in cases {
        let answer = ask(&with(facts), "dying(player)");
        assert_eq!(answer.verdict, expected, "{facts:?}");
        assert_eq!(answer.limit, None);
    }
}

#[test]
fn the_trees_of_the_two_worked_queries_are_those_of_the_paper() {
    let six = ask(&with(&["lowHealth", "revivalAbility"]), "dying(player)");
    let lines: Vec<String> = six.trees.iter().map(|tree| line(&six, tree)).collect();
    let revive =
        "{willRevive(player) -< revivalAbility(player); ~dying(player) -< lowHealth(player), willRevive(player)}";
    assert_eq!(
        lines,
        [
            format!(
                "<dying(player) {{dying(player) -< lowHealth(player)}} root D [<~dying(player) {revive} proper U []>]>"
            ),
            format!("<~dying(player) {revive} root U []>"),
        ]
    );
    assert_eq!(six.deciding, Some(1));
    let twelve = ask(&with(&["lowHealth", "revivalAbility", "experienced"]), "dying(player)");
    let tree = &twelve.trees[twelve.deciding.expect("a tree")];
    assert_eq!(
        tree_text(&twelve, tree),
        "U 1 dying(player)\n\
         └─ D 2 ~dying(player): defeats dying(player), more specific: uses willRevive(player) too\n   \
            └─ U 3 ~willRevive(player): defeats willRevive(player), more specific: uses experienced(player) too\n"
    );
    assert_eq!(
        explanation(&twelve),
        "dying(player): YES. dying(player): because of lowHealth(player). Against dying(player): ~dying(player), because \
         of revivalAbility(player) and lowHealth(player) (more specific: uses willRevive(player) too). Against \
         willRevive(player): ~willRevive(player), because of revivalAbility(player) and experienced(player) (more \
         specific: uses experienced(player) too). Nothing defeats that."
    );
}

#[test]
fn without_the_inventory_the_player_has_nothing_to_revive_with() {
    let absent = format!("{PLAYER}lowHealth(player).");
    assert_eq!(ask(&absent, "dying(player)").verdict, Verdict::Yes);
    assert_eq!(ask(&absent, "recovery(player)").verdict, Verdict::Undecided);
    assert_eq!(ask(&absent, "tooStrong(player)").verdict, Verdict::Unknown);
    assert_eq!(ask(&absent, "dying(enemy)").verdict, Verdict::Unknown);
}
