//! Routes, groups and fallbacks, and the order in which things stand in a site or group.

use super::declare::descend;
use super::render::render;
use super::scope::Place;
use super::settings::{self, Got};
use super::{Check, expr, flow, impossible, later, lints, mount, pattern, statement, terminal};
use crate::ast::{self, BodyItem, Setting, StmtKind};
use crate::catalogue;
use crate::hir::{Expr, Fallback, Group, OnReload, PlainHttp, Route, RouteSettings, SiteItem, Stmt, Tls, Ty};
use crate::literal::Method;
use crate::span::{Ident, Spanned};
use crate::{Diagnostic, Span};
use std::collections::HashMap;

/// What a list of site items stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Site,
    Group,
    Routes,
}

impl Owner {
    fn word(self) -> &'static str {
        match self {
            Owner::Site => "site",
            Owner::Group => "group",
            Owner::Routes => "`routes` block",
        }
    }
}

/// Settings of a site alone.
#[derive(Default)]
pub(super) struct SiteSettings {
    pub(super) same_slash: bool,
    pub(super) tls: Tls,
    /// Where `tls` stands with a value other than `none`, known or not.
    pub(super) tls_place: Option<Span>,
    pub(super) http: PlainHttp,
    pub(super) http_place: Option<Span>,
}

/// What stands in a site or group.
#[derive(Default)]
pub(super) struct Block {
    pub(super) own: SiteSettings,
    pub(super) settings: RouteSettings,
    pub(super) statements: Vec<Stmt>,
    pub(super) items: Vec<SiteItem>,
    pub(super) fallback: Option<Fallback>,
}

/// Places that decide what may still follow.
#[derive(Default)]
struct Seen<'s> {
    /// The first route, group, mount or fallback.
    route: Option<Span>,
    /// The terminal that is short for a fallback.
    terminal: Option<Span>,
    /// The statement that ends every exchange, and where it does.
    end: Option<(&'s ast::Stmt, Span)>,
    /// The written fallback.
    fallback: Option<Span>,
}

/// Checks the items of a site or group.
pub(super) fn block(ctx: &mut Check<'_>, items: &[ast::SiteItem], owner: Owner) -> Block {
    let mut block = Block::default();
    let written = items.iter().filter_map(|item| match item {
        ast::SiteItem::Setting(setting) => Some(setting),
        ast::SiteItem::Route(_)
        | ast::SiteItem::Group(_)
        | ast::SiteItem::Mount(_)
        | ast::SiteItem::Fallback(_)
        | ast::SiteItem::Stmt(_)
        | ast::SiteItem::Error(_) => None,
    });
    let table = match owner {
        Owner::Site => &catalogue::SITE,
        Owner::Group => &catalogue::GROUP,
        Owner::Routes => &catalogue::ROUTES,
    };
    (block.settings, block.own) = read_settings(ctx, written, table);
    let mut seen = Seen::default();
    for item in items {
        ctx.scope.place = Place::Statement;
        match item {
            ast::SiteItem::Route(route) => {
                place_route(ctx, &mut seen, route.head, owner);
                block.items.push(SiteItem::Route(self::route(ctx, route)));
            }
            ast::SiteItem::Group(group) => {
                place_route(ctx, &mut seen, group.head, owner);
                block.items.extend(self::group(ctx, group).map(SiteItem::Group));
            }
            ast::SiteItem::Fallback(written) => {
                place_fallback(ctx, &mut seen, keyword(written.span), owner);
                seen.fallback = seen.fallback.or(Some(keyword(written.span)));
                let found = self::fallback(ctx, written);
                block.fallback.get_or_insert(found);
            }
            ast::SiteItem::Stmt(stmt) => self::stmt(ctx, stmt, &mut seen, &mut block, owner),
            ast::SiteItem::Setting(_) => {}
            ast::SiteItem::Mount(written) => {
                place_route(ctx, &mut seen, written.span, owner);
                block.items.extend(mount::mount(ctx, written).map(SiteItem::Mount));
            }
            ast::SiteItem::Error(_) => ctx.incomplete = true,
        }
    }
    lints::unreachable(ctx, items, block.own.same_slash);
    block.items.shrink_to_fit();
    block
}

/// A statement of a site or group: before the routes, or a terminal at the end.
fn stmt<'s>(ctx: &mut Check<'_>, stmt: &'s ast::Stmt, seen: &mut Seen<'s>, block: &mut Block, owner: Owner) {
    if let Some((before, _)) = seen.end {
        flow::after_terminal(ctx, stmt, before);
        return;
    }
    let StmtKind::Terminal(written) = &stmt.kind else {
        let is_open = matches!(stmt.kind, StmtKind::Error) || later::is_later_stmt(&stmt.kind);
        if let (Some(route), false) = (seen.route, is_open) {
            let word = owner.word();
            ctx.report(
                Diagnostic::error(
                    "E0505",
                    format!("statements stand before the routes of a {word}"),
                    stmt.span,
                )
                .with(route, "this is above the statement")
                .help("move the statement up, so that nobody has to ask which routes it is for"),
            );
        }
        block.statements.extend(statement::one(ctx, stmt));
        seen.end = flow::ended(ctx, stmt).map(|place| (stmt, place));
        return;
    };
    place_fallback(ctx, seen, stmt.span, owner);
    seen.terminal = Some(stmt.span);
    seen.end = Some((stmt, stmt.span));
    let statements = terminal::terminal(ctx, written).map(Stmt::Terminal).into_iter().collect();
    let found = Fallback { settings: RouteSettings::default(), statements, span: stmt.span };
    block.fallback.get_or_insert(found);
}

fn place_route(ctx: &mut Check<'_>, seen: &mut Seen<'_>, head: Span, owner: Owner) {
    if let Some((stmt, place)) = seen.end {
        let word = owner.word();
        let diagnostic = Diagnostic::error("E0504", "no request can come here", head)
            .with(place, format!("ends every request of this {word}"));
        ctx.report(if matches!(stmt.kind, StmtKind::Terminal(_)) {
            diagnostic.help(format!("move the terminal to the end of the {word}"))
        } else {
            diagnostic.help("let it go on for some requests, or remove what follows it")
        });
    }
    seen.route = seen.route.or(Some(head));
}

/// E0507: one answer for what no route takes.
fn place_fallback(ctx: &mut Check<'_>, seen: &mut Seen<'_>, span: Span, owner: Owner) {
    let word = owner.word();
    if let Some(first) = seen.fallback.or(seen.terminal) {
        ctx.report(
            Diagnostic::error("E0507", format!("this {word} has two fallbacks"), span)
                .label("second")
                .with(first, "first")
                .note(format!("a terminal at the end of a {word} is short for `fallback {{ … }}`")),
        );
    }
    seen.route = seen.route.or(Some(span));
}

/// The word `fallback` at the start of its block.
fn keyword(block: Span) -> Span {
    Span { end: block.start.saturating_add(8).min(block.end), ..block }
}

fn route(ctx: &mut Check<'_>, written: &ast::Route) -> Route {
    let mark = ctx.scope.mark();
    (ctx.scope.owner, ctx.scope.owner_span) = ("route", Some(written.head));
    let methods = methods(ctx, &written.methods);
    let path = written.path.as_ref().map(|path| pattern::of_route(ctx, path));
    if let Some(name) = &written.name {
        claim_name(ctx, name);
    }
    let guard = guard(ctx, written.guard.as_ref());
    impossible::methods(ctx, &written.methods, guard.as_ref());
    let (settings, statements) = body(ctx, &written.body, &catalogue::ROUTE);
    flow::must_answer(ctx, &written.body, "route", written.head);
    ctx.scope.reset(&mark);
    let name = written.name.as_ref().map(|name| name.value.clone());
    Route { name, methods, path, guard, settings, statements, head: written.head }
}

fn group(ctx: &mut Check<'_>, written: &ast::Group) -> Option<Group> {
    descend(ctx, written.head)?;
    let mark = ctx.scope.mark();
    (ctx.scope.owner, ctx.scope.owner_span) = ("group", Some(written.head));
    let path = written.path.as_ref().map(|path| pattern::of_group(ctx, path));
    let guard = guard(ctx, written.guard.as_ref());
    let block = block(ctx, &written.items, Owner::Group);
    ctx.scope.reset(&mark);
    ctx.scope.depth -= 1;
    let Block { own: _, settings, statements, items, fallback } = block;
    Some(Group { path, guard, settings, statements, items, fallback, head: written.head })
}

fn fallback(ctx: &mut Check<'_>, written: &ast::Fallback) -> Fallback {
    let (settings, statements) = body(ctx, &written.body, &catalogue::FALLBACK);
    flow::must_answer(ctx, &written.body, "fallback", keyword(written.span));
    Fallback { settings, statements, span: written.span }
}

fn guard(ctx: &mut Check<'_>, written: Option<&ast::Expr>) -> Option<Expr> {
    let written = written?;
    ctx.scope.place = Place::Guard;
    ctx.scope.guard_text = Some(render(written));
    let guard = expr::expect(ctx, written, &Ty::Bool);
    ctx.scope.guard_text = None;
    ctx.scope.place = Place::Statement;
    Some(guard)
}

fn body(
    ctx: &mut Check<'_>,
    items: &[BodyItem],
    table: &'static catalogue::Block,
) -> (RouteSettings, Vec<Stmt>) {
    let settings = items.iter().filter_map(|item| match item {
        BodyItem::Setting(setting) => Some(setting),
        BodyItem::Stmt(_) => None,
    });
    let (settings, _) = read_settings(ctx, settings, table);
    ctx.scope.place = Place::Statement;
    let statements = items.iter().filter_map(|item| match item {
        BodyItem::Stmt(stmt) => Some(stmt),
        BodyItem::Setting(_) => None,
    });
    (settings, statement::all(ctx, statements))
}

/// Settings of a site, group, route or fallback, and those of a site alone.
fn read_settings<'s>(
    ctx: &mut Check<'_>,
    written: impl Iterator<Item = &'s Setting>,
    table: &'static catalogue::Block,
) -> (RouteSettings, SiteSettings) {
    let mut given = settings::read(ctx, written, table);
    let on_reload =
        given.chosen("on_reload").and_then(|mut chosen| match (chosen.word, chosen.take("time")) {
            ("keep", _) => Some(OnReload::Keep),
            ("close", _) => Some(OnReload::Close),
            (_, Some(Got::Duration(ms))) => Some(OnReload::Drain(ms)),
            (_, _) => None,
        });
    let settings = RouteSettings {
        max_body: given.size("max_body"),
        access_log: given.word("access_log").map(|word| word == "on"),
        on_reload,
    };
    let tls = match given.take("tls") {
        Some(Got::Tls(tls)) => Some(tls),
        _ => None,
    };
    if let (Some("raw"), Some(place)) = (given.word("forward_path"), given.place("forward_path")) {
        ctx.report(
            Diagnostic::warning(
                "L0604",
                "upstreams receive another path than the one that was matched",
                place,
            )
            .label("`raw` is the path as it was sent")
            .note("a path that rules refuse in one spelling may reach an upstream in another"),
        );
    }
    let own = SiteSettings {
        same_slash: given.word("trailing_slash") == Some("same"),
        tls_place: given.place("tls").filter(|_| tls != Some(Tls::None)),
        tls: tls.unwrap_or_default(),
        http_place: given.place("http"),
        http: match given.word("http") {
            Some("serve") => PlainHttp::Serve,
            Some("off") => PlainHttp::Off,
            _ => PlainHttp::Redirect,
        },
    };
    (settings, own)
}

fn methods(ctx: &mut Check<'_>, written: &[Spanned<Method>]) -> Vec<Method> {
    let mut methods: Vec<Method> = Vec::new();
    let mut named: HashMap<&Method, Span> = HashMap::new();
    for method in written {
        if let Some(first) = named.get(&method.value) {
            let message = format!("`{}` is named twice", method.value);
            ctx.report(Diagnostic::error("E0317", message, method.span).with(*first, "named here first"));
            continue;
        }
        named.insert(&method.value, method.span);
        methods.push(method.value.clone());
    }
    methods
}

/// Reports a route or mount that is called as fallbacks are.
pub(super) fn fallback_is_taken(ctx: &mut Check<'_>, name: &Ident) {
    ctx.report(
        Diagnostic::error("E0203", "`fallback` is already defined", name.span)
            .label("the name of the fallback of a site or group")
            .help("choose another name"),
    );
}

/// Names of routes are labels: unique in their site, apart from all other names.
fn claim_name(ctx: &mut Check<'_>, name: &Ident) {
    if name.value == "fallback" {
        fallback_is_taken(ctx, name);
        return;
    }
    match ctx.scope.route_names.get(&name.value) {
        Some(&first) => {
            let message = format!("route `{}` is already defined", name.value);
            ctx.report(
                Diagnostic::error("E0203", message, name.span)
                    .label("second definition")
                    .with(first, "first definition; names of routes are unique in their site")
                    .help("choose another name"),
            );
        }
        None => {
            ctx.scope.route_names.insert(name.value.clone(), name.span);
        }
    }
}
