//! Values of constant expressions, for settings, statuses and header names.

use super::Check;
use crate::hir::{Arithmetic, Expr, ExprKind, Value};

/// The value, when it is known now.
pub(super) fn value(ctx: &Check<'_>, expr: &Expr) -> Option<Value> {
    match &expr.kind {
        ExprKind::Value(value) => Some(value.clone()),
        ExprKind::Const(id) => value(ctx, ctx.consts[*id].value.as_ref()?),
        ExprKind::If { condition, then, otherwise } => match value(ctx, condition)? {
            Value::Bool(true) => value(ctx, then),
            Value::Bool(false) => value(ctx, otherwise),
            Value::Int(_)
            | Value::Text(_)
            | Value::Duration(_)
            | Value::Size(_)
            | Value::Percent(_)
            | Value::Rate(..)
            | Value::Method(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Endpoint(_)
            | Value::Regex(_)
            | Value::Glob(_) => None,
        },
        ExprKind::Arithmetic { op, left, right } => {
            let (Value::Int(left), Value::Int(right)) = (value(ctx, left)?, value(ctx, right)?) else {
                return None;
            };
            Some(Value::Int(match op {
                Arithmetic::Add => left.saturating_add(right),
                Arithmetic::Subtract => left.saturating_sub(right),
                Arithmetic::Multiply => left.saturating_mul(right),
            }))
        }
        ExprKind::Join(parts) => {
            let texts: Option<Vec<String>> = parts.iter().map(|part| text(&value(ctx, part)?)).collect();
            Some(Value::Text(texts?.concat()))
        }
        ExprKind::Set(_)
        | ExprKind::Range(..)
        | ExprKind::Rule(..)
        | ExprKind::Param(_)
        | ExprKind::Field(_)
        | ExprKind::Capture(_)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Compare { .. }
        | ExprKind::Else(..)
        | ExprKind::IsSome(_)
        | ExprKind::IsNone(_) => None,
    }
}

/// The elements of a constant list or set; `None` when it is not known now.
pub(super) fn elements<'e>(ctx: &'e Check<'_>, expr: &'e Expr) -> Option<&'e [Expr]> {
    match &expr.kind {
        ExprKind::Set(elements) => Some(elements),
        ExprKind::Const(id) => elements(ctx, ctx.consts[*id].value.as_ref()?),
        ExprKind::Value(_)
        | ExprKind::Range(..)
        | ExprKind::Rule(..)
        | ExprKind::Param(_)
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
