//! Names and fields: constants, rules, captures, parameters, and the parts of the exchange.

use super::call;
use super::declare::broken;
use super::names::{self, BUILTIN, Behind, Kind, Name};
use super::scope::Place;
use super::{Check, expr, header, map};
use crate::ast;
use crate::hir::{Comparison, Expr, ExprKind, Field, Ty, Value};
use crate::literal::{Method, Regex};
use crate::span::Ident;
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// Fields of `request` that stand alone.
const REQUEST: [(&str, Field); 7] = [
    ("method", Field::Method),
    ("scheme", Field::Scheme),
    ("host", Field::Host),
    ("port", Field::Port),
    ("path", Field::Path),
    ("query_string", Field::QueryString),
    ("target", Field::Target),
];
/// Fields of `request` that take a name in brackets.
const NAMED: [&str; 3] = ["header", "query", "cookie"];
/// Fields of `request` of a later version.
const REQUEST_LATER: [&str; 5] = ["version", "id", "header_all", "content_length", "bearer"];
/// Questions about the request that other fields answer.
const DERIVED: [&str; 2] = ["is_websocket", "is_grpc"];
/// Fields of values of a later version.
const VALUE_LATER: [&str; 4] = ["decoded", "header_safe", "len", "lower"];
/// Natives of a later version.
const CALL_LATER: [&str; 7] = ["json", "acme", "files", "hash", "dns", "secret_equals", "local_ca"];

/// A name by itself.
pub(super) fn name(ctx: &mut Check<'_>, name: &str, span: Span) -> Expr {
    if let Some(number) = ctx.scope.params.iter().position(|(param, ..)| param == name) {
        let ty = ctx.scope.params[number].1.clone();
        return Expr { kind: ExprKind::Param(number), ty, span };
    }
    if let Some(captured) = ctx.scope.capture(name) {
        return Expr { kind: ExprKind::Capture(name.to_owned()), ty: captured.taken.ty(), span };
    }
    if let Some(bound) = ctx.scope.bound(name) {
        return Expr { kind: ExprKind::Let(bound.id), ty: bound.ty.clone(), span };
    }
    if ctx.scope.unsure.iter().any(|unsure| unsure == name) {
        return broken(span);
    }
    let Some(found) = ctx.names.look_up(span.source, name) else {
        if BUILTIN.contains(&name) {
            not_a_value(ctx, name, ("a group of fields", None), span);
        } else {
            names::unknown_value(ctx, name, span);
        }
        return broken(span);
    };
    named(ctx, name, found, span)
}

/// The value of something that a module declares.
fn named(ctx: &mut Check<'_>, name: &str, found: Name, span: Span) -> Expr {
    if let Kind::Const(id) = found.kind {
        return match &ctx.consts[id].value {
            Some(value) if value.ty != Ty::Error && !ctx.consts[id].cyclic => {
                Expr { kind: ExprKind::Const(id), ty: value.ty.clone(), span }
            }
            Some(_) | None => broken(span),
        };
    }
    if let Kind::Rule(id) = found.kind {
        return call::rule(ctx, id, &[], span);
    }
    if let Kind::Fn(_) = found.kind {
        let message = format!("`{name}` is a function");
        ctx.report(
            Diagnostic::error("E0204", message, span)
                .label("its value depends on its arguments")
                .with(found.declared, "declared here")
                .help(format!("write `{name}(…)`")),
        );
        return broken(span);
    }
    if found.kind != Kind::Later {
        not_a_value(ctx, name, (found.kind.with_article(), Some(found.declared)), span);
    }
    broken(span)
}

fn not_a_value(ctx: &mut Check<'_>, name: &str, (what, place): (&str, Option<Span>), span: Span) {
    let mut diagnostic =
        Diagnostic::error("E0204", format!("`{name}` is not a value"), span).label(format!("this is {what}"));
    if let Some(place) = place {
        diagnostic = diagnostic.with(place, "declared here");
    }
    ctx.report(diagnostic);
}

/// `base.name`
pub(super) fn access(ctx: &mut Check<'_>, base: &ast::Expr, name: &Ident, span: Span) -> Expr {
    match builtin(base) {
        Some("request") => return request(ctx, name, span),
        Some("client") => return client(ctx, name, span),
        Some("response") => return response(ctx, span),
        Some(group) => {
            ctx.later(&format!("`{group}.{}`", name.value), span);
            return broken(span);
        }
        None => {}
    }
    match names::behind_module(ctx, base, name, names::VALUE) {
        Behind::Found(found) => return named(ctx, &name.value, found, span),
        Behind::Nothing => return broken(span),
        Behind::NoModule => {}
    }
    let value = expr::infer(ctx, base);
    if value.ty == Ty::Error {
        return broken(span);
    }
    let is_option = matches!(value.ty, Ty::Option(_));
    match name.value.as_str() {
        "is_some" if is_option => Expr { kind: ExprKind::IsSome(Box::new(value)), ty: Ty::Bool, span },
        "is_none" if is_option => Expr { kind: ExprKind::IsNone(Box::new(value)), ty: Ty::Bool, span },
        "seconds" if value.ty == Ty::Duration => {
            Expr { kind: ExprKind::Seconds(Box::new(value)), ty: Ty::Int, span }
        }
        "is_some" | "is_none" => {
            ctx.report(
                Diagnostic::error(
                    "E0305",
                    format!("`.{}` asks what is never absent", name.value),
                    value.span,
                )
                .label(format!("this is {}", value.ty)),
            );
            broken(span)
        }
        later if VALUE_LATER.contains(&later) => {
            ctx.later(&format!("`.{later}`"), name.span);
            broken(span)
        }
        _ => {
            let known: &[&str] = match value.ty {
                Ty::Option(_) => &["is_some", "is_none"],
                Ty::Duration => &["seconds"],
                _ => &[],
            };
            unknown_field(ctx, name, &value.ty.to_string(), known);
            broken(span)
        }
    }
}

/// The group of fields of the exchange that `base` names. Nothing else can have these names.
pub(super) fn builtin(base: &ast::Expr) -> Option<&'static str> {
    let ast::ExprKind::Name(name) = &base.kind else { return None };
    BUILTIN.into_iter().find(|builtin| builtin == name)
}

fn request(ctx: &mut Check<'_>, name: &Ident, span: Span) -> Expr {
    let written = name.value.as_str();
    if let Some((_, field)) = REQUEST.iter().find(|(known, _)| *known == written) {
        return read(ctx, field.clone(), span);
    }
    if DERIVED.contains(&written) {
        return derived(ctx, written, span);
    }
    if NAMED.contains(&written) {
        ctx.report(
            Diagnostic::error("E0319", format!("`request.{written}` needs a name in brackets"), span)
                .help(format!("write `request.{written}[\"name\"]`")),
        );
    } else if REQUEST_LATER.contains(&written) {
        ctx.later(&format!("`request.{written}`"), span);
    } else {
        let known: Vec<&str> = REQUEST.iter().map(|(known, _)| *known).chain(NAMED).chain(DERIVED).collect();
        unknown_field(ctx, name, "`request`", &known);
    }
    broken(span)
}

/// `is_grpc`: what the content type says. `is_websocket`: a GET that wants to go on as one (RFC 6455, section 4.1).
fn derived(ctx: &mut Check<'_>, name: &str, span: Span) -> Expr {
    let compare = |op, left: Expr, value, ty| {
        if left.ty == Ty::Error {
            return left;
        }
        let right = Expr { kind: ExprKind::Value(value), ty, span };
        let kind = ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) };
        Expr { kind, ty: Ty::Bool, span }
    };
    if name == "is_grpc" {
        let content = read(ctx, Field::Header("content-type".to_owned()), span);
        let grpc = Value::Text("application/grpc".to_owned());
        return compare(Comparison::StartsWith, content, grpc, Ty::String);
    }
    let upgrade = read(ctx, Field::Header("upgrade".to_owned()), span);
    if upgrade.ty == Ty::Error {
        return upgrade;
    }
    let websocket = Regex { pattern: "websocket".to_owned(), ignore_case: true };
    let wants = compare(Comparison::Matches, upgrade, Value::Regex(websocket), Ty::Regex);
    let method = read(ctx, Field::Method, span);
    let is_get = compare(Comparison::Equal, method, Value::Method(Method::Get), Ty::Method);
    Expr { kind: ExprKind::And(Box::new(is_get), Box::new(wants)), ty: Ty::Bool, span }
}

fn client(ctx: &mut Check<'_>, name: &Ident, span: Span) -> Expr {
    match name.value.as_str() {
        "ip" => read(ctx, Field::ClientIp, span),
        "cert" => {
            ctx.later("`client.cert`", span);
            broken(span)
        }
        _ => {
            unknown_field(ctx, name, "`client`", &["ip"]);
            broken(span)
        }
    }
}

/// The response is not there yet where a route is chosen; elsewhere reading it comes in a later version.
fn response(ctx: &mut Check<'_>, span: Span) -> Expr {
    match ctx.scope.place {
        Place::Guard | Place::Rule => {
            ctx.incomplete = true;
            let condition = ctx.scope.guard_text.clone().unwrap_or_else(|| "…".to_owned());
            ctx.report(
                Diagnostic::error("E0501", "the response is not known when a route is chosen", span)
                    .label("available after the upstream answered")
                    .help(format!("use `on response when {condition} {{ … }}` inside the route")),
            );
        }
        Place::Constant | Place::Setting | Place::Function => too_early(ctx, span),
        Place::Statement => ctx.later("reading the response", span),
    }
    broken(span)
}

/// A field of the request, where there is a request.
fn read(ctx: &mut Check<'_>, field: Field, span: Span) -> Expr {
    match ctx.scope.place {
        Place::Constant | Place::Setting | Place::Function => {
            too_early(ctx, span);
            broken(span)
        }
        Place::Rule | Place::Guard | Place::Statement => {
            let ty = field_type(&field);
            Expr { kind: ExprKind::Field(field), ty, span }
        }
    }
}

fn too_early(ctx: &mut Check<'_>, span: Span) {
    let what = ctx.scope.place.what();
    let diagnostic = Diagnostic::error("E0502", format!("{what} cannot read the exchange"), span)
        .label("known only while a request is served");
    ctx.report(match ctx.scope.place {
        Place::Function => diagnostic.help("give it as an argument, or for a condition write a `rule`"),
        _ => diagnostic.help("for a condition over the request write a `rule`"),
    });
}

fn field_type(field: &Field) -> Ty {
    match field {
        Field::Method => Ty::Method,
        Field::Scheme => Ty::Scheme,
        Field::Host => Ty::Host,
        Field::Port => Ty::Port,
        Field::Path => Ty::Path,
        Field::Target => Ty::String,
        Field::ClientIp => Ty::Ip,
        Field::QueryString | Field::Header(_) | Field::Query(_) | Field::Cookie(_) => {
            Ty::Option(Box::new(Ty::String))
        }
    }
}

/// `base[index]`
pub(super) fn index(ctx: &mut Check<'_>, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
    if let ast::ExprKind::Access { base: group, name } = &base.kind {
        match (builtin(group), name.value.as_str()) {
            (Some("request"), "header") => {
                let name = header::read_name(ctx, index);
                return name.map_or_else(|| broken(span), |name| read(ctx, Field::Header(name), span));
            }
            (Some("request"), "query") => {
                let name = header::constant_name(ctx, index, "a query field");
                return name.map_or_else(|| broken(span), |name| read(ctx, Field::Query(name), span));
            }
            (Some("request"), "cookie") => {
                let name = header::constant_name(ctx, index, "a cookie");
                return name.map_or_else(|| broken(span), |name| read(ctx, Field::Cookie(name), span));
            }
            (Some("response"), _) => return response(ctx, span),
            _ => {}
        }
    }
    map::index(ctx, base, index, span)
}

fn unknown_field(ctx: &mut Check<'_>, name: &Ident, owner: &str, known: &[&str]) {
    let message = format!("{owner} has no field `{}`", name.value);
    let mut diagnostic = Diagnostic::error("E0211", message, name.span);
    if let Some(similar) = closest(&name.value, known.iter().copied()) {
        diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), name.span, similar);
    } else if !known.is_empty() {
        diagnostic = diagnostic.help(format!("possible: {}", known.join(", ")));
    }
    ctx.report(diagnostic);
}

/// Whether a callee is known to come in a later version.
pub(super) fn is_later_call(name: &str) -> bool {
    CALL_LATER.contains(&name)
}
