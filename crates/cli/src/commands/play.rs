//! `ludens play`: a person at the terminal against agents.
//!
//! The match loop runs the match. This command adds an observer, which draws the states, and the person as an agent, who
//! is asked at the prompt.

use crate::arguments::PaceArguments;
use crate::output::{Answer, Failure, Outcome, counted, print};
use crate::{interrupt, load, players};
use anyhow::anyhow;
use ludens_board::Boards;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};
use ludens_play::{
    Agent, EndReason, Failure as Unanswered, Match, MatchEvent, Observer, Outcome as MatchOutcome, Pace, Place, Player,
    Position, Setup, Tracker, View, seats,
};
use ludens_report::notes;
use ludens_search::Decision;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Play a game at the terminal against agents
#[derive(clap::Args)]
#[command(
    mut_arg("start_clock", |clock| clock.default_value("2")),
    after_help = "Agents have names and settings, as in `random` or `ucb(c=20)`; `ludens agents` lists them. An address \
    such as `localhost:9147` is a player of the GGP protocol. The role `random` is chance and needs no agent.\n\
    At the prompt: a move's number, its text such as `(mark 1 1)` or `mark 1 1`, or one of the commands list, state, \
    random, quit. After 100 steps without a choice you are asked whether to continue. Ctrl-C leaves the match."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Role that you play (default: the first)
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Opponents: one agent for all other roles, or one for each, in the order of the roles (default: best)
    #[arg(long, value_name = "A,B,...")]
    against: Option<String>,
    #[command(flatten)]
    pace: PaceArguments,
    /// Seed of all random choices (default: random)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Let all players and you see the whole state, also where the rules hide information
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Number of steps without a choice after which the person is asked whether to continue.
const MOST_FORCED: usize = 100;

/// Interval at which the prompt checks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let pace = arguments.pace.pace();
    let cancel = interrupt::flag();
    let budget = Budget::until_cancelled(cancel.clone());
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let person = person(&game, arguments.role.as_deref())?;
    let opponents = opponents(
        &game,
        person,
        arguments.against.as_deref(),
        pace,
        arguments.open,
        &budget,
    )?;
    let terminal = Arc::new(Terminal {
        boards: Boards::find(&game),
        game: game.clone(),
        person,
        lines: Mutex::new(lines()),
        cancel,
        farewell: Mutex::new("\nYou left the match.".to_string()),
        failure: Mutex::new(None),
    });
    let mut opponents = opponents.into_iter();
    let players = seats(&game).into_iter().filter_map(|role| match role == person {
        true => Some(at_the_prompt(terminal.clone())),
        false => opponents.next(),
    });
    let setup = Setup {
        // Agents think while the person does.
        at_once: true,
        most_steps: usize::MAX,
        is_open: arguments.open,
        ..Setup::new(game.clone(), players.collect(), pace)
    }
    .with_seed(arguments.seed.unwrap_or_else(|| Rng::new().u32(..).into()))
    .with_budget(budget);
    super::single_match::silence_agents();
    let mut screen = Screen {
        terminal: &terminal,
        setup: &setup,
        last: None,
    };
    let outcome = Match::new(&setup).run(&mut [&mut screen]);
    let failure = terminal.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    failure.map_or_else(|| terminal.finish(outcome), Err)
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

/// Players of all other roles.
fn opponents(
    game: &Game,
    person: Role,
    against: Option<&str>,
    pace: Pace,
    is_open: bool,
    budget: &Budget,
) -> Result<Vec<Player>, Failure> {
    let mut roles = seats(game);
    roles.retain(|&role| role != person);
    let mut specs = players::parse(against.unwrap_or("best"))?;
    let given = specs.len();
    if given == 1 {
        specs = vec![specs[0].clone(); roles.len()];
    }
    if specs.len() != roles.len() || roles.is_empty() && against.is_some() {
        let names: Vec<&str> = roles.iter().map(|&role| game.role_name(role)).collect();
        let others = match names.is_empty() {
            true => "no other role".to_string(),
            false => format!("{} ({})", counted(names.len(), "other role"), names.join(", ")),
        };
        return Err(anyhow!(
            "--against names {}; {} has {others}",
            counted(given, "agent"),
            game.name()
        )
        .into());
    }
    for spec in &specs {
        players::check(spec, game, is_open)?;
    }
    let remote = players::remote_options(&specs, pace)?;
    let addresses = players::addresses(&specs);
    let opponents = specs.into_iter().map(|spec| players::player(spec, remote));
    players::introduced(opponents.collect::<Result<_, _>>()?, &addresses, budget)
}

/// Lines of standard input, read by a thread, so that waiting for one can end early.
fn lines() -> Receiver<io::Result<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lines() {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn is_quit(word: &str) -> bool {
    ["quit", "exit", "q"].contains(&word)
}

/// State shared by the person and the screen.
struct Terminal {
    game: Game,
    boards: Boards,
    person: Role,
    lines: Mutex<Receiver<io::Result<String>>>,
    /// Ends the match.
    cancel: Arc<AtomicBool>,
    /// Last line if the person leaves the match.
    farewell: Mutex<String>,
    /// Error that ended the use of the terminal.
    failure: Mutex<Option<Failure>>,
}

impl Terminal {
    /// Prints a text. If that fails, the match ends.
    fn show(&self, text: &str) {
        if let Err(failure) = print(text) {
            self.fail(failure);
        }
    }

    fn fail(&self, failure: Failure) {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(failure);
        self.leave();
    }

    fn leave(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Asks for a line; `None` if the input has ended or the person left the match.
    fn ask(&self, prompt: &str) -> Option<String> {
        self.show(prompt);
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return None;
            }
            match lines.recv_timeout(GLANCE) {
                Ok(Ok(line)) => return Some(line.trim().to_string()),
                Ok(Err(error)) => self.fail(error.into()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Draws a state.
    fn state(&self, step: usize, state: &State) -> String {
        let view = self.boards.view(&self.game, state);
        let mut text = format!("\n--- step {step} ---\n");
        for drawing in self.boards.draw(&view) {
            text += &format!("{drawing}\n");
        }
        if !view.facts.is_empty() {
            let facts: Vec<&str> = view.facts.iter().map(|fact| fact.text.as_str()).collect();
            text += &format!("{}\n", facts.join(" "));
        }
        text
    }

    /// Legal moves with their numbers, in columns.
    fn list(&self, legal: &[MoveId]) -> String {
        let texts: Vec<String> = legal
            .iter()
            .enumerate()
            .map(|(number, &id)| format!("{:>4} {}", number + 1, self.game.move_text(self.person, id)))
            .collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0) + 2;
        let columns = (96 / width).max(1);
        let row = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|text| format!("{text:<width$}")).collect();
            format!("{}\n", cells.concat().trim_end())
        };
        texts.chunks(columns).map(row).collect()
    }

    /// Parses a move: a number of the list, or a move with or without its outer parentheses.
    fn parse(&self, text: &str, legal: &[MoveId]) -> Result<MoveId, String> {
        if let Ok(number) = text.parse::<usize>() {
            let by_number = number.checked_sub(1).and_then(|index| legal.get(index));
            // A move may itself be a number; the number in the list takes precedence.
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
                "`{text}` is not a legal move; type a number from 1 to {}, a move, `list`, `state`, `random` or `quit`\n",
                legal.len()
            )
        })
    }

    fn finish(&self, outcome: MatchOutcome) -> Outcome {
        let detail = outcome.end.detail.unwrap_or_default();
        match outcome.end.reason {
            EndReason::Terminal | EndReason::SeveralGoals => {}
            EndReason::EngineFault => return Err(anyhow!("the match cannot continue: {detail}").into()),
            EndReason::Stuck => {
                print(&format!("{detail}: the match ends here\n"))?;
                return Ok(Answer::No);
            }
            EndReason::Interrupted | EndReason::TooLong | EndReason::Unfinished => {
                let farewell = self.farewell.lock().unwrap_or_else(PoisonError::into_inner);
                print(&format!("{farewell}\n"))?;
                return Ok(Answer::Yes);
            }
        }
        let mut text = "\nThe match is over.\n".to_string();
        if !detail.is_empty() {
            text += &format!("note: the rules are ambiguous here: {detail}\n");
        }
        let Some(goals) = outcome.goals else {
            print(&format!("{text}The match has no result.\n"))?;
            return Ok(Answer::No);
        };
        for role in seats(&self.game) {
            let you = if role == self.person { " (you)" } else { "" };
            text += &format!("{}{you}: {}\n", self.game.role_name(role), goals[role.index()]);
        }
        print(&text)?;
        Ok(Answer::Yes)
    }
}

/// Draws the match while it is played.
struct Screen<'a> {
    terminal: &'a Terminal,
    setup: &'a Setup,
    /// The last state, which is shown at the end where information is hidden.
    last: Option<(usize, State)>,
}

impl Screen<'_> {
    fn heading(&self) -> String {
        let Terminal { game, person, .. } = self.terminal;
        let mut text = format!("{}: you are {}\n", game.name(), game.role_name(*person));
        for (role, player) in game.roles().zip(self.setup.player_names()) {
            if role != *person && !game.is_random(role) {
                text += &format!("{} is played by {player}\n", game.role_name(role));
            }
        }
        let note = match self.setup.hides() {
            true => Some("you see what your role sees (`state` shows what follows from it)".to_string()),
            false => notes::open_information(game),
        };
        if let Some(note) = note {
            text += &format!("note: {note}\n");
        }
        text
    }
}

impl Observer for Screen<'_> {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        let terminal = self.terminal;
        let game = &terminal.game;
        match event {
            MatchEvent::Started { state, .. } => terminal.show(&(self.heading() + &terminal.state(0, state))),
            MatchEvent::Fault { role, kind, detail, .. } => terminal.show(&format!(
                "{} failed ({}): {detail}\n",
                game.role_name(*role),
                kind.name()
            )),
            MatchEvent::Moved {
                step,
                joint,
                state,
                percepts: Some(percepts),
                ..
            } if self.setup.hides() => {
                let person = terminal.person;
                let seen = game.percept_texts(person, &percepts[person]);
                let seen = if seen.is_empty() {
                    "nothing".to_string()
                } else {
                    seen.join(" ")
                };
                let own = game.move_text(person, joint[person.index()]);
                terminal.show(&format!(
                    "\n--- step {} ---\nyou play {own}\nyou see {seen}\n",
                    step + 1
                ));
                self.last = Some((step + 1, (*state).clone()));
            }
            MatchEvent::Moved { step, joint, state, .. } => {
                let moves = game.roles().zip(*joint);
                let moves =
                    moves.map(|(role, &id)| format!("{} plays {}\n", game.role_name(role), game.move_text(role, id)));
                terminal.show(&(moves.collect::<String>() + &terminal.state(step + 1, state)));
            }
            // The true state is shown when it gives nothing away any more: not to somebody who leaves before the end.
            MatchEvent::Ended { end, .. } => {
                if let Some((step, state)) = self.last.as_ref().filter(|_| end.reason == EndReason::Terminal) {
                    terminal.show(&terminal.state(*step, state));
                }
            }
            MatchEvent::Prepared => {}
        }
    }
}

/// The person as a player without a clock.
fn at_the_prompt(terminal: Arc<Terminal>) -> Player {
    let create = move |place: &Place| -> Box<dyn Agent> {
        Box::new(Person {
            terminal: terminal.clone(),
            machine: place.game.machine(),
            tracker: Tracker::new(place, Default::default()),
            rng: Rng::with_seed(place.seed),
            forced: 0,
        })
    };
    Player::new("you", create).untimed()
}

struct Person {
    terminal: Arc<Terminal>,
    machine: Box<dyn Machine>,
    /// What the person can know where information is hidden.
    tracker: Tracker,
    /// Draws moves for the command `random`.
    rng: Rng,
    /// Steps since the person last had a choice.
    forced: usize,
}

impl Agent for Person {
    fn choose(&mut self, position: &Position, _budget: &Budget) -> Decision {
        self.machine.load(position.state());
        let legal = self.machine.legal(self.terminal.person).to_vec();
        let step = position.step();
        self.decide(&legal, step, &self.terminal.state(step, position.state()))
    }

    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Unanswered> {
        match view {
            View::Whole(position) => Ok(self.choose(position, budget)),
            View::Percepts(observed) => {
                self.tracker.follow(observed, budget);
                let legal = self.tracker.playable()?;
                let known = self.known(observed.step());
                Ok(self.decide(&legal, observed.step(), &known))
            }
        }
    }
}

impl Person {
    /// What follows from what was seen: what is certain as a board, and the rest with its probability.
    fn known(&mut self, step: usize) -> String {
        let summary = self.tracker.belief().summary(0);
        let game = &self.terminal.game;
        let mut text = self.terminal.state(step, &State::new(summary.certain));
        let mut uncertain: Vec<String> = summary
            .uncertain
            .iter()
            .map(|(fluent, probability)| {
                let name = game.vocabulary().fluent_name(*fluent);
                format!("possible: {} {:.0} %\n", name.text, 100.0 * probability)
            })
            .collect();
        uncertain.sort_unstable();
        text += &uncertain.concat();
        text
    }

    /// Lets the person choose one of these moves in a state that is shown on demand.
    fn decide(&mut self, legal: &[MoveId], step: usize, state: &str) -> Decision {
        if self.forced == MOST_FORCED {
            self.forced = 0;
            self.ask_to_continue(step);
        }
        self.forced += 1;
        if let [only] = legal {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        self.forced = 0;
        let chosen = self.ask(legal, state);
        // Without a choice the person leaves the match, and this move is discarded.
        if chosen.is_none() {
            self.terminal.leave();
        }
        Decision::without_search(chosen.unwrap_or(legal[0]), StopReason::Interrupted)
    }

    /// Asks for a move; `None` if the person leaves.
    fn ask(&mut self, legal: &[MoveId], state: &str) -> Option<MoveId> {
        let terminal = &self.terminal;
        terminal.show(&terminal.list(legal));
        loop {
            let line = terminal.ask("your move> ")?;
            match line.as_str() {
                "" => {}
                word if is_quit(word) => return None,
                "random" => return Some(legal[self.rng.usize(..legal.len())]),
                "list" => terminal.show(&terminal.list(legal)),
                "state" => terminal.show(state),
                text => match terminal.parse(text, legal) {
                    Ok(chosen) => return Some(chosen),
                    Err(reason) => terminal.show(&reason),
                },
            }
        }
    }

    /// Asks whether to continue after many steps without a choice. A match without an end would otherwise fill the
    /// screen for ever, even after the input has ended.
    fn ask_to_continue(&self, step: usize) {
        let terminal = &self.terminal;
        let question =
            format!("\nYou had no choice for {MOST_FORCED} steps. Press Enter to continue or type `quit` to leave> ");
        let answer = terminal.ask(&question);
        if answer.is_none() {
            terminal.show("\nThe input has ended.\n");
        }
        if answer.is_none_or(|word| is_quit(&word)) {
            let mut farewell = terminal.farewell.lock().unwrap_or_else(PoisonError::into_inner);
            *farewell = format!("You left the match after {}.", counted(step, "step"));
            terminal.leave();
        }
    }
}
