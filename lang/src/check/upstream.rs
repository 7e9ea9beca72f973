//! Upstreams: declared ones, literal ones, and what stands for one.

use super::declare::broken;
use super::names::{Kind, unknown_thing};
use super::settings::{self, Given, Got};
use super::{Check, endpoint, field};
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
    let names: Vec<String> = ctx.upstream_decls.iter().map(|decl| decl.name.value.clone()).collect();
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
        name: decl.name.value.clone(),
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
        // Names of other modules are of a later version and never come here.
        UpstreamTarget::Name(path) => {
            let name = path.as_name()?;
            named(ctx, &name.value, name.span)
        }
        UpstreamTarget::Endpoint(written) => literal(ctx, &written.value, written.span),
    }
}

/// A name or literal where an Upstream is wanted.
pub(super) fn value(ctx: &mut Check<'_>, written: &ast::Expr) -> Expr {
    let found = match &written.kind {
        ast::ExprKind::Name(name) => named(ctx, name, written.span),
        ast::ExprKind::Literal(ast::Literal::Endpoint(endpoint)) => literal(ctx, endpoint, written.span),
        _ => None,
    };
    found.unwrap_or_else(|| broken(written.span))
}

/// A literal upstream; equal ones are shared.
fn literal(ctx: &mut Check<'_>, written: &Endpoint, span: Span) -> Option<Expr> {
    let endpoint = endpoint::normal(ctx, written, span)?;
    let endpoint = endpoint::server(ctx, &endpoint, span)?;
    let name = endpoint.to_string();
    // Declared names hold no colon, so only a literal upstream can have this one.
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
fn named(ctx: &mut Check<'_>, name: &str, span: Span) -> Option<Expr> {
    if let Some(place) = ctx.scope.place(name) {
        let local = field::name(ctx, name, span);
        return match local.ty {
            Ty::Upstream => Some(local),
            Ty::Error => None,
            _ => not_an_upstream(ctx, name, (&format!("this is {}", local.ty), place), span),
        };
    }
    let Some(found) = ctx.names.look_up(name) else {
        if !ctx.scope.unsure.iter().any(|unsure| unsure == name) {
            let name = Spanned::new(name.to_owned(), span);
            unknown_thing(ctx, &name, "upstream", |kind| matches!(kind, Kind::Upstream(_)));
        }
        return None;
    };
    let what = format!("this is {}", found.kind.with_article());
    match found.kind {
        Kind::Upstream(id) => Some(upstream(id, span)),
        Kind::Later => None,
        Kind::Const(id) => match &ctx.consts[id].value {
            Some(value) if value.ty == Ty::Upstream => {
                Some(Expr { kind: ExprKind::Const(id), ty: Ty::Upstream, span })
            }
            Some(value) if value.ty != Ty::Error => not_an_upstream(ctx, name, (&what, found.span), span),
            Some(_) | None => None,
        },
        Kind::Rule(_)
        | Kind::Fn(_)
        | Kind::Enum(_)
        | Kind::Env(_)
        | Kind::Listener(_)
        | Kind::Policy(_)
        | Kind::Routes(_) => not_an_upstream(ctx, name, (&what, found.span), span),
    }
}

fn not_an_upstream(ctx: &mut Check<'_>, name: &str, (what, place): (&str, Span), span: Span) -> Option<Expr> {
    ctx.report(
        Diagnostic::error("E0204", format!("`{name}` is not an upstream"), span)
            .label(what)
            .with(place, "declared here"),
    );
    None
}
