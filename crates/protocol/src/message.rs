//! Messages between managers and players.
//!
//! Messages are KIF lists that start with a verb. They are parsed tolerantly: any case, any spacing, comments, missing
//! outer parentheses, additional parts. A text that is not a message is an error value and never a panic, so that a
//! server can always answer. Terms inside messages remain texts: their meaning depends on the game.

use ludens_gdl::read::{self, Limits};
use ludens_gdl::tree::{Node, NodeId, Tree};
use ludens_gdl::{Notation, Source, Symbols};
use std::fmt;
use std::time::Duration;

mod reply;

pub use reply::{Information, canonical, first_term};

/// Maximum clock in seconds; longer ones are malformed.
const LONGEST_CLOCK: f64 = 1e11;

/// Message of a manager to a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Asks for name and status.
    Info,
    /// Asks for the status, in a newer dialect.
    Ping,
    /// Announces rules before a match.
    Preview {
        /// The rules, as one list.
        rules: String,
    },
    /// Starts a match.
    Start {
        /// Identifier of the match.
        id: String,
        /// Role of the player.
        role: String,
        /// The rules, as one list.
        rules: String,
        /// Time until the answer is due.
        start_clock: Duration,
        /// Time per move.
        play_clock: Duration,
    },
    /// Asks for a move.
    Play {
        /// Identifier of the match.
        id: String,
        /// Events since the last message.
        news: News,
    },
    /// Ends a match.
    Stop {
        /// Identifier of the match.
        id: String,
        /// Events since the last message.
        news: News,
    },
    /// Aborts a match.
    Abort {
        /// Identifier of the match.
        id: String,
    },
}

/// Events since the last message. Terms are as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// No events yet.
    Nothing,
    /// The joint move, in the order of the roles; from some managers of games with hidden information, the percepts.
    List(Vec<String>),
    /// From managers of games with hidden information that number their turns.
    Turn {
        /// Number of joint moves made.
        turn: u64,
        /// Move that was made for the player.
        own: Option<String>,
        /// Percepts of the player.
        percepts: Vec<String>,
    },
}

/// Reason why a text is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The text is empty.
    #[error("the message is empty")]
    Empty,
    /// It starts with an unknown verb.
    #[error("`{0}` is no verb of the protocol")]
    UnknownVerb(String),
    /// A part is missing or malformed.
    #[error("{verb} needs {wanted}")]
    Missing {
        /// The verb.
        verb: &'static str,
        /// The missing part.
        wanted: &'static str,
    },
}

impl Request {
    /// Parses a message.
    pub fn parse(text: &str) -> Result<Request, Malformed> {
        let words = Words::read(text);
        let Some(verb) = words.word(0) else {
            return match words.items.is_empty() {
                true => Err(Malformed::Empty),
                false => Err(Malformed::UnknownVerb(shortened(words.text(0).unwrap_or_default()))),
            };
        };
        match verb.to_ascii_lowercase().as_str() {
            "info" => Ok(Request::Info),
            "ping" => Ok(Request::Ping),
            "preview" => Ok(Request::Preview {
                rules: words.rules(1, "PREVIEW")?,
            }),
            "start" => words.start(),
            "play" => Ok(Request::Play {
                id: words.id("PLAY")?,
                news: words.news("PLAY")?,
            }),
            "stop" => Ok(Request::Stop {
                id: words.id("STOP")?,
                // Some managers omit it when there are no events.
                news: words.news("STOP").unwrap_or(News::Nothing),
            }),
            "abort" => Ok(Request::Abort { id: words.id("ABORT")? }),
            _ => Err(Malformed::UnknownVerb(shortened(verb))),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A message, split into parts.
struct Words {
    source: Source,
    tree: Tree,
    items: Vec<NodeId>,
}

impl Words {
    fn read(text: &str) -> Words {
        let source = Source::new("message", text);
        let (tree, _) = read::read_tree(&source, Notation::Kif, &Limits::default(), &mut Symbols::new());
        let items = match tree.roots[..] {
            [first, ..] if matches!(tree.node(first), Node::List { .. }) => tree.items(first).to_vec(),
            // The outer parentheses are missing.
            _ => tree.roots.clone(),
        };
        Words { source, tree, items }
    }

    fn text(&self, place: usize) -> Option<&str> {
        let &item = self.items.get(place)?;
        Some(self.source.slice(self.tree.span(item)))
    }

    fn word(&self, place: usize) -> Option<&str> {
        let &item = self.items.get(place)?;
        match self.tree.node(item) {
            Node::List { .. } => None,
            _ => self.text(place),
        }
    }

    fn id(&self, verb: &'static str) -> Result<String, Malformed> {
        let wanted = "the name of a match, which is one word";
        let id = self.word(1).ok_or(Malformed::Missing { verb, wanted })?;
        Ok(id.to_string())
    }

    fn rules(&self, place: usize, verb: &'static str) -> Result<String, Malformed> {
        let is_filled = |&&item: &&NodeId| !self.tree.items(item).is_empty();
        let wanted = "rules, as one list";
        match self.items.get(place).filter(is_filled) {
            Some(&rules) => Ok(self.source.slice(self.tree.span(rules)).to_string()),
            None => Err(Malformed::Missing { verb, wanted }),
        }
    }

    fn start(&self) -> Result<Request, Malformed> {
        let verb = "START";
        let missing = |wanted| Malformed::Missing { verb, wanted };
        let role = self.word(2).ok_or_else(|| missing("a role"))?;
        let clock = |place| {
            let seconds: Option<f64> = self.word(place).and_then(|word| word.parse().ok());
            let seconds = seconds.filter(|seconds| (0.0..LONGEST_CLOCK).contains(seconds));
            seconds
                .map(Duration::from_secs_f64)
                .ok_or_else(|| missing("a start clock and a play clock in seconds"))
        };
        Ok(Request::Start {
            id: self.id(verb)?,
            role: role.to_string(),
            rules: self.rules(3, verb)?,
            start_clock: clock(4)?,
            play_clock: clock(5)?,
        })
    }

    fn news(&self, verb: &'static str) -> Result<News, Malformed> {
        let turn = self.word(2).and_then(|word| word.parse().ok());
        match (self.items.len(), turn) {
            (0..=2, _) => Err(Malformed::Missing {
                verb,
                wanted: "the moves that were made, or NIL",
            }),
            (4.., Some(turn)) => Ok(News::Turn {
                turn,
                own: self.text(3).filter(|text| !is_nil(text)).map(str::to_string),
                percepts: self.list(4),
            }),
            _ => Ok(match self.list(2) {
                list if list.is_empty() => News::Nothing,
                list => News::List(list),
            }),
        }
    }

    /// Terms of a list; `NIL` is an empty list, and a single word is a list of one.
    fn list(&self, place: usize) -> Vec<String> {
        let Some(&item) = self.items.get(place) else {
            return Vec::new();
        };
        let text = |node: NodeId| self.source.slice(self.tree.span(node)).to_string();
        match self.tree.node(item) {
            Node::List { .. } => self.tree.items(item).iter().map(|&node| text(node)).collect(),
            _ if is_nil(&text(item)) => Vec::new(),
            _ => vec![text(item)],
        }
    }
}

fn is_nil(text: &str) -> bool {
    text.eq_ignore_ascii_case("nil")
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Request::Info => f.write_str("(INFO)"),
            Request::Ping => f.write_str("(PING)"),
            Request::Preview { rules } => write!(f, "(PREVIEW {rules} 0)"),
            Request::Start {
                id,
                role,
                rules,
                start_clock,
                play_clock,
            } => {
                let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
                write!(f, "(START {id} {role} {rules} {start} {play})")
            }
            Request::Play { id, news } => write!(f, "(PLAY {id} {news})"),
            Request::Stop { id, news } => write!(f, "(STOP {id} {news})"),
            Request::Abort { id } => write!(f, "(ABORT {id})"),
        }
    }
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |terms: &[String]| match terms.is_empty() {
            true => "NIL".to_string(),
            false => format!("({})", terms.join(" ")),
        };
        match self {
            News::Nothing => f.write_str("NIL"),
            News::List(terms) => f.write_str(&list(terms)),
            News::Turn { turn, own, percepts } => {
                write!(f, "{turn} {} {}", own.as_deref().unwrap_or("NIL"), list(percepts))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moves(texts: &[&str]) -> News {
        News::List(texts.iter().map(|text| text.to_string()).collect())
    }

    fn play(news: News) -> Request {
        Request::Play {
            id: "m1".to_string(),
            news,
        }
    }

    #[test]
    fn messages_of_all_kinds_are_read() {
        for (text, request) in [
            ("(INFO)", Request::Info),
            (" ( info )\r\n", Request::Info),
            ("info()", Request::Info),
            ("(Ping)", Request::Ping),
            ("(PLAY m1 NIL)", play(News::Nothing)),
            ("( play m1 nil )", play(News::Nothing)),
            ("(PLAY m1 ())", play(News::Nothing)),
            ("PLAY m1 (a b)", play(moves(&["a", "b"]))),
            ("(PLAY m1\n((mark 1 1)\tNOOP))", play(moves(&["(mark 1 1)", "NOOP"]))),
            ("(PLAY m1 noop)", play(moves(&["noop"]))),
            ("(PLAY m1 (a b) extra)", play(moves(&["a", "b"]))),
            ("(PLAY m1 (a b)", play(moves(&["a", "b"]))),
            ("(PLAY m1 (a b)))) junk", play(moves(&["a", "b"]))),
        ] {
            assert_eq!(Request::parse(text), Ok(request), "{text}");
        }
        let turn = News::Turn {
            turn: 3,
            own: Some("(go 1)".to_string()),
            percepts: vec!["(did x)".to_string()],
        };
        assert_eq!(Request::parse("(PLAY m1 3 (go 1) ((did x)))"), Ok(play(turn)));
        let first = News::Turn {
            turn: 0,
            own: None,
            percepts: Vec::new(),
        };
        assert_eq!(Request::parse("(PLAY m1 0 NIL NIL)"), Ok(play(first)));
        let stop = |news| Request::Stop {
            id: "M.x-1".to_string(),
            news,
        };
        assert_eq!(Request::parse("(STOP M.x-1 NIL)"), Ok(stop(News::Nothing)));
        assert_eq!(Request::parse("(STOP M.x-1)"), Ok(stop(News::Nothing)));
        assert_eq!(Request::parse("(stop M.x-1 (a))"), Ok(stop(moves(&["a"]))));
    }

    #[test]
    fn the_start_of_a_match_is_read() {
        let text = "(START Base.x.1 Xplayer ((role Xplayer) (INIT (f 1))) 30 15 extra)";
        let Ok(Request::Start {
            id,
            role,
            rules,
            start_clock,
            play_clock,
        }) = Request::parse(text)
        else {
            panic!("not read");
        };
        assert_eq!((id.as_str(), role.as_str()), ("Base.x.1", "Xplayer"));
        assert_eq!(rules, "((role Xplayer) (INIT (f 1)))");
        assert_eq!((start_clock.as_secs(), play_clock.as_secs()), (30, 15));
    }

    #[test]
    fn what_is_no_message_is_named() {
        for (text, wanted) in [
            ("", "the message is empty"),
            ("  ;only a comment", "the message is empty"),
            ("()", "the message is empty"),
            ("(HELLO)", "`HELLO` is no verb of the protocol"),
            ("((a) b)", "`a` is no verb of the protocol"),
            ("(PLAY)", "PLAY needs the name of a match, which is one word"),
            ("(PLAY m1)", "PLAY needs the moves that were made, or NIL"),
            ("(ABORT (m1))", "ABORT needs the name of a match, which is one word"),
            ("(START m1 w () 10 5)", "START needs rules, as one list"),
            ("(START m1)", "START needs a role"),
            (
                "(START m1 w ((role w)) ten 5)",
                "START needs a start clock and a play clock in seconds",
            ),
            (
                "(START m1 w ((role w)) 10)",
                "START needs a start clock and a play clock in seconds",
            ),
            (
                "(START m1 w ((role w)) 10 -5)",
                "START needs a start clock and a play clock in seconds",
            ),
            (
                "(START m1 w ((role w)) nan 5)",
                "START needs a start clock and a play clock in seconds",
            ),
        ] {
            let error = Request::parse(text).map_err(|error| error.to_string());
            assert_eq!(error, Err(wanted.to_string()), "{text}");
        }
    }

    /// Whether all parentheses match.
    fn is_balanced(text: &str) -> bool {
        let depth = text.chars().try_fold(0_usize, |depth, character| match character {
            '(' => Some(depth + 1),
            ')' => depth.checked_sub(1),
            _ => Some(depth),
        });
        depth == Some(0)
    }

    /// Texts that resemble messages.
    fn nearly() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[()]{1,4}",
            "(START|play|Stop|ABORT|info|PREVIEW|nil|NIL)",
            "[a-z0-9?;.\n\t ]{0,6}",
            "\\PC{0,3}",
            Just(" m1 ".to_string()),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_breaks_the_reader(text in nearly()) {
            if let Ok(request) = Request::parse(&text) {
                let printed = request.to_string();
                // A comment or an open list in a term swallows the rest; everything else must survive.
                if is_balanced(&text) && !text.contains(';') {
                    prop_assert_eq!(Request::parse(&printed), Ok(request), "{}", printed);
                }
            }
            let _ = first_term(&text);
            let _ = Information::parse(&text);
            let _ = canonical(&text);
        }

        #[test]
        fn messages_come_back(id in "[a-zA-Z][a-zA-Z0-9._-]{0,20}", terms in proptest::collection::vec("[a-z]{1,5}|\\([a-z]{1,4} [0-9]{1,3}\\)", 1..6), kind in 0..4) {
            let news = match kind {
                0 => News::Nothing,
                _ => News::List(terms),
            };
            let request = match kind {
                0 | 1 => Request::Play { id, news },
                2 => Request::Stop { id, news },
                _ => Request::Abort { id },
            };
            // A list of the single word `nil` is parsed as an empty list.
            prop_assume!(!request.to_string().contains(" nil"));
            prop_assert_eq!(Request::parse(&request.to_string()), Ok(request));
        }
    }
}
