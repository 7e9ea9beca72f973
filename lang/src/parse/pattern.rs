//! From grammar pairs to host patterns, path patterns and path templates.

use super::build::{Build, Node, parts};
use super::grammar::Rule;
use crate::Span;
use crate::ast::{
    Capture, CaptureKind, HostPattern, PathPattern, PathTemplate, PatternPart, PatternSegment, TemplatePart,
};
use crate::diagnostic::Diagnostic;
use crate::literal::Method;
use crate::span::Spanned;

impl<'t> Build<'t> {
    /// A host pattern in lower case; `None` after a report.
    pub(super) fn host_pattern(&mut self, node: &Node<'t>) -> Option<Spanned<HostPattern>> {
        let (text, span) = (node.as_str(), self.span(node));
        let capture = parts(node.clone()).find(|n| n.as_rule() == Rule::host_cap);
        let capture = capture.and_then(|cap| parts(cap).next()).map(|name| self.ident(&name));
        let pattern = if text == "*" {
            HostPattern::Any
        } else if text.starts_with('[') {
            let inner = text.trim_start_matches('[').trim_end_matches(']');
            let Ok(address) = inner.parse::<std::net::Ipv6Addr>() else {
                let message = format!("`{inner}` is not an IP address");
                let label = "an IPv6 address has eight groups, or fewer with one `::`";
                self.report(Diagnostic::error("E0132", message, span).label(label));
                return None;
            };
            HostPattern::Exact(format!("[{address}]"))
        } else {
            let first = if capture.is_some() || text.starts_with('*') {
                text.find('.').map_or(0, |dot| dot + 1)
            } else {
                0
            };
            let start = span.start + u32::try_from(first).unwrap_or(0);
            let name = self.host_name(&text[first..], Span { start, ..span })?;
            if first == 0 {
                HostPattern::Exact(name)
            } else if text.starts_with("**") {
                HostPattern::AnyDepth(name)
            } else {
                HostPattern::OneLabel { capture, suffix: name }
            }
        };
        Some(Spanned::new(pattern, span))
    }

    /// A host name in lower case within the lengths of RFC 1035 section 2.3.4; `None` after a report.
    pub(super) fn host_name(&mut self, text: &str, span: Span) -> Option<String> {
        let fault = if text.len() > 253 {
            Some("host names have at most 253 characters")
        } else if text.split('.').any(|label| label.len() > 63) {
            Some("the parts between dots have at most 63 characters")
        } else {
            None
        };
        if let Some(fault) = fault {
            self.report(Diagnostic::error("E0116", "this is not a host name", span).label(fault));
            return None;
        }
        Some(text.to_ascii_lowercase())
    }

    pub(super) fn methods(&mut self, node: Node<'t>) -> Vec<Spanned<Method>> {
        parts(node).map(|m| Spanned::new(Method::from_text(m.as_str()), self.span(&m))).collect()
    }

    /// Reports `//` in a path and tells whether there is none.
    pub(super) fn no_empty_segment(&mut self, text: &str, span: Span) -> bool {
        let Some(at) = text.find("//") else { return true };
        let start = span.start + u32::try_from(at).unwrap_or(0);
        let place = Span { start, end: start + 2, ..span };
        let run = text[at..].len() - text[at..].trim_start_matches('/').len();
        let all = Span { end: start + u32::try_from(run).unwrap_or(2), ..place };
        let diagnostic = Diagnostic::error("E0115", "a path has no empty segment", place)
            .label("requests are matched with repeated `/` merged")
            .fix("write one `/`", all, "/");
        self.report(diagnostic);
        false
    }

    /// A path pattern; empty segments in the middle are reported and left out.
    pub(super) fn path_pattern(&mut self, node: Node<'t>) -> PathPattern {
        let (text, span) = (node.as_str(), self.span(&node));
        let mut segments: Vec<PatternSegment> = Vec::new();
        let mut at = span.start;
        for part in parts(node) {
            let place = self.span(&part);
            self.slashes(at, place.start, &mut segments);
            at = place.end;
            let (Some(inner), Some(segment)) = (parts(part).next(), segments.last_mut()) else { continue };
            segment.span = segment.span.to(place);
            let part = self.pattern_part(inner);
            if let (Some(part), Some(segment)) = (part, segments.last_mut()) {
                segment.parts.push(part);
            }
        }
        self.slashes(at, span.end, &mut segments);
        // A regex may hold two slashes, so only the text between the parts is looked at.
        let empty_inside = segments.iter().rev().skip(1).any(|segment| segment.parts.is_empty());
        if empty_inside {
            self.no_empty_segment(text, span);
            let last = segments.len() - 1;
            let mut place = 0;
            segments.retain(|segment| {
                place += 1;
                place - 1 == last || !segment.parts.is_empty()
            });
        }
        PathPattern { segments, span }
    }

    /// Opens a segment for each slash between `from` and `to`.
    fn slashes(&self, from: u32, to: u32, segments: &mut Vec<PatternSegment>) {
        for at in from as usize..to as usize {
            segments.push(PatternSegment { parts: Vec::new(), span: self.span_of(at + 1, at + 1) });
        }
    }

    fn pattern_part(&mut self, node: Node<'t>) -> Option<PatternPart> {
        let span = self.span(&node);
        if node.as_rule() == Rule::pat_lit {
            return Some(PatternPart::Literal(Spanned::new(node.as_str().to_owned(), span)));
        }
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let kind = match inner.next() {
            None => CaptureKind::Segment,
            Some(mark) if mark.as_rule() == Rule::rest_mark => CaptureKind::Rest,
            Some(ty) => {
                let ty = parts(ty).next()?;
                if ty.as_rule() == Rule::regex {
                    CaptureKind::Regex(self.capture_regex(&ty))
                } else {
                    CaptureKind::Typed(self.ident(&ty))
                }
            }
        };
        Some(PatternPart::Capture(Capture { name, kind, span }))
    }

    /// A path template; `//` in it is reported.
    pub(super) fn path_template(&mut self, node: Node<'t>) -> PathTemplate {
        let span = self.span(&node);
        self.no_empty_segment(node.as_str(), span);
        let mut pieces: Vec<TemplatePart> = Vec::new();
        let mut literal_from = span.start as usize;
        for part in parts(node) {
            if part.as_rule() != Rule::tpl_cap {
                continue;
            }
            let place = self.span(&part);
            self.template_text(literal_from, place.start as usize, &mut pieces);
            literal_from = place.end as usize;
            let mut inner = parts(part);
            let Some(name) = inner.next() else { continue };
            let name = self.ident(&name);
            pieces.push(TemplatePart::Capture { name, rest: inner.next().is_some(), span: place });
        }
        self.template_text(literal_from, span.end as usize, &mut pieces);
        PathTemplate { parts: pieces, span }
    }

    fn template_text(&self, from: usize, to: usize, pieces: &mut Vec<TemplatePart>) {
        if from < to {
            let text = self.scan.text[from..to].to_owned();
            pieces.push(TemplatePart::Literal(Spanned::new(text, self.span_of(from, to))));
        }
    }
}
