//! Tests and invariants.

use super::{Expr, ModPath, UpstreamTarget};
use crate::Span;
use crate::literal::Method;
use crate::span::{Ident, Spanned};

/// `test "name" { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestDecl {
    /// Its name.
    pub name: Spanned<String>,
    /// Its lines.
    pub items: Vec<TestItem>,
}

/// A line of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestItem {
    /// `request GET https://example.com/ { fields }`
    Request {
        /// The method.
        method: Spanned<Method>,
        /// The URL as written.
        url: Spanned<String>,
        /// Fields of the request besides those of the URL.
        fields: Vec<TestField>,
        /// All of it.
        span: Span,
    },
    /// `upstream app responds 200 { fields }`, `upstream app fails connect_failed`
    Upstream {
        /// The upstream; `None` for each.
        target: Option<ModPath>,
        /// What it does.
        outcome: Outcome,
        /// All of it.
        span: Span,
    },
    /// `files lack /path`, with the path as written
    FilesLack(Spanned<String>),
    /// `expect …`
    Expect {
        /// What is expected.
        kind: Expected,
        /// All of it.
        span: Span,
    },
    /// A line that could not be parsed; it was reported.
    Error(Span),
}

/// `request.header["x"] = "1"` in a test
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestField {
    /// What is given.
    pub target: Expr,
    /// Its value.
    pub value: Expr,
}

/// What an upstream does in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `responds 200 { fields }`
    Responds {
        /// The status.
        status: Spanned<i64>,
        /// Fields of the response.
        fields: Vec<TestField>,
    },
    /// `fails connect_failed`
    Fails(Ident),
}

/// What a test expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// `expect route name`
    Route(ModPath),
    /// `expect upstream app`
    Upstream(UpstreamTarget),
    /// `expect redirect 301 https://example.com/new`
    Redirect {
        /// The status.
        status: Spanned<i64>,
        /// Whereto.
        to: ExpectedLocation,
    },
    /// `expect status 403`
    Status(Spanned<i64>),
    /// `expect condition`
    Condition(Expr),
}

/// Where a redirect is expected to lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedLocation {
    /// A URL as written.
    Url(Spanned<String>),
    /// A path or text.
    Expr(Expr),
}

/// `invariant "name" { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantDecl {
    /// Its name.
    pub name: Spanned<String>,
    /// What holds for every request; at least one unless that was reported.
    pub claims: Vec<Claim>,
}

/// A claim about all requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// `never condition reaches upstream app`
    Never {
        /// The requests it is about.
        condition: Expr,
        /// What none of them reaches.
        reaches: Reaches,
        /// All of it.
        span: Span,
    },
    /// `always condition gets status 403`
    Always {
        /// The requests it is about.
        condition: Expr,
        /// What each of them gets.
        gets: Gets,
        /// All of it.
        span: Span,
    },
    /// A claim that could not be parsed; it was reported.
    Error(Span),
}

/// What no request may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaches {
    /// `upstream app`; `None` for `upstream any`
    Upstream(Option<ModPath>),
    /// `route name`
    Route(ModPath),
}

/// What every request gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gets {
    /// `status 403`
    Status(Spanned<i64>),
    /// A condition about the answer.
    Condition(Expr),
}
