//! Checked program to Core: blocks flattened, constants and rules inlined, literals in one form.
//!
//! Nothing is simplified here; `fold` does that afterwards, so the interpreter can be run on what was written.

use crate::capture::one_of;
use crate::core::{Action, Core, Expr, PathMatch, Route, SegmentPattern, Site, Tail, Terminal};
use crate::limits::{LISTENERS_MAX, ROUTES_MAX};
use crate::plan::TimeoutPlan;
use crate::{abi, core};
use expr::Lowering;
use twp_lang::{Diagnostic, Span, hir};

mod expr;
mod literals;
mod maps;
mod methods;

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
}

fn lower_site<'a>(ctx: &mut Lowering<'a>, site: &'a hir::Site) -> Site {
    let outer = Outer {
        settings: site.settings,
        actions: lower_statements(ctx, &site.statements),
        same_slash: site.same_slash,
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

fn lower_items<'a>(
    ctx: &mut Lowering<'a>,
    items: &'a [hir::SiteItem],
    outer: &Outer,
    routes: &mut Vec<Route>,
) {
    for item in items {
        match item {
            hir::SiteItem::Route(route) => {
                let route = lower_route(ctx, route, outer);
                routes.push(route);
            }
            hir::SiteItem::Group(group) => lower_group(ctx, group, outer, routes),
        }
    }
}

fn lower_group<'a>(ctx: &mut Lowering<'a>, group: &'a hir::Group, outer: &Outer, routes: &mut Vec<Route>) {
    let mut inner = outer.clone();
    inner.prefix.extend(group.path.iter().flat_map(|path| whole_segments(&path.segments)).cloned());
    inner.guards.extend(group.guard.as_ref().map(|guard| ctx.condition(guard)));
    inner.settings = innermost(outer.settings, group.settings);
    inner.actions.extend(lower_statements(ctx, &group.statements));
    note_regexes(ctx, group.path.as_ref());
    lower_items(ctx, &group.items, &inner, routes);
    if let Some(fallback) = &group.fallback {
        let route = lower_fallback(ctx, fallback, &inner);
        routes.push(route);
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
    let path = lower_path(route.path.as_ref(), outer);
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
    let mut actions = outer.actions.clone();
    actions.extend(lower_statements(ctx, &route.statements));
    Route {
        name: route.name.clone().unwrap_or_else(|| pattern_name(&path)),
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

fn lower_path(path: Option<&hir::PathPattern>, outer: &Outer) -> PathMatch {
    let mut segments = outer.prefix.clone();
    let Some(path) = path else {
        return PathMatch { segments, tail: Tail::Below(None) };
    };
    segments.extend(path.segments.iter().cloned());
    let tail = match (&path.rest, outer.same_slash) {
        (Some(name), false) => Tail::Rest(name.clone()),
        (Some(name), true) => Tail::Below(Some(name.clone())),
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
    let mut actions = outer.actions.clone();
    actions.extend(lower_statements(ctx, &fallback.statements));
    Route { span: fallback.span, actions, ..fallback_route(outer, settings) }
}

fn builtin_fallback(outer: &Outer, span: Span) -> Route {
    let mut actions = outer.actions.clone();
    actions.push(Action::End(Terminal::NotFound));
    Route { span, actions, builtin_fallback: true, ..fallback_route(outer, outer.settings) }
}

fn fallback_route(outer: &Outer, settings: hir::RouteSettings) -> Route {
    Route {
        name: "fallback".to_owned(),
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

fn lower_statements<'a>(ctx: &mut Lowering<'a>, statements: &'a [hir::Stmt]) -> Vec<Action> {
    statements.iter().filter_map(|statement| lower_statement(ctx, statement)).collect()
}

/// The step of a statement; a `let` that cannot fail is none.
fn lower_statement<'a>(ctx: &mut Lowering<'a>, statement: &'a hir::Stmt) -> Option<Action> {
    Some(match statement {
        hir::Stmt::SetHeader { message, name, value } => {
            Action::Set { message: *message, name: name.clone(), value: ctx.text(value) }
        }
        hir::Stmt::AddHeader { message, name, value } => {
            Action::Add { message: *message, name: name.clone(), value: ctx.text(value) }
        }
        hir::Stmt::RemoveHeader { message, name } => Action::Remove { message: *message, name: name.clone() },
        hir::Stmt::RewritePath(template) => Action::RewritePath(lower_template(template)),
        hir::Stmt::RewriteHost(value) => Action::RewriteHost(ctx.text(value)),
        hir::Stmt::RewriteStrip(segments) => Action::Strip(u8::try_from(segments.len()).unwrap_or(u8::MAX)),
        hir::Stmt::Let { id, value, otherwise, name: _ } => {
            ctx.bind(*id, value);
            let otherwise = vec![Action::End(lower_terminal(ctx, otherwise.as_ref()?))];
            Action::When { condition: ctx.is_some(value), then: Vec::new(), otherwise }
        }
        hir::Stmt::When { condition, then, otherwise } => Action::When {
            condition: ctx.condition(condition),
            then: lower_statements(ctx, then),
            otherwise: lower_statements(ctx, otherwise),
        },
        hir::Stmt::Require { condition, otherwise } => Action::When {
            condition: ctx.condition(condition),
            then: Vec::new(),
            otherwise: vec![Action::End(lower_terminal(ctx, otherwise))],
        },
        hir::Stmt::Terminal(terminal) => Action::End(lower_terminal(ctx, terminal)),
    })
}

fn lower_terminal<'a>(ctx: &mut Lowering<'a>, terminal: &'a hir::Terminal) -> Terminal {
    match terminal {
        hir::Terminal::To { upstream, timeouts } => Terminal::To {
            upstream: u32::try_from(*upstream).unwrap_or(u32::MAX),
            timeouts: lower_timeouts(*timeouts),
        },
        hir::Terminal::Respond { status, body } => {
            Terminal::Respond { status: *status, body: body.as_ref().map(|body| ctx.text(body)) }
        }
        hir::Terminal::Redirect { status, location } => {
            let (location, keep_query) = match location {
                hir::Location::Path(template) => (lower_template(template), true),
                hir::Location::Text(text) => (ctx.text(text), false),
            };
            Terminal::Redirect { status: *status, location, keep_query }
        }
    }
}

/// Time limits in the form of the plan.
pub(crate) fn lower_timeouts(timeouts: hir::Timeouts) -> TimeoutPlan {
    TimeoutPlan { connect_ms: timeouts.connect, response_ms: timeouts.response, idle_ms: timeouts.idle }
}

/// Captures print as their text whatever their type, so all count as text here.
fn lower_template(template: &hir::PathTemplate) -> Expr {
    let part = |part: &hir::TemplatePart| match part {
        hir::TemplatePart::Literal(text) => Expr::Text(text.clone()),
        hir::TemplatePart::Capture(name) => core::Expr::Capture { name: name.clone(), int: false },
    };
    Expr::Join(template.parts.iter().map(part).collect())
}
