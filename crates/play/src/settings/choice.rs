//! Choices between named options, from an enum or from a table.

use super::{Configurable, NamedFile, Setting, differences};
use crate::spec::{SpecError, Written};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// One of several named options. As [`Configurable`] it has the settings of the chosen option.
pub trait Choice: Configurable + Sized {
    /// Lists name, help and value of every option. The values have their default settings.
    fn options() -> Vec<(&'static str, &'static str, Self)>;

    /// Returns the name of the chosen option.
    fn name(&self) -> &'static str;
}

/// A line of a table of things that have settings: agents, evaluators, advisors.
///
/// `T` is a trait object: what all settings of the table can do.
pub struct Entry<T: ?Sized> {
    /// Name in a spec.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Returns the default settings.
    pub default: fn() -> Box<T>,
}

impl<T: ?Sized + Configurable> Entry<T> {
    /// Lists the settings with their defaults.
    pub fn settings(&self) -> Vec<Setting> {
        (self.default)().settings()
    }
}

impl<T: ?Sized> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Settings that belong to a table.
pub trait Listed: Configurable + 'static {
    /// All entries, in the order in which they are shown.
    fn table() -> &'static [&'static Entry<Self>];
}

/// An entry of a table with settings. Copies share the settings.
#[derive(Debug)]
pub struct Chosen<T: ?Sized + 'static> {
    entry: &'static Entry<T>,
    settings: Arc<T>,
}

impl<T: ?Sized> Clone for Chosen<T> {
    fn clone(&self) -> Chosen<T> {
        Chosen {
            entry: self.entry,
            settings: self.settings.clone(),
        }
    }
}

impl<T: ?Sized> From<&'static Entry<T>> for Chosen<T> {
    fn from(entry: &'static Entry<T>) -> Chosen<T> {
        Chosen::new(entry, (entry.default)())
    }
}

/// The first entry of the table.
impl<T: ?Sized + Listed> Default for Chosen<T> {
    fn default() -> Chosen<T> {
        T::table()[0].into()
    }
}

impl<T: ?Sized> Chosen<T> {
    /// An entry with settings other than its defaults.
    pub(crate) fn new(entry: &'static Entry<T>, settings: Box<T>) -> Chosen<T> {
        Chosen {
            entry,
            settings: settings.into(),
        }
    }

    /// Returns the entry of the table.
    pub fn entry(&self) -> &'static Entry<T> {
        self.entry
    }
}

/// The settings.
impl<T: ?Sized> Deref for Chosen<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.settings
    }
}

impl<T: ?Sized + Configurable> Configurable for Chosen<T> {
    fn settings(&self) -> Vec<Setting> {
        self.settings.settings()
    }

    /// Settings can be changed until they are shared.
    fn set(&mut self, name: &str, value: &Written) -> Option<Result<(), SpecError>> {
        Arc::get_mut(&mut self.settings)?.set(name, value)
    }

    fn files(&self) -> Vec<&NamedFile> {
        self.settings.files()
    }
}

impl<T: ?Sized + Listed> Choice for Chosen<T> {
    fn options() -> Vec<(&'static str, &'static str, Chosen<T>)> {
        let entries = T::table().iter();
        entries
            .map(|&entry| (entry.name, entry.summary, entry.into()))
            .collect()
    }

    fn name(&self) -> &'static str {
        self.entry.name
    }
}

/// No choice, or one from a table.
impl<T: ?Sized + Listed> Choice for Option<Chosen<T>> {
    fn options() -> Vec<(&'static str, &'static str, Option<Chosen<T>>)> {
        let options = Chosen::options().into_iter();
        let options = options.map(|(name, help, option)| (name, help, Some(option)));
        std::iter::once(("none", "not used", None)).chain(options).collect()
    }

    fn name(&self) -> &'static str {
        self.as_ref().map_or("none", Choice::name)
    }
}

impl<T: ?Sized + Configurable> Configurable for Option<Chosen<T>> {
    fn settings(&self) -> Vec<Setting> {
        self.as_ref().map_or(Vec::new(), Configurable::settings)
    }

    fn set(&mut self, name: &str, value: &Written) -> Option<Result<(), SpecError>> {
        self.as_mut()?.set(name, value)
    }

    fn files(&self) -> Vec<&NamedFile> {
        self.as_ref().map_or(Vec::new(), Configurable::files)
    }
}

/// The name, and in parentheses the settings that differ from the defaults.
impl<T: ?Sized + Configurable> fmt::Display for Chosen<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changed = differences(&self.settings(), &self.entry.settings());
        write!(f, "{}{changed}", self.entry.name)
    }
}
