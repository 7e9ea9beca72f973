//! The ledger: an open-loop load whose every request has an id, and an origin that writes down the ids it saw.
//!
//! A request is well when it was answered exactly once, with the right body, in time, and reached the origin; a POST
//! that reached the origin twice is a failure even when its answer was right. Requests start on a schedule that
//! does not wait for answers, so a stall of the proxy shows as latency from the scheduled time, never as fewer
//! requests. Everything is bounded: by time, by rate, by threads.

mod client;
mod origin;
mod report;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use client::{Link, Request};
use origin::Seen;
pub use report::Report;
use report::{Entry, Outcome};

/// How long the ledger waits for the proxy to listen.
const TARGET_TIMEOUT: Duration = Duration::from_secs(15);
/// Threads that open connections; each may wait for one answer.
const OPENERS_MAX: u64 = 512;
/// Stack of a thread; they only format and copy a few kilobytes.
const STACK_BYTES: usize = 256 * 1024;
/// The longest pause of a kept connection in milliseconds.
const GAP_MS_MAX: u64 = 200;

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The proxy under test.
    pub target: SocketAddr,
    /// Where the ledger's own origin listens.
    pub origin: SocketAddr,
    /// How long requests start.
    pub duration: Duration,
    /// New connections per second, one request each.
    pub rate: u64,
    /// Kept connections.
    pub kept: u64,
    /// The `Host` field.
    pub host: String,
    /// The path of every request.
    pub path: String,
}

impl Default for Options {
    fn default() -> Self {
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            target: nowhere,
            origin: nowhere,
            duration: Duration::from_secs(10),
            rate: 100,
            kept: 10,
            host: "ledger.test".to_owned(),
            path: "/ledger".to_owned(),
        }
    }
}

/// What the threads of one run share.
struct Run {
    options: Options,
    start: Instant,
    /// The next id: also the count of requests made so far.
    next_id: AtomicU64,
    /// The next slot of the schedule of new connections.
    next_slot: AtomicU64,
    /// Kept connections that had been closed while idle and were opened anew.
    reopened: AtomicU64,
    entries: Mutex<Vec<Entry>>,
}

/// Runs the load to its end and settles the accounts.
pub fn run(options: &Options) -> io::Result<Report> {
    let seen = origin::start(options.origin)?;
    wait_for(options.target)?;
    let run = Arc::new(Run {
        options: options.clone(),
        start: Instant::now(),
        next_id: AtomicU64::new(1),
        next_slot: AtomicU64::new(0),
        reopened: AtomicU64::new(0),
        entries: Mutex::default(),
    });
    let mut threads = Vec::new();
    for _ in 0..options.rate.min(OPENERS_MAX) {
        threads.push(spawn(&run, open_on_schedule)?);
    }
    for _ in 0..options.kept {
        threads.push(spawn(&run, keep_one)?);
    }
    for thread in threads {
        thread.join().map_err(|_| io::Error::other("a client thread panicked"))?;
    }
    let entries = std::mem::take(&mut *run.entries.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(settle(entries, &seen, run.reopened.load(Ordering::Relaxed)))
}

fn spawn(run: &Arc<Run>, body: fn(&Run)) -> io::Result<thread::JoinHandle<()>> {
    let run = Arc::clone(run);
    thread::Builder::new().stack_size(STACK_BYTES).spawn(move || body(&run))
}

fn wait_for(target: SocketAddr) -> io::Result<()> {
    let deadline = Instant::now() + TARGET_TIMEOUT;
    loop {
        match TcpStream::connect_timeout(&target, Duration::from_secs(1)) {
            Ok(_) => return Ok(()),
            Err(e) if Instant::now() > deadline => return Err(e),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// A connection per request at the times of the schedule; several threads take slots in turn.
fn open_on_schedule(run: &Run) {
    loop {
        let slot = run.next_slot.fetch_add(1, Ordering::Relaxed);
        let due = run.start + Duration::from_micros(slot * 1_000_000 / run.options.rate);
        if due >= run.start + run.options.duration {
            return;
        }
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let request = run.request();
        let outcome = Link::open(run.options.target).and_then(|mut link| link.exchange(&request, true));
        run.record(&request, due, outcome);
    }
}

/// One connection kept as long as the proxy keeps it, with random gaps between its requests.
fn keep_one(run: &Run) {
    let mut link = None;
    while run.start.elapsed() < run.options.duration {
        let request = run.request();
        thread::sleep(Duration::from_millis(request.random() % (GAP_MS_MAX + 1)));
        let due = Instant::now();
        let outcome = run.exchange_kept(&mut link, &request);
        run.record(&request, due, outcome);
    }
}

impl Run {
    fn request(&self) -> Request {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        Request::new(id, &self.options.host, &self.options.path)
    }

    /// A kept connection closed while idle is opened anew: no byte of this request was sent yet. Anything that goes
    /// wrong later is a failure.
    fn exchange_kept(&self, link: &mut Option<Link>, request: &Request) -> Result<(), Outcome> {
        let mut open = match link.take() {
            Some(old) if old.is_alive()? => old,
            Some(_) => {
                self.reopened.fetch_add(1, Ordering::Relaxed);
                Link::open(self.options.target)?
            }
            None => Link::open(self.options.target)?,
        };
        open.exchange(request, false)?;
        // `Connection: close` in the answer ends this connection; the next request opens another.
        *link = open.reusable().then_some(open);
        Ok(())
    }

    fn record(&self, request: &Request, due: Instant, outcome: Result<(), Outcome>) {
        let entry = Entry {
            id: request.id,
            post: request.is_post(),
            at: due.saturating_duration_since(self.start),
            took: due.elapsed(),
            outcome: outcome.err(),
        };
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}

/// Compares what the clients were told with what the origin saw.
fn settle(mut entries: Vec<Entry>, seen: &Seen, reopened: u64) -> Report {
    let mut repeated_gets = 0;
    for entry in &mut entries {
        let times = seen.times(entry.id);
        if entry.post && times > 1 {
            entry.outcome = Some(Outcome::Duplicate);
        } else if entry.outcome.is_none() && times == 0 {
            entry.outcome = Some(Outcome::Unseen);
        } else if times > 1 {
            repeated_gets += 1;
        }
    }
    Report::new(entries, repeated_gets, reopened)
}
