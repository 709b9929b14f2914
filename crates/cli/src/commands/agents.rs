//! `ludens agents`: the agents and their settings.

use crate::output::{Answer, Outcome, cut, paragraph, print, print_json, width};
use anyhow::anyhow;
use ludens_play::agents::{self, AGENTS, ALIASES, AgentKind};
use ludens_play::settings::{Kind, Setting};

/// List the agents, or show one with its settings
#[derive(clap::Args)]
#[command(after_help = "Settings are written in parentheses: ucb(c=20,steps=500). --json always has all settings.")]
pub(crate) struct Arguments {
    /// Show this agent with its settings
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Show the settings of all agents
    #[arg(long, conflicts_with = "agent")]
    all: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let chosen = match &arguments.agent {
        Some(name) => vec![find(name)?],
        None => AGENTS.to_vec(),
    };
    if arguments.json {
        print_json(&ludens_report::agents::list(&chosen))?;
    } else if arguments.all || arguments.agent.is_some() {
        print(&chosen.iter().map(|kind| in_full(kind, width())).collect::<String>())?;
    } else {
        print(&list(width()))?;
    }
    Ok(Answer::Yes)
}

fn find(name: &str) -> anyhow::Result<&'static AgentKind> {
    let name = name.to_lowercase();
    agents::find(&name).ok_or_else(|| {
        let hint = agents::suggest(&name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        anyhow!("there is no agent {name}{hint} (`ludens agents` lists them)")
    })
}

/// One line for each agent.
fn list(columns: Option<usize>) -> String {
    let line = |kind: &&AgentKind| cut(&format!("{:<10} {}", kind.name, kind.summary), columns) + "\n";
    let lines: String = AGENTS.iter().map(line).collect();
    let aliases: Vec<String> = ALIASES
        .iter()
        .map(|(alias, name)| format!("{alias} is {name}"))
        .collect();
    let more = format!(
        "`ludens agents NAME` shows the settings of one, --all those of all. Other names: {}.",
        aliases.join(", ")
    );
    format!("{lines}\n{}", paragraph("", &more, columns))
}

fn in_full(kind: &AgentKind, columns: Option<usize>) -> String {
    let mut text = paragraph(&format!("{:<10} ", kind.name), kind.summary, columns);
    for (alias, _) in ALIASES.iter().filter(|(_, name)| *name == kind.name) {
        text += &format!("{:<10} (also called {alias})\n", "");
    }
    describe(&kind.settings(), 1, columns, &mut text);
    text
}

/// One paragraph per setting; the options of a choice with their own settings below it.
fn describe(settings: &[Setting], depth: usize, columns: Option<usize>, text: &mut String) {
    let indent = "    ".repeat(depth);
    for setting in settings {
        let value = format!("{}={}", setting.name, setting.text);
        let help = format!("{}; {}", setting.help, setting.range());
        *text += &paragraph(&format!("{indent}{value:<14} "), &help, columns);
        if let Kind::Choice { options, .. } = &setting.kind {
            for option in options {
                *text += &paragraph(&format!("{indent}    {:<14} ", option.name), option.help, columns);
                describe(&option.settings, depth + 2, columns, text);
            }
        }
    }
}
