//! Core as text: stable, one line for each thing, close to the language.

use super::{
    Action, Core, Expr, Order, PathMatch, Pattern, Route, SegmentPattern, Set, Site, Tail, TextTest,
};
use super::{Arithmetic, Field, Message, Terminal};
use std::fmt::{self, Display, Formatter, Write as _};
use twp_lang::ast::HostPattern;
use twp_lang::hir::CaptureTy;

/// The whole program.
pub(crate) fn print(core: &Core) -> String {
    let mut out = String::new();
    for site in &core.sites {
        // Writing to a String cannot fail.
        let _ = print_site(site, &mut out);
    }
    out
}

fn print_site(site: &Site, out: &mut String) -> fmt::Result {
    let hosts: Vec<String> = site.hosts.iter().map(host_text).collect();
    writeln!(out, "site {} on {:?}", hosts.join(", "), site.listeners)?;
    for (number, route) in site.routes.iter().enumerate() {
        print_route(number, route, out)?;
    }
    Ok(())
}

/// A host pattern as written.
pub(crate) fn host_text(host: &HostPattern) -> String {
    match host {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::OneLabel { capture: None, suffix } => format!("*.{suffix}"),
        HostPattern::OneLabel { capture: Some(name), suffix } => format!("{{{}}}.{suffix}", name.value),
        HostPattern::AnyDepth(suffix) => format!("**.{suffix}"),
        HostPattern::Any => "*".to_owned(),
    }
}

fn print_route(number: usize, route: &Route, out: &mut String) -> fmt::Result {
    write!(out, "  {number}: route ")?;
    if !route.methods.is_empty() {
        let methods: Vec<&str> = route.methods.iter().map(super::Method::as_str).collect();
        write!(out, "{} ", methods.join("|"))?;
    }
    write!(out, "{} as {:?}", route.path, route.name)?;
    if let Some(guard) = &route.guard {
        write!(out, " when {guard}")?;
    }
    if let Some(bytes) = route.max_body {
        write!(out, " max_body {bytes}")?;
    }
    if !route.access_log {
        write!(out, " unlogged")?;
    }
    writeln!(out)?;
    print_actions(&route.actions, 3, out)
}

fn print_actions(actions: &[Action], level: usize, out: &mut String) -> fmt::Result {
    for action in actions {
        write!(out, "{}", "  ".repeat(level))?;
        match action {
            Action::Set { message, name, value } => {
                writeln!(out, "set {}[{name:?}] = {value}", message_text(*message))?;
            }
            Action::Add { message, name, value } => {
                writeln!(out, "add {}[{name:?}] = {value}", message_text(*message))?;
            }
            Action::Remove { message, name } => writeln!(out, "remove {}[{name:?}]", message_text(*message))?,
            Action::RewritePath(value) => writeln!(out, "rewrite path {value}")?,
            Action::RewriteHost(value) => writeln!(out, "rewrite host {value}")?,
            Action::Strip(count) => writeln!(out, "rewrite strip {count} segments")?,
            Action::When { condition, then, otherwise } => {
                writeln!(out, "when {condition}")?;
                print_actions(then, level + 1, out)?;
                if !otherwise.is_empty() {
                    writeln!(out, "{}else", "  ".repeat(level))?;
                    print_actions(otherwise, level + 1, out)?;
                }
            }
            Action::End(terminal) => print_terminal(terminal, out)?,
        }
    }
    Ok(())
}

fn print_terminal(terminal: &Terminal, out: &mut String) -> fmt::Result {
    match terminal {
        Terminal::To { upstream, .. } => writeln!(out, "to upstream {upstream}"),
        Terminal::Respond { status, body: None } => writeln!(out, "respond {status}"),
        Terminal::Respond { status, body: Some(body) } => writeln!(out, "respond {status} body {body}"),
        Terminal::Redirect { status, location, keep_query } => {
            writeln!(out, "redirect {status} {location}{}", if *keep_query { " with the query" } else { "" })
        }
        Terminal::NotFound => writeln!(out, "not found"),
    }
}

fn message_text(message: Message) -> &'static str {
    match message {
        Message::Request => "request.header",
        Message::Response => "response.header",
    }
}

impl Display for PathMatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            f.write_char('/')?;
            match segment {
                SegmentPattern::Literal(text) => f.write_str(text)?,
                SegmentPattern::Capture { name, ty, prefix, suffix } => {
                    write!(f, "{prefix}{{{name}{}}}{suffix}", capture_text(ty))?;
                }
            }
        }
        match &self.tail {
            Tail::End => Ok(()),
            Tail::EndOrSlash => f.write_str("[/]"),
            Tail::Rest(name) => write!(f, "/{{{name}...}}"),
            Tail::Below(Some(name)) => write!(f, "[/{{{name}...}}]"),
            Tail::Below(None) => f.write_str("[/...]"),
        }
    }
}

/// The type of a capture as written after its name.
pub(crate) fn capture_text(ty: &CaptureTy) -> String {
    match ty {
        CaptureTy::Segment => String::new(),
        CaptureTy::Int => ":int".to_owned(),
        CaptureTy::Uuid => ":uuid".to_owned(),
        CaptureTy::Slug => ":slug".to_owned(),
        CaptureTy::Hex => ":hex".to_owned(),
        CaptureTy::OneOf(texts) => format!(":{}", texts.join("|")),
        CaptureTy::Regex(regex) => format!(":re{:?}{}", regex.pattern, case_text(regex.ignore_case)),
    }
}

fn case_text(ignore_case: bool) -> &'static str {
    if ignore_case { "i" } else { "" }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Bool(value) => value.fmt(f),
            Expr::Int(value) => value.fmt(f),
            Expr::Text(value) => write!(f, "{value:?}"),
            Expr::Ip(value) => value.fmt(f),
            Expr::Field(field) => f.write_str(&field_text(field)),
            Expr::Capture { name, .. } => f.write_str(name),
            Expr::Absent(_) => f.write_str("absent"),
            Expr::Lookup { table, key } => write!(f, "{}[{key}]", table.name()),
            Expr::Not(inner) => write!(f, "not {inner}"),
            Expr::And(parts) => list(f, "(", parts, " and ", ")"),
            Expr::Or(parts) => list(f, "(", parts, " or ", ")"),
            Expr::Compare { op, left, right } => write!(f, "({left} {op} {right})"),
            Expr::TextTest { op, left, right } => write!(f, "({left} {op} {right})"),
            Expr::In { value, set } => write!(f, "({value} in {set})"),
            Expr::Matches { value, pattern } => write!(f, "({value} matches {pattern})"),
            Expr::Else(value, default) => write!(f, "({value} ?? {default})"),
            Expr::IsSome(value) => write!(f, "{value}.is_some"),
            Expr::If { condition, then, otherwise } => {
                write!(f, "(if {condition} then {then} else {otherwise})")
            }
            Expr::Join(parts) => list(f, "join(", parts, ", ", ")"),
            Expr::Arithmetic { op, left, right } => {
                let sign = match op {
                    Arithmetic::Add => '+',
                    Arithmetic::Subtract => '-',
                    Arithmetic::Multiply => '*',
                };
                write!(f, "({left} {sign} {right})")
            }
        }
    }
}

fn list<T: Display>(
    f: &mut Formatter<'_>,
    open: &str,
    parts: &[T],
    between: &str,
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        part.fmt(f)?;
    }
    f.write_str(close)
}

/// A part of the request as written.
pub(crate) fn field_text(field: &Field) -> String {
    match field {
        Field::Method => "request.method".to_owned(),
        Field::Scheme => "request.scheme".to_owned(),
        Field::Host => "request.host".to_owned(),
        Field::Port => "request.port".to_owned(),
        Field::Path => "request.path".to_owned(),
        Field::QueryString => "request.query_string".to_owned(),
        Field::Target => "request.target".to_owned(),
        Field::ClientIp => "client.ip".to_owned(),
        Field::Header(name) => format!("request.header[{name:?}]"),
        Field::Query(name) => format!("request.query[{name:?}]"),
        Field::Cookie(name) => format!("request.cookie[{name:?}]"),
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Equal => "==",
            Order::Less => "<",
            Order::LessEqual => "<=",
            Order::Greater => ">",
            Order::GreaterEqual => ">=",
        })
    }
}

impl Display for TextTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TextTest::StartsWith => "starts_with",
            TextTest::EndsWith => "ends_with",
            TextTest::Contains => "contains",
        })
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Set::Texts(texts) => write!(f, "{texts:?}"),
            Set::Nets(nets) => list(f, "[", nets, ", ", "]"),
            Set::Ints(ranges) => {
                let ranges: Vec<String> = ranges.iter().map(|(a, b)| format!("{a}..{b}")).collect();
                list(f, "[", &ranges, ", ", "]")
            }
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Regex(regex) => write!(f, "re{:?}{}", regex.pattern, case_text(regex.ignore_case)),
            Pattern::Glob(glob) => write!(f, "glob{glob:?}"),
        }
    }
}
