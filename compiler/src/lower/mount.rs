//! Mounted routes: their routes with the prefix and the name of the place where they are mounted.

use super::expr::Lowering;
use super::frame::Env;
use super::statement::lower_statements;
use super::{Outer, innermost, lower_fallback, lower_items};
use crate::core::{Route, SegmentPattern};
use twp_lang::hir;

pub(super) fn lower_mount<'a>(
    ctx: &mut Lowering<'a>,
    mount: &'a hir::Mount,
    outer: &Outer,
    routes: &mut Vec<Route>,
) {
    let body = ctx.routes(mount.routes);
    let label = format!("{}{}.", outer.label, mount.name);
    let env = Env::new(&mount.arguments, ctx.frame()).with_captures(&label, &outer.captures);
    ctx.inline_block((&body.name, mount.span), env, |ctx| {
        let before = ctx.n_nodes();
        let mut inner = outer.clone();
        inner.prefix.extend(mount.at.iter().cloned().map(SegmentPattern::Literal));
        inner.label = label;
        inner.settings = innermost(outer.settings, body.settings);
        inner.actions.extend(lower_statements(ctx, &body.statements));
        inner.n_nodes += ctx.n_nodes() - before;
        lower_items(ctx, &body.items, &inner, routes);
        if let Some(fallback) = &body.fallback {
            let route = lower_fallback(ctx, fallback, &inner);
            routes.push(route);
        }
    });
}
