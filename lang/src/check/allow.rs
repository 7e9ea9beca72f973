//! `@allow(lint, "reason")`: lints that the author has answered.

use super::Check;
use super::lints::LINTS;
use crate::ast::{Attribute, ItemKind, SiteItem};
use crate::suggest::closest;
use crate::{Diagnostic, Level, Span};

/// Lints of later versions: naming one is no mistake.
const LATER: [&str; 9] = [
    "crossing_routes",
    "near_miss",
    "half_segment",
    "constant_guard",
    "plain_site",
    "path_confusion",
    "late_fallback",
    "literal_secret",
    "undecided",
];

/// Takes out the lints that are allowed where they were found, and reports attributes that are wrong or unused.
pub(super) fn apply(ctx: &mut Check<'_>) {
    let mut attributes: Vec<(&Attribute, Span)> = Vec::new();
    for tree in ctx.modules.iter().map(|module| module.tree) {
        for used in &tree.uses {
            attributes.extend(used.attributes.iter().map(|attribute| (attribute, used.span)));
        }
        for item in &tree.items {
            attributes.extend(item.attributes.iter().map(|attribute| (attribute, item.span)));
            match &item.kind {
                ItemKind::Site(site) => collect(&site.items, &mut attributes),
                ItemKind::Routes(routes) => collect(&routes.items, &mut attributes),
                _ => {}
            }
        }
    }
    for (attribute, covered) in attributes {
        let Some(code) = code_of(ctx, attribute) else { continue };
        let before = ctx.diagnostics.len();
        ctx.diagnostics
            .retain(|d| d.code != code || d.level == Level::Error || !covers(covered, d.primary.span));
        if ctx.diagnostics.len() == before && !ctx.incomplete {
            let message = format!("`{}` is allowed here and never found", attribute.argument.value);
            ctx.report(
                Diagnostic::warning("L0902", message, attribute.argument.span).help("remove `@allow`"),
            );
        }
    }
}

fn collect<'t>(items: &'t [SiteItem], out: &mut Vec<(&'t Attribute, Span)>) {
    let mut open = vec![items];
    while let Some(items) = open.pop() {
        for item in items {
            match item {
                SiteItem::Route(route) => out.extend(route.attributes.iter().map(|a| (a, route.span))),
                SiteItem::Group(group) => {
                    out.extend(group.attributes.iter().map(|a| (a, group.span)));
                    open.push(&group.items);
                }
                SiteItem::Mount(mount) => out.extend(mount.attributes.iter().map(|a| (a, mount.span))),
                SiteItem::Fallback(fallback) => {
                    out.extend(fallback.attributes.iter().map(|a| (a, fallback.span)));
                }
                SiteItem::Stmt(_) | SiteItem::Setting(_) | SiteItem::Error(_) => {}
            }
        }
    }
}

fn covers(outer: Span, inner: Span) -> bool {
    outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
}

/// The code of the lint, or a report.
fn code_of(ctx: &mut Check<'_>, attribute: &Attribute) -> Option<&'static str> {
    let name = &attribute.name.value;
    if name != "allow" {
        ctx.report(
            Diagnostic::error("E0218", format!("unknown attribute `@{name}`"), attribute.name.span)
                .help("there is one: `@allow(lint, \"reason\")`"),
        );
        return None;
    }
    let lint = &attribute.argument;
    if LATER.contains(&lint.value.as_str()) {
        return None;
    }
    let Some((_, code)) = LINTS.iter().find(|(known, _)| *known == lint.value) else {
        let mut diagnostic = Diagnostic::error("E0218", format!("unknown lint `{}`", lint.value), lint.span);
        if let Some(similar) = closest(&lint.value, LINTS.iter().map(|(known, _)| *known)) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), lint.span, similar);
        }
        ctx.report(diagnostic);
        return None;
    };
    if attribute.reason.as_ref().is_none_or(|reason| reason.value.trim().is_empty()) {
        ctx.report(
            Diagnostic::error("E0218", "`@allow` needs a reason", lint.span)
                .help(format!("write `@allow({}, \"why\")`", lint.value)),
        );
        return None;
    }
    Some(code)
}
