//! Regular expressions: the language that runs in time linear in the input, matched against the whole value.

use super::Check;
use super::limits::{REGEX_BYTES_MAX, REGEX_NESTING_MAX, REGEX_STATES_MAX};
use crate::literal::Regex;
use crate::{Diagnostic, Span};
use regex_syntax::ast::{self, Ast, ErrorKind};
use regex_syntax::hir::{Hir, HirKind};

/// Checks a pattern written at `span`; false, and a report, when it is refused. `subject` is the text it is matched
/// against as written, for advice.
pub(super) fn check(ctx: &mut Check<'_>, regex: &Regex, span: Span, subject: Option<&str>) -> bool {
    let problem = find_problem(regex, span, subject);
    match problem {
        Some(problem) => {
            ctx.report(problem);
            false
        }
        None => true,
    }
}

fn find_problem(regex: &Regex, span: Span, subject: Option<&str>) -> Option<Diagnostic> {
    let pattern = &regex.pattern;
    if pattern.len() > REGEX_BYTES_MAX {
        let message = format!("a regular expression has at most {REGEX_BYTES_MAX} bytes");
        return Some(Diagnostic::error("E0311", message, span));
    }
    let mut parser = ast::parse::ParserBuilder::new().nest_limit(REGEX_NESTING_MAX).build();
    let tree = match parser.parse(pattern) {
        Ok(tree) => tree,
        Err(error) => return Some(syntax_error(pattern, &error, span, subject)),
    };
    if let Some(anchor) = find_anchor(&tree, pattern.len()) {
        return Some(anchor_error(anchor, span));
    }
    let translator = regex_syntax::hir::translate::TranslatorBuilder::new()
        .case_insensitive(regex.ignore_case)
        .build()
        .translate(pattern, &tree);
    match translator {
        Ok(hir) if states(&hir) > REGEX_STATES_MAX => Some(
            Diagnostic::error("E0311", "this regular expression is too large", span)
                .label(format!("its repetitions unfold to more than {REGEX_STATES_MAX} states"))
                .help("repeat less, or use `*` or `+`"),
        ),
        Ok(_) => None,
        Err(error) => {
            let place = inside(span, error.span());
            Some(Diagnostic::error(
                "E0311",
                format!("this regular expression is not valid: {}", error.kind()),
                place,
            ))
        }
    }
}

fn syntax_error(pattern: &str, error: &ast::Error, span: Span, subject: Option<&str>) -> Diagnostic {
    let place = inside(span, error.span());
    match error.kind() {
        ErrorKind::UnsupportedLookAround => {
            let diagnostic = Diagnostic::error("E0311", "look-around is not supported", place)
                .note("twp matches in time linear in the input");
            match subject.and_then(|subject| without_look_ahead(pattern, subject)) {
                Some(advice) => diagnostic.help(advice),
                None => diagnostic.help("combine two conditions with `and not`; `^` and `$` are implied"),
            }
        }
        ErrorKind::UnsupportedBackreference => {
            Diagnostic::error("E0311", "backreferences are not supported", place)
                .note("twp matches in time linear in the input")
                .help("write what the group may be a second time")
        }
        ErrorKind::NestLimitExceeded(_) => {
            Diagnostic::error("E0311", "this regular expression is nested too deeply", place)
        }
        other => Diagnostic::error("E0311", format!("this regular expression is not valid: {other}"), place),
    }
}

/// The place inside the literal: the pattern starts after `re"` and has no escapes of its own.
fn inside(span: Span, place: &ast::Span) -> Span {
    let at = |offset: usize| {
        span.start.saturating_add(u32::try_from(offset + 3).unwrap_or(u32::MAX)).min(span.end)
    };
    let (start, end) = (at(place.start.offset), at(place.end.offset));
    // An error at the end of the pattern has an empty place; show its last character instead.
    if start == end {
        Span { start: start.saturating_sub(1).max(span.start), end, ..span }
    } else {
        Span { start, end, ..span }
    }
}

/// Advice for `^/(?!admin).*`: the two conditions it stands for.
fn without_look_ahead(pattern: &str, subject: &str) -> Option<String> {
    let (before, rest) = pattern.strip_prefix('^').unwrap_or(pattern).split_once("(?!")?;
    let (refused, after) = rest.split_once(')')?;
    let is_literal = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-_~".contains(&b));
    let takes_all = matches!(after, "" | ".*" | ".*$" | ".+" | ".+$");
    if !is_literal(before) || !is_literal(refused) || refused.is_empty() || !takes_all {
        return None;
    }
    let text = format!("{before}{refused}");
    let shown = if subject == "request.path" && text.starts_with('/') { text } else { format!("\"{text}\"") };
    Some(format!("write `not ({subject} starts_with {shown})`; `^` and `$` are implied"))
}

/// An anchor or word boundary that is not the implied one at the start or end.
fn find_anchor(tree: &Ast, end: usize) -> Option<&ast::Assertion> {
    // Patterns are nested at most REGEX_NESTING_MAX deep, but a concatenation may be long: walk without recursion.
    let mut open = vec![tree];
    let mut first: Option<&ast::Assertion> = None;
    while let Some(tree) = open.pop() {
        match tree {
            Ast::Assertion(assertion) => {
                let implied = match assertion.kind {
                    ast::AssertionKind::StartLine | ast::AssertionKind::StartText => {
                        assertion.span.start.offset == 0
                    }
                    ast::AssertionKind::EndLine | ast::AssertionKind::EndText => {
                        assertion.span.end.offset == end
                    }
                    ast::AssertionKind::WordBoundary
                    | ast::AssertionKind::NotWordBoundary
                    | ast::AssertionKind::WordBoundaryStart
                    | ast::AssertionKind::WordBoundaryEnd
                    | ast::AssertionKind::WordBoundaryStartAngle
                    | ast::AssertionKind::WordBoundaryEndAngle
                    | ast::AssertionKind::WordBoundaryStartHalf
                    | ast::AssertionKind::WordBoundaryEndHalf => false,
                };
                if !implied && first.is_none_or(|f| assertion.span.start.offset < f.span.start.offset) {
                    first = Some(assertion);
                }
            }
            Ast::Repetition(repetition) => open.push(&repetition.ast),
            Ast::Group(group) => open.push(&group.ast),
            Ast::Alternation(alternation) => open.extend(&alternation.asts),
            Ast::Concat(concat) => open.extend(&concat.asts),
            Ast::Empty(_)
            | Ast::Flags(_)
            | Ast::Literal(_)
            | Ast::Dot(_)
            | Ast::ClassUnicode(_)
            | Ast::ClassPerl(_)
            | Ast::ClassBracketed(_) => {}
        }
    }
    first
}

fn anchor_error(assertion: &ast::Assertion, span: Span) -> Diagnostic {
    let place = inside(span, &assertion.span);
    match assertion.kind {
        ast::AssertionKind::StartLine
        | ast::AssertionKind::StartText
        | ast::AssertionKind::EndLine
        | ast::AssertionKind::EndText => {
            Diagnostic::error("E0311", "an anchor inside a regular expression can never match", place)
                .note("a regular expression always matches the whole value; `^` and `$` are implied")
                .fix("remove it", place, "")
        }
        ast::AssertionKind::WordBoundary
        | ast::AssertionKind::NotWordBoundary
        | ast::AssertionKind::WordBoundaryStart
        | ast::AssertionKind::WordBoundaryEnd
        | ast::AssertionKind::WordBoundaryStartAngle
        | ast::AssertionKind::WordBoundaryEndAngle
        | ast::AssertionKind::WordBoundaryStartHalf
        | ast::AssertionKind::WordBoundaryEndHalf => {
            Diagnostic::error("E0311", "word boundaries are not supported", place)
                .note("a regular expression always matches the whole value; `^` and `$` are implied")
                .help("write the characters that may stand around the word")
        }
    }
}

/// About how many states the pattern needs when its counted repetitions are unfolded.
fn states(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => u64::try_from(literal.0.len()).unwrap_or(u64::MAX),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            states(&repetition.sub).saturating_mul(u64::from(times))
        }
        HirKind::Capture(capture) => states(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum: u64, part| sum.saturating_add(states(part)))
        }
    }
}
