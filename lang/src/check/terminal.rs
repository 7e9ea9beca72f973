//! Terminals: `to`, `respond` and `redirect`.

use super::{Check, expr, fold, later, redirect, template, upstream};
use crate::ast::{self, RedirectTarget, TerminalKind};
use crate::hir::{Expr, Location, Terminal, Ty, Value};
use crate::span::Spanned;
use crate::{Diagnostic, Span};

/// Statuses of redirects (RFC 9110 section 15.4).
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// Checks a terminal.
pub(super) fn terminal(ctx: &mut Check<'_>, written: &ast::Terminal) -> Option<Terminal> {
    if later::terminal(ctx, written) {
        return None;
    }
    match &written.kind {
        TerminalKind::To { target, settings } => {
            let upstream = upstream::target(ctx, target);
            let (timeouts, retry) = upstream::overrides(ctx, settings);
            Some(Terminal::To { upstream: upstream?, timeouts, retry })
        }
        TerminalKind::Respond { status, body } => respond(ctx, status, body.as_ref()),
        TerminalKind::Redirect { status, location } => {
            let status = redirect_status(ctx, status);
            let location = match location {
                RedirectTarget::Path(path) => template::read(ctx, path).map(Location::Path),
                RedirectTarget::Text(text) => location_text(ctx, text),
            };
            Some(Terminal::Redirect { status: status?, location: location? })
        }
        TerminalKind::Tunnel { .. }
        | TerminalKind::Files { .. }
        | TerminalKind::Split { .. }
        | TerminalKind::Close => None,
    }
}

fn respond(ctx: &mut Check<'_>, status: &ast::Expr, body: Option<&ast::Expr>) -> Option<Terminal> {
    let number = respond_status(ctx, status);
    let body = body.map(|body| (body.span, expr::expect(ctx, body, &Ty::RawString)));
    let number = number?;
    if let (204 | 205 | 304, Some((place, _))) = (number, &body) {
        ctx.report(
            Diagnostic::error("E0508", format!("an answer with status {number} has no body"), *place)
                .with(status.span, format!("{number} says that nothing follows"))
                .help("remove `body` or write another status"),
        );
    }
    Some(Terminal::Respond { status: number, body: body.map(|(_, body)| body) })
}

/// A final status that is known now.
fn respond_status(ctx: &mut Check<'_>, written: &ast::Expr) -> Option<u16> {
    let typed: Expr = expr::expect(ctx, written, &Ty::Status);
    if typed.ty == Ty::Error {
        return None;
    }
    let Some(Value::Int(number)) = fold::value(ctx, &typed) else {
        ctx.report(
            Diagnostic::error("E0315", "the status of an answer is a constant", written.span)
                .label("known only while a request is served"),
        );
        return None;
    };
    if !(200..=599).contains(&number) {
        ctx.report(
            Diagnostic::error("E0315", format!("`respond` cannot send status {number}"), written.span)
                .label("a number from 200 to 599")
                .note("100 to 199 announce another answer"),
        );
        return None;
    }
    u16::try_from(number).ok()
}

fn redirect_status(ctx: &mut Check<'_>, written: &Spanned<i64>) -> Option<u16> {
    let status = u16::try_from(written.value).ok().filter(|status| REDIRECTS.contains(status));
    if status.is_none() {
        ctx.report(
            Diagnostic::error("E0315", format!("`{}` is not a redirect", written.value), written.span)
                .label("301, 302, 303, 307 or 308")
                .help("308 moves for good, 307 for now; both keep the method"),
        );
    }
    status
}

fn location_text(ctx: &mut Check<'_>, written: &ast::Expr) -> Option<Location> {
    let text = expr::expect(ctx, written, &Ty::String);
    if text.ty == Ty::Error {
        return None;
    }
    redirect::warn_when_open(ctx, &text);
    check_fixed(ctx, &text, written.span);
    Some(Location::Text(text))
}

/// A location that is known now is a path or a URL.
fn check_fixed(ctx: &mut Check<'_>, text: &Expr, span: Span) {
    let Some(Value::Text(fixed)) = fold::value(ctx, text) else { return };
    let is_target = fixed.starts_with('/') || fixed.starts_with("http://") || fixed.starts_with("https://");
    if is_target && !fixed.contains(' ') && fixed.is_ascii() {
        return;
    }
    ctx.report(
        Diagnostic::error("E0316", format!("`{fixed}` is no target of a redirect"), span)
            .label("begins with `/`, `http://` or `https://` and has no spaces")
            .help("write `\"https://example.com/path\"`, or a path such as `/path`"),
    );
}
