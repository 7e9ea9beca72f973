//! Marks, comments and quotes of other languages.

use crate::diagnostic::Diagnostic;
use crate::parse::mistake::Mistake;
use crate::scan::{Scan, Token, TokenKind};
use crate::span::Span;

/// `;`
pub(in crate::parse) fn semicolon(span: Span) -> Diagnostic {
    Diagnostic::error("E0103", "twp has no `;`", span).fix(
        "remove it; statements need no separator",
        span,
        "",
    )
}

/// `# …` and `/* … */`
pub(in crate::parse) fn comment(scan: &Scan<'_>, token: &Token, span: Span) -> Diagnostic {
    let text = scan.str(token);
    if token.kind == TokenKind::HashComment {
        let marks = text.len() - text.trim_start_matches('#').len();
        let mark = Span { end: span.start + u32::try_from(marks).unwrap_or(1), ..span };
        return Diagnostic::error("E0112", "comments start with `//`", mark).fix("write `//`", mark, "//");
    }
    let diagnostic = Diagnostic::error("E0112", "twp has no `/* … */`", span);
    let inner = text.trim_start_matches("/*").trim_end_matches("*/");
    let ends_line = scan.text[token.end..scan.line_end(token.end)].trim().is_empty();
    if ends_line && !inner.contains('\n') {
        return diagnostic.fix(
            "comments start with `//` and end with the line",
            span,
            format!("// {}", inner.trim()),
        );
    }
    diagnostic.help("write `//` before each line of the comment")
}

/// A text that is never closed.
pub(super) fn open_text(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let token = mistake.read_tokens().iter().find(|token| token.kind == TokenKind::OpenText)?;
    let text = mistake.scan.str(token).trim_end();
    let span = mistake.span(token.start, token.start + text.len());
    let raw = text.starts_with('r') && !text.starts_with("re");
    let help = if raw {
        "a raw text ends with the mark it began with"
    } else {
        "a text ends with `\"` on the line it began on"
    };
    Some(Diagnostic::error("E0105", "this text is never closed", span).help(help))
}

/// A word, number or text that was written twice: the second one, or what follows it, cannot be read.
pub(super) fn doubled(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let Mistake { scan, .. } = mistake;
    let tokens = scan.tokens();
    let here = scan.next_solid(scan.index_at(mistake.at));
    let pair = |second: usize| {
        let before = scan.previous_solid(second)?;
        let (one, other) = (tokens.get(before)?, tokens.get(second)?);
        let can_double = matches!(one.kind, TokenKind::Word | TokenKind::Number | TokenKind::Text);
        let gap = scan.text.get(one.end..other.start)?;
        let is_apart = !gap.is_empty() && gap.trim().is_empty();
        (can_double && scan.str(one) == scan.str(other) && is_apart).then_some((one, other))
    };
    let (one, other) = pair(here).or_else(|| pair(scan.previous_solid(here)?))?;
    let (first, second) = (mistake.span(one.start, one.end), mistake.span(other.start, other.end));
    let gap = mistake.span(one.end, other.end);
    let diagnostic =
        Diagnostic::error("E0127", format!("{} stands here twice", quoted(scan.str(one))), second);
    Some(diagnostic.with(first, "it stands here already").fix("remove one of them", gap, ""))
}

/// Text as a message shows it.
fn quoted(text: &str) -> String {
    if text.len() <= 40 { format!("`{text}`") } else { "this".to_owned() }
}

/// A backslash with something behind it that is no escape.
pub(super) fn escape(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let index = mistake.scan.index_at(mistake.at);
    let inside = mistake.scan.tokens().get(index).is_some_and(|token| token.kind == TokenKind::Text);
    let rest = mistake.scan.text.get(mistake.at..)?.strip_prefix('\\')?;
    if !inside {
        return None;
    }
    let next = rest.chars().next()?;
    let span = mistake.span(mistake.at, mistake.at + 1 + next.len_utf8());
    let help = if next == 'u' {
        "a character is written by its hexadecimal number: `\\u{1F600}`"
    } else {
        r#"escapes are `\n`, `\t`, `\"`, `\\`, `\$` and `\u{…}`; `\\` is a backslash, and raw text `r"…"` has no escapes"#
    };
    Some(Diagnostic::error("E0136", format!("`\\{next}` is not an escape"), span).help(help))
}

/// `;`, other comments and stray documentation where reading stopped.
pub(super) fn at_mark(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let span = mistake.here_span();
    match mistake.here_kind()? {
        TokenKind::Mark if mistake.here_text() == ";" => Some(semicolon(span)),
        TokenKind::HashComment | TokenKind::BlockComment => Some(comment(mistake.scan, &mistake.here?, span)),
        TokenKind::Doc => {
            let mark = Span { end: span.start + 3, ..span };
            let diagnostic = Diagnostic::error("E0122", "there is nothing to document here", span)
                .note("`///` stands before declarations, routes and groups, `//!` at the start of a file")
                .fix("write `//` for a comment", mark, "//");
            Some(diagnostic)
        }
        TokenKind::Close if mistake.here_text() == "}" && mistake.at_start() => {
            let diagnostic = Diagnostic::error("E0102", "this `}` closes nothing", span);
            Some(diagnostic.fix("remove it, or look for a missing opening bracket before it", span, ""))
        }
        _ => None,
    }
}

/// `&&`, `||`, `!`, `~`, `=` as a comparison, `? :`
pub(super) fn operator(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.here_kind()? != TokenKind::Mark {
        return None;
    }
    let span = mistake.here_span();
    let written = mistake.here_text();
    let next = mistake.scan.text.get(span.end as usize..).unwrap_or_default().chars().next();
    let write = |instead: &str, text: &str| {
        let blank = if text == "not" && next != Some(' ') { " " } else { "" };
        Diagnostic::error("E0113", format!("twp has no `{written}`"), span).fix(
            format!("write `{instead}`"),
            span,
            format!("{text}{blank}"),
        )
    };
    match written {
        "&&" | "&" => Some(write("and", "and")),
        "||" | "|" => Some(write("or", "or")),
        "!" => Some(write("not", "not")),
        "~" => Some(
            Diagnostic::error("E0113", "twp has no `~`", span)
                .help("write `matches re\"…\"`; a regular expression always matches the whole value"),
        ),
        "?" => Some(
            Diagnostic::error("E0113", "twp has no `? :`", span)
                .help("write `if … then … else …`, or `??` for a default"),
        ),
        "=" if next == Some('~') => Some(
            Diagnostic::error("E0113", "twp has no `=~`", span)
                .help("write `matches re\"…\"`; a regular expression always matches the whole value"),
        ),
        "=" if compares(mistake) => {
            let diagnostic = Diagnostic::error("E0113", "`=` does not compare", span);
            Some(diagnostic.fix("write `==`", span, "=="))
        }
        _ => None,
    }
}

/// Whether the part is one where `=` can only be meant to compare.
fn compares(mistake: &Mistake<'_, '_>) -> bool {
    let after_equals =
        mistake.read_tokens().iter().filter(|token| mistake.scan.str(token) == "=").count() > 1;
    match mistake.first_word() {
        "when" | "require" | "route" | "group" => true,
        "rule" | "const" | "set" | "add" => after_equals,
        _ => false,
    }
}

/// `'text'`
pub(super) fn quotes(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let text = mistake.here_text();
    if mistake.here_kind()? != TokenKind::SingleQuoted {
        return None;
    }
    let span = mistake.here_span();
    let inner = text.trim_matches('\'').replace('\\', r"\\").replace('"', "\\\"");
    let diagnostic = Diagnostic::error("E0114", "text stands in double quotes", span);
    Some(diagnostic.fix(format!("write `\"{inner}\"`"), span, format!("\"{inner}\"")))
}
