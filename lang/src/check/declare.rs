//! Constants, rules and enums.

use super::graph::Node;
use super::limits::NESTING_MAX;
use super::render::render;
use super::scope::{Place, enter};
use super::{Check, ParamInfo, enums, expr, function, names, types};
use crate::ast::Param;
use crate::hir::{self, Expr, Ty};
use crate::{Diagnostic, Span};

/// Makes the types that enums declare.
pub(super) fn enums(ctx: &mut Check<'_>) {
    for (id, decl) in ctx.enum_decls.clone().into_iter().enumerate() {
        let declared = enums::declaration(ctx, decl, id);
        ctx.enums.push(declared);
    }
}

/// Checks parameters of rules, so that calls can be checked before bodies.
pub(super) fn rule_heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.rules.len() {
        ctx.rules[id].params = params(ctx, &ctx.rules[id].decl.params);
    }
}

/// Names and types of parameters; defaults come when everything they use is known.
pub(super) fn params(ctx: &mut Check<'_>, written: &[Param]) -> Vec<ParamInfo> {
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
    params
}

/// Checks constants and functions, each after those it uses.
pub(super) fn in_order(ctx: &mut Check<'_>) {
    for node in ctx.order.clone() {
        match node {
            Node::Const(id) => constant(ctx, id),
            Node::Fn(id) => function::body(ctx, id),
            Node::Rule(_) => {}
        }
    }
}

fn constant(ctx: &mut Check<'_>, id: hir::ConstId) {
    let decl = ctx.consts[id].decl;
    ctx.scope.place = Place::Constant;
    let value = match &decl.ty {
        Some(written) => {
            let ty = types::read(ctx, written);
            expr::expect(ctx, &decl.value, &ty)
        }
        None => expr::infer(ctx, &decl.value),
    };
    ctx.consts[id].value = Some(value);
}

/// Checks defaults and conditions of rules.
pub(super) fn rules(ctx: &mut Check<'_>) -> Vec<hir::Rule> {
    for id in 0..ctx.rules.len() {
        let decl = ctx.rules[id].decl;
        for (number, param) in decl.params.iter().enumerate() {
            let Some(default) = &param.default else { continue };
            ctx.scope.place = Place::Constant;
            let ty = ctx.rules[id].params[number].ty.clone();
            ctx.rules[id].params[number].default = Some(expr::expect(ctx, default, &ty));
        }
    }
    (0..ctx.rules.len()).map(|id| rule(ctx, id)).collect()
}

fn rule(ctx: &mut Check<'_>, id: hir::RuleId) -> hir::Rule {
    let decl = ctx.rules[id].decl;
    let params = std::mem::take(&mut ctx.rules[id].params);
    enter(ctx, Place::Rule, &params);
    let heads = params.iter().map(|param| (param.name.clone(), param.ty.clone())).collect();
    ctx.rules[id].params = params;
    ctx.scope.guard_text = Some(render(&decl.condition));
    let condition = expr::expect(ctx, &decl.condition, &Ty::Bool);
    ctx.scope.guard_text = None;
    ctx.scope.params.clear();
    hir::Rule { name: decl.name.value.clone(), params: heads, condition }
}

/// Goes one level deeper; `None`, and a report, when that is too deep.
pub(super) fn descend(ctx: &mut Check<'_>, span: Span) -> Option<()> {
    if ctx.scope.depth >= NESTING_MAX {
        let message = format!("this is nested more than {NESTING_MAX} levels deep");
        ctx.report(
            Diagnostic::error("E0252", message, span)
                .help("give the inner part a name with `rule` or `const`"),
        );
        return None;
    }
    ctx.scope.depth += 1;
    Some(())
}

/// The value of something that was reported.
pub(super) fn broken(span: Span) -> Expr {
    Expr { kind: hir::ExprKind::Value(hir::Value::Bool(false)), ty: Ty::Error, span }
}
