//! Listens, answers, and ends gracefully.

use crate::app::{App, router};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Answers requests until `end` is ready; then streams are closed, matches kept, and requests under way answered.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    end: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let service = router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
    let shutdown = async move {
        end.await;
        app.end().await;
    };
    axum::serve(listener, service).with_graceful_shutdown(shutdown).await
}
