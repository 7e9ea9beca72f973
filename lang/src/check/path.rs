//! Path literals: brought to the form that request paths have.

use super::Check;
use crate::target::{TargetError, normalize_path, normalize_piece};
use crate::{Diagnostic, Span};

/// The normal form of a whole path, or a report.
pub(super) fn literal(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<String> {
    if text.contains("//") {
        empty_segment(ctx, span);
        return None;
    }
    let mut scratch = Vec::new();
    match normalize_path(text.as_bytes(), &mut scratch) {
        Ok(normal) => Some(String::from_utf8_lossy(normal).into_owned()),
        Err(error) => {
            refuse(ctx, error, text, span);
            None
        }
    }
}

/// The normal form of text that is part of a path, or a report.
pub(super) fn piece(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<String> {
    match normalize_piece(text) {
        Ok(normal) => Some(normal),
        Err(error) => {
            refuse(ctx, error, text, span);
            None
        }
    }
}

/// Reports text that no request path can hold.
pub(super) fn refuse(ctx: &mut Check<'_>, error: TargetError, text: &str, span: Span) {
    let diagnostic =
        Diagnostic::error("E0310", format!("`{text}` can be no part of a path"), span).label(error.reason());
    ctx.report(match error {
        TargetError::EncodedSlash | TargetError::Backslash | TargetError::Control => {
            diagnostic.note("requests with such a path are refused before any route is asked")
        }
        TargetError::NotAbsolute
        | TargetError::TooLong
        | TargetError::TooManySegments
        | TargetError::BadEscape
        | TargetError::BadByte
        | TargetError::AboveRoot
        | TargetError::Userinfo
        | TargetError::BadHost
        | TargetError::BadPort => diagnostic,
    });
}

/// Reports `//`.
pub(super) fn empty_segment(ctx: &mut Check<'_>, span: Span) {
    ctx.report(
        Diagnostic::error("E0310", "an empty segment matches nothing", span)
            .note("empty segments of requests are merged before any route is asked")
            .help("write one `/`"),
    );
}

/// Reports `.` or `..` as a segment.
pub(super) fn dot_segment(ctx: &mut Check<'_>, text: &str, span: Span) {
    ctx.report(
        Diagnostic::error("E0310", format!("a segment `{text}` matches nothing"), span)
            .note("`.` and `..` in requests are resolved before any route is asked"),
    );
}
