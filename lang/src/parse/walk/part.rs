//! Parts of sites and routes: routes, groups, fallbacks and settings.

use super::Walk;
use crate::ast::{
    BodyItem, Expr, ExprKind, Fallback, Group, Route, Setting, SettingValue, SiteItem, Stmt, StmtKind,
};
use crate::parse::build::{Node, parts};
use crate::parse::grammar::Rule;
use crate::parse::habits;
use crate::parse::words::{Place, opens};
use crate::span::Ident;
use crate::suggest::closest;

impl<'t> Walk<'t> {
    pub(super) fn part(&mut self, node: Node<'t>, start: usize) -> SiteItem {
        match node.as_rule() {
            Rule::route_head => SiteItem::Route(self.route(node)),
            Rule::group_head => self.or_setting(start, |walk| SiteItem::Group(walk.group(node))),
            Rule::fallback_head => self.or_setting(start, |walk| SiteItem::Fallback(walk.fallback(node))),
            Rule::mount => self.build.mount(node),
            Rule::setting_value => {
                self.build.setting(node).map_or_else(|| self.error_at(start), SiteItem::Setting)
            }
            Rule::setting_head => self.setting_block(node, start),
            Rule::when_head | Rule::on_response_head | Rule::on_error_head => {
                SiteItem::Stmt(self.stmt_with_block(node))
            }
            _ => SiteItem::Stmt(self.build.stmt(node)),
        }
    }

    pub(in crate::parse) fn settings(&mut self, opened: usize) -> Vec<Setting> {
        let parts = self.block(Place::Settings, opened).into_iter();
        parts.filter_map(as_setting).collect()
    }

    fn body(&mut self, place: Place, opened: usize) -> Vec<BodyItem> {
        let parts = self.block(place, opened).into_iter();
        parts
            .map(|part| match part {
                SiteItem::Setting(setting) => BodyItem::Setting(setting),
                part => BodyItem::Stmt(as_stmt(part, self.build.span_of(opened, opened))),
            })
            .collect()
    }

    pub(super) fn stmts(&mut self, place: Place, opened: usize) -> Vec<Stmt> {
        let parts = self.block(place, opened).into_iter();
        parts.map(|part| as_stmt(part, self.build.span_of(opened, opened))).collect()
    }

    /// Reads a `group { … }` or `fallback { … }`; when its parts do not fit, it may be a setting with that name.
    fn or_setting(&mut self, start: usize, read: impl FnOnce(&mut Self) -> SiteItem) -> SiteItem {
        let (failures, reported) = (self.failures, self.build.diagnostics.len());
        let item = read(self);
        if self.failures == failures {
            return item;
        }
        let end = std::mem::replace(&mut self.at, start);
        if let Some(setting) = self.piece(Rule::setting).ok().and_then(|node| self.build.setting(node)) {
            self.failures = failures;
            self.build.diagnostics.truncate(reported);
            return SiteItem::Setting(setting);
        }
        self.at = end;
        item
    }

    fn setting_block(&mut self, node: Node<'t>, start: usize) -> SiteItem {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let Some(name) = parts(node).next() else { return self.error_at(start) };
        let name: Ident = self.build.ident(&name);
        let (failures, reported) = (self.failures, self.build.diagnostics.len());
        let settings = self.settings(opened);
        if self.failures > failures
            && let Some(meant) = misspelt_block(&name.value)
        {
            self.failures = failures + 1;
            self.build.diagnostics.truncate(reported);
            self.build.report(habits::misspelt(&name, meant));
            self.at = opened + 1;
            let place = opens(meant).unwrap_or(Place::When);
            self.block(place, opened);
            return self.error_at(start);
        }
        let span = self.to_here(span);
        let after = self.at;
        self.skip_trivia();
        self.at = if self.rest().starts_with(',') { self.at + 1 } else { after };
        // A statement with a block, such as `limit { … }`, that could not be read is no setting of that name.
        if self.failures > failures && Place::Route.words().contains(&name.value.as_str()) {
            return SiteItem::Error(span);
        }
        SiteItem::Setting(Setting { name, value: SettingValue::Block(settings), span })
    }

    fn route(&mut self, node: Node<'t>) -> Route {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let mut route = Route {
            attributes: Vec::new(),
            docs: Vec::new(),
            methods: Vec::new(),
            path: None,
            name: None,
            guard: None,
            body: Vec::new(),
            head: span,
            span,
        };
        for part in parts(node) {
            self.build.route_head(part, &mut route);
        }
        self.route_body(route, opened)
    }

    /// Reads the block of a route, opened at `opened`.
    pub(in crate::parse) fn route_body(&mut self, mut route: Route, opened: usize) -> Route {
        route.body = self.body(Place::Route, opened);
        route.span = self.to_here(route.head);
        route
    }

    fn group(&mut self, node: Node<'t>) -> Group {
        let opened = self.at - 1;
        let span = self.build.span(&node);
        let mut group = Group {
            attributes: Vec::new(),
            docs: Vec::new(),
            path: None,
            guard: None,
            items: Vec::new(),
            head: span,
            span,
        };
        for part in parts(node) {
            self.build.group_head(part, &mut group);
        }
        group.items = self.block(Place::Group, opened);
        group.span = self.to_here(group.head);
        group
    }

    fn fallback(&mut self, node: Node<'t>) -> Fallback {
        let opened = self.at - 1;
        let mut fallback =
            Fallback { attributes: Vec::new(), body: Vec::new(), span: self.build.span(&node) };
        for part in parts(node) {
            if !self.build.leading(&part, &mut Vec::new(), &mut fallback.attributes) {
                fallback.span = self.build.span(&part);
            }
        }
        fallback.body = self.body(Place::Fallback, opened);
        fallback.span = self.to_here(fallback.span);
        fallback
    }
}

/// The block that a misspelt word opens, when it is read as the name of a setting and nothing inside is one.
fn misspelt_block(name: &str) -> Option<&'static str> {
    closest(name, ["route", "group", "fallback", "when"])
}

/// A part of a block of settings. What is none was reported and stays as one without name and value, so that nothing
/// complains about what may have been meant.
pub(in crate::parse) fn as_setting(part: SiteItem) -> Option<Setting> {
    match part {
        SiteItem::Setting(setting) => Some(setting),
        SiteItem::Error(span) => {
            let name = Ident::new(String::new(), span);
            Some(Setting { name, value: SettingValue::Expr(error_expr(span)), span })
        }
        SiteItem::Route(_)
        | SiteItem::Group(_)
        | SiteItem::Mount(_)
        | SiteItem::Fallback(_)
        | SiteItem::Stmt(_) => None,
    }
}

/// A part of a block of statements; what is no statement was reported.
pub(super) fn as_stmt(part: SiteItem, place: crate::Span) -> Stmt {
    match part {
        SiteItem::Stmt(stmt) => stmt,
        SiteItem::Error(span) => Stmt { kind: StmtKind::Error, span },
        SiteItem::Route(_)
        | SiteItem::Group(_)
        | SiteItem::Mount(_)
        | SiteItem::Fallback(_)
        | SiteItem::Setting(_) => Stmt { kind: StmtKind::Error, span: place },
    }
}

/// The expression that stands where none could be read.
pub(in crate::parse) fn error_expr(span: crate::Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
