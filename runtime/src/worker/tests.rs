//! Exchanges through a whole worker, over loopback and with paused time: what a client and the origins see.
//!
//! Client and origins follow scripts of [`Act`]s; both then read to the end of their connections, which time-outs
//! bring about at once because nothing else is left to happen.

mod bodies;
mod failures;
mod lifecycle;
mod messages;

use super::*;
use crate::log::Log;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use twp_compiler::plan::LogTarget;

/// A step of a script.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Writes.
    Send(&'static str),
    /// Writes so many bytes of body.
    SendBytes(usize),
    /// Reads until this comes.
    Until(&'static str),
    /// Closes the connection.
    Close,
    /// Ends the own side of the connection.
    EndWriting,
    /// Lets time pass.
    Wait(Duration),
    /// Tells the worker.
    Tell(Command),
}

/// What everybody saw.
#[derive(Debug, Default)]
struct Seen {
    /// All bytes the client received, without dates.
    client: String,
    /// How the client's connection ended.
    is_reset: bool,
    /// All bytes each connection to an origin received.
    origins: Vec<String>,
    /// The log.
    records: Vec<String>,
    /// Time that passed for the client.
    seconds: f64,
    /// Exchanges and connections that panicked.
    panics: u64,
    /// Exchanges that were under way in the end.
    in_flight: u64,
}

/// Runs one client against a worker. `ORIGIN` in the configuration is the origin's address, `REFUSED` one where
/// nobody listens; the text stands inside `site *` unless it has a site of its own. The origin follows one script per
/// connection, in the order of accepting.
fn exchange(config: &str, client: &[Act], origins: &[&'static [Act]]) -> Seen {
    exchange_with(config, |_| {}, client, origins)
}

/// The same with a change of what was compiled.
fn exchange_with(
    config: &str,
    change: impl FnOnce(&mut Artifact),
    client: &[Act],
    origins: &[&'static [Act]],
) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build_local(tokio::runtime::LocalOptions::default())
        .expect("a runtime");
    runtime.block_on(run(config, change, client, origins))
}

/// The usual case: everything passes to the origin.
fn proxied(client: &'static str, origins: &[&'static [Act]]) -> Seen {
    exchange("to api", &[Act::Send(client)], origins)
}

async fn run(
    config: &str,
    change: impl FnOnce(&mut Artifact),
    client: &[Act],
    origins: &[&'static [Act]],
) -> Seen {
    let origin = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let refused = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let refused_addr = refused.local_addr().expect("an address");
    drop(refused);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = listener.local_addr().expect("an address");
    let mut artifact = compile(config, origin.local_addr().expect("an address"), refused_addr);
    change(Arc::get_mut(&mut artifact).expect("nobody else has it yet"));

    let log_path = std::env::temp_dir().join(format!("twp-test-{}-{}.log", std::process::id(), addr.port()));
    let log = Log::start(&LogTarget::File(log_path.display().to_string())).expect("a log");
    let group = WorkerGroup::new(1);
    let (commands, receiver) = mpsc::channel(COMMANDS_QUEUE);
    let handed = group.take_queue(0).expect("the first to ask");
    let sockets = vec![ListenSocket { listener: 0, plain: true, socket: ListenSocketKind::Tcp(listener) }];
    let config = WorkerConfig { index: 0, artifact, sockets, group: Arc::clone(&group), log: log.worker() };
    let worker = tokio::task::spawn_local(Loop::new(config, receiver, handed).run());
    commands.try_send(Command::Accept).expect("room");

    let transcripts = Rc::new(RefCell::new(vec![String::new(); origins.len()]));
    let serving = tokio::task::spawn_local(serve_origins(origin, origins.to_vec(), Rc::clone(&transcripts)));
    let start = tokio::time::Instant::now();
    let stream = TcpStream::connect(addr).await.expect("the worker accepts");
    // Time stands still for acknowledgements too: a held back write would never leave.
    stream.set_nodelay(true).expect("a connected socket");
    let (client, is_reset) = follow(stream, client, &commands, |_| {}).await;
    let seconds = start.elapsed().as_secs_f64();

    // It may have been told before.
    let _ = commands.try_send(Command::Drain { soft: Duration::ZERO, hard: Duration::from_mins(10) });
    worker.await.expect("the worker ends well");
    serving.abort();
    assert!(log.finish(Duration::from_secs(5)), "the log is written");
    let text = std::fs::read_to_string(&log_path).expect("the log");
    drop(std::fs::remove_file(&log_path));
    let origins = transcripts.borrow().clone();
    let records = text.lines().map(str::to_owned).collect();
    let counters = group.counters(0).expect("the worker");
    let panics = counters.panics.load(Ordering::Relaxed);
    let in_flight = counters.exchanges_in_flight.load(Ordering::Relaxed);
    Seen { client: without_dates(&client), is_reset, origins, records, seconds, panics, in_flight }
}

fn compile(config: &str, origin: SocketAddr, refused: SocketAddr) -> Arc<Artifact> {
    let body = if config.contains("site ") { config.to_owned() } else { format!("site * {{ {config} }}") };
    let server = if config.contains("server {") { "" } else { "server { }\n" };
    let text = format!("edition 1\n{server}listener web {{ plain: [127.0.0.1:1] }}\n{body}\n");
    let text = if config.contains("upstream ") {
        text
    } else {
        format!("{text}upstream api {{ servers: [ORIGIN] }}\n")
    };
    let text = text.replace("ORIGIN", &origin.to_string()).replace("REFUSED", &refused.to_string());
    let (tree, diagnostics) = twp_lang::parse_source(&text, 0);
    let (program, more) = twp_lang::check(&tree);
    let Some(program) = program else { panic!("{text}\n{diagnostics:#?}\n{more:#?}") };
    Arc::new(twp_compiler::compile(&program).expect("within limits"))
}

async fn serve_origins(listener: TcpListener, scripts: Vec<&'static [Act]>, seen: Rc<RefCell<Vec<String>>>) {
    let (nobody, _unread) = mpsc::channel(1);
    let mut connections = JoinSet::new();
    for (at, script) in scripts.into_iter().enumerate() {
        let Ok((stream, _)) = listener.accept().await else { return };
        let (seen, nobody) = (Rc::clone(&seen), nobody.clone());
        connections.spawn_local(async move {
            let note = |text: &str| text.clone_into(&mut seen.borrow_mut()[at]);
            follow(stream, script, &nobody, note).await;
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Follows a script, then reads to the end; gives all that was read and whether a reset ended it.
async fn follow(
    mut stream: TcpStream,
    script: &[Act],
    worker: &mpsc::Sender<Command>,
    note: impl Fn(&str),
) -> (String, bool) {
    let mut text = String::new();
    let mut mark = 0;
    let mut is_reset = false;
    for act in script {
        match act {
            // The other side may have closed; the script goes on to see how.
            Act::Send(bytes) => drop(stream.write_all(bytes.as_bytes()).await),
            Act::SendBytes(n) => drop(stream.write_all(&vec![b'x'; *n]).await),
            Act::Until(end) => {
                while !text[mark..].contains(end) {
                    if read(&mut stream, &mut text, &mut is_reset).await == 0 {
                        return (text, is_reset);
                    }
                    note(&text);
                }
                mark += text[mark..].find(end).unwrap_or(0) + end.len();
            }
            Act::Close => return (text, is_reset),
            Act::EndWriting => drop(stream.shutdown().await),
            Act::Wait(duration) => tokio::time::sleep(*duration).await,
            Act::Tell(command) => worker.try_send(*command).expect("room"),
        }
    }
    while read(&mut stream, &mut text, &mut is_reset).await > 0 {
        note(&text);
    }
    (text, is_reset)
}

async fn read(stream: &mut TcpStream, text: &mut String, is_reset: &mut bool) -> usize {
    let mut buf = vec![0; 64 * 1024];
    let Ok(n) = stream.read(&mut buf).await else {
        *is_reset = true;
        return 0;
    };
    text.push_str(std::str::from_utf8(&buf[..n]).expect("scripts are text"));
    n
}

fn without_dates(text: &str) -> String {
    text.split_inclusive("\r\n").filter(|line| !line.starts_with("date: ")).collect()
}

impl Seen {
    /// The value of a key in the only record.
    fn record(&self, key: &str) -> String {
        assert_eq!(self.records.len(), 1, "one record per exchange: {:?}", self.records);
        let record: serde_json::Value = serde_json::from_str(&self.records[0]).expect("JSON");
        match &record[key] {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// The statuses the client received, in order.
    fn statuses(&self) -> Vec<&str> {
        let starts = self.client.split("HTTP/1.1 ").skip(1).map(|rest| &rest[..3]);
        starts.filter(|start| start.bytes().all(|byte| byte.is_ascii_digit())).collect()
    }
}
