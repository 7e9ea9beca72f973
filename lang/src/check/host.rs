//! Hosts: in conditions, and as patterns of sites.

use super::Check;
use super::scope::{Taken, bind};
use crate::ast::{HostPattern, SiteDecl};
use crate::span::Spanned;
use crate::target::normalize_host;
use crate::{Diagnostic, Span};

/// The normal form of a host that requests are compared with, or a report.
pub(super) fn literal(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<String> {
    let mut scratch = Vec::new();
    if let Ok(normal) = normalize_host(text.as_bytes(), &mut scratch) {
        return Some(String::from_utf8_lossy(normal).into_owned());
    }
    refuse(ctx, text, span);
    None
}

fn refuse(ctx: &mut Check<'_>, text: &str, span: Span) {
    let diagnostic = Diagnostic::error("E0316", format!("`{text}` is not a host"), span);
    let (before, after) = text.rsplit_once(':').unwrap_or((text, ""));
    let is_port = !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit()) && !before.contains(':');
    ctx.report(if is_port {
        diagnostic
            .label("a host has no port")
            .help("ports are the listener's; `request.port` is the client's")
    } else if !text.is_ascii() {
        diagnostic.label("a host is ASCII").help("write names in other scripts as `xn--…`")
    } else {
        diagnostic.label("a host is an address, or labels of letters, digits and `-` with dots between them")
    });
}

/// Host patterns of a site in normal form. Binds their captures.
pub(super) fn patterns(ctx: &mut Check<'_>, decl: &SiteDecl) -> Vec<Spanned<HostPattern>> {
    let hosts = decl.hosts.iter().filter_map(|host| pattern(ctx, host)).collect();
    bind_captures(ctx, decl);
    hosts
}

fn pattern(ctx: &mut Check<'_>, host: &Spanned<HostPattern>) -> Option<Spanned<HostPattern>> {
    let span = host.span;
    let value = match &host.value {
        HostPattern::Exact(text) => HostPattern::Exact(exact(ctx, text, span)?),
        HostPattern::OneLabel { capture, suffix } => {
            HostPattern::OneLabel { capture: capture.clone(), suffix: name(ctx, suffix, span)? }
        }
        HostPattern::AnyDepth(suffix) => HostPattern::AnyDepth(name(ctx, suffix, span)?),
        HostPattern::Any => HostPattern::Any,
    };
    Some(Spanned::new(value, span))
}

fn exact(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<String> {
    let is_address = text.starts_with('[') || text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if is_address { literal(ctx, text, span) } else { name(ctx, text, span) }
}

/// A name of letters, digits and inner hyphens: what certificates and browsers take (RFC 5890 section 2.3.1).
fn name(ctx: &mut Check<'_>, text: &str, span: Span) -> Option<String> {
    let normal = literal(ctx, text, span)?;
    for label in normal.split('.') {
        if label.contains('_') {
            ctx.report(
                Diagnostic::error("E0316", format!("`{text}` is not a host"), span)
                    .label("`_` is not allowed in the name of a site"),
            );
            return None;
        }
        if label.starts_with('-') || label.ends_with('-') {
            ctx.report(
                Diagnostic::error("E0316", format!("`{text}` is not a host"), span)
                    .label("a label does not begin or end with `-`"),
            );
            return None;
        }
    }
    Some(normal)
}

/// All hosts of a site bind the same captures, so that each use has a value.
fn bind_captures(ctx: &mut Check<'_>, decl: &SiteDecl) {
    let capture_of = |host: &Spanned<HostPattern>| match &host.value {
        HostPattern::OneLabel { capture, .. } => capture.clone(),
        HostPattern::Exact(_) | HostPattern::AnyDepth(_) | HostPattern::Any => None,
    };
    let Some((first, capture)) = decl.hosts.iter().find_map(|host| Some((host, capture_of(host)?))) else {
        return;
    };
    bind(ctx, &capture, Taken::Label, first.span);
    let name = &capture.value;
    for host in &decl.hosts {
        if capture_of(host).is_none_or(|other| other.value != *name) {
            ctx.report(
                Diagnostic::error("E0406", format!("not every host of this site binds `{name}`"), host.span)
                    .label(format!("does not bind `{name}`"))
                    .with(first.span, format!("binds `{name}`"))
                    .help("make two sites of it, or bind the same name in each"),
            );
            return;
        }
    }
}

/// What two patterns have in common when they take the same hosts.
pub(super) fn key(pattern: &HostPattern) -> String {
    match pattern {
        HostPattern::Exact(text) => text.clone(),
        HostPattern::OneLabel { suffix, .. } => format!("*.{suffix}"),
        HostPattern::AnyDepth(suffix) => format!("**.{suffix}"),
        HostPattern::Any => "*".to_owned(),
    }
}
