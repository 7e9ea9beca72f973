//! Open redirects: text that lets the client choose the host of a `Location`.

use super::scope::Taken;
use super::{Check, fold};
use crate::Diagnostic;
use crate::hir::{CaptureTy, Expr, ExprKind, Field, Value};

/// How much of a `Location` the pieces so far make up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Nothing is written yet.
    Start,
    /// Part of a scheme, which may still turn out to be a path.
    Scheme,
    /// Behind `//`, before the slash that ends the host.
    Host,
    /// The client cannot change the host any more.
    Fixed,
}

/// L0603: warns when what a client sends can become the host.
pub(super) fn warn_when_open(ctx: &mut Check<'_>, location: &Expr) {
    let mut found = Vec::new();
    scan(ctx, location, At::Start, &mut found);
    // One warning for a redirect says enough.
    let Some(place) = found.first().copied() else { return };
    ctx.report(
        Diagnostic::warning("L0603", "the client chooses where this redirect goes", place)
            .label("becomes the host of the target")
            .help("write the host, or compare this with the hosts you allow in a `when` or `require` first"),
    );
}

/// Walks the pieces in order and returns where the text stands behind them.
fn scan(ctx: &Check<'_>, expr: &Expr, at: At, found: &mut Vec<crate::Span>) -> At {
    if at == At::Fixed {
        return at;
    }
    if let Some(Value::Text(text)) = fold::value(ctx, expr) {
        return advance(at, &text);
    }
    match &expr.kind {
        ExprKind::Join(parts) => parts.iter().fold(at, |at, part| scan(ctx, part, at, found)),
        ExprKind::Else(first, second) => {
            let ends = [scan(ctx, first, at, found), scan(ctx, second, at, found)];
            least(ends)
        }
        ExprKind::If { then, otherwise, .. } => {
            let ends = [scan(ctx, then, at, found), scan(ctx, otherwise, at, found)];
            least(ends)
        }
        ExprKind::Field(field) => read(ctx, field, expr, at, found),
        ExprKind::Let(id) => match ctx.lets.get(*id).cloned() {
            Some(value) => scan(ctx, &value, at, found),
            None => next(at),
        },
        ExprKind::Call(_, arguments) => {
            // What the function makes of its arguments is not followed.
            for argument in arguments {
                scan(ctx, argument, at, found);
            }
            next(at)
        }
        ExprKind::Capture(name) => {
            let taken = ctx.scope.capture(name).map(|captured| &captured.taken);
            let is_free = match taken {
                Some(Taken::Segment(CaptureTy::Segment | CaptureTy::Regex(_)) | Taken::Rest) => true,
                Some(
                    Taken::Segment(
                        CaptureTy::Int
                        | CaptureTy::Uuid
                        | CaptureTy::Slug
                        | CaptureTy::Hex
                        | CaptureTy::OneOf(_),
                    )
                    | Taken::Variant(_)
                    | Taken::Label,
                )
                | None => false,
            };
            if is_free {
                found.push(expr.span);
            }
            next(at)
        }
        ExprKind::Value(_)
        | ExprKind::Set(_)
        | ExprKind::Map(_)
        | ExprKind::Lookup { .. }
        | ExprKind::Element { .. }
        | ExprKind::Range(..)
        | ExprKind::Const(_)
        | ExprKind::Rule(..)
        | ExprKind::Env(_)
        | ExprKind::Param(_)
        | ExprKind::Seconds(_)
        | ExprKind::Upstream(_)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Compare { .. }
        | ExprKind::IsSome(_)
        | ExprKind::IsNone(_)
        | ExprKind::Arithmetic { .. } => next(at),
    }
}

fn read(ctx: &Check<'_>, field: &Field, expr: &Expr, at: At, found: &mut Vec<crate::Span>) -> At {
    match field {
        // Both begin with a single slash: as the beginning they are paths, behind a host they end it.
        Field::Path | Field::Target => At::Fixed,
        Field::Header(_) | Field::Query(_) | Field::Cookie(_) | Field::QueryString => {
            found.push(expr.span);
            next(at)
        }
        Field::Host => {
            if ctx.scope.any_host {
                found.push(expr.span);
            }
            next(at)
        }
        Field::Scheme | Field::Method | Field::Port | Field::ClientIp => next(at),
    }
}

/// Behind a piece that is not known now.
fn next(at: At) -> At {
    match at {
        At::Start | At::Scheme => At::Scheme,
        At::Host => At::Host,
        At::Fixed => At::Fixed,
    }
}

/// Behind a piece of text.
fn advance(at: At, text: &str) -> At {
    match at {
        At::Start if text.starts_with('/') && !text.starts_with("//") => At::Fixed,
        At::Start | At::Scheme => match text.split_once("//") {
            Some((_, rest)) => advance(At::Host, rest),
            None if text.is_empty() => at,
            None => At::Scheme,
        },
        At::Host if text.contains(['/', '?', '#']) => At::Fixed,
        At::Host => At::Host,
        At::Fixed => At::Fixed,
    }
}

/// Where two alternatives may both stand: the earlier one.
fn least(ends: [At; 2]) -> At {
    let order = |at: &At| match at {
        At::Start => 0,
        At::Scheme => 1,
        At::Host => 2,
        At::Fixed => 3,
    };
    if order(&ends[0]) <= order(&ends[1]) { ends[0] } else { ends[1] }
}
