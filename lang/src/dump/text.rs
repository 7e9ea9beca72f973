//! Small pieces as they are written: types, hosts, paths, literals.

use crate::ast::{
    CaptureKind, HostPattern, Literal, ModPath, Param, PathPattern, PathTemplate, PatternPart, TemplatePart,
    TypeName, UpstreamTarget,
};
use crate::span::Ident;
use std::fmt::Write as _;

/// Words with a mark between them.
pub(super) fn joined(words: &[Ident], mark: &str) -> String {
    words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(mark)
}

pub(super) fn module(path: &ModPath) -> String {
    joined(&path.parts, ".")
}

pub(super) fn upstream(target: &UpstreamTarget) -> String {
    match target {
        UpstreamTarget::Name(path) => module(path),
        UpstreamTarget::Endpoint(endpoint) => endpoint.value.to_string(),
    }
}

/// ` as name`, or nothing.
pub(super) fn named(name: Option<&Ident>) -> String {
    name.map(|name| format!(" as {}", name.value)).unwrap_or_default()
}

pub(super) fn params(params: &[Param]) -> String {
    params.iter().map(param).collect::<Vec<_>>().join(", ")
}

fn param(param: &Param) -> String {
    format!("{}: {}", param.name.value, type_name(&param.ty))
}

pub(super) fn type_name(ty: &TypeName) -> String {
    if ty.arguments.is_empty() {
        return ty.name.value.clone();
    }
    let arguments: Vec<_> = ty.arguments.iter().map(type_name).collect();
    format!("{}<{}>", ty.name.value, arguments.join(", "))
}

pub(super) fn host(pattern: &HostPattern) -> String {
    match pattern {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::OneLabel { capture: Some(name), suffix } => format!("{{{}}}.{suffix}", name.value),
        HostPattern::OneLabel { capture: None, suffix } => format!("*.{suffix}"),
        HostPattern::AnyDepth(suffix) => format!("**.{suffix}"),
        HostPattern::Any => "*".to_owned(),
    }
}

pub(super) fn pattern(path: &PathPattern) -> String {
    let mut text = String::new();
    for segment in &path.segments {
        text.push('/');
        for part in &segment.parts {
            match part {
                PatternPart::Literal(literal) => text.push_str(&literal.value),
                PatternPart::Capture(capture) => {
                    let kind = match &capture.kind {
                        CaptureKind::Segment => String::new(),
                        CaptureKind::Rest => "...".to_owned(),
                        CaptureKind::Typed(ty) => format!(":{}", ty.value),
                        CaptureKind::Regex(regex) => format!(":re\"{}\"", regex.value.pattern),
                    };
                    let _ = write!(text, "{{{}{kind}}}", capture.name.value);
                }
            }
        }
    }
    text
}

pub(super) fn template(path: &PathTemplate) -> String {
    let mut text = String::new();
    for part in &path.parts {
        match part {
            TemplatePart::Literal(literal) => text.push_str(&literal.value),
            TemplatePart::Capture { name, rest, span: _ } => {
                let _ = write!(text, "{{{}{}}}", name.value, if *rest { "..." } else { "" });
            }
        }
    }
    text
}

pub(super) fn literal(value: &Literal) -> String {
    match value {
        Literal::Int(number) => number.to_string(),
        Literal::Duration(milliseconds) => format!("{milliseconds}ms"),
        Literal::Size(bytes) => format!("{bytes}B"),
        Literal::Rate { count, seconds } => format!("{count} in {seconds}s"),
        Literal::Percent(hundredths) => percent(*hundredths),
        Literal::Text(text) => format!("{text:?}"),
        Literal::Regex(regex) => format!("re{:?}{}", regex.pattern, if regex.ignore_case { "i" } else { "" }),
        Literal::Glob(glob) => format!("glob{glob:?}"),
        Literal::Ip(addr) => addr.to_string(),
        Literal::Cidr(cidr) => cidr.to_string(),
        Literal::Endpoint(endpoint) => endpoint.to_string(),
        Literal::Bool(value) => value.to_string(),
        Literal::Method(method) => method.to_string(),
        Literal::Path(path) => path.clone(),
        Literal::Upper(name) => name.clone(),
    }
}

pub(super) fn percent(hundredths: u32) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}
