//! Heads of declarations and routes, addresses and URLs as other proxies write them.

use super::unexpected;
use crate::diagnostic::Diagnostic;
use crate::literal::Method;
use crate::parse::mistake::Mistake;
use crate::parse::words::Place;
use crate::scan::TokenKind;

/// `route GET, POST /a`, `route get /a`, `route /a GET`, `route "/a"`.
pub(super) fn route(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "route" {
        return None;
    }
    let (here, text, span) = (mistake.here?, mistake.here_text(), mistake.here_span());
    let diagnostic = unexpected(mistake);
    match here.kind {
        TokenKind::Mark if text == "," && is_capital(before(mistake)) => {
            Some(diagnostic.fix("join methods by `|`", span, "|"))
        }
        TokenKind::Open if text == "[" => {
            Some(diagnostic.help("methods stand without brackets and are joined by `|`: `GET|POST`"))
        }
        TokenKind::Word if Method::KNOWN.iter().any(|method| method.as_str() == text) => {
            Some(diagnostic.help("methods stand before the path"))
        }
        TokenKind::Word => {
            let capital = text.to_ascii_uppercase();
            let known = Method::KNOWN.iter().any(|method| method.as_str() == capital);
            known.then(|| diagnostic.fix(format!("write `{capital}`"), span, capital))
        }
        TokenKind::Text if text.starts_with("re\"") => {
            Some(diagnostic.help(format!("write `route when request.path matches {text}`")))
        }
        TokenKind::Text => {
            let path = text.trim_matches('"');
            let help = "paths stand without quotes";
            path.starts_with('/').then(|| diagnostic.fix(help, span, path))
        }
        _ => None,
    }
}

/// `request get https://…`
pub(super) fn test_request(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "request" || mistake.place != Place::Test {
        return None;
    }
    let capital = mistake.here_text().to_ascii_uppercase();
    let known = Method::KNOWN.iter().any(|method| method.as_str() == capital);
    let diagnostic = || unexpected(mistake).fix(format!("write `{capital}`"), mistake.here_span(), &capital);
    known.then(diagnostic)
}

/// `site "a.test"`, `site :80`, `site *a.test`.
pub(super) fn site(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "site" {
        return None;
    }
    let (here, text, span) = (mistake.here?, mistake.here_text(), mistake.here_span());
    match here.kind {
        TokenKind::Text => {
            let host = text.trim_matches('"');
            Some(unexpected(mistake).fix("hosts stand without quotes", span, host))
        }
        TokenKind::Word if before(mistake) == "*" => {
            let help = format!("write `*.{text}` for one label, `**.{text}` for one or more");
            Some(unexpected(mistake).fix(help, span, format!(".{text}")))
        }
        TokenKind::Mark if text == ":" => Some(
            unexpected(mistake)
                .help("ports belong to listeners; `site * { … }` takes the hosts no other takes"),
        ),
        _ => None,
    }
}

/// `a.test { … }` and `edition: 1`.
pub(super) fn file(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.place != Place::Top || !mistake.at_start() {
        return None;
    }
    let second = *mistake.scan.tokens().get(mistake.second())?;
    let (word, next) = (mistake.first_word(), mistake.scan.str(&second));
    if word == "edition" && matches!(next, ":" | "=") {
        let span = mistake.span(second.start, second.end);
        let diagnostic = Diagnostic::error("E0111", format!("expected a number, found `{next}`"), span);
        return Some(diagnostic.fix("write `edition 1`", span, ""));
    }
    let start = mistake.scan.tokens()[mistake.first].start;
    let host = mistake.scan.text[start..].split([' ', '{', ',', '\n', ':']).next().unwrap_or_default();
    if word.is_empty() || next != "." || host.len() <= word.len() {
        return None;
    }
    let span = mistake.span(start, start + host.len());
    let diagnostic = Diagnostic::error("E0110", format!("`{host}` does not start a declaration"), span);
    Some(diagnostic.fix(format!("write `site {host} {{ … }}`"), span, format!("site {host}")))
}

/// `to http://10.0.0.1:80`, `redirect 301 https://a.test/`: addresses that are no value of this language.
pub(super) fn url(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.here_kind()? != TokenKind::Url {
        return None;
    }
    let (url, span) = (mistake.here_text().trim_end_matches(';'), mistake.here_span());
    let span = mistake.span(span.start as usize, span.start as usize + url.len());
    if mistake.first_word() == "redirect" {
        let text = with_fields(url);
        let diagnostic = Diagnostic::error("E0114", "a URL stands in double quotes", span);
        return Some(diagnostic.fix(format!("write `\"{text}\"`"), span, format!("\"{text}\"")));
    }
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let port = if scheme == "http" { ":80" } else { ":443" };
    let has_port = authority.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
    let address = format!("{authority}{}", if has_port { "" } else { port });
    let diagnostic = Diagnostic::error("E0111", "expected an address and a port, found a URL", span);
    Some(if rest.trim_end_matches('/') == authority {
        diagnostic.fix(format!("write `{address}`"), span, address)
    } else {
        diagnostic.help(format!("write `{address}`; a path is changed by `rewrite path`"))
    })
}

/// Variables of nginx in a URL, as fields of the request.
fn with_fields(url: &str) -> String {
    [("$request_uri", "request.target"), ("$http_host", "request.host"), ("$host", "request.host")]
        .iter()
        .chain(&[("$uri", "request.path"), ("$scheme", "request.scheme")])
        .fold(url.to_owned(), |text, (from, to)| text.replace(from, &format!("${{{to}}}")))
}

/// `to 10.0.0.1`, `to "10.0.0.1:80"`: an address without its port or in quotes.
pub(super) fn address(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    if mistake.first_word() != "to" {
        return None;
    }
    let (text, span) = (mistake.here_text(), mistake.here_span());
    let start = span.start as usize;
    match mistake.here_kind()? {
        TokenKind::Number if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let rest = &mistake.scan.text[start..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let (address, span) = (&rest[..end], mistake.span(start, start + end));
            let diagnostic = Diagnostic::error("E0111", "expected an address and a port", span);
            Some(diagnostic.label("the port is missing").help(format!("write `{address}:80`")))
        }
        TokenKind::Text => {
            let plain = text.trim_matches('"');
            Some(unexpected(mistake).fix("names and addresses stand without quotes", span, plain))
        }
        _ => None,
    }
}

/// `respond 200 "text"`, `redirect "https://…"`, `redirect permanent …`.
pub(super) fn answer(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let (here, span) = (mistake.here?, mistake.here_span());
    if mistake.first_word() == "redirect" && matches!(here.kind, TokenKind::Text | TokenKind::Word) {
        let diagnostic = unexpected(mistake);
        return Some(diagnostic.help("write the status first: 308 moves for good, 307 for now"));
    }
    let is_text = matches!(here.kind, TokenKind::Text | TokenKind::SingleQuoted);
    if !is_text || !mistake.at_start() {
        return None;
    }
    let number = mistake.scan.previous_solid(mistake.first)?;
    let is_respond = mistake.scan.tokens()[number].kind == TokenKind::Number
        && mistake.scan.text_of_solid_before(number) == Some("respond");
    let before = mistake.span(here.start, here.start);
    is_respond.then(|| {
        Diagnostic::error("E0111", "expected `body` before the text of an answer", span).fix(
            "insert `body`",
            before,
            "body ",
        )
    })
}

/// `10M` for `10MiB`, and words of the language in capitals.
pub(super) fn value(mistake: &Mistake<'_, '_>) -> Option<Diagnostic> {
    let (text, span) = (mistake.here_text(), mistake.here_span());
    match mistake.here_kind()? {
        TokenKind::Number => {
            let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
                "k" | "kb" | "kib" => "KiB",
                "m" | "mb" | "mib" => "MiB",
                "g" | "gb" | "gib" => "GiB",
                _ => return None,
            };
            let size = format!("{digits}{unit}");
            Some(unexpected(mistake).fix(format!("write `{size}`"), span, size))
        }
        TokenKind::Word if ["AND", "OR", "NOT", "IN"].contains(&text) => {
            let small = text.to_ascii_lowercase();
            let diagnostic = Diagnostic::error("E0113", format!("twp has no `{text}`"), span);
            Some(diagnostic.fix(format!("write `{small}`"), span, small))
        }
        _ => None,
    }
}

/// The text of the token before the place where reading stopped.
fn before<'t>(mistake: &Mistake<'_, 't>) -> &'t str {
    let Some(here) = mistake.here else { return "" };
    mistake.scan.text_of_solid_before(mistake.scan.index_at(here.start)).unwrap_or_default()
}

fn is_capital(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}
