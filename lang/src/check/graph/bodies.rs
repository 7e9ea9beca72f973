//! Which policies apply which, and which routes mount which.

use super::{Node, Use};
use crate::ast::{ModPath, SiteItem, Stmt, StmtKind};
use crate::check::Check;
use crate::check::names::Kind;
use std::collections::BTreeMap;

/// Adds the uses of policies and routes. Policies use policies only and routes, as far as circles go, routes only.
pub(super) fn uses(ctx: &Check<'_>, graph: &mut BTreeMap<Node, Vec<Use>>) {
    for (id, policy) in ctx.policies.iter().enumerate() {
        let mut found = Vec::new();
        in_statements(ctx, &policy.decl.body, &mut found);
        graph.insert(Node::Policy(id), in_order(found));
    }
    for (id, routes) in ctx.routes.iter().enumerate() {
        graph.insert(Node::Routes(id), in_order(in_items(ctx, &routes.decl.items)));
    }
}

fn in_order(mut found: Vec<Use>) -> Vec<Use> {
    found.sort_by_key(|found| found.span.start);
    found
}

fn in_statements(ctx: &Check<'_>, statements: &[Stmt], found: &mut Vec<Use>) {
    let mut open: Vec<&Stmt> = statements.iter().collect();
    while let Some(stmt) = open.pop() {
        match &stmt.kind {
            StmtKind::Apply { policy, .. } => found.extend(target(ctx, policy)),
            StmtKind::When { then, otherwise, .. } => {
                open.extend(then);
                open.extend(otherwise.iter().flatten());
            }
            StmtKind::OnResponse { body, .. } | StmtKind::OnError { body, .. } => open.extend(body),
            StmtKind::Let { .. }
            | StmtKind::Set { .. }
            | StmtKind::Add { .. }
            | StmtKind::Remove { .. }
            | StmtKind::RewritePath(_)
            | StmtKind::RewriteHost(_)
            | StmtKind::RewriteStrip(_)
            | StmtKind::Require { .. }
            | StmtKind::Limit { .. }
            | StmtKind::Cache(_)
            | StmtKind::Compress(_)
            | StmtKind::Terminal(_)
            | StmtKind::Error => {}
        }
    }
}

fn in_items(ctx: &Check<'_>, items: &[SiteItem]) -> Vec<Use> {
    let mut found = Vec::new();
    let mut open: Vec<&SiteItem> = items.iter().collect();
    while let Some(item) = open.pop() {
        match item {
            SiteItem::Mount(mount) => found.extend(target(ctx, &mount.target)),
            SiteItem::Group(group) => open.extend(&group.items),
            SiteItem::Route(_)
            | SiteItem::Fallback(_)
            | SiteItem::Stmt(_)
            | SiteItem::Setting(_)
            | SiteItem::Error(_) => {}
        }
    }
    found
}

fn target(ctx: &Check<'_>, path: &ModPath) -> Option<Use> {
    let kind = ctx.names.peek_path(path)?.kind;
    let target = if let Kind::Policy(id) = kind {
        Node::Policy(id)
    } else if let Kind::Routes(id) = kind {
        Node::Routes(id)
    } else {
        return None;
    };
    Some(Use { target, span: path.span })
}
