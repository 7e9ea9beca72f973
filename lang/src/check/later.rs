//! What the language has and this version does not serve yet.
//!
//! One function for each kind of thing; each names what is refused as a person would say it. A feature that comes is
//! taken out here and checked in a file of its own. Nothing inside of what is refused is looked at, and the names it
//! gives are never unknown.

use super::Check;
use crate::ast::{Item, ItemKind, Stmt, StmtKind, Terminal, TerminalKind};

/// Refuses a declaration; tells whether it did.
pub(super) fn item(ctx: &mut Check<'_>, item: &Item) -> bool {
    let Some(what) = keyword(&item.kind) else { return false };
    ctx.later(what, item.span);
    true
}

fn keyword(kind: &ItemKind) -> Option<&'static str> {
    match kind {
        ItemKind::Secret(_) => Some("`secret`"),
        ItemKind::Table(_) => Some("`table`"),
        ItemKind::Stream(_) => Some("`stream`"),
        ItemKind::Forward(_) => Some("`forward`"),
        ItemKind::Test(_) => Some("`test`"),
        ItemKind::Invariant(_) => Some("`invariant`"),
        ItemKind::Server(_)
        | ItemKind::Const(_)
        | ItemKind::Enum(_)
        | ItemKind::Env(_)
        | ItemKind::Fn(_)
        | ItemKind::Rule(_)
        | ItemKind::Policy(_)
        | ItemKind::Routes(_)
        | ItemKind::Listener(_)
        | ItemKind::Upstream(_)
        | ItemKind::Site(_)
        | ItemKind::Error(_) => None,
    }
}

/// Refuses a statement; tells whether it did.
pub(super) fn stmt(ctx: &mut Check<'_>, stmt: &Stmt) -> bool {
    let Some(what) = verb(&stmt.kind) else { return false };
    ctx.later(what, stmt.span);
    true
}

/// Whether a statement is refused; it may well end the exchange.
pub(super) fn is_later_stmt(kind: &StmtKind) -> bool {
    verb(kind).is_some()
}

fn verb(kind: &StmtKind) -> Option<&'static str> {
    match kind {
        StmtKind::Limit { .. } => Some("`limit`"),
        StmtKind::Cache(_) => Some("`cache`"),
        StmtKind::Compress(_) => Some("`compress`"),
        StmtKind::OnResponse { .. } => Some("`on response`"),
        StmtKind::OnError { .. } => Some("`on error`"),
        StmtKind::Let { .. }
        | StmtKind::Set { .. }
        | StmtKind::Add { .. }
        | StmtKind::Remove { .. }
        | StmtKind::RewritePath(_)
        | StmtKind::RewriteHost(_)
        | StmtKind::RewriteStrip(_)
        | StmtKind::When { .. }
        | StmtKind::Require { .. }
        | StmtKind::Apply { .. }
        | StmtKind::Terminal(_)
        | StmtKind::Error => None,
    }
}

/// Refuses a terminal; tells whether it did.
pub(super) fn terminal(ctx: &mut Check<'_>, terminal: &Terminal) -> bool {
    let what = match &terminal.kind {
        TerminalKind::Tunnel { .. } => "`tunnel`",
        TerminalKind::Files { .. } => "`files`",
        TerminalKind::Split { .. } => "`split`",
        TerminalKind::Close => "`close`",
        TerminalKind::To { .. } | TerminalKind::Respond { .. } | TerminalKind::Redirect { .. } => {
            return false;
        }
    };
    ctx.later(what, terminal.span);
    true
}
