//! The syntax tree: what was written, with places, before any name is looked up.
//!
//! The tree of a broken file holds `Error` nodes where a piece could not be parsed, so that checking goes on for
//! everything else and never complains about what is missing inside them. Parts of the grammar that this version
//! does not serve yet stand as [`Later`] nodes.

use crate::Span;
use crate::literal::{Cidr, Endpoint, Method, Regex};
use crate::span::{Ident, Spanned};
use std::net::IpAddr;

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tree {
    /// `edition 1`
    pub edition: Option<Spanned<i64>>,
    /// Items in the order of the text.
    pub items: Vec<Item>,
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Lines of `///` before it, without the marks.
    pub docs: Vec<String>,
    /// `@name(argument, "reason")` before it.
    pub attributes: Vec<Attribute>,
    /// What is declared.
    pub kind: ItemKind,
    /// All of it, from the keyword to the closing brace.
    pub span: Span,
}

/// `@allow(lint, "reason")`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// `allow`
    pub name: Ident,
    /// The lint.
    pub argument: Ident,
    /// The reason.
    pub reason: Option<Spanned<String>>,
}

/// The kinds of top-level declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `server { … }`
    Server(Vec<Setting>),
    /// `const name: Ty = expr`
    Const(ConstDecl),
    /// `rule name(params) = expr`
    Rule(RuleDecl),
    /// `listener name { … }`
    Listener(Named),
    /// `upstream name { … }`
    Upstream(Named),
    /// `site hosts on listeners { … }`
    Site(SiteDecl),
    /// A declaration this version does not serve yet.
    Later(Later),
    /// A declaration that could not be parsed, with its name if that could; it was reported.
    Error(Option<Ident>),
}

/// Something the grammar knows and this version does not serve yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    /// Its keyword or form as a person would say it: `` `stream` ``, `` `let` ``.
    pub what: String,
    /// The name it declares, so that uses of that name are not reported as unknown.
    pub name: Option<Ident>,
    /// Where it was written.
    pub span: Span,
}

/// `const name: Ty = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstDecl {
    /// Its name.
    pub name: Ident,
    /// The written type.
    pub ty: Option<TypeName>,
    /// Its value.
    pub value: Expr,
}

/// `rule name(params) = condition`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its condition.
    pub condition: Expr,
}

/// `name: Ty = default`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// Its default.
    pub default: Option<Expr>,
}

/// A written type: `Set<Cidr>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The outer name.
    pub name: Ident,
    /// Arguments in angle brackets.
    pub arguments: Vec<TypeName>,
    /// All of it.
    pub span: Span,
}

/// A named declaration that consists of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: Ident,
    /// Its settings.
    pub settings: Vec<Setting>,
}

/// `name: value` or `name { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: SettingValue,
    /// All of it.
    pub span: Span,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// `name: expr`
    Expr(Expr),
    /// `name { … }`
    Block(Vec<Setting>),
}

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
    /// `fallback { … }`
    Fallback(Fallback),
    /// A statement.
    Stmt(Stmt),
    /// `name: value`
    Setting(Setting),
    /// Something this version does not serve yet.
    Later(Later),
    /// A piece that could not be parsed; it was reported.
    Error(Span),
}

/// `route GET|POST /path as name when guard { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
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
    /// A terminal.
    Terminal(Terminal),
    /// A statement this version does not serve yet.
    Later(Later),
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
    /// A terminal this version does not serve yet.
    Later(Later),
}

/// What follows `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamTarget {
    /// A declared upstream.
    Name(Ident),
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

/// A path pattern as written: `/users/{id:int}`.
///
/// `/` is one empty segment, `/a/` is `a` and an empty segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// Segments between slashes.
    pub segments: Vec<PatternSegment>,
    /// All of it.
    pub span: Span,
}

/// One segment of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternSegment {
    /// Literal texts and captures in order.
    pub parts: Vec<PatternPart>,
    /// The segment without its slash.
    pub span: Span,
}

/// A part of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// Text as written.
    Literal(Spanned<String>),
    /// `{name}`, `{name:int}`, `{name...}`
    Capture(Capture),
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Its name.
    pub name: Ident,
    /// What it takes.
    pub kind: CaptureKind,
    /// With its braces.
    pub span: Span,
}

/// What a capture takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// `{name}`: one segment that is not empty.
    Segment,
    /// `{name...}`: the remaining text.
    Rest,
    /// `{name:int}`: a segment of a named type.
    Typed(Ident),
    /// `{name:re"…"}`: a segment that matches.
    Regex(Spanned<Regex>),
}

/// A path template as written in `rewrite path` and `redirect`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    /// Texts (slashes included) and captures in order.
    pub parts: Vec<TemplatePart>,
    /// All of it.
    pub span: Span,
}

/// A part of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text as written.
    Literal(Spanned<String>),
    /// `{name}` or `{name...}`
    Capture {
        /// The name.
        name: Ident,
        /// Written with three dots.
        rest: bool,
        /// With its braces.
        span: Span,
    },
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// Text with `${…}` inside.
    Text(Vec<TextPiece>),
    /// A name.
    Name(String),
    /// `base.name`
    Access {
        /// What is accessed.
        base: Box<Expr>,
        /// The field.
        name: Ident,
    },
    /// `base[index]`
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `callee(arguments)`
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// `not expr`, `-expr`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `left op right`
    Binary {
        /// The operator with its place.
        op: Spanned<BinaryOp>,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `if condition then a else b`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value when it holds.
        then: Box<Expr>,
        /// The value when it does not.
        otherwise: Box<Expr>,
    },
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{ a => b }`
    Map(Vec<(Expr, Expr)>),
    /// A piece that could not be read; it was reported.
    Error,
}

/// A piece of text with `${…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Text with escapes resolved.
    Literal(String),
    /// `${expr}`
    Expr(Expr),
}

/// `name: value` or `value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The name.
    pub name: Option<Ident>,
    /// The value.
    pub value: Expr,
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Negate,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `matches`
    Matches,
    /// `starts_with`
    StartsWith,
    /// `ends_with`
    EndsWith,
    /// `contains`
    Contains,
    /// `??`
    Else,
    /// `..`
    Range,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::In => "in",
            BinaryOp::NotIn => "not in",
            BinaryOp::Matches => "matches",
            BinaryOp::StartsWith => "starts_with",
            BinaryOp::EndsWith => "ends_with",
            BinaryOp::Contains => "contains",
            BinaryOp::Else => "??",
            BinaryOp::Range => "..",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
        }
    }
}

/// A literal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `42`
    Int(i64),
    /// `1m30s`, in milliseconds
    Duration(u64),
    /// `64KiB`, in bytes
    Size(u64),
    /// `100/sec`
    Rate {
        /// How many.
        count: u64,
        /// In how many seconds.
        seconds: u32,
    },
    /// `0.5%`, in hundredths of a percent
    Percent(u32),
    /// `"text"` without `${…}`, escapes resolved; also raw text
    Text(String),
    /// `re"…"`
    Regex(Regex),
    /// `glob"…"`
    Glob(String),
    /// `10.0.0.1`
    Ip(IpAddr),
    /// `10.0.0.0/8` as written: bits beyond the prefix may be set, the checker reports them
    Cidr(Cidr),
    /// `10.0.0.1:80`
    Endpoint(Endpoint),
    /// `true`
    Bool(bool),
    /// `GET`
    Method(Method),
    /// `/healthz` as written
    Path(String),
    /// `UPPER_NAME`
    Upper(String),
}
