//! Every path through a route ends in one terminal, and nothing follows a terminal.

use super::{Check, later};
use crate::ast::{BodyItem, Stmt, StmtKind};
use crate::{Diagnostic, Span};

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Every path ends in a terminal, or in something that was reported.
    Always,
    /// A request can go on; the place where it could still have ended, if any.
    GoesOn(Option<Leak>),
}

/// A `when` with a terminal that some requests pass by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leak {
    place: Span,
    remark: &'static str,
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
    let End::GoesOn(leak) = end(statements) else { return };
    let message = format!("a request can leave this {owner} without an answer");
    ctx.report(match leak {
        Some(Leak { place, remark }) => Diagnostic::error("E0503", message, place)
            .label(remark)
            .help("add `else { … }` or a terminal such as `to`, `respond`, `redirect` after it"),
        None => Diagnostic::error("E0503", message, head)
            .label("nothing in it ends the exchange")
            .help("add a terminal such as `to`, `respond`, `redirect` at its end"),
    });
}

fn end<'s>(statements: impl IntoIterator<Item = &'s Stmt>) -> End {
    let mut leak = None;
    for stmt in statements {
        match &stmt.kind {
            // What is broken or of a later version may well end the exchange.
            StmtKind::Terminal(_) | StmtKind::Error => return End::Always,
            kind if later::is_later_stmt(kind) => return End::Always,
            StmtKind::When { then, otherwise, .. } => match branches(stmt, then, otherwise.as_deref()) {
                End::Always => return End::Always,
                End::GoesOn(found) => leak = found.or(leak),
            },
            StmtKind::Set { .. }
            | StmtKind::Add { .. }
            | StmtKind::Remove { .. }
            | StmtKind::RewritePath(_)
            | StmtKind::RewriteHost(_)
            | StmtKind::RewriteStrip(_)
            | StmtKind::Require { .. }
            | StmtKind::Let { .. }
            | StmtKind::Apply { .. }
            | StmtKind::Limit { .. }
            | StmtKind::Cache(_)
            | StmtKind::Compress(_)
            | StmtKind::OnResponse { .. }
            | StmtKind::OnError { .. } => {}
        }
    }
    End::GoesOn(leak)
}

fn branches(stmt: &Stmt, then: &[Stmt], otherwise: Option<&[Stmt]>) -> End {
    let keyword = Span { end: stmt.span.start.saturating_add(4).min(stmt.span.end), ..stmt.span };
    let Some(otherwise) = otherwise else {
        return End::GoesOn(match end(then) {
            End::Always => Some(Leak { place: keyword, remark: "nothing happens when this is false" }),
            End::GoesOn(leak) => leak,
        });
    };
    let here = |remark| Some(Leak { place: keyword, remark });
    match (end(then), end(otherwise)) {
        (End::Always, End::Always) => End::Always,
        (End::Always, End::GoesOn(inner)) => {
            End::GoesOn(inner.or(here("its `else` does not end the exchange")))
        }
        (End::GoesOn(inner), End::Always) => End::GoesOn(inner.or(here("only its `else` ends the exchange"))),
        (End::GoesOn(first), End::GoesOn(second)) => End::GoesOn(second.or(first)),
    }
}

/// E0504: reports a statement that no request can reach.
pub(super) fn after_terminal(ctx: &mut Check<'_>, stmt: Span, terminal: Span) {
    ctx.report(
        Diagnostic::error("E0504", "no request can come here", stmt)
            .with(terminal, "the exchange ends here")
            .help("move the terminal to the end, or remove what follows it"),
    );
}
