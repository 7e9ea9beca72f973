//! Literals: the type they have by themselves, and the type their position demands.

use super::declare::broken;
use super::mismatch::{self, raw_text};
use super::{Check, env, host, names, path, regex};
use crate::ast::{self, Literal};
use crate::hir::{Expr, ExprKind, Ty, Value};
use crate::literal::{Cidr, Endpoint, Method};
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// The literal with the type it has by itself. `written` is the expression that is this literal.
pub(super) fn infer(ctx: &mut Check<'_>, literal: &Literal, written: &ast::Expr) -> Expr {
    let span = written.span;
    let (value, ty) = match literal {
        Literal::Int(number) => (Value::Int(*number), Ty::Int),
        Literal::Duration(ms) => (Value::Duration(*ms), Ty::Duration),
        Literal::Size(bytes) => (Value::Size(*bytes), Ty::Size),
        Literal::Rate { count, seconds } => (Value::Rate(*count, *seconds), Ty::Rate),
        Literal::Percent(hundredths) => (Value::Percent(*hundredths), Ty::Percent),
        Literal::Text(text) => (Value::Text(text.clone()), text_type(text)),
        Literal::Regex(pattern) => {
            if !regex::check(ctx, pattern, span, None) {
                return broken(span);
            }
            (Value::Regex(pattern.clone()), Ty::Regex)
        }
        Literal::Glob(pattern) => (Value::Glob(pattern.clone()), Ty::Glob),
        Literal::Ip(addr) => (Value::Ip(*addr), Ty::Ip),
        Literal::Cidr(cidr) => return network(ctx, *cidr, span),
        Literal::Endpoint(endpoint) => return self::endpoint(ctx, endpoint, span),
        Literal::Bool(value) => (Value::Bool(*value), Ty::Bool),
        Literal::Method(method) => (Value::Method(method.clone()), Ty::Method),
        Literal::Path(text) => match path::literal(ctx, text, span) {
            Some(normal) => (Value::Text(normal), Ty::Path),
            None => return broken(span),
        },
        Literal::Upper(word) => return upper(ctx, word, span),
    };
    Expr { kind: ExprKind::Value(value), ty, span }
}

/// The literal as a value of type `wanted`, or a report.
pub(super) fn adapt(ctx: &mut Check<'_>, literal: &Literal, wanted: &Ty, written: &ast::Expr) -> Expr {
    let span = written.span;
    let value = match (literal, wanted) {
        (Literal::Text(text), Ty::String) if text.chars().any(char::is_control) => {
            raw_text(ctx, span);
            None
        }
        (Literal::Text(text), Ty::String | Ty::RawString) => Some(Value::Text(text.clone())),
        (Literal::Text(text), Ty::Path) => path::literal(ctx, text, span).map(Value::Text),
        (Literal::Text(text), Ty::Host) => host::literal(ctx, text, span).map(Value::Text),
        (Literal::Text(text), Ty::Scheme) => scheme(ctx, text, span),
        (Literal::Text(text), Ty::Method) => method(ctx, text, span),
        (Literal::Upper(word), Ty::Method) if ctx.is_unknown(word, span) => {
            let text = format!("\"{word}\"");
            ctx.report(Diagnostic::error("E0202", format!("unknown method `{word}`"), span).fix(
                format!("write `{text}`"),
                span,
                text,
            ));
            None
        }
        (Literal::Int(number), Ty::Status) => bounded(ctx, *number, 100..=599, "a status", span),
        (Literal::Int(number), Ty::Port) => bounded(ctx, *number, 1..=65535, "a port", span),
        _ => {
            let found = infer(ctx, literal, written);
            return mismatch::coerce(ctx, found, wanted, written);
        }
    };
    match value {
        Some(value) => Expr { kind: ExprKind::Value(value), ty: wanted.clone(), span },
        None => broken(span),
    }
}

/// `String`, or `RawString` when there are control characters in it.
pub(super) fn text_type(text: &str) -> Ty {
    if text.chars().any(char::is_control) { Ty::RawString } else { Ty::String }
}

fn network(ctx: &mut Check<'_>, cidr: Cidr, span: Span) -> Expr {
    let normal = Cidr::network(cidr.addr, cidr.prefix);
    if normal != cidr {
        let addr = cidr.addr;
        ctx.report(
            Diagnostic::error("E0306", format!("`{cidr}` has bits set beyond its prefix"), span)
                .label(format!("the network is `{normal}`, the address is `{addr}`"))
                .fix(format!("write `{normal}`, or `{addr}` for one address"), span, normal.to_string()),
        );
        return broken(span);
    }
    Expr { kind: ExprKind::Value(Value::Cidr(normal)), ty: Ty::Cidr, span }
}

fn endpoint(ctx: &mut Check<'_>, endpoint: &Endpoint, span: Span) -> Expr {
    match super::endpoint::normal(ctx, endpoint, span) {
        Some(normal) => Expr { kind: ExprKind::Value(Value::Endpoint(normal)), ty: Ty::Endpoint, span },
        None => broken(span),
    }
}

/// A word in capital letters: a variable of the environment.
fn upper(ctx: &mut Check<'_>, word: &str, span: Span) -> Expr {
    let known = ctx.names.look_up(span.source, word).map(|name| name.kind);
    if let Some(names::Kind::Env(id)) = known {
        let found = env::value(ctx, id, span);
        return if found.ty == Ty::Error { broken(span) } else { found };
    }
    if known != Some(names::Kind::Later) {
        let mut found = Diagnostic::error("E0202", format!("unknown name `{word}`"), span)
            .label("not declared in this file or its imports");
        let visible = ctx.names.iter(span.source);
        let variables = visible.filter(|(_, found)| matches!(found.kind, names::Kind::Env(_)));
        let methods = Method::KNOWN.iter().map(Method::as_str);
        if let Some(similar) = closest(word, variables.map(|(name, _)| name).chain(methods)) {
            found = found.fix(format!("did you mean `{similar}`?"), span, similar);
        }
        ctx.report(found);
    }
    broken(span)
}

fn scheme(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<Value> {
    if matches!(text, "http" | "https") {
        return Some(Value::Text(text.to_owned()));
    }
    let similar =
        closest(text, ["https", "http"]).map(|s| format!("did you mean `\"{s}\"`? ")).unwrap_or_default();
    ctx.report(
        Diagnostic::error("E0318", format!("`{text}` is not a scheme"), span)
            .help(format!("{similar}possible: \"http\", \"https\"")),
    );
    None
}

fn method(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<Value> {
    let is_token = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
    if is_token {
        return Some(Value::Method(Method::from_text(text)));
    }
    ctx.report(
        Diagnostic::error("E0317", format!("`{text}` is not a method"), span)
            .note("a method is one word of letters, digits and `!#$%&'*+-.^_|~`"),
    );
    None
}

fn bounded(
    ctx: &mut Check<'_>,
    number: i64,
    bounds: std::ops::RangeInclusive<i64>,
    what: &str,
    span: Span,
) -> Option<Value> {
    if bounds.contains(&number) {
        return Some(Value::Int(number));
    }
    let message = format!("`{number}` is not {what}");
    ctx.report(Diagnostic::error("E0215", message, span).label(format!(
        "{what} is a number from {} to {}",
        bounds.start(),
        bounds.end()
    )));
    None
}
