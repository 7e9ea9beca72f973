//! Sending a request to a server and relaying the response.

use super::decide::Forward;
use super::{Failed, Next};
use crate::context::Workspace;
use crate::error::{Error, ErrorKind};
use crate::http::h1::Connection;
use crate::http::method;
use crate::limits::INTERIM_RESPONSES_MAX;
use crate::record::Record;
use crate::relay::{Pump, Transfer, Upload, Writer};
use crate::socket::Check;
use crate::upstream::{Lease, LeaseOptions};
use crate::wire::h1::encode::{ResponseWrite, encode_interim, encode_response, framing_for_client};
use crate::wire::h1::request::RequestHead;
use crate::wire::h1::response::ResponseHead;
use crate::wire::h1::{Framing, Version};

/// Forwards a request whose head lies in `to_server`.
pub(super) async fn forward(
    connection: &mut Connection<'_>,
    work: &mut Workspace,
    to: &Forward<'_>,
    record: &mut Record<'_>,
) -> Result<Next, Failed> {
    let Workspace { client, server, request, response, changes, to_server, to_client, .. } = work;
    // INVARIANT: what one connection sent is never read as the response of another. The exchange before may have left
    // bytes here that nobody had asked for.
    server.clear();
    let lease = lease(connection, request, to, record, Attempt::First).await?;
    let mut transfer = Transfer {
        connection,
        client_buffer: client,
        lease,
        server_buffer: server,
        upload_out: to_server,
        timeouts: to.timeouts,
        upload: Pump::new(request.framing, writer(request.framing), to.limits.body_bytes_max),
        upload_state: Upload::Open,
        is_continue_awaited: request.expect_continue,
        n_interim: 0,
    };
    let mut attempt = Attempt::First;
    let head_len = loop {
        response.clear();
        let head = final_head(&mut transfer, request, response, to_client).await;
        record.bytes_in = transfer.upload.body_bytes;
        match head {
            Ok(len) => break len,
            Err(error) if attempt == Attempt::First && may_repeat(&transfer, request, error) => {
                attempt = Attempt::Second;
                transfer.lease = lease_again(&transfer, request, to, record).await?;
                transfer.upload.rewind();
                transfer.upload_state = Upload::Open;
                transfer.is_continue_awaited = request.expect_continue;
            }
            Err(error) => return Err(error.into()),
        }
    };
    let framing = framing_for_client(response.framing, request.version);
    let keep_alive = request.keep_alive
        && transfer.connection.may_stay()
        && transfer.upload.is_read()
        && framing != Framing::UntilClose;
    let date = transfer.connection.local.date();
    to_client.clear();
    let encoded = changes.with_response(|changes| {
        let write = ResponseWrite {
            version: request.version,
            framing,
            content_length: response.content_length.filter(|_| response.status != 204),
            keep_alive,
            date: &date,
            changes,
        };
        encode_response(response, transfer.server_buffer.filled(), &write, to_client)
    });
    encoded.map_err(|error| Error::new(ErrorKind::BadConfiguredText(error)))?;
    transfer.server_buffer.consume(head_len);
    transfer.connection.has_answered = true;
    let mut download = Pump::new(response.framing, writer(framing), None);
    let moved = transfer.bodies(&mut download, to_client).await;
    record.bytes_in = transfer.upload.body_bytes;
    let is_started = download.progress > 0;
    if is_started {
        record.status = response.status;
        record.bytes_out = download.body_bytes;
    }
    moved.map_err(|error| Failed { error, started: is_started.then_some(framing) })?;
    let is_body_read = settle(transfer, response);
    Ok(Next::after(keep_alive, is_body_read, work))
}

/// Which time a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    First,
    Second,
}

async fn lease<'w>(
    connection: &Connection<'_>,
    request: &RequestHead,
    to: &Forward<'w>,
    record: &mut Record<'_>,
    attempt: Attempt,
) -> Result<Lease<'w>, Error> {
    let has_body = !matches!(request.framing, Framing::None | Framing::Length(0));
    let is_repeatable = method::is_idempotent(request.method) && !has_body;
    let how = LeaseOptions {
        deadline: &connection.deadline,
        connect: to.timeouts.connect,
        fresh: attempt == Attempt::Second,
        check: if is_repeatable { Check::Seen } else { Check::Ask },
    };
    to.group.lease(&how, |server| record.server(server.as_bytes())).await
}

async fn lease_again<'w>(
    transfer: &Transfer<'_, '_>,
    request: &RequestHead,
    to: &Forward<'w>,
    record: &mut Record<'_>,
) -> Result<Lease<'w>, Error> {
    lease(transfer.connection, request, to, record, Attempt::Second).await
}

/// Whether a failed request may be sent again on a new connection: the server had closed an idle connection before
/// it saw the request, as far as anybody can tell (RFC 9112 section 9.3.1).
fn may_repeat(transfer: &Transfer<'_, '_>, request: &RequestHead, error: Error) -> bool {
    let nothing_came = error.kind == ErrorKind::UpstreamGone && transfer.server_buffer.is_empty();
    let nothing_left = transfer.upload.progress == 0;
    transfer.lease.is_reused
        && nothing_came
        && transfer.n_interim == 0
        && transfer.upload.can_rewind()
        && (nothing_left || method::is_idempotent(request.method))
}

/// Sends the request and reads up to the head of the final response; interim responses are passed on where the
/// client can use them.
async fn final_head(
    transfer: &mut Transfer<'_, '_>,
    request: &RequestHead,
    response: &mut ResponseHead,
    out: &mut Vec<u8>,
) -> Result<usize, Error> {
    loop {
        let len = transfer.response_head(response, request.method).await?;
        if !response.is_interim() {
            return Ok(len);
        }
        transfer.n_interim += 1;
        if transfer.n_interim > INTERIM_RESPONSES_MAX {
            return Err(Error::new(ErrorKind::SurplusResponse));
        }
        let is_wanted = match response.status {
            100 => std::mem::replace(&mut transfer.is_continue_awaited, false),
            _ => request.version == Version::Http11,
        };
        if is_wanted {
            out.clear();
            encode_interim(response, transfer.server_buffer.filled(), out);
            transfer.connection.write_all(out).await?;
        }
        transfer.server_buffer.consume(len);
    }
}

/// After the response: keeps the server's connection if it can be used again; says whether the request body was read
/// to its end.
fn settle(mut transfer: Transfer<'_, '_>, response: &ResponseHead) -> bool {
    let is_sent = transfer.upload_state == Upload::Complete;
    // Bytes beyond the response belong to nobody; whoever came next would take them for its own.
    if response.keep_alive && is_sent && transfer.server_buffer.is_empty() {
        transfer.lease.give_back();
    }
    // Body bytes that the server did not want must not be taken for the next request.
    is_sent || transfer.upload.is_read() && transfer.upload.skip(transfer.client_buffer) == Ok(true)
}

fn writer(framing: Framing) -> Writer {
    match framing {
        Framing::Chunked => Writer::Chunked,
        Framing::None | Framing::Length(_) | Framing::UntilClose => Writer::Plain,
    }
}
