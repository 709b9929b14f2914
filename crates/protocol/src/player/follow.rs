//! Follows a match from the messages of its manager.
//!
//! The manager is the authority: the moves it reports were made, even if they look illegal. But messages get lost, and
//! then the next joint move does not fit the state. In that case a missing step is searched after which it fits, first
//! among those that contain our own last answer; if there is none, the moves are made as they are. Every irregularity
//! is logged.

use crate::message::{News, canonical};
use ludens_engine::{Game, JointMoves, Machine, MoveId, Role};
use ludens_gdl::keyword;
use ludens_gdl::normal::Term;
use ludens_play::Position;
use std::time::{Duration, Instant};

/// Maximum number of joint moves tried to find a missing step.
const MOST_TRIED: usize = 20_000;

/// Time limit for the same search.
const LONGEST_SEARCH: Duration = Duration::from_millis(200);

/// News from the manager, with our answer before it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) news: News,
    pub(super) own: Option<String>,
}

/// A match as far as it is known.
pub(super) struct Following {
    pub(super) game: Game,
    pub(super) role: Role,
    machine: Box<dyn Machine>,
    pub(super) view: Position,
    /// Our legal moves in the last state that had any, in order.
    pub(super) legal: Vec<MoveId>,
    /// Number of news that the view contains.
    pub(super) followed: usize,
}

impl Following {
    /// The start of a match.
    pub(super) fn new(game: Game, role: Role) -> Following {
        let mut following = Following {
            machine: game.machine(),
            view: Position::start(&game),
            legal: Vec::new(),
            followed: 0,
            game,
            role,
        };
        following.look();
        following
    }

    /// The same match on another engine.
    pub(super) fn moved_to(&self, game: Game) -> Following {
        let mut other = Following::new(game, self.role);
        for joint in self.view.history() {
            let moves = self.game.roles().zip(joint);
            let joint = moves.map(|(role, &chosen)| other.game.adopt_move(&self.game, role, chosen));
            other.step(joint.collect());
        }
        other.followed = self.followed;
        other
    }

    /// Whether the state is terminal.
    pub(super) fn is_terminal(&mut self) -> bool {
        self.machine.is_terminal()
    }

    /// Whether an agent can be asked for a move.
    pub(super) fn is_playable(&mut self) -> bool {
        let machine = &mut *self.machine;
        !machine.is_terminal() && self.game.roles().all(|role| !machine.legal(role).is_empty())
    }

    /// Our goal in this state.
    pub(super) fn score(&mut self) -> u8 {
        self.machine.score(self.role)
    }

    /// Follows news; returns a description of irregularities, if any.
    pub(super) fn follow(&mut self, told: &Told) -> Option<String> {
        self.followed += 1;
        match &told.news {
            News::Nothing if self.view.step() == 0 && told.own.is_none() => None,
            // In games with hidden information an empty message may mean that nothing is perceived.
            News::Nothing if self.game.hides_information() => self.perceive(&[], told.own.as_deref()),
            News::Nothing => Some("no moves are told in the middle of the match; the state is kept".to_string()),
            News::List(texts) => self.hear(texts, told.own.as_deref()),
            News::Turn { turn, own, percepts } => {
                let step = self.view.step() as u64;
                if *turn <= step {
                    return (*turn < step || told.own.is_some())
                        .then(|| format!("turn {turn} is told again; the state is kept"));
                }
                let note = self.perceive(percepts, own.as_deref().or(told.own.as_deref()));
                match *turn > step + 1 {
                    true => Some(format!("turns were missed: turn {turn} follows turn {step}")),
                    false => note,
                }
            }
        }
    }

    /// Follows a list of terms: a joint move or percepts.
    fn hear(&mut self, texts: &[String], own: Option<&str>) -> Option<String> {
        let roles = self.game.roles().len();
        let mut texts = texts.to_vec();
        let whole = format!("({})", texts.join(" "));
        if roles == 1 && (texts.len() != 1 || self.game.parse_move(self.role, &texts[0]).is_none()) {
            // The list around the only move is missing.
            if self
                .game
                .parse_move(self.role, &whole)
                .is_some_and(|only| self.is_legal(&[only]))
            {
                texts = vec![whole];
            }
        }
        let (joint, unknown) = match texts.len() == roles {
            true => self.joint(&texts),
            false => (Vec::new(), true),
        };
        if !unknown && self.is_legal(&joint) {
            self.step(joint);
            return None;
        }
        if self.game.hides_information() {
            return self.perceive(&texts, own);
        }
        if joint.is_empty() {
            let count = texts.len();
            return Some(format!(
                "{count} moves are told in a game of {roles} roles; the state is kept"
            ));
        }
        if !unknown && let Some(missing) = self.missing_step(&joint, own) {
            let texts = self.texts(&missing);
            self.step(missing);
            self.step(joint);
            return Some(format!("a step was missed and is taken to be ({texts})"));
        }
        self.step(joint);
        Some(format!("({}) is not legal here; it is made anyway", texts.join(" ")))
    }

    /// Finds a joint move with our own move that yields these percepts.
    fn perceive(&mut self, percepts: &[String], own: Option<&str>) -> Option<String> {
        if self.machine.is_terminal() {
            return Some("something is perceived after the end; the state is kept".to_string());
        }
        let role = self.role;
        let wanted = self.game.parse_percepts(role, percepts);
        let own = own.and_then(|text| self.game.parse_move(role, text));
        let mut found = None;
        let mut first = None;
        self.try_joints(&mut |machine, joint| {
            if own.is_some_and(|own| joint[role.index()] != own) {
                return false;
            }
            first.get_or_insert_with(|| joint.to_vec());
            let fits = wanted.as_ref() == Some(&machine.percepts(role, joint));
            if fits {
                found = Some(joint.to_vec());
            }
            fits
        });
        let note = found.is_none().then(|| {
            let mut texts: Vec<String> = percepts.iter().map(|text| canonical(text)).collect();
            texts.sort_unstable();
            let text = texts.join(" ");
            format!("nothing explains that we perceive ({text}); some step is assumed")
        });
        match found.or(first) {
            Some(joint) => self.step(joint),
            None => return Some("no step is possible here; the state is kept".to_string()),
        }
        note
    }

    /// Finds a joint move after which the given one is legal, preferably with our last answer.
    fn missing_step(&mut self, joint: &[MoveId], own: Option<&str>) -> Option<Vec<MoveId>> {
        let own = own.and_then(|text| self.game.parse_move(self.role, text));
        let here = self.view.state().clone();
        let role = self.role;
        let roles: Vec<Role> = self.game.roles().collect();
        let mut second_best = None;
        let mut best = None;
        self.try_joints(&mut |machine, candidate| {
            machine.load(&here);
            machine.step(candidate);
            let fits = !machine.is_terminal()
                && roles
                    .iter()
                    .zip(joint)
                    .all(|(&role, chosen)| machine.legal(role).contains(chosen));
            if fits && own == Some(candidate[role.index()]) {
                best = Some(candidate.to_vec());
            } else if fits && second_best.is_none() {
                second_best = Some(candidate.to_vec());
            }
            best.is_some()
        });
        best.or(second_best)
    }

    /// Tries legal joint moves until `is_found` accepts one or a limit is reached.
    fn try_joints(&mut self, is_found: &mut dyn FnMut(&mut dyn Machine, &[MoveId]) -> bool) {
        let machine = &mut *self.machine;
        if machine.is_terminal() {
            return;
        }
        let until = Instant::now() + LONGEST_SEARCH;
        let mut joints = JointMoves::of(machine);
        let mut joint = Vec::new();
        for _ in 0..MOST_TRIED {
            if !joints.next_into(&mut joint) || is_found(machine, &joint) || Instant::now() > until {
                break;
            }
        }
        machine.load(self.view.state());
    }

    /// Parses a joint move; a move with unknown names becomes a move that no rule mentions. The second part says
    /// whether there was one.
    fn joint(&self, texts: &[String]) -> (Vec<MoveId>, bool) {
        let mut is_odd = false;
        let joint = self.game.roles().zip(texts).map(|(role, text)| {
            self.game.parse_move(role, text).unwrap_or_else(|| {
                is_odd = true;
                self.game.vocabulary().move_id(role, &Term::Constant(keyword::NIL))
            })
        });
        let joint = joint.collect();
        (joint, is_odd)
    }

    fn is_legal(&mut self, joint: &[MoveId]) -> bool {
        let machine = &mut *self.machine;
        let mut moves = self.game.roles().zip(joint);
        !machine.is_terminal() && moves.all(|(role, chosen)| machine.legal(role).contains(chosen))
    }

    fn texts(&self, joint: &[MoveId]) -> String {
        let moves = self.game.roles().zip(joint);
        let texts: Vec<String> = moves.map(|(role, &chosen)| self.game.move_text(role, chosen)).collect();
        texts.join(" ")
    }

    fn step(&mut self, joint: Vec<MoveId>) {
        self.machine.step(&joint);
        self.view.observe(joint, self.machine.state());
        self.look();
    }

    /// Stores the legal moves; a terminal state keeps those of the state before.
    fn look(&mut self) {
        if !self.machine.is_terminal() {
            let legal = self.machine.legal(self.role).to_vec();
            if !legal.is_empty() {
                self.legal = legal;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn following(name: &str, role: u8) -> Following {
        let game = Game::read(ludens_library::find(name).unwrap().source()).unwrap();
        Following::new(game, Role(role))
    }

    fn moves(texts: &[&str], own: Option<&str>) -> Told {
        Told {
            news: News::List(texts.iter().map(|text| text.to_string()).collect()),
            own: own.map(str::to_string),
        }
    }

    #[test]
    fn steps_are_followed_whatever_their_case() {
        let mut match_ = following("tic-tac-toe", 0);
        assert_eq!(
            match_.follow(&moves(&["( MARK  2 2 )", "NOOP"], Some("(mark 2 2)"))),
            None
        );
        assert_eq!(match_.view.step(), 1);
        let noop = match_.game.parse_move(Role(0), "noop").unwrap();
        assert_eq!(match_.legal, [noop]);
    }

    #[test]
    fn a_missing_step_is_found_by_our_own_answer() {
        let mut match_ = following("tic-tac-toe", 0);
        // (mark 2 2) was answered, but the message that reports it was lost.
        let note = match_.follow(&moves(&["noop", "(mark 1 3)"], Some("(mark 2 2)")));
        assert_eq!(
            note.as_deref(),
            Some("a step was missed and is taken to be ((mark 2 2) noop)")
        );
        assert_eq!(match_.view.step(), 2);
        let texts = match_.game.state_texts(match_.view.state());
        for fluent in ["(cell 2 2 x)", "(cell 1 3 o)", "(control x)"] {
            assert!(texts.iter().any(|text| text == fluent), "{fluent} in {texts:?}");
        }
    }

    #[test]
    fn illegal_and_unknown_moves_are_made_and_noted() {
        for (texts, wanted) in [
            (&["(mark 7 7)", "noop"][..], "is not legal here; it is made anyway"),
            (&["(frobnicate)", "noop"], "is not legal here; it is made anyway"),
            (&["(mark 1 1)"], "the state is kept"),
            (&["a", "b", "c"], "the state is kept"),
            (&["(mark ?x 1)", "noop"], "is not legal here; it is made anyway"),
        ] {
            let mut match_ = following("tic-tac-toe", 0);
            let note = match_.follow(&moves(texts, None)).unwrap();
            assert!(note.contains(wanted), "{texts:?}: {note}");
            assert!(!match_.legal.is_empty());
        }
        let mut match_ = following("tic-tac-toe", 0);
        match_.follow(&moves(&["(mark 1 1)", "noop"], None));
        let nothing = Told {
            news: News::Nothing,
            own: Some("noop".to_string()),
        };
        assert!(match_.follow(&nothing).unwrap().contains("the state is kept"));
        assert_eq!(match_.view.step(), 1);
    }

    #[test]
    fn equal_messages_are_new_steps() {
        let mut match_ = following("repeated-rock-paper-scissors-9", 0);
        let legal = match_.game.move_text(Role(0), match_.legal[0]);
        for step in 1..=3 {
            assert_eq!(match_.follow(&moves(&[&legal, &legal], Some(&legal))), None);
            assert_eq!(match_.view.step(), step);
        }
    }

    #[test]
    fn a_match_moves_to_another_engine() {
        use ludens_engine::{EngineChoice, Options};
        let mut match_ = following("tic-tac-toe", 1);
        match_.follow(&moves(&["(mark 2 2)", "noop"], None));
        let description = match_.game.description().clone();
        let options = Options {
            engine: EngineChoice::Interpreted,
            ..Options::default()
        };
        let other = match_.moved_to(Game::new(description, options).unwrap());
        let texts = |following: &Following| following.game.state_texts(following.view.state());
        assert_eq!(texts(&other), texts(&match_));
        assert_eq!(other.legal.len(), 8);
    }

    #[test]
    fn percepts_tell_what_happened() {
        let rules = "(role a) (role b) (init (n 0)) (legal a l) (legal a r) (legal b l) (legal b r)
            (<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m)) (<= (next (last ?q ?m)) (does ?q ?m))
            (<= terminal (true (last a r)) (true (last b r))) (goal a 1) (goal b 2)";
        let game = Game::read(ludens_gdl::Source::new("seen", rules)).unwrap();
        let mut match_ = Following::new(game, Role(0));
        let turn = |turn, own: Option<&str>, percepts: &[&str]| Told {
            news: News::Turn {
                turn,
                own: own.map(str::to_string),
                percepts: percepts.iter().map(|text| text.to_string()).collect(),
            },
            own: own.map(str::to_string),
        };
        assert_eq!(match_.follow(&turn(0, None, &[])), None);
        assert_eq!(match_.follow(&turn(1, Some("l"), &["(DID b r)", "(did a l)"])), None);
        let texts = match_.game.state_texts(match_.view.state());
        assert_eq!(texts, ["(last a l)", "(last b r)"]);
        assert!(
            match_
                .follow(&turn(1, Some("l"), &["(did b r)", "(did a l)"]))
                .is_some()
        );
        assert_eq!(match_.view.step(), 1);
        let list = moves(&["(did a r)", "(did b r)"], Some("r"));
        assert_eq!(match_.follow(&list), None);
        assert!(match_.is_terminal());
        assert_eq!(match_.score(), 1);
    }
}
