//! The supervisor: owns the listening sockets, watches the files, starts, replaces and reaps generations.
//!
//! One thread and one loop that waits for signals, file events, generations and callers. What happens becomes an
//! event of the [`Handover`]; what that decides is carried out in `act.rs`. The supervisor sees no client bytes and
//! does not understand configurations: a generation tells it which sockets it needs and which files it has read.

mod act;
mod callers;
mod child;
mod notice;
mod sockets;
mod status;

pub use notice::Notice;

use crate::control::{Answer, ListenerStatus, Reload, Request};
use crate::handover::message::{Need, Report, Source};
use crate::handover::{Event, GenerationId, Handover, Patience, State, Step};
use crate::limits::{
    ANSWER_TIMEOUT, ATTEMPT_PACE, ATTEMPT_TIMEOUT, DRAINING_PACED, INATTENTION_MAX, INTERRUPT_HARD,
    RESTART_PAUSE_MIN, SILENCE_MAX, WORKERS_MAX,
};
use crate::sys::signals::Signals;
use crate::sys::{descriptors, process};
use crate::watch::Watch;
use callers::Callers;
use child::Child;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use sockets::Sockets;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a supervisor needs to begin.
#[derive(Clone, Debug)]
pub struct Config {
    /// The configuration file.
    pub file: PathBuf,
    /// Where to answer callers: see [`crate::control::default_path`].
    pub control: PathBuf,
    /// Worker threads from the command line; they go before the file's.
    pub workers: Option<u16>,
    /// The program of a generation.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// How a supervisor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was asked to and has drained.
    Stopped,
    /// The first configuration could not be served.
    NothingToServe,
}

/// Supervises until it is told to stop.
///
/// To be called before the process has other threads. Fails with `AddrInUse` when a supervisor of this file runs.
pub fn run(config: Config, tell: &mut dyn FnMut(Notice<'_>)) -> io::Result<Ending> {
    let read = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGCHLD];
    let signals = Signals::block(&read, &[])?;
    descriptors::raise_limit()?;
    let now = Instant::now();
    let callers = Callers::listen(&config.control)?;
    let mut watch = Watch::new(now)?;
    watch.expect([(config.file.clone(), None)]);
    Supervisor {
        config,
        tell,
        signals,
        watch,
        callers,
        sockets: Sockets::default(),
        children: BTreeMap::new(),
        handover: Handover::default(),
        entered: now,
        events: VecDeque::from([Event::Change]),
        pace: Pace { last: None, due: None },
        looked: now,
        restart: Restart { due: None, pause: RESTART_PAUSE_MIN, served_since: None },
        last_good: Vec::new(),
        last_reload: None,
        settled: now,
        listeners: Vec::new(),
        stopping: None,
        ending: None,
        started: now,
    }
    .run()
}

struct Supervisor<'a> {
    config: Config,
    tell: &'a mut dyn FnMut(Notice<'_>),
    signals: Signals,
    watch: Watch,
    callers: Callers,
    sockets: Sockets,
    children: BTreeMap<GenerationId, Child>,
    handover: Handover,
    /// When the handover came to its present state.
    entered: Instant,
    events: VecDeque<Event>,
    pace: Pace,
    /// When the loop last came round.
    looked: Instant,
    restart: Restart,
    /// The sources of what served last.
    last_good: Vec<Source>,
    last_reload: Option<Reload>,
    /// When the last attempt ended.
    settled: Instant,
    listeners: Vec<ListenerStatus>,
    stopping: Option<Stopping>,
    ending: Option<Ending>,
    started: Instant,
}

/// The supervisor drains everything and ends.
struct Stopping {
    /// The hard deadline; `None` is the configuration's.
    hard: Option<Duration>,
}

/// When attempts may begin.
struct Pace {
    /// The last one began.
    last: Option<Instant>,
    /// The next one was asked for too early and begins.
    due: Option<Instant>,
}

/// When a crashed generation is started again.
struct Restart {
    due: Option<Instant>,
    pause: Duration,
    served_since: Option<Instant>,
}

impl Supervisor<'_> {
    fn run(mut self) -> io::Result<Ending> {
        loop {
            self.take_events();
            if let Some(ending) = self.ending {
                return Ok(ending);
            }
            if self.stopping.is_some() && self.children.is_empty() {
                return Ok(Ending::Stopped);
            }
            self.wait()?;
            let now = Instant::now();
            self.forgive_inattention(now);
            self.take_signals(now)?;
            self.take_reports(now);
            self.take_questions(now);
            self.watch.wake(now);
            if self.watch.is_changed(now) {
                self.change(now);
            }
            self.take_deadlines(now);
        }
    }

    /// Steps the handover until nothing is left to do now, then forgets the dead.
    fn take_events(&mut self) {
        while let Some(event) = self.events.pop_front() {
            let before = self.handover.state().clone();
            let (next, actions) = std::mem::take(&mut self.handover).step(event);
            self.handover = next;
            if *self.handover.state() != before {
                self.entered = Instant::now();
            }
            for action in actions {
                self.perform(action);
            }
        }
        self.children.retain(|_, child| child.pid.is_some());
        if self.children.values().all(|child| child.cut_at.is_none()) {
            self.callers.drained();
        }
    }

    fn wait(&self) -> io::Result<()> {
        let read = PollFlags::POLLIN;
        let mut polled = vec![PollFd::new(self.signals.as_fd(), read), PollFd::new(self.watch.as_fd(), read)];
        polled.push(PollFd::new(self.callers.as_fd(), read));
        let children = self.children.values().filter_map(|child| child.channel.as_ref());
        for channel in children.chain(self.callers.channels()) {
            let flags = if channel.is_flushing() { read | PollFlags::POLLOUT } else { read };
            polled.push(PollFd::new(channel.as_fd(), flags));
        }
        let left = self.next_deadline().saturating_duration_since(Instant::now());
        // A whole millisecond more, so that the deadline has passed when the wait is over.
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn next_deadline(&self) -> Instant {
        let cuts = self.children.values().filter_map(|child| child.cut_at);
        let silence = self.silence_ends().map(|(_, at)| at);
        let others =
            [self.restart.due, self.pace.due, self.callers.deadline(), self.patience_ends(), silence];
        cuts.chain(others.into_iter().flatten()).fold(self.watch.deadline(), Instant::min)
    }

    fn patience_ends(&self) -> Option<Instant> {
        match self.handover.patience() {
            Patience::Endless => None,
            Patience::Attempt(id) => self.children.get(&id).map(|child| child.started + ATTEMPT_TIMEOUT),
            Patience::Answer => Some(self.entered + ANSWER_TIMEOUT),
        }
    }

    fn take_deadlines(&mut self, now: Instant) {
        if self.patience_ends().is_some_and(|at| now >= at) {
            self.note_silence();
            self.events.push_back(Event::TimeUp);
        }
        if self.restart.due.is_some_and(|at| now >= at) {
            self.restart.due = None;
            self.events.push_back(Event::RestartDue);
        }
        if self.pace.due.is_some_and(|at| now >= at) {
            self.change(now);
        }
        if let Some((id, at)) = self.silence_ends()
            && now >= at
            && let Some(child) = self.children.get_mut(&id)
        {
            let seconds = SILENCE_MAX.as_secs();
            child.verdict.get_or_insert_with(|| format!("hangs: no sign of life for {seconds} s"));
            child.end();
            // Its end is under way: no second one in the meantime.
            child.heard = now;
        }
        let late = self.children.values().filter(|child| child.cut_at.is_some_and(|at| now >= at));
        for id in late.map(|child| child.id).collect::<Vec<_>>() {
            self.cut(id);
        }
    }

    fn take_signals(&mut self, now: Instant) -> io::Result<()> {
        while let Some(signal) = self.signals.next()? {
            match signal {
                Signal::SIGCHLD => self.reap(now),
                Signal::SIGHUP => self.change(now),
                Signal::SIGINT => self.stop(Stopping { hard: Some(INTERRUPT_HARD) }),
                // SIGTERM is the only one left.
                _ => self.stop(Stopping { hard: None }),
            }
        }
        Ok(())
    }

    /// Takes the last words and the end of every child that has died; orphans are merely reaped.
    fn reap(&mut self, now: Instant) {
        while let Some((pid, ending)) = process::reap() {
            let Some(id) = self.children.values().find(|child| child.pid == Some(pid)).map(|child| child.id)
            else {
                continue;
            };
            self.take_reports_of(id, now);
            let Some(child) = self.children.get_mut(&id) else { continue };
            child.pid = None;
            child.channel = None;
            child.verdict.get_or_insert_with(|| ending.to_string());
            self.note_loss(id);
            self.events.push_back(Event::Lost(id));
        }
    }

    /// Asks for an attempt. A wish for what is being tried already has nothing to add; one that comes while too many
    /// generations drain waits a little, so that none of them has to be cut.
    fn change(&mut self, now: Instant) {
        if self.stopping.is_some() || self.tried_already().is_some() || self.events.contains(&Event::Change) {
            return;
        }
        let n_draining = self.children.values().filter(|child| child.cut_at.is_some()).count();
        let next = self.pace.last.map(|last| last + ATTEMPT_PACE);
        self.pace.due = next.filter(|at| n_draining >= DRAINING_PACED && now < *at);
        if self.pace.due.is_none() {
            self.events.push_back(Event::Change);
        }
    }

    /// The attempt before COMMIT that tries just what is on disk.
    fn tried_already(&self) -> Option<GenerationId> {
        let id = match self.handover.state() {
            State::Loading(attempt) | State::Adopting(attempt) => attempt.new,
            State::Empty
            | State::Serving(_)
            | State::Committed(_)
            | State::Pausing(_)
            | State::Probation(_)
            | State::Stopping => return None,
        };
        let is_from_files = self.children.get(&id).is_some_and(|child| child.is_from_files);
        (is_from_files && self.watch.is_settled()).then_some(id)
    }

    /// The generation that serves, and when its silence means that it hangs. During a handover its answers are
    /// waited for instead.
    fn silence_ends(&self) -> Option<(GenerationId, Instant)> {
        let id = match self.handover.state() {
            State::Serving(serving) => serving.current,
            State::Loading(attempt) | State::Adopting(attempt) => attempt.old?,
            State::Empty
            | State::Committed(_)
            | State::Pausing(_)
            | State::Probation(_)
            | State::Stopping => return None,
        };
        self.children.get(&id).map(|child| (id, child.heard + SILENCE_MAX))
    }

    /// After the supervisor itself was stopped, as by Ctrl-Z, nobody was silent: nobody listened.
    fn forgive_inattention(&mut self, now: Instant) {
        if now.saturating_duration_since(self.looked) > INATTENTION_MAX {
            self.children.values_mut().for_each(|child| child.heard = now);
        }
        self.looked = now;
    }

    fn take_reports(&mut self, now: Instant) {
        for id in self.children.keys().copied().collect::<Vec<_>>() {
            self.take_reports_of(id, now);
        }
    }

    fn take_reports_of(&mut self, id: GenerationId, now: Instant) {
        let reports = self.children.get_mut(&id).map(|child| child.hear(now)).unwrap_or_default();
        for report in reports {
            self.take_report(id, report);
        }
    }

    fn take_report(&mut self, id: GenerationId, report: Report) {
        let Some(child) = self.children.get_mut(&id) else { return };
        let step = match report {
            Report::Diagnostics { text, sources } => {
                child.verdict = Some(text);
                let is_from_files = child.is_from_files;
                self.note_sources(is_from_files, &sources);
                Step::Refused
            }
            Report::Need(need) => self.take_need(id, need),
            Report::Adopted { count: _ } => {
                if !child.passing.is_empty() {
                    child.pass_some();
                }
                return;
            }
            Report::Ready => Step::Ready,
            Report::Accepting => {
                child.is_paused = false;
                Step::Accepting
            }
            Report::Paused => {
                child.is_paused = true;
                Step::Paused
            }
            Report::Healthy => Step::Healthy,
            Report::Heartbeat { workers } => {
                child.load = workers;
                return;
            }
        };
        self.events.push_back(Event::Said(id, step));
    }

    fn take_need(&mut self, id: GenerationId, need: Need) -> Step {
        if !need.warnings.is_empty() {
            (self.tell)(Notice::Warnings(&need.warnings));
        }
        let is_from_files = self.children.get(&id).is_some_and(|child| child.is_from_files);
        self.note_sources(is_from_files, &need.sources);
        let bound = if need.workers > WORKERS_MAX {
            Err(format!("error: {} workers are more than the {WORKERS_MAX} there can be\n", need.workers))
        } else {
            self.sockets.bind(&need)
        };
        let Some(child) = self.children.get_mut(&id) else { return Step::Refused };
        child.need = Some(need);
        match bound {
            Ok(()) => Step::Bound,
            Err(text) => {
                child.verdict = Some(text);
                Step::Refused
            }
        }
    }

    /// From now on a difference to what this generation has read is a change. One that was started from what we
    /// kept says nothing about the files.
    fn note_sources(&mut self, is_from_files: bool, sources: &[Source]) {
        if is_from_files && !sources.is_empty() {
            self.watch.expect(sources.iter().map(|source| (source.path.clone(), source.fingerprint)));
        }
    }

    fn take_questions(&mut self, now: Instant) {
        for (place, request) in self.callers.questions(now) {
            match request {
                Request::Status => {
                    let answer = Answer::Status(Box::new(self.status(now)));
                    self.callers.answer(place, &answer);
                }
                Request::Stop => {
                    self.callers.answer(place, &Answer::Stopping);
                    if self.stopping.is_none() {
                        self.stop(Stopping { hard: None });
                    }
                }
                Request::Reload { wait } => {
                    self.callers.wait_for_attempt(place, self.tried_already(), wait);
                    self.change(now);
                }
            }
        }
        if self.stopping.is_some() {
            self.callers.no_more_attempts();
        }
    }

    /// The generation that serves, or that would again if the attempt under way failed.
    fn current(&self) -> Option<GenerationId> {
        match self.handover.state() {
            State::Empty | State::Stopping => None,
            State::Serving(serving) => Some(serving.current),
            State::Loading(attempt)
            | State::Adopting(attempt)
            | State::Committed(attempt)
            | State::Probation(attempt) => attempt.old,
            State::Pausing(pausing) => Some(pausing.old),
        }
    }
}
