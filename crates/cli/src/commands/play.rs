//! `ludens play`: a person at the terminal against random play.

use crate::load;
use crate::output::{Answer, Failure, Outcome, counted};
use anyhow::anyhow;
use ludens_board::Boards;
use ludens_engine::{Game, Machine, MoveId, Rng, Role, SeveralGoals};
use ludens_report::notes;
use std::io::{self, Write};

/// Play a game at the terminal against a random agent
#[derive(clap::Args)]
#[command(
    after_help = "At the prompt: a move's number, its text such as `(mark 1 1)` or `mark 1 1`, or one of the \
    commands list, state, random, quit. After 100 steps without a choice you are asked whether to go on."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// The role you play (default: the first)
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Makes the opponent's choices repeatable
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let person = person(&game, arguments.role.as_deref())?;
    let mut table = Table {
        boards: Boards::find(&game),
        machine: game.machine(),
        rng: arguments.seed.map_or_else(Rng::new, Rng::with_seed),
        game: &game,
        person,
        input: io::stdin().lines(),
        step: 0,
        forced: 0,
    };
    table.play()
}

fn person(game: &Game, name: Option<&str>) -> Result<Role, Failure> {
    let is_human = |role: &Role| !game.is_random(*role);
    match name {
        None => game
            .roles()
            .find(is_human)
            .ok_or_else(|| anyhow!("the only role of this game is chance").into()),
        Some(name) => game.find_role(name).filter(is_human).ok_or_else(|| {
            let names: Vec<&str> = game.roles().filter(is_human).map(|role| game.role_name(role)).collect();
            anyhow!("there is no role {name} to play; choose one of: {}", names.join(", ")).into()
        }),
    }
}

struct Table<'a> {
    game: &'a Game,
    boards: Boards,
    machine: Box<dyn Machine>,
    rng: Rng,
    person: Role,
    input: io::Lines<io::StdinLock<'static>>,
    step: usize,
    /// Steps since the person last had a choice.
    forced: usize,
}

/// Steps without a choice after which the person is asked whether to go on.
const MOST_FORCED: usize = 100;

fn is_quit(word: &str) -> bool {
    ["quit", "exit", "q"].contains(&word)
}

/// What a person answers at the prompt.
enum Reply {
    Move(MoveId),
    Quit,
}

impl Table<'_> {
    fn play(&mut self) -> Outcome {
        let name = self.game.role_name(self.person).to_string();
        let mut out = io::stdout();
        writeln!(out, "{}: you are {name}", self.game.name())?;
        if let Some(note) = notes::hidden_information(self.game) {
            writeln!(out, "note: {note}")?;
        }
        loop {
            self.show()?;
            if let Some(fault) = self.machine.fault() {
                return Err(anyhow!("the match cannot go on: {fault}").into());
            }
            if self.machine.is_terminal() {
                return self.finish();
            }
            if self.forced == MOST_FORCED && !self.goes_on()? {
                return Ok(Answer::Yes);
            }
            self.forced += 1;
            let mut joint = Vec::new();
            for role in self.game.roles() {
                let legal = self.machine.legal(role).to_vec();
                if legal.is_empty() {
                    writeln!(
                        out,
                        "{} has no legal move: the match ends here",
                        self.game.role_name(role)
                    )?;
                    return Ok(Answer::No);
                }
                let random = legal[self.rng.usize(..legal.len())];
                joint.push(match (role == self.person, legal.len()) {
                    (false, _) => random,
                    (true, 1) => legal[0],
                    (true, _) => match self.ask(&legal, random)? {
                        Reply::Move(chosen) => chosen,
                        Reply::Quit => {
                            writeln!(out, "\nYou left the match.")?;
                            return Ok(Answer::Yes);
                        }
                    },
                });
            }
            for (role, &move_id) in self.game.roles().zip(&joint) {
                writeln!(
                    out,
                    "{} plays {}",
                    self.game.role_name(role),
                    self.game.move_text(role, move_id)
                )?;
            }
            self.machine.step(&joint);
            self.step += 1;
        }
    }

    /// Asks whether to go on after many steps in which the person had no choice. A match without an end would otherwise
    /// fill the screen for ever, even after the input has ended.
    fn goes_on(&mut self) -> Result<bool, Failure> {
        let mut out = io::stdout();
        write!(
            out,
            "\nYou had no choice for {MOST_FORCED} steps. Enter goes on, `quit` leaves> "
        )?;
        out.flush()?;
        self.forced = 0;
        let goes_on = match self.input.next() {
            None => {
                writeln!(out, "\nThe input has ended.")?;
                false
            }
            Some(line) => !is_quit(line?.trim()),
        };
        if !goes_on {
            writeln!(out, "You left the match after {}.", counted(self.step, "step"))?;
        }
        Ok(goes_on)
    }

    fn show(&mut self) -> Result<(), Failure> {
        let view = self.boards.view(self.game, self.machine.state());
        let mut out = io::stdout();
        writeln!(out, "\n--- step {} ---", self.step)?;
        for drawing in self.boards.draw(&view) {
            writeln!(out, "{drawing}")?;
        }
        if !view.facts.is_empty() {
            let facts: Vec<&str> = view.facts.iter().map(|fact| fact.text.as_str()).collect();
            writeln!(out, "{}", facts.join(" "))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Outcome {
        let mut out = io::stdout();
        writeln!(out, "\nThe match is over.")?;
        let several = self.game.ambiguous_goals(&mut *self.machine);
        for (role, values) in &several {
            let values: Vec<String> = values.iter().map(u8::to_string).collect();
            let (role, policy) = (self.game.role_name(*role), self.game.several_goals().name());
            let values = values.join(" and ");
            writeln!(
                out,
                "note: the rules give {role} the goals {values} here (--several-goals {policy})"
            )?;
        }
        if !several.is_empty() && self.game.several_goals() == SeveralGoals::Error {
            writeln!(out, "The match has no result.")?;
            return Ok(Answer::No);
        }
        for role in self.game.roles().filter(|&role| !self.game.is_random(role)) {
            let you = if role == self.person { " (you)" } else { "" };
            let goal = self.machine.score(role);
            writeln!(out, "{}{you}: {goal}", self.game.role_name(role))?;
        }
        Ok(Answer::Yes)
    }

    fn ask(&mut self, legal: &[MoveId], random: MoveId) -> Result<Reply, Failure> {
        self.forced = 0;
        self.list(legal)?;
        loop {
            let mut out = io::stdout();
            write!(out, "your move> ")?;
            out.flush()?;
            let Some(line) = self.input.next() else {
                return Ok(Reply::Quit);
            };
            let line = line?;
            match line.trim() {
                "" => {}
                word if is_quit(word) => return Ok(Reply::Quit),
                "random" => return Ok(Reply::Move(random)),
                "list" => self.list(legal)?,
                "state" => self.show()?,
                text => match self.understand(text, legal) {
                    Ok(chosen) => return Ok(Reply::Move(chosen)),
                    Err(reason) => writeln!(out, "{reason}")?,
                },
            }
        }
    }

    fn list(&self, legal: &[MoveId]) -> Result<(), Failure> {
        let mut out = io::stdout();
        let texts: Vec<String> = legal
            .iter()
            .enumerate()
            .map(|(number, &id)| format!("{:>4} {}", number + 1, self.game.move_text(self.person, id)))
            .collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0) + 2;
        let columns = (96 / width).max(1);
        for row in texts.chunks(columns) {
            let cells: Vec<String> = row.iter().map(|text| format!("{text:<width$}")).collect();
            writeln!(out, "{}", cells.concat().trim_end())?;
        }
        Ok(())
    }

    /// A number of the list, or a move with or without its outer parentheses.
    fn understand(&self, text: &str, legal: &[MoveId]) -> Result<MoveId, String> {
        if let Ok(number) = text.parse::<usize>() {
            let by_number = number.checked_sub(1).and_then(|index| legal.get(index));
            // A move may itself be a number; the list shows which number means what.
            if let Some(&chosen) = by_number {
                return Ok(chosen);
            }
        }
        let spellings = [text.to_string(), format!("({text})")];
        let found = spellings
            .iter()
            .filter_map(|text| self.game.parse_move(self.person, text))
            .find(|id| legal.contains(id));
        found.ok_or_else(|| {
            format!(
                "`{text}` is not a legal move; type a number from 1 to {}, a move, `list`, `state`, `random` or `quit`",
                legal.len()
            )
        })
    }
}
