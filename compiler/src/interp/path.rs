//! Path patterns on texts.

use super::regex;
use crate::core::{PathMatch, SegmentPattern, Tail};
use twp_lang::hir::CaptureTy;

/// The captures of a pattern on a path; `None` when it does not match.
pub(super) fn matches(pattern: &PathMatch, path: &str) -> Option<Vec<(String, String)>> {
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let n = pattern.segments.len();
    if segments.len() < n {
        return None;
    }
    let mut captures = Vec::new();
    for (pattern, segment) in pattern.segments.iter().zip(&segments) {
        if !match_segment(pattern, segment, &mut captures) {
            return None;
        }
    }
    let after = &segments[n..];
    match &pattern.tail {
        Tail::End => after.is_empty().then_some(())?,
        Tail::EndOrSlash => (after.is_empty() || after == [""]).then_some(())?,
        Tail::Rest(name) => {
            (!after.is_empty()).then_some(())?;
            captures.push((name.clone(), after.join("/")));
        }
        Tail::Below(Some(name)) => captures.push((name.clone(), after.join("/"))),
        Tail::Below(None) => {}
    }
    Some(captures)
}

/// Whether the pattern matches a segment; its capture, if it has one, is added.
fn match_segment(pattern: &SegmentPattern, segment: &str, captures: &mut Vec<(String, String)>) -> bool {
    match pattern {
        SegmentPattern::Literal(text) => text == segment,
        SegmentPattern::Capture { name, ty, prefix, suffix } => {
            let rest = segment.strip_prefix(prefix.as_str());
            let Some(value) = rest.and_then(|rest| rest.strip_suffix(suffix.as_str())) else { return false };
            captures.push((name.clone(), value.to_owned()));
            takes(ty, value)
        }
    }
}

fn takes(ty: &CaptureTy, value: &str) -> bool {
    match ty {
        CaptureTy::Segment => !value.is_empty(),
        CaptureTy::Int => {
            let digits = value.len() <= 18 && value.chars().all(|c| c.is_ascii_digit());
            digits && value.parse::<i64>().is_ok_and(|number| number.to_string() == value)
        }
        CaptureTy::Uuid => {
            let groups: Vec<&str> = value.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            lengths == [8, 4, 4, 4, 12] && groups.concat().chars().all(|c| c.is_ascii_hexdigit())
        }
        CaptureTy::Slug => {
            !value.is_empty()
                && value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        }
        CaptureTy::Hex => !value.is_empty() && value.chars().all(|c| c.is_ascii_hexdigit()),
        CaptureTy::OneOf(texts) => texts.iter().any(|text| text == value),
        CaptureTy::Regex(regex) => regex::matches(regex, value.as_bytes()),
    }
}
