//! Upstreams: declared ones, literal ones, and what stands for one.

use super::declare::broken;
use super::names::{self, BUILTIN, Kind, Wanted};
use super::settings::{self, Given, Got};
use super::{Check, endpoint, expr, field, mismatch};
use crate::ast::{self, Named, Setting, UpstreamTarget};
use crate::catalogue::{TO, UPSTREAM};
use crate::hir::{
    Balance, Discover, Expr, ExprKind, Health, ProxyProtocol, Retry, Servers, Timeouts, Ty, Upstream,
    UpstreamId, UpstreamProtocol, UpstreamTls,
};
use crate::literal::Endpoint;
use crate::span::{Ident, Spanned};
use crate::{Diagnostic, Span};

/// Gives declared upstreams their numbers, so that constants and arguments can name them.
pub(super) fn reserve(ctx: &mut Check<'_>) {
    let names: Vec<String> = ctx.upstream_decls.iter().map(|decl| ctx.qualified(&decl.name)).collect();
    ctx.upstreams = names.into_iter().map(|name| unset(name, Vec::new())).collect();
}

fn unset(name: String, servers: Vec<Endpoint>) -> Upstream {
    let servers = Servers::Endpoints(servers);
    Upstream { name, servers, ..Upstream::default() }
}

/// Checks declared upstreams.
pub(super) fn declared(ctx: &mut Check<'_>) {
    for (id, decl) in ctx.upstream_decls.clone().into_iter().enumerate() {
        ctx.upstreams[id] = declaration(ctx, decl);
    }
}

fn declaration(ctx: &mut Check<'_>, decl: &Named) -> Upstream {
    let n_errors = ctx.diagnostics.len();
    let mut given = settings::read(ctx, &decl.settings, &UPSTREAM);
    let is_sound = ctx.diagnostics.len() == n_errors && !decl.settings.iter().any(settings::is_broken);
    one_source(ctx, &given, &decl.name, is_sound);
    let servers = servers(ctx, &mut given, &decl.name, is_sound);
    let weights = weights(ctx, &mut given, &servers);
    Upstream {
        name: ctx.qualified(&decl.name),
        servers,
        timeouts: timeouts(given.block("timeout")),
        keepalive: given.int("keepalive").and_then(|n| u64::try_from(n).ok()),
        protocol: protocol(&mut given),
        balance: balance(&mut given),
        weights,
        tls: given.block("tls").map(tls),
        health: given.block("health").map(health),
        retry: given.block("retry").map(retry),
        connections: given.int("connections"),
        proxy_protocol: match given.word("proxy_protocol") {
            Some("v1") => Some(ProxyProtocol::V1),
            Some("v2") => Some(ProxyProtocol::V2),
            _ => None,
        },
    }
}

/// E0217: an upstream has one source of servers.
fn one_source(ctx: &mut Check<'_>, given: &Given, name: &Ident, is_sound: bool) {
    let sources = ["servers", "builtin", "discover"];
    let found: Vec<(&str, Span)> =
        sources.into_iter().filter_map(|source| Some((source, given.place(source)?))).collect();
    match found.as_slice() {
        [] if is_sound => no_servers(ctx, name),
        [] | [_] => {}
        [(first, place), (second, other), ..] => {
            let message = match *second {
                "builtin" => "an upstream has `servers` or is `builtin`, not both".to_owned(),
                second => format!("an upstream has `{first}` or `{second}`, not both"),
            };
            let remark = match *first {
                "servers" => "servers are set here".to_owned(),
                first => format!("`{first}` is set here"),
            };
            ctx.report(Diagnostic::error("E0217", message, *other).with(*place, remark));
        }
    }
}

fn no_servers(ctx: &mut Check<'_>, name: &Ident) {
    let message = format!("upstream `{}` has no servers", name.value);
    ctx.report(
        Diagnostic::error("E0214", message, name.span)
            .help("add `servers: [127.0.0.1:3000]`, or `builtin: echo` to try things out"),
    );
}

fn servers(ctx: &mut Check<'_>, given: &mut Given, name: &Ident, is_sound: bool) -> Servers {
    if let Some(mut discover) = given.chosen("discover") {
        let (name, every) = (discover.text("name"), discover.take("every"));
        if let (Some(name), Some(Got::Duration(every))) = (name, every) {
            return Servers::Discover(Discover { name, every });
        }
    }
    if given.word("builtin").is_some() {
        return Servers::Echo;
    }
    let mut servers = Vec::new();
    if let Some(Got::Endpoints(written)) = given.take("servers") {
        if written.is_empty() && is_sound && !ctx.incomplete {
            no_servers(ctx, name);
        }
        for Spanned { value, span } in written {
            servers.extend(endpoint::server(ctx, &value, span));
        }
    }
    Servers::Endpoints(servers)
}

/// One weight for each server.
fn weights(ctx: &mut Check<'_>, given: &mut Given, servers: &Servers) -> Vec<i64> {
    let Some(place) = given.place("weights") else { return Vec::new() };
    let Some(Got::Ints(weights)) = given.take("weights") else { return Vec::new() };
    let n_servers = match servers {
        Servers::Endpoints(servers) => servers.len(),
        Servers::Echo | Servers::Discover(_) => 0,
    };
    if weights.len() != n_servers {
        let message = format!("`weights` has {} numbers for {n_servers} servers", weights.len());
        ctx.report(
            Diagnostic::error("E0215", message, place)
                .help("write one number for each of `servers`, in their order"),
        );
    }
    weights
}

fn protocol(given: &mut Given) -> UpstreamProtocol {
    match given.word("protocol") {
        Some("h2") => UpstreamProtocol::H2,
        Some("h2c") => UpstreamProtocol::H2c,
        Some("h3") => UpstreamProtocol::H3,
        Some("auto") => UpstreamProtocol::Auto,
        Some(_) | None => UpstreamProtocol::H1,
    }
}

fn balance(given: &mut Given) -> Balance {
    let Some(mut chosen) = given.chosen("balance") else { return Balance::RoundRobin };
    match (chosen.word, chosen.take("key")) {
        ("hash", Some(Got::Key(key))) => Balance::Hash(key),
        ("least_conn", _) => Balance::LeastConn,
        ("first_healthy", _) => Balance::FirstHealthy,
        (_, _) => Balance::RoundRobin,
    }
}

fn tls(mut given: Given) -> UpstreamTls {
    UpstreamTls {
        ca: given.text("ca"),
        unverified: given.bool("verify") == Some(false),
        name: given.text("name"),
        cert: given.text("cert"),
        key: given.text("key"),
    }
}

fn health(mut given: Given) -> Health {
    let expect = match given.take("expect") {
        Some(Got::Statuses(first, last)) => Some((first, last)),
        _ => None,
    };
    Health {
        path: given.text("path"),
        every: given.duration("every"),
        timeout: given.duration("timeout"),
        expect,
        host: given.text("host"),
        rise: given.int("rise"),
        fall: given.int("fall"),
    }
}

fn retry(mut given: Given) -> Retry {
    let on = match given.take("on") {
        Some(Got::Failures(on)) => Some(on),
        _ => None,
    };
    let budget = match given.take("budget") {
        Some(Got::Percent(share)) => Some(share),
        _ => None,
    };
    Retry {
        attempts: given.int("attempts"),
        on,
        budget,
        unsafe_methods: given.bool("unsafe_methods"),
        buffer: given.size("buffer"),
    }
}

/// `timeout { connect: 1s  response: 30s  idle: 60s }`
fn timeouts(given: Option<Given>) -> Timeouts {
    let mut given = given.unwrap_or_default();
    Timeouts {
        connect: given.duration("connect"),
        response: given.duration("response"),
        idle: given.duration("idle"),
    }
}

/// The settings behind `to app`.
pub(super) fn overrides(ctx: &mut Check<'_>, written: &[Setting]) -> (Timeouts, Option<Retry>) {
    let place = ctx.scope.place;
    let mut given = settings::read(ctx, written, &TO);
    ctx.scope.place = place;
    (timeouts(given.block("timeout")), given.block("retry").map(retry))
}

/// The upstream that `to` names, or a report.
pub(super) fn target(ctx: &mut Check<'_>, target: &UpstreamTarget) -> Option<Expr> {
    match target {
        UpstreamTarget::Name(path) => named(ctx, &path.parts, path.span),
        UpstreamTarget::Endpoint(written) => literal(ctx, &written.value, written.span),
    }
}

/// A name or literal where an Upstream is wanted.
pub(super) fn value(ctx: &mut Check<'_>, written: &ast::Expr) -> Expr {
    let found = match &written.kind {
        ast::ExprKind::Name(_) | ast::ExprKind::Access { .. } => match names::words(written) {
            Some(path) if is_path(ctx, &path) => named(ctx, &path, written.span),
            Some(_) | None => {
                let found = expr::infer(ctx, written);
                return mismatch::coerce(ctx, found, &Ty::Upstream, written);
            }
        },
        ast::ExprKind::Literal(ast::Literal::Endpoint(endpoint)) => literal(ctx, endpoint, written.span),
        _ => None,
    };
    found.unwrap_or_else(|| broken(written.span))
}

/// Whether words with dots between them can lead to a thing of a module, rather than to a field of a value.
fn is_path(ctx: &Check<'_>, words: &[Ident]) -> bool {
    match words {
        [first, _, ..] => !BUILTIN.contains(&first.value.as_str()) && ctx.scope.place(&first.value).is_none(),
        _ => true,
    }
}

/// A literal upstream; equal ones are shared.
fn literal(ctx: &mut Check<'_>, written: &Endpoint, span: Span) -> Option<Expr> {
    let endpoint = endpoint::normal(ctx, written, span)?;
    let endpoint = endpoint::server(ctx, &endpoint, span)?;
    let name = endpoint.to_string();
    // Declared names, with or without their module, hold no colon, so only a literal upstream can have this one.
    let id = ctx.upstreams.iter().position(|upstream| upstream.name == name).unwrap_or_else(|| {
        ctx.upstreams.push(unset(name, vec![endpoint]));
        ctx.upstreams.len() - 1
    });
    Some(upstream(id, span))
}

fn upstream(id: UpstreamId, span: Span) -> Expr {
    Expr { kind: ExprKind::Upstream(id), ty: Ty::Upstream, span }
}

/// An upstream, or a parameter or constant that stands for one.
fn named(ctx: &mut Check<'_>, path: &[Ident], span: Span) -> Option<Expr> {
    let name = path.last()?.value.as_str();
    if let (Some(place), [_]) = (ctx.scope.place(name), path) {
        let local = field::name(ctx, name, span);
        return match local.ty {
            Ty::Upstream => Some(local),
            Ty::Error => None,
            _ => not_an_upstream(ctx, name, (&format!("this is {}", local.ty), place), span),
        };
    }
    let is_it = |kind| matches!(kind, Kind::Upstream(_));
    let found = names::find(ctx, path, Wanted { what: "upstream", code: "E0201", is_it })?;
    if let Kind::Upstream(id) = found.kind {
        return Some(upstream(id, span));
    }
    if let Kind::Const(id) = found.kind {
        let ty = ctx.consts[id].value.as_ref().map_or(Ty::Error, |value| value.ty.clone());
        if ty == Ty::Upstream {
            return Some(Expr { kind: ExprKind::Const(id), ty, span });
        }
        if ty == Ty::Error {
            return None;
        }
    }
    let what = format!("this is {}", found.kind.with_article());
    not_an_upstream(ctx, name, (&what, found.declared), span)
}

fn not_an_upstream(ctx: &mut Check<'_>, name: &str, (what, place): (&str, Span), span: Span) -> Option<Expr> {
    ctx.report(
        Diagnostic::error("E0204", format!("`{name}` is not an upstream"), span)
            .label(what)
            .with(place, "declared here"),
    );
    None
}
