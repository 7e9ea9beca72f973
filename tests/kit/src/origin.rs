//! An origin that records every byte it receives and answers as its script says.
//!
//! One thread per connection; it ends with the connection or with the origin. What a proxy must never forward is
//! looked for in the raw bytes, not in what a parser made of them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::message::{Message, read_head, read_request_body};

/// How long a connection thread waits for bytes before it looks whether the origin still lives.
const POLL: Duration = Duration::from_millis(50);

/// What the origin does with one request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Waited before the first byte.
    pub delay: Duration,
    /// Bytes written as they are.
    pub bytes: Vec<u8>,
    /// What follows.
    pub then: Then,
}

/// What the origin does with the connection after its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Waits for the next request.
    Keep,
    /// Closes.
    Close,
    /// Stays open and reads nothing more.
    Hang,
}

impl Reply {
    /// A complete response with a body and a keep-alive connection.
    pub fn ok(body: &str) -> Self {
        Self::raw(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
    }

    /// These bytes on a keep-alive connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { delay: Duration::ZERO, bytes: bytes.into(), then: Then::Keep }
    }

    /// The same reply with another end.
    pub fn then(mut self, then: Then) -> Self {
        self.then = then;
        self
    }
}

type Script = dyn Fn(&Message) -> Reply + Send + Sync;

#[derive(Default)]
struct Log {
    /// Raw bytes by connection, in the order of accepting.
    raw: Vec<Vec<u8>>,
    requests: Vec<Message>,
}

struct Shared {
    script: Box<Script>,
    log: Mutex<Log>,
    stopped: AtomicBool,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running origin; stops when dropped.
pub struct Origin {
    addr: SocketAddr,
    shared: Arc<Shared>,
}

impl Origin {
    /// Starts on a free loopback port.
    pub fn start(script: impl Fn(&Message) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port is free");
        let addr = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            script: Box::new(script),
            log: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Self { addr, shared }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The complete requests seen so far, in the order of their arrival.
    pub fn requests(&self) -> Vec<Message> {
        self.shared.log().requests.clone()
    }

    /// Forgets what was recorded; open connections stay.
    pub fn forget(&self) {
        let mut log = self.shared.log();
        log.requests.clear();
        log.raw.iter_mut().for_each(Vec::clear);
    }

    /// Every byte received, one entry per connection.
    pub fn raw(&self) -> Vec<Vec<u8>> {
        self.shared.log().raw.clone()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // One connection of our own wakes the accepting thread, which then sees the flag.
        drop(TcpStream::connect(self.addr));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || serve(stream, &shared));
    }
}

fn serve(stream: TcpStream, shared: &Arc<Shared>) {
    drop(stream.set_nodelay(true));
    drop(stream.set_read_timeout(Some(POLL)));
    let index = {
        let mut log = shared.log();
        log.raw.push(Vec::new());
        log.raw.len() - 1
    };
    let mut tap = Tap { stream, shared: Arc::clone(shared), index };
    let mut buf = Vec::new();
    while let Ok(Some(mut request)) = read_head(&mut tap, &mut buf) {
        // RFC 9110 section 10.1.1: an origin that wants the body says so.
        if request.field("expect").is_some()
            && tap.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err()
        {
            return;
        }
        if read_request_body(&mut request, &mut tap, &mut buf).is_err() {
            return;
        }
        shared.log().requests.push(request.clone());
        let reply = (shared.script)(&request);
        thread::sleep(reply.delay);
        if tap.stream.write_all(&reply.bytes).is_err() {
            return;
        }
        match reply.then {
            Then::Keep => {}
            Then::Close => {
                drop(tap.stream.shutdown(Shutdown::Both));
                return;
            }
            Then::Hang => {
                while !shared.stopped.load(Ordering::Relaxed) {
                    thread::sleep(POLL);
                }
                return;
            }
        }
    }
}

/// A socket whose received bytes are copied to the log; ends when the origin is dropped.
struct Tap {
    stream: TcpStream,
    shared: Arc<Shared>,
    index: usize,
}

impl Read for Tap {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.stream.read(out) {
                Ok(n) => {
                    self.shared.log().raw[self.index].extend_from_slice(&out[..n]);
                    return Ok(n);
                }
                Err(e)
                    if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
                {
                    if self.shared.stopped.load(Ordering::Relaxed) {
                        return Ok(0);
                    }
                }
                Err(e) => return Err(e),
            }
        }
    }
}
