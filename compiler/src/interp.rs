//! The reference interpreter: walks Core as it is written. It defines what the language means.
//!
//! Obvious rather than quick: routes are tried one after the other, captures are a list of names and values,
//! regular expressions are simulated state by state. Nothing here is shared with the tables.

use crate::core::{Action, Core, Expr, Message, Route, Site, Terminal};
use crate::plan::UpstreamId;
use crate::request::Request;
use eval::{Scope, Val};
use std::net::IpAddr;
use twp_lang::ast::HostPattern;
use twp_lang::literal::Method;

mod eval;
mod path;
mod regex;

/// What a program does with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The site: its place in the program.
    pub site: usize,
    /// The route: its place over all sites.
    pub route: usize,
    /// Steps that were performed, in order.
    pub performed: Vec<Performed>,
    /// How it ended.
    pub ended: Ended,
}

/// A step with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Performed {
    /// All lines of a field replaced.
    Set(Message, String, Vec<u8>),
    /// A line appended.
    Add(Message, String, Vec<u8>),
    /// All lines of a field removed.
    Remove(Message, String),
    /// The path sent upstream.
    RewritePath(Vec<u8>),
    /// The authority sent upstream.
    RewriteHost(Vec<u8>),
    /// Leading segments removed.
    Strip(u8),
}

/// The end of an exchange with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Forwarded.
    To(UpstreamId),
    /// Answered with a status and perhaps a body.
    Respond(u16, Option<Vec<u8>>),
    /// Redirected: status, location, whether the query is appended.
    Redirect(u16, Vec<u8>, bool),
    /// 404 or 405.
    NotFound,
    /// No terminal was reached, which the checker rules out.
    Nothing,
}

/// Runs a program on a request; `None` when no site serves the host.
pub fn run(core: &Core, request: &Request) -> Option<Outcome> {
    let site_number = find_site(core, request)?;
    let site = &core.sites[site_number];
    let before: usize = core.sites[..site_number].iter().map(|site| site.routes.len()).sum();
    let route_number = site.routes.iter().position(|route| takes(site, route, request))?;
    let route = &site.routes[route_number];
    let scope = scope(site, route, request)?;
    let mut performed = Vec::new();
    let ended = perform(&route.actions, &scope, &mut performed).unwrap_or(Ended::Nothing);
    Some(Outcome { site: site_number, route: before + route_number, performed, ended })
}

/// Whether a condition of a route holds; `None` when the route's path does not take the request.
pub fn holds(site: &Site, route: &Route, condition: &Expr, request: &Request) -> Option<bool> {
    Some(truth(condition, &scope(site, route, request)?))
}

/// The methods for which a route other than the built-in fallback takes the request.
pub fn allowed(core: &Core, request: &Request) -> Vec<Method> {
    let Some(site_number) = find_site(core, request) else { return Vec::new() };
    let site = &core.sites[site_number];
    let mut methods = site.methods.clone();
    methods.retain(|method| {
        let asked = Request { method: method.clone(), ..request.clone() };
        let taken = site.routes.iter().find(|route| takes(site, route, &asked));
        taken.is_some_and(|route| !route.builtin_fallback)
    });
    methods
}

/// The site of a request: exact host, then wildcards by longest suffix, one label before many, then `*`.
fn find_site(core: &Core, request: &Request) -> Option<usize> {
    let mut best: Option<(usize, (u8, usize, u8))> = None;
    for (number, site) in core.sites.iter().enumerate() {
        if !site.listeners.contains(&request.listener) {
            continue;
        }
        for rank in site.hosts.iter().filter_map(|host| host_rank(host, &request.host)) {
            if best.is_none_or(|(_, before)| rank > before) {
                best = Some((number, rank));
            }
        }
    }
    best.map(|(number, _)| number)
}

/// How well a pattern fits a host: greater is better, `None` is not at all.
fn host_rank(pattern: &HostPattern, host: &str) -> Option<(u8, usize, u8)> {
    match pattern {
        HostPattern::Exact(name) => (name == host).then_some((2, 0, 0)),
        HostPattern::OneLabel { suffix, .. } => {
            let (label, rest) = host.split_once('.')?;
            (!label.is_empty() && rest == suffix).then_some((1, suffix.len(), 1))
        }
        HostPattern::AnyDepth(suffix) => {
            let labels = host.strip_suffix(suffix.as_str())?.strip_suffix('.')?;
            (!labels.is_empty()).then_some((1, suffix.len(), 0))
        }
        HostPattern::Any => Some((0, 0, 0)),
    }
}

fn takes(site: &Site, route: &Route, request: &Request) -> bool {
    if !route.methods.is_empty() && !route.methods.contains(&request.method) {
        let head_of_get = request.method == Method::Head && route.methods.contains(&Method::Get);
        if !head_of_get {
            return false;
        }
    }
    let Some(scope) = scope(site, route, request) else { return false };
    match &route.guard {
        Some(guard) => truth(guard, &scope),
        None => true,
    }
}

/// The captures of a route; `None` when its pattern does not match the path.
fn scope<'r>(site: &Site, route: &Route, request: &'r Request) -> Option<Scope<'r>> {
    let mut captures = path::matches(&route.path, &request.path)?;
    for host in &site.hosts {
        if let HostPattern::OneLabel { capture: Some(name), .. } = host {
            let label = request.host.split('.').next().unwrap_or_default();
            captures.push((name.value.clone(), label.to_owned()));
            break;
        }
    }
    Some(Scope { request, captures })
}

fn truth(condition: &Expr, scope: &Scope<'_>) -> bool {
    eval::eval(condition, scope) == Val::Bool(true)
}

fn perform(actions: &[Action], scope: &Scope<'_>, performed: &mut Vec<Performed>) -> Option<Ended> {
    for action in actions {
        match action {
            Action::Set { message, name, value } => {
                performed.push(Performed::Set(*message, name.clone(), eval::text(value, scope)));
            }
            Action::Add { message, name, value } => {
                performed.push(Performed::Add(*message, name.clone(), eval::text(value, scope)));
            }
            Action::Remove { message, name } => performed.push(Performed::Remove(*message, name.clone())),
            Action::RewritePath(value) => performed.push(Performed::RewritePath(eval::text(value, scope))),
            Action::RewriteHost(value) => performed.push(Performed::RewriteHost(eval::text(value, scope))),
            Action::Strip(count) => performed.push(Performed::Strip(*count)),
            Action::When { condition, then, otherwise } => {
                let branch = if truth(condition, scope) { then } else { otherwise };
                if let Some(ended) = perform(branch, scope, performed) {
                    return Some(ended);
                }
            }
            Action::End(terminal) => return Some(end(terminal, scope)),
        }
    }
    None
}

fn end(terminal: &Terminal, scope: &Scope<'_>) -> Ended {
    match terminal {
        Terminal::To { upstream, .. } => Ended::To(*upstream),
        Terminal::Respond { status, body } => {
            Ended::Respond(*status, body.as_ref().map(|body| eval::text(body, scope)))
        }
        Terminal::Redirect { status, location, keep_query } => {
            Ended::Redirect(*status, eval::text(location, scope), *keep_query)
        }
        Terminal::NotFound => Ended::NotFound,
    }
}

/// An address with mapped IPv4 as IPv4, as conditions and texts see it.
fn plain_ip(addr: IpAddr) -> IpAddr {
    addr.to_canonical()
}
