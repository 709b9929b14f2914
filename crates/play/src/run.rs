//! The only match loop: asks the agents, keeps the clocks, makes the moves, tells the observers.
//!
//! Agents are asked one after the other, so that none takes processor time from another, unless the setup lets them think
//! at the same time. A player that is late, chooses an illegal move or panics gets a random legal move and a fault, as the
//! protocol of General Game Playing has it. The role `random` (GDL-II) is played here, uniformly.

use crate::agent::Place;
use crate::event::{MatchEvent, Observer};
use crate::record::{End, EndReason, Evaluation, FaultKind, MatchRecord, Recorder};
use crate::seat::{Answer, Question, Seat};
use crate::setup::{Pace, Player, Setup, Thought, seats};
use crate::view::{Observed, Position, View};
use ludens_budget::Budget;
use ludens_engine::{Machine, MoveId, Observation, Percepts, Rng, Role, RoleMap, SeveralGoals};
use ludens_search::Decision;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Plays a match and returns its record.
pub fn play(setup: &Setup) -> MatchRecord {
    let seated = Match::new(setup);
    let mut recorder = seated.recorder();
    seated.run(&mut [&mut recorder]);
    recorder.into_record()
}

/// A match whose players are seated and that has not begun.
pub struct Match<'a> {
    setup: &'a Setup,
    header: MatchRecord,
    machine: Box<dyn Machine>,
    /// The true state and all moves.
    position: Position,
    /// What each role has observed, if information is hidden.
    observed: Option<RoleMap<Observed>>,
    seats: Vec<(Role, Seat)>,
    /// Draws the moves of chance. Apart from `replacement`, so that faults do not change the cards.
    chance: Rng,
    /// Draws moves for players that failed.
    replacement: Rng,
    began: Instant,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The goal of each role, if the match reached a terminal state.
    pub goals: Option<Vec<u8>>,
    /// Why there is no further move.
    pub end: End,
}

/// Tells all observers of an event.
type Tell<'t> = dyn FnMut(&MatchEvent<'_>) + 't;

/// A fault of an agent, with a description.
type Wrong = (FaultKind, String);

impl<'a> Match<'a> {
    /// Seats the players.
    pub fn new(setup: &'a Setup) -> Match<'a> {
        let game = &setup.game;
        let is_clocked = matches!(setup.pace, Pace::Clocks { .. });
        let header = setup.header();
        let match_id: Arc<str> = header.id().into();
        let players = seats(game).into_iter().zip(&setup.players);
        let seats: Vec<(Role, Seat)> = players
            .map(|(role, player)| {
                let place = Place {
                    game: game.clone(),
                    role,
                    seed: derived_seed(setup.seed, u64::from(role.0)),
                    match_id: match_id.clone(),
                    is_hidden: setup.hides(),
                };
                let seat = match is_clocked {
                    true => Seat::apart(player.clone(), place),
                    false => Seat::here(player.clone(), place),
                };
                (role, seat)
            })
            .collect();
        let position = setup.start.clone().unwrap_or_else(|| Position::start(game));
        let mut machine = game.machine();
        let mut observed = setup.hides().then(|| game.roles().map(Observed::start).collect());
        if observed.is_some() {
            for joint in position.history() {
                let percepts = perceived(&mut *machine, joint);
                note_percepts(&mut observed, joint, &percepts);
                machine.step(joint);
            }
        }
        machine.load(position.state());
        Match {
            setup,
            header,
            machine,
            position,
            observed,
            seats,
            chance: Rng::with_seed(derived_seed(setup.seed, 1000)),
            replacement: Rng::with_seed(derived_seed(setup.seed, 1001)),
            began: Instant::now(),
        }
    }

    /// The record of the match before its first move.
    pub fn header(&self) -> &MatchRecord {
        &self.header
    }

    /// An observer that makes the record of this match.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(&self.setup.game, self.header.clone())
    }

    /// Plays the match. Every observer receives every event, in the order of the list.
    pub fn run(mut self, observers: &mut [&mut dyn Observer]) -> Outcome {
        let tell: &mut Tell<'_> = &mut |event| observers.iter_mut().for_each(|observer| observer.observe(event));
        tell(&MatchEvent::Started {
            id: &self.header.id(),
            state: self.position.state(),
        });
        self.prepare(tell);
        tell(&MatchEvent::Prepared);
        let end = loop {
            if let Some(end) = self.end() {
                break end;
            }
            if !self.step(tell) {
                break end_of(EndReason::Interrupted, None);
            }
        };
        self.finish(end, tell)
    }

    /// Returns the observations of a role.
    fn view(&self, role: Role) -> View {
        match &self.observed {
            None => View::Whole(self.position.clone()),
            Some(observed) => View::Percepts(observed[role].clone()),
        }
    }

    fn prepare(&mut self, tell: &mut Tell<'_>) {
        let time = match self.setup.pace {
            Pace::Clocks { start, .. } => start,
            // Time before the match cannot be counted in iterations.
            Pace::Iterations(_) => return,
        };
        for (role, answer) in self.ask_all(time, &Question::Prepare) {
            if let Err(wrong) = self.timely(role, answer, time) {
                self.fault(role, wrong, None, tell);
            }
        }
    }

    /// How the match ended, if it is over.
    fn end(&mut self) -> Option<End> {
        let machine = &mut *self.machine;
        let is_terminal = machine.is_terminal();
        let stuck = match is_terminal {
            true => None,
            false => self.setup.game.roles().find(|&role| machine.legal(role).is_empty()),
        };
        if let Some(fault) = machine.fault() {
            return Some(end_of(EndReason::EngineFault, Some(fault.to_string())));
        }
        if is_terminal {
            return Some(end_of(EndReason::Terminal, None));
        }
        if let Some(role) = stuck {
            let name = self.setup.game.role_name(role);
            return Some(end_of(EndReason::Stuck, Some(format!("{name} has no legal move"))));
        }
        if self.setup.budget.is_spent() {
            return Some(end_of(EndReason::Interrupted, None));
        }
        (self.position.step() >= self.setup.most_steps).then(|| end_of(EndReason::TooLong, None))
    }

    /// Makes a joint move; false if the match was interrupted meanwhile.
    fn step(&mut self, tell: &mut Tell<'_>) -> bool {
        let game = &self.setup.game;
        let time = match self.setup.pace {
            Pace::Clocks { play, .. } => play,
            Pace::Iterations(_) => Duration::ZERO,
        };
        let answers = self.ask_all(time, &Question::Choose);
        if self.setup.budget.is_cancelled() {
            // Agents that were interrupted answer in a hurry; such moves are not made.
            return false;
        }
        let mut chosen = vec![None; game.roles().len()];
        let mut evaluations = vec![None; chosen.len()];
        for (role, answer) in answers {
            let checked = self.timely(role, answer, time);
            match checked.and_then(|(decision, taken)| self.check(role, decision, taken)) {
                Ok((choice, evaluation)) => {
                    chosen[role.index()] = Some(choice);
                    evaluations[role.index()] = Some(evaluation);
                }
                Err(wrong) => {
                    let legal = self.machine.legal(role);
                    let instead = legal[self.replacement.usize(..legal.len())];
                    chosen[role.index()] = Some(instead);
                    self.fault(role, wrong, Some(instead), tell);
                }
            }
        }
        let mut by_chance = |role| {
            let legal = self.machine.legal(role);
            legal[self.chance.usize(..legal.len())]
        };
        let joint = game.roles().zip(chosen);
        let joint: Vec<MoveId> = joint
            .map(|(role, chosen)| chosen.unwrap_or_else(|| by_chance(role)))
            .collect();
        let step = self.position.step();
        let seconds = self.began.elapsed().as_secs_f64();
        let percepts = game.hides_information().then(|| perceived(&mut *self.machine, &joint));
        if let Some(percepts) = &percepts {
            note_percepts(&mut self.observed, &joint, percepts);
        }
        self.machine.step(&joint);
        self.position.observe(joint, self.machine.state());
        tell(&MatchEvent::Moved {
            step,
            joint: &self.position.history()[step],
            state: self.position.state(),
            percepts: percepts.as_ref(),
            evaluations: &evaluations,
            seconds,
        });
        true
    }

    /// The answers of all seats to a question.
    fn ask_all(&mut self, time: Duration, question: &dyn Fn(View, Budget) -> Question) -> Vec<(Role, Answer)> {
        let step = self.position.step();
        let mut answers = Vec::new();
        let mut asked = Vec::new();
        for index in 0..self.seats.len() {
            let role = self.seats[index].0;
            let view = self.view(role);
            let seat = &mut self.seats[index].1;
            let reserve = seat.reserve(time, self.setup.margin);
            let (budget, latest) = self.setup.budget(index, role, step, time, reserve);
            seat.ask(question(view, budget));
            match self.setup.at_once {
                true => asked.push(latest),
                false => answers.push((role, seat.answer(latest, &self.setup.budget))),
            }
        }
        for ((role, seat), latest) in self.seats.iter_mut().zip(asked) {
            answers.push((*role, seat.answer(latest, &self.setup.budget)));
        }
        answers
    }

    /// The player of a role.
    fn player(&self, role: Role) -> Option<&Player> {
        let index = self.seats.iter().position(|(seat, _)| *seat == role)?;
        self.setup.players.get(index)
    }

    /// Returns an answer in time with the time it took, or the fault.
    fn timely(&self, role: Role, answer: Answer, time: Duration) -> Result<(Option<Decision>, Duration), Wrong> {
        let player = self.player(role);
        let is_clocked = matches!(self.setup.pace, Pace::Clocks { .. }) && !player.is_some_and(Player::is_untimed);
        let margin = self.setup.margin + player.map_or(Duration::ZERO, Player::latency);
        match answer {
            Answer::Done(_, taken) if is_clocked && taken > time + margin => {
                Err((FaultKind::Late, format!("answered after {:.3} s", taken.as_secs_f64())))
            }
            Answer::Done(decision, taken) => Ok((decision, taken)),
            Answer::Failed(failure) => Err((failure.kind, failure.detail)),
            Answer::Panicked(message) => Err((FaultKind::Panicked, message)),
            Answer::Late => Err((FaultKind::Late, format!("no answer after {:.3} s", time.as_secs_f64()))),
            Answer::Hung => Err((FaultKind::Hung, "is still busy with an earlier question".to_string())),
        }
    }

    /// Returns a legal move with the agent's report, or the fault.
    fn check(
        &mut self,
        role: Role,
        decision: Option<Decision>,
        taken: Duration,
    ) -> Result<(MoveId, Evaluation), Wrong> {
        let Some(decision) = decision else {
            return Err((FaultKind::Illegal, "no move".to_string()));
        };
        let choice = decision.choice;
        if !self.machine.legal(role).contains(&choice) {
            let is_known = (choice.0 as usize) < self.setup.game.vocabulary().move_count(role);
            let text = match is_known {
                true => self.setup.game.move_text(role, choice),
                false => format!("move {}", choice.0),
            };
            return Err((FaultKind::Illegal, text));
        }
        if let Some(listener) = &self.setup.listener {
            listener(&Thought {
                step: self.position.step(),
                role,
                decision: &decision,
                is_final: true,
            });
        }
        let evaluation = Evaluation {
            value: decision.value,
            nodes: decision.nodes,
            memory: decision.memory,
            playouts: decision.playouts,
            stop: decision.stop.name().to_string(),
            seconds: taken.as_secs_f64(),
            note: decision.note,
        };
        Ok((choice, evaluation))
    }

    fn fault(&self, role: Role, (kind, detail): Wrong, instead: Option<MoveId>, tell: &mut Tell<'_>) {
        tell(&MatchEvent::Fault {
            step: instead.map(|_| self.position.step()),
            role,
            kind,
            detail: &detail,
            instead,
        });
    }

    /// The goals of a terminal state. Where the rules give a role several, the end says so.
    fn score(&mut self) -> Outcome {
        let (game, machine) = (&self.setup.game, &mut *self.machine);
        let ambiguous = game.ambiguous_goals(machine);
        let texts = ambiguous.iter().map(|(role, values)| {
            let values: Vec<String> = values.iter().map(u8::to_string).collect();
            format!("{} has the goals {}", game.role_name(*role), values.join(" and "))
        });
        let detail = (!ambiguous.is_empty()).then(|| texts.collect::<Vec<String>>().join(", "));
        let policy = game.several_goals();
        if policy == SeveralGoals::Error && detail.is_some() {
            let end = end_of(EndReason::SeveralGoals, detail);
            return Outcome { goals: None, end };
        }
        let detail = detail.map(|detail| format!("{detail}; the {} counts", policy.name()));
        Outcome {
            goals: Some(game.roles().map(|role| machine.score(role)).collect()),
            end: end_of(EndReason::Terminal, detail),
        }
    }

    fn finish(mut self, end: End, tell: &mut Tell<'_>) -> Outcome {
        let outcome = match end.reason {
            EndReason::Terminal => self.score(),
            _ => Outcome { goals: None, end },
        };
        let seconds = self.began.elapsed().as_secs_f64();
        // All are told before any is waited for: a player elsewhere may take its time.
        let told = Instant::now();
        let goals = outcome.goals.as_deref();
        let mut told_seats = Vec::new();
        let views: Vec<View> = self.seats.iter().map(|(role, _)| self.view(*role)).collect();
        for ((_, seat), view) in self.seats.iter_mut().zip(&views) {
            if seat.tell_end(view, goals) {
                told_seats.push(seat);
            }
        }
        told_seats.into_iter().for_each(|seat| seat.await_end(told));
        tell(&MatchEvent::Ended {
            goals,
            end: &outcome.end,
            seconds,
        });
        outcome
    }
}

/// What each role perceives if this joint move is made.
fn perceived(machine: &mut dyn Machine, joint: &[MoveId]) -> Percepts {
    let roles = Role::first(machine.role_count());
    roles.map(|role| machine.percepts(role, joint)).collect()
}

/// Adds a step to what each role has observed.
fn note_percepts(observed: &mut Option<RoleMap<Observed>>, joint: &[MoveId], percepts: &Percepts) {
    let Some(observed) = observed else {
        return;
    };
    for (role, percepts) in percepts.iter() {
        observed[role].observe(Observation {
            own: Some(joint[role.index()]),
            percepts: percepts.clone(),
        });
    }
}

fn end_of(reason: EndReason, detail: Option<String>) -> End {
    End { reason, detail }
}

/// Seeds for different uses that have nothing to do with each other, also where the given seeds are 0, 1, 2 …
pub(crate) fn derived_seed(seed: u64, purpose: u64) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let base = rng.u64(..);
    Rng::with_seed(base ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64(..)
}
