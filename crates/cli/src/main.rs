//! The command line: one file a command, in `commands/`.
//!
//! Exit status: 0 done, 1 the answer is no, 2 the call is wrong or something cannot be read. Results go to standard
//! output, everything else to standard error.

// `println!` and `eprintln!` panic where nobody reads any more; results go through `output`, messages through `tell!`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

use clap::{Parser, Subcommand};
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

use commands::{
    agents, bench, check, dump, endgame, equilibrium, explain, exploit, fmt, games, info, judge, manager, perft, play,
    player, query, replay, serve, single_match, solve, tournament,
};
use output::Failure;

/// A General Game Playing platform: reads the rules of any game and checks, runs and explains them.
#[derive(Parser)]
#[command(name = "ludens", version, propagate_version = true)]
#[command(after_help = "GAME is a rule file (.kif, .gdl) or the name of a built-in game; `ludens games` lists them.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Agents(agents::Arguments),
    Bench(bench::Arguments),
    Check(check::Arguments),
    Dump(dump::Arguments),
    Endgame(endgame::Arguments),
    Equilibrium(equilibrium::Arguments),
    Explain(explain::Arguments),
    Exploit(exploit::Arguments),
    Fmt(fmt::Arguments),
    Games(games::Arguments),
    Info(info::Arguments),
    Judge(judge::Arguments),
    Manager(manager::Arguments),
    Match(single_match::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    Player(player::Arguments),
    Query(query::Arguments),
    Replay(replay::Arguments),
    Serve(serve::Arguments),
    Solve(solve::Arguments),
    Tournament(tournament::Arguments),
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
    let result = match arguments.command {
        Command::Agents(arguments) => agents::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Dump(arguments) => dump::run(arguments),
        Command::Endgame(arguments) => endgame::run(arguments),
        Command::Equilibrium(arguments) => equilibrium::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Exploit(arguments) => exploit::run(arguments),
        Command::Fmt(arguments) => fmt::run(arguments),
        Command::Games(arguments) => games::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Judge(arguments) => judge::run(arguments),
        Command::Manager(arguments) => manager::run(arguments),
        Command::Match(arguments) => single_match::run(arguments),
        Command::Perft(arguments) => perft::run(arguments),
        Command::Play(arguments) => play::run(arguments),
        Command::Player(arguments) => player::run(arguments),
        Command::Query(arguments) => query::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Solve(arguments) => solve::run(arguments),
        Command::Tournament(arguments) => tournament::run(arguments),
    };
    match result {
        Ok(answer) => answer.into(),
        Err(failure) => {
            if let Failure::Error(error) = &failure {
                tell!("error: {error:#}");
            }
            failure.into()
        }
    }
}
