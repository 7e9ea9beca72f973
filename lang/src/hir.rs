//! The typed program: names resolved, types known, every rule of the language checked.
//!
//! A [`Program`] exists only when there was no error, so later stages never meet a mistake of the operator.
//! Constants, rules, policies and mounted routes stay references; the compiler inlines them.

mod declaration;
mod env;
mod reuse;
mod topology;

use crate::ast::HostPattern;
use crate::literal::{Cidr, Endpoint, Method, Regex};
use crate::span::Spanned;
use crate::{Diagnostic, Span};
pub use declaration::{EnumId, EnumTy, Fn, FnId, LetId};
pub use env::{Env, EnvId, Required};
pub(crate) use env::{is_readable, placeholder};
pub use reuse::{Apply, Doc, Mount, Policy, PolicyId, Routes, RoutesId};
use std::net::IpAddr;
pub use topology::{
    Acme, Balance, Challenge, ClientAuth, Discover, Health, OnReload, PlainHttp, Protocol, ProxyProtocol,
    Retry, RetryOn, Tls, Transport, UpstreamProtocol, UpstreamTls,
};

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Settings of the process.
    pub server: Server,
    /// Listeners in the order of the text; never empty (without any, `web` on port 80 is added).
    pub listeners: Vec<Listener>,
    /// Upstreams: declared ones in the order of the text, then literal ones.
    pub upstreams: Vec<Upstream>,
    /// Constants.
    pub consts: Vec<Const>,
    /// Functions.
    pub fns: Vec<Fn>,
    /// Variables of the environment.
    pub envs: Vec<Env>,
    /// Rules.
    pub rules: Vec<Rule>,
    /// Policies.
    pub policies: Vec<Policy>,
    /// What `mount` puts into sites.
    pub routes: Vec<Routes>,
    /// Sites in the order of the text.
    pub sites: Vec<Site>,
    /// Documentation of declarations, routes, groups and mounts, in the order of the text.
    pub docs: Vec<Doc>,
    /// What the program says and this version does not serve, in the order of the text.
    pub unserved: Vec<Unserved>,
}

/// Something that is checked and not served by this version: a program with it is sound, and cannot run yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// As a person calls it, in backticks: `` `cache` ``.
    pub what: String,
    /// Where it was written.
    pub span: Span,
}

impl Program {
    /// E0002 for everything that this version does not serve: what stands between this program and running it.
    pub fn refusals(&self) -> impl Iterator<Item = Diagnostic> {
        self.unserved.iter().map(|unserved| {
            Diagnostic::error(
                "E0002",
                format!("{} is not served by this version", unserved.what),
                unserved.span,
            )
        })
    }
}

/// Number of a listener: its place in [`Program::listeners`].
pub type ListenerId = usize;
/// Number of an upstream: its place in [`Program::upstreams`].
pub type UpstreamId = usize;
/// Number of a constant: its place in [`Program::consts`].
pub type ConstId = usize;
/// Number of a rule: its place in [`Program::rules`].
pub type RuleId = usize;

/// `server { … }`
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Worker threads; `None` means one per core.
    pub workers: Option<u16>,
    /// Peers whose forwarding fields are believed.
    pub trusted_proxies: Vec<Cidr>,
    /// The access log.
    pub access_log: AccessLog,
    /// `limits { … }`
    pub limits: Limits,
    /// How long a draining generation may take, in milliseconds (`drain`).
    pub drain: Option<u64>,
}

/// `access_log { … }`
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AccessLog {
    /// `off: true`
    pub off: bool,
    /// `path: "…"`; standard output when absent.
    pub path: Option<String>,
}

/// `limits { … }`; `None` is the built-in default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// `head: 32KiB`: bytes of a message head.
    pub head_bytes: Option<u64>,
    /// `headers: 100`: field lines of a message head.
    pub header_count: Option<u64>,
    /// `path: 8KiB`: bytes of the request target.
    pub target_bytes: Option<u64>,
}

/// `listener name { … }`
#[derive(Clone, Debug, Default)]
pub struct Listener {
    /// Its name.
    pub name: String,
    /// `bind: […]`
    pub bind: Vec<Spanned<Endpoint>>,
    /// `plain: […]`
    pub plain: Vec<Spanned<Endpoint>>,
    /// `transport: tcp | udp`
    pub transport: Transport,
    /// `protocols: [h1, h2]`; empty is the default.
    pub protocols: Vec<Protocol>,
    /// `proxy_protocol: [10.0.0.0/8]`: peers that begin each connection with a PROXY header.
    pub proxy_protocol: Vec<Cidr>,
    /// `client_auth { … }`
    pub client_auth: Option<ClientAuth>,
    /// Where it was declared; `None` for the built-in one.
    pub span: Option<Span>,
}

/// `upstream name { … }`
#[derive(Clone, Debug, Default)]
pub struct Upstream {
    /// Its name; a literal upstream is named by its endpoint.
    pub name: String,
    /// Who answers.
    pub servers: Servers,
    /// Time limits.
    pub timeouts: Timeouts,
    /// `keepalive: 64`: idle connections kept per worker.
    pub keepalive: Option<u64>,
    /// `protocol: h2c`
    pub protocol: UpstreamProtocol,
    /// `balance: least_conn`
    pub balance: Balance,
    /// `weights: [3, 1]`: one for each server, or empty.
    pub weights: Vec<i64>,
    /// `tls { … }`
    pub tls: Option<UpstreamTls>,
    /// `health { … }`
    pub health: Option<Health>,
    /// `retry { … }`
    pub retry: Option<Retry>,
    /// `connections: 100`: open connections per server.
    pub connections: Option<i64>,
    /// `proxy_protocol: v2`
    pub proxy_protocol: Option<ProxyProtocol>,
}

/// Who answers for an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Servers {
    /// `servers: […]`, at least one.
    Endpoints(Vec<Endpoint>),
    /// `builtin: echo`
    Echo,
    /// `discover: dns(…)`
    Discover(Discover),
}

impl Default for Servers {
    fn default() -> Self {
        Servers::Endpoints(Vec::new())
    }
}

/// `timeout { connect response idle }` in milliseconds; `None` is the built-in default or the upstream's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Timeouts {
    /// To establish a connection.
    pub connect: Option<u64>,
    /// From the request sent to the response head.
    pub response: Option<u64>,
    /// Between two pieces of a body.
    pub idle: Option<u64>,
}

/// `const name = value`
#[derive(Clone, Debug)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// Its value: uses only constants.
    pub value: Expr,
}

/// `rule name(params) = condition`
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters.
    pub params: Vec<(String, Ty)>,
    /// Its condition.
    pub condition: Expr,
}

/// `site … { … }`
#[derive(Clone, Debug)]
pub struct Site {
    /// Host patterns, at least one.
    pub hosts: Vec<Spanned<HostPattern>>,
    /// Listeners it is served on, at least one.
    pub listeners: Vec<ListenerId>,
    /// `trailing_slash: same`
    pub same_slash: bool,
    /// `tls: acme(…)`
    pub tls: Tls,
    /// `http: serve`
    pub http: PlainHttp,
    /// Settings that routes inherit.
    pub settings: RouteSettings,
    /// Statements before the routes.
    pub statements: Vec<Stmt>,
    /// Routes and groups in the order of the text.
    pub items: Vec<SiteItem>,
    /// The written fallback, or the terminal at the end of the site; `None` is the built-in 404 or 405.
    pub fallback: Option<Fallback>,
    /// From `site` to before the opening brace.
    pub head: Span,
}

/// What a site or group holds.
#[derive(Clone, Debug)]
pub enum SiteItem {
    /// A route.
    Route(Route),
    /// A group.
    Group(Group),
    /// Routes that are written elsewhere.
    Mount(Mount),
}

/// Settings that may stand in a site, group or route; the innermost that is set holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RouteSettings {
    /// `max_body: 10MiB`
    pub max_body: Option<u64>,
    /// `access_log: on | off`
    pub access_log: Option<bool>,
    /// `on_reload: keep`
    pub on_reload: Option<OnReload>,
}

/// `route … { … }`
#[derive(Clone, Debug)]
pub struct Route {
    /// The name after `as`.
    pub name: Option<String>,
    /// Methods; empty for any. `GET` does not hold `HEAD` here, though it covers it when matching.
    pub methods: Vec<Method>,
    /// The path below the prefix of its groups.
    pub path: Option<PathPattern>,
    /// The condition.
    pub guard: Option<Expr>,
    /// Settings.
    pub settings: RouteSettings,
    /// Statements; every path through them ends in one terminal.
    pub statements: Vec<Stmt>,
    /// From `route` to before the opening brace.
    pub head: Span,
}

/// `group … { … }`
#[derive(Clone, Debug)]
pub struct Group {
    /// The path prefix: whole segments, no rest.
    pub path: Option<PathPattern>,
    /// The condition.
    pub guard: Option<Expr>,
    /// Settings.
    pub settings: RouteSettings,
    /// Statements before the routes.
    pub statements: Vec<Stmt>,
    /// Routes and groups in the order of the text.
    pub items: Vec<SiteItem>,
    /// The written fallback: takes all of prefix and guard that no inner route took.
    pub fallback: Option<Fallback>,
    /// From `group` to before the opening brace.
    pub head: Span,
}

/// `fallback { … }`
#[derive(Clone, Debug)]
pub struct Fallback {
    /// Settings.
    pub settings: RouteSettings,
    /// Statements; every path through them ends in one terminal.
    pub statements: Vec<Stmt>,
    /// Where it was written.
    pub span: Span,
}

/// A path pattern. `/a/` is `a` and an empty literal; `/` is one empty literal; `/{rest...}` is no segment and a rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// Segments.
    pub segments: Vec<SegmentPattern>,
    /// `{rest...}`: the name of the capture of what follows the last slash.
    pub rest: Option<String>,
    /// As written.
    pub span: Span,
}

/// One segment of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentPattern {
    /// This text, in normal form.
    Literal(String),
    /// A capture with text around it.
    Capture {
        /// Its name.
        name: String,
        /// What it takes.
        ty: CaptureTy,
        /// Text before it in the segment.
        prefix: String,
        /// Text after it in the segment.
        suffix: String,
    },
}

/// What a capture of a segment takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CaptureTy {
    /// Any text, at least one byte.
    Segment,
    /// `0`, or 1 to 18 digits without a leading zero.
    Int,
    /// A UUID in either case.
    Uuid,
    /// `[a-z0-9-]+`
    Slug,
    /// `[0-9a-fA-F]+`
    Hex,
    /// Text that matches as a whole.
    Regex(Regex),
    /// One of these texts: the variants of an enum.
    OneOf(Vec<String>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `set message.header["name"] = value`: replaces all lines.
    SetHeader {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// A String.
        value: Expr,
    },
    /// `add message.header["name"] = value`: appends a line.
    AddHeader {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// A String.
        value: Expr,
    },
    /// `remove message.header["name"]`: removes all lines.
    RemoveHeader {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
    },
    /// `rewrite path /template`
    RewritePath(PathTemplate),
    /// `rewrite host value`
    RewriteHost(Expr),
    /// `rewrite strip /prefix`: a literal prefix that the route's pattern proves; its segments.
    RewriteStrip(Vec<String>),
    /// `let name = value else terminal`: from here to the end of the block the number stands for the value.
    Let {
        /// Its number.
        id: LetId,
        /// Its name.
        name: String,
        /// Its value; an Option when there is an answer for its absence.
        value: Expr,
        /// The answer when the value is absent; behind it the number stands for what is present.
        otherwise: Option<Terminal>,
    },
    /// `when condition { … } else { … }`
    When {
        /// A Bool.
        condition: Expr,
        /// Statements when it holds.
        then: Vec<Stmt>,
        /// Statements when it does not.
        otherwise: Vec<Stmt>,
    },
    /// `require condition else terminal`
    Require {
        /// A Bool.
        condition: Expr,
        /// The answer when it does not hold.
        otherwise: Terminal,
    },
    /// `apply policy(arguments)`: as if the statements of the policy stood here.
    Apply(Apply),
    /// The end of the exchange.
    Terminal(Terminal),
}

/// Which message a statement speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// The request on its way to the upstream.
    Request,
    /// The response on its way to the client.
    Response,
}

/// A path template: texts in normal form and captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    /// Its parts.
    pub parts: Vec<TemplatePart>,
}

/// A part of a path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text, slashes included.
    Literal(String),
    /// The text of a capture.
    Capture(String),
}

/// What ends an exchange.
#[derive(Clone, Debug)]
pub enum Terminal {
    /// `to upstream`
    To {
        /// Whereto: of type Upstream.
        upstream: Expr,
        /// Time limits of this route.
        timeouts: Timeouts,
        /// `retry { … }` of this route.
        retry: Option<Retry>,
    },
    /// `respond status body text`
    Respond {
        /// 200 to 599.
        status: u16,
        /// A String, or raw text.
        body: Option<Expr>,
    },
    /// `redirect status location`
    Redirect {
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// The target.
        location: Location,
    },
}

/// The target of a redirect.
#[derive(Clone, Debug)]
pub enum Location {
    /// A path of the same site; the query of the request is appended.
    Path(PathTemplate),
    /// The whole `Location`: a String.
    Text(Expr),
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where it was written.
    pub span: Span,
}

/// Types of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `Bool`
    Bool,
    /// `Int`
    Int,
    /// `String`: no control characters
    String,
    /// `RawString`: any text
    RawString,
    /// `Duration`
    Duration,
    /// `Size`
    Size,
    /// `Rate`
    Rate,
    /// `Percent`
    Percent,
    /// `Status`
    Status,
    /// `Port`
    Port,
    /// `Method`
    Method,
    /// `Scheme`
    Scheme,
    /// `Ip`
    Ip,
    /// `Cidr`
    Cidr,
    /// `Endpoint`
    Endpoint,
    /// `Host`
    Host,
    /// `Path`
    Path,
    /// `Regex`
    Regex,
    /// `Glob`
    Glob,
    /// `Upstream`: second-class, in constants and arguments only
    Upstream,
    /// `Option<T>`
    Option(Box<Ty>),
    /// `List<T>`
    List(Box<Ty>),
    /// `Set<T>`
    Set(Box<Ty>),
    /// `Range<T>`
    Range(Box<Ty>),
    /// `Map<K, V>`
    Map(Box<Ty>, Box<Ty>),
    /// A declared enum
    Enum(EnumTy),
    /// The type of what could not be typed and was reported; agrees with everything.
    Error,
}

/// The kinds of typed expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A value known now.
    Value(Value),
    /// `[a, b]` as list or set: values of one type.
    Set(Vec<Expr>),
    /// `{ a => b }`: keys, each once, and values that are known now.
    Map(Vec<(Expr, Expr)>),
    /// `map[key]`: an Option.
    Lookup {
        /// The map.
        map: Box<Expr>,
        /// The key.
        key: Box<Expr>,
    },
    /// `list[index]`: an Option.
    Element {
        /// The list.
        list: Box<Expr>,
        /// The place from 0: an Int.
        index: Box<Expr>,
    },
    /// `a..b`, both ends included.
    Range(Box<Expr>, Box<Expr>),
    /// A constant.
    Const(ConstId),
    /// A rule with an argument for each of its parameters.
    Rule(RuleId, Vec<Expr>),
    /// A function with an argument for each of its parameters.
    Call(FnId, Vec<Expr>),
    /// A parameter of the rule, function, policy or routes this expression stands in, by number.
    Param(usize),
    /// A variable of the environment.
    Env(EnvId),
    /// What a `let` above this expression bound.
    Let(LetId),
    /// An upstream.
    Upstream(UpstreamId),
    /// A part of the request.
    Field(Field),
    /// A capture of the route, group or site, by name.
    Capture(String),
    /// `not a`
    Not(Box<Expr>),
    /// `a and b`
    And(Box<Expr>, Box<Expr>),
    /// `a or b`
    Or(Box<Expr>, Box<Expr>),
    /// `a == b` and its like; an Option on the left or right means "present and …".
    Compare {
        /// The comparison.
        op: Comparison,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `o ?? v`
    Else(Box<Expr>, Box<Expr>),
    /// `o.is_some`
    IsSome(Box<Expr>),
    /// `o.is_none`
    IsNone(Box<Expr>),
    /// `if c then a else b`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value when it holds.
        then: Box<Expr>,
        /// The value when it does not.
        otherwise: Box<Expr>,
    },
    /// `"a ${b}"`: texts joined; numbers, addresses and so on in their written form.
    Join(Vec<Expr>),
    /// `duration.seconds`: whole seconds, an Int.
    Seconds(Box<Expr>),
    /// `a + b` and its like on Int, saturating.
    Arithmetic {
        /// The operator.
        op: Arithmetic,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
}

/// Comparisons. Those with text on the right (`starts_with` …) compare bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`, never with an Option
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`: right is a Set, List or Range
    In,
    /// `not in`, never with an Option on the left
    NotIn,
    /// `matches`: right is a Regex or Glob; always the whole value
    Matches,
    /// `starts_with`
    StartsWith,
    /// `ends_with`
    EndsWith,
    /// `contains`
    Contains,
}

/// Arithmetic on Int.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
}

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Bool
    Bool(bool),
    /// Int, Status, Port
    Int(i64),
    /// String, `RawString`, Path (normal form), Host (lower case), variant of an enum
    Text(String),
    /// Duration in milliseconds
    Duration(u64),
    /// Size in bytes
    Size(u64),
    /// Percent in hundredths
    Percent(u32),
    /// Rate: count in seconds
    Rate(u64, u32),
    /// Method
    Method(Method),
    /// Ip
    Ip(IpAddr),
    /// Cidr
    Cidr(Cidr),
    /// Endpoint
    Endpoint(Endpoint),
    /// Regex
    Regex(Regex),
    /// Glob
    Glob(String),
}

/// A part of the request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// `request.method`: Method
    Method,
    /// `request.scheme`: Scheme, compared with `"http"` and `"https"`
    Scheme,
    /// `request.host`: Host, lower case, without port
    Host,
    /// `request.port`: Port
    Port,
    /// `request.path`: Path in normal form
    Path,
    /// `request.query_string`: `Option<String>`, without the question mark
    QueryString,
    /// `request.target`: String, path and `?query`
    Target,
    /// `client.ip`: Ip
    ClientIp,
    /// `request.header["name"]`: `Option<String>`, first line; lower-case name
    Header(String),
    /// `request.query["name"]`: `Option<String>`, first field
    Query(String),
    /// `request.cookie["name"]`: `Option<String>`, first cookie
    Cookie(String),
}
