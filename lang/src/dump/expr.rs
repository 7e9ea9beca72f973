//! Expressions, one node per line.

use super::{Dump, text};
use crate::ast::{Argument, Expr, ExprKind, TextPiece, UnaryOp};

impl Dump {
    pub(super) fn expr(&mut self, expr: &Expr) {
        let at = Some(expr.span);
        match &expr.kind {
            ExprKind::Literal(value) => self.line(at, &text::literal(value)),
            ExprKind::Text(pieces) => {
                self.line(at, "text");
                self.inside(|out| {
                    for piece in pieces {
                        match piece {
                            TextPiece::Literal(text) => out.line(None, &format!("{text:?}")),
                            TextPiece::Expr(expr) => out.expr(expr),
                        }
                    }
                });
            }
            ExprKind::Name(name) => self.line(at, name),
            ExprKind::Access { base, name } => self.with(at, &format!(".{}", name.value), &[base]),
            ExprKind::Index { base, index } => self.with(at, "[ ]", &[base, index]),
            ExprKind::Call { callee, arguments } => {
                self.with(at, "call", &[callee]);
                self.arguments(arguments);
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.with(at, "not", &[operand]),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => self.with(at, "negate", &[operand]),
            ExprKind::Binary { op, left, right } => self.with(at, op.value.as_str(), &[left, right]),
            ExprKind::If { condition, then, otherwise } => self.with(at, "if", &[condition, then, otherwise]),
            ExprKind::List(items) => self.with(at, "list", &items.iter().collect::<Vec<_>>()),
            ExprKind::Map(entries) => {
                let values: Vec<_> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
                self.with(at, "map", &values);
            }
            ExprKind::Error => self.line(at, "error"),
        }
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument]) {
        self.inside(|out| {
            for argument in arguments {
                if let Some(name) = &argument.name {
                    out.line(None, &format!("{}:", name.value));
                }
                out.expr(&argument.value);
            }
        });
    }
}
