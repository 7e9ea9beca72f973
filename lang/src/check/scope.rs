//! What the place under the checker's eye may see: captures, parameters, and which phase it belongs to.

use super::Check;
use super::arguments::ParamInfo;
use super::names;
use crate::Span;
use crate::hir::{CaptureTy, LetId, SegmentPattern, Ty};
use crate::span::Ident;
use std::collections::BTreeMap;

/// Where an expression stands, which decides what it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// The value of a constant.
    #[default]
    Constant,
    /// The value of a function.
    Function,
    /// The value of a setting.
    Setting,
    /// The condition of a rule.
    Rule,
    /// The condition of a route or group.
    Guard,
    /// A statement of a chosen route.
    Statement,
}

impl Place {
    /// The place as a person calls it, where nothing of the exchange is known.
    pub(super) fn what(self) -> &'static str {
        match self {
            Place::Setting => "a setting",
            Place::Function => "a function",
            Place::Constant | Place::Rule | Place::Guard | Place::Statement => "a constant",
        }
    }
}

/// What a name in a pattern takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The first label of the host.
    Label,
    /// A segment, or part of one.
    Segment(CaptureTy),
    /// A segment that is a variant of an enum.
    Variant(Ty),
    /// The remaining text of the path.
    Rest,
}

impl Taken {
    /// The type of the capture's value.
    pub(super) fn ty(&self) -> Ty {
        match self {
            Taken::Segment(CaptureTy::Int) => Ty::Int,
            Taken::Variant(ty) => ty.clone(),
            Taken::Segment(
                CaptureTy::Segment
                | CaptureTy::Uuid
                | CaptureTy::Slug
                | CaptureTy::Hex
                | CaptureTy::Regex(_)
                | CaptureTy::OneOf(_),
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

/// A `let` in scope.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) id: LetId,
    pub(super) ty: Ty,
    /// The name where it is bound.
    pub(super) span: Span,
}

/// The scope.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) place: Place,
    /// Parameters of the rule, function, policy or routes, by number.
    pub(super) params: Vec<(String, Ty, Span)>,
    /// Captures of site, groups and route, outermost first.
    pub(super) captures: Vec<Captured>,
    /// What `let` bound in the blocks around, outermost first.
    pub(super) lets: Vec<Bound>,
    /// Names that a broken or later piece may have bound: never unknown.
    pub(super) unsure: Vec<String>,
    /// Names of routes and mounts of the site, or of the `routes` under the eye.
    pub(super) route_names: BTreeMap<String, Span>,
    /// What every path that comes here starts with.
    pub(super) path: Vec<SegmentPattern>,
    /// The pattern that says so last.
    pub(super) path_span: Option<Span>,
    /// The construct that binds captures, as a person calls it: `route`, `group`, `site`, `policy`.
    pub(super) owner: &'static str,
    /// Its head.
    pub(super) owner_span: Option<Span>,
    /// What is written once and used elsewhere, so that names of its users are unknown: `a policy`, `` `routes` ``.
    pub(super) closed: Option<&'static str>,
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
    lets: usize,
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
            lets: self.lets.len(),
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
        self.lets.truncate(mark.lets);
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

    /// What a `let` bound to this name.
    pub(super) fn bound(&self, name: &str) -> Option<&Bound> {
        self.lets.iter().find(|bound| bound.name == name)
    }

    /// Names of captures, parameters and `let`s.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let params = self.params.iter().map(|(name, ..)| name.as_str());
        let lets = self.lets.iter().map(|bound| bound.name.as_str());
        self.captures.iter().map(|captured| captured.name.as_str()).chain(params).chain(lets)
    }

    /// Where a capture, parameter or `let` is bound.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        let param = self.params.iter().find(|(param, ..)| param == name).map(|(.., span)| *span);
        let bound = self.bound(name).map(|bound| bound.span);
        self.capture(name).map(|captured| captured.span).or(param).or(bound)
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

/// Makes the parameters of a rule, function, policy or routes the only local names.
pub(super) fn enter(ctx: &mut Check<'_>, place: Place, params: &[ParamInfo]) {
    ctx.scope.place = place;
    ctx.scope.params = params.iter().map(|p| (p.name.clone(), p.ty.clone(), p.span)).collect();
}
