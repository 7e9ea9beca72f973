//! Values of settings, each of the kind that the table asks for.

use super::super::scope::Place;
use super::super::{Check, expr, fold, host, tls};
use super::word::{self, Chosen};
use super::{Given, inner, is_broken};
use crate::ast::{self, BinaryOp, ExprKind, SettingValue};
use crate::catalogue::{self, Kind};
use crate::hir::{self, RetryOn, Ty, Value};
use crate::literal::{Cidr, Endpoint};
use crate::span::Spanned;
use crate::{Diagnostic, Span};

/// The value of a setting.
#[derive(Debug)]
pub(in super::super) enum Got {
    Bool(bool),
    Int(i64),
    /// Bytes.
    Size(u64),
    /// Milliseconds.
    Duration(u64),
    /// Hundredths of a percent.
    Percent(u32),
    /// Text, a path in normal form, or a host in lower case.
    Text(String),
    Ints(Vec<i64>),
    Networks(Vec<Cidr>),
    /// As written.
    Endpoints(Vec<Spanned<Endpoint>>),
    /// First and last.
    Statuses(u16, u16),
    Failures(Vec<RetryOn>),
    Key(hir::Expr),
    /// Its name.
    Secret(String),
    Tls(hir::Tls),
    Word(Chosen),
    Words(Vec<Chosen>),
    Block(Given),
}

/// Failures that another server may mend.
const FAILURES: [&str; 6] =
    ["connect_failed", "connect_timeout", "tls_failed", "response_timeout", "upstream_reset", "bad_response"];

/// The value of a setting, or a report.
pub(super) fn read(
    ctx: &mut Check<'_>,
    setting: &ast::Setting,
    entry: &'static catalogue::Setting,
    is_served: bool,
) -> Option<Got> {
    let name = entry.name;
    if let Kind::Block(block) = entry.kind {
        return match &setting.value {
            SettingValue::Block(settings) => Some(Got::Block(inner(ctx, settings, block, is_served))),
            SettingValue::Expr(value) => {
                if matches!(value.kind, ExprKind::Error) {
                    ctx.incomplete = true;
                    return None;
                }
                ctx.report(
                    Diagnostic::error("E0217", format!("`{name}` is a block, not one value"), value.span)
                        .help(format!("write `{name} {{ … }}`")),
                );
                None
            }
        };
    }
    match &setting.value {
        SettingValue::Expr(value) => of_kind(ctx, name, value, entry.kind, is_served),
        SettingValue::Block(_) if is_broken(setting) => None,
        SettingValue::Block(_) => {
            ctx.report(
                Diagnostic::error("E0217", format!("`{name}` is one value, not a block"), setting.name.span)
                    .help(format!("write `{name}: …`")),
            );
            None
        }
    }
}

/// A value of this kind, or a report; `name` is that of the setting or argument.
pub(super) fn of_kind(
    ctx: &mut Check<'_>,
    name: &str,
    written: &ast::Expr,
    kind: Kind,
    is_served: bool,
) -> Option<Got> {
    if matches!(written.kind, ExprKind::Error) {
        ctx.incomplete = true;
        return None;
    }
    let found = match kind {
        Kind::Word(choice) => return word::one(ctx, name, written, choice, is_served).map(Got::Word),
        Kind::Words(choice) => return word::several(ctx, name, written, choice, is_served).map(Got::Words),
        Kind::Tls => return tls::read(ctx, written).map(Got::Tls),
        Kind::Secret => return tls::secret(ctx, name, written).map(Got::Secret),
        Kind::Key => return key(ctx, written).map(Got::Key),
        Kind::Statuses => {
            return statuses(ctx, name, written).map(|(first, last)| Got::Statuses(first, last));
        }
        Kind::Failures => return failures(ctx, name, written).map(Got::Failures),
        Kind::Ints(..) | Kind::Networks | Kind::Endpoints => {
            return list(ctx, name, written, kind);
        }
        Kind::Block(_) => return None,
        Kind::Bool => constant(ctx, name, written, &Ty::Bool)?,
        Kind::Int(..) => constant(ctx, name, written, &Ty::Int)?,
        Kind::Size(..) => constant(ctx, name, written, &Ty::Size)?,
        Kind::Duration(_) => constant(ctx, name, written, &Ty::Duration)?,
        Kind::Percent(_) => constant(ctx, name, written, &Ty::Percent)?,
        Kind::Path => {
            let Value::Text(text) = constant(ctx, name, written, &Ty::Path)? else { return None };
            return Some(Got::Text(text));
        }
        Kind::Text | Kind::Host => constant(ctx, name, written, &Ty::String)?,
    };
    within(ctx, name, found, kind, written.span)
}

/// A value within the bounds of its kind, or E0215.
fn within(ctx: &mut Check<'_>, name: &str, found: Value, kind: Kind, span: Span) -> Option<Got> {
    let limits = match (found, kind) {
        (Value::Bool(value), _) => return Some(Got::Bool(value)),
        (Value::Int(number), Kind::Int(least, most)) if (least..=most).contains(&number) => {
            return Some(Got::Int(number));
        }
        (Value::Int(_), Kind::Int(least, most)) => format!("a number from {least} to {most}"),
        (Value::Size(bytes), Kind::Size(least, most)) if (least..=most).contains(&bytes) => {
            return Some(Got::Size(bytes));
        }
        (Value::Size(_), Kind::Size(least, most)) => {
            let show = catalogue::show_size;
            format!("a size from {} to {}", show(least), show(most))
        }
        (Value::Duration(ms), Kind::Duration(most)) if (1..=most).contains(&ms) => {
            return Some(Got::Duration(ms));
        }
        (Value::Duration(_), Kind::Duration(_)) => "more than nothing and at most 24h".to_owned(),
        (Value::Percent(share), Kind::Percent(most)) if share <= most => return Some(Got::Percent(share)),
        (Value::Percent(_), Kind::Percent(most)) => format!("at most {}%", most / 100),
        (Value::Text(text), Kind::Host) => return host::literal(ctx, &text, span).map(Got::Text),
        (Value::Text(text), _) if !text.is_empty() => return Some(Got::Text(text)),
        (Value::Text(_), _) => "text that is not empty".to_owned(),
        (_, _) => return None,
    };
    ctx.report(Diagnostic::error("E0215", format!("`{name}` is {limits}"), span));
    None
}

/// A value that is known now.
fn constant(ctx: &mut Check<'_>, name: &str, written: &ast::Expr, ty: &Ty) -> Option<Value> {
    ctx.scope.place = Place::Setting;
    let typed = expr::expect(ctx, written, ty);
    if typed.ty == Ty::Error {
        return None;
    }
    let found = fold::value(ctx, &typed);
    if found.is_none() {
        let message = format!("`{name}` needs a value that is known when the program is compiled");
        ctx.report(Diagnostic::error("E0502", message, written.span));
    }
    found
}

/// The elements of a list, each known now. Those that were reported are left out; the others are worth checking.
fn list(ctx: &mut Check<'_>, name: &str, written: &ast::Expr, kind: Kind) -> Option<Got> {
    let ty = match kind {
        Kind::Networks => Ty::Set(Box::new(Ty::Cidr)),
        Kind::Endpoints => Ty::List(Box::new(Ty::Endpoint)),
        _ => Ty::List(Box::new(Ty::Int)),
    };
    ctx.scope.place = Place::Setting;
    let typed = expr::expect(ctx, written, &ty);
    if typed.ty == Ty::Error {
        return None;
    }
    let elements: Vec<(Value, Span)> = fold::elements(ctx, &typed)?
        .iter()
        .filter(|element| element.ty != Ty::Error)
        .filter_map(|element| Some((fold::value(ctx, element)?, element.span)))
        .collect();
    let (mut endpoints, mut networks, mut ints) = (Vec::new(), Vec::new(), Vec::new());
    for (value, span) in elements {
        match (value, kind) {
            (Value::Endpoint(endpoint), _) => endpoints.push(Spanned::new(endpoint, span)),
            (Value::Cidr(cidr), _) => networks.push(cidr),
            (Value::Int(number), Kind::Ints(least, most)) => {
                let within = within(ctx, name, Value::Int(number), Kind::Int(least, most), span);
                ints.extend(within.is_some().then_some(number));
            }
            (_, _) => {}
        }
    }
    Some(match kind {
        Kind::Networks => Got::Networks(networks),
        Kind::Endpoints => Got::Endpoints(endpoints),
        _ => Got::Ints(ints),
    })
}

/// `200`, `200..299`: first and last.
fn statuses(ctx: &mut Check<'_>, name: &str, written: &ast::Expr) -> Option<(u16, u16)> {
    let status = |value: &Value| match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    let is_range = matches!(&written.kind, ExprKind::Binary { op, .. } if op.value == BinaryOp::Range);
    if !is_range {
        let found = constant(ctx, name, written, &Ty::Status)?;
        return Some((status(&found)?, status(&found)?));
    }
    ctx.scope.place = Place::Setting;
    let typed = expr::expect(ctx, written, &Ty::Range(Box::new(Ty::Status)));
    let hir::ExprKind::Range(first, last) = &typed.kind else { return None };
    Some((status(&fold::value(ctx, first)?)?, status(&fold::value(ctx, last)?)?))
}

/// `[connect_failed, 502, 503]`
fn failures(ctx: &mut Check<'_>, name: &str, written: &ast::Expr) -> Option<Vec<RetryOn>> {
    let ExprKind::List(elements) = &written.kind else {
        ctx.report(
            Diagnostic::error("E0217", format!("`{name}` is a list of failures and statuses"), written.span)
                .help("write `[connect_failed, 503]`"),
        );
        return None;
    };
    let mut found = Vec::new();
    for element in elements {
        match &element.kind {
            ExprKind::Name(word) => {
                if let Some(known) = FAILURES.into_iter().find(|known| known == word) {
                    found.push(RetryOn::Failure(known));
                } else {
                    word::not_one(
                        ctx,
                        word,
                        element.span,
                        "a failure that another server may mend",
                        &FAILURES,
                    );
                }
            }
            ExprKind::Literal(_) | ExprKind::Binary { .. } => {
                found.extend(statuses(ctx, name, element).map(|(first, last)| RetryOn::Status(first, last)));
            }
            _ => {
                constant(ctx, name, element, &Ty::Status);
            }
        }
    }
    Some(found)
}

/// What exchanges are told apart by: text, a number or an address, which may be absent.
fn key(ctx: &mut Check<'_>, written: &ast::Expr) -> Option<hir::Expr> {
    ctx.scope.place = Place::Rule;
    let found = expr::infer(ctx, written);
    ctx.scope.place = Place::Setting;
    let is_key = |ty: &Ty| {
        matches!(
            ty,
            Ty::String | Ty::RawString | Ty::Path | Ty::Host | Ty::Int | Ty::Port | Ty::Ip | Ty::Method
        )
    };
    match &found.ty {
        Ty::Error => None,
        Ty::Option(inner) if is_key(inner) => Some(found),
        ty if is_key(ty) => Some(found),
        ty => {
            ctx.report(
                Diagnostic::error("E0301", format!("expected String, found {ty}"), written.span)
                    .label("servers are chosen by a text, a number or an address"),
            );
            None
        }
    }
}
