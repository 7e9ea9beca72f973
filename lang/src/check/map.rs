//! Maps and lists: literals, and reading one entry or element, which may be absent.

use super::declare::broken;
use super::{Check, expr, fold, types};
use crate::ast;
use crate::hir::{Expr, ExprKind, Ty, Value};
use crate::{Diagnostic, Span};
use std::collections::HashMap;

/// `{ a => b }` by itself: keys and values have the types of the first ones.
pub(super) fn infer(ctx: &mut Check<'_>, entries: &[(ast::Expr, ast::Expr)], span: Span) -> Expr {
    let Some((key, value)) = entries.first() else {
        ctx.report(
            Diagnostic::error("E0323", "the type of an empty map is not known", span)
                .help("say its type where it is declared: `const name: Map<String, Int> = {}`"),
        );
        return broken(span);
    };
    let n_findings = ctx.diagnostics.len();
    let (key, value) = (expr::infer(ctx, key), expr::infer(ctx, value));
    if key.ty == Ty::Error || value.ty == Ty::Error {
        return broken(span);
    }
    // The first entry is checked again with all others; what was found stays said once.
    ctx.diagnostics.truncate(n_findings);
    if let Some((which, note)) = types::no_map(&key.ty, &value.ty) {
        let side = if which == 0 { &key } else { &value };
        let what = if which == 0 { "a key of a map" } else { "a value of a map" };
        let message = format!("{what} cannot be {}", side.ty);
        ctx.report(Diagnostic::error("E0301", message, side.span).note(note));
        return broken(span);
    }
    expect(ctx, entries, (&key.ty, &value.ty), span)
}

/// `{ a => b }` as a map of these types.
pub(super) fn expect(
    ctx: &mut Check<'_>,
    entries: &[(ast::Expr, ast::Expr)],
    (key, value): (&Ty, &Ty),
    span: Span,
) -> Expr {
    let mut typed = Vec::with_capacity(entries.len());
    let mut seen: HashMap<Value, Span> = HashMap::new();
    for (written_key, written_value) in entries {
        let found_key = expr::expect(ctx, written_key, key);
        let found_value = expr::expect(ctx, written_value, value);
        let known = known(ctx, &found_key);
        let is_known = self::known(ctx, &found_value).is_some();
        if let Some(known) = known {
            match seen.get(&known) {
                Some(first) => {
                    let first = *first;
                    ctx.report(
                        Diagnostic::error("E0213", "this key is in the map twice", found_key.span)
                            .with(first, "the first entry of this key"),
                    );
                }
                None if is_known => drop(seen.insert(known, found_key.span)),
                None => {}
            }
        }
        typed.push((found_key, found_value));
    }
    let ty = Ty::Map(Box::new(key.clone()), Box::new(value.clone()));
    Expr { kind: ExprKind::Map(typed), ty, span }
}

/// The value of a key or entry, which must be known now; a report when it is not.
fn known(ctx: &mut Check<'_>, expr: &Expr) -> Option<Value> {
    if expr.ty == Ty::Error {
        return None;
    }
    let found = fold::value(ctx, expr);
    if found.is_none() {
        ctx.report(
            Diagnostic::error("E0502", "what a map holds is known when the program is compiled", expr.span)
                .label("known only while a request is served")
                .help("choose between two maps, or put the choice behind the lookup"),
        );
    }
    found
}

/// `map[key]` and `list[index]`.
pub(super) fn index(ctx: &mut Check<'_>, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
    let found = expr::infer(ctx, base);
    match found.ty.clone() {
        Ty::Error => broken(span),
        Ty::Map(key, value) => {
            let key = expr::expect(ctx, index, &key);
            if key.ty == Ty::Error {
                return broken(span);
            }
            let kind = ExprKind::Lookup { map: Box::new(found), key: Box::new(key) };
            Expr { kind, ty: Ty::Option(value), span }
        }
        Ty::List(element) if types::is_stored(&element) => {
            let index = expr::expect(ctx, index, &Ty::Int);
            if index.ty == Ty::Error {
                return broken(span);
            }
            let kind = ExprKind::Element { list: Box::new(found), index: Box::new(index) };
            Expr { kind, ty: Ty::Option(element), span }
        }
        Ty::Set(element) => {
            let diagnostic = Diagnostic::error("E0319", "a set has no first or last element", found.span)
                .label(format!("this is Set<{element}>"));
            ctx.report(match found.kind {
                ExprKind::Const(_) => diagnostic.help(format!("declare it as `List<{element}>`")),
                _ => diagnostic,
            });
            broken(span)
        }
        ty => {
            let message = match ty {
                Ty::List(_) => format!("elements of {ty} cannot be read one by one"),
                ty => format!("{ty} has no elements"),
            };
            ctx.report(Diagnostic::error("E0319", message, found.span));
            broken(span)
        }
    }
}
