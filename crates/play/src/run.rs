//! The only match loop: asks the agents, keeps the clocks, makes the moves, writes the record.
//!
//! Agents are asked one after the other, so that none takes processor time from another, unless the setup says that they
//! are to think at once. A player that is late, chooses an illegal move or panics gets a random legal move and a fault in
//! the record, as the protocol of General Game Playing has it. The role `random` (GDL-II) is played here, uniformly.

use crate::agent::Place;
use crate::record::{End, EndReason, Evaluation, Fault, FaultKind, MatchRecord};
use crate::seat::{Answer, Question, Seat};
use crate::setup::{Pace, Player, Setup, Thought, seats};
use crate::view::View;
use ludens_engine::{Machine, MoveId, Rng, Role, SeveralGoals};
use ludens_search::{Decision, Effort};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Plays a match. The record so far is shown to `watch` before the first move and after every joint move.
pub fn play(setup: &Setup, watch: &mut dyn FnMut(&MatchRecord)) -> MatchRecord {
    let mut table = Table::new(setup);
    table.prepare();
    watch(&table.record);
    let end = loop {
        if let Some(end) = table.end() {
            break end;
        }
        if !table.step() {
            break reason(EndReason::Interrupted, None);
        }
        watch(&table.record);
    };
    table.finish(end);
    table.record
}

struct Table<'a> {
    setup: &'a Setup,
    machine: Box<dyn Machine>,
    view: View,
    seats: Vec<(Role, Seat)>,
    /// What chance does, and apart from it what is done for players that failed: faults do not change the cards.
    chance: Rng,
    replacement: Rng,
    record: MatchRecord,
    began: Instant,
}

impl<'a> Table<'a> {
    fn new(setup: &'a Setup) -> Table<'a> {
        let game = &setup.game;
        let is_clocked = matches!(setup.pace, Pace::Clocks { .. });
        let record = setup.record();
        let match_id: Arc<str> = record.id().into();
        let chairs = seats(game).into_iter().zip(&setup.players);
        let seats: Vec<(Role, Seat)> = chairs
            .map(|(role, player)| {
                let place = Place {
                    game: game.clone(),
                    role,
                    seed: derived_seed(setup.seed, u64::from(role.0)),
                    match_id: match_id.clone(),
                };
                let seat = match is_clocked {
                    true => Seat::apart(player.clone(), place),
                    false => Seat::here(player.clone(), place),
                };
                (role, seat)
            })
            .collect();
        Table {
            setup,
            machine: game.machine(),
            view: View::start(game),
            seats,
            chance: Rng::with_seed(derived_seed(setup.seed, 1000)),
            replacement: Rng::with_seed(derived_seed(setup.seed, 1001)),
            record,
            began: Instant::now(),
        }
    }

    fn prepare(&mut self) {
        let time = match self.setup.pace {
            Pace::Clocks { start, .. } => start,
            // Time before the match cannot be counted in iterations.
            Pace::Iterations(_) => return,
        };
        let ask = |view: &View, effort| Question::Prepare(view.clone(), effort);
        for (role, answer) in self.ask_all(time, &ask) {
            if let Err((kind, detail)) = self.judge(role, answer, time) {
                self.fault(None, role, kind, detail, None);
            }
        }
    }

    /// Whether and how the match is over.
    fn end(&mut self) -> Option<End> {
        let machine = &mut *self.machine;
        let is_terminal = machine.is_terminal();
        let stuck = match is_terminal {
            true => None,
            false => self.setup.game.roles().find(|&role| machine.legal(role).is_empty()),
        };
        if let Some(fault) = machine.fault() {
            return Some(reason(EndReason::EngineFault, Some(fault.to_string())));
        }
        if is_terminal {
            return Some(reason(EndReason::Terminal, None));
        }
        if let Some(role) = stuck {
            let name = self.setup.game.role_name(role);
            return Some(reason(EndReason::Stuck, Some(format!("{name} has no legal move"))));
        }
        if self.setup.budget.is_spent() {
            return Some(reason(EndReason::Interrupted, None));
        }
        (self.view.step() >= self.setup.most_steps).then(|| reason(EndReason::TooLong, None))
    }

    /// Makes a joint move; false if the match was interrupted meanwhile.
    fn step(&mut self) -> bool {
        let game = &self.setup.game;
        let time = match self.setup.pace {
            Pace::Clocks { play, .. } => play,
            Pace::Iterations(_) => Duration::ZERO,
        };
        let ask = |view: &View, effort| Question::Choose(view.clone(), effort);
        let answers = self.ask_all(time, &ask);
        if self.setup.budget.is_cancelled() {
            // What agents answered in a hurry is no part of the match.
            return false;
        }
        let mut joint = vec![None; game.roles().len()];
        let mut evaluations = vec![None; joint.len()];
        for (role, answer) in answers {
            match self
                .judge(role, answer, time)
                .and_then(|(decision, time)| self.check(role, decision, time))
            {
                Ok((chosen, evaluation)) => {
                    joint[role.index()] = Some(chosen);
                    evaluations[role.index()] = Some(evaluation);
                }
                Err((kind, detail)) => {
                    let legal = self.machine.legal(role);
                    let instead = legal[self.replacement.usize(..legal.len())];
                    joint[role.index()] = Some(instead);
                    self.fault(Some(self.view.step()), role, kind, detail, Some(instead));
                }
            }
        }
        let joint: Vec<MoveId> = game
            .roles()
            .zip(joint)
            .map(|(role, chosen)| {
                chosen.unwrap_or_else(|| {
                    let legal = self.machine.legal(role);
                    legal[self.chance.usize(..legal.len())]
                })
            })
            .collect();
        let texts = game
            .roles()
            .zip(&joint)
            .map(|(role, &chosen)| game.move_text(role, chosen));
        self.record.moves.push(texts.collect());
        self.record.evaluations.push(evaluations);
        self.record.times.push(self.began.elapsed().as_secs_f64());
        self.machine.step(&joint);
        self.view.observe(joint, self.machine.state());
        true
    }

    /// The answers of all seats to a question.
    fn ask_all(&mut self, time: Duration, question: &dyn Fn(&View, Effort) -> Question) -> Vec<(Role, Answer)> {
        let mut answers = Vec::new();
        let step = self.view.step();
        if self.setup.at_once {
            let mut ends = Vec::new();
            for (chair, (role, seat)) in self.seats.iter_mut().enumerate() {
                let reserve = seat.reserve(time, self.setup.margin);
                let (effort, latest) = self.setup.effort(chair, *role, step, time, reserve);
                seat.ask(question(&self.view, effort));
                ends.push(latest);
            }
            for ((role, seat), latest) in self.seats.iter_mut().zip(ends) {
                answers.push((*role, seat.answer(latest, &self.setup.budget)));
            }
        } else {
            for (chair, (role, seat)) in self.seats.iter_mut().enumerate() {
                let reserve = seat.reserve(time, self.setup.margin);
                let (effort, latest) = self.setup.effort(chair, *role, step, time, reserve);
                seat.ask(question(&self.view, effort));
                answers.push((*role, seat.answer(latest, &self.setup.budget)));
            }
        }
        answers
    }

    /// An answer in time, or what is wrong with it.
    fn judge(
        &self,
        role: Role,
        answer: Answer,
        time: Duration,
    ) -> Result<(Option<Decision>, Duration), (FaultKind, String)> {
        let chair = self.seats.iter().position(|(seat, _)| *seat == role);
        let player = chair.and_then(|chair| self.setup.players.get(chair));
        let is_clocked = matches!(self.setup.pace, Pace::Clocks { .. }) && !player.is_some_and(Player::is_untimed);
        let margin = self.setup.margin + self.latency(role);
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

    /// How long the way to the player of a role takes.
    fn latency(&self, role: Role) -> Duration {
        let chair = self.seats.iter().position(|(seat, _)| *seat == role);
        let player = chair.and_then(|chair| self.setup.players.get(chair));
        player.map_or(Duration::ZERO, Player::latency)
    }

    /// A legal move with what was said about it, or what is wrong with it.
    fn check(
        &mut self,
        role: Role,
        decision: Option<Decision>,
        taken: Duration,
    ) -> Result<(MoveId, Evaluation), (FaultKind, String)> {
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
                step: self.view.step(),
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

    fn fault(&mut self, step: Option<usize>, role: Role, kind: FaultKind, detail: String, instead: Option<MoveId>) {
        let game = &self.setup.game;
        self.record.errors.push(Fault {
            step,
            role: game.role_name(role).to_string(),
            kind,
            detail,
            instead: instead.map(|chosen| game.move_text(role, chosen)),
        });
    }

    /// Notes the goals of a match that came to its end. Where the rules give a role several, the end says so.
    fn score(&mut self) -> End {
        let (game, machine) = (&self.setup.game, &mut *self.machine);
        let ambiguous = game.ambiguous_goals(machine);
        let texts = ambiguous.iter().map(|(role, values)| {
            let values: Vec<String> = values.iter().map(u8::to_string).collect();
            format!("{} has the goals {}", game.role_name(*role), values.join(" and "))
        });
        let detail = (!ambiguous.is_empty()).then(|| texts.collect::<Vec<String>>().join(", "));
        let policy = game.several_goals();
        if policy == SeveralGoals::Error && detail.is_some() {
            return reason(EndReason::SeveralGoals, detail);
        }
        self.record.goals = Some(game.roles().map(|role| machine.score(role)).collect());
        let detail = detail.map(|detail| format!("{detail}; the {} counts", policy.name()));
        reason(EndReason::Terminal, detail)
    }

    fn finish(&mut self, end: End) {
        let end = match end.reason {
            EndReason::Terminal => self.score(),
            _ => end,
        };
        self.record.seconds = self.began.elapsed().as_secs_f64();
        self.record.end = end;
        // All are told before any is waited for: a player elsewhere may take its time.
        let told = Instant::now();
        let goals = self.record.goals.as_deref();
        let told_seats: Vec<&mut Seat> = self
            .seats
            .iter_mut()
            .map(|(_, seat)| seat)
            .filter_map(|seat| seat.tell_end(&self.view, goals).then_some(seat))
            .collect();
        told_seats.into_iter().for_each(|seat| seat.await_end(told));
    }
}

fn reason(reason: EndReason, detail: Option<String>) -> End {
    End { reason, detail }
}

/// Seeds for different uses that have nothing to do with each other, also where the given seeds are 0, 1, 2 …
pub(crate) fn derived_seed(seed: u64, purpose: u64) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let base = rng.u64(..);
    Rng::with_seed(base ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64(..)
}
