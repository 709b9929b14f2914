//! Reads a Markdown page as a session: files to write, commands to run and the output they should print.

/// One thing to do in the session of a page, in the order of the page.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    /// Write a file: a block whose fence has `file=NAME`.
    Write { name: String, text: String },
    /// Write a file that another page shows: a comment `<!-- file: NAME from PAGE -->`.
    Borrow { name: String, page: String },
    /// Run a command of a `console` block and compare its output.
    Run(Command),
}

/// A command of a `console` block.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The command, without the prompt, continued lines joined.
    pub text: String,
    /// The line of the page that has the prompt, counted from one.
    pub line: usize,
    /// The output that the page shows.
    pub expected: Vec<String>,
    /// The lines of the page that hold this output, counted from zero.
    pub lines: std::ops::Range<usize>,
}

/// Returns the actions of a page, or what is wrong with its fences.
pub fn actions(page: &str) -> Result<Vec<Action>, String> {
    let lines: Vec<&str> = page.lines().collect();
    let mut actions = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if let Some(words) = line
            .strip_prefix("<!-- file: ")
            .and_then(|rest| rest.strip_suffix(" -->"))
        {
            let (name, page) = words
                .split_once(" from ")
                .ok_or_else(|| format!("line {at}: write `<!-- file: NAME from PAGE -->`"))?;
            actions.push(Action::Borrow {
                name: name.to_string(),
                page: page.to_string(),
            });
        }
        let Some(info) = line.strip_prefix("```") else { continue };
        let start = at;
        while at < lines.len() && !lines[at].starts_with("```") {
            at += 1;
        }
        if at == lines.len() {
            return Err(format!("line {start}: this block is never closed"));
        }
        let (language, attribute) = info.split_once(' ').unwrap_or((info, ""));
        if let Some(name) = attribute.strip_prefix("file=") {
            let text = lines[start..at].iter().map(|line| format!("{line}\n")).collect();
            actions.push(Action::Write {
                name: name.to_string(),
                text,
            });
        } else if language == "console" {
            match attribute.strip_prefix("no-run:").map(str::trim) {
                Some("") => return Err(format!("line {start}: `no-run:` needs a reason")),
                Some(_) => {}
                None if attribute.is_empty() => commands(&lines, start..at, &mut actions)?,
                None => return Err(format!("line {start}: unknown attribute `{attribute}`")),
            }
        }
        at += 1;
    }
    Ok(actions)
}

/// Adds the commands of one `console` block.
fn commands(lines: &[&str], block: std::ops::Range<usize>, actions: &mut Vec<Action>) -> Result<(), String> {
    let mut at = block.start;
    while at < block.end {
        let line = at + 1;
        let mut text = lines[at]
            .strip_prefix("$ ")
            .ok_or_else(|| format!("line {line}: a `console` block begins with a command, `$ ...`"))?
            .to_string();
        at += 1;
        while text.ends_with('\\') && at < block.end {
            text.push('\n');
            text.push_str(lines[at]);
            at += 1;
        }
        let first = at;
        while at < block.end && !lines[at].starts_with("$ ") {
            at += 1;
        }
        actions.push(Action::Run(Command {
            text,
            line,
            expected: lines[first..at].iter().map(|line| line.to_string()).collect(),
            lines: first..at,
        }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_list_of_files_and_commands() {
        let page = "# A\n```lisp file=a.kif\n(role a)\n```\n<!-- file: b.kif from docs/b.md -->\n```console\n$ cat \\\n  a.kif\n(role \
                    a)\n$ true\n```\n```console no-run: takes an hour\n$ sleep 3600\n```\n";
        let found = actions(page).expect("a page");
        assert_eq!(
            found[..2],
            [
                Action::Write {
                    name: "a.kif".into(),
                    text: "(role a)\n".into()
                },
                Action::Borrow {
                    name: "b.kif".into(),
                    page: "docs/b.md".into()
                },
            ]
        );
        let Action::Run(first) = &found[2] else {
            panic!("{found:?}")
        };
        assert_eq!((first.text.as_str(), first.line), ("cat \\\n  a.kif", 7));
        assert_eq!(
            (first.expected.as_slice(), first.lines.clone()),
            (["(role a)".to_string()].as_slice(), 8..9)
        );
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn faulty_fences_are_named() {
        for (page, fault) in [
            ("```console\n$ true\n", "line 1: this block is never closed"),
            ("```console no-run:\n```\n", "line 1: `no-run:` needs a reason"),
            ("```console norun\n```\n", "line 1: unknown attribute `norun`"),
            (
                "```console\ntrue\n```\n",
                "line 2: a `console` block begins with a command, `$ ...`",
            ),
        ] {
            assert_eq!(actions(page), Err(fault.to_string()));
        }
    }
}
