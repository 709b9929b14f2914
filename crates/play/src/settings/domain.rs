//! Domains: which values a field of a settings struct takes, and how they are written.

use super::{Alternative, Choice, Configurable, Kind, NamedFile, Setting, apply, differences};
use crate::agents::{AGENTS, AgentKind};
use crate::spec::{AgentSpec, SpecError, Written};
use ludens_gdl::diagnostic::closest;
use std::ops::RangeInclusive;

/// The values that a field of type `T` can be set to.
pub(crate) trait Domain<T> {
    /// Describes the type and range, with the current value.
    fn kind(&self, value: &T) -> Kind;

    /// Reads a value.
    fn read(&self, written: &Written) -> Result<T, Rejected>;

    /// Prints a value.
    fn text(&self, value: &T) -> String;

    /// Lists the files that a value names.
    fn files<'a>(&self, _value: &'a T) -> Vec<&'a NamedFile> {
        Vec::new()
    }
}

/// Why a value was not accepted.
pub(crate) enum Rejected {
    /// It is not in the domain. Possibly another one was meant.
    Value(Option<String>),
    /// The settings of the chosen option are wrong.
    Settings(SpecError),
}

impl Setting {
    /// Describes a field.
    pub(crate) fn of<T>(name: &'static str, help: &'static str, value: &T, domain: &impl Domain<T>) -> Setting {
        Setting {
            name,
            help: help.trim_start(),
            kind: domain.kind(value),
            text: domain.text(value),
        }
    }
}

/// Sets a field.
pub(crate) fn assign<T>(
    name: &'static str,
    field: &mut T,
    domain: &impl Domain<T>,
    written: &Written,
) -> Result<(), SpecError> {
    match domain.read(written) {
        Ok(value) => {
            *field = value;
            Ok(())
        }
        Err(Rejected::Settings(error)) => Err(error),
        Err(Rejected::Value(near)) => Err(SpecError::BadValue {
            setting: name.to_string(),
            value: written.to_string(),
            range: Setting::of(name, "", field, domain).range(),
            near,
        }),
    }
}

/// Reads a value without settings of its own. Case does not matter.
fn plain<T>(written: &Written, read: impl Fn(&str) -> Option<T>) -> Result<T, Rejected> {
    let value = match written.settings.is_empty() {
        true => read(&written.name.to_lowercase()),
        false => None,
    };
    value.ok_or(Rejected::Value(None))
}

macro_rules! whole_numbers {
    ($($type:ty),*) => { $(
        impl Domain<$type> for RangeInclusive<i64> {
            fn kind(&self, value: &$type) -> Kind {
                let value = i64::try_from(*value).unwrap_or(i64::MAX);
                Kind::Integer { min: *self.start(), max: *self.end(), value }
            }

            fn read(&self, written: &Written) -> Result<$type, Rejected> {
                let in_range = |text: &str| text.parse().ok().filter(|value| self.contains(value));
                plain(written, |text| in_range(text).and_then(|value| <$type>::try_from(value).ok()))
            }

            fn text(&self, value: &$type) -> String {
                value.to_string()
            }
        }
    )* };
}

whole_numbers!(usize, u32, u64);

impl Domain<f64> for RangeInclusive<f64> {
    fn kind(&self, &value: &f64) -> Kind {
        let (&min, &max) = (self.start(), self.end());
        Kind::Real { min, max, value }
    }

    fn read(&self, written: &Written) -> Result<f64, Rejected> {
        // Adding zero makes -0 a plain 0, which prints as one.
        plain(written, |text| {
            text.parse()
                .ok()
                .filter(|value| self.contains(value))
                .map(|value: f64| value + 0.0)
        })
    }

    fn text(&self, value: &f64) -> String {
        value.to_string()
    }
}

/// Fields that are stored in single precision print with the digits that they were written with.
impl Domain<f32> for RangeInclusive<f64> {
    fn kind(&self, value: &f32) -> Kind {
        let value = value.to_string().parse().unwrap_or(f64::from(*value));
        Domain::<f64>::kind(self, &value)
    }

    fn read(&self, written: &Written) -> Result<f32, Rejected> {
        Domain::<f64>::read(self, written).map(|value| value as f32)
    }

    fn text(&self, value: &f32) -> String {
        value.to_string()
    }
}

/// `true` or `false`.
pub(crate) struct Flag;

impl Domain<bool> for Flag {
    fn kind(&self, &value: &bool) -> Kind {
        Kind::Flag { value }
    }

    fn read(&self, written: &Written) -> Result<bool, Rejected> {
        plain(written, |text| match text {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        })
    }

    fn text(&self, value: &bool) -> String {
        value.to_string()
    }
}

/// Whole megabytes, of a field that counts bytes.
pub(crate) struct Megabytes(pub(crate) RangeInclusive<i64>);

impl Domain<usize> for Megabytes {
    fn kind(&self, value: &usize) -> Kind {
        self.0.kind(&(value >> 20))
    }

    fn read(&self, written: &Written) -> Result<usize, Rejected> {
        Domain::<usize>::read(&self.0, written).map(|value| value << 20)
    }

    fn text(&self, value: &usize) -> String {
        (value >> 20).to_string()
    }
}

/// A number of which one value stands for `None`.
pub(crate) struct NoneAt<N>(pub(crate) N, pub(crate) RangeInclusive<N>);

impl Domain<Option<usize>> for NoneAt<i64> {
    fn kind(&self, value: &Option<usize>) -> Kind {
        let (min, max) = (*self.1.start(), *self.1.end());
        let value = value.map_or(self.0, |value| i64::try_from(value).unwrap_or(max));
        Kind::Integer { min, max, value }
    }

    fn read(&self, written: &Written) -> Result<Option<usize>, Rejected> {
        let value = plain(written, |text| text.parse().ok().filter(|value| self.1.contains(value)))?;
        Ok(usize::try_from(value).ok().filter(|_| value != self.0))
    }

    fn text(&self, value: &Option<usize>) -> String {
        value.map_or(self.0.to_string(), |value| value.to_string())
    }
}

/// Numbers up to the one that stands for `None` mean `None` too.
impl Domain<Option<f64>> for NoneAt<f64> {
    fn kind(&self, value: &Option<f64>) -> Kind {
        self.1.kind(&value.unwrap_or(self.0))
    }

    fn read(&self, written: &Written) -> Result<Option<f64>, Rejected> {
        let value: f64 = self.1.read(written)?;
        Ok(Some(value).filter(|&value| value >= 0.0))
    }

    fn text(&self, value: &Option<f64>) -> String {
        value.unwrap_or(self.0).to_string()
    }
}

/// The path of a file.
pub(crate) struct File;

impl Domain<Option<NamedFile>> for File {
    fn kind(&self, _: &Option<NamedFile>) -> Kind {
        Kind::File
    }

    fn read(&self, written: &Written) -> Result<Option<NamedFile>, Rejected> {
        match written.settings.is_empty() {
            // Case matters in paths.
            true => Ok(Some(NamedFile::new(&written.name))),
            false => Err(Rejected::Value(None)),
        }
    }

    fn text(&self, value: &Option<NamedFile>) -> String {
        value.as_ref().map_or(String::new(), |file| file.path.clone())
    }

    fn files<'a>(&self, value: &'a Option<NamedFile>) -> Vec<&'a NamedFile> {
        value.iter().collect()
    }
}

/// One of the options of a [`Choice`].
pub(crate) struct OneOf;

impl<T: Choice> Domain<T> for OneOf {
    fn kind(&self, value: &T) -> Kind {
        let options = T::options().into_iter();
        let options = options.map(|(name, help, option)| Alternative {
            name,
            help: help.trim_start(),
            settings: option.settings(),
        });
        Kind::Choice {
            options: options.collect(),
            value: value.name(),
        }
    }

    fn read(&self, written: &Written) -> Result<T, Rejected> {
        let name = written.name.to_lowercase();
        let options = T::options();
        let near = closest(&name, options.iter().map(|option| option.0)).map(str::to_string);
        let chosen = options.into_iter().find(|option| option.0 == name);
        let (name, _, mut chosen) = chosen.ok_or(Rejected::Value(near))?;
        apply(name, &mut chosen, &written.settings).map_err(Rejected::Settings)?;
        Ok(chosen)
    }

    fn text(&self, value: &T) -> String {
        let name = value.name();
        let usual = T::options().into_iter().find(|option| option.0 == name);
        let usual = usual.map_or(Vec::new(), |(_, _, option)| option.settings());
        format!("{name}{}", differences(&value.settings(), &usual))
    }

    fn files<'a>(&self, value: &'a T) -> Vec<&'a NamedFile> {
        Configurable::files(value)
    }
}

/// An agent inside of another one.
pub(crate) struct AnAgent;

impl AnAgent {
    /// The agents that can stand there. An agent around another one cannot be around itself.
    fn inside() -> impl Iterator<Item = &'static AgentKind> {
        AGENTS.iter().copied().filter(|kind| kind.name != "determinized")
    }
}

impl Domain<AgentSpec> for AnAgent {
    fn kind(&self, value: &AgentSpec) -> Kind {
        let options = AnAgent::inside().map(|kind| Alternative {
            name: kind.name,
            help: kind.summary,
            // They are those of the agent, and listed with it.
            settings: Vec::new(),
        });
        Kind::Choice {
            options: options.collect(),
            value: value.kind().name,
        }
    }

    fn read(&self, written: &Written) -> Result<AgentSpec, Rejected> {
        let spec = AgentSpec::resolve(written).map_err(|error| match error {
            SpecError::UnknownAgent { near, .. } => Rejected::Value(near),
            error => Rejected::Settings(error),
        })?;
        match AnAgent::inside().any(|kind| kind.name == spec.kind().name) {
            true => Ok(spec),
            false => Err(Rejected::Value(None)),
        }
    }

    fn text(&self, value: &AgentSpec) -> String {
        value.to_string()
    }

    fn files<'a>(&self, value: &'a AgentSpec) -> Vec<&'a NamedFile> {
        value.files()
    }
}
