//! Lints: programs that are accepted and probably not what was meant.

use super::Check;
use crate::ast::{self, CaptureKind, PathPattern, PatternPart, PatternSegment};
use crate::literal::Method;
use crate::span::Spanned;
use crate::{Diagnostic, Level};

/// Lints by name, with the code of each: what `@allow(name, "reason")` may name.
pub const LINTS: &[(&str, &str)] = &[
    ("unused_declaration", "L0201"),
    ("empty_site", "L0202"),
    ("unused_import", "L0203"),
    ("unreachable_route", "L0401"),
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
    // Routes that can take others; each is compared with all that follow, so their number is bounded.
    let mut earlier: Vec<&ast::Route> = Vec::new();
    for route in routes {
        match earlier.iter().find(|first| covers(first, route, same_slash)) {
            Some(first) => report_unreachable(ctx, first, route),
            None if route.guard.is_none() && earlier.len() < COMPARED_MAX => earlier.push(route),
            None => {}
        }
    }
}

/// Routes of one list that later ones are compared with: the work grows with the product.
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

fn covers(first: &ast::Route, route: &ast::Route, same_slash: bool) -> bool {
    covers_methods(&first.methods, &route.methods)
        && covers_path(first.path.as_ref(), route.path.as_ref(), same_slash)
}

/// `GET` in a route includes HEAD.
fn covers_methods(first: &[Spanned<Method>], second: &[Spanned<Method>]) -> bool {
    let has = |method: &Method| first.iter().any(|m| m.value == *method);
    let covers = |method: &Method| has(method) || (*method == Method::Head && has(&Method::Get));
    first.is_empty() || (!second.is_empty() && second.iter().all(|method| covers(&method.value)))
}

fn covers_path(first: Option<&PathPattern>, second: Option<&PathPattern>, same_slash: bool) -> bool {
    let Some(first) = first else { return true };
    let Some(second) = second else { return false };
    let (known, rest) = split_rest(first);
    let (other, other_rest) = split_rest(second);
    let covers_known = || known.iter().zip(other).all(|(a, b)| covers_segment(a, b));
    match (rest, other_rest) {
        // With `trailing_slash: same` a pattern takes one path more, so only equal shapes are compared.
        (true, true) => {
            other.len() >= known.len() && (!same_slash || other.len() == known.len()) && covers_known()
        }
        (true, false) => !same_slash && other.len() > known.len() && covers_known(),
        (false, false) => known.len() == other.len() && covers_known(),
        (false, true) => false,
    }
}

/// The segments before a rest, and whether there is one.
fn split_rest(pattern: &PathPattern) -> (&[PatternSegment], bool) {
    match pattern.segments.split_last() {
        Some((last, before)) if is_rest(last) => (before, true),
        Some(_) | None => (&pattern.segments, false),
    }
}

fn is_rest(segment: &PatternSegment) -> bool {
    matches!(segment.parts.as_slice(), [PatternPart::Capture(capture)] if capture.kind == CaptureKind::Rest)
}

fn covers_segment(first: &PatternSegment, second: &PatternSegment) -> bool {
    if let [PatternPart::Capture(capture)] = first.parts.as_slice()
        && capture.kind == CaptureKind::Segment
    {
        return !second.parts.is_empty();
    }
    first.parts.len() == second.parts.len()
        && first.parts.iter().zip(&second.parts).all(|pair| match pair {
            (PatternPart::Literal(a), PatternPart::Literal(b)) => a.value == b.value,
            (PatternPart::Capture(a), PatternPart::Capture(b)) => same_kind(&a.kind, &b.kind),
            (PatternPart::Literal(_), PatternPart::Capture(_))
            | (PatternPart::Capture(_), PatternPart::Literal(_)) => false,
        })
}

fn same_kind(first: &CaptureKind, second: &CaptureKind) -> bool {
    match (first, second) {
        (CaptureKind::Segment, CaptureKind::Segment) | (CaptureKind::Rest, CaptureKind::Rest) => true,
        (CaptureKind::Typed(a), CaptureKind::Typed(b)) => a.value == b.value,
        (CaptureKind::Regex(a), CaptureKind::Regex(b)) => a.value == b.value,
        (
            CaptureKind::Segment | CaptureKind::Rest | CaptureKind::Typed(_) | CaptureKind::Regex(_),
            CaptureKind::Segment | CaptureKind::Rest | CaptureKind::Typed(_) | CaptureKind::Regex(_),
        ) => false,
    }
}
