//! A generation as its supervisor sees it: a process, a channel, and what it said last.

use super::sockets::{Held, Passed};
use crate::control::total;
use crate::handover::GenerationId;
use crate::handover::channel::Channel;
use crate::handover::message::{Load, Need, Order, Report};
use crate::limits::DESCRIPTORS_PER_MESSAGE_MAX;
use crate::sys::process;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A generation.
pub(super) struct Child {
    /// Its number.
    pub(super) id: GenerationId,
    /// Its process; `None` once it has ended.
    pub(super) pid: Option<u32>,
    /// `None` once it has hung up.
    pub(super) channel: Option<Channel>,
    /// When it was started.
    pub(super) started: Instant,
    /// When it last said something.
    pub(super) heard: Instant,
    /// Whether it read the files rather than what was kept of them.
    pub(super) is_from_files: bool,
    /// What it needs, once it has said so.
    pub(super) need: Option<Need>,
    /// The sockets it was given.
    pub(super) held: Held,
    /// Sockets on their way.
    pub(super) passing: VecDeque<Passed>,
    /// What its workers do.
    pub(super) load: Vec<Load>,
    /// Whether it said that it no longer accepts.
    pub(super) is_paused: bool,
    /// When it is cut, while it drains.
    pub(super) cut_at: Option<Instant>,
    /// Why it failed, for a person.
    pub(super) verdict: Option<String>,
}

impl Child {
    /// Starts the program; the channel is its standard input, so that no descriptor has to be named or leaked.
    pub(super) fn start(id: GenerationId, program: &Path, arguments: &[OsString], now: Instant) -> Child {
        let mut child = Child {
            id,
            pid: None,
            channel: None,
            started: now,
            heard: now,
            is_from_files: true,
            need: None,
            held: Held::new(),
            passing: VecDeque::new(),
            load: Vec::new(),
            is_paused: false,
            cut_at: None,
            verdict: None,
        };
        match spawn(program, arguments) {
            Ok((pid, channel)) => {
                child.pid = Some(pid);
                child.channel = Some(channel);
            }
            Err(error) => {
                child.verdict = Some(format!("error: cannot start {}: {error}\n", program.display()));
            }
        }
        child
    }

    /// Tells it something. A child that cannot be told is ended; its end is noticed like any other.
    pub(super) fn tell(&mut self, order: &Order) {
        let Some(channel) = &mut self.channel else { return };
        if let Err(error) = channel.send(order) {
            self.fail(&error);
        }
    }

    /// Sends the next sockets, at most one message; the acknowledgement asks for more.
    pub(super) fn pass_some(&mut self) {
        let n = self.passing.len().min(DESCRIPTORS_PER_MESSAGE_MAX);
        let (needs, sockets) = self.passing.drain(..n).map(|passed| (passed.need, passed.socket)).unzip();
        let order = Order::Sockets { needs, last: self.passing.is_empty() };
        let Some(channel) = &mut self.channel else { return };
        if let Err(error) = channel.send_with(&order, sockets) {
            self.fail(&error);
        }
    }

    /// Sends what waits, and gives all that it has said meanwhile.
    pub(super) fn hear(&mut self, now: Instant) -> Vec<Report> {
        let mut reports = Vec::new();
        while let Some(channel) = &mut self.channel {
            match channel.flush().and_then(|()| channel.receive()) {
                Ok(Some(report)) => {
                    self.heard = now;
                    reports.push(report);
                }
                Ok(None) => break,
                Err(error) => self.fail(&error),
            }
        }
        reports
    }

    /// Ends it now.
    pub(super) fn end(&mut self) {
        if let Some(pid) = self.pid {
            process::end(pid);
        }
    }

    /// Open connections of all its workers.
    pub(super) fn connections(&self) -> u64 {
        total(&self.load).connections
    }

    /// After the channel broke nothing can be agreed any more. One that drains needs no more words.
    fn fail(&mut self, error: &io::Error) {
        self.channel = None;
        if self.cut_at.is_some() {
            return;
        }
        let has_hung_up = matches!(
            error.kind(),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
        );
        if !has_hung_up && self.verdict.is_none() {
            self.verdict = Some(format!("broke the rules of the control channel: {error}"));
        }
        self.end();
    }
}

fn spawn(program: &Path, arguments: &[OsString]) -> io::Result<(u32, Channel)> {
    let (ours, theirs) = UnixStream::pair()?;
    let channel = Channel::new(ours)?;
    let child = Command::new(program).args(arguments).stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
    Ok((child.id(), channel))
}
