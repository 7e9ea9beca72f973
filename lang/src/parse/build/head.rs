//! What stands before the braces of routes and groups, and mounts, which have none.

use super::{Build, Node, parts};
use crate::Span;
use crate::ast::{Group, Mount, Route, SiteItem};
use crate::parse::grammar::Rule;

impl<'t> Build<'t> {
    /// Stretches `head`, which begins with the keyword, to the end of `part`.
    fn head_span(&self, head: Span, part: &Node<'t>) -> Span {
        Span { end: self.span(part).end, ..head }
    }

    /// Takes a part of what stands before the braces of a route.
    pub(in crate::parse) fn route_head(&mut self, part: Node<'t>, route: &mut Route) {
        if self.leading(&part, &mut route.docs, &mut route.attributes) {
            return;
        }
        if part.as_rule() == Rule::k_route {
            route.head = self.span(&part);
        }
        route.head = self.head_span(route.head, &part);
        match part.as_rule() {
            Rule::method_set => route.methods = self.methods(part),
            Rule::path_pat => route.path = Some(self.path_pattern(part)),
            Rule::ident => route.name = Some(self.ident(&part)),
            Rule::expr => route.guard = Some(self.expr(part)),
            _ => {}
        }
    }

    /// Takes a part of what stands before the braces of a group.
    pub(in crate::parse) fn group_head(&mut self, part: Node<'t>, group: &mut Group) {
        if self.leading(&part, &mut group.docs, &mut group.attributes) {
            return;
        }
        if part.as_rule() == Rule::k_group {
            group.head = self.span(&part);
        }
        group.head = self.head_span(group.head, &part);
        match part.as_rule() {
            Rule::path_pat => group.path = Some(self.path_pattern(part)),
            Rule::expr => group.guard = Some(self.expr(part)),
            _ => {}
        }
    }

    pub(in crate::parse) fn mount(&mut self, node: Node<'t>) -> SiteItem {
        let whole = self.span(&node);
        let (mut docs, mut attributes, mut start) = (Vec::new(), Vec::new(), whole);
        let (mut target, mut arguments, mut at, mut name) = (None, Vec::new(), None, None);
        for part in parts(node) {
            if self.leading(&part, &mut docs, &mut attributes) {
                continue;
            }
            match part.as_rule() {
                Rule::k_mount => start = self.span(&part),
                Rule::mod_path => target = Some(self.mod_path(part)),
                Rule::args => arguments = self.arguments(part),
                Rule::path_pat => at = Some(self.path_pattern(part)),
                Rule::ident => name = Some(self.ident(&part)),
                _ => {}
            }
        }
        let span = Span { start: start.start, ..whole };
        match target {
            Some(target) => SiteItem::Mount(Mount { attributes, docs, target, arguments, at, name, span }),
            None => SiteItem::Error(span),
        }
    }
}
