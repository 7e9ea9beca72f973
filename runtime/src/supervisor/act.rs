//! Carrying out what the handover decides, and stopping.

use super::{Child, Ending, Notice, Pace, Stopping, Supervisor};
use crate::control::{ListenerStatus, Reload, ReloadResult, total};
use crate::handover::message::{Address, Need, Order, Source};
use crate::handover::{Action, Event, GenerationId, Outcome, State, Step};
use crate::limits::{
    ANSWER_TIMEOUT, ATTEMPT_TIMEOUT, DRAIN_GRACE, DRAIN_HARD, DRAIN_SOFT, DRAINING_MAX,
    RESTART_FORGIVEN_AFTER, RESTART_PAUSE_MAX, RESTART_PAUSE_MIN,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

impl Supervisor<'_> {
    pub(super) fn perform(&mut self, action: Action) {
        match action {
            Action::Start(id) => {
                // What is on disk now is what this generation tries; only a later difference is a change.
                self.watch.settle();
                self.pace = Pace { last: Some(Instant::now()), due: None };
                self.start(id, Vec::new());
            }
            Action::StartLast(id) => self.start(id, self.last_good.clone()),
            Action::Pass(id) => self.pass(id),
            Action::Commit(id) => self.commit(id),
            Action::Pause(id) => self.order(id, &Order::Pause),
            Action::Resume(id) => self.order(id, &Order::Resume),
            Action::Drain(id) => self.drain(id),
            Action::Kill(id) => {
                if let Some(child) = self.children.get_mut(&id) {
                    child.end();
                }
            }
            Action::Settle(id, outcome) => self.settle(id, outcome),
            Action::ScheduleRestart => self.schedule_restart(),
            Action::GiveUp => self.ending = Some(Ending::NothingToServe),
        }
    }

    fn start(&mut self, id: GenerationId, sources: Vec<Source>) {
        self.restart.due = None;
        self.callers.attempt_begins(id);
        let mut child = Child::start(id, &self.config.program, &self.config.arguments, Instant::now());
        child.is_from_files = sources.is_empty();
        if child.pid.is_none() {
            self.events.push_back(Event::Said(id, Step::Refused));
        }
        child.tell(&Order::Begin { generation: id, workers: self.config.workers, sources });
        self.children.insert(id, child);
    }

    fn pass(&mut self, id: GenerationId) {
        let Some(child) = self.children.get_mut(&id) else { return };
        let Some(need) = &child.need else { return };
        let (passed, held) = self.sockets.pass(need);
        child.passing = passed.into();
        child.held = held;
        child.pass_some();
    }

    fn commit(&mut self, id: GenerationId) {
        let Some(child) = self.children.get_mut(&id) else { return };
        let listening = child.need.as_ref().map_or(Ok(()), |need| self.sockets.listen(need));
        match listening {
            Ok(()) => child.tell(&Order::Commit),
            Err(text) => {
                child.verdict = Some(text);
                self.events.push_back(Event::Said(id, Step::Refused));
            }
        }
    }

    fn order(&mut self, id: GenerationId, order: &Order) {
        if let Some(child) = self.children.get_mut(&id) {
            child.tell(order);
        }
    }

    fn drain(&mut self, id: GenerationId) {
        let held = self.current().and_then(|current| self.children.get(&current)).map(|child| &child.held);
        let is_kept = |address: &Address| held.is_some_and(|held| held.contains_key(address));
        let Some(child) = self.children.get(&id) else { return };
        let dropped = child.held.keys().filter(|address| !is_kept(address)).cloned().collect();
        let configured = child.need.as_ref().and_then(|need| need.drain_ms).map(Duration::from_millis);
        let hard =
            self.stopping.as_ref().and_then(|stopping| stopping.hard).or(configured).unwrap_or(DRAIN_HARD);
        let order = Order::Drain { soft_ms: millis(DRAIN_SOFT.min(hard)), hard_ms: millis(hard), dropped };
        if let Some(child) = self.children.get_mut(&id) {
            child.cut_at = Some(Instant::now() + hard + DRAIN_GRACE);
            child.tell(&order);
        }
        self.bound_draining();
    }

    /// Many quick reloads must not fill the machine with processes.
    fn bound_draining(&mut self) {
        let draining =
            || self.children.values().filter(|child| child.cut_at.is_some() && child.pid.is_some());
        if draining().count() <= DRAINING_MAX {
            return;
        }
        let least =
            draining().min_by_key(|child| (total(&child.load).streams, child.id)).map(|child| child.id);
        if let Some(id) = least {
            self.cut(id);
        }
    }

    /// Ends a draining generation before it is done.
    pub(super) fn cut(&mut self, id: GenerationId) {
        let Some(child) = self.children.get_mut(&id) else { return };
        child.end();
        // Its end is under way: no second cut in the meantime.
        child.cut_at = Some(Instant::now() + DRAIN_GRACE);
        let connections = child.connections();
        (self.tell)(Notice::Cut { generation: id, connections });
    }

    fn settle(&mut self, id: GenerationId, outcome: Outcome) {
        let verdict = self.children.get_mut(&id).and_then(|child| child.verdict.take()).unwrap_or_default();
        match outcome {
            Outcome::Serves => self.serves(id),
            Outcome::Superseded => {}
            Outcome::Refused => {
                let serving = self.current();
                (self.tell)(Notice::Refused { text: &verdict, serving });
            }
            Outcome::Failed | Outcome::RolledBack => {
                let serving = self.current();
                (self.tell)(Notice::Failed { generation: id, text: &verdict, serving });
            }
        }
        if outcome != Outcome::Serves
            && let Some(current) = self.current().and_then(|id| self.children.get(&id))
        {
            self.sockets.keep(&current.held);
        }
        let reload = Reload { generation: id, result: result(outcome), text: verdict };
        self.callers.attempt_ends(&reload);
        self.last_reload = Some(reload);
        self.settled = Instant::now();
    }

    fn serves(&mut self, id: GenerationId) {
        self.restart.served_since = Some(Instant::now());
        let Some(child) = self.children.get(&id) else { return };
        let Some(need) = &child.need else { return };
        self.sockets.keep(&child.held);
        let is_first = self.last_good.is_empty();
        self.last_good.clone_from(&need.sources);
        let listeners: Vec<ListenerStatus> = self.listeners_of(need);
        let has_moved = listeners != self.listeners;
        let older = self.children.range(..id).next_back().map(|(id, child)| (*id, child));
        let drains =
            older.filter(|(_, child)| child.pid.is_some()).map(|(id, child)| (id, child.connections()));
        let file = &self.config.file;
        (self.tell)(if is_first {
            Notice::Serves { file, generation: id, workers: need.workers, listeners: &listeners }
        } else {
            let listeners = has_moved.then_some(listeners.as_slice());
            Notice::Replaces { file, generation: id, drains, listeners }
        });
        self.listeners = listeners;
    }

    fn listeners_of(&self, need: &Need) -> Vec<ListenerStatus> {
        let status = |listener| self.sockets.url(listener);
        need.listeners.iter().map(|l| ListenerStatus { name: l.name.clone(), url: status(l) }).collect()
    }

    fn schedule_restart(&mut self) {
        let now = Instant::now();
        let has_served_well = |since: Instant| now.saturating_duration_since(since) > RESTART_FORGIVEN_AFTER;
        if self.restart.served_since.take().is_some_and(has_served_well) {
            self.restart.pause = RESTART_PAUSE_MIN;
        }
        let pause = self.restart.pause;
        self.restart.due = Some(now + pause);
        self.restart.pause = (pause * 2).min(RESTART_PAUSE_MAX);
        (self.tell)(Notice::Restarts { pause });
    }

    /// Says that a generation has died that served; an attempt's death is said when it is settled.
    pub(super) fn note_loss(&mut self, id: GenerationId) {
        if self.current() != Some(id) {
            return;
        }
        let text = self.children.get(&id).and_then(|child| child.verdict.as_deref()).unwrap_or_default();
        (self.tell)(Notice::Failed { generation: id, text, serving: None });
    }

    /// Before an attempt is ended for its silence: the reason.
    pub(super) fn note_silence(&mut self) {
        let (id, limit) = match self.handover.state() {
            // Here the old one is silent; the attempt goes on without it.
            State::Empty | State::Serving(_) | State::Stopping | State::Pausing(_) => return,
            State::Loading(attempt) | State::Adopting(attempt) => (attempt.new, ATTEMPT_TIMEOUT),
            State::Committed(attempt) | State::Probation(attempt) => (attempt.new, ANSWER_TIMEOUT),
        };
        if let Some(child) = self.children.get_mut(&id) {
            child.verdict.get_or_insert_with(|| format!("did not answer within {} s", limit.as_secs()));
        }
    }

    /// Drains everything; asked a second time, cuts everything.
    pub(super) fn stop(&mut self, stopping: Stopping) {
        if self.stopping.is_some() {
            for id in self.children.keys().copied().collect::<Vec<_>>() {
                self.cut(id);
            }
            return;
        }
        let latest = stopping.hard.map(|hard| Instant::now() + hard + DRAIN_GRACE);
        self.stopping = Some(stopping);
        self.restart.due = None;
        self.pace.due = None;
        (self.tell)(Notice::Stops { connections: self.children.values().map(Child::connections).sum() });
        // Those that drain already get no more time than the rest.
        for child in self.children.values_mut() {
            child.cut_at = match (child.cut_at, latest) {
                (Some(at), Some(latest)) => Some(at.min(latest)),
                (at, _) => at,
            };
        }
        self.events.clear();
        self.events.push_back(Event::Stop);
        self.take_events();
        self.sockets.keep(&BTreeMap::new());
        self.callers.no_more_attempts();
    }
}

fn result(outcome: Outcome) -> ReloadResult {
    match outcome {
        Outcome::Serves => ReloadResult::Serves,
        Outcome::Refused => ReloadResult::Refused,
        Outcome::Failed => ReloadResult::Failed,
        Outcome::RolledBack => ReloadResult::RolledBack,
        Outcome::Superseded => ReloadResult::Superseded,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
