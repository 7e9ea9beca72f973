//! Parameters, and the arguments that uses of rules, functions, policies and routes give for them.

use super::declare::broken;
use super::scope::Place;
use super::{Check, expr, names, types};
use crate::ast::{Argument, Param};
use crate::hir::{Expr, Ty};
use crate::span::Ident;
use crate::suggest::closest;
use crate::{Diagnostic, Span};
use std::rc::Rc;

/// A parameter.
#[derive(Clone)]
pub(super) struct ParamInfo {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) ty: Ty,
    pub(super) default: Option<Expr>,
}

/// What the uses of something with parameters need to know.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) name: String,
    /// Where the name is declared.
    pub(super) span: Span,
    pub(super) params: Rc<[ParamInfo]>,
    /// Part of a cycle that was reported.
    pub(super) cyclic: bool,
}

impl Head {
    /// That of a declaration whose parameters were not looked at yet.
    pub(super) fn of(name: &Ident) -> Self {
        Head { name: name.value.clone(), span: name.span, params: [].into(), cyclic: false }
    }

    /// Names and types, as the program holds them.
    pub(super) fn typed(&self) -> Vec<(String, Ty)> {
        self.params.iter().map(|param| (param.name.clone(), param.ty.clone())).collect()
    }
}

/// The parameters as written; their defaults come later, when constants have values.
pub(super) fn params(ctx: &mut Check<'_>, written: &[Param]) -> Rc<[ParamInfo]> {
    let mut params: Vec<ParamInfo> = Vec::new();
    for param in written {
        let ty = types::read(ctx, &param.ty);
        let first = params.iter().find(|p| p.name == param.name.value).map(|p| p.span);
        if let (true, Some(first)) = (names::reserve(ctx, &param.name), first) {
            names::taken(ctx, &param.name, first);
        }
        let name = param.name.value.clone();
        params.push(ParamInfo { name, span: param.name.span, ty, default: None });
    }
    params.into()
}

/// The parameters with their defaults, which are constants.
pub(super) fn with_defaults(
    ctx: &mut Check<'_>,
    params: &Rc<[ParamInfo]>,
    written: &[Param],
) -> Rc<[ParamInfo]> {
    if written.iter().all(|param| param.default.is_none()) {
        return Rc::clone(params);
    }
    let checked = params.iter().zip(written).map(|(param, written)| {
        ctx.scope.place = Place::Constant;
        // What is wrong with the type was said; every default fits it.
        let written = written.default.as_ref();
        let default = written.map(|default| match param.ty {
            Ty::Error => broken(default.span),
            _ => expr::expect(ctx, default, &param.ty),
        });
        ParamInfo { default, ..param.clone() }
    });
    checked.collect()
}

/// A value for each parameter, or reports. The first argument may stand without its name, all others have theirs.
pub(super) fn bind(
    ctx: &mut Check<'_>,
    head: &Head,
    arguments: &[Argument],
    span: Span,
) -> Option<Vec<Expr>> {
    let mut values: Vec<Option<Expr>> = head.params.iter().map(|_| None).collect();
    let mut is_complete = !head.cyclic;
    for (at, argument) in arguments.iter().enumerate() {
        let Some(number) = parameter_of(ctx, head, at, argument) else {
            is_complete = false;
            // An upstream is no value by itself, and whether one is wanted here nobody knows.
            if !matches!(argument.value.kind, crate::ast::ExprKind::Name(_)) {
                expr::infer(ctx, &argument.value);
            }
            continue;
        };
        let param = &head.params[number];
        let value = expr::expect(ctx, &argument.value, &param.ty);
        is_complete &= value.ty != Ty::Error && param.ty != Ty::Error;
        if values[number].is_some() {
            let message = format!("`{}` is given twice", param.name);
            ctx.report(Diagnostic::error("E0307", message, argument.value.span));
        }
        values[number] = Some(value);
    }
    let mut missing = Vec::new();
    for (value, param) in values.iter_mut().zip(head.params.iter()) {
        if value.is_none() {
            value.clone_from(&param.default);
        }
        if value.is_none() {
            missing.push(format!("`{}`", param.name));
        }
    }
    if !missing.is_empty() && is_complete {
        let message = format!("`{}` needs {}", head.name, missing.join(" and "));
        ctx.report(Diagnostic::error("E0307", message, span).with(head.span, "declared here"));
    }
    values.into_iter().collect::<Option<Vec<Expr>>>().filter(|_| is_complete)
}

/// The number of the parameter that an argument is for.
fn parameter_of(ctx: &mut Check<'_>, head: &Head, at: usize, argument: &Argument) -> Option<usize> {
    let Some(name) = &argument.name else {
        if at == 0 && !head.params.is_empty() {
            return Some(0);
        }
        let mut diagnostic = if head.params.is_empty() {
            Diagnostic::error("E0307", format!("`{}` takes no arguments", head.name), argument.value.span)
        } else {
            Diagnostic::error("E0307", "arguments after the first are named", argument.value.span)
        };
        if let Some(param) = head.params.get(at) {
            let text = format!("{}: ", param.name);
            let start = Span { end: argument.value.span.start, ..argument.value.span };
            diagnostic = diagnostic.fix(format!("write `{text}…`"), start, text);
        }
        ctx.report(diagnostic.with(head.span, "declared here"));
        return None;
    };
    let found = head.params.iter().position(|param| param.name == name.value);
    if found.is_none() {
        let message = format!("`{}` has no parameter `{}`", head.name, name.value);
        let mut diagnostic = Diagnostic::error("E0307", message, name.span).with(head.span, "declared here");
        let known: Vec<&str> = head.params.iter().map(|param| param.name.as_str()).collect();
        if let Some(similar) = closest(&name.value, known.iter().copied()) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), name.span, similar);
        } else if !known.is_empty() {
            diagnostic = diagnostic.help(format!("possible: {}", known.join(", ")));
        }
        ctx.report(diagnostic);
    }
    found
}
