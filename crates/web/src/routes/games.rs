//! Routes for games and for checking rules.

use super::body::Body;
use crate::app::App;
use crate::catalogue::{self, Rules};
use crate::error::{ApiError, ErrorAnswer};
use crate::facts::FactsAnswer;
use crate::game_cache::reading_limits;
use crate::model::now;
use crate::store::AddedGame;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use ludens_gdl::diagnostic::codes;
use ludens_gdl::{Description, Notation};
use ludens_report::{diagnostics, games};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use utoipa::ToSchema;

/// Maximum number of diagnostics in an answer.
const MOST_DIAGNOSTICS: usize = 100;

/// Maximum number of added games in the list.
const MOST_LISTED: usize = 200;

/// Maximum length of the name of a game.
const LONGEST_NAME: usize = 100;

/// A game in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct GameLine {
    id: String,
    title: String,
    description: String,
    /// `library` or `added`.
    source: &'static str,
    roles: Vec<String>,
    tags: Vec<String>,
    family: Option<String>,
}

/// A family of games.
#[derive(Serialize, ToSchema)]
pub(crate) struct FamilyLine {
    name: String,
    title: String,
    description: String,
    tags: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    parameters: Value,
    /// Names of the library games of this family.
    instances: Vec<String>,
}

/// All games and families.
#[derive(Serialize, ToSchema)]
pub(crate) struct GameList {
    games: Vec<GameLine>,
    families: Vec<FamilyLine>,
}

/// A game with its rules.
#[derive(Serialize, ToSchema)]
pub(crate) struct FullGame {
    #[serde(flatten)]
    line: GameLine,
    parameters: Option<BTreeMap<String, i64>>,
    author: Option<String>,
    licence: Option<String>,
    /// Whether the rules have `sees` (GDL-II). Agents and people are shown the whole state all the same.
    hidden_information: bool,
    text: String,
    check: Check,
}

/// Rules to add: a text with a name, or a family with its parameters.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, i64>,
}

/// Rules to check.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckedText {
    text: String,
}

/// Result of a check.
#[derive(Serialize, ToSchema)]
pub(crate) struct Check {
    valid: bool,
    /// `kif` or `infix`.
    notation: &'static str,
    roles: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    errors: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Value>,
    /// Number of diagnostics omitted.
    left_out: usize,
}

/// Manual page of a diagnostic.
#[derive(Serialize, ToSchema)]
pub(crate) struct CodePage {
    code: &'static str,
    title: &'static str,
    /// Markdown text.
    page: &'static str,
}

impl Check {
    fn new(description: &Description) -> Check {
        let mut errors = Vec::new();
        let mut warnings = Vec::new();
        for diagnostic in description.diagnostics.iter().take(MOST_DIAGNOSTICS) {
            let list = if diagnostic.is_error() {
                &mut errors
            } else {
                &mut warnings
            };
            list.push(diagnostics::diagnostic(&description.source, diagnostic));
        }
        Check {
            valid: !description.diagnostics.iter().any(|diagnostic| diagnostic.is_error()),
            notation: match description.notation {
                Notation::Kif => "kif",
                Notation::Infix => "infix",
            },
            roles: games::roles(description),
            errors,
            warnings,
            left_out: description.diagnostics.len().saturating_sub(MOST_DIAGNOSTICS),
        }
    }
}

impl GameLine {
    fn new(rules: &Rules) -> GameLine {
        match rules {
            Rules::Library(entry) => GameLine {
                id: entry.name.clone(),
                title: entry.metadata.title.clone(),
                description: entry.metadata.description.trim().to_string(),
                source: "library",
                roles: catalogue::library_roles(&entry.name).to_vec(),
                tags: entry.metadata.tags.clone(),
                family: entry.family.as_ref().map(|(name, _)| name.clone()),
            },
            Rules::Added(game) => GameLine {
                id: game.id.clone(),
                title: game.name.clone(),
                description: String::new(),
                source: "added",
                roles: game.roles.clone(),
                tags: Vec::new(),
                family: None,
            },
        }
    }
}

/// List games and families
#[utoipa::path(get, path = "/api/games", tag = "games", operation_id = "games_list", responses(
    (status = 200, description = "success", body = GameList)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<GameList>, ApiError> {
    let store = app.store.clone();
    let list = app.short.run(move || -> Result<GameList, ApiError> {
        let library = ludens_library::entries().map(|entry| GameLine::new(&Rules::Library(entry)));
        let added = store.games(MOST_LISTED)?.into_iter();
        let added = added.map(|game| GameLine::new(&Rules::Added(game)));
        let family = |family: &ludens_library::Family| {
            let instances = ludens_library::entries()
                .filter(|entry| entry.family.as_ref().is_some_and(|(name, _)| *name == family.name));
            FamilyLine {
                name: family.name.clone(),
                title: family.title.clone(),
                description: family.description.trim().to_string(),
                tags: family.metadata.tags.clone(),
                parameters: games::family(family)["parameters"].clone(),
                instances: instances.map(|entry| entry.name.clone()).collect(),
            }
        };
        Ok(GameList {
            games: library.chain(added).collect(),
            families: ludens_library::families().map(family).collect(),
        })
    });
    Ok(Json(list.await??))
}

/// Add a game
#[utoipa::path(post, path = "/api/games", tag = "games", operation_id = "games_add",
    request_body = NewGame, responses(
    (status = 201, description = "kept", body = FullGame),
    (status = 200, description = "known already", body = FullGame),
    ErrorAnswer))]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Body(new): Body<NewGame>,
) -> Result<(StatusCode, Json<FullGame>), ApiError> {
    let worker = app.clone();
    let kept = app.short.run(move || keep(&worker, new));
    let (is_new, game) = kept.await??;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(game)))
}

fn keep(app: &App, new: NewGame) -> Result<(bool, FullGame), ApiError> {
    let (name, text) = match (new.name, new.text, new.family) {
        (name, Some(text), None) => (name.unwrap_or_default(), text),
        (None, None, Some(family)) => generate(&family, &new.parameters)?,
        _ => {
            return Err(ApiError::BadRequest(
                "Give `name` and `text`, or `family` and `parameters`.".to_string(),
            ));
        }
    };
    check_size(app, &text)?;
    app.check_room()?;
    if let Some(entry) = ludens_library::entries().find(|entry| entry.text() == text) {
        return full(app, &Rules::Library(entry)).map(|game| (false, game));
    }
    let id = catalogue::identifier(&text);
    let description = catalogue::read(&id, &text, &reading_limits(&app.config.limits));
    let unreadable: Vec<Value> = description
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code.id.starts_with("E1"))
        .take(MOST_DIAGNOSTICS)
        .map(|diagnostic| diagnostics::diagnostic(&description.source, diagnostic))
        .collect();
    if !unreadable.is_empty() {
        return Err(ApiError::InvalidRules {
            message: "The rules cannot be read.".to_string(),
            findings: unreadable,
        });
    }
    let name: String = name
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_NAME)
        .collect();
    let game = AddedGame {
        name: if name.is_empty() {
            "Unnamed game".to_string()
        } else {
            name
        },
        roles: games::roles(&description),
        id,
        text,
    };
    let is_known = app.store.game(&game.id)?.is_some();
    if !is_known && app.store.game_count()? >= app.config.limits.games_added {
        return Err(ApiError::Busy("The server has no room for more games.".to_string()));
    }
    let is_new = app.store.add_game(&game, now())?;
    full(app, &catalogue::find(&app.store, &game.id)?).map(|game| (is_new, game))
}

fn generate(family: &str, parameters: &BTreeMap<String, i64>) -> Result<(String, String), ApiError> {
    let found = ludens_library::find_family(family)
        .ok_or_else(|| ApiError::NotFound(format!("There is no family `{family}`.")))?;
    let parameters: Vec<(&str, i64)> = parameters.iter().map(|(name, &value)| (name.as_str(), value)).collect();
    let text = found
        .generate(&parameters)
        .map_err(|error| ApiError::BadRequest(format!("The family cannot be generated: {error}.")))?;
    // A generated text opens with its title as a comment.
    let title = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("; "))
        .unwrap_or(family);
    let title = title.to_string();
    Ok((title, text))
}

fn check_size(app: &App, text: &str) -> Result<(), ApiError> {
    let most = app.config.limits.rules_bytes;
    match text.len() <= most {
        true => Ok(()),
        false => Err(ApiError::TooLarge(format!("The rules are larger than {most} bytes."))),
    }
}

fn full(app: &App, rules: &Rules) -> Result<FullGame, ApiError> {
    let description = rules.read(&reading_limits(&app.config.limits));
    let entry = match rules {
        Rules::Library(entry) => Some(entry),
        Rules::Added(_) => None,
    };
    Ok(FullGame {
        line: GameLine::new(rules),
        parameters: entry.and_then(|entry| entry.family.as_ref().map(|(_, values)| values.clone())),
        author: entry.map(|entry| entry.metadata.author.clone()),
        licence: entry.map(|entry| entry.metadata.licence.clone()),
        hidden_information: description.rules.hide_information(),
        text: rules.text().to_string(),
        check: Check::new(&description),
    })
}

/// Show a game with its rules
#[utoipa::path(get, path = "/api/games/{id}", tag = "games", operation_id = "games_show",
    params(("id" = String, Path)), responses(
    (status = 200, description = "success", body = FullGame),
    ErrorAnswer))]
pub(crate) async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<FullGame>, ApiError> {
    let worker = app.clone();
    let game = app
        .short
        .run(move || full(&worker, &catalogue::find(&worker.store, &id)?));
    Ok(Json(game.await??))
}

/// Show the rules of a game as text
#[utoipa::path(get, path = "/api/games/{id}/rules", tag = "games", operation_id = "games_rules",
    params(("id" = String, Path)), responses(
    (status = 200, description = "success", body = String, content_type = "text/plain"),
    ErrorAnswer))]
pub(crate) async fn rules(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<impl IntoResponse, ApiError> {
    let store = app.store.clone();
    let rules = app.short.run(move || catalogue::find(&store, &id)).await??;
    Ok((
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        rules.text().to_string(),
    ))
}

/// Show the facts of a game
#[utoipa::path(get, path = "/api/games/{id}/facts", tag = "games", operation_id = "games_facts",
    params(("id" = String, Path)), responses(
    (status = 200, description = "known, or not to be known", body = FactsAnswer),
    (status = 202, description = "being found out; ask again", body = FactsAnswer),
    ErrorAnswer))]
pub(crate) async fn facts(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<FactsAnswer>), ApiError> {
    let (store, name) = (app.store.clone(), id.clone());
    app.short.run(move || catalogue::find(&store, &name)).await??;
    let answer = app.facts.ask(&app, &id)?;
    let status = if answer.is_final() {
        StatusCode::OK
    } else {
        StatusCode::ACCEPTED
    };
    Ok((status, Json(answer)))
}

/// Check rules
#[utoipa::path(post, path = "/api/check", tag = "games", operation_id = "games_check",
    request_body = CheckedText, responses(
    (status = 200, description = "success", body = Check),
    ErrorAnswer))]
pub(crate) async fn check(
    State(app): State<Arc<App>>,
    Body(CheckedText { text }): Body<CheckedText>,
) -> Result<Json<Check>, ApiError> {
    check_size(&app, &text)?;
    app.metrics.checks.fetch_add(1, Ordering::Relaxed);
    let limits = reading_limits(&app.config.limits);
    let check = app
        .short
        .run(move || Check::new(&catalogue::read("rules", &text, &limits)));
    Ok(Json(check.await?))
}

/// Show the manual page of a diagnostic
#[utoipa::path(get, path = "/api/codes/{code}", tag = "games", operation_id = "games_code",
    params(("code" = String, Path)), responses(
    (status = 200, description = "success", body = CodePage),
    ErrorAnswer))]
pub(crate) async fn code(Path(code): Path<String>) -> Result<Json<CodePage>, ApiError> {
    let found = codes::find(&code).ok_or_else(|| ApiError::NotFound(format!("There is no code `{code}`.")))?;
    Ok(Json(CodePage {
        code: found.id,
        title: found.title,
        page: found.page,
    }))
}
