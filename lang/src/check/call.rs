//! Calls of rules and functions.

use super::declare::broken;
use super::names::Kind;
use super::scope::Place;
use super::{Check, ParamInfo, expr, field, names};
use crate::ast::{self, Argument};
use crate::hir::{Expr, ExprKind, FnId, RuleId, Ty};
use crate::span::Ident;
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
            Kind::Fn(id) => function(ctx, id, arguments, span),
            Kind::Later => broken(span),
            Kind::Const(_) | Kind::Enum(_) | Kind::Env(_) | Kind::Listener(_) | Kind::Upstream(_) => {
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

/// What takes arguments.
#[derive(Clone, Copy)]
pub(super) enum Callable {
    Rule(RuleId),
    Fn(FnId),
}

impl Callable {
    /// Its name where it is declared.
    fn name<'t>(self, ctx: &Check<'t>) -> &'t Ident {
        match self {
            Callable::Rule(id) => &ctx.rules[id].decl.name,
            Callable::Fn(id) => &ctx.fns[id].decl.name,
        }
    }

    fn params<'c>(self, ctx: &'c Check<'_>) -> &'c [ParamInfo] {
        match self {
            Callable::Rule(id) => &ctx.rules[id].params,
            Callable::Fn(id) => &ctx.fns[id].params,
        }
    }

    fn is_cyclic(self, ctx: &Check<'_>) -> bool {
        match self {
            Callable::Rule(id) => ctx.rules[id].cyclic,
            Callable::Fn(id) => ctx.fns[id].cyclic,
        }
    }
}

/// A use of a rule.
pub(super) fn rule(ctx: &mut Check<'_>, id: RuleId, arguments: &[Argument], span: Span) -> Expr {
    if matches!(ctx.scope.place, Place::Constant | Place::Setting | Place::Function) {
        let what = ctx.scope.place.what();
        ctx.report(
            Diagnostic::error("E0502", format!("{what} cannot use a rule"), span)
                .label("a rule reads the request")
                .with(ctx.rules[id].decl.name.span, "declared here"),
        );
        return broken(span);
    }
    match bind(ctx, Callable::Rule(id), arguments, span) {
        Some(values) => Expr { kind: ExprKind::Rule(id, values), ty: Ty::Bool, span },
        None => broken(span),
    }
}

/// A use of a function.
fn function(ctx: &mut Check<'_>, id: FnId, arguments: &[Argument], span: Span) -> Expr {
    let bound = bind(ctx, Callable::Fn(id), arguments, span);
    let ty = ctx.fns[id].result.clone();
    match bound {
        Some(values) if ty != Ty::Error => Expr { kind: ExprKind::Call(id, values), ty, span },
        Some(_) | None => broken(span),
    }
}

/// An argument for each parameter: the first may stand without its name, all others have theirs. `None` when
/// something is wrong with them or with what is called, which was reported.
pub(super) fn bind(
    ctx: &mut Check<'_>,
    callee: Callable,
    arguments: &[Argument],
    span: Span,
) -> Option<Vec<Expr>> {
    let n_params = callee.params(ctx).len();
    let mut values: Vec<Option<Expr>> = (0..n_params).map(|_| None).collect();
    let mut is_complete = !callee.is_cyclic(ctx);
    for (at, argument) in arguments.iter().enumerate() {
        let Some(number) = parameter_of(ctx, callee, at, argument) else {
            is_complete = false;
            expr::infer(ctx, &argument.value);
            continue;
        };
        let ty = callee.params(ctx)[number].ty.clone();
        let value = expr::expect(ctx, &argument.value, &ty);
        if values[number].is_some() {
            let message = format!("`{}` is given twice", callee.params(ctx)[number].name);
            ctx.report(Diagnostic::error("E0307", message, argument.value.span));
        }
        values[number] = Some(value);
    }
    let mut missing = Vec::new();
    for (value, param) in values.iter_mut().zip(callee.params(ctx)) {
        if value.is_none() {
            value.clone_from(&param.default);
        }
        if value.is_none() {
            missing.push(format!("`{}`", param.name));
        }
    }
    if !missing.is_empty() && is_complete {
        let name = callee.name(ctx);
        let message = format!("`{}` needs {}", name.value, missing.join(" and "));
        ctx.report(Diagnostic::error("E0307", message, span).with(name.span, "declared here"));
    }
    values.into_iter().collect::<Option<Vec<Expr>>>().filter(|_| is_complete)
}

/// The number of the parameter that an argument is for.
fn parameter_of(ctx: &mut Check<'_>, callee: Callable, at: usize, argument: &Argument) -> Option<usize> {
    let place = callee.name(ctx).span;
    let callee_name = callee.name(ctx).value.clone();
    let names: Vec<String> = callee.params(ctx).iter().map(|param| param.name.clone()).collect();
    let Some(name) = &argument.name else {
        if at == 0 && !names.is_empty() {
            return Some(0);
        }
        let mut diagnostic = if names.is_empty() {
            Diagnostic::error("E0307", format!("`{callee_name}` takes no arguments"), argument.value.span)
        } else {
            Diagnostic::error("E0307", "arguments after the first are named", argument.value.span)
        };
        if let Some(param) = names.get(at) {
            let text = format!("{param}: ");
            let start = Span { end: argument.value.span.start, ..argument.value.span };
            diagnostic = diagnostic.fix(format!("write `{text}…`"), start, text);
        }
        ctx.report(diagnostic.with(place, "declared here"));
        return None;
    };
    let found = names.iter().position(|param| *param == name.value);
    if found.is_none() {
        let message = format!("`{callee_name}` has no parameter `{}`", name.value);
        let mut diagnostic = Diagnostic::error("E0307", message, name.span).with(place, "declared here");
        if let Some(similar) = closest(&name.value, names.iter().map(String::as_str)) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), name.span, similar);
        }
        ctx.report(diagnostic);
    }
    found
}
