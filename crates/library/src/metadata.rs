//! Metadata of a rule file.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Metadata at the top of a rule file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Title.
    pub title: String,
    /// Description, a few sentences.
    pub description: String,
    /// Author of the rules.
    pub author: String,
    /// Licence of the rules.
    pub licence: String,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// Facts about the game.
    #[serde(default)]
    pub facts: Facts,
    /// For families: title without parameters.
    #[serde(default)]
    pub(crate) family_title: Option<String>,
    /// For families: the parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, Parameter>,
    /// For families: the named members.
    #[serde(default)]
    pub(crate) instances: Vec<Instance>,
}

/// Facts that were computed independently of Ludens and that tests check.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Number of joint-move sequences of each length from the initial state.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// Number of reachable states.
    pub states: Option<u64>,
    /// Number of reachable terminal states.
    pub terminal: Option<u64>,
    /// Number of transitions between reachable states, one for each legal joint move.
    pub transitions: Option<u64>,
    /// Number of reachable states, if it is too large for a test.
    pub states_known: Option<u64>,
    /// Goals under optimal play, in the order of the roles.
    pub values: Option<Vec<u8>>,
    /// Information sets of each role but `random` in which it has a choice, in the order of the roles.
    pub information_sets: Option<Vec<u64>>,
    /// Expected goal of the first role under optimal play, where chance or hidden information make it an average.
    pub value: Option<f64>,
}

/// Parameter of a family.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Default value.
    pub default: i64,
    /// Minimum value.
    pub min: i64,
    /// Maximum value.
    pub max: i64,
    /// Description.
    pub help: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instance {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) with: BTreeMap<String, i64>,
    #[serde(default)]
    pub(crate) facts: Facts,
}

impl Metadata {
    /// Parses the lines at the top of a text that start with `;;`.
    pub fn parse(text: &str) -> Result<Metadata, toml::de::Error> {
        let (header, _) = split(text);
        toml::from_str(&header)
    }
}

/// Splits a text into its metadata, without semicolons, and its rules.
pub(crate) fn split(text: &str) -> (String, &str) {
    let mut header = String::new();
    let mut rest = text;
    while let Some(line) = rest.strip_prefix(";;") {
        let (line, behind) = line.split_once('\n').unwrap_or((line, ""));
        header.push_str(line.strip_prefix(' ').unwrap_or(line));
        header.push('\n');
        rest = behind;
    }
    (header, rest)
}
