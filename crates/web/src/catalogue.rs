//! The games that clients can name: those of the library, and those that were added.

use crate::error::ApiError;
use crate::store::{AddedGame, Store};
use ludens_gdl::{Description, Limits, Source};
use ludens_library::Entry;
use ludens_report::tournament::hash;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The rules of a game and what they are called.
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

    /// Reads the rules. Matches are recorded under the identifier, so that their rules are found again.
    pub(crate) fn read(&self, limits: &Limits) -> Description {
        read(self.id(), self.text(), limits)
    }
}

/// Reads rules within limits.
pub(crate) fn read(name: &str, text: &str, limits: &Limits) -> Description {
    Description::read_as(Source::new(name, text), None, limits)
}

/// The roles of all games of the library; reading them all takes a moment, and they do not change.
static ROLES: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let roles = |entry: &'static Entry| {
        let description = Description::read(entry.source());
        (entry.name.as_str(), ludens_report::games::roles(&description))
    };
    ludens_library::entries().map(roles).collect()
});

/// The roles of a game of the library.
pub(crate) fn library_roles(name: &str) -> &'static [String] {
    ROLES.get(name).map_or(&[], Vec::as_slice)
}

/// The identifier of rules that are added: a hash of their text.
pub(crate) fn identifier(text: &str) -> String {
    format!("g-{}", &hash(text)[..20])
}

/// The game with this identifier.
pub(crate) fn find(store: &Store, id: &str) -> Result<Rules, ApiError> {
    if let Some(entry) = ludens_library::find(id) {
        return Ok(Rules::Library(entry));
    }
    match store.game(id)? {
        Some(game) => Ok(Rules::Added(game)),
        None => Err(ApiError::NotFound(format!("There is no game `{id}`."))),
    }
}
