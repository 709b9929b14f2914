//! Players named by text: an agent of this program, or the address of a player elsewhere that speaks the protocol of
//! General Game Playing.
//!
//! An address is only a value here; `protocol` connects to it.

use crate::agents;
use crate::spec::{AgentSpec, SpecError};
use std::fmt;

/// The port of players, where an address names none.
pub const PLAYER_PORT: u16 = 9147;

/// Who is to play.
#[derive(Clone, Debug)]
pub enum PlayerSpec {
    /// An agent of this program.
    Agent(AgentSpec),
    /// A player elsewhere.
    Remote(RemoteAddress),
}

impl PlayerSpec {
    /// The player that a text names.
    pub fn parse(text: &str) -> Result<PlayerSpec, SpecError> {
        match is_address(text) {
            true => match settings_after_colon(text) {
                Some(meant) => Err(SpecError::SettingsAfterColon {
                    text: text.trim().to_string(),
                    meant,
                }),
                None => RemoteAddress::parse(text).map(PlayerSpec::Remote),
            },
            false => AgentSpec::parse(text).map(PlayerSpec::Agent),
        }
    }

    /// The players that a text names, separated by commas.
    pub fn parse_list(text: &str) -> Result<Vec<PlayerSpec>, SpecError> {
        let parts = split(text);
        match parts.iter().any(|part| is_address(part)) {
            true => parts.into_iter().map(PlayerSpec::parse).collect(),
            // Errors then tell the place within the whole list.
            false => Ok(AgentSpec::parse_list(text)?
                .into_iter()
                .map(PlayerSpec::Agent)
                .collect()),
        }
    }

    /// The agent, if it is one of this program.
    pub fn agent(&self) -> Option<&AgentSpec> {
        match self {
            PlayerSpec::Agent(spec) => Some(spec),
            PlayerSpec::Remote(_) => None,
        }
    }

    /// Whether it is a player elsewhere.
    pub fn is_remote(&self) -> bool {
        matches!(self, PlayerSpec::Remote(_))
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Agent(spec) => spec.fmt(f),
            PlayerSpec::Remote(address) => address.fmt(f),
        }
    }
}

/// Where a player elsewhere listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RemoteAddress {
    /// A name or number, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Path of the request, usually `/`.
    pub path: String,
}

impl RemoteAddress {
    /// The address that a text names: `http://host:port`, or shorter `host:port`.
    pub fn parse(text: &str) -> Result<RemoteAddress, SpecError> {
        let whole = text.trim();
        let wrong = |reason| SpecError::BadAddress {
            text: whole.to_string(),
            reason,
        };
        let rest = match whole.split_once("://") {
            None => whole,
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => return Err(wrong("only `http` is spoken")),
        };
        let (place, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, "/"),
        };
        let (host, port) = match place.strip_prefix('[').and_then(|place| place.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (
                host,
                Some(port.strip_prefix(':').ok_or_else(|| wrong("`:` and a port expected"))?),
            ),
            None => match place.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, None),
            },
        };
        let is_odd = |letter: char| letter.is_whitespace() || letter.is_control() || "()@,\"<>".contains(letter);
        if host.is_empty() || host.contains(is_odd) || path.contains(is_odd) {
            return Err(wrong("a host expected"));
        }
        let port = match port {
            None => PLAYER_PORT,
            Some(digits) => match digits.parse() {
                Ok(port) if port > 0 => port,
                _ => return Err(wrong("a port is a number from 1 to 65535")),
            },
        };
        Ok(RemoteAddress {
            host: host.to_ascii_lowercase(),
            port,
            path: path.to_string(),
        })
    }

    /// Host and port as they stand in a message.
    pub fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path == "/" { "" } else { &self.path };
        write!(f, "http://{}{path}", self.authority())
    }
}

/// Specs of agents have no colon before their settings.
fn is_address(text: &str) -> bool {
    text.split('(').next().is_some_and(|start| start.contains(':'))
}

/// The spec that was meant by an agent with settings after a colon, such as `uct:c=20`; `None` for an address.
fn settings_after_colon(text: &str) -> Option<String> {
    let (name, settings) = text.trim().split_once(':')?;
    let is_agent = agents::find(&name.to_lowercase()).is_some();
    let is_setting = settings.contains('=') && !settings.contains('/');
    let is_port = settings.parse::<u16>().is_ok() || settings.is_empty() || settings.starts_with('/');
    (is_setting || is_agent && !is_port).then(|| format!("{name}({settings})"))
}

/// The parts of a list, at commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0i64;
    text.split(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth <= 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_print_in_one_way() {
        for (text, canonical) in [
            ("http://localhost:9147", "http://localhost:9147"),
            ("HTTP://LocalHost:4000/", "http://localhost:4000"),
            ("10.0.0.7:9148", "http://10.0.0.7:9148"),
            ("http://example.org", "http://example.org:9147"),
            ("http://[::1]:9147/", "http://[::1]:9147"),
            ("http://example.org:80/players/7", "http://example.org:80/players/7"),
        ] {
            let spec = PlayerSpec::parse(text).unwrap();
            assert!(spec.is_remote(), "{text}");
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(PlayerSpec::parse(canonical).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn lists_mix_agents_and_addresses() {
        let specs = PlayerSpec::parse_list("ucb(c=1,steps=7), localhost:9147,http://h:1").unwrap();
        let texts: Vec<String> = specs.iter().map(PlayerSpec::to_string).collect();
        assert_eq!(texts, ["ucb(c=1,steps=7)", "http://localhost:9147", "http://h:1"]);
        assert_eq!(PlayerSpec::parse_list("random,legal").unwrap().len(), 2);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (text, reason) in [
            ("https://host:1", "only `http` is spoken"),
            ("host:", "a port is a number from 1 to 65535"),
            ("host:0", "a port is a number from 1 to 65535"),
            ("host:70000", "a port is a number from 1 to 65535"),
            (":80", "a host expected"),
            ("http://", "a host expected"),
            ("[::1]80:1", "`:` and a port expected"),
        ] {
            let error = PlayerSpec::parse_list(text).unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is not the address of a player: {reason}"));
        }
        let error = PlayerSpec::parse_list("random,uct:c=20").unwrap_err().to_string();
        let wanted = "`uct:c=20` is neither an agent nor an address; settings go into parentheses: uct(c=20)";
        assert_eq!(error, wanted);
        let error = PlayerSpec::parse_list("randm,random").unwrap_err().to_string();
        assert!(error.contains("did you mean `random`"), "{error}");
    }
}
