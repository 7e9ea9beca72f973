//! A worker: one thread with its own event loop, sockets, upstream connections and buffers.
//!
//! It is told what to do through [`Command`]s, says how it is through its [`Counters`], and ends after it has
//! drained. A panic in a connection ends that connection only.

pub use crate::group::{Counters, WorkerGroup};
pub use crate::listen::{ListenSocket, ListenSocketKind};

use crate::context::{Phase, WorkerContext};
use crate::group::{Accepted, add, subtract};
use crate::limits::{COMMANDS_QUEUE, CONNECTIONS_DEFAULT, DESCRIPTORS_RESERVED, TICK};
use crate::listen::{Acceptor, Connected};
use crate::log::WorkerLog;
use crate::time::{Deadline, ticks};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use twp_compiler::Artifact;

/// What a worker needs to begin.
#[derive(Debug)]
pub struct WorkerConfig {
    /// Its number in the group, from 0.
    pub index: usize,
    /// What it serves.
    pub artifact: Arc<Artifact>,
    /// Its listening sockets.
    pub sockets: Vec<ListenSocket>,
    /// The workers of this generation.
    pub group: Arc<WorkerGroup>,
    /// Where its records go.
    pub log: WorkerLog,
}

/// What a worker is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Accept connections, also again after a pause.
    Accept,
    /// Stop accepting and keep the listening sockets. Open connections are served on; each is asked to close with
    /// its next response.
    Pause,
    /// Close the listening sockets and end when the open connections have ended.
    Drain {
        /// After this, long-lived streams may be ended; HTTP/1 connections have none of them.
        soft: Duration,
        /// After this, what is still open is reset.
        hard: Duration,
    },
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    commands: mpsc::Sender<Command>,
    group: Arc<WorkerGroup>,
    index: usize,
    thread: std::thread::JoinHandle<()>,
}

/// Starts a worker. When this returns its thread is up and holds its sockets, not yet accepting.
pub fn start(config: WorkerConfig) -> io::Result<Worker> {
    let (commands, receiver) = mpsc::channel(COMMANDS_QUEUE);
    let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
    let (group, index) = (Arc::clone(&config.group), config.index);
    let Some(handed) = group.take_queue(index) else {
        return Err(io::Error::other(format!("worker {index} runs already or is not in the group")));
    };
    let thread = std::thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build_local(tokio::runtime::LocalOptions::default());
        match runtime {
            Ok(runtime) => {
                // The other side waits for exactly this message.
                let _ = ready.send(Ok(()));
                // As a task of its own it is woken without a system call. A panic in it ends the worker, which its
                // heartbeat tells.
                let _ = runtime.block_on(async {
                    tokio::task::spawn_local(Loop::new(config, receiver, handed).run()).await
                });
                // A name that is being resolved must not hold up the end.
                runtime.shutdown_background();
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    })?;
    is_ready.recv().map_err(|_| io::Error::other("the worker thread ended at once"))??;
    Ok(Worker { commands, group, index, thread })
}

impl Worker {
    /// Tells the worker; false when it has ended or does not keep up.
    pub fn send(&self, command: Command) -> bool {
        self.commands.try_send(command).is_ok()
    }

    /// How it is.
    pub fn counters(&self) -> &Counters {
        self.group.counters(self.index).expect("a worker is a member of its group")
    }

    /// Whether its thread has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end of its thread: after draining is done.
    pub fn join(self) {
        // A worker that panicked has ended too; its counters tell.
        let _ = self.thread.join();
    }
}

/// The event loop of a worker: what it reacts to.
struct Loop {
    ctx: Rc<WorkerContext>,
    acceptor: Acceptor,
    commands: mpsc::Receiver<Command>,
    handed: mpsc::Receiver<Accepted>,
    connections: JoinSet<()>,
    hard_deadline: Deadline,
}

enum Event {
    Command(Option<Command>),
    Connected(Connected),
    Handed(Accepted),
    Ended(Result<(), JoinError>),
    HardDeadline,
    Drained,
}

impl Loop {
    fn new(
        config: WorkerConfig,
        commands: mpsc::Receiver<Command>,
        handed: mpsc::Receiver<Accepted>,
    ) -> Loop {
        let WorkerConfig { index, artifact, sockets, group, log } = config;
        let max = connections_max() / group.workers().max(1) as u64;
        let acceptor = Acceptor::new(sockets, Arc::clone(&group), index, max.max(1));
        let ctx = WorkerContext::new(index, artifact, group, log);
        let hard_deadline = ctx.local.clock.deadline();
        Loop { ctx, acceptor, commands, handed, connections: JoinSet::new(), hard_deadline }
    }

    async fn run(mut self) {
        let keeper = tokio::task::spawn_local(keep_time(Rc::clone(&self.ctx)));
        loop {
            match std::future::poll_fn(|cx| self.poll_event(cx)).await {
                Event::Command(command) => self.obey(command),
                Event::Connected(connected) => self.serve(connected),
                Event::Handed(accepted) => self.adopt(accepted),
                Event::Ended(result) => self.note_end(result),
                Event::HardDeadline | Event::Drained => break,
            }
        }
        keeper.abort();
        // What is left at the hard deadline is dropped with its sockets.
        self.connections.shutdown().await;
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        self.hard_deadline.watch(cx);
        if let Poll::Ready(command) = self.commands.poll_recv(cx) {
            // Without anybody to tell it otherwise a worker drains once, then only its connections count.
            if command.is_some() || self.ctx.local.phase.get() != Phase::Draining {
                return Poll::Ready(Event::Command(command));
            }
        }
        if let Poll::Ready(Some(result)) = self.connections.poll_join_next(cx) {
            return Poll::Ready(Event::Ended(result));
        }
        if let Poll::Ready(Some(accepted)) = self.handed.poll_recv(cx) {
            return Poll::Ready(Event::Handed(accepted));
        }
        if self.ctx.local.phase.get() == Phase::Draining {
            if self.connections.is_empty() {
                return Poll::Ready(Event::Drained);
            }
            if self.hard_deadline.passed() {
                return Poll::Ready(Event::HardDeadline);
            }
        }
        self.acceptor.poll_accept(cx).map(Event::Connected)
    }

    fn obey(&mut self, command: Option<Command>) {
        match command {
            Some(Command::Accept) => {
                if self.ctx.local.phase.get() != Phase::Draining && self.acceptor.resume().is_ok() {
                    self.ctx.local.phase.set(Phase::Serving);
                }
            }
            Some(Command::Pause) => {
                self.acceptor.pause();
                if self.ctx.local.phase.get() == Phase::Serving {
                    self.ctx.local.phase.set(Phase::Paused);
                }
            }
            Some(Command::Drain { soft: _, hard }) => self.drain(hard),
            None => self.drain(Duration::ZERO),
        }
    }

    fn drain(&mut self, hard: Duration) {
        self.acceptor.close();
        self.ctx.local.phase.set(Phase::Draining);
        self.hard_deadline.set(ticks(hard));
        self.ctx.upstreams.close_idle();
    }

    fn adopt(&mut self, accepted: Accepted) {
        if let Ok(connected) = Connected::adopt(accepted) {
            self.serve(connected);
        }
    }

    fn serve(&mut self, connected: Connected) {
        let guard = OpenConnection::new(&self.ctx);
        let ctx = Rc::clone(&self.ctx);
        self.connections.spawn_local(async move {
            let _guard = guard;
            crate::exchange::serve(&ctx, connected).await;
        });
    }

    fn note_end(&self, result: Result<(), JoinError>) {
        if result.is_err_and(|error| error.is_panic()) {
            add(&self.ctx.counters().panics, 1);
        }
    }
}

/// Counts a connection as open while it lives, also when its task panics or is aborted.
struct OpenConnection(Rc<WorkerContext>);

impl OpenConnection {
    fn new(ctx: &Rc<WorkerContext>) -> OpenConnection {
        add(&ctx.counters().open_connections, 1);
        OpenConnection(Rc::clone(ctx))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        subtract(&self.0.counters().open_connections, 1);
    }
}

/// Moves the worker's clock and looks after idle upstream connections.
async fn keep_time(ctx: Rc<WorkerContext>) {
    let mut interval = tokio::time::interval(TICK);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        interval.tick().await;
        ctx.local.clock.advance();
        ctx.local.refresh_date();
        add(&ctx.counters().heartbeat, 1);
        ctx.upstreams.sweep();
        ctx.log.flush();
    }
}

/// Client connections of the process: four fifths of its descriptors less a reserve, so that upstream connections,
/// files and control find some.
fn connections_max() -> u64 {
    let limit = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE);
    let descriptors = limit.map_or(CONNECTIONS_DEFAULT as u64, |(soft, _)| soft);
    // Where the reserve would leave nearly nothing, a quarter is what still leaves room for the other side.
    (descriptors / 5 * 4).saturating_sub(DESCRIPTORS_RESERVED as u64).max(descriptors / 4)
}

#[cfg(test)]
mod tests;
