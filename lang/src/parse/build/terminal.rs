//! Terminals.

use super::{Build, Node, parts};
use crate::ast::{Arm, Expr, RedirectTarget, Setting, Terminal, TerminalKind, UpstreamTarget};
use crate::diagnostic::Diagnostic;
use crate::limits::NESTING_MAX;
use crate::literal::Endpoint;
use crate::parse::grammar::Rule;
use crate::span::Spanned;
use std::net::SocketAddr;

impl<'t> Build<'t> {
    /// A terminal; `None` after a report when too many stand inside each other.
    pub(super) fn terminal(&mut self, node: Node<'t>) -> Option<Terminal> {
        let span = self.span(&node);
        if self.terminals >= NESTING_MAX {
            let message = format!("more than {NESTING_MAX} answers stand inside each other");
            self.report(Diagnostic::error("E0120", message, span).help("use routes with `when` instead"));
            return None;
        }
        self.terminals += 1;
        let kind = parts(node).next().and_then(|inner| match inner.as_rule() {
            Rule::to => self.to(inner),
            Rule::respond => self.respond(inner),
            Rule::redirect => self.redirect(inner),
            Rule::files => self.files(inner),
            Rule::split => Some(self.split(inner)),
            Rule::close => Some(TerminalKind::Close),
            _ => None,
        });
        self.terminals -= 1;
        Some(Terminal { kind: kind?, span })
    }

    fn to(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let mut inner = parts(node);
        let word = inner.next()?.as_rule();
        let target = self.upstream_target(inner.next()?);
        let settings: Vec<Setting> = inner.next().map(|block| self.settings(block)).unwrap_or_default();
        Some(if word == Rule::k_tunnel {
            TerminalKind::Tunnel { target, settings }
        } else {
            TerminalKind::To { target, settings }
        })
    }

    /// An upstream by its name or address.
    pub(super) fn upstream_target(&mut self, node: Node<'t>) -> UpstreamTarget {
        if node.as_rule() != Rule::endpoint {
            return UpstreamTarget::Name(self.mod_path(node));
        }
        let place = self.span(&node);
        // An endpoint that does not fit was reported, so nothing will be served; any address keeps the answer.
        let endpoint =
            self.endpoint(&node).unwrap_or(Endpoint::Address(SocketAddr::from(([127, 0, 0, 1], 1))));
        UpstreamTarget::Endpoint(Spanned::new(endpoint, place))
    }

    fn respond(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let mut values = parts(node).filter(|n| n.as_rule() == Rule::expr);
        let status = self.expr(values.next()?);
        let body = values.next().map(|body| self.expr(body));
        Some(TerminalKind::Respond { status, body })
    }

    fn redirect(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let mut inner = parts(node).skip(1);
        let status = self.number(&inner.next()?, 302);
        let location = inner.next()?;
        let location = if location.as_rule() == Rule::path_tpl {
            RedirectTarget::Path(self.path_template(location))
        } else {
            RedirectTarget::Text(self.expr(location))
        };
        Some(TerminalKind::Redirect { status, location })
    }

    fn files(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let (mut directory, mut settings, mut otherwise) = (None, Vec::new(), None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::string => {
                    let span = self.span(&part);
                    directory = Some(Expr { kind: self.text(part), span });
                }
                Rule::settings => settings = self.settings(part),
                Rule::terminal => otherwise = self.terminal(part).map(Box::new),
                _ => {}
            }
        }
        Some(TerminalKind::Files { directory: directory?, settings, otherwise })
    }

    fn split(&mut self, node: Node<'t>) -> TerminalKind {
        let (mut sticky, mut arms) = (None, Vec::new());
        for part in parts(node) {
            match part.as_rule() {
                Rule::settings => sticky = Some(self.settings(part)),
                Rule::arm => arms.extend(self.arm(part)),
                _ => {}
            }
        }
        TerminalKind::Split { sticky, arms }
    }

    fn arm(&mut self, node: Node<'t>) -> Option<Arm> {
        let span = self.span(&node);
        let (mut share, mut name, mut terminal) = (None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                // A share that does not fit was reported.
                Rule::percent => {
                    share = Some(Spanned::new(self.hundredths(&part).unwrap_or(0), self.span(&part)));
                }
                Rule::ident => name = Some(self.ident(&part)),
                Rule::terminal => terminal = self.terminal(part),
                _ => {}
            }
        }
        Some(Arm { share: share?, name, terminal: terminal?, span })
    }
}
