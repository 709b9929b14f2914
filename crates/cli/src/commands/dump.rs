//! `ludens dump`: a stage of compilation, from rules to the propositional network, as text.

use crate::load;
use crate::output::{Answer, Outcome, print, print_json};
use anyhow::anyhow;
use ludens_ground::simplify::Passes;
use ludens_ground::stages::{self, Counts, Stage};
use serde_json::{Map, Value, json};

/// Print a stage of compilation as text
#[derive(clap::Args)]
#[command(
    after_help = "`normal` and `split` are rules, `ground` and `simplified` ground programs and `network` is the \
    propositional network, all in KIF without comments. The text can be read back; docs/engine.md describes it.\n\n\
    Examples:\n  ludens dump tic-tac-toe --stage ground > ground.kif && ludens match ground.kif\n  \
    ludens dump chess --stage network --timings > /dev/null"
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Stage to print: normal, split, ground, simplified or network
    #[arg(long, value_name = "STAGE", value_parser = stage_name)]
    stage: Stage,
    /// Simplification passes to run: constants, rebuild, inline (default: all)
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', conflicts_with = "without")]
    passes: Option<Vec<String>>,
    /// Simplification passes to skip
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    without: Vec<String>,
    /// Print the time and the sizes of each stage and pass to standard error
    #[arg(long)]
    timings: bool,
    /// Print stage, text and sizes as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

fn stage_name(text: &str) -> Result<Stage, String> {
    let names = || {
        Stage::ALL
            .iter()
            .map(|stage| stage.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let stage = Stage::ALL.into_iter().find(|stage| stage.name() == text);
    stage.ok_or_else(|| format!("the stages are {}", names()))
}

impl Arguments {
    fn passes(&self) -> Result<Passes, anyhow::Error> {
        Ok(match &self.passes {
            Some(passes) => Passes::only(passes)?,
            None => Passes::without(&self.without)?,
        })
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let passes = arguments.passes()?;
    let mut description = load::description(&arguments.game, &arguments.limits)?;
    let rules = description.take_normal();
    let limits = arguments.limits.options(Default::default()).limits;
    let dump = stages::dump(&rules, arguments.stage, passes, limits)
        .map_err(|cause| anyhow!("{} has no stage {}: {cause}", arguments.game, arguments.stage.name()))?;
    if arguments.timings {
        for step in &dump.timings {
            let seconds = step.time.as_secs_f64();
            tell!("{:<12} {seconds:>10.4} s   {}", step.name, counts(&step.sizes));
        }
    }
    match arguments.json {
        true => {
            let sizes: Map<String, Value> = dump
                .sizes
                .iter()
                .map(|&(name, count)| (name.to_string(), json!(count)))
                .collect();
            print_json(&json!({ "stage": arguments.stage.name(), "text": dump.text, "sizes": sizes }))?;
        }
        false => print(&dump.text)?,
    }
    Ok(Answer::Yes)
}

fn counts(sizes: &Counts) -> String {
    let sizes: Vec<String> = sizes.iter().map(|(name, count)| format!("{count} {name}")).collect();
    sizes.join(", ")
}
