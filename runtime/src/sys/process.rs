//! Processes: who died, who is asking, and which of us the kernel should end first when memory runs out.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It returned this exit code.
    Exit(i32),
    /// This signal killed it.
    Killed(Signal),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(code) => write!(f, "exited with status {code}"),
            // We say so ourselves where it was us.
            Ending::Killed(Signal::SIGKILL) => {
                write!(f, "was killed by SIGKILL (by hand, or by the kernel when memory ran out)")
            }
            Ending::Killed(signal) => write!(f, "was killed by {signal}"),
        }
    }
}

/// The next child that has ended, if any; orphans that PID 1 inherited are among them.
pub(crate) fn reap() -> Option<(u32, Ending)> {
    loop {
        let (pid, ending) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, Ending::Exit(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Ending::Killed(signal)),
            Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return None,
            // Stops and continuations are not endings; EINTR asks again.
            Ok(_) | Err(_) => continue,
        };
        return Some((u32::try_from(pid.as_raw()).unwrap_or(0), ending));
    }
}

/// Ends a child that has not been reaped yet, so that its number cannot mean another process.
pub(crate) fn end(pid: u32) {
    if let Ok(number) = i32::try_from(pid) {
        // It may just have died by itself: there is nothing left to do then.
        let _ = kill(Pid::from_raw(number), Signal::SIGKILL);
    }
}

/// The user at the other end of a Unix socket.
pub(crate) fn peer_user(stream: &UnixStream) -> io::Result<u32> {
    Ok(getsockopt(stream, PeerCredentials)?.uid())
}

/// The user this process acts as.
pub(crate) fn own_user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// Asks the kernel to end this process before its supervisor when memory runs out.
///
/// Raising the score needs no privilege; where /proc is missing the wish is simply not heard.
pub(crate) fn volunteer_for_oom() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "200");
}
