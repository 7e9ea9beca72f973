//! What is written once and used in several places: policies, routes, and where they are mounted.
//!
//! Bodies hold their parameters by number; the compiler puts arguments in their place where a body is used.

use super::{Expr, Fallback, RouteSettings, SiteItem, Stmt, Ty};
use crate::Span;

/// Number of a policy: its place in [`Program::policies`](super::Program::policies).
pub type PolicyId = usize;
/// Number of a `routes` declaration: its place in [`Program::routes`](super::Program::routes).
pub type RoutesId = usize;

/// `policy name(params) { … }`
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters.
    pub params: Vec<(String, Ty)>,
    /// Its statements.
    pub statements: Vec<Stmt>,
    /// From `policy` to before the opening brace.
    pub head: Span,
}

/// `routes name(params) { … }`
#[derive(Clone, Debug)]
pub struct Routes {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters.
    pub params: Vec<(String, Ty)>,
    /// Settings that its routes inherit.
    pub settings: RouteSettings,
    /// Statements before the routes.
    pub statements: Vec<Stmt>,
    /// Routes, groups and mounts in the order of the text.
    pub items: Vec<SiteItem>,
    /// The written fallback: takes all below the place of a mount that no route took.
    pub fallback: Option<Fallback>,
    /// From `routes` to before the opening brace.
    pub head: Span,
}

/// `apply policy(arguments)`
#[derive(Clone, Debug)]
pub struct Apply {
    /// What is applied.
    pub policy: PolicyId,
    /// An argument for each of its parameters.
    pub arguments: Vec<Expr>,
    /// All of the statement.
    pub span: Span,
}

/// `mount routes(arguments) at /path as name`
#[derive(Clone, Debug)]
pub struct Mount {
    /// What is mounted.
    pub routes: RoutesId,
    /// An argument for each of its parameters.
    pub arguments: Vec<Expr>,
    /// Segments of the path it stands below, in normal form.
    pub at: Vec<String>,
    /// The name that those of its routes begin with: `billing` in `billing.invoice`.
    pub name: String,
    /// All of it, without attributes.
    pub span: Span,
}

/// Documentation of something that has a name or a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    /// The declared name, or the head of a site, route, group or mount.
    pub of: Span,
    /// Lines of `///` without the marks.
    pub lines: Vec<String>,
}
