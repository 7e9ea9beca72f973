//! Sites, and what may stand in them.

use super::{Argument, Attribute, Expr, ModPath, PathPattern, Setting, Stmt};
use crate::Span;
use crate::literal::Method;
use crate::span::{Ident, Spanned};

/// `site hosts on listeners { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteDecl {
    /// At least one host pattern.
    pub hosts: Vec<Spanned<HostPattern>>,
    /// Listeners named after `on`; empty when none were.
    pub listeners: Vec<Ident>,
    /// What stands between the braces.
    pub items: Vec<SiteItem>,
    /// From `site` to before the opening brace.
    pub head: Span,
}

/// A host pattern; names are lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostPattern {
    /// `example.com`, `[::1]`, `192.0.2.1`
    Exact(String),
    /// `*.example.com`, or `{label}.example.com` with the name of the capture.
    OneLabel {
        /// The name of the first label, when it has one.
        capture: Option<Ident>,
        /// What follows the first dot.
        suffix: String,
    },
    /// `**.example.com`
    AnyDepth(String),
    /// `*`
    Any,
}

/// What may stand in a site or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteItem {
    /// `route … { … }`
    Route(Route),
    /// `group … { … }`
    Group(Group),
    /// `mount name(arguments) at /path`
    Mount(Mount),
    /// `fallback { … }`
    Fallback(Fallback),
    /// A statement.
    Stmt(Stmt),
    /// `name: value`
    Setting(Setting),
    /// A piece that could not be parsed; it was reported.
    Error(Span),
}

/// `route GET|POST /path as name when guard { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
    /// Lines of `///` before it, without the marks.
    pub docs: Vec<String>,
    /// Methods; empty for any.
    pub methods: Vec<Spanned<Method>>,
    /// The path.
    pub path: Option<PathPattern>,
    /// The name after `as`.
    pub name: Option<Ident>,
    /// The condition after `when`.
    pub guard: Option<Expr>,
    /// What stands between the braces.
    pub body: Vec<BodyItem>,
    /// From `route` to before the opening brace.
    pub head: Span,
    /// All of it.
    pub span: Span,
}

/// `group /path when guard { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
    /// Lines of `///` before it, without the marks.
    pub docs: Vec<String>,
    /// The path prefix.
    pub path: Option<PathPattern>,
    /// The condition after `when`.
    pub guard: Option<Expr>,
    /// What stands between the braces.
    pub items: Vec<SiteItem>,
    /// From `group` to before the opening brace.
    pub head: Span,
    /// All of it.
    pub span: Span,
}

/// `fallback { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
    /// What stands between the braces.
    pub body: Vec<BodyItem>,
    /// All of it.
    pub span: Span,
}

/// What may stand in the body of a route or fallback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyItem {
    /// A statement.
    Stmt(Stmt),
    /// `name: value`
    Setting(Setting),
}

/// `mount name(arguments) at /path as name`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
    /// Lines of `///` before it, without the marks.
    pub docs: Vec<String>,
    /// The `routes` that are put here.
    pub target: ModPath,
    /// What they are given.
    pub arguments: Vec<Argument>,
    /// The path they stand below; `None` for that of the site or group.
    pub at: Option<PathPattern>,
    /// The name after `as`, which the names of their routes start with.
    pub name: Option<Ident>,
    /// All of it, without attributes.
    pub span: Span,
}
