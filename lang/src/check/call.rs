//! Calls of rules and functions.

use super::declare::broken;
use super::names::{Behind, Kind, Name};
use super::scope::Place;
use super::{Check, arguments, expr, field, file, names};
use crate::ast::{self, Argument};
use crate::hir::{Expr, ExprKind, FnId, RuleId, Ty};
use crate::{Diagnostic, Span};

/// `callee(arguments)`
pub(super) fn call(ctx: &mut Check<'_>, callee: &ast::Expr, arguments: &[Argument], span: Span) -> Expr {
    let name = match &callee.kind {
        ast::ExprKind::Name(name) => name,
        ast::ExprKind::Access { base, name } => {
            return match names::behind_module(ctx, base, name, names::VALUE) {
                Behind::Found(found) => named(ctx, (&name.value, found), callee, arguments, span),
                Behind::Nothing => broken(span),
                Behind::NoModule => call_of_value(ctx, callee, span),
            };
        }
        _ => return call_of_value(ctx, callee, span),
    };
    if let Some(found) = ctx.names.look_up(callee.span.source, name) {
        return named(ctx, (name, found), callee, arguments, span);
    }
    if name == "file" {
        return file::text(ctx, arguments, span);
    }
    if ctx.scope.unsure.iter().any(|unsure| unsure == name) {
    } else if field::is_later_call(name) {
        ctx.later(&format!("`{name}(…)`"), span);
    } else {
        names::unknown_value(ctx, name, callee.span);
    }
    broken(span)
}

/// A call of something that a module declares.
fn named(
    ctx: &mut Check<'_>,
    (name, found): (&str, Name),
    callee: &ast::Expr,
    arguments: &[Argument],
    span: Span,
) -> Expr {
    if let Kind::Rule(id) = found.kind {
        return rule(ctx, id, arguments, span);
    }
    if let Kind::Fn(id) = found.kind {
        return function(ctx, id, arguments, span);
    }
    if found.kind != Kind::Later {
        let diagnostic = Diagnostic::error("E0204", format!("`{name}` cannot be called"), callee.span)
            .label(format!("this is {}", found.kind.with_article()))
            .with(found.declared, "declared here");
        ctx.report(if let Kind::Policy(_) = found.kind {
            diagnostic.help(format!("write `apply {name}(…)` as a statement"))
        } else if let Kind::Routes(_) = found.kind {
            diagnostic.help(format!("write `mount {name}(…)` in a site or group"))
        } else {
            diagnostic
        });
    }
    broken(span)
}

/// A call of something that is no plain name: a method, which comes in a later version, or a mistake.
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
