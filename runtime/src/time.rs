//! A worker's coarse clock and its deadlines.
//!
//! The clock moves once per [`TICK`](crate::limits::TICK). A connection has one [`Deadline`] that it moves by a
//! plain store: the wheel looks at an entry when its slot comes up and puts it where the deadline has moved to in
//! the meantime. Nothing is armed or cancelled per request. One timer of the async runtime drives it all, so
//! paused time works in tests.

use crate::limits::{TICK, WHEEL_SLOTS};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::Instant;

/// A point on the coarse clock: ticks since the worker started.
pub(crate) type Tick = u64;
/// Later than every point.
const NEVER: Tick = Tick::MAX;

/// How many ticks certainly cover this time: the clock may be about to move.
pub(crate) fn ticks(duration: Duration) -> Tick {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX / 2);
    millis.div_ceil(tick_ms()) + 1
}

const fn tick_ms() -> u64 {
    // The tick is a constant of some milliseconds.
    TICK.as_secs() * 1000 + TICK.subsec_millis() as u64
}

/// The clock of one worker.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    now: Cell<Tick>,
    wheel: RefCell<Wheel>,
}

#[derive(Debug)]
struct Wheel {
    slots: Vec<Vec<usize>>,
    entries: Vec<Entry>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Entry {
    /// When it is due.
    at: Tick,
    /// The tick whose slot holds the valid mention of this entry; others are stale.
    scheduled: Tick,
    waker: Option<Waker>,
}

impl Clock {
    /// A clock at tick zero.
    pub(crate) fn new() -> Rc<Clock> {
        let slots = (0..WHEEL_SLOTS).map(|_| Vec::new()).collect();
        let wheel = Wheel { slots, entries: Vec::new(), free: Vec::new() };
        Rc::new(Clock { start: Instant::now(), now: Cell::new(0), wheel: RefCell::new(wheel) })
    }

    /// The current tick.
    pub(crate) fn now(&self) -> Tick {
        self.now.get()
    }

    /// Moves to the present and wakes what is due.
    pub(crate) fn advance(&self) {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(NEVER) / tick_ms();
        let last = self.now.get();
        if elapsed <= last {
            return;
        }
        self.now.set(elapsed);
        let mut wheel = self.wheel.borrow_mut();
        // One turn of the wheel visits every entry, however long the worker was held up.
        let first = (last + 1).max((elapsed + 1).saturating_sub(WHEEL_SLOTS as u64));
        for tick in first..=elapsed {
            wheel.visit(tick, elapsed);
        }
    }

    /// A deadline that is not set.
    pub(crate) fn deadline(self: &Rc<Clock>) -> Deadline {
        let mut wheel = self.wheel.borrow_mut();
        let entry = Entry { at: NEVER, scheduled: NEVER, waker: None };
        let key = if let Some(key) = wheel.free.pop() {
            wheel.entries[key] = entry;
            key
        } else {
            wheel.entries.push(entry);
            wheel.entries.len() - 1
        };
        Deadline { clock: Rc::clone(self), key }
    }
}

impl Wheel {
    fn visit(&mut self, tick: Tick, now: Tick) {
        let slot = slot(tick);
        let mut keys = std::mem::take(&mut self.slots[slot]);
        for key in keys.drain(..) {
            let entry = &mut self.entries[key];
            if entry.scheduled > now {
                // A stale mention, or the entry was put into this slot for a later turn.
                if entry.scheduled != NEVER && slot == self::slot(entry.scheduled) {
                    self.slots[slot].push(key);
                }
                continue;
            }
            entry.scheduled = NEVER;
            if entry.at <= now {
                if let Some(waker) = &entry.waker {
                    waker.wake_by_ref();
                }
            } else if entry.at != NEVER {
                self.schedule(key, now);
            }
        }
        if self.slots[slot].is_empty() {
            // Keeps the allocation for the next turn.
            self.slots[slot] = keys;
        }
    }

    fn schedule(&mut self, key: usize, now: Tick) {
        let entry = &mut self.entries[key];
        let at = entry.at.clamp(now + 1, now + WHEEL_SLOTS as u64 - 1);
        if at < entry.scheduled {
            entry.scheduled = at;
            self.slots[slot(at)].push(key);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the remainder is below the number of slots")]
fn slot(tick: Tick) -> usize {
    (tick % WHEEL_SLOTS as u64) as usize
}

/// The moment at which a connection stops waiting.
#[derive(Debug)]
pub(crate) struct Deadline {
    clock: Rc<Clock>,
    key: usize,
}

impl Deadline {
    /// Sets or moves it to this many ticks from now.
    pub(crate) fn set(&self, after: Tick) {
        let now = self.clock.now();
        let mut wheel = self.clock.wheel.borrow_mut();
        let at = now.saturating_add(after);
        wheel.entries[self.key].at = at;
        if at < wheel.entries[self.key].scheduled {
            wheel.schedule(self.key, now);
        }
    }

    /// Whether it has passed.
    pub(crate) fn passed(&self) -> bool {
        self.clock.wheel.borrow().entries[self.key].at <= self.clock.now()
    }

    /// Says whom to wake. A connection is one task, so this is needed once per task.
    pub(crate) fn watch(&self, cx: &Context<'_>) {
        let mut wheel = self.clock.wheel.borrow_mut();
        let waker = &mut wheel.entries[self.key].waker;
        if !waker.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
    }

    /// The result of a future, or `None` when the deadline passes first; the future is dropped then.
    pub(crate) async fn race<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        std::future::poll_fn(|cx| {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(value));
            }
            self.watch(cx);
            if self.passed() { Poll::Ready(None) } else { Poll::Pending }
        })
        .await
    }

    /// The clock it belongs to.
    pub(crate) fn clock(&self) -> &Rc<Clock> {
        &self.clock
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        let mut wheel = self.clock.wheel.borrow_mut();
        wheel.entries[self.key] = Entry { at: NEVER, scheduled: NEVER, waker: None };
        wheel.free.push(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn wait(deadline: &Deadline) {
        std::future::poll_fn(|cx| {
            deadline.watch(cx);
            if deadline.passed() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    async fn drive(clock: &Clock) {
        loop {
            tokio::time::sleep(TICK).await;
            clock.advance();
        }
    }

    async fn elapsed_seconds(after: Duration, moved: Option<Duration>) -> f64 {
        let clock = Clock::new();
        let deadline = clock.deadline();
        let start = Instant::now();
        deadline.set(ticks(after));
        if let Some(moved) = moved {
            deadline.set(ticks(moved));
        }
        tokio::select! {
            () = wait(&deadline) => {}
            () = drive(&clock) => {}
        }
        start.elapsed().as_secs_f64()
    }

    #[tokio::test(start_paused = true)]
    async fn never_early_and_at_most_two_ticks_late() {
        for (after, moved, want) in [
            (Duration::from_secs(10), None, 10.0),
            (Duration::from_secs(1), Some(Duration::from_secs(5)), 5.0),
            (Duration::from_mins(1), Some(Duration::from_secs(2)), 2.0),
            (Duration::from_hours(1), None, 3600.0),
            (Duration::from_millis(1), None, 0.001),
        ] {
            let got = elapsed_seconds(after, moved).await;
            assert!(got >= want && got <= want + 0.21, "{after:?} {moved:?}: {got}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_worker_finds_all_that_is_due() {
        let clock = Clock::new();
        let deadlines: Vec<_> = (1..400).map(|n| (clock.deadline(), n)).collect();
        for (deadline, seconds) in &deadlines {
            deadline.set(ticks(Duration::from_secs(*seconds)));
        }
        tokio::time::advance(Duration::from_secs(200)).await;
        clock.advance();
        for (deadline, seconds) in &deadlines {
            assert_eq!(deadline.passed(), *seconds < 200, "{seconds}");
        }
    }

    #[test]
    fn entries_are_used_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let _entered = runtime.enter();
        let clock = Clock::new();
        for _ in 0..10 {
            let deadline = clock.deadline();
            deadline.set(5);
        }
        assert_eq!(clock.wheel.borrow().entries.len(), 1);
    }
}
