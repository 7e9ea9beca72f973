//! Path templates of `rewrite path` and `redirect`: text in normal form and captures that are bound here.

use super::path::{dot_segment, empty_segment, piece};
use super::scope::Taken;
use super::{Check, locals};
use crate::ast;
use crate::hir::{PathTemplate, TemplatePart};
use crate::span::Ident;
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// Stands for a capture where only the shape of a template counts; no template can hold it.
const CAPTURE: char = '\u{1}';

/// The template, or a report.
pub(super) fn read(ctx: &mut Check<'_>, written: &ast::PathTemplate) -> Option<PathTemplate> {
    let mut is_sound = check_shape(ctx, written);
    let mut parts = Vec::new();
    for part in &written.parts {
        match part {
            ast::TemplatePart::Literal(text) => match piece(ctx, &text.value, text.span) {
                Some(normal) => parts.push(TemplatePart::Literal(normal)),
                None => is_sound = false,
            },
            ast::TemplatePart::Capture { name, rest, span } => {
                is_sound &= check_capture(ctx, name, *rest, *span);
                parts.push(TemplatePart::Capture(name.value.clone()));
            }
        }
    }
    is_sound.then_some(PathTemplate { parts })
}

/// Refuses empty and dot segments and a rest that is not last: the result of a template is always normal.
fn check_shape(ctx: &mut Check<'_>, written: &ast::PathTemplate) -> bool {
    let mut shape = String::new();
    let mut rest: Option<(&Ident, Span)> = None;
    for part in &written.parts {
        if let Some((name, span)) = rest {
            let name = &name.value;
            ctx.report(
                Diagnostic::error("E0312", format!("nothing can follow `{{{name}...}}`"), span)
                    .label("may be empty, so what follows could join with what stands before"),
            );
            return false;
        }
        match part {
            ast::TemplatePart::Literal(text) => shape.push_str(&text.value),
            ast::TemplatePart::Capture { name, rest: is_rest, span } => {
                shape.push(CAPTURE);
                rest = is_rest.then_some((name, *span));
            }
        }
    }
    let segments: Vec<&str> = shape.split('/').skip(1).collect();
    for (at, segment) in segments.iter().enumerate() {
        if segment.is_empty() && at + 1 < segments.len() {
            empty_segment(ctx, written.span);
            return false;
        }
        let plain = segment.replace("%2e", ".").replace("%2E", ".");
        if matches!(plain.as_str(), "." | "..") {
            dot_segment(ctx, segment, written.span);
            return false;
        }
    }
    true
}

fn check_capture(ctx: &mut Check<'_>, name: &Ident, rest: bool, span: Span) -> bool {
    let Some(captured) = ctx.scope.capture(&name.value) else {
        if !ctx.scope.unsure.contains(&name.value) {
            unbound(ctx, name, rest, span);
        }
        return false;
    };
    let is_rest = captured.taken == Taken::Rest;
    if is_rest == rest {
        return true;
    }
    let (name, braces) = (&name.value, captured.braces);
    let (message, text) = if is_rest {
        (format!("`{{{name}}}` is the rest of the path"), format!("{{{name}...}}"))
    } else {
        (format!("`{{{name}...}}` is not the rest of the path"), format!("{{{name}}}"))
    };
    ctx.report(Diagnostic::error("E0314", message, span).with(braces, "bound here").fix(
        format!("write `{text}`"),
        span,
        text,
    ));
    false
}

/// Reports a capture that nothing binds here.
fn unbound(ctx: &mut Check<'_>, name: &Ident, rest: bool, span: Span) {
    let dots = if rest { "..." } else { "" };
    let owner = ctx.scope.owner;
    let message = format!("`{{{}{dots}}}` is not bound by this {owner}", name.value);
    let mut diagnostic = Diagnostic::error("E0314", message, span);
    let captures = &ctx.scope.captures;
    if let (Some(first), Some(last)) = (captures.first(), captures.last()) {
        let names: Vec<String> = captures.iter().map(|captured| format!("`{}`", captured.name)).collect();
        let place = first.braces.to(last.braces);
        diagnostic = diagnostic.with(place, format!("this {owner} binds {}", names.join(", ")));
    } else if let Some(place) = ctx.scope.owner_span {
        diagnostic = diagnostic.with(place, format!("this {owner} binds no captures"));
    }
    let only = if let [only] = captures.as_slice() { Some(only.name.as_str()) } else { None };
    let similar =
        only.or_else(|| closest(&name.value, captures.iter().map(|captured| captured.name.as_str())));
    if let Some(captured) = similar.and_then(|similar| ctx.scope.capture(similar)) {
        let dots = if captured.taken == Taken::Rest { "..." } else { "" };
        let text = format!("{{{}{dots}}}", captured.name);
        diagnostic = diagnostic.fix(format!("did you mean `{text}`?"), span, text);
    } else if let Some(place) = locals::of_callers(ctx, &name.value) {
        let word = ctx.scope.closed.unwrap_or("this");
        diagnostic = diagnostic
            .with(place, format!("bound here, which {word} does not see"))
            .help("write the template in the route that binds it");
    }
    ctx.report(diagnostic);
}
