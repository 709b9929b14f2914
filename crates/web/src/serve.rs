//! Listens, answers, and ends gracefully.
//!
//! Connections are bounded in number, and so is the time that a client may take to say what it wants: slow clients and
//! those that never say anything cost a place for a while, and nothing else.

use crate::app::{App, router};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

/// The size of the head of a request.
const HEAD_BYTES: usize = 32 << 10;

/// How long requests under way may take to end when the server ends.
const GRACE: Duration = Duration::from_secs(3);

/// Answers requests until `end` is ready; then matches are ended and kept, streams closed, and requests under way
/// answered.
pub async fn serve(app: Arc<App>, listener: TcpListener, end: impl Future<Output = ()> + Send) -> std::io::Result<()> {
    let router = router(app.clone());
    let most = app.config.limits.connections;
    let places = Arc::new(Semaphore::new(most));
    let mut end = pin!(end);
    loop {
        let accepted = async {
            // A semaphore that is never closed always gives a place in the end.
            let place = places.clone().acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut end => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                tokio::spawn(attend(app.clone(), router.clone(), stream, address, place));
            }
            Err(error) => {
                // Mostly there are no file handles left; some will be soon.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    app.end().await;
    // All places are free when all connections are closed.
    let all = places.acquire_many(u32::try_from(most).unwrap_or(u32::MAX));
    if tokio::time::timeout(GRACE, all).await.is_err() {
        tracing::warn!("connections did not close in time");
    }
    Ok(())
}

/// Answers the requests of one connection.
async fn attend(
    app: Arc<App>,
    router: Router,
    stream: TcpStream,
    address: SocketAddr,
    _place: Option<OwnedSemaphorePermit>,
) {
    // Events are small and should not wait for more to come.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(address));
        router.clone().oneshot(request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.limits.request_time)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let mut ending = app.ending.subscribe();
    let ended = async { ending.wait_for(|is_ending| *is_ending).await.map(drop) };
    let result = tokio::select! {
        result = connection.as_mut() => result,
        _ = ended => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(GRACE, connection).await {
                Ok(result) => result,
                Err(_) => Ok(()),
            }
        }
    };
    if let Err(error) = result {
        tracing::debug!(client = %address, %error, "connection");
    }
}
