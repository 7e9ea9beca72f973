//! Statements and terminals.

use super::{Argument, Expr, ModPath, PathPattern, PathTemplate, Setting, TypeName};
use crate::Span;
use crate::literal::Endpoint;
use crate::span::{Ident, Spanned};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `let name: Ty = value else terminal`
    Let {
        /// The name it binds.
        name: Ident,
        /// The written type.
        ty: Option<TypeName>,
        /// Its value.
        value: Expr,
        /// The answer when the value is absent.
        otherwise: Option<Box<Terminal>>,
    },
    /// `set target = value`
    Set {
        /// What is written.
        target: Expr,
        /// The value.
        value: Expr,
    },
    /// `add target = value`
    Add {
        /// What is written.
        target: Expr,
        /// The value.
        value: Expr,
    },
    /// `remove target`
    Remove {
        /// What is removed.
        target: Expr,
    },
    /// `rewrite path /template`
    RewritePath(PathTemplate),
    /// `rewrite host expr`
    RewriteHost(Expr),
    /// `rewrite strip /prefix`
    RewriteStrip(PathPattern),
    /// `when condition { … } else { … }`; `else when` nests.
    When {
        /// The condition.
        condition: Expr,
        /// Statements when it holds.
        then: Vec<Stmt>,
        /// Statements when it does not; `None` without `else`.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `require condition else terminal`
    Require {
        /// The condition.
        condition: Expr,
        /// The answer when it does not hold.
        otherwise: Terminal,
    },
    /// `apply policy(arguments)`
    Apply {
        /// The policy.
        policy: ModPath,
        /// What it is given.
        arguments: Vec<Argument>,
    },
    /// `limit { … } else terminal`
    Limit {
        /// Its settings.
        settings: Vec<Setting>,
        /// The answer to who is above the limit.
        otherwise: Option<Box<Terminal>>,
    },
    /// `cache { … }`
    Cache(Vec<Setting>),
    /// `compress [zstd, br, gzip]`
    Compress(Expr),
    /// `on response when condition { … }`
    OnResponse {
        /// The condition.
        condition: Option<Expr>,
        /// Statements for the response.
        body: Vec<Stmt>,
    },
    /// `on error connect_failed | timeout { … }`
    OnError {
        /// The failures it is for; empty for all.
        failures: Vec<Ident>,
        /// Statements that answer instead.
        body: Vec<Stmt>,
    },
    /// A terminal.
    Terminal(Terminal),
    /// A piece that could not be parsed; it was reported.
    Error,
}

/// A statement that ends the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Which.
    pub kind: TerminalKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalKind {
    /// `to upstream { settings }`
    To {
        /// Whereto.
        target: UpstreamTarget,
        /// Overrides for this route.
        settings: Vec<Setting>,
    },
    /// `tunnel upstream { settings }`
    Tunnel {
        /// Whereto.
        target: UpstreamTarget,
        /// Overrides for this route.
        settings: Vec<Setting>,
    },
    /// `respond status body text`
    Respond {
        /// The status.
        status: Expr,
        /// The body.
        body: Option<Expr>,
    },
    /// `redirect status location`
    Redirect {
        /// The status.
        status: Spanned<i64>,
        /// The target.
        location: RedirectTarget,
    },
    /// `files "./directory" { settings } else terminal`
    Files {
        /// The directory, a text.
        directory: Expr,
        /// How it is served.
        settings: Vec<Setting>,
        /// The answer when there is no such file.
        otherwise: Option<Box<Terminal>>,
    },
    /// `split sticky { settings } { arms }`
    Split {
        /// Settings after `sticky`; `None` without it.
        sticky: Option<Vec<Setting>>,
        /// The arms; at least one.
        arms: Vec<Arm>,
    },
    /// `close`
    Close,
}

/// `5% as name to upstream`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its share in hundredths of a percent.
    pub share: Spanned<u32>,
    /// The name after `as`.
    pub name: Option<Ident>,
    /// What it does.
    pub terminal: Terminal,
    /// All of it.
    pub span: Span,
}

/// What follows `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamTarget {
    /// A declared upstream, of this file or of a module.
    Name(ModPath),
    /// A literal upstream.
    Endpoint(Spanned<Endpoint>),
}

/// What follows the status of `redirect`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectTarget {
    /// `/new/{rest...}`: path of the same site, the query stays.
    Path(PathTemplate),
    /// The whole `Location`.
    Text(Expr),
}
