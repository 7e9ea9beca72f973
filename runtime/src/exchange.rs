//! One request and its response: the order of the stages.
//!
//! A connection's task waits with nothing but its socket; a burst of requests has its working state in one
//! allocation, which goes away after a second of silence, and each exchange borrows the memory it needs.

mod answer;
mod decide;
mod forward;
mod guard;

use crate::context::{WorkerContext, Workspace};
use crate::error::{Error, ErrorKind};
use crate::group::{Counters, add, subtract};
use crate::http::h1::{Connection, Waited};
use crate::limits::{HEAD_TIMEOUT, KEEPALIVE_TIMEOUT, PARK_AFTER};
use crate::listen::Connected;
use crate::record::Record;
use crate::time::ticks;
use crate::wire::h1::Framing;
use decide::Decided;
use guard::{Panicked, guarded};

/// Serves a client connection to its end.
pub(crate) async fn serve(ctx: &WorkerContext, connected: Connected) {
    let mut connection = Connection::new(connected, &ctx.local, |addr| ctx.is_trusted(addr));
    let mut patience = ticks(HEAD_TIMEOUT);
    loop {
        if connection.wait(patience).await == Waited::TimedOut {
            return;
        }
        match Box::pin(burst(ctx, &mut connection)).await {
            Next::Request => patience = ticks(KEEPALIVE_TIMEOUT.saturating_sub(PARK_AFTER)),
            Next::Close => {
                let mut work = ctx.workspace();
                connection.close(&mut work.client).await;
                return ctx.release(work);
            }
            Next::Abort(framing) => return connection.abort(framing),
            Next::Gone => return,
        }
    }
}

/// What comes after an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Another request may come.
    Request,
    /// The connection is closed, with time for the response to arrive.
    Close,
    /// The connection is cut in the middle of a response framed so.
    Abort(Framing),
    /// The connection is closed at once: the client closed it or asked for that, or nothing more can be said.
    Gone,
}

impl Next {
    /// What comes after a whole response, given whether it promised to keep the connection.
    fn after(keep_alive: bool, is_body_read: bool, work: &Workspace) -> Next {
        if keep_alive && is_body_read {
            Next::Request
        } else if is_body_read && !work.request.keep_alive && work.client.is_empty() {
            // The client knew that this is the last request, so nothing of it can be under way.
            Next::Gone
        } else {
            Next::Close
        }
    }
}

/// An exchange that failed.
#[derive(Clone, Copy, Debug)]
struct Failed {
    error: Error,
    /// Some of a response framed so has been sent.
    started: Option<Framing>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { error, started: None }
    }
}

/// Exchanges until the client pauses.
async fn burst(ctx: &WorkerContext, connection: &mut Connection<'_>) -> Next {
    loop {
        let mut work = ctx.workspace();
        let next = loop {
            let next = exchange(ctx, connection, &mut work).await;
            // What waits in the buffer is the next request, sent without waiting for this response.
            if next != Next::Request || work.client.is_empty() {
                break next;
            }
        };
        ctx.release(work);
        if next != Next::Request || connection.wait(ticks(PARK_AFTER)).await == Waited::TimedOut {
            return next;
        }
    }
}

/// One exchange: parse, decide, filter, answer or relay, record.
async fn exchange(ctx: &WorkerContext, connection: &mut Connection<'_>, work: &mut Workspace) -> Next {
    // Something of the request can be read by now, so its time runs.
    let start = ctx.start();
    let parsed = connection.read_head(&mut work.client, &mut work.request).await;
    if parsed == Ok(None) {
        return Next::Gone;
    }
    connection.requests += 1;
    connection.has_answered = false;
    let _in_flight = InFlight::new(ctx.counters());
    let mut record = Record::open(&ctx.log, start, connection.peer);
    let answered = guarded(answer(ctx, connection, work, parsed, &mut record)).await;
    let outcome = answered.unwrap_or_else(|Panicked| Err(panicked(ctx, connection, work)));
    match outcome {
        Ok(next) => next,
        Err(failed) => answer::fail(ctx, connection, work, failed, &mut record).await,
    }
}

async fn answer<'w>(
    ctx: &'w WorkerContext,
    connection: &mut Connection<'_>,
    work: &mut Workspace,
    parsed: Result<Option<usize>, Error>,
    record: &mut Record<'w>,
) -> Result<Next, Failed> {
    let decided = match parsed {
        Ok(len) => decide::decide(ctx, connection, work, len.unwrap_or_default(), record),
        Err(error) => Err(decide::refuse_head(work, error, record)),
    };
    match decided? {
        Decided::Answer(answer) => answer::send(connection, work, &answer, record).await,
        Decided::Echo(to) => answer::echo(connection, work, &to, record).await,
        Decided::Forward(to) => forward::forward(connection, work, &to, record).await,
    }
}

/// A mistake of ours costs one exchange and its connection (F-15). What the exchange left half done goes away with
/// its memory; the request stays, which tells how to answer.
fn panicked(ctx: &WorkerContext, connection: &Connection<'_>, work: &mut Workspace) -> Failed {
    add(&ctx.counters().panics, 1);
    *work = Workspace { request: std::mem::take(&mut work.request), ..Workspace::default() };
    // How far the response came is unknown; cut like this the client notices in any case.
    let started = connection.has_answered.then_some(Framing::UntilClose);
    Failed { error: Error::new(ErrorKind::Panicked), started }
}

/// Counts an exchange while it lives, also when it is cancelled.
struct InFlight<'a>(&'a Counters);

impl<'a> InFlight<'a> {
    fn new(counters: &'a Counters) -> InFlight<'a> {
        add(&counters.requests, 1);
        add(&counters.exchanges_in_flight, 1);
        InFlight(counters)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        subtract(&self.0.exchanges_in_flight, 1);
    }
}
