//! The command line: one file per command, in `commands/`.
//!
//! Exit status: 0 done, 1 the answer is no, 2 the call is wrong or a file cannot be read. Results go to standard
//! output, everything else to standard error.

// `println!` and `eprintln!` panic on a closed pipe; results go through `output`, messages through `tell!`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

use clap::Parser;
use std::process::ExitCode;

/// Writes a line to standard error; ignores a closed pipe.
macro_rules! tell {
    ($($message:tt)*) => {
        $crate::output::tell(format_args!($($message)*))
    };
}

mod arguments;
mod commands;
mod interrupt;
mod load;
mod output;
mod players;
mod progress;
mod solutions;
mod trace;

use output::Failure;

/// A General Game Playing platform: checks, runs, solves and explains any game given by its rules
#[derive(Parser)]
#[command(name = "ludens", version, propagate_version = true)]
#[command(after_help = "GAME is a rule file (.kif, .gdl) or the name of a built-in game; `ludens games` lists them.")]
struct Arguments {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; clap knows the difference.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match arguments.command.run() {
        Ok(answer) => answer.into(),
        Err(failure) => {
            if let Failure::Error(error) = &failure {
                tell!("error: {error:#}");
            }
            failure.into()
        }
    }
}
