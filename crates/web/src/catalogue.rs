//! Games by identifier: library games and added games.

use crate::error::ApiError;
use crate::store::{AddedGame, Store};
use ludens_gdl::{Description, Limits, Source};
use ludens_library::Entry;
use ludens_report::tournament::hash;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Rules of a game, with its name.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    Library(&'static Entry),
    Added(AddedGame),
}

impl Rules {
    pub(crate) fn id(&self) -> &str {
        match self {
            Rules::Library(entry) => &entry.name,
            Rules::Added(game) => &game.id,
        }
    }

    pub(crate) fn title(&self) -> &str {
        match self {
            Rules::Library(entry) => &entry.metadata.title,
            Rules::Added(game) => &game.name,
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Rules::Library(entry) => entry.text(),
            Rules::Added(game) => &game.text,
        }
    }

    /// Reads the rules. The name of the description is the identifier, so that records of matches lead back to the
    /// rules.
    pub(crate) fn read(&self, limits: &Limits) -> Description {
        read(self.id(), self.text(), limits)
    }
}

/// Reads rules within limits.
pub(crate) fn read(name: &str, text: &str, limits: &Limits) -> Description {
    Description::read_as(Source::new(name, text), None, limits)
}

/// Roles of all library games, read once on first use.
static ROLES: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let roles = |entry: &'static Entry| {
        let description = Description::read(entry.source());
        (entry.name.as_str(), ludens_report::games::roles(&description))
    };
    ludens_library::entries().map(roles).collect()
});

/// Roles of a library game.
pub(crate) fn library_roles(name: &str) -> &'static [String] {
    ROLES.get(name).map_or(&[], Vec::as_slice)
}

/// Identifier of added rules: a hash of their text.
pub(crate) fn identifier(text: &str) -> String {
    format!("g-{}", &hash(text)[..20])
}

/// Finds a game by its identifier.
pub(crate) fn find(store: &Store, id: &str) -> Result<Rules, ApiError> {
    if let Some(entry) = ludens_library::find(id) {
        return Ok(Rules::Library(entry));
    }
    match store.game(id)? {
        Some(game) => Ok(Rules::Added(game)),
        None => Err(ApiError::NotFound(format!("There is no game `{id}`."))),
    }
}
