//! Accepts connections and shuts down gracefully.
//!
//! The number of connections and the time to send a request are bounded, so a slow or silent client costs one slot for
//! a limited time.

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

/// Maximum size of a request head.
const HEAD_BYTES: usize = 32 << 10;

/// Time that running requests get at shutdown.
const GRACE: Duration = Duration::from_secs(3);

/// Answers requests until `end` is ready. Then matches are stopped and stored, streams closed, and running requests
/// answered.
pub async fn serve(app: Arc<App>, listener: TcpListener, end: impl Future<Output = ()> + Send) -> std::io::Result<()> {
    let router = router(app.clone());
    let most = app.config.limits.connections;
    let places = Arc::new(Semaphore::new(most));
    let mut end = pin!(end);
    loop {
        let accepted = async {
            // Acquiring fails only on a closed semaphore, and this one is never closed.
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
                // Usually there are no file handles left; wait for some to be closed.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    app.end().await;
    // All permits are free once all connections are closed.
    let all = places.acquire_many(u32::try_from(most).unwrap_or(u32::MAX));
    if tokio::time::timeout(GRACE, all).await.is_err() {
        tracing::warn!("connections did not close in time");
    }
    Ok(())
}

/// Serves one connection.
async fn attend(
    app: Arc<App>,
    router: Router,
    stream: TcpStream,
    address: SocketAddr,
    _place: Option<OwnedSemaphorePermit>,
) {
    // Events are small and should be sent at once.
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
