//! Upstreams: declared ones, literal ones, and what stands for one.

use super::declare::broken;
use super::limits::KEEPALIVE_MAX;
use super::names::{Kind, unknown_thing};
use super::settings::{self, Table};
use super::{Check, endpoint, field};
use crate::ast::{self, Named, Setting, SettingValue, UpstreamTarget};
use crate::hir::{Expr, ExprKind, Servers, Timeouts, Ty, Upstream, UpstreamId, Value};
use crate::literal::Endpoint;
use crate::span::{Ident, Spanned};
use crate::{Diagnostic, Span};

const UPSTREAM: Table = Table {
    owner: "`upstream`",
    known: &["servers", "builtin", "balance", "timeout", "keepalive"],
    later: &["discover", "protocol", "weights", "tls", "health", "retry", "proxy_protocol"],
};
const TIMEOUT: Table =
    Table { owner: "`timeout`", known: &["connect", "response", "idle"], later: &["total", "request"] };
const TO: Table = Table { owner: "`to`", known: &["timeout"], later: &["retry"] };

/// Gives declared upstreams their numbers, so that constants and arguments can name them.
pub(super) fn reserve(ctx: &mut Check<'_>) {
    let names: Vec<String> = ctx.upstream_decls.iter().map(|decl| decl.name.value.clone()).collect();
    ctx.upstreams = names.into_iter().map(|name| unset(name, Vec::new())).collect();
}

fn unset(name: String, servers: Vec<Endpoint>) -> Upstream {
    let servers = Servers::Endpoints(servers);
    Upstream { name, servers, timeouts: Timeouts::default(), keepalive: None }
}

/// Checks declared upstreams.
pub(super) fn declared(ctx: &mut Check<'_>) {
    for (id, decl) in ctx.upstream_decls.clone().into_iter().enumerate() {
        ctx.upstreams[id] = declaration(ctx, decl);
    }
}

fn declaration(ctx: &mut Check<'_>, decl: &Named) -> Upstream {
    let mut upstream = unset(decl.name.value.clone(), Vec::new());
    let n_errors = ctx.diagnostics.len();
    let known = settings::read(ctx, &decl.settings, &UPSTREAM);
    let find = |name: &str| known.iter().find(|setting| setting.name.value == name).map(|s| s.name.span);
    if let (Some(servers), Some(builtin)) = (find("servers"), find("builtin")) {
        ctx.report(
            Diagnostic::error("E0217", "an upstream has `servers` or is `builtin`, not both", builtin)
                .with(servers, "servers are set here"),
        );
    }
    let is_sound = ctx.diagnostics.len() == n_errors && !decl.settings.iter().any(settings::is_broken);
    if is_sound && find("servers").is_none() && find("builtin").is_none() {
        no_servers(ctx, &decl.name);
    }
    for setting in known {
        match setting.name.value.as_str() {
            "servers" => {
                let servers = servers(ctx, setting, &decl.name);
                upstream.servers = Servers::Endpoints(servers);
            }
            "builtin" => {
                settings::word(ctx, setting, "a builtin upstream", &["echo"]);
                upstream.servers = Servers::Echo;
            }
            "balance" => balance(ctx, setting),
            "timeout" => upstream.timeouts = timeouts(ctx, setting),
            _ => {
                let keepalive = settings::int(ctx, setting, 0..=KEEPALIVE_MAX);
                upstream.keepalive = keepalive.and_then(|n| u64::try_from(n).ok());
            }
        }
    }
    upstream
}

fn no_servers(ctx: &mut Check<'_>, name: &Ident) {
    let message = format!("upstream `{}` has no servers", name.value);
    ctx.report(
        Diagnostic::error("E0214", message, name.span)
            .help("add `servers: [127.0.0.1:3000]`, or `builtin: echo` to try things out"),
    );
}

fn balance(ctx: &mut Check<'_>, setting: &Setting) {
    let ways = ["round_robin", "least_conn", "first_healthy"];
    if settings::word(ctx, setting, "a way to balance", &ways).is_some_and(|way| way > 0)
        && let SettingValue::Expr(value) = &setting.value
    {
        ctx.unserved(format!("`balance: {}`", super::render::render(value)), value.span);
    }
}

fn servers(ctx: &mut Check<'_>, setting: &Setting, name: &Ident) -> Vec<Endpoint> {
    let n_errors = ctx.diagnostics.len();
    let values = settings::list(ctx, setting, &Ty::List(Box::new(Ty::Endpoint))).unwrap_or_default();
    if values.is_empty() && ctx.diagnostics.len() == n_errors && !ctx.incomplete {
        no_servers(ctx, name);
    }
    let mut servers = Vec::new();
    for Spanned { value, span } in values {
        let Value::Endpoint(written) = value else { continue };
        servers.extend(endpoint::server(ctx, &written, span));
    }
    servers
}

/// `timeout { connect: 1s  response: 30s  idle: 60s }`
fn timeouts(ctx: &mut Check<'_>, setting: &Setting) -> Timeouts {
    let mut timeouts = Timeouts::default();
    let Some(inner) = settings::block(ctx, setting) else { return timeouts };
    for setting in settings::read(ctx, inner, &TIMEOUT) {
        let limit = settings::time_limit(ctx, setting);
        match setting.name.value.as_str() {
            "connect" => timeouts.connect = limit,
            "response" => timeouts.response = limit,
            _ => timeouts.idle = limit,
        }
    }
    timeouts
}

/// The settings behind `to app`.
pub(super) fn overrides(ctx: &mut Check<'_>, written: &[Setting]) -> Timeouts {
    let place = ctx.scope.place;
    let mut found = Timeouts::default();
    for setting in settings::read(ctx, written, &TO) {
        found = timeouts(ctx, setting);
    }
    ctx.scope.place = place;
    found
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
