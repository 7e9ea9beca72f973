//! Which constants, functions, rules, policies and routes use which: nothing may use itself, and constants, functions
//! and policies are checked after those they use.

use super::Check;
use super::names::{Kind, Names};
use crate::ast::{Expr, ExprKind, TextPiece};
use crate::hir::{ConstId, FnId, PolicyId, RoutesId, RuleId};
use crate::{Diagnostic, Span};
use std::collections::BTreeMap;

mod bodies;

/// What may use others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Const(ConstId),
    Fn(FnId),
    Rule(RuleId),
    Policy(PolicyId),
    Routes(RoutesId),
}

/// A use of another one.
#[derive(Clone, Copy)]
struct Use {
    target: Node,
    span: Span,
}

/// How far the walk is with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
}

/// Orders constants, functions and rules, and reports cycles.
pub(super) fn order(ctx: &mut Check<'_>) {
    let graph = uses(ctx);
    let mut state: BTreeMap<Node, State> = BTreeMap::new();
    for &start in graph.keys() {
        if !state.contains_key(&start) {
            walk(ctx, &graph, &mut state, start);
        }
    }
}

/// Walks everything that `start` uses, depth first, without recursion: chains may be long.
fn walk(
    ctx: &mut Check<'_>,
    graph: &BTreeMap<Node, Vec<Use>>,
    state: &mut BTreeMap<Node, State>,
    start: Node,
) {
    let mut path = vec![(start, 0)];
    state.insert(start, State::Open);
    while let Some((node, next)) = path.last_mut() {
        let node = *node;
        let Some(&edge) = graph.get(&node).and_then(|edges| edges.get(*next)) else {
            state.insert(node, State::Done);
            ctx.order.push(node);
            path.pop();
            continue;
        };
        *next += 1;
        match state.get(&edge.target) {
            Some(State::Done) => {}
            Some(State::Open) => {
                let first = path.iter().position(|(n, _)| *n == edge.target).unwrap_or(0);
                let members: Vec<Node> = path[first..].iter().map(|(n, _)| *n).collect();
                report(ctx, &members, edge);
            }
            None => {
                state.insert(edge.target, State::Open);
                path.push((edge.target, 0));
            }
        }
    }
}

fn report(ctx: &mut Check<'_>, members: &[Node], edge: Use) {
    let name = node_name(ctx, edge.target).to_owned();
    let verb = match edge.target {
        Node::Const(_) => "is defined by itself",
        Node::Rule(_) | Node::Fn(_) => "calls itself",
        Node::Policy(_) => "applies itself",
        Node::Routes(_) => "mounts itself",
    };
    let through: Vec<String> =
        members.iter().skip(1).map(|&node| format!("`{}`", node_name(ctx, node))).collect();
    let message = if through.is_empty() {
        format!("`{name}` {verb}")
    } else {
        format!("`{name}` {verb} through {}", through.join(" and "))
    };
    ctx.report(
        Diagnostic::error("E0251", message, edge.span)
            .label("recursion is not allowed")
            .note("every decision in twp ends in a bounded number of steps"),
    );
    for &node in members {
        match node {
            Node::Const(id) => ctx.consts[id].cyclic = true,
            Node::Fn(id) => ctx.fns[id].head.cyclic = true,
            Node::Rule(id) => ctx.rules[id].head.cyclic = true,
            Node::Policy(id) => ctx.policies[id].head.cyclic = true,
            Node::Routes(id) => ctx.routes[id].head.cyclic = true,
        }
    }
}

fn node_name<'c>(ctx: &'c Check<'_>, node: Node) -> &'c str {
    match node {
        Node::Const(id) => &ctx.consts[id].decl.name.value,
        Node::Fn(id) => &ctx.fns[id].head.name,
        Node::Rule(id) => &ctx.rules[id].head.name,
        Node::Policy(id) => &ctx.policies[id].head.name,
        Node::Routes(id) => &ctx.routes[id].head.name,
    }
}

/// The uses of each node, in the order of the text.
fn uses(ctx: &Check<'_>) -> BTreeMap<Node, Vec<Use>> {
    let mut graph = BTreeMap::new();
    for (id, constant) in ctx.consts.iter().enumerate() {
        graph.insert(Node::Const(id), uses_in(&[&constant.decl.value], &ctx.names));
    }
    for (id, function) in ctx.fns.iter().enumerate() {
        let defaults = function.decl.params.iter().filter_map(|param| param.default.as_ref());
        let exprs: Vec<&Expr> = defaults.chain([&function.decl.body]).collect();
        graph.insert(Node::Fn(id), uses_in(&exprs, &ctx.names));
    }
    for (id, rule) in ctx.rules.iter().enumerate() {
        let defaults = rule.decl.params.iter().filter_map(|param| param.default.as_ref());
        let exprs: Vec<&Expr> = defaults.chain([&rule.decl.condition]).collect();
        graph.insert(Node::Rule(id), uses_in(&exprs, &ctx.names));
    }
    bodies::uses(ctx, &mut graph);
    graph
}

/// What can use itself.
fn node_of(kind: Kind) -> Option<Node> {
    if let Kind::Const(id) = kind {
        Some(Node::Const(id))
    } else if let Kind::Rule(id) = kind {
        Some(Node::Rule(id))
    } else if let Kind::Fn(id) = kind {
        Some(Node::Fn(id))
    } else {
        None
    }
}

fn uses_in(exprs: &[&Expr], names: &Names) -> Vec<Use> {
    let mut found = Vec::new();
    let mut open: Vec<&Expr> = exprs.to_vec();
    while let Some(expr) = open.pop() {
        if let Some(target) = names.peek_expr(expr).and_then(|found| node_of(found.kind)) {
            found.push(Use { target, span: expr.span });
        }
        children(expr, &mut open);
    }
    found.sort_by_key(|found| found.span.start);
    found
}

/// Adds the expressions directly inside one.
fn children<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Error => {}
        ExprKind::Text(pieces) => out.extend(pieces.iter().filter_map(|piece| match piece {
            TextPiece::Literal(_) => None,
            TextPiece::Expr(expr) => Some(expr),
        })),
        ExprKind::Access { base, .. } => out.push(base),
        ExprKind::Index { base, index } => out.extend([&**base, &**index]),
        ExprKind::Call { callee, arguments } => {
            out.push(callee);
            out.extend(arguments.iter().map(|argument| &argument.value));
        }
        ExprKind::Unary { operand, .. } => out.push(operand),
        ExprKind::Binary { left, right, .. } => out.extend([&**left, &**right]),
        ExprKind::If { condition, then, otherwise } => out.extend([&**condition, &**then, &**otherwise]),
        ExprKind::List(elements) => out.extend(elements),
        ExprKind::Map(entries) => out.extend(entries.iter().flat_map(|(key, value)| [key, value])),
    }
}
