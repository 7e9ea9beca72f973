//! Top-level names: one namespace, no shadowing, and what to say about a name that is not there.

use super::{Check, later, locals};
use crate::ast::{Item, ItemKind, Tree};
use crate::hir::{ConstId, EnumId, EnvId, FnId, ListenerId, PolicyId, RoutesId, RuleId, UpstreamId};
use crate::span::Ident;
use crate::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Names with a meaning everywhere, so nothing else may take them.
pub(super) const BUILTIN: [&str; 5] = ["request", "response", "client", "conn", "split"];

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
    /// Something this version does not serve yet; nothing is known about it.
    Later,
}

impl Kind {
    /// The kind with its article.
    pub(super) fn with_article(self) -> &'static str {
        match self {
            Kind::Const(_) => "a constant",
            Kind::Rule(_) => "a rule",
            Kind::Fn(_) => "a function",
            Kind::Enum(_) => "a type",
            Kind::Env(_) => "a variable of the environment",
            Kind::Listener(_) => "a listener",
            Kind::Upstream(_) => "an upstream",
            Kind::Policy(_) => "a policy",
            Kind::Routes(_) => "the name of `routes`",
            Kind::Later => "something of a later version",
        }
    }
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) span: Span,
    pub(super) kind: Kind,
    pub(super) used: bool,
}

/// All top-level names.
#[derive(Default)]
pub(super) struct Names {
    map: BTreeMap<String, Name>,
}

impl Names {
    /// The thing of this name, marked as used.
    pub(super) fn look_up(&mut self, name: &str) -> Option<Name> {
        let found = self.map.get_mut(name)?;
        found.used = true;
        Some(*found)
    }

    /// What a name stands for, without counting as a use.
    pub(super) fn kind(&self, name: &str) -> Option<Kind> {
        self.map.get(name).map(|found| found.kind)
    }

    /// The place where the name was declared.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.map.get(name).map(|found| found.span)
    }

    /// All names in alphabetical order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Name)> {
        self.map.iter().map(|(name, found)| (name.as_str(), found))
    }
}

/// Collects what the file declares and reports what is declared twice or not in this version.
pub(super) fn collect(ctx: &mut Check<'_>, tree: &Tree) {
    for used in &tree.uses {
        later::uses(ctx, used);
    }
    let mut counts = Counts::default();
    for item in &tree.items {
        if let Some((name, kind)) = declared(item, &mut counts) {
            declare(ctx, name, kind);
        }
        later::item(ctx, item);
    }
}

/// How many things of each kind were seen.
#[derive(Default)]
struct Counts {
    consts: ConstId,
    rules: RuleId,
    fns: FnId,
    enums: EnumId,
    envs: EnvId,
    listeners: ListenerId,
    upstreams: UpstreamId,
    policies: PolicyId,
    routes: RoutesId,
}

fn declared<'t>(item: &'t Item, counts: &mut Counts) -> Option<(&'t Ident, Kind)> {
    let next = |count: &mut usize| {
        *count += 1;
        *count - 1
    };
    let name = item.kind.declared()?;
    if later::is_later(item) {
        return Some((name, Kind::Later));
    }
    let kind = match &item.kind {
        ItemKind::Const(_) => Kind::Const(next(&mut counts.consts)),
        ItemKind::Rule(_) => Kind::Rule(next(&mut counts.rules)),
        ItemKind::Fn(_) => Kind::Fn(next(&mut counts.fns)),
        ItemKind::Enum(_) => Kind::Enum(next(&mut counts.enums)),
        ItemKind::Env(_) => Kind::Env(next(&mut counts.envs)),
        ItemKind::Listener(_) => Kind::Listener(next(&mut counts.listeners)),
        ItemKind::Upstream(_) => Kind::Upstream(next(&mut counts.upstreams)),
        ItemKind::Policy(_) => Kind::Policy(next(&mut counts.policies)),
        ItemKind::Routes(_) => Kind::Routes(next(&mut counts.routes)),
        // Nothing is known about it.
        ItemKind::Error(_) if BUILTIN.contains(&name.value.as_str()) => return None,
        ItemKind::Error(_) => Kind::Later,
        ItemKind::Server(_)
        | ItemKind::Secret(_)
        | ItemKind::Table(_)
        | ItemKind::Site(_)
        | ItemKind::Stream(_)
        | ItemKind::Forward(_)
        | ItemKind::Test(_)
        | ItemKind::Invariant(_) => return None,
    };
    Some((name, kind))
}

/// Binds a name of the file; nothing when it is one of a later version that is bound already.
pub(super) fn declare(ctx: &mut Check<'_>, name: &Ident, kind: Kind) {
    let is_known = ctx.names.map.contains_key(&name.value);
    if (kind == Kind::Later && is_known) || !reserve(ctx, name) {
        return;
    }
    ctx.names.map.insert(name.value.clone(), Name { span: name.span, kind, used: false });
}

/// Whether the name is free; reports when it is not.
pub(super) fn reserve(ctx: &mut Check<'_>, name: &Ident) -> bool {
    if BUILTIN.contains(&name.value.as_str()) {
        let message = format!("`{}` is already defined", name.value);
        ctx.report(
            Diagnostic::error("E0203", message, name.span)
                .label("a name of the language")
                .help("choose another name"),
        );
        return false;
    }
    match ctx.names.map.get(&name.value) {
        // Some names of later versions, as those of streams, live apart from all others.
        Some(Name { kind: Kind::Later, .. }) | None => true,
        Some(&Name { span: first, .. }) => {
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
    /// Whether nothing of this name can be seen here.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        self.names.place(name).is_none()
            && self.scope.place(name).is_none()
            && !self.scope.unsure.iter().any(|unsure| unsure == name)
            && !BUILTIN.contains(&name)
    }
}

/// Reports a thing that was looked for by kind (`upstream`, `listener`) and is not there.
pub(super) fn unknown_thing(ctx: &mut Check<'_>, name: &Ident, what: &str, is_wanted: fn(Kind) -> bool) {
    let mut found = Diagnostic::error("E0201", format!("unknown {what} `{}`", name.value), name.span)
        .label("not declared in this file or its imports");
    let candidates: Vec<&str> = ctx.names.iter().filter(|(_, n)| is_wanted(n.kind)).map(|(n, _)| n).collect();
    if let Some(similar) = ctx.similar(&name.value, candidates) {
        if let Some(place) = ctx.names.place(similar) {
            found = found.with(place, "similar name");
        }
        found = found.fix(format!("did you mean `{similar}`?"), name.span, similar);
    }
    ctx.report(found);
}

/// Reports a name that stands where a value is wanted and is not there. Captures and parameters count as
/// candidates too.
pub(super) fn unknown_value(ctx: &mut Check<'_>, name: &str, span: Span) {
    let mut found = Diagnostic::error("E0202", format!("unknown name `{name}`"), span)
        .label("not declared in this file or its imports");
    let mut candidates: Vec<&str> = ctx.scope.names().collect();
    candidates.extend(BUILTIN);
    candidates.extend(
        ctx.names
            .iter()
            .filter(|(_, n)| matches!(n.kind, Kind::Const(_) | Kind::Rule(_) | Kind::Fn(_)))
            .map(|(n, _)| n),
    );
    if let Some(similar) = ctx.similar(name, candidates) {
        if let Some(place) = ctx.scope.place(similar).or_else(|| ctx.names.place(similar)) {
            found = found.with(place, "similar name");
        }
        found = found.fix(format!("did you mean `{similar}`?"), span, similar);
    } else if let Some(place) = locals::of_callers(ctx, name) {
        found = locals::explain(ctx, found, name, place);
    }
    ctx.report(found);
}
