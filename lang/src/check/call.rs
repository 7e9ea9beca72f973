//! Calls of rules and functions.

use super::declare::broken;
use super::names::Kind;
use super::scope::Place;
use super::{Check, arguments, expr, field, names};
use crate::ast::{self, Argument};
use crate::hir::{Expr, ExprKind, FnId, RuleId, Ty};
use crate::{Diagnostic, Span};

/// `callee(arguments)`
pub(super) fn call(ctx: &mut Check<'_>, callee: &ast::Expr, arguments: &[Argument], span: Span) -> Expr {
    let ast::ExprKind::Name(name) = &callee.kind else {
        return call_of_value(ctx, callee, span);
    };
    if let Some(found) = ctx.names.look_up(name) {
        return match found.kind {
            Kind::Rule(id) => rule(ctx, id, arguments, span),
            Kind::Fn(id) => function(ctx, id, arguments, span),
            Kind::Later => broken(span),
            Kind::Const(_)
            | Kind::Enum(_)
            | Kind::Env(_)
            | Kind::Listener(_)
            | Kind::Upstream(_)
            | Kind::Policy(_)
            | Kind::Routes(_) => {
                let message = format!("`{name}` cannot be called");
                let diagnostic = Diagnostic::error("E0204", message, callee.span)
                    .label(format!("this is {}", found.kind.with_article()))
                    .with(found.span, "declared here");
                ctx.report(match found.kind {
                    Kind::Policy(_) => diagnostic.help(format!("write `apply {name}(…)` as a statement")),
                    Kind::Routes(_) => diagnostic.help(format!("write `mount {name}(…)` in a site or group")),
                    Kind::Const(_)
                    | Kind::Rule(_)
                    | Kind::Fn(_)
                    | Kind::Enum(_)
                    | Kind::Env(_)
                    | Kind::Listener(_)
                    | Kind::Upstream(_)
                    | Kind::Later => diagnostic,
                });
                broken(span)
            }
        };
    }
    if ctx.scope.unsure.iter().any(|unsure| unsure == name) {
    } else if field::is_later_call(name) {
        ctx.later(&format!("`{name}(…)`"), span);
    } else {
        names::unknown_value(ctx, name, callee.span);
    }
    broken(span)
}

/// A call of something that is no plain name: a module's function, which comes in a later version, or a mistake.
fn call_of_value(ctx: &mut Check<'_>, callee: &ast::Expr, span: Span) -> Expr {
    let value = match &callee.kind {
        ast::ExprKind::Access { base, name } if field::builtin(base).is_none() => {
            let base = expr::infer(ctx, base);
            if base.ty != Ty::Error {
                let message = format!("{} has no method `{}`", base.ty, name.value);
                ctx.report(Diagnostic::error("E0211", message, name.span));
            }
            return broken(span);
        }
        _ => expr::infer(ctx, callee),
    };
    if value.ty != Ty::Error {
        let message = format!("a value of type {} cannot be called", value.ty);
        ctx.report(Diagnostic::error("E0204", message, value.span));
    }
    broken(span)
}

/// A use of a rule.
pub(super) fn rule(ctx: &mut Check<'_>, id: RuleId, arguments: &[Argument], span: Span) -> Expr {
    if matches!(ctx.scope.place, Place::Constant | Place::Setting | Place::Function) {
        let what = ctx.scope.place.what();
        ctx.report(
            Diagnostic::error("E0502", format!("{what} cannot use a rule"), span)
                .label("a rule reads the request")
                .with(ctx.rules[id].head.span, "declared here"),
        );
        return broken(span);
    }
    let head = ctx.rules[id].head.clone();
    match arguments::bind(ctx, &head, arguments, span) {
        Some(values) => Expr { kind: ExprKind::Rule(id, values), ty: Ty::Bool, span },
        None => broken(span),
    }
}

/// A use of a function.
fn function(ctx: &mut Check<'_>, id: FnId, arguments: &[Argument], span: Span) -> Expr {
    let head = ctx.fns[id].head.clone();
    let bound = arguments::bind(ctx, &head, arguments, span);
    let ty = ctx.fns[id].result.clone();
    match bound {
        Some(values) if ty != Ty::Error => Expr { kind: ExprKind::Call(id, values), ty, span },
        Some(_) | None => broken(span),
    }
}
