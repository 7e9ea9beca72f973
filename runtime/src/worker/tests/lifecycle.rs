//! Connections and the worker itself: idle time-outs, pausing, draining, many connections.

use super::Act::{Send, Tell, Until, Wait};
use super::{Command, exchange};
use std::time::Duration;

const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const SECOND: Duration = Duration::from_secs(1);

#[test]
fn idle_connections_are_closed_in_their_time() {
    let seen = exchange("respond 200", &[Send(GET)], &[]);
    assert!((60.0..61.0).contains(&seen.seconds), "after a request: {} s", seen.seconds);
    let seen = exchange("respond 200", &[], &[]);
    assert!((10.0..10.5).contains(&seen.seconds), "before the first: {} s", seen.seconds);
    assert_eq!(seen.records.len(), 0);
}

#[test]
fn after_a_pause_requests_are_served_and_connections_close() {
    let client = &[Send(GET), Until("200 OK"), Tell(Command::Pause), Wait(20 * SECOND), Send(GET)];
    let seen = exchange("respond 200", client, &[]);
    assert_eq!(seen.statuses(), ["200", "200"]);
    assert_eq!(seen.client.matches("connection: close").count(), 1, "{}", seen.client);
    assert!(
        seen.client.rfind("connection: close") > seen.client.rfind("HTTP/1.1 200"),
        "on the second answer"
    );
}

#[test]
fn after_a_resume_connections_stay() {
    let client = &[Tell(Command::Pause), Wait(SECOND), Tell(Command::Accept), Wait(SECOND), Send(GET)];
    let seen = exchange("respond 200", client, &[]);
    assert!(!seen.client.contains("connection: close"), "{}", seen.client);
}

#[test]
fn draining_waits_for_idle_connections_as_long_as_they_may_be_idle() {
    let drain = |hard: u32| Command::Drain { soft: Duration::ZERO, hard: hard * SECOND };
    let client = &[Send(GET), Until("200 OK"), Tell(drain(300)), Wait(50 * SECOND), Send(GET)];
    let seen = exchange("respond 200", client, &[]);
    assert_eq!(seen.statuses(), ["200", "200"], "a request that crosses the drain is not lost");
    let seen = exchange("respond 200", &[Send(GET), Until("200 OK"), Tell(drain(5))], &[]);
    assert!((5.0..6.0).contains(&seen.seconds), "the hard deadline ends it: {} s", seen.seconds);
}

#[test]
fn a_worker_thread_accepts_drains_and_ends() {
    use super::super::*;
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = listener.local_addr().expect("an address");
    let artifact = super::compile("respond 200 body \"hi\"", addr, addr);
    let group = WorkerGroup::new(1);
    let sockets = vec![ListenSocket { listener: 0, plain: true, socket: ListenSocketKind::Tcp(listener) }];
    let log = WorkerLog::off();
    let config = WorkerConfig { index: 0, artifact, sockets, group: Arc::clone(&group), log };
    let worker = start(config).expect("a worker");
    assert!(worker.send(Command::Accept));
    let mut client = std::net::TcpStream::connect(addr).expect("it accepts");
    client.write_all(b"GET / HTTP/1.0\r\nHost: a\r\n\r\n").expect("it reads");
    let mut text = String::new();
    client.read_to_string(&mut text).expect("it answers and closes");
    assert!(text.ends_with("hi"), "{text}");
    assert_eq!(worker.counters().requests.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert!(worker.send(Command::Drain { soft: Duration::ZERO, hard: Duration::from_secs(5) }));
    worker.join();
    assert!(std::net::TcpStream::connect(addr).is_err(), "its sockets are closed");
}

#[test]
fn a_panic_ends_its_connection_only() {
    use super::super::*;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build_local(tokio::runtime::LocalOptions::default())
        .expect("a runtime");
    let addr = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let artifact = super::compile("respond 200", addr, addr);
    let group = WorkerGroup::new(1);
    let handed = group.take_queue(0).expect("the first to ask");
    let (commands, receiver) = mpsc::channel(COMMANDS_QUEUE);
    runtime.block_on(async {
        let log = WorkerLog::off();
        let config = WorkerConfig { index: 0, artifact, sockets: Vec::new(), group: Arc::clone(&group), log };
        let mut worker = Loop::new(config, receiver, handed);
        let guard = OpenConnection::new(&worker.ctx);
        worker.connections.spawn_local(async move {
            let _guard = guard;
            panic!("a bug in one connection");
        });
        let drain = Command::Drain { soft: Duration::ZERO, hard: 300 * SECOND };
        commands.try_send(drain).expect("room");
        worker.run().await;
    });
    let counters = group.counters(0).expect("one worker");
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!((read(&counters.panics), read(&counters.open_connections)), (1, 0));
}

#[test]
fn a_busy_worker_hands_connections_to_an_idle_one() {
    use super::super::*;
    use std::io::{Read as _, Write as _};
    use std::sync::atomic::Ordering::Relaxed;
    let group = WorkerGroup::new(2);
    let (mut workers, mut addrs) = (Vec::new(), Vec::new());
    for index in 0..2 {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let addr = listener.local_addr().expect("an address");
        let artifact = super::compile("respond 200 body \"hi\"", addr, addr);
        let sockets =
            vec![ListenSocket { listener: 0, plain: true, socket: ListenSocketKind::Tcp(listener) }];
        let group = Arc::clone(&group);
        let worker = start(WorkerConfig { index, artifact, sockets, group, log: WorkerLog::off() });
        workers.push(worker.expect("a worker"));
        addrs.push(addr);
    }
    assert!(workers.iter().all(|worker| worker.send(Command::Accept)));
    // One worker gets all of them from the kernel, and each is answered and kept.
    while workers.iter().any(|worker| worker.counters().accepting.load(Relaxed) == 0) {
        std::thread::yield_now();
    }
    let mut clients = Vec::new();
    for _ in 0..9 {
        let mut client = std::net::TcpStream::connect(addrs[0]).expect("the worker accepts");
        client.write_all(GET.as_bytes()).expect("it reads");
        let mut answer = [0; 512];
        assert!(client.read(&mut answer).expect("an answer") > 0);
        clients.push(client);
    }
    let counters: Vec<_> = workers.iter().map(Worker::counters).collect();
    let open: Vec<_> = counters.iter().map(|counters| counters.open_connections.load(Relaxed)).collect();
    assert_eq!(open.iter().sum::<u64>(), 9);
    assert!(open.iter().all(|open| *open >= 3), "{open:?}");
    assert_eq!(counters[0].handed_off.load(Relaxed), open[1], "what the other has was handed to it");
    drop(clients);
    for worker in workers {
        worker.send(Command::Drain { soft: Duration::ZERO, hard: Duration::from_secs(5) });
        worker.join();
    }
    assert!((0..2).all(|at| group.counters(at).is_some_and(|c| c.open_connections.load(Relaxed) == 0)));
}
