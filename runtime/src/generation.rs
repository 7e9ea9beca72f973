//! A generation: one process that serves one artifact, on sockets that belong to its supervisor.
//!
//! Its control channel is its standard input. It loads, says what it needs, takes its sockets, starts its workers,
//! and from then on does what it is told: accept, pause, go on, drain. Should its supervisor disappear it goes on
//! serving if it accepts, and ends otherwise; taking over the supervisor's place (ADOPT) belongs in `Serve::orphan`.

mod crew;

use crate::handover::channel::Channel;
use crate::handover::message::{Address, ListenerNeed, Need, Order, Report, Source};
use crate::limits::{
    ANSWER_TIMEOUT, DRAIN_HARD, DRAIN_SOFT, HEARTBEAT, LISTEN_SOCKETS_MAX, TICK, WORKERS_MAX,
};
use crate::sys::signals::Signals;
use crate::sys::{descriptors, memory, process};
use crew::{Adopted, Crew};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use std::any::Any;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use twp_compiler::Artifact;
use twp_compiler::literal::Endpoint;

/// A configuration that is accepted.
pub struct Loaded {
    /// What to serve.
    pub artifact: Artifact,
    /// What was read, the main file first.
    pub sources: Vec<Source>,
    /// Warnings, rendered for a person; often empty.
    pub warnings: String,
    /// What loading leaves behind. To free it takes a while for a large configuration, so that is done once this
    /// generation accepts.
    pub leftovers: Box<dyn Any>,
}

/// A configuration that is not accepted.
pub struct Refused {
    /// Diagnostics, rendered for a person.
    pub text: String,
    /// What was read, the main file first.
    pub sources: Vec<Source>,
}

/// Serves one configuration from the first message of the supervisor to the last connection.
///
/// `load` gets the sources to use in place of the files, or none. To be called before the process has other threads.
/// `Ok` after draining; fails when the supervisor goes away or breaks the rules before anything was served, and when
/// a worker ends unasked.
pub fn run(
    load: impl FnOnce(&[Source]) -> Result<Loaded, Refused>,
    tell: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let signals = Signals::block(&[Signal::SIGTERM], &[Signal::SIGINT, Signal::SIGHUP])?;
    process::volunteer_for_oom();
    let mut channel = Channel::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))?;
    let Order::Begin { generation: _, workers, sources } = next_order(&mut channel)? else {
        return Err(unexpected("something before the beginning"));
    };
    let loaded = match load(&sources) {
        Ok(loaded) => loaded,
        Err(Refused { text, sources }) => {
            channel.send(&Report::Diagnostics { text, sources })?;
            // The supervisor ends us, or hangs up, after it has read this.
            return next_order(&mut channel).and(Err(unexpected("an order after diagnostics")));
        }
    };
    let Loaded { artifact, sources, warnings, leftovers } = loaded;
    let artifact = Arc::new(artifact);
    let mut need = need_of(&artifact, workers, sources, warnings)?;
    channel.send(&Report::Need(need.clone()))?;
    // From now on the supervisor keeps them.
    need.sources = Vec::new();
    let crew = adopt(&mut channel, &need)
        .and_then(|adopted| Crew::start(&artifact, usize::from(need.workers), &need.listeners, adopted));
    let crew = match crew {
        Ok(crew) => crew,
        Err(error) => {
            let text = explain_start(&error);
            channel.send(&Report::Diagnostics { text, sources: Vec::new() })?;
            return next_order(&mut channel).and(Err(error));
        }
    };
    channel.send(&Report::Ready)?;
    let serve = Serve {
        channel: Some(channel),
        signals,
        crew,
        phase: Phase::Adopted,
        drain_hard: need.drain_ms.map_or(DRAIN_HARD, Duration::from_millis),
        leftovers: Some(leftovers),
        tell,
    };
    serve.run()
}

/// Why a generation with a good configuration cannot serve it.
fn explain_start(error: &io::Error) -> String {
    if descriptors::are_used_up(error) {
        return format!("error: a new generation cannot start: {error}\n  help: {}\n", descriptors::MORE);
    }
    format!("error: a new generation cannot start: {error}\n")
}

/// What the artifact needs: every address of every listener, by the plan's order.
fn need_of(
    artifact: &Artifact,
    workers: Option<u16>,
    sources: Vec<Source>,
    warnings: String,
) -> io::Result<Need> {
    let plan = &artifact.plan;
    let cores =
        || std::thread::available_parallelism().map_or(1, |n| u16::try_from(n.get()).unwrap_or(WORKERS_MAX));
    let workers = workers.or(plan.server.workers).unwrap_or_else(cores).clamp(1, WORKERS_MAX);
    let mut listeners = Vec::new();
    for listener in &plan.listeners {
        for address in &listener.addresses {
            let name = listener.name.clone();
            listeners.push(ListenerNeed {
                name,
                address: address_of(&address.endpoint)?,
                plain: address.plain,
            });
        }
    }
    let drain_ms = plan.server.drain_ms;
    let engine = artifact.program.engine().to_string();
    Ok(Need { listeners, workers, sources, engine, warnings, drain_ms })
}

fn address_of(endpoint: &Endpoint) -> io::Result<Address> {
    match endpoint {
        Endpoint::Address(addr) => Ok(Address::Tcp(*addr)),
        Endpoint::Port(port) => Ok(Address::Port(*port)),
        Endpoint::Unix(path) => Ok(Address::Unix(PathBuf::from(path))),
        Endpoint::Name(name, port) => {
            let text = format!("a listener cannot have a name as its address: {name}:{port}");
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

/// Takes the sockets, chunk by chunk, and checks that every need got at least one.
fn adopt(channel: &mut Channel, need: &Need) -> io::Result<Vec<Adopted>> {
    let mut adopted = Vec::new();
    loop {
        let Order::Sockets { needs, last } = next_order(channel)? else {
            return Err(unexpected("something before the sockets"));
        };
        let sockets = channel.take_descriptors(needs.len())?;
        adopted.extend(needs.into_iter().zip(sockets).map(|(need, socket)| Adopted { need, socket }));
        if adopted.len() > LISTEN_SOCKETS_MAX {
            return Err(unexpected("too many sockets"));
        }
        channel.send(&Report::Adopted { count: u32::try_from(adopted.len()).unwrap_or(u32::MAX) })?;
        if last {
            break;
        }
    }
    for (need_idx, listener) in (0_u32..).zip(&need.listeners) {
        if !adopted.iter().any(|socket| socket.need == need_idx) {
            let text = format!("no socket came for {} (listener {})", listener.address, listener.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
    }
    Ok(adopted)
}

/// Waits for the next order, as long as it takes: the supervisor watches the time.
fn next_order(channel: &mut Channel) -> io::Result<Order> {
    loop {
        channel.flush()?;
        if let Some(order) = channel.receive()? {
            return Ok(order);
        }
        let flags =
            if channel.is_flushing() { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        match poll(&mut [PollFd::new(channel.as_fd(), flags)], PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn unexpected(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the supervisor sent {what}"))
}

/// The life of a generation that has its sockets.
struct Serve<'a> {
    /// `None` once the supervisor is gone.
    channel: Option<Channel>,
    signals: Signals,
    crew: Crew,
    phase: Phase,
    drain_hard: Duration,
    /// What loading left behind, until this generation accepts.
    leftovers: Option<Box<dyn Any>>,
    tell: &'a mut dyn FnMut(&str),
}

/// What a generation does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Holds its sockets and waits for COMMIT.
    Adopted,
    /// Accepts.
    Accepting,
    /// Serves what is open and keeps its sockets.
    Paused,
    /// Serves what is open and ends.
    Draining,
}

impl Serve<'_> {
    fn run(mut self) -> io::Result<()> {
        let mut beat = Instant::now();
        loop {
            if Instant::now() >= beat {
                beat = Instant::now() + HEARTBEAT;
                // A worker that stands still makes the whole generation silent, and the supervisor act.
                if self.crew.has_moved() {
                    self.report(&Report::Heartbeat { workers: self.crew.load() });
                }
            }
            match (self.phase, self.crew.is_finished()) {
                (Phase::Draining, true) => {
                    self.report(&Report::Heartbeat { workers: self.crew.load() });
                    self.crew.join();
                    return Ok(());
                }
                (Phase::Draining, false) | (Phase::Adopted | Phase::Accepting | Phase::Paused, _) => {}
            }
            if self.phase != Phase::Draining && self.crew.has_lost_one() {
                return Err(io::Error::other("a worker ended unasked"));
            }
            self.wait(beat)?;
            self.take_orders()?;
            while let Some(signal) = self.signals.next()? {
                // While there is a supervisor it decides; without one this is how to end us.
                if signal == Signal::SIGTERM && self.channel.is_none() {
                    self.drain(DRAIN_SOFT, self.drain_hard, &[]);
                }
            }
        }
    }

    fn wait(&self, beat: Instant) -> io::Result<()> {
        let mut polled = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        if let Some(channel) = &self.channel {
            let flags = if channel.is_flushing() {
                PollFlags::POLLIN | PollFlags::POLLOUT
            } else {
                PollFlags::POLLIN
            };
            polled.push(PollFd::new(channel.as_fd(), flags));
        }
        let left = beat.saturating_duration_since(Instant::now());
        // While draining the end of the last worker is waited for as well.
        let left = if self.phase == Phase::Draining { left.min(TICK) } else { left };
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::ZERO);
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn take_orders(&mut self) -> io::Result<()> {
        while let Some(channel) = &mut self.channel {
            match channel.flush().and_then(|()| channel.receive()) {
                Ok(Some(order)) => self.obey(order)?,
                Ok(None) => break,
                Err(error) => self.orphan(error)?,
            }
        }
        Ok(())
    }

    fn obey(&mut self, order: Order) -> io::Result<()> {
        match (order, self.phase) {
            (Order::Commit, Phase::Adopted) => {
                self.accept()?;
                self.report(&Report::Heartbeat { workers: self.crew.load() });
                self.report(&Report::Healthy);
                if self.leftovers.take().is_some() {
                    memory::give_back();
                }
                Ok(())
            }
            (Order::Resume, Phase::Accepting | Phase::Paused) => self.accept(),
            (Order::Pause, Phase::Accepting) => {
                self.crew.pause(ANSWER_TIMEOUT)?;
                self.phase = Phase::Paused;
                // How much is left to drain should be fresh.
                self.report(&Report::Heartbeat { workers: self.crew.load() });
                self.report(&Report::Paused);
                Ok(())
            }
            (Order::Drain { soft_ms, hard_ms, dropped }, Phase::Accepting | Phase::Paused) => {
                self.drain(Duration::from_millis(soft_ms), Duration::from_millis(hard_ms), &dropped);
                Ok(())
            }
            // Committed and then stopped before we heard of either.
            (Order::Drain { .. }, Phase::Adopted) => Err(unexpected("DRAIN before COMMIT")),
            (
                Order::Begin { .. }
                | Order::Sockets { .. }
                | Order::Commit
                | Order::Pause
                | Order::Resume
                | Order::Drain { .. },
                Phase::Adopted | Phase::Accepting | Phase::Paused | Phase::Draining,
            ) => Ok(()),
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        self.crew.accept(ANSWER_TIMEOUT)?;
        self.phase = Phase::Accepting;
        self.report(&Report::Accepting);
        Ok(())
    }

    fn drain(&mut self, soft: Duration, hard: Duration, dropped: &[Address]) {
        if self.phase == Phase::Draining {
            return;
        }
        self.phase = Phase::Draining;
        self.crew.drain(soft, hard, dropped);
    }

    /// The supervisor is gone, or no longer makes sense: whoever accepts goes on, whoever does not ends.
    fn orphan(&mut self, error: io::Error) -> io::Result<()> {
        self.channel = None;
        match self.phase {
            Phase::Adopted => return Err(error),
            Phase::Accepting => {
                let pid = std::process::id();
                (self.tell)(&format!(
                    "the supervisor is gone; this generation goes on serving until `kill {pid}` drains it"
                ));
            }
            Phase::Paused => self.drain(DRAIN_SOFT, self.drain_hard, &[]),
            Phase::Draining => {}
        }
        Ok(())
    }

    fn report(&mut self, report: &Report) {
        if let Some(channel) = &mut self.channel {
            // A broken channel is noticed where orders are taken.
            let _ = channel.send(report);
        }
    }
}
