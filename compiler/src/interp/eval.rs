//! Expressions on values.

use super::{plain_ip, regex};
use crate::core::{Arithmetic, Expr, Field, Order, Pattern, Set, Table, TableValues, TextTest};
use crate::request::Request;
use std::cmp::Ordering;
use std::net::IpAddr;

/// What an expression may read.
pub(super) struct Scope<'r> {
    pub(super) request: &'r Request,
    pub(super) captures: Vec<(String, String)>,
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Val {
    Absent,
    Bool(bool),
    Int(i64),
    Text(Vec<u8>),
    Ip(IpAddr),
}

/// The value as text; nothing when absent.
pub(super) fn text(expr: &Expr, scope: &Scope<'_>) -> Vec<u8> {
    match eval(expr, scope) {
        Val::Absent => Vec::new(),
        Val::Bool(value) => value.to_string().into_bytes(),
        Val::Int(value) => value.to_string().into_bytes(),
        Val::Text(value) => value,
        Val::Ip(value) => value.to_string().into_bytes(),
    }
}

pub(super) fn eval(expr: &Expr, scope: &Scope<'_>) -> Val {
    match expr {
        Expr::Bool(value) => Val::Bool(*value),
        Expr::Int(value) => Val::Int(*value),
        Expr::Text(value) => Val::Text(value.clone().into_bytes()),
        Expr::Ip(value) => Val::Ip(plain_ip(*value)),
        Expr::Field(field) => read(field, scope.request),
        Expr::Capture { name, int } => capture(name, *int, scope),
        Expr::Absent(_) => Val::Absent,
        Expr::Lookup { table, key } => look_up(table, &eval(key, scope)),
        Expr::Not(inner) => Val::Bool(!truth(inner, scope)),
        Expr::And(parts) => Val::Bool(parts.iter().all(|part| truth(part, scope))),
        Expr::Or(parts) => Val::Bool(parts.iter().any(|part| truth(part, scope))),
        Expr::Compare { op, left, right } => Val::Bool(compare(*op, &eval(left, scope), &eval(right, scope))),
        Expr::TextTest { op, left, right } => {
            Val::Bool(text_test(*op, &eval(left, scope), &eval(right, scope)))
        }
        Expr::In { value, set } => Val::Bool(member(&eval(value, scope), set)),
        Expr::Matches { value, pattern } => Val::Bool(matches(&eval(value, scope), pattern)),
        Expr::Else(value, default) => match eval(value, scope) {
            Val::Absent => eval(default, scope),
            value => value,
        },
        Expr::IsSome(value) => Val::Bool(eval(value, scope) != Val::Absent),
        Expr::If { condition, then, otherwise } => {
            if truth(condition, scope) {
                eval(then, scope)
            } else {
                eval(otherwise, scope)
            }
        }
        Expr::Join(parts) => Val::Text(parts.iter().flat_map(|part| text(part, scope)).collect()),
        Expr::Arithmetic { op, left, right } => arithmetic(*op, &eval(left, scope), &eval(right, scope)),
    }
}

fn look_up(table: &Table, key: &Val) -> Val {
    let Val::Text(key) = key else { return Val::Absent };
    let Some(number) = table.keys().position(|known| known.as_bytes() == key) else { return Val::Absent };
    match table.values() {
        TableValues::Texts(texts) => Val::Text(texts[number].clone().into_bytes()),
        TableValues::Ints(numbers) => Val::Int(numbers[number]),
        TableValues::Keys => Val::Text(key.clone()),
    }
}

fn truth(expr: &Expr, scope: &Scope<'_>) -> bool {
    eval(expr, scope) == Val::Bool(true)
}

fn read(field: &Field, request: &Request) -> Val {
    let text = |text: &str| Val::Text(text.as_bytes().to_vec());
    let option = |value: Option<&[u8]>| value.map_or(Val::Absent, |value| Val::Text(value.to_vec()));
    match field {
        Field::Method => text(request.method.as_str()),
        Field::Scheme => text(if request.https { "https" } else { "http" }),
        Field::Host => text(&request.host),
        Field::Port => Val::Int(i64::from(request.port)),
        Field::Path => text(&request.path),
        Field::QueryString => option(request.query.as_ref().map(String::as_bytes)),
        Field::Target => match &request.query {
            Some(query) => text(&format!("{}?{query}", request.path)),
            None => text(&request.path),
        },
        Field::ClientIp => Val::Ip(plain_ip(request.client_ip)),
        Field::Header(name) => option(request.header(name)),
        Field::Query(name) => option(request.query_field(name)),
        Field::Cookie(name) => option(request.cookie(name)),
    }
}

fn capture(name: &str, int: bool, scope: &Scope<'_>) -> Val {
    let Some((_, value)) = scope.captures.iter().find(|(capture, _)| capture == name) else {
        return Val::Absent;
    };
    match (int, value.parse()) {
        (true, Ok(number)) => Val::Int(number),
        (true, Err(_)) | (false, _) => Val::Text(value.clone().into_bytes()),
    }
}

fn compare(op: Order, left: &Val, right: &Val) -> bool {
    let order = match (left, right) {
        (Val::Bool(left), Val::Bool(right)) => left.cmp(right),
        (Val::Int(left), Val::Int(right)) => left.cmp(right),
        (Val::Text(left), Val::Text(right)) => left.cmp(right),
        (Val::Ip(left), Val::Ip(right)) => number(*left).cmp(&number(*right)),
        // One is absent; the checker rules out values of two kinds.
        _ => return false,
    };
    match op {
        Order::Equal => order == Ordering::Equal,
        Order::Less => order == Ordering::Less,
        Order::LessEqual => order != Ordering::Greater,
        Order::Greater => order == Ordering::Greater,
        Order::GreaterEqual => order != Ordering::Less,
    }
}

fn number(addr: IpAddr) -> u128 {
    match addr {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn text_test(op: TextTest, left: &Val, right: &Val) -> bool {
    let (Val::Text(text), Val::Text(part)) = (left, right) else { return false };
    match op {
        TextTest::StartsWith => text.starts_with(part),
        TextTest::EndsWith => text.ends_with(part),
        TextTest::Contains => part.is_empty() || text.windows(part.len()).any(|window| window == part),
    }
}

fn member(value: &Val, set: &Set) -> bool {
    match (value, set) {
        (Val::Text(value), Set::Texts(texts)) => texts.iter().any(|text| text.as_bytes() == value),
        (Val::Int(value), Set::Ints(ranges)) => {
            ranges.iter().any(|(low, high)| low <= value && value <= high)
        }
        (Val::Ip(value), Set::Nets(nets)) => nets.iter().any(|net| net.contains(*value)),
        // Absent; the checker rules out values of another kind than the set's.
        _ => false,
    }
}

fn matches(value: &Val, pattern: &Pattern) -> bool {
    let Val::Text(value) = value else { return false };
    match pattern {
        Pattern::Regex(regex) => regex::matches(regex, value),
        Pattern::Glob(glob) => {
            let text: Vec<char> = String::from_utf8_lossy(value).chars().collect();
            let glob: Vec<char> = glob.chars().collect();
            glob_matches(&glob, &text)
        }
    }
}

fn glob_matches(glob: &[char], text: &[char]) -> bool {
    match glob.split_first() {
        None => text.is_empty(),
        Some(('*', glob)) => (0..=text.len()).any(|skip| glob_matches(glob, &text[skip..])),
        Some(('?', glob)) => !text.is_empty() && glob_matches(glob, &text[1..]),
        Some((c, glob)) => text.first() == Some(c) && glob_matches(glob, &text[1..]),
    }
}

fn arithmetic(op: Arithmetic, left: &Val, right: &Val) -> Val {
    let (Val::Int(left), Val::Int(right)) = (left, right) else { return Val::Absent };
    Val::Int(match op {
        Arithmetic::Add => left.saturating_add(*right),
        Arithmetic::Subtract => left.saturating_sub(*right),
        Arithmetic::Multiply => left.saturating_mul(*right),
    })
}
