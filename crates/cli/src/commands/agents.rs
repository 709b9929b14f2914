//! `ludens agents`: the agents and their settings.

use crate::output::{Answer, Outcome, print, print_json};
use ludens_play::agents::AGENTS;
use ludens_play::settings::{Kind, Setting};

/// List the agents and their settings
#[derive(clap::Args)]
#[command(after_help = "Settings are written in parentheses: ucb(c=20,steps=500).")]
pub(crate) struct Arguments {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    if arguments.json {
        print_json(&ludens_report::agents::agents())?;
    } else {
        let mut text = String::new();
        for kind in AGENTS {
            text += &format!("{:<10} {}\n", kind.name, kind.summary);
            describe(kind.settings, 1, &mut text);
        }
        print(&text)?;
    }
    Ok(Answer::Yes)
}

/// One line a setting, and below a choice its names with their own settings.
fn describe(settings: &[Setting], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for setting in settings {
        let value = format!("{}={}", setting.name, setting.default());
        *text += &format!("{indent}{value:<14} {}; {}\n", setting.help, setting.range());
        if let Kind::Choice { options, .. } = setting.kind {
            for option in options {
                *text += &format!("{indent}    {:<14} {}\n", option.name, option.help);
                describe(option.settings, depth + 2, text);
            }
        }
    }
}
