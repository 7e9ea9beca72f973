//! Bytes together with descriptors over a Unix stream (`SCM_RIGHTS`), and the limit of open descriptors.
//!
//! The kernel delivers descriptors together with the first byte they were sent with, in order, and one receive never
//! reads past them, so whoever has read a whole frame has its descriptors too.
#![expect(unsafe_code, reason = "received descriptors arrive as numbers and have to be given an owner")]

use crate::limits::DESCRIPTORS_PER_MESSAGE_MAX;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// Sends a piece of `bytes` and, with its first byte, all `descriptors`; how many bytes went.
///
/// Fails with `InvalidInput` when there are more descriptors than one message holds.
pub(crate) fn send(stream: &UnixStream, bytes: &[u8], descriptors: &[Arc<OwnedFd>]) -> io::Result<usize> {
    if descriptors.len() > DESCRIPTORS_PER_MESSAGE_MAX || bytes.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let numbers: Vec<RawFd> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
    let rights = [ControlMessage::ScmRights(&numbers)];
    let control = if numbers.is_empty() { &[][..] } else { &rights[..] };
    let n = sendmsg::<()>(stream.as_raw_fd(), &[IoSlice::new(bytes)], control, MsgFlags::MSG_NOSIGNAL, None)?;
    Ok(n)
}

/// Receives bytes into `buf` and appends the descriptors that came with them; 0 at the end of the stream.
///
/// Fails with `InvalidData` when the kernel dropped descriptors, which happens at the limit of open ones.
pub(crate) fn receive(
    stream: &UnixStream,
    buf: &mut [u8],
    into: &mut VecDeque<OwnedFd>,
) -> io::Result<usize> {
    let mut control = nix::cmsg_space!([RawFd; DESCRIPTORS_PER_MESSAGE_MAX]);
    let mut slices = [IoSliceMut::new(buf)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut control), flags)?;
    let Ok(parts) = message.cmsgs() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "too few free descriptors to receive the sockets",
        ));
    };
    for part in parts {
        if let ControlMessageOwned::ScmRights(numbers) = part {
            for number in numbers {
                // SAFETY: the kernel has just installed this number for us in `recvmsg` and nobody else knows it.
                into.push_back(unsafe { OwnedFd::from_raw_fd(number) });
            }
        }
    }
    Ok(message.bytes)
}

/// Raises the soft limit of open descriptors to the hard one; children inherit it. Returns the limit that holds now.
pub(crate) fn raise_limit() -> io::Result<u64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < hard {
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    }
    Ok(hard.max(soft))
}

/// What to do when [`are_used_up`].
pub(crate) const MORE: &str =
    "raise the limit of open files: `ulimit -n` in a shell, `LimitNOFILE=` in a systemd unit";

/// Whether this failure means that the process may open no more files.
pub(crate) fn are_used_up(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::errno::Errno::EMFILE as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::fd::AsFd as _;

    #[test]
    fn descriptors_arrive_with_their_bytes() -> io::Result<()> {
        let (a, b) = UnixStream::pair()?;
        let (mut probe, passed) = UnixStream::pair()?;
        assert_eq!(send(&a, b"plain", &[])?, 5);
        assert_eq!(send(&a, b"with", &[Arc::new(passed.as_fd().try_clone_to_owned()?)])?, 4);
        assert_eq!(send(&a, b"after", &[])?, 5);
        drop(passed);

        let (mut buf, mut got) = ([0; 64], VecDeque::new());
        assert_eq!(receive(&b, &mut buf[..4], &mut got)?, 4);
        assert!(got.is_empty(), "descriptors do not run ahead of their bytes");
        assert_eq!(receive(&b, &mut buf, &mut got)?, 5, "a receive ends behind descriptors");
        let passed = UnixStream::from(got.pop_front().ok_or(io::ErrorKind::NotFound)?);
        drop(passed);
        assert_eq!(probe.read(&mut buf)?, 0, "the received copy was the last one");
        Ok(())
    }

    #[test]
    fn more_descriptors_than_a_message_holds_are_refused() -> io::Result<()> {
        let (a, _b) = UnixStream::pair()?;
        let one = Arc::new(a.as_fd().try_clone_to_owned()?);
        let many = vec![one; DESCRIPTORS_PER_MESSAGE_MAX + 1];
        assert!(send(&a, b"x", &many).is_err());
        Ok(())
    }
}
