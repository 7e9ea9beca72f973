//! Declarations with blocks.

use super::Walk;
use crate::Span;
use crate::ast::{
    Claim, ForwardDecl, InvariantDecl, Item, ItemKind, Named, Param, PolicyDecl, RoutesDecl, SiteDecl,
    SiteItem, StreamDecl, TestDecl, TestItem,
};
use crate::diagnostic::Diagnostic;
use crate::parse::build::{Node, parts};
use crate::parse::grammar::Rule;
use crate::parse::words::Place;
use crate::span::{Ident, Spanned};

/// What stands before the braces of a declaration other than a site.
struct Head {
    /// The words: the name first, listeners behind it.
    words: Vec<Ident>,
    params: Vec<Param>,
    text: Option<Spanned<String>>,
    /// From the keyword to before the opening brace.
    span: Span,
}

impl<'t> Walk<'t> {
    pub(super) fn item(&mut self, node: Node<'t>) -> Item {
        if node.as_rule() == Rule::item {
            return self.build.item(node);
        }
        let (rule, opened) = (node.as_rule(), self.at - 1);
        let (mut docs, mut attributes, mut public) = (Vec::new(), Vec::new(), None);
        let whole = self.build.span(&node);
        let mut head = Head { words: Vec::new(), params: Vec::new(), text: None, span: whole };
        let (mut hosts, mut start) = (Vec::new(), None);
        for part in parts(node) {
            if self.build.leading(&part, &mut docs, &mut attributes) {
                continue;
            }
            let span = self.build.span(&part);
            start.get_or_insert(span);
            if is_keyword(part.as_rule()) {
                head.span = span;
            }
            head.span = head.span.to(span);
            match part.as_rule() {
                Rule::k_pub => public = Some(span),
                Rule::host_pat => hosts.extend(self.build.host_pattern(&part)),
                Rule::ident => head.words.push(self.build.ident(&part)),
                Rule::params => head.params = self.build.params(part),
                Rule::string => head.text = Some(self.build.fixed_text(part)),
                _ => {}
            }
        }
        let kind = if rule == Rule::site_head {
            let Head { words: listeners, span: head, .. } = head;
            ItemKind::Site(SiteDecl { hosts, listeners, items: self.block(Place::Site, opened), head })
        } else {
            self.declaration(rule, head, opened)
        };
        let span = self.to_here(start.unwrap_or(whole));
        Item { docs, attributes, public, kind, span }
    }

    /// The declaration with this head; the walk stands behind its opening brace.
    fn declaration(&mut self, rule: Rule, head: Head, opened: usize) -> ItemKind {
        let Head { words, params, text, span: head } = head;
        let mut words = words.into_iter();
        let (name, listeners) = (words.next(), words.collect());
        match (rule, name, text) {
            (Rule::server_head, ..) => ItemKind::Server(self.settings(opened)),
            (Rule::listener_head, Some(name), _) => {
                ItemKind::Listener(Named { name, settings: self.settings(opened) })
            }
            (Rule::upstream_head, Some(name), _) => {
                ItemKind::Upstream(Named { name, settings: self.settings(opened) })
            }
            (Rule::policy_head, Some(name), _) => {
                ItemKind::Policy(PolicyDecl { name, params, body: self.stmts(Place::Policy, opened), head })
            }
            (Rule::routes_head, Some(name), _) => {
                ItemKind::Routes(RoutesDecl { name, params, items: self.block(Place::Routes, opened), head })
            }
            (Rule::stream_head, Some(name), _) => {
                let items = self.block(Place::Stream, opened);
                ItemKind::Stream(StreamDecl { name, listeners, items, head })
            }
            (Rule::forward_head, Some(name), _) => {
                let items = self.block(Place::Forward, opened);
                ItemKind::Forward(ForwardDecl { name, listeners, items, head })
            }
            (Rule::test_head, _, Some(name)) => {
                ItemKind::Test(TestDecl { name, items: self.test_items(opened) })
            }
            (Rule::invariant_head, _, Some(name)) => {
                ItemKind::Invariant(InvariantDecl { name, claims: self.claims(opened) })
            }
            (_, name, _) => ItemKind::Error(name),
        }
    }

    /// The lines of the test opened at `opened`.
    pub(in crate::parse) fn test_items(&mut self, opened: usize) -> Vec<TestItem> {
        let read = |walk: &mut Self, node, _| walk.build.test_item(node);
        self.parts_of(Place::Test, opened, read, |broken| TestItem::Error(place_of(&broken)))
    }

    /// The claims of the invariant opened at `opened`; one without any is reported.
    pub(in crate::parse) fn claims(&mut self, opened: usize) -> Vec<Claim> {
        let read = |walk: &mut Self, node, _| walk.build.claim(node);
        let failures = self.failures;
        let claims = self.parts_of(Place::Invariant, opened, read, |broken| Claim::Error(place_of(&broken)));
        if claims.is_empty() && self.failures == failures && self.scan.text[..self.at].ends_with('}') {
            self.failures += 1;
            let span = self.build.span_of(self.at - 1, self.at);
            let diagnostic = Diagnostic::error("E0111", "expected a claim, found `}`", span);
            self.build.report(diagnostic.help("claims start with `never` or `always`"));
        }
        claims
    }
}

/// The place of a part that could not be read; in tests and invariants it is nothing else.
fn place_of(broken: &SiteItem) -> Span {
    match broken {
        SiteItem::Error(span) => *span,
        SiteItem::Route(route) => route.span,
        SiteItem::Group(group) => group.span,
        SiteItem::Mount(mount) => mount.span,
        SiteItem::Fallback(fallback) => fallback.span,
        SiteItem::Stmt(stmt) => stmt.span,
        SiteItem::Setting(setting) => setting.span,
    }
}

/// Whether a word starts a declaration with a block.
fn is_keyword(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::k_site
            | Rule::k_server
            | Rule::k_listener
            | Rule::k_upstream
            | Rule::k_policy
            | Rule::k_routes
            | Rule::k_stream
            | Rule::k_forward
            | Rule::k_test
            | Rule::k_invariant
    )
}
