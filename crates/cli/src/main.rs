//! The command line: one file a command, in `commands/`.
//!
//! Exit status: 0 done, 1 the answer is no, 2 the call is wrong or something cannot be read. Results go to standard
//! output, everything else to standard error.

// `println!` and `eprintln!` panic where nobody reads any more; results go through `output`, messages through `tell!`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

use clap::Parser;
use std::process::ExitCode;

/// Writes a line to standard error; that nobody reads it is no reason to fail.
macro_rules! tell {
    ($($message:tt)*) => {
        $crate::output::tell(format_args!($($message)*))
    };
}

mod commands;
mod engines;
mod interrupt;
mod load;
mod output;
mod players;
mod progress;
mod solutions;
mod trace;

use output::Failure;

/// A General Game Playing platform: reads the rules of any game and checks, runs and explains them.
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
            // Help and version are no errors; clap knows the difference.
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
