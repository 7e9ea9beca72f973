//! L0402: routes whose methods and condition exclude each other.
//!
//! Looked at are the parts of the condition that have to hold together and compare the method with known ones. What
//! is not reported may still be impossible.

use super::{Check, fold};
use crate::hir::{Comparison, Expr, ExprKind, Field, Value};
use crate::literal::Method;
use crate::span::Spanned;
use crate::{Diagnostic, Span};

/// Warns when no method that the route takes passes its condition.
pub(super) fn methods(ctx: &mut Check<'_>, written: &[Spanned<Method>], guard: Option<&Expr>) {
    let (Some(first), Some(last), Some(guard)) = (written.first(), written.last(), guard) else { return };
    let taken = taken(written);
    let mut open = vec![guard];
    while let Some(part) = open.pop() {
        if let ExprKind::And(left, right) = &part.kind {
            open.extend([&**right, &**left]);
            continue;
        }
        let Some(asked) = Asked::of(ctx, part) else { continue };
        if taken.iter().any(|method| asked.passes(method)) {
            continue;
        }
        let place = Span { end: last.span.end, ..first.span };
        ctx.report(
            Diagnostic::warning("L0402", "no request can match this route", place)
                .label(named(&taken))
                .with(part.span, asked.remark())
                .help("remove one of the two conditions"),
        );
        return;
    }
}

/// The methods a route takes: `GET` before a path includes HEAD.
fn taken(written: &[Spanned<Method>]) -> Vec<Method> {
    let mut taken = Vec::new();
    for method in written {
        let head = (method.value == Method::Get).then_some(Method::Head);
        for one in [Some(method.value.clone()), head].into_iter().flatten() {
            if !taken.contains(&one) {
                taken.push(one);
            }
        }
    }
    taken
}

/// A comparison of the method with known ones.
struct Asked {
    methods: Vec<Method>,
    /// It has to be one of them, else none of them.
    is_one: bool,
}

impl Asked {
    fn of(ctx: &Check<'_>, part: &Expr) -> Option<Asked> {
        let ExprKind::Compare { op, left, right } = &part.kind else { return None };
        if !matches!(left.kind, ExprKind::Field(Field::Method)) {
            return None;
        }
        let (is_one, values) = match op {
            Comparison::Equal => (true, std::slice::from_ref(&**right)),
            Comparison::NotEqual => (false, std::slice::from_ref(&**right)),
            Comparison::In => (true, set(ctx, right)?),
            Comparison::NotIn => (false, set(ctx, right)?),
            Comparison::Less
            | Comparison::LessEqual
            | Comparison::Greater
            | Comparison::GreaterEqual
            | Comparison::Matches
            | Comparison::StartsWith
            | Comparison::EndsWith
            | Comparison::Contains => return None,
        };
        let method = |value: &Expr| match fold::value(ctx, value)? {
            Value::Method(method) => Some(method),
            _ => None,
        };
        let methods = values.iter().map(method).collect::<Option<Vec<_>>>()?;
        Some(Asked { methods, is_one })
    }

    fn passes(&self, method: &Method) -> bool {
        self.methods.contains(method) == self.is_one
    }

    fn remark(&self) -> String {
        let methods = named(&self.methods);
        if self.is_one { format!("and {methods}") } else { format!("and not {methods}") }
    }
}

/// The members of a set that is written here or in a constant.
fn set<'e>(ctx: &'e Check<'_>, right: &'e Expr) -> Option<&'e [Expr]> {
    match &right.kind {
        ExprKind::Set(values) => Some(values),
        ExprKind::Const(id) => match &ctx.consts[*id].value.as_ref()?.kind {
            ExprKind::Set(values) => Some(values),
            _ => None,
        },
        _ => None,
    }
}

/// `GET or HEAD`
fn named(methods: &[Method]) -> String {
    let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
    names.join(" or ")
}
