//! `ludens games`: the library, and the generators for its families.

use crate::output::{Answer, Failure, Outcome, print, print_json, table, table_text};
use anyhow::{Context, anyhow};
use ludens_gdl::diagnostic::closest;
use ludens_library::Entry;
use ludens_report::games;
use serde_json::{Value, json};

/// List the built-in games, show one, or generate one of any size
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  ludens games --tag puzzle\n  ludens games --show tic-tac-toe\n  \
    ludens games --families\n  ludens games --generate clobber --rows 4 --cols 5 > clobber.kif"
)]
pub(crate) struct Arguments {
    /// Only games with this tag (may be repeated)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Print the rules of a game
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// List the families with their parameters
    #[arg(long)]
    families: bool,
    /// Print the rules of a family for given sizes, e.g. `--generate clobber --rows 4 --cols 5`
    #[arg(long, value_name = "FAMILY", conflicts_with_all = ["show", "families", "tag"])]
    generate: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// The sizes for --generate, as `--NAME NUMBER`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    sizes: Vec<String>,
}

pub(crate) fn run(mut arguments: Arguments) -> Outcome {
    if let Some(name) = arguments.generate.take() {
        return generate(&name, arguments);
    }
    if let Some(extra) = arguments.sizes.first() {
        return Err(anyhow!("unexpected argument {extra}; sizes go with --generate FAMILY").into());
    }
    if let Some(name) = &arguments.show {
        let entry = ludens_library::find(name).ok_or_else(|| {
            let names = ludens_library::entries().map(|entry| entry.name.as_str());
            let hint = closest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            anyhow!("there is no game {name} in the library{hint}")
        })?;
        match arguments.json {
            true => print_json(&games::entry(entry, true))?,
            false => print(entry.text())?,
        }
        return Ok(Answer::Yes);
    }
    match arguments.families {
        true => list_families(arguments.json)?,
        false => list_games(&arguments)?,
    }
    Ok(Answer::Yes)
}

fn list_games(arguments: &Arguments) -> Result<(), Failure> {
    let has_tags = |entry: &&Entry| arguments.tag.iter().all(|tag| entry.metadata.tags.contains(tag));
    let entries: Vec<&Entry> = ludens_library::entries().filter(has_tags).collect();
    if arguments.json {
        let games: Vec<Value> = entries.iter().map(|entry| games::entry(entry, false)).collect();
        return print_json(&json!({ "games": games }));
    }
    let mut table = table(&["name", "title", "tags"]);
    for entry in &entries {
        table.add_row([&entry.name, &entry.metadata.title, &entry.metadata.tags.join(", ")]);
    }
    print(&format!("{}{} games\n", table_text(&table), entries.len()))
}

fn list_families(json: bool) -> Result<(), Failure> {
    if json {
        let families: Vec<Value> = ludens_library::families().map(games::family).collect();
        return print_json(&json!({ "families": families }));
    }
    let mut table = table(&["family", "parameter", "from", "to", "default", "meaning"]);
    for family in ludens_library::families() {
        for (name, parameter) in &family.metadata.parameters {
            table.add_row([
                family.name.clone(),
                name.clone(),
                parameter.min.to_string(),
                parameter.max.to_string(),
                parameter.default.to_string(),
                parameter.help.clone(),
            ]);
        }
    }
    print(&table_text(&table))
}

fn generate(name: &str, arguments: Arguments) -> Outcome {
    let family = ludens_library::find_family(name).ok_or_else(|| {
        let names = ludens_library::families().map(|family| family.name.as_str());
        let hint = closest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        anyhow!("there is no family {name}{hint} (`ludens games --families` lists them)")
    })?;
    let (sizes, json) = parse_sizes(&arguments.sizes)?;
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let text = family.generate(&sizes).map_err(anyhow::Error::from)?;
    match json || arguments.json {
        true => print_json(&json!({ "family": name, "text": text }))?,
        false => print(&text)?,
    }
    Ok(Answer::Yes)
}

/// `--rows 4` and `--rows=4`; `--json` may stand among them.
fn parse_sizes(words: &[String]) -> Result<(Vec<(String, i64)>, bool), Failure> {
    let mut sizes = Vec::new();
    let mut json = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--") else {
            return Err(anyhow!("unexpected argument {word}; sizes are given as `--NAME NUMBER`").into());
        };
        if name == "json" {
            json = true;
            continue;
        }
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value.to_string()),
            None => {
                let value = words.next().ok_or_else(|| anyhow!("--{name} needs a number"))?;
                (name, value.clone())
            }
        };
        let value = value
            .parse()
            .with_context(|| format!("--{name} needs a whole number, not {value}"))?;
        sizes.push((name.to_string(), value));
    }
    Ok((sizes, json))
}
