//! Calls of rules.

use super::declare::broken;
use super::names::Kind;
use super::scope::Place;
use super::{Check, expr, field, names};
use crate::ast::{self, Argument};
use crate::hir::{Expr, ExprKind, RuleId, Ty};
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// `callee(arguments)`
pub(super) fn call(ctx: &mut Check<'_>, callee: &ast::Expr, arguments: &[Argument], span: Span) -> Expr {
    let ast::ExprKind::Name(name) = &callee.kind else {
        return call_of_value(ctx, callee, span);
    };
    if let Some(found) = ctx.names.look_up(name) {
        return match found.kind {
            Kind::Rule(id) => rule(ctx, id, arguments, span),
            Kind::Later => broken(span),
            Kind::Const(_) | Kind::Listener(_) | Kind::Upstream(_) => {
                let message = format!("`{name}` cannot be called");
                ctx.report(
                    Diagnostic::error("E0204", message, callee.span)
                        .label(format!("this is {}", found.kind.with_article()))
                        .with(found.span, "declared here"),
                );
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

/// A use of a rule: the first argument may stand without its name, all others have theirs.
pub(super) fn rule(ctx: &mut Check<'_>, id: RuleId, arguments: &[Argument], span: Span) -> Expr {
    if matches!(ctx.scope.place, Place::Constant | Place::Setting) {
        let what = if ctx.scope.place == Place::Setting { "a setting" } else { "a constant" };
        ctx.report(
            Diagnostic::error("E0502", format!("{what} cannot use a rule"), span)
                .label("a rule reads the request")
                .with(ctx.rules[id].decl.name.span, "declared here"),
        );
        return broken(span);
    }
    let n_params = ctx.rules[id].params.len();
    let mut values: Vec<Option<Expr>> = (0..n_params).map(|_| None).collect();
    let mut is_complete = !ctx.rules[id].cyclic;
    for (at, argument) in arguments.iter().enumerate() {
        let Some(number) = parameter_of(ctx, id, at, argument) else {
            is_complete = false;
            expr::infer(ctx, &argument.value);
            continue;
        };
        let ty = ctx.rules[id].params[number].ty.clone();
        let value = expr::expect(ctx, &argument.value, &ty);
        if values[number].is_some() {
            let name = ctx.rules[id].params[number].name.clone();
            let message = format!("`{name}` is given twice");
            ctx.report(Diagnostic::error("E0307", message, argument.value.span));
        }
        values[number] = Some(value);
    }
    let mut missing = Vec::new();
    for (value, param) in values.iter_mut().zip(&ctx.rules[id].params) {
        if value.is_none() {
            value.clone_from(&param.default);
        }
        if value.is_none() {
            missing.push(format!("`{}`", param.name));
        }
    }
    if !missing.is_empty() && is_complete {
        let name = &ctx.rules[id].decl.name;
        let message = format!("`{}` needs {}", name.value, missing.join(" and "));
        let place = name.span;
        ctx.report(Diagnostic::error("E0307", message, span).with(place, "declared here"));
    }
    match values.into_iter().collect::<Option<Vec<Expr>>>() {
        Some(values) if is_complete => Expr { kind: ExprKind::Rule(id, values), ty: Ty::Bool, span },
        Some(_) | None => broken(span),
    }
}

/// The number of the parameter that an argument is for.
fn parameter_of(ctx: &mut Check<'_>, id: RuleId, at: usize, argument: &Argument) -> Option<usize> {
    let decl = ctx.rules[id].decl;
    let rule_name = &decl.name.value;
    let Some(name) = &argument.name else {
        if at == 0 && !decl.params.is_empty() {
            return Some(0);
        }
        let mut diagnostic = if decl.params.is_empty() {
            Diagnostic::error("E0307", format!("`{rule_name}` takes no arguments"), argument.value.span)
        } else {
            Diagnostic::error("E0307", "arguments after the first are named", argument.value.span)
        };
        if let Some(param) = decl.params.get(at) {
            let text = format!("{}: ", param.name.value);
            let start = Span { end: argument.value.span.start, ..argument.value.span };
            diagnostic = diagnostic.fix(format!("write `{text}…`"), start, text);
        }
        ctx.report(diagnostic.with(decl.name.span, "declared here"));
        return None;
    };
    let found = decl.params.iter().position(|param| param.name.value == name.value);
    if found.is_none() {
        let message = format!("`{rule_name}` has no parameter `{}`", name.value);
        let mut diagnostic =
            Diagnostic::error("E0307", message, name.span).with(decl.name.span, "declared here");
        if let Some(similar) = closest(&name.value, decl.params.iter().map(|param| param.name.value.as_str()))
        {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), name.span, similar);
        }
        ctx.report(diagnostic);
    }
    found
}
