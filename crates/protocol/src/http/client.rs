//! The HTTP client.
//!
//! One deadline covers everything, from resolving the host to the last byte of the answer, so that a player cannot gain
//! time by sending slowly.

use super::head::{Head, unchunked};
use ludens_budget::Budget;
use ludens_play::RemoteAddress;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Maximum size of an answer; moves are short.
const LONGEST_ANSWER: usize = 1 << 20;

/// Interval of checks for cancellation.
const GLANCE: Duration = Duration::from_millis(50);

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(5);

/// Reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The deadline passed.
    #[error("no answer in time")]
    Late,
    /// The budget was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// There is no connection, or it was lost.
    #[error("{0}")]
    Unreachable(String),
    /// The received text, which is not an HTTP answer.
    #[error("{0}")]
    Garbage(String),
}

/// Sends a message and returns the answer, within the deadline of the budget.
pub fn ask(address: &RemoteAddress, receiver: &str, message: &str, budget: &Budget) -> Result<String, NoAnswer> {
    let mut stream = connect(address, budget)?;
    let _ = stream.set_nodelay(true);
    let head = format!(
        "POST {} HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {receiver}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n",
        address.path,
        address.authority(),
        message.len()
    );
    send(&mut stream, (head + message).as_bytes(), budget)?;
    receive(&mut stream, budget)
}

/// Time to the deadline or the next check for cancellation.
fn patience(budget: &Budget) -> Result<Duration, NoAnswer> {
    if budget.is_cancelled() {
        return Err(NoAnswer::Interrupted);
    }
    let left = budget
        .deadline()
        .map_or(GLANCE, |deadline| deadline.saturating_duration_since(Instant::now()));
    match left.is_zero() {
        true => Err(NoAnswer::Late),
        false => Ok(left.min(GLANCE)),
    }
}

fn connect(address: &RemoteAddress, budget: &Budget) -> Result<TcpStream, NoAnswer> {
    patience(budget)?;
    let places = (address.host.as_str(), address.port).to_socket_addrs();
    let places = places.map_err(|error| NoAnswer::Unreachable(format!("{} is not known: {error}", address.host)))?;
    let mut failure = NoAnswer::Unreachable(format!("{} has no address", address.host));
    for place in places {
        patience(budget)?;
        let left = budget
            .deadline()
            .map_or(CONNECT, |deadline| deadline.saturating_duration_since(Instant::now()));
        match TcpStream::connect_timeout(&place, left.clamp(Duration::from_millis(1), CONNECT)) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = NoAnswer::Unreachable(format!("no connection: {error}")),
        }
    }
    Err(failure)
}

fn is_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

fn send(stream: &mut TcpStream, mut bytes: &[u8], budget: &Budget) -> Result<(), NoAnswer> {
    let lost = |error: io::Error| NoAnswer::Unreachable(format!("the connection was lost: {error}"));
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(patience(budget)?)).map_err(lost)?;
        match stream.write(bytes) {
            Ok(0) => return Err(NoAnswer::Unreachable("the connection was closed".to_string())),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if is_wait(&error) => {}
            // A player that does not read everything may still have answered.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

fn receive(stream: &mut TcpStream, budget: &Budget) -> Result<String, NoAnswer> {
    let mut bytes = Vec::new();
    let mut piece = [0; 8 << 10];
    let mut lost = None;
    let mut head = None;
    loop {
        if head.is_none() {
            head = Head::find(&bytes);
        }
        if let Some((found, start)) = &head
            && is_complete(found, &bytes[*start..])
        {
            break;
        }
        if bytes.len() > LONGEST_ANSWER {
            return Err(NoAnswer::Garbage(excerpt(&bytes)));
        }
        let timeout = stream.set_read_timeout(Some(patience(budget)?));
        match timeout.and_then(|()| stream.read(&mut piece)) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if is_wait(&error) => {}
            Err(error) => {
                lost = Some(error);
                break;
            }
        }
    }
    if bytes.is_empty() {
        return Err(NoAnswer::Unreachable(match lost {
            Some(error) => format!("the connection was lost: {error}"),
            None => "the connection was closed without an answer".to_string(),
        }));
    }
    let Some((head, start)) = head.filter(|(head, _)| head.line.to_ascii_uppercase().starts_with("HTTP/")) else {
        return Err(NoAnswer::Garbage(excerpt(&bytes)));
    };
    let status = head.line.split_whitespace().nth(1).unwrap_or_default();
    if !status.starts_with('2') {
        return Err(NoAnswer::Unreachable(format!(
            "answers `{}`",
            excerpt(head.line.as_bytes())
        )));
    }
    let body = &bytes[start..];
    let body = match head.is_chunked {
        true => unchunked(body).unwrap_or_default(),
        false => body[..head.length.unwrap_or(body.len()).min(body.len())].to_vec(),
    };
    Ok(ludens_gdl::Source::from_bytes("answer", body).text().to_string())
}

/// Whether the body has the announced length; without an announcement it ends with the connection.
fn is_complete(head: &Head, body: &[u8]) -> bool {
    match head.is_chunked {
        true => unchunked(body).is_some(),
        false => head.length.is_some_and(|length| body.len() >= length),
    }
}

fn excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(200).collect()
}
