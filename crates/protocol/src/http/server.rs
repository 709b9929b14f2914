//! The HTTP server.
//!
//! Connections are tasks, so hundreds of slow ones do not delay others. Their number is bounded; at the limit, the
//! connection that has been sending its request longest is closed.

use super::Limits;
use super::head::{Balance, Head, Progress, percent_decoded, unchunked};
use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{timeout, timeout_at};

/// Time to wait for more of a message that looks complete or has not begun.
const QUIET: Duration = Duration::from_millis(250);

/// Time to wait until the other side has closed its end, so that the answer is not lost.
const LINGER: Duration = Duration::from_millis(500);

/// A received message.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Text of the message; empty if there is none.
    pub text: String,
    /// Time at which the connection was accepted. Clocks start here.
    pub arrived: Instant,
}

/// Answers other than the answer to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Fine,
    NotUnderstood,
    TooLarge,
    Late,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Fine => "200 OK",
            Status::NotUnderstood => "400 Bad Request",
            Status::TooLarge => "413 Content Too Large",
            Status::Late => "408 Request Timeout",
        }
    }
}

/// Open connections, and those that have not sent their whole request.
#[derive(Default)]
pub struct Connections {
    open: AtomicUsize,
    reading: Mutex<VecDeque<(u64, Arc<Notify>)>>,
}

impl Connections {
    /// Number of open connections.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    fn begin(&self, number: u64) -> Arc<Notify> {
        let leave = Arc::new(Notify::new());
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.push_back((number, leave.clone()));
        leave
    }

    fn end(&self, number: u64) {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.retain(|(other, _)| *other != number);
    }

    fn dismiss_slowest(&self) {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, leave)) = reading.pop_front() {
            leave.notify_one();
        }
    }
}

/// Counts an open connection until dropped.
struct Open(Arc<Connections>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers messages for ever; dropping the future ends it and all connections.
pub async fn serve<H, F>(listener: TcpListener, limits: Limits, connections: Arc<Connections>, handler: H)
where
    H: Fn(Incoming) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = String> + Send,
{
    let room = Arc::new(Semaphore::new(limits.connections.max(1)));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0.. {
        while tasks.try_join_next().is_some() {}
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Usually there are no file handles left; wait for some to be closed.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let arrived = Instant::now();
        let permit = match room.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                connections.dismiss_slowest();
                match timeout(LINGER, room.clone().acquire_owned()).await {
                    Ok(Ok(permit)) => permit,
                    _ => continue,
                }
            }
        };
        connections.open.fetch_add(1, Ordering::Relaxed);
        let open = Open(connections.clone());
        let handler = handler.clone();
        tasks.spawn(async move {
            attend(stream, number, arrived, limits, &open.0, handler).await;
            drop((open, permit));
        });
    }
}

async fn attend<H, F>(
    mut stream: TcpStream,
    number: u64,
    arrived: Instant,
    limits: Limits,
    connections: &Connections,
    handler: H,
) where
    H: Fn(Incoming) -> F,
    F: Future<Output = String>,
{
    // Answers are small and should be sent at once.
    let _ = stream.set_nodelay(true);
    let leave = connections.begin(number);
    let request = tokio::select! {
        request = read(&mut stream, arrived, &limits) => request,
        () = leave.notified() => Err(None),
    };
    connections.end(number);
    let (status, answer) = match request {
        Ok(Some(text)) => (Status::Fine, handler(Incoming { text, arrived }).await),
        Ok(None) => (Status::Fine, String::new()),
        Err(Some(status)) => (status, String::new()),
        Err(None) => return,
    };
    let _ = timeout(limits.write, write(&mut stream, status, &answer)).await;
    // Closing a connection with unread input resets it, which may lose the answer.
    let _ = timeout(LINGER, drain(&mut stream, limits.body)).await;
}

/// Reads the text of a request; `None` for OPTIONS. An error without a status is a lost connection.
async fn read(stream: &mut TcpStream, arrived: Instant, limits: &Limits) -> Result<Option<String>, Option<Status>> {
    let deadline = tokio::time::Instant::from_std(arrived + limits.read);
    let mut bytes = Vec::new();
    let (head, start) = loop {
        if let Some(found) = Head::find(&bytes) {
            break found;
        }
        if bytes.len() > limits.head {
            return Err(Some(Status::TooLarge));
        }
        match timeout_at(deadline, stream.read_buf(&mut bytes)).await {
            Err(_) if bytes.is_empty() => return Err(None),
            Err(_) => return Err(Some(Status::Late)),
            Ok(Err(_)) => return Err(None),
            Ok(Ok(0)) if bytes.is_empty() => return Err(None),
            Ok(Ok(0)) => return Err(Some(Status::NotUnderstood)),
            Ok(Ok(_)) => {}
        }
    };
    let (method, rest) = head.line.split_once(' ').unwrap_or((&head.line, ""));
    match method.to_ascii_uppercase().as_str() {
        "POST" | "PUT" => {}
        "OPTIONS" => return Ok(None),
        "GET" => return Ok(Some(message_in(rest))),
        _ => return Err(Some(Status::NotUnderstood)),
    }
    if head.length.is_some_and(|length| length > limits.body) {
        return Err(Some(Status::TooLarge));
    }
    if head.expects_leave && stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.is_err() {
        return Err(None);
    }
    let mut body = bytes.split_off(start);
    let mut balance = Balance::default();
    loop {
        if body.len() > limits.body {
            return Err(Some(Status::TooLarge));
        }
        let until = match balance.progress(&head, &body) {
            Progress::Complete => break,
            // The quiet time starts again with every byte.
            Progress::Plausible => deadline.min(tokio::time::Instant::now() + QUIET),
            Progress::Partial => deadline,
        };
        match timeout_at(until, stream.read_buf(&mut body)).await {
            Err(_) | Ok(Err(_)) | Ok(Ok(0)) => break,
            Ok(Ok(_)) => {}
        }
    }
    let body = match head.is_chunked {
        true => unchunked(&body).unwrap_or(body),
        false => body,
    };
    Ok(Some(ludens_gdl::Source::from_bytes("message", body).text().to_string()))
}

/// The message in the address of a GET request, for browsers.
fn message_in(line: &str) -> String {
    // Spaces are part of the message.
    let target = line.rsplit_once(" HTTP/").map_or(line, |(target, _)| target);
    let bytes = percent_decoded(target.trim().trim_start_matches('/'));
    ludens_gdl::Source::from_bytes("address", bytes).text().to_string()
}

async fn write(stream: &mut TcpStream, status: Status, answer: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.0 {}\r\nContent-type: text/acl\r\nContent-length: {}\r\nAccess-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: POST, GET, OPTIONS\r\nAccess-Control-Allow-Headers: Content-Type\r\n\
         Access-Control-Allow-Age: 86400\r\nConnection: close\r\n\r\n",
        status.line(),
        answer.len()
    );
    stream.write_all((head + answer).as_bytes()).await?;
    stream.shutdown().await
}

async fn drain(stream: &mut TcpStream, most: usize) {
    let mut rest = vec![0; 16 << 10];
    let mut total = 0;
    while let Ok(count) = stream.read(&mut rest).await {
        total += count;
        if count == 0 || total > most {
            return;
        }
    }
}
