//! `ludens reason`: answers of a defeasible program, with arguments and dialectical trees.

use crate::output::{Answer, Failure, Outcome, colour_messages, print, print_json};
use crate::{interrupt, load};
use anyhow::anyhow;
use ludens_budget::Budget;
use ludens_delp::{Answer as Reasoned, Criterion, Literal, Options, Program, explanation, tree_text};
use ludens_gdl::{Diagnostic, Source, render};
use ludens_report::plot::dialectic;
use ludens_report::{diagnostics, reason};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Answer queries of a defeasible program: the answer, the arguments, and how they defeat each other
#[derive(clap::Args)]
#[command(
    after_help = "FILE holds facts `p(a).`, strict rules `h <- a, b.`, defeasible rules `h -< a, b.`, presumptions `h -< .`, \
    strong negation `~`, labels `r: h -< a.` with priorities `r > s.`, and queries `?- h.`\n\
    Exit status: 0 answered, whatever the answer; 1 the program has errors; 2 a file or query cannot be read."
)]
pub(crate) struct Arguments {
    /// File with a defeasible program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Literal to ask for, such as `~flies(tina)`; can be repeated [default: the queries in the file]
    #[arg(long, short, value_name = "LITERAL")]
    query: Vec<String>,
    /// Fact to add, such as `bird(tina)`; can be repeated
    #[arg(long, value_name = "LITERAL")]
    fact: Vec<String>,
    /// Comparison of arguments in conflict
    #[arg(long, value_name = "NAME", default_value = "specificity", value_parser = criterion)]
    criterion: Criterion,
    /// Leave out of trees what cannot change the answer
    #[arg(long)]
    decisive: bool,
    /// Maximum number of counted steps for each query
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    steps: u64,
    /// Maximum number of instances, members of arguments and nodes kept for each query
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    nodes: u64,
    /// Maximum time for all queries
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    seconds: Option<f64>,
    /// Draw the dialectical trees of the first query to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn criterion(text: &str) -> Result<Criterion, String> {
    let names: Vec<&str> = Criterion::ALL.iter().map(|(name, _)| *name).collect();
    Criterion::find(text).ok_or_else(|| format!("choose one of {}", names.join(", ")))
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let mut budget = interrupt::budget()
        .with_iterations(arguments.steps)
        .with_nodes(arguments.nodes);
    if let Some(seconds) = arguments.seconds {
        budget = budget.within(Duration::from_secs_f64(seconds));
    }
    let mut program = read(&arguments)?;
    let queries = queries(&mut program, &arguments.query)?;
    let refused = refuse(&program, &budget)?;
    if !refused.is_empty() {
        return show_refused(&program.source, &refused, arguments.json);
    }
    let options = Options {
        criterion: arguments.criterion,
        decisive: arguments.decisive,
    };
    let mut answers = Vec::new();
    for query in &queries {
        let instances = program.instances_of(query, &budget);
        let instances = instances.map_err(|limit| anyhow!("the query cannot be answered: {limit}"))?;
        if instances.is_empty() {
            let ground = program.literal_text(query, &[]);
            return Err(
                anyhow!("nothing in the program can become {ground}; name a constant instead of the variable").into(),
            );
        }
        answers.extend(
            instances
                .iter()
                .map(|literal| program.answer(literal, options, &budget)),
        );
    }
    if let (Some(file), Some(first)) = (&arguments.svg, answers.first()) {
        let svg = dialectic::draw(first)?.ok_or_else(|| {
            anyhow!(
                "the trees have more than {} nodes; try --decisive",
                dialectic::MOST_NODES
            )
        })?;
        std::fs::write(file, svg).map_err(|cause| anyhow!("cannot write {}: {cause}", file.display()))?;
    }
    match arguments.json {
        true => print_json(&as_json(&answers))?,
        false => print(&as_text(&answers))?,
    }
    Ok(Answer::Yes)
}

/// The program in the file, with the facts of the command line.
fn read(arguments: &Arguments) -> Result<Program, Failure> {
    let source = match std::path::Path::new(&arguments.file).exists() || arguments.file == "-" {
        true => load::source(&arguments.file)?,
        false => return Err(anyhow!("there is no file {}", arguments.file).into()),
    };
    let program = Program::read(source);
    let facts: String = arguments
        .fact
        .iter()
        .map(|fact| format!("{}.\n", fact.trim_end_matches('.')))
        .collect();
    match facts.is_empty() {
        true => Ok(program),
        false => Ok(program.extended(&facts)),
    }
}

fn queries(program: &mut Program, texts: &[String]) -> Result<Vec<Literal>, Failure> {
    if texts.is_empty() {
        let known: Vec<Literal> = program.queries.iter().map(|query| query.literal.clone()).collect();
        return match known.is_empty() {
            true => {
                Err(anyhow!("there is no query; ask with --query LITERAL, or put `?- literal.` into the file").into())
            }
            false => Ok(known),
        };
    }
    let mut found = Vec::new();
    for text in texts {
        match program.read_query(text) {
            Ok(query) => found.push(query.literal),
            Err(unread) => {
                let (source, wrong) = *unread;
                tell!(
                    "{}",
                    render::render(&source, &wrong, wrong.code.severity(), colour_messages())
                );
                return Err(Failure::Unreadable);
            }
        }
    }
    Ok(found)
}

/// Shows warnings, and returns the errors that keep a program from being asked.
fn refuse(program: &Program, budget: &Budget) -> Result<Vec<Diagnostic>, Failure> {
    for warning in program.diagnostics.iter().filter(|found| !found.is_error()) {
        let severity = warning.code.severity();
        tell!(
            "{}\n",
            render::render(&program.source, warning, severity, colour_messages())
        );
    }
    let errors: Vec<Diagnostic> = program
        .diagnostics
        .iter()
        .filter(|found| found.is_error())
        .cloned()
        .collect();
    if !errors.is_empty() {
        return Ok(errors);
    }
    let contradiction = program.check_strict(budget);
    let contradiction = contradiction.map_err(|limit| anyhow!("the strict part cannot be checked: {limit}"))?;
    Ok(contradiction.into_iter().collect())
}

fn show_refused(source: &Source, errors: &[Diagnostic], json: bool) -> Outcome {
    for error in errors {
        tell!(
            "{}\n",
            render::render(source, error, error.code.severity(), colour_messages())
        );
    }
    if let Some(first) = errors.first() {
        tell!(
            "`ludens check --explain {}` explains this kind of finding",
            first.code.id
        );
    }
    if json {
        let list: Vec<Value> = errors
            .iter()
            .map(|error| diagnostics::diagnostic(source, error))
            .collect();
        print_json(&json!({ "answer": null, "arguments": [], "tree": null, "errors": list }))?;
    }
    Ok(Answer::No)
}

/// The fields of the first answer, and all answers if there are several.
fn as_json(answers: &[Reasoned]) -> Value {
    let list: Vec<Value> = answers.iter().map(reason::answer).collect();
    let mut value = list.first().cloned().unwrap_or(Value::Null);
    if list.len() > 1
        && let Some(fields) = value.as_object_mut()
    {
        fields.insert("answers".to_string(), Value::Array(list));
    }
    value
}

fn as_text(answers: &[Reasoned]) -> String {
    let mut text = String::new();
    for (number, answer) in answers.iter().enumerate() {
        if number > 0 {
            text += "\n";
        }
        text += &one(answer);
    }
    text
}

fn one(answer: &Reasoned) -> String {
    let mut text = format!("{}\n", explanation(answer));
    if !answer.arguments.is_empty() {
        text += "\narguments\n";
    }
    for (number, argument) in answer.arguments.iter().enumerate() {
        text += &format!("  {} {}\n", number + 1, argument.conclusion);
        for rule in &argument.rules {
            text += &format!("      {}  (line {})\n", rule.text, rule.line);
        }
        if argument.rules.is_empty() {
            text += "      follows strictly\n";
        }
    }
    for (number, tree) in answer.trees.iter().enumerate() {
        let decides = if answer.deciding == Some(number) {
            ", which decides"
        } else {
            ""
        };
        text += &format!("\ntree of argument {}{decides}\n", tree.argument + 1);
        for line in tree_text(answer, tree).lines() {
            text += &format!("  {line}\n");
        }
    }
    text
}
