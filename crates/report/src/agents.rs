//! The agents and their settings as JSON.

use ludens_play::agents::{AGENTS, AgentKind};
use ludens_play::settings::{Kind, Setting};
use serde_json::{Value, json};

/// All agents with their settings.
pub fn agents() -> Value {
    list(AGENTS)
}

/// These agents with their settings.
pub fn list(kinds: &[&AgentKind]) -> Value {
    let agents: Vec<Value> = kinds
        .iter()
        .map(|kind| {
            let settings: Vec<Value> = kind.settings().iter().map(setting).collect();
            json!({"name": kind.name, "summary": kind.summary, "settings": settings})
        })
        .collect();
    json!({ "agents": agents })
}

fn setting(setting: &Setting) -> Value {
    let mut value = json!({"name": setting.name, "help": setting.help});
    let more = match &setting.kind {
        Kind::Integer { min, max, value } => json!({"kind": "integer", "default": value, "min": min, "max": max}),
        Kind::Real { min, max, value } => json!({"kind": "real", "default": value, "min": min, "max": max}),
        Kind::File => json!({"kind": "file", "default": null}),
        Kind::Flag { value } => json!({"kind": "flag", "default": value}),
        Kind::Choice { options, value } => {
            let options: Vec<Value> = options
                .iter()
                .map(|option| {
                    let settings: Vec<Value> = option.settings.iter().map(self::setting).collect();
                    json!({"name": option.name, "help": option.help, "settings": settings})
                })
                .collect();
            json!({"kind": "choice", "default": value, "options": options})
        }
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}
