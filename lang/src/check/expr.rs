//! Expressions: each gets a type, from itself or from what its position demands.

use super::declare::{broken, descend};
use super::mismatch::{self, coerce};
use super::types::{agrees, present};
use super::{Check, call, compare, enums, field, literal, map, regex, types, upstream};
use crate::ast::{self, BinaryOp, Literal, TextPiece, UnaryOp};
use crate::hir::{Arithmetic, Expr, ExprKind, Ty, Value};
use crate::{Diagnostic, Span};

/// The expression with the type it has by itself.
pub(super) fn infer(ctx: &mut Check<'_>, expr: &ast::Expr) -> Expr {
    if descend(ctx, expr.span).is_none() {
        return broken(expr.span);
    }
    let typed = infer_kind(ctx, expr);
    ctx.scope.depth -= 1;
    typed
}

fn infer_kind(ctx: &mut Check<'_>, expr: &ast::Expr) -> Expr {
    let span = expr.span;
    match &expr.kind {
        ast::ExprKind::Literal(literal) => literal::infer(ctx, literal, expr),
        ast::ExprKind::Text(pieces) => join(ctx, pieces, span),
        ast::ExprKind::Name(name) => field::name(ctx, name, span),
        ast::ExprKind::Access { base, name } => field::access(ctx, base, name, span),
        ast::ExprKind::Index { base, index } => field::index(ctx, base, index, span),
        ast::ExprKind::Call { callee, arguments } => call::call(ctx, callee, arguments, span),
        ast::ExprKind::Unary { op: UnaryOp::Not, operand } => {
            let operand = expect(ctx, operand, &Ty::Bool);
            Expr { kind: ExprKind::Not(Box::new(operand)), ty: Ty::Bool, span }
        }
        ast::ExprKind::Unary { op: UnaryOp::Negate, operand } => negate(ctx, operand, span),
        ast::ExprKind::Binary { op, left, right } => binary(ctx, expr, op.value, (left, right)),
        ast::ExprKind::If { .. } => choose(ctx, expr, None),
        ast::ExprKind::List(elements) => list(ctx, elements, span),
        ast::ExprKind::Map(entries) => map::infer(ctx, entries, span),
        ast::ExprKind::Error => {
            ctx.incomplete = true;
            broken(span)
        }
    }
}

/// The expression as a value of type `wanted`; what is not one is reported and becomes [`Ty::Error`].
pub(super) fn expect(ctx: &mut Check<'_>, expr: &ast::Expr, wanted: &Ty) -> Expr {
    if descend(ctx, expr.span).is_none() {
        return broken(expr.span);
    }
    let typed = expect_kind(ctx, expr, wanted);
    ctx.scope.depth -= 1;
    typed
}

fn expect_kind(ctx: &mut Check<'_>, expr: &ast::Expr, wanted: &Ty) -> Expr {
    match (&expr.kind, wanted) {
        // Their types were written, and what was wrong with that was said.
        (ast::ExprKind::Map(_), Ty::Error) => broken(expr.span),
        (_, Ty::Error) => infer_kind(ctx, expr),
        (
            ast::ExprKind::Name(_)
            | ast::ExprKind::Access { .. }
            | ast::ExprKind::Literal(Literal::Endpoint(_)),
            Ty::Upstream,
        ) => upstream::value(ctx, expr),
        (ast::ExprKind::Literal(literal), _) => literal::adapt(ctx, literal, wanted, expr),
        (ast::ExprKind::If { .. }, _) => choose(ctx, expr, Some(wanted)),
        (ast::ExprKind::Name(word), Ty::Enum(declared)) => enums::word(ctx, expr, word, declared),
        (ast::ExprKind::Map(entries), Ty::Map(key, value)) => {
            map::expect(ctx, entries, (key, value), expr.span)
        }
        (ast::ExprKind::List(elements), Ty::Set(element) | Ty::List(element)) => {
            let elements = elements.iter().map(|e| expect(ctx, e, element)).collect();
            Expr { kind: ExprKind::Set(elements), ty: wanted.clone(), span: expr.span }
        }
        (ast::ExprKind::Binary { op, left, right }, Ty::Range(element)) if op.value == BinaryOp::Range => {
            range(ctx, (left, right), element, expr.span)
        }
        _ => {
            let found = infer_kind(ctx, expr);
            coerce(ctx, found, wanted, expr)
        }
    }
}

fn binary(ctx: &mut Check<'_>, expr: &ast::Expr, op: BinaryOp, sides: (&ast::Expr, &ast::Expr)) -> Expr {
    match op {
        BinaryOp::And | BinaryOp::Or => connect(ctx, expr, op),
        BinaryOp::Else => or_else(ctx, sides, expr.span),
        BinaryOp::Range => {
            let first = infer(ctx, sides.0);
            let element = first.ty.clone();
            if element != Ty::Error && !types::is_ordered(&element) {
                ctx.report(
                    Diagnostic::error(
                        "E0302",
                        format!("a range has numbers as ends, not {element}"),
                        first.span,
                    )
                    .note("both ends of a range belong to it"),
                );
                return broken(expr.span);
            }
            let last = expect(ctx, sides.1, &element);
            ranged(ctx, first, last, expr.span)
        }
        BinaryOp::Add => arithmetic(ctx, Arithmetic::Add, sides, expr.span),
        BinaryOp::Subtract => arithmetic(ctx, Arithmetic::Subtract, sides, expr.span),
        BinaryOp::Multiply => arithmetic(ctx, Arithmetic::Multiply, sides, expr.span),
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::In
        | BinaryOp::NotIn
        | BinaryOp::Matches
        | BinaryOp::StartsWith
        | BinaryOp::EndsWith
        | BinaryOp::Contains => compare::compare(ctx, op, sides, expr.span),
    }
}

/// `a and b and c`: chains are walked along their left side without recursion and become balanced trees, so that
/// their length is no depth for any later stage.
fn connect(ctx: &mut Check<'_>, expr: &ast::Expr, op: BinaryOp) -> Expr {
    let mut operands = Vec::new();
    let mut current = expr;
    while let ast::ExprKind::Binary { op: inner, left, right } = &current.kind
        && inner.value == op
    {
        operands.push(&**right);
        current = left;
    }
    operands.push(current);
    operands.reverse();
    let operands: Vec<Expr> = operands.into_iter().map(|operand| expect(ctx, operand, &Ty::Bool)).collect();
    balance(operands, op).unwrap_or_else(|| broken(expr.span))
}

fn balance(mut operands: Vec<Expr>, op: BinaryOp) -> Option<Expr> {
    if operands.len() < 2 {
        return operands.pop();
    }
    let right = operands.split_off(operands.len().div_ceil(2));
    let (left, right) = (Box::new(balance(operands, op)?), Box::new(balance(right, op)?));
    let span = left.span.to(right.span);
    let kind = if op == BinaryOp::And { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
    Some(Expr { kind, ty: Ty::Bool, span })
}

/// `o ?? v`: the type of `v`, which may be absent itself.
fn or_else(ctx: &mut Check<'_>, (left, right): (&ast::Expr, &ast::Expr), span: Span) -> Expr {
    let option = infer(ctx, left);
    let inner = match &option.ty {
        Ty::Error => {
            infer(ctx, right);
            return broken(span);
        }
        Ty::Option(inner) => (**inner).clone(),
        _ => {
            ctx.report(
                Diagnostic::error("E0305", "the left side of `??` is never absent", option.span)
                    .label(format!("this is {}", option.ty))
                    .fix("remove `??` and what follows it", left.span.after().to(right.span), ""),
            );
            return broken(span);
        }
    };
    let default = match &right.kind {
        ast::ExprKind::Literal(_) | ast::ExprKind::If { .. } | ast::ExprKind::List(_) => {
            expect(ctx, right, &inner)
        }
        ast::ExprKind::Name(_) if types::has_words(&inner) && enums::is_word(ctx, right) => {
            expect(ctx, right, &inner)
        }
        _ => {
            let default = infer(ctx, right);
            if agrees(&default.ty, &option.ty) { default } else { coerce(ctx, default, &inner, right) }
        }
    };
    if default.ty == Ty::Error {
        return broken(span);
    }
    join_else(option, default, span)
}

/// `(a ?? b) ?? c` is `a ?? (b ?? c)`, so the left side is always a read.
fn join_else(option: Expr, default: Expr, span: Span) -> Expr {
    let ty = default.ty.clone();
    match option.kind {
        ExprKind::Else(first, second) => {
            let rest_span = second.span.to(default.span);
            let rest = join_else(*second, default, rest_span);
            Expr { kind: ExprKind::Else(first, Box::new(rest)), ty, span }
        }
        _ => Expr { kind: ExprKind::Else(Box::new(option), Box::new(default)), ty, span },
    }
}

/// `if c then a else b`: both values have the wanted type, or that of the first which tells its own.
fn choose(ctx: &mut Check<'_>, expr: &ast::Expr, wanted: Option<&Ty>) -> Expr {
    let ast::ExprKind::If { condition, then, otherwise } = &expr.kind else { return broken(expr.span) };
    let condition = expect(ctx, condition, &Ty::Bool);
    let (then, otherwise) = match wanted {
        Some(wanted) => (expect(ctx, then, wanted), expect(ctx, otherwise, wanted)),
        None if (is_literal(then) || enums::is_word(ctx, then)) && !is_literal(otherwise) => {
            let otherwise = infer(ctx, otherwise);
            let ty = otherwise.ty.clone();
            (expect(ctx, then, &ty), otherwise)
        }
        None => {
            let then = infer(ctx, then);
            let ty = then.ty.clone();
            let otherwise = expect(ctx, otherwise, &ty);
            (then, otherwise)
        }
    };
    let ty = if agrees(&then.ty, &otherwise.ty) { otherwise.ty.clone() } else { then.ty.clone() };
    if then.ty == Ty::Error || otherwise.ty == Ty::Error {
        return broken(expr.span);
    }
    if !types::is_plain(present(&ty)) {
        ctx.report(
            Diagnostic::error("E0324", format!("`if` cannot choose between values of type {ty}"), expr.span)
                .note("patterns, lists and ranges are known when the program is compiled")
                .help("choose between two conditions instead: `if … then … in [a] else … in [b]`"),
        );
        return broken(expr.span);
    }
    let kind =
        ExprKind::If { condition: Box::new(condition), then: Box::new(then), otherwise: Box::new(otherwise) };
    Expr { kind, ty, span: expr.span }
}

/// Whether the position decides the type of this expression.
pub(super) fn is_literal(expr: &ast::Expr) -> bool {
    matches!(expr.kind, ast::ExprKind::Literal(_))
}

/// `[a, b]` by itself: a Set of the type of its first element; addresses among networks are networks.
fn list(ctx: &mut Check<'_>, elements: &[ast::Expr], span: Span) -> Expr {
    let Some((first, rest)) = elements.split_first() else {
        ctx.report(
            Diagnostic::error("E0323", "the type of an empty list is not known", span)
                .help("say its type where it is declared: `const name: Set<String> = []`"),
        );
        return broken(span);
    };
    let has_network = elements.iter().any(|e| matches!(e.kind, ast::ExprKind::Literal(Literal::Cidr(_))));
    let mut typed = Vec::with_capacity(elements.len());
    let ty = if has_network {
        typed.push(expect(ctx, first, &Ty::Cidr));
        Ty::Cidr
    } else {
        typed.push(infer(ctx, first));
        typed[0].ty.clone()
    };
    if !types::is_plain(&ty) {
        ctx.report(Diagnostic::error("E0301", format!("a list cannot hold {ty}"), first.span));
        return broken(span);
    }
    for element in rest {
        typed.push(expect(ctx, element, &ty));
    }
    Expr { kind: ExprKind::Set(typed), ty: Ty::Set(Box::new(ty)), span }
}

fn range(ctx: &mut Check<'_>, (first, last): (&ast::Expr, &ast::Expr), element: &Ty, span: Span) -> Expr {
    let (first, last) = (expect(ctx, first, element), expect(ctx, last, element));
    ranged(ctx, first, last, span)
}

fn ranged(ctx: &mut Check<'_>, first: Expr, last: Expr, span: Span) -> Expr {
    let element = first.ty.clone();
    if element == Ty::Error || last.ty == Ty::Error {
        return broken(span);
    }
    let (low, high) = (super::fold::value(ctx, &first), super::fold::value(ctx, &last));
    let is_empty = match (low, high) {
        (Some(Value::Int(low)), Some(Value::Int(high))) => low > high,
        (Some(Value::Size(low)), Some(Value::Size(high)))
        | (Some(Value::Duration(low)), Some(Value::Duration(high))) => low > high,
        _ => false,
    };
    if is_empty {
        ctx.report(Diagnostic::error("E0215", "this range is empty: it ends before it begins", span));
    }
    let kind = ExprKind::Range(Box::new(first), Box::new(last));
    Expr { kind, ty: Ty::Range(Box::new(element)), span }
}

fn negate(ctx: &mut Check<'_>, operand: &ast::Expr, span: Span) -> Expr {
    let operand = expect(ctx, operand, &Ty::Int);
    let kind = if let ExprKind::Value(Value::Int(number)) = operand.kind {
        ExprKind::Value(Value::Int(number.saturating_neg()))
    } else {
        let zero = Expr { kind: ExprKind::Value(Value::Int(0)), ty: Ty::Int, span };
        ExprKind::Arithmetic { op: Arithmetic::Subtract, left: Box::new(zero), right: Box::new(operand) }
    };
    Expr { kind, ty: Ty::Int, span }
}

fn arithmetic(
    ctx: &mut Check<'_>,
    op: Arithmetic,
    (left, right): (&ast::Expr, &ast::Expr),
    span: Span,
) -> Expr {
    let first = infer(ctx, left);
    if op == Arithmetic::Add && types::is_text(present(&first.ty)) && first.ty != Ty::Error {
        ctx.report(
            Diagnostic::error("E0302", format!("`+` adds numbers, not {}", first.ty), span)
                .help("join text inside quotes: `\"${a}${b}\"`"),
        );
        return broken(span);
    }
    let first = coerce(ctx, first, &Ty::Int, left);
    let second = expect(ctx, right, &Ty::Int);
    let kind = ExprKind::Arithmetic { op, left: Box::new(first), right: Box::new(second) };
    Expr { kind, ty: Ty::Int, span }
}

/// `"a ${b}"`
fn join(ctx: &mut Check<'_>, pieces: &[TextPiece], span: Span) -> Expr {
    let mut ty = Ty::String;
    let mut parts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let part = match piece {
            TextPiece::Literal(text) => {
                let kind = ExprKind::Value(Value::Text(text.clone()));
                Expr { kind, ty: literal::text_type(text), span }
            }
            TextPiece::Expr(inner) => {
                let part = infer(ctx, inner);
                check_shown(ctx, &part, inner);
                part
            }
        };
        match part.ty {
            Ty::RawString if ty == Ty::String => ty = Ty::RawString,
            _ => {}
        }
        parts.push(part);
    }
    Expr { kind: ExprKind::Join(parts), ty, span }
}

/// What stands in `${…}` must have one written form and be there.
fn check_shown(ctx: &mut Check<'_>, part: &Expr, written: &ast::Expr) {
    match &part.ty {
        Ty::String
        | Ty::RawString
        | Ty::Path
        | Ty::Host
        | Ty::Int
        | Ty::Ip
        | Ty::Method
        | Ty::Scheme
        | Ty::Port
        | Ty::Status
        | Ty::Enum(_)
        | Ty::Error => {}
        Ty::Option(_) => mismatch::report(ctx, part, &Ty::String, written),
        Ty::Bool => ctx.report(
            Diagnostic::error("E0303", "`${…}` cannot show Bool", part.span)
                .help("choose the text: `${if … then \"yes\" else \"no\"}`"),
        ),
        Ty::Duration
        | Ty::Size
        | Ty::Rate
        | Ty::Percent
        | Ty::Cidr
        | Ty::Endpoint
        | Ty::Regex
        | Ty::Glob
        | Ty::Upstream
        | Ty::List(_)
        | Ty::Set(_)
        | Ty::Map(..)
        | Ty::Range(_) => {
            ctx.report(Diagnostic::error("E0303", format!("`${{…}}` cannot show {}", part.ty), part.span));
        }
    }
}

/// The pattern on the right of `matches`; `subject` is the left side as written.
pub(super) fn pattern(ctx: &mut Check<'_>, expr: &ast::Expr, subject: &str) -> Expr {
    if let ast::ExprKind::Literal(Literal::Regex(pattern)) = &expr.kind {
        if !regex::check(ctx, pattern, expr.span, Some(subject)) {
            return broken(expr.span);
        }
        let kind = ExprKind::Value(Value::Regex(pattern.clone()));
        return Expr { kind, ty: Ty::Regex, span: expr.span };
    }
    let found = infer(ctx, expr);
    if matches!(found.ty, Ty::Regex | Ty::Glob | Ty::Error) {
        found
    } else {
        coerce(ctx, found, &Ty::Regex, expr)
    }
}
