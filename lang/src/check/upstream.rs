//! Upstreams: declared ones, and literal ones behind `to`.

use super::limits::KEEPALIVE_MAX;
use super::names::{Kind, unknown_thing};
use super::settings::{self, Table};
use super::{Check, endpoint};
use crate::Diagnostic;
use crate::ast::{Named, Setting, SettingValue, UpstreamTarget};
use crate::hir::{Servers, Timeouts, Ty, Upstream, UpstreamId, Value};
use crate::span::{Ident, Spanned};

const UPSTREAM: Table = Table {
    owner: "`upstream`",
    known: &["servers", "builtin", "balance", "timeout", "keepalive"],
    later: &["discover", "protocol", "weights", "tls", "health", "retry", "proxy_protocol"],
};
const TIMEOUT: Table =
    Table { owner: "`timeout`", known: &["connect", "response", "idle"], later: &["total", "request"] };
const TO: Table = Table { owner: "`to`", known: &["timeout"], later: &["retry"] };

/// Checks declared upstreams.
pub(super) fn declared(ctx: &mut Check<'_>) {
    for decl in ctx.upstream_decls.clone() {
        let upstream = declaration(ctx, decl);
        ctx.upstreams.push(upstream);
    }
}

fn declaration(ctx: &mut Check<'_>, decl: &Named) -> Upstream {
    let mut upstream = Upstream {
        name: decl.name.value.clone(),
        servers: Servers::Endpoints(Vec::new()),
        timeouts: Timeouts::default(),
        keepalive: None,
    };
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

fn servers(ctx: &mut Check<'_>, setting: &Setting, name: &Ident) -> Vec<crate::literal::Endpoint> {
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

/// The upstream that `to` names, or a report. Literal ones are shared when equal.
pub(super) fn target(ctx: &mut Check<'_>, target: &UpstreamTarget) -> Option<UpstreamId> {
    match target {
        // Names of other modules are of a later version and never come here.
        UpstreamTarget::Name(path) => named(ctx, path.as_name()?),
        UpstreamTarget::Endpoint(written) => {
            let endpoint = endpoint::normal(ctx, &written.value, written.span)?;
            let endpoint = endpoint::server(ctx, &endpoint, written.span)?;
            let name = endpoint.to_string();
            // Declared names hold no colon, so only a literal upstream can have this one.
            if let Some(id) = ctx.upstreams.iter().position(|upstream| upstream.name == name) {
                return Some(id);
            }
            ctx.upstreams.push(Upstream {
                name,
                servers: Servers::Endpoints(vec![endpoint]),
                timeouts: Timeouts::default(),
                keepalive: None,
            });
            Some(ctx.upstreams.len() - 1)
        }
    }
}

fn named(ctx: &mut Check<'_>, name: &Ident) -> Option<UpstreamId> {
    let is_upstream = |kind: Kind| matches!(kind, Kind::Upstream(_));
    let Some(found) = ctx.names.look_up(&name.value) else {
        if !ctx.scope.unsure.contains(&name.value) {
            unknown_thing(ctx, name, "upstream", is_upstream);
        }
        return None;
    };
    match found.kind {
        Kind::Upstream(id) => Some(id),
        Kind::Later => None,
        Kind::Const(_) | Kind::Rule(_) | Kind::Fn(_) | Kind::Enum(_) | Kind::Env(_) | Kind::Listener(_) => {
            let message = format!("`{}` is not an upstream", name.value);
            ctx.report(
                Diagnostic::error("E0204", message, name.span)
                    .label(format!("this is {}", found.kind.with_article()))
                    .with(found.span, "declared here"),
            );
            None
        }
    }
}
