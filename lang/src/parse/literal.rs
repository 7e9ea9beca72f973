//! From grammar pairs to the values of literals; a value that does not fit is reported at its place.

use super::build::{Build, Node, parts};
use super::grammar::Rule;
use crate::Span;
use crate::ast::{ExprKind, Literal, TextPiece};
use crate::diagnostic::Diagnostic;
use crate::literal::{Cidr, Endpoint, Method, Regex};
use crate::span::Spanned;
use std::net::{IpAddr, SocketAddr};

impl<'t> Build<'t> {
    /// The expression a literal stands for; [`ExprKind::Error`] when its value does not fit.
    pub(super) fn literal(&mut self, node: Node<'t>) -> ExprKind {
        let Some(inner) = parts(node).next() else { return ExprKind::Error };
        if inner.as_rule() == Rule::string {
            return self.text(inner);
        }
        self.value(&inner).map_or(ExprKind::Error, ExprKind::Literal)
    }

    fn value(&mut self, node: &Node<'t>) -> Option<Literal> {
        let text = node.as_str();
        Some(match node.as_rule() {
            Rule::int => Literal::Int(self.int(node)?),
            Rule::duration => {
                Literal::Duration(self.fits(node, duration(text), "a duration", "292 million years")?)
            }
            Rule::size => Literal::Size(self.fits(node, size(text), "a size", "16 EiB")?),
            Rule::rate => self.rate(node)?,
            Rule::percent => self.percent(node)?,
            Rule::ip => Literal::Ip(self.ip(text, self.span(node))?),
            Rule::cidr => Literal::Cidr(self.cidr(node)?),
            Rule::endpoint => Literal::Endpoint(self.endpoint(node)?),
            Rule::bool => Literal::Bool(text == "true"),
            Rule::method_lit => Literal::Method(Method::from_text(text)),
            Rule::path_lit => self.path_literal(node)?,
            Rule::uident => Literal::Upper(text.to_owned()),
            Rule::glob => Literal::Glob(quoted(text, "glob\"").to_owned()),
            Rule::regex => Literal::Regex(regex(text)),
            _ => return None,
        })
    }

    /// A whole number; `None` after a report when it needs more than 64 bits.
    pub(super) fn int(&mut self, node: &Node<'t>) -> Option<i64> {
        let digits: String = node.as_str().chars().filter(|c| *c != '_').collect();
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        self.fits(node, value, "a number", "9223372036854775807")
    }

    fn fits<T>(&mut self, node: &Node<'t>, value: Option<T>, what: &str, most: &str) -> Option<T> {
        if value.is_none() {
            let message = format!("`{}` is too large for {what}", node.as_str());
            let span = self.span(node);
            self.report(Diagnostic::error("E0131", message, span).label(format!("at most {most}")));
        }
        value
    }

    fn rate(&mut self, node: &Node<'t>) -> Option<Literal> {
        let (count, unit) = node.as_str().split_once('/')?;
        let seconds = match unit {
            "sec" => 1,
            "min" => 60,
            "hour" => 3600,
            _ => 86400,
        };
        let count = self.fits(node, count.parse().ok(), "a rate", "18446744073709551615")?;
        Some(Literal::Rate { count, seconds })
    }

    fn percent(&mut self, node: &Node<'t>) -> Option<Literal> {
        self.hundredths(node).map(Literal::Percent)
    }

    /// A percentage in hundredths of a percent; `None` after a report when it is above all.
    pub(super) fn hundredths(&mut self, node: &Node<'t>) -> Option<u32> {
        let number = node.as_str().strip_suffix('%')?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let hundredths = format!("{part:0<2}").parse::<u32>().ok();
        let value = whole.parse::<u32>().ok().zip(hundredths).map(|(whole, part)| whole * 100 + part);
        let value = value.filter(|value| *value <= 10_000);
        self.fits(node, value, "a percentage", "100%")
    }

    fn ip(&mut self, text: &str, span: Span) -> Option<IpAddr> {
        let address = text.parse().ok();
        if address.is_none() {
            let message = format!("`{text}` is not an IP address");
            self.report(Diagnostic::error("E0132", message, span).label(address_fault(text)));
        }
        address
    }

    fn cidr(&mut self, node: &Node<'t>) -> Option<Cidr> {
        let span = self.span(node);
        let (address, prefix) = node.as_str().split_once('/')?;
        let after_slash = Span { start: span.end - u32::try_from(prefix.len()).unwrap_or(0), ..span };
        let address_span = Span { end: after_slash.start - 1, ..span };
        let addr = self.ip(address, address_span)?;
        let most = if addr.is_ipv4() { 32 } else { 128 };
        let Some(prefix) = prefix.parse::<u8>().ok().filter(|prefix| *prefix <= most) else {
            let message = format!("`/{prefix}` is not a prefix length");
            let family = if addr.is_ipv4() { "IPv4" } else { "IPv6" };
            let label = format!("{family} prefixes have 0 to {most} bits");
            self.report(Diagnostic::error("E0133", message, after_slash).label(label));
            return None;
        };
        Some(Cidr { addr, prefix })
    }

    /// Where to listen or connect; `None` after a report.
    pub(super) fn endpoint(&mut self, node: &Node<'t>) -> Option<Endpoint> {
        let (text, span) = (node.as_str(), self.span(node));
        if let Some(path) = text.strip_prefix("unix:") {
            return Some(Endpoint::Unix(path.to_owned()));
        }
        let (host, digits) = text.rsplit_once(':')?;
        let Ok(port) = digits.parse::<u16>() else {
            let place = Span { start: span.end - u32::try_from(digits.len()).unwrap_or(0), ..span };
            let message = format!("`{digits}` is not a port");
            self.report(Diagnostic::error("E0134", message, place).label("ports go up to 65535"));
            return None;
        };
        if host.is_empty() {
            return Some(Endpoint::Port(port));
        }
        let host_span = Span { end: span.start + u32::try_from(host.len()).unwrap_or(0), ..span };
        if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let inside = Span { start: host_span.start + 1, end: host_span.end - 1, ..span };
            return self.ip(inner, inside).map(|addr| Endpoint::Address(SocketAddr::new(addr, port)));
        }
        // A last label of digits can only be an address (RFC 1123 section 2.1).
        if host.rsplit('.').next().is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit())) {
            return self.ip(host, host_span).map(|addr| Endpoint::Address(SocketAddr::new(addr, port)));
        }
        self.host_name(host, host_span).map(|name| Endpoint::Name(name, port))
    }

    /// The text of a string that may not have `${…}`; such pieces are reported and left out.
    pub(super) fn constant_text(&mut self, node: Node<'t>) -> String {
        let span = self.span(&node);
        match self.text(node) {
            ExprKind::Literal(Literal::Text(text)) => text,
            ExprKind::Text(_) => {
                self.report(
                    Diagnostic::error("E0125", "this text cannot have `${…}` inside", span)
                        .label("it is read before any request"),
                );
                String::new()
            }
            _ => String::new(),
        }
    }

    pub(super) fn text(&mut self, node: Node<'t>) -> ExprKind {
        let mut pieces: Vec<TextPiece> = Vec::new();
        let mut literal = String::new();
        let mut broken = false;
        for part in parts(node) {
            match part.as_rule() {
                Rule::raw_string => return ExprKind::Literal(Literal::Text(raw(part.as_str()).to_owned())),
                Rule::str_text => literal.push_str(part.as_str()),
                Rule::str_esc => match self.escape(&part) {
                    Some(c) => literal.push(c),
                    None => broken = true,
                },
                _ => {
                    if !literal.is_empty() {
                        pieces.push(TextPiece::Literal(std::mem::take(&mut literal)));
                    }
                    if let Some(expr) = parts(part).next() {
                        pieces.push(TextPiece::Expr(self.expr(expr)));
                    }
                }
            }
        }
        if broken {
            return ExprKind::Error;
        }
        if pieces.is_empty() {
            return ExprKind::Literal(Literal::Text(literal));
        }
        if !literal.is_empty() {
            pieces.push(TextPiece::Literal(literal));
        }
        ExprKind::Text(pieces)
    }

    fn escape(&mut self, node: &Node<'t>) -> Option<char> {
        let text = node.as_str();
        let c = match text {
            r"\n" => '\n',
            r"\t" => '\t',
            _ if !text.starts_with(r"\u") => return text.chars().nth(1),
            _ => {
                let digits = text.trim_start_matches(r"\u{").trim_end_matches('}');
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let Some(c) = c else {
                    let message = format!("`{text}` is not a character");
                    let span = self.span(node);
                    let label = "characters are 0 to d7ff and e000 to 10ffff";
                    self.report(Diagnostic::error("E0135", message, span).label(label));
                    return None;
                };
                c
            }
        };
        Some(c)
    }

    fn path_literal(&mut self, node: &Node<'t>) -> Option<Literal> {
        let span = self.span(node);
        self.no_empty_segment(node.as_str(), span).then(|| Literal::Path(node.as_str().to_owned()))
    }

    /// The regex of a capture with its place.
    pub(super) fn capture_regex(&self, node: &Node<'t>) -> Spanned<Regex> {
        Spanned::new(regex(node.as_str()), self.span(node))
    }
}

/// What is wrong with an address that has the shape of one.
fn address_fault(text: &str) -> &'static str {
    if text.contains(':') {
        return "an IPv6 address has eight groups, or fewer with one `::`";
    }
    match text.split('.').find(|part| part.len() > 1 && part.starts_with('0')) {
        Some(_) => "a number does not start with `0`",
        None => "an IPv4 address is four numbers of 0 to 255",
    }
}

fn regex(text: &str) -> Regex {
    let ignore_case = text.ends_with('i');
    Regex { pattern: quoted(text.strip_suffix('i').unwrap_or(text), "re\"").to_owned(), ignore_case }
}

fn quoted<'a>(text: &'a str, open: &str) -> &'a str {
    text.strip_prefix(open).and_then(|rest| rest.strip_suffix('"')).unwrap_or_default()
}

fn raw(text: &str) -> &str {
    text.strip_prefix("r#\"").and_then(|rest| rest.strip_suffix("\"#")).unwrap_or_else(|| quoted(text, "r\""))
}

/// Milliseconds of `1m30s`; `None` when they need more than 64 bits.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total = 0u64;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, tail) = tail.split_at(letters);
        let milliseconds: u64 = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => 86_400_000,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(milliseconds)?)?;
        rest = tail;
    }
    Some(total)
}

/// Bytes of `64KiB`; `None` when they need more than 64 bits.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match &text[digits.len()..] {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => 1,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}
