//! Runs another program with a time limit.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How a program ended.
pub(crate) struct End {
    pub(crate) seconds: f64,
    /// Whether it ended before the limit.
    pub(crate) finished: bool,
}

/// Runs a program with this input and hands over its output in pieces. Its standard error is passed on.
pub(crate) fn run(
    command: &mut Command,
    input: &str,
    limit: Duration,
    mut take: impl FnMut(&[u8]) + Send,
) -> Result<End, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (end_of_output, ended) = channel::<()>();
    let is_in_time = std::thread::scope(|scope| {
        // Input and output have a thread each, so that neither blocks the other.
        scope.spawn(move || {
            // A program that ends early does not read its input; its exit status shows that.
            let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        });
        scope.spawn(move || {
            // Dropped at the end of the output, which the receiver notices.
            let _end_of_output = end_of_output;
            let Some(mut stdout) = stdout else { return };
            let mut buffer = vec![0; 1 << 20];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                take(&buffer[..length]);
            }
        });
        let is_in_time = ended.recv_timeout(limit) != Err(RecvTimeoutError::Timeout);
        if !is_in_time {
            // It may have ended just now.
            let _ = child.kill();
        }
        is_in_time
    });
    let status = child.wait().map_err(failed)?;
    let seconds = start.elapsed().as_secs_f64();
    match !is_in_time || status.success() {
        true => Ok(End {
            seconds,
            finished: is_in_time,
        }),
        false => Err(format!("{name} failed ({status})")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str, limit: Duration) -> (Result<End, String>, Vec<u8>) {
        let mut output = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let end = run(&mut command, input, limit, |bytes| output.extend_from_slice(bytes));
        (end, output)
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let text = "line\n".repeat(100_000);
        let (end, output) = shell("cat", &text, Duration::from_secs(60));
        assert!(end.is_ok_and(|end| end.finished));
        assert_eq!(output, text.as_bytes());
        let (end, _) = shell("exit 3", "", Duration::from_secs(60));
        assert!(end.is_err());
    }

    #[test]
    fn endless_programs_are_stopped() {
        for script in ["exec sleep 1000", "exec yes"] {
            let (end, _) = shell(script, "", Duration::from_millis(200));
            assert!(end.is_ok_and(|end| !end.finished && end.seconds < 100.0), "{script}");
        }
    }
}
