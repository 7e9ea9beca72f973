//! Sending answers of our own: of routes, of the echo origin, and to failures.

use super::decide::Limits;
use super::{Failed, Next};
use crate::context::{WorkerContext, Workspace};
use crate::echo;
use crate::error::{Error, ErrorKind, Fault};
use crate::group::add;
use crate::http::h1::Connection;
use crate::http::method;
use crate::record::{self, Record};
use crate::relay::{Pump, Writer, discard_body};
use crate::respond::{Answer, Recipient, encode, encode_failure};
use crate::wire::h1::Framing;
use crate::wire::h1::request::RequestHead;

/// An answer that a route gives. Its body is in the workspace's `text`, the value of its field in `value`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    /// Its status.
    pub(super) status: u16,
    /// The name of its field.
    pub(super) field: Option<&'static str>,
}

/// Sends the answer of a route. A request body that has not arrived by now is not waited for: the connection closes
/// then, since nobody can tell where the next request would begin.
pub(super) async fn send(
    connection: &mut Connection<'_>,
    work: &mut Workspace,
    planned: &Planned,
    record: &mut Record<'_>,
) -> Result<Next, Failed> {
    let mut body = Pump::new(work.request.framing, Writer::Plain, None);
    let is_read = body.skip(&mut work.client) == Ok(true);
    record.bytes_in = body.body_bytes;
    let Workspace { request, changes, text, value, to_client, .. } = work;
    let mut answer = Answer::text(planned.status, text);
    if let Some(name) = planned.field {
        answer = answer.with_field(name.as_bytes(), value);
    }
    let keep_alive = is_read && request.keep_alive && connection.may_stay();
    let date = connection.local.date();
    to_client.clear();
    let encoded = changes.with_response(|changes| {
        encode(&answer, &recipient(request, keep_alive, &date).with(changes), to_client)
    });
    let body_bytes = encoded.map_err(|error| Error::unsent(ErrorKind::BadConfiguredText(error)))?;
    let encoded = Encoded { status: planned.status, body_bytes, keep_alive, is_body_read: is_read };
    finish(connection, work, &encoded, record).await
}

/// Answers as the origin inside twp: reads the body, tells what was received.
pub(super) async fn echo(
    connection: &mut Connection<'_>,
    work: &mut Workspace,
    limits: &Limits,
    record: &mut Record<'_>,
) -> Result<Next, Failed> {
    let mut body = Pump::new(work.request.framing, Writer::Plain, limits.body_bytes_max);
    if work.request.expect_continue && work.client.is_empty() {
        connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(Error::from)?;
    }
    let read = discard_body(&mut connection.socket, &connection.deadline, &mut body, &mut work.client).await;
    record.bytes_in = body.body_bytes;
    read?;
    let Workspace { request, changes, text, to_server, to_client, .. } = work;
    text.clear();
    echo::write(to_server, body.body_bytes, text)?;
    let answer = Answer { content_type: echo::CONTENT_TYPE, ..Answer::text(200, text) };
    let keep_alive = request.keep_alive && connection.may_stay();
    let date = connection.local.date();
    to_client.clear();
    let encoded = changes.with_response(|changes| {
        encode(&answer, &recipient(request, keep_alive, &date).with(changes), to_client)
    });
    let body_bytes = encoded.map_err(|error| Error::unsent(ErrorKind::BadConfiguredText(error)))?;
    finish(connection, work, &Encoded { status: 200, body_bytes, keep_alive, is_body_read: true }, record)
        .await
}

/// Answers a failure, as far as that is still possible.
pub(super) async fn fail(
    ctx: &WorkerContext,
    connection: &mut Connection<'_>,
    work: &mut Workspace,
    failed: Failed,
    record: &mut Record<'_>,
) -> Next {
    let Failed { error, started } = failed;
    record.fail(blame(error), error.code());
    if let Some(framing) = started {
        return Next::Abort(framing);
    }
    if error.kind == ErrorKind::ClientGone {
        return Next::Gone;
    }
    let status = error.status();
    if status >= 500 && error.fault() != Fault::Client {
        add(&ctx.counters().own_failures, 1);
    }
    let Workspace { request, changes, text, to_client, .. } = work;
    // Only a request that is known to have ended leaves the connection usable.
    let has_ended = matches!(request.framing, Framing::None | Framing::Length(0));
    let is_clients = error.fault() == Fault::Client && !matches!(error.kind, ErrorKind::Misdirected);
    let is_body_read = has_ended && !is_clients && error.kind != ErrorKind::Panicked;
    let keep_alive = is_body_read && request.keep_alive && connection.may_stay();
    let date = connection.local.date();
    let to = recipient(request, keep_alive, &date);
    to_client.clear();
    let encoded = changes
        .with_response(|changes| encode_failure(error, &to.with(changes), text, to_client))
        // Changes that cannot be sent do not keep the client from learning what went wrong.
        .or_else(|_| encode_failure(error, &to, text, to_client));
    let Ok(body_bytes) = encoded else { return Next::Close };
    let encoded = Encoded { status, body_bytes, keep_alive, is_body_read };
    finish(connection, work, &encoded, record).await.unwrap_or(Next::Gone)
}

/// An answer that lies in `to_client`, head and body.
#[derive(Clone, Copy, Debug)]
struct Encoded {
    status: u16,
    body_bytes: usize,
    /// The answer promises to keep the connection.
    keep_alive: bool,
    /// The request has been read to its end.
    is_body_read: bool,
}

/// Writes an answer.
async fn finish(
    connection: &mut Connection<'_>,
    work: &Workspace,
    encoded: &Encoded,
    record: &mut Record<'_>,
) -> Result<Next, Failed> {
    connection.has_answered = true;
    let written = connection.write_all(&work.to_client).await;
    let n_left = written.err().map_or(0, |unwritten| unwritten.n_bytes);
    if n_left < work.to_client.len() {
        record.status = encoded.status;
        record.bytes_out = encoded.body_bytes.saturating_sub(n_left) as u64;
    }
    // Whatever of it was sent, its length says that it is not whole.
    let started = Some(Framing::Length(0));
    written.map_err(|unwritten| Failed { error: unwritten.error, started })?;
    Ok(Next::after(encoded.keep_alive, encoded.is_body_read, work))
}

fn recipient<'a>(request: &RequestHead, keep_alive: bool, date: &'a [u8]) -> Recipient<'a> {
    Recipient {
        version: request.version,
        is_head: request.method == method::HEAD,
        keep_alive,
        date,
        changes: &[],
    }
}

/// Whose fault a failure is, as records say it.
pub(super) fn blame(error: Error) -> record::Fault {
    match error.fault() {
        Fault::Client => record::Fault::Client,
        Fault::Upstream => record::Fault::Upstream,
        Fault::Twp => record::Fault::Twp,
    }
}
