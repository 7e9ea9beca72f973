//! Mistakes in paths and in the hosts of a site.

use crate::diagnostic::Diagnostic;
use crate::parse::mistake::Mistake;
use crate::scan::{Token, TokenKind};
use crate::span::Span;
use std::fmt::Write as _;

/// A port, scheme, path or other letters in the hosts of a site.
pub(super) fn host(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "site" {
        return None;
    }
    let tokens = mistake.read_tokens();
    if let Some(url) = tokens.iter().find(|token| token.kind == TokenKind::Url) {
        let text = mistake.scan.str(url);
        let name = text.split("://").nth(1)?.split(['/', ':', '?']).next()?;
        let scheme = text.len() - text.split("://").nth(1)?.len();
        let place = mistake.span(url.start, url.start + scheme);
        let diagnostic = Diagnostic::error("E0116", "a site has no scheme", place)
            .label("whether a site speaks TLS is said by its setting `tls`");
        return Some(diagnostic.fix(format!("write `{name}`"), mistake.span(url.start, url.end), name));
    }
    let here = mistake.here?;
    let glued = mistake.glued_before().is_some_and(|before| {
        before.end == here.start || before.start < here.start && before.end >= here.end
    });
    let text = mistake.here_text();
    if !text.is_ascii() {
        let diagnostic = Diagnostic::error("E0116", "host names are ASCII", mistake.here_span());
        return Some(diagnostic.help("write the name as DNS has it: `xn--…`"));
    }
    if text == ":" && glued {
        let digits = mistake.scan.text[here.end..].bytes().take_while(u8::is_ascii_digit).count();
        let place = mistake.span(here.start, here.end + digits);
        let diagnostic = Diagnostic::error("E0116", "a site has no port", place)
            .label("ports belong to listeners; sites are chosen by host alone");
        return Some(diagnostic.fix("remove it", place, ""));
    }
    if here.kind == TokenKind::Path && glued {
        let diagnostic = Diagnostic::error("E0116", "a site has no path", mistake.here_span())
            .help(format!("write `group {text} {{ … }}` or `route {text} {{ … }}` inside the site"));
        return Some(diagnostic);
    }
    None
}

/// `*`, `${`, a query, a doubled slash or other letters in a path.
pub(super) fn path(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let tokens = mistake.read_tokens();
    tokens.iter().find_map(|token| match token.kind {
        TokenKind::Path => in_path(mistake, token),
        TokenKind::Comment => slashes(mistake, token),
        _ => None,
    })
}

fn in_path(mistake: &Mistake<'_, '_>, token: &Token) -> Option<Diagnostic> {
    let text = mistake.scan.str(token);
    let place = |at: usize, length: usize| mistake.span(token.start + at, token.start + at + length);
    let all = place(0, text.len());
    if let Some(at) = text.find('*') {
        return Some(star(text, at, place(at, 1), all));
    }
    if let Some(at) = text.find("${") {
        let diagnostic = Diagnostic::error("E0115", "a path has no `${…}`", place(at, 2))
            .label("captures stand in plain braces");
        return Some(diagnostic.fix("write `{`", place(at, 2), "{"));
    }
    if let Some((at, c)) = text.char_indices().find(|(_, c)| !c.is_ascii()) {
        let mut bytes = [0; 4];
        let mut escaped = String::new();
        for byte in c.encode_utf8(&mut bytes).bytes() {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        let diagnostic = Diagnostic::error("E0115", "paths are ASCII", place(at, c.len_utf8()));
        return Some(diagnostic.fix(
            format!("write `{escaped}` for `{c}`"),
            place(at, c.len_utf8()),
            escaped,
        ));
    }
    let next = mistake.scan.text[token.end..].chars().next();
    if next == Some('?') && !mistake.scan.text[token.end..].starts_with("??") {
        let length =
            mistake.scan.text[token.end..].find(|c: char| c.is_whitespace() || c == '{').unwrap_or(1);
        let place = mistake.span(token.end, token.end + length);
        let diagnostic = Diagnostic::error("E0115", "a path has no query", place);
        return Some(diagnostic.help("test fields of the query with `when request.query[\"…\"] == \"…\"`"));
    }
    None
}

fn star(text: &str, at: usize, star: Span, all: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0107", "`*` is not a path pattern", star);
    let before = &text[..at];
    let after = text[at..].trim_start_matches('*');
    if before.ends_with('/') && after.is_empty() {
        let written = format!("{before}{{rest...}}");
        return diagnostic.label("in twp the rest of a path has a name").fix(
            format!("write `{written}`, which matches everything below `{before}`"),
            all,
            written,
        );
    }
    if before.ends_with('/') && !after.contains('*') {
        let written = format!("{before}{{name}}{after}");
        return diagnostic.label("in twp a piece of a path has a name").fix(
            format!("write `{written}`, where `{{name}}` is one piece between slashes"),
            all,
            written,
        );
    }
    diagnostic
        .label("in twp a piece of a path has a name")
        .help("write `{name}` for one piece between slashes, `{rest...}` for all that follows one")
}

/// `//` where a path was meant, which starts a comment.
fn slashes(mistake: &Mistake<'_, '_>, token: &Token) -> Option<Diagnostic> {
    let index = mistake.scan.index_at(token.start);
    let before = mistake.scan.text_of_solid_before(index)?;
    let wants_path = matches!(before, "route" | "group" | "at" | "strip" | "path")
        || before.len() > 1 && before.bytes().all(|byte| byte.is_ascii_uppercase());
    let text = mistake.scan.str(token);
    if !wants_path || text.len() < 3 || text[2..].starts_with(' ') {
        return None;
    }
    let span = mistake.span(token.start, token.start + 2);
    let diagnostic = Diagnostic::error("E0115", "`//` starts a comment", span);
    Some(diagnostic.fix("a path starts with one `/`", span, "/"))
}
