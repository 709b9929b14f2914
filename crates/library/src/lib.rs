//! The built-in games.
//!
//! Rule files are in the folder `games/` and compiled in. A file opens with metadata, as TOML after `;;`: title,
//! description, author, licence, tags, and facts that tests check. A *family* is a template with integer parameters
//! (`games/families/*.kif.j2`), some members of which have names of their own.
//!
//! ```
//! let game = ludens_library::find("clobber-3x4").unwrap();
//! assert!(game.text().contains("(role "));
//! let family = ludens_library::find_family("clobber").unwrap();
//! let rules = family.generate(&[("rows", 2), ("cols", 5)]).unwrap();
//! assert!(rules.contains("Clobber 2x5"));
//! ```

use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::sync::LazyLock;

mod family;
mod metadata;
mod search;

pub use family::{Family, GenerateError};
pub use metadata::{Facts, Metadata, Parameter};
pub use search::{search, suggest, tags};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../games");

static LIBRARY: LazyLock<Library> = LazyLock::new(Library::load);

/// A game of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name.
    pub name: String,
    /// Family and parameters, if it is a member of a family.
    pub family: Option<(String, BTreeMap<String, i64>)>,
    /// Title, description and so on.
    pub metadata: Metadata,
    text: String,
}

impl Entry {
    /// The rules, with their metadata as comments.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The rules as a source for the reader.
    pub fn source(&self) -> ludens_gdl::Source {
        ludens_gdl::Source::new(&self.name, &self.text)
    }
}

struct Library {
    entries: BTreeMap<String, Entry>,
    families: BTreeMap<String, Family>,
}

impl Library {
    /// Reads the compiled-in files. A test reads them too and fails if one is broken, so this cannot fail.
    fn load() -> Library {
        let mut library = Library {
            entries: BTreeMap::new(),
            families: BTreeMap::new(),
        };
        for (name, text) in files(".kif") {
            if let Ok(metadata) = Metadata::parse(text) {
                let entry = Entry {
                    name: name.clone(),
                    family: None,
                    metadata,
                    text: text.to_string(),
                };
                library.entries.insert(name, entry);
            }
        }
        for (name, text) in files(".kif.j2") {
            if let Ok(family) = Family::parse(&name, text) {
                for instance in family.instances() {
                    library.entries.insert(instance.name.clone(), instance);
                }
                library.families.insert(name, family);
            }
        }
        library
    }
}

/// All rule files with this ending, by name.
fn files(ending: &str) -> Vec<(String, &'static str)> {
    let folders = [Some(&FILES), FILES.get_dir("families")];
    folders
        .into_iter()
        .flatten()
        .flat_map(|folder| folder.files())
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?.strip_suffix(ending)?;
            Some((name.to_string(), file.contents_utf8()?))
        })
        .collect()
}

/// All games, by name.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    LIBRARY.entries.values()
}

/// Finds a game by name.
pub fn find(name: &str) -> Option<&'static Entry> {
    LIBRARY.entries.get(name)
}

/// All families, by name.
pub fn families() -> impl Iterator<Item = &'static Family> {
    LIBRARY.families.values()
}

/// Finds a family by name.
pub fn find_family(name: &str) -> Option<&'static Family> {
    LIBRARY.families.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        let singles = entries().filter(|entry| entry.family.is_none()).count();
        assert_eq!(
            (singles, families().count()),
            (files(".kif").len(), files(".kif.j2").len())
        );
        for (name, text) in files(".kif") {
            let metadata = Metadata::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(metadata.parameters.is_empty(), "{name} has parameters and is no family");
        }
        for (name, text) in files(".kif.j2") {
            let family = Family::parse(&name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!family.metadata.instances.is_empty(), "{name} has no instance");
        }
    }

    #[test]
    fn metadata_is_complete() {
        for entry in entries() {
            let (name, metadata) = (&entry.name, &entry.metadata);
            assert_eq!(metadata.author, "Ludens", "{name}");
            assert_eq!(metadata.licence, "MIT OR Apache-2.0", "{name}");
            assert!(!metadata.title.is_empty() && metadata.description.len() > 20, "{name}");
            assert!(!metadata.facts.perft.is_empty(), "{name} has no perft");
            let players = ["one-player", "two-player", "three-player", "four-player"];
            let counts = metadata
                .tags
                .iter()
                .filter(|tag| players.contains(&tag.as_str()))
                .count();
            assert_eq!(counts, 1, "{name}: {:?}", metadata.tags);
        }
    }

    #[test]
    fn families_are_described_without_template_source() {
        for family in families() {
            let (name, title, description) = (&family.name, &family.title, &family.description);
            assert!(family.metadata.family_title.is_some(), "{name} has no family_title");
            assert!(description.len() > 20, "{name}: {description}");
            for text in [title, description] {
                assert!(!text.contains(['{', '}']), "{name}: {text}");
            }
        }
    }

    #[test]
    fn parameters_are_checked() {
        let family = find_family("clobber").unwrap();
        assert!(
            family
                .generate(&[("rows", 1000)])
                .unwrap_err()
                .to_string()
                .contains("rows")
        );
        assert!(
            family
                .generate(&[("sides", 3)])
                .unwrap_err()
                .to_string()
                .contains("sides")
        );
    }
}
