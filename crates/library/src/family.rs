//! Families of games: a template with integer parameters, and its members.

use crate::Entry;
use crate::metadata::{Facts, Metadata, split};
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use std::collections::BTreeMap;

/// A template with integer parameters.
#[derive(Clone, Debug)]
pub struct Family {
    /// Name.
    pub name: String,
    /// Title, without parameters.
    pub title: String,
    /// Description, with the default parameters.
    pub description: String,
    /// Tags, parameters and so on; title and description are templates over the parameters.
    pub metadata: Metadata,
    rules: String,
}

/// Reason why a family cannot be generated with the given parameters.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The parameter does not exist.
    #[error("the family {family} has no parameter `{parameter}`; it has: {known}")]
    UnknownParameter {
        /// Name of the family.
        family: String,
        /// Name of the given parameter.
        parameter: String,
        /// Names of its parameters.
        known: String,
    },
    /// The value is too small or too large.
    #[error("{parameter} must be from {min} to {max}, not {value}")]
    OutOfRange {
        /// Name of the parameter.
        parameter: String,
        /// Minimum value.
        min: i64,
        /// Maximum value.
        max: i64,
        /// The given value.
        value: i64,
    },
    /// The template is broken.
    #[error("the template of the family {family} cannot be rendered: {cause}")]
    Template {
        /// Name of the family.
        family: String,
        /// Error of the template engine.
        cause: String,
    },
}

impl Family {
    pub(crate) fn parse(name: &str, text: &str) -> Result<Family, toml::de::Error> {
        let (_, rules) = split(text);
        let metadata = Metadata::parse(text)?;
        let mut family = Family {
            name: name.to_string(),
            title: metadata.family_title.clone().unwrap_or_else(|| name.to_string()),
            description: String::new(),
            metadata,
            rules: rules.to_string(),
        };
        // A template that cannot be rendered has no description; a test makes sure that there are none.
        let described = family
            .values(&[])
            .and_then(|values| family.metadata_for(&values, Facts::default()));
        family.description = described.map(|metadata| metadata.description).unwrap_or_default();
        Ok(family)
    }

    /// Generates the rules for these parameters; missing ones have their defaults.
    pub fn generate(&self, parameters: &[(&str, i64)]) -> Result<String, GenerateError> {
        let values = self.values(parameters)?;
        let same = |instance: &&Entry| instance.family.as_ref().is_some_and(|(_, with)| *with == values);
        let known = self
            .instances()
            .iter()
            .find(same)
            .map(|entry| entry.metadata.facts.clone());
        let metadata = self.metadata_for(&values, known.unwrap_or_default())?;
        self.text(&metadata, &values)
    }

    /// Named members of the family, without those that cannot be rendered; a test makes sure that there are none.
    pub(crate) fn instances(&self) -> Vec<Entry> {
        let entry = |instance: &crate::metadata::Instance| {
            let with: Vec<(&str, i64)> = instance
                .with
                .iter()
                .map(|(name, &value)| (name.as_str(), value))
                .collect();
            let values = self.values(&with).ok()?;
            let metadata = self.metadata_for(&values, instance.facts.clone()).ok()?;
            Some(Entry {
                name: instance.name.clone(),
                text: self.text(&metadata, &values).ok()?,
                family: Some((self.name.clone(), values)),
                metadata,
            })
        };
        self.metadata.instances.iter().filter_map(entry).collect()
    }

    fn values(&self, given: &[(&str, i64)]) -> Result<BTreeMap<String, i64>, GenerateError> {
        let parameters = &self.metadata.parameters;
        let mut values: BTreeMap<String, i64> = parameters
            .iter()
            .map(|(name, parameter)| (name.clone(), parameter.default))
            .collect();
        for &(name, value) in given {
            let Some(parameter) = parameters.get(name) else {
                return Err(GenerateError::UnknownParameter {
                    family: self.name.clone(),
                    parameter: name.to_string(),
                    known: parameters.keys().cloned().collect::<Vec<_>>().join(", "),
                });
            };
            if !(parameter.min..=parameter.max).contains(&value) {
                return Err(GenerateError::OutOfRange {
                    parameter: name.to_string(),
                    min: parameter.min,
                    max: parameter.max,
                    value,
                });
            }
            values.insert(name.to_string(), value);
        }
        Ok(values)
    }

    fn metadata_for(&self, values: &BTreeMap<String, i64>, facts: Facts) -> Result<Metadata, GenerateError> {
        Ok(Metadata {
            title: self.render(&self.metadata.title, values)?,
            description: self.render(&self.metadata.description, values)?,
            facts,
            parameters: BTreeMap::new(),
            instances: Vec::new(),
            ..self.metadata.clone()
        })
    }

    /// The rendered rules, after a header of comments.
    fn text(&self, metadata: &Metadata, values: &BTreeMap<String, i64>) -> Result<String, GenerateError> {
        let mut text = format!("; {}\n;\n", metadata.title);
        for line in metadata.description.trim().lines() {
            text += &format!("; {line}\n");
        }
        let size: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        text += &format!(
            ";\n; An instance of the family {} ({}).\n; Author: {}. Licence: {}.\n",
            self.name,
            size.join(", "),
            metadata.author,
            metadata.licence
        );
        text += &self.render(&self.rules, values)?;
        Ok(text.trim_end().to_string() + "\n")
    }

    fn render(&self, template: &str, values: &BTreeMap<String, i64>) -> Result<String, GenerateError> {
        let mut environment = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        if let Ok(syntax) = syntax.build() {
            environment.set_syntax(syntax);
        }
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment
            .render_str(template, values)
            .map_err(|error| GenerateError::Template {
                family: self.name.clone(),
                cause: error.to_string(),
            })
    }
}
