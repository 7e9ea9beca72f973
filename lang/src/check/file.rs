//! `file("./503.html")`: the text of a file beside the program, known when the program is compiled.

use super::declare::broken;
use super::{Check, data, literal};
use crate::ast::{self, Argument, Literal};
use crate::hir::{Expr, ExprKind, Value};
use crate::span::Spanned;
use crate::{Diagnostic, Span};

/// The text of the named file.
pub(super) fn text(ctx: &mut Check<'_>, arguments: &[Argument], span: Span) -> Expr {
    let [Argument { name: None, value }] = arguments else {
        ctx.report(
            Diagnostic::error("E0307", "`file` takes the path of one file", span)
                .help("write `file(\"./503.html\")`"),
        );
        return broken(span);
    };
    let ast::ExprKind::Literal(Literal::Text(path)) = &value.kind else {
        if matches!(value.kind, ast::ExprKind::Error) {
            ctx.incomplete = true;
            return broken(span);
        }
        ctx.report(
            Diagnostic::error("E0307", "the path of a file is text in quotes", value.span)
                .label("files are read before anything is computed")
                .help("write `file(\"./503.html\")`"),
        );
        return broken(span);
    };
    let Some(file) = data::read(ctx, &Spanned::new(path.clone(), value.span)) else { return broken(span) };
    let ty = literal::text_type(&file.text);
    Expr { kind: ExprKind::Value(Value::Text(file.text.to_string())), ty, span }
}
