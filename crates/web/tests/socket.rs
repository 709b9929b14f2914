//! The server on a real socket: many at once, slow ones, and its end.

use ludens_web::{App, Config, Limits, serve};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    app: Arc<App>,
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Server {
    async fn start(limits: Limits) -> Server {
        let config = Config {
            limits,
            ..Config::default()
        };
        let app = App::open(config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let wait = async {
            let _ = ended.await;
        };
        let task = tokio::spawn(serve(app.clone(), listener, wait));
        Server {
            app,
            address,
            end: Some(end),
            task,
        }
    }

    async fn connect(&self) -> TcpStream {
        timeout(PATIENCE, TcpStream::connect(self.address))
            .await
            .unwrap()
            .unwrap()
    }

    /// The whole answer to a request after which the connection is closed.
    async fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = self.connect().await;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        read_to_end(&mut stream).await
    }

    async fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, &body.to_string()).await;
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
    }

    async fn stop(mut self) {
        let _ = self.end.take().unwrap().send(());
        timeout(PATIENCE, &mut self.task).await.unwrap().unwrap().unwrap();
    }
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .unwrap()
        .unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until the text has come.
async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let reading = async {
        let mut buffer = [0; 4096];
        while !text.contains(wanted) {
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "{wanted} did not come: {text}");
            text += &String::from_utf8_lossy(&buffer[..count]);
        }
    };
    timeout(PATIENCE, reading).await.unwrap();
    text
}

const WATCH: &str = "GET /api/matches/ID/events HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn human_match() -> Value {
    json!({"game": "tic-tac-toe", "players": ["human", "random"], "pace": {"iterations": 5}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_closes_streams_and_keeps_matches() {
    let server = Server::start(Limits::default()).await;
    let made = server.json("POST", "/api/matches", &human_match()).await;
    let id = made["id"].as_str().unwrap();
    let mut watcher = server.connect().await;
    watcher.write_all(WATCH.replace("ID", id).as_bytes()).await.unwrap();
    read_until(&mut watcher, "event: state").await;
    let app = server.app.clone();
    // A connection on which nothing is asked does not hold the server up.
    let mut idle = server.connect().await;
    server.stop().await;
    let rest = read_to_end(&mut watcher).await;
    assert!(rest.contains("event: end") && rest.contains("interrupted"), "{rest}");
    // It is closed, or reset if the server had not even noticed it.
    let nothing = timeout(PATIENCE, idle.read(&mut [0; 16])).await.unwrap();
    assert_eq!(nothing.unwrap_or(0), 0);
    drop(app);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_watch_one_match() {
    let server = Server::start(Limits {
        requests_per_second: 10_000.0,
        ..Limits::default()
    })
    .await;
    let made = server.json("POST", "/api/matches", &human_match()).await;
    let id = made["id"].as_str().unwrap().to_string();
    let mut watchers = Vec::new();
    for _ in 0..200 {
        let mut watcher = server.connect().await;
        watcher.write_all(WATCH.replace("ID", &id).as_bytes()).await.unwrap();
        watchers.push(watcher);
    }
    for watcher in &mut watchers {
        read_until(watcher, "\"step\":0").await;
    }
    let moved = json!({"key": made["key"], "step": 0, "role": 0, "move": "(mark 2 2)"});
    let answer = server.json("POST", &format!("/api/matches/{id}/moves"), &moved).await;
    assert_eq!(answer["error"], Value::Null, "{answer}");
    for watcher in &mut watchers {
        read_until(watcher, "\"moves\":[\"(mark 2 2)\"").await;
    }
    let metrics = server.ask("GET", "/metrics", "").await;
    assert!(metrics.contains("ludens_watchers 200"), "{metrics}");
    drop(watchers);
    let gone = async {
        while !server.ask("GET", "/metrics", "").await.contains("ludens_watchers 0") {
            // The end of a connection is seen when something is to be sent on it.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, gone)
        .await
        .expect("places of those who left are free again");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_shown_the_door_and_watchers_are_not() {
    let server = Server::start(Limits {
        request_time: Duration::from_millis(500),
        ..Limits::default()
    })
    .await;
    let made = server.json("POST", "/api/matches", &human_match()).await;
    let mut watcher = server.connect().await;
    let watch = WATCH.replace("ID", made["id"].as_str().unwrap());
    watcher.write_all(watch.as_bytes()).await.unwrap();
    read_until(&mut watcher, "event: state").await;
    let mut half = server.connect().await;
    half.write_all(b"GET /api/health HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut late = server.connect().await;
    let head =
        "POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    late.write_all(head.as_bytes()).await.unwrap();
    read_to_end(&mut half).await;
    let told = read_until(&mut late, "took too long").await;
    assert!(told.starts_with("HTTP/1.1 400"), "{told}");
    // The stream of events is much older than that by now, and still open.
    let body = json!({"key": made["key"]});
    let path = format!("/api/matches/{}/abort", made["id"].as_str().unwrap());
    server.json("POST", &path, &body).await;
    read_until(&mut watcher, "event: end").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_is_survived() {
    let server = Server::start(Limits::default()).await;
    let garbage: [&[u8]; 6] = [
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /api/games/\xff\xfe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /assets/%00%0d%0a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ];
    for bytes in garbage {
        let mut stream = server.connect().await;
        stream.write_all(bytes).await.unwrap();
        let _ = stream.shutdown().await;
        let mut rest = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.unwrap();
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000));
    let mut stream = server.connect().await;
    let _ = stream.write_all(long.as_bytes()).await;
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.unwrap();
    assert!(server.ask("GET", "/api/health", "").await.contains("\"ok\""));
    server.stop().await;
}
