//! What is known about a game as JSON. Not decided is `unknown`, never a guess.

mod compiled;

use crate::notes;
use ludens_analysis::{Analysis, Verdict};
use ludens_engine::Game;
use ludens_engine::explore::Exploration;
use serde_json::{Map, Value, json};

/// What both ways of looking at a game have shown.
pub struct Knowledge<'a> {
    /// The game.
    pub game: &'a Game,
    /// What a look at its states showed.
    pub exploration: Exploration,
    /// What was proved, if the game is compiled.
    pub analysis: Option<Analysis>,
}

impl Knowledge<'_> {
    /// A property that an example refutes, and that all states or the analysis prove.
    fn property(&self, is_refuted: bool, verdict: impl Fn(&Analysis) -> Verdict) -> Value {
        let verdict = self.analysis.as_ref().map_or(Verdict::Unknown, verdict);
        match (is_refuted, self.exploration.complete, verdict) {
            (true, _, _) | (false, false, Verdict::Refuted) => json!(false),
            (false, true, _) | (false, false, Verdict::Proved) => json!(true),
            (false, false, Verdict::Unknown) => json!("unknown"),
        }
    }

    /// A figure that only a look at all states gives.
    fn of_all_states(&self, value: Value) -> Value {
        match self.exploration.complete {
            true => value,
            false => json!("unknown"),
        }
    }

    fn longest_match(&self) -> Value {
        let proved = self.analysis.as_ref().and_then(|analysis| analysis.longest_match);
        match (self.exploration.complete, proved) {
            (true, _) => json!(self.exploration.longest),
            (false, Some(steps)) => json!(steps),
            (false, None) => json!("unknown"),
        }
    }

    /// All facts, with the time that setting the game up took.
    pub fn facts(&self, setup: f64) -> Value {
        let (game, exploration) = (self.game, &self.exploration);
        let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
        let turn_taking = self.property(exploration.choosers > 1, |analysis| analysis.turn_taking);
        let has_several_sums = exploration.terminal > 0 && exploration.sum.is_none();
        let rules = &game.description().rules.rules;
        // A compiled game has numbers for all fluents and moves, an interpreted one for those that were seen.
        let numbered = |value: Value| match game.engine().circuit().is_some() || exploration.complete {
            true => value,
            false => json!("unknown"),
        };
        let moves: Map<String, Value> = game
            .roles()
            .map(|role| {
                let count = game.vocabulary().move_count(role);
                (game.role_name(role).to_string(), numbered(json!(count)))
            })
            .collect();
        let findings = &game.description().findings;
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        let mut facts = json!({
            "name": game.name(),
            "roles": roles,
            "rules": rules.len(),
            "fluents": numbered(json!(game.vocabulary().fluent_count())),
            "initial_fluents": game.initial().len(),
            "moves": moves,
            "gates": game.engine().gates().map_or(json!("unknown"), |gates| json!(gates)),
            "states": self.of_all_states(json!(exploration.states.to_string())),
            "terminal_states": self.of_all_states(json!(exploration.terminal.to_string())),
            "longest_match": self.longest_match(),
            "turn_taking": turn_taking,
            "simultaneous": opposite(&turn_taking),
            "constant_sum": self.property(has_several_sums, |analysis| analysis.constant_sum),
            "hidden_information": notes::hidden_information(game).is_some(),
            "chance": game.roles().any(|role| game.is_random(role)),
            "errors": errors,
            "warnings": findings.len() - errors,
            "engine": game.engine().name(),
            "stepping": game.engine().stepping(),
            "setup_seconds": setup,
        });
        if let (Some(map), Some(circuit), Some(analysis)) =
            (facts.as_object_mut(), game.engine().circuit(), &self.analysis)
        {
            map.extend(compiled::facts(game, circuit, analysis));
        }
        facts
    }
}

/// The opposite of a property.
fn opposite(property: &Value) -> Value {
    match property.as_bool() {
        Some(value) => json!(!value),
        None => property.clone(),
    }
}
