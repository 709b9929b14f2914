//! Agents named by text: a name, optionally with settings in parentheses, such as `uct(c=40,playout=mast)`.
//!
//! A spec prints in one way only: settings in the order of the agent's table, without those that have their default.

use crate::agent::{Agent, Place};
use crate::agents::{self, AgentKind, AgentSettings, Sight};
use crate::settings::{Chosen, Configurable, NamedFile, Setting, apply};
use ludens_engine::Game;
use ludens_gdl::diagnostic::closest;
use std::fmt;

/// Maximum nesting of parentheses.
const MOST_NESTED: usize = 16;

/// A kind of agent with its settings.
#[derive(Clone, Debug)]
pub struct AgentSpec(Chosen<dyn AgentSettings>);

/// Why a text does not name an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text has the wrong form.
    #[error("`{text}` is not an agent: {expected} expected at column {column}")]
    Syntax {
        /// The whole text.
        text: String,
        /// Where it goes wrong, counted from one.
        column: usize,
        /// The expected text.
        expected: &'static str,
    },
    /// There is no agent of this name.
    #[error("there is no agent `{name}`{}; `ludens agents` lists them", suggestion(.near))]
    UnknownAgent {
        /// The name.
        name: String,
        /// One that may have been meant.
        near: Option<String>,
    },
    /// The agent has no such setting.
    #[error("`{owner}` has no setting `{name}`{}; {known}", suggestion(.near))]
    UnknownSetting {
        /// Whose settings they are.
        owner: String,
        /// The name.
        name: String,
        /// One that may have been meant.
        near: Option<String>,
        /// The settings there are, as a sentence.
        known: String,
    },
    /// A setting is given twice.
    #[error("`{0}` is set twice")]
    Repeated(String),
    /// A setting is given a value that it cannot take.
    #[error("`{setting}` cannot be `{value}`{}: it is {range}", suggestion(.near))]
    BadValue {
        /// The setting.
        setting: String,
        /// The value.
        value: String,
        /// The allowed values.
        range: String,
        /// A value that may have been meant.
        near: Option<String>,
    },
    /// Settings follow a colon.
    #[error("`{text}` is neither an agent nor an address; settings go into parentheses: {meant}")]
    SettingsAfterColon {
        /// The text.
        text: String,
        /// The same with parentheses.
        meant: String,
    },
    /// The text looks like the address of a player elsewhere, but is none.
    #[error("`{text}` is not the address of a player: {reason}")]
    BadAddress {
        /// The text.
        text: String,
        /// Description of the error.
        reason: &'static str,
    },
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref()
        .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}

impl SpecError {
    pub(crate) fn unknown_setting(owner: &str, name: &str, table: &[Setting]) -> SpecError {
        let names: Vec<&str> = table.iter().map(|setting| setting.name).collect();
        SpecError::UnknownSetting {
            owner: owner.to_string(),
            name: name.to_string(),
            near: closest(name, names.iter().copied()).map(str::to_string),
            known: match names.is_empty() {
                true => "it has none".to_string(),
                false => format!("it has {}", names.join(", ")),
            },
        }
    }
}

impl AgentSpec {
    /// The agent that a text names.
    pub fn parse(text: &str) -> Result<AgentSpec, SpecError> {
        AgentSpec::resolve(&Written::parse(text)?)
    }

    /// The agents that a text names, separated by commas.
    pub fn parse_list(text: &str) -> Result<Vec<AgentSpec>, SpecError> {
        let mut reader = Reader::new(text);
        let mut specs = Vec::new();
        loop {
            specs.push(AgentSpec::resolve(&reader.written(0)?)?);
            if !reader.take(',') {
                reader.end()?;
                return Ok(specs);
            }
        }
    }

    /// The agent that is written.
    pub(crate) fn resolve(written: &Written) -> Result<AgentSpec, SpecError> {
        let name = written.name.to_lowercase();
        let name = name.as_str();
        let Some(kind) = agents::find(name) else {
            return Err(SpecError::UnknownAgent {
                name: name.to_string(),
                near: agents::suggest(name).map(str::to_string),
            });
        };
        let mut settings = (kind.default)();
        apply(kind.name, &mut *settings, &written.settings)?;
        Ok(AgentSpec(Chosen::new(kind, settings)))
    }

    /// An agent with settings that were not written.
    pub(crate) fn new(kind: &'static AgentKind, settings: impl AgentSettings + 'static) -> AgentSpec {
        AgentSpec(Chosen::new(kind, Box::new(settings)))
    }

    /// Returns the kind of agent.
    pub fn kind(&self) -> &'static AgentKind {
        self.0.entry()
    }

    /// Lists the files that settings name.
    pub(crate) fn files(&self) -> Vec<&NamedFile> {
        self.0.files()
    }

    /// What the agent has to see.
    pub(crate) fn sight(&self) -> Sight {
        self.0.sight()
    }

    /// Lists the settings with their values.
    pub fn settings(&self) -> Vec<Setting> {
        self.0.settings()
    }

    /// Reads the files that settings name, for this spec and its copies. Returns the first error of `read`.
    pub fn read_files<E>(&self, read: impl Fn(&str) -> Result<Vec<u8>, E>) -> Result<(), E> {
        for file in self.0.files() {
            file.fill(read(&file.path)?);
        }
        Ok(())
    }

    /// Checks that the files that settings name fit a game; an error says what is wrong.
    pub fn check(&self, game: &Game) -> Result<(), String> {
        self.0.check(game)
    }

    /// Checks that the agent is meant for games of this kind; an error says why not and what it does instead.
    pub fn accepts(&self, game: &Game) -> Result<(), String> {
        self.0.accepts(game)
    }

    /// Returns whether the agent answers at once, whatever time it has.
    pub fn is_light(&self) -> bool {
        self.0.is_light()
    }

    /// Why the agent cannot play a game in which information is hidden from it, as a sentence; `None` if it can.
    pub fn refusal(&self, game: &Game) -> Option<String> {
        match self.0.sight() {
            Sight::Refuses(why) if game.hides_information() => Some(format!(
                "{self} cannot play {}, which hides information: {why}; give --open to let all players see everything",
                game.name()
            )),
            _ => None,
        }
    }

    /// Creates an agent of this kind. Where information is hidden from it and it is an agent for whole states, it is
    /// asked in sampled worlds and the majority decides.
    pub fn create(&self, place: &Place) -> Box<dyn Agent> {
        match self.0.sight() {
            Sight::Whole if place.is_hidden => agents::determinized(self, place),
            _ => self.0.create(place),
        }
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A name with settings, as written; numbers are names too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name.
    pub name: String,
    /// Settings by name, in the order in which they are written.
    pub settings: Vec<(String, Written)>,
}

impl Written {
    /// A value without settings.
    pub fn plain(name: &str) -> Written {
        Written {
            name: name.to_string(),
            settings: Vec::new(),
        }
    }

    /// Reads a name with settings.
    pub fn parse(text: &str) -> Result<Written, SpecError> {
        let mut reader = Reader::new(text);
        let written = reader.written(0)?;
        reader.end()?;
        Ok(written)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (place, (name, value)) in self.settings.iter().enumerate() {
            write!(f, "{}{name}={value}", if place == 0 { '(' } else { ',' })?;
        }
        f.write_str(if self.settings.is_empty() { "" } else { ")" })
    }
}

/// Reads specs from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader { text, at: 0 }
    }

    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect<T>(&self, expected: &'static str) -> Result<T, SpecError> {
        Err(SpecError::Syntax {
            text: self.text.to_string(),
            column: self.text[..self.at].chars().count() + 1,
            expected,
        })
    }

    fn end(&mut self) -> Result<(), SpecError> {
        match self.rest() {
            "" => Ok(()),
            _ => self.expect("`,` or the end"),
        }
    }

    fn word(&mut self, expected: &'static str) -> Result<String, SpecError> {
        let rest = self.rest();
        let is_end = |letter: char| letter.is_whitespace() || "(),=".contains(letter);
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        if word.is_empty() {
            return self.expect(expected);
        }
        self.at += word.len();
        Ok(word.to_string())
    }

    fn written(&mut self, depth: usize) -> Result<Written, SpecError> {
        let name = self.word(if depth == 0 { "the name of an agent" } else { "a value" })?;
        let mut settings = Vec::new();
        if self.take('(') && !self.take(')') {
            if depth == MOST_NESTED {
                return self.expect("no further parenthesis");
            }
            loop {
                let setting = self.word("the name of a setting")?.to_lowercase();
                if !self.take('=') {
                    return self.expect("`=` and a value");
                }
                settings.push((setting, self.written(depth + 1)?));
                if self.take(')') {
                    break;
                }
                if !self.take(',') {
                    return self.expect("`,` or `)`");
                }
            }
        }
        Ok(Written { name, settings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        AgentSpec::parse_list(text).unwrap_err().to_string()
    }

    #[test]
    fn specs_print_in_one_way() {
        for (text, canonical) in [
            ("random", "random"),
            (" Random ( ) ", "random"),
            ("ucb(c=40)", "ucb"),
            ("ucb(steps=500 , C = 20.50)", "ucb(c=20.5,steps=500)"),
            ("flat(steps=10000)", "flat"),
            ("MCTS(c=20)", "uct(c=20)"),
            ("minimax", "alphabeta"),
        ] {
            let spec = AgentSpec::parse(text).unwrap();
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(AgentSpec::parse(canonical).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn lists_are_split_outside_of_parentheses() {
        let specs = AgentSpec::parse_list("ucb(c=1,steps=7),random, legal").unwrap();
        let texts: Vec<String> = specs.iter().map(AgentSpec::to_string).collect();
        assert_eq!(texts, ["ucb(c=1,steps=7)", "random", "legal"]);
    }

    #[test]
    fn errors_help() {
        assert_eq!(
            error("randm"),
            "there is no agent `randm` (did you mean `random`?); `ludens agents` lists them"
        );
        assert_eq!(
            error("mtcs"),
            "there is no agent `mtcs` (did you mean `mcts`?); `ludens agents` lists them"
        );
        assert_eq!(
            error("ucb(stepz=4)"),
            "`ucb` has no setting `stepz` (did you mean `steps`?); it has c, steps"
        );
        assert_eq!(error("random(c=4)"), "`random` has no setting `c`; it has none");
        assert_eq!(error("ucb(c=1,c=2)"), "`c` is set twice");
        assert_eq!(
            error("ucb(c=many)"),
            "`c` cannot be `many`: it is a number from 0 to 1000000"
        );
        assert_eq!(
            error("ucb(c=-1)"),
            "`c` cannot be `-1`: it is a number from 0 to 1000000"
        );
        assert_eq!(
            error("ucb(c=nan)"),
            "`c` cannot be `nan`: it is a number from 0 to 1000000"
        );
        assert_eq!(
            error("ucb(c=4(d=5))"),
            "`c` cannot be `4(d=5)`: it is a number from 0 to 1000000"
        );
    }

    #[test]
    fn errors_show_the_place() {
        for (text, expected, column) in [
            ("", "the name of an agent", 1),
            ("random,", "the name of an agent", 8),
            ("ucb(c)", "`=` and a value", 6),
            ("ucb(c=)", "a value", 7),
            ("ucb(c=1", "`,` or `)`", 8),
            ("ucb(c=1))", "`,` or the end", 9),
            ("ucb(,)", "the name of a setting", 5),
            ("random legal", "`,` or the end", 8),
            ("é(", "the name of a setting", 3),
        ] {
            let wanted = format!("`{text}` is not an agent: {expected} expected at column {column}");
            assert_eq!(error(text), wanted);
        }
        let deep = format!("a{}", "(a=a".repeat(100_000));
        assert!(error(&deep).contains("no further parenthesis"));
    }
}
