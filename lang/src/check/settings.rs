//! Settings: which a block knows, and values of the type each wants.

use super::scope::Place;
use super::{Check, expr, fold};
use crate::ast::{self, ExprKind, Setting, SettingValue};
use crate::hir::{Ty, Value};
use crate::span::Spanned;
use crate::suggest::closest;
use crate::{Diagnostic, Span};
use std::ops::RangeInclusive;

use super::limits::TIMEOUT_MS_MAX;

/// The settings of a kind of block.
pub(super) struct Table {
    /// The block as a person calls it: `` `server` ``.
    pub(super) owner: &'static str,
    /// What it takes.
    pub(super) known: &'static [&'static str],
    /// What it takes in a later version.
    pub(super) later: &'static [&'static str],
}

/// The settings that the block knows, each once, in the order of the text; the others are reported. One whose value
/// could not be parsed is a mistake already, so nothing is said of its name.
pub(super) fn read<'s>(
    ctx: &mut Check<'_>,
    settings: impl IntoIterator<Item = &'s Setting>,
    table: &Table,
) -> Vec<&'s Setting> {
    let mut known: Vec<&Setting> = Vec::new();
    for setting in settings {
        let name = setting.name.value.as_str();
        ctx.incomplete |= is_broken(setting);
        if is_broken(setting) && !table.known.contains(&name) {
            continue;
        }
        if table.later.contains(&name) {
            ctx.later(&format!("`{name}`"), setting.name.span);
        } else if !table.known.contains(&name) {
            unknown(ctx, &setting.name.value, setting.name.span, table);
        } else if let Some(first) = known.iter().find(|first| first.name.value == name) {
            let first = first.name.span;
            ctx.report(
                Diagnostic::error("E0213", format!("`{name}` is set twice"), setting.name.span)
                    .with(first, "set here first"),
            );
        } else {
            known.push(setting);
        }
    }
    known
}

/// Whether something of a setting could not be parsed, which was reported.
pub(super) fn is_broken(setting: &Setting) -> bool {
    match &setting.value {
        SettingValue::Expr(value) => matches!(value.kind, ExprKind::Error),
        SettingValue::Block(settings) => settings.iter().any(is_broken),
    }
}

fn unknown(ctx: &mut Check<'_>, name: &str, span: Span, table: &Table) {
    let message = format!("{} has no setting `{name}`", table.owner);
    let mut diagnostic = Diagnostic::error("E0210", message, span);
    if crate::parse::is_statement(name) {
        diagnostic = diagnostic.help(format!("`{name}` is a statement and stands without `:`"));
    } else if let Some(similar) = closest(name, table.known.iter().chain(table.later).copied()) {
        diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), span, similar);
    } else if !table.known.is_empty() {
        diagnostic = diagnostic.help(format!("possible: {}", table.known.join(", ")));
    }
    ctx.report(diagnostic);
}

/// The expression of a setting, or a report when it is a block.
pub(super) fn value<'s>(ctx: &mut Check<'_>, setting: &'s Setting) -> Option<&'s ast::Expr> {
    match &setting.value {
        SettingValue::Expr(value) => Some(value),
        SettingValue::Block(_) if is_broken(setting) => None,
        SettingValue::Block(_) => {
            let name = &setting.name.value;
            ctx.report(
                Diagnostic::error("E0217", format!("`{name}` is one value, not a block"), setting.name.span)
                    .help(format!("write `{name}: …`")),
            );
            None
        }
    }
}

/// The settings inside a setting, or a report when it is one value.
pub(super) fn block<'s>(ctx: &mut Check<'_>, setting: &'s Setting) -> Option<&'s [Setting]> {
    match &setting.value {
        SettingValue::Block(settings) => Some(settings),
        SettingValue::Expr(value) => {
            if matches!(value.kind, ExprKind::Error) {
                ctx.incomplete = true;
                return None;
            }
            let name = &setting.name.value;
            ctx.report(
                Diagnostic::error("E0217", format!("`{name}` is a block, not one value"), value.span)
                    .help(format!("write `{name} {{ … }}`")),
            );
            None
        }
    }
}

/// The value of a setting, known now.
pub(super) fn constant(ctx: &mut Check<'_>, setting: &Setting, ty: &Ty) -> Option<Spanned<Value>> {
    let written = value(ctx, setting)?;
    ctx.scope.place = Place::Setting;
    let typed = expr::expect(ctx, written, ty);
    if typed.ty == Ty::Error {
        return None;
    }
    let Some(found) = fold::value(ctx, &typed) else {
        unknown_now(ctx, &setting.name.value, written.span);
        return None;
    };
    Some(Spanned::new(found, written.span))
}

/// The elements of a setting that is a list or set, each known now.
pub(super) fn list(ctx: &mut Check<'_>, setting: &Setting, ty: &Ty) -> Option<Vec<Spanned<Value>>> {
    let written = value(ctx, setting)?;
    ctx.scope.place = Place::Setting;
    let typed = expr::expect(ctx, written, ty);
    if typed.ty == Ty::Error {
        return None;
    }
    let elements = fold::elements(ctx, &typed)?;
    // Elements that were reported are left out; the others are still worth checking.
    let found = elements.iter().filter(|element| element.ty != Ty::Error);
    Some(found.filter_map(|element| Some(Spanned::new(fold::value(ctx, element)?, element.span))).collect())
}

fn unknown_now(ctx: &mut Check<'_>, name: &str, span: Span) {
    let message = format!("`{name}` needs a value that is known when the program is compiled");
    ctx.report(Diagnostic::error("E0502", message, span));
}

/// A whole number within bounds.
pub(super) fn int(ctx: &mut Check<'_>, setting: &Setting, bounds: RangeInclusive<i64>) -> Option<i64> {
    let found = constant(ctx, setting, &Ty::Int)?;
    let Value::Int(number) = found.value else { return None };
    if bounds.contains(&number) {
        return Some(number);
    }
    let limits = format!("a number from {} to {}", bounds.start(), bounds.end());
    out_of_bounds(ctx, setting, found.span, &limits);
    None
}

/// A size in bytes within bounds, which are multiples of the unit they are shown in.
pub(super) fn size(ctx: &mut Check<'_>, setting: &Setting, bounds: RangeInclusive<u64>) -> Option<u64> {
    let found = constant(ctx, setting, &Ty::Size)?;
    let Value::Size(bytes) = found.value else { return None };
    if bounds.contains(&bytes) {
        return Some(bytes);
    }
    let limits = format!("a size from {} to {}", show_size(*bounds.start()), show_size(*bounds.end()));
    out_of_bounds(ctx, setting, found.span, &limits);
    None
}

fn show_size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{}MiB", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{}KiB", b >> 10),
        b => format!("{b}B"),
    }
}

/// A time limit in milliseconds: more than nothing, at most a day.
pub(super) fn time_limit(ctx: &mut Check<'_>, setting: &Setting) -> Option<u64> {
    let found = constant(ctx, setting, &Ty::Duration)?;
    let Value::Duration(ms) = found.value else { return None };
    if (1..=TIMEOUT_MS_MAX).contains(&ms) {
        return Some(ms);
    }
    out_of_bounds(ctx, setting, found.span, "more than nothing and at most 24h");
    None
}

fn out_of_bounds(ctx: &mut Check<'_>, setting: &Setting, span: Span, limits: &str) {
    let name = &setting.name.value;
    ctx.report(Diagnostic::error("E0215", format!("`{name}` is {limits}"), span));
}

/// The number of the word that a setting has as its value. `what` completes "… is not".
pub(super) fn word(ctx: &mut Check<'_>, setting: &Setting, what: &str, words: &[&str]) -> Option<usize> {
    let written = value(ctx, setting)?;
    let found = match &written.kind {
        ExprKind::Name(word) => word.clone(),
        ExprKind::Error => {
            ctx.incomplete = true;
            return None;
        }
        _ => super::render::render(written),
    };
    if let Some(number) = words.iter().position(|word| *word == found) {
        return Some(number);
    }
    let possible = format!("possible: {}", words.join(", "));
    let diagnostic = Diagnostic::error("E0318", format!("`{found}` is not {what}"), written.span);
    ctx.report(match closest(&found, words.iter().copied()) {
        Some(similar) => {
            diagnostic.fix(format!("did you mean `{similar}`? {possible}"), written.span, similar)
        }
        None => diagnostic.help(possible),
    });
    None
}
