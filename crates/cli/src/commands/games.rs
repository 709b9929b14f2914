//! `ludens games`: the library and the generators of its families.

use crate::output::{Answer, Failure, Outcome, counted, cut, print, print_json, table, table_text, width};
use anyhow::{Context, anyhow};
use ludens_gdl::diagnostic::closest;
use ludens_library::Entry;
use ludens_report::games;
use serde_json::{Value, json};

/// List or search the built-in games, show one, or generate a member of a family
#[derive(clap::Args)]
#[command(
    override_usage = "ludens games [OPTIONS] [TEXT]...\n       ludens games --generate FAMILY [--NAME NUMBER]...",
    after_help = "TEXT searches names, titles, tags and descriptions for games that contain all its words; exit status 1 \
    means that there is none.\n\nExamples:\n  ludens games --tag puzzle\n  ludens games chess\n  ludens games --show tic-tac-toe\n  \
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
    /// Print the rules of a family member, e.g. `--generate clobber --rows 4 --cols 5`
    #[arg(long, value_name = "FAMILY", conflicts_with_all = ["show", "families", "tag"])]
    generate: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Words to search for; with --generate the parameters, as `--NAME NUMBER`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<String>,
}

pub(crate) fn run(mut arguments: Arguments) -> Outcome {
    if let Some(name) = arguments.generate.take() {
        return generate(&name, arguments);
    }
    // clap does not parse options after the first word.
    let words = std::mem::take(&mut arguments.words);
    let text = arguments.read_words(&words)?;
    if let Some(word) = words.first().filter(|_| arguments.show.is_some() || arguments.families) {
        return Err(anyhow!("unexpected argument {word}").into());
    }
    if let Some(name) = &arguments.show {
        let entry = ludens_library::find(name).ok_or_else(|| {
            let hint = ludens_library::suggest(name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            anyhow!("there is no game {name} in the library{hint}")
        })?;
        match arguments.json {
            true => print_json(&games::entry(entry, true))?,
            false => print(entry.text())?,
        }
        return Ok(Answer::Yes);
    }
    if arguments.families {
        list_families(arguments.json)?;
        return Ok(Answer::Yes);
    }
    list_games(&arguments, text.as_deref())
}

impl Arguments {
    /// Words to search for; options among them are applied.
    fn read_words(&mut self, words: &[String]) -> Result<Option<String>, Failure> {
        let mut text = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), word.strip_prefix("--tag=")) {
                ("--json", _) => self.json = true,
                ("--tag", _) => self.tag.push(words.next().context("--tag needs a tag")?.clone()),
                (_, Some(tag)) => self.tag.push(tag.to_string()),
                (word, None) if word.starts_with('-') => {
                    return Err(anyhow!("unexpected argument {word}; sizes go with --generate FAMILY").into());
                }
                (word, None) => text.push(word),
            }
        }
        Ok((!text.is_empty()).then(|| text.join(" ")))
    }
}

fn list_games(arguments: &Arguments, text: Option<&str>) -> Outcome {
    let known = ludens_library::tags();
    if let Some(tag) = arguments.tag.iter().find(|tag| !known.contains(&tag.as_str())) {
        let hint =
            closest(tag, known.iter().copied()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(anyhow!("no game has the tag {tag}{hint} (the tags are: {})", known.join(", ")).into());
    }
    let has_tags = |entry: &&Entry| arguments.tag.iter().all(|tag| entry.metadata.tags.contains(tag));
    let mut entries: Vec<&Entry> = match text {
        Some(text) => ludens_library::search(text),
        None => ludens_library::entries().collect(),
    };
    entries.retain(has_tags);
    if arguments.json {
        let games: Vec<Value> = entries.iter().map(|entry| games::entry(entry, false)).collect();
        print_json(&json!({ "games": games }))?;
    } else if !entries.is_empty() {
        print(&listing(&entries, width()))?;
    }
    match entries.is_empty() {
        true => {
            tell!("no game of the library matches (`ludens games` lists all)");
            Ok(Answer::No)
        }
        false => Ok(Answer::Yes),
    }
}

/// One line per game. If space is short, tags are truncated or omitted, then titles.
fn listing(entries: &[&Entry], columns: Option<usize>) -> String {
    let column = |text: fn(&Entry) -> &str| {
        entries
            .iter()
            .map(|entry| text(entry).chars().count())
            .max()
            .unwrap_or(0)
    };
    let names = column(|entry| &entry.name).max(4);
    let titles = column(|entry| &entry.metadata.title).max(5);
    let line = |name: &str, title: &str, tags: &str| match columns {
        Some(columns) if columns < names + titles + LEAST_TAGS + 5 => {
            cut(&format!(" {name:<names$}  {title}"), Some(columns))
        }
        _ => cut(&format!(" {name:<names$}  {title:<titles$}  {tags}"), columns),
    };
    let mut text = line("name", "title", "tags") + "\n";
    for entry in entries {
        text += &(line(&entry.name, &entry.metadata.title, &entry.metadata.tags.join(", ")) + "\n");
    }
    text + &format!("{}\n", counted(entries.len(), "game"))
}

/// Minimum number of columns for tags.
const LEAST_TAGS: usize = 16;

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
    let lines = table_text(&table);
    let lines = lines.lines().map(|line| cut(line, width()) + "\n");
    print(&lines.collect::<String>())
}

fn generate(name: &str, arguments: Arguments) -> Outcome {
    let family = ludens_library::find_family(name).ok_or_else(|| {
        let names = ludens_library::families().map(|family| family.name.as_str());
        let hint = closest(name, names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        anyhow!("there is no family {name}{hint} (`ludens games --families` lists them)")
    })?;
    let (sizes, json) = parse_sizes(&arguments.words)?;
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let text = family.generate(&sizes).map_err(anyhow::Error::from)?;
    match json || arguments.json {
        true => print_json(&json!({ "family": name, "text": text }))?,
        false => print(&text)?,
    }
    Ok(Answer::Yes)
}

/// Parses `--rows 4` and `--rows=4`; `--json` may stand among them.
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
