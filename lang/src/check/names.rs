//! Top-level names: one namespace in each module, no shadowing, and what to say about a name that is not there.
//!
//! A name is looked up in the module whose text it stands in, which its place tells: `span.source` is the number of
//! the module. A name behind that of a module, as in `nets.private`, is looked up in that one, where it must be `pub`.
//!
//! A new kind of thing is a variant of [`Kind`] with its words, and a line in `collect::item`.

use super::{Check, locals};
use crate::ast::{self, ExprKind, ModPath};
use crate::hir::{ConstId, EnumId, EnvId, FnId, ListenerId, PolicyId, RoutesId, RuleId, UpstreamId};
use crate::module::stdlib;
use crate::span::Ident;
use crate::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Names with a meaning everywhere, so nothing else may take them.
pub(super) const BUILTIN: [&str; 5] = ["request", "response", "client", "conn", "split"];
/// Words that start the path of a `use`; nothing may take them either.
const ROOTS: [&str; 2] = ["self", "std"];

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Const(ConstId),
    Rule(RuleId),
    Fn(FnId),
    Enum(EnumId),
    Env(EnvId),
    Listener(ListenerId),
    Upstream(UpstreamId),
    Policy(PolicyId),
    Routes(RoutesId),
    /// A module that a `use` names.
    Module(u16),
    /// Something broken, or that this version does not serve yet; nothing is known about it.
    Later,
}

impl Kind {
    /// The kind with its article, and its noun when it is worth a word that nothing uses it.
    fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            Kind::Const(_) => ("a constant", Some("constant")),
            Kind::Rule(_) => ("a rule", Some("rule")),
            Kind::Fn(_) => ("a function", Some("function")),
            Kind::Enum(_) => ("a type", Some("enum")),
            Kind::Env(_) => ("a variable of the environment", Some("variable")),
            Kind::Listener(_) => ("a listener", Some("listener")),
            Kind::Upstream(_) => ("an upstream", Some("upstream")),
            Kind::Policy(_) => ("a policy", Some("policy")),
            Kind::Routes(_) => ("the name of `routes`", Some("`routes`")),
            Kind::Module(_) => ("a module", None),
            Kind::Later => ("something of a later version", None),
        }
    }

    /// The kind with its article.
    pub(super) fn with_article(self) -> &'static str {
        self.words().0
    }

    /// The kind, when it is worth a word that nothing uses it.
    pub(super) fn told_unused(self) -> Option<&'static str> {
        self.words().1
    }

    /// Whether expressions may name it.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Kind::Const(_) | Kind::Rule(_) | Kind::Fn(_))
    }
}

/// A name in a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// Where this module declares it, or takes it from another one.
    pub(super) span: Span,
    /// Where it is declared.
    pub(super) declared: Span,
    pub(super) kind: Kind,
    /// Whether other modules see it.
    pub(super) is_public: bool,
    /// Whether a `use` brought it.
    pub(super) is_import: bool,
    pub(super) used: bool,
}

/// The top-level names of all modules.
#[derive(Default)]
pub(super) struct Names {
    modules: Vec<BTreeMap<String, Name>>,
}

impl Names {
    /// No names in so many modules.
    pub(super) fn new(modules: usize) -> Names {
        Names { modules: vec![BTreeMap::new(); modules] }
    }

    /// The thing of this name in a module, marked as used.
    pub(super) fn look_up(&mut self, module: u16, name: &str) -> Option<Name> {
        let found = self.modules.get_mut(usize::from(module))?.get_mut(name)?;
        found.used = true;
        let found = *found;
        if found.is_import {
            self.mark_declared(found.declared, name);
        }
        Some(found)
    }

    /// The same without a mark.
    pub(super) fn peek(&self, module: u16, name: &str) -> Option<Name> {
        self.modules.get(usize::from(module))?.get(name).copied()
    }

    /// What a name, or a name behind that of a module, stands for; nothing is marked or reported.
    pub(super) fn peek_expr(&self, expr: &ast::Expr) -> Option<Name> {
        match &expr.kind {
            ExprKind::Name(name) => self.peek(expr.span.source, name),
            ExprKind::Access { base, name } => {
                let ExprKind::Name(module) = &base.kind else { return None };
                let Kind::Module(module) = self.peek(base.span.source, module)?.kind else { return None };
                self.peek(module, &name.value).filter(|found| !found.is_import)
            }
            _ => None,
        }
    }

    /// The same for a path.
    pub(super) fn peek_path(&self, path: &ModPath) -> Option<Name> {
        match path.parts.as_slice() {
            [name] => self.peek(name.span.source, &name.value),
            [module, name] => {
                let Kind::Module(module) = self.peek(module.span.source, &module.value)?.kind else {
                    return None;
                };
                self.peek(module, &name.value).filter(|found| !found.is_import)
            }
            _ => None,
        }
    }

    /// The place where a module declares the name, or takes it from another one.
    pub(super) fn place(&self, module: u16, name: &str) -> Option<Span> {
        self.peek(module, name).map(|found| found.span)
    }

    /// All names of a module in alphabetical order.
    pub(super) fn iter(&self, module: u16) -> impl Iterator<Item = (&str, &Name)> {
        self.modules
            .get(usize::from(module))
            .into_iter()
            .flatten()
            .map(|(name, found)| (name.as_str(), found))
    }

    /// Binds a name that is free.
    pub(super) fn insert(&mut self, module: u16, name: &str, found: Name) {
        if let Some(names) = self.modules.get_mut(usize::from(module)) {
            names.insert(name.to_owned(), found);
        }
    }

    /// Marks what an import leads to; `alias` is its name unless `as` gave another.
    fn mark_declared(&mut self, declared: Span, alias: &str) {
        let Some(names) = self.modules.get_mut(usize::from(declared.source)) else { return };
        let is_it = |name: &&mut Name| name.span == declared && !name.is_import;
        let found = match names.get_mut(alias) {
            Some(name) if name.span == declared => Some(name),
            Some(_) | None => names.values_mut().find(is_it),
        };
        if let Some(found) = found {
            found.used = true;
        }
    }
}

/// Whether the language itself has taken the name.
pub(super) fn is_reserved(name: &str) -> bool {
    BUILTIN.contains(&name) || ROOTS.contains(&name)
}

/// Whether the name is free in the module it stands in; reports when it is not.
pub(super) fn reserve(ctx: &mut Check<'_>, name: &Ident) -> bool {
    let word = name.value.as_str();
    if is_reserved(word) {
        let message = format!("`{word}` is already defined");
        ctx.report(
            Diagnostic::error("E0203", message, name.span)
                .label("a name of the language")
                .help("choose another name"),
        );
        return false;
    }
    match ctx.names.peek(name.span.source, word) {
        // Some names of later versions, as those of streams, live apart from all others.
        Some(Name { kind: Kind::Later, is_import: false, .. }) | None => true,
        Some(Name { span: first, .. }) => {
            taken(ctx, name, first);
            false
        }
    }
}

/// Reports a name that is bound twice.
pub(super) fn taken(ctx: &mut Check<'_>, name: &Ident, first: Span) {
    ctx.report(
        Diagnostic::error("E0203", format!("`{}` is already defined", name.value), name.span)
            .label("second definition")
            .with(first, "first definition; twp has no shadowing")
            .help("choose another name"),
    );
}

impl Check<'_> {
    /// Whether nothing of this name can be seen at this place.
    pub(super) fn is_unknown(&self, name: &str, span: Span) -> bool {
        self.names.place(span.source, name).is_none()
            && self.scope.place(name).is_none()
            && !self.scope.unsure.iter().any(|unsure| unsure == name)
            && !BUILTIN.contains(&name)
    }

    /// A name as the whole program knows it: `app` in the entry file, `shared.app` in the module `self.shared`.
    pub(super) fn qualified(&self, name: &Ident) -> String {
        match self.modules.get(usize::from(name.span.source)).map(|module| module.name) {
            Some("") | None => name.value.clone(),
            Some(module) => format!("{}.{}", module.strip_prefix("self.").unwrap_or(module), name.value),
        }
    }

    /// The name of a module as a person writes it.
    pub(super) fn module_name(&self, module: u16) -> &str {
        self.modules.get(usize::from(module)).map_or("", |module| module.name)
    }
}

/// What stands behind a word and a dot.
pub(super) enum Behind {
    /// The word names no module.
    NoModule,
    /// The module has no such thing, which was reported, or could not be read.
    Nothing,
    /// A public thing of the module.
    Found(Name),
}

/// What stands behind the name of a module: `nets.private`.
pub(super) fn behind_module(ctx: &mut Check<'_>, base: &ast::Expr, name: &Ident, wanted: Wanted) -> Behind {
    match &base.kind {
        ExprKind::Name(word) if ROOTS.contains(&word.as_str()) => {
            root(ctx, word, base.span.to(name.span));
            Behind::Nothing
        }
        ExprKind::Name(word) => {
            let found = ctx.names.peek(base.span.source, word).map(|found| found.kind);
            let Some(Kind::Module(module)) = found.filter(|_| ctx.scope.place(word).is_none()) else {
                return Behind::NoModule;
            };
            ctx.names.look_up(base.span.source, word);
            member(ctx, module, name, wanted).map_or(Behind::Nothing, Behind::Found)
        }
        // `self.shared.nets`: the first two words are reported.
        ExprKind::Access { base: inner, .. } if starts_at_root(inner) => {
            behind_module(ctx, inner, name, wanted)
        }
        _ => Behind::NoModule,
    }
}

/// The words of a name or of names behind dots; `None` for other expressions.
pub(super) fn words(expr: &ast::Expr) -> Option<Vec<Ident>> {
    match &expr.kind {
        ExprKind::Name(word) => Some(vec![Ident::new(word.clone(), expr.span)]),
        ExprKind::Access { base, name } => {
            let mut words = words(base)?;
            words.push(name.clone());
            Some(words)
        }
        _ => None,
    }
}

fn starts_at_root(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(word) => ROOTS.contains(&word.as_str()),
        ExprKind::Access { base, .. } => starts_at_root(base),
        _ => false,
    }
}

/// A path from the root where a name is wanted.
fn root(ctx: &mut Check<'_>, root: &str, span: Span) {
    ctx.report(
        Diagnostic::error("E0202", format!("`{root}` starts only the path of a `use`"), span).help(format!(
            "write `use {root}.…` at the top of the file, and here the last word of that path"
        )),
    );
}

/// What is looked for in a module.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// `upstream`
    pub(super) what: &'static str,
    /// The code that says that there is none.
    pub(super) code: &'static str,
    /// Whether something is of that kind.
    pub(super) is_it: fn(Kind) -> bool,
}

/// What expressions look for.
pub(super) const VALUE: Wanted = Wanted { what: "name", code: "E0202", is_it: Kind::is_value };

/// A public thing of a module, marked as used, or a report.
pub(super) fn member(ctx: &mut Check<'_>, module: u16, name: &Ident, wanted: Wanted) -> Option<Name> {
    match ctx.names.peek(module, &name.value) {
        Some(found) if found.is_import => {
            let message =
                format!("`{}` is only used by `{}`, not declared there", name.value, ctx.module_name(module));
            ctx.report(
                Diagnostic::error("E0230", message, name.span)
                    .with(found.span, "taken from another module here")
                    .help("take it from the module that declares it"),
            );
            None
        }
        Some(found) if !found.is_public => {
            ctx.names.look_up(module, &name.value);
            // Nothing is known about it, so whether it may be seen is no question either.
            if found.kind == Kind::Later {
                return Some(found);
            }
            private(ctx, module, name, found);
            None
        }
        Some(_) => ctx.names.look_up(module, &name.value),
        None => {
            not_in_module(ctx, module, name, wanted);
            None
        }
    }
}

fn private(ctx: &mut Check<'_>, module: u16, name: &Ident, found: Name) {
    let message = format!("`{}` is private to the module `{}`", name.value, ctx.module_name(module));
    let diagnostic = Diagnostic::error("E0230", message, name.span)
        .with(found.span, format!("this is {}, declared without `pub`", found.kind.with_article()));
    let is_std = ctx.modules.get(usize::from(module)).is_some_and(|module| module.name.starts_with("std."));
    ctx.report(if is_std {
        diagnostic.help("use what the module offers; `twpc explain E0230` tells how to see it")
    } else {
        diagnostic.help(format!("write `pub` before the declaration of `{}`", name.value))
    });
}

fn not_in_module(ctx: &mut Check<'_>, module: u16, name: &Ident, wanted: Wanted) {
    let Wanted { what, code, is_it } = wanted;
    let mut found = Diagnostic::error(code, format!("unknown {what} `{}`", name.value), name.span)
        .label(format!("not declared in the module `{}`", ctx.module_name(module)));
    let is_offered = |n: &Name| n.is_public && !n.is_import && is_it(n.kind);
    let candidates: Vec<&str> =
        ctx.names.iter(module).filter(|(_, n)| is_offered(n)).map(|(n, _)| n).collect();
    if let Some(similar) = ctx.similar(&name.value, candidates.iter().copied()) {
        if let Some(place) = ctx.names.place(module, similar) {
            found = found.with(place, "similar name");
        }
        found = found.fix(format!("did you mean `{similar}`?"), name.span, similar);
    } else if (1..=LISTED_MAX).contains(&candidates.len()) {
        found = found.help(format!("it has {}", candidates.join(", ")));
    }
    ctx.report(found);
}

/// Names that are listed when none is similar; more are not read.
const LISTED_MAX: usize = 10;

/// What a path names, marked as used, whatever its kind; `None`, and a report unless nothing is known about it, when
/// there is nothing of the name.
pub(super) fn find(ctx: &mut Check<'_>, path: &[Ident], wanted: Wanted) -> Option<Name> {
    let found = match path {
        [name] => {
            let Some(found) = ctx.names.look_up(name.span.source, &name.value) else {
                if !ctx.scope.unsure.contains(&name.value) {
                    unknown_thing(ctx, name, name.span.source, wanted);
                }
                return None;
            };
            found
        }
        [first, name] => match ctx.names.look_up(first.span.source, &first.value) {
            Some(Name { kind: Kind::Module(module), .. }) => member(ctx, module, name, wanted)?,
            Some(Name { kind: Kind::Later, .. }) => return None,
            Some(found) => {
                not_a(ctx, first, found, "a module");
                return None;
            }
            None => {
                no_module(ctx, path);
                return None;
            }
        },
        _ => {
            no_module(ctx, path);
            return None;
        }
    };
    (found.kind != Kind::Later).then_some(found)
}

/// Reports a thing of another kind than is wanted.
pub(super) fn not_a(ctx: &mut Check<'_>, name: &Ident, found: Name, wanted: &str) {
    let message = format!("`{}` is not {wanted}", name.value);
    ctx.report(
        Diagnostic::error("E0204", message, name.span)
            .label(format!("this is {}", found.kind.with_article()))
            .with(found.declared, "declared here"),
    );
}

/// Reports a path whose first words name no module here.
pub(super) fn no_module(ctx: &mut Check<'_>, path: &[Ident]) {
    let Some((last, before)) = path.split_last() else { return };
    let Some(first) = before.first() else { return };
    if ROOTS.contains(&first.value.as_str()) {
        root(ctx, &first.value, first.span.to(last.span));
        return;
    }
    let words: Vec<&str> = before.iter().map(|part| part.value.as_str()).collect();
    let module = words.join(".");
    let span = before.last().map_or(first.span, |end| first.span.to(end.span));
    let mut found = Diagnostic::error("E0202", format!("unknown module `{module}`"), span)
        .label("no `use` of this file names it");
    let candidates = ctx.names.iter(first.span.source).filter(|(_, n)| matches!(n.kind, Kind::Module(_)));
    let candidates: Vec<&str> = candidates.map(|(n, _)| n).collect();
    found = if let Some(similar) = ctx.similar(&module, candidates) {
        found.fix(format!("did you mean `{similar}`?"), span, similar)
    } else {
        let root = if stdlib::module(&format!("std.{module}")).is_some() { "std" } else { "self" };
        let (bound, last) = (words.last().unwrap_or(&""), &last.value);
        found.help(format!("write `use {root}.{module}` at the top of the file and `{bound}.{last}` here"))
    };
    ctx.report(found);
}

/// Reports a thing that was looked for by kind (`upstream`, `listener`) in a module and is not there.
pub(super) fn unknown_thing(ctx: &mut Check<'_>, name: &Ident, module: u16, wanted: Wanted) {
    let Wanted { what, is_it, .. } = wanted;
    let is_here = module == name.span.source;
    let mut found =
        Diagnostic::error("E0201", format!("unknown {what} `{}`", name.value), name.span).label(if is_here {
            "not declared in this file or its imports"
        } else {
            "not declared in the entry file"
        });
    let candidates: Vec<&str> =
        ctx.names.iter(module).filter(|(_, n)| is_it(n.kind)).map(|(n, _)| n).collect();
    if let Some(similar) = ctx.similar(&name.value, candidates) {
        if let Some(place) = ctx.names.place(module, similar) {
            found = found.with(place, "similar name");
        }
        found = found.fix(format!("did you mean `{similar}`?"), name.span, similar);
    } else if let Some(path) = in_imports(ctx, name, is_it) {
        found = found.fix(format!("did you mean `{path}`?"), name.span, path);
    }
    ctx.report(found);
}

/// Reports a name that stands where a value is wanted and is not there. Captures and parameters count as
/// candidates too.
pub(super) fn unknown_value(ctx: &mut Check<'_>, name: &str, span: Span) {
    if ROOTS.contains(&name) {
        root(ctx, name, span);
        return;
    }
    let module = span.source;
    let mut found = Diagnostic::error("E0202", format!("unknown name `{name}`"), span)
        .label("not declared in this file or its imports");
    let mut candidates: Vec<&str> = ctx.scope.names().collect();
    candidates.extend(BUILTIN);
    candidates.extend(ctx.names.iter(module).filter(|(_, n)| n.kind.is_value()).map(|(n, _)| n));
    if let Some(similar) = ctx.similar(name, candidates) {
        if let Some(place) = ctx.scope.place(similar).or_else(|| ctx.names.place(module, similar)) {
            found = found.with(place, "similar name");
        }
        found = found.fix(format!("did you mean `{similar}`?"), span, similar);
    } else if let Some(place) = locals::of_callers(ctx, name) {
        found = locals::explain(ctx, found, name, place);
    } else {
        let name = Ident::new(name.to_owned(), span);
        if let Some(path) = in_imports(ctx, &name, Kind::is_value) {
            found = found.fix(format!("did you mean `{path}`?"), span, path);
        }
    }
    ctx.report(found);
}

/// The path of a public thing of this very name in a module that the file uses.
fn in_imports(ctx: &Check<'_>, name: &Ident, is_it: fn(Kind) -> bool) -> Option<String> {
    ctx.names.iter(name.span.source).find_map(|(local, found)| {
        let Kind::Module(module) = found.kind else { return None };
        let there = ctx.names.peek(module, &name.value)?;
        (there.is_public && !there.is_import && is_it(there.kind)).then(|| format!("{local}.{}", name.value))
    })
}
