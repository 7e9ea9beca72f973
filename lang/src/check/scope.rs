//! What the place under the checker's eye may see: captures, parameters, and which phase it belongs to.

use super::names;
use super::{Check, ParamInfo};
use crate::Span;
use crate::hir::{CaptureTy, SegmentPattern, Ty};
use crate::span::Ident;
use std::collections::BTreeMap;

/// Where an expression stands, which decides what it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// The value of a constant.
    #[default]
    Constant,
    /// The value of a setting.
    Setting,
    /// The condition of a rule.
    Rule,
    /// The condition of a route or group.
    Guard,
    /// A statement of a chosen route.
    Statement,
}

/// What a name in a pattern takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The first label of the host.
    Label,
    /// A segment, or part of one.
    Segment(CaptureTy),
    /// The remaining text of the path.
    Rest,
}

impl Taken {
    /// The type of the capture's value.
    pub(super) fn ty(&self) -> Ty {
        match self {
            Taken::Segment(CaptureTy::Int) => Ty::Int,
            Taken::Segment(
                CaptureTy::Segment | CaptureTy::Uuid | CaptureTy::Slug | CaptureTy::Hex | CaptureTy::Regex(_),
            )
            | Taken::Label
            | Taken::Rest => Ty::String,
        }
    }
}

/// A capture in scope.
#[derive(Clone, Debug)]
pub(super) struct Captured {
    pub(super) name: String,
    pub(super) taken: Taken,
    /// The name where it is bound.
    pub(super) span: Span,
    /// The capture with its braces.
    pub(super) braces: Span,
}

/// The scope.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) place: Place,
    /// Parameters of the rule, by number.
    pub(super) params: Vec<(String, Ty, Span)>,
    /// Captures of site, groups and route, outermost first.
    pub(super) captures: Vec<Captured>,
    /// Names that a broken or later piece may have bound: never unknown.
    pub(super) unsure: Vec<String>,
    /// Names of routes of the site.
    pub(super) route_names: BTreeMap<String, Span>,
    /// What every path that comes here starts with.
    pub(super) path: Vec<SegmentPattern>,
    /// The pattern that says so last.
    pub(super) path_span: Option<Span>,
    /// The construct that binds captures, as a person calls it: `route`, `group`, `site`, `fallback`.
    pub(super) owner: &'static str,
    /// Its head.
    pub(super) owner_span: Option<Span>,
    /// The site takes hosts that its author does not know.
    pub(super) any_host: bool,
    /// The condition of the current route or rule as written, for advice.
    pub(super) guard_text: Option<String>,
    /// How deep the current expression or block is nested.
    pub(super) depth: usize,
}

/// What to restore at the end of a route or group.
pub(super) struct Mark {
    captures: usize,
    unsure: usize,
    path: usize,
    path_span: Option<Span>,
    owner: &'static str,
    owner_span: Option<Span>,
}

impl Scope {
    /// Remembers the scope before something opens.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            captures: self.captures.len(),
            unsure: self.unsure.len(),
            path: self.path.len(),
            path_span: self.path_span,
            owner: self.owner,
            owner_span: self.owner_span,
        }
    }

    /// Forgets what was bound since the mark.
    pub(super) fn reset(&mut self, mark: &Mark) {
        self.captures.truncate(mark.captures);
        self.unsure.truncate(mark.unsure);
        self.path.truncate(mark.path);
        self.path_span = mark.path_span;
        self.owner = mark.owner;
        self.owner_span = mark.owner_span;
    }

    /// The capture of this name.
    pub(super) fn capture(&self, name: &str) -> Option<&Captured> {
        self.captures.iter().find(|captured| captured.name == name)
    }

    /// Names of captures and parameters.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let params = self.params.iter().map(|(name, ..)| name.as_str());
        self.captures.iter().map(|captured| captured.name.as_str()).chain(params)
    }

    /// Where a capture or parameter is bound.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        let param = self.params.iter().find(|(param, ..)| param == name).map(|(.., span)| *span);
        self.capture(name).map(|captured| captured.span).or(param)
    }
}

/// Binds a capture unless its name is taken; reports when it is.
pub(super) fn bind(ctx: &mut Check<'_>, name: &Ident, taken: Taken, braces: Span) {
    if !names::reserve(ctx, name) {
        // Uses must not be reported as unknown on top.
        ctx.scope.unsure.push(name.value.clone());
        return;
    }
    if let Some(first) = ctx.scope.place(&name.value) {
        names::taken(ctx, name, first);
        return;
    }
    ctx.scope.captures.push(Captured { name: name.value.clone(), taken, span: name.span, braces });
}

/// Makes the parameters of a rule the only local names.
pub(super) fn enter_rule(ctx: &mut Check<'_>, params: &[ParamInfo]) {
    ctx.scope.place = Place::Rule;
    ctx.scope.params = params.iter().map(|p| (p.name.clone(), p.ty.clone(), p.span)).collect();
}
