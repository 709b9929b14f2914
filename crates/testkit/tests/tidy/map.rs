//! ARCHITECTURE.md as data: the table of crates by layer, and the tables of modules, which are generated from the
//! source.

use crate::tree::Crate;
use std::collections::BTreeMap;

/// Lines around the tables of modules.
const BEGIN: &str = "<!-- modules: written by LUDENS_BLESS=1 cargo test -p ludens-testkit --test tidy -->";
const END: &str = "<!-- end of modules -->";

/// A row of the table of crates.
pub struct Row {
    pub layer: String,
    pub name: String,
    pub sentence: String,
}

/// The table of crates, top to bottom. A row without a layer belongs to the one above.
pub fn layers(page: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in page.lines().skip_while(|line| !line.starts_with("| layer ")).skip(2) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [layer, name, sentence] = cells[..] else { break };
        let layer = match (layer, rows.last()) {
            ("", Some(above)) => above.layer.clone(),
            _ => layer.to_string(),
        };
        rows.push(Row {
            layer,
            name: name.trim_matches('`').to_string(),
            sentence: sentence.to_string(),
        });
    }
    rows
}

/// The page with its tables of modules generated from the source.
pub fn with_modules(page: &str, crates: &[Crate]) -> String {
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("ARCHITECTURE.md has the mark of its tables of modules");
    let (_, after) = rest
        .split_once(END)
        .expect("ARCHITECTURE.md has the mark after its tables of modules");
    let tables: String = layers(page)
        .iter()
        .filter_map(|row| crates.iter().find(|found| found.name == row.name))
        .map(table)
        .collect();
    format!("{before}{BEGIN}\n{tables}\n{END}{after}")
}

/// Table of one crate: a row for each top-level module and each module with submodules, with the first sentence of its
/// text and the names of its submodules.
fn table(found: &Crate) -> String {
    let name = |path: &str| path.trim_start_matches("src/").trim_end_matches(".rs").to_string();
    let mut parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in found.sources() {
        if let Some((module, part)) = name(&file.path).rsplit_once('/') {
            parts.entry(module.to_string()).or_default().push(part.to_string());
        }
    }
    let mut text = format!("\n### `{}`\n\n| module | | parts |\n| --- | --- | --- |\n", found.name);
    for file in found.sources() {
        let module = name(&file.path);
        let is_part = module.contains('/') && !parts.contains_key(&module);
        if is_part || (module == "lib" && found.sources().count() > 1) {
            continue;
        }
        let leaves = parts.get(&module).into_iter().flatten();
        let leaves: Vec<String> = leaves
            .filter(|part| *part != "tests")
            .filter(|part| !parts.contains_key(&format!("{module}/{part}")))
            .map(|part| format!("`{part}`"))
            .collect();
        let summary = file.summary().unwrap_or_default();
        text.push_str(&format!("| `{module}` | {summary} | {} |\n", leaves.join(", ")));
    }
    text
}
