//! `ludens agents`: the agents and their settings.

use crate::output::{Answer, Outcome, print, print_json};
use ludens_play::agents::AGENTS;
use ludens_play::settings::{Kind, Setting};
use serde_json::{Value, json};

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
        let agents: Vec<Value> = AGENTS
            .iter()
            .map(|kind| {
                let settings: Vec<Value> = kind.settings.iter().map(setting_json).collect();
                json!({"name": kind.name, "summary": kind.summary, "settings": settings})
            })
            .collect();
        print_json(&json!({ "agents": agents }))?;
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

fn setting_json(setting: &Setting) -> Value {
    let mut value = json!({"name": setting.name, "help": setting.help});
    let more = match setting.kind {
        Kind::Integer { min, max, default } => json!({"kind": "integer", "default": default, "min": min, "max": max}),
        Kind::Real { min, max, default } => json!({"kind": "real", "default": default, "min": min, "max": max}),
        Kind::File => json!({"kind": "file", "default": null}),
        Kind::Flag { default } => json!({"kind": "flag", "default": default}),
        Kind::Choice { options, default } => {
            let options: Vec<Value> = options
                .iter()
                .map(|option| {
                    let settings: Vec<Value> = option.settings.iter().map(setting_json).collect();
                    json!({"name": option.name, "help": option.help, "settings": settings})
                })
                .collect();
            json!({"kind": "choice", "default": default, "options": options})
        }
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}
