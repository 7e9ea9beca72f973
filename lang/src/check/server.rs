//! `server` and listeners.

use super::limits::{
    HEAD_BYTES_MAX, HEAD_BYTES_MIN, HEADER_COUNT_MAX, TARGET_BYTES_MAX, TARGET_BYTES_MIN, WORKERS_MAX,
};
use super::settings::{self, Table};
use super::{Check, endpoint};
use crate::ast::{Setting, Tree};
use crate::hir::{AccessLog, Limits, Listener, Server, Ty, Value};
use crate::literal::Endpoint;
use crate::span::Spanned;
use crate::{Diagnostic, Span};
use std::collections::BTreeMap;

const SERVER: Table = Table {
    owner: "`server`",
    known: &["workers", "trusted_proxies", "access_log", "limits", "drain"],
    later: &["admin", "normalize", "http", "tls"],
};
const ACCESS_LOG: Table =
    Table { owner: "`access_log`", known: &["off", "path"], later: &["format", "sample", "fields"] };
const LIMITS: Table = Table { owner: "`limits`", known: &["head", "headers", "path"], later: &[] };
const LISTENER: Table = Table {
    owner: "`listener`",
    known: &["bind", "plain"],
    later: &["transport", "protocols", "proxy_protocol", "client_auth", "tls"],
};

/// Checks `server`; two are one too many.
pub(super) fn server(ctx: &mut Check<'_>, tree: &Tree) -> Server {
    let mut blocks = Check::server_blocks(tree);
    let Some((settings, first)) = blocks.next() else { return Server::default() };
    for (_, second) in blocks {
        ctx.report(
            Diagnostic::error("E0205", "there are two `server` blocks", keyword(second))
                .label("second")
                .with(keyword(first), "first")
                .help("put all settings into one"),
        );
    }
    let mut server = Server::default();
    for setting in settings::read(ctx, settings, &SERVER) {
        match setting.name.value.as_str() {
            "workers" => {
                let workers = settings::int(ctx, setting, 1..=WORKERS_MAX);
                server.workers = workers.and_then(|n| u16::try_from(n).ok());
            }
            "trusted_proxies" => server.trusted_proxies = networks(ctx, setting),
            "access_log" => server.access_log = access_log(ctx, setting),
            "limits" => server.limits = limits(ctx, setting),
            _ => server.drain = settings::time_limit(ctx, setting),
        }
    }
    server
}

/// The word `server` at the start of its block.
fn keyword(block: Span) -> Span {
    let end = block.start.saturating_add(6).min(block.end);
    Span { end, ..block }
}

fn networks(ctx: &mut Check<'_>, setting: &Setting) -> Vec<crate::literal::Cidr> {
    let values = settings::list(ctx, setting, &Ty::Set(Box::new(Ty::Cidr))).unwrap_or_default();
    let cidr = |value: Spanned<Value>| if let Value::Cidr(cidr) = value.value { Some(cidr) } else { None };
    values.into_iter().filter_map(cidr).collect()
}

fn access_log(ctx: &mut Check<'_>, setting: &Setting) -> AccessLog {
    let mut log = AccessLog::default();
    let Some(inner) = settings::block(ctx, setting) else { return log };
    for setting in settings::read(ctx, inner, &ACCESS_LOG) {
        if setting.name.value == "off" {
            let value = settings::constant(ctx, setting, &Ty::Bool);
            log.off = matches!(value, Some(Spanned { value: Value::Bool(true), .. }));
            continue;
        }
        let Some(Spanned { value: Value::Text(path), span }) = settings::constant(ctx, setting, &Ty::String)
        else {
            continue;
        };
        if path.is_empty() {
            ctx.report(
                Diagnostic::error("E0215", "the path of the access log is empty", span)
                    .help("leave it out to log to standard output, or write `off: true`"),
            );
        }
        log.path = Some(path);
    }
    log
}

fn limits(ctx: &mut Check<'_>, setting: &Setting) -> Limits {
    let mut limits = Limits::default();
    let Some(inner) = settings::block(ctx, setting) else { return limits };
    for setting in settings::read(ctx, inner, &LIMITS) {
        match setting.name.value.as_str() {
            "head" => limits.head_bytes = settings::size(ctx, setting, HEAD_BYTES_MIN..=HEAD_BYTES_MAX),
            "path" => limits.target_bytes = settings::size(ctx, setting, TARGET_BYTES_MIN..=TARGET_BYTES_MAX),
            _ => {
                let count = settings::int(ctx, setting, 1..=HEADER_COUNT_MAX);
                limits.header_count = count.and_then(|n| u64::try_from(n).ok());
            }
        }
    }
    limits
}

/// Checks listeners; without any there is `web` on port 80.
pub(super) fn listeners(ctx: &mut Check<'_>) {
    let mut seen: BTreeMap<Endpoint, Span> = BTreeMap::new();
    for decl in ctx.listener_decls.clone() {
        let mut listener = Listener {
            name: decl.name.value.clone(),
            bind: Vec::new(),
            plain: Vec::new(),
            span: Some(decl.name.span),
        };
        let n_errors = ctx.diagnostics.len();
        for setting in settings::read(ctx, &decl.settings, &LISTENER) {
            let endpoints = addresses(ctx, setting, &mut seen);
            if setting.name.value == "bind" {
                listener.bind = endpoints;
            } else {
                listener.plain = endpoints;
            }
        }
        if listener.bind.is_empty() && listener.plain.is_empty() && ctx.diagnostics.len() == n_errors {
            let message = format!("listener `{}` listens on nothing", listener.name);
            ctx.report(Diagnostic::error("E0214", message, decl.name.span).help("add `plain: [:80]`"));
        }
        ctx.listeners.push(listener);
    }
    if ctx.listeners.is_empty() {
        let plain = vec![Spanned::new(Endpoint::Port(80), Span::new(0, 0))];
        ctx.listeners.push(Listener { name: "web".to_owned(), bind: Vec::new(), plain, span: None });
    }
}

fn addresses(
    ctx: &mut Check<'_>,
    setting: &Setting,
    seen: &mut BTreeMap<Endpoint, Span>,
) -> Vec<Spanned<Endpoint>> {
    let values = settings::list(ctx, setting, &Ty::List(Box::new(Ty::Endpoint))).unwrap_or_default();
    let mut addresses = Vec::new();
    for Spanned { value, span } in values {
        let Value::Endpoint(written) = value else { continue };
        let Some(endpoint) = endpoint::listening(ctx, &written, span) else { continue };
        if let Some(&first) = seen.get(&endpoint) {
            ctx.report(
                Diagnostic::error("E0216", format!("`{endpoint}` is listened on twice"), span)
                    .label("second")
                    .with(first, "first"),
            );
            continue;
        }
        seen.insert(endpoint.clone(), span);
        addresses.push(Spanned::new(endpoint, span));
    }
    addresses
}
