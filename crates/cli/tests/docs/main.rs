//! Runs every `console` block of the README and the manual and compares what the program prints. CONTRIBUTING.md has
//! the rules for authors of pages.
//!
//! A page is a session in a folder of its own, top to bottom; pages run side by side.

mod compare;
mod links;
mod page;

use page::{Action, Command};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time after which a command is killed: far more than any command of the manual needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and all pages of the manual, by path from the root.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_string()];
    let mut folders = vec!["docs".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the manual") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_str().expect("a plain name"));
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The folder in which the commands of a page run, empty at first.
struct Session {
    folder: PathBuf,
}

impl Session {
    fn new(name: &str) -> Session {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("docs")
            .join(name.replace('/', "-"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the session");
        Session { folder }
    }

    /// Runs a command in the shell and returns what it printed on both channels.
    fn run(&self, command: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_ludens"))
            .parent()
            .expect("a folder of the program");
        let path = std::env::var("PATH").unwrap_or_default();
        let printed = self.folder.join(".printed");
        let file = File::create(&printed).expect("a file for the output");
        let mut child = process::Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", program.display()))
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", self.folder.join(".data"))
            .env("NO_COLOR", "1")
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a second handle"))
            .stderr(file)
            .spawn()
            .expect("sh runs");
        let begun = Instant::now();
        while child.try_wait().expect("a child to wait for").is_none() {
            if begun.elapsed() > PATIENCE {
                let _ = child.kill();
                panic!("`{command}` takes more than {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let bytes = fs::read(&printed).expect("the output");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The text of a file that a page shows.
fn shown(page: &str, file: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(page)).ok()?;
    let actions = page::actions(&text).ok()?;
    actions.into_iter().find_map(|action| match action {
        Action::Write { name, text } if name == file => Some(text),
        _ => None,
    })
}

/// What differs on a page, and the page as it should be.
struct Outcome {
    differences: Vec<String>,
    /// Differences that cannot be written anew.
    faults: Vec<String>,
    renewed: String,
}

fn check(name: &str) -> Outcome {
    let text = fs::read_to_string(root().join(name)).expect("a page");
    let mut outcome = Outcome {
        differences: Vec::new(),
        faults: Vec::new(),
        renewed: text.clone(),
    };
    let actions = match page::actions(&text) {
        Ok(actions) => actions,
        Err(fault) => {
            outcome.faults.push(format!("{name}, {fault}"));
            return outcome;
        }
    };
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let session = Session::new(name);
    let mut replaced = Vec::new();
    for action in &actions {
        match action {
            Action::Write { name, text } => fs::write(session.folder.join(name), text).expect("a file of the page"),
            Action::Borrow { name: file, page } => match shown(page, file) {
                Some(text) => fs::write(session.folder.join(file), text).expect("a file of another page"),
                None => outcome.faults.push(format!("{name}: {page} does not show {file}")),
            },
            Action::Run(command) => {
                let printed = session.run(&command.text);
                let printed: Vec<&str> = printed.lines().collect();
                if printed.iter().any(|line| line.contains("panicked at")) {
                    outcome.faults.push(format!(
                        "{name}:{}: {}\n{}",
                        command.line,
                        command.text,
                        printed.join("\n")
                    ));
                } else if !compare::agree(&command.expected, &printed) {
                    outcome.differences.push(difference(name, command, &printed));
                    match compare::renewed(&command.expected, &printed) {
                        Some(output) => replaced.push((command.lines.clone(), output)),
                        None => outcome
                            .faults
                            .push(format!("{name}:{}: renew this block by hand", command.line)),
                    }
                }
            }
        }
    }
    for (range, output) in replaced.into_iter().rev() {
        lines.splice(range, output);
    }
    outcome.renewed = lines.join("\n") + "\n";
    outcome
}

fn difference(name: &str, command: &Command, printed: &[&str]) -> String {
    format!(
        "{name}:{}: $ {}\n--- the page shows\n{}\n--- the program prints\n{}\n",
        command.line,
        command.text,
        command.expected.join("\n"),
        printed.join("\n")
    )
}

/// `LUDENS_PAGES=cli,tour` runs only pages whose path contains one of these words.
fn wanted(name: &str) -> bool {
    match std::env::var("LUDENS_PAGES") {
        Ok(words) => words.split(',').any(|word| name.contains(word)),
        Err(_) => true,
    }
}

#[test]
fn the_manual_shows_what_commands_print() {
    let queue: Mutex<Vec<String>> = Mutex::new(pages().into_iter().filter(|name| wanted(name)).collect());
    let wrong: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let bless = std::env::var_os("LUDENS_BLESS").is_some();
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(name) = queue.lock().expect("the queue").pop() else {
                        break;
                    };
                    let begun = Instant::now();
                    let outcome = check(&name);
                    println!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
                    let mut wrong = wrong.lock().expect("the list");
                    wrong.extend(outcome.faults);
                    // Pages that stay as they are keep their time: some are compiled in.
                    match (bless, outcome.differences.is_empty()) {
                        (_, true) => {}
                        (true, false) => {
                            fs::write(root().join(&name), outcome.renewed).expect("a page that can be written")
                        }
                        (false, false) => wrong.extend(outcome.differences),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("the list");
    assert!(
        wrong.is_empty(),
        "LUDENS_BLESS=1 writes new outputs.\n\n{}",
        wrong.join("\n")
    );
}

#[test]
fn links_lead_to_files_and_headings() {
    let own = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_string);
    let broken: Vec<String> = pages()
        .into_iter()
        .chain(own)
        .map(|name| root().join(name))
        .flat_map(|path| links::broken(&path, &fs::read_to_string(&path).expect("a page")))
        .collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_table_of_pages_is_complete() {
    let table = fs::read_to_string(root().join("docs/README.md")).expect("the table of pages");
    let is_listed = |name: &str| table.contains(&format!("]({})", name.trim_start_matches("docs/")));
    let pages = pages()
        .into_iter()
        .filter(|name| !name.contains("README") && !name.contains("diagnostics/"));
    let missing: Vec<String> = pages.filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "docs/README.md lacks {missing:?}");
}

#[test]
fn the_manual_has_the_help_of_every_command() {
    let help = Session::new("help").run("ludens --help");
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")?
                .split(' ')
                .next()
                .filter(|name| !name.is_empty())
        })
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 20, "{help}");
    let manual = fs::read_to_string(root().join("docs/cli.md")).expect("the page of commands");
    let missing: Vec<&&str> = commands
        .iter()
        .filter(|name| {
            !["--help", "-h"]
                .iter()
                .any(|option| manual.contains(&format!("```console\n$ ludens {name} {option}\n")))
        })
        .collect();
    assert!(
        missing.is_empty(),
        "docs/cli.md lacks `$ ludens NAME --help` of {missing:?}"
    );
}
