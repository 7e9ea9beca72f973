//! Signals as a descriptor to poll: they are blocked for the whole process and read where its loop waits.

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Blocked signals, readable one after the other.
pub(crate) struct Signals(SignalFd);

impl Signals {
    /// Blocks exactly `read` and `ignored` for this thread and those it starts later; only `read` can be read.
    ///
    /// To be called before the process starts its first thread. A blocked signal that nobody reads is as good as
    /// ignored, without changing what a program started from here would inherit as ignored.
    pub(crate) fn block(read: &[Signal], ignored: &[Signal]) -> io::Result<Signals> {
        let set: SigSet = read.iter().copied().collect();
        let all: SigSet = read.iter().chain(ignored).copied().collect();
        all.thread_set_mask()?;
        Ok(Signals(SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?))
    }

    /// The next signal that has arrived, if any.
    pub(crate) fn next(&self) -> io::Result<Option<Signal>> {
        let Some(info) = self.0.read_signal()? else { return Ok(None) };
        let number = i32::try_from(info.ssi_signo).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Some(Signal::try_from(number)?))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
