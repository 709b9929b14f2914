//! Properties that the SAT solver decides over all states that the proved groups allow.

use crate::cnf::Step;
use crate::formula::Literal;
use crate::sample::{Sample, sample};
use crate::{Analysis, GoalValue, Length, Verdict};
use ludens_budget::Budget;
use ludens_engine::{Circuit, Game, RoleMap};
use ludens_ground::network::Network;

/// Maximum number of combinations of goals.
const MOST_COMBINATIONS: usize = 50_000;

/// The goal values in the rules, with those that occurred.
pub(crate) fn goals_seen(network: &Network, sample: &Sample) -> RoleMap<Vec<GoalValue>> {
    let roles = network.goals.iter();
    roles
        .map(|(role, goals)| {
            let mut values: Vec<u8> = goals.iter().map(|&(value, _)| value).collect();
            values.dedup();
            let occurs = |value: u8| match sample.goals.get(role).is_some_and(|seen| seen.contains(&value)) {
                true => Verdict::Yes,
                false => Verdict::Unknown,
            };
            values
                .into_iter()
                .map(|value| GoalValue {
                    value,
                    occurs: occurs(value),
                })
                .collect()
        })
        .collect()
}

/// Returns the goal values in the rules and whether each can be the result of a match; `None` if the game is not
/// compiled. Values neither seen in playouts nor refuted within the budget stay unknown. Values that only hold while a
/// match goes on are refuted. This is a part of [`analyse`](crate::analyse).
pub fn goal_values(game: &Game, budget: &Budget) -> Option<RoleMap<Vec<GoalValue>>> {
    let circuit = game.engine().circuit()?;
    let mut goals = goals_seen(&circuit.network, &sample(game, budget));
    let is_unknown = |goal: &GoalValue| goal.occurs == Verdict::Unknown;
    if goals.values().flatten().any(is_unknown)
        && let Some(terminal) = circuit.network.terminal
        && let Ok(mut step) = Step::new(circuit, budget)
    {
        let terminal = step.literal(terminal);
        for (goals, conditions) in goals.values_mut().zip(circuit.network.goals.values()) {
            for goal in goals.iter_mut().filter(|goal| is_unknown(goal)) {
                let mut ways = conditions.iter().filter(|condition| condition.0 == goal.value);
                let never = ways.all(|&(_, lit)| {
                    let condition = step.literal(lit);
                    step.is_possible(&[terminal, condition]) == Some(false)
                });
                if never {
                    goal.occurs = Verdict::No;
                }
            }
        }
    }
    Some(goals)
}

/// Decides whether roles take turns and how long a match can last; `None` if the time is over before the end.
pub(crate) fn decide_order(step: &mut Step, circuit: &Circuit, analysis: &mut Analysis) -> Option<()> {
    let terminal = circuit.network.terminal.map(|lit| step.literal(lit));
    if analysis.facts.turn_taking.verdict == Verdict::Unknown {
        let is_proved = take_turns(step, &circuit.network, terminal)?;
        analysis.facts.turn_taking.prove(is_proved);
    }
    if analysis.facts.length == Length::Unknown {
        analysis.facts.length = longest_match(step, terminal, analysis)?.map_or(Length::Unknown, Length::AtMost);
    }
    Some(())
}

/// Decides which goals occur and whether their sum is constant; `None` if the time is over before the end.
pub(crate) fn decide_ends(step: &mut Step, circuit: &Circuit, sample: &Sample, analysis: &mut Analysis) -> Option<()> {
    let network = &circuit.network;
    let Some(terminal) = network.terminal else {
        return Some(());
    };
    // Every end but that of a match that never begins follows a state that is none. That says more about it than the
    // groups do: two lines cannot both have been completed by one move.
    step.look_ahead();
    let terminal = [step.play, step.after(terminal)];
    let scores = scores(step, network);
    for (role, goals) in analysis.facts.goals.iter_mut() {
        for goal in goals.iter_mut().filter(|goal| goal.occurs == Verdict::Unknown) {
            let score = scores[role].iter().find(|(value, _)| *value == goal.value);
            if let Some(&(_, score)) = score
                && !step.is_possible(&[terminal[0], terminal[1], score])?
            {
                goal.occurs = Verdict::No;
            }
        }
    }
    if let (Verdict::Unknown, Some(sum)) = (analysis.facts.constant_sum.verdict, analysis.facts.sum) {
        let players = scores.iter().filter(|&(role, _)| !sample.is_chance[role]);
        let players: Vec<&[(u8, Literal)]> = players.map(|(_, scores)| &scores[..]).collect();
        let is_proved = constant_sum(step, &players, terminal, sum)?;
        analysis.facts.constant_sum.prove(is_proved);
    }
    Some(())
}

fn take_turns(step: &mut Step, network: &Network, terminal: Option<Literal>) -> Option<bool> {
    let choices: Vec<Literal> = network
        .legal
        .values()
        .map(|legal| {
            let legal: Vec<Literal> = legal.iter().map(|&(_, lit)| step.literal(lit)).collect();
            step.two_of(&legal)
        })
        .collect();
    let two = step.two_of(&choices);
    let mut question = vec![two];
    question.extend(terminal.map(|terminal| !terminal));
    Some(!step.is_possible(&question)?)
}

/// The first index in a chain of fluents at which the match must be over.
fn longest_match(step: &mut Step, terminal: Option<Literal>, analysis: &Analysis) -> Option<Option<usize>> {
    let Some(terminal) = terminal else {
        return Some(None);
    };
    let mut longest = None;
    for chain in &analysis.structure.chains {
        // Whatever is played, the fluent at each place holds after that many steps, if the match goes on so long.
        for (steps, fluent) in chain.fluents.iter().enumerate() {
            if longest.is_some_and(|known| known <= steps) {
                break;
            }
            let holds = step.fluent(fluent.0);
            if !step.is_possible(&[holds, !terminal])? {
                longest = Some(steps);
            }
        }
    }
    Some(longest)
}

/// For each role and score a literal that holds only where the role has that score after the step: the lowest goal
/// value that holds, or 0 if none does.
fn scores(step: &mut Step, network: &Network) -> RoleMap<Vec<(u8, Literal)>> {
    let goals = network.goals.values();
    goals
        .map(|goals| {
            let mut lower: Vec<Literal> = Vec::new();
            let mut scores: Vec<(u8, Literal)> = Vec::new();
            for &(value, lit) in goals {
                let goal = step.after(lit);
                let score = step.fresh();
                step.clause(&[!score, goal]);
                for &other in &lower {
                    step.clause(&[!score, !other]);
                }
                lower.push(goal);
                scores.push((value, score));
            }
            let none = step.fresh();
            for &other in &lower {
                step.clause(&[!none, !other]);
            }
            scores.push((0, none));
            scores
        })
        .collect()
}

fn constant_sum(step: &mut Step, scores: &[&[(u8, Literal)]], terminal: [Literal; 2], sum: u32) -> Option<bool> {
    let combinations = scores
        .iter()
        .map(|scores| scores.len())
        .try_fold(1usize, usize::checked_mul);
    if combinations.is_none_or(|combinations| combinations > MOST_COMBINATIONS) {
        return Some(false);
    }
    let mut partial: Vec<(u32, Vec<Literal>)> = vec![(0, Vec::new())];
    for scores in scores {
        partial = partial
            .iter()
            .flat_map(|(total, literals)| {
                scores.iter().map(move |&(value, score)| {
                    let mut literals = literals.clone();
                    literals.push(score);
                    (total + u32::from(value), literals)
                })
            })
            .collect();
    }
    let others: Vec<Literal> = partial
        .iter()
        .filter(|(total, _)| *total != sum)
        .map(|(_, literals)| {
            let all = step.fresh();
            for &literal in literals {
                step.clause(&[!all, literal]);
            }
            all
        })
        .collect();
    let some_other = step.some_of(&others);
    Some(!step.is_possible(&[terminal[0], terminal[1], some_other])?)
}
