//! `let`: a name for a value, and with `else` an answer for its absence.

use super::names;
use super::scope::Bound;
use super::{Check, expr, terminal, types};
use crate::Diagnostic;
use crate::ast::{self, TypeName};
use crate::hir::{Expr, Stmt, Ty};
use crate::span::Ident;

/// Checks a `let` and makes its name known to what follows in its block.
pub(super) fn bind(
    ctx: &mut Check<'_>,
    name: &Ident,
    ty: Option<&TypeName>,
    (value, otherwise): (&ast::Expr, Option<&ast::Terminal>),
) -> Option<Stmt> {
    let ty = ty.map(|written| types::read(ctx, written));
    let found = match (ty, otherwise) {
        (None, _) => expr::infer(ctx, value),
        (Some(ty), None) => expr::expect(ctx, value, &ty),
        (Some(ty), Some(_)) => {
            let ty = if ty == Ty::Error { ty } else { Ty::Option(Box::new(ty)) };
            expr::expect(ctx, value, &ty)
        }
    };
    let is_answered = otherwise.is_some();
    let otherwise = otherwise.map(|written| terminal::terminal(ctx, written));
    let bound = bound(ctx, &found, is_answered);
    let id = ctx.lets.len();
    let (bound, ty) = match bound {
        Some(bound) => (Some(bound.clone()), bound.ty),
        None => (None, Ty::Error),
    };
    make_known(ctx, name, id, ty);
    let present = bound?;
    ctx.lets.push(present);
    let otherwise = match otherwise {
        Some(terminal) => Some(terminal?),
        None => None,
    };
    Some(Stmt::Let { id, name: name.value.clone(), value: found, otherwise })
}

/// What the name stands for: the value, or behind `else` what is present of it.
fn bound(ctx: &mut Check<'_>, found: &Expr, is_answered: bool) -> Option<Expr> {
    match (&found.ty, is_answered) {
        (Ty::Error, _) => None,
        (Ty::Option(inner), true) => {
            Some(Expr { kind: found.kind.clone(), ty: (**inner).clone(), span: found.span })
        }
        (_, false) => Some(found.clone()),
        (ty, true) => {
            ctx.report(
                Diagnostic::error("E0305", "the value of this `let` is never absent", found.span)
                    .label(format!("this is {ty}"))
                    .help("remove `else` and the answer behind it"),
            );
            None
        }
    }
}

/// Binds the name unless it is taken; reports when it is.
fn make_known(ctx: &mut Check<'_>, name: &Ident, id: usize, ty: Ty) {
    if !names::reserve(ctx, name) {
        ctx.scope.unsure.push(name.value.clone());
        return;
    }
    if let Some(first) = ctx.scope.place(&name.value) {
        names::taken(ctx, name, first);
        return;
    }
    if ty == Ty::Error {
        // Its uses must not be reported as unknown on top.
        ctx.scope.unsure.push(name.value.clone());
        return;
    }
    ctx.scope.lets.push(Bound { name: name.value.clone(), id, ty, span: name.span });
}
