//! The control socket of a supervisor: where it is, what can be asked there, and asking it.
//!
//! The socket lies in a directory that only its user can write to, is itself 0600, and the supervisor checks who is
//! asking. It is named after the configuration file, so that `twp reload site.twp` needs no more than the name.

use crate::handover::channel::Channel;
use crate::handover::message::Load;
use crate::sys::process::own_user;
use crate::watch::Fingerprint;
use nix::fcntl::{Flock, FlockArg};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a caller asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Start a generation from the files as they are; answered when it serves or has failed.
    Reload {
        /// Answer only after older generations have drained as well.
        wait: bool,
    },
    /// Describe what runs.
    Status,
    /// Drain everything and exit; answered at once.
    Stop,
}

/// What the supervisor answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// How the reload ended.
    Reloaded(Reload),
    /// What runs.
    Status(Box<Status>),
    /// It drains; the connection is closed when it exits.
    Stopping,
}

/// How an attempt to start a generation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reload {
    /// Number of the generation that was tried.
    pub generation: u32,
    /// How it ended.
    pub result: ReloadResult,
    /// Diagnostics or reason, rendered for a person; empty when there is nothing to say.
    pub text: String,
}

/// In which way an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReloadResult {
    /// It serves.
    Serves,
    /// The configuration is not accepted or a socket cannot be had.
    Refused,
    /// The process died or hung before it served.
    Failed,
    /// The process died or hung while it took over; the old one serves again.
    RolledBack,
    /// A newer change took its place, or the supervisor stops.
    Superseded,
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Release of the supervisor.
    pub version: String,
    /// Process id of the supervisor.
    pub pid: u32,
    /// Seconds since its start.
    pub uptime_seconds: u64,
    /// The configuration file.
    pub file: PathBuf,
    /// Fingerprint of the file's contents that serve now; `None` while nothing serves.
    pub fingerprint: Option<String>,
    /// Where clients are listened to.
    pub listeners: Vec<ListenerStatus>,
    /// Generations, oldest first.
    pub generations: Vec<GenerationStatus>,
    /// The last attempt to start a generation.
    pub last_reload: Option<Reload>,
    /// Seconds since that attempt ended; `None` before the first has.
    pub last_reload_age_seconds: Option<u64>,
}

/// One address that is listened on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerStatus {
    /// Name of the listener.
    pub name: String,
    /// The address as a client would write it.
    pub url: String,
}

/// One generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationStatus {
    /// Its number.
    pub number: u32,
    /// Its process id.
    pub pid: u32,
    /// What it does: `loading`, `adopting`, `committed`, `serving`, `paused`, `probation` or `draining`.
    pub phase: String,
    /// Seconds since its start.
    pub age_seconds: u64,
    /// Seconds since it was last heard of.
    pub silent_seconds: u64,
    /// How it decides: `table`; empty while it loads.
    pub engine: String,
    /// What each worker does.
    pub workers: Vec<Load>,
}

impl GenerationStatus {
    /// What all workers do together.
    pub fn total(&self) -> Load {
        total(&self.workers)
    }
}

/// What several workers do together.
pub fn total(workers: &[Load]) -> Load {
    workers.iter().fold(Load::default(), |sum, load| Load {
        connections: sum.connections + load.connections,
        streams: sum.streams + load.streams,
        requests: sum.requests + load.requests,
    })
}

/// Where the control socket for a configuration file lies.
///
/// For root `/run/twp`, else `$XDG_RUNTIME_DIR/twp`, else a directory of the user's own in the directory for
/// temporary files. The name comes from the absolute path as written, not from what links lead to: swapping a link
/// must not make the supervisor unreachable.
pub fn default_path(file: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(file)?;
    let fingerprint = Fingerprint::of(absolute.as_os_str().as_encoded_bytes()).to_string();
    let stem = absolute.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let short: String = stem.chars().filter(char::is_ascii_graphic).take(24).collect();
    Ok(runtime_directory().join(format!("{short}-{}.sock", &fingerprint[..16])))
}

/// The control sockets in the usual place, living or stale, for a caller that names no file.
pub fn sockets() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(runtime_directory()) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut sockets: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "sock")).collect();
    sockets.sort();
    sockets
}

fn runtime_directory() -> PathBuf {
    // Root's services and root's login shells have different environments and must meet.
    if own_user() == 0 {
        return PathBuf::from("/run/twp");
    }
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_absolute()) {
        Some(dir) => PathBuf::from(dir).join("twp"),
        None => std::env::temp_dir().join(format!("twp-{}", own_user())),
    }
}

/// Asks the supervisor behind a control socket.
///
/// The answer may take as long as an attempt or, where the request says so, draining does; `limit` bounds it.
/// Fails with `NotFound` or `ConnectionRefused` when nothing runs there.
pub fn ask(path: &Path, request: &Request, limit: Duration) -> io::Result<Answer> {
    let mut call = Call::new(path)?;
    call.channel.send(request)?;
    call.wait(limit)
}

/// Asks for the end and waits until the supervisor has exited.
pub fn stop_and_wait(path: &Path, limit: Duration) -> io::Result<()> {
    let mut call = Call::new(path)?;
    call.channel.send(&Request::Stop)?;
    call.wait(limit)?;
    match call.wait(limit) {
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "an answer nobody asked for")),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
        Err(error) => Err(error),
    }
}

struct Call {
    channel: Channel,
}

impl Call {
    fn new(path: &Path) -> io::Result<Call> {
        Ok(Call { channel: Channel::new(UnixStream::connect(path)?)? })
    }

    fn wait(&mut self, limit: Duration) -> io::Result<Answer> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(answer) = self.channel.receive()? {
                return Ok(answer);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let flags = if self.channel.is_flushing() {
                PollFlags::POLLIN | PollFlags::POLLOUT
            } else {
                PollFlags::POLLIN
            };
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            match poll(&mut [PollFd::new(self.channel.as_fd(), flags)], timeout) {
                Ok(_) | Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            self.channel.flush()?;
        }
    }
}

/// Creates a control socket for its user alone; a socket that nobody answers is replaced.
///
/// Fails with `AddrInUse` when a supervisor answers there.
pub(crate) fn listen(path: &Path) -> io::Result<UnixListener> {
    if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        prepare_directory(directory)?;
    }
    // Of two that start at once only one may replace a stale socket; the lock goes with its descriptor.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _turn =
        Flock::lock(fs::File::open(directory)?, FlockArg::LockExclusive).map_err(|(_, error)| error)?;
    if path.symlink_metadata().is_ok() {
        match UnixStream::connect(path) {
            Ok(_) => return Err(io::ErrorKind::AddrInUse.into()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path)?,
            Err(error) => return Err(error),
        }
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Makes the directory for its user alone where it is missing, and refuses one in our own place where somebody else
/// could exchange a socket.
fn prepare_directory(directory: &Path) -> io::Result<()> {
    if !directory.exists() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    if directory != runtime_directory() {
        return Ok(());
    }
    let meta = directory.symlink_metadata()?;
    // Others may look: the sockets are 0600 and ask who calls. systemd makes its runtime directories 0755.
    let is_guarded = meta.mode() & 0o022 == 0;
    if meta.is_dir() && meta.uid() == own_user() && is_guarded {
        return Ok(());
    }
    let text = format!(
        "{} must be a directory of user {} that nobody else can write to",
        directory.display(),
        own_user()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_file_and_different_files_differ() -> io::Result<()> {
        let one = default_path(Path::new("/etc/twp/site.twp"))?;
        let name = one.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        assert!(name.starts_with("site-") && name.len() == "site-".len() + 16, "{name}");
        assert_ne!(one, default_path(Path::new("/srv/site.twp"))?);
        assert_eq!(one, default_path(Path::new("/etc/twp/./site.twp"))?);
        Ok(())
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_living_one_is_not() -> io::Result<()> {
        let directory = std::env::temp_dir().join(format!("twp-control-{}", std::process::id()));
        let path = directory.join("a.sock");
        let first = listen(&path)?;
        assert_eq!(path.metadata()?.mode() & 0o777, 0o600);
        assert_eq!(directory.metadata()?.mode() & 0o777, 0o700);
        assert_eq!(listen(&path).err().map(|error| error.kind()), Some(io::ErrorKind::AddrInUse));
        drop(first);
        listen(&path)?;
        fs::remove_dir_all(directory)
    }

    #[test]
    fn of_those_that_start_at_once_over_a_stale_socket_one_gets_it() -> io::Result<()> {
        let directory = std::env::temp_dir().join(format!("twp-control-race-{}", std::process::id()));
        let path = directory.join("a.sock");
        for _ in 0..20 {
            drop(listen(&path)?);
            let start = std::sync::Barrier::new(4);
            let results: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|_| {
                        scope.spawn(|| {
                            start.wait();
                            listen(&path)
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
            UnixStream::connect(&path)?;
        }
        fs::remove_dir_all(directory)
    }

    #[test]
    fn a_caller_where_nothing_runs_is_told_so_at_once() {
        let refused = ask(Path::new("/nonexistent/twp.sock"), &Request::Status, Duration::from_secs(1));
        assert_eq!(refused.err().map(|error| error.kind()), Some(io::ErrorKind::NotFound));
    }
}
