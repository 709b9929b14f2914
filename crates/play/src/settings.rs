//! Settings of agents: their types, ranges, defaults and help, as data.
//!
//! The tables feed the spec parser, `ludens agents` and whatever else shows agents to people. A choice may have settings
//! of its own, which are written as those of an agent: `eval=goals(weight=3)`.

use crate::spec::{SpecError, Written};
use ludens_gdl::diagnostic::closest;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex};

/// Something about an agent that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// What it is called in a spec.
    pub name: &'static str,
    /// One line that says what it does.
    pub help: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number in a range.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// The value if nothing is said.
        default: i64,
    },
    /// A number in a range.
    Real {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
        /// The value if nothing is said.
        default: f64,
    },
    /// `true` or `false`.
    Flag {
        /// The value if nothing is said.
        default: bool,
    },
    /// The path of a file, which the program reads before agents are made.
    File,
    /// One of some names.
    Choice {
        /// The names.
        options: &'static [Alternative],
        /// The name if nothing is said.
        default: &'static str,
    },
}

/// One name of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Alternative {
    /// The name.
    pub name: &'static str,
    /// One line that says what it means.
    pub help: &'static str,
    /// What can be set about it.
    pub settings: &'static [Setting],
}

/// What a setting is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// A file; nothing if none is named.
    File(Option<NamedFile>),
    /// A name of a choice, and what its own settings are set to.
    Choice(&'static str, Values),
}

/// A file that a spec names. Libraries read no files: the program does, with
/// [`AgentSpec::read_files`](crate::AgentSpec::read_files).
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// Its path, as written.
    pub path: String,
    /// What is in it, once it was read. All agents of a spec share it.
    pub content: Option<Arc<Content>>,
}

/// What is in a file, and what agents have made of it so far.
#[derive(Debug, Default)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whatever takes long to make of the bytes, kept for the next agent.
    pub made: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl PartialEq for NamedFile {
    fn eq(&self, other: &NamedFile) -> bool {
        self.path == other.path
    }
}

/// What all settings of a table are set to, in the order of the table.
#[derive(Clone, Debug)]
pub struct Values {
    table: &'static [Setting],
    values: Vec<Value>,
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        self.values == other.values
    }
}

impl Values {
    /// All defaults.
    pub fn defaults(table: &'static [Setting]) -> Values {
        Values {
            table,
            values: table.iter().map(Setting::default).collect(),
        }
    }

    /// The settings that were written, and defaults for the others. `owner` is whose settings they are.
    pub(crate) fn resolve(
        owner: &str,
        table: &'static [Setting],
        written: &[(String, Written)],
    ) -> Result<Values, SpecError> {
        let mut values = Values::defaults(table);
        let mut seen: Vec<usize> = Vec::new();
        for (name, value) in written {
            let Some(place) = table.iter().position(|setting| setting.name == name) else {
                return Err(SpecError::unknown_setting(owner, name, table));
            };
            if seen.contains(&place) {
                return Err(SpecError::Repeated(name.clone()));
            }
            seen.push(place);
            values.values[place] = table[place].read(value)?;
        }
        Ok(values)
    }

    /// A whole number. Like all of these it panics if there is no such setting, which is a fault of the agent's table.
    pub fn integer(&self, name: &str) -> i64 {
        match self.get(name) {
            Value::Integer(value) => *value,
            other => panic!("the setting {name} is {other:?}, no whole number"),
        }
    }

    /// A whole number that counts something.
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.integer(name)).unwrap_or(0)
    }

    /// A number.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Real(value) => *value,
            other => panic!("the setting {name} is {other:?}, no number"),
        }
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(value) => *value,
            other => panic!("the setting {name} is {other:?}, not true or false"),
        }
    }

    /// A name of a choice, and its own settings.
    pub fn choice(&self, name: &str) -> (&'static str, &Values) {
        match self.get(name) {
            Value::Choice(value, settings) => (value, settings),
            other => panic!("the setting {name} is {other:?}, no choice"),
        }
    }

    /// A file, if one is named.
    pub fn file(&self, name: &str) -> Option<&NamedFile> {
        match self.get(name) {
            Value::File(file) => file.as_ref(),
            other => panic!("the setting {name} is {other:?}, no file"),
        }
    }

    /// All files that are named, also in settings of choices.
    pub(crate) fn files(&mut self) -> Vec<&mut NamedFile> {
        let files = self.values.iter_mut().flat_map(|value| match value {
            Value::File(file) => file.as_mut().into_iter().collect(),
            Value::Choice(_, settings) => settings.files(),
            _ => Vec::new(),
        });
        files.collect()
    }

    fn get(&self, name: &str) -> &Value {
        let place = self.table.iter().position(|setting| setting.name == name);
        match place {
            Some(place) => &self.values[place],
            None => panic!("there is no setting {name}"),
        }
    }
}

/// In parentheses, what differs from the defaults; nothing if nothing does.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.table.iter().zip(&self.values);
        let texts: Vec<String> = set
            .filter(|(setting, value)| setting.default() != **value)
            .map(|(setting, value)| format!("{}={value}", setting.name))
            .collect();
        match texts.is_empty() {
            true => Ok(()),
            false => write!(f, "({})", texts.join(",")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Flag(value) => write!(f, "{value}"),
            Value::File(file) => f.write_str(file.as_ref().map_or("", |file| &file.path)),
            Value::Choice(name, settings) => write!(f, "{name}{settings}"),
        }
    }
}

impl Setting {
    /// The value if nothing is said.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Integer { default, .. } => Value::Integer(default),
            Kind::Real { default, .. } => Value::Real(default),
            Kind::Flag { default } => Value::Flag(default),
            Kind::File => Value::File(None),
            Kind::Choice { options, default } => {
                let chosen = options.iter().find(|option| option.name == default);
                Value::Choice(default, Values::defaults(chosen.map_or(&[], |option| option.settings)))
            }
        }
    }

    /// What values it takes, for people.
    pub fn range(&self) -> String {
        match self.kind {
            Kind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Real { min, max, .. } => format!("a number from {min} to {max}"),
            Kind::Flag { .. } => "true or false".to_string(),
            Kind::File => "the path of a file, without spaces, commas and parentheses".to_string(),
            Kind::Choice { options, .. } => {
                let names: Vec<&str> = options.iter().map(|option| option.name).collect();
                format!("one of {}", names.join(", "))
            }
        }
    }

    fn read(&self, written: &Written) -> Result<Value, SpecError> {
        let wrong = |near: Option<&str>| SpecError::BadValue {
            setting: self.name.to_string(),
            value: written.to_string(),
            range: self.range(),
            near: near.map(str::to_string),
        };
        // Only paths tell small letters from capital ones.
        let lower = written.name.to_lowercase();
        let text = lower.as_str();
        if let Kind::Choice { options, .. } = self.kind {
            let Some(option) = options.iter().find(|option| option.name == text) else {
                return Err(wrong(closest(text, options.iter().map(|option| option.name))));
            };
            let settings = Values::resolve(option.name, option.settings, &written.settings)?;
            return Ok(Value::Choice(option.name, settings));
        }
        if !written.settings.is_empty() {
            return Err(wrong(None));
        }
        let value = match self.kind {
            Kind::Integer { min, max, .. } => text
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .map(Value::Integer),
            Kind::Real { min, max, .. } => text
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .map(Value::Real),
            Kind::Flag { .. } => match text {
                "true" | "yes" | "on" => Some(Value::Flag(true)),
                "false" | "no" | "off" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::File => Some(Value::File(Some(NamedFile {
                path: written.name.clone(),
                content: None,
            }))),
            Kind::Choice { .. } => None,
        };
        value.ok_or_else(|| wrong(None))
    }
}
