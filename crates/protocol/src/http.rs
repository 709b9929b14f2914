//! As much of HTTP as the programs of the field need.
//!
//! Managers and players were written by hand over two decades: they send bare line feeds, no `Host`, a `Content-Length`
//! that counts characters or is missing, and read answers to the end of the connection. Libraries refuse part of that,
//! rightly for the web: an HTTP library takes a request without `Content-Length` to be empty, and one whose body is
//! shorter than announced to be broken. So both sides are written here, small and with hard limits: [`server`] on tokio,
//! where a connection that dawdles costs a few kilobytes and no thread, and [`client`] with plain blocking sockets, as it
//! is called from the threads of matches.
//!
//! Every connection carries one message and is closed after the answer.

pub mod client;
mod head;
pub mod server;

use std::time::Duration;

/// Bounds on what others may send, and how slowly.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a request line with its headers.
    pub head: usize,
    /// Bytes of a message.
    pub body: usize,
    /// The time in which a request has to be there.
    pub read: Duration,
    /// The time in which an answer has to be taken.
    pub write: Duration,
    /// Connections at once.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: 32 << 10,
            body: 16 << 20,
            read: Duration::from_secs(10),
            write: Duration::from_secs(5),
            connections: 512,
        }
    }
}
