//! Lints: programs that are accepted and probably not what was meant.

use super::Check;
use super::covers::{Earlier, covers};
use crate::ast;
use crate::{Diagnostic, Level};

/// Lints by name, with the code of each: what `@allow(name, "reason")` may name.
pub const LINTS: &[(&str, &str)] = &[
    ("unused_declaration", "L0201"),
    ("empty_site", "L0202"),
    ("unused_import", "L0203"),
    ("unreachable_route", "L0401"),
    ("impossible_route", "L0402"),
    ("get_without_head", "L0406"),
    ("open_redirect", "L0603"),
    ("path_confusion", "L0604"),
    ("unused_allow", "L0902"),
];

/// L0201: declarations that nothing uses. Only said of programs that are sound: the use may be in what is broken.
pub(super) fn unused(ctx: &mut Check<'_>) {
    if ctx.incomplete || ctx.diagnostics.iter().any(|d| d.level == Level::Error) {
        return;
    }
    let mut unused = Vec::new();
    for (number, module) in (0u16..).zip(&ctx.modules) {
        // What the standard library offers need not be used, and neither what a module offers to other programs.
        let names = ctx.names.iter(number).filter(|_| !module.is_std());
        for (name, found) in names.filter(|(_, found)| !found.is_import && (number == 0 || !found.is_public))
        {
            let Some(what) = found.kind.told_unused().filter(|_| !found.used) else { continue };
            unused.push(
                Diagnostic::warning("L0201", format!("{what} `{name}` is never used"), found.span)
                    .help("remove it, or use it"),
            );
        }
    }
    ctx.diagnostics.extend(unused);
}

/// L0401: routes behind one without a condition that takes all they could take. Only routes of one list are
/// compared, and only patterns whose inclusion is plain to see; what is not reported may still be unreachable.
pub(super) fn unreachable(ctx: &mut Check<'_>, items: &[ast::SiteItem], same_slash: bool) {
    let routes = items.iter().filter_map(|item| match item {
        ast::SiteItem::Route(route) => Some(route),
        ast::SiteItem::Group(_)
        | ast::SiteItem::Mount(_)
        | ast::SiteItem::Fallback(_)
        | ast::SiteItem::Stmt(_)
        | ast::SiteItem::Setting(_)
        | ast::SiteItem::Error(_) => None,
    });
    let mut earlier = Earlier::new();
    for route in routes {
        match earlier.first(route, same_slash) {
            Some(first) => report_unreachable(ctx, first, route),
            None if route.guard.is_none() && earlier.len() < COMPARED_MAX => earlier.push(route),
            None => {}
        }
    }
}

/// Routes of one list that later ones are compared with: many that are alike but for their methods are each asked.
const COMPARED_MAX: usize = 1000;

fn report_unreachable(ctx: &mut Check<'_>, first: &ast::Route, route: &ast::Route) {
    let name_of = |route: &ast::Route| route.name.as_ref().map(|name| format!("`{}`", name.value));
    let (name, first_name) = (name_of(route), name_of(first));
    let message = match &name {
        Some(name) => format!("route {name} can never be chosen"),
        None => "this route can never be chosen".to_owned(),
    };
    let remark = format!("every request for {} is taken here", name.as_deref().unwrap_or("it"));
    let diagnostic = Diagnostic::warning("L0401", message, route.head).with(first.head, remark);
    let is_same = covers(route, first, false);
    ctx.report(if is_same {
        diagnostic.help("remove one of the two")
    } else {
        let (what, place) = (name.as_deref().unwrap_or("it"), first_name.as_deref().unwrap_or("the other"));
        diagnostic.help(format!("move {what} above {place}"))
    });
}
