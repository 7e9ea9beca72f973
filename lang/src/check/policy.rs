//! Policies: statements with a name, and `apply`, which puts them in its place.
//!
//! A policy is checked once, where it is written: its parameters and the names of its file are all it sees.

use super::arguments::{self, Head};
use super::flow::{self, End};
use super::graph::Node;
use super::names::{self, Kind, Wanted};
use super::scope::{Place, Scope, enter};
use super::{Check, statement};
use crate::Diagnostic;
use crate::ast::{Argument, ModPath, PolicyDecl, StmtKind};
use crate::hir::{Apply, Policy, PolicyId};
use crate::{Span, ast};

/// A policy with what `apply` needs to know.
pub(super) struct PolicyInfo<'t> {
    pub(super) decl: &'t PolicyDecl,
    pub(super) head: Head,
    /// How its statements end; known once it is checked.
    pub(super) end: End,
}

impl<'t> PolicyInfo<'t> {
    pub(super) fn new(decl: &'t PolicyDecl) -> Self {
        let head = Head::of(&decl.name);
        // One that is not checked yet may well end the exchange, so nothing is said about it.
        PolicyInfo { decl, head, end: End::Always(None) }
    }
}

/// Checks parameters, so that uses can be checked before bodies.
pub(super) fn heads(ctx: &mut Check<'_>) {
    for id in 0..ctx.policies.len() {
        let written = &ctx.policies[id].decl.params;
        ctx.policies[id].head.params = arguments::params(ctx, written);
    }
}

/// Checks the defaults of parameters.
pub(super) fn defaults(ctx: &mut Check<'_>) {
    for id in 0..ctx.policies.len() {
        let (written, params) = (&ctx.policies[id].decl.params, ctx.policies[id].head.params.clone());
        ctx.policies[id].head.params = arguments::with_defaults(ctx, &params, written);
    }
}

/// Checks all policies, each after those it applies; they come out in the order of the text.
pub(super) fn policies(ctx: &mut Check<'_>) -> Vec<Policy> {
    let mut checked: Vec<Option<Policy>> = ctx.policies.iter().map(|_| None).collect();
    for node in ctx.order.clone() {
        match node {
            Node::Policy(id) => checked[id] = Some(policy(ctx, id)),
            Node::Const(_) | Node::Fn(_) | Node::Rule(_) | Node::Routes(_) => {}
        }
    }
    checked.into_iter().flatten().collect()
}

fn policy(ctx: &mut Check<'_>, id: PolicyId) -> Policy {
    let decl = ctx.policies[id].decl;
    let head = ctx.policies[id].head.clone();
    let closed = Some("a policy");
    ctx.scope = Scope { owner: "policy", owner_span: Some(decl.head), closed, ..Scope::default() };
    enter(ctx, Place::Statement, &head.params);
    let bare = decl.body.iter().find(|stmt| matches!(stmt.kind, StmtKind::Terminal(_)));
    if let Some(stmt) = bare {
        bare_terminal(ctx, stmt.span);
    }
    let statements = statement::all(ctx, &decl.body);
    if !head.cyclic && bare.is_none() {
        ctx.policies[id].end = flow::end(ctx, &decl.body);
    }
    ctx.scope = Scope::default();
    Policy { name: ctx.qualified(&decl.name), params: head.typed(), statements, head: decl.head }
}

/// E0509: a policy that always answers would hide the end of every route that applies it.
fn bare_terminal(ctx: &mut Check<'_>, span: Span) {
    ctx.report(
        Diagnostic::error("E0509", "a policy cannot end every exchange", span)
            .label("every route that applies it would end here")
            .note("terminals of a policy stand inside `when`, or behind the `else` of `require`, `let` or `limit`")
            .help("write it inside `when … { … }`, or declare `routes` and mount them"),
    );
}

/// `apply policy(arguments)`
pub(super) fn apply(
    ctx: &mut Check<'_>,
    written: &ModPath,
    arguments: &[Argument],
    span: Span,
) -> Option<Apply> {
    let policy = named(ctx, written)?;
    let head = ctx.policies[policy].head.clone();
    let arguments = arguments::bind(ctx, &head, arguments, span)?;
    Some(Apply { policy, arguments, span })
}

/// The policy of this name, or a report.
fn named(ctx: &mut Check<'_>, written: &ModPath) -> Option<PolicyId> {
    let is_it = |kind| matches!(kind, Kind::Policy(_));
    let found = names::find(ctx, &written.parts, Wanted { what: "policy", code: "E0201", is_it })?;
    if let Kind::Policy(id) = found.kind {
        return Some(id);
    }
    let name = written.parts.last()?;
    let diagnostic = Diagnostic::error("E0204", format!("`{}` is not a policy", name.value), name.span)
        .label(format!("this is {}", found.kind.with_article()))
        .with(found.declared, "declared here");
    ctx.report(if let Kind::Routes(_) = found.kind {
        diagnostic.help("`routes` are put into a site with `mount`")
    } else if let Kind::Rule(_) = found.kind {
        let help = format!("ask a rule with `when {0} {{ … }}` or `require {0} else …`", name.value);
        diagnostic.help(help)
    } else {
        diagnostic
    });
    None
}

/// The policy that a statement applies, when it is known.
pub(super) fn applied(ctx: &Check<'_>, stmt: &ast::Stmt) -> Option<PolicyId> {
    let StmtKind::Apply { policy, .. } = &stmt.kind else { return None };
    let kind = ctx.names.peek_path(policy)?.kind;
    if let Kind::Policy(id) = kind { Some(id) } else { None }
}
