//! `ludens check`: diagnostics of rules, with place, excerpt and help.

pub(crate) use crate::arguments::seconds;
use crate::output::{Answer, Failure, Outcome, colour_results, counted, grouped, print, print_json};
use crate::{interrupt, load, progress};
use anyhow::anyhow;
use ludens_budget::Budget;
use ludens_engine::{Game, Options, Role};
use ludens_gdl::diagnostic::codes;
use ludens_gdl::rule::{Rule, Term, TermKind};
use ludens_gdl::{Description, Diagnostic, Severity, Source, Span, keyword, render};
use ludens_reach::{Exploration, ExploreOptions, Violation, ViolationKind, explore};
use ludens_report::diagnostics;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// Check rules: syntax, safety, stratification, names, goals and more
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 all valid, 1 a game has errors, 2 a file cannot be read.\n\
    Every diagnostic has a code; `ludens check --explain E304` explains it."
)]
pub(crate) struct Arguments {
    /// Rule files or built-in games; `-` is standard input
    #[arg(value_name = "GAME", required_unless_present = "explain")]
    games: Vec<String>,
    /// Count warnings as errors
    #[arg(long)]
    strict: bool,
    /// Also explore the game for this many seconds: is it playable, does it end, are goals unique, can each role win
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    explore: Option<f64>,
    /// Maximum number of diagnostics shown per file
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Show the manual page of a diagnostic code
    #[arg(long, value_name = "CODE", conflicts_with = "games")]
    explain: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    if let Some(code) = &arguments.explain {
        return explain(code, arguments.json);
    }
    let budget = interrupt::budget();
    let mut valid = true;
    let mut unreadable = false;
    let mut reports = Vec::new();
    for argument in &arguments.games {
        let source = match load::source(argument) {
            Ok(source) => source,
            Err(Failure::Error(error)) => {
                tell!("error: {error:#}");
                unreadable = true;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let report = Report::new(source, &arguments, &budget);
        valid &= report.is_valid();
        match arguments.json {
            true => reports.push(report.to_json()),
            false => report.print(arguments.limit)?,
        }
    }
    if arguments.json {
        print_json(&json!({ "files": reports }))?;
    }
    match (unreadable, valid) {
        (true, _) => Err(Failure::Unreadable),
        (false, true) => Ok(Answer::Yes),
        (false, false) => Ok(Answer::No),
    }
}

/// Hint at the command that explains the codes of these diagnostics; `None` if there are none.
pub(crate) fn explain_hint<'a>(diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Option<String> {
    let codes: BTreeSet<&str> = diagnostics.map(|diagnostic| diagnostic.code.id).collect();
    let mut codes = codes.into_iter();
    let first = codes.next()?;
    let others: Vec<&str> = codes.collect();
    let also = match others.is_empty() {
        true => String::new(),
        false => format!(" (also {})", others.join(", ")),
    };
    Some(format!(
        "`ludens check --explain {first}` explains this diagnostic{also}"
    ))
}

fn explain(code: &str, json: bool) -> Outcome {
    let Some(code) = codes::find(code).or_else(|| ludens_delp::codes::find(code)) else {
        let all = codes::ALL.iter().chain(ludens_delp::codes::ALL);
        let known: Vec<&str> = all.map(|code| code.id).collect();
        return Err(anyhow!("there is no code {code}; the codes are: {}", known.join(", ")).into());
    };
    match json {
        true => print_json(&json!({ "code": code.id, "title": code.title, "page": code.page }))?,
        false => print(code.page)?,
    }
    Ok(Answer::Yes)
}

struct Report {
    description: Description,
    strict: bool,
    diagnostics: Vec<(Diagnostic, Vec<String>)>,
    exploration: Option<Exploration>,
}

impl Report {
    fn new(source: Source, arguments: &Arguments, budget: &Budget) -> Report {
        let description = Description::read(source);
        let diagnostics = description
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.clone(), Vec::new()))
            .collect();
        let mut report = Report {
            strict: arguments.strict,
            diagnostics,
            exploration: None,
            description,
        };
        if let Some(seconds) = arguments.explore {
            report.explore(seconds, budget);
        }
        report
    }

    fn explore(&mut self, seconds: f64, budget: &Budget) {
        let game = match Game::new(self.description.clone(), Options::default()) {
            Ok(game) => game,
            Err(error) => {
                let diagnostic = Diagnostic::new(&codes::CANNOT_RUN, Span::default(), error.to_string())
                    .help("mend the errors above first");
                self.diagnostics.push((diagnostic, Vec::new()));
                return;
            }
        };
        let bar = progress::spinner();
        bar.set_message(format!("exploring {} for {seconds} s", game.name()));
        let exploring = budget.within(Duration::from_secs_f64(seconds));
        let exploration = explore(&game, &ExploreOptions::default(), &exploring);
        bar.finish_and_clear();
        for violation in &exploration.violations {
            self.diagnostics
                .push((diagnostic(&game, violation), line(&game, &violation.line)));
        }
        if exploration.complete {
            for role in game.roles().filter(|&role| !game.is_random(role)) {
                if let Some(best) = exploration.best[role.index()].filter(|&best| best < 100) {
                    self.diagnostics.push((not_winnable(&game, role, best), Vec::new()));
                }
            }
        }
        self.exploration = Some(exploration);
    }

    fn severity(&self, diagnostic: &Diagnostic) -> Severity {
        match self.strict {
            true => Severity::Error,
            false => diagnostic.code.severity(),
        }
    }

    fn is_valid(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics
            .iter()
            .filter(|(diagnostic, _)| self.severity(diagnostic) == severity)
            .count()
    }

    fn print(&self, limit: usize) -> Result<(), Failure> {
        let source = &self.description.source;
        let mut text = String::new();
        for (diagnostic, line) in self.diagnostics.iter().take(limit) {
            text += &render::render(source, diagnostic, self.severity(diagnostic), colour_results());
            text += "\n";
            for (step, joint) in line.iter().enumerate().take(30) {
                text += &format!("     {:>4}. {joint}\n", step + 1);
            }
            if line.len() > 30 {
                text += &format!("     ... and {} more\n", counted(line.len() - 30, "step"));
            }
            text += "\n";
        }
        if self.diagnostics.len() > limit {
            text += &format!(
                "... and {} more (--limit shows more)\n\n",
                counted(self.diagnostics.len() - limit, "diagnostic")
            );
        }
        if let Some(hint) = explain_hint(self.diagnostics.iter().map(|(diagnostic, _)| diagnostic)) {
            text += &format!("{hint}\n\n");
        }
        if let Some(exploration) = &self.exploration {
            text += &summary(exploration);
        }
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let verdict = if errors == 0 { "valid" } else { "not valid" };
        text += &format!(
            "{}: {verdict} ({}, {})
",
            source.name(),
            counted(errors, "error"),
            counted(warnings, "warning")
        );
        print(&text)
    }

    fn to_json(&self) -> Value {
        let source = &self.description.source;
        let list = |severity: Severity| -> Vec<Value> {
            self.diagnostics
                .iter()
                .filter(|(diagnostic, _)| self.severity(diagnostic) == severity)
                .map(|(diagnostic, line)| {
                    let mut value = diagnostics::diagnostic(source, diagnostic);
                    if !line.is_empty() {
                        value["example"] = json!(line);
                    }
                    value
                })
                .collect()
        };
        let mut value = json!({
            "file": source.name(),
            "valid": self.is_valid(),
            "errors": list(Severity::Error),
            "warnings": list(Severity::Warning),
        });
        if let Some(exploration) = &self.exploration {
            value["exploration"] = json!({
                "complete": exploration.complete,
                "states": exploration.states.to_string(),
                "terminal": exploration.terminal.to_string(),
                "transitions": exploration.transitions.to_string(),
                "random_matches": exploration.playouts,
                "longest_match": exploration.longest,
                "best_goals": exploration.best,
            });
        }
        value
    }
}

fn summary(exploration: &Exploration) -> String {
    let states = counted(exploration.states, "state");
    match exploration.complete {
        true => {
            let longest = match exploration.longest {
                Some(steps) => format!("; the longest match has {}", counted(steps, "step")),
                None => String::new(),
            };
            format!(
                "explored completely: {states}, {} terminal, {}{longest}\n",
                grouped(exploration.terminal as u128),
                counted(exploration.transitions as usize, "joint move")
            )
        }
        false => format!(
            "explored in part: {states} and {}; what was not seen is not proved absent\n",
            counted(exploration.playouts, "random playout")
        ),
    }
}

fn diagnostic(game: &Game, violation: &Violation) -> Diagnostic {
    let length = violation.line.len();
    let after = match length {
        0 => "in the initial state".to_string(),
        1 => "after this step".to_string(),
        _ => format!("after these {length} steps"),
    };
    let (code, message, help) = match &violation.kind {
        ViolationKind::NoLegalMove(role) => (
            &codes::NO_LEGAL_MOVE,
            format!("`{}` has no legal move {after}", game.role_name(*role)),
            "give every role a legal move in every state that is not terminal, e.g. `noop`",
        ),
        ViolationKind::NoGoal(role) => (
            &codes::NO_GOAL_AT_END,
            format!(
                "`{}` has no goal value in the terminal state {after}",
                game.role_name(*role)
            ),
            "define exactly one goal value for every way the game can end",
        ),
        ViolationKind::SeveralGoals(role, values) => (
            &codes::SEVERAL_GOALS_AT_END,
            format!(
                "`{}` has the goal values {} at once {after}",
                game.role_name(*role),
                values.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
            ),
            "make the conditions of the goal rules exclude each other",
        ),
        ViolationKind::Cycle(steps) => (
            &codes::NO_END_FOUND,
            match steps {
                1 => "the last of these steps leads back to the same state, so a match need not end".to_string(),
                _ => format!("the last {steps} of these steps lead back to the same state, so a match need not end"),
            },
            "add a step counter that ends the match",
        ),
        ViolationKind::NoTerminal => (
            &codes::NO_TERMINAL_STATE,
            "no match can end: none of the reachable states is terminal".to_string(),
            "make a condition of `terminal` reachable; `ludens play` shows which states come about",
        ),
        ViolationKind::TooLong => (
            &codes::NO_END_FOUND,
            format!("a random match had not ended {after}"),
            "add a step counter that ends the match",
        ),
        ViolationKind::Fault(cause) => (
            &codes::CANNOT_RUN,
            format!("{cause} {after}"),
            "look for recursion that builds terms without end, or for conditions with many free variables",
        ),
    };
    Diagnostic::new(code, Span::default(), message).help(help)
}

/// Diagnostic for a role that never gets 100. It is an error if the rules name a better goal than any match reaches, or
/// if the role always gets 0: GDL demands a reachable maximal goal for every role. Rules whose goals are all below 100,
/// as in many matrix games, get a warning.
fn not_winnable(game: &Game, role: Role, best: u8) -> Diagnostic {
    let name = game.role_name(role);
    let (code, message, help) = match promised(game, role).filter(|&promised| promised > best) {
        Some(promised) => (
            &codes::GOAL_OUT_OF_REACH,
            format!("`{name}` can never reach the goal {promised}: the best of all terminal states is {best}"),
            "make the conditions of that goal reachable, or delete its rule",
        ),
        None if best == 0 => (
            &codes::GOAL_OUT_OF_REACH,
            format!("`{name}` gets 0 in every terminal state"),
            "give the role a better goal for some way the game can end",
        ),
        None => (
            &codes::NOT_WINNABLE,
            format!("`{name}` can never reach 100: the best of all terminal states is {best}"),
            "check the rules for this goal",
        ),
    };
    Diagnostic::new(code, Span::default(), message)
        .note("all reachable states were looked at")
        .help(help)
}

/// Highest goal value that the rules name for a role, if any; computed values do not count.
fn promised(game: &Game, role: Role) -> Option<u8> {
    let rules = &game.description().rules;
    let is_for_role = |term: &Term| match term.kind {
        TermKind::Constant(name) => rules.name(name) == game.role_name(role),
        _ => true,
    };
    let value = |rule: &Rule| match (rule.head.name, &rule.head.args[..]) {
        (keyword::GOAL, [who, value]) if is_for_role(who) => match value.kind {
            TermKind::Constant(name) => rules.name(name).parse().ok().filter(|&value: &u8| value <= 100),
            _ => None,
        },
        _ => None,
    };
    rules.rules.iter().filter_map(value).max()
}

/// A line of play as text, one joint move per line.
fn line(game: &Game, line: &[Vec<ludens_engine::MoveId>]) -> Vec<String> {
    line.iter()
        .map(|joint| {
            let moves: Vec<String> = game
                .roles()
                .zip(joint)
                .map(|(role, &move_id)| format!("{} {}", game.role_name(role), game.move_text(role, move_id)))
                .collect();
            moves.join(", ")
        })
        .collect()
}
