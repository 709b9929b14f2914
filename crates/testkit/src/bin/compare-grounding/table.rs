//! The results as a Markdown table.

use serde_json::Value;
use std::time::Duration;

/// One row per game: the results of gringo and of Ludens.
pub(crate) fn markdown(rows: &[Value], limit: Duration) -> String {
    let mut text = String::from("| game | gringo: rules | seconds | Ludens: instances | gates | seconds |\n");
    text += "| --- | --: | --: | --: | --: | --: |\n";
    for row in rows {
        let (gringo, ludens) = (&row["gringo"], &row["ludens"]);
        let (rules, seconds) = match gringo["finished"].as_bool() {
            Some(true) => (count(&gringo["rules"]), time(&gringo["seconds"])),
            None => ("failed".to_string(), "-".to_string()),
            Some(false) => (
                format!("not finished ({} so far)", count(&gringo["rules"])),
                format!("over {}", limit.as_secs_f64()),
            ),
        };
        let ours = match ludens["engine"].as_str() {
            Some("compiled") => time(&ludens["setup_seconds"]),
            _ => "not compiled".to_string(),
        };
        text += &format!(
            "| {} | {rules} | {seconds} | {} | {} | {ours} |\n",
            row["game"].as_str().unwrap_or("?"),
            count(&ludens["instances"]),
            count(&ludens["gates"]),
        );
    }
    text
}

/// A count with thousands separators, or `-`.
fn count(value: &Value) -> String {
    let Some(number) = value.as_u64() else {
        return "-".to_string();
    };
    let digits = number.to_string();
    let separated = digits.char_indices().map(|(index, digit)| {
        let is_start_of_three = index > 0 && (digits.len() - index).is_multiple_of(3);
        format!("{}{digit}", if is_start_of_three { "," } else { "" })
    });
    separated.collect()
}

fn time(value: &Value) -> String {
    value
        .as_f64()
        .map_or("-".to_string(), |seconds| format!("{seconds:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tables_show_what_is_known() {
        let rows = [
            json!({
                "game": "small",
                "gringo": { "rules": 1234, "seconds": 0.5, "finished": true },
                "ludens": { "engine": "compiled", "setup_seconds": 0.25, "gates": 99 },
            }),
            json!({
                "game": "large",
                "gringo": { "rules": 7, "seconds": 60.1, "finished": false },
                "ludens": { "engine": "interpreted", "setup_seconds": 61.0, "gates": "unknown", "instances": "unknown" },
            }),
            json!({ "game": "odd", "gringo": null, "ludens": null }),
        ];
        let text = markdown(&rows, Duration::from_secs(60));
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| small | 1,234 | 0.50 | - | 99 | 0.25 |",
                "| large | not finished (7 so far) | over 60 | - | - | not compiled |",
                "| odd | failed | - | - | - | not compiled |"
            ]
        );
    }
}
