//! `ludens fmt`: pretty-printing and conversion between KIF and infix.

use crate::load;
use crate::output::{Answer, Failure, Outcome, colour_messages, print, print_json};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use ludens_gdl::diagnostic::codes;
use ludens_gdl::{Description, Limits, Notation, Severity, format, render};
use serde_json::json;

/// Pretty-print rules, or convert them between prefix KIF and infix
#[derive(clap::Args)]
#[command(after_help = "Comments are kept. A text with syntax errors is left unchanged: exit status 1.")]
pub(crate) struct Arguments {
    /// Rule files or built-in games; `-` is standard input
    #[arg(value_name = "GAME", required = true)]
    games: Vec<String>,
    /// Notation to write (default: the notation of the text)
    #[arg(long, value_name = "NOTATION")]
    to: Option<NotationName>,
    /// Notation to read (default: detected from the text)
    #[arg(long, value_name = "NOTATION")]
    from: Option<NotationName>,
    /// Rewrite the files instead of printing the result
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Change nothing; exit status 1 if a file would change
    #[arg(long)]
    check: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum NotationName {
    Kif,
    Infix,
}

impl From<NotationName> for Notation {
    fn from(name: NotationName) -> Notation {
        match name {
            NotationName::Kif => Notation::Kif,
            NotationName::Infix => Notation::Infix,
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let mut answer = Answer::Yes;
    let mut files = Vec::new();
    for argument in &arguments.games {
        let source = load::source(argument)?;
        let from = arguments.from.map(Notation::from);
        let description = Description::read_as(source, from, &Limits::default());
        let broken: Vec<_> = description
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.id.starts_with("E1") && diagnostic.code != &codes::EMPTY_TEXT)
            .collect();
        if !broken.is_empty() {
            for diagnostic in broken.iter().take(20) {
                let text = render::render(&description.source, diagnostic, Severity::Error, colour_messages());
                tell!("{text}\n");
            }
            tell!("error: {argument} has syntax errors and was left as it is");
            answer = Answer::No;
            continue;
        }
        let to = arguments.to.map_or(description.notation, Notation::from);
        let text = format::format(&description, to);
        let is_changed = text != description.source.text();
        if arguments.check && is_changed {
            tell!("{argument} is not formatted");
            answer = Answer::No;
        }
        if arguments.write && is_changed {
            write(argument, &text)?;
        }
        match arguments.json {
            true => files.push(json!({ "file": argument, "changed": is_changed, "text": text })),
            false if !arguments.write && !arguments.check => print(&text)?,
            false => {}
        }
    }
    if arguments.json {
        print_json(&json!({ "files": files }))?;
    }
    Ok(answer)
}

/// Replaces a file atomically.
fn write(path: &str, text: &str) -> Result<(), Failure> {
    if !std::path::Path::new(path).is_file() {
        return Err(anyhow!("{path} is not a file and cannot be written").into());
    }
    let temporary = format!("{path}.ludens-tmp");
    std::fs::write(&temporary, text).with_context(|| format!("cannot write {temporary}"))?;
    std::fs::rename(&temporary, path).with_context(|| format!("cannot replace {path}"))?;
    Ok(())
}
