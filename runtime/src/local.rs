//! What every stage of one worker may use: its clock, its buffers, the limits of heads, and what phase it is in.

use crate::buffer::Buffers;
use crate::time::Clock;
use crate::wire::date::{HTTP_DATE_BYTES, write_http_date};
use crate::wire::h1::HeadLimits;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};
use twp_compiler::plan::ServerPlan;

/// Tools of one worker.
#[derive(Debug)]
pub(crate) struct Local {
    /// Its coarse clock and deadlines.
    pub(crate) clock: Rc<Clock>,
    /// Its buffers.
    pub(crate) buffers: Buffers,
    /// Limits of heads on both sides.
    pub(crate) head_limits: HeadLimits,
    /// What it does.
    pub(crate) phase: Cell<Phase>,
    date: Cell<[u8; HTTP_DATE_BYTES]>,
    date_second: Cell<u64>,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It accepts, or is about to begin.
    Serving,
    /// It does not accept; open connections are asked to close with their next response.
    Paused,
    /// As paused, and it ends with its last connection.
    Draining,
}

impl Local {
    /// Tools under the limits of a plan.
    pub(crate) fn new(server: &ServerPlan) -> Local {
        let local = Local {
            clock: Clock::new(),
            buffers: Buffers::default(),
            head_limits: HeadLimits::of(server),
            phase: Cell::new(Phase::Serving),
            date: Cell::new([b' '; HTTP_DATE_BYTES]),
            date_second: Cell::new(0),
        };
        local.refresh_date();
        local
    }

    /// The date of responses: of the last tick.
    pub(crate) fn date(&self) -> [u8; HTTP_DATE_BYTES] {
        self.date.get()
    }

    /// Takes over the present second; once per tick.
    pub(crate) fn refresh_date(&self) {
        // A clock before 1970 is one that was never set.
        let second = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if second == self.date_second.replace(second) {
            return;
        }
        let mut text = Vec::with_capacity(HTTP_DATE_BYTES);
        write_http_date(second, &mut text);
        if let Ok(date) = text.try_into() {
            self.date.set(date);
        }
    }
}
