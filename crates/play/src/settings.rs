//! Settings of agents, evaluators and advisors as types that describe themselves.
//!
//! A settings struct implements [`Configurable`], almost always through the macro `settings!`: it lists its settings with
//! type, range, current value and help, and takes new values from text. The spec parser, `ludens agents`, the API and the
//! page all follow from that list, and the default of a setting is the `Default` of the struct, written once. A
//! [`Choice`] is an enum whose variants may have settings of their own, as in `eval=fuzzy(p=0.8)`; a [`Chosen`] is an
//! entry of a table, such as the table of evaluators.

mod choice;
mod domain;
mod macros;

use crate::spec::{SpecError, Written};
pub use choice::{Choice, Chosen, Entry, Listed};
pub(crate) use domain::{AnAgent, Domain, File, Flag, Megabytes, NoneAt, OneOf, assign};
pub(crate) use macros::{choice, settings};
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};

/// A group of named settings.
pub trait Configurable {
    /// Lists the settings with their current values, in the order in which they are shown and printed.
    fn settings(&self) -> Vec<Setting>;

    /// Sets one setting. Returns `None` if there is none of this name.
    fn set(&mut self, name: &str, value: &Written) -> Option<Result<(), SpecError>>;

    /// Lists the files that settings name.
    fn files(&self) -> Vec<&NamedFile>;
}

/// One setting with its current value. In a list made of defaults, that value is the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Name in a spec.
    pub name: &'static str,
    /// One line that says what it does.
    pub help: &'static str,
    /// Type, range and value.
    pub kind: Kind,
    /// The value as it is written in a spec.
    pub text: String,
}

/// Type, range and value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Least value allowed.
        min: i64,
        /// Greatest value allowed.
        max: i64,
        /// Current value.
        value: i64,
    },
    /// A number.
    Real {
        /// Least value allowed.
        min: f64,
        /// Greatest value allowed.
        max: f64,
        /// Current value.
        value: f64,
    },
    /// `true` or `false`.
    Flag {
        /// Current value.
        value: bool,
    },
    /// The path of a file, which the program reads before it creates agents.
    File,
    /// One of several names.
    Choice {
        /// The names.
        options: Vec<Alternative>,
        /// Name of the current option.
        value: &'static str,
    },
}

/// One option of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// Name in a spec.
    pub name: &'static str,
    /// One line that says what it means.
    pub help: &'static str,
    /// Settings of this option, with their defaults.
    pub settings: Vec<Setting>,
}

/// A file that a spec names. Libraries read no files: the program does, with
/// [`AgentSpec::read_files`](crate::AgentSpec::read_files).
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// Path, as written.
    pub path: String,
    content: Arc<OnceLock<Content>>,
}

/// The bytes of a file, and what agents have made of them so far.
#[derive(Debug, Default)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Results that take long to compute from the bytes, kept for the next agent.
    pub made: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl NamedFile {
    /// A file that was not read yet.
    pub fn new(path: &str) -> NamedFile {
        NamedFile {
            path: path.to_string(),
            content: Arc::default(),
        }
    }

    /// Stores the bytes of the file, for all copies of this value. Only the first call has an effect.
    pub fn fill(&self, bytes: Vec<u8>) {
        let made = Mutex::default();
        // Someone else may have been faster; the file is the same.
        let _ = self.content.set(Content { bytes, made });
    }

    /// Returns the content; an error if the file was not read.
    pub fn content(&self) -> Result<&Content, String> {
        self.content.get().ok_or_else(|| format!("{} was not read", self.path))
    }
}

impl PartialEq for NamedFile {
    fn eq(&self, other: &NamedFile) -> bool {
        self.path == other.path
    }
}

impl Setting {
    /// Describes the values that the setting takes.
    pub fn range(&self) -> String {
        match &self.kind {
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
}

/// Applies written settings; `owner` names the agent or option that has them.
pub(crate) fn apply(
    owner: &str,
    target: &mut (impl Configurable + ?Sized),
    written: &[(String, Written)],
) -> Result<(), SpecError> {
    for (place, (name, value)) in written.iter().enumerate() {
        if written[..place].iter().any(|(before, _)| before == name) {
            return Err(SpecError::Repeated(name.clone()));
        }
        match target.set(name, value) {
            Some(result) => result?,
            None => return Err(SpecError::unknown_setting(owner, name, &target.settings())),
        }
    }
    Ok(())
}

/// Prints the settings that differ from their defaults, in parentheses; an empty text if all are defaults.
pub(crate) fn differences(settings: &[Setting], defaults: &[Setting]) -> String {
    let changed = settings
        .iter()
        .zip(defaults)
        .filter(|(own, usual)| own.text != usual.text);
    let texts: Vec<String> = changed.map(|(own, _)| format!("{}={}", own.name, own.text)).collect();
    match texts.is_empty() {
        true => String::new(),
        false => format!("({})", texts.join(",")),
    }
}

#[cfg(test)]
mod tests;
