//! What a rule file says about itself.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The metadata at the top of a rule file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// The name for people.
    pub title: String,
    /// What the game is, in a few sentences.
    pub description: String,
    /// Who wrote the rules.
    pub author: String,
    /// Under which licence.
    pub licence: String,
    /// What kind of game it is.
    pub tags: Vec<String>,
    /// What is known about the game.
    #[serde(default)]
    pub facts: Facts,
    /// For families: the name for people, without a size.
    #[serde(default)]
    pub(crate) family_title: Option<String>,
    /// For families: the sizes that can be chosen.
    #[serde(default)]
    pub parameters: BTreeMap<String, Parameter>,
    /// For families: the sizes with a name.
    #[serde(default)]
    pub(crate) instances: Vec<Instance>,
}

/// Facts that were counted independently of Ludens; tests compare them.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Joint-move sequences of each length from the start.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// Reachable states.
    pub states: Option<u64>,
    /// Reachable terminal states.
    pub terminal: Option<u64>,
    /// Transitions between reachable states, one for each legal joint move.
    pub transitions: Option<u64>,
    /// Reachable states, where there are too many to count in a test.
    pub states_known: Option<u64>,
    /// Goals under optimal play, in the order of the roles.
    pub values: Option<Vec<u8>>,
    /// Information sets of each role but `random` in which it has a choice, in the order of the roles.
    pub information_sets: Option<Vec<u64>>,
    /// Expected goal of the first role under optimal play, where chance or hidden information make it an average.
    pub value: Option<f64>,
}

/// A size of a family.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The value if none is given.
    pub default: i64,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
    /// What it means.
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
    /// Reads the lines at the top of a text that begin with `;;`.
    pub fn parse(text: &str) -> Result<Metadata, toml::de::Error> {
        let (header, _) = split(text);
        toml::from_str(&header)
    }
}

/// The metadata without its semicolons, and the rules behind it.
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
