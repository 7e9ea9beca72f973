//! Path patterns of routes and groups: segments, captures, and the prefix that `rewrite strip` removes.

use super::names::Kind;
use super::path::{dot_segment, empty_segment, piece, refuse};
use super::scope::{Taken, bind};
use super::{Check, enums, regex};
use crate::ast::{self, Capture, CaptureKind, PatternPart, PatternSegment};
use crate::hir::{CaptureTy, PathPattern, SegmentPattern, Ty};
use crate::span::Ident;
use crate::suggest::closest;
use crate::target::{SEGMENTS_MAX, TargetError};
use crate::{Diagnostic, Span};

/// Types of captures by name.
const TYPES: [(&str, CaptureTy); 4] =
    [("int", CaptureTy::Int), ("uuid", CaptureTy::Uuid), ("slug", CaptureTy::Slug), ("hex", CaptureTy::Hex)];

/// The pattern of a route. Binds its captures and makes the pattern known as what every request here starts with.
pub(super) fn of_route(ctx: &mut Check<'_>, written: &ast::PathPattern) -> PathPattern {
    let pattern = read(ctx, written);
    extend_path(ctx, &pattern);
    pattern
}

/// The pattern of a group: whole segments without a rest.
pub(super) fn of_group(ctx: &mut Check<'_>, written: &ast::PathPattern) -> PathPattern {
    let mut pattern = read(ctx, written);
    if pattern.rest.is_some() {
        let span = written.segments.last().map_or(written.span, |segment| segment.span);
        ctx.report(
            Diagnostic::error("E0312", "a group has no rest", span)
                .note("a group covers its path and everything below it")
                .help("leave the rest out here and write it in the routes inside"),
        );
    }
    if matches!(pattern.segments.last(), Some(SegmentPattern::Literal(text)) if text.is_empty()) {
        let end = Span { start: written.span.end.saturating_sub(1), ..written.span };
        ctx.report(
            Diagnostic::error("E0312", "the path of a group does not end in `/`", written.span)
                .note("a group covers its path and everything below it")
                .fix("remove the last `/`", end, ""),
        );
        pattern.segments.pop();
    }
    extend_path(ctx, &pattern);
    pattern
}

fn extend_path(ctx: &mut Check<'_>, pattern: &PathPattern) {
    ctx.scope.path.extend(pattern.segments.iter().cloned());
    ctx.scope.path_span = Some(pattern.span);
    if ctx.scope.path.len() > SEGMENTS_MAX {
        refuse(ctx, TargetError::TooManySegments, "this pattern", pattern.span);
    }
}

fn read(ctx: &mut Check<'_>, written: &ast::PathPattern) -> PathPattern {
    let n_segments = written.segments.len();
    let mut pattern =
        PathPattern { segments: Vec::with_capacity(n_segments), rest: None, span: written.span };
    for (at, segment) in written.segments.iter().enumerate() {
        let is_last = at + 1 == n_segments;
        if segment.parts.is_empty() && !is_last {
            empty_segment(ctx, written.span);
            continue;
        }
        if let [PatternPart::Capture(capture)] = segment.parts.as_slice()
            && capture.kind == CaptureKind::Rest
        {
            if !is_last {
                rest_not_last(ctx, capture);
            }
            bind(ctx, &capture.name, Taken::Rest, capture.span);
            pattern.rest = Some(capture.name.value.clone());
            continue;
        }
        if let Some(segment) = read_segment(ctx, segment) {
            pattern.segments.push(segment);
        }
    }
    pattern
}

fn rest_not_last(ctx: &mut Check<'_>, capture: &Capture) {
    let name = &capture.name.value;
    ctx.report(
        Diagnostic::error("E0312", format!("nothing can follow `{{{name}...}}`"), capture.span)
            .label("takes all that remains of the path")
            .fix(format!("write `{{{name}}}` for one segment"), capture.span, format!("{{{name}}}")),
    );
}

/// One segment that is not a rest by itself: text, or text around one capture.
fn read_segment(ctx: &mut Check<'_>, segment: &PatternSegment) -> Option<SegmentPattern> {
    let mut before = String::new();
    let mut after = String::new();
    let mut capture: Option<(&Capture, CaptureTy)> = None;
    let mut is_sound = true;
    for part in &segment.parts {
        match part {
            PatternPart::Literal(text) => {
                let Some(normal) = piece(ctx, &text.value, text.span) else {
                    is_sound = false;
                    continue;
                };
                let side = if capture.is_some() { &mut after } else { &mut before };
                if side.is_empty() {
                    *side = normal;
                } else {
                    side.push_str(&normal);
                }
            }
            PatternPart::Capture(next) if capture.is_some() => {
                is_sound = false;
                second_capture(ctx, next, capture.as_ref().map(|(first, _)| first.span));
                // Bound all the same, so that its uses are not unknown.
                bind(ctx, &next.name, Taken::Segment(CaptureTy::Segment), next.span);
            }
            PatternPart::Capture(next) => {
                let ty = capture_type(ctx, next);
                is_sound &= ty.is_some();
                let (ty, taken) = ty.unwrap_or((CaptureTy::Segment, Taken::Segment(CaptureTy::Segment)));
                bind(ctx, &next.name, taken, next.span);
                capture = Some((next, ty));
            }
        }
    }
    if !is_sound {
        return None;
    }
    let Some((capture, ty)) = capture else {
        if matches!(before.as_str(), "." | "..") {
            dot_segment(ctx, &before, segment.span);
            return None;
        }
        return Some(SegmentPattern::Literal(before));
    };
    Some(SegmentPattern::Capture { name: capture.name.value.clone(), ty, prefix: before, suffix: after })
}

fn second_capture(ctx: &mut Check<'_>, capture: &Capture, first: Option<Span>) {
    let mut diagnostic = Diagnostic::error("E0312", "a segment holds one capture", capture.span)
        .label("second capture")
        .help("take both with one capture and a regular expression: `{name:re\"…\"}`");
    if let Some(first) = first {
        diagnostic = diagnostic.with(first, "first capture");
    }
    ctx.report(diagnostic);
}

/// What a capture takes, and what that makes its value.
fn capture_type(ctx: &mut Check<'_>, capture: &Capture) -> Option<(CaptureTy, Taken)> {
    let segment = |ty: CaptureTy| (ty.clone(), Taken::Segment(ty));
    match &capture.kind {
        CaptureKind::Segment => Some(segment(CaptureTy::Segment)),
        CaptureKind::Rest => {
            let name = &capture.name.value;
            ctx.report(
                Diagnostic::error("E0312", "the rest of a path begins after a `/`", capture.span)
                    .label("text stands beside it")
                    .help(format!("write `{{{name}}}` for one segment, or `/{{{name}...}}` for the rest")),
            );
            None
        }
        CaptureKind::Typed(ty) => named_type(ctx, ty),
        CaptureKind::Regex(pattern) => regex::check(ctx, &pattern.value, pattern.span, None)
            .then(|| segment(CaptureTy::Regex(pattern.value.clone()))),
    }
}

fn named_type(ctx: &mut Check<'_>, ty: &Ident) -> Option<(CaptureTy, Taken)> {
    let name = ty.value.as_str();
    if let Some((_, found)) = TYPES.into_iter().find(|(known, _)| *known == name) {
        return Some((found.clone(), Taken::Segment(found)));
    }
    match ctx.names.look_up(ty.span.source, name).map(|found| found.kind) {
        Some(Kind::Enum(id)) => {
            let declared = ctx.enums[id].clone();
            let variants = declared.variants.to_vec();
            return Some((CaptureTy::OneOf(variants), Taken::Variant(Ty::Enum(declared))));
        }
        Some(Kind::Later) => return None,
        Some(_) | None => {}
    }
    let known = TYPES.iter().map(|(known, _)| *known).chain(enums::visible(ctx, ty.span));
    let similar = closest(name, known);
    let diagnostic = Diagnostic::error("E0313", format!("`{name}` is not a type of captures"), ty.span);
    let possible = "possible: int, uuid, slug, hex, an enum, re\"…\"";
    ctx.report(match similar {
        Some(similar) => diagnostic.fix(format!("did you mean `{similar}`? {possible}"), ty.span, similar),
        None => diagnostic.help(possible),
    });
    None
}

/// `rewrite strip /a/b`: segments that every request here is proven to start with.
pub(super) fn strip(ctx: &mut Check<'_>, written: &ast::PathPattern) -> Option<Vec<String>> {
    let mut segments = Vec::new();
    for segment in &written.segments {
        match segment.parts.as_slice() {
            [] => {
                ctx.report(
                    Diagnostic::error("E0312", "`rewrite strip` removes whole segments", written.span)
                        .help("write the prefix without a `/` at its end"),
                );
                return None;
            }
            [PatternPart::Literal(text)] => segments.push(piece(ctx, &text.value, text.span)?),
            _ => {
                ctx.report(
                    Diagnostic::error("E0312", "`rewrite strip` removes text, not captures", segment.span)
                        .help("write `rewrite path` with the captures to keep"),
                );
                return None;
            }
        }
    }
    let proven = segments.iter().zip(&ctx.scope.path).all(|(text, known)| match known {
        SegmentPattern::Literal(known) => known == text,
        SegmentPattern::Capture { .. } => false,
    });
    if proven && segments.len() <= ctx.scope.path.len() {
        return Some(segments);
    }
    let text = format!("/{}", segments.join("/"));
    let owner = ctx.scope.owner;
    if ctx.scope.path.is_empty() && owner == "policy" {
        ctx.report(
            Diagnostic::error("E0314", "a policy cannot remove a prefix", written.span)
                .label("it may stand in routes whose paths start otherwise")
                .help("write `rewrite strip` in the route or group that has the prefix"),
        );
        return None;
    }
    let mut diagnostic = Diagnostic::error(
        "E0314",
        format!("not every path of this {owner} starts with `{text}`"),
        written.span,
    )
    .label("only a prefix that is always there can be removed");
    if let Some(place) = ctx.scope.path_span.or(ctx.scope.owner_span) {
        diagnostic = diagnostic.with(place, "this is what is known of the path");
    }
    ctx.report(diagnostic);
    None
}
