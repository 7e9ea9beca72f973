//! Constants, rules and enums.

use super::graph::Node;
use super::limits::NESTING_MAX;
use super::render::render;
use super::scope::{Place, enter};
use super::{Check, arguments, enums, expr, function, types};
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
        let written = &ctx.rules[id].decl.params;
        ctx.rules[id].head.params = arguments::params(ctx, written);
    }
}

/// Checks constants and functions, each after those it uses.
pub(super) fn in_order(ctx: &mut Check<'_>) {
    for node in ctx.order.clone() {
        match node {
            Node::Const(id) => constant(ctx, id),
            Node::Fn(id) => function::body(ctx, id),
            Node::Rule(_) | Node::Policy(_) | Node::Routes(_) => {}
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
        let (written, params) = (&ctx.rules[id].decl.params, ctx.rules[id].head.params.clone());
        ctx.rules[id].head.params = arguments::with_defaults(ctx, &params, written);
    }
    (0..ctx.rules.len()).map(|id| rule(ctx, id)).collect()
}

fn rule(ctx: &mut Check<'_>, id: hir::RuleId) -> hir::Rule {
    let decl = ctx.rules[id].decl;
    let head = ctx.rules[id].head.clone();
    enter(ctx, Place::Rule, &head.params);
    ctx.scope.guard_text = Some(render(&decl.condition));
    let condition = expr::expect(ctx, &decl.condition, &Ty::Bool);
    ctx.scope.guard_text = None;
    ctx.scope.params.clear();
    hir::Rule { name: ctx.qualified(&decl.name), params: head.typed(), condition }
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
