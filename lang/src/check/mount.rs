//! Routes that are written once, and `mount`, which puts them into a site or group.
//!
//! They are checked once, where they are written: their parameters, their own captures and the names of their file are
//! all they see. What is mounted behaves like a group: a literal prefix, statements, routes and a fallback of its own.

use super::arguments::{self, Head};
use super::names::{self, Kind, Wanted};
use super::route::{self, Block, Owner};
use super::scope::{Place, Scope, enter};
use super::{Check, path};
use crate::ast::{self, ModPath, PatternPart, RoutesDecl};
use crate::hir::{Mount, Routes, RoutesId};
use crate::span::Ident;
use crate::{Diagnostic, Span};

/// Routes with what `mount` needs to know.
pub(super) struct RoutesInfo<'t> {
    pub(super) decl: &'t RoutesDecl,
    pub(super) head: Head,
}

impl<'t> RoutesInfo<'t> {
    pub(super) fn new(decl: &'t RoutesDecl) -> Self {
        RoutesInfo { decl, head: Head::of(&decl.name) }
    }
}

/// Checks parameters, so that uses can be checked before bodies.
pub(super) fn heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.routes.len() {
        let written = &ctx.routes[id].decl.params;
        ctx.routes[id].head.params = arguments::params(ctx, written);
    }
}

/// Checks the defaults of parameters.
pub(super) fn defaults(ctx: &mut Check<'_>) {
    for id in 0..ctx.routes.len() {
        let (written, params) = (&ctx.routes[id].decl.params, ctx.routes[id].head.params.clone());
        ctx.routes[id].head.params = arguments::with_defaults(ctx, &params, written);
    }
}

/// Checks all `routes`.
pub(super) fn declared(ctx: &mut Check<'_>) -> Vec<Routes> {
    (0..ctx.routes.len()).map(|id| routes(ctx, id)).collect()
}

fn routes(ctx: &mut Check<'_>, id: RoutesId) -> Routes {
    let decl = ctx.routes[id].decl;
    let head = ctx.routes[id].head.clone();
    let closed = Some("`routes`");
    ctx.scope = Scope { owner: "`routes`", owner_span: Some(decl.head), closed, ..Scope::default() };
    enter(ctx, Place::Statement, &head.params);
    let Block { own: _, settings, statements, items, fallback } =
        route::block(ctx, &decl.items, Owner::Routes);
    ctx.scope = Scope::default();
    let params = head.typed();
    Routes { name: ctx.qualified(&decl.name), params, settings, statements, items, fallback, head: decl.head }
}

/// `mount routes(arguments) at /path as name`
pub(super) fn mount(ctx: &mut Check<'_>, written: &ast::Mount) -> Option<Mount> {
    let routes = named(ctx, &written.target);
    let at = written.at.as_ref().map(|at| prefix(ctx, at));
    let label = written.name.as_ref().or(written.target.parts.last())?;
    claim_label(ctx, label, written);
    let routes = routes?;
    let head = ctx.routes[routes].head.clone();
    let arguments = arguments::bind(ctx, &head, &written.arguments, written.span);
    let at = at.unwrap_or_else(|| Some(Vec::new()))?;
    Some(Mount { routes, arguments: arguments?, at, name: label.value.clone(), span: written.span })
}

/// The `routes` of this name, or a report.
fn named(ctx: &mut Check<'_>, written: &ModPath) -> Option<RoutesId> {
    let is_it = |kind| matches!(kind, Kind::Routes(_));
    let found = names::find(ctx, &written.parts, Wanted { what: "routes", code: "E0201", is_it })?;
    if let Kind::Routes(id) = found.kind {
        return Some(id);
    }
    let name = written.parts.last()?;
    let diagnostic = Diagnostic::error("E0204", format!("`{}` cannot be mounted", name.value), name.span)
        .label(format!("this is {}", found.kind.with_article()))
        .with(found.declared, "declared here");
    ctx.report(if let Kind::Policy(_) = found.kind {
        diagnostic.help("a policy is used with `apply`")
    } else if let Kind::Upstream(_) = found.kind {
        diagnostic.help(format!("write `route /path {{ to {} }}`", name.value))
    } else {
        diagnostic
    });
    None
}

/// Segments of the path after `at`: text only, so that what is mounted is the same wherever it stands.
fn prefix(ctx: &mut Check<'_>, written: &ast::PathPattern) -> Option<Vec<String>> {
    let mut segments = Vec::new();
    let n_segments = written.segments.len();
    for (number, segment) in written.segments.iter().enumerate() {
        match segment.parts.as_slice() {
            [] if number + 1 == n_segments => {
                let end = Span { start: written.span.end.saturating_sub(1), ..written.span };
                let diagnostic =
                    Diagnostic::error("E0312", "the path of a mount does not end in `/`", written.span)
                        .note("a mount covers its path and everything below it");
                ctx.report(if n_segments == 1 {
                    diagnostic.help("leave out `at /`: a mount without a path stands where it is written")
                } else {
                    diagnostic.fix("remove the last `/`", end, "")
                });
                return None;
            }
            [] => {
                path::empty_segment(ctx, written.span);
                return None;
            }
            [PatternPart::Literal(text)] => {
                let normal = path::piece(ctx, &text.value, text.span)?;
                if matches!(normal.as_str(), "." | "..") {
                    path::dot_segment(ctx, &normal, segment.span);
                    return None;
                }
                segments.push(normal);
            }
            _ => {
                ctx.report(
                    Diagnostic::error("E0312", "the path of a mount is text", segment.span)
                        .label("a capture is not possible here")
                        .help("write the capture as the path of a `group` around the mount, or of the routes inside"),
                );
                return None;
            }
        }
    }
    Some(segments)
}

/// Names of mounts are labels as those of routes are: unique in their site.
fn claim_label(ctx: &mut Check<'_>, label: &Ident, written: &ast::Mount) {
    if label.value == "fallback" {
        route::fallback_is_taken(ctx, label);
        return;
    }
    let Some(&first) = ctx.scope.route_names.get(&label.value) else {
        ctx.scope.route_names.insert(label.value.clone(), label.span);
        return;
    };
    let message = format!("`{}` is already the name of a route or mount of this site", label.value);
    let diagnostic = Diagnostic::error("E0203", message, label.span)
        .label("second definition")
        .with(first, "first definition; names of routes and mounts are unique in their site");
    ctx.report(match written.name {
        Some(_) => diagnostic.help("choose another name"),
        None => diagnostic.fix(
            format!("to mount it twice, give it another name: `as {}_2`", label.value),
            written.span.after(),
            format!(" as {}_2", label.value),
        ),
    });
}
