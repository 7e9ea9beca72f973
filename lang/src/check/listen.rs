//! What listeners and sites owe each other: who speaks TLS, who serves UDP, and which certificates can be had.

use super::Check;
use crate::ast::HostPattern;
use crate::hir::{Challenge, ListenerId, Site, Tls, Transport};
use crate::literal::Endpoint;
use crate::span::Spanned;
use crate::{Diagnostic, Span};

/// Where a site says how it is reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    /// `tls` with a value other than `none`, known or not.
    pub(super) tls: Option<Span>,
    /// `http`
    pub(super) http: Option<Span>,
}

/// Checks the sites beside the listeners; `said` has an element for each site.
pub(super) fn rules(ctx: &mut Check<'_>, sites: &[Site], said: &[Said]) {
    let has_tls = said.iter().any(|said| said.tls.is_some());
    for listener in ctx.listeners.iter_mut().filter(|listener| listener.span.is_none() && has_tls) {
        listener.bind = vec![Spanned::new(Endpoint::Port(443), Span::new(0, 0))];
    }
    for (site, said) in sites.iter().zip(said) {
        if let (Some(http), None) = (said.http, said.tls) {
            ctx.report(
                Diagnostic::error("E0410", "`http` is for sites with `tls`", http)
                    .label("a site without `tls` serves plain HTTP anyway")
                    .help("add `tls`, or remove `http`"),
            );
        }
        if let (Tls::Acme(acme), Some(place)) = (&site.tls, said.tls) {
            certificates(ctx, site, &acme.challenge, place);
        }
    }
    for listener in 0..ctx.listeners.len() {
        mixed(ctx, listener, sites, said);
        datagrams(ctx, listener, sites);
    }
}

/// E0408: no authority signs every wildcard, and none signs one without a look at the zone (RFC 8555 section 7.1.3).
fn certificates(ctx: &mut Check<'_>, site: &Site, challenge: &Challenge, place: Span) {
    let is_dns = matches!(challenge, Challenge::Dns { .. });
    for host in &site.hosts {
        let key = super::host::key(&host.value);
        let (message, help) = match &host.value {
            HostPattern::OneLabel { .. } if !is_dns => (
                format!("`acme` needs a DNS challenge for `{key}`"),
                "write `acme(…, challenge: dns(cloudflare, token: …))`",
            ),
            HostPattern::AnyDepth(_) | HostPattern::Any => (
                format!("`acme` gets no certificate for `{key}`"),
                "name the hosts, or use `files(cert: …, key: …)`",
            ),
            HostPattern::OneLabel { .. } | HostPattern::Exact(_) => continue,
        };
        ctx.report(Diagnostic::error("E0408", message, host.span).with(place, "asked for here").help(help));
    }
}

/// E0405: an address speaks TLS or it does not.
fn mixed(ctx: &mut Check<'_>, id: ListenerId, sites: &[Site], said: &[Said]) {
    let listener = &ctx.listeners[id];
    if !listener.plain.is_empty() || listener.span.is_none() {
        return;
    }
    let here = || sites.iter().zip(said).filter(|(site, _)| site.listeners.contains(&id));
    let with = here().find_map(|(_, said)| said.tls);
    let without = here().find(|(_, said)| said.tls.is_none());
    if let (Some(with), Some((site, _))) = (with, without) {
        let message = format!("listener `{}` speaks TLS, and this site has no `tls`", listener.name);
        let diagnostic = Diagnostic::error("E0405", message, site.head)
            .with(with, "for this site `bind` speaks TLS")
            .help("add `plain: [:80]` to the listener, or `tls` to the site");
        ctx.report(diagnostic);
    }
}

/// E0409: sites are served over TCP; HTTP/3 is a protocol of such a listener.
fn datagrams(ctx: &mut Check<'_>, id: ListenerId, sites: &[Site]) {
    let listener = &ctx.listeners[id];
    let (Transport::Udp, Some(place)) = (listener.transport, listener.span) else { return };
    if let Some(site) = sites.iter().find(|site| site.listeners.contains(&id)) {
        let message = format!("listener `{}` is for UDP, a site needs TCP", listener.name);
        let diagnostic = Diagnostic::error("E0409", message, site.head)
            .with(place, "`transport: udp`")
            .help("name the listeners of the site after `on`; for HTTP/3 write `protocols: [h1, h2, h3]`");
        ctx.report(diagnostic);
    }
}
