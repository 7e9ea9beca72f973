//! `env`: values that differ from machine to machine. For checking they are unknown, so what is accepted holds for all.

use super::scope::Place;
use super::{Check, EnvInfo, expr, fold, types};
use crate::Diagnostic;
use crate::hir::{Env, EnvId, Expr, ExprKind, Ty, is_readable, placeholder};

/// Checks types of variables.
pub(super) fn heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.envs.len() {
        let written = &ctx.envs[id].decl.ty;
        let ty = types::read(ctx, written);
        if ty != Ty::Error && !is_readable(&ty) {
            ctx.report(
                Diagnostic::error("E0212", format!("the environment holds no {ty}"), written.span)
                    .note("a variable is one text, number, time, size, address, word or truth value"),
            );
            continue;
        }
        ctx.envs[id].ty = ty;
    }
}

/// Checks defaults; constants are known by now.
pub(super) fn defaults(ctx: &mut Check<'_>) {
    for id in 0..ctx.envs.len() {
        let Some(written) = &ctx.envs[id].decl.default else { continue };
        let ty = ctx.envs[id].ty.clone();
        if ty == Ty::Error {
            continue;
        }
        ctx.scope.place = Place::Constant;
        let found = expr::expect(ctx, written, &ty);
        if found.ty == Ty::Error {
            continue;
        }
        match fold::value(ctx, &found) {
            Some(value) => {
                ctx.envs[id].default = Some(Expr { kind: ExprKind::Value(value), ty, span: found.span });
            }
            None => ctx.report(
                Diagnostic::error("E0502", "a default is known when the program is compiled", found.span)
                    .help("write a literal or a constant"),
            ),
        }
    }
}

/// A use of a variable.
pub(super) fn value(ctx: &Check<'_>, id: EnvId, span: crate::Span) -> Expr {
    Expr { kind: ExprKind::Env(id), ty: ctx.envs[id].ty.clone(), span }
}

/// The variable as later stages see it.
pub(super) fn finish(info: EnvInfo<'_>) -> Option<Env> {
    let EnvInfo { decl, ty, default } = info;
    let span = decl.name.span;
    let value = match &default {
        Some(default) => default.clone(),
        None => Expr { kind: ExprKind::Value(placeholder(&ty)?), ty: ty.clone(), span },
    };
    Some(Env { name: decl.name.value.clone(), ty, default, value, span })
}
