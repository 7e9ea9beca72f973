//! Every path through a route ends in one terminal, and nothing follows a terminal.
//!
//! A policy counts as if its statements stood where it is applied.

use super::{Check, later, policy};
use crate::ast::{BodyItem, Stmt, StmtKind};
use crate::{Diagnostic, Span};

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every path ends in a terminal; where it stands, unless something there was reported or is of a later version.
    Always(Option<Span>),
    /// A request can go on; the place where it could still have ended, if any.
    GoesOn(Option<Leak>),
}

/// A `when` with a terminal that some requests pass by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leak {
    place: Span,
    remark: &'static str,
    /// The same inside of the policy that is applied at the place.
    inside: Option<(Span, &'static str)>,
}

/// E0503: reports a body that a request can leave without an answer. `owner` is `route` or `fallback`.
pub(super) fn must_answer(ctx: &mut Check<'_>, body: &[BodyItem], owner: &str, head: Span) {
    // `to: app` was reported; without the colon it would be the answer.
    let has_terminal = |item: &BodyItem| match item {
        BodyItem::Setting(setting) => crate::parse::is_statement(&setting.name.value),
        BodyItem::Stmt(_) => false,
    };
    if body.iter().any(has_terminal) {
        return;
    }
    let statements = body.iter().filter_map(|item| match item {
        BodyItem::Stmt(stmt) => Some(stmt),
        BodyItem::Setting(_) => None,
    });
    let End::GoesOn(leak) = end(ctx, statements) else { return };
    let message = format!("a request can leave this {owner} without an answer");
    ctx.report(match leak {
        Some(Leak { place, remark, inside }) => {
            let mut diagnostic = Diagnostic::error("E0503", message, place).label(remark);
            if let Some((when, remark)) = inside {
                diagnostic = diagnostic.with(when, remark);
            }
            diagnostic.help(if inside.is_some() {
                "add a terminal such as `to`, `respond`, `redirect` after it"
            } else {
                "add `else { … }` or a terminal such as `to`, `respond`, `redirect` after it"
            })
        }
        None => Diagnostic::error("E0503", message, head)
            .label("nothing in it ends the exchange")
            .help("add a terminal such as `to`, `respond`, `redirect` at its end"),
    });
}

/// How statements end.
pub(super) fn end<'s>(ctx: &Check<'_>, statements: impl IntoIterator<Item = &'s Stmt>) -> End {
    let mut leak = None;
    for stmt in statements {
        match end_of(ctx, stmt) {
            always @ End::Always(_) => return always,
            End::GoesOn(found) => leak = found.or(leak),
        }
    }
    End::GoesOn(leak)
}

/// How one statement ends.
pub(super) fn end_of(ctx: &Check<'_>, stmt: &Stmt) -> End {
    match &stmt.kind {
        StmtKind::Terminal(_) => End::Always(Some(stmt.span)),
        StmtKind::Error => End::Always(None),
        kind if later::is_later_stmt(kind) => End::Always(None),
        StmtKind::When { then, otherwise, .. } => branches(ctx, stmt, then, otherwise.as_deref()),
        StmtKind::Apply { .. } => applied(ctx, stmt),
        // Terminals behind `else` are for requests that stop here, those of handlers answer later.
        StmtKind::Require { .. }
        | StmtKind::Let { .. }
        | StmtKind::Limit { .. }
        | StmtKind::OnResponse { .. }
        | StmtKind::OnError { .. }
        | StmtKind::Set { .. }
        | StmtKind::Add { .. }
        | StmtKind::Remove { .. }
        | StmtKind::RewritePath(_)
        | StmtKind::RewriteHost(_)
        | StmtKind::RewriteStrip(_)
        | StmtKind::Cache(_)
        | StmtKind::Compress(_) => End::GoesOn(None),
    }
}

fn applied(ctx: &Check<'_>, stmt: &Stmt) -> End {
    let Some(id) = policy::applied(ctx, stmt) else { return End::Always(None) };
    match ctx.policies[id].end {
        End::Always(place) => End::Always(place.map(|_| stmt.span)),
        End::GoesOn(leak) => End::GoesOn(leak.map(|leak| Leak {
            place: stmt.span,
            remark: "this policy does not answer every request",
            inside: Some(leak.inside.unwrap_or((leak.place, leak.remark))),
        })),
    }
}

fn branches(ctx: &Check<'_>, stmt: &Stmt, then: &[Stmt], otherwise: Option<&[Stmt]>) -> End {
    let keyword = Span { end: stmt.span.start.saturating_add(4).min(stmt.span.end), ..stmt.span };
    let here = |remark| Some(Leak { place: keyword, remark, inside: None });
    let Some(otherwise) = otherwise else {
        return End::GoesOn(match end(ctx, then) {
            End::Always(_) => here("nothing happens when this is false"),
            End::GoesOn(leak) => leak,
        });
    };
    match (end(ctx, then), end(ctx, otherwise)) {
        (End::Always(first), End::Always(second)) => End::Always(first.and(second).map(|_| keyword)),
        (End::Always(_), End::GoesOn(inner)) => {
            End::GoesOn(inner.or(here("its `else` does not end the exchange")))
        }
        (End::GoesOn(inner), End::Always(_)) => {
            End::GoesOn(inner.or(here("only its `else` ends the exchange")))
        }
        (End::GoesOn(first), End::GoesOn(second)) => End::GoesOn(second.or(first)),
    }
}

/// What ends every exchange that comes to a statement: its place, when that is certain.
pub(super) fn ended(ctx: &Check<'_>, stmt: &Stmt) -> Option<Span> {
    match end_of(ctx, stmt) {
        End::Always(place) => place,
        End::GoesOn(_) => None,
    }
}

/// E0504: reports a statement that no request can reach.
pub(super) fn after_terminal(ctx: &mut Check<'_>, stmt: &Stmt, before: &Stmt) {
    // What could not be read was reported, and may be a part of the terminal.
    if matches!(stmt.kind, StmtKind::Error) {
        return;
    }
    let diagnostic = Diagnostic::error("E0504", "no request can come here", stmt.span);
    let Some(place) = ended(ctx, before) else { return };
    ctx.report(match &before.kind {
        StmtKind::When { .. } => diagnostic
            .with(place, "both branches of this end the exchange")
            .help("remove what follows it, or let one branch go on"),
        StmtKind::Apply { .. } => {
            let policy = policy::applied(ctx, before).map(|id| ctx.policies[id].decl.name.span);
            let diagnostic = diagnostic.with(place, "this policy answers every request");
            let diagnostic = match policy {
                Some(policy) => diagnostic.with(policy, "declared here"),
                None => diagnostic,
            };
            diagnostic.help("remove what follows it, or let the policy go on")
        }
        _ => diagnostic
            .with(place, "the exchange ends here")
            .help("move the terminal to the end, or remove what follows it"),
    });
}
