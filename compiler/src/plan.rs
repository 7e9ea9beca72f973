//! The plan: what a generation needs to serve, as plain data, apart from the decision which route a request takes.

use crate::abi::View;
pub use crate::lookup::{Lookup, Table};
use std::fmt;
use twp_lang::hir::Arithmetic;
use twp_lang::literal::{Cidr, Endpoint, Method};

/// Number of a listener: its place in [`Plan::listeners`] and in [`View::listener`].
pub type ListenerId = u16;
/// Number of an upstream: its place in [`Plan::upstreams`].
pub type UpstreamId = u32;
/// Number of a site: its place in [`Plan::sites`].
pub type SiteId = u32;
/// Number of a route: its place in [`Plan::routes`]; unique over all sites.
pub type RouteId = u32;
/// Number of a condition in the program, asked with `Program::test`.
pub type PredicateId = u32;
/// Number of a header, cookie or query name the program reads: its place in [`Plan::slots`].
pub type SlotId = u16;

/// Everything about a generation that is not a decision.
#[derive(Debug)]
pub struct Plan {
    /// Settings of the process.
    pub server: ServerPlan,
    /// Listeners.
    pub listeners: Vec<ListenerPlan>,
    /// Upstreams.
    pub upstreams: Vec<UpstreamPlan>,
    /// Sites.
    pub sites: Vec<SitePlan>,
    /// Routes of all sites, each site's fallback last among its own.
    pub routes: Vec<RoutePlan>,
    /// Names that conditions and values read, by slot.
    pub slots: Vec<Slot>,
}

/// Settings of the process.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// Worker threads; `None` means one per core.
    pub workers: Option<u16>,
    /// Peers whose forwarding fields are believed.
    pub trusted_proxies: Vec<Cidr>,
    /// Where records go; `None` when the log is off.
    pub access_log: Option<LogTarget>,
    /// Bytes of a message head; `None` is the runtime's default, as with all limits here.
    pub head_bytes_max: Option<u64>,
    /// Field lines of a message head.
    pub header_count_max: Option<u64>,
    /// Bytes of a request target.
    pub target_bytes_max: Option<u64>,
    /// How long a draining generation may take, in milliseconds.
    pub drain_ms: Option<u64>,
}

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard output.
    Stdout,
    /// A file, appended to and reopened when its inode changes.
    File(String),
}

/// A listener.
#[derive(Clone, Debug)]
pub struct ListenerPlan {
    /// Its name.
    pub name: String,
    /// Where it listens.
    pub addresses: Vec<ListenAddress>,
}

/// One address of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAddress {
    /// `Address`, `Port` or `Unix`; never a name.
    pub endpoint: Endpoint,
    /// Named under `plain`: never TLS.
    pub plain: bool,
}

/// An upstream.
#[derive(Clone, Debug)]
pub struct UpstreamPlan {
    /// Its name.
    pub name: String,
    /// Who answers.
    pub servers: ServersPlan,
    /// Time limits.
    pub timeouts: TimeoutPlan,
    /// Idle connections kept per worker; `None` is the runtime's default.
    pub keepalive: Option<u64>,
}

/// Who answers for an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServersPlan {
    /// Servers, at least one.
    Endpoints(Vec<Endpoint>),
    /// The origin inside twp that answers with what it received.
    Echo,
}

/// Time limits in milliseconds; `None` is the next outer value or the runtime's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TimeoutPlan {
    /// To establish a connection.
    pub connect_ms: Option<u64>,
    /// From the request sent to the response head.
    pub response_ms: Option<u64>,
    /// Between two pieces of a body.
    pub idle_ms: Option<u64>,
}

/// A site.
#[derive(Clone, Debug)]
pub struct SitePlan {
    /// Its first host pattern as written: how logs and messages call it.
    pub name: String,
    /// Methods its routes name, with `HEAD` beside `GET`: the candidates for `Allow`.
    pub methods: Vec<Method>,
}

/// A route.
#[derive(Clone, Debug)]
pub struct RoutePlan {
    /// Its name after `as`, `fallback`, or its pattern as written: how logs call it.
    pub name: String,
    /// Its site.
    pub site: SiteId,
    /// The fallback that nobody wrote: 404, or 405 with `Allow`.
    pub builtin_fallback: bool,
    /// Largest request body in bytes; `None` is unlimited.
    pub max_body: Option<u64>,
    /// Whether its exchanges are logged.
    pub access_log: bool,
    /// The conditions of its groups and its own `when`: all have to hold. The program asks them by itself.
    pub guard: Vec<PredicateId>,
    /// What happens, in order: statements of site, groups and route; ends with a terminal.
    pub effects: Vec<Effect>,
}

/// A name that conditions or values read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A header field; lower-case name.
    Header(String),
    /// A query field.
    Query(String),
    /// A cookie.
    Cookie(String),
}

/// A step of a route. Reads see the request as it arrived, so the order of writes is all that counts.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Replaces all lines of a field.
    Set {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// Its text.
        value: Value,
    },
    /// Appends a line.
    Add {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// Its text.
        value: Value,
    },
    /// Removes all lines of a field.
    Remove {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
    },
    /// Sends this path upstream; the query stays.
    RewritePath(Value),
    /// Sends this authority upstream.
    RewriteHost(Value),
    /// Removes this many leading segments from the path sent upstream.
    StripSegments(u8),
    /// Goes on past the next `count` steps unless the condition holds.
    SkipUnless {
        /// The condition.
        test: PredicateId,
        /// How many.
        count: u32,
    },
    /// Goes on past the next `count` steps.
    Skip {
        /// How many.
        count: u32,
    },
    /// Ends the exchange.
    End(Terminal),
}

/// Which message a step speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// The request on its way to the upstream.
    Request,
    /// The response on its way to the client.
    Response,
}

/// What ends an exchange.
#[derive(Clone, Debug)]
pub enum Terminal {
    /// Forwards to an upstream.
    To {
        /// Whereto.
        upstream: UpstreamId,
        /// Time limits of this route over those of the upstream.
        timeouts: TimeoutPlan,
    },
    /// Answers.
    Respond {
        /// The status.
        status: u16,
        /// The body; `None` is the built-in short text for the status.
        body: Option<Value>,
    },
    /// Redirects.
    Redirect {
        /// The status.
        status: u16,
        /// The `Location` without query.
        location: Value,
        /// Whether the query of the request is appended.
        keep_query: bool,
    },
    /// The answer of the fallback that nobody wrote: 404, or 405 with the methods a route takes as `Allow`.
    NotFound,
}

/// Text made from constants and parts of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// This text.
    Literal(String),
    /// A part of the request; nothing when it is absent.
    Read(Read),
    /// Texts joined.
    Join(Vec<Value>),
    /// The first text, or the second when it is absent.
    Else(Box<Value>, Box<Value>),
    /// What a key leads to in a constant map; nothing when it is absent.
    Lookup(Table, Box<Value>),
    /// Nothing, and absent.
    Absent,
    /// The first text when the condition holds, else the second.
    If(PredicateId, Box<Value>, Box<Value>),
    /// A whole number in decimal; nothing when it is absent.
    Int(IntExpr),
}

/// A whole number made from constants and parts of the request; it saturates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntExpr {
    /// This number.
    Value(i64),
    /// The port.
    Port,
    /// A capture of type `int`, which the route's pattern proved to be one.
    Capture(Read),
    /// What a key leads to in a constant map.
    Lookup(Lookup),
    /// No number.
    Absent,
    /// Two numbers combined.
    Arithmetic {
        /// How.
        op: Arithmetic,
        /// The left number.
        left: Box<IntExpr>,
        /// The right number.
        right: Box<IntExpr>,
    },
}

/// A part of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Read {
    /// The method as written.
    Method,
    /// `http` or `https`.
    Scheme,
    /// The host.
    Host,
    /// The port.
    Port,
    /// The normalised path.
    Path,
    /// The query without its question mark.
    QueryString,
    /// Path and `?query`.
    Target,
    /// The client's address.
    ClientIp,
    /// A header, cookie or query value.
    Slot(SlotId),
    /// A segment without this many bytes at its start and end.
    Segment {
        /// Which segment, from 0.
        index: u8,
        /// Bytes before the capture.
        skip: u16,
        /// Bytes after the capture.
        trim: u16,
    },
    /// All from this segment on.
    Rest(u8),
    /// The first label of the host.
    HostLabel,
}

impl Value {
    /// Whether it may be absent, as far as known now.
    pub(crate) fn can_be_absent(&self) -> bool {
        match self {
            Value::Read(Read::Slot(_) | Read::QueryString) | Value::Lookup(..) | Value::Absent => true,
            Value::Literal(_) | Value::Read(_) | Value::Join(_) => false,
            Value::Int(number) => number.can_be_absent(),
            Value::Else(_, default) => default.can_be_absent(),
            Value::If(_, then, otherwise) => then.can_be_absent() || otherwise.can_be_absent(),
        }
    }

    /// Appends the text for a request, nothing when it is absent; `test` answers conditions.
    pub fn write(&self, view: &View<'_>, test: &dyn Fn(PredicateId) -> bool, out: &mut Vec<u8>) {
        self.write_present(view, test, out);
    }

    /// Appends the text for a request; false, and nothing appended, when it is absent.
    fn write_present(&self, view: &View<'_>, test: &dyn Fn(PredicateId) -> bool, out: &mut Vec<u8>) -> bool {
        match self {
            Value::Literal(text) => out.extend_from_slice(text.as_bytes()),
            Value::Read(read) => return read.write(view, out),
            Value::Join(parts) => {
                for part in parts {
                    part.write(view, test, out);
                }
            }
            Value::Else(value, default) => {
                return value.write_present(view, test, out) || default.write_present(view, test, out);
            }
            Value::If(condition, then, otherwise) => {
                let chosen = if test(*condition) { then } else { otherwise };
                return chosen.write_present(view, test, out);
            }
            Value::Lookup(table, key) => {
                let mut text = Vec::new();
                return key.write_present(view, test, &mut text) && table.write(&text, out);
            }
            Value::Absent => return false,
            Value::Int(number) => {
                use std::io::Write as _;
                let Some(number) = number.eval(view) else { return false };
                // Writing to a Vec cannot fail.
                drop(write!(out, "{number}"));
            }
        }
        true
    }
}

impl IntExpr {
    fn can_be_absent(&self) -> bool {
        match self {
            IntExpr::Value(_) | IntExpr::Port | IntExpr::Capture(_) => false,
            IntExpr::Lookup(_) | IntExpr::Absent => true,
            IntExpr::Arithmetic { left, right, .. } => left.can_be_absent() || right.can_be_absent(),
        }
    }

    /// The number for a request; `None` when it, or one that it is made of, is absent.
    pub fn eval(&self, view: &View<'_>) -> Option<i64> {
        Some(match self {
            IntExpr::Value(number) => *number,
            IntExpr::Port => i64::from(view.port),
            IntExpr::Capture(read) => digits(read.bytes(view).unwrap_or_default()),
            IntExpr::Lookup(lookup) => return lookup.int(view),
            IntExpr::Absent => return None,
            IntExpr::Arithmetic { op, left, right } => {
                let (left, right) = (left.eval(view)?, right.eval(view)?);
                match op {
                    Arithmetic::Add => left.saturating_add(right),
                    Arithmetic::Subtract => left.saturating_sub(right),
                    Arithmetic::Multiply => left.saturating_mul(right),
                }
            }
        })
    }
}

/// The number of at most 18 digits; total, so anything else gives some number too.
pub(crate) fn digits(text: &[u8]) -> i64 {
    let digit = |byte: &u8| i64::from(byte.wrapping_sub(b'0'));
    text.iter().fold(0i64, |number, byte| number.saturating_mul(10).saturating_add(digit(byte)))
}

impl Read {
    /// Appends the part's text; false, and nothing appended, when it is absent.
    pub fn write(self, view: &View<'_>, out: &mut Vec<u8>) -> bool {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        match self {
            Read::Port => drop(write!(out, "{}", view.port)),
            Read::ClientIp => drop(write!(out, "{}", client_ip(view))),
            Read::Target => {
                out.extend_from_slice(view.path().or_empty());
                if let Some(query) = view.query.bytes() {
                    out.push(b'?');
                    out.extend_from_slice(query);
                }
            }
            text => match text.bytes(view) {
                Some(bytes) => out.extend_from_slice(bytes),
                None => return false,
            },
        }
        true
    }

    /// The part where it is a piece of the request's own text; `None` when absent or computed.
    pub fn bytes<'a>(self, view: &View<'a>) -> Option<&'a [u8]> {
        match self {
            Read::Method => view.method_text.bytes(),
            Read::Scheme => Some(if view.scheme == crate::abi::SCHEME_HTTPS { b"https" } else { b"http" }),
            Read::Host => view.host.bytes(),
            Read::Path => view.path().bytes(),
            Read::QueryString => view.query.bytes(),
            Read::Slot(slot) => view.slot(slot).bytes(),
            Read::Segment { index, skip, trim } => {
                let segment = view.segment(usize::from(index))?;
                segment.get(usize::from(skip)..segment.len().checked_sub(usize::from(trim))?)
            }
            // With `trailing_slash: same` a path may end before the slash of its rest.
            Read::Rest(index) => Some(view.rest(usize::from(index)).unwrap_or_default()),
            Read::HostLabel => view.host.bytes()?.split(|b| *b == b'.').next(),
            Read::Port | Read::Target | Read::ClientIp => None,
        }
    }
}

/// The client's address as a person reads it: mapped IPv4 as IPv4.
pub fn client_ip(view: &View<'_>) -> std::net::IpAddr {
    std::net::Ipv6Addr::from(view.client_ip).to_canonical()
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Header(name) => write!(f, "header[{name:?}]"),
            Slot::Query(name) => write!(f, "query[{name:?}]"),
            Slot::Cookie(name) => write!(f, "cookie[{name:?}]"),
        }
    }
}
