//! Enums: types with a closed list of values, and words that are looked up by the type their position demands.

use super::declare::broken;
use super::mismatch::coerce;
use super::names::{self, Behind, Kind, Name, Wanted};
use super::{Check, expr, types};
use crate::ast::{self, EnumDecl, TypeName};
use crate::hir::{EnumId, EnumTy, Expr, ExprKind, Ty, Value};
use crate::span::Ident;
use crate::{Diagnostic, Span};

/// The type that a declaration makes; reports variants that are named twice.
pub(super) fn declaration(ctx: &mut Check<'_>, decl: &EnumDecl, id: EnumId) -> EnumTy {
    let mut variants: Vec<&Ident> = Vec::new();
    for variant in &decl.variants {
        match variants.iter().find(|first| first.value == variant.value) {
            Some(first) => {
                let message = format!("`{}` is named twice", variant.value);
                let first = first.span;
                ctx.report(Diagnostic::error("E0213", message, variant.span).with(first, "named here first"));
            }
            None => variants.push(variant),
        }
    }
    if types::names().any(|name| name == decl.name.value) {
        ctx.report(
            Diagnostic::error("E0203", format!("`{}` is already defined", decl.name.value), decl.name.span)
                .label("a type of the language")
                .help("choose another name"),
        );
    }
    EnumTy {
        id,
        name: decl.name.value.as_str().into(),
        variants: variants.into_iter().map(|variant| variant.value.clone()).collect(),
    }
}

/// The enum of this name, or a report when no type is called so; nothing is said of what was reported before.
pub(super) fn named(ctx: &mut Check<'_>, written: &TypeName) -> Option<Ty> {
    let name = &written.name;
    let found = match &written.module {
        Some(module) => Some(of_module(ctx, module, name)?),
        None => ctx.names.look_up(name.span.source, &name.value),
    };
    match found.map(|found| found.kind) {
        Some(Kind::Enum(id)) => return Some(Ty::Enum(ctx.enums[id].clone())),
        Some(Kind::Later) => return None,
        Some(_) | None => {}
    }
    let mut found = Diagnostic::error("E0212", format!("unknown type `{}`", name.value), name.span);
    let mut known: Vec<&str> = types::names().collect();
    known.extend(visible(ctx, name.span));
    if let Some(similar) = ctx.similar(&name.value, known) {
        found = found.fix(format!("did you mean `{similar}`?"), name.span, similar);
    }
    ctx.report(found);
    None
}

/// Names of the enums that a file declares or takes from others.
pub(super) fn visible<'c>(ctx: &'c Check<'_>, place: Span) -> impl Iterator<Item = &'c str> {
    let names = ctx.names.iter(place.source);
    names.filter(|(_, found)| matches!(found.kind, Kind::Enum(_))).map(|(name, _)| name)
}

/// A type of another module, or a report.
fn of_module(ctx: &mut Check<'_>, module: &Ident, name: &Ident) -> Option<Name> {
    let base = ast::Expr { kind: ast::ExprKind::Name(module.value.clone()), span: module.span };
    let is_it = |kind| matches!(kind, Kind::Enum(_));
    match names::behind_module(ctx, &base, name, Wanted { what: "type", code: "E0212", is_it }) {
        Behind::Found(found) => Some(found),
        Behind::Nothing => None,
        Behind::NoModule => {
            names::no_module(ctx, &[module.clone(), name.clone()]);
            None
        }
    }
}

/// A word where a value of an enum is wanted: a variant, whatever else may be called so, or else a name.
pub(super) fn word(ctx: &mut Check<'_>, written: &ast::Expr, word: &str, wanted: &EnumTy) -> Expr {
    let ty = Ty::Enum(wanted.clone());
    if wanted.variants.iter().any(|variant| variant == word) {
        let kind = ExprKind::Value(Value::Text(word.to_owned()));
        return Expr { kind, ty, span: written.span };
    }
    if !ctx.is_unknown(word, written.span) {
        let found = expr::infer(ctx, written);
        return coerce(ctx, found, &ty, written);
    }
    let message = format!("`{word}` is not a variant of `{}`", wanted.name);
    let mut diagnostic = Diagnostic::error("E0318", message, written.span);
    let others = ctx.enums.iter().filter(|other| other.id != wanted.id);
    if let Some(other) = others.clone().find(|other| other.variants.iter().any(|variant| variant == word)) {
        diagnostic = diagnostic.label(format!("a variant of `{}`", other.name));
    }
    let possible = format!("possible: {}", wanted.variants.join(", "));
    let similar = ctx.similar(word, wanted.variants.iter().map(String::as_str));
    diagnostic = match similar {
        Some(similar) => {
            diagnostic.fix(format!("did you mean `{similar}`? {possible}"), written.span, similar)
        }
        None => diagnostic.help(possible),
    };
    ctx.report(diagnostic);
    broken(written.span)
}

/// Whether an expression is a word that only the type of its position can explain.
pub(super) fn is_word(ctx: &Check<'_>, written: &ast::Expr) -> bool {
    matches!(&written.kind, ast::ExprKind::Name(name) if ctx.is_unknown(name, written.span))
}
