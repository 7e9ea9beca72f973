//! Endpoints: addresses and names with ports, and Unix sockets.

use super::Check;
use crate::literal::Endpoint;
use crate::target::normalize_host;
use crate::{Diagnostic, Span};

/// Bytes of the path of a Unix socket: the kernel's `sun_path` without its final zero.
const UNIX_PATH_BYTES_MAX: usize = 107;

/// The endpoint with its name in lower case, or a report.
pub(super) fn normal(ctx: &mut Check<'_>, endpoint: &Endpoint, span: Span) -> Option<Endpoint> {
    let port = match endpoint {
        Endpoint::Address(addr) => addr.port(),
        Endpoint::Port(port) | Endpoint::Name(_, port) => *port,
        Endpoint::Unix(path) => {
            if path.len() > UNIX_PATH_BYTES_MAX {
                let message = format!("the path of a Unix socket has at most {UNIX_PATH_BYTES_MAX} bytes");
                ctx.report(Diagnostic::error("E0216", message, span));
                return None;
            }
            return Some(endpoint.clone());
        }
    };
    if port == 0 {
        ctx.report(
            Diagnostic::error("E0215", "`0` is not a port", span).label("a port is a number from 1 to 65535"),
        );
        return None;
    }
    let Endpoint::Name(name, _) = endpoint else { return Some(endpoint.clone()) };
    let mut scratch = Vec::new();
    if let Ok(normal) = normalize_host(name.as_bytes(), &mut scratch) {
        return Some(Endpoint::Name(String::from_utf8_lossy(normal).into_owned(), port));
    }
    ctx.report(
        Diagnostic::error("E0316", format!("`{name}` is not a host"), span)
            .label("a host is an address, or labels of letters, digits and `-` with dots between them"),
    );
    None
}

/// The endpoint as one to connect to, or a report.
pub(super) fn server(ctx: &mut Check<'_>, endpoint: &Endpoint, span: Span) -> Option<Endpoint> {
    match endpoint {
        Endpoint::Port(port) => {
            let text = format!("127.0.0.1:{port}");
            ctx.report(
                Diagnostic::error("E0216", format!("`:{port}` names no host"), span)
                    .label("a server is one host")
                    .fix(format!("write `{text}` for this machine"), span, text),
            );
            None
        }
        Endpoint::Address(_) | Endpoint::Name(..) | Endpoint::Unix(_) => Some(endpoint.clone()),
    }
}

/// The endpoint as one to listen on, or a report.
pub(super) fn listening(ctx: &mut Check<'_>, endpoint: &Endpoint, span: Span) -> Option<Endpoint> {
    match endpoint {
        Endpoint::Name(name, port) => {
            ctx.report(
                Diagnostic::error("E0216", format!("a listener takes addresses, `{name}` is a name"), span)
                    .help(format!(
                        "write `:{port}` for every address of this machine, or one of its addresses"
                    )),
            );
            None
        }
        Endpoint::Address(_) | Endpoint::Port(_) | Endpoint::Unix(_) => Some(endpoint.clone()),
    }
}
