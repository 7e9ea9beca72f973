//! What to say when a value has another type than the position demands.

use super::declare::broken;
use super::render::render;
use super::types::present;
use super::{Check, fold, types};
use crate::ast;
use crate::hir::{EnumTy, Expr, ExprKind, Ty, Value};
use crate::literal::Cidr;
use crate::{Diagnostic, Span};

/// The value as one of type `wanted`: the lossless conversions of the language, or a report. `written` is the same
/// expression in the tree, for advice.
pub(super) fn coerce(ctx: &mut Check<'_>, found: Expr, wanted: &Ty, written: &ast::Expr) -> Expr {
    if types::agrees(&found.ty, wanted) {
        return found;
    }
    // An address is the network of that one address, when it is known now.
    if let (Ty::Ip, Ty::Cidr, Some(Value::Ip(addr))) = (&found.ty, wanted, fold::value(ctx, &found)) {
        return Expr {
            kind: ExprKind::Value(Value::Cidr(Cidr::single(addr))),
            ty: Ty::Cidr,
            span: found.span,
        };
    }
    report(ctx, &found, wanted, written);
    broken(found.span)
}

/// Reports a value of the wrong type.
pub(super) fn report(ctx: &mut Check<'_>, found: &Expr, wanted: &Ty, written: &ast::Expr) {
    let span = found.span;
    if found.ty == Ty::RawString && *wanted == Ty::String {
        raw_text(ctx, span);
        return;
    }
    let message = format!("expected {wanted}, found {}", found.ty);
    let diagnostic = Diagnostic::error("E0301", message, span);
    let shown = render(written);
    ctx.report(match (&found.ty, wanted) {
        // A constant has the type of its value unless it says another.
        (Ty::Int | Ty::String | Ty::Set(_), _)
            if matches!(found.kind, ExprKind::Const(_)) && !matches!(wanted, Ty::String | Ty::RawString) =>
        {
            diagnostic.help(format!("say its type where it is declared: `const {shown}: {wanted} = …`"))
        }
        (Ty::Int, Ty::Endpoint) => diagnostic
            .label("only a port")
            .help(format!("write `:{shown}` for all addresses, or an address before it")),
        (Ty::Int, Ty::List(inner)) if **inner == Ty::Endpoint => {
            diagnostic.fix(format!("write `[:{shown}]`"), span, format!("[:{shown}]"))
        }
        (Ty::Int, _) => match (&written.kind, unit(wanted)) {
            (ast::ExprKind::Literal(ast::Literal::Int(n)), Some(unit)) => {
                let text = format!("{n}{unit}");
                diagnostic.label("a number without a unit").fix(format!("write `{text}`"), span, text)
            }
            _ => shown_as_text(diagnostic, &shown, wanted, span),
        },
        (Ty::Option(inner), Ty::Bool) if **inner != Ty::Bool => diagnostic.label("this may be absent").fix(
            format!("to ask whether it is there, write `{shown}.is_some`"),
            span.after(),
            ".is_some",
        ),
        (Ty::Option(inner), _) if types::agrees(inner, wanted) && types::is_text(wanted) => {
            let text = r#" ?? """#;
            diagnostic.label("this may be absent").fix(
                format!("say what holds when it is absent: `{shown}{text}`"),
                span.after(),
                text,
            )
        }
        (Ty::Option(_), _) => diagnostic
            .label("this may be absent")
            .help(format!("say what holds when it is absent: `{shown} ?? …`")),
        (Ty::String, Ty::Regex) => {
            diagnostic.fix(format!("write `re{shown}`"), Span { end: span.start, ..span }, "re")
        }
        (Ty::Cidr | Ty::Ip | Ty::Endpoint, Ty::Set(_) | Ty::List(_)) => {
            diagnostic.fix(format!("write `[{shown}]`"), span, format!("[{shown}]"))
        }
        (Ty::Cidr, Ty::Ip) => {
            diagnostic.help(format!("to ask whether it is in this network, write `in [{shown}]`"))
        }
        (Ty::Duration, Ty::Size) => {
            diagnostic.label("`m` is minutes").help("sizes are written `64KiB`, `10MiB` or `1GiB`")
        }
        (Ty::String, Ty::Status) if !is_quoted_value(&shown) => {
            diagnostic.fix(format!("write `200 body {shown}`"), span, format!("200 body {shown}"))
        }
        (Ty::String, _) if is_quoted_value(&shown) && !types::is_text(wanted) => {
            let plain = shown.trim_matches('"').to_owned();
            diagnostic.fix(format!("write `{plain}` without quotes"), span, plain)
        }
        (Ty::String, Ty::Enum(declared)) => word(diagnostic, &shown, declared, span),
        (Ty::Regex | Ty::Glob, _) => diagnostic.help("a pattern stands on the right of `matches`"),
        (Ty::Ip, Ty::Endpoint) => diagnostic.label("an address without a port").help("write the port too"),
        _ => shown_as_text(diagnostic, &shown, wanted, span),
    });
}

/// Words of an enum stand without quotes.
fn word(diagnostic: Diagnostic, shown: &str, declared: &EnumTy, span: Span) -> Diagnostic {
    let plain = shown.trim_matches('"').to_owned();
    if declared.variants.contains(&plain) && shown.starts_with('"') {
        return diagnostic.fix(format!("write `{plain}` without quotes"), span, plain);
    }
    diagnostic.help(format!("possible: {}", declared.variants.join(", ")))
}

/// Whether a text holds what would be an address, number or time without its quotes.
fn is_quoted_value(shown: &str) -> bool {
    let Some(inner) = shown.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { return false };
    inner.starts_with(|c: char| c.is_ascii_digit() || c == ':' || c == '[')
        && inner.bytes().all(|b| b.is_ascii_alphanumeric() || b".:/[]%".contains(&b))
}

/// Values that text can hold are put into text where a String is wanted.
fn shown_as_text(diagnostic: Diagnostic, shown: &str, wanted: &Ty, span: Span) -> Diagnostic {
    if !matches!(wanted, Ty::String | Ty::RawString) || shown == "…" || diagnostic.message.contains("Bool")
    {
        return diagnostic;
    }
    let is_simple = shown.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
    if shown.starts_with('/') || shown.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        diagnostic.fix(format!("write `\"{shown}\"`"), span, format!("\"{shown}\""))
    } else if is_simple {
        let text = format!("\"${{{shown}}}\"");
        diagnostic.fix(format!("write `{text}`"), span, text)
    } else {
        diagnostic
    }
}

/// The most likely unit of a number of this type.
fn unit(ty: &Ty) -> Option<&'static str> {
    match present(ty) {
        Ty::Duration => Some("s"),
        Ty::Size => Some("KiB"),
        Ty::Rate => Some("/sec"),
        Ty::Percent => Some("%"),
        Ty::Bool
        | Ty::Int
        | Ty::String
        | Ty::RawString
        | Ty::Status
        | Ty::Port
        | Ty::Method
        | Ty::Scheme
        | Ty::Ip
        | Ty::Cidr
        | Ty::Endpoint
        | Ty::Host
        | Ty::Path
        | Ty::Regex
        | Ty::Glob
        | Ty::Upstream
        | Ty::Option(_)
        | Ty::List(_)
        | Ty::Set(_)
        | Ty::Range(_)
        | Ty::Map(..)
        | Ty::Enum(_)
        | Ty::Error => None,
    }
}

/// Reports text with control characters where they must not be.
pub(super) fn raw_text(ctx: &mut Check<'_>, span: Span) {
    ctx.report(
        Diagnostic::error("E0320", "this text may hold control characters", span)
            .label("this is RawString, a String is wanted")
            .note("a line break inside a header value would start another header field")
            .help("leave out `\\n`, `\\t` and other control characters"),
    );
}
