//! The commands: one file each, with its arguments and a function that runs it. A new command is a file here, its module
//! and its line in the table at the end.

use crate::output::Outcome;
use clap::Subcommand;

mod agents;
mod analyse;
mod annotate;
mod belief;
mod bench;
pub(crate) mod check;
mod director;
mod dump;
mod endgame;
mod equilibrium;
mod explain;
mod exploit;
mod fmt;
mod games;
mod info;
mod manager;
mod perft;
mod play;
mod player;
mod query;
mod reason;
mod replay;
mod same;
mod serve;
mod single_match;
mod solve;
mod tournament;

/// Makes the enumeration of commands, with the arguments of each, and the function that runs them.
macro_rules! commands {
    ($($name:ident: $module:ident,)*) => {
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($name($module::Arguments),)*
        }

        impl Command {
            /// Runs the command.
            pub(crate) fn run(self) -> Outcome {
                match self {
                    $(Command::$name(arguments) => $module::run(arguments),)*
                }
            }
        }
    };
}

commands! {
    Agents: agents,
    Analyse: analyse,
    Annotate: annotate,
    Belief: belief,
    Bench: bench,
    Check: check,
    Director: director,
    Dump: dump,
    Endgame: endgame,
    Equilibrium: equilibrium,
    Explain: explain,
    Exploit: exploit,
    Fmt: fmt,
    Games: games,
    Info: info,
    Manager: manager,
    Match: single_match,
    Perft: perft,
    Play: play,
    Player: player,
    Query: query,
    Reason: reason,
    Replay: replay,
    Same: same,
    Serve: serve,
    Solve: solve,
    Tournament: tournament,
}
