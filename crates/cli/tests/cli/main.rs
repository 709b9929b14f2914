//! The command line from outside: exit status, JSON and what a person at the terminal sees.

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

mod asking;
mod equilibria;
mod exploiting;
mod exploring;
mod listing;
mod matches;
mod measuring;
mod playing;
mod protocol;
mod reasoning;
mod serving;
mod solving;
mod studies;
mod tournaments;
mod wrong_calls;

/// A walk from a to c (50) or over b to d (100).
const WALK: &str = "(role you)
(init (at a))
(<= (legal you (go b))
    (true (at a)))
(<= (legal you (go c))
    (true (at a)))
(<= (legal you (go d))
    (true (at b)))
(<= (legal you stay)
    (true (at b)))
(<= (next (at ?x))
    (does you (go ?x)))
(<= (next (at ?x))
    (does you stay)
    (true (at ?x)))
(<= terminal
    (true (at c)))
(<= terminal
    (true (at d)))
(<= (goal you 50)
    (true (at c)))
(<= (goal you 100)
    (true (at d)))
(<= (goal you 0)
    (not terminal))
";

fn ludens(arguments: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("ludens");
    command.args(arguments).env("NO_COLOR", "1").env_remove("COLUMNS");
    command
}

/// Exit status, standard output and standard error.
struct Run {
    status: i32,
    out: String,
    err: String,
}

fn run_with(arguments: &[&str], input: &str) -> Run {
    let output = ludens(arguments).write_stdin(input).output().expect("ludens runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    let run = Run {
        status: output.status.code().expect("ludens ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!run.err.contains("panicked"), "{arguments:?}: {}", run.err);
    run
}

fn run(arguments: &[&str]) -> Run {
    run_with(arguments, "")
}

/// The one JSON value that a command prints, and its exit status.
fn run_json(arguments: &[&str]) -> (Value, i32) {
    let run = run(arguments);
    let value = serde_json::from_str(&run.out).unwrap_or_else(|error| {
        panic!(
            "{arguments:?} does not print one JSON value: {error}\n{}{}",
            run.out, run.err
        )
    });
    (value, run.status)
}

/// Sends Ctrl-C to a process when it has this many threads, which is the sign that its work has begun.
#[cfg(target_os = "linux")]
fn interrupt_at_threads(child: &std::process::Child, threads: usize) {
    let status = format!("/proc/{}/status", child.id());
    let running = || -> Option<usize> {
        let text = std::fs::read_to_string(&status).ok()?;
        text.lines()
            .find_map(|line| line.strip_prefix("Threads:"))?
            .trim()
            .parse()
            .ok()
    };
    while running().expect("the process has not ended yet") < threads {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    interrupt(child);
}

#[cfg(target_os = "linux")]
fn interrupt(child: &std::process::Child) {
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}

fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_str().expect("a plain path").to_string()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn has_fields(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "{field} is missing in {value}");
    }
}
