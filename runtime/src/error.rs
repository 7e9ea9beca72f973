//! What can go wrong with an exchange: whose fault it is, what happened, and whether sending again is safe.
//!
//! [`Error::status`] is the one place that turns a failure into a status code.

use crate::wire::ParseError;
use crate::wire::h1::encode::EncodeError;
use std::fmt;
use std::io;

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The client broke a rule or went away.
    Client,
    /// The upstream did.
    Upstream,
    /// We could not.
    Twp,
}

/// Why an exchange failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    /// What happened.
    pub(crate) kind: ErrorKind,
    /// Whether no server can have acted on the request.
    pub(crate) unsent: bool,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The request breaks a rule.
    BadRequest(ParseError),
    /// The method is never served: CONNECT and TRACE.
    MethodRefused,
    /// No site has this host.
    Misdirected,
    /// The request body is larger than the route allows.
    BodyTooLarge,
    /// The client was too slow with its head, its body or taking the response.
    ClientTimeout,
    /// The client closed or reset its connection.
    ClientGone,
    /// A server refused the connection, or no connection could be made.
    ConnectFailed,
    /// The name of a server could not be resolved.
    NameUnknown,
    /// A server did not complete the connection in time.
    ConnectTimeout,
    /// Several servers were tried and none could be reached.
    NoServer,
    /// The response head did not come in time.
    ResponseTimeout,
    /// The response body stood still.
    UpstreamIdle,
    /// The upstream closed or reset its connection in the middle of the exchange.
    UpstreamGone,
    /// The response breaks a rule.
    BadResponse(ParseError),
    /// Bytes came after the response, or more interim responses than allowed.
    SurplusResponse,
    /// A text that the configuration makes from the request cannot stand where it should be sent.
    BadConfiguredText(EncodeError),
    /// We ran out of descriptors or memory.
    Exhausted,
    /// A mistake of ours: the exchange panicked.
    Panicked,
}

impl Error {
    /// A failure after which sending again could repeat an effect.
    pub(crate) fn new(kind: ErrorKind) -> Error {
        Error { kind, unsent: false }
    }

    /// A failure before anything was sent.
    pub(crate) fn unsent(kind: ErrorKind) -> Error {
        Error { kind, unsent: true }
    }

    /// Why a connection to a server could not be made.
    pub(crate) fn from_connect(error: &io::Error) -> Error {
        use nix::errno::Errno;
        let errno = error.raw_os_error().map(Errno::from_raw);
        let exhausted = matches!(
            errno,
            Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM | Errno::EADDRNOTAVAIL)
        );
        Error::unsent(if exhausted { ErrorKind::Exhausted } else { ErrorKind::ConnectFailed })
    }

    /// The status of the answer, if one can still be sent.
    pub(crate) fn status(self) -> u16 {
        match self.kind {
            ErrorKind::BadRequest(error) => error.status(),
            ErrorKind::MethodRefused => 405,
            ErrorKind::Misdirected => 421,
            ErrorKind::BodyTooLarge => 413,
            ErrorKind::ClientTimeout | ErrorKind::ClientGone => 408,
            ErrorKind::ConnectFailed
            | ErrorKind::NameUnknown
            | ErrorKind::UpstreamGone
            | ErrorKind::BadResponse(_)
            | ErrorKind::SurplusResponse => 502,
            ErrorKind::ConnectTimeout | ErrorKind::ResponseTimeout | ErrorKind::UpstreamIdle => 504,
            ErrorKind::NoServer | ErrorKind::Exhausted => 503,
            ErrorKind::BadConfiguredText(_) | ErrorKind::Panicked => 500,
        }
    }

    /// Whose fault it is.
    pub(crate) fn fault(self) -> Fault {
        match self.kind {
            ErrorKind::BadRequest(_)
            | ErrorKind::MethodRefused
            | ErrorKind::Misdirected
            | ErrorKind::BodyTooLarge
            | ErrorKind::ClientTimeout
            | ErrorKind::ClientGone => Fault::Client,
            ErrorKind::ConnectFailed
            | ErrorKind::NameUnknown
            | ErrorKind::ConnectTimeout
            | ErrorKind::NoServer
            | ErrorKind::ResponseTimeout
            | ErrorKind::UpstreamIdle
            | ErrorKind::UpstreamGone
            | ErrorKind::BadResponse(_)
            | ErrorKind::SurplusResponse => Fault::Upstream,
            ErrorKind::Exhausted | ErrorKind::BadConfiguredText(_) | ErrorKind::Panicked => Fault::Twp,
        }
    }

    /// The stable name of the failure, for records.
    pub(crate) fn code(self) -> &'static str {
        match self.kind {
            ErrorKind::BadRequest(error) => error.code(),
            ErrorKind::MethodRefused => "method_refused",
            ErrorKind::Misdirected => "misdirected",
            ErrorKind::BodyTooLarge => "body_too_large",
            ErrorKind::ClientTimeout => "client_timeout",
            ErrorKind::ClientGone => "client_gone",
            ErrorKind::ConnectFailed => "connect_failed",
            ErrorKind::NameUnknown => "name_unknown",
            ErrorKind::ConnectTimeout => "connect_timeout",
            ErrorKind::NoServer => "no_healthy_server",
            ErrorKind::ResponseTimeout => "response_timeout",
            ErrorKind::UpstreamIdle => "upstream_idle",
            ErrorKind::UpstreamGone => "upstream_reset",
            ErrorKind::BadResponse(_) | ErrorKind::SurplusResponse => "bad_response",
            ErrorKind::BadConfiguredText(_) => "bad_configured_text",
            ErrorKind::Exhausted => "exhausted",
            ErrorKind::Panicked => "panicked",
        }
    }

    /// What the client is told, beside the status.
    pub(crate) fn text(self) -> &'static str {
        match self.kind {
            ErrorKind::BadRequest(error) => error.text(),
            ErrorKind::MethodRefused => "this method is not served here",
            ErrorKind::Misdirected => "no site here has this host",
            ErrorKind::BodyTooLarge => "the request body is larger than this route allows",
            ErrorKind::ClientTimeout => "the request did not arrive in time",
            ErrorKind::ClientGone => "the request ended early",
            ErrorKind::ConnectFailed => "the upstream refused the connection",
            ErrorKind::NameUnknown => "the name of the upstream's server cannot be resolved",
            ErrorKind::ConnectTimeout => "the upstream did not accept the connection in time",
            ErrorKind::NoServer => "no server of the upstream can be reached",
            ErrorKind::ResponseTimeout => "the upstream did not answer in time",
            ErrorKind::UpstreamIdle => "the upstream stopped in the middle of its answer",
            ErrorKind::UpstreamGone => "the upstream closed the connection before it answered",
            ErrorKind::BadResponse(_) => "the upstream sent a malformed answer",
            ErrorKind::SurplusResponse => "the upstream sent more than its answer",
            ErrorKind::BadConfiguredText(_) => "a configured value cannot be sent",
            ErrorKind::Exhausted => "twp is out of resources",
            ErrorKind::Panicked => "twp failed at this request",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Error {}
