//! Statements.

use super::declare::descend;
use super::scope::Place;
use super::{Check, expr, flow, header, later, let_in, pattern, policy, template, terminal};
use crate::Diagnostic;
use crate::ast::{self, StmtKind};
use crate::hir::{Expr, Message, Stmt, Ty};
use crate::span::Spanned;

/// Checks the statements of one block; what follows a terminal is refused.
pub(super) fn all<'s>(ctx: &mut Check<'_>, written: impl IntoIterator<Item = &'s ast::Stmt>) -> Vec<Stmt> {
    let mut statements = Vec::with_capacity(1);
    let n_lets = ctx.scope.lets.len();
    let mut before: Option<&ast::Stmt> = None;
    for stmt in written {
        if let Some(before) = before
            && flow::ended(ctx, before).is_some()
        {
            flow::after_terminal(ctx, stmt, before);
            // One report for the block: the rest is unreachable for the same reason.
            break;
        }
        before = Some(stmt);
        statements.extend(one(ctx, stmt));
    }
    ctx.scope.lets.truncate(n_lets);
    statements
}

/// Checks one statement.
pub(super) fn one(ctx: &mut Check<'_>, stmt: &ast::Stmt) -> Option<Stmt> {
    ctx.scope.place = Place::Statement;
    match &stmt.kind {
        StmtKind::Set { target, value } => {
            let (message, name, value) = write(ctx, target, value, "set")?;
            Some(Stmt::SetHeader { message, name, value })
        }
        StmtKind::Add { target, value } => {
            let (message, name, value) = write(ctx, target, value, "add")?;
            Some(Stmt::AddHeader { message, name, value })
        }
        StmtKind::Remove { target } => {
            let (message, name) = header::target(ctx, target, "remove")?;
            Some(Stmt::RemoveHeader { message, name })
        }
        StmtKind::RewritePath(written) => template::read(ctx, written).map(Stmt::RewritePath),
        StmtKind::RewriteHost(value) => rewrite_host(ctx, value).map(Stmt::RewriteHost),
        StmtKind::RewriteStrip(written) => pattern::strip(ctx, written).map(Stmt::RewriteStrip),
        StmtKind::When { condition, then, otherwise } => {
            let condition = expr::expect(ctx, condition, &Ty::Bool);
            descend(ctx, stmt.span)?;
            let then = all(ctx, then);
            let otherwise = otherwise.as_ref().map_or_else(Vec::new, |written| all(ctx, written));
            ctx.scope.depth -= 1;
            Some(Stmt::When { condition, then, otherwise })
        }
        StmtKind::Require { condition, otherwise } => {
            let condition = expr::expect(ctx, condition, &Ty::Bool);
            let otherwise = terminal::terminal(ctx, otherwise)?;
            Some(Stmt::Require { condition, otherwise })
        }
        StmtKind::Apply { policy, arguments } => {
            policy::apply(ctx, policy, arguments, stmt.span).map(Stmt::Apply)
        }
        StmtKind::Terminal(written) => terminal::terminal(ctx, written).map(Stmt::Terminal),
        StmtKind::Let { name, ty, value, otherwise } => {
            let_in::bind(ctx, name, ty.as_ref(), (value, otherwise.as_deref()))
        }
        StmtKind::Limit { .. }
        | StmtKind::Cache(_)
        | StmtKind::Compress(_)
        | StmtKind::OnResponse { .. }
        | StmtKind::OnError { .. } => {
            later::stmt(ctx, stmt);
            None
        }
        StmtKind::Error => {
            ctx.incomplete = true;
            None
        }
    }
}

/// What `set` and `add` have in common: a header and a String.
fn write(
    ctx: &mut Check<'_>,
    target: &ast::Expr,
    value: &ast::Expr,
    verb: &str,
) -> Option<(Message, String, Expr)> {
    let target = header::target(ctx, target, verb);
    // What is no header wants a value of another type, so only the inside of the value is checked.
    let wanted = if target.is_some() { Ty::String } else { Ty::Error };
    let value = expr::expect(ctx, value, &wanted);
    let (message, name) = target?;
    Some((message, name, value))
}

/// `rewrite host value`: a host with an optional port, or text that the upstream takes as such.
fn rewrite_host(ctx: &mut Check<'_>, value: &ast::Expr) -> Option<Expr> {
    if let ast::ExprKind::Literal(ast::Literal::Text(written)) = &value.kind {
        return authority(ctx, &Spanned::new(written.as_str(), value.span));
    }
    let found = expr::infer(ctx, value);
    match found.ty {
        Ty::Host | Ty::Error => Some(found),
        _ => Some(super::mismatch::coerce(ctx, found, &Ty::String, value)),
    }
}

fn authority(ctx: &mut Check<'_>, written: &Spanned<&str>) -> Option<Expr> {
    let parts = crate::target::split_authority(written.value.as_bytes());
    let mut scratch = Vec::new();
    let host = parts.and_then(|(host, port)| {
        let host = crate::target::normalize_host(host, &mut scratch)?;
        Ok((String::from_utf8_lossy(host).into_owned(), port))
    });
    match host {
        Ok((host, port)) => {
            let text = port.map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
            let kind = crate::hir::ExprKind::Value(crate::hir::Value::Text(text));
            Some(Expr { kind, ty: Ty::Host, span: written.span })
        }
        Err(error) => {
            let message = format!("`{}` is not a host", written.value);
            ctx.report(Diagnostic::error("E0316", message, written.span).label(error.reason()));
            None
        }
    }
}
