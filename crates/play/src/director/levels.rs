//! The director of the level game: from the player's health and inventory at the end of a level to food and enemies of
//! the next (Agis, Cohen and Martínez, 2015).

use super::policy::{LEVEL_POLICY, PolicyError, check};
use ludens_budget::Budget;
use ludens_delp::{Answer, Criterion, Program, Verdict};
use ludens_gdl::Source;

/// The player at the end of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The level that ends.
    pub level: i64,
    /// Health left.
    pub health: i64,
    /// Greatest health.
    pub most_health: i64,
    /// The inventory, if the player has access to it.
    pub inventory: Option<Inventory>,
    /// Enemies that were defeated in the level.
    pub defeated: i64,
    /// Enemies that were there.
    pub enemies: i64,
}

/// What the player carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// Items that restore health.
    pub recovery: i64,
    /// Items that revive.
    pub revival: i64,
}

/// The next level, with the answers that led to it.
#[derive(Clone, Debug)]
pub struct NextLevel {
    /// Its number.
    pub level: i64,
    /// Pieces of food in it.
    pub food: i64,
    /// Enemies in it.
    pub enemies: i64,
    /// The facts that were offered to the policy.
    pub facts: Vec<String>,
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
}

/// Food in a level without a director.
pub fn standard_food(level: i64) -> i64 {
    (level - 2).max(0)
}

/// Enemies in a level without a director.
pub fn standard_enemies(level: i64) -> i64 {
    level
}

/// The facts about a situation.
pub fn facts(situation: &Situation) -> Vec<String> {
    let Situation {
        level,
        health,
        most_health: most,
        ..
    } = *situation;
    // Shares are compared in quarters, without rounding.
    let quarters = 4 * health;
    let health = match () {
        () if health >= most => "fullHealth",
        () if quarters >= 3 * most => "highHealth",
        () if quarters >= 2 * most => "mediumHealth",
        () if quarters >= most => "lowHealth",
        () => "veryLowHealth",
    };
    let mut names = vec![health];
    if level > 10 {
        names.push("experienced");
    }
    if situation.enemies > 0 && 4 * situation.defeated >= 3 * situation.enemies {
        names.push("killedMost");
    }
    if let Some(Inventory { recovery, revival }) = situation.inventory {
        match () {
            () if recovery >= level => names.push("highRecovery"),
            () if 2 * recovery >= level => names.push("mediumRecovery"),
            () if 4 * recovery >= level => names.push("lowRecovery"),
            () => {}
        }
        if revival > 0 {
            names.push("revivalAbility");
        }
    }
    names.into_iter().map(|name| format!("{name}(player)")).collect()
}

/// Decides about the level after the one that ends, by the policy that ships with Ludens.
pub fn next_level(situation: &Situation, budget: &Budget) -> Result<NextLevel, PolicyError> {
    next_level_by(Source::new("levels.delp", LEVEL_POLICY), situation, budget)
}

/// Decides about the next level by a policy of one's own.
pub fn next_level_by(policy: Source, situation: &Situation, budget: &Budget) -> Result<NextLevel, PolicyError> {
    let facts = facts(situation);
    let text: String = facts.iter().map(|fact| format!("{fact}.\n")).collect();
    let mut program = Program::read(policy).extended(&text);
    check(&program)?;
    let level = situation.level + 1;
    let mut next = NextLevel {
        level,
        food: standard_food(level),
        enemies: standard_enemies(level),
        facts,
        answers: Vec::new(),
    };
    let mut ask = |question: &str| super::ask(&mut program, question, Criterion::Specificity, budget);
    let dying = ask("dying(player)")?;
    let mut answers = Vec::new();
    match dying.verdict {
        Verdict::Yes => {
            next.food += 1;
            next.enemies -= 1;
        }
        Verdict::No => {
            next.food -= 1;
            next.enemies += 1;
            // Many more enemies would be the end of a player who was dying.
            let strong = ask("tooStrong(player)")?;
            if strong.verdict == Verdict::Yes {
                next.food -= 2;
                next.enemies += 2;
            }
            answers.push(strong);
        }
        Verdict::Undecided | Verdict::Unknown => {}
    }
    answers.insert(0, dying);
    next.food = next.food.max(0);
    next.enemies = next.enemies.max(0);
    next.answers = answers;
    Ok(next)
}
