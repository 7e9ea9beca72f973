//! Expressions and literal values.

use crate::Span;
use crate::literal::{Cidr, Endpoint, Method, Regex};
use crate::span::{Ident, Spanned};
use std::net::IpAddr;

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
