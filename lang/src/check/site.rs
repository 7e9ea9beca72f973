//! Sites: hosts, listeners, and what stands inside.

use super::host;
use super::listen::{self, Said};
use super::names::{self, Kind, Wanted};
use super::route::{self, Owner};
use super::{Check, scope::Scope};
use crate::ast::{HostPattern, SiteDecl};
use crate::hir::{ListenerId, Site};
use crate::span::{Ident, Spanned};
use crate::{Diagnostic, Level, Span};
use std::collections::BTreeMap;

/// Hosts by listener and pattern, with the place that named them first.
type Served = BTreeMap<(ListenerId, String), Span>;

/// Checks all sites.
pub(super) fn sites(ctx: &mut Check<'_>) -> Vec<Site> {
    let mut served = Served::new();
    let (sites, said): (Vec<Site>, Vec<Said>) =
        ctx.site_decls.clone().into_iter().map(|decl| site(ctx, decl, &mut served)).unzip();
    listen::rules(ctx, &sites, &said);
    sites
}

fn site(ctx: &mut Check<'_>, decl: &SiteDecl, served: &mut Served) -> (Site, Said) {
    ctx.scope = Scope { owner: "site", owner_span: Some(decl.head), ..Scope::default() };
    let hosts = host::patterns(ctx, decl);
    ctx.scope.any_host = hosts.iter().any(|host| host.value == HostPattern::Any);
    let listeners = listeners(ctx, &decl.listeners);
    for host in &hosts {
        claim(ctx, host, (&listeners, decl.head), served);
    }
    let block = route::block(ctx, &decl.items, Owner::Site);
    if decl.items.is_empty() {
        ctx.report(
            Diagnostic::warning("L0202", "this site answers every request with 404", decl.head)
                .help("add a route, or a terminal such as `to` or `redirect`"),
        );
    }
    let said = Said { tls: block.own.tls_place, http: block.own.http_place };
    let site = Site {
        hosts,
        listeners,
        same_slash: block.own.same_slash,
        tls: block.own.tls,
        http: block.own.http,
        settings: block.settings,
        statements: block.statements,
        items: block.items,
        fallback: block.fallback,
        head: decl.head,
    };
    (site, said)
}

/// E0407: a sound file without a site. It would answer nobody, and most often it is a file that is just being written.
pub(super) fn at_least_one(ctx: &mut Check<'_>) {
    let is_broken = ctx.incomplete || ctx.diagnostics.iter().any(|d| d.level == Level::Error);
    if is_broken || !ctx.site_decls.is_empty() {
        return;
    }
    let place = ctx.entry().edition.as_ref().map_or(Span::new(0, 0), |edition| edition.span);
    ctx.report(
        Diagnostic::error("E0407", "there is no `site`, so there is nothing to serve", place)
            .help("add one, such as `site example.com { to 127.0.0.1:3000 }`"),
    );
}

/// The listeners named after `on`, or all.
fn listeners(ctx: &mut Check<'_>, written: &[Ident]) -> Vec<ListenerId> {
    if written.is_empty() {
        for decl in ctx.listener_decls.clone() {
            ctx.names.look_up(ENTRY, &decl.name.value);
        }
        return (0..ctx.listeners.len()).collect();
    }
    let mut found: Vec<(ListenerId, Span)> = Vec::new();
    for name in written {
        let Some(id) = listener(ctx, name) else { continue };
        if let Some((_, first)) = found.iter().find(|(other, _)| *other == id) {
            let message = format!("listener `{}` is named twice", name.value);
            ctx.report(Diagnostic::error("E0213", message, name.span).with(*first, "named here first"));
            continue;
        }
        found.push((id, name.span));
    }
    found.into_iter().map(|(id, _)| id).collect()
}

fn listener(ctx: &mut Check<'_>, name: &Ident) -> Option<ListenerId> {
    let Some(found) = ctx.names.look_up(ENTRY, &name.value) else {
        // The built-in listener has a name that nobody wrote.
        if ctx.listener_decls.is_empty() && name.value == "web" {
            return Some(0);
        }
        let is_it = |kind| matches!(kind, Kind::Listener(_));
        names::unknown_thing(ctx, name, ENTRY, Wanted { what: "listener", code: "E0201", is_it });
        return None;
    };
    if let Kind::Listener(id) = found.kind {
        return Some(id);
    }
    if found.kind != Kind::Later {
        names::not_a(ctx, name, found, "a listener");
    }
    None
}

/// The number of the entry file, which declares the listeners of all sites.
const ENTRY: u16 = 0;

/// E0404: each host belongs to one site on each listener.
fn claim(
    ctx: &mut Check<'_>,
    host: &Spanned<HostPattern>,
    (listeners, head): (&[ListenerId], Span),
    served: &mut Served,
) {
    let key = host::key(&host.value);
    let mut clash = None;
    for &listener in listeners {
        match served.get(&(listener, key.clone())) {
            Some(&first) => clash = clash.or(Some((listener, first))),
            None => {
                served.insert((listener, key.clone()), host.span);
            }
        }
    }
    if let Some((listener, first)) = clash {
        let listener = &ctx.listeners[listener].name;
        let message = if head.source == first.source && head.start <= first.start && first.end <= head.end {
            format!("this site names `{key}` twice")
        } else {
            format!("two sites serve `{key}` on listener `{listener}`")
        };
        ctx.report(Diagnostic::error("E0404", message, host.span).label("second").with(first, "first"));
    }
}
