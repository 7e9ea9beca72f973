//! `server` and listeners.

use super::settings::{self, Got};
use super::{Check, endpoint};
use crate::catalogue::{LISTENER, SERVER};
use crate::hir::{AccessLog, ClientAuth, Limits, Listener, Protocol, Server, Transport};
use crate::literal::Endpoint;
use crate::span::Spanned;
use crate::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Checks `server`; two are one too many.
pub(super) fn server(ctx: &mut Check<'_>) -> Server {
    let mut blocks = Check::server_blocks(ctx.entry());
    let Some((settings, first)) = blocks.next() else { return Server::default() };
    for (_, second) in blocks {
        ctx.report(
            Diagnostic::error("E0205", "there are two `server` blocks", keyword(second))
                .label("second")
                .with(keyword(first), "first")
                .help("put all settings into one"),
        );
    }
    let mut given = settings::read(ctx, settings, &SERVER);
    Server {
        workers: given.int("workers").and_then(|n| u16::try_from(n).ok()),
        trusted_proxies: given.networks("trusted_proxies"),
        access_log: access_log(&mut given),
        limits: limits(&mut given),
        drain: given.duration("drain"),
    }
}

/// The word `server` at the start of its block.
fn keyword(block: Span) -> Span {
    let end = block.start.saturating_add(6).min(block.end);
    Span { end, ..block }
}

fn access_log(server: &mut settings::Given) -> AccessLog {
    let mut given = server.block("access_log").unwrap_or_default();
    AccessLog { off: given.bool("off").unwrap_or(false), path: given.text("path") }
}

fn limits(server: &mut settings::Given) -> Limits {
    let mut given = server.block("limits").unwrap_or_default();
    Limits {
        head_bytes: given.size("head"),
        header_count: given.int("headers").and_then(|n| u64::try_from(n).ok()),
        target_bytes: given.size("path"),
    }
}

/// Checks listeners; without any there is `web` on port 80.
pub(super) fn listeners(ctx: &mut Check<'_>) {
    let mut seen: BTreeMap<Endpoint, Span> = BTreeMap::new();
    for decl in ctx.listener_decls.clone() {
        let n_errors = ctx.diagnostics.len();
        let mut given = settings::read(ctx, &decl.settings, &LISTENER);
        // In the order of the text, so that of two equal addresses the later one is reported.
        let mut addresses = [Vec::new(), Vec::new()];
        let mut order = [("bind", 0), ("plain", 1)];
        order.sort_by_key(|(name, _)| given.place(name).map(|place| place.start));
        for (name, at) in order {
            addresses[at] = self::addresses(ctx, given.take(name), &mut seen);
        }
        let [bind, plain] = addresses;
        let listener = Listener {
            name: decl.name.value.clone(),
            bind,
            plain,
            transport: match given.word("transport") {
                Some("udp") => Transport::Udp,
                _ => Transport::Tcp,
            },
            protocols: protocols(&mut given),
            proxy_protocol: given.networks("proxy_protocol"),
            client_auth: client_auth(ctx, &mut given),
            span: Some(decl.name.span),
        };
        let is_sound = ctx.diagnostics.len() == n_errors && !decl.settings.iter().any(settings::is_broken);
        if listener.bind.is_empty() && listener.plain.is_empty() && is_sound {
            let message = format!("listener `{}` listens on nothing", listener.name);
            ctx.report(Diagnostic::error("E0214", message, decl.name.span).help("add `plain: [:80]`"));
        }
        ctx.listeners.push(listener);
    }
    if ctx.listeners.is_empty() {
        let plain = vec![Spanned::new(Endpoint::Port(80), Span::new(0, 0))];
        ctx.listeners.push(Listener { name: "web".to_owned(), plain, ..Listener::default() });
    }
}

fn protocols(listener: &mut settings::Given) -> Vec<Protocol> {
    let Some(Got::Words(words)) = listener.take("protocols") else { return Vec::new() };
    let protocol = |word: &str| match word {
        "h1" => Protocol::H1,
        "h2" => Protocol::H2,
        _ => Protocol::H3,
    };
    words.iter().map(|chosen| protocol(chosen.word)).collect()
}

fn client_auth(ctx: &mut Check<'_>, listener: &mut settings::Given) -> Option<ClientAuth> {
    let place = listener.place("client_auth")?;
    let mut given = listener.block("client_auth")?;
    let is_there = given.place("ca").is_some();
    let required = given.word("mode") != Some("request");
    if !is_there {
        ctx.report(
            Diagnostic::error("E0214", "`client_auth` names no authority", place)
                .help("add `ca: \"./clients.pem\"`"),
        );
    }
    Some(ClientAuth { ca: given.text("ca")?, required })
}

fn addresses(
    ctx: &mut Check<'_>,
    got: Option<Got>,
    seen: &mut BTreeMap<Endpoint, Span>,
) -> Vec<Spanned<Endpoint>> {
    let Some(Got::Endpoints(written)) = got else { return Vec::new() };
    let mut addresses = Vec::new();
    for Spanned { value, span } in written {
        let Some(endpoint) = endpoint::listening(ctx, &value, span) else { continue };
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
