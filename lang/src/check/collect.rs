//! What the modules of a program declare: every top-level thing gets its number and its name.

use super::arguments::Head;
use super::mount::RoutesInfo;
use super::names::{self, Kind, Name};
use super::policy::PolicyInfo;
use super::{Check, ConstInfo, EnvInfo, FnInfo, RuleInfo, imports, later};
use crate::ast::{Item, ItemKind};
use crate::hir::Ty;
use crate::span::Ident;
use crate::{Diagnostic, Span};

/// Collects what all modules declare and use; reports what is declared twice or where it may not be.
pub(super) fn all(ctx: &mut Check<'_>) {
    for module in 0..ctx.modules.len() {
        let tree = ctx.modules[module].tree;
        imports::bind(ctx, module);
        for item in &tree.items {
            let is_later = later::item(ctx, item);
            let kind = if is_later { Some(Kind::Later) } else { self::item(ctx, item, module) };
            if let (Some(kind), Some(name)) = (kind, item.kind.declared()) {
                declare(ctx, name, kind, item.public.is_some());
            }
        }
    }
    imports::resolve(ctx);
}

/// Takes a declaration for checking; what its name, if it has one, stands for.
fn item<'t>(ctx: &mut Check<'t>, item: &'t Item, module: usize) -> Option<Kind> {
    if let (Some(public), None) = (item.public, item.kind.declared()) {
        no_name(ctx, public);
    }
    match &item.kind {
        ItemKind::Const(decl) => {
            Some(Kind::Const(push(&mut ctx.consts, ConstInfo { decl, value: None, cyclic: false })))
        }
        ItemKind::Rule(decl) => {
            Some(Kind::Rule(push(&mut ctx.rules, RuleInfo { decl, head: Head::of(&decl.name) })))
        }
        ItemKind::Fn(decl) => {
            let info = FnInfo { decl, head: Head::of(&decl.name), result: Ty::Error, body: None };
            Some(Kind::Fn(push(&mut ctx.fns, info)))
        }
        ItemKind::Env(decl) => {
            Some(Kind::Env(push(&mut ctx.envs, EnvInfo { decl, ty: Ty::Error, default: None })))
        }
        ItemKind::Enum(decl) => Some(Kind::Enum(push(&mut ctx.enum_decls, decl))),
        ItemKind::Policy(decl) => Some(Kind::Policy(push(&mut ctx.policies, PolicyInfo::new(decl)))),
        ItemKind::Routes(decl) => Some(Kind::Routes(push(&mut ctx.routes, RoutesInfo::new(decl)))),
        ItemKind::Listener(_) | ItemKind::Server(_) if module > 0 => {
            only_in_entry(ctx, item);
            Some(Kind::Later)
        }
        ItemKind::Listener(decl) => Some(Kind::Listener(push(&mut ctx.listener_decls, decl))),
        ItemKind::Upstream(decl) => Some(Kind::Upstream(push(&mut ctx.upstream_decls, decl))),
        ItemKind::Site(decl) => {
            ctx.site_decls.push(decl);
            None
        }
        // Nothing is known about it.
        ItemKind::Error(name) => {
            ctx.incomplete = true;
            let is_reserved = name.as_ref().is_none_or(|name| names::is_reserved(&name.value));
            (!is_reserved).then_some(Kind::Later)
        }
        ItemKind::Server(_)
        | ItemKind::Secret(_)
        | ItemKind::Table(_)
        | ItemKind::Stream(_)
        | ItemKind::Forward(_)
        | ItemKind::Test(_)
        | ItemKind::Invariant(_) => None,
    }
}

/// Adds an element; its number.
fn push<T>(list: &mut Vec<T>, element: T) -> usize {
    list.push(element);
    list.len() - 1
}

/// Binds a name of a module; nothing when nothing is known about it and the name is bound already.
fn declare(ctx: &mut Check<'_>, name: &Ident, kind: Kind, is_public: bool) {
    let is_known = ctx.names.peek(name.span.source, &name.value).is_some();
    if (kind == Kind::Later && is_known) || !names::reserve(ctx, name) {
        return;
    }
    let found = Name { span: name.span, declared: name.span, kind, is_public, is_import: false, used: false };
    ctx.names.insert(name.span.source, &name.value, found);
}

/// E0208: what is listened on is visible in one place.
fn only_in_entry(ctx: &mut Check<'_>, item: &Item) {
    let (what, words) = match &item.kind {
        ItemKind::Listener(decl) => ("a listener", item.span.to(decl.name.span)),
        _ => ("`server`", item.span),
    };
    let span = match &item.kind {
        ItemKind::Listener(decl) => Span { end: decl.name.span.end, ..words },
        _ => Span { end: words.start.saturating_add(6).min(words.end), ..words },
    };
    let module = ctx.module_name(item.span.source).to_owned();
    ctx.report(
        Diagnostic::error("E0208", format!("only the entry file declares {what}"), span)
            .label(format!("this is the module `{module}`"))
            .note("what a program listens on is visible in one place")
            .help("move it to the file with `edition`; sites of modules name its listeners after `on`"),
    );
}

/// E0233: `pub` is about names.
fn no_name(ctx: &mut Check<'_>, public: Span) {
    ctx.report(
        Diagnostic::error("E0233", "`pub` stands only before what has a name", public)
            .label("no other module could name this")
            .fix("remove `pub`", Span { end: public.end.saturating_add(1), ..public }, ""),
    );
}
