//! Frames over a Unix stream: a length of four bytes, then JSON; descriptors ride on a frame's first byte.
//!
//! Both ends never block: sends are queued and flushed when the socket takes them, receives give whole messages.
//! The other end is not trusted with memory: frames, queued frames and waiting descriptors are bounded.

use super::message::VERSION;
use crate::limits::{DESCRIPTORS_PER_MESSAGE_MAX, MESSAGE_BYTES_MAX, MESSAGE_QUEUE_MAX};
use crate::sys::descriptors;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// One end of a message stream.
pub struct Channel {
    stream: UnixStream,
    incoming: Vec<u8>,
    descriptors: VecDeque<OwnedFd>,
    outgoing: VecDeque<Frame>,
}

struct Frame {
    bytes: Vec<u8>,
    sent: usize,
    descriptors: Vec<Arc<OwnedFd>>,
}

#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    version: u32,
    body: T,
}

impl Channel {
    /// A channel over a connected stream.
    pub fn new(stream: UnixStream) -> io::Result<Channel> {
        stream.set_nonblocking(true)?;
        Ok(Channel { stream, incoming: Vec::new(), descriptors: VecDeque::new(), outgoing: VecDeque::new() })
    }

    /// Queues a message and sends what the socket takes now.
    ///
    /// Fails when the message is too large, the queue is full because the other end does not read, or it is gone.
    pub fn send<T: Serialize>(&mut self, body: &T) -> io::Result<()> {
        self.send_with(body, Vec::new())
    }

    /// As [`Channel::send`], with descriptors.
    pub fn send_with<T: Serialize>(&mut self, body: &T, descriptors: Vec<Arc<OwnedFd>>) -> io::Result<()> {
        let json = serde_json::to_vec(&Envelope { version: VERSION, body })?;
        let length = u32::try_from(json.len()).map_err(|_| invalid("message too large"))?;
        if json.len() > MESSAGE_BYTES_MAX {
            return Err(invalid("message too large"));
        }
        if self.outgoing.len() >= MESSAGE_QUEUE_MAX {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the other end does not read"));
        }
        let mut bytes = Vec::with_capacity(4 + json.len());
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&json);
        self.outgoing.push_back(Frame { bytes, sent: 0, descriptors });
        self.flush()
    }

    /// Sends what is queued as far as the socket takes it.
    pub fn flush(&mut self) -> io::Result<()> {
        while let Some(frame) = self.outgoing.front_mut() {
            match descriptors::send(&self.stream, &frame.bytes[frame.sent..], &frame.descriptors) {
                Ok(n) => {
                    frame.sent += n;
                    frame.descriptors.clear();
                    if frame.sent == frame.bytes.len() {
                        self.outgoing.pop_front();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether something waits until the socket can be written.
    pub fn is_flushing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// The next whole message; `None` when there is none yet.
    ///
    /// Fails with `UnexpectedEof` at the end of the stream and `InvalidData` when the other end breaks the rules.
    pub fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let mut buf = [0; 16 * 1024];
        loop {
            if let Some(json) = take_frame(&mut self.incoming)? {
                let envelope: Envelope<T> = serde_json::from_slice(&json)
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
                return Ok(Some(envelope.body));
            }
            match descriptors::receive(&self.stream, &mut buf, &mut self.descriptors) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.incoming.extend_from_slice(&buf[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.descriptors.len() > 2 * DESCRIPTORS_PER_MESSAGE_MAX {
                return Err(invalid("more descriptors than announced"));
            }
        }
    }

    /// Takes the descriptors that a message announced; fails when fewer came.
    pub fn take_descriptors(&mut self, n_announced: usize) -> io::Result<Vec<OwnedFd>> {
        let n_there = self.descriptors.len();
        if n_there < n_announced {
            let text = format!("{n_announced} sockets were announced and {n_there} came");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(self.descriptors.drain(..n_announced).collect())
    }

    /// The stream itself, for asking who is at the other end.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Cuts the first whole frame off the front of what has arrived.
fn take_frame(incoming: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let Some(length) = incoming.first_chunk::<4>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > MESSAGE_BYTES_MAX {
        return Err(invalid("message too large"));
    }
    if incoming.len() < 4 + length {
        return Ok(None);
    }
    let rest = incoming.split_off(4 + length);
    let mut frame = std::mem::replace(incoming, rest);
    frame.drain(..4);
    Ok(Some(frame))
}

fn invalid(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests;
