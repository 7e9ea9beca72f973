//! What the supervisor and a generation say to each other.
//!
//! Each message travels as `{"version":1,"body":{…}}` in a frame of [`super::channel`]. Fields may be added in later
//! releases; a reader ignores those it does not know. Paths are text: a configuration file whose path is not UTF-8
//! is named lossily and cannot be started.

use crate::watch::Fingerprint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version this release writes; a reader takes this and later ones that only add.
pub const VERSION: u32 = 1;

/// From the supervisor to a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Order {
    /// Load the configuration; the first message.
    Begin {
        /// Number of the generation, from 1, counted per supervisor.
        generation: u32,
        /// Worker threads from the command line; they go before the file's.
        workers: Option<u16>,
        /// Sources to use in place of the files: a restart of what served last. Empty: read the files.
        sources: Vec<Source>,
    },
    /// Listening sockets; their descriptors come with this message, in this order.
    Sockets {
        /// For each descriptor its address, as an index into the listeners of [`Report::Need`].
        needs: Vec<u32>,
        /// Whether these are the last.
        last: bool,
    },
    /// Accept from now on.
    Commit,
    /// Stop accepting, keep the sockets.
    Pause,
    /// Accept again: the successor failed.
    Resume,
    /// Finish what is open and exit.
    Drain {
        /// Milliseconds after which idle work is ended.
        soft_ms: u64,
        /// Milliseconds after which everything is cut.
        hard_ms: u64,
        /// Addresses that nobody takes over: accept what waits there, then close.
        dropped: Vec<Address>,
    },
}

/// From a generation to the supervisor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Report {
    /// The configuration is not accepted.
    Diagnostics {
        /// Rendered for a person.
        text: String,
        /// What was read.
        sources: Vec<Source>,
    },
    /// The configuration is accepted.
    Need(Need),
    /// A [`Order::Sockets`] message was taken.
    Adopted {
        /// Descriptors so far.
        count: u32,
    },
    /// All workers run and hold their sockets; none accepts yet.
    Ready,
    /// All workers accept.
    Accepting,
    /// No worker accepts.
    Paused,
    /// Serves as it should.
    Healthy,
    /// Once a second.
    Heartbeat {
        /// Of each worker.
        workers: Vec<Load>,
    },
}

/// What a generation needs to serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Every address of every listener.
    pub listeners: Vec<ListenerNeed>,
    /// Worker threads.
    pub workers: u16,
    /// What was read.
    pub sources: Vec<Source>,
    /// How the program decides, for a person: `native (…)` or `table`, perhaps with the reason.
    pub engine: String,
    /// Warnings, rendered for a person; often empty.
    pub warnings: String,
    /// Milliseconds a draining generation may take, from the configuration.
    pub drain_ms: Option<u64>,
}

/// One address of a listener.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerNeed {
    /// Name of the listener.
    pub name: String,
    /// Where it listens.
    pub address: Address,
    /// Whether clients speak without TLS there.
    pub plain: bool,
}

/// Where a listening socket is bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// One address and port.
    Tcp(std::net::SocketAddr),
    /// A port on every address.
    Port(u16),
    /// A path.
    Unix(PathBuf),
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Tcp(addr) => addr.fmt(f),
            Address::Port(port) => write!(f, ":{port}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A source file as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its path as given or as the importing file names it.
    pub path: PathBuf,
    /// The fingerprint of its bytes; `None` when it could not be read.
    pub fingerprint: Option<Fingerprint>,
    /// Its text; empty when it could not be read.
    pub text: String,
}

/// What a worker is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Open client connections.
    pub connections: u64,
    /// Exchanges and tunnels going on.
    pub streams: u64,
    /// Exchanges finished since the start.
    pub requests: u64,
}
