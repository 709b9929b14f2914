//! From the texts of moves back to states: recorded matches, and moves that a person writes.
//!
//! A [`Replay`] stands at a state of a match. It reads joint moves there, checks them and makes them.

use ludens_engine::{Game, Machine, MoveId, Role, State};

/// Follows a match by the texts of its moves.
pub struct Replay {
    game: Game,
    machine: Box<dyn Machine>,
    step: usize,
}

/// Why a joint move cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The state is terminal.
    #[error("the match is over")]
    Over,
    /// There is not one move for each role.
    #[error("{} for {}", counted(*.given, "move"), counted(*.roles, "role"))]
    Count {
        /// Number of moves.
        given: usize,
        /// Number of roles.
        roles: usize,
    },
    /// A text is neither a joint move nor the move of the only role that has a choice.
    #[error("`{text}` is neither a move for each role nor the move of the only role that has a choice ({choosers})")]
    Unclear {
        /// The text.
        text: String,
        /// The roles that have a choice.
        choosers: String,
    },
    /// The parentheses of a text do not match.
    #[error("`{text}` {what}")]
    Parentheses {
        /// The text.
        text: String,
        /// Description of the error.
        what: &'static str,
    },
    /// A move uses names that the rules do not know.
    #[error("`{text}` is not a move of {role}: the rules do not know it")]
    Unknown {
        /// The text.
        text: String,
        /// The role.
        role: String,
    },
    /// A move is not legal here.
    #[error("`{text}` is not a legal move of {role} here; legal moves: {legal}")]
    Illegal {
        /// The text.
        text: String,
        /// The role.
        role: String,
        /// Some legal moves.
        legal: String,
    },
    /// A role needs a move, and none was given.
    #[error("{role} has no move")]
    Missing {
        /// The role.
        role: String,
    },
    /// The engine met a limit.
    #[error("{0}")]
    Engine(String),
}

/// Legal moves that an error lists.
const LISTED: usize = 8;

impl Replay {
    /// Stands at the initial state.
    pub fn new(game: &Game) -> Replay {
        Replay {
            machine: game.machine(),
            game: game.clone(),
            step: 0,
        }
    }

    /// Goes back to the initial state.
    pub fn restart(&mut self) {
        self.machine.load(self.game.initial());
        self.step = 0;
    }

    /// Number of joint moves made so far.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.machine.state()
    }

    /// A machine at the current state, to ask questions.
    pub fn machine(&mut self) -> &mut dyn Machine {
        &mut *self.machine
    }

    /// Reads a joint move that is legal here, one text for each role, makes it and returns it.
    pub fn follow(&mut self, texts: &[String]) -> Result<Vec<MoveId>, ReplayError> {
        let joint = self.joint(texts)?;
        self.make(&joint)?;
        Ok(joint)
    }

    /// Reads a joint move as people write it (see [`Replay::written`]), makes it and returns it.
    pub fn follow_written(&mut self, text: &str) -> Result<Vec<MoveId>, ReplayError> {
        let joint = self.written(text)?;
        self.make(&joint)?;
        Ok(joint)
    }

    /// Makes a joint move.
    pub fn make(&mut self, joint: &[MoveId]) -> Result<(), ReplayError> {
        self.machine.step(joint);
        self.step += 1;
        match self.machine.fault() {
            Some(fault) => Err(ReplayError::Engine(fault.to_string())),
            None => Ok(()),
        }
    }

    /// Reads a joint move that is legal here, one text for each role.
    pub fn joint(&mut self, texts: &[String]) -> Result<Vec<MoveId>, ReplayError> {
        if self.machine.is_terminal() {
            return Err(ReplayError::Over);
        }
        self.check_count(texts)?;
        let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        self.legal_joint(&texts)
    }

    /// Reads a joint move, legal or not: the rules only have to know the names in it.
    pub fn known(&self, texts: &[String]) -> Result<Vec<MoveId>, ReplayError> {
        self.check_count(texts)?;
        let known = |(role, text): (Role, &String)| {
            let unknown = || ReplayError::Unknown {
                text: text.clone(),
                role: self.game.role_name(role).to_string(),
            };
            self.game.parse_move(role, text).ok_or_else(unknown)
        };
        self.game.roles().zip(texts).map(known).collect()
    }

    /// Reads a joint move as people write it: one move for each role, in a list or one after the other, or the move of
    /// the only role that has a choice, which may lack its outer parentheses.
    pub fn written(&mut self, text: &str) -> Result<Vec<MoveId>, ReplayError> {
        if self.machine.is_terminal() {
            return Err(ReplayError::Over);
        }
        let roles: Vec<Role> = self.game.roles().collect();
        let machine = &mut *self.machine;
        let has_choice = |&role: &Role| machine.legal(role).len() > 1;
        let choosers: Vec<Role> = roles.iter().copied().filter(has_choice).collect();
        let only = |own: &'_ str| -> Vec<Option<String>> {
            let own_move = |role: &Role| choosers.contains(role).then(|| own.to_string());
            roles.iter().map(own_move).collect()
        };
        let read = terms(text).and_then(|terms| match terms[..] {
            _ if terms.len() == roles.len() => Ok(terms.iter().map(|term| Some(term.to_string())).collect()),
            [term] if choosers.len() < 2 => Ok(only(term)),
            _ => Err(ReplayError::Unclear {
                text: text.to_string(),
                choosers: self.names(&choosers),
            }),
        });
        let joint = |texts: Vec<Option<String>>, replay: &mut Replay| {
            let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            replay.legal_joint(&texts)
        };
        let bare = (choosers.len() == 1).then(|| only(&format!("({text})")));
        let read = match (read.and_then(|texts| joint(texts, self)), bare) {
            (Err(cause), Some(bare)) => joint(bare, self).map_err(|unknown| match text.contains('(') {
                true => cause,
                false => unknown,
            }),
            (read, _) => read,
        };
        // A term in parentheses is first taken for a move, then for the list of all moves.
        read.or_else(|cause| match listed(text).filter(|items| items.len() == roles.len()) {
            Some(items) => {
                joint(items.into_iter().map(|item| Some(item.to_string())).collect(), self).map_err(|_| cause)
            }
            None => Err(cause),
        })
    }

    fn names(&self, roles: &[Role]) -> String {
        match roles {
            [] => "none has one".to_string(),
            _ => {
                let names: Vec<&str> = roles.iter().map(|&role| self.game.role_name(role)).collect();
                names.join(", ")
            }
        }
    }

    fn check_count(&self, texts: &[String]) -> Result<(), ReplayError> {
        let (given, roles) = (texts.len(), self.game.roles().len());
        match given == roles {
            true => Ok(()),
            false => Err(ReplayError::Count { given, roles }),
        }
    }

    /// The legal move of each role that its text means; without a text the only one.
    fn legal_joint(&mut self, texts: &[Option<&str>]) -> Result<Vec<MoveId>, ReplayError> {
        let (game, machine) = (&self.game, &mut *self.machine);
        let legal = |(role, text): (Role, &Option<&str>)| {
            let moves = machine.legal(role);
            let name = game.role_name(role).to_string();
            let Some(text) = text else {
                return match moves {
                    [only] => Ok(*only),
                    _ => Err(ReplayError::Missing { role: name }),
                };
            };
            let meant = game.parse_move(role, text).filter(|meant| moves.contains(meant));
            meant.ok_or_else(|| {
                let some = moves.iter().take(LISTED).map(|&known| game.move_text(role, known));
                let more = (moves.len() > LISTED).then(|| "...".to_string());
                ReplayError::Illegal {
                    text: text.to_string(),
                    role: name,
                    legal: some.chain(more).collect::<Vec<String>>().join(", "),
                }
            })
        };
        game.roles().zip(texts).map(legal).collect()
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The items of a text that is one list in parentheses.
fn listed(text: &str) -> Option<Vec<&str>> {
    let [list] = terms(text).ok()?[..] else {
        return None;
    };
    terms(list.strip_prefix('(')?.strip_suffix(')')?).ok()
}

/// The terms of a text, one after the other.
fn terms(text: &str) -> Result<Vec<&str>, ReplayError> {
    let unmatched = |what| ReplayError::Parentheses {
        text: text.to_string(),
        what,
    };
    let mut terms = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, letter) in text.char_indices() {
        let ends = depth == 0 && (letter.is_whitespace() || letter == '(');
        if let Some(first) = start.filter(|_| ends) {
            terms.push(&text[first..at]);
            start = None;
        }
        if start.is_none() && !letter.is_whitespace() {
            start = Some(at);
        }
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| unmatched("has a closing parenthesis too many"))?
            }
            _ => {}
        }
        if letter == ')' && depth == 0 {
            terms.extend(start.take().map(|first| &text[first..=at]));
        }
    }
    terms.extend(start.map(|first| &text[first..]));
    match depth {
        0 => Ok(terms),
        _ => Err(unmatched("lacks a closing parenthesis")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_its_terms() {
        assert_eq!(terms("(mark 1 1) noop").unwrap(), ["(mark 1 1)", "noop"]);
        assert_eq!(terms(" noop(mark 1 (f 2))x ").unwrap(), ["noop", "(mark 1 (f 2))", "x"]);
        assert_eq!(terms("").unwrap(), Vec::<&str>::new());
        assert!(terms("(mark 1").is_err() && terms("mark)").is_err());
        assert_eq!(listed("((mark 1 1) noop)"), Some(vec!["(mark 1 1)", "noop"]));
        assert_eq!(listed("(mark 1 1) noop"), None);
    }
}
