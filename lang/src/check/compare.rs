//! Comparisons: equality, order, membership and patterns.
//!
//! A comparison with an Option means "present and …", so the two that would silently include absence, `!=` and
//! `not in`, are refused on one.

use super::declare::broken;
use super::expr::{expect, infer, is_literal, pattern};
use super::mismatch::{self, coerce};
use super::render::render;
use super::scope::Place;
use super::types::{agrees, has_words, is_ordered, is_plain, is_text, present};
use super::{Check, enums, path};
use crate::ast::{self, BinaryOp, Literal};
use crate::hir::{Comparison, Expr, ExprKind, Field, Ty, Value};
use crate::literal::Method;
use crate::{Diagnostic, Span};

/// `left op right` for all comparisons.
pub(super) fn compare(
    ctx: &mut Check<'_>,
    op: BinaryOp,
    (left, right): (&ast::Expr, &ast::Expr),
    span: Span,
) -> Expr {
    let sides = match op {
        BinaryOp::Equal => equal(ctx, op, (left, right)).map(|sides| (Comparison::Equal, sides)),
        BinaryOp::NotEqual => equal(ctx, op, (left, right)).map(|sides| (Comparison::NotEqual, sides)),
        BinaryOp::Less => ordered(ctx, op, (left, right)).map(|sides| (Comparison::Less, sides)),
        BinaryOp::LessEqual => ordered(ctx, op, (left, right)).map(|sides| (Comparison::LessEqual, sides)),
        BinaryOp::Greater => ordered(ctx, op, (left, right)).map(|sides| (Comparison::Greater, sides)),
        BinaryOp::GreaterEqual => {
            ordered(ctx, op, (left, right)).map(|sides| (Comparison::GreaterEqual, sides))
        }
        BinaryOp::In => member(ctx, op, (left, right)).map(|sides| (Comparison::In, sides)),
        BinaryOp::NotIn => member(ctx, op, (left, right)).map(|sides| (Comparison::NotIn, sides)),
        BinaryOp::Matches => matches(ctx, (left, right)).map(|sides| (Comparison::Matches, sides)),
        BinaryOp::StartsWith => text(ctx, op, (left, right)).map(|sides| (Comparison::StartsWith, sides)),
        BinaryOp::EndsWith => text(ctx, op, (left, right)).map(|sides| (Comparison::EndsWith, sides)),
        BinaryOp::Contains => text(ctx, op, (left, right)).map(|sides| (Comparison::Contains, sides)),
        BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::Else
        | BinaryOp::Range
        | BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply => None,
    };
    match sides {
        Some((op, (left, right))) if left.ty != Ty::Error && right.ty != Ty::Error => {
            let kind = ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) };
            Expr { kind, ty: Ty::Bool, span }
        }
        // A comparison is a Bool whatever is wrong inside it, so nothing more is said about its place.
        Some(_) | None => broken(span),
    }
}

fn equal(ctx: &mut Check<'_>, op: BinaryOp, (left, right): (&ast::Expr, &ast::Expr)) -> Option<(Expr, Expr)> {
    if (is_literal(left) || enums::is_word(ctx, left)) && !is_literal(right) {
        let second = infer(ctx, right);
        let first = expect(ctx, left, present(&second.ty));
        check_equal(ctx, op, (&first, left), (&second, right))?;
        return Some((first, second));
    }
    let first = infer(ctx, left);
    let wanted = present(&first.ty).clone();
    if wanted == Ty::Error && enums::is_word(ctx, right) {
        // It may be a word of the type that the left side would have had.
        return None;
    }
    if !is_plain(&wanted) {
        no_equality(ctx, op, &first);
        return None;
    }
    let second = match &right.kind {
        ast::ExprKind::Literal(_) | ast::ExprKind::If { .. } => expect(ctx, right, &wanted),
        ast::ExprKind::Name(_) if has_words(&wanted) => expect(ctx, right, &wanted),
        ast::ExprKind::List(_) => {
            let text = if op == BinaryOp::Equal { "in" } else { "not in" };
            ctx.report(
                Diagnostic::error("E0302", format!("`{}` compares with one value", op.as_str()), right.span)
                    .label("this is a list")
                    .help(format!("write `{} {text} {}`", render(left), render(right))),
            );
            return None;
        }
        _ => {
            let second = infer(ctx, right);
            if !is_plain(present(&second.ty)) {
                no_equality(ctx, op, &second);
                return None;
            }
            if agrees(present(&second.ty), &wanted) || agrees(&wanted, present(&second.ty)) {
                second
            } else {
                coerce(ctx, second, &wanted, right)
            }
        }
    };
    check_equal(ctx, op, (&first, left), (&second, right))?;
    warn_about_head(ctx, &first, &second, op, right.span);
    Some((first, second))
}

fn no_equality(ctx: &mut Check<'_>, op: BinaryOp, side: &Expr) {
    let diagnostic =
        Diagnostic::error("E0302", format!("`{}` does not compare {}", op.as_str(), side.ty), side.span);
    ctx.report(match side.ty {
        Ty::Regex | Ty::Glob => diagnostic.help("write `matches`"),
        Ty::Upstream => diagnostic.note("an upstream is something to send requests to, not a value"),
        _ => diagnostic.help("write `in`"),
    });
}

/// Refuses `!=` when a side may be absent.
fn check_equal(
    ctx: &mut Check<'_>,
    op: BinaryOp,
    first: (&Expr, &ast::Expr),
    second: (&Expr, &ast::Expr),
) -> Option<()> {
    if op != BinaryOp::NotEqual {
        return Some(());
    }
    let mut sides = [first, second].into_iter();
    let Some((option, written)) = sides.find(|(side, _)| matches!(side.ty, Ty::Option(_))) else {
        return Some(());
    };
    refuse_absent(ctx, option, written, op, &format!("{} == {}", render(first.1), render(second.1)));
    None
}

/// E0304: both readings of the comparison, for the author to choose.
fn refuse_absent(ctx: &mut Check<'_>, option: &Expr, written: &ast::Expr, op: BinaryOp, positive: &str) {
    let what = match &option.kind {
        ExprKind::Field(Field::Header(_)) => "a header",
        ExprKind::Field(Field::Query(_)) => "a query field",
        ExprKind::Field(Field::Cookie(_)) => "a cookie",
        ExprKind::Field(Field::QueryString) => "a query",
        ExprKind::Lookup { .. } => "an entry",
        ExprKind::Element { .. } => "an element",
        ExprKind::Field(
            Field::Method
            | Field::Scheme
            | Field::Host
            | Field::Port
            | Field::Path
            | Field::Target
            | Field::ClientIp,
        )
        | ExprKind::Value(_)
        | ExprKind::Set(_)
        | ExprKind::Map(_)
        | ExprKind::Range(..)
        | ExprKind::Const(_)
        | ExprKind::Env(_)
        | ExprKind::Let(_)
        | ExprKind::Call(..)
        | ExprKind::Rule(..)
        | ExprKind::Param(_)
        | ExprKind::Upstream(_)
        | ExprKind::Capture(_)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Compare { .. }
        | ExprKind::Else(..)
        | ExprKind::IsSome(_)
        | ExprKind::IsNone(_)
        | ExprKind::If { .. }
        | ExprKind::Join(_)
        | ExprKind::Seconds(_)
        | ExprKind::Arithmetic { .. } => "a value",
    };
    let message = format!("`{}` on {what} that may be absent", op.as_str());
    ctx.report(
        Diagnostic::error("E0304", message, option.span)
            .label(format!("this is {}", option.ty))
            .help(format!("to match also when it is absent, write `not ({positive})`"))
            .help(format!(
                "to match only when it is present, write `{}.is_some and not (…)`",
                render(written)
            )),
    );
}

fn ordered(
    ctx: &mut Check<'_>,
    op: BinaryOp,
    (left, right): (&ast::Expr, &ast::Expr),
) -> Option<(Expr, Expr)> {
    let (first, second) = if is_literal(left) && !is_literal(right) {
        let second = infer(ctx, right);
        (expect(ctx, left, present(&second.ty)), second)
    } else {
        let first = infer(ctx, left);
        let wanted = present(&first.ty).clone();
        if !is_ordered(&wanted) {
            let message = format!("`{}` compares numbers, not {}", op.as_str(), first.ty);
            ctx.report(Diagnostic::error("E0302", message, first.span));
            return None;
        }
        let second = expect(ctx, right, &wanted);
        (first, second)
    };
    if !is_ordered(present(&second.ty)) {
        let message = format!("`{}` compares numbers, not {}", op.as_str(), second.ty);
        ctx.report(Diagnostic::error("E0302", message, second.span));
        return None;
    }
    Some((first, second))
}

fn member(
    ctx: &mut Check<'_>,
    op: BinaryOp,
    (left, right): (&ast::Expr, &ast::Expr),
) -> Option<(Expr, Expr)> {
    let first = infer(ctx, left);
    let element = present(&first.ty).clone();
    if !is_plain(&element) {
        let message = format!("`{}` asks for one value, not {}", op.as_str(), first.ty);
        ctx.report(Diagnostic::error("E0302", message, first.span));
        return None;
    }
    let wanted = Ty::Set(Box::new(if element == Ty::Ip { Ty::Cidr } else { element.clone() }));
    let second = match &right.kind {
        ast::ExprKind::List(_) => expect(ctx, right, &wanted),
        ast::ExprKind::Binary { op, .. } if op.value == BinaryOp::Range => {
            expect(ctx, right, &Ty::Range(Box::new(element.clone())))
        }
        _ => {
            let second = infer(ctx, right);
            let holds = match &second.ty {
                Ty::Set(inner) | Ty::List(inner) | Ty::Range(inner) | Ty::Map(inner, _) => {
                    agrees(&element, inner) || (element, &**inner) == (Ty::Ip, &Ty::Cidr)
                }
                Ty::Error => true,
                _ => false,
            };
            if holds { second } else { report_no_member(ctx, &second, &wanted, right) }
        }
    };
    if op == BinaryOp::NotIn && matches!(first.ty, Ty::Option(_)) {
        refuse_absent(ctx, &first, left, op, &format!("{} in {}", render(left), render(right)));
        return None;
    }
    Some((first, second))
}

fn report_no_member(ctx: &mut Check<'_>, found: &Expr, wanted: &Ty, written: &ast::Expr) -> Expr {
    mismatch::report(ctx, found, wanted, written);
    broken(found.span)
}

fn matches(ctx: &mut Check<'_>, (left, right): (&ast::Expr, &ast::Expr)) -> Option<(Expr, Expr)> {
    let first = infer(ctx, left);
    let second = pattern(ctx, right, &render(left));
    check_text(ctx, BinaryOp::Matches, &first)?;
    Some((first, second))
}

fn check_text(ctx: &mut Check<'_>, op: BinaryOp, side: &Expr) -> Option<()> {
    if is_text(present(&side.ty)) {
        return Some(());
    }
    let message = format!("`{}` works on text, not {}", op.as_str(), side.ty);
    ctx.report(Diagnostic::error("E0302", message, side.span));
    None
}

/// `starts_with` and its like: bytes on both sides. Literals are brought to the form that the left side has.
fn text(ctx: &mut Check<'_>, op: BinaryOp, (left, right): (&ast::Expr, &ast::Expr)) -> Option<(Expr, Expr)> {
    let first = infer(ctx, left);
    check_text(ctx, op, &first)?;
    let subject = present(&first.ty).clone();
    let second = if let ast::ExprKind::Literal(Literal::Text(written)) = &right.kind {
        let normal = match subject {
            Ty::Path => path::piece(ctx, written, right.span)?,
            Ty::Host => written.to_ascii_lowercase(),
            _ => written.clone(),
        };
        Expr { kind: ExprKind::Value(Value::Text(normal)), ty: Ty::String, span: right.span }
    } else {
        let second = infer(ctx, right);
        let fits = is_text(&second.ty) && (second.ty != Ty::Path || subject == Ty::Path);
        if fits { second } else { coerce(ctx, second, &Ty::String, right) }
    };
    Some((first, second))
}

/// L0406: `GET` in a route's method set includes HEAD, in a guard it does not.
fn warn_about_head(ctx: &mut Check<'_>, first: &Expr, second: &Expr, op: BinaryOp, span: Span) {
    let is_get = matches!(&second.kind, ExprKind::Value(Value::Method(Method::Get)));
    let is_method = matches!(&first.kind, ExprKind::Field(Field::Method));
    if op != BinaryOp::Equal || !is_get || !is_method || ctx.scope.place != Place::Guard {
        return;
    }
    let whole = first.span.to(span);
    let text = "request.method in [GET, HEAD]";
    ctx.report(
        Diagnostic::warning("L0406", "this condition leaves out HEAD", whole)
            .note("`GET` before a path includes HEAD, in a condition it does not")
            .fix(format!("write `{text}`"), whole, text),
    );
}
