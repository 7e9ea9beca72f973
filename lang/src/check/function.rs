//! Functions: values of their arguments, and of nothing else.

use super::scope::{Place, enter};
use super::{Check, FnInfo, arguments, expr, types};
use crate::hir::{Fn, FnId};

/// Checks parameters and results, so that calls can be checked before bodies.
pub(super) fn heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.fns.len() {
        let decl = ctx.fns[id].decl;
        ctx.fns[id].head.params = arguments::params(ctx, &decl.params);
        ctx.fns[id].result = types::read(ctx, &decl.result);
    }
}

/// Checks defaults and the value of a function; everything it uses was checked before.
pub(super) fn body(ctx: &mut Check<'_>, id: FnId) {
    let decl = ctx.fns[id].decl;
    let head = &ctx.fns[id].head;
    let params = arguments::with_defaults(ctx, &head.params.clone(), &decl.params);
    ctx.fns[id].head.params = params.clone();
    enter(ctx, Place::Function, &params);
    let result = ctx.fns[id].result.clone();
    let body = expr::expect(ctx, &decl.body, &result);
    ctx.scope.params.clear();
    ctx.fns[id].body = Some(body);
}

/// The function as later stages see it.
pub(super) fn finish(ctx: &Check<'_>, info: FnInfo<'_>) -> Option<Fn> {
    Some(Fn { params: info.head.typed(), name: ctx.qualified(&info.decl.name), body: info.body? })
}
