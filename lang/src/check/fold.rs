//! Values of constant expressions, for settings, statuses and header names.

use super::Check;
use crate::hir::{Arithmetic, Comparison, Expr, ExprKind, Value};

/// The arguments of a call and those of the calls around it.
struct Frame<'f> {
    arguments: &'f [Expr],
    outer: Option<&'f Frame<'f>>,
}

/// The value, when it is known now.
pub(super) fn value(ctx: &Check<'_>, expr: &Expr) -> Option<Value> {
    within(ctx, expr, None)
}

/// The value of an expression inside a function.
fn within(ctx: &Check<'_>, expr: &Expr, frame: Option<&Frame<'_>>) -> Option<Value> {
    let value = |expr: &Expr| within(ctx, expr, frame);
    match &expr.kind {
        ExprKind::Value(value) => Some(value.clone()),
        ExprKind::Const(id) => within(ctx, ctx.consts[*id].value.as_ref()?, None),
        ExprKind::Let(id) => within(ctx, ctx.lets.get(*id)?, None),
        ExprKind::Param(number) => {
            let frame = frame?;
            within(ctx, frame.arguments.get(*number)?, frame.outer)
        }
        ExprKind::Call(id, arguments) if !ctx.fns[*id].head.cyclic => {
            within(ctx, ctx.fns[*id].body.as_ref()?, Some(&Frame { arguments, outer: frame }))
        }
        ExprKind::Not(inner) => {
            let Value::Bool(holds) = value(inner)? else { return None };
            Some(Value::Bool(!holds))
        }
        ExprKind::Seconds(inner) => {
            let Value::Duration(ms) = value(inner)? else { return None };
            Some(Value::Int(i64::try_from(ms / 1000).unwrap_or(i64::MAX)))
        }
        ExprKind::Compare { op: Comparison::Equal, left, right } => {
            Some(Value::Bool(value(left)? == value(right)?))
        }
        ExprKind::Compare { op: Comparison::NotEqual, left, right } => {
            Some(Value::Bool(value(left)? != value(right)?))
        }
        ExprKind::Else(first, second) => {
            let ExprKind::Lookup { map, key } = &first.kind else { return None };
            let key = value(key)?;
            let mut entries = entries(ctx, map)?.iter();
            match entries.find(|(known, _)| within(ctx, known, None).as_ref() == Some(&key)) {
                Some((_, found)) => within(ctx, found, None),
                None => value(second),
            }
        }
        ExprKind::If { condition, then, otherwise } => {
            let Value::Bool(holds) = value(condition)? else { return None };
            value(if holds { then } else { otherwise })
        }
        ExprKind::Arithmetic { op, left, right } => {
            let (Value::Int(left), Value::Int(right)) = (value(left)?, value(right)?) else {
                return None;
            };
            Some(Value::Int(match op {
                Arithmetic::Add => left.saturating_add(right),
                Arithmetic::Subtract => left.saturating_sub(right),
                Arithmetic::Multiply => left.saturating_mul(right),
            }))
        }
        ExprKind::Join(parts) => {
            let texts: Option<Vec<String>> = parts.iter().map(|part| text(&value(part)?)).collect();
            Some(Value::Text(texts?.concat()))
        }
        ExprKind::Set(_)
        | ExprKind::Map(_)
        | ExprKind::Lookup { .. }
        | ExprKind::Element { .. }
        | ExprKind::Range(..)
        | ExprKind::Rule(..)
        | ExprKind::Env(_)
        | ExprKind::Call(..)
        | ExprKind::Upstream(_)
        | ExprKind::Field(_)
        | ExprKind::Capture(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Compare { .. }
        | ExprKind::IsSome(_)
        | ExprKind::IsNone(_) => None,
    }
}

/// The entries of a constant map; `None` when it is not known now.
fn entries<'e>(ctx: &'e Check<'_>, map: &'e Expr) -> Option<&'e [(Expr, Expr)]> {
    match &map.kind {
        ExprKind::Const(id) => entries(ctx, ctx.consts[*id].value.as_ref()?),
        ExprKind::Map(entries) => Some(entries),
        _ => None,
    }
}

/// The elements of a constant list or set; `None` when it is not known now.
pub(super) fn elements<'e>(ctx: &'e Check<'_>, expr: &'e Expr) -> Option<&'e [Expr]> {
    match &expr.kind {
        ExprKind::Set(elements) => Some(elements),
        ExprKind::Const(id) => elements(ctx, ctx.consts[*id].value.as_ref()?),
        ExprKind::Value(_)
        | ExprKind::Map(_)
        | ExprKind::Lookup { .. }
        | ExprKind::Element { .. }
        | ExprKind::Env(_)
        | ExprKind::Call(..)
        | ExprKind::Let(_)
        | ExprKind::Range(..)
        | ExprKind::Rule(..)
        | ExprKind::Param(_)
        | ExprKind::Upstream(_)
        | ExprKind::Field(_)
        | ExprKind::Capture(_)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Compare { .. }
        | ExprKind::Else(..)
        | ExprKind::IsSome(_)
        | ExprKind::IsNone(_)
        | ExprKind::If { .. }
        | ExprKind::Seconds(_)
        | ExprKind::Join(_)
        | ExprKind::Arithmetic { .. } => None,
    }
}

/// The written form of a value inside text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        Value::Method(method) => Some(method.to_string()),
        Value::Ip(addr) => Some(addr.to_string()),
        Value::Bool(_)
        | Value::Duration(_)
        | Value::Size(_)
        | Value::Percent(_)
        | Value::Rate(..)
        | Value::Cidr(_)
        | Value::Endpoint(_)
        | Value::Regex(_)
        | Value::Glob(_) => None,
    }
}
