//! Core: what a program means, in the plainest form.
//!
//! For each site an ordered list of routes; the first whose methods, path and guard hold takes the request and its
//! actions run in order. Groups, constants and rules are gone: each route carries all that outer blocks gave it.
//! The interpreter walks this; the tables are built from it.

use crate::plan::{Slot, TimeoutPlan, UpstreamId};
use std::net::IpAddr;
use twp_lang::Span;
use twp_lang::ast::HostPattern;
pub use twp_lang::hir::{Arithmetic, Field, Message, SegmentPattern};
use twp_lang::literal::{Cidr, Method, Regex};

pub(crate) mod print;
mod table;

pub use table::{Table, Values as TableValues};

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// Its sites.
    pub sites: Vec<Site>,
    /// Header, query and cookie names that expressions read, with the first place of each.
    pub names: Vec<(Slot, Span)>,
    /// Regular expressions in use, with the first place of each.
    pub regexes: Vec<(Regex, Span)>,
}

/// A site.
#[derive(Clone, Debug)]
pub struct Site {
    /// Host patterns.
    pub hosts: Vec<HostPattern>,
    /// Listeners it is served on.
    pub listeners: Vec<u16>,
    /// Methods the site names, `HEAD` beside `GET`: the candidates for `Allow`.
    pub methods: Vec<Method>,
    /// Routes in the order of evaluation; the last one takes everything.
    pub routes: Vec<Route>,
}

/// A route.
#[derive(Clone, Debug)]
pub struct Route {
    /// How logs call it.
    pub name: String,
    /// Methods it takes as written, where `GET` stands for `HEAD` too (RFC 9110, section 9.3.2); empty for any.
    pub methods: Vec<Method>,
    /// Paths it takes.
    pub path: PathMatch,
    /// The condition, of its groups and its own; `None` is always true.
    pub guard: Option<Expr>,
    /// What happens; every way through ends in one terminal.
    pub actions: Vec<Action>,
    /// The fallback that nobody wrote.
    pub builtin_fallback: bool,
    /// Largest request body in bytes.
    pub max_body: Option<u64>,
    /// Whether its exchanges are logged.
    pub access_log: bool,
    /// Where it was written.
    pub span: Span,
}

/// The paths a route takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMatch {
    /// The first segments.
    pub segments: Vec<SegmentPattern>,
    /// What may follow them.
    pub tail: Tail,
}

/// What may follow the segments of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    End,
    /// Nothing or one slash (`trailing_slash: same`).
    EndOrSlash,
    /// A slash and any text, which the capture takes.
    Rest(String),
    /// Nothing, or a slash and any text, which the capture takes if there is one.
    Below(Option<String>),
}

/// An expression: pure and total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A truth value.
    Bool(bool),
    /// A number; durations are milliseconds, sizes bytes.
    Int(i64),
    /// A text.
    Text(String),
    /// An address.
    Ip(IpAddr),
    /// A part of the request.
    Field(Field),
    /// A capture.
    Capture {
        /// Its name.
        name: String,
        /// Whether it is a number, else a text.
        int: bool,
    },
    /// `not a`
    Not(Box<Expr>),
    /// No value of this kind.
    Absent(Kind),
    /// What a key leads to in a constant map; absent when the key is absent or not in it.
    Lookup {
        /// The map.
        table: Table,
        /// The key: a text.
        key: Box<Expr>,
    },
    /// All hold.
    And(Vec<Expr>),
    /// At least one holds.
    Or(Vec<Expr>),
    /// Both are present and compare so.
    Compare {
        /// The comparison.
        op: Order,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// Both are present and the left text relates so to the right one.
    TextTest {
        /// The relation.
        op: TextTest,
        /// The text.
        left: Box<Expr>,
        /// The part.
        right: Box<Expr>,
    },
    /// The value is present and in the set.
    In {
        /// The value.
        value: Box<Expr>,
        /// The set.
        set: Set,
    },
    /// The text is present and matches as a whole.
    Matches {
        /// The text.
        value: Box<Expr>,
        /// The pattern.
        pattern: Pattern,
    },
    /// The left value when present, else the right.
    Else(Box<Expr>, Box<Expr>),
    /// Whether the value is present.
    IsSome(Box<Expr>),
    /// One of two values.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value when it holds.
        then: Box<Expr>,
        /// The value when it does not.
        otherwise: Box<Expr>,
    },
    /// Texts joined; numbers and addresses in their written form, nothing for what is absent.
    Join(Vec<Expr>),
    /// Numbers combined, saturating.
    Arithmetic {
        /// The operator.
        op: Arithmetic,
        /// The left number.
        left: Box<Expr>,
        /// The right number.
        right: Box<Expr>,
    },
}

/// Comparisons of two values of one kind: numbers, texts by bytes, addresses as numbers, `false` before `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `==`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// Relations of a text to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// `starts_with`
    StartsWith,
    /// `ends_with`
    EndsWith,
    /// `contains`
    Contains,
}

/// Constant sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// Texts.
    Texts(Vec<String>),
    /// Ranges of numbers, both ends included.
    Ints(Vec<(i64, i64)>),
    /// Networks.
    Nets(Vec<Cidr>),
}

/// What a text may match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A regular expression.
    Regex(Regex),
    /// `*` any text, `?` one character.
    Glob(String),
}

/// A step of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replaces all lines of a field.
    Set {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// Its text.
        value: Expr,
    },
    /// Appends a line.
    Add {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
        /// Its text.
        value: Expr,
    },
    /// Removes all lines of a field.
    Remove {
        /// Of which message.
        message: Message,
        /// Lower-case name.
        name: String,
    },
    /// Sends this path upstream.
    RewritePath(Expr),
    /// Sends this authority upstream.
    RewriteHost(Expr),
    /// Removes leading segments from the path sent upstream.
    Strip(u8),
    /// One of two lists of steps.
    When {
        /// The condition.
        condition: Expr,
        /// Steps when it holds.
        then: Vec<Action>,
        /// Steps when it does not.
        otherwise: Vec<Action>,
    },
    /// Ends the exchange.
    End(Terminal),
}

/// What ends an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// Forwards to an upstream.
    To {
        /// Whereto.
        upstream: UpstreamId,
        /// Time limits of this route.
        timeouts: TimeoutPlan,
    },
    /// Answers.
    Respond {
        /// The status.
        status: u16,
        /// The body.
        body: Option<Expr>,
    },
    /// Redirects.
    Redirect {
        /// The status.
        status: u16,
        /// The `Location`.
        location: Expr,
        /// Whether the query of the request is appended.
        keep_query: bool,
    },
    /// 404, or 405 with `Allow`.
    NotFound,
}

/// The kind of value an expression gives, apart from absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A truth value.
    Bool,
    /// A number.
    Int,
    /// A text.
    Text,
    /// An address.
    Ip,
}

impl Expr {
    /// The kind of its value.
    pub fn kind(&self) -> Kind {
        match self {
            Expr::Bool(_)
            | Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare { .. }
            | Expr::TextTest { .. }
            | Expr::In { .. }
            | Expr::Matches { .. }
            | Expr::IsSome(_) => Kind::Bool,
            Expr::Int(_) | Expr::Arithmetic { .. } | Expr::Field(Field::Port) => Kind::Int,
            Expr::Ip(_) | Expr::Field(Field::ClientIp) => Kind::Ip,
            Expr::Text(_) | Expr::Field(_) | Expr::Join(_) => Kind::Text,
            Expr::Capture { int, .. } => match int {
                true => Kind::Int,
                false => Kind::Text,
            },
            Expr::Absent(kind) => *kind,
            Expr::Lookup { table, .. } => match table.values() {
                TableValues::Ints(_) => Kind::Int,
                TableValues::Texts(_) | TableValues::Keys => Kind::Text,
            },
            Expr::Else(value, _) => value.kind(),
            Expr::If { then, .. } => then.kind(),
        }
    }

    /// Whether its value may be absent.
    pub fn optional(&self) -> bool {
        match self {
            Expr::Field(field) => match field {
                Field::QueryString | Field::Header(_) | Field::Query(_) | Field::Cookie(_) => true,
                Field::Method
                | Field::Scheme
                | Field::Host
                | Field::Port
                | Field::Path
                | Field::Target
                | Field::ClientIp => false,
            },
            Expr::Absent(_) | Expr::Lookup { .. } => true,
            Expr::Else(_, default) => default.optional(),
            Expr::If { then, otherwise, .. } => then.optional() || otherwise.optional(),
            Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Text(_)
            | Expr::Ip(_)
            | Expr::Capture { .. }
            | Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare { .. }
            | Expr::TextTest { .. }
            | Expr::In { .. }
            | Expr::Matches { .. }
            | Expr::IsSome(_)
            | Expr::Join(_)
            | Expr::Arithmetic { .. } => false,
        }
    }
}

impl Order {
    /// Whether two values in this order compare so.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Order::Equal => order.is_eq(),
            Order::Less => order.is_lt(),
            Order::LessEqual => order.is_le(),
            Order::Greater => order.is_gt(),
            Order::GreaterEqual => order.is_ge(),
        }
    }
}
