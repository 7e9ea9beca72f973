//! Functions: values of their arguments, and of nothing else.

use super::declare::params;
use super::scope::{Place, enter};
use super::{Check, FnInfo, expr, types};
use crate::hir::{Fn, FnId};

/// Checks parameters and results, so that calls can be checked before bodies.
pub(super) fn heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.fns.len() {
        let decl = ctx.fns[id].decl;
        ctx.fns[id].params = params(ctx, &decl.params);
        ctx.fns[id].result = types::read(ctx, &decl.result);
    }
}

/// Checks defaults and the value of a function; everything it uses was checked before.
pub(super) fn body(ctx: &mut Check<'_>, id: FnId) {
    let decl = ctx.fns[id].decl;
    for (number, param) in decl.params.iter().enumerate() {
        let Some(default) = &param.default else { continue };
        ctx.scope.place = Place::Constant;
        let ty = ctx.fns[id].params[number].ty.clone();
        ctx.fns[id].params[number].default = Some(expr::expect(ctx, default, &ty));
    }
    let params = std::mem::take(&mut ctx.fns[id].params);
    enter(ctx, Place::Function, &params);
    ctx.fns[id].params = params;
    let result = ctx.fns[id].result.clone();
    let body = expr::expect(ctx, &decl.body, &result);
    ctx.scope.params.clear();
    ctx.fns[id].body = Some(body);
}

/// The function as later stages see it.
pub(super) fn finish(info: FnInfo<'_>) -> Option<Fn> {
    let params = info.params.into_iter().map(|param| (param.name, param.ty)).collect();
    Some(Fn { name: info.decl.name.value.clone(), params, body: info.body? })
}
