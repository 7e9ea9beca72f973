//! Those who ask at the control socket, from the question to the answer.

use crate::control::{self, Answer, Reload, ReloadResult, Request};
use crate::handover::GenerationId;
use crate::handover::channel::Channel;
use crate::limits::{CALLER_TIMEOUT, CALLERS_MAX};
use crate::sys::process;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The control socket and everybody connected to it.
pub(super) struct Callers {
    listener: UnixListener,
    path: PathBuf,
    connected: Vec<Caller>,
}

struct Caller {
    channel: Channel,
    since: Instant,
    waits_for: WaitsFor,
}

/// What a caller waits for.
enum WaitsFor {
    /// It has not asked yet.
    Nothing,
    /// The outcome of this attempt, or of the next when it has not begun.
    Attempt { generation: Option<GenerationId>, and_drained: bool },
    /// The end of all older generations.
    Drained(Reload),
    /// It has its answer, and waits for the end of the process or for nothing.
    Answered,
}

impl Callers {
    /// Listens at a path; `AddrInUse` when a supervisor answers there already.
    pub(super) fn listen(path: &Path) -> io::Result<Callers> {
        Ok(Callers { listener: control::listen(path)?, path: path.to_owned(), connected: Vec::new() })
    }

    /// Everybody connected, to be polled.
    pub(super) fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.connected.iter().map(|caller| &caller.channel)
    }

    /// When the next silent caller is hung up on.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.connected
            .iter()
            .filter(|caller| caller.is_silent())
            .map(|caller| caller.since + CALLER_TIMEOUT)
            .min()
    }

    /// Takes in new callers and gives every question with the place of who asked it.
    pub(super) fn questions(&mut self, now: Instant) -> Vec<(usize, Request)> {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.connected.len() < CALLERS_MAX
                && is_allowed(&stream)
                && let Ok(channel) = Channel::new(stream)
            {
                self.connected.push(Caller { channel, since: now, waits_for: WaitsFor::Nothing });
            }
        }
        self.connected.retain(|caller| !caller.is_silent() || now < caller.since + CALLER_TIMEOUT);
        let mut questions = Vec::new();
        let mut gone = Vec::new();
        for (place, caller) in self.connected.iter_mut().enumerate() {
            match caller.channel.flush().and_then(|()| caller.channel.receive()) {
                Ok(Some(request)) => questions.push((place, request)),
                Ok(None) => {}
                Err(_) => gone.push(place),
            }
        }
        for place in gone.into_iter().rev() {
            self.connected.remove(place);
            // A question after a removed place moves down with its caller.
            questions.iter_mut().filter(|(asked, _)| *asked > place).for_each(|(asked, _)| *asked -= 1);
        }
        questions
    }

    /// Answers a question at once.
    pub(super) fn answer(&mut self, place: usize, answer: &Answer) {
        if let Some(caller) = self.connected.get_mut(place) {
            caller.answer(answer);
        }
    }

    /// Remembers that somebody waits for this attempt, or for the next.
    pub(super) fn wait_for_attempt(
        &mut self,
        place: usize,
        generation: Option<GenerationId>,
        and_drained: bool,
    ) {
        if let Some(caller) = self.connected.get_mut(place) {
            caller.waits_for = WaitsFor::Attempt { generation, and_drained };
        }
    }

    /// Whoever waits for the next attempt waits for this one.
    pub(super) fn attempt_begins(&mut self, id: GenerationId) {
        for caller in &mut self.connected {
            if let WaitsFor::Attempt { generation: generation @ None, .. } = &mut caller.waits_for {
                *generation = Some(id);
            }
        }
    }

    /// Answers those who wait for this attempt; one that serves may have them wait for draining as well.
    pub(super) fn attempt_ends(&mut self, reload: &Reload) {
        for caller in &mut self.connected {
            let WaitsFor::Attempt { generation, and_drained } = caller.waits_for else { continue };
            if generation != Some(reload.generation) {
                continue;
            }
            if and_drained && reload.result == ReloadResult::Serves {
                caller.waits_for = WaitsFor::Drained(reload.clone());
            } else {
                caller.answer(&Answer::Reloaded(reload.clone()));
            }
        }
    }

    /// Answers those who wait for draining: nothing drains any more.
    pub(super) fn drained(&mut self) {
        for caller in &mut self.connected {
            if let WaitsFor::Drained(reload) = &caller.waits_for {
                let answer = Answer::Reloaded(reload.clone());
                caller.answer(&answer);
            }
        }
    }

    /// Answers those whose attempt will never begin.
    pub(super) fn no_more_attempts(&mut self) {
        for caller in &mut self.connected {
            if let WaitsFor::Attempt { .. } = caller.waits_for {
                let text = "the supervisor stops\n".to_owned();
                let reload = Reload { generation: 0, result: ReloadResult::Superseded, text };
                caller.answer(&Answer::Reloaded(reload));
            }
        }
    }
}

impl AsFd for Callers {
    /// Readable when somebody new calls.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        // Whoever starts next would replace it anyway.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Caller {
    fn is_silent(&self) -> bool {
        matches!(self.waits_for, WaitsFor::Nothing)
    }

    fn answer(&mut self, answer: &Answer) {
        // A caller that has gone is noticed at the next look.
        let _ = self.channel.send(answer);
        self.waits_for = WaitsFor::Answered;
    }
}

fn is_allowed(stream: &UnixStream) -> bool {
    process::peer_user(stream).is_ok_and(|user| user == process::own_user() || user == 0)
}
