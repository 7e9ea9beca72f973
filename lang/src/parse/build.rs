//! From grammar pairs to the syntax tree: items, settings, routes and statements.
//!
//! In: pairs of one piece of text that the grammar accepted. Out: nodes with places. Values that do not fit
//! (a port above 65535) are reported at their place and leave an `Error` node.

use super::grammar::Rule;
use crate::Span;
use crate::ast::{
    Attribute, ConstDecl, Group, Item, ItemKind, Later, Param, RedirectTarget, Route, RuleDecl, Setting,
    SettingValue, SiteDecl, Stmt, StmtKind, Terminal, TerminalKind, TypeName, UpstreamTarget,
};
use crate::diagnostic::Diagnostic;
use crate::literal::Endpoint;
use crate::scan::Scan;
use crate::span::{Ident, Spanned};
use pest::iterators::Pair;
use std::net::SocketAddr;

/// A node of the generated parser.
pub(super) type Node<'t> = Pair<'t, Rule>;

/// The parts of a node without its marks: braces, commas and the like.
pub(super) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.into_inner().filter(|part| !is_mark(part.as_rule()))
}

fn is_mark(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::open_brace
            | Rule::close_brace
            | Rule::close_paren
            | Rule::close_bracket
            | Rule::comma
            | Rule::colon
            | Rule::equals
            | Rule::arrow
            | Rule::result
    )
}

/// Builds nodes from pairs and collects what is wrong with values.
pub(super) struct Build<'t> {
    /// The file.
    pub scan: &'t Scan<'t>,
    source: u16,
    /// Where in `text` the piece starts that the pairs were parsed from.
    pub base: usize,
    /// How deep the expression being built stands inside others.
    pub depth: usize,
    /// What was found so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// What stands before the braces of an item, route or group: `///` lines and attributes.
#[derive(Default)]
pub(super) struct Leading {
    pub docs: Vec<String>,
    pub attributes: Vec<Attribute>,
}

impl<'t> Build<'t> {
    pub(super) fn new(scan: &'t Scan<'t>, source: u16) -> Self {
        Self { scan, source, base: 0, depth: 0, diagnostics: Vec::new() }
    }

    /// The place `start..end` of the file.
    pub(super) fn span_of(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, ..Span::new(start, end) }
    }

    /// The place of a node without the blanks and comments that the grammar may have skipped at its end.
    pub(super) fn span(&self, node: &Node<'t>) -> Span {
        let span = node.as_span();
        let (start, mut end) = (self.base + span.start(), self.base + span.end());
        let blank_end = node.as_str().ends_with([' ', '\t', '\r', '\n']);
        // A comment reaches to the end of its line, so only the last one of a file is not followed by a blank.
        if (blank_end || end == self.scan.text.len()) && start < end {
            end = self.scan.solid_end(end).max(start);
        }
        self.span_of(start, end)
    }

    pub(super) fn ident(&self, node: &Node<'t>) -> Ident {
        Spanned::new(node.as_str().to_owned(), self.span(node))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn edition(&mut self, node: Node<'t>) -> Spanned<i64> {
        let span = self.span(&node);
        let number = parts(node).find(|n| n.as_rule() == Rule::int);
        let value = number.and_then(|n| self.int(&n)).unwrap_or(1);
        Spanned::new(value, span)
    }

    pub(super) fn use_decl(&mut self, node: &Node<'t>) -> Item {
        let span = self.span(node);
        let names = parts(node.clone()).flat_map(|n| match n.as_rule() {
            Rule::mod_path => parts(n).collect(),
            _ => vec![n],
        });
        let name = names.filter(|n| n.as_rule() == Rule::ident).last().map(|n| self.ident(&n));
        let later = Later { what: "`use`".to_owned(), name, span };
        Item { docs: Vec::new(), attributes: Vec::new(), kind: ItemKind::Later(later), span }
    }

    pub(super) fn item(&mut self, node: Node<'t>) -> Item {
        let whole = self.span(&node);
        let mut leading = Leading::default();
        let mut public = None;
        let mut kind = ItemKind::Error(None);
        let mut start = None;
        for part in parts(node) {
            if self.leading(&part, &mut leading) {
                continue;
            }
            start.get_or_insert(self.span(&part));
            if part.as_rule() == Rule::k_pub {
                public = Some(self.span(&part));
            } else {
                kind = self.declaration(part);
            }
        }
        let span = start.map_or(whole, |start| start.to(whole));
        if let Some(span) = public {
            kind = ItemKind::Later(Later { what: "`pub`".to_owned(), name: declared_name(&kind), span });
        }
        Item { docs: leading.docs, attributes: leading.attributes, kind, span }
    }

    /// Takes `///` lines and attributes; tells whether the node was one.
    pub(super) fn leading(&mut self, node: &Node<'t>, leading: &mut Leading) -> bool {
        match node.as_rule() {
            Rule::doc => {
                let line = node.as_str().strip_prefix("///").unwrap_or_default();
                leading.docs.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
                true
            }
            Rule::attr => {
                if let Some(attribute) = self.attribute(node) {
                    leading.attributes.push(attribute);
                }
                true
            }
            _ => false,
        }
    }

    fn attribute(&mut self, node: &Node<'t>) -> Option<Attribute> {
        let mut inner = parts(node.clone());
        let name = self.ident(&inner.next()?);
        let argument = self.ident(&inner.next()?);
        let reason = inner.next().map(|text| {
            let span = self.span(&text);
            Spanned::new(self.constant_text(text), span)
        });
        Some(Attribute { name, argument, reason })
    }

    fn declaration(&mut self, node: Node<'t>) -> ItemKind {
        match node.as_rule() {
            Rule::const_decl => self.const_decl(node),
            Rule::rule_decl => self.rule_decl(node),
            _ => ItemKind::Later(self.later(&node)),
        }
    }

    /// A declaration or statement that this version does not serve: its first word and the name it declares.
    pub(super) fn later(&mut self, node: &Node<'t>) -> Later {
        let word =
            node.as_str().split(|c: char| !c.is_ascii_lowercase() && c != '_').next().unwrap_or_default();
        let what = match node.as_rule() {
            Rule::on_response => "`on response`".to_owned(),
            Rule::on_error => "`on error`".to_owned(),
            _ => format!("`{word}`"),
        };
        let names = [Rule::ident, Rule::uident, Rule::tident];
        let declares =
            !matches!(node.as_rule(), Rule::apply | Rule::mount | Rule::on_error | Rule::on_response);
        let name = parts(node.clone()).find(|n| declares && names.contains(&n.as_rule()));
        let name = name.map(|n| self.ident(&n));
        Later { what, name, span: self.span(node) }
    }

    fn const_decl(&mut self, node: Node<'t>) -> ItemKind {
        let (mut name, mut ty, mut value) = (None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::ty => ty = self.type_name(part),
                Rule::expr => value = Some(self.expr(part)),
                _ => {}
            }
        }
        match (name, value) {
            (Some(name), Some(value)) => ItemKind::Const(ConstDecl { name, ty, value }),
            _ => ItemKind::Error(None),
        }
    }

    fn rule_decl(&mut self, node: Node<'t>) -> ItemKind {
        let (mut name, mut params, mut condition) = (None, Vec::new(), None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::params => params = parts(part).filter_map(|p| self.param(p)).collect(),
                Rule::expr => condition = Some(self.expr(part)),
                _ => {}
            }
        }
        match (name, condition) {
            (Some(name), Some(condition)) => ItemKind::Rule(RuleDecl { name, params, condition }),
            _ => ItemKind::Error(None),
        }
    }

    fn param(&mut self, node: Node<'t>) -> Option<Param> {
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let ty = self.type_name(inner.next()?)?;
        let default = inner.next().map(|value| self.expr(value));
        Some(Param { name, ty, default })
    }

    pub(super) fn type_name(&mut self, node: Node<'t>) -> Option<TypeName> {
        let span = self.span(&node);
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let arguments = inner.filter_map(|argument| self.type_name(argument)).collect();
        Some(TypeName { name, arguments, span })
    }

    pub(super) fn settings(&mut self, block: Node<'t>) -> Vec<Setting> {
        parts(block).filter_map(|setting| self.setting(setting)).collect()
    }

    pub(super) fn setting(&mut self, node: Node<'t>) -> Option<Setting> {
        let whole = self.span(&node);
        let mut inner = parts(node);
        let name = self.ident(&inner.next()?);
        let value = inner.next()?;
        let block = value.as_rule() == Rule::settings;
        let end = self.span(&value);
        let value = if block {
            SettingValue::Block(self.settings(value))
        } else {
            SettingValue::Expr(self.expr(value))
        };
        Some(Setting { span: Span { end: end.end, ..whole }, name, value })
    }

    /// Takes a part of what stands before the braces of a site; tells whether the node was one.
    pub(super) fn site_head(&mut self, part: &Node<'t>, site: &mut SiteDecl) -> bool {
        match part.as_rule() {
            Rule::host_pat => site.hosts.extend(self.host_pattern(part)),
            Rule::ident => site.listeners.push(self.ident(part)),
            Rule::k_site | Rule::k_on => {}
            _ => return false,
        }
        site.head = self.head_span(site.head, part);
        true
    }

    /// Stretches `head`, which begins with the keyword, to the end of `part`.
    fn head_span(&self, head: Span, part: &Node<'t>) -> Span {
        Span { end: self.span(part).end, ..head }
    }

    /// Takes a part of what stands before the braces of a route.
    pub(super) fn route_head(&mut self, part: Node<'t>, route: &mut Route) {
        let mut leading = Leading::default();
        if self.leading(&part, &mut leading) {
            route.attributes.extend(leading.attributes);
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
    pub(super) fn group_head(&mut self, part: Node<'t>, group: &mut Group) {
        let mut leading = Leading::default();
        if self.leading(&part, &mut leading) {
            group.attributes.extend(leading.attributes);
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

    pub(super) fn stmt(&mut self, node: Node<'t>) -> Stmt {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::set_stmt => self.assignment(node),
            Rule::remove_stmt => {
                let target = parts(node).find(|n| n.as_rule() == Rule::lvalue);
                target.map_or(StmtKind::Error, |target| StmtKind::Remove { target: self.lvalue(target) })
            }
            Rule::rewrite => self.rewrite(node),
            Rule::require => self.require(node),
            Rule::terminal => StmtKind::Terminal(self.terminal(node)),
            _ => StmtKind::Later(self.later(&node)),
        };
        Stmt { kind, span }
    }

    fn assignment(&mut self, node: Node<'t>) -> StmtKind {
        let (mut add, mut target, mut value) = (false, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::k_add => add = true,
                Rule::lvalue => target = Some(self.lvalue(part)),
                Rule::expr => value = Some(self.expr(part)),
                _ => {}
            }
        }
        match (target, value) {
            (Some(target), Some(value)) if add => StmtKind::Add { target, value },
            (Some(target), Some(value)) => StmtKind::Set { target, value },
            _ => StmtKind::Error,
        }
    }

    fn rewrite(&mut self, node: Node<'t>) -> StmtKind {
        let value = parts(node).last();
        let Some(value) = value else { return StmtKind::Error };
        match value.as_rule() {
            Rule::path_tpl => StmtKind::RewritePath(self.path_template(value)),
            Rule::path_pat => StmtKind::RewriteStrip(self.path_pattern(value)),
            Rule::expr => StmtKind::RewriteHost(self.expr(value)),
            _ => StmtKind::Error,
        }
    }

    fn require(&mut self, node: Node<'t>) -> StmtKind {
        let (mut condition, mut otherwise) = (None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::expr => condition = Some(self.expr(part)),
                Rule::terminal => otherwise = Some(self.terminal(part)),
                _ => {}
            }
        }
        match (condition, otherwise) {
            (Some(condition), Some(otherwise)) => StmtKind::Require { condition, otherwise },
            _ => StmtKind::Error,
        }
    }

    pub(super) fn terminal(&mut self, node: Node<'t>) -> Terminal {
        let span = self.span(&node);
        let kind = parts(node).next().and_then(|inner| match inner.as_rule() {
            Rule::to => self.to(&inner),
            Rule::respond => self.respond(inner),
            Rule::redirect => self.redirect(inner),
            _ => Some(TerminalKind::Later(self.later(&inner))),
        });
        let unknown = || TerminalKind::Later(Later { what: "this answer".to_owned(), name: None, span });
        Terminal { kind: kind.unwrap_or_else(unknown), span }
    }

    fn to(&mut self, node: &Node<'t>) -> Option<TerminalKind> {
        let span = self.span(node);
        let mut inner = parts(node.clone());
        if inner.next()?.as_rule() == Rule::k_tunnel {
            return Some(TerminalKind::Later(self.later(node)));
        }
        let target = inner.next()?;
        let settings = inner.next().map(|block| self.settings(block)).unwrap_or_default();
        if target.as_rule() == Rule::endpoint {
            let place = self.span(&target);
            // An endpoint that does not fit was reported, so nothing will be served; any address keeps the answer.
            let endpoint =
                self.endpoint(&target).unwrap_or(Endpoint::Address(SocketAddr::from(([127, 0, 0, 1], 1))));
            let target = UpstreamTarget::Endpoint(Spanned::new(endpoint, place));
            return Some(TerminalKind::To { target, settings });
        }
        let mut names = parts(target);
        let name = self.ident(&names.next()?);
        if names.next().is_some() {
            let what = "an upstream of another module".to_owned();
            return Some(TerminalKind::Later(Later { what, name: None, span }));
        }
        Some(TerminalKind::To { target: UpstreamTarget::Name(name), settings })
    }

    fn respond(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let mut values = parts(node).filter(|n| n.as_rule() == Rule::expr);
        let status = self.expr(values.next()?);
        let body = values.next().map(|body| self.expr(body));
        Some(TerminalKind::Respond { status, body })
    }

    fn redirect(&mut self, node: Node<'t>) -> Option<TerminalKind> {
        let mut inner = parts(node).skip(1);
        let number = inner.next()?;
        let status = Spanned::new(self.int(&number).unwrap_or(302), self.span(&number));
        let location = inner.next()?;
        let location = if location.as_rule() == Rule::path_tpl {
            RedirectTarget::Path(self.path_template(location))
        } else {
            RedirectTarget::Text(self.expr(location))
        };
        Some(TerminalKind::Redirect { status, location })
    }
}

/// The name an item declares.
pub(super) fn declared_name(kind: &ItemKind) -> Option<Ident> {
    match kind {
        ItemKind::Const(decl) => Some(decl.name.clone()),
        ItemKind::Rule(decl) => Some(decl.name.clone()),
        ItemKind::Listener(decl) | ItemKind::Upstream(decl) => Some(decl.name.clone()),
        ItemKind::Later(later) => later.name.clone(),
        ItemKind::Error(name) => name.clone(),
        ItemKind::Server(_) | ItemKind::Site(_) => None,
    }
}
