//! What a supervisor has to say to a person; the program prints it.

use crate::control::ListenerStatus;
use crate::handover::GenerationId;
use std::path::Path;
use std::time::Duration;

/// Something worth a line on the terminal.
#[derive(Debug)]
pub enum Notice<'a> {
    /// The first generation serves.
    Serves {
        /// The configuration file.
        file: &'a Path,
        /// Which.
        generation: GenerationId,
        /// Its worker threads.
        workers: u16,
        /// Where clients are listened to.
        listeners: &'a [ListenerStatus],
    },
    /// A later generation serves.
    Replaces {
        /// The configuration file.
        file: &'a Path,
        /// Which.
        generation: GenerationId,
        /// The one before and its open connections; `None` when it died.
        drains: Option<(GenerationId, u64)>,
        /// Where clients are listened to, when that has changed.
        listeners: Option<&'a [ListenerStatus]>,
    },
    /// Warnings about a configuration that is accepted, rendered.
    Warnings(&'a str),
    /// A configuration is not accepted.
    Refused {
        /// Diagnostics, rendered.
        text: &'a str,
        /// The generation that goes on serving.
        serving: Option<GenerationId>,
    },
    /// A generation died or hung.
    Failed {
        /// Which.
        generation: GenerationId,
        /// What happened to it.
        text: &'a str,
        /// The generation that goes on serving.
        serving: Option<GenerationId>,
    },
    /// The serving generation is gone; what served last is started again.
    Restarts {
        /// The pause before it.
        pause: Duration,
    },
    /// A draining generation was cut.
    Cut {
        /// Which.
        generation: GenerationId,
        /// Its open connections.
        connections: u64,
    },
    /// Everything drains.
    Stops {
        /// Open connections.
        connections: u64,
    },
}
