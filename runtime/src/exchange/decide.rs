//! Deciding and filtering: the program picks the route, the route's effects become a request head for the upstream
//! or an answer. All of it happens at once, while the request's bytes lie in the read buffer.

use super::answer::Planned;
use crate::context::{WorkerContext, Workspace};
use crate::error::{Error, ErrorKind};
use crate::filters::Changes;
use crate::http::h1::Connection;
use crate::http::method;
use crate::limits::ANSWERED_METHOD_BYTES_MAX;
use crate::record::Record;
use crate::respond::write_status_text;
use crate::upstream::{Answers, Group, Timeouts};
use crate::view::{Around, Parsed, build, fill_slots};
use crate::wire::forwarded::{Forwarding, client_address};
use crate::wire::h1::Framing;
use crate::wire::h1::encode::{RequestWrite, encode_request};
use crate::wire::h1::request::RequestHead;
use crate::wire::target::Target;
use twp_compiler::abi::View;
use twp_compiler::effects;
use twp_compiler::plan::{RoutePlan, Terminal};

/// What happens with a request.
#[derive(Debug)]
pub(super) enum Decided<'w> {
    /// It is answered here.
    Answer(Planned),
    /// The origin inside twp answers it. Its head is ready to be sent.
    Echo(Limits),
    /// A server answers it. Its head is ready to be sent.
    Forward(Forward<'w>),
}

/// Limits of the request body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes; `None` is unlimited.
    pub(super) body_bytes_max: Option<u64>,
}

/// Whereto a request goes.
#[derive(Debug)]
pub(super) struct Forward<'w> {
    /// The servers.
    pub(super) group: &'w Group,
    /// Time limits.
    pub(super) timeouts: Timeouts,
    /// Limits of the request body.
    pub(super) limits: Limits,
}

/// Decides on the request whose head is the first `len` bytes of the client's buffer, and takes them out of it.
pub(super) fn decide<'w>(
    ctx: &'w WorkerContext,
    connection: &Connection<'_>,
    work: &mut Workspace,
    len: usize,
    record: &mut Record<'w>,
) -> Result<Decided<'w>, Error> {
    let Workspace { client, request, target, slots, changes, to_server, text, value, .. } = work;
    changes.clear();
    let bytes = client.filled().get(..len).unwrap_or_default();
    let target = match Target::of(request, bytes, target) {
        Ok(target) => target,
        Err(error) => {
            record_raw(request, bytes, record);
            client.consume(len);
            return Err(Error::unsent(ErrorKind::BadRequest(error)));
        }
    };
    record.request(request.method_text.of(bytes), target.host, target.path);
    let is_trusted = |addr| ctx.is_trusted(addr);
    let around = Around {
        listener: connection.listener,
        https: false,
        client: if connection.peer_is_trusted {
            client_address(connection.peer, &request.fields, bytes, is_trusted)
        } else {
            connection.peer
        },
        peer_is_trusted: connection.peer_is_trusted,
    };
    let parsed = Parsed { head: request, bytes, target };
    let mut values = slots.take();
    fill_slots(&mut values, ctx.artifact.program.slots(), &parsed, &around);
    let mut step = Step { ctx, connection, parsed, changes, to_server, text, value };
    let decided = match build(&values, &parsed, &around) {
        _ if matches!(request.method, method::CONNECT | method::TRACE) => {
            Err(Error::unsent(ErrorKind::MethodRefused))
        }
        Some(view) => step.on_view(&view, record),
        // `OPTIONS *` asks what the server as a whole can do (RFC 9110 section 9.3.7).
        None => Ok(Decided::Answer(Planned { status: 204, field: None })),
    };
    slots.give_back(values);
    client.consume(len);
    decided
}

/// Notes what could be read of a refused head.
pub(super) fn refuse_head(work: &mut Workspace, error: Error, record: &mut Record<'_>) -> Error {
    work.changes.clear();
    record_raw(&work.request, work.client.filled(), record);
    error
}

fn record_raw(request: &RequestHead, bytes: &[u8], record: &mut Record<'_>) {
    record.request(request.method_text.of(bytes), request.host.of(bytes), request.path.of(bytes));
}

/// The parts a decision works with.
struct Step<'w, 'a, 'c> {
    ctx: &'w WorkerContext,
    connection: &'a Connection<'c>,
    parsed: Parsed<'a>,
    changes: &'a mut Changes,
    to_server: &'a mut Vec<u8>,
    text: &'a mut Vec<u8>,
    value: &'a mut Vec<u8>,
}

impl<'w> Step<'w, '_, '_> {
    fn on_view(&mut self, view: &View<'_>, record: &mut Record<'w>) -> Result<Decided<'w>, Error> {
        let artifact = &self.ctx.artifact;
        let program = &artifact.program;
        let Some(route_id) = program.decide(view) else {
            return Err(Error::unsent(ErrorKind::Misdirected));
        };
        let route = &artifact.plan.routes[route_id as usize];
        record.site = &artifact.plan.sites[route.site as usize].name;
        record.route = &route.name;
        if !route.access_log {
            record.silence();
        }
        let test = |id| program.test(id, view);
        let changes = &mut *self.changes;
        let terminal = effects::walk(&route.effects, test, |effect| changes.apply(effect, view, &test))
            // The checker sees to it that every path through a route ends in one.
            .unwrap_or(&Terminal::NotFound);
        if let (Framing::Length(length), Some(max)) = (self.parsed.head.framing, route.max_body)
            && length > max
        {
            return Err(Error::unsent(ErrorKind::BodyTooLarge));
        }
        self.on_terminal(terminal, view, route, record)
    }

    fn on_terminal(
        &mut self,
        terminal: &Terminal,
        view: &View<'_>,
        route: &RoutePlan,
        record: &mut Record<'w>,
    ) -> Result<Decided<'w>, Error> {
        let test = |id| self.ctx.artifact.program.test(id, view);
        self.text.clear();
        self.value.clear();
        match terminal {
            Terminal::To { upstream, timeouts } => {
                // INVARIANT: numbers in a plan are places in its own lists.
                let upstream =
                    self.ctx.upstreams.of(*upstream).expect("a route names an upstream of its plan");
                record.upstream = &upstream.name;
                self.encode_request(view)?;
                let limits = Limits { body_bytes_max: route.max_body };
                Ok(match &upstream.answers {
                    Answers::Echo => Decided::Echo(limits),
                    Answers::Servers(group) => {
                        Decided::Forward(Forward { group, timeouts: upstream.timeouts(timeouts), limits })
                    }
                })
            }
            Terminal::Respond { status, body } => {
                match body {
                    Some(body) => body.write(view, &test, self.text),
                    None => write_status_text(*status, &[], self.text),
                }
                Ok(Decided::Answer(Planned { status: *status, field: None }))
            }
            Terminal::Redirect { status, location, keep_query } => {
                location.write(view, &test, self.value);
                if let (true, Some(query)) = (*keep_query, view.query.bytes()) {
                    self.value.push(b'?');
                    self.value.extend_from_slice(query);
                }
                write_status_text(*status, &[], self.text);
                Ok(Decided::Answer(Planned { status: *status, field: Some("location") }))
            }
            Terminal::NotFound => Ok(Decided::Answer(self.not_found(view))),
        }
    }

    /// 405 with the methods that a route of the site takes, or 404.
    fn not_found(&mut self, view: &View<'_>) -> Planned {
        let artifact = &self.ctx.artifact;
        for method in artifact.program.allowed(&artifact.plan, view) {
            if !self.value.is_empty() {
                self.value.extend_from_slice(b", ");
            }
            self.value.extend_from_slice(method.as_str().as_bytes());
        }
        if self.value.is_empty() {
            write_status_text(404, &[b"no route takes this path"], self.text);
            return Planned { status: 404, field: None };
        }
        // A token cannot break out of plain text; a long one only makes the reason unreadable.
        let method = self.parsed.head.method_text;
        let named = if method.len() <= ANSWERED_METHOD_BYTES_MAX {
            method.of(self.parsed.bytes)
        } else {
            b"this method"
        };
        write_status_text(405, &[named, b" is not allowed here; allowed: ", self.value], self.text);
        Planned { status: 405, field: Some("allow") }
    }

    fn encode_request(&mut self, view: &View<'_>) -> Result<(), Error> {
        let Parsed { head, bytes, target } = self.parsed;
        let Target { host, port, path: _, query } = target;
        let forwarding = Forwarding {
            peer: self.connection.peer_text.as_bytes(),
            peer_is_trusted: self.connection.peer_is_trusted,
            scheme: b"http",
            host,
            port,
        };
        let (changes, to_server) = (&*self.changes, &mut *self.to_server);
        let (sent_host, sent_port) = changes.host().map_or((host, port), |host| (host, None));
        let path = changes.path(view);
        to_server.clear();
        let encoded = changes.with_request(|changes| {
            let write = RequestWrite {
                path,
                query,
                host: sent_host,
                port: sent_port,
                framing: head.framing,
                expect_continue: head.expect_continue,
                forwarding: Some(forwarding),
                changes,
            };
            encode_request(head, bytes, &write, to_server)
        });
        encoded.map_err(|error| Error::unsent(ErrorKind::BadConfiguredText(error)))
    }
}
