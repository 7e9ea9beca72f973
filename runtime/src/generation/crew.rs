//! The workers of a generation and the sockets they share out.

use crate::group::{Accepted, WorkerGroup};
use crate::handover::message::{Address, ListenerNeed, Load};
use crate::limits::{HANDOFF_WAIT_MAX, LOG_FINISH_MAX, SWEEP_MAX};
use crate::listen::{ListenSocket, ListenSocketKind};
use crate::log::{Log, WorkerLog};
use crate::socket::BareSocket;
use crate::worker::{self, Command, Worker, WorkerConfig};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use twp_compiler::Artifact;
use twp_compiler::plan::{ListenerId, LogTarget};

/// A socket as it came from the supervisor.
pub(super) struct Adopted {
    /// The index of the need it fulfils.
    pub(super) need: u32,
    /// The socket.
    pub(super) socket: OwnedFd,
}

/// The workers of a generation.
pub(super) struct Crew {
    workers: Vec<Worker>,
    /// `None` when the log is off.
    log: Option<Log>,
    group: Arc<WorkerGroup>,
    /// How many sockets each worker has.
    n_sockets: Vec<usize>,
    /// The sign of life of each worker when it was last looked at.
    moves: Vec<Option<u64>>,
    /// A copy of every socket: what waits there is accepted once more when its address is dropped.
    spares: Vec<Spare>,
}

struct Spare {
    address: Address,
    listener: ListenerId,
    socket: ListenSocketKind,
}

impl Crew {
    /// Starts the workers, with the sockets shared out; none accepts yet.
    pub(super) fn start(
        artifact: &Arc<Artifact>,
        n_workers: usize,
        needs: &[ListenerNeed],
        adopted: Vec<Adopted>,
    ) -> io::Result<Crew> {
        let log = artifact.plan.server.access_log.as_ref().map(start_log).transpose()?;
        let group = WorkerGroup::new(n_workers);
        let listeners = listener_ids(artifact);
        let mut shares: Vec<Vec<ListenSocket>> = (0..n_workers).map(|_| Vec::new()).collect();
        let mut spares = Vec::new();
        for (need_idx, place, socket) in deal(adopted, n_workers) {
            let (Some(need), Some(listener)) = (needs.get(need_idx), listeners.get(need_idx)) else {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a socket for no listener came"));
            };
            let spare = kind(&need.address, socket.try_clone()?);
            spares.push(Spare { address: need.address.clone(), listener: *listener, socket: spare });
            let socket = kind(&need.address, socket);
            shares[place].push(ListenSocket { listener: *listener, plain: need.plain, socket });
        }
        let n_sockets = shares.iter().map(Vec::len).collect();
        let start = |(index, sockets)| {
            let (artifact, group) = (Arc::clone(artifact), Arc::clone(&group));
            let log = log.as_ref().map_or_else(WorkerLog::off, Log::worker);
            worker::start(WorkerConfig { index, artifact, sockets, group, log })
        };
        let workers = shares.into_iter().enumerate().map(start).collect::<io::Result<Vec<_>>>()?;
        let moves = vec![None; workers.len()];
        Ok(Crew { workers, log, group, n_sockets, moves, spares })
    }

    /// Lets all workers accept and waits until they do.
    pub(super) fn accept(&self, limit: Duration) -> io::Result<()> {
        self.command(Command::Accept);
        self.wait(limit, |n_accepting, n_sockets| n_accepting == n_sockets as u64)
    }

    /// Stops all workers from accepting and waits until they have.
    pub(super) fn pause(&self, limit: Duration) -> io::Result<()> {
        self.command(Command::Pause);
        self.wait(limit, |n_accepting, _| n_accepting == 0)
    }

    /// Accepts once more what waits at dropped addresses, then lets all workers finish.
    pub(super) fn drain(&mut self, soft: Duration, hard: Duration, dropped: &[Address]) {
        let spares = std::mem::take(&mut self.spares);
        for spare in spares.iter().filter(|spare| dropped.contains(&spare.address)) {
            self.sweep(spare);
        }
        // Our copies go before the workers' own, so that no forgotten one keeps a queue alive.
        drop(spares);
        self.command(Command::Drain { soft, hard });
    }

    /// What each worker does.
    pub(super) fn load(&self) -> Vec<Load> {
        let load = |worker: &Worker| {
            let counters = worker.counters();
            Load {
                connections: counters.open_connections.load(Ordering::Relaxed),
                streams: counters.exchanges_in_flight.load(Ordering::Relaxed),
                requests: counters.requests.load(Ordering::Relaxed),
            }
        };
        self.workers.iter().map(load).collect()
    }

    /// Whether every worker has ended or moved on since the last look.
    pub(super) fn has_moved(&mut self) -> bool {
        self.workers.iter().zip(&mut self.moves).fold(true, |all, (worker, seen)| {
            let beat = worker.counters().heartbeat.load(Ordering::Relaxed);
            (seen.replace(beat) != Some(beat) || worker.is_finished()) && all
        })
    }

    /// Whether all workers have ended.
    pub(super) fn is_finished(&self) -> bool {
        self.workers.iter().all(Worker::is_finished)
    }

    /// Whether any worker has ended.
    pub(super) fn has_lost_one(&self) -> bool {
        self.workers.iter().any(Worker::is_finished)
    }

    /// Waits for the threads of workers that have ended and for their records to be written.
    pub(super) fn join(self) {
        self.workers.into_iter().for_each(Worker::join);
        if let Some(log) = self.log {
            // Whether all was written changes nothing any more.
            let _ = log.finish(LOG_FINISH_MAX);
        }
    }

    fn command(&self, command: Command) {
        for worker in &self.workers {
            // A worker that has ended is noticed by its state, not here.
            let _ = worker.send(command);
        }
    }

    /// Waits until every worker's count of accepting sockets is right for its number of sockets.
    fn wait(&self, limit: Duration, is_done: impl Fn(u64, usize) -> bool) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        let is_done = |(worker, n_sockets): (&Worker, &usize)| {
            is_done(worker.counters().accepting.load(Ordering::Acquire), *n_sockets)
        };
        while !self.workers.iter().zip(&self.n_sockets).all(is_done) {
            if Instant::now() > deadline {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "a worker does not follow"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Accepts until nobody waits and gives the connections to the workers in turn.
    fn sweep(&self, spare: &Spare) {
        for turn in 0..SWEEP_MAX {
            let Ok((socket, peer)) = accept(&spare.socket) else { return };
            let accepted = Accepted { listener: spare.listener, socket, peer };
            self.hand(turn % self.workers.len().max(1), accepted);
        }
    }

    /// Gives a connection to a worker, as soon as it has room.
    fn hand(&self, worker: usize, mut accepted: Accepted) {
        let deadline = Instant::now() + HANDOFF_WAIT_MAX;
        while let Err(back) = self.group.hand(worker, accepted) {
            if Instant::now() > deadline {
                return;
            }
            accepted = back;
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Opens the log; the failure names it.
fn start_log(target: &LogTarget) -> io::Result<Log> {
    Log::start(target).map_err(|error| match target {
        LogTarget::Stdout => error,
        LogTarget::File(path) => {
            io::Error::new(error.kind(), format!("the access log `{path}` cannot be opened: {error}"))
        }
    })
}

/// The listener of each need: they were made in the plan's order.
fn listener_ids(artifact: &Artifact) -> Vec<ListenerId> {
    let numbered = (0..).zip(&artifact.plan.listeners);
    numbered.flat_map(|(id, listener)| listener.addresses.iter().map(move |_| id)).collect()
}

/// Shares sockets out: those of one address to different workers, as far as there are enough of either, and single
/// ones not all to the first.
fn deal(adopted: Vec<Adopted>, n_workers: usize) -> impl Iterator<Item = (usize, usize, OwnedFd)> {
    let mut n_seen = std::collections::BTreeMap::new();
    adopted.into_iter().map(move |Adopted { need, socket }| {
        let need_idx = usize::try_from(need).unwrap_or(usize::MAX);
        let slot = n_seen.entry(need_idx).or_insert(need_idx);
        let place = *slot % n_workers.max(1);
        *slot = slot.wrapping_add(1);
        (need_idx, place, socket)
    })
}

fn kind(address: &Address, socket: OwnedFd) -> ListenSocketKind {
    match address {
        Address::Tcp(_) | Address::Port(_) => ListenSocketKind::Tcp(TcpListener::from(socket)),
        Address::Unix(_) => ListenSocketKind::Unix(UnixListener::from(socket)),
    }
}

fn accept(socket: &ListenSocketKind) -> io::Result<(BareSocket, Option<SocketAddr>)> {
    match socket {
        ListenSocketKind::Tcp(listener) => {
            let (socket, peer) = listener.accept()?;
            socket.set_nonblocking(true)?;
            Ok((BareSocket::Tcp(socket), Some(peer)))
        }
        ListenSocketKind::Unix(listener) => {
            let (socket, _) = listener.accept()?;
            socket.set_nonblocking(true)?;
            Ok((BareSocket::Unix(socket), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(needs: &[u32], n_workers: usize) -> Vec<usize> {
        let socket = |need: &u32| Adopted {
            need: *need,
            socket: std::fs::File::open("/dev/null").expect("every system has it").into(),
        };
        deal(needs.iter().map(socket).collect(), n_workers).map(|(_, place, _)| place).collect()
    }

    #[test]
    fn sockets_of_one_address_go_to_different_workers() {
        assert_eq!(places(&[0, 0, 0, 0], 4), [0, 1, 2, 3]);
        assert_eq!(places(&[0, 0, 0, 0], 2), [0, 1, 0, 1]);
        assert_eq!(places(&[0, 0, 0, 0], 1), [0, 0, 0, 0]);
    }

    #[test]
    fn single_sockets_of_several_addresses_are_spread() {
        assert_eq!(places(&[0, 1, 2, 3], 2), [0, 1, 0, 1]);
    }
}
