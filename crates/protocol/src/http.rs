//! A small HTTP server and client for the GGP protocol.
//!
//! Managers and players were written by hand over two decades: they send bare line feeds, no `Host`, a `Content-Length`
//! that counts characters or is missing, and they read answers to the end of the connection. HTTP libraries rightly
//! refuse part of that: they take a request without `Content-Length` to be empty, and a body shorter than announced to
//! be broken. So both sides are implemented here, with hard limits: [`server`] on tokio, where a slow connection costs
//! a few kilobytes and no thread, and [`client`] with blocking sockets, because match threads call it.
//!
//! Every connection carries one message and is closed after the answer.

pub mod client;
mod head;
pub mod server;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

/// Binds an address, with a runtime of its own for the connections.
pub(crate) fn listen(
    address: impl ToSocketAddrs,
    name: &str,
    threads: usize,
) -> io::Result<(SocketAddr, TcpListener, Runtime)> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(threads).thread_name(name).enable_all().build()?;
    let inside = runtime.enter();
    let listener = TcpListener::from_std(listener)?;
    drop(inside);
    Ok((address, listener, runtime))
}

/// Limits on the size and the duration of requests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum size of the request line and headers, in bytes.
    pub head: usize,
    /// Maximum size of a message, in bytes.
    pub body: usize,
    /// Time limit for receiving a request.
    pub read: Duration,
    /// Time limit for sending an answer.
    pub write: Duration,
    /// Maximum number of simultaneous connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: 32 << 10,
            body: 4 << 20,
            read: Duration::from_secs(10),
            write: Duration::from_secs(5),
            connections: 256,
        }
    }
}
