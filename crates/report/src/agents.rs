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
            let settings: Vec<Value> = kind.settings.iter().map(setting).collect();
            json!({"name": kind.name, "summary": kind.summary, "settings": settings})
        })
        .collect();
    json!({ "agents": agents })
}

fn setting(setting: &Setting) -> Value {
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
                    let settings: Vec<Value> = option.settings.iter().map(self::setting).collect();
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
