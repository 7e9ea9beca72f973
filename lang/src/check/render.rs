//! Expressions as a person would write them, for advice. Only what stands in advice is rendered: fields, names,
//! literals and comparisons; the rest is an ellipsis.

use crate::ast::{Expr, ExprKind, Literal, UnaryOp};
use std::fmt::Write;

/// Longest text that advice repeats.
const BYTES_MAX: usize = 120;

/// The expression as text, or `…` when it is too long or too rich.
pub(super) fn render(expr: &Expr) -> String {
    let mut out = String::new();
    match write_expr(&mut out, expr) {
        Some(()) => out,
        None => "…".to_owned(),
    }
}

fn write_expr(out: &mut String, expr: &Expr) -> Option<()> {
    if out.len() > BYTES_MAX {
        return None;
    }
    match &expr.kind {
        ExprKind::Literal(literal) => out.push_str(&render_literal(literal)?),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Access { base, name } => {
            write_expr(out, base)?;
            let _ = write!(out, ".{}", name.value);
        }
        ExprKind::Index { base, index } => {
            write_expr(out, base)?;
            out.push('[');
            write_expr(out, index)?;
            out.push(']');
        }
        ExprKind::Unary { op: UnaryOp::Not, operand } => {
            out.push_str("not ");
            write_expr(out, operand)?;
        }
        ExprKind::Binary { op, left, right } => {
            write_expr(out, left)?;
            let _ = write!(out, " {} ", op.value.as_str());
            write_expr(out, right)?;
        }
        ExprKind::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_expr(out, element)?;
            }
            out.push(']');
        }
        ExprKind::Text(_)
        | ExprKind::Call { .. }
        | ExprKind::Unary { op: UnaryOp::Negate, .. }
        | ExprKind::If { .. }
        | ExprKind::Map(_)
        | ExprKind::Error => return None,
    }
    Some(())
}

fn render_literal(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Int(number) => Some(number.to_string()),
        Literal::Percent(hundredths) if hundredths % 100 == 0 => Some(format!("{}%", hundredths / 100)),
        Literal::Text(text) => Some(quoted(text)),
        Literal::Regex(regex) => {
            Some(format!("re\"{}\"{}", regex.pattern, if regex.ignore_case { "i" } else { "" }))
        }
        Literal::Glob(pattern) => Some(format!("glob\"{pattern}\"")),
        Literal::Ip(addr) => Some(addr.to_string()),
        Literal::Cidr(cidr) => Some(cidr.to_string()),
        Literal::Endpoint(endpoint) => Some(endpoint.to_string()),
        Literal::Bool(value) => Some(value.to_string()),
        Literal::Method(method) => Some(method.to_string()),
        Literal::Path(text) | Literal::Upper(text) => Some(text.clone()),
        Literal::Duration(_) | Literal::Size(_) | Literal::Rate { .. } | Literal::Percent(_) => None,
    }
}

/// Text between quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '$' => out.push_str("\\$"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
