//! Checked program to Core: blocks flattened, constants, rules, policies and mounted routes inlined, literals in one
//! form.
//!
//! Nothing is simplified here; `fold` does that afterwards, so the interpreter can be run on what was written.

use crate::abi;
use crate::capture::one_of;
use crate::core::{Action, Core, Expr, PathMatch, Route, SegmentPattern, Site, Tail, Terminal};
use crate::limits::{COPIED_MAX, LISTENERS_MAX, ROUTES_MAX};
use expr::Lowering;
use statement::lower_statements;
pub(crate) use statement::lower_timeouts;
use twp_lang::ast::HostPattern;
use twp_lang::{Diagnostic, Span, hir};

mod expr;
mod frame;
mod literals;
mod maps;
mod methods;
mod mount;
mod statement;

/// Lowers a checked program. The errors are exceeded limits.
pub fn lower(program: &hir::Program) -> Result<Core, Vec<Diagnostic>> {
    let mut ctx = Lowering::new(program);
    let sites: Vec<Site> = program.sites.iter().map(|site| lower_site(&mut ctx, site)).collect();
    let n_routes: usize = sites.iter().map(|site| site.routes.len()).sum();
    if let Some(site) = program.sites.last().filter(|_| n_routes > ROUTES_MAX) {
        let message = format!("this program has {n_routes} routes, at most {ROUTES_MAX} are possible");
        ctx.diagnostics.push(Diagnostic::error("E0255", message, site.head).help(
            "give routes that differ by one segment only a capture, or serve the sites by several processes",
        ));
    }
    if let Some(listener) = program.listeners.get(LISTENERS_MAX) {
        let span = listener.span.unwrap_or(Span::new(0, 0));
        let message = format!("more than {LISTENERS_MAX} listeners");
        ctx.diagnostics
            .push(Diagnostic::error("E0256", message, span).help("bind several addresses in one listener"));
    }
    if ctx.diagnostics.is_empty() {
        Ok(Core { sites, names: ctx.names, regexes: ctx.regexes })
    } else {
        Err(ctx.diagnostics)
    }
}

/// What outer blocks give to what stands in them.
#[derive(Clone, Default)]
struct Outer {
    prefix: Vec<SegmentPattern>,
    guards: Vec<Expr>,
    settings: hir::RouteSettings,
    actions: Vec<Action>,
    same_slash: bool,
    /// What names of routes begin with: `billing.` below a mount of that name.
    label: String,
    /// Captures of the host and of `prefix`.
    captures: Vec<String>,
    /// Nodes of `guards` and `actions`, which each route gets a copy of.
    n_nodes: usize,
}

fn lower_site<'a>(ctx: &mut Lowering<'a>, site: &'a hir::Site) -> Site {
    let before = ctx.n_nodes();
    let outer = Outer {
        settings: site.settings,
        actions: lower_statements(ctx, &site.statements),
        same_slash: site.same_slash,
        captures: site.hosts.iter().filter_map(|host| host_capture(&host.value)).collect(),
        n_nodes: ctx.n_nodes() - before,
        ..Outer::default()
    };
    let mut routes = Vec::new();
    lower_items(ctx, &site.items, &outer, &mut routes);
    routes.push(match &site.fallback {
        Some(fallback) => lower_fallback(ctx, fallback, &outer),
        None => builtin_fallback(&outer, site.head),
    });
    let listeners = site.listeners.iter().map(|id| u16::try_from(*id).unwrap_or(u16::MAX)).collect();
    let hosts = site.hosts.iter().map(|host| host.value.clone()).collect();
    let methods = methods::named(&routes);
    Site { hosts, listeners, methods, routes }
}

fn host_capture(host: &HostPattern) -> Option<String> {
    match host {
        HostPattern::OneLabel { capture, .. } => capture.as_ref().map(|name| name.value.clone()),
        HostPattern::Exact(_) | HostPattern::AnyDepth(_) | HostPattern::Any => None,
    }
}

fn lower_items<'a>(
    ctx: &mut Lowering<'a>,
    items: &'a [hir::SiteItem],
    outer: &Outer,
    routes: &mut Vec<Route>,
) {
    for item in items {
        if ctx.is_full() {
            return;
        }
        match item {
            hir::SiteItem::Route(route) => {
                let route = lower_route(ctx, route, outer);
                routes.push(route);
            }
            hir::SiteItem::Group(group) => lower_group(ctx, group, outer, routes),
            hir::SiteItem::Mount(mount) => mount::lower_mount(ctx, mount, outer, routes),
        }
    }
}

fn lower_group<'a>(ctx: &mut Lowering<'a>, group: &'a hir::Group, outer: &Outer, routes: &mut Vec<Route>) {
    let before = ctx.n_nodes();
    let mut inner = outer.clone();
    let segments = group.path.as_ref().map_or(&[][..], |path| whole_segments(&path.segments));
    let own: Vec<SegmentPattern> = segments.iter().map(|segment| ctx.segment(segment)).collect();
    inner.captures.extend(own.iter().filter_map(capture_of).map(str::to_owned));
    inner.prefix.extend(own);
    inner.guards.extend(group.guard.as_ref().map(|guard| ctx.condition(guard)));
    inner.settings = innermost(outer.settings, group.settings);
    inner.actions.extend(lower_statements(ctx, &group.statements));
    inner.n_nodes += ctx.n_nodes() - before;
    note_regexes(ctx, group.path.as_ref());
    lower_items(ctx, &group.items, &inner, routes);
    if let Some(fallback) = &group.fallback {
        let route = lower_fallback(ctx, fallback, &inner);
        routes.push(route);
    }
}

fn capture_of(segment: &SegmentPattern) -> Option<&str> {
    match segment {
        SegmentPattern::Capture { name, .. } => Some(name),
        SegmentPattern::Literal(_) => None,
    }
}

/// A prefix is whole segments: the empty one that a last slash makes is none of them.
fn whole_segments(segments: &[SegmentPattern]) -> &[SegmentPattern] {
    match segments.split_last() {
        Some((SegmentPattern::Literal(last), before)) if last.is_empty() => before,
        Some(_) | None => segments,
    }
}

fn lower_route<'a>(ctx: &mut Lowering<'a>, route: &'a hir::Route, outer: &Outer) -> Route {
    note_regexes(ctx, route.path.as_ref());
    let path = lower_path(ctx, route.path.as_ref(), outer);
    if path.segments.len() > abi::SEGMENTS_MAX {
        let span = route.path.as_ref().map_or(route.head, |path| path.span);
        let message = format!(
            "this path has {} segments, at most {} are possible",
            path.segments.len(),
            abi::SEGMENTS_MAX
        );
        ctx.diagnostics
            .push(Diagnostic::error("E0257", message, span).help("requests with a deeper path are refused"));
    }
    let mut guards = outer.guards.clone();
    guards.extend(route.guard.as_ref().map(|guard| ctx.condition(guard)));
    let settings = innermost(outer.settings, route.settings);
    let actions = with_outer(ctx, outer, &route.statements);
    let name = route.name.as_ref().map(|name| format!("{}{name}", outer.label));
    Route {
        name: name.unwrap_or_else(|| pattern_name(&path)),
        methods: route.methods.clone(),
        path,
        guard: conjunction(guards),
        actions,
        builtin_fallback: false,
        max_body: settings.max_body,
        access_log: settings.access_log.unwrap_or(true),
        span: route.head,
    }
}

/// The statements of outer blocks and those of a route.
fn with_outer<'a>(ctx: &mut Lowering<'a>, outer: &Outer, statements: &'a [hir::Stmt]) -> Vec<Action> {
    let before = ctx.n_copied;
    ctx.n_copied += outer.n_nodes + outer.prefix.len();
    if ctx.n_copied > COPIED_MAX && before <= COPIED_MAX {
        ctx.too_large(format!(
            "the statements around routes stand in each of them, which makes more than {COPIED_MAX} nodes"
        ));
    }
    // What was too large was reported; its copies would only cost memory.
    let mut actions = if ctx.n_copied > COPIED_MAX { Vec::new() } else { outer.actions.clone() };
    actions.extend(lower_statements(ctx, statements));
    actions
}

fn lower_path(ctx: &Lowering<'_>, path: Option<&hir::PathPattern>, outer: &Outer) -> PathMatch {
    let Some(path) = path else {
        return PathMatch { segments: outer.prefix.clone(), tail: Tail::Below(None) };
    };
    let mut segments = Vec::with_capacity(outer.prefix.len() + path.segments.len());
    segments.extend(outer.prefix.iter().cloned());
    segments.extend(path.segments.iter().map(|segment| ctx.segment(segment)));
    let rest = path.rest.as_ref().map(|name| ctx.capture(name));
    let tail = match (rest, outer.same_slash) {
        (Some(name), false) => Tail::Rest(name),
        (Some(name), true) => Tail::Below(Some(name)),
        (None, false) => Tail::End,
        (None, true) => {
            // The root is one empty segment and has no other spelling.
            let whole = whole_segments(&segments).len();
            if whole > 0 {
                segments.truncate(whole);
                Tail::EndOrSlash
            } else {
                Tail::End
            }
        }
    };
    PathMatch { segments, tail }
}

/// Routes without a name are called by their pattern.
fn pattern_name(path: &PathMatch) -> String {
    let text = path.to_string();
    match &path.tail {
        Tail::End | Tail::Rest(_) => text,
        Tail::EndOrSlash | Tail::Below(_) => {
            let bare = PathMatch { segments: path.segments.clone(), tail: Tail::End }.to_string();
            match &path.tail {
                Tail::Below(Some(name)) => format!("{bare}/{{{name}...}}"),
                Tail::Below(None) => format!("{bare}/*"),
                Tail::End | Tail::EndOrSlash | Tail::Rest(_) => bare,
            }
        }
    }
}

fn lower_fallback<'a>(ctx: &mut Lowering<'a>, fallback: &'a hir::Fallback, outer: &Outer) -> Route {
    let settings = innermost(outer.settings, fallback.settings);
    let actions = with_outer(ctx, outer, &fallback.statements);
    Route { span: fallback.span, actions, ..fallback_route(outer, settings) }
}

fn builtin_fallback(outer: &Outer, span: Span) -> Route {
    let mut actions = outer.actions.clone();
    actions.push(Action::End(Terminal::NotFound));
    Route { span, actions, builtin_fallback: true, ..fallback_route(outer, outer.settings) }
}

fn fallback_route(outer: &Outer, settings: hir::RouteSettings) -> Route {
    Route {
        name: format!("{}fallback", outer.label),
        methods: Vec::new(),
        path: PathMatch { segments: outer.prefix.clone(), tail: Tail::Below(None) },
        guard: conjunction(outer.guards.clone()),
        actions: Vec::new(),
        builtin_fallback: false,
        max_body: settings.max_body,
        access_log: settings.access_log.unwrap_or(true),
        span: Span::new(0, 0),
    }
}

fn innermost(outer: hir::RouteSettings, inner: hir::RouteSettings) -> hir::RouteSettings {
    hir::RouteSettings {
        max_body: inner.max_body.or(outer.max_body),
        access_log: inner.access_log.or(outer.access_log),
        on_reload: inner.on_reload.or(outer.on_reload),
    }
}

fn conjunction(mut guards: Vec<Expr>) -> Option<Expr> {
    if guards.len() > 1 { Some(Expr::And(guards)) } else { guards.pop() }
}

fn note_regexes(ctx: &mut Lowering<'_>, path: Option<&hir::PathPattern>) {
    for segment in path.iter().flat_map(|path| path.segments.iter().map(move |segment| (segment, path.span)))
    {
        let (SegmentPattern::Capture { ty, .. }, span) = segment else { continue };
        match ty {
            hir::CaptureTy::Regex(regex) => ctx.note_regex(regex, span),
            hir::CaptureTy::OneOf(texts) => ctx.note_regex(&one_of(texts), span),
            hir::CaptureTy::Segment
            | hir::CaptureTy::Int
            | hir::CaptureTy::Uuid
            | hir::CaptureTy::Slug
            | hir::CaptureTy::Hex => {}
        }
    }
}
