//! Names that callers of a policy bind, and users of `routes`: not seen inside, and often meant.

use super::Check;
use crate::ast::{BodyItem, HostPattern, PathPattern, PatternPart, SiteItem, Stmt, StmtKind};
use crate::limits::DIAGNOSTICS_MAX;
use crate::{Diagnostic, Span};

/// Where a site, group or route binds this name, when a policy or `routes` is under the checker's eye.
pub(super) fn of_callers(ctx: &Check<'_>, name: &str) -> Option<Span> {
    // Nobody reads beyond the first findings, and each search walks the whole file.
    if !is_closed(ctx) || ctx.diagnostics.len() > DIAGNOSTICS_MAX {
        return None;
    }
    let sites = ctx.site_decls.iter();
    let hosts = sites.clone().flat_map(|site| &site.hosts).find_map(|host| match &host.value {
        HostPattern::OneLabel { capture: Some(capture), .. } => {
            (capture.value == name).then_some(capture.span)
        }
        HostPattern::OneLabel { capture: None, .. }
        | HostPattern::Exact(_)
        | HostPattern::AnyDepth(_)
        | HostPattern::Any => None,
    });
    let routes = ctx.routes.iter().map(|routes| &routes.decl.items);
    hosts.or_else(|| sites.map(|site| &site.items).chain(routes).find_map(|items| in_items(items, name)))
}

/// Whether what is checked is used elsewhere and sees nothing of the place.
fn is_closed(ctx: &Check<'_>) -> bool {
    ctx.scope.closed.is_some()
}

/// Says that a name is one of a caller.
pub(super) fn explain(ctx: &Check<'_>, diagnostic: Diagnostic, name: &str, place: Span) -> Diagnostic {
    let Some(word) = ctx.scope.closed else { return diagnostic };
    diagnostic
        .with(place, format!("bound here, which {word} does not see"))
        .help(format!("make it a parameter and pass it: `{name}: {name}`"))
}

fn in_items(items: &[SiteItem], name: &str) -> Option<Span> {
    let mut open: Vec<&SiteItem> = items.iter().collect();
    while let Some(item) = open.pop() {
        let found = match item {
            SiteItem::Route(route) => {
                in_path(route.path.as_ref(), name).or_else(|| in_body(&route.body, name))
            }
            SiteItem::Group(group) => {
                open.extend(&group.items);
                in_path(group.path.as_ref(), name)
            }
            SiteItem::Fallback(fallback) => in_body(&fallback.body, name),
            SiteItem::Stmt(stmt) => in_statement(stmt, name),
            SiteItem::Mount(_) | SiteItem::Setting(_) | SiteItem::Error(_) => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn in_path(path: Option<&PathPattern>, name: &str) -> Option<Span> {
    let mut parts = path?.segments.iter().flat_map(|segment| &segment.parts);
    parts.find_map(|part| match part {
        PatternPart::Capture(capture) => (capture.name.value == name).then_some(capture.span),
        PatternPart::Literal(_) => None,
    })
}

fn in_body(body: &[BodyItem], name: &str) -> Option<Span> {
    body.iter().find_map(|item| match item {
        BodyItem::Stmt(stmt) => in_statement(stmt, name),
        BodyItem::Setting(_) => None,
    })
}

fn in_statement(stmt: &Stmt, wanted: &str) -> Option<Span> {
    match &stmt.kind {
        StmtKind::Let { name, .. } => (name.value == wanted).then_some(name.span),
        StmtKind::Set { .. }
        | StmtKind::Add { .. }
        | StmtKind::Remove { .. }
        | StmtKind::RewritePath(_)
        | StmtKind::RewriteHost(_)
        | StmtKind::RewriteStrip(_)
        | StmtKind::When { .. }
        | StmtKind::Require { .. }
        | StmtKind::Apply { .. }
        | StmtKind::Limit { .. }
        | StmtKind::Cache(_)
        | StmtKind::Compress(_)
        | StmtKind::OnResponse { .. }
        | StmtKind::OnError { .. }
        | StmtKind::Terminal(_)
        | StmtKind::Error => None,
    }
}
