//! Header names: constants, tokens in lower case, and not those that only the proxy may write.

use super::field::builtin;
use super::render::quoted;
use super::scope::Place;
use super::{Check, expr, fold};
use crate::ast::{self, Literal};
use crate::hir::{Message, Ty, Value};
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// Fields that frame a message or belong to one connection (RFC 9110 section 7.6.1, RFC 9112 section 6).
const PROTECTED: [&str; 9] = [
    "connection",
    "transfer-encoding",
    "content-length",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "proxy-connection",
];
/// Fields that twp writes on its own.
const OWN: [&str; 4] = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"];
/// Fields people often mean.
const COMMON: [&str; 28] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "access-control-allow-origin",
    "authorization",
    "cache-control",
    "content-encoding",
    "content-security-policy",
    "content-type",
    "cookie",
    "etag",
    "expires",
    "if-none-match",
    "last-modified",
    "link",
    "location",
    "origin",
    "permissions-policy",
    "range",
    "referer",
    "referrer-policy",
    "server",
    "set-cookie",
    "strict-transport-security",
    "user-agent",
    "vary",
    "x-frame-options",
    "x-request-id",
];

/// The name in `header[…]` in lower case, or a report.
pub(super) fn read_name(ctx: &mut Check<'_>, index: &ast::Expr) -> Option<String> {
    let name = constant_name(ctx, index, "a header")?;
    check_token(ctx, &name, index)?;
    Some(name.to_ascii_lowercase())
}

/// The text of an index that must be known when the program is compiled, or a report.
pub(super) fn constant_name(ctx: &mut Check<'_>, index: &ast::Expr, what: &str) -> Option<String> {
    if let Some(name) = unquoted(ctx, index) {
        let message = format!("the name of {what} stands in double quotes");
        let text = format!("\"{name}\"");
        let diagnostic = Diagnostic::error("E0319", message, index.span);
        ctx.report(diagnostic.fix(format!("write `{text}`"), index.span, text));
        return None;
    }
    let place = ctx.scope.place;
    let typed = expr::expect(ctx, index, &Ty::String);
    ctx.scope.place = place;
    if typed.ty == Ty::Error {
        return None;
    }
    let Some(Value::Text(name)) = fold::value(ctx, &typed) else {
        ctx.report(
            Diagnostic::error("E0319", format!("the name of {what} is a constant"), index.span)
                .label("known only while a request is served"),
        );
        return None;
    };
    if name.is_empty() {
        ctx.report(Diagnostic::error("E0319", format!("the name of {what} is empty"), index.span));
        return None;
    }
    Some(name)
}

/// `x-name` without quotes, which reads as a difference of names that nobody declared.
fn unquoted(ctx: &mut Check<'_>, index: &ast::Expr) -> Option<String> {
    match &index.kind {
        ast::ExprKind::Name(name) => ctx.is_unknown(name, index.span).then(|| name.clone()),
        ast::ExprKind::Literal(Literal::Int(number)) => Some(number.to_string()),
        ast::ExprKind::Binary { op, left, right } if op.value == ast::BinaryOp::Subtract => {
            Some(format!("{}-{}", unquoted(ctx, left)?, unquoted(ctx, right)?))
        }
        _ => None,
    }
}

/// Header names are tokens (RFC 9110 section 5.1).
fn check_token(ctx: &mut Check<'_>, name: &str, written: &ast::Expr) -> Option<()> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let Some((at, bad)) = name.chars().enumerate().find(|(_, c)| !is_token(*c)) else { return Some(()) };
    let shown = match bad {
        ' ' => "space".to_owned(),
        '\t' => "tab".to_owned(),
        c if c.is_control() => "a control character".to_owned(),
        c => format!("`{c}`"),
    };
    let place = text_place(written, name);
    let mut diagnostic = Diagnostic::error("E0308", format!("`{name}` is not a header name"), place)
        .label(format!("{shown} is not allowed at position {}", at + 1));
    let guess: String =
        name.trim().chars().map(|c| if is_token(c) { c.to_ascii_lowercase() } else { '-' }).collect();
    let known = || COMMON.into_iter().chain(OWN).chain(PROTECTED);
    let meant = known().find(|known| *known == guess).or_else(|| closest(&guess, known()));
    if let Some(meant) = meant {
        let note = if OWN.contains(&meant) { " twp already sets it" } else { "" };
        diagnostic = diagnostic.fix(format!("did you mean {}?{note}", quoted(meant)), place, meant);
    }
    ctx.report(diagnostic);
    None
}

/// The text between the quotes, when it was written without escapes.
fn text_place(written: &ast::Expr, text: &str) -> Span {
    let span = written.span;
    let is_plain = matches!(written.kind, ast::ExprKind::Literal(Literal::Text(_)))
        && span.range().len() == text.len() + 2;
    if is_plain { Span { start: span.start + 1, end: span.end - 1, ..span } } else { span }
}

/// What a `set`, `add` or `remove` speaks of: a header that may be written, or a report.
pub(super) fn target(ctx: &mut Check<'_>, target: &ast::Expr, verb: &str) -> Option<(Message, String)> {
    let (group, field, index) = parts(target);
    let message = match group {
        Some("request") => Message::Request,
        Some("response") => Message::Response,
        Some(_) | None => {
            if matches!(target.kind, ast::ExprKind::Error) {
                ctx.incomplete = true;
                return None;
            }
            ctx.report(
                Diagnostic::error("E0321", format!("`{verb}` does not work on this"), target.span).help(
                    format!("write `{verb} request.header[\"name\"]` or `{verb} response.header[\"name\"]`"),
                ),
            );
            return None;
        }
    };
    let side = if message == Message::Request { "request" } else { "response" };
    match (field, index) {
        ("header", Some(index)) => {
            ctx.scope.place = Place::Statement;
            let name = constant_name(ctx, index, "a header")?;
            if name.starts_with(':') || PROTECTED.contains(&name.to_ascii_lowercase().as_str()) {
                protected(ctx, &name, text_place(index, &name), verb);
                return None;
            }
            check_token(ctx, &name, index)?;
            return Some((message, name.to_ascii_lowercase()));
        }
        ("query", Some(_)) if message == Message::Request => {
            ctx.later("writing a query field", target.span);
        }
        ("status" | "body", None) if message == Message::Response => {
            ctx.later(&format!("writing `response.{field}`"), target.span);
        }
        ("header", None) => ctx.report(
            Diagnostic::error("E0319", format!("`{side}.header` needs a name in brackets"), target.span)
                .help(format!("write `{side}.header[\"name\"]`")),
        ),
        _ => {
            let shown = super::render::render(target);
            let diagnostic = Diagnostic::error("E0321", format!("`{shown}` cannot be written"), target.span);
            ctx.report(match field {
                "path" | "target" => diagnostic.help("write `rewrite path /…`"),
                "host" => diagnostic.help("write `rewrite host \"…\"`"),
                "cookie" => diagnostic.help(format!("write `{verb} {side}.header[\"cookie\"]`")),
                _ => diagnostic.help(format!("`{verb}` works on `{side}.header[\"name\"]`")),
            });
        }
    }
    None
}

/// `group.field[index]`
fn parts(target: &ast::Expr) -> (Option<&'static str>, &str, Option<&ast::Expr>) {
    let (access, index) = match &target.kind {
        ast::ExprKind::Index { base, index } => (&**base, Some(&**index)),
        _ => (target, None),
    };
    match &access.kind {
        ast::ExprKind::Access { base, name } => (builtin(base), &name.value, index),
        _ => (None, "", index),
    }
}

fn protected(ctx: &mut Check<'_>, name: &str, span: Span, verb: &str) {
    let lower = name.to_ascii_lowercase();
    let message = format!("`{verb}` cannot change `{lower}`");
    let diagnostic = Diagnostic::error("E0309", message, span);
    ctx.report(if lower == "host" || lower == ":authority" {
        diagnostic
            .label("the host of a request is not an ordinary header")
            .help("write `rewrite host \"…\"` to send another host upstream")
    } else {
        diagnostic
            .label("twp writes this field itself")
            .note("it frames the message or belongs to one connection, so each side has its own")
    });
}
