//! Paths: patterns that bind captures, templates that use them.

use crate::Span;
use crate::literal::Regex;
use crate::span::{Ident, Spanned};

/// A path pattern as written: `/users/{id:int}`.
///
/// `/` is one empty segment, `/a/` is `a` and an empty segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// Segments between slashes.
    pub segments: Vec<PatternSegment>,
    /// All of it.
    pub span: Span,
}

/// One segment of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternSegment {
    /// Literal texts and captures in order.
    pub parts: Vec<PatternPart>,
    /// The segment without its slash.
    pub span: Span,
}

/// A part of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// Text as written.
    Literal(Spanned<String>),
    /// `{name}`, `{name:int}`, `{name...}`
    Capture(Capture),
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its name.
    pub name: Ident,
    /// What it takes.
    pub kind: CaptureKind,
    /// With its braces.
    pub span: Span,
}

/// What a capture takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// `{name}`: one segment that is not empty.
    Segment,
    /// `{name...}`: the remaining text.
    Rest,
    /// `{name:int}`: a segment of a named type.
    Typed(Ident),
    /// `{name:re"…"}`: a segment that matches.
    Regex(Spanned<Regex>),
}

/// A path template as written in `rewrite path` and `redirect`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    /// Texts (slashes included) and captures in order.
    pub parts: Vec<TemplatePart>,
    /// All of it.
    pub span: Span,
}

/// A part of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text as written.
    Literal(Spanned<String>),
    /// `{name}` or `{name...}`
    Capture {
        /// The name.
        name: Ident,
        /// Written with three dots.
        rest: bool,
        /// With its braces.
        span: Span,
    },
}
