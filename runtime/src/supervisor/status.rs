//! What a supervisor says when it is asked what runs.

use super::{Child, Supervisor};
use crate::control::{GenerationStatus, Status};
use crate::handover::State;
use crate::watch::Fingerprint;
use std::time::Instant;

impl Supervisor<'_> {
    /// What runs now.
    pub(super) fn status(&self, now: Instant) -> Status {
        let serving = self.current().and_then(|id| self.children.get(&id));
        let sources = serving.and_then(|child| child.need.as_ref()).map(|need| need.sources.as_slice());
        let fingerprint =
            sources.and_then(|sources| Fingerprint::of_all(sources.iter().map(|source| source.fingerprint)));
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            uptime_seconds: (now - self.started).as_secs(),
            file: self.config.file.clone(),
            fingerprint: fingerprint.map(String::from),
            listeners: self.listeners.clone(),
            generations: self
                .children
                .values()
                .filter_map(|child| self.generation_status(child, now))
                .collect(),
            last_reload: self.last_reload.clone(),
            last_reload_age_seconds: self
                .last_reload
                .is_some()
                .then(|| now.saturating_duration_since(self.settled).as_secs()),
        }
    }

    fn generation_status(&self, child: &Child, now: Instant) -> Option<GenerationStatus> {
        Some(GenerationStatus {
            number: child.id,
            pid: child.pid?,
            phase: self.phase(child).to_owned(),
            age_seconds: now.saturating_duration_since(child.started).as_secs(),
            silent_seconds: now.saturating_duration_since(child.heard).as_secs(),
            engine: child.need.as_ref().map(|need| need.engine.clone()).unwrap_or_default(),
            workers: child.load.clone(),
        })
    }

    fn phase(&self, child: &Child) -> &'static str {
        if child.cut_at.is_some() {
            return "draining";
        }
        let new = match self.handover.state() {
            State::Loading(attempt) => Some((attempt.new, "loading")),
            State::Adopting(attempt) => Some((attempt.new, "adopting")),
            State::Committed(attempt) => Some((attempt.new, "committed")),
            State::Pausing(pausing) => Some((pausing.new, "probation")),
            State::Probation(attempt) => Some((attempt.new, "probation")),
            State::Empty | State::Serving(_) | State::Stopping => None,
        };
        match new {
            Some((id, phase)) if id == child.id => phase,
            Some(_) | None if child.is_paused => "paused",
            Some(_) | None => "serving",
        }
    }
}
